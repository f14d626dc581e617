//! A transposition table that several threads share without locks.
//!
//! States are known by 64 bits of hash, so two states may, very rarely, be taken for one: nothing that comes out of
//! this table is ever called certain. A place is two words, the entry and the entry mixed with its hash; what two threads
//! wrote at the same time does not fit together and is not found.

use ludex_engine::vocabulary::MoveId;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a score says about the value of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    /// It is at least this.
    Low,
    /// It is at most this.
    High,
}

impl Bound {
    /// The same of the value turned round.
    pub(super) fn seen_by_other(self) -> Bound {
        match self {
            Bound::Exact => Bound::Exact,
            Bound::Low => Bound::High,
            Bound::High => Bound::Low,
        }
    }
}

/// What is remembered of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) score: i32,
    pub(super) depth: u8,
    pub(super) bound: Bound,
    pub(super) best: Option<MoveId>,
}

impl Entry {
    fn packed(self) -> u64 {
        // A move beyond 24 bits is forgotten: it only orders moves.
        let best = self.best.map_or(0, |best| if best.0 < (1 << 24) - 1 { best.0 + 1 } else { 0 });
        let bound = match self.bound {
            Bound::Exact => 1,
            Bound::Low => 2,
            Bound::High => 3,
        };
        u64::from(self.score as i16 as u16)
            | u64::from(self.depth) << 16
            | bound << 24
            | u64::from(best) << 32
    }

    fn unpacked(word: u64) -> Option<Entry> {
        let bound = match (word >> 24) & 3 {
            1 => Bound::Exact,
            2 => Bound::Low,
            3 => Bound::High,
            _ => return None,
        };
        let best = ((word >> 32) as u32).checked_sub(1).map(MoveId);
        Some(Entry { score: i32::from(word as u16 as i16), depth: (word >> 16) as u8, bound, best })
    }
}

/// Entries by hash, in groups: a state can take any place of its group.
#[derive(Debug)]
pub struct Table {
    places: Vec<[AtomicU64; 2]>,
}

/// Places that a state can take.
const GROUP: usize = 4;

impl Table {
    /// A table of at most `memory` bytes, and at least one group.
    pub fn new(memory: usize) -> Table {
        let groups = (memory / size_of::<[AtomicU64; 2]>() / GROUP).max(1);
        let mut places = Vec::new();
        places.resize_with(groups * GROUP, Default::default);
        Table { places }
    }

    fn group(&self, hash: u64) -> &[[AtomicU64; 2]] {
        let groups = (self.places.len() / GROUP) as u128;
        let at = ((u128::from(hash) * groups) >> 64) as usize * GROUP;
        &self.places[at..at + GROUP]
    }

    pub(super) fn get(&self, hash: u64) -> Option<Entry> {
        self.group(hash).iter().find_map(|[key, entry]| {
            let entry = entry.load(Ordering::Relaxed);
            (key.load(Ordering::Relaxed) == hash ^ entry).then(|| Entry::unpacked(entry))?
        })
    }

    /// Takes the state's own place, or that of the shallowest entry of its group.
    pub(super) fn put(&self, hash: u64, entry: Entry) {
        let depth = |[key, word]: &[AtomicU64; 2]| {
            let word = word.load(Ordering::Relaxed);
            let is_own = key.load(Ordering::Relaxed) == hash ^ word;
            match Entry::unpacked(word) {
                None => -1,
                Some(_) if is_own => -2,
                Some(entry) => i32::from(entry.depth),
            }
        };
        if let Some([key, place]) = self.group(hash).iter().min_by_key(|place| depth(place)) {
            let word = entry.packed();
            place.store(word, Ordering::Relaxed);
            key.store(hash ^ word, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Entry, Table};
    use ludex_engine::vocabulary::MoveId;

    #[test]
    fn what_is_put_is_found_and_the_shallowest_goes() {
        let table = Table::new(0);
        let entry = |depth, best| Entry { score: -29_999, depth, bound: Bound::Low, best };
        for (hash, depth) in [(1, 5), (2, 4), (3, 3), (4, 2), (5, 7)] {
            table.put(hash, entry(depth, Some(MoveId(hash as u32))));
        }
        assert_eq!(table.get(4), None);
        assert_eq!(table.get(5), Some(entry(7, Some(MoveId(5)))));
        table.put(1, entry(1, None));
        assert_eq!(table.get(1), Some(entry(1, None)));
        assert_eq!(table.get(2), Some(entry(4, Some(MoveId(2)))));
    }
}
