//! States in few bits: a bijection between the states that fit what is proved and small numbers.
//!
//! Fluents of which at most one holds share a digit, constants take nothing, every other fluent is a digit of its
//! own. Digits between which there are mutual exclusions are taken together: the combinations that no exclusion forbids
//! are numbered, so a column of discs that rest on each other takes as many values as it has fillings. The number of a
//! state has these digits in mixed radix; it is a [`Key`] of a few words, and keys are what is sorted and stored.
//!
//! Images of a state under symmetries are sums of table entries, one for each digit, where the symmetry takes
//! digits to digits; else the row is permuted. Every state that is packed is unpacked again and compared: a state that
//! does not fit is an error.

use crate::error::{Error, Result};
use ludex_engine::row::{self, Row};
use ludex_engine::symmetry::Symmetry;
use ludex_engine::vocabulary::{FluentId, RoleId};
use ludex_logic::facts::Facts;

/// A packed state: words, the most significant first.
pub type Key<const N: usize> = [u64; N];

/// The widest key there is.
pub const MOST_WORDS: usize = 16;

/// Combinations of digits that are numbered by a table.
const MOST_COMBINATIONS: u64 = 1 << 16;

/// No combination.
const NONE: u32 = u32::MAX;

/// Fluents of which at most one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digit {
    fluents: Vec<FluentId>,
    /// One of them always holds.
    exactly: bool,
    /// The words of a row and the bits in them.
    masks: Vec<(usize, u64)>,
}

impl Digit {
    fn new(fluents: Vec<FluentId>, exactly: bool) -> Digit {
        let mut masks: Vec<(usize, u64)> = Vec::new();
        for fluent in &fluents {
            let (word, bit) = (fluent.index() / 64, 1u64 << (fluent.index() % 64));
            match masks.iter_mut().find(|(at, _)| *at == word) {
                Some((_, mask)) => *mask |= bit,
                None => masks.push((word, bit)),
            }
        }
        Digit { fluents, exactly, masks }
    }

    /// How many values it has; where none may hold that is the last.
    fn radix(&self) -> u64 {
        self.fluents.len() as u64 + u64::from(!self.exactly)
    }

    /// The fluent of a value.
    fn fluent(&self, value: usize) -> Option<FluentId> {
        self.fluents.get(value).copied()
    }
}

/// Digits that are numbered together.
#[derive(Clone, Debug)]
struct Cluster {
    digits: Vec<Digit>,
    /// From the combination in mixed radix to its number; empty if all combinations are possible.
    numbers: Vec<u32>,
    /// The fluents of each number.
    patterns: Vec<Vec<FluentId>>,
    /// Which word of the key it is in, and what its number is multiplied with there.
    word: usize,
    weight: u64,
}

impl Cluster {
    fn radix(&self) -> u64 {
        self.patterns.len() as u64
    }
}

/// What a symmetry makes of a key.
#[derive(Clone, Debug)]
enum Image {
    /// For each cluster and number what is added to which word.
    Sums(Vec<(usize, Vec<u64>)>),
    /// What each fluent becomes.
    Row(Vec<FluentId>),
}

/// A state and its digits, while it is packed. One for each thread.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    numbers: Vec<u32>,
    row: Vec<u64>,
    image: Vec<u64>,
}

/// How the states of a game are packed.
#[derive(Clone, Debug)]
pub struct Packing {
    row_words: usize,
    key_words: usize,
    bits: f64,
    /// For each word of a row the constants, and what they are.
    constants: Vec<(u64, u64)>,
    clusters: Vec<Cluster>,
    /// For each fluent its value in its digit.
    values: Vec<u32>,
    /// The symmetries but the identity.
    images: Vec<Image>,
    /// What the roles become, for all symmetries with the identity first.
    roles: Vec<Vec<RoleId>>,
    /// The same, each once.
    role_images: Vec<Vec<RoleId>>,
}

