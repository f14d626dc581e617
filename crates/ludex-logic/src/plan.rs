//! Planning by satisfiability: that a line of bounded length ends with a goal of a role, as a formula.
//!
//! The rules are written out over so many moments (`unroll.rs`), with the demand that the game ends at one of them with
//! a goal that is good enough. A model is a line. In a game for one it is a plan; where there are more roles all play
//! together. That there is no model shows that there is no such line of this length.

use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::Goal;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// What came of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tried {
    /// A line, which whoever uses it should follow: where recursion could not be written exactly it may be none.
    Line(Vec<Vec<MoveId>>),
    /// There is none within the length.
    Nothing,
    /// The try is over before it is known; the next one goes on from there.
    Open,
}

/// In which order the role makes its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In any.
    Any,
    /// By their numbers. Where moves can be made in any order, as in most puzzles of constraints, this leaves one line of
    /// very many; where they cannot, it may leave none, and says nothing about the others.
    Ascending,
}

/// The question for a line of at most so many moves.
#[derive(Debug)]
pub struct Planning<'s> {
    unrolling: Unrolling<'s>,
    role: RoleId,
    length: usize,
    wanted: Goal,
    order: Order,
    /// Moments that are written.
    written: usize,
    /// The game goes on until the moment that is written next.
    goes_on: Lit,
    /// It has ended well at one of those before.
    ways: Vec<Lit>,
}

impl<'s> Planning<'s> {
    /// A line from `start` of at most `length` moves to an end at which the role has `wanted` or more. The network must
    /// have goals. The memory of the budget bounds the formula.
    pub fn new(
        system: &'s System,
        start: &[u64],
        role: RoleId,
        (length, wanted): (usize, Goal),
        order: Order,
        budget: &Budget,
    ) -> Planning<'s> {
        let unrolling = Unrolling::new(system, Start::State(start), budget);
        let goes_on = unrolling.solver.truth();
        Planning { unrolling, role, length, wanted, order, written: 0, goes_on, ways: Vec::new() }
    }

    /// How long the line may be.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The goal value that is enough.
    pub fn wanted(&self) -> Goal {
        self.wanted
    }

    /// Decisions of the solver so far, roughly.
    pub fn decisions(&self) -> u64 {
        self.unrolling.solver.decisions()
    }

    /// Writes one more moment; false if all are written.
    pub fn write(&mut self) -> bool {
        let Planning { unrolling, written, length, .. } = self;
        let time = *written;
        if time > *length {
            return false;
        }
        let net = unrolling.system().net();
        let terminal = unrolling.signal(time, net.terminal);
        let goals = net.goals.get(self.role.index()).into_iter().flatten();
        let wanted: Vec<Lit> = goals
            .filter(|(value, _)| value.is_some_and(|value| value >= self.wanted))
            .map(|&(_, signal)| unrolling.signal(time, signal))
            .collect();
        let good = unrolling.solver.or_all(wanted);
        self.ways.push(unrolling.solver.and_all([self.goes_on, terminal, good]));
        if time < *length {
            unrolling.complete(time);
            if self.order == Order::Ascending && time > 0 {
                unrolling.ascend(time - 1, self.role);
            }
            let ended = unrolling.ended(time);
            self.goes_on = unrolling.solver.and(self.goes_on, !ended);
        } else {
            let ways = std::mem::take(&mut self.ways);
            unrolling.solver.clause(ways);
        }
        *written += 1;
        true
    }

    /// Seeks a line for at most so many decisions, once all is written, and while `pause` does not say that it is time for
    /// something else.
    pub fn seek(&mut self, decisions: u64, pause: Box<dyn Fn() -> bool>) -> Result<Tried, Exceeded> {
        Ok(match self.unrolling.solver.solve_for(&[], decisions, pause)? {
            Some(Outcome::Satisfiable) => Tried::Line(self.unrolling.line()),
            Some(Outcome::Unsatisfiable) => Tried::Nothing,
            None => Tried::Open,
        })
    }
}
