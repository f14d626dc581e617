//! The file of an end-game database: one file, made at once, read without loading it.
//!
//! ```text
//! header     64 bytes: magic, version, form, hash of the rules, length and checksum of the rest, checksum of the header
//! directory  for each section its tag, place and length
//! sections   rules (KIF), an overview, and
//!            regression: nodes of the depth diagrams, lists of layers, parts of covers, values, groups
//!            solution:   states, a hash index over them, records
//! ```
//!
//! All numbers are little-endian. A file is written under a temporary name and renamed when it is complete, so a crash never leaves one that
//! looks complete; truncation and damage are found by length and checksum when it is opened, and a file of other rules by their hash.
//! Lookups check every index, and diagram nodes only lead to earlier ones, so even bytes that change underneath cannot make one hang or panic.

use super::cover::{Cover, Covers, Part};
use super::diagram::{Diagram, Diagrams, LEAF};
use super::mapping::Bytes;
use super::regress::{Layers, Summary};
use super::solve::Solution;
use super::{Kind, Knowledge, Oracle};
use ludex_engine::engine::Goal;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::{Game, Rules, Sheet};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
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

/// Each word is mixed in by a bijection, so a change in one word always shows.
fn checksum(bytes: &[u8], seed: u64) -> u64 {
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

/// What a regression puts into its file.
pub(crate) struct Content<'c> {
    pub(crate) game: &'c Game,
    pub(crate) vocabulary: &'c Vocabulary,
    pub(crate) diagrams: &'c Diagrams<'c>,
    pub(crate) covers: &'c Covers,
    pub(crate) lists: &'c [Layers],
    pub(crate) values: &'c [Vec<Option<Goal>>],
    pub(crate) groups: &'c [Vec<FluentId>],
    pub(crate) summary: &'c Summary,
}

/// The file of a regression. Levels of the diagrams are the numbers of the fluents.
pub(crate) fn encode_regression(content: &Content<'_>) -> Vec<u8> {
    let mut nodes = Vec::with_capacity(content.diagrams.len() * 12);
    for at in 0..content.diagrams.len() as u32 {
        let (low, high) = content.diagrams.ways(Diagram(at));
        for number in [content.diagrams.level(Diagram(at)), low.0, high.0] {
            nodes.extend_from_slice(&number.to_le_bytes());
        }
    }
    let mut parts = Vec::with_capacity(content.covers.parts.len() * 16);
    for part in &content.covers.parts {
        for number in [part.level, part.without.0, part.with.0, part.free.0] {
            parts.extend_from_slice(&number.to_le_bytes());
        }
    }
    let mut lists = Vec::new();
    for list in content.lists {
        let kind = match list.kind {
            Kind::Reachable => 0,
            Kind::Forced => 1,
        };
        for number in
            [list.role.0, kind, list.depths.0, list.layers.len() as u32, u32::from(list.complete), 0]
        {
            lists.extend_from_slice(&number.to_le_bytes());
        }
        for layer in &list.layers {
            lists.extend_from_slice(&u64::from(layer.cover.0).to_le_bytes());
            lists.extend_from_slice(&layer.entries.to_le_bytes());
        }
    }
    let summary = content.summary;
    let overview = Overview {
        roles: content.vocabulary.role_count() as u32,
        words: content.vocabulary.words() as u32,
        fluents: content.vocabulary.fluent_count() as u32,
        depth: summary.depth,
        complete: summary.complete,
        sum: None,
        groups: summary.groups as u32,
    };
    let sections = [
        (Tag::Overview, overview.encode()),
        (Tag::Nodes, nodes),
        (Tag::Lists, lists),
        (Tag::Parts, parts),
        (Tag::Values, encode_values(content.values)),
        (Tag::Groups, encode_groups(content.groups)),
    ];
    assemble(Form::Regression, content.game, &sections)
}

/// Each group as its length and its fluents.
fn encode_groups(groups: &[Vec<FluentId>]) -> Vec<u8> {
    let numbers = groups
        .iter()
        .flat_map(|group| std::iter::once(group.len() as u32).chain(group.iter().map(|fluent| fluent.0)));
    numbers.flat_map(u32::to_le_bytes).collect()
}

