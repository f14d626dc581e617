//! `ludex print`: what is printed reads back.

use crate::{bundled, ludex, ludex_with_input};

/// The rules of an answer-set program. It spells variables alike whatever the notation was, so equal
/// rules are equal texts; only the comments about renamed symbols differ.
fn rules(program: &str) -> Vec<&str> {
    program.lines().filter(|line| !line.starts_with('%')).collect()
}

#[test]
fn bundled_games_survive_printing_in_both_notations() {
    for name in bundled() {
        let program = ludex(&["print", &name, "--as", "asp"]).ends_with(0).out;
        for arguments in [&["--as", "kif"][..], &["--as", "infix"], &["--as", "kif", "--rules"]] {
            let text = ludex(&[&["print", &name], arguments].concat()).ends_with(0).out;
            let checked = ludex_with_input(&["check", "-"], text.as_bytes()).ends_with(0).out;
            assert!(checked.starts_with("stdin: 0 errors, 0 warnings; "), "{name} {arguments:?}: {checked}");
            let again = ludex_with_input(&[&["print", "-"], arguments].concat(), text.as_bytes());
            assert_eq!(again.ends_with(0).out, text, "{name} {arguments:?} printed again");
            let same = ludex_with_input(&["print", "-", "--as", "asp"], text.as_bytes());
            assert_eq!(
                rules(&same.ends_with(0).out),
                rules(&program),
                "{name} {arguments:?} has other rules"
            );
        }
    }
}

#[test]
fn kif_is_the_default() {
    assert_eq!(ludex(&["print", "nim"]).ends_with(0).out, ludex(&["print", "nim", "--as", "kif"]).out);
}

#[test]
fn asp_is_a_program() {
    let text = ludex(&["print", "tictactoe", "--as", "asp"]).ends_with(0).out;
    assert!(text.contains("role(x).\n"), "{text}");
    assert!(text.contains(" :- "), "{text}");
    assert!(!text.contains('?'), "{text}");
}
