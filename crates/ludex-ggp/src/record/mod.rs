//! Recorded playouts as data, and the formats they come in.
//!
//! Two formats are read, told apart by content, both plain or compressed with gzip:
//!
//! - *playout lines*: one JSON object a line, a header `{"game", "roles", "playout"}` before the steps
//!   `{"state", "terminal", "legals", "goals", "moves"}` of each playout. This is the format of the
//!   project's oracle data, and the one that Ludex itself writes ([`header_line`], [`step_line`]);
//! - *match records* of GGP.org servers: one JSON object a match with `states`, `moves` and `goalValues`.
//!   The game manager writes this one ([`MatchRecord`]).
//!
//! States and moves stay text here, in canonical spelling: single blanks, constants bare. Whether they
//! mean anything in a game is for [`crate::replay`] to find out.

mod error;
mod lines;
mod playouts;
mod spectator;
mod written;

pub use error::{Problem, RecordError};
pub use lines::RecordLimits;
pub use playouts::{header_line, step_line};
pub use written::MatchRecord;

use lines::Lines;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What is known of a playout before its first step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The name of the game, where the record gives one.
    pub game: Option<String>,
    /// The roles in their order. Match records of servers do not name them.
    pub roles: Option<Vec<String>>,
    /// Number of the playout in its file, from zero.
    pub playout: usize,
    /// True if the first state is not the initial state of the game.
    pub tail: bool,
    /// The seed of the random moves, where the writer had one.
    pub seed: Option<u64>,
    /// The engine that computed the playout, where the record says so.
    pub engine: Option<String>,
}

/// A state of a playout and what was known about it. `None` means that the record is silent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The fluents that hold.
    pub state: Vec<String>,
    /// Whether the game is over.
    pub terminal: Option<bool>,
    /// The legal moves, a list for each role in the order of the roles.
    pub legals: Option<Vec<Vec<String>>>,
    /// The goal values in the order of the roles; a role has `None` where the rules give no single value.
    pub goals: Option<Vec<Option<i32>>>,
    /// The joint move that was made, in the order of the roles.
    pub moves: Option<Vec<String>>,
    /// Why the playout was broken off here.
    pub cut: Option<String>,
}

/// One recorded playout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// Where it was read from: a path, usually.
    pub record: String,
    /// What the record says of the whole.
    pub header: Header,
    /// Its states in order; never empty when read from a record.
    pub steps: Vec<Step>,
}

/// The playouts of one record, read one after the other.
#[derive(Debug)]
pub struct Records {
    name: String,
    source: Source,
    /// After an error nothing more can be trusted.
    finished: bool,
}

#[derive(Debug)]
enum Source {
    Playouts(playouts::Reader),
    Spectator(spectator::Reader),
}

impl Records {
    /// Opens a file with the default limits.
    pub fn open(path: &Path) -> Result<Records, RecordError> {
        Records::with_limits(&path.display().to_string(), File::open(path)?, RecordLimits::default())
    }

    /// Reads the bytes of a record that is called `name`.
    pub fn new(name: &str, bytes: impl Read + 'static) -> Result<Records, RecordError> {
        Records::with_limits(name, bytes, RecordLimits::default())
    }

    /// As [`Records::new`], with other bounds.
    pub fn with_limits(
        name: &str,
        bytes: impl Read + 'static,
        limits: RecordLimits,
    ) -> Result<Records, RecordError> {
        let mut lines = Lines::new(bytes, limits)?;
        let Some(first) = lines.next_line()? else { return Err(RecordError::Empty) };
        let source = match serde_json::from_slice::<Probe>(&first) {
            Ok(probe) if probe.states.is_some() || probe.data.is_some() => {
                Source::Spectator(spectator::Reader::by_line(lines, first))
            }
            Ok(_) => Source::Playouts(playouts::Reader::new(lines, first)),
            // A match record that a program has laid out over several lines.
            Err(error) if error.is_eof() => Source::Spectator(spectator::Reader::whole(lines, first)),
            Err(error) => return Err(lines.malformed(Problem::Json(error))),
        };
        Ok(Records { name: name.to_owned(), source, finished: false })
    }
}

impl Iterator for Records {
    type Item = Result<Playout, RecordError>;

    fn next(&mut self) -> Option<Result<Playout, RecordError>> {
        if self.finished {
            return None;
        }
        let next = match &mut self.source {
            Source::Playouts(reader) => reader.next_playout(),
            Source::Spectator(reader) => reader.next_playout(),
        };
        match next {
            Ok(Some((header, steps))) => Some(Ok(Playout { record: self.name.clone(), header, steps })),
            Ok(None) => {
                self.finished = true;
                None
            }
            Err(error) => {
                self.finished = true;
                Some(Err(error))
            }
        }
    }
}

/// The keys that tell the formats apart.
#[derive(Deserialize)]
struct Probe {
    states: Option<IgnoredAny>,
    data: Option<IgnoredAny>,
}
