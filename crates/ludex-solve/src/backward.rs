//! Backward: what each role can get, from the ends to the beginning.
//!
//! A *record* has for each role the joint moves to its best goal if all work together, and for each of its goals the joint
//! moves within which it forces at least that much. The record of a state follows from those of its successors. A round
//! works out the records of one table: the successors of a few million states are made again, sorted, and met
//! with the tables that they are in, from front to back; nothing is looked up at random.
//!
//! Where layers are ranked each is worked out once, from the last to the first. Otherwise all states are one table, and
//! `cycles.rs` goes over it in rounds.

use crate::error::{Error, Result};
use crate::expand::Expander;
use crate::manifest::{Manifest, Values};
use crate::packing::{Key, Packing};
use crate::run::{Run, join};
use crate::sort::sort;
use crate::table::{Name, Table, Writer, checksum};
use hashbrown::HashMap;
use ludex_engine::engine::Goal;
use std::path::Path;

/// The depth of what never happens.
pub(crate) const NEVER: u16 = u16::MAX;

/// Where in a record is what.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// For each role its goals, ascending.
    pub goals: Vec<Vec<Goal>>,
    /// For each role where its part begins: the joint moves to the best goal, then one number for each goal.
    pub starts: Vec<usize>,
    /// Numbers of a record.
    pub length: usize,
}

impl Form {
    pub fn of(manifest: &Manifest) -> Form {
        let goals: Vec<Vec<Goal>> =
            manifest.goals.iter().map(|goals| goals.iter().copied().collect()).collect();
        let mut length = 0;
        let mut starts = Vec::new();
        for goals in &goals {
            starts.push(length);
            length += 1 + goals.len();
        }
        Form { goals, starts, length }
    }

    /// The record of an end.
    fn end(&self, goals: &[Option<Goal>], out: &mut [u16]) {
        out.fill(NEVER);
        for ((values, start), goal) in self.goals.iter().zip(&self.starts).zip(goals) {
            let Some(goal) = goal else { continue };
            if values.last() == Some(goal) {
                out[*start] = 0;
            }
            for (at, _) in values.iter().enumerate().filter(|(_, value)| goal >= value) {
                out[start + 1 + at] = 0;
            }
        }
    }
}

/// Records by number, one after the other.
#[derive(Debug)]
pub(crate) struct Records {
    pub numbers: Vec<u16>,
}

impl Records {
    pub fn read(folder: &Path, values: &Values, length: usize) -> Result<Records> {
        let path = folder.join(&values.records);
        let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
        if checksum(&bytes) != values.checksum || bytes.len() % (2 * length).max(1) != 0 {
            return Err(Error::Damaged(path, "it does not match its checksum"));
        }
        Ok(Records {
            numbers: bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect(),
        })
    }
}

/// Values that successors are looked up in.
pub(crate) struct Target<const N: usize> {
    pub table: Table<N>,
    pub records: Records,
}

impl<const N: usize> Target<N> {
    pub fn open(folder: &Path, values: &Values, form: &Form) -> Result<Target<N>> {
        let table = Table::open_named(folder, &values.table)?;
        Ok(Target { table, records: Records::read(folder, values, form.length)? })
    }
}

/// A state that follows, when its record was found, or its place among all states.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    pub record: u32,
    pub target: u16,
    pub symmetry: u16,
}

const NOT_MET: u32 = u32::MAX;

/// The records of some states: the different ones, and their numbers.
#[derive(Default)]
pub(crate) struct Part {
    pub records: Vec<u16>,
    pub numbers: Vec<u32>,
}

/// Some states and what follows them.
#[derive(Default)]
pub(crate) struct Successors {
    /// For each state and role the legal moves.
    pub counts: Vec<u32>,
    pub is_end: Vec<bool>,
    /// The records of those that are ends.
    pub ends: Vec<u16>,
    /// The successors of all the others, in the order of the joint moves.
    pub met: Vec<Met>,
}