impl Packing {
    /// The packing of states of `fluents` bits that the facts hold for, up to these symmetries, which must be a group
    /// with the identity first.
    pub fn new(fluents: usize, row_words: usize, facts: &Facts, symmetries: &[Symmetry]) -> Result<Packing> {
        let mut constants = vec![(0u64, 0u64); row_words];
        let mut taken = vec![false; fluents];
        for &(fluent, value) in &facts.constants {
            let (mask, is) = &mut constants[fluent.index() / 64];
            let bit = 1u64 << (fluent.index() % 64);
            *mask |= bit;
            *is |= if value { bit } else { 0 };
            taken[fluent.index()] = true;
        }
        let digits = choose(fluents, facts, &mut taken);
        let mut clusters = cluster(&digits, facts);
        let mut bits = 0.0;
        let mut word = 0;
        let mut weight: u64 = 1;
        // The first cluster is the most significant: it gets the greatest weight.
        for cluster in clusters.iter_mut().rev() {
            let radix = cluster.radix();
            bits += (radix as f64).log2();
            match weight.checked_mul(radix) {
                Some(next) => {
                    (cluster.word, cluster.weight) = (word, weight);
                    weight = next;
                }
                None => {
                    word += 1;
                    (cluster.word, cluster.weight) = (word, 1);
                    weight = radix;
                }
            }
        }
        let key_words = (word + 1).next_power_of_two();
        if key_words > MOST_WORDS {
            return Err(Error::Wide(bits.ceil() as usize));
        }
        clusters.iter_mut().for_each(|cluster| cluster.word = key_words - 1 - cluster.word);
        let mut values = vec![0; fluents];
        for digit in clusters.iter().flat_map(|cluster| &cluster.digits) {
            for (value, fluent) in (0..).zip(&digit.fluents) {
                values[fluent.index()] = value;
            }
        }
        let roles: Vec<Vec<RoleId>> = symmetries.iter().map(|symmetry| symmetry.roles.clone()).collect();
        let mut role_images = roles.clone();
        role_images.sort_unstable();
        role_images.dedup();
        let mut packing = Packing {
            row_words,
            key_words,
            bits,
            constants,
            clusters,
            values,
            images: Vec::new(),
            roles,
            role_images,
        };
        packing.images = symmetries.iter().skip(1).map(|symmetry| packing.image(symmetry)).collect();
        Ok(packing)
    }

    /// Words of a key.
    pub fn key_words(&self) -> usize {
        self.key_words
    }

    /// Bits that a state takes.
    pub fn bits(&self) -> f64 {
        self.bits
    }

    /// How many symmetries there are, the identity included.
    pub fn symmetry_count(&self) -> usize {
        self.images.len() + 1
    }

    /// What the roles become under the symmetry of that number.
    pub fn roles(&self, symmetry: usize) -> &[RoleId] {
        &self.roles[symmetry]
    }

    /// What the symmetries make of the roles, each way once.
    pub fn role_images(&self) -> &[Vec<RoleId>] {
        &self.role_images
    }

    /// The numbers of the clusters of a state; false if it does not fit.
    fn numbers(&self, state: &Row, out: &mut Vec<u32>) -> bool {
        out.clear();
        if state.iter().zip(&self.constants).any(|(word, (mask, is))| word & mask != *is) {
            return false;
        }
        for cluster in &self.clusters {
            let mut combination: u64 = 0;
            for digit in &cluster.digits {
                let mut value = None;
                for &(word, mask) in &digit.masks {
                    let bits = state[word] & mask;
                    if bits != 0 {
                        if bits & (bits - 1) != 0 || value.is_some() {
                            return false;
                        }
                        value = Some(self.values[word * 64 + bits.trailing_zeros() as usize]);
                    }
                }
                let value = match value {
                    Some(value) => u64::from(value),
                    None if digit.exactly => return false,
                    None => digit.fluents.len() as u64,
                };
                combination = combination * digit.radix() + value;
            }
            let number = match cluster.numbers.get(combination as usize) {
                Some(&number) => number,
                None => combination as u32,
            };
            if number == NONE {
                return false;
            }
            out.push(number);
        }
        true
    }

