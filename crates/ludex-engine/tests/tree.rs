//! The OR-AND tree interpreter against the conformance suite.

use ludex_engine::{datalog::Datalog, limits::Limits, tree::Tree};
use ludex_testkit::Suite;
use std::time::Duration;

/// Only what does not depend on the speed of the machine may decide which games are declined.
fn limits() -> Limits {
    Limits { time: Duration::from_secs(3600), ..Limits::default() }
}

fn suite() -> Suite<'static> {
    Suite::new("tree", |game| Ok(Box::new(Tree::new(game, limits())?)))
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
fn shared_walks() {
    suite().shared_walks();
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
    let reference = Suite::new("datalog", |game| Ok(Box::new(Datalog::new(game, limits())?)));
    suite().differential(&reference);
}
