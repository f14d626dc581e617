//! What each move does.
//!
//! For most board games a move does the same few things whenever it is legal: it fills a cell, empties
//! another, passes the turn. So for every move of every role the network is specialised to that move being
//! made, and what remains is written down fluent by fluent: bits that the move sets and clears whatever the
//! state (one mask a word), and bits that flip under a condition on the state (`formula.rs`), which is all
//! that has to be computed to make the move. Fluents that a move does not touch cost nothing: the frame
//! problem at the level of bits. Where conditions are many, each is found by its *guard*, a bit that must be
//! on for it to hold: of the hundred cells that a pacman could enter from, only the one he is in is looked at.
//!
//! The lists grow with moves times what each touches. Where that is too much, cut_points (`cut_points.rs`)
//! can help; where conditions are many and seldom true, following changes (`tracker.rs`) serves better. How
//! the lists come about is in `effects/draft.rs`.

mod draft;

pub(super) use draft::Draft;

use super::formula::{Findings, Formula, Formulas, Test, View};
use super::guards::Guards;
use crate::row::Row;
use crate::vocabulary::MoveId;
use std::ops::Range;

/// The list of a move that can never be legal.
const NO_LIST: u32 = u32::MAX;

/// Where the parts of a list begin; they end where those of the next one begin.
#[derive(Clone, Copy, Debug)]
struct Start {
    patches: u32,
    conditions: u32,
    /// The first condition that has a guard.
    guarded: u32,
    guards: u32,
}

/// The effects of a move, or of whatever is done.
#[derive(Clone, Debug)]
pub(super) struct List<'e> {
    /// Bits that get a value whatever the state.
    pub(super) patches: &'e [Test],
    /// The conditions that have no guard.
    pub(super) plain: Range<u32>,
    /// The guards of the others.
    pub(super) guards: Range<u32>,
}

/// Fewer conditions than this are looked at one by one.
const LEAST_GUARDED: usize = 4;

/// What each move does.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    /// For each role and move its list.
    lists: Vec<Vec<u32>>,
    /// The list of what happens whatever the moves are.
    common: usize,
    /// The number that the first list has among all that there is machine code for.
    code: usize,
    /// The roles whose moves do something.
    acting: Vec<usize>,
    starts: Vec<Start>,
    /// Bits that get a value whatever the state.
    patches: Vec<Test>,
    /// Conditions, and where the bits begin that flip if they hold. Of each list first those that have no
    /// guard, then the others in the order of their guards.
    conditions: Vec<(Formula, u32)>,
    /// The bits of a word.
    flips: Vec<(u32, u64)>,
    guards: Guards,
}

impl Effects {
    fn end(&self) -> Start {
        Start {
            patches: self.patches.len() as u32,
            conditions: self.conditions.len() as u32,
            guarded: self.conditions.len() as u32,
            guards: self.guards.end(),
        }
    }

    /// Adds a list: the bits that get a value, and the conditions, each with its guard and the bits that flip.
    fn add_list(&mut self, patches: Vec<Test>, mut groups: Vec<(Option<u32>, Formula, Vec<Test>)>) {
        if groups.iter().filter(|group| group.0.is_some()).count() < LEAST_GUARDED {
            groups.iter_mut().for_each(|group| group.0 = None);
        }
        groups.sort_by_key(|group| group.0);
        let unguarded = groups.iter().take_while(|group| group.0.is_none()).count();
        let guarded = (self.conditions.len() + unguarded) as u32;
        self.starts.push(Start { guarded, ..self.end() });
        self.patches.extend(patches);
        self.guards.add(guarded, groups.iter().filter_map(|group| group.0));
        for (_, formula, flips) in groups {
            self.conditions.push((formula, self.flips.len() as u32));
            self.flips.extend(flips.into_iter().map(|bits| (bits.word, bits.mask)));
        }
    }

    /// True if the effects of all the moves are known. A move that can never be legal has none.
    #[inline]
    pub(super) fn know(&self, joint: &[MoveId]) -> bool {
        self.lists.iter().zip(joint).all(|(lists, action)| lists[action.index()] != NO_LIST)
    }