    fn key_of<const N: usize>(&self, numbers: &[u32]) -> Key<N> {
        let mut key = [0; N];
        for (cluster, &number) in self.clusters.iter().zip(numbers) {
            key[cluster.word] += cluster.weight * u64::from(number);
        }
        key
    }

    /// The key of a state, checked by unpacking it again.
    pub fn pack<const N: usize>(&self, state: &Row, scratch: &mut Scratch) -> Result<Key<N>> {
        let mut numbers = std::mem::take(&mut scratch.numbers);
        let fits = self.numbers(state, &mut numbers);
        let key = self.key_of(&numbers);
        let mut again = std::mem::take(&mut scratch.row);
        again.resize(self.row_words, 0);
        let same = fits && {
            self.unpack_numbers(&numbers, &mut again);
            again == state
        };
        (scratch.numbers, scratch.row) = (numbers, again);
        if same { Ok(key) } else { Err(self.misfit(state)) }
    }

    #[cold]
    fn misfit(&self, state: &Row) -> Error {
        let fluents: Vec<u32> = row::fluents(state).map(|fluent| fluent.0).collect();
        Error::Misfit(format!("fluents {fluents:?} hold together"))
    }

    /// The least key of all images of a state, and the number of the symmetry that leads there.
    pub fn representative<const N: usize>(
        &self,
        state: &Row,
        scratch: &mut Scratch,
    ) -> Result<(Key<N>, usize)> {
        let mut least = (self.pack::<N>(state, scratch)?, 0);
        let numbers = std::mem::take(&mut scratch.numbers);
        for (at, image) in self.images.iter().enumerate() {
            let key = self.image_of(image, &numbers, state, scratch)?;
            if key < least.0 {
                least = (key, at + 1);
            }
        }
        scratch.numbers = numbers;
        Ok(least)
    }

    /// A number that states which are images of each other have in common: the least key where it is one word, else a
    /// hash of it.
    pub fn signature(&self, state: &Row, scratch: &mut Scratch) -> Result<u64> {
        fn hash<const N: usize>(key: &Key<N>) -> u64 {
            key.iter().fold(0, |hash: u64, word| {
                let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                mixed ^ mixed >> 29
            })
        }
        Ok(match self.key_words {
            1 => self.representative::<1>(state, scratch)?.0[0],
            2 => hash(&self.representative::<2>(state, scratch)?.0),
            4 => hash(&self.representative::<4>(state, scratch)?.0),
            8 => hash(&self.representative::<8>(state, scratch)?.0),
            _ => hash(&self.representative::<MOST_WORDS>(state, scratch)?.0),
        })
    }

    /// How many different images a state has.
    pub fn orbit<const N: usize>(&self, state: &Row, scratch: &mut Scratch) -> Result<u64> {
        if self.images.is_empty() {
            return Ok(1);
        }
        let own = self.pack::<N>(state, scratch)?;
        let numbers = std::mem::take(&mut scratch.numbers);
        let mut same = 1;
        for image in &self.images {
            same += u64::from(self.image_of(image, &numbers, state, scratch)? == own);
        }
        scratch.numbers = numbers;
        Ok(self.symmetry_count() as u64 / same)
    }

    fn image_of<const N: usize>(
        &self,
        image: &Image,
        numbers: &[u32],
        state: &Row,
        scratch: &mut Scratch,
    ) -> Result<Key<N>> {
        match image {
            Image::Sums(sums) => {
                let mut key = [0; N];
                for ((word, sums), &number) in sums.iter().zip(numbers) {
                    key[*word] += sums[number as usize];
                }
                Ok(key)
            }
            Image::Row(fluents) => {
                let mut moved = std::mem::take(&mut scratch.image);
                moved.clear();
                moved.resize(self.row_words, 0);
                row::fluents(state).for_each(|fluent| row::set(&mut moved, fluents[fluent.index()]));
                let mut of_image = Vec::new();
                let fits = self.numbers(&moved, &mut of_image);
                let misfit = if fits { None } else { Some(self.misfit(&moved)) };
                scratch.image = moved;
                misfit.map_or_else(|| Ok(self.key_of(&of_image)), Err)
            }
        }
    }

