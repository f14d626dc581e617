//! Lazy evaluation: signals as formulas over the bits of a row, read only as far as needed.
//!
//! A formula is a conjunction of *tests* (some bits of one word have given values: one load, one mask, one
//! comparison, however many literals they are) and of other formulas, plain or inverted. A question is
//! answered top down and stops at the first part that fails, so what a state makes irrelevant is never looked
//! at. What has been found about formulas with parts is remembered until the row changes.
//!
//! This is the right way to ask *few* things about a state: whether one move is legal, what one move does.
//! To know *all* legal moves of states that differ little, following changes (`tracker.rs`) can be cheaper.
//! Blocks, which feed back into themselves, cannot be written as formulas.

mod write;

use super::effects::Effects;
use super::guards::Guards;
use super::jit::Jit;
use super::net::Node;
use crate::budget::{Exceeded, Meter};
use crate::row::Row;
use crate::vocabulary::MoveId;
use std::ops::Range;

/// Some bits of a word and the values that they must have, or, if inverted, must not all have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) word: u32,
    pub(super) inverted: bool,
    pub(super) mask: u64,
    pub(super) want: u64,
}

impl Test {
    #[inline]
    pub(super) fn holds(&self, row: &Row) -> bool {
        (row[self.word as usize] & self.mask == self.want) != self.inverted
    }

    /// What the literals (number of the bit, and its value) together demand, word by word; `None` if they
    /// contradict each other.
    pub(super) fn all(literals: &[(u32, bool)]) -> Option<Vec<Test>> {
        let mut tests: Vec<Test> = Vec::new();
        for &(bit, value) in literals {
            let word = bit / 64;
            let at = tests.iter().position(|test| test.word == word).unwrap_or_else(|| {
                tests.push(Test { word, inverted: false, mask: 0, want: 0 });
                tests.len() - 1
            });
            let (mask, want) = (1 << (bit % 64), u64::from(value) << (bit % 64));
            let test = &mut tests[at];
            if test.mask & mask != 0 && test.want & mask != want {
                return None;
            }
            test.mask |= mask;
            test.want |= want;
        }
        Some(tests)
    }
}

/// The rows that formulas read: fluents first, then, from a new word on, moves.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    state_words: usize,
    /// For each role the bit of its first move; last the bit of the first cut_point.
    moves: Vec<u32>,
    words: usize,
    /// Whether there is room for cut_points.
    has_cut_points: bool,
    /// How often each fluent holds in random play. Only speed depends on it.
    odds: Vec<f32>,
}

/// How often a move is taken to be on: seldom.
const MOVE_ODDS: f32 = 0.05;

impl Layout {
    /// `moves` says how many each role has; behind them there is room for cut_points.
    pub(super) fn new(odds: Vec<f32>, moves: impl IntoIterator<Item = usize>, cut_points: usize) -> Layout {
        let state_words = odds.len().div_ceil(64);
        let mut bit = state_words as u32 * 64;
        let mut first = Vec::new();
        for count in moves.into_iter().chain([cut_points]) {
            first.push(bit);
            bit += count as u32;
        }
        Layout {
            state_words,
            moves: first,
            words: (bit as usize).div_ceil(64),
            has_cut_points: cut_points > 0,
            odds,
        }
    }

    /// How many words a row has, moves included.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    pub(super) fn state_words(&self) -> usize {
        self.state_words
    }

    pub(super) fn has_cut_points(&self) -> bool {
        self.has_cut_points
    }

    /// The bit of a cut_point.
    pub(super) fn cut_point(&self, cut_point: u32) -> u32 {
        self.moves.last().map_or(0, |first| first + cut_point)
    }

    /// How often the bit is on.
    pub(super) fn odds(&self, bit: u32) -> f32 {
        self.odds.get(bit as usize).copied().unwrap_or(MOVE_ODDS)
    }

    /// Switches moves on, in a row that has none on.
    pub(super) fn set_moves(&self, row: &mut Row, joint: &[MoveId]) {
        for (first, action) in self.moves.iter().zip(joint) {
            let bit = (first + action.0) as usize;
            row[bit / 64] |= 1 << (bit % 64);
        }
    }

    /// Switches all moves off.
    pub(super) fn clear_moves(&self, row: &mut Row) {
        row[self.state_words..].fill(0);
    }

    fn bit(&self, node: Node) -> Option<u32> {
        match node {
            Node::Fluent(fluent) => Some(fluent),
            Node::Move(role, action) => Some(self.moves[role as usize] + action),
            Node::False | Node::Feedback | Node::And(..) => None,
        }
    }
}

