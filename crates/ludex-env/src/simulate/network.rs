//! Games on the network, 512 at a time.

use super::{Actions, Found, Rows, Simulator, Source, each_kind};
use crate::error::EnvError;
use ludex_engine::propnet::lanes::{Block, LegalCounts, Plane, Stepper};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Network {
    stepper: Arc<Stepper>,
    block: Block,
}

impl Network {
    pub(crate) fn new(stepper: Arc<Stepper>) -> Network {
        let block = stepper.block();
        Network { stepper, block }
    }
}

impl Simulator for Network {
    fn restart(&mut self, lanes: &Plane) -> Result<(), EnvError> {
        self.stepper.restart(&mut self.block, lanes);
        Ok(())
    }

    fn set_state(&mut self, lane: usize, state: &Row) {
        self.stepper.set_state(&mut self.block, lane, state);
    }

    fn refresh(&mut self) -> Result<(), EnvError> {
        self.stepper.refresh(&mut self.block);
        Ok(())
    }

    fn play(&mut self, role: RoleId, actions: Actions<'_>) -> Plane {
        each_kind!(actions, list => self.stepper.play(&mut self.block, role, list))
    }

    fn make(&mut self, role: RoleId, lane: usize, action: MoveId) {
        self.stepper.make(&mut self.block, role, lane, action);
    }

    fn make_only(&mut self, role: RoleId, lanes: &Plane) {
        self.stepper.make_only(&mut self.block, role, lanes);
    }

    fn advance(&mut self, lanes: &Plane) -> Result<(), EnvError> {
        self.stepper.advance(&mut self.block, lanes);
        Ok(())
    }

    fn terminal(&self) -> Plane {
        *self.stepper.terminal(&self.block)
    }

    fn is_legal(&self, role: RoleId, lane: usize, action: MoveId) -> bool {
        self.stepper.legal(&self.block, role, action).bit(lane)
    }

    fn legal_counts(&mut self, role: RoleId) -> LegalCounts {
        self.stepper.legal_counts(&mut self.block, role)
    }

    fn holding(&self, fluent: FluentId) -> Plane {
        *self.stepper.holding(&self.block, fluent)
    }

    fn goals(&mut self, lanes: &Plane, found: &mut Found<'_>) -> Result<(), EnvError> {
        self.stepper.compute_goals(&mut self.block);
        for role in 0..self.stepper.role_count() as u32 {
            let role = RoleId(role);
            let (mut once, mut twice) = (Plane::ZERO, Plane::ZERO);
            for (_, plane) in self.stepper.goals(&self.block, role) {
                twice = twice | once & *plane;
                once = once | *plane;
            }
            let proper = *lanes & once & !twice;
            for (value, plane) in self.stepper.goals(&self.block, role) {
                let here = proper & *plane;
                if let Some(value) = value.filter(|_| !here.is_empty()) {
                    found(role, value, &here);
                }
            }
        }
        Ok(())
    }

    fn write(&self, source: Source<'_>, keep: &Plane, out: Rows<'_>) {
        let columns = match source {
            Source::Legal => self.stepper.legal_columns(),
            Source::State(view) => match &view.compiled {
                Some(columns) => columns,
                None => &self.stepper.columns(view.columns.iter().copied()),
            },
        };
        match out {
            Rows::Bytes(out) => self.stepper.write_bytes(&self.block, columns, keep, out),
            Rows::Floats(out) => self.stepper.write_floats(&self.block, columns, keep, out),
            Rows::Words(out) => self.stepper.write_words(&self.block, columns, keep, out),
        }
    }
}
