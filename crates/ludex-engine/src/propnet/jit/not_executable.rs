//! Where no code can run, because it is for x86-64 or because native code is not built in: the same names,
//! never a value.

use super::{Action, Question, Reach};
use crate::propnet::formula::Finding;
use crate::row::Row;

/// Code that there is none of.
#[derive(Debug)]
pub(super) enum Executable {}

impl Executable {
    pub(super) fn new(_: &[u8], _: Reach) -> Option<Executable> {
        None
    }

    pub(super) fn ask(&self, _: Question, _: &Row, _: &mut [Finding], _: u32) -> bool {
        match *self {}
    }

    pub(super) fn act(&self, _: Action, _: &mut Row, _: &mut [Finding], _: u32, _: &mut [u64]) {
        match *self {}
    }

    pub(super) fn size(&self) -> usize {
        match *self {}
    }
}
