//! `ludex bench`: how fast an engine plays at random.

use crate::args::Bench;
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{game, json};
use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use ludex::engine::engine::{PlayoutBuffer, Worker};
use ludex::engine::limits::Limits;
use ludex::engine::propnet::{compile, lanes::Lanes};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::RoleId;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(args: &Bench, out: &mut dyn Write) -> Result<Status> {
    if let Some(contract) = &args.gdl_perf {
        return super::gdl_perf::run(contract, args.engine.engine, args.seed);
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
    for argument in &args.games {
        // A game that cannot be measured should not cost the figures of the others.
        if let Err(error) = measure_and_print(args, argument, out) {
            if error.is::<Misuse>() || error.is::<std::io::Error>() {
                return Err(error);
            }
            out.flush()?;
            writeln!(std::io::stderr(), "error: {error:#}")?;
            measured_all = false;
        }
    }
    Ok(Status::of(measured_all))
}

fn measure_and_print(args: &Bench, argument: &Path, out: &mut dyn Write) -> Result<()> {
    let started = Instant::now();
    let loaded = game::read(argument)?;
    let (engine, mode, build_seconds, measured) = if args.batch {
        let compiled = compile(loaded.game()?, Limits::default())
            .with_context(|| format!("no propositional network for {}", loaded.name))?;
        let lanes = Lanes::new(&compiled.net, &compiled.initial);
        let build_seconds = started.elapsed().as_secs_f64();
        let measured = measure_batch(&loaded.name, &lanes, &compiled.initial, args);
        ("propnet", "batch", build_seconds, measured)
    } else {
        let engine = loaded.engine(args.engine.engine)?;
        let mut worker = engine.worker();
        let build_seconds = started.elapsed().as_secs_f64();
        let measured = measure(&loaded.name, &mut *worker, args.seconds, &mut Random::new(args.seed));
        (engine.name(), "scalar", build_seconds, measured)
    };
    let Measured { playouts, transitions, cpu_seconds } = measured;
    if args.json.json {
        let answer = json!({
            "game": loaded.name,
            "engine": engine,
            "mode": mode,
            "playouts": playouts,
            "transitions": transitions,
            "cpu_seconds": cpu_seconds,
            "build_seconds": build_seconds,
        });
        json::line(out, &answer)?;
    } else {
        let [per_second, states_per_second] = [playouts, transitions].map(|n| n as f64 / cpu_seconds);
        let engine = if args.batch { "lanes" } else { engine };
        write!(out, "{:20} {engine:10} ", loaded.name)?;
        write!(out, "{per_second:>12.1} {states_per_second:>12.0} ")?;
        writeln!(out, "{playouts:>10} {transitions:>9} {build_seconds:>9.3}")?;
        out.flush()?;
    }
    Ok(())
}

struct Measured {
    playouts: u64,
    transitions: u64,
    cpu_seconds: f64,
}

/// Plays 512 games at a time until the processor time is spent.
fn measure_batch(name: &str, lanes: &Lanes, start: &[u64], args: &Bench) -> Measured {
    /// Playouts longer than this are cut off: a game without an end must not fill all lanes.
    const MOST_PLIES: u64 = 10_000;
    let progress = Progress::bar(name, (args.seconds * 1000.0) as u64);
    let mut runner = lanes.runner(args.seed);
    let mut measured = Measured { playouts: 0, transitions: 0, cpu_seconds: 0.0 };
    let started = ThreadTime::now();
    while measured.cpu_seconds < args.seconds {
        let result = runner.run(start, 256, MOST_PLIES);
        measured.playouts += result.playouts;
        measured.transitions += result.transitions;
        measured.cpu_seconds = started.elapsed().as_secs_f64();
        progress.set((measured.cpu_seconds * 1000.0) as u64);
    }
    measured
}

/// Plays until the processor time is spent.
fn measure(name: &str, worker: &mut dyn Worker, seconds: f64, random: &mut Random) -> Measured {
    /// Reading the clock is a system call: often enough to stop in time, seldom enough to cost nothing.
    const BETWEEN_LOOKS: Duration = Duration::from_millis(5);
    let progress = Progress::bar(name, (seconds * 1000.0) as u64);
    let mut buffer = PlayoutBuffer::default();
    let mut state = vec![0; worker.vocabulary().words()];
    let (mut playouts, mut transitions) = (0, 0);
    let mut batch = 1;
    let started = ThreadTime::now();
    let mut spent = Duration::ZERO;
    worker.initial(&mut state);
    while spent.as_secs_f64() < seconds {
        let mut left: usize = batch;
        while left > 0 {
            let made = worker.playout(&mut state, left, random, &mut buffer);
            transitions += made as u64;
            if made < left {
                playouts += 1;
                // A playout that nobody reads the outcome of is no use: goals are part of the work.
                for role in 0..worker.vocabulary().role_count() as u32 {
                    std::hint::black_box(worker.goal(&state, RoleId(role)));
                }
                worker.initial(&mut state);
            }
            // A game that is over before it begins must not keep us here for ever.
            left -= made.max(1);
        }
        let now = started.elapsed();
        if now - spent < BETWEEN_LOOKS {
            batch *= 2;
        }
        spent = now;
        progress.set(spent.as_millis() as u64);
    }
    Measured { playouts, transitions, cpu_seconds: spent.as_secs_f64() }
}
