//! One worker of a cluster: a run of its own over the states of its shards, and what it agrees on with the others.

use crate::cluster::content::owner;
use crate::cluster::log::{Asked, Entry, WORK};
use crate::cluster::post::Post;
use crate::cluster::shared::Shared;
use crate::error::{Error, Result};
use crate::expand::Expander;
use crate::folder::{MANIFEST, manifest_text};
use crate::manifest::{Kind, Manifest};
use crate::plan::Plan;
use crate::run::Run;
use std::collections::BTreeSet;

/// A worker.
pub(crate) struct Member<'m, const N: usize> {
    pub run: Run<'m, N>,
    pub post: Post<'m>,
    pub shared: &'m Shared,
    /// The last entry of the log.
    pub entry: Entry,
    /// Files of this worker that are in the store.
    pub stored: BTreeSet<String>,
}

impl<const N: usize> Member<'_, N> {
    pub fn me(&self) -> usize {
        self.post.me()
    }

    pub fn workers(&self) -> usize {
        self.post.workers()
    }

    /// Has a file of the store in the folder of this worker.
    pub fn fetch(&self, file: &str, bytes: u64) -> Result<()> {
        let path = self.run.folder.path.join(file);
        // One that is damaged is found when it is opened.
        if std::fs::metadata(&path).is_ok_and(|data| data.len() == bytes) {
            return Ok(());
        }
        self.run.folder.disk.add(bytes)?;
        self.shared.down(&format!("{WORK}/{file}"), &path, bytes)
    }

    /// What each worker has finished counts from now on, if all have.
    pub fn commit(&mut self, result: Result<()>) -> Result<()> {
        let mine = result.and_then(|()| self.store()).map(|()| self.run.manifest.text().into_bytes());
        let texts = self.post.agree(mine)?;
        let read = |bytes: &Vec<u8>| Manifest::parse(std::str::from_utf8(bytes).ok()?);
        let manifests: Option<Vec<Manifest>> = texts.iter().map(read).collect();
        self.entry.manifests =
            manifests.ok_or_else(|| Error::Refused("a manifest does not read".to_owned()))?;
        self.entry.number += 1;
        let written = if self.me() == 0 { self.entry.append(self.shared) } else { Ok(()) };
        self.post.agree(written.map(|()| Vec::new()))?;
        if self.me() == 0 {
            self.run.reached.layer();
        }
        // What is not named any more is of no use to anybody.
        let manifest = &self.run.manifest;
        let gone: Vec<String> = self.stored.iter().filter(|file| !manifest.names(file)).cloned().collect();
        for file in gone {
            self.shared.remove(&format!("{WORK}/{file}"))?;
            self.stored.remove(&file);
        }
        self.run.folder.sweep(&|name| manifest.names(name))
    }

    /// Copies new files to the store.
    fn store(&mut self) -> Result<()> {
        for (file, _) in self.run.manifest.files() {
            if !self.stored.contains(file) {
                self.shared.up(&self.run.folder.path.join(file), &format!("{WORK}/{file}"))?;
                self.stored.insert(file.to_owned());
            }
        }
        Ok(())
    }

    /// Everything, from where the log is; the manifest of the whole.
    pub fn work(&mut self, asked: &Asked, plan: &Plan) -> Result<Manifest> {
        let prepared = self.enter(asked);
        self.commit(prepared)?;
        self.clean()?;
        if self.is_new() {
            self.first()?;
        }
        match self.rounds() {
            // The counter was a guess of random play. Without it every game can be solved.
            Err(Error::Unranked) => {
                let Manifest { rules, plan, kind, goals, .. } = self.run.manifest.clone();
                self.run.manifest = Manifest::new(rules, plan, kind, false, goals.len());
                self.first()?;
                self.rounds()?;
            }
            other => other?,
        }
        self.finish(plan)
    }

    fn is_new(&self) -> bool {
        self.entry.manifests.iter().all(|of| of.layers.is_empty() && of.pending.is_empty())
    }

    /// Makes the run of this worker what the log says, with this many workers.
    fn enter(&mut self, asked: &Asked) -> Result<()> {
        if self.entry.asked != *asked {
            return Err(Error::Refused(format!(
                "the run in `{}` was begun with other rules, `--no-symmetry` or `--no-counter`",
                self.shared.name()
            )));
        }
        self.entry.epoch += 1;
        self.run.prefix = format!("{}-{}-", self.entry.epoch, self.me());
        if self.entry.manifests.len() == self.workers() {
            self.run.manifest = self.entry.manifests[self.me()].clone();
            self.stored = self.run.manifest.files().map(|(file, _)| file.to_owned()).collect();
            for (file, bytes) in self.run.manifest.files() {
                self.fetch(file, bytes)?;
            }
        } else {
            self.run.manifest = self.share()?;
        }
        self.run.folder.sweep(&|name| self.run.manifest.names(name))?;
        self.run.check()
    }

    /// Removes what earlier processes left in the store.
    fn clean(&mut self) -> Result<()> {
        let cleaned = if self.me() == 0 { self.remove_old() } else { Ok(()) };
        self.post.agree(cleaned.map(|()| Vec::new())).map(|_| ())
    }

    fn remove_old(&self) -> Result<()> {
        let named = |file: &str| self.entry.manifests.iter().any(|manifest| manifest.names(file));
        for file in self.shared.list(WORK)? {
            let epoch = file.split('-').next().and_then(|epoch| epoch.parse::<u64>().ok());
            if epoch.is_some_and(|epoch| epoch <= self.entry.epoch) && !named(&file) {
                self.shared.remove(&format!("{WORK}/{file}"))?;
            }
        }
        Ok(())
    }

    /// The table of the initial state, at the worker that it belongs to.
    fn first(&mut self) -> Result<()> {
        let result = self.put_initial();
        self.commit(result)
    }

    fn put_initial(&mut self) -> Result<()> {
        let counter = self.run.counter();
        let mut expander = Expander::new(self.run.engine, &self.run.packing, counter, &self.run.budget);
        let (key, count) = expander.initial::<N>()?;
        drop(expander);
        if owner(&key, self.workers()) == self.me() {
            self.run.put_first(&key, count, ())?;
        }
        Ok(())
    }

    fn rounds(&mut self) -> Result<()> {
        self.forward()?;
        if self.me() == 0 {
            let all = self.entry.manifests.iter().map(|of| of.total(|layer| layer.representatives)).sum();
            self.run.reached.turn(all);
        }
        if self.run.manifest.ranked { self.backward() } else { self.cycles() }
    }

    /// The solution as one folder, as a single process makes it.
    fn finish(&mut self, plan: &Plan) -> Result<Manifest> {
        let mine = self.assemble().map(|values| {
            let mut manifest = Manifest::new(String::new(), 0, Kind::Solve, false, 0);
            manifest.values = values;
            manifest.text().into_bytes()
        });
        let texts = self.post.agree(mine)?;
        let mut whole = whole(&self.entry.manifests);
        for bytes in texts {
            let part = std::str::from_utf8(&bytes).ok().and_then(Manifest::parse);
            whole.values.extend(part.into_iter().flat_map(|part| part.values));
        }
        let written = if self.me() == 0 { self.write(&whole, plan) } else { Ok(()) };
        self.post.agree(written.map(|()| Vec::new()))?;
        Ok(whole)
    }

    fn write(&self, whole: &Manifest, plan: &Plan) -> Result<()> {
        debug_assert_eq!(plan.hash().to_string(), whole.rules);
        let text = manifest_text(&whole.text());
        if !self.shared.create(MANIFEST, text.as_bytes())? {
            return Err(Error::Superseded(self.shared.name().to_owned()));
        }
        for file in self.shared.list(WORK)? {
            self.shared.remove(&format!("{WORK}/{file}"))?;
        }
        Ok(())
    }
}

/// The manifest of all workers together, without values.
pub(crate) fn whole(manifests: &[Manifest]) -> Manifest {
    let mut parts = manifests.iter();
    let Some(first) = parts.next() else { return Manifest::new(String::new(), 0, Kind::Solve, false, 0) };
    let mut whole = first.clone();
    for part in parts {
        for (at, layer) in &part.layers {
            match whole.layers.get_mut(at) {
                Some(sum) => {
                    sum.representatives += layer.representatives;
                    sum.states += layer.states;
                    sum.ends += layer.ends;
                    sum.transitions += layer.transitions;
                }
                None => drop(whole.layers.insert(*at, layer.clone())),
            }
        }
        whole.turns &= part.turns;
        whole.sums.extend(&part.sums);
        whole.goals.iter_mut().zip(&part.goals).for_each(|(all, goals)| all.extend(goals));
    }
    whole.layers.values_mut().for_each(|layer| layer.table = None);
    while whole.sums.len() > 2 {
        whole.sums.pop_last();
    }
    (whole.seen, whole.edges, whole.pairs) = (None, None, None);
    whole.pending.clear();
    whole.values.clear();
    whole.done = true;
    whole
}
