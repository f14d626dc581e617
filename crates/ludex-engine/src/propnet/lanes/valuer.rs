//! Who values the leaves of a search: whatever plays random games from many states in one call.
//!
//! The lanes of a thread do, and so may a device beside the processor; a search asks either in the same way and need not
//! know which it has.

use super::each::Ended;
use super::{LANES, Lanes, LanesRunner};
use std::fmt;

/// Plays random games from given states, for one thread.
pub trait Valuer {
    /// The lanes by whose phases states are sorted.
    fn lanes(&self) -> &Lanes;

    /// The most states of a call.
    fn capacity(&self) -> usize;

    /// How many games the last call played from each state: `Ended::goals` has a row for each of them, those of a state one
    /// behind the other. It is one where last states are asked for: they belong to what their own game came to.
    fn games_a_state(&self) -> usize;

    /// Plays from each state as [`LanesRunner::playouts_each`] does.
    ///
    /// # Panics
    /// If there are more states than its capacity, or rows of another length.
    fn value(&mut self, phase: Option<usize>, states: &[u64], most: u64, ended: &mut Ended);
}

/// Gives each thread of a search a [`Valuer`] of its own.
pub trait Valuers: fmt::Debug + Send + Sync {
    /// One with random numbers from the seed.
    fn valuer(&self, seed: u64) -> Box<dyn Valuer + '_>;

    /// Why it no longer plays where it was meant to, told once: for those who watch.
    fn complaint(&self) -> Option<String> {
        None
    }
}

impl Valuer for LanesRunner<'_> {
    fn lanes(&self) -> &Lanes {
        self.lanes
    }

    fn capacity(&self) -> usize {
        LANES
    }

    fn games_a_state(&self) -> usize {
        1
    }

    fn value(&mut self, phase: Option<usize>, states: &[u64], most: u64, ended: &mut Ended) {
        self.playouts_each(phase, states, most, ended);
    }
}

impl Valuers for Lanes {
    fn valuer(&self, seed: u64) -> Box<dyn Valuer + '_> {
        Box::new(self.runner(seed))
    }
}
