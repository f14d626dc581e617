//! The rounds of a cluster: those of one machine, with successors sent to the workers that they belong to.

use crate::backward::{Form, Numbered, Target, Wanted, Work, expand_row, meet};
use crate::cluster::content::{Answer, Keys, Question, owner, questions, read_numbers, spread};
use crate::cluster::member::Member;
use crate::cluster::post::{Answerer, Post};
use crate::cycles::{BATCH as ROUND_BATCH, Begun, Edges, Pairs, Reader, before, begin, mark};
use crate::error::{Error, Result};
use crate::expand::Expander;
use crate::forward::{BATCH, Gathering, expand_all, read_batch, reduce};
use crate::manifest::Values;
use crate::packing::Key;
use crate::run::Run;
use crate::sort::sort;
use crate::table::{Name, Table, Writer};
use hashbrown::HashMap;
use ludex_engine::row;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// States that are expanded backward at a time at most: what is asked about them is on the way at once.
const MOST_STATES: usize = 1 << 18;

impl<const N: usize> Member<'_, N> {
    /// Every reachable state.
    pub fn forward(&mut self) -> Result<()> {
        loop {
            let next = self.entry.manifests.iter().filter_map(|of| of.pending.keys().next()).min();
            let Some(&at) = next else { return Ok(()) };
            let name = self.run.manifest.pending.get(&at).cloned();
            self.post.open();
            let result = expand_layer(&self.run, &mut self.post, at, name.as_ref());
            let result = self.post.end(result);
            let result = result.and_then(|gathering| self.run.close_round(name, gathering).map(|_| ()));
            self.commit(result)?;
        }
    }

    /// Values, layer by layer.
    pub fn backward(&mut self) -> Result<()> {
        let layers: BTreeSet<i64> =
            self.entry.manifests.iter().flat_map(|of| of.layers.keys()).copied().collect();
        self.know_everybodys_goals();
        for &at in layers.iter().rev() {
            if self.run.manifest.values.contains_key(&at) {
                continue;
            }
            let above: Vec<i64> = layers.range(at + 1..).copied().collect();
            let form = Form::of(&self.run.manifest);
            let targets = self.targets(&above, &form);
            self.begin_answers(targets.map(|targets| by_key(targets, &form)))?;
            let result = layer_values(&self.run, &mut self.post, at, &above, &form);
            let result = self.post.end(result).map(|values| {
                self.run.manifest.values.insert(at, values);
                if let Some(layer) = self.run.manifest.layers.get_mut(&at) {
                    layer.table = None;
                }
            });
            self.commit(result)?;
        }
        Ok(())
    }

    /// Records have a place for each goal that occurs anywhere.
    fn know_everybodys_goals(&mut self) {
        for part in &self.entry.manifests {
            let own = self.run.manifest.goals.iter_mut();
            own.zip(&part.goals).for_each(|(own, goals)| own.extend(goals));
        }
    }

    fn targets(&self, layers: &[i64], form: &Form) -> Result<HashMap<i64, Target<N>>> {
        let values = layers.iter().filter_map(|at| Some((*at, self.run.manifest.values.get(at)?)));
        values.map(|(at, values)| Ok((at, Target::open(&self.run.folder.path, values, form)?))).collect()
    }

    /// Begins a round in which questions are asked, once everybody can answer them.
    fn begin_answers(&mut self, answerer: Result<Answerer>) -> Result<()> {
        let ready = answerer.map(|answerer| {
            self.post.answer_with(Some(answerer));
            Vec::new()
        });
        self.post.agree(ready)?;
        self.post.open();
        Ok(())
    }

    /// Values of a game in which lines can come back to a state.
    pub fn cycles(&mut self) -> Result<()> {
        self.know_everybodys_goals();
        if self.entry.manifests.iter().all(|of| of.values.contains_key(&0)) {
            return Ok(());
        }
        let form = Form::of(&self.run.manifest);
        let states = self.own_states()?;
        if !self.entry.manifests.iter().all(|of| of.edges.is_some() && of.pairs.is_some()) {
            let ready = self.run.check_memory(&states);
            let path = self.run.folder.path.clone();
            let table = ready.and_then(|()| Table::<N>::open_named(&path, &states));
            self.begin_answers(table.map(places))?;
            let result = write_edges(&self.run, &mut self.post, &states, &form);
            let result = self.post.end(result).map(|(edges, pairs)| {
                (self.run.manifest.edges, self.run.manifest.pairs) = (Some(edges), Some(pairs));
                self.run.manifest.seen = Some(states.clone());
            });
            self.commit(result)?;
        }
        let result = self.value_rounds(&states, &form).map(|values| {
            self.run.manifest.values.insert(0, values);
            (self.run.manifest.seen, self.run.manifest.edges, self.run.manifest.pairs) = (None, None, None);
        });
        self.commit(result)
    }

    /// The states of this worker; a worker may have none.
    fn own_states(&self) -> Result<Name> {
        match &self.run.manifest.seen {
            Some(seen) => Ok(seen.clone()),
            None => Writer::<N>::create(&self.run.path("seen-none"), &self.run.folder.disk)?.finish(),
        }
    }

    /// Round after round, until nothing changes anywhere.
    fn value_rounds(&mut self, states: &Name, form: &Form) -> Result<Values> {
        let (Some(edges), Some(pairs)) = (&self.run.manifest.edges, &self.run.manifest.pairs) else {
            return Err(Error::Misfit("what follows the states is not there".to_owned()));
        };
        let (edges, pairs) = (edges.clone(), pairs.clone());
        let opened = self.open_edges(states, &edges, &pairs, form);
        let ready = opened.as_ref().map(|_| Vec::new()).map_err(|error| Error::Refused(error.to_string()));
        self.post.agree(ready)?;
        let (table, pairs, begun) = opened?;
        let mut meter = self.run.budget.clock();
        let mut changed = begun.changed;
        let records = Rc::new(RefCell::new((begun.numbers, begun.known)));
        let mut dirty = vec![0u64; (states.entries as usize).div_ceil(64)];
        loop {
            // Who has a successor that changed?
            self.post.open();
            let result = tell_parents(&self.run, &mut self.post, &pairs, &changed, &mut dirty);
            let result = self.post.end(result);
            let count = result.map(|()| vec![u8::from(dirty.iter().any(|word| *word != 0))]);
            if self.post.agree(count)?.iter().all(|any| *any == [0]) {
                let records = records.borrow();
                return self.run.write_values(states, form, &records.0, &records.1, &mut meter);
            }
            self.begin_answers(Ok(by_place(&records, form.length)))?;
            let result = revalue(&self.run, &mut self.post, &table, &dirty, &records, form);
            let changes = self.post.end(result);
            // Everybody was answered with the records of the round before.
            changed.clear();
            let mut records = records.borrow_mut();
            for (place, record) in changes.as_ref().map_or(&[][..], Vec::as_slice) {
                let number = records.1.number(record);
                records.0[*place as usize] = number;
                changed.push(*place);
            }
            self.post.agree(changes.map(|_| Vec::new()))?;
            dirty.fill(0);
        }
    }

    fn open_edges(
        &self,
        states: &Name,
        edges: &Values,
        pairs: &Name,
        form: &Form,
    ) -> Result<(Table<2>, Table<2>, Begun)> {
        let folder = &self.run.folder.path;
        let table: Table<2> = Table::open_named(folder, &edges.table)?;
        let pairs: Table<2> = Table::open_named(folder, pairs)?;
        let ends = crate::backward::Records::read(folder, edges, form.length)?;
        let begun = begin(form, states.entries as usize, &table, &ends, &mut self.run.budget.clock())?;
        Ok((table, pairs, begun))
    }
}

