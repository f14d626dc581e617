//! How much a piece of work may take, handed to it explicitly.
//!
//! A [`Budget`] holds all bounds at once: the size of what is derived (rows, steps), memory (bytes), the end of the
//! time (an absolute deadline), a token by which somebody else can end the work ([`Cancel`]), and how far it is
//! ([`Progress`]). It is handed down by reference to everything whose size the rules decide; there is nothing of the
//! thread's or the process's. Hot loops count with a [`Meter`], which looks at the clock once in many ticks. Work that
//! meets a bound ends with [`Exceeded`], which says which one.
//!
//! Rows and steps bound each computation by itself (one fixpoint, one grounding, one question): they do not depend
//! on the machine, so what fits once fits always. Everything else is common to all that is done with a budget and
//! its clones.
//!
//! What it cannot do: take a processor away from work that does not look. A stage looks at least every few
//! milliseconds, or it breaks the promise that a cancelled command ends at once.

mod cancel;
mod progress;
mod resident;

pub use cancel::Cancel;
pub use progress::{Progress, Stage};

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How much a piece of work may take. Clones are cheap and share what is held, the token and the progress.
#[derive(Clone, Debug)]
pub struct Budget {
    rows: usize,
    steps: u64,
    bytes: usize,
    held: Arc<AtomicUsize>,
    resident: Option<usize>,
    deadline: Option<Deadline>,
    cancel: Option<Cancel>,
    progress: Option<Arc<Progress>>,
}

/// When the time is over, and how much there was of it.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Instant,
    allowed: Duration,
}

impl Default for Budget {
    /// Four million ground atoms and two billion steps (some twenty seconds) a computation; any time, any memory.
    fn default() -> Budget {
        Budget {
            rows: 4_000_000,
            steps: 2_000_000_000,
            bytes: usize::MAX,
            held: Arc::default(),
            resident: None,
            deadline: None,
            cancel: None,
            progress: None,
        }
    }
}

impl Budget {
    /// Ground atoms that a computation may derive.
    #[must_use]
    pub fn with_rows(self, rows: usize) -> Budget {
        Budget { rows, ..self }
    }

    /// Steps of work (rows tried, gates made, nodes visited) that a computation may make.
    #[must_use]
    pub fn with_steps(self, steps: u64) -> Budget {
        Budget { steps, ..self }
    }

