//! Help and versions.

use crate::{bundled, ludex};

#[test]
fn every_command_explains_itself_with_examples() {
    let overview = ludex(&["--help"]).ends_with(0).out;
    let commands: &[&[&str]] = &[
        &["check"],
        &["print"],
        &["perft"],
        &["simulate"],
        &["replay"],
        &["bench"],
        &["frame"],
        &["minimax"],
        &["prove"],
        &["endgame"],
        &["endgame", "build"],
        &["endgame", "query"],
        &["endgame", "info"],
        &["solve"],
        &["play"],
        &["player"],
        &["match"],
        &["debug"],
        &["debug", "tree"],
        &["debug", "rules"],
        &["debug", "strata"],
        &["debug", "domains"],
        &["debug", "propnet"],
        &["debug", "proofs"],
        &["endgame"],
        &["endgame", "build"],
        &["endgame", "query"],
        &["endgame", "info"],
        &["solve"],
        &["debug", "lanes"],
        &["games"],
    ];
    for command in commands {
        assert!(overview.contains(command[0]), "{command:?} is not in the overview");
        for flag in ["--help", "-h"] {
            let mut arguments = command.to_vec();
            arguments.push(flag);
            let help = ludex(&arguments).ends_with(0).out;
            assert!(help.contains("Usage:"), "{command:?}: {help}");
            assert!(help.contains("EXAMPLES:"), "{command:?}: {help}");
            assert!(help.contains(&format!("ludex {}", command.join(" "))), "{command:?}: {help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{command:?}: {help}");
        }
    }
}

#[test]
fn the_version_is_the_package_s() {
    let expected = format!("ludex {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ludex(&["--version"]).ends_with(0).out, expected);
}

#[test]
fn the_bundled_games_are_listed() {
    assert!(bundled().contains(&"tictactoe".to_owned()));
    let run = ludex(&["games"]).ends_with(0);
    assert!(run.out.lines().any(|line| line.starts_with("tictactoe ") && line.ends_with(" Tic-Tac-Toe")));
    let listed = ludex(&["games", "--json"]).ends_with(0).json();
    assert_eq!(listed.len(), bundled().len());
    assert!(listed.iter().all(|game| game["game"].is_string() && game["title"].is_string()));
}
