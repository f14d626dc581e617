//! Values that fluents keep once they have them.

use super::{Certificate, Prover, check, termination};
use crate::formula::Property;
use crate::solver::{Lit, Outcome};
use crate::unroll::{Start, Unrolling};
use ludex_engine::budget::Budget;
use ludex_engine::row;
use ludex_engine::vocabulary::FluentId;

impl Prover<'_> {
    /// The fluents and values of which it is proved that they stay. Random play proposes, the solver decides,
    /// with the lemmas at hand; what is not decided within the budget is left out.
    pub fn persistent(&self, budget: &Budget) -> Vec<(FluentId, bool)> {
        let Ok(samples) = self.samples(budget) else { return Vec::new() };
        let stays = |&(fluent, value): &(FluentId, bool)| {
            samples
                .iter()
                .filter_map(|sample| Some((&sample.state, &sample.then.as_ref()?.1)))
                .all(|(now, next)| row::holds(now, fluent) != value || row::holds(next, fluent) == value)
        };
        let fluents = self.system().vocabulary().fluents();
        let mut open: Vec<(FluentId, bool)> =
            fluents.flat_map(|fluent| [(fluent, false), (fluent, true)]).filter(stays).collect();
        let lemmas = self.lemmas(budget);
        let mut unrolling = Unrolling::new(self.system(), Start::Anywhere, budget);
        for lemma in lemmas {
            let lit = lemma.literal(&mut unrolling, 0);
            unrolling.solver.clause([lit]);
        }
        let mut literals: Vec<Lit> = open
            .iter()
            .map(|&(fluent, value)| {
                let (now, next) = (unrolling.fluent(0, fluent), unrolling.fluent(1, fluent));
                if value { unrolling.solver.and(now, !next) } else { unrolling.solver.and(!now, next) }
            })
            .collect();
        unrolling.complete(0);
        unrolling.go_on(0);
        // Every model shows values that do not stay; when there is no more model, the others do.
        loop {
            let lost = unrolling.solver.or_all(literals.iter().copied());
            match unrolling.solve(&[lost]) {
                Err(_) => return Vec::new(),
                Ok(Outcome::Unsatisfiable) => break,
                Ok(Outcome::Satisfiable) => {
                    let keep: Vec<bool> = literals.iter().map(|&lit| !unrolling.solver.value(lit)).collect();
                    let mut flags = keep.iter();
                    open.retain(|_| flags.next().copied().unwrap_or(false));
                    let mut flags = keep.iter();
                    literals.retain(|_| flags.next().copied().unwrap_or(false));
                }
            }
        }
        let stays = termination::stay(self.system().vocabulary(), &open);
        let property = Property::made("values that stay", stays, self.system());
        let certificate = Certificate { lemmas: lemmas.to_vec(), depth: 0 };
        match check(self.system(), &property, &certificate, budget) {
            Ok(()) => open,
            Err(_) => Vec::new(),
        }
    }
}
