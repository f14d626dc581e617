//! Proofs and discovery, in words.

use crate::error::Result;
use crate::game::Game;
use crate::play::show_line;
use ludex_engine::{Budget, BuildError, Vocabulary};
use ludex_gdl::Keyword;
use ludex_gdl::rules::RelationId;
use ludex_logic::discover::{Statement, discover, statements};
use ludex_logic::facts::Facts;
use ludex_logic::formula::Request;
use ludex_logic::prove::{Answer, Options, Prover, Reason, prove_in_part};
use ludex_logic::transition::System;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How much may be spent; compiling the game is part of it.
#[derive(Clone, Debug)]
struct Effort {
    time: Duration,
    budget: Budget,
}

impl Effort {
    /// So much time, and the memory that the prover allows by itself.
    fn new(time: Duration) -> Effort {
        Effort { time, budget: Options::default().budget }
    }

    fn compile(&self, game: &Game, relations: &[RelationId]) -> Result<(System, Options), BuildError> {
        let budget = self.budget.clone().within(self.time);
        let system = System::new(game.prepared(), relations, &budget)?;
        Ok((system, Options { budget, time: Duration::MAX, ..Options::default() }))
    }
}

/// A property to be decided ([`Game::prove`]).
#[derive(Clone, Debug)]
#[must_use = "nothing is proved before `run`"]
pub struct Prove<'g> {
    game: &'g Game,
    property: &'g str,
    effort: Effort,
}

/// A property and what was shown of it.
#[derive(Clone, Debug)]
pub struct Proved {
    property: String,
    answer: Answer,
    vocabulary: Option<Arc<Vocabulary>>,
}

impl<'g> Prove<'g> {
    pub(crate) fn new(game: &'g Game, property: &'g str) -> Prove<'g> {
        Prove { game, property, effort: Effort::new(Options::default().time) }
    }

    /// For so long; a minute if nothing is said.
    pub fn time(mut self, time: Duration) -> Self {
        self.effort.time = time;
        self
    }

    /// Within this budget, too: its memory, its token, its deadline.
    pub fn budget(mut self, budget: &Budget) -> Self {
        self.effort.budget = budget.clone();
        self
    }

    /// Decides it. An error if the text means nothing in the game; a game that is too large to be compiled in time
    /// gives the answer "unknown".
    ///
    /// ```
    /// let game = ludex::Game::load("tictactoe")?;
    /// assert!(game.prove("playable").run()?.holds());
    /// let refuted = game.prove("forall X, Y: not true(cell(X,Y,o))").run()?;
    /// assert_eq!(refuted.counterexample().map(|line| line.len()), Some(2));
    /// let error = game.prove("true(cel(1,1,x))").run().unwrap_err();
    /// assert!(error.to_string().contains("true(cel(1,1,x))"), "the place is shown: {error}");
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Proved> {
        let property = self.property.to_owned();
        let request = Request::read(self.property)?;
        let options =
            Options { budget: self.effort.budget.clone(), time: self.effort.time, ..Options::default() };
        // What does not depend on most of a large game is proved before the rest of it is compiled.
        if let Some(answer) = prove_in_part(self.game.rules(), &request, &options) {
            return Ok(Proved { property, answer, vocabulary: None });
        }
        let relations = request.relations(&self.game.rules().rules)?;
        let (system, options) = match self.effort.compile(self.game, &relations) {
            Ok(compiled) => compiled,
            Err(error) => {
                let limit = error.limit().filter(|limit| limit.is_final()).map(Reason::Limit);
                let answer = Answer::Unknown(limit.unwrap_or(Reason::TooLarge(error.to_string())));
                return Ok(Proved { property, answer, vocabulary: None });
            }
        };
        let answer = Prover::new(&system, options).answer(&request)?;
        Ok(Proved { property, answer, vocabulary: Some(system.vocabulary().clone()) })
    }
}

impl Proved {
    /// True if the property holds in every reachable state; there is a proof that was checked.
    pub fn holds(&self) -> bool {
        matches!(self.answer, Answer::Holds(_))
    }

    /// True if the property fails somewhere; there is a line of play that was replayed, or a proof.
    pub fn fails(&self) -> bool {
        matches!(self.answer, Answer::Fails(_))
    }

    /// The joint moves that lead to where the property fails, if a line of play shows it.
    pub fn counterexample(&self) -> Option<Vec<Vec<String>>> {
        match &self.answer {
            Answer::Fails(refutation) => {
                Some(show_line(self.vocabulary.as_ref()?, &refutation.line()?.joints))
            }
            Answer::Holds(_) | Answer::Unknown(_) => None,
        }
    }

    /// The answer with everything that belongs to it.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Answer::Holds(_) => write!(f, "{}: holds", self.property),
            Answer::Fails(_) => write!(f, "{}: fails", self.property),
            Answer::Unknown(reason) => write!(f, "{}: unknown: {reason}", self.property),
        }
    }
}

/// A discovery to be made ([`Game::facts`]).
#[derive(Clone, Debug)]
#[must_use = "nothing is proved before `run`"]
pub struct Discover<'g> {
    game: &'g Game,
    effort: Effort,
}

/// What was found and proved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Discovered {
    /// As data.
    pub facts: Facts,
    /// As sentences, each with a formula that [`Game::prove`] reads.
    pub statements: Vec<Statement>,
}

impl<'g> Discover<'g> {
    pub(crate) fn new(game: &'g Game) -> Discover<'g> {
        Discover { game, effort: Effort::new(Duration::from_secs(10)) }
    }

    /// For so long; ten seconds if nothing is said.
    pub fn time(mut self, time: Duration) -> Self {
        self.effort.time = time;
        self
    }

    /// Within this budget, too: its memory, its token, its deadline.
    pub fn budget(mut self, budget: &Budget) -> Self {
        self.effort.budget = budget.clone();
        self
    }

    /// Finds and proves. An error if the game cannot be compiled in that time; what is not found is not said.
    ///
    /// ```
    /// let known = ludex::Game::load("tictactoe")?.facts().run()?;
    /// assert_eq!(known.facts.goal_sum, Some(100));
    /// for statement in &known.statements {
    ///     println!("{}", statement.text);
    /// }
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Discovered> {
        let goals = self.game.rules().rules.keyword(Keyword::Goal);
        let (system, options) = self.effort.compile(self.game, &[goals])?;
        let facts = discover(&Prover::new(&system, options));
        let statements = statements(&facts, system.vocabulary());
        Ok(Discovered { facts, statements })
    }
}
