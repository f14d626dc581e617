//! Games one after the other, by any engine: for rules that have no network.

use super::{Actions, Found, Rows, Simulator, Source};
use crate::error::EnvError;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::lanes::{Column, LegalCounts, Plane};
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use std::fmt;

pub(crate) struct Scalar {
    worker: Box<dyn Worker>,
    words: usize,
    roles: usize,
    /// Where the moves of each role begin in a row of all moves, and their number.
    firsts: Vec<usize>,
    initial: Vec<u64>,
    /// A row a game.
    states: Vec<u64>,
    next: Vec<u64>,
    /// Lanes whose state has not been asked yet what it is like.
    fresh: Plane,
    terminal: Plane,
    /// For each game and role the legal moves, ascending.
    legal: Vec<Vec<MoveId>>,
    /// For each game and role the move that is made.
    made: Vec<Option<MoveId>>,
    joint: Vec<MoveId>,
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scalar").field("roles", &self.roles).finish_non_exhaustive()
    }
}

impl Scalar {
    /// So many games in the initial state; `refresh` comes before any question.
    pub(crate) fn new(engine: &dyn Engine, initial: &Row, games: usize) -> Scalar {
        let vocabulary = engine.vocabulary();
        let (words, roles) = (vocabulary.words(), vocabulary.role_count());
        let mut firsts = vec![0];
        for role in vocabulary.roles() {
            firsts.push(firsts[role.index()] + vocabulary.move_count(role));
        }
        Scalar {
            words,
            roles,
            firsts,
            initial: initial.to_vec(),
            states: initial.repeat(games),
            fresh: Plane::first(games),
            next: vec![0; words],
            terminal: Plane::ZERO,
            legal: vec![Vec::new(); games * roles],
            made: vec![None; games * roles],
            joint: Vec::with_capacity(roles),
            worker: engine.worker(),
        }
    }

    /// For each role where it has legal moves.
    fn count(&self, out: &mut [LegalCounts]) {
        out.fill(LegalCounts { some: Plane::ZERO, several: Plane::ZERO });
        for (lane, lists) in self.legal.chunks_exact(self.roles).enumerate() {
            for (counts, list) in out.iter_mut().zip(lists) {
                counts.some.put(lane, !list.is_empty());
                counts.several.put(lane, list.len() > 1);
            }
        }
    }

    fn row(&self, lane: usize) -> &Row {
        &self.states[lane * self.words..][..self.words]
    }

    /// Asks whether the game is over and what is legal.
    fn ask(&mut self, lane: usize) -> Result<(), Fault> {
        let state = &self.states[lane * self.words..][..self.words];
        if self.worker.is_terminal(state)? {
            self.terminal.set(lane);
        } else {
            let mut one = Plane::ZERO;
            one.set(lane);
            self.terminal = self.terminal & !one;
        }
        for (role, legal) in (0..).zip(&mut self.legal[lane * self.roles..][..self.roles]) {
            self.worker.legal(state, RoleId(role), legal)?;
        }
        Ok(())
    }
}

impl Simulator for Scalar {
    fn restart(&mut self, lanes: &Plane) -> Result<(), EnvError> {
        for lane in lanes.lanes() {
            self.states[lane * self.words..][..self.words].copy_from_slice(&self.initial);
            self.ask(lane)?;
        }
        Ok(())
    }

    fn set_state(&mut self, lane: usize, state: &Row) {
        self.states[lane * self.words..][..self.words].copy_from_slice(state);
        self.fresh.set(lane);
    }

    fn refresh(&mut self, counts: &mut [LegalCounts]) -> Result<(), EnvError> {
        for lane in std::mem::replace(&mut self.fresh, Plane::ZERO).lanes() {
            self.ask(lane)?;
        }
        self.count(counts);
        Ok(())
    }

