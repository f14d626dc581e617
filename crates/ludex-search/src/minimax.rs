//! Full-width search: every state down to a depth, without memory and without cuts.
//!
//! It is a measuring stick, the one by which encodings and engines of games are compared: the number of
//! states says whether two of them play the same game, the time which of them is faster. To find good
//! moves use a search that leaves out what cannot matter.

use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::perft::each_joint_move;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::time::Duration;

/// What to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// States so many joint moves from the initial one are visited, but not expanded.
    pub depth: usize,
    /// Expand terminal states like any other, as long as every role has a legal move there. The value does not
    /// change by that: what a terminal state is worth is decided.
    pub ignore_terminal: bool,
    /// Stop after so many states.
    pub most_states: u64,
}

impl Settings {
    /// A whole search to that depth, which ends where the game ends.
    pub fn to_depth(depth: usize) -> Settings {
        Settings { depth, ignore_terminal: false, most_states: u64::MAX }
    }
}

/// What a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// States visited, the initial one included; one that is reached in several ways counts each time.
    pub states: u64,
    /// What the first role can make sure of, if it chooses its move first and all others are against it:
    /// the minimax value in games of two players who take turns, the best result in games of one. `None`
    /// if the depth does not decide it, or the rules give no goal value.
    pub value: Option<Goal>,
    /// True if the search stopped before its end.
    pub is_cut: bool,
}

/// Searches from the initial state; a question that runs into a limit ends the search.
pub fn search(worker: &mut dyn Worker, settings: &Settings) -> Result<Outcome, Fault> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    let mut search = Search { worker, settings: *settings, states: 0, levels: Vec::new() };
    let bounds = search.visit(&state, 0)?;
    let is_cut = search.states >= settings.most_states;
    let value = (bounds.low == bounds.high && !is_cut).then_some(bounds.low);
    Ok(Outcome { states: search.states, value, is_cut })
}

/// What is known of the value of a state for the first role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    low: Goal,
    high: Goal,
}

impl Bounds {
    const UNKNOWN: Bounds = Bounds { low: Goal::MIN, high: Goal::MAX };

    fn min(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    fn max(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.max(other.high) }
    }
}

/// The buffers of one depth.
#[derive(Debug, Default)]
struct Level {
    legal: Vec<Vec<MoveId>>,
    joint: Vec<MoveId>,
    state: Vec<u64>,
}

struct Search<'w> {
    worker: &'w mut dyn Worker,
    settings: Settings,
    states: u64,
    /// By depth; taken while a state of that depth is expanded.
    levels: Vec<Level>,
}

impl Search<'_> {
    fn visit(&mut self, state: &[u64], depth: usize) -> Result<Bounds, Fault> {
        self.states += 1;
        let is_terminal = self.worker.is_terminal(state)?;
        let own = if is_terminal { self.goal(state)? } else { Bounds::UNKNOWN };
        let ends_here = is_terminal && !self.settings.ignore_terminal;
        if ends_here || depth == self.settings.depth || self.states >= self.settings.most_states {
            return Ok(own);
        }
        let below = self.expand(state, depth)?;
        Ok(if is_terminal { own } else { below })
    }

    fn goal(&mut self, state: &[u64]) -> Result<Bounds, Fault> {
        let goal = self.worker.goal(state, RoleId(0))?;
        Ok(goal.map_or(Bounds::UNKNOWN, |value| Bounds { low: value, high: value }))
    }

    fn expand(&mut self, state: &[u64], depth: usize) -> Result<Bounds, Fault> {
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Level::default);
        }
        let mut level = std::mem::take(&mut self.levels[depth]);
        level.state.resize(state.len(), 0);
        level.legal.resize(self.worker.vocabulary().role_count(), Vec::new());
        for (role, list) in level.legal.iter_mut().enumerate() {
            self.worker.legal(state, RoleId(role as u32), list)?;
        }
        // The first role's moves come in the outer loop: all replies to one of them follow each other.
        let mut best: Option<Bounds> = None;
        let mut worst: Option<(MoveId, Bounds)> = None;
        let better = |best: Option<Bounds>, reply: Bounds| Some(best.map_or(reply, |b| b.max(reply)));
        each_joint_move(&level.legal, &mut level.joint, &mut |joint| {
            if self.states >= self.settings.most_states {
                return Ok(());
            }
            self.worker.next(state, joint, &mut level.state)?;
            let reply = self.visit(&level.state, depth + 1)?;
            let Some(&own) = joint.first() else { return Ok(()) };
            worst = match worst {
                Some((action, bounds)) if action == own => Some((own, bounds.min(reply))),
                Some((_, bounds)) => {
                    best = better(best, bounds);
                    Some((own, reply))
                }
                None => Some((own, reply)),
            };
            Ok(())
        })?;
        self.levels[depth] = level;
        if let Some((_, bounds)) = worst {
            best = better(best, bounds);
        }
        Ok(best.unwrap_or(Bounds::UNKNOWN))
    }
}

/// How long each engine is measured at most, how often, and how much another must be ahead of the first.
const MEASURED: Duration = Duration::from_millis(60);
const ROUNDS: usize = 3;
const MARGIN: f64 = 0.9;

