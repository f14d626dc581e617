//! What a caller can do wrong, and what can go wrong in a game.

use ludex_engine::fault::Fault;
use std::fmt;

/// Why a batch did not do what it was asked. Unless said otherwise nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvError {
    /// An array has another number of elements than games and rows make.
    Length {
        /// Which one.
        array: &'static str,
        /// How many elements it must have.
        expected: usize,
        /// How many it has.
        given: usize,
    },
    /// An observation was asked of a batch without an encoder.
    NoEncoder,
    /// The encoder has numbers between zero and one, and the array has bytes.
    BytesForFloats,
    /// The encoder was made for another game.
    AnotherGame,
    /// An action is not legal, under [`Illegal::Raise`](crate::Illegal::Raise).
    Illegal {
        /// The number of the game.
        game: usize,
        /// The number of the role, and its name.
        role: (usize, String),
        /// The action as given.
        action: i64,
        /// The move, if the number is that of one.
        action_name: Option<String>,
    },
    /// A state has a bit that is no fluent.
    NoState {
        /// The number of the game.
        game: usize,
    },
    /// Rewards that sum to zero in a game for one.
    OneRole,
    /// A batch of more games than there are numbers, or of none.
    Games(usize),
    /// Threads could not be started.
    Threads(String),
    /// A question about a state ran into a limit, which cannot happen on a network. Games may be in different
    /// steps now: reset the batch, or build the model with larger limits.
    Fault(Fault),
}

impl fmt::Display for EnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvError::Length { array, expected, given } => {
                write!(f, "the array `{array}` must have {expected} elements, not {given}")
            }
            EnvError::NoEncoder => {
                f.write_str("an observation was asked for, but the batch was made without an encoder")
            }
            EnvError::BytesForFloats => {
                f.write_str("this observation has numbers between zero and one: give an array of floats")
            }
            EnvError::AnotherGame => f.write_str("the encoder was made for another game"),
            EnvError::Illegal { game, role: (role, name), action, action_name } => {
                write!(f, "game {game}: action {action} of role {role} ({name}) ")?;
                match action_name {
                    Some(action) => write!(f, "is `{action}`, which is not legal in its state"),
                    None => f.write_str("is not the number of a move"),
                }
            }
            EnvError::NoState { game } => {
                write!(f, "game {game}: the state has bits behind the last fluent")
            }
            EnvError::OneRole => {
                f.write_str("rewards that sum to zero need two roles or more; take goals or scaled rewards")
            }
            EnvError::Games(games) => write!(f, "a batch has between 1 and 2^31 games, not {games}"),
            EnvError::Threads(why) => write!(f, "threads could not be started: {why}"),
            EnvError::Fault(fault) => {
                write!(f, "{fault}: reset the batch, or build the model with larger limits")
            }
        }
    }
}

impl std::error::Error for EnvError {}

impl From<Fault> for EnvError {
    fn from(fault: Fault) -> EnvError {
        EnvError::Fault(fault)
    }
}
