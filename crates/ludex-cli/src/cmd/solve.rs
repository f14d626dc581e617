//! `ludex solve`: what each role can get, by visiting every state, in memory or on disk.

use super::{cluster, strategy};
use crate::args::{Solve, megabytes};
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, limit};
use anyhow::{Result, anyhow};
use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Goal};
use ludex::engine::row::Row;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex::engines;
use ludex::logic::endgame::file::Verdict;
use ludex::logic::endgame::query::{self, Known as _};
use ludex::logic::endgame::solve::{Nature, Options, Reached, SolveError, solve};
use ludex::logic::endgame::{self, Database, file};
use ludex_solve::manifest::{Kind, Manifest};
use ludex_solve::{Reached as OnDisk, Store, Task};
use serde_json::json;
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(args: &Solve, out: &mut dyn Write) -> Result<Status> {
    if let Some(folder) = &args.resume {
        return resumed(args, folder, out);
    }
    let Some(game) = &args.game else { return Err(Misuse("GAME is missing".to_owned()).into()) };
    if args.strategy.is_some() || args.check.is_some() {
        return strategy::run(args, game, out);
    }
    if let Some(workers) = args.cluster.workers {
        return cluster::run(args, game, workers, out);
    }
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let budget = budget.with_resident(megabytes(args.memory));
    let loaded = game::read_at(game, &args.position, &budget)?;
    if let Some(folder) = &args.store {
        let engine = loaded.engine(args.engine.engine, &budget)?;
        let prepared = loaded.prepared()?;
        let options = args.disk.options(args.memory, args.threads);
        on_disk(args, folder, out, &loaded.name, |reached| {
            ludex_solve::start(prepared, &*engine, Task::Solve, folder, &options, &budget, reached)
        })?;
        return Ok(Status::Yes);
    }
    let engine = loaded.engine(args.engine.engine, &budget)?;
    let defaults = Options::default();
    let options = Options {
        states: args.states,
        threads: args.threads.map_or(defaults.threads, usize::from),
        ..defaults
    };
    let started = Instant::now();
    let solution = {
        let (name, reached) = (loaded.name.clone(), Arc::new(Reached::default()));
        let (shown, told) = (reached.clone(), reached.clone());
        let _progress = Progress::telling(move || format!("solving {name}: {shown}"));
        let _armed = interrupt::closing(move |_| writeln!(std::io::stderr(), "not solved: {told}"));
        solve(&*engine, &options, &budget, &reached).map_err(|error| match error {
            SolveError::Engine(fault) => limit::met(&loaded.name, "a reachable state", &fault),
            error => anyhow!("{} is not solved: {error}", loaded.name),
        })?
    };
    let seconds = started.elapsed().as_secs_f64();
    let bytes = solution.encode(loaded.game()?, &*engine);
    if let Some(path) = &args.output {
        file::write(path, &bytes)
            .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))?;
    }
    let database = Database::from_bytes(bytes)?;
    let mut worker = engine.worker();
    let initial = solution.space.state(0)[..engine.vocabulary().words()].to_vec();
    let best = query::best_moves(&database, &mut *worker, &initial)
        .map_err(|fault| limit::met(&loaded.name, "the initial state", &fault))?;
    let space = &solution.space;
    let found = Found {
        states: space.len() as u64,
        ends: space.end_count() as u64,
        transitions: space.transition_count() as u64,
        nature: solution.nature,
        verdicts: engine.vocabulary().roles().map(|role| solution.verdict(0, role)).collect(),
        best,
        seconds,
    };
    report(args, out, &loaded.name, &*engine, &found)
}

/// What is told of a solved game.
struct Found {
    states: u64,
    ends: u64,
    transitions: u64,
    nature: Nature,
    verdicts: Vec<Verdict>,
    best: Vec<Vec<MoveId>>,
    seconds: f64,
}

/// Goes on with the run in a folder.
fn resumed(args: &Solve, folder: &Path, out: &mut dyn Write) -> Result<Status> {
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let budget = budget.with_resident(megabytes(args.memory));
    let (plan, manifest) = ludex_solve::read(folder)?;
    if manifest.kind != Kind::Solve {
        return Err(anyhow!("the folder `{}` holds {}", folder.display(), manifest.kind.name()));
    }
    let engine = args.engine.engine.build(&plan.game, &budget)?;
    let options = args.disk.options(args.memory, args.threads);
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    on_disk(args, folder, out, &name, |reached| {
        ludex_solve::resume(&engine, folder, &options, &budget, reached)
    })?;
    Ok(Status::Yes)
}

/// How something was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// For people, who may be told more.
    Text,
    /// As a line of JSON, which is whole.
    Json,
}

