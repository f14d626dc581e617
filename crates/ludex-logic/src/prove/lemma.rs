//! Statements about single states, the building blocks of invariants.

use crate::solver::Lit;
use crate::unroll::Unrolling;
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::{FluentId, Vocabulary};

/// A statement about the fluents of one state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lemma {
    /// At most one of the fluents holds.
    AtMostOne(Vec<FluentId>),
    /// Exactly one of the fluents holds.
    ExactlyOne(Vec<FluentId>),
    /// One of the fluents has its value.
    Clause(Vec<(FluentId, bool)>),
}

impl Lemma {
    /// True if the state satisfies it.
    pub fn holds(&self, state: &Row) -> bool {
        let count = |fluents: &[FluentId]| fluents.iter().filter(|&&f| row::holds(state, f)).count();
        match self {
            Lemma::AtMostOne(fluents) => count(fluents) <= 1,
            Lemma::ExactlyOne(fluents) => count(fluents) == 1,
            Lemma::Clause(literals) => {
                literals.iter().any(|&(fluent, value)| row::holds(state, fluent) == value)
            }
        }
    }

    /// The literal that says that a frame satisfies it.
    pub fn literal(&self, unrolling: &mut Unrolling<'_>, time: usize) -> Lit {
        match self {
            Lemma::AtMostOne(fluents) => {
                let list: Vec<Lit> = fluents.iter().map(|&f| unrolling.fluent(time, f)).collect();
                !unrolling.solver.at_least(list, 2)[1]
            }
            Lemma::ExactlyOne(fluents) => {
                let list: Vec<Lit> = fluents.iter().map(|&f| unrolling.fluent(time, f)).collect();
                let counts = unrolling.solver.at_least(list, 2);
                unrolling.solver.and(counts[0], !counts[1])
            }
            Lemma::Clause(literals) => {
                let list: Vec<Lit> = literals
                    .iter()
                    .map(|&(fluent, value)| {
                        let lit = unrolling.fluent(time, fluent);
                        if value { lit } else { !lit }
                    })
                    .collect();
                unrolling.solver.or_all(list)
            }
        }
    }

    /// The lemma in words.
    pub fn show(&self, vocabulary: &Vocabulary) -> String {
        let list = |fluents: &[FluentId]| {
            let names: Vec<String> = fluents.iter().map(|&f| vocabulary.show_fluent(f)).collect();
            names.join(", ")
        };
        match self {
            Lemma::AtMostOne(fluents) => format!("at most one of {}", list(fluents)),
            Lemma::ExactlyOne(fluents) => format!("exactly one of {}", list(fluents)),
            Lemma::Clause(literals) => {
                let parts: Vec<String> = literals
                    .iter()
                    .map(|&(fluent, value)| {
                        let name = vocabulary.show_fluent(fluent);
                        if value { name } else { format!("not {name}") }
                    })
                    .collect();
                parts.join(" or ")
            }
        }
    }
}
