//! What can be legal together.

use super::role_in;
use crate::facts::ImpossibleMoves;
use crate::formula::{Arg, Atom, Expression, Property, Question};
use crate::prove::{Certificate, Lemma, Prover, check};
use crate::solver::{Lit, Outcome};
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use ludex_gdl::analysis::domains::Functor;

/// Names of moves a role may have before pairs are no longer tried.
const MOST_NAMES: usize = 40;

/// The fluents that say whose turn it is: of a proved group, each naming one role, such that all other roles
/// have at most one legal move while it holds.
pub(super) fn control(prover: &Prover<'_>, lemmas: &[Lemma], budget: &Budget) -> Vec<(FluentId, RoleId)> {
    for lemma in lemmas {
        let Lemma::ExactlyOne(fluents) = lemma else { continue };
        let named: Option<Vec<(FluentId, RoleId)>> =
            fluents.iter().map(|&fluent| Some((fluent, role_in(prover, fluent)?))).collect();
        if let Some(control) = named
            && decides_the_turn(prover, lemmas, &control, budget)
        {
            return control;
        }
    }
    Vec::new()
}

fn decides_the_turn(
    prover: &Prover<'_>,
    lemmas: &[Lemma],
    control: &[(FluentId, RoleId)],
    budget: &Budget,
) -> bool {
    let system = prover.system();
    let vocabulary = system.vocabulary();
    let mut parts = Vec::new();
    for &(fluent, mover) in control {
        for role in vocabulary.roles().filter(|&role| role != mover) {
            let moves = system.moves(role).map(|action| vocabulary.action(role, action)).collect();
            let legal = Atom {
                question: Question::Legal,
                arguments: vec![Arg::Ground(vocabulary.role(role)), Arg::Variable(0)],
            };
            parts.push(Expression::Or(vec![
                Expression::Not(Box::new(Expression::Atom(Atom {
                    question: Question::True,
                    arguments: vec![Arg::Ground(vocabulary.fluent(fluent))],
                }))),
                Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() }),
                Expression::Count {
                    variables: vec![(0, moves)],
                    least: 0,
                    most: Some(1),
                    body: Box::new(Expression::Atom(legal)),
                },
            ]));
        }
    }
    let mut property = Property::made("the turn", Expression::And(parts), system);
    property.variables = 1;
    let certificate = Certificate { lemmas: lemmas.to_vec(), depth: 0 };
    check(system, &property, &certificate, &budget.share(4)).is_ok()
}

/// Names of moves of two roles that are never legal together before the end. Random play rules most pairs out;
/// the lemmas must imply the rest.
pub(super) fn impossible(prover: &Prover<'_>, lemmas: &[Lemma], budget: &Budget) -> Vec<ImpossibleMoves> {
    let system = prover.system();
    let vocabulary = system.vocabulary();
    let names: Vec<Vec<Functor>> = vocabulary.roles().map(|role| names(system, role)).collect();
    if names.iter().any(|list| list.len() > MOST_NAMES) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for (a, first) in vocabulary.roles().zip(&names) {
        for (b, second) in vocabulary.roles().zip(&names).skip(a.index() + 1) {
            for &one in first {
                for &other in second {
                    candidates.push(ImpossibleMoves { first: (a, one), second: (b, other) });
                }
            }
        }
    }
    let (Ok(engine), Ok(samples)) = (prover.engine(budget), prover.samples(budget)) else {
        return Vec::new();
    };
    let mut worker = engine.worker();
    let mut legal = Vec::new();
    for sample in samples {
        // Samples only rule candidates out: one that runs into a limit rules out nothing.
        if !matches!(worker.is_terminal(&sample.state), Ok(false)) {
            continue;
        }
        let mut seen = Vec::new();
        for role in vocabulary.roles() {
            if worker.legal(&sample.state, role, &mut legal).is_ok() {
                seen.extend(legal.iter().map(|&action| (role, name(system, role, action))));
            }
        }
        candidates.retain(|pair| !(seen.contains(&pair.first) && seen.contains(&pair.second)));
    }
    let mut unrolling = Unrolling::new(system, Start::Anywhere, budget);
    for lemma in lemmas {
        let lit = lemma.literal(&mut unrolling, 0);
        unrolling.solver.clause([lit]);
    }
    let terminal = unrolling.signal(0, system.net().terminal);
    unrolling.solver.clause([!terminal]);
    let any = |unrolling: &mut Unrolling<'_>, (role, functor): (RoleId, Functor)| {
        let list: Vec<Lit> = system
            .moves(role)
            .filter(|&action| name(system, role, action) == functor)
            .map(|action| unrolling.signal(0, system.net().legal[role.index()][action.index()]))
            .collect();
        unrolling.solver.or_all(list)
    };
    candidates.retain(|pair| {
        let assumptions = [any(&mut unrolling, pair.first), any(&mut unrolling, pair.second)];
        unrolling.solve(&assumptions) == Ok(Outcome::Unsatisfiable)
    });
    let property = Property::made("moves", never_together(system, &candidates), system);
    let certificate = Certificate { lemmas: lemmas.to_vec(), depth: 0 };
    match check(system, &property, &certificate, budget) {
        Ok(()) => candidates,
        Err(_) => Vec::new(),
    }
}

fn never_together(system: &System, pairs: &[ImpossibleMoves]) -> Expression {
    let vocabulary = system.vocabulary();
    let any = |(role, functor): (RoleId, Functor)| {
        let moves = system.moves(role).filter(|&action| name(system, role, action) == functor);
        let legal = |action| {
            let arguments =
                vec![Arg::Ground(vocabulary.role(role)), Arg::Ground(vocabulary.action(role, action))];
            Expression::Atom(Atom { question: Question::Legal, arguments })
        };
        Expression::Or(moves.map(legal).collect())
    };
    let never = |pair: &ImpossibleMoves| {
        Expression::Not(Box::new(Expression::And(vec![any(pair.first), any(pair.second)])))
    };
    let terminal = Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() });
    Expression::Or(vec![terminal, Expression::And(pairs.iter().map(never).collect())])
}

fn names(system: &System, role: RoleId) -> Vec<Functor> {
    let mut list: Vec<Functor> = system.moves(role).map(|action| name(system, role, action)).collect();
    list.sort_unstable();
    list.dedup();
    list
}

fn name(system: &System, role: RoleId, action: MoveId) -> Functor {
    let vocabulary = system.vocabulary();
    let term = vocabulary.action(role, action);
    (vocabulary.terms().functor(term), vocabulary.terms().arguments(term).len())
}