    fn read(&mut self, actions: Actions<'_>, legal: &mut [Plane]) {
        legal.fill(Plane::ZERO);
        for at in 0..actions.len() {
            let action = MoveId(actions.number(at));
            self.made[at] = self.legal[at].binary_search(&action).is_ok().then_some(action);
            if self.made[at].is_some() {
                legal[at % self.roles].set(at / self.roles);
            }
        }
    }

    fn make(&mut self, role: RoleId, lane: usize, action: MoveId) {
        self.made[lane * self.roles + role.index()] = Some(action);
    }

    fn make_only(&mut self, role: RoleId, lanes: &Plane) {
        for lane in lanes.lanes() {
            let at = lane * self.roles + role.index();
            self.made[at] = self.legal[at].first().copied();
        }
    }

    fn advance(&mut self, lanes: &Plane, counts: &mut [LegalCounts]) -> Result<(), EnvError> {
        for lane in lanes.lanes() {
            self.joint.clear();
            self.joint.extend(self.made[lane * self.roles..][..self.roles].iter().flatten());
            if self.joint.len() == self.roles {
                let state = &mut self.states[lane * self.words..][..self.words];
                self.worker.next(state, &self.joint, &mut self.next)?;
                state.copy_from_slice(&self.next);
                self.ask(lane)?;
            }
        }
        self.count(counts);
        Ok(())
    }

    fn terminal(&self) -> Plane {
        self.terminal
    }

    fn is_legal(&self, role: RoleId, lane: usize, action: MoveId) -> bool {
        self.legal[lane * self.roles + role.index()].binary_search(&action).is_ok()
    }

    fn holding(&self, fluent: FluentId) -> Plane {
        let mut plane = Plane::ZERO;
        let games = self.legal.len() / self.roles.max(1);
        (0..games).filter(|&lane| row::holds(self.row(lane), fluent)).for_each(|lane| plane.set(lane));
        plane
    }

    fn goals(&mut self, lanes: &Plane, found: &mut Found<'_>) -> Result<(), EnvError> {
        for lane in lanes.lanes() {
            let mut one = Plane::ZERO;
            one.set(lane);
            for role in (0..self.roles as u32).map(RoleId) {
                let state = &self.states[lane * self.words..][..self.words];
                if let Some(goal) = self.worker.goal(state, role)? {
                    found(role, goal, &one);
                }
            }
        }
        Ok(())
    }

    fn write(&self, source: Source<'_>, keep: &Plane, out: Rows<'_>) {
        let columns = match source {
            Source::Legal => self.firsts[self.roles],
            Source::State(view) => view.columns.len(),
        };
        // For each game the columns that are one.
        let each = |lane: usize, put: &mut dyn FnMut(usize)| match source {
            _ if !keep.bit(lane) => {}
            Source::Legal => {
                for (first, legal) in self.firsts.iter().zip(&self.legal[lane * self.roles..][..self.roles]) {
                    legal.iter().for_each(|action| put(first + action.index()));
                }
            }
            Source::State(view) => {
                for (at, column) in view.columns.iter().enumerate() {
                    if matches!(column, Column::Fluent(fluent) if row::holds(self.row(lane), *fluent)) {
                        put(at);
                    }
                }
            }
        };
        if columns == 0 {
            return;
        }
        match out {
            Rows::Bytes(out) => {
                out.fill(0);
                for (lane, row) in out.chunks_exact_mut(columns).enumerate() {
                    each(lane, &mut |column| row[column] = 1);
                }
            }
            Rows::Floats(out) => {
                out.fill(0.0);
                for (lane, row) in out.chunks_exact_mut(columns).enumerate() {
                    each(lane, &mut |column| row[column] = 1.0);
                }
            }
            Rows::Words(out) => {
                out.fill(0);
                for (lane, row) in out.chunks_exact_mut(columns.div_ceil(64)).enumerate() {
                    each(lane, &mut |column| row[column / 64] |= 1 << (column % 64));
                }
            }
        }
    }
}
