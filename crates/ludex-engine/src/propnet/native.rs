//! Formulas and effects as machine code.
//!
//! The interpreter of formulas (`formula.rs`) spends most of its time on finding out what to do next: where the tests of a
//! conjunction begin and end, whether it has parts, whether one is inverted. Once the formulas of a phase are known
//! all that is fixed, so they are written as instructions of the processor: a test is a comparison and a jump, what
//! a move does is a function that marks bits. The answers are the same, and so is what is remembered, so
//! both can be used side by side.
//!
//! For x86-64; elsewhere, where the system gives no memory for code, and for formulas that would be too large, the
//! interpreter serves. `docs/performance.md` has what it brings.

mod assembler;
mod writer;

use super::effects::Effects;
use super::formula::{Finding, Formula, Formulas};
use crate::row::Row;
use assembler::Label;
use memmap2::{Mmap, MmapMut};
use writer::Writer;

/// The most code that is written for one phase, in bytes. Much more than fits the caches is not worth its making.
const MOST_CODE: usize = 64 << 20;

/// The most conjunctions: they are found by offsets of 31 bits.
const MOST_CONJUNCTIONS: usize = 1 << 27;

/// Where a conjunction that cannot be called begins.
const NO_ENTRY: u32 = u32::MAX;

/// Code, and where it can be entered.
#[derive(Debug)]
pub(super) struct Native {
    code: Mmap,
    /// For each conjunction where its function begins.
    conjunctions: Vec<u32>,
    /// For each list of effects likewise: the function that marks, or if only one role acts, the one that makes all
    /// changes.
    lists: Vec<u32>,
    /// How many words of the row, and of the flips, the code may touch.
    row_words: usize,
    flip_words: usize,
}

/// What code is given: the row, the findings, the time, the flips. Zero is false.
#[cfg(target_arch = "x86_64")]
type Function = unsafe extern "sysv64" fn(*mut u64, *mut Finding, u32, *mut u64) -> u32;

/// Writes the functions of all lists; `None` if they are too large.
fn lists(writer: &mut Writer<'_>, effects: &Effects) -> Option<Vec<Label>> {
    let common = writer.write_list(effects, effects.common());
    let mut lists = Vec::with_capacity(effects.count());
    for list in 0..effects.count() {
        lists.push(match effects.sole_actor() {
            Some(_) => writer.write_whole(effects, list, common),
            None => writer.write_list(effects, list),
        });
        if writer.code.len() > MOST_CODE {
            return None;
        }
    }
    Some(lists)
}

impl Native {
    /// Writes code for the formulas that will be asked, and for the effects. `None` where there can be none.
    pub(super) fn new(
        formulas: &Formulas,
        asked: impl IntoIterator<Item = Formula>,
        effects: Option<&Effects>,
    ) -> Option<Native> {
        let count = formulas.count();
        if !cfg!(target_arch = "x86_64") || count > MOST_CONJUNCTIONS {
            return None;
        }
        let mut writer = Writer::new(formulas, effects, MOST_CODE);
        let lists = effects.map_or(Some(Vec::new()), |effects| lists(&mut writer, effects))?;
        let asked: Vec<_> = asked.into_iter().map(|f| (f.number(), writer.function(f.number()))).collect();
        if !writer.write_functions() {
            return None;
        }
        let mut conjunctions = vec![NO_ENTRY; count];
        for (number, label) in asked {
            conjunctions[number] = writer.code.place(label);
        }
        let lists = lists.into_iter().map(|label| writer.code.place(label)).collect();
        let bytes = writer.code.finish();
        let mut memory = MmapMut::map_anon(bytes.len().max(1)).ok()?;
        memory[..bytes.len()].copy_from_slice(&bytes);
        Some(Native {
            code: memory.make_exec().ok()?,
            conjunctions,
            lists,
            row_words: formulas.words().max(effects.map_or(0, Effects::words)),
            flip_words: effects.map_or(0, Effects::words),
        })
    }

    /// Whether the formula holds; `None` if there is no code for it. There is a finding for each conjunction.
    #[inline]
    pub(super) fn holds(
        &self,
        row: &Row,
        findings: &mut [Finding],
        time: u32,
        formula: Formula,
    ) -> Option<bool> {
        let entry = *self.conjunctions.get(formula.number())?;
        if entry == NO_ENTRY {
            return None;
        }
        assert!(
            row.len() >= self.row_words && findings.len() >= self.conjunctions.len(),
            "too short for the code"
        );
        // SAFETY: the entry is that of the function of a conjunction, which reads words of the row below
        // `row_words`, reads and writes findings by the numbers of conjunctions, and touches nothing else.
        let holds = unsafe { self.call(entry, row.as_ptr().cast_mut(), findings, time, &mut []) };
        Some((holds != 0) != formula.is_inverted())
    }

    /// Marks in `flips` what the list changes, or if only one role acts ([`Effects::sole_actor`]) makes all changes
    /// and marks nothing.
    #[inline]
    pub(super) fn act(
        &self,
        list: usize,
        row: &mut Row,
        findings: &mut [Finding],
        time: u32,
        flips: &mut [u64],
    ) {
        assert!(
            row.len() >= self.row_words && findings.len() >= self.conjunctions.len(),
            "too short for the code"
        );
        assert!(flips.len() >= self.flip_words, "too short for the code");
        // SAFETY: as in `holds`; the function of a list also writes words of row and flips below `flip_words`.
        unsafe { self.call(self.lists[list], row.as_mut_ptr(), findings, time, flips) };
    }

    /// Calls a function.
    ///
    /// # Safety
    /// A function begins at `entry`, and what it touches is there.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    unsafe fn call(
        &self,
        entry: u32,
        row: *mut u64,
        findings: &mut [Finding],
        time: u32,
        flips: &mut [u64],
    ) -> u32 {
        // SAFETY: the mapping holds whole functions of this type (`writer.rs`), which keep the calling convention:
        // they save `rbx`, and change no other register that the caller relies on.
        unsafe {
            let function: Function = std::mem::transmute(self.code.as_ptr().add(entry as usize));
            function(row, findings.as_mut_ptr(), time, flips.as_mut_ptr())
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn call(&self, _: u32, _: *mut u64, _: &mut [Finding], _: u32, _: &mut [u64]) -> u32 {
        unreachable!("code is written for x86-64 only")
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.code.len() + (self.conjunctions.len() + self.lists.len()) * 4
    }
}
