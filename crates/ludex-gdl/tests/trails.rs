//! Trails that decide nothing are left out, whatever they are called; near misses stay as they are.

use ludex_gdl::rewrite::trails::without_trails;
use ludex_gdl::syntax::print;
use ludex_gdl::{Game, Sheet};
use ludex_testkit::corpus;

fn game(text: &str) -> Game {
    corpus::into_game(Sheet::read(text)).expect("a sound sheet")
}

/// A game around some rules for `won`: stones on four cells, which have names.
fn around(rules: &str) -> Game {
    game(&format!(
        "(role a) (cell n1) (cell n2) (cell n3) (cell n4)
         (name 1 n1) (name 2 n2) (name 3 n3) (name 4 n4)
         (edge 1 2) (edge 2 3) (edge 3 1) (edge 3 4)
         (init (stone 1)) (init (stone 3))
         (<= (legal a (put ?x)) (name ?x ?n) (not (true (stone ?x))))
         (<= (next (stone ?x)) (true (stone ?x))) (<= (next (stone ?x)) (does a (put ?x)))
         (<= (free ?x ?y) (edge ?x ?y) (true (stone ?y)))
         (<= terminal won) (<= (goal a 100) won) (<= (goal a 0) (not won))
         {rules}"
    ))
}

fn is_rewritten(game: &Game) -> bool {
    without_trails(game, &[]).rules != game.rules
}

/// A list that fails to take what it has already.
const LIST: &str = "(<= (add ?e nil (cons ?e nil)) (cell ?e))
    (<= (add ?e (cons ?h ?t) (cons ?h ?longer)) (distinct ?e ?h) (cell ?h) (add ?e ?t ?longer))";

/// From 1 to 4, the name of each cell on the trail.
const REACHES: &str = "(<= won (reaches 1 4 nil))
    (<= (reaches ?x ?y ?trail) (name ?x ?n) (add ?n ?trail ?longer) (goes ?x ?y ?longer))
    (<= (goes ?x ?y ?trail) (free ?x ?y) (list ?trail))
    (<= (goes ?x ?y ?trail) (free ?x ?z) (reaches ?z ?y ?trail))
    (list nil) (<= (list (cons ?e ?t)) (cell ?e) (list ?t))";

#[test]
fn reachability_loses_its_trail() {
    let game = around(&format!("{REACHES} {LIST}"));
    let plain = without_trails(&game, &[]);
    let text = print::kif(&plain.rules.to_tree());
    for gone in ["add", "cons", "nil", "list", "cell"] {
        assert!(!text.contains(gone), "{gone} is still there:\n{text}");
    }
    // The conditions that are none of the trail's stay.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("(<= (reaches-without-trail ?x ?y) (name ?x ?n) (goes-without-trail ?x ?y))"),
        "{flat}"
    );
    assert!(flat.contains("(<= won (reaches-without-trail 1 4))"), "{flat}");
    assert!(!is_rewritten(&plain), "there is nothing left to leave out");
}

/// The trail guards in other ways: a negated member, the next cell instead of the present one, cells that are their own
/// names, newest first.
#[test]
fn other_ways_to_write_it() {
    let member = "(<= (member ?e (cons ?e ?t)) (cell ?e) (some ?t)) (<= (member ?e (cons ?h ?t)) (cell ?h) (member ?e ?t))
        (some nil) (<= (some (cons ?h ?t)) (cell ?h) (some ?t)) (<= (pushed ?e ?t (cons ?e ?t)) (cell ?e) (some ?t))";
    let negated = "(<= won (reaches 1 4 nil))
        (<= (reaches ?x ?y ?trail) (free ?x ?y) (some ?trail))
        (<= (reaches ?x ?y ?trail) (free ?x ?z) (name ?z ?n) (not (member ?n ?trail))
            (pushed ?n ?trail ?longer) (reaches ?z ?y ?longer))";
    assert!(is_rewritten(&around(&format!("{negated} {member}"))));
    let own_name = "(<= won (reaches 1 4 nil))
        (<= (reaches ?x ?y ?trail) (free ?x ?y) (some ?trail))
        (<= (reaches ?x ?y ?trail) (free ?x ?z) (add ?z ?trail ?longer) (reaches ?z ?y ?longer))
        (<= (add ?e nil (cons ?e nil)) (name ?e ?n)) (some nil) (<= (some (cons ?e ?t)) (name ?e ?n) (some ?t))
        (<= (add ?e (cons ?h ?t) (cons ?h ?longer)) (distinct ?e ?h) (name ?h ?n) (add ?e ?t ?longer))";
    assert!(is_rewritten(&around(own_name)));
}

