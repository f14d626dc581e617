//! What is in parcels: ascending keys as differences, and records of which each is said once.

use crate::backward::Numbered;
use crate::error::{Error, Result};
use crate::packing::Key;
use crate::table::{add_difference, read_number, write_difference, write_number};
use hashbrown::HashMap;

/// A parcel ends beyond so many bytes.
const MOST: usize = 1 << 18;

/// Shards that states belong to.
pub(crate) const SHARDS: u64 = 4096;

/// The shard of a key: the same on all machines, for ever.
fn shard<const N: usize>(key: &Key<N>) -> u64 {
    let mixed = key.iter().fold(0x9E37_79B9_7F4A_7C15_u64, |hash, word| {
        let mixed = (hash ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        mixed ^ mixed >> 32
    });
    mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 52
}

/// The worker, of so many, that a key belongs to: each has shards in a row.
pub(crate) fn owner<const N: usize>(key: &Key<N>, workers: usize) -> usize {
    (shard(key) * workers as u64 / SHARDS) as usize
}

fn damaged() -> Error {
    Error::Refused("a message does not read".to_owned())
}

/// Keys in ascending order, under a number.
#[derive(Default)]
pub(crate) struct Keys<const N: usize> {
    bytes: Vec<u8>,
    last: Option<Key<N>>,
}

impl<const N: usize> Keys<N> {
    /// Adds a key; if the parcel is full it is given back, and this is in the next one.
    pub fn push(&mut self, head: i64, key: &Key<N>) -> Option<Vec<u8>> {
        let full = (self.bytes.len() >= MOST).then(|| self.take()).flatten();
        match &self.last {
            None => {
                // A sign that is not in the highest bit keeps small numbers short.
                write_number(&mut self.bytes, u128::from((head << 1 ^ head >> 63) as u64));
                write_difference(&mut self.bytes, &[0; N], key);
            }
            Some(last) => write_difference(&mut self.bytes, last, key),
        }
        self.last = Some(*key);
        full
    }

    /// What there is.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.last.take().map(|_| std::mem::take(&mut self.bytes))
    }

    /// Reads them.
    pub fn read(bytes: &[u8]) -> Result<(i64, Vec<Key<N>>)> {
        let mut at = 0;
        let head =
            read_number(bytes, &mut at).and_then(|head| u64::try_from(head).ok()).ok_or_else(damaged)?;
        let head = (head >> 1) as i64 ^ -((head & 1) as i64);
        let mut keys = Vec::new();
        let mut key = [0; N];
        while at < bytes.len() {
            add_difference(bytes, &mut at, &mut key).ok_or_else(damaged)?;
            keys.push(key);
        }
        Ok((head, keys))
    }
}

/// A question about keys: to whom, which, and for each successor in order its number and whether it is another key than
/// the one before.
pub(crate) struct Question {
    pub to: usize,
    pub content: Vec<u8>,
    pub slots: Vec<(u32, bool)>,
}

/// The questions about sorted keys, to their owners.
pub(crate) fn questions<const N: usize>(
    head: i64,
    sorted: &[(Key<N>, u32)],
    workers: usize,
    owner: impl Fn(&Key<N>) -> usize,
) -> Vec<Question> {
    let mut open: Vec<(Keys<N>, Vec<(u32, bool)>)> = (0..workers).map(|_| Default::default()).collect();
    let mut out = Vec::new();
    for (key, slot) in sorted {
        let to = owner(key);
        let (keys, slots) = &mut open[to];
        let new = keys.last != Some(*key);
        if new && let Some(content) = keys.push(head, key) {
            out.push(Question { to, content, slots: std::mem::take(slots) });
        }
        slots.push((*slot, new));
    }
    for (to, (mut keys, slots)) in open.into_iter().enumerate() {
        out.extend(keys.take().map(|content| Question { to, content, slots }));
    }
    out
}

/// Numbers, one after the other.
pub(crate) fn read_numbers(bytes: &[u8], at: &mut usize) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    while *at < bytes.len() {
        let number = read_number(bytes, at).and_then(|number| u32::try_from(number).ok());
        numbers.push(number.ok_or_else(damaged)?);
    }
    Ok(numbers)
}

/// Records as the answer to a question.
#[derive(Default)]
pub(crate) struct Answer {
    known: HashMap<u32, u32>,
    records: Vec<u8>,
    numbers: Vec<u8>,
}

