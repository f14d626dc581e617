//! The merge operations on the RowSet of an AND node.
//!
//! A [`Provider`] has the rows of a condition: facts, the state, the moves, or the answers of an OR node. A
//! merge walks the RowSet from its end: a row without a match is replaced by the last one, a row with
//! several is copied to the end; whatever stands behind the row at hand has been dealt with.

use super::answers::{Answers, NONE};
use super::cell::{Cell, Source, value};
use super::facts::{FactIndex, FluentIndex, Fluents, Move, any_holds, each_holding};
use super::groups::Groups;
use super::lookup::Key;
use super::node::{Merge, Take};
use super::rowset::RowSet;
use crate::row::Row;

/// The rows of a condition.
pub(super) trait Provider<C: Cell> {
    /// What matches one row.
    type Selection: Copy;

    /// What may match the row at a position of the RowSet.
    fn select(&self, at: usize, row: &[C]) -> Self::Selection;

    /// Calls `found` with every match.
    fn each(&self, selection: Self::Selection, found: impl FnMut(&[C]));

    /// True if a match passes the checks.
    fn any(&self, selection: Self::Selection, row: &[C], check: &[(u16, Source)]) -> bool;
}

#[inline]
fn passes<C: Cell>(row: &[C], found: &[C], check: &[(u16, Source)]) -> bool {
    check.iter().all(|&(from, source)| found[from as usize] == value(row, source))
}

/// Writes a match into a row; false if the row does not fit it.
#[inline]
pub(super) fn take_over<C: Cell>(row: &mut [C], found: &[C], take: &Take) -> bool {
    for &(from, to) in &take.bind {
        row[to as usize] = found[from as usize];
    }
    passes(row, found, &take.check)
}

/// Merges a condition into the rows. With more than `most` rows it stops; the caller sees that by their number.
#[inline]
pub(super) fn merge<C: Cell, P: Provider<C>>(
    rows: &mut RowSet<C>,
    provider: &P,
    merge: Merge,
    take: &Take,
    most: usize,
) {
    match merge {
        Merge::True => {
            for at in (0..rows.len()).rev() {
                let selection = provider.select(at, rows.row(at));
                complete(rows, at, provider, selection, take);
                if rows.len() > most {
                    return;
                }
            }
        }
        Merge::New | Merge::Combine => {
            // Every row has the same matches.
            let selection = provider.select(0, rows.row(0));
            for at in (0..rows.len()).rev() {
                complete(rows, at, provider, selection, take);
                if rows.len() > most {
                    return;
                }
            }
        }
        Merge::Verify | Merge::VerifyNot => {
            let wanted = merge == Merge::Verify;
            for at in (0..rows.len()).rev() {
                let row = rows.row(at);
                if provider.any(provider.select(at, row), row, &take.check) != wanted {
                    rows.swap_remove(at);
                }
            }
        }
        Merge::Check | Merge::CheckNot => {
            let row = rows.row(0);
            if provider.any(provider.select(0, row), row, &take.check) != (merge == Merge::Check) {
                rows.clear();
            }
        }
    }
}

/// Completes the row by each match: itself by the first, copies by the others.
#[inline]
fn complete<C: Cell, P: Provider<C>>(
    rows: &mut RowSet<C>,
    at: usize,
    provider: &P,
    selection: P::Selection,
    take: &Take,
) {
    let mut completed = false;
    provider.each(selection, |found| {
        if completed {
            if !take_over(rows.push_copy(at), found, take) {
                rows.swap_remove(rows.len() - 1);
            }
        } else {
            completed = take_over(rows.row_mut(at), found, take);
        }
    });
    if !completed {
        rows.swap_remove(at);
    }
}

/// Keeps the rows that pass a test.
#[inline]
pub(super) fn retain<C: Cell>(rows: &mut RowSet<C>, mut test: impl FnMut(&mut [C]) -> bool) {
    for at in (0..rows.len()).rev() {
        if !test(rows.row_mut(at)) {
            rows.swap_remove(at);
        }
    }
}

/// Facts.
pub(super) struct FromFacts<'a, C> {
    pub(super) index: &'a FactIndex<C>,
    pub(super) key: &'a Key,
}

impl<C: Cell> Provider<C> for FromFacts<'_, C> {
    type Selection = (u32, u32);

    #[inline]
    fn select(&self, _: usize, row: &[C]) -> (u32, u32) {
        self.index.select(self.key, row)
    }

    #[inline]
    fn each(&self, (from, to): (u32, u32), mut found: impl FnMut(&[C])) {
        (from..to).for_each(|at| found(self.index.get(at)));
    }

    #[inline]
    fn any(&self, (from, to): (u32, u32), row: &[C], check: &[(u16, Source)]) -> bool {
        if check.is_empty() { from < to } else { (from..to).any(|at| passes(row, self.index.get(at), check)) }
    }
}

