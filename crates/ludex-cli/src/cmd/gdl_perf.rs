//! `ludex bench --gdl-perf`: the contract of the gdl-perf speed contest.
//!
//! A program is called with a rule sheet, a result file and a number of seconds; it plays random games and
//! writes how many, or why it could not. The answer is the file, so nothing is printed, and a game that
//! cannot be played is an answer too.

use crate::args::{self, Bounds};
use crate::status::{Misuse, Status};
use crate::{game, limit};
use anyhow::Result;
use ludex::engine::engine::{PlayoutBuffer, Worker};
use ludex::engine::fault::Fault;
use ludex::engine::propnet::lanes::Lanes;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::RoleId;
use ludex::engines::{self, Choice};
use std::path::Path;
use std::time::{Duration, Instant};

/// What was counted.
#[derive(Default)]
struct Counts {
    state_changes: u64,
    rollouts: u64,
}

/// Playouts longer than this are cut off.
const MOST_PLIES: u64 = 10_000;

pub fn run(contract: &[String], choice: Choice, bounds: Bounds, seed: u64) -> Result<Status> {
    let [sheet, result, seconds] = contract else {
        return Err(Misuse("--gdl-perf takes a game, a result file and seconds".to_owned()).into());
    };
    let seconds = args::seconds(seconds).map_err(|reason| Misuse(format!("SECONDS is {reason}")))?;
    let time = Duration::from_secs_f64(seconds);
    let mut lines = vec![format!("version = ludex {}", env!("CARGO_PKG_VERSION"))];
    let played = play(Path::new(sheet), choice, bounds, seed, time);
    let status = Status::of(played.is_ok());
    match played {
        Ok((counts, taken)) => {
            lines.push(format!("millisecondsTaken = {}", taken.as_millis()));
            lines.push(format!("numStateChanges = {}", counts.state_changes));
            lines.push(format!("numRollouts = {}", counts.rollouts));
        }
        Err(error) if error.is::<Misuse>() => return Err(error),
        Err(error) => {
            // One line: what follows is drawn for people.
            let message = format!("{error:#}");
            lines.push(format!("errorMessage = {}", message.lines().next().unwrap_or_default()));
        }
    }
    std::fs::write(result, lines.join("\n") + "\n")
        .map_err(|error| Misuse(format!("`{result}` cannot be written: {error}")))?;
    Ok(status)
}

/// Plays on the lanes where the engine is left to us and the network can be built, else one by one.
fn play(
    sheet: &Path,
    choice: Choice,
    bounds: Bounds,
    seed: u64,
    time: Duration,
) -> Result<(Counts, Duration)> {
    let loaded = game::read(sheet)?;
    let prepared = loaded.prepared()?;
    if choice.name == engines::AUTO.name
        && let Ok(compiled) = prepared.network(&bounds.budget())
    {
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &bounds.budget())?;
        return Ok(batches(&lanes, &compiled.initial, seed, time));
    }
    let engine = loaded.engine(choice, &bounds.budget())?;
    let mut worker = engine.worker();
    one_by_one(&mut *worker, seed, time)
        .map_err(|fault| limit::met(&loaded.name, "in a random match", &fault))
}

fn batches(lanes: &Lanes, start: &[u64], seed: u64, time: Duration) -> (Counts, Duration) {
    let mut runner = lanes.runner(seed);
    let mut counts = Counts::default();
    let started = Instant::now();
    while started.elapsed() < time {
        let result = runner.run(start, 64, MOST_PLIES);
        counts.state_changes += result.transitions;
        counts.rollouts += result.playouts;
    }
    (counts, started.elapsed())
}

fn one_by_one(worker: &mut dyn Worker, seed: u64, time: Duration) -> Result<(Counts, Duration), Fault> {
    /// Between two looks at the clock; a slow engine takes milliseconds for each.
    const PLIES_A_LOOK: usize = 16;
    let mut random = Random::new(seed);
    let mut buffer = PlayoutBuffer::default();
    let mut state = vec![0; worker.vocabulary().words()];
    let mut counts = Counts::default();
    let mut plies = 0;
    worker.initial(&mut state);
    let started = Instant::now();
    while started.elapsed() < time {
        let made = worker.playout(&mut state, PLIES_A_LOOK, &mut random, &mut buffer)?;
        counts.state_changes += made as u64;
        plies += made as u64;
        if made < PLIES_A_LOOK || plies >= MOST_PLIES {
            for role in 0..worker.vocabulary().role_count() as u32 {
                std::hint::black_box(worker.goal(&state, RoleId(role))?);
            }
            counts.rollouts += 1;
            plies = 0;
            worker.initial(&mut state);
        }
    }
    Ok((counts, started.elapsed()))
}
