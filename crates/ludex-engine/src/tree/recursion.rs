//! Nodes that need each other: tabling with semi-naive rounds.
//!
//! A call from such a node to another of its component is not followed down. Its rows wait at the call, and
//! whenever the called node has new answers, the rows that wait for them go on from there. Every pair of a
//! waiting row and an answer meets exactly once, so no rule is applied twice to the same rows, and
//! nothing is proved but what was asked for. This is SLG resolution, a set of rows at a time.

use super::answers::NONE;
use super::cell::{Cell, value};
use super::lookup::{Added, Numbering};
use super::merge::take_over;
use super::node::{ComponentId, OrAndTree, Site, SiteId};
use super::prove::{Code, Frame, Prover};
use super::rowset::RowSet;
use crate::budget::Exceeded;

/// The rows that wait at a call.
#[derive(Clone, Debug)]
pub(super) struct Waiting<C> {
    rows: RowSet<C>,
    /// The groups of answers that rows wait for, where the question is the same for all.
    groups: Option<Numbering<C>>,
    /// The newest row that waits for each question or group.
    newest: Vec<u32>,
    /// For each row the next older one that waits for the same.
    older: Vec<u32>,
    /// The answers that have been handed out to the waiting rows.
    pub(super) served: u32,
}

impl<C: Cell> Waiting<C> {
    pub(super) fn new(tree: &OrAndTree, site: &Site) -> Waiting<C> {
        let rows = RowSet::new(tree.ands[site.and.index()].width);
        let groups = site.group.as_ref().map(|group| {
            let grouping = &tree.groupings[group.grouping.index()];
            Numbering::new(&grouping.space, grouping.columns.len())
        });
        Waiting { rows, groups, newest: Vec::new(), older: Vec::new(), served: 0 }
    }

    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.groups.iter_mut().for_each(Numbering::forget);
        self.newest.clear();
        self.older.clear();
        self.served = 0;
    }

    /// Lets the rows wait; those for which there cannot be answers are left out.
    pub(super) fn add(&mut self, site: &Site, rows: &RowSet<C>, questions: &[u32]) {
        for at in 0..rows.len() {
            let row = rows.row(at);
            let wanted = match (&mut self.groups, &site.group) {
                (Some(groups), Some(group)) => match groups.add(&group.key, row) {
                    Added::Known(number) => number,
                    Added::New(number) => {
                        groups.note(group.values.iter().map(|&source| value(row, source)));
                        number
                    }
                    Added::Impossible => NONE,
                },
                // One question for all rows is the first.
                _ => questions.get(at).copied().unwrap_or(questions[0]),
            };
            if wanted == NONE {
                continue;
            }
            let wanted = wanted as usize;
            if self.newest.len() <= wanted {
                self.newest.resize(wanted + 1, NONE);
            }
            self.older.push(self.newest[wanted]);
            self.newest[wanted] = self.rows.len() as u32;
            self.rows.push_row(row, rows.question(at));
        }
    }
}

impl<C: Cell> Prover<C> {
    /// Finds the next piece of work in a component; there is none when nothing new follows.
    pub(super) fn component(&mut self, code: Code<'_, C>, id: ComponentId) -> Result<(), Exceeded> {
        let component = &code.tree.components[id.index()];
        for &member in &component.members {
            let answers = &self.answers[member.index()];
            if answers.taken < answers.questions.len() {
                self.stack.push(Frame::Component(id));
                self.push_rules(member);
                return Ok(());
            }
        }
        for &site in &component.sites {
            let call = &code.tree.sites[site.index()];
            if self.waiting[site.index()].served < self.answers[call.or.index()].len() {
                self.stack.push(Frame::Component(id));
                self.serve(code, site);
                self.stack.push(Frame::Resume { and: call.and, op: call.op as u32 + 1 });
                return Ok(());
            }
        }
        Ok(())
    }

    /// Hands the new answers to the rows that wait for them.
    fn serve(&mut self, code: Code<'_, C>, site: SiteId) {
        let call = &code.tree.sites[site.index()];
        let waiting = &mut self.waiting[site.index()];
        let answers = &self.answers[call.or.index()];
        let rows = &mut self.rows[call.and.index()];
        rows.clear();
        for answer in waiting.served..answers.len() {
            let wanted = match (&waiting.groups, &call.group) {
                (Some(groups), Some(group)) => {
                    let key = &code.tree.groupings[group.grouping.index()].key;
                    groups.find(key, answers.answer(answer))
                }
                _ => Some(answers.question_of(answer)),
            };
            let first = wanted.and_then(|wanted| waiting.newest.get(wanted as usize));
            let mut at = first.copied().unwrap_or(NONE);
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
