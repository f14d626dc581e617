//! The frame translation, rule by rule: expectations are worked out by hand, or printed in the paper.

use ludex_gdl::analysis::turns::impossible_joint_moves;
use ludex_gdl::budget::Budget;
use ludex_gdl::rewrite::fnext::{Encoding, encode, explicit, implicit};
use ludex_gdl::syntax::print;
use ludex_gdl::{Game, Sheet};

fn read(text: &str) -> Game {
    Sheet::read(text).into_game().unwrap_or_else(|findings| panic!("{findings:#?}\n{text}"))
}

fn encoded(text: &str, encoding: Encoding) -> Game {
    let game = read(text);
    encode(&game, encoding, &impossible_joint_moves(&game), &Budget::default())
}

/// The rules for the relations that the translation has added, one a line, in infix notation, without blanks,
/// sorted.
fn added(before: &str, game: &Game) -> Vec<String> {
    let old = read(before).rules.relations().count();
    let new = game.rules.rules().iter().filter(|rule| rule.head.relation.index() >= old).cloned();
    let text = print::infix(&game.rules.with_rules(new).to_tree());
    let rules = text.split("\n\n").map(|rule| rule.split_whitespace().collect::<String>());
    let mut rules: Vec<String> = rules.filter(|rule| !rule.is_empty()).collect();
    rules.sort();
    rules
}

/// Figure 1 of Romero, Saffidine and Thielscher, "Solving the Inferential Frame Problem in the General Game
/// Description Language" (AAAI 2014), with an end and goals, which the figure leaves out.
const FIGURE_1: &str = "
    role(x). role(o).
    init(cell(1,1,b)). init(cell(1,2,b)). init(cell(1,3,b)).
    init(cell(2,1,b)). init(cell(2,2,b)). init(cell(2,3,b)).
    init(cell(3,1,b)). init(cell(3,2,b)). init(cell(3,3,b)).
    init(control(x)).
    legal(P,mark(M,N)) :- true(control(P)), true(cell(M,N,b)).
    legal(x,noop) :- true(control(o)).
    legal(o,noop) :- true(control(x)).
    next(cell(M,N,x)) :- does(x,mark(M,N)).
    next(cell(M,N,o)) :- does(o,mark(M,N)).
    next(cell(M,N,O)) :- does(P,mark(J,K)), true(cell(M,N,O)), ( distinct(M,J) or distinct(N,K) ).
    next(control(x)) :- true(control(o)).
    next(control(o)) :- true(control(x)).
    terminal :- true(cell(1,1,x)).
    goal(P,100) :- role(P).";

/// The three rules that the paper prints, up to the names of variables.
#[test]
fn tic_tac_toe_gives_the_rules_of_the_paper() {
    let game = encoded(FIGURE_1, Encoding::Pruned);
    assert_eq!(
        added(FIGURE_1, &game),
        [
            "fnext(cell(X1,X2,X3)):-does(x,mark(X1,X2)),does(o,noop),true(cell(X1,X2,X3)).",
            "fnext(cell(X1,X2,X3)):-does(x,noop),does(o,mark(X1,X2)),true(cell(X1,X2,X3)).",
            "fnext(control(X1)):-true(control(X1)).",
        ]
    );
    let text = print::infix(&game.rules.to_tree());
    assert!(!text.contains("next(cell(M, N, O))"), "the frame rule is gone:\n{text}");
    assert_eq!(text.matches("\nnext(").count(), 4, "the other next rules stay:\n{text}");
}

/// The direct covering has the four combinations that the paper lists.
#[test]
fn the_direct_covering_has_all_combinations() {
    let game = encoded(FIGURE_1, Encoding::Direct);
    assert_eq!(
        added(FIGURE_1, &game),
        [
            "fnext(cell(X1,X2,X3)):-does(x,mark(X1,X2)),does(o,mark(X1,X2)),true(cell(X1,X2,X3)).",
            "fnext(cell(X1,X2,X3)):-does(x,mark(X1,X2)),does(o,noop),true(cell(X1,X2,X3)).",
            "fnext(cell(X1,X2,X3)):-does(x,noop),does(o,mark(X1,X2)),true(cell(X1,X2,X3)).",
            "fnext(cell(X1,X2,X3)):-does(x,noop),does(o,noop),true(cell(X1,X2,X3)).",
            "fnext(control(X1)):-true(control(X1)).",
        ]
    );
}