/// Fluents of the state.
pub(super) struct FromState<'a, C> {
    pub(super) state: &'a Row,
    pub(super) fluents: &'a Fluents<C>,
    pub(super) index: &'a FluentIndex<C>,
    pub(super) key: &'a Key,
}

impl<'a, C: Cell> Provider<C> for FromState<'a, C> {
    type Selection = &'a [super::facts::Span];

    #[inline]
    fn select(&self, _: usize, row: &[C]) -> Self::Selection {
        self.index.select(self.key, row)
    }

    #[inline]
    fn each(&self, spans: Self::Selection, mut found: impl FnMut(&[C])) {
        each_holding(self.state, spans, |fluent| found(self.fluents.row(fluent)));
    }

    #[inline]
    fn any(&self, spans: Self::Selection, row: &[C], check: &[(u16, Source)]) -> bool {
        if check.is_empty() {
            return any_holds(self.state, spans);
        }
        let mut any = false;
        each_holding(self.state, spans, |fluent| any |= passes(row, self.fluents.row(fluent), check));
        any
    }
}

/// Moves that are made, of one shape.
pub(super) struct FromMoves<'a, C> {
    /// For each role all its moves.
    pub(super) moves: &'a [Vec<Move<C>>],
    /// For each role the one that it makes.
    pub(super) joint: &'a [u32],
    pub(super) shape: usize,
}

impl<C> FromMoves<'_, C> {
    #[inline]
    fn made(&self) -> impl Iterator<Item = &Move<C>> {
        let made = self.joint.iter().zip(self.moves).map(|(&action, moves)| &moves[action as usize]);
        made.filter(|action| action.shape == self.shape)
    }
}

impl<C: Cell> Provider<C> for FromMoves<'_, C> {
    type Selection = ();

    #[inline]
    fn select(&self, _: usize, _: &[C]) {}

    #[inline]
    fn each(&self, (): (), mut found: impl FnMut(&[C])) {
        self.made().for_each(|action| found(&action.cells));
    }

    #[inline]
    fn any(&self, (): (), row: &[C], check: &[(u16, Source)]) -> bool {
        self.made().any(|action| passes(row, &action.cells, check))
    }
}

/// Answers of an OR node to the questions of the rows.
pub(super) struct FromAnswers<'a, C> {
    pub(super) answers: &'a Answers<C>,
    /// For each row its question; one only if it is the same for all.
    pub(super) questions: &'a [u32],
    /// Only answers before this one count.
    pub(super) before: u32,
}

impl<C: Cell> Provider<C> for FromAnswers<'_, C> {
    /// The newest answer.
    type Selection = u32;

    #[inline]
    fn select(&self, at: usize, _: &[C]) -> u32 {
        let question = self.questions.get(at).copied().unwrap_or(self.questions[0]);
        let mut answer = if question == NONE { NONE } else { self.answers.newest(question) };
        while answer != NONE && answer >= self.before {
            answer = self.answers.older(answer);
        }
        answer
    }

    #[inline]
    fn each(&self, mut answer: u32, mut found: impl FnMut(&[C])) {
        while answer != NONE {
            found(self.answers.answer(answer));
            answer = self.answers.older(answer);
        }
    }

    #[inline]
    fn any(&self, mut answer: u32, row: &[C], check: &[(u16, Source)]) -> bool {
        while answer != NONE {
            if passes(row, self.answers.answer(answer), check) {
                return true;
            }
            answer = self.answers.older(answer);
        }
        false
    }
}

/// Answers of an OR node by their group.
pub(super) struct FromGroups<'a, C> {
    pub(super) answers: &'a Answers<C>,
    pub(super) groups: &'a Groups<C>,
    pub(super) key: &'a Key,
    /// Only answers before this one count.
    pub(super) before: u32,
}

impl<C: Cell> Provider<C> for FromGroups<'_, C> {
    /// The newest answer.
    type Selection = u32;

    #[inline]
    fn select(&self, _: usize, row: &[C]) -> u32 {
        let group = self.groups.numbering.find(self.key, row);
        let mut answer = group.map_or(NONE, |group| self.groups.newest(group));
        while answer != NONE && answer >= self.before {
            answer = self.groups.older(answer);
        }
        answer
    }

    #[inline]
    fn each(&self, mut answer: u32, mut found: impl FnMut(&[C])) {
        while answer != NONE {
            found(self.answers.answer(answer));
            answer = self.groups.older(answer);
        }
    }

    #[inline]
    fn any(&self, answer: u32, _: &[C], _: &[(u16, Source)]) -> bool {
        // What is checked elsewhere is the key here.
        answer != NONE
    }
}
