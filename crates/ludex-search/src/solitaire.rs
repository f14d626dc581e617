//! Games for one: every state that can be reached, nearest first.
//!
//! With nobody to disturb it a plan that reaches a goal once reaches it always, and a state is worth going
//! through once however one got there. So this lists states breadth first, each once, until it meets the
//! best goal there is or has seen all; what it has found is a plan. It is exact where the states fit its
//! memory. Where they do not, [`crate::uct`] goes on by chance, and keeps the best game it has seen.

use crate::clock::Clock;
use hashbrown::{DefaultHashBuilder, HashTable};
use ludex_engine::engine::{Goal, Worker};
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::hash::BuildHasher;

/// The best that the rules can give.
const CEILING: Goal = 100;

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

/// A breadth-first search that can be interrupted and taken up again.
#[derive(Debug)]
pub struct Solitaire {
    words: usize,
    memory: usize,
    rows: Vec<u64>,
    /// For each state the one before it, and the move that led here. The first is its own.
    origins: Vec<(u32, MoveId)>,
    seen: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The next state to look at.
    next: usize,
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
            rows: Vec::new(),
            origins: Vec::new(),
            seen: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            next: 0,
            best: None,
            legal: Vec::new(),
            state: vec![0; state.len()],
            successor: state.to_vec(),
        };
        search.meet(0, MoveId(0));
        Some(search)
    }

    /// Goes on until the clock ends; true if nothing is left to do: the best plan is known, or the memory
    /// is full.
    pub fn search(&mut self, worker: &mut dyn Worker, clock: &mut Clock) -> bool {
        while !self.is_over() {
            if clock.tick() {
                return false;
            }
            self.visit(worker);
        }
        true
    }

    /// The best plan so far.
    pub fn plan(&self) -> Option<Plan> {
        let (mut at, value) = self.best?;
        let mut moves = Vec::new();
        while at > 0 {
            let (before, movement) = self.origins[at as usize];
            moves.push(movement);
            at = before;
        }
        moves.reverse();
        Some(Plan { moves, value, is_best: value >= CEILING || self.next == self.origins.len() })
    }

    /// States met so far.
    pub fn states(&self) -> usize {
        self.origins.len()
    }

    fn is_over(&self) -> bool {
        let found = self.best.is_some_and(|(_, value)| value >= CEILING);
        let bytes = self.rows.len() * 8 + self.origins.len() * 16;
        found || self.next == self.origins.len() || bytes > self.memory
    }

    fn visit(&mut self, worker: &mut dyn Worker) {
        let at = self.next;
        self.next += 1;
        let mut state = std::mem::take(&mut self.state);
        state.copy_from_slice(&self.rows[at * self.words..][..self.words]);
        if worker.is_terminal(&state) {
            let value = worker.goal(&state, RoleId(0)).unwrap_or(0);
            if self.best.is_none_or(|(_, best)| value > best) {
                self.best = Some((at as u32, value));
            }
        } else {
            let mut legal = std::mem::take(&mut self.legal);
            worker.legal(&state, RoleId(0), &mut legal);
            for &movement in &legal {
                worker.next(&state, &[movement], &mut self.successor);
                self.meet(at as u32, movement);
            }
            self.legal = legal;
        }
        self.state = state;
    }

    /// Lists `successor`, unless it is listed.
    fn meet(&mut self, from: u32, movement: MoveId) {
        let hash = self.hasher.hash_one(&self.successor);
        let row = |at: u32| &self.rows[at as usize * self.words..][..self.words];
        if self.seen.find(hash, |&at| row(at) == self.successor).is_some() {
            return;
        }
        let at = self.origins.len() as u32;
        self.rows.extend_from_slice(&self.successor);
        self.origins.push((from, movement));
        let (rows, words, hasher) = (&self.rows, self.words, &self.hasher);
        self.seen.insert_unique(hash, at, |&at| hasher.hash_one(&rows[at as usize * words..][..words]));
    }
}
