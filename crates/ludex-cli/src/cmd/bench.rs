//! `ludex bench`: how fast an engine plays at random.

use super::gpu;
use crate::args::{Bench, Device};
use crate::game::Loaded;
use crate::plot::{self, Figure};
use crate::progress::{Progress, making};
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, limit};
use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use ludex::engine::auto::{Execution, Portfolio, Report};
use ludex::engine::budget::Budget;
use ludex::engine::engine::Engine;
use ludex::engine::measure::{Measured, batches, one_by_one};
use ludex::engine::propnet::lanes::{Lanes, Valuers};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::RoleId;
use ludex::engines::{self, Choice};
use ludex::search::clock::Clock;
use ludex::search::uct::{self, Tools, Tree};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub fn run(args: &Bench, out: &mut dyn Write) -> Result<Status> {
    if let Some(contract) = &args.gdl_perf {
        return super::gdl_perf::run(contract, args.engine.engine, args.bounds, args.seed);
    }
    let mut measured_all = true;
    if !args.json.json {
        let [game, engine] = ["game", "engine"];
        writeln!(
            out,
            "{game:20} {engine:10} {:>12} {:>12} {:>10} {:>9} {:>9}",
            "playouts/s", "states/s", "playouts", "states", "build s"
        )?;
        out.flush()?;
    }
    let mut missing = false;
    let figures: Arc<Mutex<Vec<Figure>>> = Arc::default();
    // A picture of what is measured is worth having when the rest is not waited for.
    let _armed = args.plot.clone().map(|path| {
        let figures = figures.clone();
        interrupt::closing(move |_| draw(&path, &figures).map_err(std::io::Error::other))
    });
    for argument in &args.games {
        // A game that cannot be measured should not cost the figures of the others.
        let mut measured = Vec::new();
        if let Err(error) = measure_and_print(args, argument, out, &mut measured) {
            if error.is::<std::io::Error>() {
                return Err(error);
            }
            out.flush()?;
            writeln!(std::io::stderr(), "error: {error:#}")?;
            missing |= error.is::<Misuse>();
            measured_all = false;
        }
        figures.lock().unwrap_or_else(PoisonError::into_inner).append(&mut measured);
    }
    if let Some(path) = &args.plot {
        draw(path, &figures)?;
    }
    Ok(if missing { Status::Misused } else { Status::of(measured_all) })
}

/// Draws the figures, if there are any.
fn draw(path: &Path, figures: &Mutex<Vec<Figure>>) -> Result<(), Misuse> {
    let figures = figures.lock().unwrap_or_else(PoisonError::into_inner);
    let drawn = if figures.is_empty() { Ok(()) } else { plot::draw(path, &figures) };
    drawn.map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))
}

/// How games are played.
#[derive(Clone, Copy)]
enum Mode {
    /// One by one.
    Scalar,
    /// 512 at a time.
    Batch,
    /// On a GPU, as many at a time as it takes.
    Gpu,
    /// From the leaves of a tree, hundreds at a time.
    Leaves,
    /// From the leaves of a tree, thousands at a time on a GPU.
    GpuLeaves,
}

/// One line of the answer.
struct Line {
    engine: &'static str,
    mode: Mode,
    build_seconds: f64,
    measured: Measured,
    /// How the portfolio came to its choice, where it was asked.
    report: Option<Report>,
}

fn measure_and_print(
    args: &Bench,
    argument: &Path,
    out: &mut dyn Write,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    let started = Instant::now();
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read_at(argument, &args.position, &budget)?;
    let choice = args.engine.engine;
    if args.batch {
        return print(args, &loaded.name, &batch(args, &loaded, &budget, started)?, out, figures);
    }
    if args.leaves {
        return print(args, &loaded.name, &leaves(args, &loaded, &budget, started)?, out, figures);
    }
    let is_auto = choice.name == engines::AUTO.name;
    if args.plot.is_none() || !is_auto {
        let line = if is_auto {
            auto(args, &loaded, &budget, started)
        } else {
            single(args, &loaded, choice, &budget, started)
        };
        return print(args, &loaded.name, &line?, out, figures);
    }
    // A picture compares all engines; one that declines the game has no dot.
    loaded.game()?;
    let members = engines::ALL.iter().filter(|choice| choice.name != engines::AUTO.name);
    let lines = members
        .map(|choice| single(args, &loaded, *choice, &args.allowance.budget(args.bounds), Instant::now()));
    let batch = || batch(args, &loaded, &args.allowance.budget(args.bounds), Instant::now());
    for line in lines.chain(std::iter::once_with(batch)) {
        match line {
            Ok(line) => print(args, &loaded.name, &line, out, figures)?,
            Err(error) => writeln!(std::io::stderr(), "note: {error:#}")?,
        }
    }
    Ok(())
}

