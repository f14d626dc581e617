//! What a role wants to bring about: a goal value at the end, or that a formula holds.

use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::{Goal, Worker};
use ludex_engine::fault::{Fault, Question};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::RoleId;
use ludex_logic::formula::Property;
use ludex_logic::prove::Reference;
use std::fmt;

/// What a role wants to bring about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The game ends, and the role's goal is at least this.
    Goal(Goal),
    /// The formula holds in some state of the play, the first and the last ones included.
    Formula(String),
}

impl fmt::Display for Wish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wish::Goal(value) => write!(f, "at least {value}"),
            Wish::Formula(text) => f.write_str(text),
        }
    }
}

/// A wish as a question about states.
pub trait Aim: Send + Sync {
    /// True if it has come true in the state; `end` says whether the game is over there.
    fn reached(&self, worker: &mut dyn Worker, state: &Row, end: bool) -> Result<bool, Fault>;

    /// True if it has the same answer in states that are images of each other under symmetries that keep this role.
    fn is_symmetric(&self) -> bool;
}

/// An end with a goal of at least so much.
#[derive(Clone, Copy, Debug)]
pub struct GoalAim {
    /// Whose goal.
    pub role: RoleId,
    /// How much at least.
    pub value: Goal,
}

impl Aim for GoalAim {
    fn reached(&self, worker: &mut dyn Worker, state: &Row, end: bool) -> Result<bool, Fault> {
        Ok(end && worker.goal(state, self.role)?.is_some_and(|goal| goal >= self.value))
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

/// A state in which a property of states holds.
#[derive(Debug)]
pub struct FormulaAim<'s> {
    /// Evaluates by the definition.
    pub reference: &'s Reference<'s>,
    /// The property, which looks no move ahead.
    pub property: &'s Property,
}

impl Aim for FormulaAim<'_> {
    fn reached(&self, worker: &mut dyn Worker, state: &Row, _end: bool) -> Result<bool, Fault> {
        let moment = self.reference.moment(worker, state, self.property).ok_or_else(|| {
            let limit = Exceeded::Rows(Budget::default().rows());
            Fault::new("datalog", limit, Question::Terminal, worker.vocabulary())
        })?;
        Ok(self.reference.holds(self.property, std::slice::from_ref(&moment)))
    }

    fn is_symmetric(&self) -> bool {
        false
    }
}
