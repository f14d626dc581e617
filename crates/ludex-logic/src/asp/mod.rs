//! The same questions as answer-set programs, after Thielscher and Voigt (2010).
//!
//! [`Programs`] writes the temporal extension of the rules, the encoding of a formula, and the programs of base
//! case and induction step; [`Clingo`] runs a real clingo on them; [`prove`] decides by it. The default
//! procedures ([`crate::prove`]) answer the same questions on the propositional network; this way serves to check
//! them, and to hand a question to other tools.
//!
//! Where it differs from the paper: relations that do not depend on the state carry no time; a state in which a
//! role has no legal move ends a sequence as a terminal one does; the states of the induction step satisfy
//! *lemmas*, groups of fluents of which exactly one holds, and a program of their own proves those. Rules that
//! neither moves nor the formula need are left out.

mod clingo;
mod emit;

pub use clingo::{Clingo, ClingoError, Model};
pub use emit::Programs;

use crate::formula::Property;
use crate::prove::{Answer, Certificate, Lemma, Line, Proof, Prover, Reason, Refutation};
use ludex_engine::budget::Budget;

/// Moves from the initial state up to which counterexamples are sought.
const DEEPEST: usize = 8;

/// Decides a property by clingo: counterexamples from the initial state, deeper and deeper, and one induction
/// step with the lemmas. An answer is as good as clingo; counterexamples are replayed all the same.
pub fn prove(
    prover: &Prover<'_>,
    property: &Property,
    lemmas: &[Lemma],
    clingo: &Clingo,
    budget: &Budget,
) -> Result<Answer, ClingoError> {
    let programs = Programs::new(prover.system(), property, lemmas);
    let mut tried = false;
    for depth in 0..=DEEPEST {
        if let Err(limit) = budget.check() {
            return Ok(Answer::Unknown(Reason::Limit(limit)));
        }
        if let Some(model) = clingo.solve(&programs.base(depth), budget)? {
            let joints = programs.joints(&model);
            return Ok(refuted(prover, property, Line { joints, at: depth }, budget));
        }
        if !std::mem::replace(&mut tried, true) {
            let lemmas_hold = match programs.lemma_step() {
                Some(text) => clingo.solve(&text, budget)?.is_none(),
                None => true,
            };
            if lemmas_hold && clingo.solve(&programs.step(), budget)?.is_none() {
                let certificate = Certificate { lemmas: lemmas.to_vec(), depth: 1 };
                return Ok(Answer::Holds(Proof::Induction(certificate)));
            }
        }
    }
    Ok(Answer::Unknown(Reason::NothingFound(
        "the induction step fails, and no counterexample lies within the moves that were looked at",
    )))
}

fn refuted(prover: &Prover<'_>, property: &Property, line: Line, budget: &Budget) -> Answer {
    match prover.reference(budget) {
        Ok(reference) if reference.replay(property, &line).is_some() => Answer::Fails(Refutation::Line(line)),
        Ok(_) => Answer::Unknown(Reason::NotReplayed),
        Err(why) => Answer::Unknown(why),
    }
}
