//! `--state` and `--moves`: commands that begin elsewhere. Counts and values are worked out by hand.

use crate::{ludex, ludex_with_input};

fn nodes(arguments: &[&str]) -> Vec<u64> {
    let arguments = [&["perft", "tictactoe", "--depth", "3", "--json"], arguments].concat();
    let lines = ludex(&arguments).ends_with(0).json();
    lines.iter().map(|line| line["nodes"].as_u64().expect("a count")).collect()
}

/// Seven cells are free after two marks; nobody can have three in a row before the fifth.
#[test]
fn a_position_is_given_in_every_dress() {
    let state = "cell(1,1,x), cell(1,2,b), cell(1,3,b), cell(2,1,b), cell(2,2,o), cell(2,3,b), cell(3,1,b), \
                 cell(3,2,b), cell(3,3,b), control(x)";
    for arguments in [
        &["--moves", "mark 1 1; mark 2 2"][..],
        &["--moves", "(mark 1 1) noop; noop mark(2,2)"],
        &["--moves", r#"[["(mark 1 1)","noop"],"(mark 2 2)"]"#],
        &["--state", state],
        &["--state", &state.replace("control(x)", "control(o)").replace(",o)", ",b)"), "--moves", "mark 2 2"],
    ] {
        assert_eq!(nodes(arguments), [7, 42, 210], "{arguments:?}");
    }
}

/// What a command prints as a state another takes.
#[test]
fn states_go_from_one_command_to_another() {
    let played = ludex(&["simulate", "tictactoe", "--moves", "mark 1 1", "--steps", "1", "--json"]);
    let last = played.ends_with(0).json().pop().expect("a step");
    assert_eq!(nodes(&["--state", &last["state"].to_string()]), [7, 42, 210]);
    let run = ludex_with_input(
        &["perft", "tictactoe", "--depth", "1", "--state", "-", "--json"],
        last["state"].to_string().as_bytes(),
    );
    assert_eq!(run.ends_with(0).json()[0]["nodes"], 7);
}

/// Whoever takes the last stick wins: two heaps of one are lost for who is to move.
#[test]
fn what_is_solved_and_proved_is_so_from_there_on() {
    let state = "(heap a 1) (heap b 1) (heap c 0) (heap d 0) (control bob)";
    let solved = ludex(&["solve", "nim", "--state", state, "--json"]).ends_with(0).json();
    assert_eq!(solved[0]["roles"]["bob"]["value"], 0);
    assert_eq!(solved[0]["roles"]["alice"]["value"], 100);
    // Somewhere d has sticks, but not from there on.
    for (arguments, status) in [(&["prove", "nim", "true(heap(d,0))"][..], 1), (&["--state", state], 0)] {
        let all = if status == 0 {
            [&["prove", "nim", "true(heap(d,0))"][..], arguments].concat()
        } else {
            arguments.to_vec()
        };
        ludex(&all).ends_with(status);
    }
}

#[test]
fn matches_and_benches_begin_there() {
    let moves = "mark 1 1; mark 2 1; mark 1 2; mark 2 2";
    let played =
        ludex(&["match", "tictactoe", "random", "random", "--moves", moves, "--json"]).ends_with(0).json();
    assert!(played[0]["steps"].as_u64() <= Some(5), "{played:?}");
    let bench =
        ludex(&["bench", "tictactoe", "--moves", moves, "--seconds", "0.01", "--json"]).ends_with(0).json();
    let [playouts, moves] = ["playouts", "transitions"].map(|key| bench[0][key].as_u64().expect("a count"));
    assert!(moves <= 5 * (playouts + 1), "{bench:?}");
    let shown = ludex_with_input(&["play", "tictactoe", "--moves", "mark 1 1; mark 2 2"], b"history\nquit\n");
    assert!(shown.ends_with(0).out.contains("no move has been made"));
}

#[test]
fn what_cannot_be_is_refused_with_the_near_miss() {
    for (arguments, reason) in [
        (["--state", "(cell 1 1 q) (control x)"], "did you mean `(cell 1 1 b)`"),
        (["--state", "cel(1,1,x)"], "did you mean"),
        (["--state", "(cell 1 1 x"], "do not match"),
        (["--state", r#"["(cell 1 1 x)""#], "do not match"),
        (["--state", ""], "no fluent is given"),
        (["--moves", "mark 1 1; mark 1 1"], "move 2: `mark 1 1` is not legal for o"),
        (["--moves", "[1]"], "in JSON it is a list"),
        (["--moves", "noop noop"], "not legal"),
    ] {
        let all = [&["perft", "tictactoe", "--depth", "1"][..], &arguments].concat();
        let run = ludex(&all).ends_with(2);
        assert!(run.err.contains(reason), "{arguments:?}: {}", run.err);
    }
    let run = ludex_with_input(&["perft", "-", "--depth", "1", "--state", "-"], b"(role x)").ends_with(2);
    assert!(run.err.contains("both GAME and --state"), "{}", run.err);
}
