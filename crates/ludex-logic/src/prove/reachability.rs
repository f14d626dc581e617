//! Property-directed reachability (IC3): where induction does not decide.
//!
//! Level `i` is a set of clauses that every state reachable in at most `i` moves satisfies. States that break
//! the property are traced back; what cannot be reached is generalised to a clause and added; clauses move up
//! while they can. When two levels are equal they are an invariant; when a trace begins in the initial state it
//! is a counterexample. Complete for finite games, given time.
//!
//! Bradley, *SAT-based model checking without unrolling* (2011); lifting of predecessors by assumptions after
//! Chockler et al. (2011). Legality is a condition on the moves that depends on the state, so it is switched off
//! while a predecessor is lifted and made part of what must follow.

use super::lemma::Lemma;
use super::reference::Line;
use crate::formula::Property;
use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use hashbrown::HashSet;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A partial state: positions in `Reachability::fluents`, ascending, with their values.
type Cube = Vec<(usize, bool)>;

/// What the search found.
#[derive(Debug)]
pub(super) enum Found {
    /// Clauses that hold in every reachable state, are kept by every move, and imply the property.
    Invariant(Vec<Lemma>),
    /// A line of play that breaks the property.
    Counterexample(Line),
}

/// Attempts to drop a literal from a cube; each is a call of the solver.
const MOST_DROPS: usize = 60;

pub(super) struct Reachability<'s> {
    unrolling: Unrolling<'s>,
    property: &'s Property,
    strict: Lit,
    good: Lit,
    /// The fluents that matter, with their literals now and after a move.
    fluents: Vec<FluentId>,
    now: Vec<Lit>,
    next: Vec<Lit>,
    /// The initial state as assumptions.
    initial: Vec<bool>,
    /// The cubes blocked at each level, from 1, and the literal that switches the level on.
    levels: Vec<(Lit, Vec<Cube>)>,
    obligations: Vec<Obligation>,
}

/// A partial state that must not be reached, and how it goes on from there.
struct Obligation {
    cube: Cube,
    then: Then,
}

enum Then {
    /// By this joint move into another obligation.
    Move(Vec<MoveId>, usize),
    /// By these joint moves the property is broken.
    Broken(Vec<Vec<MoveId>>),
}

