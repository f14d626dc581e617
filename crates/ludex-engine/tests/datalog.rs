//! The reference engine against the conformance suite.

use ludex_engine::{budget::Budget, datalog::Datalog};
use ludex_testkit::Suite;

fn suite() -> Suite<'static> {
    // Only what does not depend on the speed of the machine may decide which games are declined.
    let budget = Budget::default();
    Suite::new("datalog", move |game| Ok(Box::new(Datalog::new(game, &budget)?)))
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
