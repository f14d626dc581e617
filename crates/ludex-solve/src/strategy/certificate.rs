//! A strategy written down: what it shows, and for every state that can arise what to play.
//!
//! That a role can force something is shown by a move for each state, with a *measure* that falls with every joint move,
//! so that going round in circles is no proof. That it cannot is shown by states that the others can keep the play in:
//! for each state, and each move of the role, what the others answer. States that the wish is true in, and ends, have no
//! entry. The file is one, little-endian, with a checksum at its end:
//!
//! ```text
//! magic, version, hash of the rules, role, what is claimed, numbers of fluents and entries
//! entries in the order of their states: the state, the measure, the move or the answers
//! ```

use super::aim::Wish;
use crate::error::{Error, Result};
use crate::table::{checksum, read_number, write_number};
use ludex_engine::vocabulary::RoleId;
use ludex_logic::endgame::file::{self, RulesHash};
use std::path::Path;

const MAGIC: [u8; 8] = *b"LUDEXSTR";
const VERSION: u64 = 1;

/// What a certificate shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who.
    pub role: RoleId,
    /// What.
    pub wish: Wish,
    /// Within how many joint moves; `None` for any number of them.
    pub within: Option<u32>,
    /// True if the role can force it, false if it cannot.
    pub can: bool,
}

/// A state and what to do there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The state.
    pub state: Box<[u64]>,
    /// Where the role can: joint moves within which it gets there. Where it cannot: joint moves within which it does not,
    /// [`FOR_EVER`] where there is no bound.
    pub measure: u32,
    /// Where the role can: its move. Where it cannot: for each of its legal moves the answer of the others, as the place
    /// among all their combinations, the last role's moves changing fastest.
    pub choices: Box<[u32]>,
}

/// The measure of what never happens.
pub const FOR_EVER: u32 = u32::MAX;

/// A strategy, or one against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The rules it is for.
    pub rules: RulesHash,
    /// What it shows.
    pub claim: Claim,
    /// Fluents of the game.
    pub fluents: usize,
    /// One for each state, in ascending order.
    pub entries: Vec<Entry>,
}

impl Certificate {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let number = |bytes: &mut Vec<u8>, number: u64| write_number(bytes, u128::from(number));
        number(&mut bytes, VERSION);
        bytes.extend(self.rules.0);
        let Claim { role, wish, within, can } = &self.claim;
        number(&mut bytes, u64::from(role.0));
        number(&mut bytes, u64::from(*can));
        number(&mut bytes, within.map_or(0, |within| u64::from(within) + 1));
        match wish {
            Wish::Goal(value) => {
                number(&mut bytes, 0);
                bytes.extend(value.to_le_bytes());
            }
            Wish::Formula(text) => {
                number(&mut bytes, text.len() as u64 + 1);
                bytes.extend(text.as_bytes());
            }
        }
        number(&mut bytes, self.fluents as u64);
        number(&mut bytes, self.entries.len() as u64);
        let row_bytes = self.fluents.div_ceil(8);
        for entry in &self.entries {
            bytes.extend(entry.state.iter().flat_map(|word| word.to_le_bytes()).take(row_bytes));
            number(&mut bytes, u64::from(entry.measure.wrapping_add(1)));
            number(&mut bytes, entry.choices.len() as u64);
            entry.choices.iter().for_each(|choice| number(&mut bytes, u64::from(*choice)));
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        file::write(path, &self.to_bytes()).map_err(Error::io(path))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Certificate> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        Certificate::from_bytes(&bytes).map_err(|what| Error::Damaged(path.to_path_buf(), what))
    }

    /// Reads the bytes of a file; else says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Certificate, &'static str> {
        const SHORT: &str = "it is cut short";
        let rest = bytes.strip_prefix(&MAGIC).ok_or("it is no strategy")?;
        let (body, sum) = rest.split_last_chunk::<8>().ok_or(SHORT)?;
        if checksum(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*sum) {
            return Err("it does not match its checksum");
        }
        let mut reader = Reader { bytes: body, at: 0 };
        if reader.number()? != VERSION {
            return Err("it is of another version");
        }
        let rules = RulesHash(*reader.take(16)?.first_chunk().ok_or(SHORT)?);
        let role = RoleId(reader.small()?);
        let can = reader.number()? == 1;
        let within = match reader.number()? {
            0 => None,
            more => Some(u32::try_from(more - 1).map_err(|_| SHORT)?),
        };
        let wish = match reader.number()? {
            0 => Wish::Goal(i32::from_le_bytes(*reader.take(4)?.first_chunk().ok_or(SHORT)?)),
            length => {
                let length = usize::try_from(length - 1).map_err(|_| SHORT)?;
                let text = String::from_utf8(reader.take(length)?.to_vec());
                Wish::Formula(text.map_err(|_| "its formula is no text")?)
            }
        };
        let fluents = reader.small()? as usize;
        let count = reader.number()?;
        let row_bytes = fluents.div_ceil(8);
        // Each entry has two numbers at least, so there is no room asked for that the file does not have.
        if count > (body.len() / (row_bytes + 2)) as u64 {
            return Err(SHORT);
        }
        let mut entries: Vec<Entry> = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let mut state = vec![0u64; fluents.div_ceil(64)].into_boxed_slice();
            for (at, byte) in reader.take(row_bytes)?.iter().enumerate() {
                state[at / 8] |= u64::from(*byte) << (at % 8 * 8);
            }
            let measure = match reader.number()? {
                0 => FOR_EVER,
                more => u32::try_from(more - 1).map_err(|_| "a measure is too large")?,
            };
            let length = reader.number()?;
            if length > (body.len() - reader.at) as u64 {
                return Err(SHORT);
            }
            let choices = (0..length).map(|_| reader.small()).collect::<std::result::Result<_, _>>()?;
            if entries.last().is_some_and(|last| last.state >= state) {
                return Err("its states are not in order");
            }
            entries.push(Entry { state, measure, choices });
        }
        if reader.at != body.len() {
            return Err("there is more in it than it says");
        }
        Ok(Certificate { rules, claim: Claim { role, wish, within, can }, fluents, entries })
    }

    /// The entry of a state.
    pub fn find(&self, state: &[u64]) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| (*entry.state).cmp(state)).ok()?;
        self.entries.get(at)
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn number(&mut self) -> std::result::Result<u64, &'static str> {
        let number = read_number(self.bytes, &mut self.at).ok_or("it is cut short")?;
        u64::try_from(number).map_err(|_| "a number in it is too large")
    }

    fn small(&mut self) -> std::result::Result<u32, &'static str> {
        u32::try_from(self.number()?).map_err(|_| "a number in it is too large")
    }

    fn take(&mut self, length: usize) -> std::result::Result<&'b [u8], &'static str> {
        let end = self.at.checked_add(length).ok_or("it is cut short")?;
        let taken = self.bytes.get(self.at..end).ok_or("it is cut short")?;
        self.at = end;
        Ok(taken)
    }
}
