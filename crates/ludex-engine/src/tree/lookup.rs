//! From the values of some columns to a number, in constant time.
//!
//! Where the columns have few values each, which is the rule, the values are positions in an array with a
//! slot for every combination; otherwise they are hashed. [`Lookup`] is made once, for facts that never change;
//! [`Numbering`] is filled and forgotten again for each state.

use super::cell::{Cell, Source, value};
use hashbrown::HashTable;
use std::sync::Arc;

/// A combination of columns with more slots than this is hashed.
const MOST_SLOTS: usize = 1 << 16;

const NONE: u32 = u32::MAX;
const NO_CODE: u16 = u16::MAX;

/// The values that one column can have, numbered from zero.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// By the number of a term; shared by the columns of the same values.
    codes: Arc<[u16]>,
    count: usize,
}

impl Values {
    /// Numbers the values, each given once; `None` if there are too many for an array.
    pub(super) fn new(values: &[u32]) -> Option<Values> {
        if values.len() >= usize::from(NO_CODE) {
            return None;
        }
        let length = values.iter().max().map_or(0, |&most| most as usize + 1);
        let mut codes = vec![NO_CODE; length];
        for (code, &value) in (0..).zip(values) {
            codes[value as usize] = code;
        }
        Some(Values { codes: codes.into(), count: values.len() })
    }

    #[inline]
    fn code(&self, number: u32) -> Option<usize> {
        match self.codes.get(number as usize) {
            Some(&code) if code != NO_CODE => Some(code as usize),
            _ => None,
        }
    }
}

/// How keys of some columns become slots.
#[derive(Clone, Debug)]
pub(super) enum KeySpace {
    /// One slot for each combination of values.
    Direct {
        columns: Vec<Values>,
        slots: usize,
    },
    Hashed,
}

impl KeySpace {
    /// True if there are no more keys than so many.
    pub(super) fn holds(&self, count: u32) -> bool {
        matches!(self, KeySpace::Direct { slots, .. } if *slots <= count as usize)
    }

    /// The space of columns with these values; `None` where they are unknown or too many.
    pub(super) fn new(columns: Vec<Option<Values>>) -> KeySpace {
        let Some(columns) = columns.into_iter().collect::<Option<Vec<Values>>>() else {
            return KeySpace::Hashed;
        };
        let slots = columns.iter().try_fold(1usize, |n, c| n.checked_mul(c.count));
        match slots {
            Some(slots) if slots <= MOST_SLOTS => KeySpace::Direct { columns, slots },
            _ => KeySpace::Hashed,
        }
    }

    /// How rows give keys of this space.
    pub(super) fn key(&self, sources: &[Source]) -> Key {
        let KeySpace::Direct { columns, slots } = self else { return Key::Hashed(sources.to_vec()) };
        let (mut base, mut parts, mut distance) = (0, Vec::new(), *slots);
        for (values, source) in columns.iter().zip(sources) {
            distance /= values.count.max(1);
            match source {
                Source::Constant(number) => base += values.code(*number).map_or(NOWHERE, |c| c * distance),
                Source::Column(column) => {
                    let offset = |&code: &u16| match code {
                        NO_CODE => NOWHERE as u32,
                        code => u32::from(code) * distance as u32,
                    };
                    parts.push(Part { column: *column, offsets: values.codes.iter().map(offset).collect() });
                }
            }
        }
        Key::Direct { base, parts }
    }
}

/// How a row gives the key of a lookup.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// The slot is the sum of a constant and a number for each column. Values that cannot occur have numbers
    /// beyond all slots.
    Direct {
        base: usize,
        parts: Vec<Part>,
    },
    Hashed(Vec<Source>),
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    column: u16,
    /// By the number of a term: the code of the value times the distance of two values.
    offsets: Arc<[u32]>,
}

/// Larger than any slot, small enough to be added a few times.
const NOWHERE: usize = 1 << 24;

impl Key {
    #[inline]
    pub(super) fn slot<C: Cell>(base: usize, parts: &[Part], row: &[C]) -> usize {
        let mut slot = base;
        for part in parts {
            let number = row[part.column as usize].number() as usize;
            slot += part.offsets.get(number).map_or(NOWHERE, |&offset| offset as usize);
        }
        slot
    }

    /// Where the values of a key come from that is not bound to an array.
    pub(super) fn sources(&self) -> &[Source] {
        match self {
            Key::Hashed(sources) => sources,
            Key::Direct { .. } => &[],
        }
    }

    /// True if no column is read.
    pub(super) fn is_fixed(&self) -> bool {
        match self {
            Key::Direct { parts, .. } => parts.is_empty(),
            Key::Hashed(sources) => sources.iter().all(|source| matches!(source, Source::Constant(_))),
        }
    }
}

#[inline]
fn hashed_key<'a, C: Cell>(sources: &'a [Source], row: &'a [C]) -> impl Iterator<Item = C> + Clone + 'a {
    sources.iter().map(|&source| value(row, source))
}

