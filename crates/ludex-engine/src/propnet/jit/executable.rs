//! Code in memory that the processor may run: the one place where it is called.

use super::{Action, Question, Reach};
use crate::propnet::formula::Finding;
use crate::row::Row;
use memmap2::{Mmap, MmapMut};

/// Whole functions, and how much memory they touch.
#[derive(Debug)]
pub(super) struct Executable {
    code: Mmap,
    reach: Reach,
}

/// What code is given: the row, the findings, the time, the flips. Zero is false.
type Function = unsafe extern "sysv64" fn(*mut u64, *mut Finding, u32, *mut u64) -> u32;

impl Executable {
    /// Functions that a `Writer` has written, all places that they go to among them (`Assembler::finish`).
    /// `None` where the system gives no memory for code.
    pub(super) fn new(bytes: &[u8], reach: Reach) -> Option<Executable> {
        let mut memory = MmapMut::map_anon(bytes.len().max(1)).ok()?;
        memory[..bytes.len()].copy_from_slice(bytes);
        Some(Executable { code: memory.make_exec().ok()?, reach })
    }

    /// What the question finds.
    #[inline]
    pub(super) fn ask(&self, question: Question, row: &Row, findings: &mut [Finding], time: u32) -> bool {
        self.look_at_lengths(row, findings);
        let row = row.as_ptr().cast_mut();
        // SAFETY: the function of a conjunction begins there. It reads words of the row below `row_words`,
        // the most that any test or guard names, reads and writes findings by the numbers of conjunctions,
        // and touches nothing else, above all no word of the row by writing; the lengths are those that it
        // needs.
        unsafe { self.call(question.place(), row, findings, time, &mut []) != 0 }
    }

    /// Marks or makes changes.
    #[inline]
    pub(super) fn act(
        &self,
        action: Action,
        row: &mut Row,
        findings: &mut [Finding],
        time: u32,
        flips: &mut [u64],
    ) {
        self.look_at_lengths(row, findings);
        assert!(flips.len() >= self.reach.flip_words, "too short for the code");
        // SAFETY: the function of a list of effects begins there. It does as in `ask`, and writes words of
        // row and flips below `flip_words`, the most that any effect names; the row and the flips are ours
        // alone.
        unsafe { self.call(action.0, row.as_mut_ptr(), findings, time, flips) };
    }

    #[inline]
    fn look_at_lengths(&self, row: &Row, findings: &[Finding]) {
        let Reach { row_words, findings: count, .. } = self.reach;
        assert!(row.len() >= row_words && findings.len() >= count, "too short for the code");
    }

    /// Calls a function.
    ///
    /// # Safety
    /// A function begins at `entry`, and what it touches is there.
    #[inline]
    unsafe fn call(
        &self,
        entry: u32,
        row: *mut u64,
        findings: &mut [Finding],
        time: u32,
        flips: &mut [u64],
    ) -> u32 {
        // SAFETY: the mapping is executable and no longer writable, and `entry` lies in it. It holds whole functions of
        // this type, which keep the calling convention: they save `rbx`, and change no other register that the caller
        // relies on.
        unsafe {
            let function: Function = std::mem::transmute(self.code.as_ptr().add(entry as usize));
            function(row, findings.as_mut_ptr(), time, flips.as_mut_ptr())
        }
    }

    pub(super) fn size(&self) -> usize {
        self.code.len()
    }
}
