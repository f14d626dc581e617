//! `ludex endgame`: databases of ends, by regression of the goals.

use super::solve::Asked;
use crate::args::{Endgame, EndgameAction, EndgameBuild, EndgameInfo, EndgameQuery, megabytes};
use crate::progress::{Progress, making};
use crate::report::count;
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, limit};
use anyhow::{Context, Result, anyhow};
use cpu_time::{ProcessTime, ThreadTime};
use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, PlayoutBuffer};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex::engines;
use ludex::gdl::spelling::did_you_mean;
use ludex::logic::discover;
use ludex::logic::endgame::file::{self, FileError, Form};
use ludex::logic::endgame::query::{self, Class};
use ludex::logic::endgame::regress::{Assume, Options, Reached, regress};
use ludex::logic::endgame::{Database, Oracle, Stop, describe, solve};
use ludex_solve::Store;
use serde_json::{Map, Value, json};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub fn run(args: &Endgame, out: &mut dyn Write) -> Result<Status> {
    match &args.action {
        EndgameAction::Build(args) => build(args, out),
        EndgameAction::Query(args) => query(args, out),
        EndgameAction::Info(args) => info(args, out),
    }
}

/// Nodes of diagrams have numbers of 32 bits; memory bounds them sooner.
const MOST_NODES: usize = 2_000_000_000;

fn build(args: &EndgameBuild, out: &mut dyn Write) -> Result<Status> {
    let budget = args.bounds.budget().with_resident(megabytes(args.memory));
    let budget = budget.within(Duration::from_secs_f64(args.time)).with_cancel(interrupt::stop_token());
    let loaded = game::read(&args.game.game)?;
    let assume = match args.prove {
        _ if args.no_invariants => Assume::Nothing,
        None => Assume::Derived,
        Some(seconds) => {
            let _progress = Progress::spinner(format!("proving facts about {}", loaded.name));
            let time = Duration::from_secs_f64(seconds);
            Assume::Given(
                discover::facts(loaded.prepared()?, &budget.clone().within(time))
                    .with_context(|| loaded.name.clone())?,
            )
        }
    };
    let reached = Arc::new(Reached::default());
    let options = Options {
        budget,
        depth: args.depth.unwrap_or(60_000),
        nodes: MOST_NODES,
        entries: args.entries.unwrap_or(u64::MAX),
        steps: args.bounds.most_steps.unwrap_or(u64::MAX),
        assume,
        strips: !args.no_strips,
        reached: Some(&reached),
        ..Options::default()
    };
    let cpu = ProcessTime::now();
    let regression = {
        let (name, reached) = (loaded.name.clone(), reached.clone());
        let _progress = Progress::telling(move || {
            let entries = count_entries(reached.entries());
            format!("regressing the goals of {name}: {entries} to depth {}", reached.depth())
        });
        regress(loaded.prepared()?, &options).with_context(|| loaded.name.clone())?
    };
    let cpu_seconds = cpu.elapsed().as_secs_f64();
    file::write(&args.output, &regression.bytes)
        .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", args.output.display())))?;
    let summary = regression.summary;
    let named = |stop: Stop| if interrupt::happened() { "interrupted".to_owned() } else { stop.to_string() };
    let limit = summary.stop.map(named);
    if args.json.json {
        let line = json!({
            "game": loaded.name, "depth": summary.depth, "entries": summary.entries, "seconds": summary.seconds,
            "complete": summary.complete, "limit": limit, "bytes": regression.bytes.len(), "nodes": summary.nodes,
            "groups": summary.groups, "joint_moves": summary.joint_moves, "strips": summary.is_strips(),
            "preparation_seconds": summary.preparation_seconds, "cpu_seconds": cpu_seconds,
        });
        json::line(out, &line)?;
        return Ok(Status::Yes);
    }
    let end = match (&limit, summary.complete) {
        (Some(limit), _) => format!("stopped: {limit}"),
        (None, true) => "nothing lies beyond".to_owned(),
        (None, false) => "as asked".to_owned(),
    };
    writeln!(
        out,
        "{}: {} to depth {} ({end}), {:.3} seconds, {} bytes",
        loaded.name,
        count_entries(summary.entries),
        summary.depth,
        summary.seconds,
        regression.bytes.len()
    )?;
    Ok(Status::Yes)
}

