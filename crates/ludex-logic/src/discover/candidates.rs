//! What random play suggests may hold in every state.

use super::houdini::inductive;
use super::samples::Sample;
use crate::prove::Lemma;
use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::row::{self, Row};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};

/// Arguments up to which all choices of key arguments are tried.
const MOST_ARGUMENTS: usize = 6;

/// Fluents of one name that can be a stage of the game.
const MOST_STAGES: usize = 32;

/// Pairs of fluents that are proposed to exclude each other.
const MOST_PAIRS: usize = 4000;

/// Groups of which one fluent holds at most, or exactly one: the fluents of one name that agree in some of
/// their arguments (the *key*), such as what stands on one square. Fewest key arguments first; a group inside
/// another one says nothing new.
pub fn groups(vocabulary: &Vocabulary, samples: &[Sample]) -> Vec<Lemma> {
    let mut found = Vec::new();
    for (arity, fluents) in by_name(vocabulary) {
        if fluents.len() == 1 || arity > MOST_ARGUMENTS {
            continue;
        }
        let mut masks: Vec<u32> = (0..(1u32 << arity) - 1).collect();
        masks.sort_by_key(|mask| (mask.count_ones(), *mask));
        let mut covered: Vec<u32> = Vec::new();
        for mask in masks {
            if covered.iter().any(|&smaller| smaller & !mask == 0) {
                continue;
            }
            let sets = by_key(vocabulary, &fluents, mask);
            let counts: Vec<(usize, usize)> = sets.iter().map(|set| extent(set, samples)).collect();
            if !counts.is_empty() && counts.iter().all(|&(_, most)| most <= 1) {
                covered.push(mask);
                found.extend(sets.into_iter().zip(counts).map(|(set, counts)| lemma(set, counts)));
            }
        }
    }
    found.extend(stages(vocabulary, samples));
    found
}

/// The groups without a key: all fluents of a name of which one holds initially. Whose turn it is and the counter
/// of steps are such groups; no play is needed to propose them.
pub fn keyless_groups(vocabulary: &Vocabulary, initial: &Row) -> Vec<Lemma> {
    by_name(vocabulary)
        .into_iter()
        .map(|(_, fluents)| fluents)
        .filter(|fluents| fluents.len() > 1)
        .filter(|fluents| fluents.iter().filter(|&&fluent| row::holds(initial, fluent)).count() == 1)
        .map(Lemma::ExactlyOne)
        .collect()
}

/// Values of a group without a key that are asked for one by one.
const MOST_VALUES: usize = 400;

/// The groups without a key, proved. A counter has values in the rules that the end of the game keeps from being
/// reached, and from the last of them it goes nowhere: where the whole is not kept, those that can be reached are.
pub fn turns(system: &System, budget: &Budget) -> Result<Vec<Lemma>, Exceeded> {
    let whole = keyless_groups(system.vocabulary(), system.initial());
    let mut proved = inductive(system, &[], whole.clone(), &budget.share(2))?;
    let mut narrower = Vec::new();
    for lemma in whole.iter().filter(|lemma| !proved.contains(lemma)) {
        let Lemma::ExactlyOne(fluents) = lemma else { continue };
        if fluents.len() <= MOST_VALUES {
            let reached = reached(system, fluents, budget)?;
            if (2..fluents.len()).contains(&reached.len()) {
                narrower.push(Lemma::ExactlyOne(reached));
            }
        }
    }
    proved.extend(inductive(system, &proved, narrower, budget)?);
    Ok(proved)
}

/// The values of a group that follow one another from the initial one on, each alone, while the game goes on.
fn reached(system: &System, fluents: &[FluentId], budget: &Budget) -> Result<Vec<FluentId>, Exceeded> {
    let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
    let now: Vec<Lit> = fluents.iter().map(|&fluent| unrolling.fluent(0, fluent)).collect();
    let then: Vec<Lit> = fluents.iter().map(|&fluent| unrolling.fluent(1, fluent)).collect();
    unrolling.go_on(0);
    let several = unrolling.solver.at_least(now.iter().copied(), 2)[1];
    unrolling.solver.clause([!several]);
    let mut is_reached: Vec<bool> = fluents.iter().map(|&f| row::holds(system.initial(), f)).collect();
    let mut open: Vec<usize> = (0..fluents.len()).filter(|&at| is_reached[at]).collect();
    while let Some(at) = open.pop() {
        loop {
            let round = unrolling.solver.fresh();
            let new = (0..fluents.len()).filter(|&at| !is_reached[at]).map(|at| then[at]);
            let clause: Vec<Lit> = new.chain([!round]).collect();
            unrolling.solver.clause(clause);
            if unrolling.solve(&[now[at], round])? == Outcome::Unsatisfiable {
                break;
            }
            for next in 0..fluents.len() {
                if !is_reached[next] && unrolling.solver.value(then[next]) {
                    is_reached[next] = true;
                    open.push(next);
                }
            }
            unrolling.solver.clause([!round]);
        }
    }
    Ok(fluents.iter().zip(is_reached).filter(|(_, reached)| *reached).map(|(&fluent, _)| fluent).collect())
}

