//! Every state that can be reached, once.
//!
//! A state is worth going through once however one got there. So this lists states, each once, until it meets the best
//! goal there is or has seen all. Every second state that it looks at is the nearest to the
//! start, the others are those closest to the goal ([`crate::goal_heuristic`]): where that misleads, half the
//! work is lost, and where it does not, puzzles are solved whose states nobody could list. It is exact where
//! the states fit its memory, and the only one here that can say that there is nothing better.

use super::relevance::leave_out;
use super::{CEILING, Plan};
use crate::clock::Clock;
use crate::goal_heuristic::{Degrees, GoalHeuristic};
use hashbrown::{DefaultHashBuilder, HashTable};
use ludex_engine::engine::{Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasher;

/// A search that can be interrupted and taken up again.
#[derive(Debug)]
pub struct Solitaire {
    words: usize,
    memory: usize,
    /// The fluents that matter, where that is known.
    mask: Option<Vec<u64>>,
    rows: Vec<u64>,
    /// For each state the one before it, and the move that led here. The first is its own.
    origins: Vec<(u32, MoveId)>,
    seen: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The nearest state that may not have been looked at; all before it have.
    next: usize,
    visited: Vec<bool>,
    /// States by their goal heuristic, in thousandths, the earlier first; some may have been looked at since.
    close: BinaryHeap<(u16, Reverse<u32>)>,
    /// Whether the next state to look at is the closest or the nearest.
    by_goal_heuristic: bool,
    degrees: Degrees,
    goal_heuristic: Vec<f64>,
    best: Option<(u32, Goal)>,
    legal: Vec<MoveId>,
    state: Vec<u64>,
    successor: Vec<u64>,
}

impl Solitaire {
    /// A search from `state` that takes at most `memory` bytes. `None` if the game is not for one.
    pub fn new(worker: &dyn Worker, state: &[u64], memory: usize) -> Option<Solitaire> {
        if worker.vocabulary().role_count() != 1 {
            return None;
        }
        let mut search = Solitaire {
            words: state.len(),
            memory,
            mask: None,
            rows: Vec::new(),
            origins: Vec::new(),
            seen: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            next: 0,
            visited: Vec::new(),
            close: BinaryHeap::new(),
            by_goal_heuristic: false,
            degrees: Degrees::default(),
            goal_heuristic: Vec::new(),
            best: None,
            legal: Vec::new(),
            state: vec![0; state.len()],
            successor: state.to_vec(),
        };
        search.meet(0, MoveId(0), None);
        Some(search)
    }

    /// From now on leaves out of states all fluents but those of the mask, on which the others must have no influence.
    pub(super) fn leave_out(&mut self, mask: &[u64]) {
        self.mask = Some(mask.to_vec());
    }

    /// Goes on until the clock ends; true if nothing is left to do: the best plan is known, or the memory is
    /// full. Without `goal_heuristic` it goes breadth first. A question that runs into a limit ends the
    /// search with that fault: the state counts as not looked at, and the plan so far stays.
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
            if let Some(at) = self.choose() {
                self.visit(worker, at, goal_heuristic)?;
            }
        }
        Ok(true)
    }

    /// The state to look at next: the closest and the nearest take turns.
    fn choose(&mut self) -> Option<u32> {
        self.by_goal_heuristic = !self.by_goal_heuristic;
        if self.by_goal_heuristic {
            while let Some((_, Reverse(at))) = self.close.pop() {
                if !self.visited[at as usize] {
                    return Some(at);
                }
            }
        }
        while self.next < self.visited.len() && self.visited[self.next] {
            self.next += 1;
        }
        (self.next < self.visited.len()).then_some(self.next as u32)
    }

    /// The best plan so far.
    pub fn plan(&self) -> Option<Plan> {
        let (mut at, value) = self.best?;
        let mut moves = Vec::new();
        while at > 0 {
            let (before, action) = self.origins[at as usize];
            moves.push(action);
            at = before;
        }
        moves.reverse();
        Some(Plan { moves, value, is_best: value >= CEILING || self.is_exhausted() })
    }

    /// States met so far.
    pub fn states(&self) -> usize {
        self.origins.len()
    }

    fn is_over(&self) -> bool {
        let found = self.best.is_some_and(|(_, value)| value >= CEILING);
        let bytes = self.rows.len() * 8 + self.origins.len() * 16 + self.visited.len() + self.close.len() * 8;
        found || bytes > self.memory || self.is_exhausted()
    }

    /// True if every state has been looked at. Found out when the nearest ones are asked for.
    pub(super) fn is_exhausted(&self) -> bool {
        self.next == self.origins.len()
    }

    fn visit(
        &mut self,
        worker: &mut dyn Worker,
        at: u32,
        goal_heuristic: Option<&GoalHeuristic>,
    ) -> Result<(), Fault> {
        let mut state = std::mem::take(&mut self.state);
        state.copy_from_slice(&self.rows[at as usize * self.words..][..self.words]);
        let mut legal = std::mem::take(&mut self.legal);
        let visited = self.look(worker, at, &state, &mut legal, goal_heuristic);
        (self.state, self.legal) = (state, legal);
        // What could not be looked at stays open, so that the search never claims to have seen all.
        self.visited[at as usize] = visited.is_ok();
        visited
    }

    fn look(
        &mut self,
        worker: &mut dyn Worker,
        at: u32,
        state: &[u64],
        legal: &mut Vec<MoveId>,
        goal_heuristic: Option<&GoalHeuristic>,
    ) -> Result<(), Fault> {
        if worker.is_terminal(state)? {
            let value = worker.goal(state, RoleId(0))?.unwrap_or(0);
            if self.best.is_none_or(|(_, best)| value > best) {
                self.best = Some((at, value));
            }
            return Ok(());
        }
        worker.legal(state, RoleId(0), legal)?;
        for &action in &*legal {
            worker.next(state, &[action], &mut self.successor)?;
            leave_out(self.mask.as_deref(), &mut self.successor);
            self.meet(at, action, goal_heuristic);
        }
        Ok(())
    }

    /// Lists `successor`, unless it is listed.
    fn meet(&mut self, from: u32, action: MoveId, goal_heuristic: Option<&GoalHeuristic>) {
        let hash = self.hasher.hash_one(&self.successor);
        let row = |at: u32| &self.rows[at as usize * self.words..][..self.words];
        if self.seen.find(hash, |&at| row(at) == self.successor).is_some() {
            return;
        }
        let at = self.origins.len() as u32;
        self.rows.extend_from_slice(&self.successor);
        self.origins.push((from, action));
        self.visited.push(false);
        if let Some(goal_heuristic) = goal_heuristic {
            goal_heuristic.of(&self.successor, &mut self.degrees, &mut self.goal_heuristic);
            let thousandths = (1000.0 * self.goal_heuristic.first().copied().unwrap_or(0.0)) as u16;
            self.close.push((thousandths, Reverse(at)));
        }
        let (rows, words, hasher) = (&self.rows, self.words, &self.hasher);
        self.seen.insert_unique(hash, at, |&at| hasher.hash_one(&rows[at as usize * words..][..words]));
    }
}
