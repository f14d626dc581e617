//! The kernels for x86-64 with vector instructions.

use super::choose::Draw;
use super::memory::Memory;
use super::pass::{self, Kernel, Task};
use super::plan::{Choice, Code};
use super::vector::{Plane, Vector};
use crate::native;
use std::arch::x86_64::*;

/// An operation of a vector. There is a vector or a proof at hand wherever this is used.
macro_rules! trusted {
    ($e:expr) => {
        // SAFETY: vectors are made from proofs only, and proofs by `detect` only, where the machine has all features
        // that the kernels are compiled for. Memory operands come from references to planes, which are aligned.
        unsafe { $e }
    };
}

/// One register of AVX-512F.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

impl Vector for Avx512 {
    type Machine = HasAvx512;

    #[inline(always)]
    fn load(_: HasAvx512, plane: &Plane) -> Avx512 {
        Avx512(trusted!(_mm512_load_si512(std::ptr::from_ref(plane).cast())))
    }

    #[inline(always)]
    fn splat(_: HasAvx512, word: u64) -> Avx512 {
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
pub(super) struct Avx2(__m256i, __m256i);

impl Vector for Avx2 {
    type Machine = HasAvx2;

    #[inline(always)]
    fn load(_: HasAvx2, plane: &Plane) -> Avx2 {
        let from: *const __m256i = std::ptr::from_ref(plane).cast();
        Avx2(trusted!(_mm256_load_si256(from)), trusted!(_mm256_load_si256(from.add(1))))
    }

    #[inline(always)]
    fn splat(_: HasAvx2, word: u64) -> Avx2 {
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
        Avx2(trusted!(_mm256_andnot_si256(other.0, self.0)), trusted!(_mm256_andnot_si256(other.1, self.1)))
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

/// The kernels of each vector, and the proof that the machine can run them. The features are listed once: what is
/// compiled for is what is asked for.
macro_rules! kernels {
    ($($vector:ident, $machine:ident: [$($feature:tt)*];)*) => {$(
        #[doc = concat!("The machine has the instructions for [`", stringify!($vector), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $machine(());

        impl $machine {
            /// The proof, if they are there and native code is not switched off.
            pub(super) fn detect() -> Option<$machine> {
                let found = native::is_enabled() $(&& is_x86_feature_detected!($feature))*;
                found.then_some($machine(()))
            }
        }

        impl Kernel for $vector {
            #[inline(always)]
            fn execute(machine: $machine, memory: &mut Memory<'_>, code: &Code) {
                $(#[target_feature(enable = $feature)])*
                fn inner(machine: $machine, memory: &mut Memory<'_>, code: &Code) {
                    pass::execute::<$vector>(machine, memory, code);
                }
                // SAFETY: the proof says that the machine has the features.
                unsafe { inner(machine, memory, code) }
            }

            #[inline(always)]
            fn choose(
                machine: $machine,
                memory: &mut Memory<'_>,
                choice: &Choice,
                draw: &mut Draw<$vector>,
                scratch: &mut [Plane],
            ) -> Plane {
                $(#[target_feature(enable = $feature)])*
                fn inner(
                    machine: $machine,
                    memory: &mut Memory<'_>,
                    choice: &Choice,
                    draw: &mut Draw<$vector>,
                    scratch: &mut [Plane],
                ) -> Plane {
                    let mut none = Plane::ZERO;
                    pass::choose_any::<$vector>(machine, memory, choice, draw, scratch).store(&mut none);
                    none
                }
                // SAFETY: the proof says that the machine has the features.
                unsafe { inner(machine, memory, choice, draw, scratch) }
            }

            fn run<T: Task>(machine: $machine, task: T) -> T::Output {
                $(#[target_feature(enable = $feature)])*
                fn inner<T: Task>(machine: $machine, task: T) -> T::Output {
                    task.run::<$vector>(machine)
                }
                // SAFETY: the proof says that the machine has the features.
                unsafe { inner(machine, task) }
            }
        }
    )*};
}

kernels! {
    Avx512, HasAvx512: ["avx512f" "avx2" "bmi1" "popcnt"];
    Avx2, HasAvx2: ["avx2" "bmi1" "popcnt"];
}