fn count_entries(entries: u64) -> String {
    if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") }
}

/// Opens a database; one that is not there, or is none, is the caller's mistake.
pub fn open(path: &Path) -> Result<Database> {
    Database::open(path).map_err(|error| match error {
        FileError::Io(error) => Misuse(format!("`{}` cannot be read: {error}", path.display())).into(),
        error => anyhow!("`{}`: {error}", path.display()),
    })
}

/// The engine of the rules that a database carries.
fn engine(database: &Database, budget: &Budget) -> Result<Arc<dyn Engine>> {
    let game = database.game()?;
    let engine =
        making("building an engine".to_owned(), budget, |budget| engines::AUTO.build(&game, budget))?;
    let overview = database.overview();
    if engine.vocabulary().fluent_count() != overview.fluents as usize {
        return Err(anyhow!("the database numbers the fluents of its game in another way"));
    }
    Ok(engine)
}

fn query(args: &EndgameQuery, out: &mut dyn Write) -> Result<Status> {
    if args.file.is_dir() {
        let (store, engine) = super::solve::open(&args.file, &args.bounds.budget())?;
        let asked = Asked::new(&store);
        // What could not be read is no answer: nothing is told before that is known.
        let mut text = Vec::new();
        let status = answer(args, &asked, None, &*engine, &mut text)?;
        asked.finish()?;
        out.write_all(&text)?;
        return Ok(status);
    }
    let database = open(&args.file)?;
    let engine = engine(&database, &args.bounds.budget())?;
    answer(args, &database, Some(&database), &*engine, out)
}

fn answer(
    args: &EndgameQuery,
    known: &dyn query::Known,
    database: Option<&Database>,
    engine: &dyn Engine,
    out: &mut dyn Write,
) -> Result<Status> {
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    let state = match args.state.trim() {
        "initial" => {
            let mut state = vec![0; vocabulary.words()];
            worker.initial(&mut state);
            state
        }
        "-" => {
            let mut text = String::new();
            std::io::stdin().lock().take(1 << 24).read_to_string(&mut text).context("standard input")?;
            read_state(vocabulary, &text)?
        }
        text => read_state(vocabulary, text)?,
    };
    let role = match &args.role {
        None => RoleId(0),
        Some(name) => {
            vocabulary.roles().find(|&role| vocabulary.show_role(role) == *name).ok_or_else(|| {
                let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
                let near = did_you_mean(name, roles.iter().map(String::as_str));
                let advice = near.unwrap_or_else(|| format!("its roles are {}", roles.join(", ")));
                Misuse(format!("`{name}` is no role of the game; {advice}"))
            })?
        }
    };
    let answer = query::query(known, &mut *worker, &state)
        .map_err(|fault| limit::met("the game", "the state and its successors", &fault))?;
    let show = |joint: &[MoveId]| -> Vec<String> {
        vocabulary.roles().zip(joint).map(|(role, &action)| vocabulary.show_move(role, action)).collect()
    };
    let moves_of = |role: RoleId| -> Vec<String> {
        answer.moves[role.index()].iter().map(|&action| vocabulary.show_move(role, action)).collect()
    };
    if args.json.json {
        let entries: Vec<Value> = answer
            .entries
            .iter()
            .map(|entry| {
                let plan: Vec<Vec<String>> = entry.plan.iter().map(|joint| show(joint)).collect();
                json!({
                    "role": vocabulary.show_role(entry.role), "kind": entry.kind.name(), "depth": entry.depth, "plan": plan,
                })
            })
            .collect();
        let by_role = |value: &dyn Fn(RoleId) -> Value| -> Map<String, Value> {
            vocabulary.roles().map(|role| (vocabulary.show_role(role), value(role))).collect()
        };
        let class = |role: RoleId| {
            answer.classes.get(role.index()).map_or(Class::Unknown.name(), |class| class.name())
        };
        let line = json!({
            "class": class(role), "entries": entries, "moves": by_role(&|role| json!(moves_of(role))),
            "classes": by_role(&|role| json!(class(role))),
            "reason": answer.gap.map(|gap| gap.to_string()),
        });
        json::line(out, &line)?;
        return Ok(Status::Yes);
    }
    for (role, class) in vocabulary.roles().zip(&answer.classes) {
        writeln!(out, "{}: {}", vocabulary.show_role(role), class.name())?;
        for entry in answer.entries.iter().filter(|entry| entry.role == role) {
            writeln!(out, "  {} in {}", entry.kind.name(), count(entry.depth as usize, "joint move"))?;
            for joint in &entry.plan {
                writeln!(out, "    {}", show(joint).join("  "))?;
            }
        }
        let moves = moves_of(role);
        if !moves.is_empty() {
            writeln!(out, "  play {}", moves.join(" or "))?;
        }
    }
    if let Some(gap) = answer.gap {
        writeln!(out, "  {gap}")?;
    }
    for text in database.into_iter().flat_map(|database| describe::matching(database, vocabulary, &state)) {
        writeln!(out, "{text}")?;
    }
    Ok(Status::Yes)
}

