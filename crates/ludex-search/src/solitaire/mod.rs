//! Games for one: a line of play that reaches the best goal.
//!
//! With nobody to disturb it a line that reaches a goal once reaches it always, so what is sought is one line, and the best
//! one that was ever found is kept. Puzzles differ too much for one search to find it, so several take turns
//! ([`Portfolio`]), each with as much time as the others:
//!
//! | search | what it does | where it is the one |
//! |---|---|---|
//! | [`Solitaire`] | every state once, the nearest and the closest to the goal in turns | few states; the only proof that nothing is better |
//! | `deepening` | depth first within a bound on the length, with a table of states that were left | many ways to the goal, all of them long |
//! | `beam` | the best so many states of each depth by the goal heuristic | the heuristic tells much |
//! | `nested` | random games by a policy that goes after the best one (NRPA) | good games look alike, no heuristic |
//! | `planner` | a line of bounded length as a formula, for the SAT solver | constraints: sudoku, queens, nonograms |
//!
//! Fluents on which no end, no goal and no move ever depends are left out of their states, where there is a network to read
//! that off. What one finds is followed through the engine before it counts. All but the planner are bounded by the memory they are
//! given; they are resumed where they were, turn after turn.

mod beam;
mod deepening;
mod nested;
mod planner;
mod relevance;
mod visit;

pub use relevance::relevant;
pub use visit::Solitaire;

use crate::clock::Clock;
use crate::goal_heuristic::{Degrees, GoalHeuristic};
use beam::Beam;
use deepening::Deepening;
use ludex_engine::engine::{Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use ludex_logic::transition::System;
use nested::Nested;
use planner::Planner;
use std::time::Duration;

/// The best that the rules can give.
const CEILING: Goal = 100;

/// Longer lines are not looked for by searches that go down from the first state.
const LONGEST: usize = 1000;

/// The first turn of each search, in iterations where the clock counts them, else in time; and how turns grow.
const FIRST_TURN: (u64, Duration) = (256, Duration::from_millis(4));
const LONGEST_TURN: (u64, Duration) = (1 << 16, Duration::from_millis(250));

/// Which searches take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Every state once: [`Solitaire`].
    pub visit: bool,
    /// Depth first within bounds.
    pub deepening: bool,
    /// Nested rollout policy adaptation.
    pub nested: bool,
    /// Beam search.
    pub beam: bool,
    /// Planning by satisfiability, where there are formulas.
    pub planner: bool,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts { visit: true, deepening: true, nested: true, beam: true, planner: true }
    }
}

impl Parts {
    /// None of them.
    pub const NONE: Parts =
        Parts { visit: false, deepening: false, nested: false, beam: false, planner: false };
}

/// A way to an end of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The moves, from the state where the search began.
    pub moves: Vec<MoveId>,
    /// The goal at the end.
    pub value: Goal,
    /// True if there is no better one.
    pub is_best: bool,
}

/// The best line that was found.
#[derive(Debug, Default)]
struct Record {
    best: Option<(Goal, Vec<MoveId>)>,
    /// Moves of the longest game that was played.
    longest: usize,
}

impl Record {
    fn value(&self) -> Option<Goal> {
        self.best.as_ref().map(|(value, _)| *value)
    }

    /// True if nothing can be better.
    fn is_ceiling(&self) -> bool {
        self.value().is_some_and(|value| value >= CEILING)
    }

    fn beats(&self, value: Goal) -> bool {
        self.value().is_some_and(|best| best >= value)
    }

    /// A line that was followed through the engine to an end.
    fn offer(&mut self, value: Goal, moves: impl FnOnce() -> Vec<MoveId>) {
        if !self.beats(value) {
            self.best = Some((value, moves()));
        }
    }
}

/// How good a state looks, from 0 to 1; 0 where there is no heuristic.
#[derive(Debug, Default)]
struct Guide {
    degrees: Degrees,
    values: Vec<f64>,
}

impl Guide {
    fn of(&mut self, goal_heuristic: Option<&GoalHeuristic>, state: &Row) -> f64 {
        let Some(goal_heuristic) = goal_heuristic else { return 0.0 };
        goal_heuristic.of(state, &mut self.degrees, &mut self.values);
        self.values.first().copied().unwrap_or(0.0)
    }
}

/// What a search computes with in its turn.
struct Desk<'a> {
    worker: &'a mut dyn Worker,
    /// The fluents that matter, where that is known.
    mask: Option<&'a [u64]>,
    /// What the best goal demands of single fluents, as far as it is known.
    demands: &'a [(FluentId, bool)],
    goal_heuristic: Option<&'a GoalHeuristic>,
    record: &'a mut Record,
}

impl Desk<'_> {
    /// The state after a move, without what does not matter.
    fn next(&mut self, state: &Row, action: MoveId, out: &mut Row) -> Result<(), Fault> {
        self.worker.next(state, &[action], out)?;
        relevance::leave_out(self.mask, out);
        Ok(())
    }

    /// The goal at an end of the game; `None` if the state is none.
    fn ending(&mut self, state: &Row) -> Result<Option<Goal>, Fault> {
        if !self.worker.is_terminal(state)? {
            return Ok(None);
        }
        Ok(Some(self.worker.goal(state, RoleId(0))?.unwrap_or(0)))
    }
}

