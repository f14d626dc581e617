//! Symmetries: their number by hand for known games, and play that goes the same way in the mirror.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::symmetry::Symmetries;
use ludex_engine::vocabulary::MoveId;
use ludex_gdl::{Game, Sheet};
use ludex_testkit::corpus::{games, shared_games};
use ludex_testkit::report::{Report, note};

fn bundled(name: &str) -> Game {
    let source = games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

/// How many symmetries there are, how many of them keep the roles, and how many keep roles and initial state.
fn count(game: &Game) -> (usize, usize, usize) {
    let engine = Propnet::new(game, &Budget::default()).expect("it fits");
    let symmetries = Symmetries::new(game, engine.vocabulary(), &Budget::default()).expect("it fits");
    assert!(symmetries.complete);
    let all = symmetries.all(10_000).expect("few");
    let mut initial = vec![0; engine.vocabulary().words()];
    engine.worker().initial(&mut initial);
    let board = all.iter().filter(|symmetry| symmetry.keeps_roles());
    let still = board.clone().filter(|symmetry| symmetry.keeps_initial(&initial));
    (all.len(), board.count(), still.count())
}

#[test]
fn a_square_board_has_eight_symmetries_and_players_can_be_exchanged() {
    assert_eq!(count(&bundled("tictactoe")), (16, 8, 8));
}

#[test]
fn gravity_leaves_the_mirror_image() {
    assert_eq!(count(&bundled("connectfour")), (4, 2, 2));
}

#[test]
fn who_moves_up_the_board_is_exchanged_with_who_moves_down() {
    assert_eq!(count(&bundled("breakthrough")), (4, 2, 2));
}

#[test]
fn what_is_counted_square_by_square_keeps_the_symmetries_of_the_board() {
    // This sheet counts discs column by column. The four discs of the initial state lie crosswise: of the symmetries
    // of the square the two reflections on diagonals, their product and the identity keep them.
    assert_eq!(count(&bundled("reversi")), (16, 8, 4));
}

fn read(text: &str) -> Game {
    Sheet::read(text).into_game().expect("a sound sheet")
}

/// Five lamps that can be lit, one at a time, until the state is such that `end`; `count` says how many are lit.
fn lamps(count: &str, end: &str) -> Game {
    read(&format!(
        "(role a) (lamp 1) (lamp 2) (lamp 3) (lamp 4) (lamp 5) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
        (inc 0 1) (inc 1 2) (inc 2 3) (inc 3 4) (inc 4 5) (inc 5 6) (inc 6 7) (inc 7 8)
        (<= (inc2 ?k ?n) (inc ?k ?m) (inc ?m ?n))
        (init go) (<= (legal a (press ?x)) (lamp ?x))
        (<= (next (lit ?x)) (does a (press ?x))) (<= (next (lit ?x)) (true (lit ?x)))
        {count}
        (<= terminal {end}) (<= (goal a 100) {end})"
    ))
}

/// The first lamp, of which one is counted if it is lit.
const FIRST: &str = "(<= (sum 1 1) (true (lit 1))) (<= (sum 1 0) (not (true (lit 1))))";

#[test]
fn lamps_that_are_counted_one_by_one_can_be_exchanged() {
    let count = |rules: &str, end: &str| count(&lamps(&format!("{FIRST} {rules}"), end)).0;
    // All permutations of five lamps: 120; of four, if one is named or asked apart from the others: 24.
    let one_each = "(<= (sum ?y ?n) (after ?x ?y) (sum ?x ?n) (not (true (lit ?y))))
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?m) (inc ?m ?n) (true (lit ?y)))";
    assert_eq!(count(one_each, "(sum 5 3)"), 120);
    assert_eq!(count(one_each, "(sum 5 3) (true (lit 3))"), 24);
    assert_eq!(count(one_each, "(sum 4 3)"), 24);
    // From how many there are to be down to the first lamp.
    let backwards = "(left 5 3) (<= (left ?x ?n) (after ?x ?y) (left ?y ?n) (not (true (lit ?y))))
        (<= (left ?x ?m) (after ?x ?y) (left ?y ?n) (inc ?m ?n) (true (lit ?y)))
        (<= done (left 1 1) (true (lit 1))) (<= done (left 1 0) (not (true (lit 1))))";
    assert_eq!(count(backwards, "done"), 24);
    // Whether an odd number is lit.
    let parity = "(other 0 1) (other 1 0) (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?n) (not (true (lit ?y))))
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?m) (other ?m ?n) (true (lit ?y)))";
    assert_eq!(count(parity, "(sum 5 1)"), 120);
    // What a lamp adds is said by a relation of its own.
    let by_steps = "(number 0) (<= (number ?n) (inc ?m ?n)) (<= (adds ?x ?m ?n) (true (lit ?x)) (inc ?m ?n))
        (<= (adds ?x ?n ?n) (lamp ?x) (number ?n) (not (true (lit ?x))))
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?m) (adds ?y ?m ?n))";
    assert_eq!(count(by_steps, "(sum 5 3)"), 120);
    // Whether all are.
    let all = "(<= (full 1) (true (lit 1))) (<= (full ?y) (after ?x ?y) (full ?x) (true (lit ?y)))";
    assert_eq!(count(all, "(full 5)"), 120);
}