    /// How many lists there are.
    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// A list.
    pub(super) fn list(&self, list: usize) -> List<'_> {
        let (from, to) = (self.starts[list], self.starts[list + 1]);
        List {
            patches: &self.patches[from.patches as usize..to.patches as usize],
            plain: from.conditions..from.guarded,
            guards: from.guards..to.guards,
        }
    }

    /// What [`List::guards`] are guards of.
    pub(super) fn guards(&self) -> &Guards {
        &self.guards
    }

    /// A condition, and the bits that flip if it holds.
    pub(super) fn condition(&self, at: u32) -> (Formula, &[(u32, u64)]) {
        let (formula, first) = self.conditions[at as usize];
        (formula, &self.flips[first as usize..self.conditions[at as usize + 1].1 as usize])
    }

    /// The conditions of all lists.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Formula> {
        self.conditions.iter().map(|(formula, _)| *formula)
    }

    /// How many words of the row, and of the flips, are touched, conditions left out.
    pub(super) fn words(&self) -> usize {
        let patches = self.patches.iter().map(|patch| patch.word);
        let words = patches.chain(self.flips.iter().map(|(word, _)| *word)).chain(self.guards.last_word());
        words.max().map_or(0, |word| word as usize + 1)
    }

    /// The list of what happens whatever the moves are.
    pub(super) fn common(&self) -> usize {
        self.common
    }

    /// Whether anything happens whatever the moves are.
    pub(super) fn acts_by_itself(&self) -> bool {
        let List { patches, plain, guards } = self.list(self.common);
        !(patches.is_empty() && plain.is_empty() && guards.is_empty())
    }

    /// The role whose moves do something, if there is just one.
    #[inline]
    pub(super) fn sole_actor(&self) -> Option<usize> {
        if let [role] = self.acting[..] { Some(role) } else { None }
    }

    /// The words in which bits flip under conditions of the list, or by themselves.
    pub(super) fn marked_words(&self, list: usize) -> Vec<u32> {
        let conditions = |list: usize| {
            let (from, to) =
                (self.starts[list].conditions as usize, self.starts[list + 1].conditions as usize);
            self.flips[self.conditions[from].1 as usize..self.conditions[to].1 as usize].iter()
        };
        let by_itself = self.list(self.common).patches.iter().map(|patch| patch.word);
        let flips = conditions(list).chain(conditions(self.common)).map(|(word, _)| *word);
        let mut words: Vec<u32> = flips.chain(by_itself).collect();
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Makes the moves. The row holds the state, and the moves too if the formulas read moves; `flips` is all
    /// zero before and after.
    #[inline]
    pub(super) fn make(
        &self,
        joint: &[MoveId],
        formulas: &Formulas,
        row: &mut Row,
        time: u32,
        findings: &mut Findings,
        flips: &mut [u64],
    ) {
        let list = |role: usize| self.code + self.lists[role][joint[role].index()] as usize;
        if let Some(jit) = formulas.jit() {
            if let Some(role) = self.sole_actor() {
                jit.act(list(role), row, findings.memo(), time, flips);
                return;
            }
            for &role in &self.acting {
                jit.act(list(role), row, findings.memo(), time, flips);
            }
            jit.act(self.code + self.common, row, findings.memo(), time, flips);
        } else {
            self.collect(joint, View { formulas, row, time }, findings, flips);
        }
        for (word, flips) in row.iter_mut().zip(flips) {
            *word ^= std::mem::take(flips);
        }
    }

    /// Marks in `flips`, all zero before, the bits of the state that change when the moves are made. The row
    /// of the view holds the state, and the moves too if the formulas read moves.
    #[inline]
    pub(super) fn collect(
        &self,
        joint: &[MoveId],
        view: View<'_>,
        findings: &mut Findings,
        flips: &mut [u64],
    ) {
        // Two lists may touch one fluent; both know its next value, so marking it twice does no harm.
        for &role in &self.acting {
            let list = self.lists[role][joint[role].index()] as usize;
            self.collect_list(list, view, findings, flips);
        }
        self.collect_list(self.common, view, findings, flips);
    }

    #[inline]
    fn collect_list(&self, list: usize, view: View<'_>, findings: &mut Findings, flips: &mut [u64]) {
        let List { patches, plain, guards } = self.list(list);
        for patch in patches {
            let word = patch.word as usize;
            flips[word] |= view.row[word] & patch.mask ^ patch.want;
        }
        self.look(plain, view, findings, flips);
        if !guards.is_empty() {
            for group in self.guards.open(guards, view.row) {
                self.look(group, view, findings, flips);
            }
        }
    }

    #[inline]
    fn look(&self, conditions: Range<u32>, view: View<'_>, findings: &mut Findings, flips: &mut [u64]) {
        for at in conditions {
            let (condition, bits) = self.condition(at);
            if findings.holds(view, condition) {
                for &(word, mask) in bits {
                    flips[word as usize] |= mask;
                }
            }
        }
    }

    pub(super) fn memory_usage(&self) -> usize {
        std::mem::size_of_val(&*self.patches)
            + std::mem::size_of_val(&*self.conditions)
            + std::mem::size_of_val(&*self.flips)
            + self.guards.memory_usage()
            + self.lists.iter().map(|list| std::mem::size_of_val(&**list)).sum::<usize>()
    }
}
