//! How fast an engine plays at random, in processor time of the calling thread.
//!
//! What `ludex bench` shows and what the portfolio (`auto.rs`) chooses by.

use crate::engine::{PlayoutBuffer, Worker};
use crate::fault::Fault;
use crate::propnet::lanes::Lanes;
use crate::random::Random;
use crate::row::Row;
use crate::vocabulary::RoleId;
use cpu_time::ThreadTime;
use std::time::Duration;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Playouts that came to their end.
    pub playouts: u64,
    /// Joint moves made, those of the last, unfinished playout included.
    pub transitions: u64,
    /// Processor time that it took.
    pub cpu_seconds: f64,
}

impl Measured {
    /// Joint moves a second.
    pub fn states_per_second(&self) -> f64 {
        self.transitions as f64 / self.cpu_seconds.max(1e-9)
    }

    /// Playouts a second.
    pub fn playouts_per_second(&self) -> f64 {
        self.playouts as f64 / self.cpu_seconds.max(1e-9)
    }
}

/// Playouts longer than this are cut off: a game without an end must not fill all lanes.
const MOST_PLIES: u64 = 10_000;

/// Reading the clock is a system call: often enough to stop in time, seldom enough to cost nothing.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Plays from the initial state, one game after the other, until the processor time is spent. Goals are part
/// of the work: a playout that nobody reads the outcome of is no use. `watch` hears now and then how many
/// seconds have been spent.
pub fn one_by_one(
    worker: &mut dyn Worker,
    seconds: f64,
    random: &mut Random,
    watch: &mut dyn FnMut(f64),
) -> Result<Measured, Fault> {
    let mut buffer = PlayoutBuffer::default();
    let mut state = vec![0; worker.vocabulary().words()];
    let mut measured = Measured::default();
    let mut batch = 1;
    let started = ThreadTime::now();
    let mut spent = Duration::ZERO;
    worker.initial(&mut state);
    while spent.as_secs_f64() < seconds {
        let mut left: usize = batch;
        while left > 0 {
            let made = worker.playout(&mut state, left, random, &mut buffer)?;
            measured.transitions += made as u64;
            if made < left {
                measured.playouts += 1;
                for role in 0..worker.vocabulary().role_count() as u32 {
                    std::hint::black_box(worker.goal(&state, RoleId(role))?);
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
        watch(spent.as_secs_f64());
    }
    measured.cpu_seconds = spent.as_secs_f64();
    Ok(measured)
}

/// Plays 512 games at a time from `start` until the processor time is spent.
pub fn batches(lanes: &Lanes, start: &Row, seconds: f64, seed: u64, watch: &mut dyn FnMut(f64)) -> Measured {
    let mut runner = lanes.runner(seed);
    let mut measured = Measured::default();
    let mut passes = 1;
    let started = ThreadTime::now();
    while measured.cpu_seconds < seconds {
        let result = runner.run(start, passes, MOST_PLIES);
        measured.playouts += result.playouts;
        measured.transitions += result.transitions;
        let now = started.elapsed().as_secs_f64();
        if now - measured.cpu_seconds < BETWEEN_LOOKS.as_secs_f64() {
            passes *= 2;
        }
        measured.cpu_seconds = now;
        watch(now);
    }
    measured
}