/// Two names of which one fluent holds at a time, where neither alone always has one: stages of a game.
fn stages(vocabulary: &Vocabulary, samples: &[Sample]) -> Vec<Lemma> {
    let names: Vec<Vec<FluentId>> = by_name(vocabulary)
        .into_iter()
        .map(|(_, fluents)| fluents)
        .filter(|fluents| fluents.len() <= MOST_STAGES && extent(fluents, samples) == (0, 1))
        .collect();
    let mut found = Vec::new();
    for (at, first) in names.iter().enumerate() {
        for second in &names[at + 1..] {
            let mut union = [first.as_slice(), second].concat();
            union.sort_unstable();
            let counts = extent(&union, samples);
            if counts.1 == 1 {
                found.push(lemma(union, counts));
            }
        }
    }
    found
}

fn lemma(set: Vec<FluentId>, (least, _): (usize, usize)) -> Lemma {
    if least == 1 { Lemma::ExactlyOne(set) } else { Lemma::AtMostOne(set) }
}

/// The fluents by name and number of arguments, with that number.
fn by_name(vocabulary: &Vocabulary) -> Vec<(usize, Vec<FluentId>)> {
    let terms = vocabulary.terms();
    let mut lists: HashMap<_, Vec<FluentId>> = HashMap::new();
    for fluent in vocabulary.fluents() {
        let term = vocabulary.fluent(fluent);
        lists.entry((terms.functor(term), terms.arguments(term).len())).or_default().push(fluent);
    }
    let mut lists: Vec<_> = lists.into_iter().collect();
    lists.sort_unstable();
    lists.into_iter().map(|((_, arity), fluents)| (arity, fluents)).collect()
}

/// The fluents by their arguments at the places of the mask; only sets of several.
fn by_key(vocabulary: &Vocabulary, fluents: &[FluentId], mask: u32) -> Vec<Vec<FluentId>> {
    let mut sets: HashMap<Vec<TermId>, Vec<FluentId>> = HashMap::new();
    for &fluent in fluents {
        let arguments = vocabulary.terms().arguments(vocabulary.fluent(fluent));
        let key = (0..arguments.len()).filter(|at| mask >> at & 1 == 1).map(|at| arguments[at]).collect();
        sets.entry(key).or_default().push(fluent);
    }
    let mut sets: Vec<Vec<FluentId>> = sets.into_values().filter(|set| set.len() > 1).collect();
    sets.sort_unstable();
    sets
}

/// The least and the greatest number of fluents of a set that hold in one state.
fn extent(set: &[FluentId], samples: &[Sample]) -> (usize, usize) {
    let mut range = (usize::MAX, 0);
    for sample in samples {
        let count = set.iter().filter(|&&fluent| row::holds(&sample.state, fluent)).count();
        range = (range.0.min(count), range.1.max(count));
    }
    range
}

/// Fluents that had the same value in all states.
pub fn constants(vocabulary: &Vocabulary, samples: &[Sample]) -> Vec<Lemma> {
    let value = |fluent: FluentId| {
        let first = samples.first().map(|sample| row::holds(&sample.state, fluent))?;
        samples.iter().all(|sample| row::holds(&sample.state, fluent) == first).then_some(first)
    };
    vocabulary
        .fluents()
        .filter_map(|fluent| value(fluent).map(|value| Lemma::Clause(vec![(fluent, value)])))
        .collect()
}

/// Pairs of fluents that were seen, each, but never together, and that no group keeps apart.
pub fn mutexes(vocabulary: &Vocabulary, samples: &[Sample], groups: &[Lemma]) -> Vec<Lemma> {
    let seen: Vec<FluentId> = vocabulary
        .fluents()
        .filter(|&fluent| {
            let count = samples.iter().filter(|sample| row::holds(&sample.state, fluent)).count();
            count > 0 && count < samples.len()
        })
        .collect();
    if seen.len() * seen.len() / 2 > 4 * MOST_PAIRS {
        return Vec::new();
    }
    let apart = |a: FluentId, b: FluentId| {
        groups.iter().any(|group| match group {
            Lemma::AtMostOne(set) | Lemma::ExactlyOne(set) => {
                set.binary_search(&a).is_ok() && set.binary_search(&b).is_ok()
            }
            Lemma::Clause(_) => false,
        })
    };
    let mut pairs = Vec::new();
    for (at, &a) in seen.iter().enumerate() {
        for &b in &seen[at + 1..] {
            let together = samples.iter().any(|s| row::holds(&s.state, a) && row::holds(&s.state, b));
            if !together && !apart(a, b) && pairs.len() < MOST_PAIRS {
                pairs.push(Lemma::Clause(vec![(a, false), (b, false)]));
            }
        }
    }
    pairs
}
