//! When a search must end.
//!
//! A [`Clock`] is asked once an iteration. It ends a search at a moment (matches), after so much
//! processor time of its thread (comparisons at equal cost on a busy machine), or after a number of
//! iterations (tests, which must not depend on the machine); and whenever its [`Cancel`] is
//! cancelled. It counts iterations and processor time, which a [`Budget`](ludex_engine::budget::Budget) does not.

use cpu_time::ThreadTime;
use ludex_engine::budget::Cancel;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A count of changes, by which work begun before a change notices that it is about the past. Clones
/// share it.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<AtomicU64>);

impl Changes {
    /// Something has changed.
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many changes there have been.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends one search on one thread.
#[derive(Clone, Debug)]
pub struct Clock {
    end: End,
    /// Iterations since the last look at the processor's clock.
    unlooked: u32,
    cancel: Cancel,
    changes: Option<(Changes, u64)>,
}

#[derive(Clone, Debug)]
enum End {
    At(Instant),
    Processor(ThreadTime, Duration),
    Iterations(u64),
    Never,
}

impl Clock {
    /// Ends at a moment.
    pub fn until(moment: Instant) -> Clock {
        Clock::new(End::At(moment))
    }

    /// Ends when the calling thread has spent so much processor time.
    pub fn processor(time: Duration) -> Clock {
        Clock::new(End::Processor(ThreadTime::now(), time))
    }

    /// Ends after so many iterations.
    pub fn iterations(count: u64) -> Clock {
        Clock::new(End::Iterations(count))
    }

    /// Ends only when `cancel` is cancelled.
    pub fn open(cancel: Cancel) -> Clock {
        Clock { cancel, ..Clock::new(End::Never) }
    }

    /// A clock for a part of the work. It ends with this one, and before: after so many iterations if this one counts them,
    /// which are taken off it, else after so much time.
    pub fn part(&mut self, iterations: u64, time: Duration) -> Clock {
        let end = match &mut self.end {
            End::Iterations(left) => {
                let granted = (*left).min(iterations);
                *left -= granted;
                End::Iterations(granted)
            }
            End::At(moment) => End::At((*moment).min(Instant::now() + time)),
            End::Processor(started, all) => {
                End::Processor(ThreadTime::now(), all.saturating_sub(started.elapsed()).min(time))
            }
            End::Never => End::At(Instant::now() + time),
        };
        Clock { end, unlooked: 0, cancel: self.cancel.clone(), changes: self.changes.clone() }
    }

    /// True if it goes by iterations, so that what is done depends on nothing else.
    pub fn counts_iterations(&self) -> bool {
        matches!(self.end, End::Iterations(_))
    }

    fn new(end: End) -> Clock {
        Clock { end, unlooked: 0, cancel: Cancel::default(), changes: None }
    }

    /// The same clock, which also ends when `cancel` is cancelled.
    #[must_use]
    pub fn or(self, cancel: Cancel) -> Clock {
        Clock { cancel, ..self }
    }

    /// The same clock, which also ends when there have been other than `count` changes.
    #[must_use]
    pub fn while_unchanged(self, changes: &Changes, count: u64) -> Clock {
        Clock { changes: Some((changes.clone(), count)), ..self }
    }

    /// Counts one iteration; true if it must not be made.
    pub fn tick(&mut self) -> bool {
        if let End::Iterations(left) = &mut self.end {
            if *left == 0 {
                return true;
            }
            *left -= 1;
        }
        if matches!(self.end, End::Processor(..)) {
            self.unlooked = (self.unlooked + 1) % BETWEEN_LOOKS;
            if self.unlooked != 0 {
                return self.is_called_off();
            }
        }
        self.is_over()
    }

    /// True if the time is up, in the middle of an iteration too. Iterations that were granted are finished.
    pub fn is_over(&self) -> bool {
        self.is_called_off()
            || match &self.end {
                End::At(moment) => Instant::now() >= *moment,
                End::Processor(started, time) => started.elapsed() >= *time,
                End::Iterations(_) | End::Never => false,
            }
    }

    /// True if somebody has stopped the work, or something has changed.
    fn is_called_off(&self) -> bool {
        self.cancel.is_cancelled()
            || self.changes.as_ref().is_some_and(|(changes, count)| changes.count() != *count)
    }
}

/// Reading the processor's clock is a system call, which takes as long as an iteration of the fastest searches.
const BETWEEN_LOOKS: u32 = 32;

#[cfg(test)]
mod tests {
    use super::{BETWEEN_LOOKS, Cancel, Changes, Clock};
    use std::time::{Duration, Instant};

    #[test]
    fn each_kind_of_end_ends() {
        let mut clock = Clock::iterations(2);
        assert_eq!([clock.tick(), clock.tick(), clock.tick()], [false, false, true]);
        let now = Instant::now();
        assert!(Clock::until(now).is_over());
        assert!(!Clock::until(now + Duration::from_secs(3600)).is_over());
        assert!(Clock::processor(Duration::ZERO).is_over());
        let mut clock = Clock::processor(Duration::ZERO);
        assert!((0..BETWEEN_LOOKS).any(|_| clock.tick()));
        let cancel = Cancel::default();
        let mut clock = Clock::iterations(5);
        let mut part = clock.part(3, Duration::ZERO);
        assert_eq!([part.tick(), part.tick(), part.tick(), part.tick()], [false, false, false, true]);
        assert_eq!([clock.tick(), clock.tick(), clock.tick()], [false, false, true]);
        let mut clock = Clock::until(now + Duration::from_secs(3600)).or(cancel.clone());
        assert!(clock.part(9, Duration::ZERO).is_over() && !clock.tick());
        cancel.cancel();
        assert!(clock.tick() && Clock::open(cancel).is_over());
        let changes = Changes::default();
        let clock = Clock::iterations(9).while_unchanged(&changes, 0);
        assert!(!clock.is_over());
        changes.add();
        assert!(clock.is_over());
    }
}
