//! Up to 512 games that are stepped together: what a batch needs of an execution.
//!
//! [`Network`] steps all of them at once on the network, [`Scalar`] one after the other by any engine. What actions, ends and
//! rewards mean is not decided here but in `part.rs`, once for both.

mod network;
mod scalar;

pub(crate) use network::{Desk, Held, Network};
pub(crate) use scalar::Scalar;

use crate::error::EnvError;
use ludex_engine::engine::Goal;
use ludex_engine::propnet::lanes::{Column, Columns, LegalCounts, Number, Plane};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use std::fmt::Debug;

/// Numbers of moves, a row a game and a number a role.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// 16 bits.
    U16(&'a [u16]),
    /// 32 bits.
    I32(&'a [i32]),
    /// 64 bits.
    I64(&'a [i64]),
}

macro_rules! each_kind {
    ($self:expr, $list:ident => $do:expr) => {
        match $self {
            Actions::U16($list) => $do,
            Actions::I32($list) => $do,
            Actions::I64($list) => $do,
        }
    };
}
use each_kind;

impl<'a> Actions<'a> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        each_kind!(self, list => list.len())
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at a place.
    pub(crate) fn get(&self, at: usize) -> i64 {
        match self {
            Actions::U16(list) => i64::from(list[at]),
            Actions::I32(list) => i64::from(list[at]),
            Actions::I64(list) => list[at],
        }
    }

    /// The number at a place, or one that no move has.
    fn number(&self, at: usize) -> u32 {
        each_kind!(self, list => list[at].number())
    }

    pub(crate) fn split_at(self, at: usize) -> (Actions<'a>, Actions<'a>) {
        match self {
            Actions::U16(list) => (Actions::U16(&list[..at]), Actions::U16(&list[at..])),
            Actions::I32(list) => (Actions::I32(&list[..at]), Actions::I32(&list[at..])),
            Actions::I64(list) => (Actions::I64(&list[..at]), Actions::I64(&list[at..])),
        }
    }
}

impl<'a> From<&'a [u16]> for Actions<'a> {
    fn from(list: &'a [u16]) -> Actions<'a> {
        Actions::U16(list)
    }
}

impl<'a> From<&'a [i32]> for Actions<'a> {
    fn from(list: &'a [i32]) -> Actions<'a> {
        Actions::I32(list)
    }
}

impl<'a> From<&'a [i64]> for Actions<'a> {
    fn from(list: &'a [i64]) -> Actions<'a> {
        Actions::I64(list)
    }
}

/// What the rows say that leave a simulator.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// A column a move of each role: whether it is legal.
    Legal,
    /// What the state is.
    State(&'a View),
}

/// Columns that say what a state is.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) columns: Vec<Column>,
    /// The same as the network has them.
    pub(crate) compiled: Option<Columns>,
}

/// Where the rows go.
pub(crate) enum Rows<'a> {
    Bytes(&'a mut [u8]),
    Floats(&'a mut [f32]),
    /// A bit a column.
    Words(&'a mut [u64]),
}

/// Who gets which goal value.
pub(crate) type Found<'a> = dyn FnMut(RoleId, Goal, &Plane) + 'a;

/// Up to 512 games. The order of a step is that of `ludex_engine::propnet::lanes::Stepper`, which see.
pub(crate) trait Simulator: Debug + Send {
    /// Takes what a step is computed with from the simulator before.
    fn enter(&mut self, _held: &mut Held) {}

    /// Gives back what a step was computed with. What was read or made, and goals, are lost.
    fn leave(&mut self, _held: &mut Held) {}

    /// Begins new games in the initial state.
    fn restart(&mut self, lanes: &Plane) -> Result<(), EnvError>;

    /// Puts a state into a lane; `refresh` comes before any question.
    fn set_state(&mut self, lane: usize, state: &Row);

    /// Writes for each role where it has legal moves, as a step does.
    fn refresh(&mut self, counts: &mut [LegalCounts]) -> Result<(), EnvError>;

    /// Reads the actions of all roles. Writes for each role where they are legal; they are made there, and none elsewhere.
    fn read(&mut self, actions: Actions<'_>, legal: &mut [Plane]);

    /// Makes a move in a lane in which none of this role is made.
    fn make(&mut self, role: RoleId, lane: usize, action: MoveId);

    /// Makes the role's only legal move in lanes in which it has one and none is made.
    fn make_only(&mut self, role: RoleId, lanes: &Plane);

    /// The next state in the lanes; the others stay. Writes for each role where it has legal moves then.
    fn advance(&mut self, lanes: &Plane, counts: &mut [LegalCounts]) -> Result<(), EnvError>;

    fn terminal(&self) -> Plane;

    fn is_legal(&self, role: RoleId, lane: usize, action: MoveId) -> bool;

    /// Where the fluent holds.
    fn holding(&self, fluent: FluentId) -> Plane;

    /// Tells for the lanes which role has which goal value, where it has exactly one.
    fn goals(&mut self, lanes: &Plane, found: &mut Found<'_>) -> Result<(), EnvError>;

    /// Writes a row a game; those that are not in `keep` are zero.
    fn write(&self, source: Source<'_>, keep: &Plane, out: Rows<'_>);
}
