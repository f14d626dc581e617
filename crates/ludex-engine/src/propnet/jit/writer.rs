//! Formulas and lists of effects to code.
//!
//! A formula becomes jumps: each test goes on or away, a part that nobody else reads is written in place, the
//! others are functions, which remember what they find as the interpreter does (`formula.rs`).

use super::assembler::{Assembler, Found, Label};
use crate::budget::{Exceeded, Meter};
use crate::propnet::effects::{Effects, List};
use crate::propnet::formula::{Formula, Formulas, LONG, Test};
use crate::propnet::guards::{GuardGroup, Guards};
use std::ops::Range;

/// Conjunctions of no parts and at most so many tests are written in place wherever they are read.
const SMALL: usize = 4;

/// Conjunctions nested deeper than this in place become functions: writing is recursive.
const DEEPEST: usize = 60;

/// So few guards in a word are tested one by one.
const FEW_GUARDS: usize = 2;

/// Fewer conditions than this are looked at one by one,
const SHORTEST_RUN: u32 = 4;

/// and no more than this together: of the 81 stones that a chain in hex may have, it has a few.
const LONGEST_RUN: u32 = 8;

/// Writes code for some formulas.
#[derive(Debug)]
pub(super) struct Writer<'f> {
    formulas: &'f Formulas,
    pub(super) code: Assembler,
    most: usize,
    /// How often each conjunction is read.
    readers: Vec<u32>,
    functions: Vec<Option<Label>>,
    /// Functions that are called and not written yet.
    open: Vec<u32>,
    /// Bits that are on wherever the code that is being written is reached: the word, and the bit in it.
    known: Vec<(u32, u64)>,
}

