//! Batches of games on a GPU: how fast, and how they are written for it.

use crate::game::Loaded;
use anyhow::Result;
use ludex::GpuLeaves;
use ludex::cuda::batch::{BatchSource, Form};
use ludex::cuda::{Cost, CudaError, Device, Shape, Source, cache};
use ludex::engine::budget::Budget;
use ludex::engine::measure::Measured;
use ludex::engine::propnet::lanes::Lanes;
use ludex::engine::row::{self, Row};
use ludex::engine::vocabulary::FluentId;
use ludex::search::agent::Accelerator;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Playouts longer than this are cut off, on the GPU as on the CPU.
const MOST_PLIES: u64 = 10_000;

/// Plays from `start` until the time is spent. Returns the seconds for writing and compiling, and what was
/// counted, in wall-clock time.
pub fn measure(
    number: usize,
    lanes: &Lanes,
    start: &Row,
    seconds: f64,
    seed: u64,
) -> Result<(f64, Measured), CudaError> {
    let begun = Instant::now();
    let phase = lanes.phase_of(start);
    let device = Device::open(number)?;
    let source = Source::fitting(lanes, phase.is_none(), Shape::bounded(MOST_PLIES))?;
    let fluents = source.fluents as u32;
    let kernel = device.load(source, cache().as_deref())?;
    let state: Vec<bool> = (0..fluents).map(|fluent| row::holds(start, FluentId(fluent))).collect();
    let mut playing = kernel.playing(kernel.full()?, seed, &state, phase.unwrap_or(0) as u32, MOST_PLIES)?;
    let compiling = begun.elapsed().as_secs_f64();
    let mut measured = Measured::default();
    let mut passes = 16;
    let begun = Instant::now();
    while measured.cpu_seconds < seconds {
        let result = playing.run(passes)?;
        measured.playouts += result.playouts;
        measured.transitions += result.transitions;
        let now = begun.elapsed().as_secs_f64();
        if now - measured.cpu_seconds < 0.05 {
            passes *= 2;
        }
        measured.cpu_seconds = now;
    }
    Ok((compiling, measured))
}

/// A GPU by its number, for the trees of this process; `None` if it cannot be used, which is said once.
pub fn accelerator(number: usize) -> Option<Arc<dyn Accelerator>> {
    static OPENED: OnceLock<Option<Arc<dyn Accelerator>>> = OnceLock::new();
    let open = || match GpuLeaves::open(number) {
        Ok(gpu) => Some(Arc::new(gpu) as Arc<dyn Accelerator>),
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "note: {why}; the CPU values leaves");
            None
        }
    };
    OPENED.get_or_init(open).clone()
}

/// How the game is written for a GPU. Needs none.
pub fn explain(loaded: &Loaded, budget: &Budget, out: &mut dyn Write) -> Result<()> {
    let compiled = loaded.network(budget)?;
    let lanes = Lanes::new(&compiled.net, &compiled.initial, budget)?;
    let begun = Instant::now();
    let source = Source::fitting(&lanes, false, Shape::bounded(MOST_PLIES))?;
    let seconds = begun.elapsed().as_secs_f64();
    if source.shared > 0 || source.room > 0 {
        let games = 32 * source.units;
        writeln!(out, "{games:>10}  games of a block of {} threads, gates as a table", source.block)?;
        let (bytes, place) = match source.room {
            0 => (source.shared as usize, "of shared memory"),
            room => (room, "of the device's memory, since shared memory is too small,"),
        };
        writeln!(out, "{bytes:>10}  bytes {place} of a block")?;
        writeln!(out, "{:>10}  bytes of gates and lists", 4 * source.data.len())?;
    } else {
        writeln!(out, "{:>10}  games of a thread, gates as straight-line code", 32)?;
    }
    writeln!(out, "{:>10}  phases that play goes through", source.period)?;
    for (phase, cost) in source.costs.iter().enumerate() {
        let Cost { legal, choice, next, rest } = cost;
        writeln!(
            out,
            "{:>10}  operations a pass in phase {phase}: {legal} terminal and legal, {choice} choice, {next} next \
state, {rest} ends, goals and refilling",
            cost.total()
        )?;
    }
    let goals = if source.goals_aside {
        "for many games at a time, from states that were kept"
    } else {
        "in each pass"
    };
    writeln!(out, "{:>10}  goals are computed {goals}", "")?;
    writeln!(out, "{:>10}  bytes of source, written in {seconds:.3} s", source.text.len())?;
    let steps = BatchSource::fitting(&compiled.net)?;
    let form = match steps.form {
        Form::Straight => "straight-line code",
        Form::Table => "a table in shared memory",
        Form::Room => "a table in the device's memory",
    };
    writeln!(out, "{:>10}  operations of a step with given moves, as {form}", steps.operations)?;
    Ok(())
}
