//! `ludex solve`: values that are known from elsewhere.

use crate::{Scratch, ludex};
use std::process::{Command, Stdio};

#[test]
fn tic_tac_toe_is_drawn() {
    let line = ludex(&["solve", "tictactoe", "--json"]).ends_with(0).json().remove(0);
    assert_eq!((&line["states"], &line["ends"]), (&5478.into(), &958.into()), "{line}");
    assert_eq!(line["exact"], true, "{line}");
    for role in ["x", "o"] {
        assert_eq!(line["roles"][role]["value"], 50, "{line}");
    }
    assert_eq!(line["roles"]["x"]["moves"].as_array().map(Vec::len), Some(9), "{line}");
}

#[test]
fn a_solution_can_be_asked() {
    let file = Scratch::new("nim-solved.end", "");
    let text = ludex(&["solve", "nim", "-o", file.path()]).ends_with(0).out;
    assert!(text.contains("bob gets 100"), "{text}");
    let info = ludex(&["endgame", "info", file.path()]).ends_with(0).out;
    assert!(info.starts_with("solution to depth 16, complete\n  752 states"), "{info}");
    // One heap of two: whoever moves takes both.
    let state = "(heap a 0) (heap b 2) (heap c 0) (heap d 0) (control bob)";
    let run = ludex(&["endgame", "query", file.path(), "--state", state, "--role", "bob", "--json"]);
    let answer = run.ends_with(0).json().remove(0);
    assert_eq!(answer["moves"]["bob"], serde_json::json!(["(take b 2)"]), "{answer}");
    assert_eq!(answer["entries"].as_array().map(Vec::len), Some(3), "{answer}");
}

#[test]
fn simultaneous_games_say_what_the_values_are() {
    let text = ludex(&["solve", "rockpaperscissors", "--threads", "1"]).ends_with(0).out;
    assert!(text.contains("what each role can force alone"), "{text}");
}

#[test]
fn a_game_that_does_not_fit_is_an_answer() {
    let run = ludex(&["solve", "tictactoe", "--states", "1000"]).ends_with(1);
    assert!(run.err.contains("more than 1000 reachable states"), "{}", run.err);
}

#[test]
fn a_solution_on_disk_says_the_same_and_can_be_asked() {
    let folder = std::env::temp_dir().join(format!("ludex-cli-solved-{}", std::process::id()));
    let path = folder.to_str().expect("a plain name");
    let mut in_memory = ludex(&["solve", "nim", "--json"]).ends_with(0).json().remove(0);
    let mut on_disk = ludex(&["solve", "nim", "--store", path, "--json"]).ends_with(0).json().remove(0);
    for line in [&mut in_memory, &mut on_disk] {
        line["seconds"] = 0.into();
        line["engine"] = "".into();
    }
    assert_eq!(in_memory, on_disk);
    // One heap of two: whoever moves takes both.
    let state = "(heap a 0) (heap b 2) (heap c 0) (heap d 0) (control bob)";
    let run = ludex(&["endgame", "query", path, "--state", state, "--role", "bob", "--json"]);
    let answer = run.ends_with(0).json().remove(0);
    assert_eq!(answer["moves"]["bob"], serde_json::json!(["(take b 2)"]), "{answer}");
    // Told, with lookups; and for a player, who opens it before the first move.
    let text = ludex(&["endgame", "info", path, "--lookups", "1000"]).ends_with(0).out;
    assert!(text.starts_with("solution of 752 states") && text.contains("a lookup takes"), "{text}");
    let play_game = |game: &str, place: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(["play", game, "--threads", "1", "--solved", place]).stdin(Stdio::null());
        command.output().expect("it starts")
    };
    let play = |place: &str| play_game("nim", place);
    assert_eq!(play(path).status.code(), Some(0));
    let foreign = play_game("tictactoe", path);
    let err = String::from_utf8_lossy(&foreign.stderr);
    assert!(foreign.status.code() == Some(1) && err.contains("is of other rules"), "{err}");
    let missing = play(&format!("{path}.missing"));
    assert_eq!(missing.status.code(), Some(2), "{}", String::from_utf8_lossy(&missing.stderr));
    let again = ludex(&["solve", "nim", "--store", path]).ends_with(1);
    assert!(again.err.contains("is not empty"), "{}", again.err);
    ludex(&["solve", "--resume", path]).ends_with(0);
    std::fs::remove_dir_all(&folder).expect("it is there");
}

#[test]
fn what_a_role_can_force_comes_with_a_strategy_that_can_be_checked() {
    let file = Scratch::new("draw.strategy", "");
    let text = ludex(&["solve", "tictactoe", "--strategy", "o", "50", "-o", file.path()]).ends_with(0).out;
    assert!(text.starts_with("tictactoe: o can force at least 50\n"), "{text}");
    let text = ludex(&["solve", "tictactoe", "--check", file.path()]).ends_with(0).out;
    assert!(text.starts_with("tictactoe: o can force at least 50, as "), "{text}");
    // The strategy of another game, a role that is none, and a file that is no strategy.
    let run = ludex(&["solve", "nim", "--check", file.path()]).ends_with(1);
    assert!(run.err.contains("other rules"), "{}", run.err);
    let run = ludex(&["solve", "tictactoe", "--strategy", "oo", "50"]).ends_with(2);
    assert!(run.err.contains("there is no role `oo`"), "{}", run.err);
    let other = Scratch::new("other.strategy", "no strategy");
    let run = ludex(&["solve", "tictactoe", "--check", other.path()]).ends_with(1);
    assert!(run.err.contains("is damaged"), "{}", run.err);
    // After the centre was given away for nothing it is another game.
    let text = ludex(&["solve", "tictactoe", "--strategy", "x", "100"]).ends_with(1).out;
    assert!(text.starts_with("tictactoe: x cannot force at least 100\n"), "{text}");
    let moves = "mark 1 1; mark 1 2";
    let text = ludex(&["solve", "tictactoe", "--strategy", "x", "100", "--moves", moves]).ends_with(0).out;
    assert!(text.starts_with("tictactoe: x can force at least 100\n"), "{text}");
}
