//! Solving on several processes and machines: the rounds of one machine, on timely dataflow.
//!
//! States belong to shards by a hash of their keys, shards to workers. A worker has a run of its own over its states
//! ([`member`], a [`Run`](crate::run::Run) in a folder that is its alone); what follows a state is sent to the worker that it belongs to
//! ([`post`], [`rounds`]). What a round has finished is copied to a store that all share ([`shared`]) and
//! counts from the moment that an entry of the log names it ([`log`]). The solution is put together as the folder that
//! one process would have made, byte for byte ([`share`]).
//!
//! When a process dies the others cannot go on. All begin anew from the last entry of the log, with as many workers as
//! then come; who was thought to be dead and is not finds that the log has gone on without it, and ends.

mod content;
mod log;
mod member;
mod mesh;
mod post;
mod rounds;
mod share;
mod shared;

pub use post::Traffic;
pub use shared::Shared;

use crate::error::{Error, Result};
use crate::folder::{Folder, MANIFEST, manifest_lines};
use crate::manifest::{Kind, Manifest};
use crate::packing::Packing;
use crate::plan::{self, Plan, Wanted};
use crate::run::{LEAST_MEMORY, Options, Reached, Run};
use log::{Asked, Entry};
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::prepared::Prepared;
use ludex_logic::endgame::file::RulesHash;
use member::Member;
use mesh::Mesh;
use post::Post;
use std::collections::BTreeSet;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::initialize::Hooks;
use timely::worker::Worker;

/// Where this process is in a cluster.
#[derive(Clone, Debug)]
pub struct Place {
    /// The addresses of all processes, `host:port`; of one alone none is used.
    pub hosts: Vec<String>,
    /// Which of them this is.
    pub process: usize,
    /// Workers of each process.
    pub workers: usize,
    /// How long to wait for the others.
    pub wait: Duration,
    /// A folder of this process alone.
    pub scratch: PathBuf,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The manifest of the solution.
    pub manifest: Manifest,
    /// How many times processes had begun to work on it; zero if it was finished before.
    pub epoch: u64,
    /// What this process sent to workers, its own among themselves included.
    pub traffic: Traffic,
}

/// What the workers of a process have in common.
struct Common {
    engine: Arc<dyn Engine>,
    plan: Plan,
    packing: Packing,
    entry: Entry,
    asked: Asked,
    shared: Arc<Shared>,
    place: Place,
    options: Options,
    budget: Budget,
    reached: Arc<Reached>,
}

/// Solves a game together with the other processes, or goes on with it.
pub fn run(
    prepared: &Prepared,
    engine: &Arc<dyn Engine>,
    shared: &Arc<Shared>,
    place: &Place,
    options: &Options,
    budget: &Budget,
    reached: &Arc<Reached>,
) -> Result<Outcome> {
    let all = place.workers.checked_mul(place.hosts.len().max(1));
    if all.is_none_or(|all| all == 0 || all as u64 > content::SHARDS) {
        return Err(Error::Refused(format!("there can be 1 to {} workers", content::SHARDS)));
    }
    if place.process >= place.hosts.len().max(1) {
        return Err(Error::Refused(format!("there are {} processes, from 0 on", place.hosts.len())));
    }
    if options.memory / place.workers < LEAST_MEMORY {
        return Err(Error::Memory(options.memory, LEAST_MEMORY * place.workers));
    }
    let rules = RulesHash::of(&prepared.game().rules).to_string();
    let asked = Asked { rules, symmetry: options.symmetry, counter: options.counter };
    if let Some(manifest) = finished(shared, &asked)? {
        return Ok(Outcome { manifest, epoch: 0, traffic: Traffic::default() });
    }
    let scratch = Folder::scratch(&place.scratch, options.disk)?;
    if place.process == 0 {
        prepare(prepared, &**engine, shared, place, &asked, &scratch.path, budget)?;
    }
    let mut lines = vec![("version", env!("CARGO_PKG_VERSION").to_owned())];
    lines.extend(asked.lines());
    lines.push(("processes", place.hosts.len().to_string()));
    lines.push(("workers", place.workers.to_string()));
    let mesh = Mesh { hosts: &place.hosts, process: place.process, lines, wait: place.wait };
    let sockets = if place.hosts.len() > 1 { mesh.connect(budget)? } else { Vec::new() };
    let Some(entry) = Entry::last(shared)? else {
        return Err(Error::Refused(format!("there is no run in `{}`", shared.name())));
    };
    let path = scratch.path.join(plan::FILE);
    let bytes = shared.get(plan::FILE)?.ok_or_else(|| Error::Damaged(path.clone(), "it is gone"))?;
    std::fs::write(&path, bytes).map_err(Error::io(&path))?;
    let plan = Plan::read(&scratch.path, entry.plan)?;
    if !plan.fits(engine) || plan.hash().to_string() != asked.rules {
        return Err(Error::Foreign(PathBuf::from(shared.name())));
    }
    let packing = plan.packing(&**engine)?;
    let common = Common {
        engine: engine.clone(),
        plan,
        packing,
        entry,
        asked,
        shared: shared.clone(),
        place: place.clone(),
        options: *options,
        budget: budget.clone(),
        reached: reached.clone(),
    };
    let outcome = execute(common, sockets)?;
    let _ = std::fs::remove_dir_all(&scratch.path);
    Ok(outcome)
}