fn encode_values(values: &[Vec<Option<Goal>>]) -> Vec<u8> {
    values.iter().flatten().flat_map(|value| value.unwrap_or(NO_GOAL).to_le_bytes()).collect()
}

/// The file of a solution.
pub(crate) fn encode_solution(game: &Game, vocabulary: &Vocabulary, solution: &Solution) -> Vec<u8> {
    let space = &solution.space;
    let count = space.len();
    let states: Vec<u8> = (0..count).flat_map(|at| space.state(at)).flat_map(|w| w.to_le_bytes()).collect();
    let size = (count * 3 / 2).next_power_of_two().max(4);
    let mut slots = vec![u32::MAX; size];
    for at in 0..count {
        let mut slot = hash_state(space.state(at)) as usize & (size - 1);
        while slots[slot] != u32::MAX {
            slot = (slot + 1) & (size - 1);
        }
        slots[slot] = at as u32;
    }
    let slots = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    let mut records = Vec::with_capacity(count * vocabulary.role_count() * 8);
    for at in 0..count {
        for role in vocabulary.roles() {
            let verdict = solution.verdict(at, role);
            let depth =
                |depth: Option<u32>| depth.map_or(NO_DEPTH, |d| d.min(u32::from(NO_DEPTH) - 1) as u16);
            records.extend_from_slice(&verdict.value.unwrap_or(NO_GOAL).to_le_bytes());
            records.extend_from_slice(&depth(verdict.depth).to_le_bytes());
            records.extend_from_slice(&depth(verdict.reachable).to_le_bytes());
        }
    }
    let best: Vec<Vec<Option<Goal>>> = vec![solution.best.clone()];
    let overview = Overview {
        roles: vocabulary.role_count() as u32,
        words: vocabulary.words() as u32,
        fluents: vocabulary.fluent_count() as u32,
        depth: solution.depth(),
        complete: true,
        sum: solution.sum,
        groups: 0,
    };
    let sections = [
        (Tag::Overview, overview.encode()),
        (Tag::States, states),
        (Tag::Slots, slots),
        (Tag::Records, records),
        (Tag::Values, encode_values(&best)),
    ];
    assemble(Form::Solution, game, &sections)
}

fn hash_state(words: &[u64]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 29
    };
    words.iter().fold(0x1234_5678, |hash, &word| mix(hash, word))
}

fn assemble(form: Form, game: &Game, sections: &[(Tag, Vec<u8>)]) -> Vec<u8> {
    let rules = rules_text(&game.rules);
    let hash = RulesHash::of_text(&rules);
    let mut ranges = [(0u64, 0u64); TAGS];
    let mut body = vec![0; TAGS * 16];
    for (tag, bytes) in std::iter::once((Tag::Rules, rules.as_bytes()))
        .chain(sections.iter().map(|(tag, bytes)| (*tag, bytes.as_slice())))
    {
        body.resize(body.len().next_multiple_of(8), 0);
        ranges[tag as usize] = (body.len() as u64, bytes.len() as u64);
        body.extend_from_slice(bytes);
    }
    for (at, (start, length)) in ranges.iter().enumerate() {
        body[at * 16..at * 16 + 8].copy_from_slice(&start.to_le_bytes());
        body[at * 16 + 8..at * 16 + 16].copy_from_slice(&length.to_le_bytes());
    }
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    let form: u32 = if form == Form::Regression { 1 } else { 2 };
    file.extend_from_slice(&form.to_le_bytes());
    file.extend_from_slice(&hash.0);
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(&checksum(&body, 0).to_le_bytes());
    file.extend_from_slice(&checksum(&file, 0).to_le_bytes());
    file.resize(HEADER, 0);
    file.extend_from_slice(&body);
    file
}

/// Writes a file so that it is there whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
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

/// Overview about the whole database.
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

