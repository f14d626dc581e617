//! The legal moves of a role, asked for one by one.
//!
//! A random playout needs one legal move, not all of them. A move drawn at random from those that can be legal
//! is tried; if it is not legal, another is drawn. The one that is accepted is equally likely to be any of the
//! legal ones, and most of what is legal is never computed. Where few of the moves can be legal in one state,
//! they are grouped by a fluent that must hold (the piece that moves), and drawn from the groups of those
//! fluents that do hold.

use super::formula::{Findings, Formula, Formulas, Layout, View};
use super::guards::Guards;
use crate::random::Random;
use crate::vocabulary::MoveId;

/// The moves of a role that can be legal.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// Each with its condition; those of a group together, and ascending.
    moves: Vec<(MoveId, Formula)>,
    /// The first moves, which belong to no group.
    ungrouped: u32,
    /// The guards of the others.
    guards: Guards,
}

/// Fewer moves are not grouped.
const LEAST_GROUPED: usize = 16;

/// Groups are made if on average no more than this share of the moves is in groups that are open.
const MOST_OPEN: f32 = 0.4;

/// The work of finding an open group.
const GROUP: u64 = 12;

/// Memory for choosing.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The parts of the list of moves to choose from: how many moves come before, and where it begins.
    open: Vec<(u32, u32)>,
    legal: Vec<MoveId>,
}

impl Choices {
    /// The choice between moves, numbered from zero, each with its condition.
    pub(super) fn new(
        conditions: impl IntoIterator<Item = Formula>,
        formulas: &Formulas,
        layout: &Layout,
    ) -> Choices {
        let moves = (0..).map(MoveId).zip(conditions).filter(|(_, formula)| *formula != Formula::NEVER);
        let moves: Vec<(MoveId, Formula)> = moves.collect();
        let plain = Choices { ungrouped: moves.len() as u32, moves, guards: Guards::default() };
        let guards: Vec<Option<u32>> = plain.moves.iter().map(|(_, f)| formulas.guard(*f, layout)).collect();
        let open: f32 = guards.iter().map(|guard| guard.map_or(1.0, |bit| layout.odds(bit))).sum();
        if guards.len() < LEAST_GROUPED || open > MOST_OPEN * guards.len() as f32 {
            return plain;
        }
        plain.grouped(&guards)
    }

    fn grouped(self, guards: &[Option<u32>]) -> Choices {
        let mut order: Vec<(Option<u32>, (MoveId, Formula))> =
            guards.iter().copied().zip(self.moves).collect();
        order.sort_by_key(|&(guard, (action, _))| (guard, action));
        let ungrouped = order.iter().take_while(|(guard, _)| guard.is_none()).count() as u32;
        let mut guards = Guards::default();
        guards.add(ungrouped, order.iter().filter_map(|(guard, _)| *guard));
        Choices { moves: order.into_iter().map(|(_, action)| action).collect(), ungrouped, guards }
    }

    /// The conditions of the moves.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Formula> {
        self.moves.iter().map(|(_, formula)| *formula)
    }

    /// Finds the moves whose group is open. Returns how many they are.
    #[inline]
    fn open(&self, view: View<'_>, findings: &mut Findings, open: &mut Vec<(u32, u32)>) -> u32 {
        open.clear();
        open.push((0, 0));
        let mut count = self.ungrouped;
        for group in self.guards.open(0..self.guards.end(), view.row) {
            open.push((count, group.start));
            count += group.end - group.start;
        }
        findings.add_work(GROUP * open.len() as u64);
        count
    }

    /// Replaces `out` by all that are legal, ascending.
    pub(super) fn list(
        &self,
        view: View<'_>,
        findings: &mut Findings,
        scratch: &mut Scratch,
        out: &mut Vec<MoveId>,
    ) {
        out.clear();
        let count = self.open(view, findings, &mut scratch.open);
        for (at, &(before, start)) in scratch.open.iter().enumerate() {
            let length = scratch.open.get(at + 1).map_or(count, |next| next.0) - before;
            let moves = &self.moves[start as usize..(start + length) as usize];
            out.extend(moves.iter().filter(|(_, formula)| findings.holds(view, *formula)).map(|(m, _)| *m));
        }
        if scratch.open.len() > 1 {
            out.sort_unstable();
        }
    }

    /// One of those that are legal, each equally likely.
    #[inline]
    pub(super) fn pick(
        &self,
        view: View<'_>,
        findings: &mut Findings,
        random: &mut Random,
        scratch: &mut Scratch,
    ) -> Option<MoveId> {
        if let [(action, formula)] = self.moves[..] {
            return (formula == Formula::ALWAYS || findings.holds(view, formula)).then_some(action);
        }
        if self.guards.is_empty() {
            for _ in 0..self.moves.len() {
                let (action, formula) = self.moves[random.below(self.moves.len())];
                if findings.holds(view, formula) {
                    return Some(action);
                }
            }
            return self.pick_from_all(view, findings, random, scratch);
        }
        let count = self.open(view, findings, &mut scratch.open);
        for _ in 0..count {
            let drawn = random.below(count as usize) as u32;
            let part = scratch.open.iter().rev().find(|(before, _)| *before <= drawn);
            let at = part.map_or(drawn, |(before, start)| start + drawn - before);
            let (action, formula) = self.moves[at as usize];
            if findings.holds(view, formula) {
                return Some(action);
            }
        }
        self.pick_from_all(view, findings, random, scratch)
    }

    /// The same by making the list: for when as many draws have failed as there are moves. The chance of any
    /// that is legal is the same whenever that happens.
    #[cold]
    fn pick_from_all(
        &self,
        view: View<'_>,
        findings: &mut Findings,
        random: &mut Random,
        scratch: &mut Scratch,
    ) -> Option<MoveId> {
        let mut legal = std::mem::take(&mut scratch.legal);
        self.list(view, findings, scratch, &mut legal);
        let choice = if legal.is_empty() { None } else { Some(legal[random.below(legal.len())]) };
        scratch.legal = legal;
        choice
    }
}