    fn unpack_numbers(&self, numbers: &[u32], out: &mut Row) {
        for (word, (_, is)) in out.iter_mut().zip(&self.constants) {
            *word = *is;
        }
        for (cluster, &number) in self.clusters.iter().zip(numbers) {
            for &fluent in &cluster.patterns[number as usize] {
                row::set(out, fluent);
            }
        }
    }

    /// The state of a key; false if it is the key of none.
    pub fn unpack<const N: usize>(&self, key: &Key<N>, out: &mut Row) -> bool {
        for (word, (_, is)) in out.iter_mut().zip(&self.constants) {
            *word = *is;
        }
        let mut rest = *key;
        // Weights fall within a word from the first cluster to the last.
        for cluster in &self.clusters {
            let word = &mut rest[cluster.word];
            let number = *word / cluster.weight;
            *word -= number * cluster.weight;
            let Some(pattern) = cluster.patterns.get(number as usize) else { return false };
            for &fluent in pattern {
                row::set(out, fluent);
            }
        }
        rest.iter().all(|word| *word == 0)
    }

    fn image(&self, symmetry: &Symmetry) -> Image {
        self.sums(symmetry).map_or_else(|| Image::Row(symmetry.fluents.clone()), Image::Sums)
    }

    /// Tables of the symmetry, if it takes every cluster to a cluster.
    fn sums(&self, symmetry: &Symmetry) -> Option<Vec<(usize, Vec<u64>)>> {
        let mut home = vec![None; self.values.len()];
        for (at, cluster) in self.clusters.iter().enumerate() {
            for fluent in cluster.digits.iter().flat_map(|digit| &digit.fluents) {
                home[fluent.index()] = Some(at);
            }
        }
        let is_constant = |fluent: FluentId| {
            let (mask, is) = self.constants[fluent.index() / 64];
            let bit = 1u64 << (fluent.index() % 64);
            (mask & bit != 0).then_some(is & bit != 0)
        };
        for (at, &image) in symmetry.fluents.iter().enumerate() {
            if is_constant(FluentId(at as u32)) != is_constant(image) {
                return None;
            }
        }
        let mut sums = Vec::new();
        let mut row = vec![0; self.row_words];
        let mut numbers = Vec::new();
        for cluster in &self.clusters {
            let fluents = || cluster.digits.iter().flat_map(|digit| &digit.fluents);
            let first = fluents().next()?;
            let target = home[symmetry.fluents[first.index()].index()]?;
            if fluents().any(|fluent| home[symmetry.fluents[fluent.index()].index()] != Some(target)) {
                return None;
            }
            let to = &self.clusters[target];
            let mut table = Vec::with_capacity(cluster.patterns.len());
            for pattern in &cluster.patterns {
                // A state in which all other clusters have their first number.
                numbers.clear();
                numbers.resize(self.clusters.len(), 0);
                self.unpack_numbers(&numbers, &mut row);
                for fluent in to.digits.iter().flat_map(|digit| &digit.fluents) {
                    row::clear(&mut row, *fluent);
                }
                for fluent in pattern {
                    row::set(&mut row, symmetry.fluents[fluent.index()]);
                }
                if !self.numbers(&row, &mut numbers) {
                    return None;
                }
                table.push(to.weight * u64::from(numbers[target]));
            }
            sums.push((to.word, table));
        }
        Some(sums)
    }
}