/// The layers of one role and kind, as they stand in the file.
#[derive(Clone, Debug)]
pub struct List {
    /// Whose goal it is.
    pub role: RoleId,
    /// What the entries promise.
    pub kind: Kind,
    /// True if there is no further layer.
    pub complete: bool,
    /// For each depth the descriptions and how many there are.
    pub layers: Vec<(Cover, u64)>,
    root: u32,
}

/// What a solved game says about a state, from one role's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The value that the role can force, whatever the others do; `None` if it cannot even force an end.
    pub value: Option<Goal>,
    /// Joint moves until then.
    pub depth: Option<u32>,
    /// Joint moves in which the roles together can give this role its best goal.
    pub reachable: Option<u32>,
}

/// An end-game database, in memory or mapped.
#[derive(Debug)]
pub struct Database {
    bytes: Bytes,
    sections: [Range<usize>; TAGS],
    form: Form,
    hash: RulesHash,
    overview: Overview,
    lists: Vec<List>,
    /// By role: the list of each kind.
    reachable: Vec<Option<u32>>,
    forced: Vec<Option<u32>>,
    /// For each pair of roles what the second has in the goals of the first; for a solution one row, the best goals.
    values: Vec<Option<Goal>>,
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at * 4..)?.first_chunk()?))
}

fn read_u64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at * 8..)?.first_chunk()?))
}

impl Database {
    /// Maps and checks a file.
    pub fn open(path: &Path) -> Result<Database, FileError> {
        if fs::metadata(path)?.len() < HEADER as u64 {
            // Too short to be mapped, or to be anything.
            return Err(FileError::NotADatabase);
        }
        Database::check(Bytes::map(path)?)
    }