    /// Bytes that the work may say to hold ([`Budget::hold`]), counted from zero. For work inside a larger process.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Budget {
        Budget { bytes, held: Arc::default(), ..self }
    }

    /// Bytes that the whole process may have in memory: for commands. Looked at where the operating system tells
    /// (Linux), so nothing that grows can be forgotten; elsewhere only [`Budget::with_bytes`] bounds memory.
    #[must_use]
    pub fn with_resident(self, bytes: usize) -> Budget {
        Budget { resident: Some(bytes), ..self }
    }

    /// The same work, which ends after so much time from now if not earlier.
    #[must_use]
    pub fn within(self, time: Duration) -> Budget {
        match Instant::now().checked_add(time) {
            Some(at) => self.narrowed(Deadline { at, allowed: time }),
            // As good as never.
            None => self,
        }
    }

    /// The same work, which ends at this moment if not earlier.
    #[must_use]
    pub fn until(self, at: Instant) -> Budget {
        let allowed = at.saturating_duration_since(Instant::now());
        self.narrowed(Deadline { at, allowed })
    }

    /// A part of the work that gets one `parts`th of the time that is left; without a deadline, all.
    #[must_use]
    pub fn share(&self, parts: u32) -> Budget {
        match self.remaining() {
            Some(left) => self.clone().within(left / parts.max(1)),
            None => self.clone(),
        }
    }

    fn narrowed(self, deadline: Deadline) -> Budget {
        let earlier = self.deadline.is_none_or(|own| deadline.at < own.at);
        if earlier { Budget { deadline: Some(deadline), ..self } } else { self }
    }

    /// The same work, which ends when the token is cancelled; tokens that it had stay valid.
    #[must_use]
    pub fn with_cancel(self, cancel: Cancel) -> Budget {
        let cancel = match &self.cancel {
            Some(own) => Cancel::either(own, &cancel),
            None => cancel,
        };
        Budget { cancel: Some(cancel), ..self }
    }

    /// The same work, of which others can read how far it is.
    #[must_use]
    pub fn with_progress(self, progress: Arc<Progress>) -> Budget {
        Budget { progress: Some(progress), ..self }
    }

    /// What of it an engine keeps for the questions it will be asked: rows and steps. The deadline, the token and the
    /// bound on memory are those of the building, which the engine outlives.
    #[must_use]
    pub fn lasting(&self) -> Budget {
        Budget::default().with_rows(self.rows).with_steps(self.steps)
    }

    /// As [`Budget::lasting`] for somebody who has a budget of his own: its rows and steps, and the rest of `other`.
    #[must_use]
    pub fn obeying(&self, other: &Budget) -> Budget {
        other.clone().with_rows(self.rows).with_steps(self.steps)
    }

    /// Ground atoms a computation.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Steps a computation.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// When the time is over, if ever.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline.map(|deadline| deadline.at)
    }

    /// The time that is left; `None` without a deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.at.saturating_duration_since(Instant::now()))
    }

    /// The token that ends the work, if there is one.
    pub fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_ref()
    }

    /// Looks, and tells whoever reads the progress that a stage begins.
    pub fn begin(&self, stage: Stage) -> Result<(), Exceeded> {
        if let Some(progress) = &self.progress {
            progress.begin(stage);
        }
        self.check()
    }

    /// Says that the work holds so many bytes more; an error if that is more than it may.
    pub fn hold(&self, bytes: usize) -> Result<(), Exceeded> {
        let held = self.held.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if held > self.bytes { Err(Exceeded::Bytes(self.bytes)) } else { Ok(()) }
    }

    /// Says that so many of the bytes that were held are free again.
    pub fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether there is room for so many bytes more, before they are allocated: asked by whatever doubles.
    pub fn has_room(&self, bytes: usize) -> Result<(), Exceeded> {
        if self.held.load(Ordering::Relaxed).saturating_add(bytes) > self.bytes {
            return Err(Exceeded::Bytes(self.bytes));
        }
        match self.resident {
            Some(most) if resident::bytes().saturating_add(bytes) > most => Err(Exceeded::Bytes(most)),
            _ => Ok(()),
        }
    }

    /// Looks at everything that the whole work has in common: the token, the clock, memory.
    pub fn check(&self) -> Result<(), Exceeded> {
        self.check_at(Instant::now())
    }

    fn check_at(&self, now: Instant) -> Result<(), Exceeded> {
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(Exceeded::Cancelled);
        }
        if let Some(Deadline { at, allowed }) = self.deadline
            && now >= at
        {
            return Err(Exceeded::Time(allowed));
        }
        self.has_room(0)
    }

    /// Counts one computation.
    pub fn meter(&self) -> Meter {
        let next_look = FEWEST_TICKS.min(self.steps.saturating_add(1));
        Meter {
            budget: self.clone(),
            rows: 0,
            ticks: 0,
            counted: 0,
            interval: FEWEST_TICKS,
            looked: None,
            next_look,
        }
    }

    /// A meter for work whose size is bounded otherwise: it looks at what is common to all work, and lets any number of
    /// rows and steps pass.
    pub fn clock(&self) -> Meter {
        self.clone().with_rows(usize::MAX).with_steps(u64::MAX).meter()
    }

    /// Counts the bytes of one structure that grows; nothing yet.
    pub fn holding(&self) -> Holding {
        Holding { budget: self.clone(), bytes: 0 }
    }
}

/// The bytes of one structure; they are free again when this is dropped.
#[derive(Debug)]
pub struct Holding {
    budget: Budget,
    bytes: usize,
}

