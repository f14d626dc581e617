//! Games translated for the frame problem against the same games as they are written: the reference engine must
//! give the same answers, on the bundled, the generated and the public games.
//!
//! The micro games, counts and recorded games run in every encoding on every engine, as treatments of the suite.

use ludex_engine::{datalog::Datalog, engine::Engine, error::BuildError, limits::Limits};
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_testkit::suite::Effort;
use ludex_testkit::{Suite, treatment::encoded, walk::Length};
use std::time::Duration;

fn build(game: &Game) -> Result<Box<dyn Engine>, BuildError> {
    let limits = Limits { time: Duration::from_secs(3600), ..Limits::default() };
    Ok(Box::new(Datalog::new(game, limits)?))
}

fn compare(encoding: Encoding) {
    let short = Length { games: 2, steps: 12, time: Duration::from_millis(30) };
    let walk = Length { games: 2, steps: 100, time: Duration::from_millis(300) };
    let effort = Effort { walk, shared_walk: short, generated_walk: short, ..Effort::default() };
    let translated = Suite::new("datalog", move |game| build(&encoded(game, encoding))).with_effort(effort);
    translated.differential(&Suite::new("datalog", build));
}

#[test]
fn direct() {
    compare(Encoding::Direct);
}

#[test]
fn pruned() {
    compare(Encoding::Pruned);
}

#[test]
fn relevant() {
    compare(Encoding::Relevant);
}