/// Sends what follows the states of a layer to where it belongs, and gathers what comes.
fn expand_layer<const N: usize>(
    run: &Run<'_, N>,
    post: &mut Post<'_>,
    at: i64,
    name: Option<&Name>,
) -> Result<Gathering<N, ()>> {
    let workers = post.workers();
    let next_layer = if run.manifest.ranked { None } else { Some(at + 1) };
    let counter = if next_layer.is_some() { None } else { run.counter() };
    let mut gathering = Gathering::<N, ()>::new(at, run.manifest.goals.len());
    let table: Option<Table<N>> = name.map(|name| Table::open_named(&run.folder.path, name)).transpose()?;
    if let Some(table) = &table {
        let mut expander = Expander::new(run.engine, &run.packing, counter, &run.budget);
        let mut scan = table.scan();
        let mut room = Vec::new();
        loop {
            let states = read_batch::<N, ()>(&mut scan, BATCH)?;
            if states.is_empty() {
                break;
            }
            let mut found = expand_all(&mut expander, &states, next_layer)?;
            gathering.count(&found)?;
            for (to, mut entries) in found.entries.drain() {
                // Equal states go on the way once.
                reduce(&mut entries, &mut room)?;
                let mut parcels: Vec<Keys<N>> = (0..workers).map(|_| Keys::default()).collect();
                for (key, ()) in &entries {
                    let owner = owner(key, workers);
                    if let Some(content) = parcels[owner].push(to, key) {
                        post.send(owner, &content);
                    }
                }
                for (owner, mut parcel) in parcels.into_iter().enumerate() {
                    parcel.take().iter().for_each(|content| post.send(owner, content));
                }
            }
            post.step(&mut |_, content| take(&mut gathering, content))?;
            gathering.spill(run)?;
            run.reached.more(states.len() as u64, run.folder.disk.used());
        }
    }
    post.close(&mut |_, content| {
        take(&mut gathering, content)?;
        gathering.spill(run)
    })?;
    Ok(gathering)
}

