//! A set of small numbers with constant-time changes and random choice.

const ABSENT: u32 = u32::MAX;

/// The members in a list, and for each number its place there.
#[derive(Clone, Debug)]
pub(super) struct IndexedSet {
    members: Vec<u32>,
    place: Vec<u32>,
}

impl IndexedSet {
    /// Room for the numbers below `count`.
    pub(super) fn new(count: usize) -> IndexedSet {
        IndexedSet { members: Vec::with_capacity(count), place: vec![ABSENT; count] }
    }

    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }

    /// Takes over the members of a set of the same size without allocating.
    pub(super) fn copy_from(&mut self, other: &IndexedSet) {
        self.members.clear();
        self.members.extend_from_slice(&other.members);
        self.place.copy_from_slice(&other.place);
    }

    /// Adds the number if it is absent, else removes it.
    #[inline]
    pub(super) fn toggle(&mut self, number: u32) {
        let place = self.place[number as usize];
        if place == ABSENT {
            self.place[number as usize] = self.members.len() as u32;
            self.members.push(number);
            return;
        }
        self.place[number as usize] = ABSENT;
        // The last member moves into the gap.
        if let Some(last) = self.members.pop()
            && last != number
        {
            self.members[place as usize] = last;
            self.place[last as usize] = place;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IndexedSet;

    #[test]
    fn toggling_adds_and_removes() {
        let mut set = IndexedSet::new(5);
        [0, 3, 4, 1, 3, 4, 4].into_iter().for_each(|n| set.toggle(n));
        let mut members = set.members().to_vec();
        members.sort_unstable();
        assert_eq!(members, [0, 1, 4]);
    }
}