#[test]
fn lamps_that_count_for_more_are_not_exchanged_with_others() {
    let count = |rules: &str, end: &str| count(&lamps(&format!("{FIRST} {rules}"), end)).0;
    // The second and the fourth count twice: 2! permutations of these, 3! of the others.
    let weights = "(twice 2) (twice 4) (once 3) (once 5)
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?n) (not (true (lit ?y))))
        (<= (sum ?y ?n) (after ?x ?y) (once ?y) (sum ?x ?m) (inc ?m ?n) (true (lit ?y)))
        (<= (sum ?y ?n) (after ?x ?y) (twice ?y) (sum ?x ?m) (inc2 ?m ?n) (true (lit ?y)))";
    assert_eq!(count(weights, "(sum 5 3)"), 12);
    // The last one counts if it is out: 4! of the others.
    let reversed = "(plain 2) (plain 3) (plain 4)
        (<= (sum ?y ?n) (after ?x ?y) (plain ?y) (sum ?x ?n) (not (true (lit ?y))))
        (<= (sum ?y ?n) (after ?x ?y) (plain ?y) (sum ?x ?m) (inc ?m ?n) (true (lit ?y)))
        (<= (sum 5 ?n) (sum 4 ?m) (inc ?m ?n) (not (true (lit 5)))) (<= (sum 5 ?n) (sum 4 ?n) (true (lit 5)))";
    assert_eq!(count(reversed, "(sum 5 3)"), 24);
    // Binary digits. The last two lamps are not asked for: 2. 101 keeps the exchange of the first with the third;
    // no permutation of the digits but the identity keeps the set of 001, 100 and 110.
    let digits = "(double 0 0) (double 1 2) (double 2 4) (double 3 6)
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?m) (double ?m ?n) (not (true (lit ?y))))
        (<= (sum ?y ?n) (after ?x ?y) (sum ?x ?m) (double ?m ?k) (inc ?k ?n) (true (lit ?y)))
        (<= some (sum 3 1)) (<= some (sum 3 4)) (<= some (sum 3 6))";
    assert_eq!(count(digits, "(sum 3 5)"), 4);
    assert_eq!(count(digits, "some"), 2);
    // How many are lit without a gap up to the last: two if the last two are and the third is not. The first two
    // are not asked for.
    let runs = "(<= (run ?y 0) (lamp ?y) (not (true (lit ?y))))
        (<= (run ?y ?n) (after ?x ?y) (run ?x ?m) (inc ?m ?n) (true (lit ?y)))";
    assert_eq!(count(runs, "(run 5 2)"), 4);
}

/// What the rules say of states that nobody need ever reach, and of their images, by the reference engine.
fn mirrored_states(game: &Game) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    let engine = Datalog::new(game, &Budget::default()).map_err(|e| told(&e))?;
    let vocabulary = engine.vocabulary();
    let symmetries = Symmetries::new(game, vocabulary, &Budget::default()).map_err(|e| told(&e))?;
    let (mut worker, mut random) = (engine.worker(), Random::new(7));
    let words = vocabulary.words();
    let (mut state, mut image) = (vec![0; words], vec![0; words]);
    let (mut next, mut image_next, mut expected) = (vec![0; words], vec![0; words], vec![0; words]);
    for symmetry in &symmetries.generators {
        for one_in in [2, 3, 8] {
            state.fill(0);
            vocabulary.fluents().filter(|_| random.below(one_in) == 0).for_each(|f| row::set(&mut state, f));
            symmetry.state(&state, &mut image);
            let mut ask = |state: &[u64]| worker.is_terminal(state).map_err(|e| told(&e));
            if ask(&state)? != ask(&image)? {
                return Err("the image is not over when the game is".into());
            }
            for role in vocabulary.roles() {
                let other = symmetry.roles[role.index()];
                let mut ask = |state: &[u64], role| worker.goal(state, role).map_err(|e| told(&e));
                if ask(&state, role)? != ask(&image, other)? {
                    return Err("other goals in the image".into());
                }
                let mut ask = |state: &[u64], role| {
                    let mut legal = Vec::new();
                    worker.legal(state, role, &mut legal).map_err(|e| told(&e)).map(|()| legal)
                };
                let moves = &symmetry.moves[role.index()];
                let mut moved: Vec<MoveId> = ask(&state, role)?.iter().map(|m| moves[m.index()]).collect();
                moved.sort_unstable();
                if moved != ask(&image, other)? {
                    return Err("other legal moves in the image".into());
                }
            }
            let drawn = |role| MoveId(random.below(vocabulary.move_count(role)) as u32);
            let joint: Vec<MoveId> = vocabulary.roles().map(drawn).collect();
            worker.next(&state, &joint, &mut next).map_err(|e| told(&e))?;
            worker.next(&image, &symmetry.joint(&joint), &mut image_next).map_err(|e| told(&e))?;
            symmetry.state(&next, &mut expected);
            if image_next != expected {
                return Err("the image goes another way".into());
            }
        }
    }
    Ok(())
}

