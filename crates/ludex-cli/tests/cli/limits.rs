//! A limit that is met in play never looks like an answer: every command that plays names it and ends with 1.

use crate::play::Player;
use crate::{Scratch, ludex, ludex_with_input};

/// Steps that the engines may take: enough to build them, less than the late state needs.
const FEW: &str = "20000";

/// How every command says it.
const SENTENCE: &str = "more than 20000 steps";

/// The places of the chain.
const PLACES: usize = 300;

/// A walk of `end` steps with two moves that do the same. At step `late` whether the game is over takes the transitive
/// closure of a chain of 300 places, 44,850 pairs; elsewhere nothing.
fn sheet(late: usize, end: usize) -> String {
    let facts = |name: &str, count: usize| -> String {
        (0..count).map(|at| format!("({name} {at} {})\n", at + 1)).collect()
    };
    format!(
        "(role robot) (init (step 0)) (legal robot go) (legal robot hop)
         {}{}
         (<= (next (step ?y)) (true (step ?x)) (after ?x ?y))
         (<= (way ?x ?y) (true (step {late})) (edge ?x ?y))
         (<= (way ?x ?z) (way ?x ?y) (edge ?y ?z))
         (<= terminal (way ?x ?x))
         (<= terminal (true (step {end})))
         (<= (goal robot 100) (true (step {end})))
         (<= (goal robot 0) (not (true (step {end}))))",
        facts("after", end),
        facts("edge", PLACES - 1),
    )
}

/// Runs the command, which must fail with the sentence on standard error.
#[track_caller]
fn meets_the_limit(arguments: &[&str], place: &str) {
    let run = ludex_with_input(&[arguments, &["--most-steps", FEW]].concat(), &b"1\n".repeat(40));
    let run = run.ends_with(1);
    assert!(run.err.contains(SENTENCE), "{arguments:?}: {}\n{}", run.err, run.out);
    assert!(run.err.contains(place), "{arguments:?}: {}", run.err);
    assert!(!run.out.contains("goals: robot"), "{arguments:?}: {}", run.out);
}

#[test]
fn every_command_that_plays_names_the_limit_and_the_place() {
    let game = Scratch::new("limits.kif", sheet(20, 30));
    let game = game.path();
    let record = Scratch::new("limits.jsonl", "");
    // Without the bound the same game comes to its end.
    let whole = ludex(&["simulate", game, "--seed", "1", "--json"]).ends_with(0).out;
    assert_eq!(whole.lines().count(), 1 + 31, "a header and all states");
    std::fs::write(record.path(), whole).expect("a file for the record");
    for engine in ["auto", "tree", "datalog"] {
        meets_the_limit(&["simulate", game, "--seed", "1", "--engine", engine], "step 20");
        meets_the_limit(&["replay", game, record.path(), "--engine", engine], "playout 0, step 20");
        meets_the_limit(&["perft", game, "--depth", "25", "--engine", engine], "depth 21");
        meets_the_limit(&["perft", game, "--depth", "25", "--divide", "--engine", engine], "depth 25");
        meets_the_limit(&["bench", game, "--seconds", "0.1", "--engine", engine], "random match");
        meets_the_limit(&["match", game, "random", "--engine", engine], "step 20");
        meets_the_limit(&["solve", game, "--engine", engine], "a reachable state");
    }
    // Two moves at each of twenty steps are too many for a search without memory.
    let short = Scratch::new("limits-short.kif", sheet(3, 5));
    for engine in ["auto", "tree"] {
        meets_the_limit(&["minimax", short.path(), "--depth", "4", "--engine", engine], "within depth 4");
    }
    meets_the_limit(&["play", game, "--threads", "1", "--memory", "50"], "step 20");
    meets_the_limit(&["match", game, "random", "--matches", "2", "--engine", "tree"], "step 20");
}

#[test]
fn the_speed_contest_gets_the_limit_in_its_file() {
    let game = Scratch::new("limits-contest.kif", sheet(20, 30));
    let result = Scratch::new("limits-contest.txt", "");
    let contract = ["bench", "--gdl-perf", game.path(), result.path(), "0.2", "--most-steps", FEW];
    ludex(&contract).ends_with(1);
    let written = std::fs::read_to_string(result.path()).expect("it was written");
    assert!(written.contains("errorMessage = ") && written.contains(SENTENCE), "{written}");
    assert!(!written.contains("numRollouts"), "{written}");
}

#[test]
fn proofs_and_end_games_name_the_limit() {
    let game = Scratch::new("limits-end.kif", sheet(20, 30));
    let proved = ludex(&["prove", game.path(), "terminates", "--most-steps", FEW]).ends_with(1);
    assert!(proved.out.contains("unknown") && proved.out.contains(SENTENCE), "{}", proved.out);
    let file = Scratch::new("limits.end", "");
    let build = ["endgame", "build", game.path(), "-o", file.path()];
    let failed = ludex(&[&build[..], &["--most-steps", FEW]].concat()).ends_with(1);
    assert!(failed.err.contains(SENTENCE), "{}", failed.err);
    ludex(&build).ends_with(0);
    let query = ["endgame", "query", file.path(), "--state", "(step 20)"];
    ludex(&query).ends_with(0);
    meets_the_limit(&query, "the state and its successors");
}

#[test]
fn a_player_that_meets_the_limit_still_moves_and_says_why() {
    let game = Scratch::new("limits-player.kif", sheet(2, 4));
    let mut player = Player::start(&["-v", "--threads", "1", "--memory", "50", "--most-steps", FEW]);
    let clocks = ["--startclock", "5", "--playclock", "1"];
    let command = [&["match", game.path(), &player.address, "--json"], &clocks[..]].concat();
    let line = ludex(&command).ends_with(0).json().remove(0);
    assert_eq!(line["errors"], serde_json::json!([]), "{line}");
    let told = player.told();
    assert!(told.contains("the search has ended: ") && told.contains(SENTENCE), "{told}");
    assert!(!told.contains("no move"), "{told}");
}

#[test]
fn commands_that_only_look_at_the_rules_keep_their_time_too() {
    // So little time is over when the sheet has been read.
    for command in [
        &["frame", "tictactoe"][..],
        &["print", "tictactoe"],
        &["print", "--as", "aiger", "tictactoe"],
        &["debug", "propnet", "tictactoe"],
        &["debug", "proofs", "tictactoe"],
        &["debug", "domains", "tictactoe"],
        &["debug", "strata", "tictactoe"],
        &["draw", "tictactoe"],
        &["count", "tictactoe"],
        &["replay", "tictactoe", "Cargo.toml"],
        &["minimax", "tictactoe", "--depth", "1"],
        &["stats", "tictactoe"],
    ] {
        let run = ludex(&[command, &["--time", "0.000001"]].concat()).ends_with(1);
        assert!(run.err.contains("more than 0.0 s"), "{command:?}: {}", run.err);
    }
}
