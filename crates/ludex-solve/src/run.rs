//! A run: from rules to a folder, or on from where it ended.

use crate::counter::Counter;
use crate::error::{Error, Result};
use crate::folder::{Folder, read_manifest};
use crate::manifest::{Kind, Manifest};
use crate::packing::Packing;
use crate::plan::{Plan, Wanted};
use crate::table::{Name, Table};
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::prepared::Prepared;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How a run works.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes for sorting; the rest of the process takes some more.
    pub memory: usize,
    /// Bytes on disk.
    pub disk: u64,
    /// Threads to use.
    pub threads: usize,
    /// States that are images of each other are one.
    pub symmetry: bool,
    /// Look for a counter that every move raises.
    pub counter: bool,
}

impl Default for Options {
    /// A gigabyte of memory, any disk, all processors, everything that helps.
    fn default() -> Options {
        Options {
            memory: 1 << 30,
            disk: u64::MAX,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            symmetry: true,
            counter: true,
        }
    }
}

/// How far a run has got, for another thread that watches.
#[derive(Debug)]
pub struct Reached {
    started: Instant,
    /// States of finished layers, states of the present one, layers, all states once they are known, bytes.
    before: AtomicU64,
    now: AtomicU64,
    layers: AtomicU64,
    all: AtomicU64,
    bytes: AtomicU64,
    /// When the values began, in milliseconds.
    turned: AtomicU64,
}

impl Default for Reached {
    fn default() -> Reached {
        let zero = || AtomicU64::new(0);
        Reached {
            started: Instant::now(),
            before: zero(),
            now: zero(),
            layers: zero(),
            all: zero(),
            bytes: zero(),
            turned: zero(),
        }
    }
}

