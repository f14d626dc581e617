//! Values of games in which lines can come back to a state: over pairs of states, one that follows the other.
//!
//! States are numbered by their place in the sorted table. They are expanded once; what follows each is written down
//! (*edges*), and so is, sorted, what comes before each (*pairs*). A round then looks only at states with a successor
//! that changed in the round before, and makes no successor again. The first round knows the ends; after `n` rounds
//! everything is known that is decided within `n` joint moves, and what is open when a round changes nothing is what play can
//! go on around for ever. A part of a record changes once, from "never" to its depth, so a state is looked at as often
//! as it has goals and successors, at most.
//!
//! Some bytes a state are in memory, the numbers of the records; edges and pairs are read from front to back.
//! A run that ends on the way begins the rounds anew from the edges.

use crate::backward::{Form, Met, NEVER, Numbered, Part, Records, Successors, Work, expand_row, meet};
use crate::error::{Error, Result};
use crate::expand::Expander;
use crate::manifest::Values;
use crate::packing::Key;
use crate::run::{Run, join};
use crate::sort::sort;
use crate::table::{Merge, Name, Scan, Table, Writer};
use ludex_engine::budget::Meter;

/// The second number of the key under which the record of an end is.
const END: u64 = 1 << 32;

/// A symmetry takes so many bits beside the place of a successor.
const SYMMETRY_BITS: u32 = 16;

/// States that a thread looks at before what it found is gathered.
pub(crate) const BATCH: usize = 1 << 14;

/// Bytes in memory for each state: the number of its record, what changes in a round, and a bit. Half of the memory is for
/// these.
const BYTES_A_STATE: usize = 4 + 8 + 1;

const TICKS_A_STATE: u64 = 64;

