//! A small random number generator: fast, reproducible from a seed, equal on all platforms.

/// Xoshiro256++ (Blackman and Vigna, 2019), seeded by SplitMix64. Not for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Random {
        let mut z = seed;
        let state = [0; 4].map(|_: u64| {
            z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut x = z;
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^ (x >> 31)
        });
        Random { state }
    }

    /// Sixty-four random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `bound`, all equally likely (Lemire's multiplication, exact by rejection).
    ///
    /// # Panics
    /// If `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below zero");
        let bound = bound as u64;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The first outputs of the authors' C code for the state (1, 2, 3, 4).
    #[test]
    fn agrees_with_the_published_generator() {
        let mut random = Random { state: [1, 2, 3, 4] };
        let expected = [41943041, 58720359, 3588806011781223, 3591011842654386];
        assert_eq!(expected.map(|_: u64| random.bits()), expected);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_all_occur() {
        let mut random = Random::new(7);
        let mut seen = [0usize; 6];
        for _ in 0..6000 {
            seen[random.below(6)] += 1;
        }
        // Six standard deviations around 1000.
        assert!(seen.iter().all(|&n| (827..1173).contains(&n)), "{seen:?}");
    }
}
