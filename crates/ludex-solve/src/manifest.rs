//! What is finished of a run, as the lines of its manifest.

use crate::table::Name;
use ludex_engine::engine::Goal;
use ludex_logic::endgame::solve::Nature;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values of all states.
    Solve,
    /// The states.
    Count,
    /// Lines of play, to a depth.
    Perft,
}

impl Kind {
    /// What is in such a folder.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Solve => "a solution",
            Kind::Count => "a count of states",
            Kind::Perft => "a count of lines of play",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Solve => "solve",
            Kind::Count => "count",
            Kind::Perft => "perft",
        }
    }
}

/// A layer of states: those of one count, or so many joint moves from the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The representatives; none once their values are there, or when they are no longer needed.
    pub table: Option<Name>,
    /// Representatives.
    pub representatives: u64,
    /// States: all images of the representatives.
    pub states: u64,
    /// States in which the game is over.
    pub ends: u64,
    /// Joint moves from these states.
    pub transitions: u64,
    /// Lines of play that lead here, where those are counted.
    pub lines: u128,
}

/// Values of a set of states: numbers of records by state, and the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The states with the numbers of their records.
    pub table: Name,
    /// The file of the records.
    pub records: String,
    /// Bytes of it.
    pub bytes: u64,
    /// Its checksum.
    pub checksum: u64,
}

/// What is finished of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The hash of the rules.
    pub rules: String,
    /// The checksum of the plan.
    pub plan: u64,
    /// What the run is for.
    pub kind: Kind,
    /// Layers are those of the counter; else those of the distance from the beginning.
    pub ranked: bool,
    /// The depth to which lines of play are counted.
    pub depth: u64,
    /// Layers that are expanded.
    pub layers: BTreeMap<i64, Layer>,
    /// Layers of which states are known and not expanded yet.
    pub pending: BTreeMap<i64, Name>,
    /// All states so far, where layers are not ranked.
    pub seen: Option<Name>,
    /// What follows all states, and what comes before them, where layers are not ranked.
    pub edges: Option<Values>,
    /// The same from the other side.
    pub pairs: Option<Name>,
    /// Values by layer; where layers are not ranked, of all states, by the round that found them.
    pub values: BTreeMap<i64, Values>,
    /// For each role the goals that occur.
    pub goals: Vec<BTreeSet<Goal>>,
    /// At most one role chooses in every state.
    pub turns: bool,
    /// The sums of goals in ends; `None` for ends without goals for all. More than two are not kept.
    pub sums: BTreeSet<Option<Goal>>,
    /// Everything is there.
    pub done: bool,
}

impl Manifest {
    /// Nothing is finished.
    pub fn new(rules: String, plan: u64, kind: Kind, ranked: bool, roles: usize) -> Manifest {
        Manifest {
            rules,
            plan,
            kind,
            ranked,
            depth: 0,
            layers: BTreeMap::new(),
            pending: BTreeMap::new(),
            seen: None,
            edges: None,
            pairs: None,
            values: BTreeMap::new(),
            goals: vec![BTreeSet::new(); roles],
            turns: true,
            sums: BTreeSet::new(),
            done: false,
        }
    }

    /// What the goals are like, once all states were seen.
    pub fn nature(&self) -> Nature {
        if self.goals.len() == 1 {
            return Nature::Puzzle;
        }
        match self.sums.iter().collect::<Vec<_>>()[..] {
            [Some(sum)] if self.goals.len() == 2 && self.turns => Nature::ConstantSum(*sum),
            _ => Nature::General,
        }
    }

    /// A sum over all layers.
    pub fn total(&self, of: impl Fn(&Layer) -> u64) -> u64 {
        self.layers.values().map(of).sum()
    }

    /// The tables of the run.
    pub fn tables(&self) -> impl Iterator<Item = &Name> {
        let tables = self.layers.values().filter_map(|layer| layer.table.as_ref());
        let tables = tables.chain(self.pending.values()).chain(&self.seen);
        let values = self.values.values().chain(&self.edges);
        tables.chain(values.map(|values| &values.table)).chain(&self.pairs)
    }