impl<const N: usize> Run<'_, N> {
    /// Works out the values of all states.
    pub(crate) fn cycles(&mut self, states: &Name) -> Result<()> {
        self.check_memory(states)?;
        let (edges, pairs) = match (&self.manifest.edges, &self.manifest.pairs) {
            (Some(edges), Some(pairs)) => (edges.clone(), pairs.clone()),
            _ => {
                let (edges, pairs) = self.write_edges(states)?;
                (self.manifest.edges, self.manifest.pairs) = (Some(edges.clone()), Some(pairs.clone()));
                self.commit()?;
                (edges, pairs)
            }
        };
        let values = self.rounds(states, &edges, &pairs)?;
        let mut old = std::mem::take(&mut self.manifest.values).into_values().collect::<Vec<_>>();
        old.push(edges);
        self.manifest.values.insert(0, values.clone());
        (self.manifest.seen, self.manifest.edges, self.manifest.pairs) = (None, None, None);
        self.commit()?;
        for old in old {
            if old.records != values.records {
                self.folder.remove(&old.records, old.bytes);
            }
            if old.table.file != values.table.file {
                self.remove(vec![old.table]);
            }
        }
        self.remove(vec![states.clone(), pairs]);
        Ok(())
    }

    /// An error if there is too little memory for the numbers of the records.
    pub(crate) fn check_memory(&self, states: &Name) -> Result<()> {
        let bytes = states.entries.saturating_mul(BYTES_A_STATE as u64).saturating_mul(2);
        if states.entries >= u64::from(u32::MAX) {
            return Err(Error::TooMany("states in a game with cycles"));
        }
        if bytes > self.memory as u64 {
            return Err(Error::Memory(self.memory, usize::try_from(bytes).unwrap_or(usize::MAX)));
        }
        Ok(())
    }

    /// Expands all states once.
    fn write_edges(&self, states: &Name) -> Result<(Values, Name)> {
        let folder = &self.folder.path;
        let form = Form::of(&self.manifest);
        let table: Table<N> = Table::open_named(folder, states)?;
        let successors = |expander: &mut Expander<'_>, states: &[Key<N>]| -> Result<Successors> {
            let (mut successors, wanted) = expand_row(&form, expander, states, None)?;
            let mut room = Vec::new();
            for mut wanted in wanted {
                sort(&mut wanted, &mut room);
                let mut slots = wanted.iter().map(|(_, slot)| *slot as usize);
                meet(&table, wanted.iter().map(|(key, _)| *key), &mut |_, place| {
                    if let Some(slot) = slots.next() {
                        successors.met[slot].record = place as u32;
                    }
                })?;
            }
            Ok(successors)
        };
        let (engine, packing, budget) = (self.engine, &self.packing, &self.budget);
        let mut expanders: Vec<Expander<'_>> =
            (0..self.threads).map(|_| Expander::new(engine, packing, None, budget)).collect();
        let share = self.share(self.memory / 2).clamp(1 << 10, 1 << 21);
        let mut scan = table.scan();
        let mut edges = Edges::new(self, &form)?;
        let mut sorted = Pairs::new(self);
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
            let part = keys.len().div_ceil(self.threads).max(1 << 10);
            let parts: Vec<Successors> = std::thread::scope(|scope| {
                let tasks: Vec<_> = expanders
                    .iter_mut()
                    .zip(keys.chunks(part))
                    .map(|(expander, keys)| {
                        let successors = &successors;
                        scope.spawn(move || successors(expander, keys))
                    })
                    .collect();
                tasks.into_iter().map(join).collect::<Result<_>>()
            })?;
            for part in parts {
                let id = |slot: usize| u64::from(part.met[slot].record);
                edges.push(&part, &id, &mut |child, place| sorted.push([child, place]))?;
            }
            self.reached.valued(edges.place, self.folder.disk.used());
        }
        Ok((edges.finish(self)?, sorted.finish()?))
    }

    /// Round after round, until nothing changes.
    fn rounds(&self, states: &Name, edges: &Values, pairs: &Name) -> Result<Values> {
        let folder = &self.folder.path;
        let form = Form::of(&self.manifest);
        let length = form.length.max(1);
        let count = states.entries as usize;
        let table: Table<2> = Table::open_named(folder, &edges.table)?;
        let pairs: Table<2> = Table::open_named(folder, pairs)?;
        let ends = Records::read(folder, edges, length)?;
        let mut meter = self.budget.clock();
        let Begun { mut numbers, mut known, mut changed } = begin(&form, count, &table, &ends, &mut meter)?;
        let mut dirty = vec![0u64; count.div_ceil(64)];
        while !changed.is_empty() {
            before(&pairs, &changed, &mut meter, &mut |parent| mark(&mut dirty, parent))?;
            let records = known.records.clone();
            let work = Work::new(&form, &self.packing, vec![&records]);
            let mut changes: Vec<(u32, u32)> = Vec::new();
            let mut reader = Reader::new(&table, &form);
            let mut open = ludex_engine::row::fluents(&dirty).map(|fluent| fluent.0);
            loop {
                let mut batches: Vec<(Vec<u32>, Successors)> = Vec::new();
                for _ in 0..self.threads {
                    let places: Vec<u32> = open.by_ref().take(BATCH).collect();
                    let mut successors = Successors::default();
                    for &place in &places {
                        meter.tick_by(TICKS_A_STATE)?;
                        let record = &mut |place: u64, _| {
                            numbers.get(place as usize).copied().ok_or(Error::TooMany("states"))
                        };
                        reader.read(place, record, &mut successors)?;
                    }
                    if !places.is_empty() {
                        batches.push((places, successors));
                    }
                }
                if batches.is_empty() {
                    break;
                }
                let parts: Vec<Part> = match &batches[..] {
                    [(_, only)] => vec![work.evaluate(only)?],
                    all => std::thread::scope(|scope| {
                        let work = &work;
                        let spawn = |(_, successors)| scope.spawn(move || work.evaluate(successors));
                        let tasks: Vec<_> = all.iter().map(|(a, b)| spawn((a, b))).collect();
                        tasks.into_iter().map(join).collect::<Result<_>>()
                    })?,
                };
                for ((places, _), part) in batches.iter().zip(parts) {
                    let local: Vec<u32> =
                        part.records.chunks_exact(length).map(|record| known.number(record)).collect();
                    for (place, number) in places.iter().zip(&part.numbers) {
                        let number = local[*number as usize];
                        if numbers[*place as usize] != number {
                            changes.push((*place, number));
                        }
                    }
                }
            }
            drop(open);
            changed.clear();
            for (place, number) in changes {
                numbers[place as usize] = number;
                changed.push(place);
            }
            dirty.fill(0);
        }
        self.write_values(states, &form, &numbers, &known, &mut meter)
    }

    /// The values of all states: their records by place.
    pub(crate) fn write_values(
        &self,
        states: &Name,
        form: &Form,
        numbers: &[u32],
        known: &Numbered,
        meter: &mut Meter,
    ) -> Result<Values> {
        // Numbers in the order of the keys, so that they do not depend on how they were found.
        let mut ordered = Numbered::default();
        let mut writer: Writer<N> = Writer::create(&self.path("values-0"), &self.folder.disk)?;
        let table: Table<N> = Table::open_named(&self.folder.path, states)?;
        let mut scan = table.scan();
        let mut numbers = numbers.iter();
        while let Some((key, _)) = scan.next()? {
            meter.tick_by(1)?;
            let number = *numbers.next().ok_or(Error::TooMany("states"))? as usize;
            let number = ordered.number(&known.records[number * form.length..][..form.length]);
            writer.push(&key, u128::from(number))?;
        }
        self.write_records(writer.finish()?, "records-0", &ordered.records)
    }
}