fn read_state(vocabulary: &Vocabulary, text: &str) -> Result<Vec<u64>> {
    Ok(query::read_state(vocabulary, text).map_err(|error| Misuse(error.to_string()))?)
}

fn info(args: &EndgameInfo, out: &mut dyn Write) -> Result<Status> {
    if args.file.is_dir() {
        return folder_info(args, out);
    }
    let database = open(&args.file)?;
    let overview = database.overview();
    let engine = engine(&database, &Budget::default())?;
    let vocabulary = engine.vocabulary();
    let lookups =
        args.lookups.map(|count| time_lookups(&database, &*engine, &|| open(&args.file).map(drop), count));
    let lookups = lookups.transpose()?;
    let ghosts = if args.ghosts { Some(count_ghosts(&database, &*engine)?) } else { None };
    let form = match database.form() {
        Form::Regression => "regression",
        Form::Solution => "solution",
    };
    if args.json.json {
        let lists: Vec<Value> = database
            .lists()
            .iter()
            .map(|list| {
                let entries: Vec<u64> = list.layers.iter().map(|(_, entries)| *entries).collect();
                json!({
                    "role": vocabulary.show_role(list.role), "kind": list.kind.name(), "entries": entries,
                    "complete": list.complete,
                })
            })
            .collect();
        let line = json!({
            "form": form, "depth": overview.depth, "complete": overview.complete, "entries": database.entry_count(),
            "bytes": database.size(), "rules": database.hash().to_string(), "layers": lists,
            "ghosts": ghosts.map(|(ghosts, _)| ghosts),
            "lookup_microseconds": lookups.map(|lookups| lookups.lookup), "open_microseconds": lookups.map(|lookups| lookups.open),
        });
        json::line(out, &line)?;
        return Ok(Status::Yes);
    }
    let items = match database.form() {
        Form::Regression => "nodes",
        Form::Solution => "states",
    };
    writeln!(out, "{form} to depth {}{}", overview.depth, if overview.complete { ", complete" } else { "" })?;
    writeln!(
        out,
        "  {} {items}, {} bytes, rules {}",
        database.item_count(),
        database.size(),
        database.hash()
    )?;
    for list in database.lists() {
        let end = if list.complete { "" } else { " ..." };
        let entries: Vec<String> = list.layers.iter().map(|(_, entries)| entries.to_string()).collect();
        writeln!(
            out,
            "  {} {}: entries by depth {}{end}",
            vocabulary.show_role(list.role),
            list.kind.name(),
            entries.join(" ")
        )?;
        for (depth, (cover, _)) in list.layers.iter().enumerate().filter(|_| args.descriptions > 0) {
            for text in describe::descriptions(&database, vocabulary, *cover, args.descriptions) {
                writeln!(out, "    {depth}: {text}")?;
            }
        }
    }
    if let Some(lookups) = lookups {
        writeln!(
            out,
            "  a lookup takes {:.3} microseconds, opening the file {:.0}",
            lookups.lookup, lookups.open
        )?;
    }
    if let Some((ghosts, entries)) = ghosts {
        let share = ghosts as f64 / entries.max(1) as f64 * 100.0;
        writeln!(out, "  {ghosts} of {entries} entries are met by no reachable state ({share:.1}%)")?;
    }
    Ok(Status::Yes)
}

