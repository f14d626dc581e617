//! Every reachable state, where they are few enough to visit: what holds of them is read off.
//!
//! What the visit says that fails comes with the line of play that leads there, so that the reference can replay it.
//! What it says that holds rests on the network and on nothing else, as the exhaustive solver does
//! ([`crate::endgame::solve`]), whose visit this is.

use super::Prover;
use super::reference::Line;
use crate::endgame::solve::{Options, Reached, Space, explore};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::perft::each_joint_move;
use ludex_engine::propnet::Propnet;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// Transitions for each state that may be visited: more are met where moves are simultaneous.
const TRANSITIONS: usize = 40;

/// All reachable states.
pub(super) struct Visit<'p> {
    engine: &'p Propnet,
    space: Space,
    /// The state from which each was found first; the initial one has itself.
    parents: Vec<u32>,
}

impl Prover<'_> {
    /// Visits all states, if they are not more than that and the budget allows it.
    pub(super) fn visit(&self, states: usize, budget: &Budget) -> Option<Visit<'_>> {
        let engine = self.engine(budget).ok()?;
        let options =
            Options { states, transitions: states.saturating_mul(TRANSITIONS), ..Options::default() };
        let space = explore(engine, &options, budget, &Reached::default()).ok()?;
        let mut parents = vec![u32::MAX; space.len()];
        parents[0] = 0;
        // States are numbered breadth first, so the first that leads to one is on a shortest way.
        for at in 0..space.len() {
            for &next in space.successors(at) {
                let parent = &mut parents[next as usize];
                *parent = (*parent).min(at as u32);
            }
        }
        parents[0] = 0;
        Some(Visit { engine, space, parents })
    }
}

impl Visit<'_> {
    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.space.len()
    }

    /// The first state, by moves from the initial one, in which a role is without a move before the end.
    pub(super) fn stuck(&self) -> Option<Line> {
        let stuck = |&at: &usize| !self.space.is_end(at) && self.space.move_counts(at).contains(&0);
        (0..self.len()).find(stuck).and_then(|at| self.line(at))
    }

    /// The first end in which a role has no single goal value.
    pub(super) fn without_goal(&self) -> Option<Line> {
        let roles = self.engine.vocabulary().role_count();
        let lacks =
            |&at: &usize| self.space.is_end(at) && (0..roles).any(|r| self.space.goal(at, r).is_none());
        (0..self.len()).find(lacks).and_then(|at| self.line(at))
    }

    /// The greatest goal of a role in any end, and the way to the nearest.
    pub(super) fn best(&self, role: RoleId) -> Option<(Goal, Line)> {
        let goals = (0..self.len()).filter_map(|at| Some((self.space.goal(at, role.index())?, at)));
        let (goal, at) = goals.max_by_key(|&(goal, at)| (goal, std::cmp::Reverse(at)))?;
        Some((goal, self.line(at)?))
    }

    /// The joint moves of the longest match, or a way to a state that comes back.
    pub(super) fn longest(&self) -> Result<usize, Option<Line>> {
        let mut open: Vec<u32> = vec![0; self.len()];
        for at in 0..self.len() {
            self.space.successors(at).iter().for_each(|&next| open[next as usize] += 1);
        }
        // What nothing leads to any more comes next in an order of all states, if there is one.
        let mut ready: Vec<u32> = (0..self.len() as u32).filter(|&at| open[at as usize] == 0).collect();
        let mut longest = vec![0u32; self.len()];
        let mut done = 0;
        while let Some(at) = ready.pop() {
            done += 1;
            for &next in self.space.successors(at as usize) {
                longest[next as usize] = longest[next as usize].max(longest[at as usize] + 1);
                open[next as usize] -= 1;
                if open[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        if done == self.len() {
            return Ok(longest.into_iter().max().unwrap_or(0) as usize);
        }
        Err(self.cycle(&open))
    }

    /// A way to a cycle and once around it. States that something leads to still, after all that comes before every cycle
    /// was taken away, lie on cycles or behind them.
    fn cycle(&self, open: &[u32]) -> Option<Line> {
        // From the other side, so that only cycles and what lies between them remain.
        let inside: Vec<usize> = (0..self.len()).filter(|&at| open[at] > 0).collect();
        let mut leads: Vec<u32> = vec![0; self.len()];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for &at in &inside {
            for &next in self.space.successors(at) {
                if open[next as usize] > 0 {
                    leads[at] += 1;
                    before[next as usize].push(at as u32);
                }
            }
        }
        let mut dropped: Vec<usize> = inside.iter().copied().filter(|&at| leads[at] == 0).collect();
        while let Some(at) = dropped.pop() {
            for &earlier in &before[at] {
                leads[earlier as usize] -= 1;
                if leads[earlier as usize] == 0 {
                    dropped.push(earlier as usize);
                }
            }
        }
        let first = inside.into_iter().find(|&at| leads[at] > 0)?;
        let mut line = self.line(first)?;
        let mut seen = vec![u32::MAX; self.len()];
        let (mut at, begin) = (first, line.joints.len() as u32);
        seen[at] = begin;
        loop {
            let next = *self.space.successors(at).iter().find(|&&next| leads[next as usize] > 0)? as usize;
            line.joints.push(self.joint(at, next)?);
            if seen[next] != u32::MAX {
                line.at = seen[next] as usize;
                return Some(line);
            }
            seen[next] = line.joints.len() as u32;
            at = next;
        }
    }

    /// A shortest way to a state.
    fn line(&self, state: usize) -> Option<Line> {
        let mut joints = Vec::new();
        let mut at = state;
        while at != 0 {
            let parent = self.parents[at] as usize;
            joints.push(self.joint(parent, at)?);
            at = parent;
        }
        joints.reverse();
        Some(Line { at: joints.len(), joints })
    }

    /// A joint move from one state to the other.
    fn joint(&self, from: usize, to: usize) -> Option<Vec<MoveId>> {
        let mut worker = self.engine.worker();
        let state = &self.space.state(from)[..self.engine.vocabulary().words()];
        let mut legal = vec![Vec::new(); self.engine.vocabulary().role_count()];
        for (role, list) in self.engine.vocabulary().roles().zip(&mut legal) {
            worker.legal(state, role, list).ok()?;
        }
        let wanted = self.space.successors(from).iter().position(|&next| next as usize == to)?;
        let (mut number, mut found, mut joint) = (0, None, Vec::new());
        // Stopping is no error here, but the only way to stop.
        let _ = each_joint_move(&legal, &mut joint, &mut |joint| {
            if number == wanted {
                found = Some(joint.to_vec());
                return Err(());
            }
            number += 1;
            Ok(())
        });
        found
    }
}
