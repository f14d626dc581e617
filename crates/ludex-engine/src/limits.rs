//! Bounds on work whose size the rules decide.

use std::fmt;
use std::time::{Duration, Instant};

/// How much a computation may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows (ground atoms) that may be derived.
    pub rows: usize,
    /// Steps of work (rows tried) that may be made: the bound that does not depend on the machine.
    pub steps: u64,
    /// Time that may pass.
    pub time: Duration,
}

impl Default for Limits {
    /// Four million atoms, two billion steps (some twenty seconds), twenty seconds. Each of the stages of
    /// building an engine may take as much.
    fn default() -> Limits {
        Limits { rows: 4_000_000, steps: 2_000_000_000, time: Duration::from_secs(20) }
    }
}

/// Which limit a computation ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// More ground atoms than allowed.
    Rows(usize),
    /// More steps than allowed.
    Steps(u64),
    /// More time than allowed.
    Time(Duration),
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exceeded::Rows(rows) => write!(f, "more than {rows} ground atoms"),
            Exceeded::Steps(steps) => write!(f, "more than {steps} steps"),
            Exceeded::Time(time) => write!(f, "more than {:.1} s", time.as_secs_f64()),
        }
    }
}

/// What is left of [`Limits`].
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limits: Limits,
    rows: usize,
    started: Instant,
    ticks: u64,
}

/// The clock is read once in so many ticks: a tick is a few nanoseconds, reading the clock some thirty.
const TICKS_A_LOOK: u64 = 1 << 14;

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        Budget { limits, rows: 0, started: Instant::now(), ticks: 0 }
    }

    pub(crate) fn spend(&mut self, rows: usize) -> Result<(), Exceeded> {
        self.rows += rows;
        if self.rows > self.limits.rows { Err(Exceeded::Rows(self.limits.rows)) } else { Ok(()) }
    }

    /// How many ticks there were: a measure of work that does not depend on the machine.
    pub(crate) fn ticks(&self) -> u64 {
        self.ticks
    }

    #[inline]
    pub(crate) fn tick(&mut self) -> Result<(), Exceeded> {
        self.ticks += 1;
        if !self.ticks.is_multiple_of(TICKS_A_LOOK) {
            return Ok(());
        }
        if self.ticks > self.limits.steps {
            return Err(Exceeded::Steps(self.limits.steps));
        }
        if self.started.elapsed() > self.limits.time { Err(Exceeded::Time(self.limits.time)) } else { Ok(()) }
    }
}
