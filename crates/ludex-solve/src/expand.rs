//! A state and what follows it, as keys.

use crate::counter::Counter;
use crate::error::{Error, Result};
use crate::packing::{Key, Packing, Scratch};
use ludex_engine::budget::{Budget, Meter};
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::perft::each_joint_move;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// Ticks for a state, and for each of its successors: a tick is a few nanoseconds, a question of a network a hundred.
const TICKS_A_STATE: u64 = 512;
const TICKS_A_SUCCESSOR: u64 = 64;

/// One thread's means to expand states.
pub struct Expander<'p> {
    packing: &'p Packing,
    counter: Option<&'p Counter>,
    worker: Box<dyn Worker>,
    meter: Meter,
    scratch: Scratch,
    state: Vec<u64>,
    next: Vec<u64>,
    joint: Vec<MoveId>,
    /// For each role its legal moves in the state that was expanded; none at the end.
    pub legal: Vec<Vec<MoveId>>,
    /// For each role its goal, if the state that was expanded is an end.
    pub goals: Vec<Option<Goal>>,
}

/// A state that follows: its representative, the symmetry that led there, and its count.
#[derive(Clone, Copy, Debug)]
pub struct Successor<const N: usize> {
    /// The key of the representative.
    pub key: Key<N>,
    /// The symmetry from the state to its representative.
    pub symmetry: usize,
    /// The count, where there is a counter.
    pub count: i64,
}

impl<'p> Expander<'p> {
    /// For one thread.
    pub fn new(
        engine: &dyn Engine,
        packing: &'p Packing,
        counter: Option<&'p Counter>,
        budget: &Budget,
    ) -> Expander<'p> {
        let mut worker = engine.worker();
        worker.obey(budget);
        let words = engine.vocabulary().words();
        let roles = engine.vocabulary().role_count();
        Expander {
            packing,
            counter,
            worker,
            meter: budget.clock(),
            scratch: Scratch::default(),
            state: vec![0; words],
            next: vec![0; words],
            joint: Vec::new(),
            legal: vec![Vec::new(); roles],
            goals: vec![None; roles],
        }
    }

    /// The key of the initial state and its count.
    pub fn initial<const N: usize>(&mut self) -> Result<(Key<N>, i64)> {
        self.worker.initial(&mut self.state);
        let (key, _) = self.packing.representative(&self.state, &mut self.scratch)?;
        Ok((key, self.counter.map_or(0, |counter| counter.count(&self.state))))
    }

    /// What the symmetries make of the roles, each way once.
    pub fn role_images(&self) -> &'p [Vec<RoleId>] {
        self.packing.role_images()
    }

    /// How many states the state that was expanded last stands for.
    pub fn orbit<const N: usize>(&mut self) -> Result<u64> {
        self.packing.orbit::<N>(&self.state, &mut self.scratch)
    }

    /// Visits the successors of a state in the order of the joint moves; true if the game is over there.
    pub fn expand<const N: usize>(
        &mut self,
        key: &Key<N>,
        visit: &mut dyn FnMut(Successor<N>),
    ) -> Result<bool> {
        self.meter.tick_by(TICKS_A_STATE)?;
        if !self.packing.unpack(key, &mut self.state) {
            return Err(Error::Misfit("a key is that of no state".to_owned()));
        }
        let state = &self.state;
        let end = self.worker.is_terminal(state)?;
        for role in (0..self.legal.len() as u32).map(RoleId) {
            let list = &mut self.legal[role.index()];
            list.clear();
            self.goals[role.index()] = if end { self.worker.goal(state, role)? } else { None };
            if !end {
                self.worker.legal(state, role, list)?;
            }
        }
        if end || self.legal.iter().any(Vec::is_empty) {
            return Ok(end);
        }
        let count = self.counter.map_or(0, |counter| counter.count(state));
        let (worker, meter, next) = (&mut self.worker, &mut self.meter, &mut self.next);
        let (packing, scratch, counter) = (self.packing, &mut self.scratch, self.counter);
        each_joint_move(&self.legal, &mut self.joint, &mut |joint| -> Result<()> {
            meter.tick_by(TICKS_A_SUCCESSOR)?;
            worker.next(state, joint, next)?;
            let after = counter.map_or(0, |counter| counter.count(next));
            if counter.is_some() && after <= count {
                return Err(Error::Unranked);
            }
            let (key, symmetry) = packing.representative(next, scratch)?;
            visit(Successor { key, symmetry, count: after });
            Ok(())
        })?;
        Ok(false)
    }
}
