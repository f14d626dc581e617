//! k-induction: base case and induction step, over one state or several in a row.

use super::lemma::Lemma;
use super::reference::Line;
use crate::formula::Property;
use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use ludex_engine::budget::{Budget, Exceeded};

/// Play from the initial state, looked at deeper and deeper.
#[derive(Debug)]
pub(super) struct Base<'s> {
    unrolling: Unrolling<'s>,
    property: &'s Property,
}

impl<'s> Base<'s> {
    pub(super) fn new(system: &'s System, property: &'s Property, budget: &Budget) -> Base<'s> {
        let unrolling = Unrolling::new(system, Start::State(system.initial()), budget);
        Base { unrolling, property }
    }

    /// A line of play that breaks the property after `depth` moves, if there is one.
    pub(super) fn counterexample(&mut self, depth: usize) -> Result<Option<Line>, Exceeded> {
        let (unrolling, property) = (&mut self.unrolling, self.property);
        let mut assumptions = Vec::new();
        for time in 0..depth + property.degree {
            unrolling.complete(time);
            if time < depth {
                assumptions.push(!unrolling.ended(time));
            }
        }
        assumptions.push(!unrolling.property(depth, property));
        Ok(match unrolling.solve(&assumptions)? {
            Outcome::Unsatisfiable => None,
            Outcome::Satisfiable => {
                let mut joints = unrolling.line();
                joints.truncate(depth + property.degree);
                Some(Line { joints, at: depth })
            }
        })
    }
}

/// States in a row from anywhere, all but the last with the property.
#[derive(Debug)]
pub(super) struct Step<'s> {
    unrolling: Unrolling<'s>,
    property: &'s Property,
    lemmas: &'s [Lemma],
    /// The frames that the lemmas are asserted of, and how many have the property asserted.
    known: usize,
    /// The property at the last frame.
    last: Lit,
}

impl<'s> Step<'s> {
    pub(super) fn new(
        system: &'s System,
        property: &'s Property,
        lemmas: &'s [Lemma],
        budget: &Budget,
    ) -> Step<'s> {
        let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
        let last = unrolling.property(0, property);
        let mut step = Step { unrolling, property, lemmas: &[], known: 0, last };
        step.assume(lemmas);
        step
    }

    /// Asserts lemmas of all states, in place of none.
    pub(super) fn assume(&mut self, lemmas: &'s [Lemma]) {
        self.lemmas = lemmas;
        for time in 0..=self.known {
            for lemma in lemmas {
                let lit = lemma.literal(&mut self.unrolling, time);
                self.unrolling.solver.clause([lit]);
            }
        }
    }

    /// How many states with the property come before the last.
    pub(super) fn depth(&self) -> usize {
        self.known
    }

    /// Adds a state.
    pub(super) fn deepen(&mut self) {
        let unrolling = &mut self.unrolling;
        unrolling.solver.clause([self.last]);
        unrolling.go_on(self.known);
        self.known += 1;
        for lemma in self.lemmas {
            let lit = lemma.literal(unrolling, self.known);
            unrolling.solver.clause([lit]);
        }
        self.last = unrolling.property(self.known, self.property);
    }

    /// True if the last state must have the property by what it depends on alone, which is little where it is
    /// local.
    pub(super) fn is_proved_locally(&mut self) -> Result<bool, Exceeded> {
        Ok(self.unrolling.solve(&[!self.last])? == Outcome::Unsatisfiable)
    }

    /// True if the last state must have the property, by everything that legal moves imply.
    pub(super) fn is_proved(&mut self) -> Result<bool, Exceeded> {
        for time in 0..self.known + self.property.degree {
            self.unrolling.complete(time);
        }
        self.is_proved_locally()
    }
}

/// True if a move keeps the property, by the lemmas and what little moves demand at first sight. Each part of
/// the property is a question of its own: in a game like chess the legality of moves is nearly all of the
/// rules, and the square that a part is about depends on little of the rest.
pub(super) fn is_kept_at_first_sight(
    system: &System,
    property: &Property,
    lemmas: &[Lemma],
    budget: &Budget,
) -> Result<bool, Exceeded> {
    for part in 0..property.parts() {
        let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
        unrolling.light();
        let before = unrolling.property(0, property);
        unrolling.solver.clause([before]);
        unrolling.go_on(0);
        for time in 0..2 {
            for lemma in lemmas {
                let lit = lemma.literal(&mut unrolling, time);
                unrolling.solver.clause([lit]);
            }
        }
        let after = unrolling.part(1, property, part);
        (0..=property.degree).for_each(|time| unrolling.complete_lightly(time));
        if unrolling.solve(&[!after])? == Outcome::Satisfiable {
            return Ok(false);
        }
    }
    Ok(true)
}
