//! `ludex stats`: figures that are known from elsewhere.

use crate::{Scratch, ludex};
use serde_json::Value;

fn stats(arguments: &[&str]) -> Value {
    let arguments = [&["stats"], arguments, &["--json"]].concat();
    ludex(&arguments).ends_with(0).json().swap_remove(0)
}

/// Whether a known share lies in an interval twice as wide as the one given: 95 % is too few for a test.
fn agrees(share: &Value, known: f64) -> bool {
    let [low, high] = ["low", "high"].map(|key| share[key].as_f64().expect("a number"));
    let wider = (high - low) / 2.0;
    low - wider <= known && known <= high + wider
}

/// Random tic-tac-toe, by hand-written enumeration with the probability of each line: x wins 737/1260, o 121/420, and 8/63
/// are drawn. There are 5478 states (46,080 to 255,168 lines), 255,168 lines of play, and the value is a draw.
#[test]
fn tic_tac_toe_is_as_published() {
    let stats = stats(&["tictactoe", "--games", "200000"]);
    assert_eq!(stats["engine"], "lanes");
    assert_eq!(stats["games"], 200_000);
    assert!(agrees(&stats["roles"][0]["wins"], 737.0 / 1260.0), "{}", stats["roles"]);
    assert!(agrees(&stats["roles"][1]["wins"], 121.0 / 420.0), "{}", stats["roles"]);
    assert!(agrees(&stats["drawishness"], 8.0 / 63.0), "{}", stats["drawishness"]);
    assert_eq!(stats["first_mover"]["role"], "x");
    assert_eq!(stats["states"]["exact"], 5478);
    let lines = stats["lines"].as_f64().expect("all games end");
    assert!((lines - 255_168f64.log10()).abs() < 0.02, "{lines}");
    assert_eq!(stats["values"]["roles"][0]["value"], 50);
    let duration = &stats["duration"];
    assert_eq!((&duration["shortest"], &duration["longest"]), (&Value::from(5), &Value::from(9)));
    let counted: u64 =
        duration["histogram"].as_array().expect("lengths").iter().filter_map(|l| l["games"].as_u64()).sum();
    assert_eq!(counted, 200_000);
    // One state of nine free cells, then nine, then 9 * 8.
    let states: Vec<u64> = (0..3).filter_map(|ply| stats["plies"][ply]["states"].as_u64()).collect();
    assert_eq!(states, [1, 9, 72]);
    assert_eq!(stats["plies"][1]["branching"], 8.0);
}

/// A simulator of a few lines in Python, with no rules but its own, had the first player win 55.61 % of 600,000 games and
/// 21.31 discs a game.
#[test]
fn connect_four_agrees_with_another_simulator() {
    let stats = stats(&["connectfour"]);
    assert_eq!(stats["games"], 1_000_000);
    let wins = &stats["first_mover"]["wins"];
    let own = wins["share"].as_f64().expect("a share");
    let wide = 3.0 * (0.5561 * 0.4439 / 600_000f64).sqrt() * 1.4;
    assert!((own - 0.5561).abs() < wide, "{wins}");
    let turns = stats["duration"]["turns"]["mean"].as_f64().expect("a mean");
    assert!((turns - 21.31).abs() < 0.1, "{turns}");
}

/// Every engine plays the same game: one by one as 512 at a time. A game that may not end is told.
#[test]
fn games_that_are_broken_off_are_told() {
    let stats = stats(&["eightpuzzle", "--games", "50", "--sample", "50", "--steps", "5"]);
    assert_eq!(stats["timeouts"]["count"], 50);
    assert_eq!(stats["ended"]["count"], 0);
    assert_ne!(stats["engine"], "lanes", "lanes do not tell broken off games from others");
    assert!(stats["lines"].is_null() && stats["first_mover"].is_null());
}

/// Whoever is to move takes the last stick.
#[test]
fn statistics_of_a_position() {
    let state = "(heap a 0) (heap b 0) (heap c 1) (heap d 0) (control bob)";
    let stats = stats(&["nim", "--games", "1000", "--state", state]);
    assert_eq!(stats["roles"][1]["wins"]["share"], 1.0);
    assert_eq!(stats["duration"]["turns"]["mean"], 1.0);
    assert_eq!(stats["decision_moves"]["count"], 0);
    assert_eq!(stats["states"]["exact"], 2);
}

#[test]
fn skill_pays_in_tic_tac_toe() {
    let stats = stats(&["tictactoe", "--games", "1000", "--skill", "1.5", "--weak", "1", "--strong", "300"]);
    let wins = &stats["skill"]["mixed"]["wins"];
    let [won, lost] = [0, 1].map(|at: usize| wins[at]["share"].as_f64().expect("a share"));
    assert!(won > lost + 0.2, "{}", stats["skill"]);
}

#[test]
fn pictures_are_drawn() {
    let file = Scratch::new("stats.svg", "");
    ludex(&["stats", "nim", "--games", "1000", "--plot", file.path()]).ends_with(0);
    let picture = std::fs::read_to_string(file.path()).expect("it was written");
    assert!(picture.starts_with("<svg") && picture.contains("length of 1000 random games"), "{picture}");
    let run = ludex(&["stats", "nim", "--games", "10", "--plot", "no/such/folder/x.svg"]).ends_with(2);
    assert!(run.err.contains("cannot be written"), "{}", run.err);
}
