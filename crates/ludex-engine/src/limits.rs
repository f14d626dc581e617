//! Bounds on work whose size the rules decide.

use crate::watch::{Watch, watch};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Somebody stopped the work ([`interruptible`]).
    Stopped,
}

thread_local! {
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does work on this thread that ends early, as over a limit ([`Exceeded::Stopped`]), once `stop` is true.
/// The flag is the thread's and not part of [`Limits`] so that limits stay plain numbers; work that is
/// handed to other threads does not see it.
pub fn interruptible<T>(stop: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    /// Restores the flag of the work around this one, also if this one panics.
    struct Restore(Option<Arc<AtomicBool>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            STOP.set(self.0.take());
        }
    }
    let _restore = Restore(STOP.replace(Some(stop)));
    work()
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exceeded::Rows(rows) => write!(f, "more than {rows} ground atoms"),
            Exceeded::Steps(steps) => write!(f, "more than {steps} steps"),
            Exceeded::Time(time) => write!(f, "more than {:.1} s", time.as_secs_f64()),
            Exceeded::Stopped => f.write_str("longer than somebody would wait"),
        }
    }
}

/// The flag of the [`interruptible`] work that this thread does, for work that keeps its own limits.
pub fn stop_flag() -> Option<Arc<AtomicBool>> {
    STOP.with_borrow(Clone::clone)
}

/// What is left of [`Limits`].
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    limits: Limits,
    rows: usize,
    /// When the clock was first looked at: small questions never do.
    started: Option<Instant>,
    ticks: u64,
    next_look: u64,
    stop: Option<Arc<AtomicBool>>,
    watch: Option<Arc<Watch>>,
}

/// The clock is read once in so many ticks: a tick is a few nanoseconds, reading the clock some thirty.
const TICKS_A_LOOK: u64 = 1 << 14;

impl Budget {
    pub(crate) fn new(limits: Limits) -> Budget {
        let stop = STOP.with_borrow(Clone::clone);
        Budget { limits, rows: 0, started: None, ticks: 0, next_look: TICKS_A_LOOK, stop, watch: watch() }
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
        self.tick_by(1)
    }

    #[inline]
    pub(crate) fn tick_by(&mut self, ticks: u64) -> Result<(), Exceeded> {
        self.ticks += ticks;
        if self.ticks < self.next_look { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Exceeded> {
        if let Some(watch) = &self.watch {
            watch.add(self.ticks + TICKS_A_LOOK - self.next_look);
        }
        self.next_look = self.ticks + TICKS_A_LOOK;
        if self.ticks > self.limits.steps {
            return Err(Exceeded::Steps(self.limits.steps));
        }
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Exceeded::Stopped);
        }
        let started = *self.started.get_or_insert_with(Instant::now);
        if started.elapsed() > self.limits.time { Err(Exceeded::Time(self.limits.time)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exceeded, Limits, TICKS_A_LOOK, interruptible};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn work_is_stopped_on_its_own_thread_and_only_inside() {
        let look = || {
            let mut budget = Budget::new(Limits::default());
            (0..TICKS_A_LOOK).try_for_each(|_| budget.tick())
        };
        assert_eq!(interruptible(Arc::new(AtomicBool::new(true)), look), Err(Exceeded::Stopped));
        assert_eq!(interruptible(Arc::new(AtomicBool::new(false)), look), Ok(()));
        assert_eq!(look(), Ok(()));
    }
}
