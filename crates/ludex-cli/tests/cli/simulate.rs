//! `ludex simulate`: matches that can be repeated, drawn and replayed.

use crate::{Scratch, bundled, ludex, ludex_with_input};

#[test]
fn a_seed_repeats_the_match() {
    let play = |seed: &str| {
        let arguments = ["simulate", "reversi", "--seed", seed, "--steps", "10", "--engine", "datalog"];
        ludex(&arguments).ends_with(0).out
    };
    let (first, again, other) = (play("5"), play("5"), play("6"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.starts_with("reversi, engine datalog, seed 5\n"), "{first}");
    assert!(first.contains("\nStep 10\n") && !first.contains("\nStep 11\n"), "{first}");
}

#[test]
fn without_a_seed_one_is_chosen_and_shown() {
    let out = ludex(&["simulate", "nim"]).ends_with(0).out;
    let (_, seed) = out.lines().next().and_then(|line| line.split_once(", seed ")).expect(&out);
    assert_eq!(ludex(&["simulate", "nim", "--seed", seed]).ends_with(0).out, out);
}

#[test]
fn boards_are_drawn() {
    let out = ludex(&["simulate", "tictactoe", "--seed", "3", "--steps", "0", "--engine", "datalog"])
        .ends_with(0)
        .out;
    let expected = "tictactoe, engine datalog, seed 3
board (cell x y _)

Step 0
 3 | . . .
 2 | . . .
 1 | . . .
   +------
     1 2 3
(control x)
legal moves: x 9, o 1
Stopped after the number of steps asked for.
";
    assert_eq!(out, expected);
}

#[test]
fn boards_of_other_shapes_are_drawn() {
    let state = |game: &str| ludex(&["simulate", game, "--seed", "1", "--steps", "0"]).ends_with(0).out;
    let nested = state("tileflip");
    assert!(nested.contains("board (cell (at x y) (tile _ _)) (last (at x y)), da = dark"), "{nested}");
    // All tiles are open at first, which says nothing.
    assert!(nested.contains(" 3 | da li da\n"), "{nested}");
    let overlaid = state("hex");
    assert!(overlaid.contains("board (stone x y _) (empty x y), b = blue, r = red\n"), "{overlaid}");
    assert!(!overlaid.contains("(empty 1 1)"), "{overlaid}");
    let piece_first = state("krkendgame");
    assert!(piece_first.contains(" 8 | bk  .  .  .  .  .  .  .\n"), "{piece_first}");
    // All are men at first, which is not told.
    let dark_squares = state("minicheckers");
    assert!(dark_squares.contains("\n 5 | b   b   b\n 4 |   .   .   .\n"), "{dark_squares}");
    let piles = state("nim");
    assert!(piles.contains("\nStep 0\n  | 1 3 5 7\n  +--------\n    a b c d\n(control alice)\n"), "{piles}");
}

#[test]
fn letters_run_across() {
    let sheet = "(role r) (legal r a) (init (cell 1 b q)) (init (cell 2 c p)) (init (cell 2 a s))
        (init (cell 1 a t)) (init (cell 3 b u)) (<= (next (cell 1 b v)) (true on)) (next on) (<= terminal (true on)) (<= (goal r 1) (true on))";
    let run =
        ludex_with_input(&["simulate", "-", "--seed", "1", "--steps", "0"], sheet.as_bytes()).ends_with(0);
    assert!(run.out.contains(" 3 |   u\n 2 | s   p\n 1 | t q\n   +------\n     a b c\n"), "{}", run.out);
}

#[test]
fn records_of_all_bundled_games_replay() {
    for game in bundled() {
        let record = ludex(&["simulate", &game, "--seed", "11", "--steps", "25", "--json"]).ends_with(0);
        let lines = record.json();
        assert_eq!(lines[0]["game"], game.as_str());
        assert_eq!(lines[0]["seed"], 11);
        let last = lines.last().expect("a step");
        assert!(last["terminal"] == true || last["cut"] == "steps", "{last}");
        let file = Scratch::new(&format!("{game}.jsonl"), &record.out);
        let run = ludex(&["replay", &game, file.path(), "--json"]).ends_with(0);
        assert_eq!(run.json()[0]["steps"].as_u64(), Some(lines.len() as u64 - 1), "{game}");
        assert_eq!(run.json()[0]["differences"], 0, "{game}");
    }
}

#[test]
fn the_end_shows_the_goals() {
    let out = ludex(&["simulate", "tictactoe", "--seed", "3"]).ends_with(0).out;
    assert!(out.contains(": the game is over\n"), "{out}");
    let goals = out.lines().last().expect("a line");
    assert!(["goals: x 100, o 0", "goals: x 0, o 100", "goals: x 50, o 50"].contains(&goals), "{goals}");
}

#[test]
fn unplayable_games_are_a_no() {
    let stuck = "(role x) (init a) (<= (legal x go) (true a)) (<= (next b) (does x go))
        (<= terminal (true c)) (<= (goal x 0) (true a)) (<= (next c) (true c))";
    let run = ludex_with_input(&["simulate", "-"], stuck.as_bytes()).ends_with(1);
    assert!(run.out.contains("Step 1\n"), "{}", run.out);
    assert!(run.out.contains("no legal move"), "{}", run.out);
    let recorded = ludex_with_input(&["simulate", "-", "--json"], stuck.as_bytes()).ends_with(1);
    assert_eq!(recorded.json().last().expect("a step")["cut"], "no legal move");
}

#[test]
fn an_end_without_goals_is_said_to_be_a_mistake() {
    let sheet = "(role x) (init a) (legal x go) (<= (next b) (does x go)) (<= terminal (true b))
        (<= (goal x 0) (true a))";
    let run = ludex_with_input(&["simulate", "-"], sheet.as_bytes()).ends_with(0);
    assert!(run.out.contains("goals: x none\n"), "{}", run.out);
    assert!(run.out.contains("mistake in the rules"), "{}", run.out);
}
