//! `ludex debug`: the forms on the way.

use crate::{bundled, ludex, ludex_with_input};

const SHEET: &str = "(role r) (init (at 0)) (succ 0 1)
(<= (reach ?x) (init (at ?x)))
(<= (reach ?y) (reach ?x) (succ ?x ?y))
(<= (legal r go) (not (true (at 1))))
(<= (next (at ?y)) (or (succ ?y ?z) (succ ?z ?y)))
(<= terminal (true (at 1)))
(<= (goal r 1) (role r))
";

fn form(form: &str) -> String {
    ludex_with_input(&["debug", form, "-"], SHEET.as_bytes()).ends_with(0).out
}

#[test]
fn the_tree_has_the_place_of_every_node() {
    let out = form("tree");
    assert!(out.starts_with("     1:1 +8     fact\n     1:1 +8       compound role\n"), "{out}");
    assert!(out.contains("     7:5") || out.contains("     7:20"), "{out}");
    assert!(out.contains(" or\n") && out.contains(" not\n") && out.contains(" variable y\n"), "{out}");
    // A broken sheet has a tree too: that is when one wants to see it.
    let broken = ludex_with_input(&["debug", "tree", "-"], b"(role r) (p").ends_with(0).out;
    assert!(broken.contains("constant r"), "{broken}");
}

#[test]
fn rules_are_numbered_and_split() {
    let out = form("rules");
    assert!(out.starts_with("rule 0, line 1\n(role r)\n"), "{out}");
    assert!(out.contains("(<= (next (at ?y)) (succ ?y ?z))\n"), "{out}");
    assert!(out.contains("(<= (next (at ?y)) (succ ?z ?y))\n"), "{out}");
}

#[test]
fn strata_say_what_is_recursive() {
    let out = form("strata");
    let recursive: Vec<&str> = out.lines().filter(|line| line.ends_with(", recursive")).collect();
    assert_eq!(recursive.len(), 1, "{out}");
    let after = out.split(recursive[0]).nth(1).expect("rules follow");
    assert!(after.trim_start().starts_with("(<= (reach ?x)"), "{out}");
}

#[test]
fn domains_and_vocabulary_are_listed() {
    let short = form("domains");
    assert!(short.contains("  succ/2 1: 0\n"), "{short}");
    assert!(short.contains("  at/1 1: 0 1\n"), "{short}");
    assert!(short.contains("  2 fluents\n  1 move of r\n"), "{short}");
    let full = ludex_with_input(&["debug", "domains", "-", "--full"], SHEET.as_bytes()).ends_with(0).out;
    assert!(full.contains("  2 fluents\n    (at 0)\n    (at 1)\n  1 move of r\n    go\n"), "{full}");
}

#[test]
fn all_forms_of_all_bundled_games_can_be_shown() {
    for game in bundled() {
        for form in ["tree", "rules", "strata", "domains", "propnet", "proofs"] {
            assert!(ludex(&["debug", form, &game]).ends_with(0).out.lines().count() > 10, "{form} {game}");
        }
    }
}
