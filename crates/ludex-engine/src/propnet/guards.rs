//! Guards: lists of things that matter only while a certain bit is on (as watched literals).
//!
//! Many lists are sparse: a piece can move from each of a hundred cells, but is in one of them. Each entry of
//! such a list has a *guard*, a bit that must be on for the entry to matter, and entries are ordered by their
//! guards; then going through the bits that are on finds those that matter, whatever the length of the list.

use crate::row::Row;
use std::ops::Range;

/// The guards of many lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    words: Vec<GuardWord>,
    /// For each bit from the first guard of a word to its last where the entries begin. They end where those of
    /// the next bit do; behind the last guard of a word there is one more number for that.
    starts: Vec<u32>,
}

/// The guards in one word of the row.
#[derive(Clone, Copy, Debug)]
struct GuardWord {
    word: u32,
    /// The place in `starts` that bit zero has or would have, modulo 2^32.
    base: u32,
    mask: u64,
}

/// A guard, by its bit in the word, and the entries that have it.
#[derive(Clone, Debug)]
pub(super) struct GuardGroup {
    pub(super) bit: u32,
    pub(super) entries: Range<u32>,
}

impl Guards {
    /// How far the guards go that have been added: a list's are those between two calls.
    pub(super) fn end(&self) -> u32 {
        self.words.len() as u32
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Adds the guards of a list: the bit for each entry, ascending. `first` is the number of the first entry.
    pub(super) fn add(&mut self, first: u32, bits: impl IntoIterator<Item = u32>) {
        let list = self.words.len();
        let mut entry = first;
        for bit in bits {
            let word = bit / 64;
            match self.words[list..].last_mut().filter(|guards| guards.word == word) {
                Some(guards) => {
                    guards.mask |= 1 << (bit % 64);
                    // Bits in between have no entries.
                    let place = guards.base.wrapping_add(bit % 64) as usize;
                    let length = self.starts.len();
                    if place + 1 >= length {
                        self.starts[length - 1..].fill(entry);
                        self.starts.resize(place + 1, entry);
                        self.starts.push(entry);
                    }
                }
                None => {
                    let base = (self.starts.len() as u32).wrapping_sub(bit % 64);
                    self.words.push(GuardWord { word, mask: 1 << (bit % 64), base });
                    self.starts.extend([entry, entry]);
                }
            }
            entry += 1;
            if let Some(end) = self.starts.last_mut() {
                *end = entry;
            }
        }
    }

    /// The guards of a list, word by word.
    pub(super) fn words(&self, list: Range<u32>) -> impl Iterator<Item = (u32, Vec<GuardGroup>)> {
        self.words[list.start as usize..list.end as usize].iter().map(|guards| {
            let bits = (0..64).filter(|bit| guards.mask >> bit & 1 == 1);
            let group = |bit: u32| {
                let place = guards.base.wrapping_add(bit) as usize;
                GuardGroup { bit, entries: self.starts[place]..self.starts[place + 1] }
            };
            (guards.word, bits.map(group).collect())
        })
    }

    /// The last word of the row in which guards are.
    pub(super) fn last_word(&self) -> Option<u32> {
        self.words.iter().map(|guards| guards.word).max()
    }

    /// The entries of a list, given by its guards, whose guard is on: groups of neighbours.
    #[inline]
    pub(super) fn open<'a>(&'a self, list: Range<u32>, row: &'a Row) -> Open<'a> {
        Open { guards: self, words: list, row, on: 0, current: GuardWord { word: 0, base: 0, mask: 0 } }
    }

    pub(super) fn memory_usage(&self) -> usize {
        std::mem::size_of_val(&*self.words) + std::mem::size_of_val(&*self.starts)
    }
}

/// The groups of entries whose guard is on.
#[derive(Debug)]
pub(super) struct Open<'a> {
    guards: &'a Guards,
    words: Range<u32>,
    row: &'a Row,
    current: GuardWord,
    /// The guards of the current word that are on and have not been given yet.
    on: u64,
}

impl Iterator for Open<'_> {
    type Item = Range<u32>;

    #[inline]
    fn next(&mut self) -> Option<Range<u32>> {
        while self.on == 0 {
            self.current = self.guards.words[self.words.next()? as usize];
            self.on = self.row[self.current.word as usize] & self.current.mask;
        }
        let place = self.current.base.wrapping_add(self.on.trailing_zeros()) as usize;
        self.on &= self.on - 1;
        let [start, end] = self.guards.starts[place..place + 2] else { return None };
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::Guards;

    /// Two lists; the second has guards in two words, one of them with two entries.
    #[test]
    fn entries_are_found_by_the_bits_that_are_on() {
        let mut guards = Guards::default();
        guards.add(0, [3, 5]);
        let second = guards.end();
        guards.add(7, [5, 60, 60, 64, 70]);
        let open = |list, row: &[u64]| guards.open(list, row).collect::<Vec<_>>();
        assert_eq!(open(0..second, &[1 << 5 | 1 << 60, !0]), vec![1..2; 1]);
        assert_eq!(open(second..guards.end(), &[0, 0]), []);
        assert_eq!(open(second..guards.end(), &[1 << 60, 1 << 6 | 1]), [8..10, 10..11, 11..12]);
        assert_eq!(open(second..guards.end(), &[1 << 5 | 1 << 3, 1 << 6]), [7..8, 11..12]);
    }
}
