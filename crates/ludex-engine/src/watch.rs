//! What the making of an engine is busy with, for those who wait for it.
//!
//! Like the flag of [`crate::limits::interruptible`], a watch is the thread's: who makes an engine under
//! [`watched`] can read from another thread which stage it has come to and how many steps it has made there.
//! Nobody watching, a stage costs a look at a variable of the thread.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The stages of making an engine, in their order. No engine has all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// How far the making of an engine is. Shown, it is the stage and, once there are some, the steps.
#[derive(Debug, Default)]
pub struct Watch {
    stage: AtomicU8,
    steps: AtomicU64,
}

impl Watch {
    /// The stage.
    pub fn stage(&self) -> Stage {
        Stage::ALL[usize::from(self.stage.load(Ordering::Relaxed))]
    }

    /// The steps of this stage so far: rows of tables that were tried.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, steps: u64) {
        self.steps.fetch_add(steps, Ordering::Relaxed);
    }
}

impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millions = self.steps() as f64 / 1e6;
        write!(f, "{}", self.stage())?;
        if millions >= 0.1 { write!(f, ", {millions:.1} million steps") } else { Ok(()) }
    }
}

thread_local! {
    static WATCH: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

/// Does work on this thread of which `watch` tells others how far it is. Work that is handed to other threads is not seen.
pub fn watched<T>(watch: Arc<Watch>, work: impl FnOnce() -> T) -> T {
    /// Restores the watch of the work around this one, also if this one panics.
    struct Restore(Option<Arc<Watch>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            WATCH.set(self.0.take());
        }
    }
    let _restore = Restore(WATCH.replace(Some(watch)));
    work()
}

/// Who watches this thread.
pub(crate) fn watch() -> Option<Arc<Watch>> {
    WATCH.with_borrow(Clone::clone)
}

/// Tells who watches that a stage begins.
pub(crate) fn begin(stage: Stage) {
    WATCH.with_borrow(|watch| {
        if let Some(watch) = watch {
            watch.steps.store(0, Ordering::Relaxed);
            watch.stage.store(stage as u8, Ordering::Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{Stage, Watch, begin, watched};
    use crate::limits::{Budget, Limits};
    use std::sync::Arc;

    #[test]
    fn a_watch_shows_the_stage_and_its_steps_and_ends_with_the_work() {
        let watch = Arc::new(Watch::default());
        watched(watch.clone(), || {
            begin(Stage::Vocabulary);
            let mut budget = Budget::new(Limits::default());
            (0..300_000).try_for_each(|_| budget.tick()).expect("less than the limit");
        });
        begin(Stage::Tree);
        assert_eq!(watch.stage(), Stage::Vocabulary);
        // Steps are counted in lots, when the clock is looked at.
        assert_eq!(watch.to_string(), "finding what play can reach, 0.3 million steps");
        watched(watch.clone(), || begin(Stage::Grounding));
        assert_eq!(watch.to_string(), "grounding the rules");
    }

    #[test]
    fn stages_are_listed_in_order() {
        for (number, stage) in (0..).zip(Stage::ALL) {
            assert_eq!(stage as u8, number);
        }
    }
}
