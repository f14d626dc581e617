//! Arguments that make no sense, files that are not there, pipes that close.

use crate::{Scratch, ludex};
use std::io::Read;
use std::process::{Command, Stdio};

#[test]
fn arguments_that_make_no_sense_end_with_two() {
    let wrong: [&[&str]; 18] = [
        &[],
        &["nonsense"],
        &["check"],
        &["check", "tictactoe", "--nonsense"],
        &["print", "tictactoe", "--as", "latin"],
        &["perft", "tictactoe"],
        &["perft", "tictactoe", "--depth", "0"],
        &["perft", "tictactoe", "--depth", "-1"],
        &["perft", "tictactoe", "--depth", "2", "--engine", "steam"],
        &["simulate", "tictactoe", "--seed", "x"],
        &["replay", "tictactoe"],
        &["bench", "tictactoe", "--seconds", "0"],
        &["bench", "tictactoe", "--seconds", "nan"],
        &["debug", "dreams", "tictactoe"],
        &["debug", "tree"],
        &["web", "--bind", "0.0.0.0"],
        &["web", "--token", "short"],
        &["web", "--games", "no-such-folder"],
    ];
    for arguments in wrong {
        let run = ludex(arguments).ends_with(2);
        assert!(run.out.is_empty(), "{arguments:?}: {}", run.out);
        assert!(!run.err.is_empty(), "{arguments:?} fails in silence");
    }
}

#[test]
fn missing_games_end_with_two_and_a_suggestion() {
    let commands: [&[&str]; 9] = [
        &["check", "tictactoo"],
        &["print", "tictactoo"],
        &["perft", "tictactoo", "--depth", "1"],
        &["simulate", "tictactoo"],
        &["bench", "tictactoo"],
        &["debug", "tree", "tictactoo"],
        &["debug", "rules", "tictactoo"],
        &["debug", "strata", "tictactoo"],
        &["debug", "domains", "tictactoo"],
    ];
    for arguments in commands {
        let run = ludex(arguments).ends_with(2);
        assert!(run.err.contains("did you mean `tictactoe`?"), "{arguments:?}: {}", run.err);
    }
    let folder = std::env::temp_dir();
    let run = ludex(&["check", folder.to_str().expect("a plain path")]).ends_with(2);
    assert!(run.err.contains("is a folder"), "{}", run.err);
}

#[test]
fn rules_with_errors_end_with_one_and_show_the_place() {
    let broken = Scratch::new("broken-rules.kif", "(role x)\n(<= (legal x ?m) (true (on ?n)))\n");
    let commands: [&[&str]; 7] = [
        &["print"],
        &["perft", "--depth", "1"],
        &["simulate"],
        &["bench"],
        &["debug", "rules"],
        &["debug", "strata"],
        &["debug", "domains"],
    ];
    for command in commands {
        let arguments = [command, &[broken.path()]].concat();
        let run = ludex(&arguments).ends_with(1);
        assert!(run.err.contains("error: the rules of "), "{arguments:?}: {}", run.err);
        assert!(run.err.contains("unsafe-variable"), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(":2:"), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["debug", "tree", "reversi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut first = [0; 10];
    child.stdout.take().expect("piped").read_exact(&mut first).expect("there is an answer");
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn files_win_over_bundled_games_and_may_have_any_ending() {
    let sheet = Scratch::new("own.rules", "(role me)");
    let run = ludex(&["check", sheet.path(), "--json"]).ends_with(0);
    let name = run.json()[0]["game"].as_str().expect("a name").to_owned();
    assert!(name.ends_with("own"), "{name}");
}
