//! What a search knows of states, in bounded memory, shared by threads without locks.
//!
//! An entry is two words: the signature of a state, exclusive-or what is known, and what is known. Two threads that
//! write at the same time leave an entry that belongs to no state, and it is not found again. Entries live in buckets of
//! four; a new one takes the place of the one that was the least work.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that is as large as it gets: proved, or refuted.
pub(super) const INFINITE: u32 = (1 << NUMBER_BITS) - 1;

const NUMBER_BITS: u32 = 20;
const RANK_BITS: u32 = 12;
const PLACES: usize = 4;

/// The longest way that an entry can tell; longer ones count as so long.
pub(super) const MOST_RANK: u32 = (1 << RANK_BITS) - 1;

/// What is known of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// At least so many leaves have to be proved for a proof; zero is a proof.
    pub proof: u32,
    /// At least so many leaves have to be refuted for a refutation; zero is a refutation.
    pub refutation: u32,
    /// Of a proof: joint moves within which the aim is reached.
    pub rank: u32,
}

impl Known {
    /// The aim is reached within so many joint moves.
    pub fn proved(rank: u32) -> Known {
        Known { proof: 0, refutation: INFINITE, rank: rank.min(MOST_RANK) }
    }

    /// It is not.
    pub const REFUTED: Known = Known { proof: INFINITE, refutation: 0, rank: 0 };

    /// Not known which.
    pub fn open(proof: u32, refutation: u32) -> Known {
        let bound = |number: u32| number.clamp(1, INFINITE - 1);
        Known { proof: bound(proof), refutation: bound(refutation), rank: 0 }
    }

    pub fn is_proved(self) -> bool {
        self.proof == 0
    }

    pub fn is_refuted(self) -> bool {
        self.refutation == 0
    }

    pub fn is_settled(self) -> bool {
        self.is_proved() || self.is_refuted()
    }
}

/// What a state is known by: the whole of it where it is packed in a word, else a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Signature(pub u64);

/// A bijection that scatters.
pub(super) fn mix(mut word: u64) -> u64 {
    word ^= word >> 30;
    word = word.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word ^= word >> 27;
    word = word.wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// The table.
pub(super) struct Table {
    slots: Box<[[AtomicU64; 2]]>,
    mask: usize,
}

impl Table {
    /// A table of at most so many bytes.
    pub fn new(bytes: usize) -> Table {
        let buckets = (bytes / (PLACES * size_of::<[AtomicU64; 2]>())).max(1 << 8);
        // A power of two that fits.
        let buckets = 1usize << buckets.ilog2();
        let slots = (0..buckets * PLACES).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect();
        Table { slots, mask: buckets - 1 }
    }

    fn bucket(&self, signature: Signature) -> &[[AtomicU64; 2]] {
        let at = (signature.0 as usize & self.mask) * PLACES;
        &self.slots[at..at + PLACES]
    }

    /// What is known of a state.
    pub fn get(&self, signature: Signature) -> Option<Known> {
        self.bucket(signature).iter().find_map(|[key, data]| {
            let data = data.load(Ordering::Relaxed);
            (data != 0 && key.load(Ordering::Relaxed) ^ data == signature.0).then(|| unpack(data).0)
        })
    }

    /// Remembers; what is settled stays so. `work` is what it took to find out.
    pub fn put(&self, signature: Signature, known: Known, work: u64) {
        let bucket = self.bucket(signature);
        let mut least = (u64::MAX, 0);
        let mut place = None;
        for (at, [key, data]) in bucket.iter().enumerate() {
            let data = data.load(Ordering::Relaxed);
            if data != 0 && key.load(Ordering::Relaxed) ^ data == signature.0 {
                if unpack(data).0.is_settled() && !known.is_settled() {
                    return;
                }
                place = Some(at);
                break;
            }
            let work = if data == 0 { 0 } else { 1 + unpack(data).1 };
            if work < least.0 {
                least = (work, at);
            }
        }
        let [key, old] = &bucket[place.unwrap_or(least.1)];
        let data = pack(known, work);
        key.store(signature.0 ^ data, Ordering::Relaxed);
        old.store(data, Ordering::Relaxed);
    }

    /// A table of another size with the same entries.
    pub fn resized(&self, bytes: usize) -> Table {
        let table = Table::new(bytes);
        for [key, data] in &self.slots {
            let data = data.load(Ordering::Relaxed);
            if data != 0 {
                let (known, work) = unpack(data);
                table.put(Signature(key.load(Ordering::Relaxed) ^ data), known, 1 << (work - 1));
            }
        }
        table
    }
}

fn pack(known: Known, work: u64) -> u64 {
    let work = u64::from(work.max(1).ilog2()) + 1;
    let (proof, refutation) = (u64::from(known.proof), u64::from(known.refutation));
    proof | refutation << NUMBER_BITS | u64::from(known.rank) << (2 * NUMBER_BITS) | work << 52
}

fn unpack(data: u64) -> (Known, u64) {
    let number = |shift: u32, bits: u32| (data >> shift) as u32 & ((1 << bits) - 1);
    let known = Known {
        proof: number(0, NUMBER_BITS),
        refutation: number(NUMBER_BITS, NUMBER_BITS),
        rank: number(2 * NUMBER_BITS, RANK_BITS),
    };
    (known, data >> 52)
}

#[cfg(test)]
mod tests {
    use super::{INFINITE, Known, Signature, Table, mix};

    #[test]
    fn what_is_settled_stays_and_little_work_goes_first() {
        let table = Table::new(0);
        let signature = |at: u64| Signature(at << 32);
        table.put(signature(1), Known::proved(7), 1 << 20);
        table.put(signature(1), Known::open(3, 4), 1 << 30);
        assert_eq!(table.get(signature(1)), Some(Known { proof: 0, refutation: INFINITE, rank: 7 }));
        // All of them in one bucket of four: the one that was much work stays, of equals the first gives way.
        for at in 2..100 {
            table.put(signature(at), Known::open(at as u32, 1), 1);
            assert_eq!(table.get(signature(at)), Some(Known::open(at as u32, 1)));
        }
        assert!(table.get(signature(1)).is_some_and(Known::is_proved));
        assert_eq!(table.get(signature(2)), None);
        let larger = table.resized(1 << 20);
        assert_eq!(larger.get(signature(1)), Some(Known::proved(7)));
    }

    #[test]
    fn mixing_loses_nothing() {
        let mut mixed: Vec<u64> = (0..10_000).map(mix).collect();
        mixed.sort_unstable();
        mixed.dedup();
        assert_eq!(mixed.len(), 10_000);
    }
}