    /// A database that is still in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Database, FileError> {
        Database::check(Bytes::Owned(bytes))
    }

    fn check(bytes: Bytes) -> Result<Database, FileError> {
        if bytes.len() < HEADER || &bytes[..8] != MAGIC {
            return Err(FileError::NotADatabase);
        }
        let damaged = FileError::Corrupt;
        let header = |at| read_u64(&bytes[..HEADER], at).ok_or(damaged("the header"));
        if header(6)? != checksum(&bytes[..48], 0) {
            return Err(damaged("the checksum of the header"));
        }
        let version = read_u32(&bytes, 2).unwrap_or_default();
        if version != VERSION {
            return Err(FileError::Version(version));
        }
        let form = match read_u32(&bytes, 3) {
            Some(1) => Form::Regression,
            Some(2) => Form::Solution,
            _ => return Err(damaged("the form")),
        };
        let body = &bytes[HEADER..];
        if body.len() as u64 != header(4)? {
            return Err(damaged("its length"));
        }
        if checksum(body, 0) != header(5)? {
            return Err(damaged("the checksum of the content"));
        }
        let hash = RulesHash(*bytes[16..].first_chunk().ok_or(damaged("the hash of the rules"))?);
        let mut sections: [Range<usize>; TAGS] = std::array::from_fn(|_| 0..0);
        for (at, section) in sections.iter_mut().enumerate() {
            let start = read_u64(body, 2 * at).ok_or(damaged("the directory"))? as usize;
            let length = read_u64(body, 2 * at + 1).ok_or(damaged("the directory"))? as usize;
            let end = start.checked_add(length).filter(|end| *end <= body.len());
            *section = HEADER + start..HEADER + end.ok_or(damaged("the directory"))?;
        }
        let overview = Overview::decode(&bytes[sections[Tag::Overview as usize].clone()])
            .ok_or(damaged("the overview"))?;
        let mut database = Database {
            bytes,
            sections,
            form,
            hash,
            overview,
            lists: Vec::new(),
            reachable: vec![None; overview.roles as usize],
            forced: vec![None; overview.roles as usize],
            values: Vec::new(),
        };
        database.read_lists().ok_or(damaged("the list of layers"))?;
        let values = database.section(Tag::Values);
        let values = values.chunks_exact(4).enumerate().filter_map(|(at, _)| read_u32(values, at));
        database.values = values.map(|v| (v as i32 != NO_GOAL).then_some(v as i32)).collect();
        let rows = if form == Form::Regression { overview.roles } else { 1 };
        if database.values.len() as u64 != u64::from(rows) * u64::from(overview.roles) {
            return Err(damaged("the goal values"));
        }
        Ok(database)
    }

    fn section(&self, tag: Tag) -> &[u8] {
        &self.bytes[self.sections[tag as usize].clone()]
    }

    fn read_lists(&mut self) -> Option<()> {
        let mut lists = Vec::new();
        let bytes = self.section(Tag::Lists);
        let mut at = 0;
        while at < bytes.len() {
            let number = |index: usize| read_u32(&bytes[at..], index);
            let kind = match number(1)? {
                0 => Kind::Reachable,
                1 => Kind::Forced,
                _ => return None,
            };
            let count = number(3)? as usize;
            let mut layers = Vec::new();
            for layer in 0..count {
                let cover = read_u64(&bytes[at..], 3 + 2 * layer)?;
                let entries = read_u64(&bytes[at..], 4 + 2 * layer)?;
                layers.push((Cover(u32::try_from(cover).ok()?), entries));
            }
            lists.push(List {
                role: RoleId(number(0)?),
                kind,
                complete: number(4)? == 1,
                root: number(2)?,
                layers,
            });
            at += 24 + 16 * count;
        }
        for list in &lists {
            let roots = match list.kind {
                Kind::Reachable => &mut self.reachable,
                Kind::Forced => &mut self.forced,
            };
            *roots.get_mut(list.role.index())? = Some(list.root);
            if list.kind == Kind::Reachable && self.overview.roles == 1 {
                // With nobody else there, a plan is a promise.
                self.forced[0] = Some(list.root);
            }
        }
        self.lists = lists;
        Some(())
    }

    /// Refuses a database of another game.
    pub fn expect_rules(&self, rules: &Rules) -> Result<(), FileError> {
        if self.hash == RulesHash::of(rules) { Ok(()) } else { Err(FileError::Foreign) }
    }

    /// The game that the database is about, from the rules it carries.
    pub fn game(&self) -> Result<Game, FileError> {
        let text =
            std::str::from_utf8(self.section(Tag::Rules)).map_err(|_| FileError::Corrupt("the rules"))?;
        if RulesHash::of_text(text) != self.hash {
            return Err(FileError::Corrupt("the hash of the rules"));
        }
        Sheet::read(text).into_game().map_err(|_| FileError::Corrupt("the rules"))
    }

    /// How the content came about.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The hash of the rules.
    pub fn hash(&self) -> RulesHash {
        self.hash
    }

    /// Overview about the whole.
    pub fn overview(&self) -> Overview {
        self.overview
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// How many diagram nodes (of a regression) or states (of a solution) there are.
    pub fn item_count(&self) -> usize {
        match self.form {
            Form::Regression => self.section(Tag::Nodes).len() / 12,
            Form::Solution => self.state_count(),
        }
    }

    fn state_count(&self) -> usize {
        self.section(Tag::Records).len() / (8 * self.overview.roles.max(1) as usize)
    }

    /// The layers by role and kind; a solution has none.
    pub fn lists(&self) -> &[List] {
        &self.lists
    }

    /// Groups of fluents of which exactly one holds in every reachable state, as far as they were known.
    pub fn groups(&self) -> Vec<Vec<FluentId>> {
        let bytes = self.section(Tag::Groups);
        let mut groups = Vec::new();
        let mut at = 0;
        while let Some(length) = read_u32(bytes, at) {
            let end = at + 1 + length as usize;
            groups.push((at + 1..end).map_while(|at| read_u32(bytes, at)).map(FluentId).collect());
            at = end;
        }
        groups
    }

    /// Entries in all; for a solution its states.
    pub fn entry_count(&self) -> u64 {
        match self.form {
            Form::Regression => self
                .lists
                .iter()
                .flat_map(|list| &list.layers)
                .fold(0, |sum, (_, entries)| sum.saturating_add(*entries)),
            Form::Solution => self.state_count() as u64,
        }
    }

    /// The greatest goal that the role can have.
    pub fn best_goal(&self, role: RoleId) -> Option<Goal> {
        match self.form {
            Form::Regression => self.value_in_goal(role, role),
            Form::Solution => *self.values.get(role.index())?,
        }
    }

    /// The value that `other` has in every goal state of `role`, if it is always the same.
    fn value_in_goal(&self, role: RoleId, other: RoleId) -> Option<Goal> {
        *self.values.get(role.index() * self.overview.roles as usize + other.index())?
    }

    /// The depth of the state's entry for this role and kind, if it has one.
    pub fn depth(&self, state: &Row, role: RoleId, kind: Kind) -> Option<u32> {
        if state.len() != self.overview.words as usize {
            return None;
        }
        match self.form {
            Form::Regression => {
                let roots = match kind {
                    Kind::Reachable => &self.reachable,
                    Kind::Forced => &self.forced,
                };
                self.walk((*roots.get(role.index())?)?, state)
            }
            Form::Solution => {
                let verdict = self.verdict(state, role)?;
                match kind {
                    Kind::Reachable => verdict.reachable,
                    Kind::Forced => verdict.depth.filter(|_| verdict.value == self.best_goal(role)),
                }
            }
        }
    }

    /// Follows the state through a depth diagram. Ways lead to earlier nodes, so this ends whatever the bytes are.
    fn walk(&self, root: u32, state: &Row) -> Option<u32> {
        let nodes = self.section(Tag::Nodes);
        let mut at = root as usize;
        loop {
            let node: &[u8; 12] = nodes.get(at * 12..)?.first_chunk()?;
            let fluent = u32::from_le_bytes([node[0], node[1], node[2], node[3]]);
            let low = u32::from_le_bytes([node[4], node[5], node[6], node[7]]);
            if fluent == LEAF {
                return low.checked_sub(1);
            }
            let high = u32::from_le_bytes([node[8], node[9], node[10], node[11]]);
            let word = *state.get(fluent as usize / 64)?;
            let next = if word >> (fluent % 64) & 1 == 1 { high } else { low } as usize;
            if next >= at {
                return None;
            }
            at = next;
        }
    }

    /// What a solution says about a state; `None` for a state that play cannot reach, and in a regression.
    pub fn verdict(&self, state: &Row, role: RoleId) -> Option<Verdict> {
        let words = self.overview.words as usize;
        let roles = self.overview.roles as usize;
        if self.form != Form::Solution || role.index() >= roles || state.len() != words {
            return None;
        }
        let (slots, states) = (self.section(Tag::Slots), self.section(Tag::States));
        let size = slots.len() / 4;
        if !size.is_power_of_two() {
            return None;
        }
        let first = hash_state(state) as usize & (size - 1);
        for probe in 0..size {
            let at = read_u32(slots, (first + probe) & (size - 1))?;
            if at == u32::MAX {
                return None;
            }
            let at = at as usize;
            if (0..words).all(|word| read_u64(states, at * words + word) == Some(state[word])) {
                let record = self.section(Tag::Records).get((at * roles + role.index()) * 8..)?;
                let value = read_u32(record, 0)? as i32;
                let depth = |depth: u32| (depth != u32::from(NO_DEPTH)).then_some(depth);
                let depths = read_u32(record, 1)?;
                return Some(Verdict {
                    value: (value != NO_GOAL).then_some(value),
                    depth: depth(depths & 0xFFFF),
                    reachable: depth(depths >> 16),
                });
            }
        }
        None
    }

    /// The conditions of a description of the cover that the state meets: each fluent, and whether it must hold. Empty if it meets none.
    pub fn matching(&self, cover: Cover, state: &Row) -> Option<Vec<(FluentId, bool)>> {
        let mut conditions = Vec::new();
        let mut failed = hashbrown::HashSet::new();
        self.match_part(cover, state, &mut conditions, &mut failed).then_some(conditions)
    }

    fn match_part(
        &self,
        cover: Cover,
        state: &Row,
        conditions: &mut Vec<(FluentId, bool)>,
        failed: &mut hashbrown::HashSet<Cover>,
    ) -> bool {
        if cover == Cover::NONE || failed.contains(&cover) {
            return false;
        }
        if cover == Cover::ALL {
            return true;
        }
        let Some(part) = self.part(cover) else { return false };
        let word = state.get(part.level as usize / 64).copied().unwrap_or_default();
        let holds = word >> (part.level % 64) & 1 == 1;
        conditions.push((FluentId(part.level), holds));
        if self.match_part(if holds { part.with } else { part.without }, state, conditions, failed) {
            return true;
        }
        conditions.pop();
        if self.match_part(part.free, state, conditions, failed) {
            return true;
        }
        failed.insert(cover);
        false
    }

    /// A part of a cover; parts only lead to earlier ones.
    fn part(&self, cover: Cover) -> Option<Part> {
        let bytes = self.section(Tag::Parts).get(cover.0 as usize * 16..)?;
        let number = |at| read_u32(bytes, at);
        let part = Part {
            level: number(0)?,
            without: Cover(number(1)?),
            with: Cover(number(2)?),
            free: Cover(number(3)?),
        };
        let earlier = part.without < cover && part.with < cover && part.free < cover;
        (earlier && part.level < self.overview.fluents).then_some(part)
    }

    /// Calls `visit` with the conditions of each description of the cover, until it says `false`.
    pub fn each_description(&self, cover: Cover, visit: &mut dyn FnMut(&[(FluentId, bool)]) -> bool) {
        self.each_below(cover, &mut Vec::new(), visit);
    }

    fn each_below(
        &self,
        cover: Cover,
        conditions: &mut Vec<(FluentId, bool)>,
        visit: &mut dyn FnMut(&[(FluentId, bool)]) -> bool,
    ) -> bool {
        if cover == Cover::NONE {
            return true;
        }
        if cover == Cover::ALL {
            return visit(conditions);
        }
        let Some(part) = self.part(cover) else { return true };
        for (rest, holds) in [(part.without, false), (part.with, true)] {
            conditions.push((FluentId(part.level), holds));
            let go_on = self.each_below(rest, conditions, visit);
            conditions.pop();
            if !go_on {
                return false;
            }
        }
        self.each_below(part.free, conditions, visit)
    }
}