/// States by layer that are to be looked up, with the number of the successor that each is.
pub(crate) type Wanted<const N: usize> = Vec<Vec<(Key<N>, u32)>>;

/// What follows states in a row, where it lies by layer. Without layers all of it lies in one table.
pub(crate) fn expand_row<const N: usize>(
    form: &Form,
    expander: &mut Expander<'_>,
    states: &[Key<N>],
    layers: Option<&[i64]>,
) -> Result<(Successors, Wanted<N>)> {
    let roles = form.goals.len();
    let mut met: Vec<Met> = Vec::new();
    let mut counts: Vec<u32> = Vec::with_capacity(states.len() * roles);
    let mut ends: Vec<u16> = Vec::new();
    let mut is_end = Vec::with_capacity(states.len());
    let mut wanted: Wanted<N> = vec![Vec::new(); layers.map_or(1, <[i64]>::len)];
    for key in states {
        let mut missing = false;
        let end = expander.expand(key, &mut |next| {
            let target = match layers {
                Some(layers) => layers.iter().position(|layer| *layer == next.count),
                None => Some(0),
            };
            match target {
                Some(target) => {
                    if let Some(wanted) = wanted.get_mut(target) {
                        wanted.push((next.key, met.len() as u32));
                    }
                    let (target, symmetry) = (target as u16, next.symmetry as u16);
                    met.push(Met { record: NOT_MET, target, symmetry });
                }
                None => missing = true,
            }
        })?;
        if missing || met.len() > u32::MAX as usize / 2 {
            return Err(Error::Misfit("a layer that follows has no values".to_owned()));
        }
        counts.extend(expander.legal.iter().map(|list| list.len() as u32));
        if end {
            let start = ends.len();
            ends.resize(start + form.length, 0);
            form.end(&expander.goals, &mut ends[start..]);
        }
        is_end.push(end);
    }
    Ok((Successors { counts, is_end, ends, met }, wanted))
}

/// Meets ascending keys with a table from front to back; `with` has the number and the place of each.
pub(crate) fn meet<const N: usize>(
    table: &Table<N>,
    keys: impl IntoIterator<Item = Key<N>>,
    with: &mut dyn FnMut(u128, u64),
) -> Result<()> {
    let mut scan = table.scan();
    let mut head = scan.next()?;
    for key in keys {
        if head.is_some_and(|(at, _)| at < key) {
            scan.skip_to(&key);
            while head.is_some_and(|(at, _)| at < key) {
                head = scan.next()?;
            }
        }
        match head {
            Some((at, number)) if at == key => with(number, scan.place()),
            _ => {
                return Err(Error::Misfit("a state that follows is not among those visited".to_owned()));
            }
        }
    }
    Ok(())
}

/// How records follow from those of the successors.
pub(crate) struct Work<'w> {
    pub form: &'w Form,
    /// For each symmetry what the roles become.
    pub roles: Vec<&'w [ludex_engine::vocabulary::RoleId]>,
    /// The records of each target, one after the other.
    pub records: Vec<&'w [u16]>,
}

