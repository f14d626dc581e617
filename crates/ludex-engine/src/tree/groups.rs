//! Answers of a node by some of their values.
//!
//! A call does not have to pass on all the bindings that it has: where questions would be many and most of
//! them without an answer, the node is asked for more, once, and each row looks up what concerns it. The rows
//! that wait at a recursive call are found in the same way, from the side of the answers.

use super::answers::{Answers, NONE};
use super::cell::Cell;
use super::lookup::{Added, Numbering};
use super::node::Grouping;

/// The answers of one node, chained by group.
#[derive(Clone, Debug)]
pub(super) struct Groups<C> {
    pub(super) numbering: Numbering<C>,
    newest: Vec<u32>,
    older: Vec<u32>,
}

impl<C: Cell> Groups<C> {
    pub(super) fn new(grouping: &Grouping) -> Groups<C> {
        let numbering = Numbering::new(&grouping.space, grouping.columns.len());
        Groups { numbering, newest: Vec::new(), older: Vec::new() }
    }

    pub(super) fn forget(&mut self) {
        self.numbering.forget();
        self.newest.clear();
        self.older.clear();
    }

    /// Sorts in the answers that came since the last time.
    #[inline]
    pub(super) fn update(&mut self, grouping: &Grouping, answers: &Answers<C>) {
        for answer in self.older.len() as u32..answers.len() {
            let row = answers.answer(answer);
            let group = match self.numbering.add(&grouping.key, row) {
                Added::Known(group) => group as usize,
                Added::New(group) => {
                    self.numbering.note(grouping.columns.iter().map(|&column| row[column as usize]));
                    self.newest.push(NONE);
                    group as usize
                }
                // Nobody can ask for such a value.
                Added::Impossible => {
                    self.older.push(NONE);
                    continue;
                }
            };
            self.older.push(self.newest[group]);
            self.newest[group] = answer;
        }
    }

    #[inline]
    pub(super) fn newest(&self, group: u32) -> u32 {
        self.newest[group as usize]
    }

    #[inline]
    pub(super) fn older(&self, answer: u32) -> u32 {
        self.older[answer as usize]
    }
}
