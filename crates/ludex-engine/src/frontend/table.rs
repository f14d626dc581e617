//! Sets of rows with indexes, that can be cut back to an earlier length.
//!
//! A table only grows at its end, and every index chains its rows from the newest to the oldest. So
//! forgetting the newest rows, which the engine does between two states, is popping the chains' heads:
//! the cost is that of the rows forgotten, and nothing is allocated or freed.

use super::presence::Presence;
use crate::terms::TermId;

const NONE: u32 = u32::MAX;

/// The most indexes of one table: each takes eight bytes a row, and every new row goes into all.
const MOST_INDEXES: usize = 64;

/// Rows up to which an index is linked anew when it is full. A larger one grows bucket by bucket: to link millions of
/// rows takes a quarter of a second, in which nobody looks at the clock.
const MOST_LINKED_ANEW: usize = 1 << 16;

/// Rows from which on bits are tried.
const FIRST_PRESENCE: u32 = 128;

/// Which of a table's indexes: the position of its column set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct IndexId(pub(crate) usize);

/// A set of rows of one width.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    width: usize,
    length: u32,
    cells: Vec<TermId>,
    /// The first index covers all columns and keeps the rows distinct.
    indexes: Vec<Index>,
    /// The rows of a large table once more, as bits.
    presence: Option<Presence>,
    /// How many rows there must be before the bits are made, or made anew: each time twice as many, so that a
    /// table that is cut back and filled again and again does so a few times only.
    next_presence: u32,
}

#[derive(Clone, Debug)]
struct Index {
    columns: Vec<usize>,
    /// Newest row of each bucket. The length is a power of two until the index grows bucket by bucket; then those
    /// buckets beyond the last power of two are split already, in their order (linear hashing).
    heads: Vec<u32>,
    /// One less than the power of two that the number of buckets grows to.
    mask: usize,
    /// The next older row of the same bucket, by row.
    older: Vec<u32>,
}