/// Which of the engines of one game searches fastest, found by letting each search for a moment; the first
/// unless another is clearly faster. One that runs into a limit is the slowest. `None` if there are none.
/// `clock` says how much time has passed since some moment; the processor time of the thread is better than
/// the time of day on a busy machine.
pub fn fastest(
    engines: &[&dyn Engine],
    settings: &Settings,
    clock: &mut dyn FnMut() -> Duration,
) -> Option<usize> {
    let mut workers: Vec<_> = engines.iter().map(|engine| engine.worker()).collect();
    let first = workers.first_mut()?;
    // As many states as the first visits in the time, from few to more: a search of a thousand states may
    // take a millisecond or a minute.
    let mut sample = Settings { most_states: 16, ..*settings };
    loop {
        let started = clock();
        let outcome = search(&mut **first, &sample);
        let spent = clock().saturating_sub(started);
        if outcome.is_ok_and(|outcome| !outcome.is_cut)
            || spent * 2 > MEASURED
            || sample.most_states * 2 > settings.most_states
        {
            break;
        }
        sample.most_states *= 2;
    }
    let mut times = vec![Duration::MAX; workers.len()];
    for _ in 0..ROUNDS {
        for (worker, time) in workers.iter_mut().zip(&mut times) {
            let started = clock();
            if search(&mut **worker, &sample).is_ok() {
                *time = clock().saturating_sub(started).min(*time);
            }
        }
    }
    let best = (0..times.len()).min_by_key(|&at| times[at])?;
    let is_ahead = times[best].as_secs_f64() < MARGIN * times[0].as_secs_f64();
    Some(if is_ahead { best } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::{Settings, fastest, search};
    use ludex_engine::budget::Budget;
    use ludex_engine::datalog::Datalog;
    use ludex_engine::engine::Engine;
    use std::time::Duration;

    fn engine(text: &str) -> Datalog {
        let game = ludex_gdl::Sheet::read(text).into_game().expect("a sound sheet");
        Datalog::new(&game, &Budget::default()).expect("a small game")
    }

    /// A coin in one hand or the other, hidden and guessed at the same time.
    const GUESSING: &str = "
        (role guesser) (role hider) (init now)
        (legal guesser left) (legal guesser right) (legal hider left) (legal hider right)
        (<= (next (over ?r)) (does guesser ?m) (does hider ?m) (same ?r))
        (<= (next (over ?r)) (does guesser ?m) (does hider ?n) (distinct ?m ?n) (other ?r))
        (same yes) (other no)
        (<= terminal (true (over ?r)))
        (<= (goal guesser 100) (true (over yes)))
        (<= (goal guesser 30) (true (over no)))
        (<= (goal hider 0) (true (over yes)))
        (<= (goal hider 70) (true (over no)))";

    #[test]
    fn moves_at_the_same_time_are_worth_what_can_be_made_sure() {
        let engine = engine(GUESSING);
        let outcome = search(&mut *engine.worker(), &Settings::to_depth(5)).expect("no limit is met");
        // The initial state and four ends; whatever is guessed, the hider may have hidden otherwise.
        assert_eq!((outcome.states, outcome.value, outcome.is_cut), (5, Some(30), false));
    }

    #[test]
    fn a_depth_that_decides_nothing_has_no_value() {
        let engine = engine(GUESSING);
        let outcome = search(&mut *engine.worker(), &Settings::to_depth(0)).expect("no limit is met");
        assert_eq!((outcome.states, outcome.value), (1, None));
    }

    #[test]
    fn terminal_states_are_expanded_on_request_and_keep_their_value() {
        let engine = engine(GUESSING);
        let settings = Settings { ignore_terminal: true, ..Settings::to_depth(2) };
        let outcome = search(&mut *engine.worker(), &settings).expect("no limit is met");
        assert_eq!((outcome.states, outcome.value), (1 + 4 + 16, Some(30)));
        let cut = search(&mut *engine.worker(), &Settings { most_states: 7, ..settings });
        let cut = cut.expect("no limit is met");
        assert_eq!((cut.states, cut.value, cut.is_cut), (7, None, true));
    }

    #[test]
    fn the_first_engine_is_taken_unless_another_is_faster() {
        let (one, other) = (engine(GUESSING), engine(GUESSING));
        // A clock that advances by these milliseconds whenever it is read: first to find a sample that takes
        // long enough, then before and after each of the two engines, three times.
        let choice = |engines: &[&dyn Engine], steps: [u64; 2]| {
            let (mut reads, mut now) = (0, Duration::ZERO);
            fastest(engines, &Settings::to_depth(1), &mut || {
                let during = reads % 2 == 1;
                let which = if reads < 2 { 0 } else { (reads / 2 - 1) % 2 };
                reads += 1;
                now += Duration::from_millis(if during { steps[which] } else { 0 });
                now
            })
        };
        assert_eq!(choice(&[&one, &other], [100, 100]), Some(0));
        assert_eq!(choice(&[&one, &other], [100, 95]), Some(0));
        assert_eq!(choice(&[&one, &other], [100, 80]), Some(1));
        assert_eq!(choice(&[], [0, 0]), None);
    }
}
