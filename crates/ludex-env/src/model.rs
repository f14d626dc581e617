//! A game compiled for batches: what all games of a batch, and all batches of a game, share.

use crate::simulate::{Desk, Network, Scalar, Simulator, View};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::error::BuildError;
use ludex_engine::prepared::{Interpreter, Prepared};
use ludex_engine::propnet::Compiled;
use ludex_engine::propnet::lanes::{Column, Instructions, Stepper};
use ludex_engine::symmetry::Symmetries;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_gdl::{Game, Keyword};
use ludex_logic::facts::{Facts, Turns};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Networks with more gates than this are not stepped in blocks: a block of 512 games would take more than 64 MB.
const MOST_GATES: usize = 1_000_000;

/// Of more symmetries than this the generators alone are looked at.
const MOST_SYMMETRIES: usize = 64;

/// A game compiled for batches.
#[derive(Clone, Debug)]
pub struct Model {
    vocabulary: Arc<Vocabulary>,
    execution: Execution,
    initial: Vec<u64>,
    /// The least and the greatest goal value that the rules name.
    goals: (Goal, Goal),
    /// Where the moves of each role are in a row of all moves.
    moves: Vec<Range<usize>>,
    control: Vec<(FluentId, RoleId)>,
    constants: OnceLock<Vec<FluentId>>,
}

#[derive(Clone, Debug)]
enum Execution {
    Network {
        rules: Arc<Game>,
        compiled: Arc<Compiled>,
        /// Takes any state.
        whole: Arc<Desk>,
        /// Takes states of play alone, and is smaller.
        turned: Option<Arc<Desk>>,
    },
    Scalar(Arc<dyn Engine>),
}

impl Model {
    /// Compiles a game: to a network where that fits the budget, else for one of the interpreters, with the same answers.
    pub fn new(game: &Game, budget: &Budget) -> Result<Model, BuildError> {
        Model::of(&Prepared::new(game.clone()), budget, budget)
    }

    /// The same from what has been made for the game already, the network within a budget of its own.
    pub fn of(prepared: &Prepared, budget: &Budget, network: &Budget) -> Result<Model, BuildError> {
        let is_final = |error: &BuildError| error.limit().is_some_and(|limit| limit.is_final());
        match prepared.network(network) {
            Ok(compiled) if compiled.sizes.swept <= MOST_GATES => {
                return Ok(Model::of_network(prepared.game(), &compiled));
            }
            Err(error) if is_final(&error) => budget.check().map_err(|_| error)?,
            _ => {}
        }
        let interpreter = |kind| prepared.interpreter(kind, Encoding::Original, budget);
        let engine = match interpreter(Interpreter::Tree) {
            Err(error) if !is_final(&error) => interpreter(Interpreter::Datalog),
            engine => engine,
        };
        Ok(Model::of_engine(prepared.game(), engine?))
    }

    /// Steps a network that is there already, of the same game.
    pub fn of_network(game: &Arc<Game>, compiled: &Arc<Compiled>) -> Model {
        let whole = Arc::new(Desk::new(Stepper::new(&compiled.net, &compiled.initial)));
        let execution =
            Execution::Network { rules: game.clone(), compiled: compiled.clone(), whole, turned: None };
        Model::with(game, compiled.vocabulary.clone(), execution, compiled.initial.clone())
    }

    /// The same, made faster for many games where two players take turns and the rules treat them alike: such games are kept as
    /// whoever is to move sees them. The symmetry is sought within the budget; where none is found, and where one game is stepped at a
    /// time, nothing changes. What comes out is the same.
    #[must_use]
    pub fn turned(mut self, budget: &Budget) -> Model {
        if let Execution::Network { rules, compiled, turned, .. } = &mut self.execution
            && turned.is_none()
            && compiled.net.legal.len() == 2
            && let Ok(found) = Symmetries::new(rules, &self.vocabulary, budget)
        {
            let symmetries = found.all(MOST_SYMMETRIES).unwrap_or(found.generators);
            let best = Instructions::detect();
            let stepper = Stepper::turned(&compiled.net, &compiled.initial, &symmetries, best, budget);
            *turned = stepper.ok().flatten().map(|stepper| Arc::new(Desk::new(stepper)));
        }
        self
    }

    /// True if games are kept as whoever is to move sees them.
    pub fn is_turned(&self) -> bool {
        matches!(&self.execution, Execution::Network { turned: Some(_), .. })
    }