/// A formula, or its inverse: the number of the conjunction twice, plus one if inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Formula(u32);

impl Formula {
    /// The empty conjunction, which has number zero.
    pub(super) const ALWAYS: Formula = Formula(0);
    pub(super) const NEVER: Formula = Formula(1);

    /// The conjunction itself.
    pub(super) fn of(number: usize) -> Formula {
        Formula((number as u32) << 1)
    }

    /// The number of the conjunction.
    pub(super) fn number(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn inverse(self) -> Formula {
        Formula(self.0 ^ 1)
    }
}

/// Where the tests and the parts of a conjunction begin; they end where those of the next one begin.
#[derive(Clone, Copy, Debug)]
struct Conjunction {
    tests: u32,
    parts: u32,
    /// The first part that has a guard; only while that bit is on can the part fail.
    guarded: u32,
    guards: u32,
}

/// Formulas, compiled.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    /// One more than there are, for where the last one ends.
    conjunctions: Vec<Conjunction>,
    tests: Vec<Test>,
    parts: Vec<Formula>,
    guards: Guards,
    reads_moves: bool,
    jit: Option<Jit>,
}

impl Formulas {
    /// The bit that is most seldom on, of those that must be on for the formula to hold, as far as that is
    /// plain to see.
    pub(super) fn guard(&self, formula: Formula, layout: &Layout) -> Option<u32> {
        if formula.is_inverted() {
            return None;
        }
        let tests = self.tests_of(formula).iter().filter(|test| !test.inverted);
        let on = || tests.clone().flat_map(|test| bits(test.word, test.want));
        // CutPoints are few and close together, so what they guard is found at once.
        let cut_point = on().find(|&bit| bit >= layout.cut_point(0));
        let fluents = on().filter(|&bit| (bit as usize) < layout.odds.len());
        cut_point.or_else(|| fluents.min_by(|&a, &b| layout.odds(a).total_cmp(&layout.odds(b))))
    }

    /// The tests of the conjunction, which may be the last one so far.
    pub(super) fn tests_of(&self, formula: Formula) -> &[Test] {
        let number = formula.number();
        let from = self.conjunctions[number].tests as usize;
        let to = self.conjunctions.get(number + 1).map_or(self.tests.len(), |next| next.tests as usize);
        &self.tests[from..to]
    }

    /// The parts of the conjunction, likewise.
    pub(super) fn parts_of(&self, formula: Formula) -> &[Formula] {
        let number = formula.number();
        let from = self.conjunctions[number].parts as usize;
        let to = self.conjunctions.get(number + 1).map_or(self.parts.len(), |next| next.parts as usize);
        &self.parts[from..to]
    }

    /// The parts of a conjunction that have no guard.
    pub(super) fn plain_parts_of(&self, number: usize) -> &[Formula] {
        let conjunction = self.conjunctions[number];
        &self.parts[conjunction.parts as usize..conjunction.guarded as usize]
    }

    /// The guards of the other parts, and what their entries are numbers of.
    pub(super) fn guarded_parts_of(&self, number: usize) -> (&Guards, Range<u32>, &[Formula]) {
        let list = self.conjunctions[number].guards..self.conjunctions[number + 1].guards;
        (&self.guards, list, &self.parts)
    }

    /// How many conjunctions there are.
    pub(super) fn count(&self) -> usize {
        self.conjunctions.len().saturating_sub(1)
    }

    /// The parts of all conjunctions.
    pub(super) fn parts(&self) -> impl Iterator<Item = Formula> {
        self.parts.iter().copied()
    }

    /// How many words of a row are read.
    pub(super) fn words(&self) -> usize {
        let words = self.tests.iter().map(|test| test.word).max().max(self.guards.last_word());
        words.map_or(0, |word| word as usize + 1)
    }

    /// Writes machine code for the formulas that will be asked and for effects that depend on them, where that
    /// is possible.
    pub(super) fn assemble(
        &mut self,
        asked: impl IntoIterator<Item = Formula>,
        effects: &[&Effects],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        self.jit = Jit::new(self, asked, effects, meter)?;
        Ok(())
    }

    /// The code, if it has been written.
    pub(super) fn jit(&self) -> Option<&Jit> {
        self.jit.as_ref()
    }

    /// Where the next conjunction will begin.
    fn end(&self) -> Conjunction {
        let parts = self.parts.len() as u32;
        Conjunction { tests: self.tests.len() as u32, parts, guarded: parts, guards: self.guards.end() }
    }

    /// Whether any formula depends on moves.
    pub(super) fn reads_moves(&self) -> bool {
        self.reads_moves
    }

