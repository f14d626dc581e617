//! The planes of a runner, as the kernels see them.
//!
//! Kernels read and write planes by slots that stand in plans. Every slot of a plan has been compared with the
//! number of its slots when the plan was made (`plan::check`), and [`Memory::new`] compares that number with the planes
//! that are there; so the feature `native` leaves the comparison out of the inner loops. Without it every access is
//! checked, and there is no `unsafe` here.

use super::plan::Slot;
use super::vector::Plane;

/// At least as many planes as the plan has slots whose code runs on them.
#[derive(Debug)]
pub(super) struct Memory<'m> {
    planes: &'m mut [Plane],
}

/// Where a plane lies, in words of 64 bits: the processor multiplies by eight for nothing, by 64 not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Distance(u32);

/// Words of a plane.
const WORDS: u32 = (size_of::<Plane>() / size_of::<u64>()) as u32;

impl Distance {
    /// The most slots that have a distance.
    pub(super) const MOST_SLOTS: usize = (u32::MAX / WORDS) as usize;

    /// Where a slot lies. Slots beyond [`Distance::MOST_SLOTS`], which `plan::check` refuses, have none.
    pub(super) fn of(slot: Slot) -> Distance {
        Distance(slot.saturating_mul(WORDS))
    }

    /// The slot, if this is the place of one.
    pub(super) fn slot(self) -> Option<Slot> {
        self.0.is_multiple_of(WORDS).then_some(self.0 / WORDS)
    }
}

impl<'m> Memory<'m> {
    /// The planes, for code of a plan that has so many slots.
    pub(super) fn new(planes: &'m mut [Plane], slots: usize) -> Memory<'m> {
        assert!(planes.len() >= slots, "{} planes for {slots} slots", planes.len());
        Memory { planes }
    }

    #[inline(always)]
    pub(super) fn at(&self, slot: Slot) -> &Plane {
        let slot = slot as usize;
        debug_assert!(slot < self.planes.len(), "slot {slot}");
        #[cfg(not(feature = "native"))]
        return &self.planes[slot];
        // SAFETY: slots come from checked plans and decoders, and there are as many planes as those have slots.
        #[cfg(feature = "native")]
        unsafe {
            self.planes.get_unchecked(slot)
        }
    }

    #[inline(always)]
    pub(super) fn at_mut(&mut self, slot: Slot) -> &mut Plane {
        let slot = slot as usize;
        debug_assert!(slot < self.planes.len(), "slot {slot}");
        #[cfg(not(feature = "native"))]
        return &mut self.planes[slot];
        // SAFETY: as in `at`.
        #[cfg(feature = "native")]
        unsafe {
            self.planes.get_unchecked_mut(slot)
        }
    }

    #[inline(always)]
    pub(super) fn at_distance(&self, distance: Distance) -> &Plane {
        debug_assert!(
            distance.slot().is_some_and(|slot| (slot as usize) < self.planes.len()),
            "{distance:?}"
        );
        #[cfg(not(feature = "native"))]
        return &self.planes[(distance.0 / WORDS) as usize];
        // SAFETY: checked plans hold distances of their slots only, so a plane begins there, as in `at`.
        #[cfg(feature = "native")]
        unsafe {
            &*self.planes.as_ptr().cast::<u64>().add(distance.0 as usize).cast()
        }
    }
}
