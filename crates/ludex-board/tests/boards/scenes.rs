//! What is drawn of a state: all of it, and nothing that breaks the page around it.

use crate::drawing;
use ludex_board::Step;
use ludex_board::scene::Fault;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_gdl::Sheet;

const MARKS: &str = "(role x) (role o) (index 1) (index 2) (index 3)
    (<= (init (cell ?i ?j b)) (index ?i) (index ?j)) (init (control x))
    (<= (legal ?r (mark ?i ?j)) (role ?r) (true (cell ?i ?j b)))
    (<= (next (cell ?i ?j ?r)) (does ?r (mark ?i ?j)))
    (<= (next (cell ?i ?j ?v)) (true (cell ?i ?j ?v)) (distinct ?v b))
    (<= (next (control o)) (true (control x)))
    (<= terminal (true (cell 1 1 x))) (goal x 100) (goal o 0)";

#[test]
fn spots_are_named_clicked_and_faulted() {
    let (drawing, vocabulary, initial) = drawing(Sheet::read(MARKS).into_game().expect("a sound sheet"));
    let scene = drawing.scene(&initial);
    assert_eq!(scene.boards.len(), 1);
    assert_eq!(scene.boards[0].spots.len(), 9);
    assert!(scene.boards[0].spots.iter().all(|spot| spot.fault.is_none() && spot.marks.is_empty()));
    // The move `(mark 2 3)` is entered by the spot of that name.
    let term = vocabulary.read_term("(mark 2 3)").expect("a term");
    let action = vocabulary.find_move(RoleId(0), term).expect("a move");
    let steps = drawing.clicks(RoleId(0), action);
    let [Step::Spot(spot)] = steps.as_slice() else { panic!("one spot: {steps:?}") };
    let named = scene.boards[0].spots.iter().find(|other| other.id == *spot).expect("a spot");
    assert_eq!(named.name, "cell 2 3");
    // A cell with two values, and one with none.
    let fluent =
        |text: &str| vocabulary.read_term(text).and_then(|t| vocabulary.find_fluent(t)).expect("a fluent");
    let mut state = initial;
    row::set(&mut state, fluent("(cell 1 1 x)"));
    row::clear(&mut state, fluent("(cell 3 3 b)"));
    let scene = drawing.scene(&state);
    let fault =
        |name: &str| scene.boards[0].spots.iter().find(|spot| spot.name == name).expect("a spot").fault;
    assert_eq!(fault("cell 1 1"), Some(Fault::Several));
    assert_eq!(fault("cell 3 3"), Some(Fault::NoValue));
    assert_eq!(fault("cell 2 2"), None);
    assert!(scene.text().contains('?') && scene.svg().contains("fault"));
    assert_eq!(scene.asides.iter().map(|aside| aside.tooltip.as_str()).collect::<Vec<_>>(), ["(control x)"]);
}

#[test]
fn names_of_rules_cannot_leave_the_picture() {
    let hostile = MARKS.replace("control", "<script>&\"'alert</script>");
    let Ok(game) = Sheet::read(&hostile).into_game() else { panic!("names may hold any letter") };
    let (drawing, _, initial) = drawing(game);
    let svg = drawing.scene(&initial).svg();
    assert!(!svg.contains("<script") && svg.contains("&lt;script&gt;&amp;"), "{svg}");
}

#[test]
fn every_move_has_a_step() {
    let (drawing, vocabulary, _) = drawing(Sheet::read(MARKS).into_game().expect("a sound sheet"));
    for role in vocabulary.roles() {
        for action in 0..vocabulary.move_count(role) {
            assert!(!drawing.clicks(role, MoveId(action as u32)).is_empty());
        }
    }
}
