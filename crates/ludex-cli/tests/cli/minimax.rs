//! `ludex minimax`: counts and values known from elsewhere, in every encoding.

use crate::{bundled, ludex};
use serde_json::{Value, json};

const ENCODINGS: [&str; 5] = ["original", "direct", "pruned", "relevant", "auto"];

fn minimax(arguments: &[&str]) -> Value {
    let run = ludex(&[&["minimax", "--json"], arguments].concat()).ends_with(0);
    let mut lines = run.json();
    assert_eq!(lines.len(), 1, "{}", run.out);
    lines.remove(0)
}

#[test]
fn the_keys_are_those_that_scripts_rely_on() {
    let answer = minimax(&["tictactoe", "--depth", "2", "--engine", "datalog", "--encoding", "pruned"]);
    let keys: Vec<&String> = answer.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["game", "engine", "encoding", "depth", "states", "seconds", "value"]);
    assert_eq!(answer["game"], "tictactoe");
    assert_eq!(answer["engine"], "datalog");
    assert_eq!(answer["encoding"], "pruned");
    assert_eq!(answer["depth"], 2);
    assert_eq!(answer["states"], 1 + 9 + 72);
    assert!(answer["seconds"].is_f64());
    assert_eq!(answer["value"], Value::Null, "two moves decide nothing");
}

/// The whole tree of Tic-Tac-Toe has 549,946 nodes, and nobody wins. With won boards played on it has the sum of
/// 9!/(9-n)! for n up to 9.
#[test]
fn tic_tac_toe_is_searched_in_full() {
    let answer = minimax(&["tictactoe", "--depth", "9"]);
    assert_eq!((&answer["states"], &answer["value"]), (&json!(549_946), &json!(50)));
    let answer = minimax(&["tictactoe", "--depth", "9", "--ignore-terminal", "--encoding", "relevant"]);
    assert_eq!((&answer["states"], &answer["value"]), (&json!(986_410), &json!(50)));
}

#[test]
fn every_encoding_visits_the_same_states() {
    for game in bundled() {
        let [expected, others @ ..] = ENCODINGS.map(|encoding| {
            let answer = minimax(&[&game, "--depth", "2", "--engine", "datalog", "--encoding", encoding]);
            (answer["states"].clone(), answer["value"].clone())
        });
        for (encoding, found) in ENCODINGS[1..].iter().zip(others) {
            assert_eq!(found, expected, "{game} {encoding}");
        }
    }
}

#[test]
fn the_answer_can_be_read() {
    let text = ludex(&["minimax", "tictactoe", "--depth", "1", "--encoding", "auto"]).ends_with(0).out;
    assert!(text.contains("states  10\n") && text.contains("value   not decided for x\n"), "{text}");
}

#[test]
fn misuse_is_told_apart() {
    ludex(&["minimax", "tictactoe"]).ends_with(2);
    ludex(&["minimax", "tictactoe", "--depth", "2", "--encoding", "best"]).ends_with(2);
    ludex(&["minimax", "tictactoe", "--depth", "-1"]).ends_with(2);
}