/// The manifest of a finished solution in the store.
fn finished(shared: &Shared, asked: &Asked) -> Result<Option<Manifest>> {
    let Some(bytes) = shared.get(MANIFEST)? else { return Ok(None) };
    let place = PathBuf::from(shared.name());
    let path = place.join(MANIFEST);
    let lines = manifest_lines(&path, bytes)?;
    let manifest = Manifest::parse(&lines).ok_or(Error::Damaged(path, "it does not read"))?;
    if manifest.rules != asked.rules {
        return Err(Error::Foreign(place));
    }
    if manifest.kind != Kind::Solve || !manifest.done {
        return Err(Error::Occupied(place));
    }
    Ok(Some(manifest))
}

/// Has a log and a plan in the store.
fn prepare(
    prepared: &Prepared,
    engine: &dyn Engine,
    shared: &Shared,
    place: &Place,
    asked: &Asked,
    scratch: &Path,
    budget: &Budget,
) -> Result<()> {
    if let Some(entry) = Entry::last(shared)? {
        let foreign = entry.asked.rules != asked.rules;
        return if foreign { Err(Error::Foreign(PathBuf::from(shared.name()))) } else { Ok(()) };
    }
    if shared.list("")?.iter().any(|file| file != plan::FILE) {
        return Err(Error::Occupied(PathBuf::from(shared.name())));
    }
    let wanted = Wanted { symmetry: asked.symmetry, counter: asked.counter };
    let plan = Plan::make(prepared, engine, wanted, budget)?;
    let sum = plan.write(scratch)?;
    shared.up(&scratch.join(plan::FILE), plan::FILE)?;
    let roles = engine.vocabulary().role_count();
    let empty = Manifest::new(asked.rules.clone(), sum, Kind::Solve, plan.counter.is_some(), roles);
    let manifests = vec![empty; place.workers * place.hosts.len().max(1)];
    Entry { number: 1, epoch: 0, asked: asked.clone(), plan: sum, manifests }.append(shared)
}

/// Runs the workers of this process.
fn execute(common: Common, sockets: Vec<Option<TcpStream>>) -> Result<Outcome> {
    let failed = |error: String| Error::Refused(format!("the dataflow does not begin: {error}"));
    let (workers, process) = (common.place.workers, common.place.process);
    let hooks = Hooks::default();
    let local = ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), None);
    let (builders, guard): (Vec<AllocatorBuilder>, Box<dyn std::any::Any + Send>) = if sockets.is_empty() {
        (local.into_iter().map(AllocatorBuilder::Process).collect(), Box::new(()))
    } else {
        let begun = initialize_networking_from_sockets(local, sockets, process, workers, hooks);
        let (remote, guard) = begun.map_err(|error| failed(error.to_string()))?;
        (remote.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard))
    };
    let common = Arc::new(common);
    let guards = timely::execute::execute_from(builders, guard, WorkerConfig::default(), move |worker| {
        let words = common.packing.key_words();
        macro_rules! with_words {
            ($($words:literal)*) => {
                match words {
                    $($words => member::<$words>(&common, worker),)*
                    _ => Err(Error::Wide(common.packing.bits() as usize)),
                }
            };
        }
        with_words!(1 2 4 8 16)
    });
    let mut outcome: Option<Outcome> = None;
    let mut wrong: Option<Error> = None;
    for result in guards.map_err(failed)?.join() {
        match result.map_err(|_| Error::Refused("a worker panicked".to_owned())).flatten() {
            Ok(one) => match &mut outcome {
                Some(all) => {
                    all.traffic.messages += one.traffic.messages;
                    all.traffic.bytes += one.traffic.bytes;
                }
                None => outcome = Some(one),
            },
            // What went wrong here says more than that something did elsewhere.
            Err(error) if !matches!(wrong, Some(ref known) if !matches!(known, Error::Elsewhere(..))) => {
                wrong = Some(error);
            }
            Err(_) => {}
        }
    }
    match (wrong, outcome) {
        (None, Some(outcome)) => Ok(outcome),
        (wrong, _) => Err(wrong.unwrap_or(Error::Refused("there are no workers".to_owned()))),
    }
}

/// One worker, from beginning to end.
fn member<const N: usize>(common: &Common, worker: &mut Worker) -> Result<Outcome> {
    let mut post = Post::new(worker);
    let (me, workers) = (post.me(), common.place.workers as u64);
    let folder = common.place.scratch.join(format!("worker-{me}"));
    let folder = Folder::scratch(&folder, common.options.disk / workers).and_then(|folder| {
        // What an earlier process left here may be anything; the store has it all.
        folder.sweep(&|_| false).map(|()| folder)
    });
    // All must have read the same entry, and be able to begin.
    let (folder, ready) = match folder {
        Ok(folder) => (Some(folder), Ok(common.entry.number.to_le_bytes().to_vec())),
        Err(error) => (None, Err(error)),
    };
    let numbers = post.agree(ready)?;
    let Some(folder) = folder else { return Err(Error::Refused("there is no folder".to_owned())) };
    if numbers.iter().any(|number| *number != numbers[0]) {
        return Err(Error::Superseded(common.shared.name().to_owned()));
    }
    let run = Run::<N> {
        engine: &*common.engine,
        plan: &common.plan,
        packing: common.packing.clone(),
        folder,
        prefix: String::new(),
        manifest: common.entry.manifests[0].clone(),
        memory: common.options.memory / common.place.workers,
        threads: 1,
        budget: common.budget.clone(),
        reached: &common.reached,
    };
    let stored = BTreeSet::new();
    let mut member = Member { run, post, shared: &common.shared, entry: common.entry.clone(), stored };
    let worked = member.work(&common.asked, &common.plan);
    let (epoch, traffic) = (member.entry.epoch, member.post.traffic());
    member.post.finish();
    worked.map(|manifest| Outcome { manifest, epoch, traffic })
}
