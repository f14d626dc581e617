//! RowSets: rows of one width in one block of memory.
//!
//! The rows of a conjunction carry, beside their cells, the number of the question that they answer. Columns are
//! filled as conditions bind variables; a column that is not bound yet holds whatever was there before, and
//! nobody reads it. Memory is never given back: clearing sets the length to zero, and growth happens only past
//! the largest size seen.

use super::cell::Cell;

/// A set of rows under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSet<C> {
    width: usize,
    length: usize,
    cells: Vec<C>,
    /// For each row the question that it belongs to.
    questions: Vec<u32>,
}

impl<C: Cell> RowSet<C> {
    pub(super) fn new(width: usize) -> RowSet<C> {
        RowSet { width, length: 0, cells: Vec::new(), questions: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    #[inline]
    pub(super) fn row(&self, at: usize) -> &[C] {
        &self.cells[at * self.width..(at + 1) * self.width]
    }

    #[inline]
    pub(super) fn row_mut(&mut self, at: usize) -> &mut [C] {
        &mut self.cells[at * self.width..(at + 1) * self.width]
    }

    #[inline]
    pub(super) fn question(&self, at: usize) -> u32 {
        self.questions[at]
    }

    /// Adds a row whose columns nobody has bound yet.
    #[inline]
    pub(super) fn push(&mut self, question: u32) -> &mut [C] {
        let at = self.length;
        self.length += 1;
        if self.questions.len() < self.length {
            self.questions.resize(self.length * 2, 0);
            self.cells.resize(self.length * 2 * self.width, C::default());
        }
        self.questions[at] = question;
        self.row_mut(at)
    }

    /// Adds a copy of a row.
    #[inline]
    pub(super) fn push_copy(&mut self, from: usize) -> &mut [C] {
        let question = self.questions[from];
        self.push(question);
        let (width, at) = (self.width, self.length - 1);
        self.cells.copy_within(from * width..(from + 1) * width, at * width);
        self.row_mut(at)
    }

    /// Adds a row of another set of the same width.
    pub(super) fn push_row(&mut self, row: &[C], question: u32) {
        self.push(question).copy_from_slice(row);
    }

    /// Deletes a row: the last one takes its place.
    #[inline]
    pub(super) fn swap_remove(&mut self, at: usize) {
        self.length -= 1;
        let (last, width) = (self.length, self.width);
        if at != last {
            self.questions[at] = self.questions[last];
            self.cells.copy_within(last * width..(last + 1) * width, at * width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_and_deleted_by_the_last() {
        let mut rows = RowSet::<u16>::new(2);
        for (question, cells) in [(7, [1, 2]), (8, [3, 4])] {
            rows.push(question).copy_from_slice(&cells);
        }
        rows.push_copy(0)[1] = 9;
        assert_eq!((rows.row(2), rows.question(2)), (&[1, 9][..], 7));
        rows.swap_remove(0);
        assert_eq!((rows.len(), rows.row(0), rows.row(1)), (2, &[1, 9][..], &[3, 4][..]));
        rows.clear();
        rows.push(1);
        assert_eq!((rows.len(), rows.question(0)), (1, 1));
    }

    #[test]
    fn rows_without_columns_are_counted() {
        let mut rows = RowSet::<u32>::new(0);
        rows.push(3);
        rows.push_copy(0);
        assert_eq!((rows.len(), rows.question(1), rows.row(1)), (2, 3, &[][..]));
        rows.swap_remove(0);
        assert_eq!(rows.len(), 1);
    }
}
