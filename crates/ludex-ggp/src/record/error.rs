//! Why a record could not be read.

use std::fmt;
use std::io;

/// A record that cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The file could not be opened or read.
    Io(io::Error),
    /// The file is compressed, and damaged.
    Gzip(io::Error),
    /// There is nothing in the file.
    Empty,
    /// A line is longer than [`RecordLimits::line`](super::RecordLimits::line).
    LineTooLong {
        /// Which line, from one.
        line: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The text, after decompression, is longer than [`RecordLimits::total`](super::RecordLimits::total).
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The steps of one playout are more than [`RecordLimits::playout`](super::RecordLimits::playout).
    PlayoutTooLarge {
        /// The line at which the limit was reached, from one.
        line: usize,
        /// The limit in bytes of text.
        limit: usize,
    },
    /// The text is not a record.
    Malformed {
        /// Which line, from one.
        line: usize,
        /// What is wrong with it.
        problem: Problem,
    },
}

/// What is wrong with a line of a record.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// It is no JSON, or a value has the wrong type.
    Json(serde_json::Error),
    /// An object that is neither the header of a playout, nor a step, nor a match record.
    UnknownObject,
    /// A step before the first header.
    StepWithoutHeader,
    /// A header that no step follows.
    NoSteps,
    /// Legal moves or goals lack a role of the header.
    MissingRole(String),
    /// Legal moves or goals of somebody whom the header does not name.
    UnknownRole(String),
    /// A joint move has not one move for each role.
    MoveCount {
        /// How many roles there are.
        roles: usize,
        /// How many moves.
        moves: usize,
    },
    /// A match record whose lists do not fit together.
    StateCount {
        /// How many states it has.
        states: usize,
        /// How many joint moves.
        moves: usize,
    },
    /// A state or move whose parentheses do not match, or that is empty.
    Term(String),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Io(error) => write!(f, "cannot read the record: {error}"),
            RecordError::Gzip(error) => write!(f, "the compressed record is damaged: {error}"),
            RecordError::Empty => f.write_str("the record is empty"),
            RecordError::LineTooLong { line, limit } => {
                write!(f, "line {line} has more than {limit} bytes")
            }
            RecordError::TooLarge { limit } => write!(f, "the record has more than {limit} bytes of text"),
            RecordError::PlayoutTooLarge { line, limit } => {
                write!(f, "line {line}: the playout has more than {limit} bytes of text")
            }
            RecordError::Malformed { line, problem } => write!(f, "line {line}: {problem}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Json(error) => write!(f, "{error}"),
            Problem::UnknownObject => {
                f.write_str("neither a header (`roles`), nor a step (`state`), nor a match record (`states`)")
            }
            Problem::StepWithoutHeader => f.write_str("a step before the header of its playout"),
            Problem::NoSteps => f.write_str("the playout that begins here has no steps"),
            Problem::MissingRole(role) => write!(f, "nothing is said of the role `{role}`"),
            Problem::UnknownRole(role) => write!(f, "the header has no role `{role}`"),
            Problem::MoveCount { roles, moves } => write!(f, "{moves} moves for {roles} roles"),
            Problem::StateCount { states, moves } => {
                write!(f, "{states} states do not go with {moves} joint moves")
            }
            Problem::Term(text) => write!(f, "`{text}` is no term: its parentheses do not match"),
        }
    }
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The messages above include the cause, so it is not repeated as a source.
        None
    }
}

impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> RecordError {
        RecordError::Io(error)
    }
}