/// Names do not matter, nor does the order of rules and conditions.
#[test]
fn names_and_order_do_not_matter() {
    let scrambled = "(<= (w1 q7 ?b (k0 ?b q7)) (w9 ?b))
        (<= (g3 ?u ?a ?b) (w7 ?a) (h2 ?b ?v ?u) (w2 ?u ?b))
        (<= (w1 (k0 ?c ?d) ?b (k0 ?c ?e)) (w1 ?d ?b ?e) (w9 ?c) (distinct ?c ?b))
        (<= won (h2 1 q7 4)) (w7 q7) (<= (w7 (k0 ?b ?d)) (w7 ?d) (w9 ?b))
        (<= (h2 ?x ?t ?y) (w1 ?t ?n ?s) (g3 ?y ?s ?x) (name ?x ?n))
        (<= (g3 ?y ?t ?x) (h2 ?z ?t ?y) (free ?x ?z)) (<= (g3 ?y ?t ?x) (free ?x ?y) (w7 ?t))
        (<= (w2 ?a ?b) (edge ?a ?b) (edge ?b ?a)) (w9 n1) (w9 n2) (w9 n3) (w9 n4)";
    // The second rule has the trail in another place, and calls by the wrong one: without it all is as above.
    let clean: String = scrambled.lines().filter(|line| !line.contains("(h2 ?b ?v ?u)")).collect();
    assert!(is_rewritten(&around(&clean)));
    assert!(!is_rewritten(&around(scrambled)));
}

/// Each of these changes what the rules say, or may: the trail must stay.
#[test]
fn near_misses_stay() {
    let replaced = |from: &str, to: &str| {
        let rules = format!("{REACHES} {LIST}");
        assert!(rules.contains(from), "{from}");
        around(&rules.replace(from, to))
    };
    for (why, game) in [
        (
            "lists of at most two: no path of three",
            replaced(
                "(list nil) (<= (list (cons ?e ?t)) (cell ?e) (list ?t))",
                "(list nil) (<= (list (cons ?e nil)) (cell ?e)) (<= (list (cons ?e (cons ?f nil))) (cell ?e) (cell ?f))",
            ),
        ),
        (
            "the trail may not take n2",
            replaced(
                "(<= (add ?e nil (cons ?e nil)) (cell ?e))",
                "(<= (add ?e nil (cons ?e nil)) (cell ?e) (distinct ?e n2))",
            ),
        ),
        (
            "two cells have one name",
            replaced("(<= won (reaches 1 4 nil))", "(<= won (reaches 1 4 nil)) (name 5 n1)"),
        ),
        (
            "not every name is one of a cell",
            replaced("(<= won (reaches 1 4 nil))", "(<= won (reaches 1 4 nil)) (name 5 n5)"),
        ),
        ("the trail begins with a cell", replaced("(reaches 1 4 nil)", "(reaches 1 4 (cons n2 nil))")),
        (
            "somebody asks for the trail",
            replaced(
                "(<= won (reaches 1 4 nil))",
                "(<= won (reaches 1 4 nil)) (<= (goal a 50) (true (stone ?x)) (kept ?l) (reaches 1 ?x ?l)) (kept nil)",
            ),
        ),
        (
            "the length of the way counts",
            replaced(
                "(<= (goes ?x ?y ?trail) (free ?x ?y) (list ?trail))",
                "(<= (goes ?x ?y ?trail) (free ?x ?y) (long ?trail)) (<= (long (cons ?a (cons ?b ?t))) (cell ?a) (cell ?b) (list ?t))",
            ),
        ),
        (
            "both ways must be free of each other",
            replaced(
                "(<= (goes ?x ?y ?trail) (free ?x ?z) (reaches ?z ?y ?trail))",
                "(<= (goes ?x ?y ?trail) (free ?x ?z) (reaches ?z ?y ?trail) (reaches ?x ?z ?trail))",
            ),
        ),
        (
            "the goal moves, too, and the key does not tell",
            replaced(
                "(<= (goes ?x ?y ?trail) (free ?x ?z) (reaches ?z ?y ?trail))",
                "(<= (goes ?x ?y ?trail) (free ?x ?z) (edge ?y ?w) (reaches ?z ?w ?trail))",
            ),
        ),
        (
            "what may be on the trail depends on the state",
            replaced(
                "(<= (add ?e nil (cons ?e nil)) (cell ?e))",
                "(<= (add ?e nil (cons ?e nil)) (cell ?e) (name ?x ?e) (true (stone ?x)))",
            ),
        ),
        (
            "the trail is what makes the rule safe",
            replaced(
                "(<= (goes ?x ?y ?trail) (free ?x ?y) (list ?trail))",
                "(<= (goes ?x ?y ?trail) (free ?x ?z) (last ?trail ?y)) (<= (last (cons ?e nil) ?e) (cell ?e))",
            ),
        ),
    ] {
        assert!(!is_rewritten(&game), "{why}");
    }
}

/// Games without trails, with recursion of all kinds, stay as they are.
#[test]
fn bundled_games_stay() {
    for source in corpus::games() {
        assert!(!is_rewritten(&source.game().expect("a sound sheet")), "{}", source.name);
    }
}

/// The published game of Hex with lists of cells, and which other public sheets are rewritten.
#[test]
fn public_sheets() {
    let sources = corpus::shared_games("trails in public sheets");
    if sources.is_empty() {
        return;
    }
    let rewritten = sources.iter().filter(|source| source.game().is_ok_and(|game| is_rewritten(&game)));
    let names: Vec<&str> = rewritten.map(|source| source.name.as_str()).collect();
    assert_eq!(names, ["laiklee_hex"]);
}
