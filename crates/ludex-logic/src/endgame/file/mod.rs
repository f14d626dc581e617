//! The file of an end-game database: one file, made at once, read as it is.
//!
//! ```text
//! header     64 bytes: magic, version, form, hash of the rules, length and checksum of the rest, and of this
//! directory  for each section its tag, place and length
//! sections   rules (KIF), an overview, and
//!            regression: nodes of the depth diagrams, lists of layers, parts of covers, values, groups
//!            solution:   states, a hash index over them, records
//! ```
//!
//! All numbers are little-endian. A file is written under a temporary name and renamed when it is complete,
//! so a crash never leaves one that looks complete; truncation and damage are found by length and checksum
//! when it is opened, and a file of other rules by their hash. It is read into memory, not mapped: mapped
//! bytes can change underneath, and the process dies of a signal when somebody truncates the file. The
//! checksum is no protection from a file that was made to do harm, so counts are compared with lengths when
//! it is opened, lookups check every index, and nodes of diagrams and parts of covers only lead to earlier
//! ones: nothing hangs or panics, and what is allocated is bounded by the length of the file.

mod database;
mod encode;

pub use database::{Condition, Database, List, Verdict, Visit};
pub(crate) use encode::{Content, regression, solution};

use ludex_engine::engine::Goal;
use ludex_gdl::Rules;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"LUDEXEND";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const NO_GOAL: i32 = i32::MIN;
/// A depth that is not there.
const NO_DEPTH: u16 = u16::MAX;

/// How the content came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By regression of the goals.
    Regression,
    /// By visiting every reachable state.
    Solution,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Tag {
    Rules,
    Overview,
    Nodes,
    Lists,
    Parts,
    Values,
    States,
    Slots,
    Records,
    Groups,
}

const TAGS: usize = 10;

/// Why a file is refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is no end-game database.
    NotADatabase,
    /// It is of a version that this program does not read.
    Version(u32),
    /// It is not as long as it says, or its content does not match its checksum.
    Corrupt(&'static str),
    /// It was made from other rules.
    Foreign,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(error) => write!(f, "{error}"),
            FileError::NotADatabase => f.write_str("this is no end-game database"),
            FileError::Version(version) => {
                write!(f, "this is an end-game database of version {version}; version {VERSION} is read")
            }
            FileError::Corrupt(what) => write!(f, "the end-game database is damaged: {what}"),
            FileError::Foreign => f.write_str("the end-game database was made from other rules"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Io(error)
    }
}

/// The rules in the form in which they are hashed and stored.
fn rules_text(rules: &Rules) -> String {
    ludex_gdl::syntax::print::kif(&rules.to_tree())
}

/// A number that tells games apart: 128 bits over the printed rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RulesHash(pub [u8; 16]);

impl RulesHash {
    /// The hash of a game's rules.
    pub fn of(rules: &Rules) -> RulesHash {
        RulesHash::of_text(&rules_text(rules))
    }

    fn of_text(text: &str) -> RulesHash {
        let mut hash = [0; 16];
        hash[..8].copy_from_slice(&checksum(text.as_bytes(), 1).to_le_bytes());
        hash[8..].copy_from_slice(&checksum(text.as_bytes(), 2).to_le_bytes());
        RulesHash(hash)
    }
}

impl fmt::Display for RulesHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The checksum of files: each word is mixed in by a bijection, so a change in one word always shows.
pub fn checksum(bytes: &[u8], seed: u64) -> u64 {
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    };
    let mut hash = mix(seed, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), seed)
}

fn hash_state(words: &[u64]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 29
    };
    words.iter().fold(0x1234_5678, |hash, &word| mix(hash, word))
}

/// Writes a file so that it is there whole or not at all. A link goes on leading to where it led, and what is no file, such
/// as a device or a pipe, is written to: replaced, `/dev/null` would be gone for everybody.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if renamed.is_err() {
        // What is left of it helps nobody; the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// What can be said about a database as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overview {
    /// How many roles there are.
    pub roles: u32,
    /// How many words a state takes.
    pub words: u32,
    /// How many fluents there are.
    pub fluents: u32,
    /// The depth to which the database is finished.
    pub depth: u32,
    /// True if there is nothing beyond that depth.
    pub complete: bool,
    /// What the goals of the two roles always add up to, in a solved turn-taking game.
    pub sum: Option<Goal>,
    /// Exactly-one groups that were assumed.
    pub groups: u32,
}

impl Overview {
    fn encode(self) -> Vec<u8> {
        let sum = self.sum.unwrap_or(NO_GOAL) as u32;
        [self.roles, self.words, self.fluents, self.depth, u32::from(self.complete), sum, self.groups, 0]
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    fn decode(bytes: &[u8]) -> Option<Overview> {
        let number = |at| read_u32(bytes, at);
        let sum = number(5)? as i32;
        Some(Overview {
            roles: number(0)?,
            words: number(1)?,
            fluents: number(2)?,
            depth: number(3)?,
            complete: number(4)? == 1,
            sum: (sum != NO_GOAL).then_some(sum),
            groups: number(6)?,
        })
    }
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at * 4..)?.first_chunk()?))
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at * 8..)?.first_chunk()?))
}
