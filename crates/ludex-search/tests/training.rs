//! Training by self-play, and the files that it keeps.

use ludex::engine::engine::Engine;
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::gdl::Game;
use ludex_search::evaluation::{FileError, Trained};
use ludex_search::learning::{Time, learn};
use ludex_search::training::{Settings, Training, TrainingError};
use ludex_search::trial::{Effort, Match, Method, Side};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const SETTINGS: Settings = Settings { threads: 1, games: 120, pairs: 8 };

fn load(name: &str) -> (Game, Propnet) {
    let game = ludex::load(name).expect("a bundled game");
    let engine = Propnet::new(&game, &Default::default()).expect("a small game");
    (game, engine)
}

fn begin<'e>(game: &Game, engine: &'e Propnet, threads: usize) -> Training<'e> {
    let settings = Settings { threads, ..SETTINGS };
    Training::begin(engine, &game.rules, 5, settings, &|| false).expect("something is learnt")
}

fn rounds(training: &mut Training<'_>, count: usize) {
    for _ in 0..count {
        let lesson = training.round(&|| 1.0, &|| false).expect("the network has no limits");
        assert!(lesson.is_some());
    }
}

/// A file of this test's own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("ludex-training-{}-{name}", std::process::id());
        Scratch(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn what_was_trained_beats_what_was_not_at_equal_numbers_of_states() {
    let (game, engine) = load("reversi");
    let settings = Settings { threads: 2, games: 250, pairs: 12 };
    let mut training =
        Training::begin(&engine, &game.rules, 5, settings, &|| false).expect("something is learnt");
    rounds(&mut training, 2);
    let trained = training.trained();
    assert_eq!((trained.rounds, trained.games, trained.lessons.len()), (2, 500, 2));
    let vocabulary = engine.vocabulary();
    let learnt = [
        trained.evaluation(&game.rules, vocabulary).expect("the same game"),
        trained.untrained(&game.rules, vocabulary).expect("the same game"),
    ];
    assert_ne!(learnt[0], learnt[1]);
    let sides =
        learnt.map(|evaluation| Side { method: Method::Pvs(Arc::new(evaluation)), ..Side::default() });
    let mut points = 0.0;
    let pairs = 20;
    for pair in 0..pairs {
        for places in [[0, 1], [1, 0]] {
            // Another chance than that of the training.
            let effort = Effort::Iterations(300);
            let played = Match { effort, opening: 4, seed: 1000 + 77 * pair, lanes: None };
            let goals = played.play(&mut *engine.worker(), &sides, &places, &mut || false);
            let goals = goals.expect("the network has no limits").expect("nobody broke it off");
            points += f64::from(goals[places[0]]) / 100.0;
        }
    }
    // Of forty matches of equals twenty-seven and more would be won once in fifty times.
    assert!(points >= 27.0, "{points} of {}", 2 * pairs);
}

#[test]
fn what_was_trained_is_played_by_unless_the_tree_beats_it() {
    let (game, engine) = load("breakthrough");
    let mut training = begin(&game, &engine, 1);
    rounds(&mut training, 1);
    let text = training.trained().to_string();
    let is_played_by = |text: &str, seconds: f64| {
        let trained = Trained::parse(text).expect("it has a checksum");
        let trained = trained.evaluation(&game.rules, engine.vocabulary()).expect("the same game");
        let time = Time::processor(Duration::from_secs_f64(seconds));
        let found = learn(&engine, &mut || None, &Default::default(), Some(trained), 1, &time);
        let (side, _) = found.expect("no limits").expect("breakthrough is not small");
        matches!(side.method, Method::Pvs(_))
    };
    // There is no time for a match.
    assert!(is_played_by(&text, 0.0));
    // Who takes every gain for a loss is beaten by any tree.
    let turned = |line: &str| match line.splitn(4, ' ').collect::<Vec<_>>()[..] {
        ["fluent", weight, material, name] => {
            let [weight, material] = [weight, material].map(|text| -text.parse::<i64>().expect("a weight"));
            format!("fluent {weight} {material} {name}\n")
        }
        ["pair", ..] => String::new(),
        _ => format!("{line}\n"),
    };
    let body: String = text.rsplit_once("checksum ").expect("a checksum").0.lines().map(turned).collect();
    assert!(!is_played_by(&signed(&body), 6.0));
}

/// What a malicious hand writes, with a checksum that is right.
fn signed(body: &str) -> String {
    let sum = ludex::logic::endgame::file::checksum(body.as_bytes(), 19);
    format!("{body}checksum {sum:016x}\n")
}

#[test]
fn what_comes_out_depends_on_the_seed_and_the_rounds_and_on_nothing_else() {
    let (game, engine) = load("connectfour4x4");
    let text = |threads| {
        let mut training = begin(&game, &engine, threads);
        rounds(&mut training, 2);
        training.trained().to_string()
    };
    assert_eq!(text(1), text(3));
}

#[test]
fn a_training_that_was_interrupted_goes_on_where_it_was() {
    let (game, engine) = load("connectfour4x4");
    let file = Scratch::new("resume");
    let mut training = begin(&game, &engine, 1);
    rounds(&mut training, 1);
    training.trained().write(&file.0).expect("it can be written");
    let first = training.trained().clone();
    // The round that is interrupted leaves nothing behind.
    let mut asked = std::sync::atomic::AtomicU32::new(0);
    let is_over = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 500;
    assert_eq!(training.round(&|| 1.0, &is_over).expect("no limit"), None);
    assert!(*asked.get_mut() > 500);
    assert_eq!(*training.trained(), first);
    drop(training);
    let kept = Trained::read(&file.0).expect("it was written");
    assert_eq!(kept, first);
    let mut resumed = Training::resume(&engine, &game.rules, kept, SETTINGS).expect("the same game");
    rounds(&mut resumed, 1);
    let after = resumed.trained();
    assert_eq!((after.rounds, after.games, after.seconds), (2, 240, first.seconds + 1.0));
    assert_eq!(after.lessons[..1], first.lessons[..]);
    assert_eq!(after.lessons[1].round, 2);
    // What was known before the first round stays what points are counted against.
    let untrained =
        |trained: &Trained| trained.untrained(&game.rules, engine.vocabulary()).expect("the same game");
    assert_eq!(untrained(after), untrained(&first));
}

#[test]
fn a_game_of_other_rules_or_roles_is_refused() {
    let (game, engine) = load("connectfour4x4");
    let trained = begin(&game, &engine, 1).trained().clone();
    let (other, engine) = load("connectfour5x4");
    assert!(matches!(trained.evaluation(&other.rules, engine.vocabulary()), Err(FileError::Foreign)));
    let resumed = Training::resume(&engine, &other.rules, trained, SETTINGS);
    assert!(matches!(resumed, Err(TrainingError::File(FileError::Foreign))));
    for name in ["eightpuzzle", "threeway"] {
        let (game, engine) = load(name);
        let begun = Training::begin(&engine, &game.rules, 1, SETTINGS, &|| false);
        assert!(matches!(begun, Err(TrainingError::Unfit(_))), "{name}");
    }
    let (game, engine) = load("connectfour4x4");
    let late = Training::begin(&engine, &game.rules, 1, SETTINGS, &|| true);
    assert!(matches!(late, Err(TrainingError::NoTime)));
}

#[test]
fn files_that_are_not_what_was_written_are_refused() {
    let (game, engine) = load("connectfour4x4");
    let mut training = begin(&game, &engine, 1);
    rounds(&mut training, 1);
    let text = training.trained().to_string();
    assert_eq!(Trained::parse(&text).expect("it was just written").to_string(), text);
    // A letter changed anywhere, and a part of it.
    let mut random = Random::new(9);
    for _ in 0..300 {
        let mut bytes = text.clone().into_bytes();
        let at = random.below(bytes.len());
        bytes[at] = bytes[at].wrapping_add(1 + random.below(90) as u8) & 0x7F;
        if bytes != text.as_bytes() {
            let changed = String::from_utf8(bytes).expect("seven bits");
            assert!(Trained::parse(&changed).is_err(), "byte {at}");
        }
        assert!(Trained::parse(&text[..at]).is_err(), "{at} bytes");
    }
    let body = text.rsplit_once("checksum ").expect("a checksum").0;
    let signed = |body: &str| Trained::parse(&signed(body));
    assert!(signed(body).is_ok());
    let first_fluent = body.find("fluent ").expect("a weight");
    let hostile = [
        ("evaluation ", "evaluation unheard-of 1 0.5 0\nevaluation "),
        ("seconds ", "seconds -inf "),
        ("trained ", "trained 99999999999999999999 "),
        ("rules ", "rules zz"),
        ("lesson 1 ", "lesson nan "),
        ("fluent ", "pair 5 4000000000 4000000001\nfluent "),
        ("fluent ", "pair 5 0 0\nfluent "),
        ("fluent ", "fluent 2000000 0 (cell 1 1 red)\nfluent "),
        ("fluent ", "fluent NaN 0 (cell 1 1 red)\nfluent "),
        ("fluent ", "nothing\nfluent "),
    ];
    for (from, to) in hostile {
        assert!(signed(&body.replacen(from, to, 1)).is_err(), "{to}");
    }
    let unknown = format!("{}fluent 5 5 (unheard of)\n{}", &body[..first_fluent], &body[first_fluent..]);
    let unknown = signed(&unknown).expect("names are looked at with the game");
    let bound = unknown.untrained(&game.rules, engine.vocabulary());
    assert!(matches!(bound, Err(FileError::UnknownFluent(name)) if name == "(unheard of)"));
    assert!(matches!(Trained::parse(""), Err(FileError::NoEvaluation)));
    assert!(matches!(Trained::read(&Scratch::new("none").0), Err(FileError::Io(_))));
}