impl<'f> Writer<'f> {
    /// A writer that gives up beyond `most` bytes.
    pub(super) fn new(formulas: &'f Formulas, effects: &[&Effects], most: usize) -> Writer<'f> {
        let count = formulas.count();
        let mut readers = vec![0; count];
        let conditions = effects.iter().flat_map(|effects| effects.conditions());
        for formula in formulas.parts().chain(conditions) {
            readers[formula.number()] += 1;
        }
        let functions = vec![None; count];
        Writer {
            formulas,
            code: Assembler::default(),
            most,
            readers,
            functions,
            open: Vec::new(),
            known: Vec::new(),
        }
    }

    /// The function that tells whether the conjunction holds.
    pub(super) fn function(&mut self, number: usize) -> Label {
        *self.functions[number].get_or_insert_with(|| {
            self.open.push(number as u32);
            self.code.label()
        })
    }

    /// Writes the functions that are called; false if they are too large.
    pub(super) fn write_functions(&mut self, meter: &mut Meter) -> Result<bool, Exceeded> {
        while let Some(number) = self.open.pop() {
            if self.code.len() > self.most {
                return Ok(false);
            }
            let before = self.code.len();
            self.write_function(number as usize);
            meter.tick_by((self.code.len() - before) as u64)?;
        }
        Ok(true)
    }

    fn write_function(&mut self, number: usize) {
        let label = self.function(number);
        self.code.align();
        self.code.bind(label);
        let (fail, fail_late) = (self.code.label(), self.code.label());
        for &test in self.formulas.tests_of(Formula::of(number)) {
            self.test(test, true, fail);
        }
        let parts = self.formulas.parts_of(Formula::of(number)).len();
        if parts > 0 {
            // To remember would cost more than to ask a single part again, which remembers.
            let remembers = parts > 1 && self.readers[number] > 1;
            let guarded = self.is_guarded(number);
            if remembers {
                self.code.return_finding(number as u32);
            }
            if guarded {
                self.code.save_guards();
            }
            self.parts(number, fail_late, 0);
            self.leave(number, guarded, remembers, true);
            self.code.bind(fail_late);
            self.leave(number, guarded, remembers, false);
        } else {
            self.code.return_one();
        }
        self.code.bind(fail);
        self.code.return_zero();
    }

    fn leave(&mut self, number: usize, guarded: bool, remembers: bool, holds: bool) {
        if guarded {
            self.code.restore_guards();
        }
        if remembers {
            self.code.write_finding(number as u32, holds);
        }
        if holds {
            self.code.return_one();
        } else {
            self.code.return_zero();
        }
    }

    /// Whether the parts of the conjunction are found by going through guards.
    fn is_guarded(&self, number: usize) -> bool {
        let (guards, list, _) = self.formulas.guarded_parts_of(number);
        takes_guards(guards, list)
    }

    /// Jumps if the outcome of the test is not `wanted`. What is known is not looked at.
    fn test(&mut self, mut test: Test, wanted: bool, otherwise: Label) {
        let known =
            self.known.iter().filter(|&&(word, _)| word == test.word).fold(0, |on, (_, bit)| on | bit);
        // What is wanted of bits outside the mask no word has: that of a bit that must be off and is on, now, too.
        let off = test.mask & known & !test.want;
        test.want = test.want & !(test.mask & known) | off;
        test.mask &= !known;
        self.code.test(test, wanted, otherwise);
    }

    /// Goes to `fail` unless the formula holds.
    fn require(&mut self, formula: Formula, fail: Label, depth: usize) {
        let number = formula.number();
        let (tests, parts) = (self.formulas.tests_of(formula).len(), self.formulas.parts_of(formula).len());
        let in_place = if parts == 0 {
            tests <= SMALL || self.readers[number] == 1
        } else {
            self.readers[number] == 1 && !self.is_guarded(number) && depth < DEEPEST
        };
        if !in_place {
            let function = self.function(number);
            self.code.ask(function);
            self.code.jump_if(if formula.is_inverted() { Found::NotZero } else { Found::Zero }, fail);
        } else if formula.is_inverted() {
            self.refute(number, fail, depth + 1);
        } else {
            self.conjunction(number, fail, depth + 1);
        }
    }

    /// Goes to `fail` unless the conjunction holds.
    fn conjunction(&mut self, number: usize, fail: Label, depth: usize) {
        for &test in self.formulas.tests_of(Formula::of(number)) {
            self.test(test, true, fail);
        }
        self.parts(number, fail, depth);
    }

    /// Goes to `fail` if the conjunction holds.
    fn refute(&mut self, number: usize, fail: Label, depth: usize) {
        let refuted = self.code.label();
        let formulas = self.formulas;
        let (tests, parts) = (formulas.tests_of(Formula::of(number)), formulas.parts_of(Formula::of(number)));
        // The last one decides, and so need not be jumped around.
        match (tests, parts) {
            ([tests @ .., last], []) => {
                tests.iter().for_each(|&test| self.test(test, true, refuted));
                self.test(*last, false, fail);
            }
            (tests, [parts @ .., last]) if parts.len() < LONG => {
                tests.iter().for_each(|&test| self.test(test, true, refuted));
                parts.iter().for_each(|&part| self.require(part, refuted, depth));
                self.require(last.inverse(), fail, depth);
            }
            _ => {
                self.conjunction(number, refuted, depth);
                self.code.jump(fail);
            }
        }
        self.code.bind(refuted);
    }

    /// Goes to `fail` unless all parts of the conjunction hold.
    fn parts(&mut self, number: usize, fail: Label, depth: usize) {
        let formulas = self.formulas;
        let plain = formulas.plain_parts_of(number);
        if plain.len() > LONG {
            self.long(number as u32, plain, fail, depth);
        } else {
            plain.iter().for_each(|&part| self.require(part, fail, depth));
        }
        let (guards, list, parts) = formulas.guarded_parts_of(number);
        self.guarded(guards, list, &mut |writer, group| {
            let parts = &parts[group.start as usize..group.end as usize];
            parts.iter().for_each(|&part| writer.require(part, fail, depth));
        });
    }

    /// Many parts: from the one that failed the last time on, and if that was not the first, once more from the
    /// first one on.
    fn long(&mut self, number: u32, parts: &[Formula], fail: Label, depth: usize) {
        let labels: Vec<Label> = parts.iter().map(|_| self.code.label()).collect();
        self.code.jump_to_decided(number, &labels);
        let done = self.code.label();
        let mut failures = Vec::new();
        for (&part, &label) in parts.iter().zip(&labels) {
            self.code.bind(label);
            let failure = self.code.label();
            self.require(part, failure, depth);
            failures.push(failure);
        }
        self.code.is_first_decided(number);
        self.code.jump_if(Found::Zero, done);
        self.code.write_decided(number, 0);
        self.code.jump(labels[0]);
        for (part, failure) in (0..).zip(failures) {
            self.code.bind(failure);
            self.code.write_decided(number, part);
            self.code.jump(fail);
        }
        self.code.bind(done);
    }

    /// Writes `body` for each group of entries of the list, to be gone through if its guard is on. Saves no register.
    fn guarded(
        &mut self,
        guards: &Guards,
        list: Range<u32>,
        body: &mut dyn FnMut(&mut Writer<'f>, Range<u32>),
    ) {
        for (word, groups) in guards.words(list) {
            if groups.len() <= FEW_GUARDS {
                for GuardGroup { bit, entries } in groups {
                    let off = self.code.label();
                    self.code.test(any_of(word, 1 << bit), true, off);
                    self.known.push((word, 1 << bit));
                    body(self, entries);
                    self.known.pop();
                    self.code.bind(off);
                }
                continue;
            }
            let (next, done) = (self.code.label(), self.code.label());
            let (first, last) = (groups[0].bit, groups[groups.len() - 1].bit);
            let mask = groups.iter().map(|group| 1 << group.bit).sum();
            self.code.load_guards(word, mask, done);
            self.code.bind(next);
            // Bits in between are never on.
            let mut labels = vec![done; (last - first + 1) as usize];
            for group in &groups {
                labels[(group.bit - first) as usize] = self.code.label();
            }
            self.code.take_guard(first, &labels);
            for GuardGroup { bit, entries } in groups {
                self.code.bind(labels[(bit - first) as usize]);
                self.known.push((word, 1 << bit));
                body(self, entries);
                self.known.pop();
                self.code.jump_if_guards(next);
                if bit != last {
                    self.code.jump(done);
                }
            }
            self.code.bind(done);
        }
    }

    /// Writes a function that marks what a list of effects changes.
    pub(super) fn write_list(&mut self, effects: &Effects, list: usize) -> Label {
        let parts = effects.list(list);
        let label = self.begin_list(effects, &parts);
        for patch in parts.patches {
            self.code.mark_unlike(patch.word, patch.mask, patch.want);
        }
        self.end_list(effects, parts);
        self.code.return_();
        label
    }

    /// Writes a function that makes all changes of a state in which nobody but the mover acts: those of the list and
    /// those that come about by themselves, which `common` marks.
    pub(super) fn write_whole(&mut self, effects: &Effects, list: usize, common: Label) -> Label {
        let parts = effects.list(list);
        let label = self.begin_list(effects, &parts);
        // Where nothing is marked, bits get their values at once, but not before all conditions have been looked at.
        let marked = effects.marked_words(list);
        let (marked_too, alone): (Vec<Test>, Vec<Test>) =
            parts.patches.iter().partition(|patch| marked.contains(&patch.word));
        for patch in marked_too {
            self.code.mark_unlike(patch.word, patch.mask, patch.want);
        }
        self.end_list(effects, parts);
        if effects.acts_by_itself() {
            self.code.call(common);
        }
        marked.into_iter().for_each(|word| self.code.flip(word));
        for patch in alone {
            self.code.set(patch.word, patch.mask, patch.want);
        }
        self.code.return_();
        label
    }

    fn begin_list(&mut self, effects: &Effects, list: &List<'_>) -> Label {
        let label = self.code.label();
        self.code.align();
        self.code.bind(label);
        if takes_guards(effects.guards(), list.guards.clone()) {
            self.code.save_guards();
        }
        label
    }

    fn end_list(&mut self, effects: &Effects, list: List<'_>) {
        self.conditions(effects, list.plain);
        self.guarded(effects.guards(), list.guards.clone(), &mut |writer, group| {
            writer.conditions(effects, group);
        });
        if takes_guards(effects.guards(), list.guards) {
            self.code.restore_guards();
        }
    }

    /// Marks what flips under these conditions. Where neighbours each need one of some bits, those are looked at first, all at
    /// once.
    fn conditions(&mut self, effects: &Effects, mut conditions: Range<u32>) {
        while !conditions.is_empty() {
            let (end, bits) = self.run(effects, conditions.clone());
            let skip = self.code.label();
            if let Some((word, mask)) = bits {
                self.code.test(any_of(word, mask), true, skip);
            }
            (conditions.start..end).for_each(|condition| self.condition(effects, condition));
            self.code.bind(skip);
            conditions.start = end;
        }
    }

    fn condition(&mut self, effects: &Effects, condition: u32) {
        let (formula, flips) = effects.condition(condition);
        let skip = self.code.label();
        self.require(formula, skip, 0);
        for &(word, mask) in flips {
            self.code.mark(word, mask);
        }
        self.code.bind(skip);
    }

    /// Where a run of conditions ends of which each needs a bit of the same word, and the bits; just the first
    /// condition if the run is too short.
    fn run(&self, effects: &Effects, conditions: Range<u32>) -> (u32, Option<(u32, u64)>) {
        let alone = (conditions.start + 1, None);
        let need = |condition: u32| self.need(effects.condition(condition).0);
        let Some((word, first)) = need(conditions.start) else { return alone };
        let mut mask = first;
        let mut end = conditions.start + 1;
        while end < conditions.end && end - conditions.start < LONGEST_RUN {
            let Some((_, bit)) = need(end).filter(|&(other, _)| other == word) else { break };
            mask |= bit;
            end += 1;
        }
        if end - conditions.start < SHORTEST_RUN { alone } else { (end, Some((word, mask))) }
    }

    /// A bit that must be on for the formula to hold, and is not known to be.
    fn need(&self, formula: Formula) -> Option<(u32, u64)> {
        let tests = self.formulas.tests_of(formula).iter().filter(|_| !formula.is_inverted());
        let on = tests.filter(|test| !test.inverted && test.want != 0);
        on.map(|test| (test.word, 1 << test.want.trailing_zeros())).find(|bit| !self.known.contains(bit))
    }
}

/// That some of these bits are on.
fn any_of(word: u32, mask: u64) -> Test {
    Test { word, inverted: true, mask, want: 0 }
}

/// Whether code goes through the guards of the list, in a register, or tests each.
fn takes_guards(guards: &Guards, list: Range<u32>) -> bool {
    guards.words(list).any(|(_, groups)| groups.len() > FEW_GUARDS)
}
