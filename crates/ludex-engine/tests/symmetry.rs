//! Symmetries: their number by hand for known games, and play that goes the same way in the mirror.

use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
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
fn what_is_counted_square_by_square_hides_the_symmetries_of_the_board() {
    // This sheet counts discs column by column, so that only the exchange of the players is in the rules as
    // they are written.
    assert_eq!(count(&bundled("reversi")), (2, 1, 1));
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
    let game = |end| Sheet::read(&text(end)).into_game().expect("a sound sheet");
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
