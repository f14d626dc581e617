//! Forward: every reachable state, layer by layer, sorted and without duplicates, on disk.
//!
//! A round expands one layer. What follows is gathered in memory by layer, sorted, and written as a run whenever
//! the memory that it may take is full; at the end of the round the runs of a layer become one table. Layers of a counter
//! that every move raises have no state in common. Otherwise a layer is what is so many joint moves from the
//! beginning, and what was seen before is taken out.

use crate::error::{Error, Result};
use crate::expand::Expander;
use crate::manifest::Layer;
use crate::packing::Key;
use crate::run::Run;
use crate::sort::sort;
use crate::table::{Merge, Name, Scan, Table, Writer};
use hashbrown::HashMap;
use ludex_engine::engine::Goal;
use std::collections::{BTreeMap, BTreeSet};

/// What comes with a key: nothing, or how many lines of play lead to it.
pub trait Load: Copy + Send + Sync {
    /// Of the same key twice.
    fn join(self, other: Self) -> Option<Self>;
    /// For the table.
    fn number(self) -> u128;
    /// From the table.
    fn of(number: u128) -> Self;
}

impl Load for () {
    fn join(self, (): ()) -> Option<()> {
        Some(())
    }
    fn number(self) -> u128 {
        0
    }
    fn of(_: u128) {}
}

impl Load for u128 {
    fn join(self, other: u128) -> Option<u128> {
        self.checked_add(other)
    }
    fn number(self) -> u128 {
        self
    }
    fn of(number: u128) -> u128 {
        number
    }
}

/// States that a thread expands before what it found is gathered.
pub(crate) const BATCH: usize = 1 << 14;

/// What was found in some states.
pub(crate) struct Found<const N: usize, L> {
    pub entries: HashMap<i64, Vec<(Key<N>, L)>>,
    pub layer: Layer,
    goals: Vec<BTreeSet<Goal>>,
    turns: bool,
    sums: BTreeSet<Option<Goal>>,
}

impl<const N: usize, L> Found<N, L> {
    pub fn new(roles: usize) -> Found<N, L> {
        let layer = Layer { table: None, representatives: 0, states: 0, ends: 0, transitions: 0, lines: 0 };
        Found {
            entries: HashMap::new(),
            layer,
            goals: vec![BTreeSet::new(); roles],
            turns: true,
            sums: BTreeSet::new(),
        }
    }

    /// Adds the counts of another part, and leaves its entries.
    fn count(&mut self, part: &Found<N, L>) -> Result<()> {
        let (sum, layer) = (&mut self.layer, &part.layer);
        sum.representatives += layer.representatives;
        sum.states += layer.states;
        sum.ends += layer.ends;
        sum.transitions += layer.transitions;
        sum.lines = sum.lines.checked_add(layer.lines).ok_or(Error::TooMany("lines of play"))?;
        self.turns &= part.turns;
        self.sums.extend(&part.sums);
        self.goals.iter_mut().zip(&part.goals).for_each(|(all, goals)| all.extend(goals));
        Ok(())
    }
}

pub(crate) fn expand_all<const N: usize, L: Load>(
    expander: &mut Expander<'_>,
    states: &[(Key<N>, L)],
    next_layer: Option<i64>,
) -> Result<Found<N, L>> {
    let mut found = Found::<N, L>::new(expander.goals.len());
    for (key, load) in states {
        let mut moves: u64 = 0;
        let entries = &mut found.entries;
        let end = expander.expand(key, &mut |next| {
            moves += 1;
            entries.entry(next_layer.unwrap_or(next.count)).or_default().push((next.key, *load));
        })?;
        let orbit = expander.orbit::<N>()?;
        let layer = &mut found.layer;
        layer.representatives += 1;
        layer.states += orbit;
        layer.transitions += orbit * moves;
        layer.lines = layer.lines.checked_add(load.number()).ok_or(Error::TooMany("lines of play"))?;
        if end {
            layer.ends += orbit;
            let sum = expander.goals.iter().try_fold(0, |sum: Goal, goal| sum.checked_add((*goal)?));
            // The two least, so that it does not depend on how the work was shared.
            found.sums.insert(sum);
            if found.sums.len() > 2 {
                found.sums.pop_last();
            }
            // The images of the state are ends as well, with the goals of other roles.
            for images in expander.role_images() {
                for (image, goal) in images.iter().zip(&expander.goals) {
                    found.goals[image.index()].extend(*goal);
                }
            }
        }
        found.turns &= expander.legal.iter().filter(|list| list.len() > 1).count() <= 1;
    }
    Ok(found)
}

