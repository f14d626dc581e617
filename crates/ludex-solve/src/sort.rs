//! Sorting keys with what comes with them.

use crate::packing::Key;

/// Sorts by key. Keys of one word are sorted by their bytes, the least significant first, which is a few times
/// faster than comparing; `room` is memory for it. Entries with equal keys come in any order.
pub fn sort<const N: usize, T: Copy>(entries: &mut Vec<(Key<N>, T)>, room: &mut Vec<(Key<N>, T)>) {
    if N > 1 || entries.len() < 1 << 10 {
        entries.sort_unstable_by_key(|entry| entry.0);
        return;
    }
    let (all, any) = entries.iter().fold((u64::MAX, 0), |(all, any), (key, _)| (all & key[0], any | key[0]));
    room.clear();
    room.extend_from_slice(entries);
    let mut shift = 0;
    const BITS: u32 = 11;
    while shift < 64 {
        let mask = (1 << BITS) - 1;
        // Digits that all keys have in common need no pass.
        if (all ^ any) >> shift & mask != 0 {
            let mut counts = [0usize; 1 << BITS];
            entries.iter().for_each(|(key, _)| counts[(key[0] >> shift & mask) as usize] += 1);
            let mut sum = 0;
            for count in &mut counts {
                sum += std::mem::replace(count, sum);
            }
            for entry in entries.iter() {
                let place = &mut counts[(entry.0[0] >> shift & mask) as usize];
                room[*place] = *entry;
                *place += 1;
            }
            std::mem::swap(entries, room);
        }
        shift += BITS;
    }
}
