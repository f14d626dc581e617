//! What an OR node has been asked and has answered since the last state update.
//!
//! Each question has a number, and the answers of a question form a chain. So once a row knows the number of
//! its question, merging is following a chain: nothing is searched or compared. A node that is asked again
//! proves only the questions that are new; that is how identical conditions share results.

use super::cell::{Cell, value};
use super::lookup::{Key, KeySpace, Numbering, hash};
use super::node::{And, Duplicates, Or};

pub(super) const NONE: u32 = u32::MAX;

/// The questions and answers of one node.
#[derive(Clone, Debug)]
pub(super) struct Answers<C> {
    pub(super) questions: Numbering<C>,
    /// How many questions have been taken up.
    pub(super) taken: u32,
    /// The newest answer to each question.
    newest: Vec<u32>,
    width: usize,
    count: u32,
    cells: Vec<C>,
    /// For each answer its question, and the next older answer to it.
    links: Vec<(u32, u32)>,
    /// Generation and number of the answers, by hash or by value.
    slots: Vec<(u32, u32)>,
    generation: u32,
    /// Questions and answers in all states together: what the order of conditions is judged by.
    asked_ever: u64,
    answered_ever: u64,
}

impl<C: Cell> Answers<C> {
    pub(super) fn new(or: &Or) -> Answers<C> {
        let slots = match &or.duplicates {
            Duplicates::Checked(KeySpace::Direct { slots, .. }) => *slots,
            Duplicates::Impossible => 0,
            _ => 16,
        };
        Answers {
            questions: Numbering::new(&or.space, or.inputs),
            taken: 0,
            newest: Vec::new(),
            width: or.outputs,
            count: 0,
            cells: Vec::new(),
            links: Vec::new(),
            slots: vec![(0, 0); slots],
            generation: 1,
            asked_ever: 0,
            answered_ever: 0,
        }
    }

    pub(super) fn forget(&mut self) {
        self.asked_ever += u64::from(self.questions.len());
        self.answered_ever += u64::from(self.count);
        self.questions.forget();
        self.taken = 0;
        self.newest.clear();
        self.count = 0;
        self.cells.clear();
        self.links.clear();
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill((0, 0));
            self.generation = 1;
        }
    }

    /// Questions and answers in all states together.
    pub(super) fn counts(&self) -> (u64, u64) {
        let (asked, answered) = (self.questions.len(), self.count);
        (self.asked_ever + u64::from(asked), self.answered_ever + u64::from(answered))
    }

    /// Makes room for the answers of all questions.
    #[inline]
    pub(super) fn open_questions(&mut self) {
        self.newest.resize(self.questions.len() as usize, NONE);
    }

    pub(super) fn len(&self) -> u32 {
        self.count
    }

    #[inline]
    pub(super) fn holds(&self, question: u32) -> bool {
        self.newest[question as usize] != NONE
    }

    #[inline]
    pub(super) fn newest(&self, question: u32) -> u32 {
        self.newest[question as usize]
    }

    #[inline]
    pub(super) fn older(&self, answer: u32) -> u32 {
        self.links[answer as usize].1
    }

    pub(super) fn question_of(&self, answer: u32) -> u32 {
        self.links[answer as usize].0
    }

    #[inline]
    pub(super) fn answer(&self, answer: u32) -> &[C] {
        let at = answer as usize * self.width;
        &self.cells[at..at + self.width]
    }

    /// All answers, in the order in which they were found.
    pub(super) fn all(&self) -> impl Iterator<Item = &[C]> {
        (0..self.count).map(|answer| self.answer(answer))
    }

    /// Adds the answer that a row of the rule gives, unless it is there.
    #[inline]
    pub(super) fn add(&mut self, or: &Or, and: &And, question: u32, row: &[C]) {
        if self.width == 0 {
            if self.newest[question as usize] == NONE {
                self.link(question);
            }
            return;
        }
        let answer = and.answer.iter().map(|&source| value(row, source));
        match (&or.duplicates, &and.place) {
            (Duplicates::Impossible, _) => {}
            (Duplicates::Checked(_), Key::Direct { base, parts }) => {
                // All values are those of the column, so there is a slot.
                if let Some(slot) = self.slots.get_mut(Key::slot(*base, parts, row)) {
                    if slot.0 == self.generation {
                        return;
                    }
                    slot.0 = self.generation;
                }
            }
            _ => {
                let Some(slot) = self.free_slot(question, answer.clone()) else { return };
                self.slots[slot] = (self.generation, self.count);
            }
        }
        self.cells.extend(answer);
        self.link(question);
    }

    #[inline]
    fn link(&mut self, question: u32) {
        let newest = &mut self.newest[question as usize];
        self.links.push((question, *newest));
        *newest = self.count;
        self.count += 1;
    }

    /// Where a new answer is to be noted; `None` if it is there.
    #[allow(clippy::needless_pass_by_value, reason = "iterators are cheap to copy and awkward to borrow")]
    fn free_slot(&mut self, question: u32, answer: impl Iterator<Item = C> + Clone) -> Option<usize> {
        if self.count as usize * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = place(question, answer.clone()) & mask;
        loop {
            let (generation, number) = self.slots[slot];
            if generation != self.generation {
                return Some(slot);
            }
            if self.links[number as usize].0 == question
                && self.answer(number).iter().copied().eq(answer.clone())
            {
                return None;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(16);
        self.slots.clear();
        self.slots.resize(size, (0, 0));
        for number in 0..self.count {
            let question = self.links[number as usize].0;
            let mut slot = place(question, self.answer(number).iter().copied()) & (size - 1);
            while self.slots[slot].0 == self.generation {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = (self.generation, number);
        }
    }
}

fn place<C: Cell>(question: u32, answer: impl Iterator<Item = C>) -> usize {
    (hash(answer) ^ u64::from(question).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize
}
