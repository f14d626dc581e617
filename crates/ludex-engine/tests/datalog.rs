//! The reference engine against the conformance suite.

use ludex_engine::{datalog::Datalog, limits::Limits};
use ludex_testkit::Suite;
use std::time::Duration;

fn suite() -> Suite<'static> {
    // Only what does not depend on the speed of the machine may decide which games are declined.
    let limits = Limits { time: Duration::from_secs(3600), ..Limits::default() };
    Suite::new("datalog", move |game| Ok(Box::new(Datalog::new(game, limits)?)))
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