/// Entries of a layer that are not expanded yet.
struct Gathered<const N: usize, L> {
    entries: Vec<(Key<N>, L)>,
    runs: Vec<Name>,
}

/// What a round has found so far.
pub(crate) struct Gathering<const N: usize, L> {
    at: i64,
    all: Found<N, L>,
    layers: BTreeMap<i64, Gathered<N, L>>,
    room: Vec<(Key<N>, L)>,
    held: usize,
    runs: usize,
}

impl<const N: usize, L: Load> Gathering<N, L> {
    /// Of the states of the layer `at`.
    pub fn new(at: i64, roles: usize) -> Gathering<N, L> {
        let all = Found::new(roles);
        Gathering { at, all, layers: BTreeMap::new(), room: Vec::new(), held: 0, runs: 0 }
    }

    /// States that were expanded.
    pub fn expanded(&self) -> u64 {
        self.all.layer.representatives
    }

    /// Adds the counts of some states.
    pub fn count(&mut self, part: &Found<N, L>) -> Result<()> {
        self.all.count(part)
    }

    /// Adds states of the layer `to`.
    pub fn take(&mut self, to: i64, entries: impl IntoIterator<Item = (Key<N>, L)>) {
        let gathered = self.layers.entry(to).or_insert(Gathered { entries: Vec::new(), runs: Vec::new() });
        let before = gathered.entries.len();
        gathered.entries.extend(entries);
        self.held += gathered.entries.len() - before;
    }

    /// Writes a run where more is held than memory is for.
    pub fn spill(&mut self, run: &Run<'_, N>) -> Result<()> {
        // As much again for sorting, and for lists that double.
        let most = (run.memory / (4 * size_of::<(Key<N>, L)>())).max(1 << 10);
        if self.held <= most {
            return Ok(());
        }
        self.held = 0;
        for (to, gathered) in &mut self.layers {
            reduce(&mut gathered.entries, &mut self.room)?;
            // What shrank a lot by this need not be written.
            if gathered.entries.len() > most / 2 {
                self.runs += 1;
                let path = run.path(&format!("run-{}-{to}-{}", self.at, self.runs));
                let mut writer = Writer::create(&path, &run.folder.disk)?;
                for (key, load) in gathered.entries.drain(..) {
                    writer.push(&key, load.number())?;
                }
                gathered.runs.push(writer.finish()?);
            }
            self.held += gathered.entries.len();
        }
        Ok(())
    }
}

