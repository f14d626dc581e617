//! Which rows a table holds, as bits: one for each combination of the values that its columns have.
//!
//! Most of what a large join derives has been derived before. To find that out by the hash index of the table
//! is two or three accesses to memory that is in no cache; here it is one bit in a few hundred kilobytes. A
//! table has such bits while it is large and dense enough for them to take less memory than its rows, and
//! goes back to its index alone when a value comes that they have no room for.

use crate::terms::TermId;

/// Tables with fewer rows fit the cache anyway.
const LEAST_ROWS: usize = 128;

/// More bits than this fit no cache.
const MOST_BITS: usize = 1 << 25;

/// Bits for each row that a table has: what a row and its place in an index take.
const BITS_FOR_ROW: usize = 256;

/// Terms with larger numbers are given no place.
const MOST_TERMS: usize = 1 << 16;

/// The value has no place.
const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Presence {
    /// For each column and term what it adds to the place of a row.
    places: Vec<Vec<u32>>,
    bits: Vec<u64>,
}

impl Presence {
    /// The bits of rows that lie one after the other, if that is worth while.
    pub(super) fn of(cells: &[TermId], width: usize) -> Option<Presence> {
        let length = cells.len().checked_div(width)?;
        if length < LEAST_ROWS {
            return None;
        }
        let mut size = 1;
        let mut places = Vec::with_capacity(width);
        for column in 0..width {
            let mut place = Vec::new();
            let mut values = 0;
            for term in cells[column..].iter().step_by(width) {
                let term = term.0 as usize;
                if term >= place.len() {
                    if term >= MOST_TERMS {
                        return None;
                    }
                    place.resize(term + 1, NONE);
                }
                if place[term] == NONE {
                    place[term] = (values * size) as u32;
                    values += 1;
                    if values * size > MOST_BITS.min(length * BITS_FOR_ROW) {
                        return None;
                    }
                }
            }
            size *= values;
            places.push(place);
        }
        let mut presence = Presence { places, bits: vec![0; size.div_ceil(64)] };
        for row in cells.chunks_exact(width) {
            if let Some(place) = presence.place(row.iter().copied()) {
                presence.set(place);
            }
        }
        Some(presence)
    }

    /// The bit of a row; `None` if it has a value that none of the rows had when the bits were made.
    #[inline]
    pub(super) fn place(&self, row: impl Iterator<Item = TermId>) -> Option<usize> {
        let mut sum = 0;
        for (place, term) in self.places.iter().zip(row) {
            match place.get(term.0 as usize) {
                Some(&part) if part != NONE => sum += part as usize,
                _ => return None,
            }
        }
        Some(sum)
    }

    #[inline]
    pub(super) fn has(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, place: usize) {
        self.bits[place / 64] |= 1 << (place % 64);
    }

    pub(super) fn clear(&mut self, place: usize) {
        self.bits[place / 64] &= !(1 << (place % 64));
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.bits.len() * 8 + self.places.iter().map(|place| place.len() * 4).sum::<usize>()
    }
}