impl Holding {
    /// Says how many bytes the structure has now.
    pub fn set(&mut self, bytes: usize) -> Result<(), Exceeded> {
        self.budget.release(self.bytes);
        self.bytes = bytes;
        self.budget.hold(bytes)
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// Which bound a piece of work has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exceeded {
    /// More ground atoms than allowed.
    Rows(usize),
    /// More steps than allowed.
    Steps(u64),
    /// More memory than allowed.
    Bytes(usize),
    /// More time than allowed.
    Time(Duration),
    /// More conditions in all rules than allowed, when variables for whole fluents are replaced by what they can be.
    Rules(usize),
    /// A term nested deeper than allowed.
    Depth(u32),
    /// Terms that take more characters, written down, than allowed.
    Written(u64),
    /// Somebody has ended the work.
    Cancelled,
}

impl Exceeded {
    /// True if the game may fit all the same: what was met is the caller's patience or memory, not the size of what the
    /// rules derive. Trying something else instead would meet it again.
    pub fn is_final(self) -> bool {
        matches!(self, Exceeded::Bytes(_) | Exceeded::Time(_) | Exceeded::Cancelled)
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exceeded::Rows(rows) => write!(f, "more than {rows} ground atoms"),
            Exceeded::Steps(steps) => write!(f, "more than {steps} steps"),
            Exceeded::Bytes(bytes) => write!(f, "more than {} MB of memory", bytes >> 20),
            Exceeded::Time(time) => write!(f, "more than {:.1} s", time.as_secs_f64()),
            Exceeded::Rules(conditions) => {
                write!(
                    f,
                    "rules of more than {conditions} conditions, one for each function that variables can be"
                )
            }
            Exceeded::Depth(depth) => write!(f, "terms nested deeper than {depth}"),
            Exceeded::Written(characters) => write!(f, "terms of more than {characters} characters"),
            Exceeded::Cancelled => f.write_str("longer than somebody would wait"),
        }
    }
}

impl std::error::Error for Exceeded {}

/// Between two looks at the clock a meter lets so much time pass, more or less: reading the clock takes some thirty
/// nanoseconds, and what is called off has to end within milliseconds.
const BETWEEN_LOOKS: Duration = Duration::from_micros(500);

/// Ticks before a meter looks for the first time, and the fewest between two looks. A tick can be a few nanoseconds
/// (a row tried) or a microsecond (a clause written), which is why their number follows the clock.
const FEWEST_TICKS: u64 = 1 << 9;

/// The most ticks between two looks.
const MOST_TICKS: u64 = 1 << 16;

/// Counts one computation within a budget, locally: a tick is an addition and a comparison.
///
/// When it looks at the clock depends on the machine; how many steps it lets pass does not.
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    rows: usize,
    ticks: u64,
    /// Ticks that the progress has been told of.
    counted: u64,
    /// Ticks between two looks, as it is now.
    interval: u64,
    looked: Option<Instant>,
    next_look: u64,
}

impl Meter {
    /// The budget that is counted against.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Begins another computation: rows and steps count from zero. When the clock is read next does not change, so that
    /// of many small computations some look.
    pub fn restart(&mut self) {
        self.rows = 0;
        self.report();
        // After a bound was met there may be nothing left to the next look.
        self.next_look = self.next_look.saturating_sub(self.ticks).max(1);
        self.counted = 0;
        self.ticks = 0;
    }

    /// Counts atoms that were derived.
    pub fn spend(&mut self, rows: usize) -> Result<(), Exceeded> {
        self.rows += rows;
        if self.rows > self.budget.rows { Err(Exceeded::Rows(self.budget.rows)) } else { Ok(()) }
    }

    /// How many ticks there were: a measure of work that does not depend on the machine.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Counts a step.
    #[inline]
    pub fn tick(&mut self) -> Result<(), Exceeded> {
        self.tick_by(1)
    }