    pub(super) fn memory_usage(&self) -> usize {
        std::mem::size_of_val(&*self.conjunctions)
            + std::mem::size_of_val(&*self.tests)
            + std::mem::size_of_val(&*self.parts)
            + self.guards.memory_usage()
            + self.jit.as_ref().map_or(0, Jit::memory_usage)
    }
}

/// The numbers of the bits of a word.
fn bits(word: u32, mask: u64) -> impl Iterator<Item = u32> {
    let without_lowest = |&mask: &u64| Some(mask & (mask - 1)).filter(|&rest| rest != 0);
    let first = Some(mask).filter(|&mask| mask != 0);
    std::iter::successors(first, without_lowest).map(move |mask| word * 64 + mask.trailing_zeros())
}

/// Formulas, and the row that they are asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub(super) formulas: &'a Formulas,
    pub(super) row: &'a Row,
    /// Another one for each row: even, and never zero.
    pub(super) time: u32,
}

/// What has been found out about formulas.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    memo: Vec<Finding>,
    /// A measure of cost that does not depend on the machine: instructions, roughly, since the beginning.
    work: u64,
}

/// What has been found out about a conjunction. Machine code knows where its fields are.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Finding {
    /// When it was looked at, and in the lowest bit whether it holds.
    time: u32,
    /// The part that failed the last time. In a long disjunction what was true in the last state is likely to be
    /// true in this one.
    decided: u32,
}

/// The work of looking at a conjunction, and for each of its tests: on average half of them are made.
const LOOK: u64 = 8;
const TEST: u64 = 2;

/// In conjunctions of more parts than this the one that decided last is tried first.
pub(super) const LONG: usize = 4;

impl Findings {
    pub(super) fn new(formulas: &Formulas) -> Findings {
        Findings { memo: vec![Finding::default(); formulas.conjunctions.len()], work: 0 }
    }

    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Counts work that others do for a question.
    #[inline]
    pub(super) fn add_work(&mut self, work: u64) {
        self.work += work;
    }

    /// Forgets all times, when they begin again.
    pub(super) fn forget(&mut self) {
        self.memo.iter_mut().for_each(|finding| finding.time = 0);
    }

    /// For code that remembers, too: a finding for each conjunction.
    pub(super) fn memo(&mut self) -> &mut [Finding] {
        &mut self.memo
    }

    /// Whether the formula holds.
    #[inline]
    pub(super) fn holds(&mut self, view: View<'_>, formula: Formula) -> bool {
        let jit = view.formulas.jit.as_ref();
        let found = jit.and_then(|jit| jit.holds(view.row, &mut self.memo, view.time, formula));
        found.unwrap_or_else(|| self.look(view, formula))
    }

    /// Looks whether the formula holds.
    fn look(&mut self, view: View<'_>, formula: Formula) -> bool {
        let number = formula.number();
        let [from, to] = view.formulas.conjunctions[number..number + 2] else { return false };
        let tests = &view.formulas.tests[from.tests as usize..to.tests as usize];
        self.work += LOOK + TEST * tests.len() as u64;
        let value = tests.iter().all(|test| test.holds(view.row))
            && (from.parts == to.parts || self.parts_hold(view, number, from, to));
        value ^ formula.is_inverted()
    }

    fn parts_hold(&mut self, view: View<'_>, number: usize, from: Conjunction, to: Conjunction) -> bool {
        let parts = &view.formulas.parts;
        if to.parts - from.parts == 1 {
            // To remember this would cost more than to ask the only part again, which remembers.
            return self.look(view, parts[from.parts as usize]);
        }
        let Finding { time, decided } = self.memo[number];
        if time & !1 == view.time {
            return time & 1 == 1;
        }
        let long = (to.parts - from.parts) as usize > LONG;
        let mut holds = !long || self.look(view, parts[(from.parts + decided) as usize]);
        if holds {
            let failed = self.failing_part(view, from, to);
            holds = failed.is_none();
            self.memo[number].decided = failed.map_or(0, |part| part - from.parts);
        }
        self.memo[number].time = view.time | u32::from(holds);
        holds
    }

    /// The first part that does not hold.
    fn failing_part(&mut self, view: View<'_>, from: Conjunction, to: Conjunction) -> Option<u32> {
        let parts = &view.formulas.parts;
        let mut fails = |&part: &u32| !self.look(view, parts[part as usize]);
        if let Some(part) = (from.parts..from.guarded).find(&mut fails) {
            return Some(part);
        }
        view.formulas
            .guards
            .open(from.guards..to.guards, view.row)
            .find_map(|mut group| group.find(&mut fails))
    }
}