impl<'w> Work<'w> {
    pub fn new(form: &'w Form, packing: &'w Packing, records: Vec<&'w [u16]>) -> Work<'w> {
        let roles = (0..packing.symmetry_count()).map(|at| packing.roles(at)).collect();
        Work { form, roles, records }
    }

    /// The records of states.
    pub fn evaluate(&self, successors: &Successors) -> Result<Part> {
        let Successors { counts, is_end, ends, met } = successors;
        let (roles, length) = (self.form.goals.len(), self.form.length);
        let mut part = Part::default();
        let mut known = Numbered::default();
        let mut record = vec![NEVER; length];
        let mut worst = vec![NEVER; length];
        let mut ends = ends.chunks_exact(length.max(1));
        let mut met = met.as_slice();
        let nothing = vec![NEVER; length];
        for (&end, counts) in is_end.iter().zip(counts.chunks_exact(roles.max(1))) {
            if end {
                record.copy_from_slice(ends.next().unwrap_or_default());
            } else {
                record.fill(NEVER);
                let all: usize = counts.iter().map(|count| *count as usize).product();
                let (own, rest) = met.split_at(all);
                met = rest;
                for role in 0..roles {
                    let (start, values) = (self.form.starts[role], self.form.goals[role].len() + 1);
                    let of = |next: &Met| -> &[u16] {
                        let role = self.roles[usize::from(next.symmetry)][role].index();
                        let from = self.form.starts[role];
                        match self.records.get(usize::from(next.target)) {
                            Some(records) => &records[next.record as usize * length + from..][..values],
                            None => &nothing[..values],
                        }
                    };
                    let best = &mut record[start..start + values];
                    let inner: usize = counts[role + 1..].iter().map(|&count| count as usize).product();
                    let actions = counts[role] as usize;
                    for action in 0..actions {
                        // The best goal is for all together, the others against everybody else.
                        let worst = &mut worst[..values];
                        worst.fill(0);
                        for block in own.chunks_exact(inner * actions) {
                            for next in &block[action * inner..(action + 1) * inner] {
                                let next = of(next);
                                best[0] = best[0].min(next[0]);
                                worst[1..]
                                    .iter_mut()
                                    .zip(&next[1..])
                                    .for_each(|(worst, next)| *worst = (*worst).max(*next));
                            }
                        }
                        best[1..]
                            .iter_mut()
                            .zip(&worst[1..])
                            .for_each(|(best, worst)| *best = (*best).min(*worst));
                    }
                    if all == 0 {
                        best.fill(NEVER);
                    } else {
                        best.iter_mut().for_each(|depth| *depth = depth.saturating_add(1));
                    }
                    if best.contains(&(NEVER - 1)) {
                        return Err(Error::TooMany("joint moves to an end"));
                    }
                }
            }
            part.numbers.push(known.number(&record));
        }
        part.records = known.records;
        Ok(part)
    }
}

/// Bytes that a state takes while its record is worked out, for each successor, and with how many to begin.
const BYTES_A_SUCCESSOR: usize = 64;

impl<const N: usize> Run<'_, N> {
    /// Works out the values of all states.
    pub(crate) fn backward(&mut self) -> Result<()> {
        if self.manifest.ranked {
            let layers: Vec<i64> = self.manifest.layers.keys().rev().copied().collect();
            for at in layers {
                if self.manifest.values.contains_key(&at) {
                    continue;
                }
                let Some(name) = self.manifest.layers.get(&at).and_then(|layer| layer.table.clone()) else {
                    continue;
                };
                let above: Vec<i64> = self.manifest.values.range(at + 1..).map(|(at, _)| *at).collect();
                let values = self.values(at, &name, &above)?;
                self.manifest.values.insert(at, values);
                if let Some(layer) = self.manifest.layers.get_mut(&at) {
                    layer.table = None;
                }
                self.commit()?;
                self.remove(vec![name]);
            }
        } else if let Some(states) = self.manifest.seen.clone() {
            self.cycles(&states)?;
        }
        self.manifest.done = true;
        self.commit()
    }

