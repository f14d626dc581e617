//! Why an agent cannot play.

use ludex_engine::fault::Fault;
use std::fmt;

/// Why an agent cannot play.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentError {
    /// No engine is ready yet.
    NotReady,
    /// No engine takes the game; the reason of the last that declined.
    NoEngine(String),
    /// The rules have no such role.
    UnknownRole(String),
    /// A move that the rules do not have.
    UnknownMove(String),
    /// A move that is not legal in the current state.
    IllegalMove(String),
    /// A joint move without one move for each role.
    MoveCount {
        /// How many roles there are.
        roles: usize,
        /// How many moves came.
        moves: usize,
    },
    /// The role has no legal move.
    NoMove,
    /// The engine could not answer a question about the match.
    Limit(Fault),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentError::NotReady => f.write_str("no engine is ready yet"),
            AgentError::NoEngine(reason) => write!(f, "no engine takes the game: {reason}"),
            AgentError::UnknownRole(role) => write!(f, "the rules have no role `{role}`"),
            AgentError::UnknownMove(action) => write!(f, "the rules have no move `{action}`"),
            AgentError::IllegalMove(action) => write!(f, "the move `{action}` is not legal here"),
            AgentError::MoveCount { roles, moves } => write!(f, "{moves} moves for {roles} roles"),
            AgentError::NoMove => f.write_str("the role has no legal move"),
            AgentError::Limit(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for AgentError {}