fn batch(args: &Bench, loaded: &Loaded, budget: &Budget, started: Instant) -> Result<Line> {
    let compiled = loaded.network(budget)?;
    let lanes = Lanes::new(&compiled.net, &compiled.initial, budget)?;
    let build_seconds = started.elapsed().as_secs_f64();
    if let Device::Cuda(number) = args.device {
        match gpu::measure(number, &lanes, &compiled.initial, args.seconds, args.seed) {
            Ok((compiling, measured)) => {
                let build_seconds = build_seconds + compiling;
                return Ok(Line {
                    engine: "propnet",
                    mode: Mode::Gpu,
                    build_seconds,
                    measured,
                    report: None,
                });
            }
            Err(why) => writeln!(std::io::stderr(), "note: {why}; the CPU plays")?,
        }
    }
    let progress = Progress::bar(&loaded.name, thousandths(args.seconds));
    let mut watch = |spent| progress.set(thousandths(spent));
    let measured = batches(&lanes, &compiled.initial, args.seconds, args.seed, &mut watch);
    Ok(Line { engine: "propnet", mode: Mode::Batch, build_seconds, measured, report: None })
}

/// A tree from the initial state; what it counts as states are its leaves.
fn leaves(args: &Bench, loaded: &Loaded, budget: &Budget, started: Instant) -> Result<Line> {
    let engine = loaded.prepared()?.propnet(budget)?;
    let mut worker = engine.worker();
    worker.obey(budget);
    let mut initial = vec![0; engine.vocabulary().words()];
    worker.initial(&mut initial);
    let lanes = Arc::new(Lanes::new(engine.net(), &initial, budget)?);
    let settings = uct::Settings::default();
    let (mut valuers, mut mode): (Arc<dyn Valuers>, Mode) = (lanes.clone(), Mode::Leaves);
    if let Device::Cuda(number) = args.device
        && let Some(accelerator) = gpu::accelerator(number)
    {
        match accelerator.load(lanes, &initial, settings.plies as u64) {
            Ok((others, note)) => {
                writeln!(std::io::stderr(), "note: {note}")?;
                (valuers, mode) = (others, Mode::GpuLeaves);
            }
            Err(why) => writeln!(std::io::stderr(), "note: {why}; the CPU values leaves")?,
        }
    }
    let build_seconds = started.elapsed().as_secs_f64();
    let mut valuer = valuers.valuer(args.seed);
    let faulted = |fault| limit::met(&loaded.name, "in a search", &fault);
    let mut tree = Tree::new(settings, &mut *worker, &initial, args.seed).map_err(faulted)?;
    let mut tools =
        Tools { worker: &mut *worker, lanes: Some(&mut *valuer), oracle: None, goal_heuristic: None };
    let time = Duration::from_secs_f64(args.seconds);
    // The processor waits for the GPU.
    let (begun, busy) = (Instant::now(), ThreadTime::now());
    let mut clock = match mode {
        Mode::GpuLeaves => Clock::until(begun + time),
        _ => Clock::processor(time),
    };
    tree.search(&mut tools, &mut clock).map_err(faulted)?;
    let spent = if let Mode::GpuLeaves = mode { begun.elapsed() } else { busy.elapsed() };
    if let Some(complaint) = valuers.complaint() {
        writeln!(std::io::stderr(), "note: {complaint}")?;
    }
    let visits = tree.estimate(RoleId(0)).candidates.iter().map(|candidate| candidate.visits).sum();
    let measured =
        Measured { playouts: tree.playouts(), transitions: visits, cpu_seconds: spent.as_secs_f64() };
    Ok(Line { engine: "propnet", mode, build_seconds, measured, report: None })
}