/// Each fluent in one digit: the groups that save most first, what is left by itself.
fn choose(fluents: usize, facts: &Facts, taken: &mut [bool]) -> Vec<Digit> {
    let mut groups: Vec<(&[FluentId], bool)> =
        facts.groups.iter().map(|group| (group.fluents.as_slice(), group.exactly)).collect();
    let saved = |fluents: usize, exactly: bool| {
        fluents as f64 - (fluents as f64 + f64::from(u8::from(!exactly))).log2()
    };
    groups.sort_by(|a, b| saved(b.0.len(), b.1).total_cmp(&saved(a.0.len(), a.1)));
    let mut digits = Vec::new();
    for (group, exactly) in groups {
        let left: Vec<FluentId> = group.iter().copied().filter(|fluent| !taken[fluent.index()]).collect();
        if left.len() < 2 && !(exactly && left.len() == group.len()) {
            continue;
        }
        left.iter().for_each(|fluent| taken[fluent.index()] = true);
        // What is left of a group of which one holds may be none of those that hold.
        let exactly = exactly && left.len() == group.len();
        digits.push(Digit::new(left, exactly));
    }
    let alone = (0..fluents as u32).map(FluentId).filter(|fluent| !taken[fluent.index()]);
    digits.extend(alone.map(|fluent| Digit::new(vec![fluent], false)));
    digits.sort_by_key(|digit| digit.fluents.first().copied());
    digits
}

/// Digits with mutual exclusions between them are taken together where the table is small.
fn cluster(digits: &[Digit], facts: &Facts) -> Vec<Cluster> {
    let mut home = hashbrown::HashMap::new();
    for (at, digit) in digits.iter().enumerate() {
        digit.fluents.iter().for_each(|fluent| {
            home.insert(*fluent, at);
        });
    }
    let mut exclusions: Vec<(FluentId, FluentId)> = facts.mutexes.clone();
    for group in &facts.groups {
        for (at, a) in group.fluents.iter().enumerate() {
            exclusions.extend(group.fluents[at + 1..].iter().map(|b| (*a, *b)));
        }
    }
    exclusions.retain(|(a, b)| match (home.get(a), home.get(b)) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    });
    let mut parent: Vec<usize> = (0..digits.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (a, b) in &exclusions {
        let (one, other) = (root(&mut parent, home[a]), root(&mut parent, home[b]));
        parent[one.max(other)] = one.min(other);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); digits.len()];
    for at in 0..digits.len() {
        let root = root(&mut parent, at);
        members[root].push(at);
    }
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for set in members.into_iter().filter(|set| !set.is_empty()) {
        let product = set.iter().try_fold(1u64, |product, &at| product.checked_mul(digits[at].radix()));
        if product.is_some_and(|product| product <= MOST_COMBINATIONS) {
            sets.push(set);
        } else {
            sets.extend(set.into_iter().map(|at| vec![at]));
        }
    }
    sets.sort_by_key(|set| set.first().copied());
    let sets = sets.into_iter().map(|set| set.into_iter().map(|at| digits[at].clone()).collect());
    sets.map(|digits| numbered(digits, &exclusions)).collect()
}

/// Numbers the combinations of digits that no exclusion forbids.
fn numbered(digits: Vec<Digit>, exclusions: &[(FluentId, FluentId)]) -> Cluster {
    let inside = |fluent: &FluentId| digits.iter().any(|digit| digit.fluents.contains(fluent));
    // Within one digit everything is possible.
    let exclusions: Vec<&(FluentId, FluentId)> = match digits.len() {
        1 => Vec::new(),
        _ => exclusions.iter().filter(|(a, b)| inside(a) && inside(b)).collect(),
    };
    let product: u64 = digits.iter().map(Digit::radix).product();
    let (mut numbers, mut patterns) = (Vec::new(), Vec::new());
    for combination in 0..product {
        let mut rest = combination;
        let mut pattern: Vec<FluentId> = Vec::new();
        for digit in digits.iter().rev() {
            pattern.extend(digit.fluent((rest % digit.radix()) as usize));
            rest /= digit.radix();
        }
        pattern.sort_unstable();
        if exclusions.iter().any(|(a, b)| pattern.contains(a) && pattern.contains(b)) {
            numbers.push(NONE);
        } else {
            numbers.push(patterns.len() as u32);
            patterns.push(pattern);
        }
    }
    if patterns.len() as u64 == product {
        numbers.clear();
    }
    Cluster { digits, numbers, patterns, word: 0, weight: 1 }
}
