//! The numbers that rows are made of, and where a condition finds them.
//!
//! A cell is the number of a ground term in a table of its own, which holds only what can stand in a
//! column: whole fluents and moves never do, so 16 bits are enough for nearly every game. Rows of 32 bits are
//! for games with more terms, and for those that put terms together while they are played.

use crate::terms::{TermId, Terms};
use hashbrown::HashMap;

/// The width of a cell: `u16` or `u32`.
pub(super) trait Cell:
    Copy + Eq + std::hash::Hash + Default + std::fmt::Debug + Send + Sync + 'static
{
    /// The cell of a term's number, which must fit.
    fn of(number: u32) -> Self;

    /// The term's number.
    fn number(self) -> u32;
}

impl Cell for u16 {
    fn of(number: u32) -> u16 {
        number as u16
    }

    fn number(self) -> u32 {
        u32::from(self)
    }
}

impl Cell for u32 {
    fn of(number: u32) -> u32 {
        number
    }

    fn number(self) -> u32 {
        self
    }
}

/// Where a value comes from: a column of the row at hand, or the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Source {
    Column(u16),
    Constant(u32),
}

#[inline]
pub(super) fn value<C: Cell>(row: &[C], source: Source) -> C {
    match source {
        Source::Column(column) => row[column as usize],
        Source::Constant(number) => C::of(number),
    }
}

/// The terms that can stand in columns, numbered densely.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexicon {
    pub(super) terms: Terms,
    numbers: HashMap<TermId, u32>,
}

impl Lexicon {
    /// The number of a term of `terms`, given if it is new.
    pub(super) fn number(&mut self, terms: &Terms, term: TermId) -> u32 {
        if let Some(&number) = self.numbers.get(&term) {
            return number;
        }
        let arguments: Vec<TermId> =
            terms.arguments(term).iter().map(|&a| TermId(self.number(terms, a))).collect();
        let number = self.terms.intern(terms.functor(term), &arguments).0;
        self.numbers.insert(term, number);
        number
    }
}
