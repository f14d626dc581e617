//! When a search must end.
//!
//! A [`Clock`] is asked once an iteration. It ends a search at a moment (matches), after so much
//! processor time of its thread (comparisons at equal cost on a busy machine), or after a number of
//! iterations (tests, which must not depend on the machine); and whenever its [`Stop`] is set.

use cpu_time::ThreadTime;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that ends work on other threads. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the work.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once the work is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for what knows no search.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

/// Ends one search on one thread.
#[derive(Clone, Debug)]
pub struct Clock {
    end: End,
    stop: Stop,
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

    /// Ends only when `stop` is set.
    pub fn open(stop: Stop) -> Clock {
        Clock { end: End::Never, stop }
    }

    fn new(end: End) -> Clock {
        Clock { end, stop: Stop::default() }
    }

    /// The same clock, which also ends when `stop` is set.
    #[must_use]
    pub fn or(self, stop: Stop) -> Clock {
        Clock { stop, ..self }
    }

    /// Counts one iteration; true if it must not be made.
    pub fn tick(&mut self) -> bool {
        if let End::Iterations(left) = &mut self.end {
            if *left == 0 {
                return true;
            }
            *left -= 1;
        }
        self.is_over()
    }

    /// True if the time is up, in the middle of an iteration too. Iterations that were granted are finished.
    pub fn is_over(&self) -> bool {
        self.stop.is_set()
            || match &self.end {
                End::At(moment) => Instant::now() >= *moment,
                End::Processor(started, time) => started.elapsed() >= *time,
                End::Iterations(_) | End::Never => false,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Stop};
    use std::time::{Duration, Instant};

    #[test]
    fn each_kind_of_end_ends() {
        let mut clock = Clock::iterations(2);
        assert_eq!([clock.tick(), clock.tick(), clock.tick()], [false, false, true]);
        let now = Instant::now();
        assert!(Clock::until(now).is_over());
        assert!(!Clock::until(now + Duration::from_secs(3600)).is_over());
        assert!(Clock::processor(Duration::ZERO).is_over());
        let stop = Stop::default();
        let mut clock = Clock::until(now + Duration::from_secs(3600)).or(stop.clone());
        assert!(!clock.tick());
        stop.set();
        assert!(clock.tick() && Clock::open(stop).is_over());
    }
}