#[test]
fn the_rules_say_the_same_of_the_image_of_any_state() {
    let mut report = Report::new("symmetries in any state");
    for source in games() {
        report.case(&source.name, || mirrored_states(&source.game()?));
    }
    // Sheets that count, each in its own way.
    let counting = ["reversi", "othello-comp2007", "dresden_othello", "battlebrushes", "god"];
    let public = shared_games("symmetries of public sheets that count");
    for source in public.iter().filter(|source| counting.contains(&&*source.name)) {
        report.case(&source.name, || mirrored_states(&source.game()?));
    }
    report.finish();
}

#[test]
fn names_alone_make_no_symmetry() {
    // Two lamps with a switch each; the second costs the game.
    let text = |end: &str| {
        format!(
            "(role a) (lamp 1) (lamp 2) (init off) (<= (legal a (press ?x)) (lamp ?x))
            (<= (next (lit ?x)) (does a (press ?x))) (<= (next (lit ?x)) (true (lit ?x)))
            (<= terminal {end}) (<= (goal a 100) (true (lit 1)) (true (lit 2)))"
        )
    };
    let game = |end| read(&text(end));
    assert_eq!(count(&game("(true (lit 1)) (true (lit 2))")), (2, 2, 2));
    assert_eq!(count(&game("(true (lit 2))")), (1, 1, 1));
}

/// Plays at random and asks everything of the mirror image, too.
fn mirrored_play(game: &Game, budget: &Budget) -> Result<usize, String> {
    let engine = Propnet::new(game, budget).map_err(|e| e.to_string())?;
    let vocabulary = engine.vocabulary();
    let symmetries = match Symmetries::new(game, vocabulary, budget) {
        Ok(symmetries) => symmetries,
        // Rules are not taken apart for symmetries, so they can be too large here and not for the network.
        Err(error) if error.limit().is_some() => return Ok(0),
        Err(error) => return Err(error.to_string()),
    };
    let mut worker = engine.worker();
    let mut random = Random::new(1);
    let words = vocabulary.words();
    let (mut state, mut next) = (vec![0; words], vec![0; words]);
    let (mut image, mut image_next, mut expected) = (vec![0; words], vec![0; words], vec![0; words]);
    for symmetry in symmetries.generators.iter().take(20) {
        worker.initial(&mut state);
        for _ in 0..30 {
            symmetry.state(&state, &mut image);
            let over = worker.is_terminal(&state).map_err(|e| e.to_string())?;
            if over != worker.is_terminal(&image).map_err(|e| e.to_string())? {
                return Err("the image is not over when the game is".into());
            }
            let mut joint = Vec::new();
            for role in vocabulary.roles() {
                let other = symmetry.roles[role.index()];
                let goal = worker.goal(&state, role).map_err(|e| e.to_string())?;
                if goal != worker.goal(&image, other).map_err(|e| e.to_string())? {
                    return Err("other goals in the image".into());
                }
                let (mut legal, mut of_image) = (Vec::new(), Vec::new());
                worker.legal(&state, role, &mut legal).map_err(|e| e.to_string())?;
                worker.legal(&image, other, &mut of_image).map_err(|e| e.to_string())?;
                let mut moved: Vec<MoveId> =
                    legal.iter().map(|action| symmetry.moves[role.index()][action.index()]).collect();
                moved.sort_unstable();
                if moved != of_image {
                    return Err("other legal moves in the image".into());
                }
                joint.extend((!legal.is_empty()).then(|| legal[random.below(legal.len())]));
            }
            if over || joint.len() < vocabulary.role_count() {
                break;
            }
            worker.next(&state, &joint, &mut next).map_err(|e| e.to_string())?;
            worker.next(&image, &symmetry.joint(&joint), &mut image_next).map_err(|e| e.to_string())?;
            symmetry.state(&next, &mut expected);
            if image_next != expected {
                return Err("the image goes another way".into());
            }
            std::mem::swap(&mut state, &mut next);
        }
    }
    Ok(symmetries.generators.len())
}

#[test]
fn play_goes_the_same_way_in_the_mirror() {
    let mut report = Report::new("symmetries");
    let mut found = 0;
    for source in games() {
        report.case(&source.name, || {
            found += mirrored_play(&source.game()?, &Budget::default())?;
            Ok(())
        });
    }
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    if !slow {
        note("NOT RUN: symmetries of all public sheets (set LUDEX_SLOW); every tenth of the small ones is");
    }
    let budget = match slow {
        true => Budget::default(),
        false => Budget::default().with_rows(30_000).with_steps(5_000_000),
    };
    for source in shared_games("symmetries of public sheets").iter().step_by(if slow { 1 } else { 10 }) {
        let Ok(game) = source.game() else { continue };
        // What is too large for the network is no business of this test.
        if Propnet::new(&game, &budget).is_ok() {
            report.case(&source.name, || mirrored_play(&game, &budget).map(|_| ()));
        }
    }
    report.finish();
    assert!(found > 10, "{found} generators");
}
