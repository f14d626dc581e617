//! A line of bounded length as a formula for the SAT solver ([`ludex_logic::plan`]).
//!
//! Where a puzzle is a matter of constraints, all of them together lead the solver to what no search move by move finds. How
//! long the line has to be nobody knows, and a length that is too small can be very hard to rule out; so each of several
//! lengths has a try of the same number of decisions, and when each had one the tries get longer. Half of them ask for moves in ascending order: where any order
//! will do, that leaves one line of very many, which are all that keeps the solver busy. A length is written anew for each
//! try, so that one formula is in memory at a time.

use super::{CEILING, Desk, LONGEST, Member};
use crate::clock::Clock;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Goal;
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_logic::plan::{Order, Planning, Tried};
use ludex_logic::transition::System;

/// Decisions of the first try of each length; each round has so many times those of the one before.
const FIRST_TRY: u64 = 20_000;
/// In every second round only so many lengths have a try, from that on which games have: most often it is one of these.
const LIKELY: usize = 2;
const GROWTH: u64 = 4;
/// Decisions that count as one iteration of a clock that counts them.
const DECISIONS_AN_ITERATION: u64 = 16;
const LEAST_LENGTH: usize = 4;
/// Nodes of the network in all moments together.
const MOST_NODES: usize = 6_000_000;

pub(super) struct Planner<'s> {
    system: &'s System,
    start: Vec<u64>,
    memory: usize,
    /// Values of goals, each once.
    values: Vec<Goal>,
    /// Lengths that are still open.
    lengths: Vec<usize>,
    /// How many lengths had their try, which has it now, in which order of moves, and how often all have had theirs.
    at: usize,
    place: usize,
    order: Order,
    round: u32,
    trial: Option<Trial<'s>>,
}

/// A try at one length.
struct Trial<'s> {
    planning: Planning<'s>,
    is_written: bool,
    /// Decisions after which it ends.
    most: u64,
}

impl<'s> Planner<'s> {
    pub(super) fn new(system: &'s System, start: &[u64], memory: usize) -> Planner<'s> {
        let goals = system.net().goals.first().into_iter().flatten();
        let mut values: Vec<Goal> = goals.filter_map(|&(value, _)| value).collect();
        values.sort_unstable();
        values.dedup();
        let most = (MOST_NODES / system.net().nodes.len().max(1)).min(LONGEST);
        let mut lengths = Vec::new();
        let mut length = LEAST_LENGTH;
        while length <= most {
            lengths.push(length);
            length += length / 2;
        }
        let start = start.to_vec();
        Planner {
            system,
            start,
            memory,
            values,
            lengths,
            at: 0,
            place: 0,
            order: Order::Ascending,
            round: 0,
            trial: None,
        }
    }

    /// The least goal value above what is known.
    fn least_above(&self, best: Option<Goal>) -> Goal {
        let better = self.values.iter().find(|value| best.is_none_or(|best| **value > best));
        better.copied().unwrap_or(CEILING)
    }

    /// A try at the next length; `None` if none is left.
    fn next_trial(&mut self, best: Option<Goal>, longest: usize) -> Option<Trial<'s>> {
        let most = if self.round.is_multiple_of(2) { LIKELY } else { usize::MAX };
        if self.at >= self.lengths.len().min(most) {
            self.at = 0;
            match self.order {
                Order::Ascending => self.order = Order::Any,
                Order::Any => (self.order, self.round) = (Order::Ascending, self.round + 1),
            }
        }
        if self.lengths.is_empty() {
            return None;
        }
        // The first try is that of the length that games have, as far as is known.
        let first = self.lengths.iter().position(|length| *length >= longest).unwrap_or(0);
        self.place = (first + self.at) % self.lengths.len();
        let length = self.lengths[self.place];
        // The highest goal is sought, and in every second round any that is better than what is known.
        let highest = self.values.last().copied().unwrap_or(CEILING);
        let wanted = if self.round.is_multiple_of(2) { highest } else { self.least_above(best) };
        let budget = Budget::default().with_bytes(self.memory);
        let planning =
            Planning::new(self.system, &self.start, RoleId(0), (length, wanted), self.order, &budget);
        let most = FIRST_TRY.saturating_mul(GROWTH.saturating_pow(self.round));
        Some(Trial { planning, is_written: false, most })
    }

    /// Follows the moves of a model to an end, which the engine must see as the solver does.
    fn follow(desk: &mut Desk<'_>, start: &[u64], line: &[Vec<MoveId>]) -> Result<bool, Fault> {
        let mut state = start.to_vec();
        let mut next = state.clone();
        let mut legal = Vec::new();
        for made in 0..=line.len() {
            if let Some(value) = desk.ending(&state)? {
                desk.record.offer(value, || line[..made].iter().map(|joint| joint[0]).collect());
                return Ok(true);
            }
            let Some(joint) = line.get(made) else { break };
            desk.worker.legal(&state, RoleId(0), &mut legal)?;
            if legal.binary_search(&joint[0]).is_err() {
                break;
            }
            desk.worker.next(&state, joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        Ok(false)
    }

    /// Goes on with a try; false if it is over.
    fn go_on(
        &mut self,
        trial: &mut Trial<'s>,
        desk: &mut Desk<'_>,
        clock: &mut Clock,
    ) -> Result<bool, Fault> {
        if !trial.is_written {
            trial.is_written = !trial.planning.write();
            return Ok(true);
        }
        let mut left = trial.most.saturating_sub(trial.planning.decisions());
        if clock.counts_iterations() {
            // It lasts as long as its part of the turn, whatever the time.
            let mut granted = DECISIONS_AN_ITERATION;
            while granted < left && !clock.tick() {
                granted += DECISIONS_AN_ITERATION;
            }
            left = left.min(granted);
        }
        let over = clock.clone();
        let pause = Box::new(move || over.is_over());
        match trial.planning.seek(left, pause) {
            Ok(Tried::Line(line)) => {
                Self::follow(desk, &self.start, &line)?;
                self.at += 1;
            }
            Ok(Tried::Nothing)
                if self.order == Order::Any
                    && trial.planning.wanted() <= self.least_above(desk.record.value()) =>
            {
                self.lengths.remove(self.place);
            }
            Ok(Tried::Nothing) => self.at += 1,
            // The formula is too large, and so are those of greater lengths.
            Err(_) => self.lengths.truncate(self.place),
            Ok(Tried::Open) if trial.planning.decisions() < trial.most => return Ok(true),
            Ok(Tried::Open) => self.at += 1,
        }
        Ok(false)
    }
}

impl Member for Planner<'_> {
    fn turn(&mut self, desk: &mut Desk<'_>, clock: &mut Clock) -> Result<bool, Fault> {
        while !desk.record.is_ceiling() {
            // One step may take long: the time is looked at after each.
            if clock.tick() || clock.is_over() {
                return Ok(false);
            }
            let known = (desk.record.value(), desk.record.longest);
            let Some(mut trial) = self.trial.take().or_else(|| self.next_trial(known.0, known.1)) else {
                return Ok(true);
            };
            if self.go_on(&mut trial, desk, clock)? {
                self.trial = Some(trial);
            }
        }
        Ok(false)
    }
}
