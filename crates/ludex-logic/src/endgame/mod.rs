//! The end of games: what is won from where, how far it is, and what to play.
//!
//! Two ways to know it, one kind of file and one way to ask:
//!
//! | module | what it does | choose it |
//! |---|---|---|
//! | [`mod@regress`] | regresses the goals over *sets* of states | games too large to visit, the last moves |
//! | [`mod@solve`] | visits every reachable state | games that fit in memory: all values |
//! | [`mod@file`] | the file that both write, read whole and checked | |
//! | [`query`] | what a state is worth: entries, plans, moves, classes | people and scripts |
//!
//! Search asks the [`Oracle`]. Sets of states are binary decision diagrams (`bdd.rs`), written as lists of state
//! descriptions by `cover` and shown with variables by [`describe`]; `transition` reads the rules off the
//! propositional network; [`invariants`] says what may be assumed.

mod bdd;
mod cover;
pub mod describe;
pub mod file;
pub mod invariants;
pub mod query;
pub mod regress;
pub mod solve;
mod transition;

pub use bdd::{Bdd, Stop};
pub use cover::Cover;
pub use file::{Database, FileError};

use ludex_engine::engine::Goal;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::RoleId;

/// What an entry promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The roles together have a plan.
    Reachable,
    /// The role gets its goal whatever the others do.
    Forced,
}

impl Kind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reachable => "reachable",
            Kind::Forced => "forced",
        }
    }
}

/// What is known about a state, from one role's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// With best play of all the role gets this value, and the game is over after at most `depth` joint
    /// moves.
    Exact {
        /// The goal value.
        value: Goal,
        /// Joint moves to the end.
        depth: u32,
    },
    /// The roles together can give this role its best goal in `depth` joint moves: a hope, not a promise.
    Hint {
        /// Joint moves to the goal.
        depth: u32,
    },
    /// Nothing is known.
    Unknown,
}

/// What a search asks in the states it comes across. Cheap: well under a microsecond, no allocation.
pub trait Oracle: Send + Sync {
    /// What is known about the state, from the role's side.
    fn lookup(&self, state: &Row, role: RoleId) -> Knowledge;
}