impl Oracle for Database {
    fn lookup(&self, state: &Row, role: RoleId) -> Knowledge {
        let roles = (0..self.overview.roles).map(RoleId);
        match self.form {
            Form::Regression => {
                if let (Some(depth), Some(value)) =
                    (self.depth(state, role, Kind::Forced), self.best_goal(role))
                {
                    return Knowledge::Exact { value, depth };
                }
                // Another role's forced goal decides this one's value where it is always the same.
                for other in roles.filter(|other| *other != role) {
                    let value = self.value_in_goal(other, role);
                    if let (Some(value), Some(depth)) = (value, self.depth(state, other, Kind::Forced)) {
                        return Knowledge::Exact { value, depth };
                    }
                }
                self.depth(state, role, Kind::Reachable)
                    .map_or(Knowledge::Unknown, |depth| Knowledge::Hint { depth })
            }
            Form::Solution => {
                let Some(verdict) = self.verdict(state, role) else { return Knowledge::Unknown };
                let other = || self.verdict(state, RoleId(1 - role.0.min(1)));
                let exact = verdict.value == self.best_goal(role)
                    || self.overview.roles == 1
                    || self.overview.sum.is_some_and(|sum| {
                        let both = other().and_then(|other| Some(other.value? + verdict.value?));
                        both == Some(sum)
                    });
                match (verdict.value, verdict.depth, verdict.reachable) {
                    (Some(value), Some(depth), _) if exact => Knowledge::Exact { value, depth },
                    (_, _, Some(depth)) => Knowledge::Hint { depth },
                    _ => Knowledge::Unknown,
                }
            }
        }
    }
}