/// The slot of a key; `None` if a value cannot occur in its column.
#[inline]
fn slot<C: Cell>(columns: &[Values], key: impl Iterator<Item = C>) -> Option<usize> {
    let mut slot = 0;
    for (column, cell) in columns.iter().zip(key) {
        slot = slot * column.count + column.code(cell.number())?;
    }
    Some(slot)
}

#[inline]
pub(super) fn hash<C: Cell>(key: impl Iterator<Item = C>) -> u64 {
    let hash = key.fold(0u64, |hash, cell| {
        (hash.rotate_left(5) ^ u64::from(cell.number())).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    });
    hash ^ (hash >> 32)
}

/// Numbers of keys that never change.
#[derive(Clone, Debug)]
pub(super) struct Lookup<C> {
    place: Place<C>,
    count: u32,
}

#[derive(Clone, Debug)]
enum Place<C> {
    Direct { columns: Vec<Values>, slots: Vec<u32> },
    Hashed { width: usize, keys: Vec<C>, table: HashTable<u32> },
}

impl<C: Cell> Lookup<C> {
    pub(super) fn new(space: KeySpace, width: usize) -> Lookup<C> {
        let place = match space {
            KeySpace::Direct { columns, slots } => Place::Direct { columns, slots: vec![NONE; slots] },
            KeySpace::Hashed => Place::Hashed { width, keys: Vec::new(), table: HashTable::new() },
        };
        Lookup { place, count: 0 }
    }

    /// How rows give keys.
    pub(super) fn key(&self, sources: &[Source]) -> Key {
        match &self.place {
            Place::Direct { columns, slots } => {
                KeySpace::Direct { columns: columns.clone(), slots: slots.len() }.key(sources)
            }
            Place::Hashed { .. } => Key::Hashed(sources.to_vec()),
        }
    }

    /// The number of the key that the row gives. `key` must come from [`Lookup::key`].
    #[inline]
    pub(super) fn find(&self, key: &Key, row: &[C]) -> Option<u32> {
        match (key, &self.place) {
            (Key::Direct { base, parts }, Place::Direct { slots, .. }) => {
                slots.get(Key::slot(*base, parts, row)).copied().filter(|&number| number != NONE)
            }
            (Key::Hashed(sources), _) => self.find_values(hashed_key(sources, row)),
            (Key::Direct { .. }, Place::Hashed { .. }) => None,
        }
    }

    fn find_values(&self, key: impl Iterator<Item = C> + Clone) -> Option<u32> {
        match &self.place {
            Place::Direct { columns, slots } => {
                let number = slots[slot(columns, key)?];
                (number != NONE).then_some(number)
            }
            Place::Hashed { width, keys, table } => {
                let same = |&n: &u32| {
                    let at = n as usize * width;
                    keys[at..at + width].iter().copied().eq(key.clone())
                };
                table.find(hash(key.clone()), same).copied()
            }
        }
    }

    /// The number of a key, the next one if it is new. Its values must be those of the space.
    pub(super) fn add(&mut self, key: &[C]) -> u32 {
        if let Some(number) = self.find_values(key.iter().copied()) {
            return number;
        }
        let number = self.count;
        self.count += 1;
        match &mut self.place {
            Place::Direct { columns, slots } => {
                let slot = slot(columns, key.iter().copied()).expect("a key of known values");
                slots[slot] = number;
            }
            Place::Hashed { width, keys, table } => {
                keys.extend_from_slice(key);
                let rehash = |&n: &u32| {
                    let at = n as usize * *width;
                    hash(keys[at..at + *width].iter().copied())
                };
                table.insert_unique(hash(key.iter().copied()), number, rehash);
            }
        }
        number
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        match &self.place {
            Place::Direct { slots, .. } => slots.capacity() * 4,
            Place::Hashed { keys, table, .. } => size_of_val(keys.as_slice()) + table.capacity() * 5,
        }
    }
}

/// Numbers of keys that are forgotten with the state: a row each, in the order of their numbers.
///
/// Forgetting is one addition: a slot counts only if it was written in the present generation.
#[derive(Clone, Debug)]
pub(super) struct Numbering<C> {
    width: usize,
    count: u32,
    keys: Vec<C>,
    generation: u32,
    /// Generation and number. A power of two of them where keys are hashed.
    slots: Vec<(u32, u32)>,
}

/// What [`Numbering::add`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    New(u32),
    Known(u32),
    /// The key has a value that cannot occur.
    Impossible,
}

