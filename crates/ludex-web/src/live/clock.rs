//! The clocks of a match: how long each role has thought, and what happens to a person who is late.
//!
//! Whoever watches runs the clock: the time of a person begins when a page shows the position, and a match that nobody
//! looks at waits. Who is late gets a random move, as managers of matches have it.

use super::{Inner, Live};
use crate::live::Seat;
use crate::refusal::Refusal;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The shortest and the longest time for a move of Ludex or of another program, in seconds.
const CLOCKS: (f64, f64) = (0.05, 60.0);

/// The same for people.
const LIMITS: (f64, f64) = (1.0, 3600.0);

/// The time for a move of a program, in seconds, within bounds.
pub fn clock(seconds: f64) -> f64 {
    if seconds.is_finite() { seconds.clamp(CLOCKS.0, CLOCKS.1) } else { 1.0 }
}

/// The time for a move of a person, in seconds, within bounds; none for zero.
pub fn limit(seconds: f64) -> Option<f64> {
    (seconds.is_finite() && seconds > 0.0).then(|| seconds.clamp(LIMITS.0, LIMITS.1))
}

/// The times of the position that is looked at.
#[derive(Clone, Debug)]
pub struct Times {
    /// When it was come to.
    pub since: Instant,
    /// Seconds that each role took for the move that is in.
    pub took: Vec<f64>,
    /// A clock runs for whoever is asked.
    runs: bool,
}

impl Times {
    /// Nobody has thought yet.
    pub fn new(roles: usize) -> Times {
        Times { since: Instant::now(), took: vec![0.0; roles], runs: false }
    }

    /// Another position: everybody begins anew.
    pub fn begin(&mut self) {
        *self = Times::new(self.took.len());
    }
}

impl Inner {
    /// Seconds that a role has used on the way to the current position, with the move that is in.
    pub fn spent(&self, role: usize) -> f64 {
        let path = self.positions.path(self.positions.at());
        let made = path.iter().filter_map(|&number| self.positions.get(number)?.took.get(role));
        made.sum::<f64>() + self.times.took[role]
    }

    /// People who are asked and have not moved.
    fn late(&self, asked: &[bool]) -> Vec<usize> {
        (0..asked.len()).filter(|&role| asked[role] && self.chosen[role].is_none()).collect()
    }
}

impl Live {
    /// How long until somebody is late; nothing where no clock runs. The first to ask starts the clock.
    pub fn until_late(&self) -> Option<Duration> {
        let mut inner = self.inner();
        let limit = inner.limit?;
        let waits = !inner.removed && !inner.now.over && !inner.late(&self.asked(&inner)).is_empty();
        if !waits || self.watchers.load(Ordering::Relaxed) == 0 {
            inner.times.runs = false;
            return None;
        }
        if !inner.times.runs {
            inner.times.runs = true;
            inner.times.since = Instant::now();
        }
        Some(Duration::from_secs_f64(limit).saturating_sub(inner.times.since.elapsed()))
    }

    /// True if the caller is to watch the clock from now on; false if somebody does.
    pub fn claim_clock(&self) -> bool {
        !self.timed.swap(true, Ordering::AcqRel)
    }

    /// Nobody watches the clock any more.
    pub fn leave_clock(&self) {
        self.timed.store(false, Ordering::Release);
    }

    /// Random moves for the people whose time is over.
    pub fn move_for_the_late(&self) -> Result<(), Refusal> {
        self.change(|inner| {
            let Some(limit) = inner.limit else { return Ok(()) };
            if !inner.times.runs || inner.times.since.elapsed().as_secs_f64() < limit {
                return Ok(());
            }
            let late = inner.late(&self.asked(inner));
            let names: Vec<&str> = late.iter().map(|&role| self.roles[role].as_str()).collect();
            inner.note = Some(format!("{} did not move in time: a random move", names.join(", ")));
            for role in late {
                let legal = &inner.now.legal[role];
                let choice = inner.random.below(legal.len());
                inner.chosen[role] = Some(legal[choice]);
                inner.times.took[role] = limit;
            }
            Ok(())
        })
    }

    /// A random move for a player that did not give one, with the reason.
    pub fn substitute(&self, at: usize, role: usize, by: &Seat, why: String) -> Result<(), Refusal> {
        let action = {
            let mut inner = self.inner();
            let count = inner.now.legal.get(role).map_or(0, Vec::len);
            if inner.positions.at() != at || count == 0 {
                return Err(Refusal::conflict("the match has gone on since; look again"));
            }
            let choice = inner.random.below(count);
            inner.now.legal[role][choice]
        };
        self.choose(at, role, action, by)?;
        self.inner().note = Some(why);
        self.tell();
        Ok(())
    }
}