/// What is in a folder of `solve --store`.
fn folder_info(args: &EndgameInfo, out: &mut dyn Write) -> Result<Status> {
    if args.json.json || args.ghosts || args.descriptions > 0 {
        let why = "--json, --ghosts and --descriptions are for files; this is a folder of `solve --store`";
        return Err(Misuse(format!("`{}`: {why}", args.file.display())).into());
    }
    let (store, engine) = super::solve::open(&args.file, &Budget::default())?;
    let manifest = store.manifest();
    let bytes: u64 = manifest.files().map(|(_, bytes)| bytes).sum();
    writeln!(
        out,
        "solution of {} states, {} up to {} symmetries",
        manifest.total(|layer| layer.states),
        manifest.total(|layer| layer.representatives),
        store.packing().symmetry_count()
    )?;
    writeln!(out, "  {bytes} bytes, {} of them in memory, rules {}", store.memory(), store.plan().hash())?;
    if let Some(count) = args.lookups {
        let open_again = || Ok(Store::open(&args.file, |_| Ok(engine.clone())).map(drop)?);
        let Lookups { lookup, open } = time_lookups(&store, &*engine, &open_again, count)?;
        writeln!(out, "  a lookup takes {lookup:.3} microseconds, opening the folder {open:.0}")?;
    }
    Ok(Status::Yes)
}

/// Microseconds of processor time.
#[derive(Clone, Copy, Debug)]
struct Lookups {
    lookup: f64,
    open: f64,
}

/// States of random play that are looked up in turn: more than fit the first cache.
const SAMPLE: usize = 1_000;

/// Asks for every role in states of random play, and opens the database again and again.
fn time_lookups(
    database: &dyn Oracle,
    engine: &dyn Engine,
    open: &dyn Fn() -> Result<()>,
    count: u64,
) -> Result<Lookups> {
    let mut worker = engine.worker();
    let (mut random, mut buffer) = (Random::new(1), PlayoutBuffer::default());
    let mut state = vec![0; engine.vocabulary().words()];
    worker.initial(&mut state);
    let mut states = Vec::new();
    while states.len() < SAMPLE {
        states.push(state.clone());
        let made = worker.playout(&mut state, 1, &mut random, &mut buffer);
        if made.map_err(|fault| limit::met("the game", "in a random match", &fault))? == 0 {
            worker.initial(&mut state);
        }
    }
    let roles: Vec<RoleId> = engine.vocabulary().roles().collect();
    let started = ThreadTime::now();
    let mut asked = 0;
    'all: loop {
        for state in &states {
            for &role in &roles {
                std::hint::black_box(database.lookup(std::hint::black_box(state), role));
                asked += 1;
                if asked >= count {
                    break 'all;
                }
            }
        }
    }
    let lookup = started.elapsed().as_secs_f64() * 1e6 / asked as f64;
    let started = ThreadTime::now();
    const OPENINGS: u32 = 100;
    for _ in 0..OPENINGS {
        open()?;
    }
    Ok(Lookups { lookup, open: started.elapsed().as_secs_f64() * 1e6 / f64::from(OPENINGS) })
}

/// More entries are not gone through one by one.
const MOST_ENTRIES: u64 = 300_000;

/// The entries that no reachable state meets, and all entries.
fn count_ghosts(database: &Database, engine: &dyn Engine) -> Result<(u64, u64)> {
    if database.entry_count() > MOST_ENTRIES {
        return Err(anyhow!("there are more than {MOST_ENTRIES} entries: ghosts are not counted"));
    }
    let _progress = Progress::spinner("visiting every state");
    let space = solve::explore(
        engine,
        &solve::Options::default(),
        &Budget::default().with_bytes(4 << 30),
        &solve::Reached::default(),
    )?;
    Ok((describe::count_ghosts(database, &space), database.entry_count()))
}