impl<C: Cell> Numbering<C> {
    pub(super) fn new(space: &KeySpace, width: usize) -> Numbering<C> {
        let slots = match space {
            KeySpace::Direct { slots, .. } => *slots,
            KeySpace::Hashed => 16,
        };
        Numbering { width, count: 0, keys: Vec::new(), generation: 1, slots: vec![(0, 0); slots] }
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(super) fn key(&self, number: u32) -> &[C] {
        let at = number as usize * self.width;
        &self.keys[at..at + self.width]
    }

    pub(super) fn forget(&mut self) {
        self.count = 0;
        self.keys.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0));
            self.generation = 1;
        }
    }

    /// The number of the key that the row gives, the next one if it is new.
    #[inline]
    pub(super) fn add(&mut self, key: &Key, row: &[C]) -> Added {
        match key {
            Key::Direct { base, parts } => {
                let Some(slot) = self.slots.get_mut(Key::slot(*base, parts, row)) else {
                    return Added::Impossible;
                };
                if slot.0 == self.generation {
                    return Added::Known(slot.1);
                }
                *slot = (self.generation, self.count);
            }
            Key::Hashed(sources) => {
                if self.count as usize * 2 >= self.slots.len() {
                    self.grow();
                }
                let slot = self.probe(hashed_key(sources, row));
                if self.slots[slot].0 == self.generation {
                    return Added::Known(self.slots[slot].1);
                }
                self.slots[slot] = (self.generation, self.count);
            }
        }
        self.count += 1;
        Added::New(self.count - 1)
    }

    /// The number of the key that the row gives, if it has one.
    #[inline]
    pub(super) fn find(&self, key: &Key, row: &[C]) -> Option<u32> {
        let slot = match key {
            Key::Direct { base, parts } => self.slots.get(Key::slot(*base, parts, row))?,
            Key::Hashed(sources) => &self.slots[self.probe(hashed_key(sources, row))],
        };
        (slot.0 == self.generation).then_some(slot.1)
    }

    /// Notes the values of the key that was added last.
    #[inline]
    pub(super) fn note(&mut self, values: impl Iterator<Item = C>) {
        self.keys.extend(values);
    }

    /// The slot of the key, or the free one where it would stand.
    #[allow(clippy::needless_pass_by_value, reason = "iterators are cheap to copy and awkward to borrow")]
    fn probe(&self, key: impl Iterator<Item = C> + Clone) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(key.clone()) as usize & mask;
        loop {
            let (generation, number) = self.slots[slot];
            if generation != self.generation || self.key(number).iter().copied().eq(key.clone()) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        for number in 0..self.count {
            let mut slot = hash(self.key(number).iter().copied()) as usize & (size - 1);
            while self.slots[slot].0 == self.generation {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (self.generation, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaces() -> [KeySpace; 2] {
        let values = |list: &[u32]| Values::new(list);
        [KeySpace::new(vec![values(&[5, 1, 9]), values(&[2, 3])]), KeySpace::Hashed]
    }

    const BOTH: [Source; 2] = [Source::Column(1), Source::Column(0)];

    fn add(numbering: &mut Numbering<u16>, key: &Key, row: [u16; 2]) -> Added {
        let added = numbering.add(key, &row);
        if let Added::New(_) = added {
            numbering.note([row[1], row[0]].into_iter());
        }
        added
    }

    #[test]
    fn both_spaces_number_keys_in_the_order_of_arrival_and_forget_them() {
        for space in spaces() {
            let key = space.key(&BOTH);
            let mut numbering = Numbering::<u16>::new(&space, 2);
            for _ in 0..3 {
                assert_eq!(add(&mut numbering, &key, [3, 5]), Added::New(0));
                assert_eq!(add(&mut numbering, &key, [3, 1]), Added::New(1));
                assert_eq!(add(&mut numbering, &key, [3, 5]), Added::Known(0));
                assert_eq!(numbering.key(1), &[1, 3]);
                numbering.forget();
            }
            let constant = space.key(&[Source::Constant(9), Source::Column(0)]);
            assert_eq!(add(&mut numbering, &constant, [2, 9]), Added::New(0));
            assert_eq!(add(&mut numbering, &key, [2, 9]), Added::Known(0));
        }
    }

    #[test]
    fn values_that_cannot_occur_are_told_apart() {
        let [direct, _] = spaces();
        let mut numbering = Numbering::<u16>::new(&direct, 2);
        assert_eq!(add(&mut numbering, &direct.key(&BOTH), [3, 4]), Added::Impossible);
        assert_eq!(add(&mut numbering, &direct.key(&BOTH), [900, 900]), Added::Impossible);
        let nowhere = direct.key(&[Source::Constant(7), Source::Column(0)]);
        assert_eq!(add(&mut numbering, &nowhere, [3, 5]), Added::Impossible);
    }

    #[test]
    fn hashed_numberings_grow() {
        let key = KeySpace::Hashed.key(&[Source::Column(0)]);
        let mut numbering = Numbering::<u32>::new(&KeySpace::Hashed, 1);
        for n in 0..1000 {
            assert_eq!(numbering.add(&key, &[n * 7]), Added::New(n));
            numbering.note([n * 7].into_iter());
        }
        for n in 0..1000 {
            assert_eq!(numbering.add(&key, &[n * 7]), Added::Known(n));
        }
    }

    #[test]
    fn fixed_lookups_find_what_was_added() {
        for space in spaces() {
            let mut lookup = Lookup::<u16>::new(space, 2);
            assert_eq!((lookup.add(&[9, 2]), lookup.add(&[1, 3]), lookup.add(&[9, 2])), (0, 1, 0));
            let key = lookup.key(&BOTH);
            assert_eq!(lookup.find(&key, &[3, 1]), Some(1));
            assert_eq!(lookup.find(&key, &[2, 1]), None);
            assert_eq!(lookup.find(&key, &[2, 77]), None);
        }
    }
}
