//! Rule sheets that the tests write themselves.

#[allow(dead_code, reason = "its main function is for people")]
#[path = "../../examples/connect_four.rs"]
mod board;

#[allow(dead_code, reason = "its main function is for people")]
#[path = "../../examples/boards.rs"]
mod boards;

#[allow(unused_imports, reason = "not all tests use all of them")]
pub use {
    board::connect_four,
    boards::{breakthrough, dots_and_boxes, polyomino},
};

/// A cat and a mouse on a ring of seven places, one after the other; the cat wins where it meets the mouse, the mouse
/// if it is in its hole on its turn. Both can go back and forth for ever.
#[allow(dead_code, reason = "not all tests use it")]
pub const WALK: &str = "
    (role cat) (role mouse)
    (init (at cat 0)) (init (at mouse 3)) (init (control cat))
    (beside 0 1) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 5) (beside 5 6) (beside 6 0)
    (<= (near ?x ?y) (beside ?x ?y))
    (<= (near ?x ?y) (beside ?y ?x))
    (<= (legal ?p (go ?y)) (true (control ?p)) (true (at ?p ?x)) (near ?x ?y))
    (<= (legal cat stay) (true (control cat)) (true (at cat 0)))
    (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
    (<= (next (at ?p ?y)) (does ?p (go ?y)))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p stay))
    (<= (next (at ?p ?x)) (true (at ?p ?x)) (does ?p noop))
    (<= (next (control mouse)) (true (control cat)))
    (<= (next (control cat)) (true (control mouse)))
    (<= caught (true (at cat ?x)) (true (at mouse ?x)))
    (<= home (true (at mouse 5)) (true (control cat)))
    (<= terminal caught)
    (<= terminal home)
    (<= (goal cat 100) caught)
    (<= (goal mouse 0) caught)
    (<= (goal mouse 100) home (not caught))
    (<= (goal cat 0) home (not caught))
    (<= (goal ?p 50) (role ?p) (not caught) (not home))
";

/// Public sheets with few states.
#[allow(dead_code, reason = "not all tests use it")]
const PUBLIC: [&str; 31] = [
    "dresden_simple",
    "onestep",
    "troublemaker01",
    "haystack",
    "survival",
    "switches",
    "troublemaker02",
    "ad_game_2x2",
    "buttons",
    "blocks",
    "blocksworld",
    "pearls",
    "untwistycomplex2",
    "nim1",
    "maze",
    "tictactoe-init1",
    "dresden_nim",
    "factoringgeorgeforman",
    "blocksworldparallel",
    "circlesolitaire",
    "hodgepodge",
    "statespacesmall",
    "coins",
    "coins_atomic",
    "roshambo2",
    "blocksworldserial",
    "duplicatestatesmall",
    "gt_centipede",
    "gt_dollar",
    "duplicatestatemedium",
    "kitten_escapes_from_fire",
];

/// The public sheets with few states, by name; none without `LUDEX_SLOW`.
#[allow(dead_code, reason = "not all tests use it")]
pub fn public(purpose: &str) -> Vec<(String, String)> {
    if std::env::var_os("LUDEX_SLOW").is_none() {
        eprintln!("NOT RUN: {purpose}, without LUDEX_SLOW=1");
        return Vec::new();
    }
    let sheets = ludex_testkit::corpus::shared_games(purpose);
    let small = sheets.into_iter().filter(|source| PUBLIC.contains(&source.name.as_str()));
    small.map(|source| (source.name.clone(), String::from_utf8_lossy(&source.bytes).into_owned())).collect()
}