impl<const N: usize> Run<'_, N> {
    /// The first table: the initial state.
    pub(crate) fn begin<L: Load>(&mut self, load: L) -> Result<()> {
        let counter = self.counter();
        let mut expander = Expander::new(self.engine, &self.packing, counter, &self.budget);
        let (key, count) = expander.initial::<N>()?;
        drop(expander);
        self.put_first(&key, count, load)?;
        self.commit()
    }

    /// Writes the table of the initial state.
    pub(crate) fn put_first<L: Load>(&mut self, key: &Key<N>, count: i64, load: L) -> Result<()> {
        let mut writer = Writer::create(&self.path("start"), &self.folder.disk)?;
        writer.push(key, load.number())?;
        let name = writer.finish()?;
        self.manifest.pending.insert(if self.manifest.ranked { count } else { 0 }, name);
        Ok(())
    }

    /// Expands layers until nothing is left, or the layer `last` is counted.
    pub(crate) fn forward<L: Load>(&mut self, last: Option<i64>) -> Result<()> {
        while let Some((&at, _)) = self.manifest.pending.first_key_value() {
            self.round::<L>(at, last == Some(at))?;
            if last == Some(at) {
                break;
            }
        }
        Ok(())
    }

    fn round<L: Load>(&mut self, at: i64, is_last: bool) -> Result<()> {
        let Some(name) = self.manifest.pending.get(&at).cloned() else { return Ok(()) };
        let table: Table<N> = Table::open_named(&self.folder.path, &name)?;
        let counting_lines = L::of(1).number() == 1;
        let next_layer = if self.manifest.ranked && !counting_lines { None } else { Some(at + 1) };
        let counter = if next_layer.is_some() { None } else { self.counter().cloned() };
        let roles = self.manifest.goals.len();
        let mut gathering = Gathering::<N, L>::new(at, roles);
        let mut scan = table.scan();
        let threads = self.threads;
        let (engine, packing, budget) = (self.engine, &self.packing, &self.budget);
        let mut expanders: Vec<Expander<'_>> =
            (0..threads).map(|_| Expander::new(engine, packing, counter.as_ref(), budget)).collect();
        loop {
            let states = read_batch::<N, L>(&mut scan, BATCH * threads)?;
            if states.is_empty() {
                break;
            }
            let parts: Vec<Found<N, L>> = if is_last {
                // Only counted.
                let mut found = Found::new(roles);
                for (_, load) in &states {
                    let lines = found.layer.lines.checked_add(load.number());
                    found.layer.lines = lines.ok_or(Error::TooMany("lines of play"))?;
                    found.layer.representatives += 1;
                }
                vec![found]
            } else if threads == 1 || states.len() < BATCH {
                vec![expand_all(&mut expanders[0], &states, next_layer)?]
            } else {
                let share = states.len().div_ceil(threads);
                std::thread::scope(|scope| {
                    let tasks: Vec<_> = expanders
                        .iter_mut()
                        .zip(states.chunks(share))
                        .map(|(expander, states)| {
                            scope.spawn(move || expand_all(expander, states, next_layer))
                        })
                        .collect();
                    tasks.into_iter().map(crate::run::join).collect::<Result<Vec<_>>>()
                })?
            };
            for part in parts {
                gathering.count(&part)?;
                part.entries.into_iter().for_each(|(to, entries)| gathering.take(to, entries));
            }
            self.reached.expanded(gathering.expanded(), self.folder.disk.used());
            gathering.spill(self)?;
        }
        drop(expanders);
        let old = self.close_round(Some(name), gathering)?;
        self.commit()?;
        self.remove(old);
        Ok(())
    }

    /// Makes tables of what was gathered from the states of the table `name`, and has them in the manifest; returns what
    /// is no longer needed when that counts.
    pub(crate) fn close_round<L: Load>(
        &mut self,
        name: Option<Name>,
        gathering: Gathering<N, L>,
    ) -> Result<Vec<Name>> {
        let Gathering { at, all, layers, mut room, .. } = gathering;
        // Where lines are counted a state is met again at every depth.
        let unranked = !self.manifest.ranked && L::of(1).number() != 1;
        let keep = self.manifest.ranked && self.manifest.kind == crate::manifest::Kind::Solve;
        let mut old: Vec<Name> = if keep { Vec::new() } else { name.iter().cloned().collect() };
        let seen = if unranked { self.see(at, name.as_ref(), &mut old)? } else { None };
        for (to, mut gathered) in layers {
            reduce(&mut gathered.entries, &mut room)?;
            let new = self.write_layer(at, to, gathered, seen.as_ref(), &mut old)?;
            if new.entries > 0 {
                self.manifest.pending.insert(to, new);
            } else {
                self.manifest.pending.remove(&to);
                old.push(new);
            }
        }
        self.manifest.pending.remove(&at);
        // Where layers are not ranked the states are among those seen.
        let layer = Layer { table: name.filter(|_| keep), ..all.layer };
        self.manifest.layers.insert(at, layer);
        self.manifest.turns &= all.turns;
        self.manifest.sums.extend(all.sums);
        while self.manifest.sums.len() > 2 {
            self.manifest.sums.pop_last();
        }
        self.manifest.goals.iter_mut().zip(all.goals).for_each(|(all, goals)| all.extend(goals));
        Ok(old)
    }

    /// All states so far with those of this layer.
    fn see(&mut self, at: i64, layer: Option<&Name>, old: &mut Vec<Name>) -> Result<Option<Table<N>>> {
        let folder = self.folder.path.clone();
        let mut names: Vec<Name> = layer.into_iter().cloned().collect();
        names.extend(self.manifest.seen.clone());
        let tables: Vec<Table<N>> =
            names.iter().map(|name| Table::open_named(&folder, name)).collect::<Result<_>>()?;
        let mut writer = Writer::create(&self.path(&format!("seen-{at}")), &self.folder.disk)?;
        let mut merge = Merge::new(&tables)?;
        while let Some((key, _)) = merge.next()? {
            writer.push(&key, 0)?;
        }
        let seen = writer.finish()?;
        old.extend(self.manifest.seen.replace(seen.clone()));
        Ok(Some(Table::open_named(&folder, &seen)?))
    }

    /// The table of a layer: what was gathered, the runs, what was known, and nothing that was seen.
    fn write_layer<L: Load>(
        &self,
        from: i64,
        to: i64,
        mut gathered: Gathered<N, L>,
        seen: Option<&Table<N>>,
        old: &mut Vec<Name>,
    ) -> Result<Name> {
        let folder = &self.folder.path;
        let mut known: Vec<Name> = gathered.runs;
        known.extend(self.manifest.pending.get(&to).filter(|_| to != from).cloned());
        if !known.is_empty() && !gathered.entries.is_empty() {
            let mut writer = Writer::create(&self.path(&format!("run-{from}-{to}-last")), &self.folder.disk)?;
            for (key, load) in gathered.entries.drain(..) {
                writer.push(&key, load.number())?;
            }
            known.push(writer.finish()?);
        }
        let mut writer: Writer<N> =
            Writer::create(&self.path(&format!("layer-{to}-{from}")), &self.folder.disk)?;
        let mut filter = seen.map(Filter::new).transpose()?;
        for (key, load) in gathered.entries {
            if !filter.as_mut().map_or(Ok(false), |filter| filter.has(&key))? {
                writer.push(&key, load.number())?;
            }
        }
        let tables: Vec<Table<N>> =
            known.iter().map(|name| Table::open_named(folder, name)).collect::<Result<_>>()?;
        let mut merge = Merge::new(&tables)?;
        while let Some((key, number)) = merge.next()? {
            if !filter.as_mut().map_or(Ok(false), |filter| filter.has(&key))? {
                writer.push(&key, number)?;
            }
        }
        old.extend(known);
        writer.finish()
    }
}

