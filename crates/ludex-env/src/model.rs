//! A game compiled for batches: what all games of a batch, and all batches of a game, share.

use crate::simulate::{Desk, Network, Scalar, Simulator, View};
use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::error::BuildError;
use ludex_engine::propnet::lanes::{Column, Stepper};
use ludex_engine::propnet::{Compiled, compile_over};
use ludex_engine::tree::Tree;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::{Game, Keyword};
use ludex_logic::facts::{Facts, Turns};
use std::ops::Range;
use std::sync::Arc;

/// Networks with more gates than this are not stepped in blocks: a block of 512 games would take more than 64 MB.
const MOST_GATES: usize = 1_000_000;

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
}

#[derive(Clone, Debug)]
enum Execution {
    Network(Arc<Desk>),
    Scalar(Arc<dyn Engine>),
}

impl Model {
    /// Compiles a game: to a network where that fits the budget, else for one of the interpreters, with the same answers.
    pub fn new(game: &Game, budget: &Budget) -> Result<Model, BuildError> {
        let vocabulary = Arc::new(Vocabulary::new(game, budget)?);
        match compile_over(game, &vocabulary, budget) {
            Ok(compiled) if compiled.sizes.swept <= MOST_GATES => Ok(Model::of_network(game, &compiled)),
            Err(error) if error.limit().is_some_and(|limit| limit.is_final()) => Err(error),
            _ => {
                let engine: Arc<dyn Engine> = match Tree::new(game, budget) {
                    Ok(tree) => Arc::new(tree),
                    Err(error) if error.limit().is_some_and(|limit| limit.is_final()) => return Err(error),
                    Err(_) => Arc::new(Datalog::over(game, &vocabulary, budget)?),
                };
                Ok(Model::of_engine(game, engine))
            }
        }
    }

    /// Steps a network that is there already, of the same game.
    pub fn of_network(game: &Game, compiled: &Compiled) -> Model {
        let stepper = Stepper::new(&compiled.net, &compiled.initial);
        let execution = Execution::Network(Arc::new(Desk::new(stepper)));
        Model::of(game, compiled.vocabulary.clone(), execution, compiled.initial.clone())
    }

    /// Steps by an engine of the same game, one game at a time.
    pub fn of_engine(game: &Game, engine: Arc<dyn Engine>) -> Model {
        let vocabulary = engine.vocabulary().clone();
        let mut initial = vec![0; vocabulary.words()];
        engine.worker().initial(&mut initial);
        Model::of(game, vocabulary, Execution::Scalar(engine), initial)
    }

    fn of(game: &Game, vocabulary: Arc<Vocabulary>, execution: Execution, initial: Vec<u64>) -> Model {
        let mut first = 0;
        let moves = vocabulary.roles().map(|role| {
            let start = first;
            first += vocabulary.move_count(role);
            start..first
        });
        let moves = moves.collect();
        Model { execution, initial, goals: goal_range(game), moves, control: Vec::new(), vocabulary }
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

    /// True if games are stepped 512 at a time on a network, false if one at a time.
    pub fn has_network(&self) -> bool {
        matches!(self.execution, Execution::Network(_))
    }

    /// Where the state says whose turn it is: exactly one of these fluents holds. Empty if that is not proved.
    pub(crate) fn control(&self) -> &[(FluentId, RoleId)] {
        &self.control
    }

    /// Has room for the steps of so many threads ready.
    pub(crate) fn reserve(&self, threads: usize) {
        if let Execution::Network(desk) = &self.execution {
            desk.reserve(threads);
        }
    }

    /// Columns in the form in which they are written fastest.
    pub(crate) fn view(&self, columns: Vec<Column>) -> View {
        let compiled = match &self.execution {
            Execution::Network(desk) => Some(desk.stepper().columns(columns.iter().copied())),
            Execution::Scalar(_) => None,
        };
        View { columns, compiled }
    }

    /// Memory for 512 games in the initial state.
    pub(crate) fn simulator(&self) -> Box<dyn Simulator> {
        match &self.execution {
            Execution::Network(desk) => Box::new(Network::new(desk.clone())),
            Execution::Scalar(engine) => Box::new(Scalar::new(&**engine, &self.initial)),
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
