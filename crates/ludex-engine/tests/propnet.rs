//! The propositional network against the conformance suite.

use ludex_engine::engine::{Engine, PlayoutBuffer};
use ludex_engine::random::Random;
use ludex_engine::{budget::Budget, datalog::Datalog, propnet::Propnet};
use ludex_testkit::Suite;
use ludex_testkit::corpus::games;
use ludex_testkit::report::Report;
use std::collections::HashMap;

fn suite() -> Suite<'static> {
    // Only what does not depend on the speed of the machine may decide which games are declined. The bounds are
    // far below the defaults, to keep the largest games out of the tests' time.
    let budget = Budget::default().with_rows(200_000).with_steps(30_000_000);
    Suite::new("propnet", move |game| Ok(Box::new(Propnet::new(game, &budget)?)))
}

#[test]
fn rules() {
    suite().rules();
}

#[test]
fn perft() {
    suite().perft();
}

#[test]
fn plays() {
    suite().plays();
}

#[test]
fn playthroughs() {
    suite().playthroughs();
}

#[test]
fn walks() {
    suite().walks();
}

#[test]
fn treatments() {
    suite().treatments();
}

#[test]
fn oracle() {
    suite().oracle();
}

#[test]
fn generated() {
    suite().generated();
}

#[test]
fn differential() {
    let limits = &Budget::default();
    let reference = Suite::new("datalog", move |game| Ok(Box::new(Datalog::new(game, limits)?)));
    suite().differential(&reference);
}

/// Playouts draw moves until one is legal, from groups where there are many (`choices.rs`): each joint move
/// must come out equally often. Expected is what the reference engine says follows from each.
#[test]
fn playouts_choose_uniformly() {
    let mut report = Report::new("uniform choice");
    for source in games() {
        report.case(&source.name, || {
            let game = source.game()?;
            let reference = Datalog::new(&game, &Budget::default()).map_err(|e| e.to_string())?;
            let engine = Propnet::new(&game, &Budget::default()).map_err(|e| e.to_string())?;
            for plies in [0, 3, 8] {
                check_uniform(&reference, &engine, plies)?;
            }
            Ok(())
        });
    }
    report.finish();
}

fn check_uniform(reference: &dyn Engine, engine: &dyn Engine, plies: usize) -> Result<(), String> {
    let (mut judge, mut worker) = (reference.worker(), engine.worker());
    let (mut random, mut buffer) = (Random::new(plies as u64), PlayoutBuffer::default());
    let mut start = vec![0; engine.vocabulary().words()];
    judge.initial(&mut start);
    judge.playout(&mut start, plies, &mut random, &mut buffer).expect("no limit is met");
    let mut joints = vec![Vec::new()];
    for role in engine.vocabulary().roles() {
        let mut legal = Vec::new();
        judge.legal(&start, role, &mut legal).expect("no limit is met");
        let extended =
            |joint: &Vec<_>| legal.iter().map(|&action| [&joint[..], &[action]].concat()).collect::<Vec<_>>();
        joints = joints.iter().flat_map(extended).collect();
    }
    if judge.is_terminal(&start).expect("no limit is met") || joints.is_empty() || joints.len() > 300 {
        return Ok(());
    }
    let mut expected: HashMap<Vec<u64>, f64> = HashMap::new();
    let draws = 50 * joints.len();
    for joint in &joints {
        let mut next = start.clone();
        judge.next(&start, joint, &mut next).expect("no limit is met");
        *expected.entry(next).or_default() += 50.0;
    }
    let mut seen: HashMap<Vec<u64>, f64> = HashMap::new();
    for _ in 0..draws {
        let mut state = start.clone();
        worker.playout(&mut state, 1, &mut random, &mut buffer).expect("no limit is met");
        *seen.entry(state).or_default() += 1.0;
    }
    if let Some(state) = seen.keys().find(|state| !expected.contains_key(*state)) {
        return Err(format!("after {plies} plies: a state that no legal move leads to: {state:?}"));
    }
    let chi_square: f64 = expected
        .iter()
        .map(|(state, expected)| (seen.get(state).unwrap_or(&0.0) - expected).powi(2) / expected)
        .sum();
    let freedom = (expected.len() - 1) as f64;
    // Six standard deviations.
    if chi_square > freedom + 6.0 * (2.0 * freedom).sqrt() {
        return Err(format!("after {plies} plies: chi square {chi_square:.1}, {freedom} degrees of freedom"));
    }
    Ok(())
}
