//! A match followed in words, without a vocabulary, against the reference engine.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::{Datalog, Firsthand, Lost};
use ludex_engine::engine::Engine;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{RoleId, Vocabulary};
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_gdl::{Game, Sheet};
use ludex_testkit::{corpus, report::Report, report::compare_sets, state::Asker, treatment::encoded};
use std::sync::Arc;

fn budget() -> Budget {
    Budget::default()
}

/// Plays at random with both, and compares roles and legal moves in every state.
fn compare(game: &Game, engine: &dyn Engine, steps: usize) -> Result<(), String> {
    let mut firsthand = Firsthand::new(game, &budget()).map_err(|error| error.to_string())?;
    let mut asker = Asker::new(engine);
    compare_sets("roles", &asker.roles(), &firsthand.roles().collect::<Vec<_>>())?;
    let mut random = Random::new(7);
    let mut state = asker.initial();
    for step in 0..=steps {
        let mut joint = Vec::new();
        for role in engine.vocabulary().roles() {
            let expected = asker.legal(&state, role.index())?;
            compare_sets(
                &format!("step {step}, legal of {}", role.index()),
                &expected,
                &legal(&firsthand, role),
            )?;
            if !expected.is_empty() {
                joint.push(expected[random.below(expected.len())].clone());
            }
        }
        if asker.is_terminal(&state)? || joint.len() < asker.roles().len() {
            break;
        }
        state = asker.next(&state, &joint)?;
        firsthand.advance(&joint).map_err(|error| error.to_string())?;
    }
    firsthand.restart().map_err(|error| error.to_string())?;
    let first = asker.initial();
    compare_sets("legal after a restart", &asker.legal(&first, 0)?, &legal(&firsthand, RoleId(0)))
}

/// Sorted, as what it is compared with.
fn legal(firsthand: &Firsthand, role: RoleId) -> Vec<String> {
    let mut list: Vec<String> = firsthand.legal(role).map(str::to_owned).collect();
    list.sort_unstable();
    list
}

#[test]
fn bundled_games_as_written_and_translated() {
    let mut report = Report::new("firsthand: bundled games");
    for source in corpus::games() {
        report.case(&source.name, || {
            let game = source.game()?;
            let engine = Datalog::new(&game, &budget()).map_err(|error| error.to_string())?;
            compare(&game, &engine, 40)?;
            compare(&encoded(&game, Encoding::Relevant), &engine, 40)
        });
    }
    report.finish();
}

#[test]
fn public_sheets() {
    let what = "firsthand: public sheets";
    let slow = corpus::slow_sheets("datalog", what);
    let sources = corpus::shared_games(what);
    if sources.is_empty() {
        return;
    }
    let mut report = Report::new(what);
    for source in sources.iter().filter(|source| !slow.contains(&source.name)) {
        report.case(&source.name, || {
            let game = source.game()?;
            let vocabulary = Vocabulary::new(&game, &budget()).map_err(|error| error.to_string())?;
            // Tuning changes no answer, and takes most of the time.
            let engine = Datalog::untuned(&game, &Arc::new(vocabulary), &budget());
            compare(&game, &engine.map_err(|error| error.to_string())?, 3)
        });
    }
    report.finish();
}

#[test]
fn what_cannot_be_followed_is_said() {
    let text = "(role a) (init p) (legal a go) (legal a stay) (<= (next p) (true p)) (<= terminal (not (true p))) \
                (goal a 100)";
    let game = Sheet::read(text).into_game().expect("a game");
    let mut firsthand = Firsthand::new(&game, &budget()).expect("it is small");
    assert_eq!(firsthand.advance::<&str>(&[]), Err(Lost::Count(0)));
    assert_eq!(firsthand.advance(&["fly"]), Err(Lost::Illegal("fly".to_owned())));
    assert_eq!(firsthand.advance(&["go"]), Ok(()));
    assert_eq!(firsthand.legal(RoleId(0)).collect::<Vec<_>>(), ["go", "stay"]);
}