impl<'s> Reachability<'s> {
    pub(super) fn new(
        system: &'s System,
        property: &'s Property,
        lemmas: &[Lemma],
        budget: &Budget,
    ) -> Reachability<'s> {
        let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
        let strict = unrolling.legality_on_demand();
        for lemma in lemmas {
            let lit = lemma.literal(&mut unrolling, 0);
            unrolling.solver.clause([lit]);
        }
        for time in 0..property.degree.max(1) {
            unrolling.complete(time);
        }
        let good = unrolling.property(0, property);
        // The fluents that something written depends on, until writing their successors brings no more.
        let mut fluents: Vec<FluentId> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            let vocabulary = system.vocabulary();
            let new: Vec<FluentId> = vocabulary
                .fluents()
                .filter(|&fluent| !seen.contains(&fluent) && unrolling.is_written(fluent))
                .collect();
            if new.is_empty() {
                break;
            }
            for &fluent in &new {
                unrolling.fluent(1, fluent);
                seen.insert(fluent);
            }
            fluents.extend(new);
        }
        fluents.sort_unstable();
        let now = fluents.iter().map(|&fluent| unrolling.fluent(0, fluent)).collect();
        let next = fluents.iter().map(|&fluent| unrolling.fluent(1, fluent)).collect();
        let initial = fluents.iter().map(|&fluent| row::holds(system.initial(), fluent)).collect();
        let (levels, obligations) = (Vec::new(), Vec::new());
        Reachability { unrolling, property, strict, good, fluents, now, next, initial, levels, obligations }
    }

    /// Searches until it has an answer or the budget ends. The initial state must have the property.
    pub(super) fn run(mut self) -> Result<Found, Exceeded> {
        loop {
            let level = self.unrolling.solver.fresh();
            self.levels.push((level, Vec::new()));
            let top = self.levels.len();
            while let Some(bad) = self.bad_state(top)? {
                self.obligations.clear();
                self.obligations.push(bad);
                if let Some(line) = self.block(top)? {
                    return Ok(Found::Counterexample(line));
                }
            }
            if let Some(invariant) = self.propagate()? {
                return Ok(Found::Invariant(invariant));
            }
        }
    }

    /// The assumptions that make frame 0 a state of a level; level 0 is the initial state.
    fn level(&self, level: usize) -> Vec<Lit> {
        if level == 0 {
            let signed = |(&lit, &value): (&Lit, &bool)| if value { lit } else { !lit };
            return self.now.iter().zip(&self.initial).map(signed).collect();
        }
        self.levels[level - 1..].iter().map(|(lit, _)| *lit).collect()
    }

    fn signed(list: &[Lit], cube: &Cube) -> Vec<Lit> {
        cube.iter().map(|&(at, value)| if value { list[at] } else { !list[at] }).collect()
    }

    fn is_initial(&self, cube: &Cube) -> bool {
        cube.iter().all(|&(at, value)| self.initial[at] == value)
    }

    fn state(&self) -> Cube {
        self.now.iter().enumerate().map(|(at, &lit)| (at, self.unrolling.solver.value(lit))).collect()
    }

    /// A state of the level that breaks the property.
    fn bad_state(&mut self, level: usize) -> Result<Option<Obligation>, Exceeded> {
        let mut assumptions = self.level(level);
        assumptions.extend([self.strict, !self.good]);
        if self.unrolling.solve(&assumptions)? == Outcome::Unsatisfiable {
            return Ok(None);
        }
        let state = self.state();
        let mut joints = self.unrolling.line();
        joints.truncate(self.property.degree);
        let ends = joints.len() < self.property.degree;
        let mut escapes = vec![self.good];
        for (time, joint) in joints.iter().enumerate() {
            escapes.push(self.unrolling.ended(time));
            self.illegal(time, joint, &mut escapes);
        }
        if ends {
            escapes.push(!self.unrolling.ended(joints.len()));
        }
        let cube = self.lift(state, &joints, &escapes)?;
        Ok(Some(Obligation { cube, then: Then::Broken(joints) }))
    }

    fn illegal(&mut self, time: usize, joint: &[MoveId], escapes: &mut Vec<Lit>) {
        let system = self.unrolling.system();
        for (role, action) in system.vocabulary().roles().zip(joint) {
            let legal = system.net().legal[role.index()][action.index()];
            escapes.push(!self.unrolling.signal(time, legal));
        }
    }

    /// The part of a state that forces what the moves lead to: with it none of the escapes is open.
    fn lift(&mut self, state: Cube, joints: &[Vec<MoveId>], escapes: &[Lit]) -> Result<Cube, Exceeded> {
        let switch = self.unrolling.solver.fresh();
        self.unrolling.solver.clause(escapes.iter().copied().chain([!switch]));
        let mut assumptions = vec![switch];
        for (time, joint) in joints.iter().enumerate() {
            for (role, &action) in self.unrolling.system().vocabulary().roles().zip(joint) {
                assumptions.push(self.unrolling.action(time, role, action));
            }
        }
        assumptions.extend(Self::signed(&self.now, &state));
        let outcome = self.unrolling.solve(&assumptions)?;
        let lifted = match outcome {
            Outcome::Unsatisfiable => {
                let needed = |&(at, _): &(usize, bool)| self.unrolling.solver.is_to_blame(self.now[at]);
                state.into_iter().filter(needed).collect()
            }
            // Only where recursion is not written exactly.
            Outcome::Satisfiable => state,
        };
        self.unrolling.solver.clause([!switch]);
        Ok(lifted)
    }

    /// Blocks the obligation at the bottom of the list, or finds the play that leads to it.
    fn block(&mut self, top: usize) -> Result<Option<Line>, Exceeded> {
        let mut queue = BinaryHeap::from([Reverse((top, 0usize))]);
        while let Some(Reverse((level, number))) = queue.pop() {
            if level == 0 || self.is_initial(&self.obligations[number].cube) {
                return Ok(Some(self.line(number)));
            }
            let cube = self.obligations[number].cube.clone();
            if self.is_blocked(&cube, level) {
                continue;
            }
            match self.unreachable(&cube, level)? {
                Some(smaller) => {
                    let cube = self.generalise(smaller, level)?;
                    let mut at = level;
                    while at < top && self.unreachable(&cube, at + 1)?.is_some() {
                        at += 1;
                    }
                    self.add(cube, at);
                    if at < top {
                        queue.push(Reverse((at + 1, number)));
                    }
                }
                None => {
                    // The model of the question just asked is a predecessor.
                    let state = self.state();
                    let Some(joint) = self.unrolling.joint(0) else { continue };
                    let mut escapes: Vec<Lit> =
                        Self::signed(&self.next, &cube).into_iter().map(|lit| !lit).collect();
                    escapes.push(self.unrolling.ended(0));
                    self.illegal(0, &joint, &mut escapes);
                    let lifted = self.lift(state, std::slice::from_ref(&joint), &escapes)?;
                    self.obligations.push(Obligation { cube: lifted, then: Then::Move(joint, number) });
                    queue.push(Reverse((level - 1, self.obligations.len() - 1)));
                    queue.push(Reverse((level, number)));
                }
            }
        }
        Ok(None)
    }

    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        let inside = |small: &Cube| small.iter().all(|literal| cube.binary_search(literal).is_ok());
        self.levels[level - 1..].iter().any(|(_, cubes)| cubes.iter().any(inside))
    }

    /// Whether no state of the level below, outside the cube, leads into it: then a smaller cube of which the
    /// same holds.
    fn unreachable(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Exceeded> {
        let switch = self.unrolling.solver.fresh();
        let outside = Self::signed(&self.now, cube).into_iter().map(|lit| !lit);
        self.unrolling.solver.clause(outside.chain([!switch]));
        let ended = self.unrolling.ended(0);
        let mut assumptions = self.level(level - 1);
        assumptions.extend([self.strict, switch, !ended]);
        assumptions.extend(Self::signed(&self.next, cube));
        let outcome = self.unrolling.solve(&assumptions)?;
        let result = (outcome == Outcome::Unsatisfiable).then(|| {
            let needed = |&(at, _): &(usize, bool)| self.unrolling.solver.is_to_blame(self.next[at]);
            let mut smaller: Cube = cube.iter().copied().filter(needed).collect();
            // The initial state must stay outside.
            if self.is_initial(&smaller)
                && let Some(&other) = cube.iter().find(|&&(at, value)| self.initial[at] != value)
            {
                smaller.push(other);
                smaller.sort_unstable();
            }
            smaller
        });
        if result.is_some() {
            self.unrolling.solver.clause([!switch]);
        }
        Ok(result)
    }

    /// Drops literals while the cube stays out of reach.
    fn generalise(&mut self, mut cube: Cube, level: usize) -> Result<Cube, Exceeded> {
        let mut attempts = 0;
        let mut at = 0;
        while at < cube.len() && cube.len() > 1 && attempts < MOST_DROPS {
            let mut smaller = cube.clone();
            smaller.remove(at);
            attempts += 1;
            let dropped = if self.is_initial(&smaller) { None } else { self.unreachable(&smaller, level)? };
            match dropped {
                Some(even_smaller) => cube = even_smaller,
                None => at += 1,
            }
        }
        Ok(cube)
    }

    fn add(&mut self, cube: Cube, level: usize) {
        let lit = self.levels[level - 1].0;
        let clause = Self::signed(&self.now, &cube).into_iter().map(|lit| !lit);
        self.unrolling.solver.clause(clause.chain([!lit]));
        for (_, cubes) in &mut self.levels[..level] {
            cubes.retain(|other| !cube.iter().all(|literal| other.binary_search(literal).is_ok()));
        }
        self.levels[level - 1].1.push(cube);
    }

    /// Moves cubes up; if a level loses all of them, those above are an invariant.
    fn propagate(&mut self) -> Result<Option<Vec<Lemma>>, Exceeded> {
        for level in 1..self.levels.len() {
            for cube in std::mem::take(&mut self.levels[level - 1].1) {
                let ended = self.unrolling.ended(0);
                let mut assumptions = self.level(level);
                assumptions.extend([self.strict, !ended]);
                assumptions.extend(Self::signed(&self.next, &cube));
                if self.unrolling.solve(&assumptions)? == Outcome::Unsatisfiable {
                    self.add(cube, level + 1);
                } else {
                    self.levels[level - 1].1.push(cube);
                }
            }
            if self.levels[level - 1].1.is_empty() {
                let cubes = self.levels[level..].iter().flat_map(|(_, cubes)| cubes);
                let clause = |cube: &Cube| {
                    Lemma::Clause(cube.iter().map(|&(at, value)| (self.fluents[at], !value)).collect())
                };
                return Ok(Some(cubes.map(clause).collect()));
            }
        }
        Ok(None)
    }

    /// The play from the initial state through the obligation.
    fn line(&self, mut number: usize) -> Line {
        let mut joints = Vec::new();
        loop {
            match &self.obligations[number].then {
                Then::Move(joint, then) => {
                    joints.push(joint.clone());
                    number = *then;
                }
                Then::Broken(rest) => {
                    let at = joints.len();
                    joints.extend(rest.iter().cloned());
                    return Line { joints, at };
                }
            }
        }
    }
}