/// One of the searches.
trait Member {
    /// Goes on until the clock ends or a line of the best value is on record; true if it has nothing left to do.
    fn turn(&mut self, desk: &mut Desk<'_>, clock: &mut Clock) -> Result<bool, Fault>;
}

/// Searches that take turns. With a clock that counts iterations what they find depends on nothing else.
pub struct Portfolio<'s> {
    start: Vec<u64>,
    /// The fluents that matter, where there are formulas to read that off.
    mask: Option<Vec<u64>>,
    demands: Vec<(FluentId, bool)>,
    parts: Parts,
    visit: Solitaire,
    others: Vec<Box<dyn Member + 's>>,
    /// Those that have nothing left to do; the first is `visit`.
    done: Vec<bool>,
    /// Whose turn is next.
    next: usize,
    turn: (u64, Duration),
    record: Record,
}

impl std::fmt::Debug for Portfolio<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Portfolio")
            .field("done", &self.done)
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

impl<'s> Portfolio<'s> {
    /// Searches from `state` that take at most `memory` bytes together. `None` if the game is not for one.
    pub fn new(
        worker: &dyn Worker,
        state: &[u64],
        parts: Parts,
        memory: usize,
        seed: u64,
    ) -> Option<Portfolio<'s>> {
        let visit = Solitaire::new(worker, state, memory / 2)?;
        let moves = worker.vocabulary().move_count(RoleId(0));
        let others: Vec<Box<dyn Member + 's>> = vec![
            Box::new(Deepening::new(state, memory / 8, seed)),
            Box::new(Nested::new(state, moves, memory / 16, seed)),
            Box::new(Beam::new(state, memory / 8, seed)),
        ];
        Some(Portfolio {
            start: state.to_vec(),
            mask: None,
            demands: Vec::new(),
            visit,
            done: [parts.visit, parts.deepening, parts.nested, parts.beam].map(|is_on| !is_on).to_vec(),
            others,
            parts,
            next: 0,
            turn: FIRST_TURN,
            record: Record::default(),
        })
    }

    /// Adds what needs the rules as formulas with goals, before the search begins: the planner, and that what does not matter
    /// is left out of states. It takes at most `memory` bytes.
    #[must_use]
    pub fn with_system(mut self, system: &'s System, memory: usize) -> Portfolio<'s> {
        let mask = relevant(system.net(), self.start.len());
        self.visit.leave_out(&mask);
        self.mask = Some(mask);
        self.demands = relevance::demands(system.net());
        if self.parts.planner {
            self.others.push(Box::new(Planner::new(system, &self.start, memory)));
            self.done.push(false);
        }
        self
    }

    /// Goes on until the clock ends; true if nothing is left to do. A question that runs into a limit ends the search with
    /// that fault; the plan so far stays.
    pub fn search(
        &mut self,
        worker: &mut dyn Worker,
        goal_heuristic: Option<&GoalHeuristic>,
        clock: &mut Clock,
    ) -> Result<bool, Fault> {
        while !self.is_over() {
            if clock.tick() {
                return Ok(false);
            }
            let member = self.next;
            self.next = (member + 1) % self.done.len();
            if !self.done[member] {
                let mut turn = clock.part(self.turn.0, self.turn.1);
                self.done[member] = self.take_turn(member, worker, goal_heuristic, &mut turn)?;
            }
            if self.next == 0 {
                let (iterations, time) = self.turn;
                let longer = (iterations + iterations / 2, time + time / 2);
                self.turn = (longer.0.min(LONGEST_TURN.0), longer.1.min(LONGEST_TURN.1));
            }
        }
        Ok(true)
    }

    fn take_turn(
        &mut self,
        member: usize,
        worker: &mut dyn Worker,
        goal_heuristic: Option<&GoalHeuristic>,
        clock: &mut Clock,
    ) -> Result<bool, Fault> {
        let Some(other) = member.checked_sub(1) else {
            let done = self.visit.search(worker, goal_heuristic, clock);
            if let Some(plan) = self.visit.plan() {
                self.record.offer(plan.value, || plan.moves);
            }
            return done;
        };
        let (mask, demands) = (self.mask.as_deref(), self.demands.as_slice());
        let mut desk = Desk { worker, mask, demands, goal_heuristic, record: &mut self.record };
        self.others[other].turn(&mut desk, clock)
    }

    /// True if nothing is left to do.
    fn is_over(&self) -> bool {
        self.record.is_ceiling() || self.visit.is_exhausted() || self.done.iter().all(|done| *done)
    }

    /// The best plan so far.
    pub fn plan(&self) -> Option<Plan> {
        let (value, moves) = self.record.best.as_ref()?;
        let is_best = self.record.is_ceiling() || self.visit.is_exhausted();
        Some(Plan { moves: moves.clone(), value: *value, is_best })
    }

    /// States listed so far.
    pub fn states(&self) -> usize {
        self.visit.states()
    }
}

/// A hash of a state, the same on all machines; the salt makes another function of it.
fn fingerprint(state: &Row, salt: u64) -> u64 {
    let mix = |hash: u64, word: &u64| {
        let product = u128::from(hash ^ word) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(0x2545_F491_4F6C_DD1D)
    };
    state.iter().fold(salt ^ 0x5851_F42D_4C95_7F2D, mix)
}