    /// The values of the states of a table, from those of the layers `from`.
    fn values(&self, at: i64, states: &Name, from: &[i64]) -> Result<Values> {
        let folder = &self.folder.path;
        let form = Form::of(&self.manifest);
        let targets: Vec<Target<N>> = from
            .iter()
            .map(|layer| Target::open(folder, &self.manifest.values[layer], &form))
            .collect::<Result<_>>()?;
        let records = targets.iter().map(|target| target.records.numbers.as_slice()).collect();
        let work = Work::new(&form, &self.packing, records);
        let part = |expander: &mut Expander<'_>, states: &[Key<N>]| -> Result<Part> {
            let (mut successors, wanted) = expand_row(&form, expander, states, Some(from))?;
            let mut room = Vec::new();
            for (target, mut wanted) in targets.iter().zip(wanted) {
                sort(&mut wanted, &mut room);
                let mut slots = wanted.iter().map(|(_, slot)| *slot as usize);
                meet(&target.table, wanted.iter().map(|(key, _)| *key), &mut |number, _| {
                    if let Some(slot) = slots.next() {
                        successors.met[slot].record = number as u32;
                    }
                })?;
            }
            work.evaluate(&successors)
        };
        let counter = self.counter();
        let (engine, packing, budget) = (self.engine, &self.packing, &self.budget);
        let mut expanders: Vec<Expander<'_>> =
            (0..self.threads).map(|_| Expander::new(engine, packing, counter, budget)).collect();
        let table: Table<N> = Table::open_named(folder, states)?;
        let share = self.share(self.memory).clamp(1 << 10, 1 << 23);
        let mut scan = table.scan();
        let mut writer: Writer<N> = Writer::create(&self.path(&format!("values-{at}")), &self.folder.disk)?;
        let mut known = Numbered::default();
        let mut done = 0;
        loop {
            let mut keys: Vec<Key<N>> = Vec::new();
            while keys.len() < share * self.threads
                && let Some((key, _)) = scan.next()?
            {
                keys.push(key);
            }
            if keys.is_empty() {
                break;
            }
            let size = keys.len().div_ceil(self.threads).max(1 << 10);
            let parts: Vec<Part> = if keys.len() <= size {
                vec![part(&mut expanders[0], &keys)?]
            } else {
                let part = &part;
                std::thread::scope(|scope| {
                    let tasks: Vec<_> = expanders
                        .iter_mut()
                        .zip(keys.chunks(size))
                        .map(|(expander, keys)| scope.spawn(move || part(expander, keys)))
                        .collect();
                    tasks.into_iter().map(join).collect::<Result<Vec<_>>>()
                })?
            };
            let mut keys = keys.iter();
            for part in parts {
                // Numbers are given in the order of the keys, so they do not depend on how the work was shared.
                let records = part.records.chunks_exact(form.length.max(1));
                let numbers: Vec<u32> = records.map(|record| known.number(record)).collect();
                for (number, key) in part.numbers.iter().zip(&mut keys) {
                    writer.push(key, u128::from(numbers[*number as usize]))?;
                }
                done += part.numbers.len() as u64;
                self.reached.valued(done, self.folder.disk.used());
            }
        }
        let name = writer.finish()?;
        self.write_records(name, &format!("records-{at}"), &known.records)
    }

    /// How many states are expanded at a time by each thread in so much memory.
    pub(crate) fn share(&self, memory: usize) -> usize {
        let transitions = self.manifest.total(|layer| layer.transitions);
        let branching = (transitions / self.manifest.total(|layer| layer.states).max(1)) as usize + 2;
        memory / self.threads / (branching * BYTES_A_SUCCESSOR)
    }

    /// Writes the records of a table.
    pub(crate) fn write_records(&self, table: Name, file: &str, records: &[u16]) -> Result<Values> {
        let bytes: Vec<u8> = records.iter().flat_map(|number| number.to_le_bytes()).collect();
        let path = self.path(file);
        let file = format!("{}{file}", self.prefix);
        self.folder.disk.add(bytes.len() as u64)?;
        ludex_logic::endgame::file::write(&path, &bytes).map_err(Error::io(&path))?;
        Ok(Values { table, records: file, bytes: bytes.len() as u64, checksum: checksum(&bytes) })
    }
}

/// Different records, numbered as they come.
#[derive(Default)]
pub(crate) struct Numbered {
    known: HashMap<Box<[u16]>, u32>,
    pub records: Vec<u16>,
}

impl Numbered {
    /// The number of a record.
    pub fn number(&mut self, record: &[u16]) -> u32 {
        if let Some(&number) = self.known.get(record) {
            return number;
        }
        let number = self.known.len() as u32;
        self.known.insert(record.into(), number);
        self.records.extend_from_slice(record);
        number
    }
}