fn take<const N: usize>(gathering: &mut Gathering<N, ()>, content: &[u8]) -> Result<()> {
    let (to, keys) = Keys::<N>::read(content)?;
    gathering.take(to, keys.into_iter().map(|key| (key, ())));
    Ok(())
}

/// Answers with the records of keys.
fn by_key<const N: usize>(targets: HashMap<i64, Target<N>>, form: &Form) -> Answerer {
    let length = form.length;
    Box::new(move |content| {
        let (layer, keys) = Keys::<N>::read(content)?;
        let target = targets.get(&layer).ok_or_else(|| Error::Misfit("a layer has no values".to_owned()))?;
        let mut answer = Answer::default();
        let mut result = Ok(());
        meet(&target.table, keys, &mut |number, _| {
            let pushed = answer.push(number as u32, &target.records.numbers, length);
            result = std::mem::replace(&mut result, Ok(())).and(pushed);
        })?;
        result.map(|()| answer.bytes())
    })
}

/// Answers with the places of keys.
fn places<const N: usize>(table: Table<N>) -> Answerer {
    Box::new(move |content| {
        let (_, keys) = Keys::<N>::read(content)?;
        let mut numbers = Vec::new();
        meet(&table, keys, &mut |_, place| crate::table::write_number(&mut numbers, u128::from(place)))?;
        Ok(numbers)
    })
}

/// Records by place: their numbers, and what they are.
type Held = Rc<RefCell<(Vec<u32>, Numbered)>>;

/// Answers with the records of places.
fn by_place(records: &Held, length: usize) -> Answerer {
    let records = records.clone();
    Box::new(move |content| {
        let (_, keys) = Keys::<2>::read(content)?;
        let records = records.borrow();
        let mut answer = Answer::default();
        for [_, place] in keys {
            let number = records.0.get(place as usize).ok_or(Error::TooMany("states"))?;
            answer.push(*number, &records.1.records, length)?;
        }
        Ok(answer.bytes())
    })
}