/// A run on disk, and what it found.
pub fn on_disk(
    args: &Solve,
    folder: &Path,
    out: &mut dyn Write,
    name: &str,
    run: impl FnOnce(&Arc<OnDisk>) -> ludex_solve::Result<Manifest>,
) -> Result<Shown> {
    let started = Instant::now();
    let manifest =
        watched(&format!("solving {name}"), run).map_err(|error| anyhow!("{name} is not solved: {error}"))?;
    let seconds = started.elapsed().as_secs_f64();
    let (store, engine) = open(folder, &args.bounds.budget())?;
    let mut worker = engine.worker();
    let mut initial = vec![0; engine.vocabulary().words()];
    worker.initial(&mut initial);
    let asked = Asked::new(&store);
    let best = query::best_moves(&asked, &mut *worker, &initial)
        .map_err(|fault| limit::met(name, "the initial state", &fault))?;
    let verdicts: Option<Vec<Verdict>> =
        engine.vocabulary().roles().map(|role| asked.verdict(&initial, role)).collect();
    asked.finish()?;
    let found = Found {
        states: manifest.total(|layer| layer.states),
        ends: manifest.total(|layer| layer.ends),
        transitions: manifest.total(|layer| layer.transitions),
        nature: manifest.nature(),
        verdicts: verdicts.ok_or_else(|| anyhow!("the initial state is not in `{}`", folder.display()))?,
        best,
        seconds,
    };
    report(args, out, name, &*engine, &found)?;
    if args.json.json {
        return Ok(Shown::Json);
    }
    let bytes: u64 = manifest.values.values().map(|values| values.table.bytes + values.bytes).sum();
    let way = if manifest.ranked { "layers of a counter" } else { "rounds over all states" };
    writeln!(
        out,
        "  on disk: {} representatives of {:.1} bits, {} symmetries, {way}, {bytes} bytes",
        manifest.total(|layer| layer.representatives),
        store.packing().bits(),
        store.packing().symmetry_count()
    )?;
    Ok(Shown::Text)
}

/// Opens the solution in a folder, with an engine of its rules.
pub fn open(folder: &Path, budget: &Budget) -> Result<(Store, Arc<dyn Engine>)> {
    Ok(Store::open(folder, |plan| Ok(engines::AUTO.build(&plan.game, budget)?))?)
}

/// Shows how far a run on disk is; Ctrl-C leaves it where it can be resumed.
pub fn watched<T>(what: &str, run: impl FnOnce(&Arc<OnDisk>) -> T) -> T {
    let (shown, reached) = (what.to_owned(), Arc::new(OnDisk::default()));
    let told = reached.clone();
    let _progress = Progress::telling(move || format!("{shown}: {told}"));
    run(&reached)
}

/// A folder as what is asked for values; remembers what went wrong.
pub struct Asked<'s> {
    store: &'s Store,
    error: RefCell<Option<ludex_solve::Error>>,
}

impl<'s> Asked<'s> {
    pub fn new(store: &'s Store) -> Asked<'s> {
        Asked { store, error: RefCell::new(None) }
    }

    /// An error if some answer was missing because of one.
    pub fn finish(self) -> Result<()> {
        self.error.into_inner().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl query::Known for Asked<'_> {
    fn role_count(&self) -> u32 {
        self.store.manifest().goals.len() as u32
    }

    fn depth(&self, state: &Row, role: RoleId, kind: endgame::Kind) -> Option<u32> {
        let verdict = self.verdict(state, role)?;
        match kind {
            endgame::Kind::Reachable => verdict.reachable,
            endgame::Kind::Forced => {
                verdict.depth.filter(|_| verdict.value.is_some() && verdict.value == self.best_goal(role))
            }
        }
    }

    fn verdict(&self, state: &Row, role: RoleId) -> Option<Verdict> {
        self.store.verdict(state, role).unwrap_or_else(|error| {
            self.error.borrow_mut().get_or_insert(error);
            None
        })
    }

    fn best_goal(&self, role: RoleId) -> Option<Goal> {
        self.store.best_goal(role)
    }

    fn beyond(&self) -> query::Gap {
        query::Gap::Never
    }

    fn is_solution(&self) -> bool {
        true
    }
}

fn report(
    args: &Solve,
    out: &mut dyn Write,
    name: &str,
    engine: &dyn Engine,
    found: &Found,
) -> Result<Status> {
    let vocabulary = engine.vocabulary();
    let Found { states, ends, transitions, seconds, best, .. } = found;
    let exact = !matches!(found.nature, Nature::General);
    let shown = |role: RoleId| -> Vec<String> {
        best[role.index()].iter().map(|&action| vocabulary.show_move(role, action)).collect()
    };
    if args.json.json {
        let roles: serde_json::Map<String, serde_json::Value> = vocabulary
            .roles()
            .map(|role| {
                let verdict = found.verdicts[role.index()];
                let entry = json!({
                    "value": verdict.value, "depth": verdict.depth, "reachable": verdict.reachable, "moves": shown(role),
                });
                (vocabulary.show_role(role), entry)
            })
            .collect();
        json::line(
            out,
            &json!({
                "game": name, "engine": engine.name(), "states": states, "ends": ends,
                "transitions": transitions, "exact": exact, "roles": roles, "seconds": seconds,
            }),
        )?;
        return Ok(Status::Yes);
    }
    writeln!(out, "{name}: {states} states, {ends} ends, {transitions} transitions")?;
    for role in vocabulary.roles() {
        let verdict = found.verdicts[role.index()];
        let shown_role = vocabulary.show_role(role);
        match (verdict.value, verdict.depth) {
            (Some(value), Some(depth)) => {
                let word = if exact { "gets" } else { "can force" };
                let moves = shown(role);
                let end =
                    if depth == 0 { "at once".to_owned() } else { format!("within {depth} joint moves") };
                writeln!(out, "  {shown_role} {word} {value} {end}: {}", moves.join(" or "))?;
            }
            _ => writeln!(out, "  {shown_role} cannot force an end")?,
        }
    }
    match found.nature {
        Nature::Puzzle => {}
        Nature::ConstantSum(sum) => {
            writeln!(out, "  turn-taking, goals add up to {sum}: these are the values under best play")?;
        }
        Nature::General => writeln!(
            out,
            "  not two roles that take turns over a constant sum: what each role can force alone, no more is well defined here"
        )?,
    }
    Ok(Status::Yes)
}