impl Reached {
    pub(crate) fn expanded(&self, states: u64, bytes: u64) {
        self.now.store(states, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn valued(&self, states: u64, bytes: u64) {
        self.expanded(states, bytes);
    }

    /// So many more states, by one of several workers.
    #[cfg(feature = "cluster")]
    pub(crate) fn more(&self, states: u64, bytes: u64) {
        self.now.fetch_add(states, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn turn(&self, all: u64) {
        [&self.before, &self.now, &self.layers].iter().for_each(|number| number.store(0, Ordering::Relaxed));
        self.turned.store(self.started.elapsed().as_millis() as u64, Ordering::Relaxed);
        self.all.store(all, Ordering::Relaxed);
    }

    pub(crate) fn layer(&self) {
        self.before.fetch_add(self.now.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        self.layers.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, now, layers, all, bytes, turned] =
            [&self.before, &self.now, &self.layers, &self.all, &self.bytes, &self.turned]
                .map(|number| number.load(Ordering::Relaxed));
        let states = before + now;
        let seconds = (self.started.elapsed().as_millis() as u64).saturating_sub(turned) as f64 / 1000.0;
        let rate = states as f64 / seconds.max(0.001);
        let megabytes = bytes >> 20;
        if all == 0 {
            return write!(
                f,
                "{states} states in {layers} layers, {rate:.0} a second, {megabytes} MB on disk"
            );
        }
        write!(f, "values of {states} states ({all} in all), {rate:.0} a second, {megabytes} MB on disk")?;
        if states < all {
            write!(f, ", some {:.0} s left", (all - states) as f64 / rate.max(1.0))?;
        }
        Ok(())
    }
}

pub(crate) fn join<T>(task: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match task.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// A run with keys of so many words.
pub(crate) struct Run<'r, const N: usize> {
    pub engine: &'r dyn Engine,
    pub plan: &'r Plan,
    pub packing: Packing,
    pub folder: Folder,
    /// What the names of its files begin with.
    pub prefix: String,
    pub manifest: Manifest,
    pub memory: usize,
    pub threads: usize,
    pub budget: Budget,
    pub reached: &'r Reached,
}

impl<const N: usize> Run<'_, N> {
    /// The counter that layers go by.
    pub fn counter(&self) -> Option<&Counter> {
        self.plan.counter.as_ref().filter(|_| self.manifest.ranked)
    }

    /// Where a file of this name is.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.path.join(format!("{}{file}", self.prefix))
    }

    /// What is in the manifest counts from now on.
    pub fn commit(&self) -> Result<()> {
        self.reached.layer();
        self.folder.commit(&self.manifest.text())
    }

    /// What there is must be what was written: damage is found before anything is built on it.
    pub fn check(&self) -> Result<()> {
        let manifest = &self.manifest;
        let tables = manifest.layers.values().filter_map(|layer| layer.table.as_ref());
        let tables = tables.chain(manifest.pending.values()).chain(&manifest.seen);
        for name in tables.chain(manifest.values.values().map(|values| &values.table)) {
            Table::<N>::open_named(&self.folder.path, name)?.check()?;
        }
        let edges = manifest.edges.iter().map(|edges| &edges.table);
        for name in edges.chain(&manifest.pairs) {
            Table::<2>::open_named(&self.folder.path, name)?.check()?;
        }
        Ok(())
    }

    pub fn remove(&self, names: Vec<Name>) {
        names.into_iter().for_each(|name| self.folder.remove(&name.file, name.bytes));
    }

    fn finish(&mut self) -> Result<()> {
        if self.manifest.done {
            return Ok(());
        }
        match self.manifest.kind {
            Kind::Perft => {
                self.forward::<u128>(Some(self.manifest.depth as i64))?;
                self.manifest.done = true;
                let left: Vec<Name> = std::mem::take(&mut self.manifest.pending).into_values().collect();
                self.commit()?;
                self.remove(left);
            }
            Kind::Count | Kind::Solve => {
                self.forward::<()>(None)?;
                if self.manifest.kind == Kind::Solve {
                    self.reached.turn(self.manifest.total(|layer| layer.representatives));
                    self.backward()?;
                } else {
                    self.manifest.done = true;
                    let left: Vec<Name> = self.manifest.seen.take().into_iter().collect();
                    self.commit()?;
                    self.remove(left);
                }
            }
        }
        Ok(())
    }
}

/// What a run is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Find the values of all states.
    Solve,
    /// Count the states.
    Count,
    /// Count the lines of play to this depth.
    Perft(u64),
}

impl Task {
    fn kind(self) -> Kind {
        match self {
            Task::Solve => Kind::Solve,
            Task::Count => Kind::Count,
            Task::Perft(_) => Kind::Perft,
        }
    }
}

/// Begins a run in a folder that is empty or not there, and does all of it.
pub fn start(
    prepared: &Prepared,
    engine: &dyn Engine,
    task: Task,
    folder: &Path,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Manifest> {
    let wanted =
        Wanted { symmetry: options.symmetry, counter: options.counter && task.kind() != Kind::Perft };
    let folder = Folder::create(folder, options.disk)?;
    let plan = Plan::make(prepared, engine, wanted, budget)?;
    let sum = plan.write(&folder.path)?;
    let rules = plan.hash().to_string();
    let roles = engine.vocabulary().role_count();
    let ranked = plan.counter.is_some();
    let mut manifest = Manifest::new(rules, sum, task.kind(), ranked, roles);
    if let Task::Perft(depth) = task {
        manifest.depth = depth;
    }
    go(engine, &plan, folder, manifest, options, budget, reached)
}

/// The plan and the manifest of the run in a folder.
pub fn read(folder: &Path) -> Result<(Plan, Manifest)> {
    let text = read_manifest(folder)?;
    let manifest =
        Manifest::parse(&text).ok_or(Error::Damaged(folder.join("manifest"), "it does not read"))?;
    let plan = Plan::read(folder, manifest.plan)?;
    if plan.hash().to_string() != manifest.rules {
        return Err(Error::Foreign(folder.to_path_buf()));
    }
    Ok((plan, manifest))
}

/// Goes on with the run in a folder. The engine must be of the rules of its plan, which [`read`] gives.
pub fn resume(
    engine: &Arc<dyn Engine>,
    folder: &Path,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Manifest> {
    let folder = Folder::reopen(folder, options.disk)?;
    let (plan, manifest) = read(&folder.path)?;
    if !plan.fits(engine) || manifest.goals.len() != engine.vocabulary().role_count() {
        return Err(Error::Foreign(folder.path));
    }
    go(&**engine, &plan, folder, manifest, options, budget, reached)
}

fn go(
    engine: &dyn Engine,
    plan: &Plan,
    folder: Folder,
    manifest: Manifest,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Manifest> {
    let packing = plan.packing(engine)?;
    macro_rules! with_words {
        ($($words:literal)*) => {
            match packing.key_words() {
                $($words => run::<$words>(engine, plan, packing, folder, manifest, options, budget, reached),)*
                _ => Err(Error::Wide(packing.bits() as usize)),
            }
        };
    }
    with_words!(1 2 4 8 16)
}

/// The least memory that sorting makes sense in.
pub(crate) const LEAST_MEMORY: usize = 8 << 20;

#[allow(clippy::too_many_arguments, reason = "the same as above, for one width of keys")]
fn run<const N: usize>(
    engine: &dyn Engine,
    plan: &Plan,
    packing: Packing,
    folder: Folder,
    manifest: Manifest,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Manifest> {
    if options.memory < LEAST_MEMORY {
        return Err(Error::Memory(options.memory, LEAST_MEMORY));
    }
    folder.sweep(&|name| manifest.names(name))?;
    let new = manifest.layers.is_empty() && manifest.pending.is_empty();
    let mut run = Run::<N> {
        engine,
        plan,
        packing,
        folder,
        prefix: String::new(),
        manifest,
        memory: options.memory,
        threads: options.threads.max(1),
        budget: budget.clone(),
        reached,
    };
    run.check()?;
    if new {
        run.first()?;
    }
    match run.finish() {
        // The counter was a guess of random play. Without it every game can be solved.
        Err(Error::Unranked) => {
            let Manifest { rules, plan, kind, goals, .. } = run.manifest;
            run.manifest = Manifest::new(rules, plan, kind, false, goals.len());
            run.first()?;
            run.folder.sweep(&|name| run.manifest.names(name))?;
            run.finish()?;
        }
        other => other?,
    }
    Ok(run.manifest)
}

impl<const N: usize> Run<'_, N> {
    fn first(&mut self) -> Result<()> {
        if self.manifest.kind == Kind::Perft { self.begin(1u128) } else { self.begin(()) }
    }
}
