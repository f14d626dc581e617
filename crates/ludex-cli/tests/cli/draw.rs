//! `ludex draw`.

use crate::{Scratch, ludex};

#[test]
fn a_position_is_drawn_as_text_and_as_a_picture() {
    let moves = ["draw", "tictactoe", "--moves", "mark 2 2"];
    let run = ludex(&moves).ends_with(0);
    assert!(run.out.contains(" 2 | . x .\n"), "{}", run.out);
    let picture = ludex(&[&moves[..], &["-o", "-"]].concat()).ends_with(0);
    assert!(
        picture.out.starts_with("<svg ") && picture.out.contains("aria-label=\"cell 2 2\""),
        "{}",
        picture.out
    );
    let state = ludex(&["draw", "tictactoe", "--state", "(cell 1 1 o) (control x)"]).ends_with(0);
    assert!(state.out.contains(" 1 | o ? ?\n"), "{}", state.out);
}

#[test]
fn a_record_becomes_an_animated_picture() {
    let lines = ludex(&["simulate", "nim", "--seed", "1", "--json"]).ends_with(0);
    let record = Scratch::new("nim.jsonl", &lines.out);
    let picture = ludex(&["draw", "nim", "--record", record.path(), "-o", "-"]).ends_with(0);
    // A frame for each state: each line of the record but the first is one.
    assert_eq!(picture.out.matches("<set ").count(), lines.out.lines().count() - 1);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    for (arguments, said) in [
        (&["draw", "tictactoe", "--json"][..], "--layout"),
        (&["draw", "tictactoe", "--moves", "mark 9 9"][..], "--moves, move 1"),
        (&["draw", "tictactoe", "--state", "(cell 9 9 x)"][..], "cell 9 9 x"),
        (&["draw", "tictactoe", "--record", "nowhere.jsonl"][..], "nowhere.jsonl"),
    ] {
        let run = ludex(arguments).ends_with(2);
        assert!(run.err.contains(said), "{arguments:?}: {}", run.err);
    }
}
