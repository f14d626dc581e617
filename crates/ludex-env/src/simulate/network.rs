//! Games on the network, 512 at a time.

use super::{Actions, Found, Rows, Simulator, Source, each_kind};
use crate::error::EnvError;
use ludex_engine::propnet::lanes::{Block, LegalCounts, Plane, Stepper, Workspace};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The network of a model, with room for computing that is lent to one block after the other.
#[derive(Debug)]
pub(crate) struct Desk {
    stepper: Stepper,
    free: Mutex<Vec<Workspace>>,
}

impl Desk {
    pub(crate) fn new(stepper: Stepper) -> Desk {
        Desk { stepper, free: Mutex::new(Vec::new()) }
    }

    pub(crate) fn stepper(&self) -> &Stepper {
        &self.stepper
    }

    /// Has room for so many threads ready, so that their steps allocate nothing.
    pub(crate) fn reserve(&self, threads: usize) {
        let mut free = self.free();
        while free.len() < threads {
            free.push(self.stepper.workspace());
        }
    }

    fn free(&self) -> MutexGuard<'_, Vec<Workspace>> {
        // What is in it is overwritten whenever it is lent, so a panic elsewhere has done no harm.
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Room for computing that goes from one block to the next, without asking the desk each time.
#[derive(Debug, Default)]
pub(crate) struct Held {
    desk: Option<Arc<Desk>>,
    space: Option<Workspace>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let (Some(desk), Some(space)) = (&self.desk, self.space.take()) {
            desk.free().push(space);
        }
    }
}

/// Games on a network. Those of a desk that takes states of play alone change over to one that takes any, if they must.
#[derive(Debug)]
pub(crate) struct Network {
    desk: Arc<Desk>,
    /// The desk to begin with, and one that takes any state.
    first: Arc<Desk>,
    whole: Arc<Desk>,
    games: Plane,
    block: Block,
    memory: Option<Workspace>,
}

impl Network {
    pub(crate) fn new(first: &Arc<Desk>, whole: &Arc<Desk>, games: usize) -> Network {
        Network {
            block: first.stepper.block(),
            desk: first.clone(),
            first: first.clone(),
            whole: whole.clone(),
            games: Plane::first(games),
            memory: None,
        }
    }

    /// The parts, memory included.
    fn parts(&mut self) -> (&Stepper, &mut Block, &mut Workspace) {
        let Network { desk, block, memory, .. } = self;
        let memory = memory.get_or_insert_with(|| {
            let free = desk.free().pop();
            free.unwrap_or_else(|| desk.stepper.workspace())
        });
        (&desk.stepper, block, memory)
    }
}

impl Simulator for Network {
    fn enter(&mut self, held: &mut Held) {
        if self.memory.is_none() && held.desk.as_ref().is_some_and(|desk| Arc::ptr_eq(desk, &self.desk)) {
            self.memory = held.space.take();
        }
    }

    fn leave(&mut self, held: &mut Held) {
        if let Some(memory) = self.memory.take() {
            let desk = held.desk.get_or_insert_with(|| self.desk.clone());
            if Arc::ptr_eq(desk, &self.desk) && held.space.is_none() {
                held.space = Some(memory);
            } else {
                self.desk.free().push(memory);
            }
        }
    }

    fn restart(&mut self, lanes: &Plane) -> Result<(), EnvError> {
        if !Arc::ptr_eq(&self.desk, &self.first) && (self.games & !*lanes).is_empty() {
            self.leave(&mut Held::default());
            self.desk = self.first.clone();
            self.block = self.desk.stepper.block();
        }
        self.desk.stepper.restart(&mut self.block, lanes);
        Ok(())
    }

    fn set_state(&mut self, lane: usize, state: &Row) {
        if !self.desk.stepper.set_state(&mut self.block, lane, state) {
            self.leave(&mut Held::default());
            self.block = self.whole.stepper.adopt(&self.desk.stepper, &self.block);
            self.desk = self.whole.clone();
            let taken = self.desk.stepper.set_state(&mut self.block, lane, state);
            debug_assert!(taken, "the whole network takes any state");
        }
    }

    fn refresh(&mut self, counts: &mut [LegalCounts]) -> Result<(), EnvError> {
        let (stepper, block, memory) = self.parts();
        stepper.refresh(block, memory, counts);
        Ok(())
    }

    fn read(&mut self, actions: Actions<'_>, legal: &mut [Plane]) {
        let (stepper, block, memory) = self.parts();
        each_kind!(actions, list => stepper.read(block, memory, list, legal));
    }

    fn make(&mut self, role: RoleId, lane: usize, action: MoveId) {
        let (stepper, block, memory) = self.parts();
        stepper.make(block, memory, role, lane, action);
    }

    fn make_only(&mut self, role: RoleId, lanes: &Plane) {
        let (stepper, block, memory) = self.parts();
        stepper.make_only(block, memory, role, lanes);
    }

    fn advance(&mut self, lanes: &Plane, counts: &mut [LegalCounts]) -> Result<(), EnvError> {
        let (stepper, block, memory) = self.parts();
        stepper.advance(block, memory, lanes, counts);
        Ok(())
    }

    fn terminal(&self) -> Plane {
        *self.desk.stepper.terminal(&self.block)
    }

    fn is_legal(&self, role: RoleId, lane: usize, action: MoveId) -> bool {
        self.desk.stepper.is_legal(&self.block, role, action, lane)
    }

    fn holding(&self, fluent: FluentId) -> Plane {
        self.desk.stepper.holding(&self.block, fluent)
    }

    fn goals(&mut self, lanes: &Plane, found: &mut Found<'_>) -> Result<(), EnvError> {
        let (stepper, block, memory) = self.parts();
        stepper.compute_goals(memory);
        for role in (0..stepper.role_count() as u32).map(RoleId) {
            let (mut once, mut twice) = (Plane::ZERO, Plane::ZERO);
            for (_, plane) in stepper.goals(block, memory, role) {
                twice = twice | once & plane;
                once = once | plane;
            }
            let proper = *lanes & once & !twice;
            for (value, plane) in stepper.goals(block, memory, role) {
                let here = proper & plane;
                if let Some(value) = value.filter(|_| !here.is_empty()) {
                    found(role, value, &here);
                }
            }
        }
        Ok(())
    }

    fn write(&self, source: Source<'_>, keep: &Plane, out: Rows<'_>) {
        let columns = match source {
            Source::Legal => self.desk.stepper.legal_columns(),
            Source::State(view) => match &view.compiled {
                Some(columns) => columns,
                None => &self.desk.stepper.columns(view.columns.iter().copied()),
            },
        };
        match out {
            Rows::Bytes(out) => self.desk.stepper.write_bytes(&self.block, columns, keep, out),
            Rows::Floats(out) => self.desk.stepper.write_floats(&self.block, columns, keep, out),
            Rows::Words(out) => self.desk.stepper.write_words(&self.block, columns, keep, out),
        }
    }
}