impl Index {
    fn bucket(&self, key: impl Iterator<Item = TermId>) -> usize {
        let hash = key.fold(0u64, |hash, term| {
            (hash.rotate_left(5) ^ u64::from(term.0)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        });
        let bucket = (hash >> 32) as usize & self.mask;
        // What would go to a bucket that is not there yet is still in the one that will be split.
        if bucket < self.heads.len() { bucket } else { bucket & (self.mask >> 1) }
    }

    /// The bucket of a row that lies in the table.
    fn bucket_of(&self, cells: &[TermId], width: usize, row: u32) -> usize {
        let cells = &cells[row as usize * width..][..width];
        self.bucket(self.columns.iter().map(|&c| cells[c]))
    }

    /// Makes room for one row more than there are.
    #[cold]
    fn grow(&mut self, cells: &[TermId], width: usize) {
        let rows = self.older.len();
        if rows <= MOST_LINKED_ANEW {
            self.link(cells, width, rows);
        } else {
            self.split(cells, width);
            self.split(cells, width);
        }
    }

    /// Links the first `length` rows anew with room for twice as many.
    fn link(&mut self, cells: &[TermId], width: usize, length: usize) {
        let buckets = (length * 2).next_power_of_two().max(8);
        self.heads.clear();
        self.heads.resize(buckets, NONE);
        self.mask = buckets - 1;
        self.older.clear();
        for row in 0..length as u32 {
            let bucket = self.bucket_of(cells, width, row);
            self.older.push(self.heads[bucket]);
            self.heads[bucket] = row;
        }
    }

    /// Adds a bucket and moves to it what belongs there. Both chains stay in the order of the rows, newest first.
    fn split(&mut self, cells: &[TermId], width: usize) {
        let added = self.heads.len();
        self.mask = (added + 1).next_power_of_two() - 1;
        let from = added & (self.mask >> 1);
        let mut at = std::mem::replace(&mut self.heads[from], NONE);
        self.heads.push(NONE);
        let (mut last_kept, mut last_moved) = (NONE, NONE);
        while at != NONE {
            let next = std::mem::replace(&mut self.older[at as usize], NONE);
            let bucket = self.bucket_of(cells, width, at);
            let last = if bucket == added { &mut last_moved } else { &mut last_kept };
            match std::mem::replace(last, at) {
                NONE => self.heads[bucket] = at,
                newer => self.older[newer as usize] = at,
            }
            at = next;
        }
    }
}

impl Table {
    pub(crate) fn new(width: usize) -> Table {
        let all = Index { columns: (0..width).collect(), heads: vec![NONE; 8], mask: 7, older: Vec::new() };
        Table {
            width,
            length: 0,
            cells: Vec::new(),
            indexes: vec![all],
            presence: None,
            next_presence: FIRST_PRESENCE,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn row(&self, row: usize) -> &[TermId] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Bytes held.
    pub(crate) fn memory(&self) -> usize {
        let index = |i: &Index| (i.heads.capacity() + i.older.capacity()) * 4;
        let presence = self.presence.as_ref().map_or(0, Presence::memory);
        self.cells.capacity() * 4 + self.indexes.iter().map(index).sum::<usize>() + presence
    }

    /// The index on `columns` (ascending), made if it is new; `None` if the table has too many already.
    pub(crate) fn index_on(&mut self, columns: &[usize]) -> Option<IndexId> {
        if let Some(position) = self.indexes.iter().position(|index| index.columns == columns) {
            return Some(IndexId(position));
        }
        if self.indexes.len() >= MOST_INDEXES {
            return None;
        }
        let mut index = Index { columns: columns.to_vec(), heads: Vec::new(), mask: 0, older: Vec::new() };
        index.link(&self.cells, self.width, self.len());
        self.indexes.push(index);
        Some(IndexId(self.indexes.len() - 1))
    }

    /// Adds a row; false if it was there already.
    pub(crate) fn insert(&mut self, row: &[TermId]) -> bool {
        debug_assert_eq!(row.len(), self.width);
        if let Some(presence) = &mut self.presence {
            match presence.place(row.iter().copied()) {
                Some(place) if presence.has(place) => return false,
                Some(place) => presence.set(place),
                None => {
                    self.presence = None;
                    self.next_presence = self.length.saturating_mul(2);
                }
            }
        } else if self.contains(row) {
            return false;
        }
        self.cells.extend_from_slice(row);
        let new = self.length;
        self.length += 1;
        for index in &mut self.indexes {
            if index.older.len() >= index.heads.len() {
                index.grow(&self.cells, self.width);
            }
            let bucket = index.bucket(index.columns.iter().map(|&c| row[c]));
            index.older.push(index.heads[bucket]);
            index.heads[bucket] = new;
        }
        if self.presence.is_none() && self.length >= self.next_presence {
            self.presence = Presence::of(&self.cells, self.width);
            self.next_presence = self.length.saturating_mul(2);
        }
        true
    }

    pub(crate) fn contains(&self, row: &[TermId]) -> bool {
        self.has(row.iter().copied())
    }

    /// As `contains`, for a row that lies nowhere in one piece.
    pub(crate) fn has(&self, row: impl Iterator<Item = TermId> + Clone) -> bool {
        match &self.presence {
            Some(presence) => presence.place(row).is_some_and(|place| presence.has(place)),
            None => self.position(row).is_some(),
        }
    }

    /// Where the row stands.
    #[allow(clippy::needless_pass_by_value, reason = "iterators are cheap to copy and awkward to borrow")]
    pub(crate) fn position(&self, row: impl Iterator<Item = TermId> + Clone) -> Option<usize> {
        let index = &self.indexes[0];
        let mut at = index.heads[index.bucket(row.clone())];
        while at != NONE {
            if self.row(at as usize).iter().copied().eq(row.clone()) {
                return Some(at as usize);
            }
            at = index.older[at as usize];
        }
        None
    }

    /// The newest row whose indexed columns may hold `key`, to be followed by [`Table::older`]. Rows of
    /// other keys can share the chain: compare before use.
    pub(crate) fn newest(&self, index: IndexId, key: impl Iterator<Item = TermId>) -> Option<usize> {
        let index = &self.indexes[index.0];
        let head = index.heads[index.bucket(key)];
        (head != NONE).then_some(head as usize)
    }

    /// The next older row on the chain of `row`.
    pub(crate) fn older(&self, index: IndexId, row: usize) -> Option<usize> {
        let next = self.indexes[index.0].older[row];
        (next != NONE).then_some(next as usize)
    }

    /// Forgets all rows but the first `length`.
    pub(crate) fn truncate(&mut self, length: usize) {
        while self.len() > length {
            let last = self.len() - 1;
            let row = &self.cells[last * self.width..];
            for index in &mut self.indexes {
                let bucket = index.bucket(index.columns.iter().map(|&c| row[c]));
                debug_assert_eq!(index.heads[bucket] as usize, last);
                index.heads[bucket] = index.older[last];
                index.older.pop();
            }
            if let Some(presence) = &mut self.presence
                && let Some(place) = presence.place(row.iter().copied())
            {
                presence.clear(place);
            }
            self.cells.truncate(last * self.width);
            self.length -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: [u32; 2]) -> [TermId; 2] {
        cells.map(TermId)
    }

    fn matches(table: &Table, index: IndexId, column: usize, key: u32) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = table.newest(index, [TermId(key)].into_iter());
        while let Some(row) = at {
            if table.row(row)[column] == TermId(key) {
                found.push(row);
            }
            at = table.older(index, row);
        }
        found
    }

    #[test]
    fn rows_are_distinct_and_found_by_every_index_after_growth_and_truncation() {
        let mut table = Table::new(2);
        let second = table.index_on(&[1]).expect("the first");
        for i in 0..1000 {
            assert!(table.insert(&row([i, i % 7])));
            assert!(!table.insert(&row([i, i % 7])));
        }
        assert_eq!(matches(&table, second, 1, 3).len(), (0..1000).filter(|i| i % 7 == 3).count());
        table.truncate(10);
        assert_eq!(matches(&table, second, 1, 3), vec![3]);
        assert!(!table.contains(&row([10, 3])) && table.contains(&row([9, 2])));
        assert!(table.insert(&row([10, 3])));
        assert_eq!(matches(&table, second, 1, 3), vec![10, 3]);
    }

    /// More rows than are linked anew: buckets are split one by one, rows forgotten and added again.
    #[test]
    fn an_index_that_grows_bucket_by_bucket_finds_all_rows_in_their_order() {
        let mut table = Table::new(2);
        let index = table.index_on(&[1]).expect("the first");
        let rows = 3 * MOST_LINKED_ANEW as u32 + 77;
        let keys = 50_021;
        let fill = |table: &mut Table, from: u32| (from..rows).all(|i| table.insert(&row([i, i % keys])));
        assert!(fill(&mut table, 0));
        let expected =
            |key: u32| (0..rows).rev().filter(|i| i % keys == key).map(|i| i as usize).collect::<Vec<_>>();
        for key in (0..keys).step_by(97) {
            assert_eq!(matches(&table, index, 1, key), expected(key));
        }
        table.truncate(MOST_LINKED_ANEW / 2);
        assert!(fill(&mut table, MOST_LINKED_ANEW as u32 / 2));
        for key in (0..keys).step_by(89) {
            assert_eq!(matches(&table, index, 1, key), expected(key));
        }
    }

    /// Enough rows for bits, then values that these have no room for, then fewer rows again.
    #[test]
    fn large_tables_are_sets_like_small_ones() {
        let mut table = Table::new(2);
        let mut known = std::collections::HashSet::new();
        let mut random = crate::random::Random::new(5);
        for values in [40, 40, 90] {
            for _ in 0..4000 {
                let cells = [random.below(values) as u32, random.below(values) as u32];
                assert_eq!(table.insert(&row(cells)), known.insert(cells));
            }
        }
        assert!(table.presence.is_some());
        for row in table.rows().skip(2000) {
            known.remove(&[row[0].0, row[1].0]);
        }
        table.truncate(2000);
        for a in 0..100 {
            for b in 0..100 {
                assert_eq!(table.contains(&row([a, b])), known.contains(&[a, b]), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_table_without_columns_holds_one_row_at_most() {
        let mut table = Table::new(0);
        assert!(!table.contains(&[]));
        assert!(table.insert(&[]));
        assert!(!table.insert(&[]));
        table.truncate(0);
        assert!(!table.contains(&[]) && table.len() == 0);
    }
}
