//! The largest set of candidates that prove each other.

use crate::prove::Lemma;
use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use ludex_engine::budget::{Budget, Exceeded};

/// Drops candidates until those that remain hold initially and are kept, all together, by every move: each of
/// them then holds in every reachable state. Every model of the solver drops at least one (Flanagan and Leino,
/// *Houdini*, 2001). If the budget ends first nothing is proved.
pub fn inductive(
    system: &System,
    proved: &[Lemma],
    candidates: Vec<Lemma>,
    budget: &Budget,
) -> Result<Vec<Lemma>, Exceeded> {
    let mut open: Vec<Lemma> = candidates.into_iter().filter(|lemma| lemma.holds(system.initial())).collect();
    if open.is_empty() {
        return Ok(open);
    }
    let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
    for lemma in proved {
        let lit = lemma.literal(&mut unrolling, 0);
        unrolling.solver.clause([lit]);
    }
    let mut literals: Vec<(Lit, Lit)> = open
        .iter()
        .map(|lemma| (lemma.literal(&mut unrolling, 0), lemma.literal(&mut unrolling, 1)))
        .collect();
    unrolling.go_on(0);
    let mut complete = false;
    while !open.is_empty() {
        let round = unrolling.solver.fresh();
        unrolling.solver.clause(literals.iter().map(|&(_, then)| !then).chain([!round]));
        let mut assumptions: Vec<Lit> = literals.iter().map(|&(now, _)| now).collect();
        assumptions.push(round);
        if unrolling.solve(&assumptions)? == Outcome::Unsatisfiable {
            break;
        }
        // Groups such as the turn prove each other without a word about legal moves.
        if !std::mem::replace(&mut complete, true) {
            unrolling.complete(0);
            continue;
        }
        let keep: Vec<bool> = literals.iter().map(|&(_, then)| unrolling.solver.value(then)).collect();
        retain(&mut open, &keep);
        retain(&mut literals, &keep);
        unrolling.solver.clause([!round]);
    }
    Ok(open)
}

fn retain<T>(list: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    list.retain(|_| keep.next().copied().unwrap_or(false));
}