    /// Counts several steps: for work that is done in lots.
    #[inline]
    pub fn tick_by(&mut self, ticks: u64) -> Result<(), Exceeded> {
        self.ticks += ticks;
        if self.ticks < self.next_look { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Exceeded> {
        self.report();
        if self.ticks > self.budget.steps {
            return Err(Exceeded::Steps(self.budget.steps));
        }
        let now = Instant::now();
        if let Some(before) = self.looked.replace(now) {
            let passed = now.duration_since(before);
            if passed > 2 * BETWEEN_LOOKS {
                // Much slower than it was: a tick has become another kind of work.
                self.interval = (self.interval / 4).max(FEWEST_TICKS);
            } else if passed < BETWEEN_LOOKS {
                self.interval = (self.interval * 2).min(MOST_TICKS);
            }
        }
        self.next_look = self.ticks.saturating_add(self.interval).min(self.budget.steps.saturating_add(1));
        self.budget.check_at(now)
    }

    fn report(&mut self) {
        if let Some(progress) = &self.budget.progress {
            progress.add(self.ticks - self.counted);
        }
        self.counted = self.ticks;
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Cancel, Exceeded, MOST_TICKS, Progress, Stage};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn work(budget: &Budget, ticks: u64) -> Result<(), Exceeded> {
        let mut meter = budget.meter();
        (0..ticks).try_for_each(|_| meter.tick())
    }

    #[test]
    fn every_bound_ends_the_work_and_says_which_it_was() {
        let plain = Budget::default();
        assert_eq!(work(&plain, 3 * MOST_TICKS), Ok(()));
        assert_eq!(plain.clone().with_rows(2).meter().spend(3), Err(Exceeded::Rows(2)));
        assert_eq!(work(&plain.clone().with_steps(10), MOST_TICKS), Err(Exceeded::Steps(10)));
        let over = plain.clone().within(Duration::ZERO);
        assert_eq!(work(&over, MOST_TICKS), Err(Exceeded::Time(Duration::ZERO)));
        let cancel = Cancel::default();
        let budget = plain.clone().with_cancel(cancel.clone());
        assert_eq!(work(&budget, MOST_TICKS), Ok(()));
        cancel.cancel();
        assert_eq!(work(&budget, MOST_TICKS), Err(Exceeded::Cancelled));
        let small = plain.with_bytes(100);
        let same = small.clone();
        assert_eq!((small.hold(60), same.hold(60)), (Ok(()), Err(Exceeded::Bytes(100))));
        assert_eq!(small.check(), Err(Exceeded::Bytes(100)));
        small.release(60);
        assert_eq!((small.has_room(40), small.has_room(41)), (Ok(()), Err(Exceeded::Bytes(100))));
        let mut holding = small.holding();
        assert_eq!((holding.set(41), holding.set(40)), (Err(Exceeded::Bytes(100)), Ok(())));
        drop(holding);
        assert_eq!(small.has_room(40), Ok(()));
    }

    #[test]
    fn the_earlier_deadline_wins_and_an_engine_keeps_none() {
        let (soon, late) = (Duration::from_secs(100), Duration::from_secs(10_000));
        for budget in
            [Budget::default().within(soon).within(late), Budget::default().within(late).within(soon)]
        {
            assert!(budget.remaining().is_some_and(|left| left <= soon && left > soon / 2));
            let quarter = budget.share(4).remaining();
            assert!(quarter.is_some_and(|left| left <= soon / 4 && left > soon / 8));
            let lasting = budget.with_rows(7).lasting();
            assert_eq!((lasting.deadline(), lasting.rows()), (None, 7));
        }
        assert_eq!(Budget::default().within(Duration::MAX).deadline(), None);
        let past = Budget::default().until(Instant::now());
        assert_eq!(past.check(), Err(Exceeded::Time(Duration::ZERO)));
    }

    #[test]
    fn small_computations_look_at_the_clock_together() {
        let cancel = Cancel::default();
        let mut meter = Budget::default().with_cancel(cancel.clone()).meter();
        cancel.cancel();
        let questions = MOST_TICKS / 100 + 1;
        let ended = (0..questions).any(|_| {
            meter.restart();
            meter.tick_by(100).is_err()
        });
        assert!(ended);
    }

    #[test]
    fn the_whole_process_is_looked_at_where_that_is_possible() {
        let tight = Budget::default().with_resident(1);
        let expected = if cfg!(target_os = "linux") { Err(Exceeded::Bytes(1)) } else { Ok(()) };
        assert_eq!(tight.check(), expected);
        assert_eq!(Budget::default().with_resident(usize::MAX).check(), Ok(()));
    }

    #[test]
    fn progress_shows_the_stage_and_its_steps() {
        let progress = Arc::new(Progress::default());
        let budget = Budget::default().with_progress(progress.clone());
        budget.begin(Stage::Vocabulary).expect("no limit");
        work(&budget, 300_000).expect("less than the limit");
        Budget::default().begin(Stage::Tree).expect("no limit");
        // Steps are counted in lots, when the clock is looked at.
        assert_eq!(progress.to_string(), "finding what play can reach, 0.3 million steps");
        budget.begin(Stage::Grounding).expect("no limit");
        assert_eq!(progress.to_string(), "grounding the rules");
    }
}