    /// The files of the run but the plan, with their bytes.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64)> {
        let records = self.values.values().chain(&self.edges);
        let records = records.map(|values| (values.records.as_str(), values.bytes));
        self.tables().map(|table| (table.file.as_str(), table.bytes)).chain(records)
    }

    /// True if the file is part of the run.
    pub fn names(&self, file: &str) -> bool {
        file == crate::plan::FILE || self.files().any(|(name, _)| name == file)
    }

    /// The lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let name = |name: &Name| format!("{} {} {} {:x}", name.file, name.entries, name.bytes, name.checksum);
        let yes = u8::from;
        let _ = writeln!(text, "rules {}\nplan {:x}\nkind {}", self.rules, self.plan, self.kind.word());
        let _ =
            writeln!(text, "ranked {}\ndepth {}\nroles {}", yes(self.ranked), self.depth, self.goals.len());
        let _ = writeln!(text, "turns {}\ndone {}", yes(self.turns), yes(self.done));
        for (role, goals) in self.goals.iter().enumerate() {
            goals.iter().for_each(|goal| {
                let _ = writeln!(text, "goal {role} {goal}");
            });
        }
        for sum in &self.sums {
            let _ = writeln!(text, "sum {}", sum.map_or("none".to_owned(), |sum| sum.to_string()));
        }
        for (at, layer) in &self.layers {
            let Layer { representatives, states, ends, transitions, lines, table } = layer;
            let table = table.as_ref().map_or("none".to_owned(), name);
            let _ =
                writeln!(text, "layer {at} {representatives} {states} {ends} {transitions} {lines} {table}");
        }
        for (at, table) in &self.pending {
            let _ = writeln!(text, "pending {at} {}", name(table));
        }
        if let Some(seen) = &self.seen {
            let _ = writeln!(text, "seen {}", name(seen));
        }
        let values = |Values { table, records, bytes, checksum }: &Values| {
            format!("{records} {bytes} {checksum:x} {}", name(table))
        };
        if let Some(edges) = &self.edges {
            let _ = writeln!(text, "edges {}", values(edges));
        }
        if let Some(pairs) = &self.pairs {
            let _ = writeln!(text, "pairs {}", name(pairs));
        }
        for (at, of) in &self.values {
            let _ = writeln!(text, "values {at} {}", values(of));
        }
        text
    }

    /// Reads the lines.
    pub fn parse(text: &str) -> Option<Manifest> {
        let mut manifest = Manifest::new(String::new(), 0, Kind::Solve, false, 0);
        let hex = |word: &str| u64::from_str_radix(word, 16).ok();
        let name = |words: &[&str]| match words {
            [file, entries, bytes, checksum] if !file.contains(['/', '\\']) => Some(Name {
                file: (*file).to_owned(),
                entries: entries.parse().ok()?,
                bytes: bytes.parse().ok()?,
                checksum: hex(checksum)?,
            }),
            _ => None,
        };
        let values = |words: &[&str]| match words {
            [records, bytes, checksum, table @ ..] if !records.contains(['/', '\\']) => Some(Values {
                table: name(table)?,
                records: (*records).to_owned(),
                bytes: bytes.parse().ok()?,
                checksum: hex(checksum)?,
            }),
            _ => None,
        };
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words.as_slice() {
                ["rules", hash] => manifest.rules = (*hash).to_owned(),
                ["plan", sum] => manifest.plan = hex(sum)?,
                ["kind", word] => {
                    let kinds = [Kind::Solve, Kind::Count, Kind::Perft];
                    manifest.kind = kinds.into_iter().find(|kind| kind.word() == *word)?;
                }
                ["ranked", yes] => manifest.ranked = *yes == "1",
                ["depth", depth] => manifest.depth = depth.parse().ok()?,
                ["roles", roles] => {
                    manifest.goals =
                        vec![BTreeSet::new(); roles.parse().ok().filter(|roles| *roles < 1 << 16)?];
                }
                ["turns", yes] => manifest.turns = *yes == "1",
                ["done", yes] => manifest.done = *yes == "1",
                ["goal", role, goal] => {
                    manifest.goals.get_mut(role.parse::<usize>().ok()?)?.insert(goal.parse().ok()?);
                }
                ["sum", "none"] => drop(manifest.sums.insert(None)),
                ["sum", sum] => drop(manifest.sums.insert(Some(sum.parse().ok()?))),
                ["layer", at, representatives, states, ends, transitions, lines, table @ ..] => {
                    let layer = Layer {
                        representatives: representatives.parse().ok()?,
                        states: states.parse().ok()?,
                        ends: ends.parse().ok()?,
                        transitions: transitions.parse().ok()?,
                        lines: lines.parse().ok()?,
                        table: if *table == ["none"] { None } else { Some(name(table)?) },
                    };
                    manifest.layers.insert(at.parse().ok()?, layer);
                }
                ["pending", at, table @ ..] => {
                    manifest.pending.insert(at.parse().ok()?, name(table)?);
                }
                ["seen", table @ ..] => manifest.seen = Some(name(table)?),
                ["edges", of @ ..] => manifest.edges = Some(values(of)?),
                ["pairs", table @ ..] => manifest.pairs = Some(name(table)?),
                ["values", at, of @ ..] => {
                    manifest.values.insert(at.parse().ok()?, values(of)?);
                }
                _ => return None,
            }
        }
        Some(manifest)
    }
}
