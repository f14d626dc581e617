//! A measure that every move lowers: fluents have weights, and what the fluents of a state weigh together goes
//! down with every joint move, whatever the state. Pawns that only go forward are such a measure, each the heavier the
//! more of its way lies ahead.
//!
//! Weights are guessed from random play, by a perceptron: whatever move did not lower the sum adds to the
//! weights of what it took away and takes from those of what it brought. Fluents that differ in one argument
//! only (the file of a pawn) share a weight, or those that play did not show would have none. The proof is
//! the checker's ([`check_measure`]): one small question for each joint move. What it cannot find: measures
//! that go down only every few moves, and those that are no sum.

use super::certificate::{Flaw, check_measure};
use super::termination::{Ranking, RankingKind};
use super::{Certificate, Prover};
use hashbrown::HashMap;
use ludex_engine::budget::Budget;
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::FluentId;
use ludex_gdl::Symbol;

/// How often the perceptron goes through all transitions.
const MOST_ROUNDS: usize = 500;

/// Fluents with the same of these share a weight: the name, and the arguments but one.
type Feature = (Symbol, Vec<TermId>);

impl Prover<'_> {
    /// A measure that is proved to go down with every joint move.
    pub(super) fn measure(&self, budget: &Budget) -> Option<Ranking> {
        let vocabulary = self.system().vocabulary();
        let arity = |fluent| vocabulary.terms().arguments(vocabulary.fluent(fluent)).len();
        let places = vocabulary.fluents().map(arity).max().unwrap_or(0);
        for shared in 0..places {
            let Some(weights) = self.guess(shared, budget) else { continue };
            let certificate = Certificate { lemmas: self.lemmas(budget).to_vec(), depth: 0 };
            match check_measure(self.system(), &certificate.lemmas, &weights, budget) {
                Ok(()) => {
                    let held = weights.iter().filter(|(f, _)| row::holds(self.system().initial(), *f));
                    let bound = held.map(|&(_, weight)| weight as usize).sum();
                    return Some(Ranking { kind: RankingKind::Measure(weights), bound, certificate });
                }
                Err(Flaw::Limit(_)) => return None,
                Err(_) => {}
            }
        }
        None
    }

    /// Weights that every transition of random play lowers, equal for fluents that differ in the argument at
    /// that place alone.
    fn guess(&self, shared: usize, budget: &Budget) -> Option<Vec<(FluentId, u32)>> {
        let vocabulary = self.system().vocabulary();
        let mut numbers: HashMap<Feature, usize> = HashMap::new();
        let features: Vec<usize> = vocabulary
            .fluents()
            .map(|fluent| {
                let term = vocabulary.fluent(fluent);
                let arguments = vocabulary.terms().arguments(term);
                // An only argument says whose turn it is, or how often something was done.
                let shares = |at: usize| at == shared && arguments.len() > 1;
                let kept = (0..arguments.len()).filter(|&at| !shares(at)).map(|at| arguments[at]);
                let feature = (vocabulary.terms().functor(term), kept.collect());
                let next = numbers.len();
                *numbers.entry(feature).or_insert(next)
            })
            .collect();
        let mut changes: Vec<Vec<(usize, i64)>> = Vec::new();
        for sample in self.samples(budget).ok()? {
            let Some((_, next)) = &sample.then else { continue };
            let mut change: HashMap<usize, i64> = HashMap::new();
            for fluent in vocabulary.fluents() {
                let (before, after) = (row::holds(&sample.state, fluent), row::holds(next, fluent));
                *change.entry(features[fluent.index()]).or_default() += i64::from(before) - i64::from(after);
            }
            changes.push(change.into_iter().filter(|(_, by)| *by != 0).collect());
        }
        let mut weights = vec![0i64; numbers.len()];
        for _ in 0..MOST_ROUNDS {
            let mut right = true;
            for change in &changes {
                let lowered: i64 = change.iter().map(|&(feature, by)| weights[feature] * by).sum();
                if lowered < 1 {
                    right = false;
                    for &(feature, by) in change {
                        // Below zero the sum would have no end.
                        weights[feature] = (weights[feature] + by).max(0);
                    }
                }
            }
            if right {
                let weigh =
                    |fluent: FluentId| Some((fluent, u32::try_from(weights[features[fluent.index()]]).ok()?));
                let weighed: Option<Vec<_>> = vocabulary.fluents().map(weigh).collect();
                return weighed.map(|list| list.into_iter().filter(|(_, weight)| *weight > 0).collect());
            }
        }
        None
    }
}