/// The next states of a table.
pub(crate) fn read_batch<const N: usize, L: Load>(
    scan: &mut Scan<'_, N>,
    most: usize,
) -> Result<Vec<(Key<N>, L)>> {
    let mut states = Vec::with_capacity(most.min(1 << 20));
    while states.len() < most
        && let Some((key, number)) = scan.next()?
    {
        states.push((key, L::of(number)));
    }
    Ok(states)
}

/// Sorted, equal keys put together.
pub(crate) fn reduce<const N: usize, L: Load>(
    entries: &mut Vec<(Key<N>, L)>,
    room: &mut Vec<(Key<N>, L)>,
) -> Result<()> {
    sort(entries, room);
    let mut fits = true;
    entries.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            match kept.1.join(later.1) {
                Some(sum) => kept.1 = sum,
                None => fits = false,
            }
        }
        same
    });
    if fits { Ok(()) } else { Err(Error::TooMany("lines of play")) }
}

/// Whether ascending keys are in a table.
struct Filter<'t, const N: usize> {
    scan: Scan<'t, N>,
    head: Option<Key<N>>,
}

impl<'t, const N: usize> Filter<'t, N> {
    fn new(table: &'t Table<N>) -> Result<Filter<'t, N>> {
        let mut scan = table.scan();
        let head = scan.next()?.map(|(key, _)| key);
        Ok(Filter { scan, head })
    }

    fn has(&mut self, key: &Key<N>) -> Result<bool> {
        if self.head.is_some_and(|head| head < *key) {
            self.scan.skip_to(key);
            while self.head.is_some_and(|head| head < *key) {
                self.head = self.scan.next()?.map(|(key, _)| key);
            }
        }
        Ok(self.head == Some(*key))
    }
}
