//! Reading a file: checks when it is opened, lookups, descriptions.

use super::{
    FileError, Form, HEADER, MAGIC, NO_DEPTH, NO_GOAL, Overview, RulesHash, TAGS, Tag, VERSION, checksum,
    hash_state, read_u32, read_u64,
};
use crate::endgame::bdd::LEAF;
use crate::endgame::cover::{Cover, Part};
use crate::endgame::{Kind, Knowledge, Oracle};
use ludex_engine::engine::Goal;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, RoleId};
use ludex_gdl::{Game, Rules, Sheet};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

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

/// Bytes of a part of a cover.
const PART: usize = 16;

/// A condition of a description: a fluent, and whether it must hold.
pub type Condition = (FluentId, bool);

/// Is shown one description after the other, until it says `false`.
pub type Visit<'v> = &'v mut dyn FnMut(&[Condition]) -> bool;

/// An end-game database, in memory.
#[derive(Debug)]
pub struct Database {
    bytes: Vec<u8>,
    sections: [Range<usize>; TAGS],
    form: Form,
    hash: RulesHash,
    overview: Overview,
    lists: Vec<List>,
    /// By role: the list of each kind.
    reachable: Vec<Option<u32>>,
    forced: Vec<Option<u32>>,
    /// For each pair of roles what the second has in the goals of the first; for a solution one row, the best
    /// goals.
    values: Vec<Option<Goal>>,
}

impl Database {
    /// Reads and checks a file. What happens to the file afterwards does not matter.
    pub fn open(path: &Path) -> Result<Database, FileError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length < HEADER as u64 {
            // Too short to be anything, or nothing that has a length.
            return Err(FileError::NotADatabase);
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        bytes.try_reserve_exact(room).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // No more than there was when it was opened: a file that grows meanwhile is found by its length.
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        Database::from_bytes(bytes)
    }

    /// A database from the bytes of its file. Counts are compared with the length of what they count before anything is
    /// made of them, so what is allocated beside the bytes is a fraction of their number.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Database, FileError> {
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
        let values = &bytes[sections[Tag::Values as usize].clone()];
        let rows = if form == Form::Regression { overview.roles } else { 1 };
        if values.len() as u128 != u128::from(rows) * u128::from(overview.roles) * 4 {
            return Err(damaged("the goal values"));
        }
        let values = values.chunks_exact(4).enumerate().filter_map(|(at, _)| read_u32(values, at));
        let values = values.map(|v| (v as i32 != NO_GOAL).then_some(v as i32)).collect();
        let mut database = Database {
            bytes,
            sections,
            form,
            hash,
            overview,
            lists: Vec::new(),
            reachable: vec![None; overview.roles as usize],
            forced: vec![None; overview.roles as usize],
            values,
        };
        database.read_lists().ok_or(damaged("the list of layers"))?;
        if !database.has_whole_parts() {
            return Err(damaged("the descriptions"));
        }
        if !database.has_whole_states() {
            return Err(damaged("the states"));
        }
        Ok(database)
    }

    /// Whether every part of a cover leads to earlier ones and to some description: then whoever goes through the
    /// descriptions meets one after no more steps than it has conditions and parts that leave a fluent free.
    fn has_whole_parts(&self) -> bool {
        let parts = self.section(Tag::Parts).len();
        let leads_on = |part: Part| part.without != Cover::NONE || part.with != Cover::NONE;
        parts.is_multiple_of(PART)
            && (2..parts / PART).all(|at| self.part(Cover(at as u32)).is_some_and(leads_on))
    }

    /// Whether there are as many states as records, and an index with room for them.
    fn has_whole_states(&self) -> bool {
        let [states, slots, records] =
            [Tag::States, Tag::Slots, Tag::Records].map(|tag| self.section(tag).len());
        if self.form == Form::Regression {
            return states == 0 && slots == 0 && records == 0;
        }
        let count = self.state_count() as u128;
        let Overview { roles, words, .. } = self.overview;
        records as u128 == count * u128::from(roles) * 8
            && states as u128 == count * u128::from(words) * 8
            && slots.is_multiple_of(4)
            && (slots / 4).is_power_of_two()
            && (slots / 4) as u128 > count
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

    /// Follows the state through a depth diagram. Ways lead to earlier nodes, so this ends whatever the bytes
    /// are.
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
        let first = hash_state(state) as usize & (size - 1);
        for probe in 0..size {
            let at = read_u32(slots, (first + probe) & (size - 1))?;
            if at == u32::MAX {
                return None;
            }
            let at = at as usize;
            if at >= self.state_count() {
                return None;
            }
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

    /// The conditions of a description of the cover that the state meets: each fluent, and whether it must
    /// hold. `None` if it meets none.
    pub fn matching(&self, cover: Cover, state: &Row) -> Option<Vec<Condition>> {
        let mut tried = hashbrown::HashSet::new();
        let mut conditions = Vec::new();
        let mut open = vec![Way::to(cover)];
        while let Some(way) = open.pop() {
            way.take(&mut conditions);
            if way.cover == Cover::ALL {
                return Some(conditions);
            }
            // What was tried before leads to no description that the state meets, or it would have been the answer.
            if way.cover == Cover::NONE || !tried.insert(way.cover) {
                continue;
            }
            let Some(part) = self.part(way.cover) else { continue };
            let word = state.get(part.level as usize / 64).copied().unwrap_or_default();
            let holds = word >> (part.level % 64) & 1 == 1;
            let fluent = FluentId(part.level);
            let rest = if holds { part.with } else { part.without };
            open.push(Way { cover: part.free, behind: conditions.len(), last: None });
            open.push(Way { cover: rest, behind: conditions.len(), last: Some((fluent, holds)) });
        }
        None
    }

    /// A part of a cover; parts only lead to earlier ones.
    fn part(&self, cover: Cover) -> Option<Part> {
        let bytes = self.section(Tag::Parts).get(cover.0 as usize * PART..)?;
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
    pub fn each_description(&self, cover: Cover, visit: Visit<'_>) {
        let mut conditions = Vec::new();
        let mut open = vec![Way::to(cover)];
        while let Some(way) = open.pop() {
            way.take(&mut conditions);
            if way.cover == Cover::ALL && !visit(&conditions) {
                return;
            }
            if way.cover == Cover::ALL || way.cover == Cover::NONE {
                continue;
            }
            let Some(part) = self.part(way.cover) else { continue };
            let behind = conditions.len();
            let fluent = FluentId(part.level);
            open.extend([
                Way { cover: part.free, behind, last: None },
                Way { cover: part.with, behind, last: Some((fluent, true)) },
                Way { cover: part.without, behind, last: Some((fluent, false)) },
            ]);
        }
    }
}

/// A way through the parts of a cover that is still to be gone: where it leads, behind how many conditions it branches
/// off, and the condition on it. Ways are kept in a list, not on the stack of calls: a file decides how long they are.
#[derive(Clone, Copy, Debug)]
struct Way {
    cover: Cover,
    behind: usize,
    last: Option<Condition>,
}

impl Way {
    fn to(cover: Cover) -> Way {
        Way { cover, behind: 0, last: None }
    }

    /// Makes `conditions` those on the way.
    fn take(self, conditions: &mut Vec<Condition>) {
        conditions.truncate(self.behind);
        conditions.extend(self.last);
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