/// Asks about the successors that are wanted by layer; `read` has each question with its answer.
fn ask<const N: usize>(
    post: &mut Post<'_>,
    wanted: Vec<(i64, Vec<(Key<N>, u32)>)>,
    owner: impl Fn(&Key<N>) -> usize,
    read: &mut dyn FnMut(&Question, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut room = Vec::new();
    let mut all: Vec<Question> = Vec::new();
    for (layer, mut keys) in wanted {
        sort(&mut keys, &mut room);
        all.extend(questions(layer, &keys, post.workers(), &owner));
    }
    let contents: Vec<(usize, Vec<u8>)> =
        all.iter_mut().map(|question| (question.to, std::mem::take(&mut question.content))).collect();
    let answers = post.ask(&contents)?;
    all.iter().zip(&answers).try_for_each(|(question, answer)| read(question, answer))
}

/// The values of this worker's states of a layer.
fn layer_values<const N: usize>(
    run: &Run<'_, N>,
    post: &mut Post<'_>,
    at: i64,
    above: &[i64],
    form: &Form,
) -> Result<Values> {
    let workers = post.workers();
    let name = run.manifest.layers.get(&at).and_then(|layer| layer.table.as_ref());
    let table: Option<Table<N>> = name.map(|name| Table::open_named(&run.folder.path, name)).transpose()?;
    let mut scan = table.as_ref().map(Table::scan);
    let mut expander = Expander::new(run.engine, &run.packing, run.counter(), &run.budget);
    let share = run.share(run.memory / 2).clamp(1 << 10, MOST_STATES);
    let mut writer: Writer<N> = Writer::create(&run.path(&format!("values-{at}")), &run.folder.disk)?;
    let mut known = Numbered::default();
    while let Some(scan) = &mut scan {
        let keys: Vec<Key<N>> = read_batch::<N, ()>(scan, share)?.into_iter().map(|(key, ())| key).collect();
        if keys.is_empty() {
            break;
        }
        let (mut successors, wanted): (_, Wanted<N>) = expand_row(form, &mut expander, &keys, Some(above))?;
        let mut pool = Numbered::default();
        let wanted = above.iter().copied().zip(wanted).collect();
        ask(post, wanted, |key| owner(key, workers), &mut |question, answer| {
            let numbers = Answer::read(answer, form.length, &mut pool)?;
            spread(question, &numbers, &mut |slot, number| successors.met[slot].record = number)
        })?;
        let work = Work::new(form, &run.packing, vec![&pool.records; above.len()]);
        let part = work.evaluate(&successors)?;
        let records = part.records.chunks_exact(form.length.max(1));
        let numbers: Vec<u32> = records.map(|record| known.number(record)).collect();
        for (number, key) in part.numbers.iter().zip(&keys) {
            writer.push(key, u128::from(numbers[*number as usize]))?;
        }
        run.reached.more(keys.len() as u64, run.folder.disk.used());
    }
    let name = writer.finish()?;
    run.write_records(name, &format!("records-{at}"), &known.records)
}

/// A state of any worker as one number.
fn identity(worker: usize, place: u64) -> u64 {
    (worker as u64) << 32 | place
}

/// Expands all states of this worker once; what follows them, and what comes before them.
fn write_edges<const N: usize>(
    run: &Run<'_, N>,
    post: &mut Post<'_>,
    states: &Name,
    form: &Form,
) -> Result<(Values, Name)> {
    let (workers, me) = (post.workers(), post.me());
    let table: Table<N> = Table::open_named(&run.folder.path, states)?;
    let mut expander = Expander::new(run.engine, &run.packing, None, &run.budget);
    let share = run.share(run.memory / 4).clamp(1 << 10, MOST_STATES);
    let mut edges = Edges::new(run, form)?;
    let mut pairs = Pairs::new(run);
    let mut scan = table.scan();
    let mut gather = |from: usize, content: &[u8]| -> Result<()> {
        let (_, keys) = Keys::<2>::read(content)?;
        keys.into_iter().try_for_each(|[child, parent]| pairs.push([child, identity(from, parent)]))
    };
    loop {
        let keys: Vec<Key<N>> =
            read_batch::<N, ()>(&mut scan, share)?.into_iter().map(|(key, ())| key).collect();
        if keys.is_empty() {
            break;
        }
        let (successors, wanted): (_, Wanted<N>) = expand_row(form, &mut expander, &keys, None)?;
        let mut ids = vec![0; successors.met.len()];
        let wanted = wanted.into_iter().map(|keys| (0, keys)).collect();
        ask(post, wanted, |key| owner(key, workers), &mut |question, answer| {
            let numbers = read_numbers(answer, &mut 0)?;
            let to = question.to;
            spread(question, &numbers, &mut |slot, place| ids[slot] = identity(to, u64::from(place)))
        })?;
        let mut parents: Vec<Vec<Key<2>>> = vec![Vec::new(); workers];
        edges.push(&successors, &|slot| ids[slot], &mut |child, parent| {
            parents[(child >> 32) as usize].push([child & u64::from(u32::MAX), parent]);
            Ok(())
        })?;
        for (to, mut list) in parents.into_iter().enumerate() {
            list.sort_unstable();
            list.dedup();
            send_all(post, to, &list);
        }
        post.step(&mut gather)?;
        run.reached.more(keys.len() as u64, run.folder.disk.used());
    }
    post.close(&mut gather)?;
    debug_assert!(me < workers);
    Ok((edges.finish(run)?, pairs.finish()?))
}

fn send_all(post: &mut Post<'_>, to: usize, sorted: &[Key<2>]) {
    let mut keys = Keys::<2>::default();
    for key in sorted {
        keys.push(0, key).iter().for_each(|content| post.send(to, content));
    }
    keys.take().iter().for_each(|content| post.send(to, content));
}

/// Marks the states from which a changed one follows, here and at the other workers.
fn tell_parents<const N: usize>(
    run: &Run<'_, N>,
    post: &mut Post<'_>,
    pairs: &Table<2>,
    changed: &[u32],
    dirty: &mut [u64],
) -> Result<()> {
    let mut meter = run.budget.clock();
    let mut parents: Vec<Vec<Key<2>>> = vec![Vec::new(); post.workers()];
    let mut gather = |_: usize, content: &[u8]| -> Result<()> {
        let (_, keys) = Keys::<2>::read(content)?;
        keys.into_iter().try_for_each(|[_, place]| mark(dirty, place))
    };
    for changed in changed.chunks(ROUND_BATCH) {
        before(pairs, changed, &mut meter, &mut |parent| {
            let worker = (parent >> 32) as usize;
            let list = parents.get_mut(worker).ok_or(Error::TooMany("workers"))?;
            list.push([0, parent & u64::from(u32::MAX)]);
            Ok(())
        })?;
        for (to, list) in parents.iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            send_all(post, to, list);
            list.clear();
        }
        post.step(&mut gather)?;
    }
    post.close(&mut gather)
}