impl Answer {
    /// The record of the next key: its number among `records`, of so many numbers each.
    pub fn push(&mut self, number: u32, records: &[u16], length: usize) -> Result<()> {
        let next = self.known.len() as u32;
        let here = *self.known.entry(number).or_insert(next);
        if here == next {
            let start = number as usize * length;
            let record = records.get(start..start + length).ok_or(Error::TooMany("records"))?;
            self.records.extend(record.iter().flat_map(|number| number.to_le_bytes()));
        }
        write_number(&mut self.numbers, u128::from(here));
        Ok(())
    }

    /// All of it.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_number(&mut bytes, self.known.len() as u128);
        bytes.extend(self.records);
        bytes.extend(self.numbers);
        bytes
    }

    /// Reads it; the records go to `pool`, and their numbers there come back, one a key.
    pub fn read(bytes: &[u8], length: usize, pool: &mut Numbered) -> Result<Vec<u32>> {
        let mut at = 0;
        let count = read_number(bytes, &mut at).and_then(|count| usize::try_from(count).ok());
        let size = count.and_then(|count| count.checked_mul(2 * length)).ok_or_else(damaged)?;
        let records = at.checked_add(size).and_then(|end| bytes.get(at..end)).ok_or_else(damaged)?;
        let mut record = Vec::with_capacity(length);
        let mut numbers = Vec::new();
        for bytes in records.chunks_exact((2 * length).max(1)) {
            record.clear();
            record.extend(bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)));
            numbers.push(pool.number(&record));
        }
        at += size;
        let keys = read_numbers(bytes, &mut at)?;
        keys.iter().map(|key| numbers.get(*key as usize).copied().ok_or_else(damaged)).collect()
    }
}

/// Has what was answered to a question for each of its successors.
pub(crate) fn spread(question: &Question, numbers: &[u32], set: &mut dyn FnMut(usize, u32)) -> Result<()> {
    let mut numbers = numbers.iter();
    let mut number = None;
    for (slot, new) in &question.slots {
        if *new {
            number = numbers.next();
        }
        set(*slot as usize, *number.ok_or_else(damaged)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_stay_where_they_are() {
        // Tables of unfinished runs are found by these: other numbers would be another format.
        let of = [shard(&[0]), shard(&[1]), shard(&[2]), shard(&[u64::MAX]), shard(&[0, 1])];
        assert!(of.iter().all(|shard| *shard < SHARDS));
        assert_eq!(of, [2163, 1497, 275, 2491, 1418]);
    }

    #[test]
    fn every_worker_has_its_share() {
        for workers in [1, 2, 3, 7, 64] {
            let mut counts = vec![0usize; workers];
            (0..64_000u64).for_each(|key| counts[owner(&[key * 3], workers)] += 1);
            let mean = 64_000 / workers;
            assert!(counts.iter().all(|count| count.abs_diff(mean) < mean / 4), "{counts:?}");
        }
    }

    #[test]
    fn keys_and_answers_read_as_they_were_written() {
        for head in [0, 1, -1, i64::MAX, i64::MIN] {
            let mut keys = Keys::<2>::default();
            let all = [[0, 3], [0, 4], [5, 0], [u64::MAX, u64::MAX]];
            assert!(all.iter().all(|key| keys.push(head, key).is_none()));
            let bytes = keys.take().expect("keys were pushed");
            assert_eq!(Keys::<2>::read(&bytes).expect("whole"), (head, all.to_vec()));
            assert!(Keys::<2>::read(&bytes[..bytes.len() - 1]).is_err());
        }
        let records = [1, 2, 3, 4, 5, 6];
        let mut answer = Answer::default();
        [2, 0, 2, 1].iter().for_each(|number| answer.push(*number, &records, 2).expect("it is there"));
        assert!(answer.push(3, &records, 2).is_err());
        let mut answer = Answer::default();
        [2, 0, 2].iter().for_each(|number| answer.push(*number, &records, 2).expect("it is there"));
        let bytes = answer.bytes();
        let mut pool = Numbered::default();
        pool.number(&[1, 2]);
        assert_eq!(Answer::read(&bytes, 2, &mut pool).expect("whole"), [1, 0, 1]);
        assert_eq!(pool.records, [1, 2, 5, 6]);
        assert!(
            (0..bytes.len()).all(
                |end| Answer::read(&bytes[..end], 2, &mut pool).map_or(true, |numbers| numbers.len() < 3)
            )
        );
    }
}