    /// Steps by an engine of the same game, one game at a time.
    pub fn of_engine(game: &Game, engine: Arc<dyn Engine>) -> Model {
        let vocabulary = engine.vocabulary().clone();
        let mut initial = vec![0; vocabulary.words()];
        engine.worker().initial(&mut initial);
        Model::with(game, vocabulary, Execution::Scalar(engine), initial)
    }

    fn with(game: &Game, vocabulary: Arc<Vocabulary>, execution: Execution, initial: Vec<u64>) -> Model {
        let mut first = 0;
        let moves = vocabulary.roles().map(|role| {
            let start = first;
            first += vocabulary.move_count(role);
            start..first
        });
        let moves = moves.collect();
        let (control, constants) = (Vec::new(), OnceLock::new());
        Model { execution, initial, goals: goal_range(game), moves, control, constants, vocabulary }
    }

    /// The same with what is proved of the game. So far this tells whose turn it is also in states in which nobody has a choice.
    #[must_use]
    pub fn with_facts(mut self, facts: &Facts) -> Model {
        if let Turns::Alternate { control } = &facts.turns {
            self.control.clone_from(control);
        }
        self
    }

    /// The numbering of roles, fluents and moves.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// How many roles there are.
    pub fn role_count(&self) -> usize {
        self.moves.len()
    }

    /// How many moves all roles have together: the columns of a mask.
    pub fn move_count(&self) -> usize {
        self.moves.last().map_or(0, |range| range.end)
    }

    /// The columns of a mask that are the role's: the move of number zero is in the first.
    pub fn moves(&self, role: RoleId) -> Range<usize> {
        self.moves[role.index()].clone()
    }

    /// The name of a column of a mask.
    pub fn show_move(&self, role: RoleId, action: MoveId) -> String {
        self.vocabulary.show_move(role, action)
    }

    /// How many words of 64 bits a state takes.
    pub fn words(&self) -> usize {
        self.vocabulary.words()
    }

    /// The initial state.
    pub fn initial(&self) -> &[u64] {
        &self.initial
    }

    /// The least and the greatest goal value that the rules name.
    pub fn goal_range(&self) -> (Goal, Goal) {
        self.goals
    }

    /// The fluents of which the network shows that they never change in play; none if there is no network.
    pub fn constants(&self) -> &[FluentId] {
        self.constants.get_or_init(|| match &self.execution {
            // What takes too long is not known.
            Execution::Network { compiled, .. } => compiled.constants(&Budget::default()).unwrap_or_default(),
            Execution::Scalar(_) => Vec::new(),
        })
    }

    /// True if games are stepped 512 at a time on a network, false if one at a time.
    pub fn has_network(&self) -> bool {
        matches!(self.execution, Execution::Network { .. })
    }

    /// The network that takes any state, if there is one.
    pub fn network(&self) -> Option<&Arc<Compiled>> {
        match &self.execution {
            Execution::Network { compiled, .. } => Some(compiled),
            Execution::Scalar(_) => None,
        }
    }

    /// Where the state says whose turn it is: exactly one of these fluents holds. Empty if that is not proved.
    pub fn control(&self) -> &[(FluentId, RoleId)] {
        &self.control
    }

    /// Has room for the steps of so many threads ready.
    pub(crate) fn reserve(&self, threads: usize) {
        if let Execution::Network { whole, turned, .. } = &self.execution {
            turned.as_ref().unwrap_or(whole).reserve(threads);
        }
    }

    /// Columns in the form in which they are written fastest.
    pub(crate) fn view(&self, columns: Vec<Column>) -> View {
        let compiled = match &self.execution {
            Execution::Network { whole, .. } => Some(whole.stepper().columns(columns.iter().copied())),
            Execution::Scalar(_) => None,
        };
        View { columns, compiled }
    }

    /// Memory for up to 512 games in the initial state; `refresh` comes before any question.
    pub(crate) fn simulator(&self, games: usize) -> Box<dyn Simulator> {
        match &self.execution {
            Execution::Network { whole, turned, .. } => {
                Box::new(Network::new(turned.as_ref().unwrap_or(whole), whole, games))
            }
            Execution::Scalar(engine) => Box::new(Scalar::new(&**engine, &self.initial, games)),
        }
    }
}

/// What the rules name as goal values, as far as these are numbers.
fn goal_range(game: &Game) -> (Goal, Goal) {
    let domains = Domains::of(&game.rules);
    let values = domains.argument(game.rules.keyword(Keyword::Goal), 1);
    let numbers =
        || values.constants.iter().filter_map(|&symbol| game.rules.symbols.name(symbol).parse::<Goal>().ok());
    (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0))
}
