//! States as rows of bits.

use crate::vocabulary::{FluentId, Vocabulary};

/// A state: one bit a fluent of the [`Vocabulary`], the same bit in every engine, so rows compare, hash,
/// and survive a change of engine. Bits behind the last fluent are zero.
pub type Row = [u64];

/// True if the fluent holds.
pub fn holds(row: &Row, fluent: FluentId) -> bool {
    row[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1
}

/// Makes the fluent hold.
pub fn set(row: &mut Row, fluent: FluentId) {
    row[fluent.index() / 64] |= 1 << (fluent.index() % 64);
}

/// Makes the fluent not hold.
pub fn clear(row: &mut Row, fluent: FluentId) {
    row[fluent.index() / 64] &= !(1 << (fluent.index() % 64));
}

/// The fluents that hold, ascending.
pub fn fluents(row: &Row) -> impl Iterator<Item = FluentId> + '_ {
    row.iter().enumerate().flat_map(|(at, &word)| Bits(word).map(move |bit| FluentId((at * 64) as u32 + bit)))
}

struct Bits(u64);

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

/// The state as canonical s-expressions, sorted by character.
pub fn show(vocabulary: &Vocabulary, row: &Row) -> Vec<String> {
    let mut list: Vec<String> = fluents(row).map(|fluent| vocabulary.show_fluent(fluent)).collect();
    list.sort_unstable();
    list
}
