//! `ludex frame`: translated rules that any reader takes.

use crate::{Scratch, bundled, ludex};

#[test]
fn what_ends_is_said_and_what_stays_is_not() {
    let kif = ludex(&["frame", "tictactoe"]).ends_with(0).out;
    assert!(kif.contains("(<= (fnext (control ?x1)) (true (control ?x1)))"), "{kif}");
    assert!(kif.contains("(<= (next ?f) (true ?f) (not (fnext ?f)))"), "{kif}");
    let infix = ludex(&["frame", "tictactoe", "--as", "infix", "--covering", "relevant"]).ends_with(0).out;
    assert!(infix.contains("fnext(control(X1)) :- true(control(X1))."), "{infix}");
    let asp = ludex(&["frame", "tictactoe", "--as", "asp"]).ends_with(0).out;
    assert!(asp.contains("fnext(control(X1)) :- true(control(X1))."), "{asp}");
}

/// The counts of the bundled games are checked against the test data by `perft`; a translated game is the same
/// game.
#[test]
fn translated_games_have_the_same_counts() {
    for game in bundled() {
        let count = |sheet: &str| {
            let run = ludex(&["perft", sheet, "--depth", "3", "--json"]).ends_with(0);
            run.json().iter().map(|line| line["nodes"].as_u64()).collect::<Vec<_>>()
        };
        let expected = count(&game);
        for arguments in
            [["--covering", "relevant", "--as", "kif"], ["--covering", "pruned", "--as", "infix"]]
        {
            let text = ludex(&[["frame", &game].as_slice(), &arguments].concat()).ends_with(0).out;
            let sheet = Scratch::new("translated.gdl", text);
            assert_eq!(ludex(&["check", sheet.path()]).ends_with(0).err, "", "{game}");
            assert_eq!(count(sheet.path()), expected, "{game} {arguments:?}");
        }
    }
}

/// Whose turn comes next depends on a lamp that nobody switches off: the control structure alone does not show that
/// somebody always has the turn, so that both may have to pass; that the lamp stays on is what the prover adds.
const LAMP: &str = "
(role x) (role o)
(init (control x)) (init lamp) (init (cell a)) (init (cell b))
(<= (legal ?p (take ?c)) (true (control ?p)) (true (cell ?c)))
(<= (legal ?p pass) (role ?p) (not (true (control ?p))))
(<= (next lamp) (true lamp))
(<= (next (control o)) (true (control x)) (true lamp))
(<= (next (control x)) (true (control o)) (true lamp))
(<= (next (cell ?c)) (true (cell ?c)) (does x (take ?d)) (distinct ?c ?d))
(<= (next (cell ?c)) (true (cell ?c)) (does o (take ?d)) (distinct ?c ?d))
(<= terminal (not (true (cell a))) (not (true (cell b))))
(<= (goal ?p 50) (role ?p))";

#[test]
fn proved_moves_leave_rules_out() {
    let sheet = Scratch::new("lamp.kif", LAMP);
    let both_pass = "does(x, pass), does(o, pass)";
    let frame = |more: &[&str]| {
        let run = ludex(&[&["frame", sheet.path(), "--as", "infix"], more].concat());
        run.ends_with(0).out
    };
    assert!(frame(&[]).contains(both_pass), "{}", frame(&[]));
    let proved = frame(&["--prove", "20"]);
    assert!(!proved.contains(both_pass), "{proved}");
    // Two cells, taken one after the other: two sequences of one and of two joint moves, and none of three.
    let translated = Scratch::new("lamp-proved.gdl", proved);
    let counts = ludex(&["perft", translated.path(), "--depth", "3", "--json"]).ends_with(0).json();
    let nodes: Vec<_> = counts.iter().map(|line| line["nodes"].as_u64()).collect();
    assert_eq!(nodes, [Some(2), Some(2), Some(0)]);
    let search = ["minimax", sheet.path(), "--depth", "3", "--encoding", "pruned", "--prove", "20", "--json"];
    assert_eq!(ludex(&search).ends_with(0).json()[0]["states"], 5);
}

#[test]
fn misuse_is_told_apart() {
    // What is proved holds before the end only.
    ludex(&["minimax", "tictactoe", "--depth", "1", "--prove", "5", "--ignore-terminal"]).ends_with(2);
    ludex(&["frame", "tictactoe", "--prove", "0"]).ends_with(2);
    ludex(&["frame", "tictactoe", "--covering", "original"]).ends_with(2);
    ludex(&["frame", "no-such-game"]).ends_with(2);
    let broken = Scratch::new("broken-frame.kif", "(role x) (<= (next (p ?x)) (true q))");
    ludex(&["frame", broken.path()]).ends_with(1);
}
