//! Tables of several workers put together, all of them or what belongs to one worker.

use crate::backward::{Form, Numbered, Records};
use crate::cluster::content::owner;
use crate::cluster::member::{Member, whole};
use crate::error::{Error, Result};
use crate::manifest::{Layer, Manifest, Values};
use crate::packing::Key;
use crate::table::{Name, Scan, Table, Writer};
use std::collections::{BTreeMap, BTreeSet};

impl<const N: usize> Member<'_, N> {
    /// The part of this worker of what others have finished, who were more or fewer.
    pub fn share(&mut self) -> Result<Manifest> {
        let old = self.entry.manifests.clone();
        let (me, workers) = (self.me(), self.workers());
        let keep = |key: &Key<N>| owner(key, workers) == me;
        let whole = whole(&old);
        let Manifest { rules, plan, kind, ranked, .. } = old[0].clone();
        let mut mine = Manifest::new(rules, plan, kind, ranked, whole.goals.len());
        (mine.turns, mine.sums, mine.goals) = (whole.turns, whole.sums, whole.goals);
        // What all have counted is counted once.
        for (at, layer) in whole.layers {
            let tables: Vec<&Name> = old.iter().filter_map(|of| of.layers.get(&at)?.table.as_ref()).collect();
            let table = match tables.is_empty() {
                true => None,
                false => Some(self.merge(&format!("layer-{at}"), &tables, &keep)?),
            };
            let none =
                Layer { table: None, representatives: 0, states: 0, ends: 0, transitions: 0, lines: 0 };
            mine.layers.insert(at, Layer { table, ..if me == 0 { layer } else { none } });
        }
        let pending: BTreeSet<i64> = old.iter().flat_map(|of| of.pending.keys()).copied().collect();
        for at in pending {
            let tables: Vec<&Name> = old.iter().filter_map(|of| of.pending.get(&at)).collect();
            let table = self.merge(&format!("pending-{at}"), &tables, &keep)?;
            if table.entries > 0 {
                mine.pending.insert(at, table);
            }
        }
        let seen: Vec<&Name> = old.iter().filter_map(|of| of.seen.as_ref()).collect();
        if !seen.is_empty() {
            mine.seen = Some(self.merge("seen", &seen, &keep)?);
        }
        let form = Form::of(&mine);
        for at in old.iter().flat_map(|of| of.values.keys()).copied().collect::<BTreeSet<i64>>() {
            let values: Vec<&Values> = old.iter().filter_map(|of| of.values.get(&at)).collect();
            mine.values.insert(at, self.merge_values(at, &values, &form, &keep)?);
        }
        // What follows a state and what comes before it says the places of states, which are others now.
        Ok(mine)
    }

    /// The values of the layers that this worker puts together, under the names that they have for ever.
    pub fn assemble(&mut self) -> Result<BTreeMap<i64, Values>> {
        let manifests = self.entry.manifests.clone();
        let form = Form::of(&whole(&manifests));
        let layers: BTreeSet<i64> = manifests.iter().flat_map(|of| of.values.keys()).copied().collect();
        let prefix = std::mem::take(&mut self.run.prefix);
        let mut assembled = BTreeMap::new();
        for (turn, at) in layers.into_iter().enumerate() {
            if turn % self.workers() != self.me() {
                continue;
            }
            let parts: Vec<&Values> = manifests.iter().filter_map(|of| of.values.get(&at)).collect();
            let values = self.merge_values(at, &parts, &form, &|_| true)?;
            for file in [&values.table.file, &values.records] {
                self.shared.up(&self.run.folder.path.join(file), file)?;
            }
            assembled.insert(at, values);
            let manifest = &self.run.manifest;
            self.run.folder.sweep(&|name| manifest.names(name))?;
        }
        self.run.prefix = prefix;
        Ok(assembled)
    }

    fn open(&self, name: &Name) -> Result<Table<N>> {
        self.fetch(&name.file, name.bytes)?;
        Table::open_named(&self.run.folder.path, name)
    }

    fn merge(&self, file: &str, names: &[&Name], keep: &dyn Fn(&Key<N>) -> bool) -> Result<Name> {
        let tables: Vec<Table<N>> = names.iter().map(|name| self.open(name)).collect::<Result<_>>()?;
        let mut writer = Writer::create(&self.run.path(file), &self.run.folder.disk)?;
        let mut merge = Disjoint::new(&tables)?;
        let mut meter = self.run.budget.clock();
        while let Some((key, _, _)) = merge.next()? {
            meter.tick_by(1)?;
            if keep(&key) {
                writer.push(&key, 0)?;
            }
        }
        writer.finish()
    }

    fn merge_values(
        &self,
        at: i64,
        parts: &[&Values],
        form: &Form,
        keep: &dyn Fn(&Key<N>) -> bool,
    ) -> Result<Values> {
        let mut tables = Vec::new();
        let mut records = Vec::new();
        for part in parts {
            tables.push(self.open(&part.table)?);
            self.fetch(&part.records, part.bytes)?;
            records.push(Records::read(&self.run.folder.path, part, form.length)?);
        }
        let mut known = Numbered::default();
        let mut writer: Writer<N> =
            Writer::create(&self.run.path(&format!("values-{at}")), &self.run.folder.disk)?;
        let mut merge = Disjoint::new(&tables)?;
        let mut meter = self.run.budget.clock();
        while let Some((key, number, table)) = merge.next()? {
            meter.tick_by(1)?;
            if keep(&key) {
                let start = usize::try_from(number).ok().and_then(|number| number.checked_mul(form.length));
                let record = start.and_then(|start| records[table].numbers.get(start..)?.get(..form.length));
                let number = known.number(record.ok_or(Error::TooMany("records"))?);
                writer.push(&key, u128::from(number))?;
            }
        }
        self.run.write_records(writer.finish()?, &format!("records-{at}"), &known.records)
    }
}

/// Tables without a key in common, read as one.
struct Disjoint<'t, const N: usize> {
    scans: Vec<Scan<'t, N>>,
    heads: Vec<Option<(Key<N>, u128)>>,
}

impl<'t, const N: usize> Disjoint<'t, N> {
    fn new(tables: &'t [Table<N>]) -> Result<Disjoint<'t, N>> {
        let mut scans: Vec<Scan<'t, N>> = tables.iter().map(Table::scan).collect();
        let heads = scans.iter_mut().map(Scan::next).collect::<Result<_>>()?;
        Ok(Disjoint { scans, heads })
    }

    /// The least key that is left, its number, and the table that it is in.
    fn next(&mut self) -> Result<Option<(Key<N>, u128, usize)>> {
        let heads = self.heads.iter().enumerate();
        let least = heads.filter_map(|(table, head)| head.map(|(key, number)| (key, number, table))).min();
        if let Some((_, _, table)) = least {
            self.heads[table] = self.scans[table].next()?;
        }
        Ok(least)
    }
}
