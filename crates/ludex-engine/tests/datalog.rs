//! The reference engine against the conformance suite.

use ludex_engine::{datalog::Datalog, limits::Limits};
use ludex_testkit::Suite;

fn suite() -> Suite<'static> {
    Suite::new("datalog", |game| Ok(Box::new(Datalog::new(game, Limits::default())?)))
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