fn single(args: &Bench, loaded: &Loaded, choice: Choice, budget: &Budget, started: Instant) -> Result<Line> {
    let engine = loaded.engine_anew(loaded.game()?, choice, budget)?;
    scalar(args, &loaded.name, &*engine, budget, started.elapsed().as_secs_f64())
}

fn auto(args: &Bench, loaded: &Loaded, budget: &Budget, started: Instant) -> Result<Line> {
    // The table is for people; programs want the choice alone.
    let prepared = loaded.prepared()?;
    let what = format!("building engines for {}", loaded.name);
    let choose =
        |budget: &Budget| Portfolio { batch: !args.json.json, ..Portfolio::new(budget) }.choose(prepared);
    let chosen = making(what, budget, choose).with_context(|| format!("no engine for {}", loaded.name))?;
    let build_seconds = started.elapsed().as_secs_f64();
    let line = scalar(args, &loaded.name, &*chosen.engine, budget, build_seconds)?;
    Ok(Line { report: Some(chosen.report), ..line })
}

fn scalar(
    args: &Bench,
    name: &str,
    engine: &dyn Engine,
    budget: &Budget,
    build_seconds: f64,
) -> Result<Line> {
    let mut worker = engine.worker();
    worker.obey(budget);
    let progress = Progress::bar(name, thousandths(args.seconds));
    let mut watch = |spent| progress.set(thousandths(spent));
    let measured = one_by_one(&mut *worker, args.seconds, &mut Random::new(args.seed), &mut watch);
    let measured = measured.map_err(|fault| limit::met(name, "in a random match", &fault))?;
    Ok(Line { engine: engine.name(), mode: Mode::Scalar, build_seconds, measured, report: None })
}

fn thousandths(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

fn print(
    args: &Bench,
    game: &str,
    line: &Line,
    out: &mut dyn Write,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    let Line { engine, mode, build_seconds, measured, report } = line;
    let Measured { playouts, transitions, cpu_seconds } = measured;
    let states_per_second = measured.states_per_second();
    let label = match mode {
        Mode::Scalar => engine,
        Mode::Batch => "lanes",
        Mode::Gpu => "cuda",
        Mode::Leaves => "tree",
        Mode::GpuLeaves => "tree, cuda",
    };
    figures.push(Figure { game: game.to_owned(), engine: label, states_per_second });
    if args.json.json {
        let answer = json!({
            "game": game,
            "engine": engine,
            "mode": match mode {
                Mode::Scalar => "scalar",
                Mode::Batch => "batch",
                Mode::Gpu => "cuda",
                Mode::Leaves => "leaves",
                Mode::GpuLeaves => "leaves-cuda",
            },
            "playouts": playouts,
            "transitions": transitions,
            "cpu_seconds": cpu_seconds,
            "build_seconds": build_seconds,
        });
        return Ok(json::line(out, &answer)?);
    }
    write!(out, "{game:20} {label:10} ")?;
    write!(out, "{:>12.1} {states_per_second:>12.0} ", measured.playouts_per_second())?;
    writeln!(out, "{playouts:>10} {transitions:>9} {build_seconds:>9.3}")?;
    if let Some(report) = report {
        explain(report, out)?;
    }
    Ok(out.flush()?)
}

/// What became of each member of the portfolio.
fn explain(report: &Report, out: &mut dyn Write) -> Result<()> {
    for (at, member) in report.members.iter().enumerate() {
        let engine = match member.execution {
            Execution::Scalar => member.engine,
            Execution::Lanes => "lanes",
        };
        let chosen = match (at == report.scalar, at == report.batch) {
            (true, true) => "  <- chosen",
            (true, false) => "  <- chosen for single games",
            (false, true) => "  <- chosen for batches",
            (false, false) => "",
        };
        writeln!(out, "  {engine:8} {:9} {}{chosen}", member.encoding, member.outcome)?;
    }
    Ok(())
}
