//! Games translated for the frame problem against the same games as they are written: the reference engine must
//! give the same answers, on the bundled, the generated and the public games.
//!
//! The micro games, counts and recorded games run in every encoding on every engine, as treatments of the suite.

use ludex_engine::{budget::Budget, datalog::Datalog, engine::Engine, error::BuildError};
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_testkit::{Effort, Suite, report::runs_slow, treatment::encoded, walk::Length};
use std::time::Duration;

fn build(game: &Game) -> Result<Box<dyn Engine>, BuildError> {
    Ok(Box::new(Datalog::new(game, &Budget::default())?))
}

fn compare(encoding: Encoding) {
    let short = Length { games: 2, steps: 12, time: Duration::from_millis(20) };
    let walk = Length { games: 2, steps: 100, time: Duration::from_millis(300) };
    // Generated games run in every encoding in the suites of the engines.
    let effort =
        Effort { walk, shared_walk: short, generated_walk: short, generated: 0, ..Effort::default() };
    let translated = Suite::new("datalog", move |game| build(&encoded(game, encoding))).with_effort(effort);
    translated.differential(&Suite::new("datalog", build));
}

#[test]
fn the_relevant_covering_changes_no_answer() {
    compare(Encoding::Relevant);
}

/// The other coverings come from the same code with more combinations of moves.
#[test]
fn the_other_coverings_change_no_answer() {
    if !runs_slow("the direct and pruned coverings on the public sheets") {
        let reference = Suite::new("datalog", |game| build(&encoded(game, Encoding::Direct)));
        reference.perft();
        return Suite::new("datalog", |game| build(&encoded(game, Encoding::Pruned))).perft();
    }
    compare(Encoding::Direct);
    compare(Encoding::Pruned);
}
