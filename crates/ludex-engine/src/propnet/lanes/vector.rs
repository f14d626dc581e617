//! Vectors of 512 bits: one bit a game.
//!
//! All kernels are written once over [`Vector`] and compiled three times, for AVX-512, for AVX2 and for any
//! machine; [`super::pass`] chooses at run time. Everything is inlined into a function that has the features,
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
    pub fn bit(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// Puts the lane in.
    pub fn set(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// The lanes in it, ascending.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
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

    pub(super) fn zip(&self, other: &Plane, f: impl Fn(u64, u64) -> u64) -> Plane {
        Plane(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// True if no lane is in it.
    pub fn is_empty(&self) -> bool {
        *self == Plane::ZERO
    }
}

impl std::ops::BitAnd for Plane {
    type Output = Plane;

    fn bitand(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a & b)
    }
}

impl std::ops::BitOr for Plane {
    type Output = Plane;

    fn bitor(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a | b)
    }
}

impl std::ops::BitXor for Plane {
    type Output = Plane;

    fn bitxor(self, other: Plane) -> Plane {
        self.zip(&other, |a, b| a ^ b)
    }
}

impl std::ops::Not for Plane {
    type Output = Plane;

    fn not(self) -> Plane {
        Plane(self.0.map(|word| !word))
    }
}

/// 512 bits in registers.
///
/// A value can only be made by [`Vector::load`] and [`Vector::splat`], whose callers promise that the machine
/// has the instructions; having a value is therefore proof enough for all other functions.
pub(super) trait Vector: Copy {
    /// # Safety
    /// The machine has the instructions of this type.
    unsafe fn load(plane: &Plane) -> Self;

    /// All words the same.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn splat(word: u64) -> Self;

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
    #[inline(always)]
    unsafe fn load(plane: &Plane) -> Plane {
        *plane
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> Plane {
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

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{Avx2, Avx512};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Plane, Vector};
    use std::arch::x86_64::*;

    /// One register of AVX-512F.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512i);

    /// Every function that takes or makes a value: the machine has AVX-512F because there is a value, or
    /// because the caller of `load` and `splat` promises it.
    macro_rules! trusted {
        ($e:expr) => {
            // SAFETY: see above: the machine has the instructions. Memory operands are references.
            unsafe { $e }
        };
    }

    impl Vector for Avx512 {
        #[inline(always)]
        unsafe fn load(plane: &Plane) -> Avx512 {
            Avx512(trusted!(_mm512_load_si512(std::ptr::from_ref(plane).cast())))
        }

        #[inline(always)]
        unsafe fn splat(word: u64) -> Avx512 {
            Avx512(trusted!(_mm512_set1_epi64(word as i64)))
        }

        #[inline(always)]
        fn store(self, plane: &mut Plane) {
            trusted!(_mm512_store_si512(std::ptr::from_mut(plane).cast(), self.0));
        }

        #[inline(always)]
        fn and(self, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_and_si512(self.0, other.0)))
        }

        #[inline(always)]
        fn or(self, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_or_si512(self.0, other.0)))
        }

        #[inline(always)]
        fn xor(self, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_xor_si512(self.0, other.0)))
        }

        #[inline(always)]
        fn minus(self, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_andnot_si512(other.0, self.0)))
        }

        #[inline(always)]
        fn add(self, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_add_epi64(self.0, other.0)))
        }

        #[inline(always)]
        fn shift_left<const BY: u32>(self) -> Avx512 {
            Avx512(trusted!(_mm512_slli_epi64::<BY>(self.0)))
        }

        #[inline(always)]
        fn rotate_left<const BY: u32>(self) -> Avx512 {
            // The immediate of the instruction is signed in Rust, so the variable form; the compiler sees
            // through it.
            Avx512(trusted!(_mm512_rolv_epi64(self.0, _mm512_set1_epi64(i64::from(BY)))))
        }

        #[inline(always)]
        fn any(self) -> bool {
            trusted!(_mm512_test_epi64_mask(self.0, self.0)) != 0
        }

        #[inline(always)]
        fn ones(self) -> Avx512 {
            Avx512(trusted!(_mm512_set1_epi64(-1)))
        }

        // One instruction each: the table is indexed by the bits of the first, second and third operand.
        #[inline(always)]
        fn xor3(self, b: Avx512, c: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0)))
        }

        #[inline(always)]
        fn majority(self, b: Avx512, c: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_ternarylogic_epi64::<0xE8>(self.0, b.0, c.0)))
        }

        #[inline(always)]
        fn borrow(self, b: Avx512, c: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_ternarylogic_epi64::<0x8E>(self.0, b.0, c.0)))
        }

        #[inline(always)]
        fn or_and(self, b: Avx512, c: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_ternarylogic_epi64::<0xF8>(self.0, b.0, c.0)))
        }

        #[inline(always)]
        fn blend(mask: Avx512, this: Avx512, other: Avx512) -> Avx512 {
            Avx512(trusted!(_mm512_ternarylogic_epi64::<0xCA>(mask.0, this.0, other.0)))
        }
    }

    /// Two registers of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256i, __m256i);

    impl Vector for Avx2 {
        #[inline(always)]
        unsafe fn load(plane: &Plane) -> Avx2 {
            let from: *const __m256i = std::ptr::from_ref(plane).cast();
            Avx2(trusted!(_mm256_load_si256(from)), trusted!(_mm256_load_si256(from.add(1))))
        }

        #[inline(always)]
        unsafe fn splat(word: u64) -> Avx2 {
            let half = trusted!(_mm256_set1_epi64x(word as i64));
            Avx2(half, half)
        }

        #[inline(always)]
        fn store(self, plane: &mut Plane) {
            let to: *mut __m256i = std::ptr::from_mut(plane).cast();
            trusted!(_mm256_store_si256(to, self.0));
            trusted!(_mm256_store_si256(to.add(1), self.1));
        }

        #[inline(always)]
        fn and(self, other: Avx2) -> Avx2 {
            Avx2(trusted!(_mm256_and_si256(self.0, other.0)), trusted!(_mm256_and_si256(self.1, other.1)))
        }

        #[inline(always)]
        fn or(self, other: Avx2) -> Avx2 {
            Avx2(trusted!(_mm256_or_si256(self.0, other.0)), trusted!(_mm256_or_si256(self.1, other.1)))
        }

        #[inline(always)]
        fn xor(self, other: Avx2) -> Avx2 {
            Avx2(trusted!(_mm256_xor_si256(self.0, other.0)), trusted!(_mm256_xor_si256(self.1, other.1)))
        }

        #[inline(always)]
        fn minus(self, other: Avx2) -> Avx2 {
            Avx2(
                trusted!(_mm256_andnot_si256(other.0, self.0)),
                trusted!(_mm256_andnot_si256(other.1, self.1)),
            )
        }

        #[inline(always)]
        fn add(self, other: Avx2) -> Avx2 {
            Avx2(trusted!(_mm256_add_epi64(self.0, other.0)), trusted!(_mm256_add_epi64(self.1, other.1)))
        }

        #[inline(always)]
        fn shift_left<const BY: u32>(self) -> Avx2 {
            let by = trusted!(_mm_cvtsi64_si128(i64::from(BY)));
            Avx2(trusted!(_mm256_sll_epi64(self.0, by)), trusted!(_mm256_sll_epi64(self.1, by)))
        }

        #[inline(always)]
        fn rotate_left<const BY: u32>(self) -> Avx2 {
            let by = trusted!(_mm_cvtsi64_si128(i64::from(64 - BY)));
            let low = Avx2(trusted!(_mm256_srl_epi64(self.0, by)), trusted!(_mm256_srl_epi64(self.1, by)));
            self.shift_left::<BY>().or(low)
        }

        #[inline(always)]
        fn any(self) -> bool {
            let both = trusted!(_mm256_or_si256(self.0, self.1));
            trusted!(_mm256_testz_si256(both, both)) == 0
        }

        #[inline(always)]
        fn ones(self) -> Avx2 {
            let half = trusted!(_mm256_set1_epi64x(-1));
            Avx2(half, half)
        }
    }
}
