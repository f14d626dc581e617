//! Vectors of 512 bits: one bit a game.
//!
//! All kernels are written once over [`Vector`] and compiled three times, for AVX-512, for AVX2 (`x86.rs`) and for any
//! machine (here); [`super::pass`] chooses at run time. Everything is inlined into a function that has the features,
//! so no vector ever crosses a call.

use std::fmt::Debug;

/// The values of one signal in all games, in memory; or a set of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Plane(pub [u64; 8]);

impl Plane {
    /// No lane.
    pub const ZERO: Plane = Plane([0; 8]);
    /// Every lane.
    pub const ONES: Plane = Plane([u64::MAX; 8]);

    /// The first `n` lanes.
    pub fn first(n: usize) -> Plane {
        Plane(std::array::from_fn(|word| match n.saturating_sub(word * 64) {
            0 => 0,
            bits if bits < 64 => (1 << bits) - 1,
            _ => u64::MAX,
        }))
    }

    /// How many lanes are in it.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// True if the lane is in it.
    #[inline]
    pub fn bit(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// Puts the lane in.
    #[inline]
    pub fn set(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// Puts the lane in, or takes it out.
    pub fn put(&mut self, lane: usize, inside: bool) {
        let word = &mut self.0[lane / 64];
        *word = *word & !(1 << (lane % 64)) | u64::from(inside) << (lane % 64);
    }

    /// The lanes in it, ascending.
    #[inline]
    pub fn lanes(&self) -> LanesOf {
        LanesOf { plane: *self, word: 0 }
    }

    /// The lowest `n` of the lanes that are set here.
    pub(super) fn lowest(&self, mut n: u64) -> Plane {
        Plane(self.0.map(|mut word| {
            let mut kept = 0;
            while word != 0 && n > 0 {
                kept |= word & word.wrapping_neg();
                word &= word - 1;
                n -= 1;
            }
            kept
        }))
    }

    #[inline]
    pub(super) fn zip(&self, other: &Plane, f: impl Fn(u64, u64) -> u64) -> Plane {
        Plane(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// True if no lane is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }
}

/// The lanes of a set.
#[derive(Clone, Debug)]
pub struct LanesOf {
    /// Those that are left.
    plane: Plane,
    word: usize,
}

impl Iterator for LanesOf {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.plane.0[self.word] == 0 {
            if self.word == 7 {
                return None;
            }
            self.word += 1;
        }
        let word = &mut self.plane.0[self.word];
        let lane = self.word * 64 + word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(lane)
    }
}

impl std::ops::BitAnd for Plane {
    type Output = Plane;

    #[inline]
    fn bitand(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a & b)
    }
}

impl std::ops::BitOr for Plane {
    type Output = Plane;

    #[inline]
    fn bitor(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a | b)
    }
}

impl std::ops::BitXor for Plane {
    type Output = Plane;

    #[inline]
    fn bitxor(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a ^ b)
    }
}

impl std::ops::Not for Plane {
    type Output = Plane;

    #[inline]
    fn not(self) -> Plane {
        Plane(self.0.map(|word| !word))
    }
}

/// 512 bits in registers.
///
/// A value can only be made by [`Vector::load`] and [`Vector::splat`], which ask for a proof that the machine
/// has the instructions; having a value is therefore proof enough for all other functions.
pub(super) trait Vector: Copy {
    /// A proof that the machine has the instructions of this type: there is a value only if they were found.
    type Machine: Copy;

    fn load(machine: Self::Machine, plane: &Plane) -> Self;

    /// All words the same.
    fn splat(machine: Self::Machine, word: u64) -> Self;

    fn store(self, plane: &mut Plane);

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self` and not `other`.
    fn minus(self, other: Self) -> Self;
    /// Addition of 64-bit words.
    fn add(self, other: Self) -> Self;
    fn shift_left<const BY: u32>(self) -> Self;
    fn rotate_left<const BY: u32>(self) -> Self;
    fn any(self) -> bool;

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// What at least two of three say: the carry of an addition.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(self.xor(b).and(c))
    }

    /// The borrow of `self` - b - c.
    #[inline(always)]
    fn borrow(self, b: Self, c: Self) -> Self {
        b.and(c).or(b.or(c).minus(self))
    }

    /// `self`, or b and c.
    #[inline(always)]
    fn or_and(self, b: Self, c: Self) -> Self {
        self.or(b.and(c))
    }

    /// `self` where the mask is set, `other` elsewhere.
    #[inline(always)]
    fn blend(mask: Self, this: Self, other: Self) -> Self {
        this.and(mask).or(other.minus(mask))
    }

    #[inline(always)]
    fn not(self) -> Self {
        // The types know how to make ones; `minus` of them is an inversion.
        self.ones().minus(self)
    }

    fn ones(self) -> Self;
}

/// For machines without vector instructions that we know.
impl Vector for Plane {
    type Machine = ();

    #[inline(always)]
    fn load((): (), plane: &Plane) -> Plane {
        *plane
    }

    #[inline(always)]
    fn splat((): (), word: u64) -> Plane {
        Plane([word; 8])
    }

    #[inline(always)]
    fn store(self, plane: &mut Plane) {
        *plane = self;
    }

    #[inline(always)]
    fn and(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn minus(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a & !b)
    }

    #[inline(always)]
    fn add(self, other: Plane) -> Plane {
        self.zip(&other, u64::wrapping_add)
    }

    #[inline(always)]
    fn shift_left<const BY: u32>(self) -> Plane {
        Plane(self.0.map(|word| word << BY))
    }

    #[inline(always)]
    fn rotate_left<const BY: u32>(self) -> Plane {
        Plane(self.0.map(|word| word.rotate_left(BY)))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self != Plane::ZERO
    }

    #[inline(always)]
    fn ones(self) -> Plane {
        Plane::ONES
    }
}