/// Records by place when the rounds begin: those of the ends, which are what changed.
pub(crate) struct Begun {
    pub numbers: Vec<u32>,
    pub known: Numbered,
    pub changed: Vec<u32>,
}

pub(crate) fn begin(
    form: &Form,
    count: usize,
    edges: &Table<2>,
    ends: &Records,
    meter: &mut Meter,
) -> Result<Begun> {
    let length = form.length.max(1);
    let mut known = Numbered::default();
    let nothing = known.number(&vec![NEVER; form.length]);
    let mut numbers = vec![nothing; count];
    let mut changed: Vec<u32> = Vec::new();
    let mut scan = edges.scan();
    while let Some(([place, at], number)) = scan.next()? {
        meter.tick_by(1)?;
        if at == END {
            let start = number as usize * length;
            let record = ends.numbers.get(start..start + length).ok_or(Error::TooMany("records of ends"))?;
            *numbers.get_mut(place as usize).ok_or(Error::TooMany("states"))? = known.number(record);
            changed.push(place as u32);
        }
    }
    Ok(Begun { numbers, known, changed })
}

/// Sets the bit of a place.
pub(crate) fn mark(dirty: &mut [u64], place: u64) -> Result<()> {
    *dirty.get_mut(place as usize / 64).ok_or(Error::TooMany("states"))? |= 1 << (place % 64);
    Ok(())
}

/// Visits the states from which a changed one follows.
pub(crate) fn before(
    pairs: &Table<2>,
    changed: &[u32],
    meter: &mut Meter,
    visit: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<()> {
    let mut scan = pairs.scan();
    let mut head = None;
    for &place in changed {
        meter.tick_by(TICKS_A_STATE)?;
        let from = [u64::from(place), 0];
        seek(&mut scan, &mut head, &from)?;
        while let Some(([child, parent], _)) = head
            && child == from[0]
        {
            visit(parent)?;
            head = scan.next()?;
        }
    }
    Ok(())
}

/// Goes on to the first entry that is not before `from`.
fn seek(scan: &mut Scan<'_, 2>, head: &mut Option<(Key<2>, u128)>, from: &Key<2>) -> Result<()> {
    if head.is_none_or(|(key, _)| key < *from) {
        scan.skip_to(from);
        *head = scan.next()?;
        while head.is_some_and(|(key, _)| key < *from) {
            *head = scan.next()?;
        }
    }
    Ok(())
}

/// What follows each state, being written.
pub(crate) struct Edges<'f> {
    form: &'f Form,
    writer: Writer<2>,
    ends: Numbered,
    /// The state that comes next.
    pub place: u64,
}

