//! Nodes that need each other: tabling with semi-naive rounds.
//!
//! A call from such a node to another of its component is not followed down. Its rows wait at the call, and
//! whenever the called node has new answers, the rows that wait for them go on from there. Every pair of a
//! waiting row and an answer meets exactly once, so no rule is applied twice to the same rows, and
//! nothing is proved but what was asked for. This is SLG resolution, a set of rows at a time.

use super::answers::NONE;
use super::cell::Cell;
use super::merge::take_over;
use super::node::{ComponentId, SiteId};
use super::prove::{Frame, Prover};
use super::rowset::RowSet;
use crate::limits::Exceeded;

/// The rows that wait at a call.
#[derive(Clone, Debug)]
pub(super) struct Waiting<C> {
    rows: RowSet<C>,
    /// The newest row that waits for answers to each question.
    newest: Vec<u32>,
    /// For each row the next older one that waits for the same.
    older: Vec<u32>,
    /// The answers that have been handed out to the waiting rows.
    pub(super) served: u32,
}

impl<C: Cell> Waiting<C> {
    pub(super) fn new(width: usize) -> Waiting<C> {
        Waiting { rows: RowSet::new(width), newest: Vec::new(), older: Vec::new(), served: 0 }
    }

    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.newest.clear();
        self.older.clear();
        self.served = 0;
    }

    /// Lets the rows wait; those whose question cannot have answers are left out.
    pub(super) fn add(&mut self, rows: &RowSet<C>, questions: &[u32]) {
        for at in 0..rows.len() {
            let question = questions.get(at).copied().unwrap_or(0);
            if question == NONE {
                continue;
            }
            let question = question as usize;
            if self.newest.len() <= question {
                self.newest.resize(question + 1, NONE);
            }
            self.older.push(self.newest[question]);
            self.newest[question] = self.rows.len() as u32;
            self.rows.push_row(rows.row(at), rows.question(at));
        }
    }
}

impl<C: Cell> Prover<'_, C> {
    /// Finds the next piece of work in a component; there is none when nothing new follows.
    pub(super) fn component(&mut self, id: ComponentId) -> Result<(), Exceeded> {
        let component = &self.tree.components[id.index()];
        for &member in &component.members {
            let answers = &self.answers[member.index()];
            if answers.taken < answers.questions.len() {
                self.stack.push(Frame::Component(id));
                self.push_rules(member);
                return Ok(());
            }
        }
        for &site in &component.sites {
            let call = &self.tree.sites[site.index()];
            if self.waiting[site.index()].served < self.answers[call.or.index()].len() {
                self.stack.push(Frame::Component(id));
                self.serve(site);
                self.stack.push(Frame::Resume { and: call.and, op: call.op as u32 + 1 });
                return Ok(());
            }
        }
        Ok(())
    }

    /// Hands the new answers to the rows that wait for them.
    fn serve(&mut self, site: SiteId) {
        let call = &self.tree.sites[site.index()];
        let waiting = &mut self.waiting[site.index()];
        let answers = &self.answers[call.or.index()];
        let rows = &mut self.rows[call.and.index()];
        rows.clear();
        for answer in waiting.served..answers.len() {
            let question = answers.question_of(answer) as usize;
            let mut at = waiting.newest.get(question).copied().unwrap_or(NONE);
            while at != NONE {
                let row = at as usize;
                rows.push_row(waiting.rows.row(row), waiting.rows.question(row));
                if !take_over(rows.row_mut(rows.len() - 1), answers.answer(answer), &call.take) {
                    rows.swap_remove(rows.len() - 1);
                }
                at = waiting.older[row];
            }
        }
        waiting.served = answers.len();
    }
}
