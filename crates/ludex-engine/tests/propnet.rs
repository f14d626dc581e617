//! The propositional network against the conformance suite.

use ludex_engine::{datalog::Datalog, limits::Limits, propnet::Propnet};
use ludex_testkit::Suite;
use std::time::Duration;

fn suite() -> Suite<'static> {
    // Only what does not depend on the speed of the machine may decide which games are declined. The bounds are
    // far below the defaults, to keep the largest games out of the tests' time.
    let limits = Limits { rows: 200_000, steps: 30_000_000, time: Duration::from_secs(3600) };
    Suite::new("propnet", move |game| Ok(Box::new(Propnet::new(game, limits)?)))
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
    let limits = Limits { time: Duration::from_secs(3600), ..Limits::default() };
    let reference = Suite::new("datalog", move |game| Ok(Box::new(Datalog::new(game, limits)?)));
    suite().differential(&reference);
}