/// What follows from the other player's move is not asked for.
#[test]
fn the_relevant_covering_asks_for_what_matters() {
    let game = encoded(FIGURE_1, Encoding::Relevant);
    assert_eq!(
        added(FIGURE_1, &game),
        [
            "fnext(cell(X1,X2,X3)):-does(o,mark(X1,X2)),true(cell(X1,X2,X3)).",
            "fnext(cell(X1,X2,X3)):-does(x,mark(X1,X2)),true(cell(X1,X2,X3)).",
            "fnext(control(X1)):-true(control(X1)).",
        ]
    );
}

/// A game with one player and the rules given, for a look at single rules.
fn solitaire(rules: &str) -> String {
    format!(
        "role(r). init(p(1)). init(p(2)). init(on).
         num(1). num(2). num(3). place(N) :- num(N).
         legal(r, set(N)) :- num(N). legal(r, wait). legal(r, stop).
         terminal :- not true(on). goal(r, 100). {rules}"
    )
}

fn check(rules: &str, encoding: Encoding, expected: &[&str]) {
    let text = solitaire(rules);
    assert_eq!(added(&text, &encoded(&text, encoding)), expected, "{rules}");
}

#[test]
fn a_variable_for_the_whole_fluent_is_written_out() {
    // Everything stays unless the move is `stop`: what `p` and `on` have in common.
    check(
        "next(F) :- true(F), not does(r, stop).",
        Encoding::Relevant,
        &["fnext(on):-does(r,stop),true(on).", "fnext(p(X1)):-does(r,stop),true(p(X1))."],
    );
}

#[test]
fn what_always_stays_never_ends() {
    check("next(p(N)) :- true(p(N)).", Encoding::Relevant, &["fnext(on):-true(on)."]);
    // Some move is always made.
    check("next(p(N)) :- true(p(N)), does(r, M).", Encoding::Relevant, &["fnext(on):-true(on)."]);
}

#[test]
fn definitions_of_static_relations_become_equalities() {
    // `other(N, M)` fails only where both are equal: their domains are all the numbers there are.
    check(
        "other(N, M) :- place(N), place(M), distinct(N, M).
         next(p(N)) :- true(p(N)), does(r, set(M)), other(N, M).
         next(p(N)) :- true(p(N)), does(r, wait).",
        Encoding::Relevant,
        &[
            "fnext(on):-true(on).",
            "fnext(p(X1)):-does(r,set(X1)),true(p(X1)).",
            "fnext(p(X1)):-does(r,stop),true(p(X1)).",
        ],
    );
}

#[test]
fn static_relations_that_have_no_simple_negation_get_a_complement() {
    check(
        "pair(1, 2). pair(1, 3). pair(2, 1). pair(2, 3). pair(3, 1).
         next(p(N)) :- true(p(N)), does(r, set(M)), pair(N, M).
         next(p(N)) :- true(p(N)), does(r, wait).
         next(p(3)) :- does(r, stop).",
        Encoding::Relevant,
        &[
            "fnext(on):-true(on).",
            "fnext(p(X1)):-does(r,set(X2)),true(p(X1)),meets(X1,X2).",
            "fnext(p(X1)):-does(r,stop),true(p(X1)).",
            "meets(X1,X2):-num(X1),num(X2),notpair(X1,X2).",
        ],
    );
}

#[test]
fn not_exists_becomes_an_auxiliary_relation() {
    check(
        "next(p(N)) :- true(p(N)), does(r, wait), true(p(M)), distinct(N, M).
         next(p(N)) :- true(p(N)), does(r, set(M)).",
        Encoding::Relevant,
        &[
            "fnext(on):-true(on).",
            "fnext(p(X1)):-does(r,stop),true(p(X1)).",
            "fnext(p(X1)):-does(r,wait),true(p(X1)),notkeeps(X1).",
            "keeps(X1):-true(p(X1)),true(p(X2)),distinct(X1,X2).",
        ],
    );
}

#[test]
fn helpers_that_read_the_moves_are_looked_into() {
    check(
        "touched(M) :- does(r, set(M)).
         quiet(N) :- does(r, set(M)), num(N), distinct(N, M).
         quiet(N) :- does(r, wait), num(N).
         next(p(N)) :- true(p(N)), quiet(N).
         next(on) :- true(on), not touched(3).",
        Encoding::Relevant,
        &[
            "fnext(on):-true(on),touched(3).",
            "fnext(p(X1)):-does(r,set(X1)),true(p(X1)).",
            "fnext(p(X1)):-does(r,stop),true(p(X1)).",
        ],
    );
}

