//! The OR-AND tree interpreter against the conformance suite.

use ludex_engine::tree::{Options, Tree};
use ludex_engine::{budget::Budget, datalog::Datalog};
use ludex_testkit::Suite;
use ludex_testkit::suite::Effort;

/// Only what does not depend on the speed of the machine may decide which games are declined.
fn budget() -> Budget {
    Budget::default()
}

fn suite() -> Suite<'static> {
    Suite::new("tree", |game| Ok(Box::new(Tree::new(game, &budget())?)))
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
    let reference = Suite::new("datalog", |game| Ok(Box::new(Datalog::new(game, &budget())?)));
    suite().differential(&reference);
}

/// What is only there to be measured must answer alike.
fn with_options(options: Options) {
    let effort = Effort { nodes: 5_000, generated: 60, ..Effort::default() };
    let build = move |game: &_| Ok(Box::new(Tree::with_options(game, options, &budget())?) as _);
    let suite = Suite::new("tree", build).with_effort(effort);
    suite.rules();
    suite.perft();
    suite.plays();
    suite.generated();
}

#[test]
fn without_filters() {
    with_options(Options { filters: false, ..Options::default() });
}

#[test]
fn without_sharing() {
    with_options(Options { sharing: false, ..Options::default() });
}