impl<'f> Edges<'f> {
    pub fn new<const N: usize>(run: &Run<'_, N>, form: &'f Form) -> Result<Edges<'f>> {
        let writer = Writer::create(&run.path("edges"), &run.folder.disk)?;
        Ok(Edges { form, writer, ends: Numbered::default(), place: 0 })
    }

    /// The next states. What a successor is known by comes from `id`; `pair` has it with the state before it.
    pub fn push(
        &mut self,
        part: &Successors,
        id: &dyn Fn(usize) -> u64,
        pair: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<()> {
        let mut met = part.met.iter().enumerate();
        let mut records = part.ends.chunks_exact(self.form.length.max(1));
        for (counts, end) in part.counts.chunks_exact(self.form.goals.len().max(1)).zip(&part.is_end) {
            let place = self.place;
            self.place += 1;
            if *end {
                let number = self.ends.number(records.next().unwrap_or_default());
                self.writer.push(&[place, END], u128::from(number))?;
                continue;
            }
            for (role, count) in (0..).zip(counts) {
                self.writer.push(&[place, role], u128::from(*count))?;
            }
            let all: usize = counts.iter().map(|count| *count as usize).product();
            for (at, (slot, next)) in (counts.len() as u64..).zip(met.by_ref().take(all)) {
                let number = u128::from(id(slot)) << SYMMETRY_BITS | u128::from(next.symmetry);
                self.writer.push(&[place, at], number)?;
                pair(id(slot), place)?;
            }
        }
        Ok(())
    }

    pub fn finish<const N: usize>(self, run: &Run<'_, N>) -> Result<Values> {
        run.write_records(self.writer.finish()?, "edges-records", &self.ends.records)
    }
}

/// Edges, from front to back.
pub(crate) struct Reader<'t> {
    scan: Scan<'t, 2>,
    head: Option<(Key<2>, u128)>,
    roles: usize,
}

impl<'t> Reader<'t> {
    pub fn new(edges: &'t Table<2>, form: &Form) -> Reader<'t> {
        Reader { scan: edges.scan(), head: None, roles: form.goals.len() }
    }

    /// Adds what follows a state; `record` knows the record of a successor, or remembers which it is.
    pub fn read(
        &mut self,
        place: u32,
        record: &mut dyn FnMut(u64, usize) -> Result<u32>,
        out: &mut Successors,
    ) -> Result<()> {
        let from = [u64::from(place), 0];
        seek(&mut self.scan, &mut self.head, &from)?;
        out.is_end.push(false);
        while let Some(([state, at], number)) = self.head
            && state == from[0]
        {
            if at < self.roles as u64 {
                out.counts.push(number as u32);
            } else {
                let symmetry = (number & ((1 << SYMMETRY_BITS) - 1)) as u16;
                let record = record((number >> SYMMETRY_BITS) as u64, out.met.len())?;
                out.met.push(Met { record, target: 0, symmetry });
            }
            self.head = self.scan.next()?;
        }
        Ok(())
    }
}

/// Pairs of a state and one before it, being sorted.
pub(crate) struct Pairs<'r, 'g, const N: usize> {
    run: &'r Run<'g, N>,
    most: usize,
    list: Vec<Key<2>>,
    runs: Vec<Name>,
}

impl<'r, 'g, const N: usize> Pairs<'r, 'g, N> {
    pub fn new(run: &'r Run<'g, N>) -> Pairs<'r, 'g, N> {
        Pairs { run, most: run.memory / 4 / size_of::<Key<2>>(), list: Vec::new(), runs: Vec::new() }
    }

    pub fn push(&mut self, pair: Key<2>) -> Result<()> {
        self.list.push(pair);
        if self.list.len() >= self.most { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.list.sort_unstable();
        self.list.dedup();
        let path = self.run.path(&format!("pairs-run-{}", self.runs.len()));
        let mut writer: Writer<2> = Writer::create(&path, &self.run.folder.disk)?;
        self.list.drain(..).try_for_each(|pair| writer.push(&pair, 0))?;
        self.runs.push(writer.finish()?);
        Ok(())
    }

    pub fn finish(mut self) -> Result<Name> {
        self.flush()?;
        let folder = &self.run.folder;
        let tables: Vec<Table<2>> =
            self.runs.iter().map(|name| Table::open_named(&folder.path, name)).collect::<Result<_>>()?;
        let mut writer: Writer<2> = Writer::create(&self.run.path("pairs"), &folder.disk)?;
        let mut merge = Merge::new(&tables)?;
        while let Some((pair, _)) = merge.next()? {
            writer.push(&pair, 0)?;
        }
        let name = writer.finish()?;
        self.run.remove(self.runs);
        Ok(name)
    }
}