#[test]
fn a_game_without_frame_rules_stays_as_it_is() {
    let text = solitaire("next(p(N)) :- does(r, set(N)). next(on) :- true(p(1)).");
    for encoding in Encoding::ALL {
        let game = encoded(&text, encoding);
        assert!(game.frame.is_none() && game.rules == read(&text).rules, "{encoding}");
    }
}

#[test]
fn the_frame_relation_has_a_name_of_its_own() {
    let text = solitaire("fnext(1). next(p(N)) :- true(p(N)), fnext(N). next(on) :- true(on).");
    let game = encoded(&text, Encoding::Pruned);
    let frame = game.frame.map(|relation| game.rules.relation(relation).name);
    assert_eq!(frame.map(|name| game.rules.symbols.name(name)), Some("fnext2"));
}

/// With the frame relation written out, a translated game is an ordinary one that reads back as itself.
#[test]
fn what_is_printed_reads_back() {
    for encoding in [Encoding::Direct, Encoding::Pruned, Encoding::Relevant] {
        let game = encoded(FIGURE_1, encoding);
        let whole = explicit(&game);
        assert!(whole.frame.is_none());
        for text in [print::kif(&whole.rules.to_tree()), print::infix(&whole.rules.to_tree())] {
            let again = read(&text);
            assert_eq!(again.rules, whole.rules, "{text}");
            let back = implicit(&again).expect("the axiom is there");
            assert_eq!(back.rules, game.rules, "{text}");
            assert!(back.frame.is_some());
        }
    }
    assert!(implicit(&read(FIGURE_1)).is_none());
}

/// The impossible combinations of a sheet, as text.
fn impossible(text: &str) -> Vec<String> {
    let game = read(text);
    let name = |symbol| game.rules.symbols.name(symbol);
    let mut sets: Vec<String> = impossible_joint_moves(&game)
        .iter()
        .map(|set| {
            let parts = set.iter().map(|(role, (action, _))| format!("{}:{}", name(*role), name(*action)));
            parts.collect::<Vec<_>>().join(" ")
        })
        .collect();
    sets.sort();
    sets
}

#[test]
fn players_who_take_turns_do_not_move_together() {
    assert_eq!(impossible(FIGURE_1), ["x:mark o:mark", "x:noop o:noop"]);
}

/// Three players with a `noop` unless it is their turn, by negation: that all pass is impossible only because
/// it is always somebody's turn.
const THREE: &str = "
    role(a). role(b). role(c). after(a, b). after(b, c). after(c, a).
    init(turn(a)). init(p).
    legal(R, go) :- true(turn(R)).
    legal(R, noop) :- role(R), not true(turn(R)).
    next(turn(S)) :- true(turn(R)), after(R, S).
    next(p) :- true(p).
    terminal :- not true(p). goal(R, 50) :- role(R).";

#[test]
fn somebody_must_move() {
    let expected = ["a:go b:go", "a:go c:go", "a:noop b:noop c:noop", "b:go c:go"];
    assert_eq!(impossible(THREE), expected);
    // Without a rule that is sure to fire, turns may end: then all may pass.
    let lost = THREE.replace("after(R, S).", "after(R, S), true(p).");
    assert_eq!(impossible(&lost), ["a:go b:go", "a:go c:go", "b:go c:go"]);
    // Two turns at the start, or two after one, prove nothing.
    let none: [String; 0] = [];
    assert_eq!(impossible(&THREE.replace("init(p).", "init(p). init(turn(b)).")), none);
    assert_eq!(impossible(&THREE.replace("after(c, a).", "after(c, a). after(c, b).")), none);
}

/// Place, then turn the board: two names that alternate make one turn together.
#[test]
fn a_turn_may_have_two_names() {
    let text = "
        role(a). role(b). init(place(a)). init(p).
        legal(R, put) :- true(place(R)). legal(R, twist) :- true(spin(R)).
        legal(R, noop) :- role(R), not mine(R).
        mine(R) :- true(place(R)). mine(R) :- true(spin(R)).
        next(spin(R)) :- true(place(R)).
        next(place(b)) :- true(spin(a)). next(place(a)) :- true(spin(b)).
        next(p) :- true(p). terminal :- not true(p). goal(R, 50) :- role(R).";
    let found = impossible(text);
    for expected in ["a:put b:put", "a:put b:twist", "a:twist b:put", "a:twist b:twist"] {
        assert!(found.contains(&expected.to_owned()), "{expected} in {found:?}");
    }
    assert!(!found.iter().any(|set| set == "a:put b:noop" || set == "a:noop b:put"), "{found:?}");
}
