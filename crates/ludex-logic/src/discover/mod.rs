//! What is worth knowing of a game, found by itself.
//!
//! Random play proposes ([`samples`](play), [`groups`] and their like), the solver decides: candidates about
//! single states are proved together by dropping those that fail until the rest is inductive ([`inductive`]);
//! what needs more (turns, playability, goals, length) is proved one by one with those as lemmas. The result is a
//! [`Facts`] value. Nothing enters it that was not proved and accepted by the certificate checker.

mod candidates;
mod formulas;
mod houdini;
mod moves;
mod samples;
mod words;

pub use candidates::{constants, groups, mutexes, turns};
pub use houdini::inductive;
pub use samples::{Effort, Sample, play};
pub use words::{Statement, statements};

pub(crate) use samples::step;

use crate::facts::{Facts, Group, ImpossibleMoves, Turns};
use crate::formula::{Expression, Property, Request};
use crate::prove::{Answer, Certificate, Lemma, Options, Proof, Prover, check};
use crate::transition::System;
use ludex_engine::budget::Budget;
use ludex_engine::error::BuildError;
use ludex_engine::prepared::Prepared;
use ludex_engine::vocabulary::{FluentId, RoleId};
use ludex_gdl::Keyword;
use std::time::Duration;

/// What can be proved of a game within a budget, compiling it included: for those who want the facts and nothing
/// else. An error if the game cannot be compiled within it.
pub fn facts(prepared: &Prepared, budget: &Budget) -> Result<Facts, BuildError> {
    let goals = prepared.game().rules.keyword(Keyword::Goal);
    let system = System::new(prepared, &[goals], budget)?;
    let options = Options { budget: budget.clone(), time: Duration::MAX, ..Options::default() };
    Ok(discover(&Prover::new(&system, options)))
}

/// Finds and proves facts within the prover's limits for one question. The system must have been built for the
/// relation of goals, or nothing is found out about them.
pub fn discover(prover: &Prover<'_>) -> Facts {
    let budget = prover.budget();
    let lemmas = lemmas(prover, &budget);
    prover.know(lemmas.clone());
    let mut facts = Facts::default();
    for lemma in &lemmas {
        record(&mut facts, lemma);
    }
    let holds = |text: &str, share: u32| {
        let property = Request::read(text).ok().and_then(|request| request.property(prover.system()).ok()?);
        property.is_some_and(|property| {
            let part = budget.share(share);
            matches!(prover.prove_within(&property, &part), Answer::Holds(_))
        })
    };
    if holds(formulas::TURN_TAKING, 4) {
        facts.turns = Turns::Alternate { control: moves::control(prover, &lemmas, &budget) };
    }
    facts.playable = holds("playable", 4);
    if prover.system().has_questions() {
        facts.unique_goals = holds("unique-goals", 4);
        let part = budget.share(3);
        if let (Some(sum), Answer::Holds(_)) = prover.constant_sum(&part) {
            facts.goal_sum = Some(sum);
        }
    }
    if let Answer::Holds(Proof::Ranking(ranking)) = prover.terminates(&budget.share(2)) {
        facts.length = Some(ranking.bound);
    }
    facts.persistent = prover.persistent(&budget.share(2));
    let constants = facts.constants.clone();
    facts.persistent.retain(|(fluent, _)| constants.iter().all(|(constant, _)| constant != fluent));
    facts.impossible = moves::impossible(prover, &lemmas, &budget);
    facts
}

/// What holds in every single state, by induction: constants, groups and mutexes. As much of [`discover`] as packing states
/// asks for, in less time.
pub fn state_facts(prover: &Prover<'_>) -> Facts {
    let mut facts = Facts::default();
    for lemma in &lemmas(prover, &prover.budget()) {
        record(&mut facts, lemma);
    }
    facts
}

/// Names of moves that are never legal together before the end: as much of [`discover`] as the frame translation
/// asks for, in less time.
pub fn impossible_moves(prover: &Prover<'_>) -> Vec<ImpossibleMoves> {
    let budget = prover.budget();
    let lemmas = lemmas(prover, &budget);
    moves::impossible(prover, &lemmas, &budget)
}

/// State lemmas: all kinds together if that is decided in time, else the groups, else those without a key.
fn lemmas(prover: &Prover<'_>, budget: &Budget) -> Vec<Lemma> {
    let system = prover.system();
    let vocabulary = system.vocabulary();
    let Ok(samples) = prover.samples(budget) else { return Vec::new() };
    let groups = groups(vocabulary, samples);
    let mut all = groups.clone();
    all.extend(constants(vocabulary, samples));
    all.extend(mutexes(vocabulary, samples, &groups));
    let mut proved = prover.turns(&budget.share(4)).to_vec();
    for candidates in [groups, all] {
        let new = candidates.into_iter().filter(|lemma| !proved.contains(lemma)).collect();
        if let Ok(more) = inductive(system, &proved, new, &budget.share(4)) {
            proved.extend(more);
        }
    }
    let nothing = Property::made("lemmas", Expression::And(Vec::new()), system);
    let certificate = Certificate { lemmas: proved, depth: 0 };
    match check(system, &nothing, &certificate, budget) {
        Ok(()) => certificate.lemmas,
        Err(_) => Vec::new(),
    }
}

fn record(facts: &mut Facts, lemma: &Lemma) {
    match lemma {
        Lemma::ExactlyOne(fluents) => facts.groups.push(Group { fluents: fluents.clone(), exactly: true }),
        Lemma::AtMostOne(fluents) => facts.groups.push(Group { fluents: fluents.clone(), exactly: false }),
        Lemma::Clause(literals) => match literals.as_slice() {
            [(fluent, value)] => facts.constants.push((*fluent, *value)),
            [(a, false), (b, false)] => facts.mutexes.push((*a, *b)),
            _ => {}
        },
    }
}

/// The role that a fluent names, if it names exactly one.
fn role_in(prover: &Prover<'_>, fluent: FluentId) -> Option<RoleId> {
    let vocabulary = prover.system().vocabulary();
    let arguments = vocabulary.terms().arguments(vocabulary.fluent(fluent));
    let mut named = vocabulary.roles().filter(|&role| arguments.contains(&vocabulary.role(role)));
    let first = named.next()?;
    named.next().is_none().then_some(first)
}
