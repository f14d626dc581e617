//! A game for people: loaded by name, asked in words.

use crate::ask;
use crate::engines::{self, Choice};
use crate::error::{Error, Result};
use crate::games;
use crate::load::{self, LoadError};
use crate::play::{Match, PlayError};
use ludex_board::Drawing;
use ludex_engine::perft::perft;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::row::Row;
use ludex_engine::terms::TermId;
use ludex_engine::words::{self, StateError};
use ludex_engine::{Budget, BuildError, Engine, Vocabulary, row};
use ludex_gdl::rewrite::start::starting_in;
use ludex_gdl::rules::Term;
use ludex_gdl::syntax::print;
use ludex_gdl::{Diagnostic, Rules, Sheet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The rules of a game, and whatever has been computed from them. Clones share it.
///
/// What a question needs, an engine above all, is made when it is first asked and kept. For more than a question
/// at a time there is [`Game::engine`], and [`Game::rules`] for everything else in Ludex.
///
/// ```
/// use ludex::prelude::*;
///
/// let game = Game::load("tictactoe")?;
/// let mut play = game.start()?;
/// play.play("mark 2 2")?;
/// play.play([("o", "(mark 1 1)")])?;
/// assert_eq!(play.legal("x")?.len(), 7);
/// print!("{}", play.draw());
/// # Ok::<(), ludex::Error>(())
/// ```
#[derive(Clone)]
pub struct Game {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    /// The checked rules, with what has been made for them.
    prepared: Arc<Prepared>,
    text: Arc<str>,
    warnings: Vec<Diagnostic>,
    choice: Choice,
    /// For what is made.
    budget: Budget,
    engine: OnceLock<Result<Arc<dyn Engine>, BuildError>>,
    /// 512 games at a time; nothing where the network does not take the game.
    lanes: OnceLock<Option<Lanes>>,
    drawing: OnceLock<Drawing>,
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl Game {
    /// The game that `source` stands for: the path of a rule sheet, the name of a bundled game, or the rules
    /// themselves. Warnings do not stop it ([`Game::warnings`]).
    pub fn load(source: &str) -> Result<Game, LoadError> {
        if Path::new(source).is_file() {
            return Game::open(source);
        }
        match games::find(source) {
            Some(bundled) => Game::read(bundled.name, bundled.text),
            // Rules of either notation have parentheses; a name or a path that has some is none that is there.
            None if source.contains('(') => Game::read("rules", source),
            None => Err(LoadError::Unknown(source.to_owned())),
        }
    }

    /// The game whose rules are in a file, named after it.
    pub fn open(path: impl AsRef<Path>) -> Result<Game, LoadError> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        Game::new(&name, &path.display().to_string(), load::from_file(path)?)
    }

    /// The game of these rules, by the name it shall have.
    pub fn read(name: &str, rules: &str) -> Result<Game, LoadError> {
        Game::new(name, name, Sheet::read(rules))
    }

    fn new(name: &str, source: &str, sheet: Sheet) -> Result<Game, LoadError> {
        let Some(rules) = sheet.game() else { return Err(LoadError::rules(source, &sheet)) };
        let prepared = Arc::new(Prepared::new(rules.clone()));
        Ok(Game::of(name, prepared, sheet.text, sheet.findings, engines::AUTO, Budget::default()))
    }

    fn of(
        name: &str,
        prepared: Arc<Prepared>,
        text: Arc<str>,
        warnings: Vec<Diagnostic>,
        choice: Choice,
        budget: Budget,
    ) -> Game {
        let inner = Inner {
            name: name.to_owned(),
            prepared,
            text,
            warnings,
            choice,
            budget,
            engine: OnceLock::new(),
            lanes: OnceLock::new(),
            drawing: OnceLock::new(),
        };
        Game { inner: Arc::new(inner) }
    }

    /// The same game, computed by the engine of that name: `auto`, `datalog`, `tree` or `propnet`.
    pub fn with_engine(&self, name: &str) -> Result<Game> {
        let choice = engines::find(name).ok_or_else(|| Error::UnknownEngine(name.to_owned()))?;
        Ok(self.again(self.inner.prepared.clone(), choice, self.inner.budget.clone()))
    }

    /// The same game, for which engines are made within this budget; what was made so far is made anew.
    pub fn with_budget(&self, budget: &Budget) -> Game {
        let prepared = Arc::new(Prepared::new(self.rules().clone()));
        self.again(prepared, self.inner.choice, budget.clone())
    }

    fn again(&self, prepared: Arc<Prepared>, choice: Choice, budget: Budget) -> Game {
        let Inner { name, text, warnings, .. } = &*self.inner;
        Game::of(name, prepared, text.clone(), warnings.clone(), choice, budget)
    }

    /// What it is called: a bundled name, or that of its file.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The checked rules, which everything else in Ludex takes.
    pub fn rules(&self) -> &Arc<ludex_gdl::Game> {
        self.inner.prepared.game()
    }

    /// The checked rules with what has been made for them, for everything that takes from it.
    pub fn prepared(&self) -> &Arc<Prepared> {
        &self.inner.prepared
    }

    /// The text of the rules.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// What the checker warns of. [`Diagnostic::drawn`] shows the place, given [`Game::text`].
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.inner.warnings
    }

    /// The engine, built when it is first needed.
    pub fn engine(&self) -> Result<&Arc<dyn Engine>> {
        let build = || self.inner.choice.build_for(&self.inner.prepared, &self.inner.budget);
        self.inner.engine.get_or_init(build).as_ref().map_err(|error| Error::Build(error.clone()))
    }

    /// Lanes, if the game is one for them.
    pub(crate) fn lanes(&self) -> Option<&Lanes> {
        let build = || {
            let Inner { prepared, budget, .. } = &*self.inner;
            let compiled = prepared.network(budget).ok()?;
            Lanes::new(&compiled.net, &compiled.initial, budget).ok()
        };
        self.inner.lanes.get_or_init(build).as_ref()
    }

    /// How its states are drawn and its moves are entered by clicks.
    pub fn drawing(&self) -> Result<&Drawing> {
        Ok(self.drawing_by(&**self.engine()?))
    }

    /// The same by an engine that is there; where the budget does not suffice to look for boards, a list.
    pub(crate) fn drawing_by(&self, engine: &dyn Engine) -> &Drawing {
        self.inner.drawing.get_or_init(|| {
            let vocabulary = engine.vocabulary();
            let mut state = vec![0; vocabulary.words()];
            engine.worker().initial(&mut state);
            let found = Drawing::find(vocabulary, &state, &self.inner.budget);
            found.unwrap_or_else(|_| Drawing::list(vocabulary))
        })
    }

    /// A match at its beginning.
    pub fn start(&self) -> Result<Match> {
        Match::new(self)
    }

    /// A match that begins in the state in which just these fluents hold.
    ///
    /// ```
    /// let game = ludex::Game::load("nim")?;
    /// let play = game.start_from(&game.start()?.fluents())?;
    /// assert_eq!(play.state(), game.start()?.state());
    /// assert!(game.start_from(&["(heap z 99)"]).is_err());
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn start_from(&self, fluents: &[impl AsRef<str>]) -> Result<Match> {
        let engine = self.engine()?;
        let vocabulary = engine.vocabulary();
        let mut state = vec![0; vocabulary.words()];
        for text in fluents {
            let text = text.as_ref();
            let fluent = vocabulary.read_term(text).and_then(|term| vocabulary.find_fluent(term));
            let unknown = || StateError::NoFluent(text.to_owned(), words::near(vocabulary, text));
            row::set(&mut state, fluent.ok_or_else(|| PlayError::State(unknown()))?);
        }
        Match::at(self, state)
    }

    /// A match that begins in a state given as one text: fluents in either notation one after the other, or a list of
    /// them in JSON, as commands print it.
    ///
    /// ```
    /// let nim = ludex::Game::load("nim")?;
    /// let play = nim.start_at("heap(a,0), heap(b,0), heap(c,1), heap(d,0), control(bob)")?;
    /// assert_eq!(play.choosing(), [] as [&str; 0]);
    /// assert_eq!(play.legal("bob")?, ["(take c 1)"]);
    /// let refused = nim.start_at("(heap a 9)").unwrap_err().to_string();
    /// assert!(refused.contains("did you mean"), "{refused}");
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn start_at(&self, state: &str) -> Result<Match> {
        let state = words::read_state(self.engine()?.vocabulary(), state).map_err(PlayError::State)?;
        Match::at(self, state)
    }

    /// The game that begins in a state of this one.
    pub(crate) fn beginning_in(&self, vocabulary: &Vocabulary, state: &Row) -> Game {
        let mut rules = self.rules().rules.clone();
        let fluents: Vec<Term> =
            row::fluents(state).map(|f| term(vocabulary, &mut rules, vocabulary.fluent(f))).collect();
        let prepared = Arc::new(Prepared::new(starting_in(self.rules(), &rules, fluents)));
        let text = print::kif(&prepared.game().rules.to_tree());
        let Inner { name, choice, budget, .. } = &*self.inner;
        Game::of(name, prepared, text.into(), Vec::new(), *choice, budget.clone())
    }

    /// In how many ways so many joint moves can be made from the start.
    ///
    /// ```
    /// assert_eq!(ludex::Game::load("tictactoe")?.perft(3)?, 504);
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn perft(&self, depth: usize) -> Result<u64> {
        Ok(perft(&mut *self.engine()?.worker(), depth)?)
    }

    /// Random matches from the start: how they end.
    pub fn playouts(&self, count: u64) -> ask::Playouts<'_> {
        ask::Playouts::new(self, count)
    }

    /// What play is like: who wins, how long it takes, how much there is to choose.
    pub fn stats(&self) -> ask::Stats<'_> {
        ask::Stats::new(self)
    }

    /// Searches for a good move in the state of a match.
    #[cfg(feature = "search")]
    pub fn search<'m>(&self, play: &'m Match) -> ask::Search<'m> {
        ask::Search::new(play)
    }

    /// Finds and proves what is worth knowing of the game.
    #[cfg(feature = "logic")]
    pub fn facts(&self) -> ask::Discover<'_> {
        ask::Discover::new(self)
    }

    /// Decides whether a property holds in every reachable state: a formula, or one with a name such as `playable`
    /// ([`ludex_logic::formula`]).
    #[cfg(feature = "logic")]
    pub fn prove<'g>(&'g self, property: &'g str) -> ask::Prove<'g> {
        ask::Prove::new(self, property)
    }

    /// Visits every reachable state: what each role can get.
    #[cfg(feature = "logic")]
    pub fn solve(&self) -> ask::Solve<'_> {
        ask::Solve::new(self)
    }
}

/// A ground term with the names of the rules.
fn term(vocabulary: &Vocabulary, rules: &mut Rules, id: TermId) -> Term {
    let terms = vocabulary.terms();
    let name = rules.symbols.intern(vocabulary.rules().symbols.name(terms.functor(id)));
    if terms.is_constant(id) {
        return Term::Constant(name);
    }
    let arguments = terms.arguments(id).iter().map(|&argument| term(vocabulary, rules, argument));
    Term::Compound(name, arguments.collect())
}
