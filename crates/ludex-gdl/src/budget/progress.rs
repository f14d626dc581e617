//! What a piece of work is busy with, for those who wait for it.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The stages of making an engine, in their order. No engine has all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Nothing that takes long.
    Beginning,
    /// Finding the fluents and moves that play can reach.
    Vocabulary,
    /// Writing the rules out without variables.
    Grounding,
    /// Making gates of ground rules.
    Gates,
    /// Finding the phases of the game.
    Phases,
    /// Trying out how a network is best run, and writing code for it.
    Code,
    /// Remodelling and ordering rules for the interpreter.
    Tree,
}

impl Stage {
    const ALL: [Stage; 7] = [
        Stage::Beginning,
        Stage::Vocabulary,
        Stage::Grounding,
        Stage::Gates,
        Stage::Phases,
        Stage::Code,
        Stage::Tree,
    ];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Beginning => "beginning",
            Stage::Vocabulary => "finding what play can reach",
            Stage::Grounding => "grounding the rules",
            Stage::Gates => "making gates",
            Stage::Phases => "finding phases",
            Stage::Code => "writing code",
            Stage::Tree => "ordering conditions",
        })
    }
}

/// How far a piece of work is, readable from any thread. Shown, it is the stage and, once there are some, the steps.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    steps: AtomicU64,
}

impl Progress {
    /// The stage.
    pub fn stage(&self) -> Stage {
        Stage::ALL[usize::from(self.stage.load(Ordering::Relaxed))]
    }

    /// The steps of this stage so far: rows of tables that were tried, gates that were made.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self, stage: Stage) {
        self.steps.store(0, Ordering::Relaxed);
        self.stage.store(stage as u8, Ordering::Relaxed);
    }

    pub(super) fn add(&self, steps: u64) {
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = self.steps() as f64 / 1e6;
        write!(f, "{}", self.stage())?;
        if millions >= 0.1 { write!(f, ", {millions:.1} million steps") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::Stage;

    #[test]
    fn stages_are_listed_in_order() {
        for (number, stage) in (0..).zip(Stage::ALL) {
            assert_eq!(stage as u8, number);
        }
    }
}
