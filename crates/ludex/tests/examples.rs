//! The examples run, and say what they should.

use std::path::PathBuf;
use std::process::Command;

/// What an example prints. Cargo builds the examples before the tests, beside them, unless it is told to
/// build this test alone; then it fails, since a test that runs nothing must not pass.
fn example(name: &str, arguments: &[&str]) -> String {
    let own = std::env::current_exe().expect("a test knows its own path");
    let folder: PathBuf = own.ancestors().nth(2).expect("target/<profile>/deps").join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.is_file(), "{} was not built: run `cargo build -p ludex --examples` before", path.display());
    let output = Command::new(path).args(arguments).output().expect("the example starts");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("examples print UTF-8")
}

#[test]
fn play_random_ends_with_goals() {
    let out = example("play_random", &["tictactoe", "7"]);
    let goals: Vec<&str> = out.lines().rev().take(2).collect();
    assert!(goals[0].starts_with("o gets ") && goals[1].starts_with("x gets "), "{out}");
    assert!(out.starts_with("  1  (mark "), "{out}");
}

#[test]
fn compare_engines_covers_every_game_and_engine() {
    let out = example("compare_engines", &["2"]);
    assert_eq!(out.lines().count(), 1 + ludex::games::ALL.len() * ludex::engines::ALL.len(), "{out}");
    assert!(out.lines().any(|line| line.starts_with("tictactoe") && line.contains(" 72 ")), "{out}");
}

#[test]
fn know_a_game_tells_what_is_known_of_nim() {
    let out = example("know_a_game", &["nim"]);
    // 1 xor 3 xor 5 xor 7 is 0, so who begins loses.
    for line in ["the players take turns", "terminates: holds", "alice gets 0 within", "bob gets 100 within"]
    {
        assert!(out.lines().any(|other| other.starts_with(line)), "no `{line}` in\n{out}");
    }
}