/// The records that change in this round.
fn revalue<const N: usize>(
    run: &Run<'_, N>,
    post: &mut Post<'_>,
    edges: &Table<2>,
    dirty: &[u64],
    records: &Held,
    form: &Form,
) -> Result<Vec<(u32, Vec<u16>)>> {
    let mut meter = run.budget.clock();
    let mut reader = Reader::new(edges, form);
    let mut open = row::fluents(dirty).map(|fluent| fluent.0);
    let mut changes = Vec::new();
    loop {
        let places: Vec<u32> = open.by_ref().take(ROUND_BATCH).collect();
        if places.is_empty() {
            return Ok(changes);
        }
        let mut successors = Default::default();
        let mut wanted: Vec<(Key<2>, u32)> = Vec::new();
        for &place in &places {
            meter.tick_by(64)?;
            let record = &mut |id: u64, slot: usize| {
                wanted.push(([id >> 32, id & u64::from(u32::MAX)], slot as u32));
                Ok(0)
            };
            reader.read(place, record, &mut successors)?;
        }
        let mut pool = Numbered::default();
        ask(post, vec![(0, wanted)], |key| key[0] as usize, &mut |question, answer| {
            let numbers = Answer::read(answer, form.length, &mut pool)?;
            spread(question, &numbers, &mut |slot, number| successors.met[slot].record = number)
        })?;
        let part = Work::new(form, &run.packing, vec![&pool.records]).evaluate(&successors)?;
        let held = records.borrow();
        for (place, number) in places.iter().zip(&part.numbers) {
            let new = &part.records[*number as usize * form.length..][..form.length];
            let old = held.0[*place as usize] as usize * form.length;
            if held.1.records[old..old + form.length] != *new {
                changes.push((*place, new.to_vec()));
            }
        }
    }
}
