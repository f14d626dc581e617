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

#[test]
fn misuse_is_told_apart() {
    ludex(&["frame", "tictactoe", "--covering", "original"]).ends_with(2);
    ludex(&["frame", "no-such-game"]).ends_with(2);
    let broken = Scratch::new("broken-frame.kif", "(role x) (<= (next (p ?x)) (true q))");
    ludex(&["frame", broken.path()]).ends_with(1);
}
