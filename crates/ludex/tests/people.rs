//! The interface for people: games, matches, moves in words, and errors that help.

use ludex::prelude::*;
use ludex::{Error, games};

#[test]
fn a_game_is_a_name_a_path_or_a_text() {
    let by_name = Game::load("tictactoe").expect("it is bundled");
    assert_eq!((by_name.name(), by_name.warnings().len()), ("tictactoe", 0));
    let text = games::find("tictactoe").expect("it is bundled").text;
    assert_eq!(Game::load(text).expect("the same rules").perft(2).expect("small"), 72);
    let infix = games::find("racetoten").expect("it is bundled").text;
    assert_eq!(Game::read("race", infix).expect("sound").name(), "race");
    let path = std::env::temp_dir().join(format!("ludex-people-{}.kif", std::process::id()));
    std::fs::write(&path, text).expect("the folder for temporary files can be written");
    let by_path = Game::load(path.to_str().expect("a plain path"));
    std::fs::remove_file(&path).expect("it is ours");
    assert_eq!(
        by_path.expect("the same rules").name(),
        path.file_stem().expect("a name").to_str().expect("plain")
    );
}

#[test]
fn what_is_no_game_says_why() {
    let unknown = Game::load("tictacto").unwrap_err().to_string();
    assert_eq!(unknown, "there is no file and no bundled game `tictacto`; did you mean `tictactoe`?");
    assert!(matches!(Game::open("no/such/file.kif"), Err(LoadError::Io(..))));
    // The variable of the head is bound by nothing; it stands in line 2, column 15.
    let rules = "(role robot) (init (at 1))\n(<= (next (at ?y)) (does robot step))\n(legal robot step)\n(<= terminal (true (at 3)))\n(goal robot 100)";
    let error = Game::load(rules).unwrap_err();
    let expected = "\
the rules of rules have 1 error
error[unsafe-variable]: the variable `?y` stands in the head, but no positive condition binds it
 --> rules:2:15
  |
2 | (<= (next (at ?y)) (does robot step))
  |               ^^ not bound
help: add a condition that gives `?y` its values";
    assert_eq!(error.to_string(), expected);
    // A `main` that returns it prints the same.
    assert_eq!(format!("{:?}", Error::from(error)), expected);
}

#[test]
fn moves_are_given_in_words() -> ludex::Result<()> {
    let game = Game::load("tictactoe")?;
    let mut play = game.start()?;
    assert_eq!(
        (play.roles(), play.choosing(), play.step()),
        (&["x".to_owned(), "o".to_owned()][..], vec!["x"], 0)
    );
    play.play("(mark 2 2)")?;
    play.play(["noop", "mark(1,1)"])?;
    play.play([("x", "mark 3 1")])?;
    play.play(Moves::ByRole(vec![
        ("o".to_owned(), "mark 3 3".to_owned()),
        ("x".to_owned(), "noop".to_owned()),
    ]))?;
    let history: Vec<String> = play.history().iter().map(|joint| joint.join(" ")).collect();
    assert_eq!(history, ["(mark 2 2) noop", "noop (mark 1 1)", "(mark 3 1) noop", "noop (mark 3 3)"]);
    assert_eq!(play.draw(), " 3 | . . o\n 2 | . x .\n 1 | o . x\n   +------\n     1 2 3\n(control x)\n");
    assert!(play.fluents().contains(&"(cell 3 1 x)".to_owned()));
    // A diagonal for x, from a copy; the match itself stays.
    let mut other = play.clone();
    other.play("mark 1 3")?;
    assert!(other.is_over() && !other.is_stuck() && other.legal("x")?.is_empty());
    assert_eq!((other.goals(), other.goal("x")?), (&[Some(100), Some(0)][..], Some(100)));
    assert_eq!(other.play("mark 1 2").unwrap_err().to_string(), "the game is over");
    assert!(other.undo()? && !other.is_over());
    assert_eq!(other.fluents(), play.fluents());
    assert_eq!(play.step(), 4);
    Ok(())
}

#[test]
fn what_cannot_be_played_says_what_can() -> ludex::Result<()> {
    let mut play = Game::load("tictactoe")?.start()?;
    let before = play.fluents();
    let mut refused = |moves: Moves| play.play(moves).unwrap_err().to_string();
    let near = refused("mark 2 4".into());
    assert!(near.starts_with("`mark 2 4` is not legal for x; did you mean `mark 2 1` or"), "{near}");
    assert!(near.contains("; legal: (mark 1 1), (mark 1 2)"), "{near}");
    assert_eq!(refused(["noop"].into()), "1 moves for 2 roles; the order is x, o");
    assert_eq!(refused([("y", "noop")].into()), "there is no role `y`; the roles are x, o");
    assert!(refused([("o", "noop")].into()).starts_with("no move was given for x; legal: (mark 1 1)"));
    assert!(refused([("o", "mark 1 1")].into()).ends_with("is not legal for o; legal: noop"));
    assert!(refused("(((".into()).starts_with("`(((` is not legal for x"));
    assert_eq!((play.fluents(), play.step()), (before, 0));
    assert!(matches!(play.legal("z"), Err(PlayError::UnknownRole { .. })));
    Ok(())
}

#[test]
fn simultaneous_moves_need_a_move_of_everybody() -> ludex::Result<()> {
    let mut play = Game::load("rockpaperscissors")?.start()?;
    assert_eq!(play.choosing().len(), 2);
    let roles = play.roles().to_vec();
    let first = play.legal(&roles[0])?.remove(0);
    let missing = play.play(first.as_str()).unwrap_err().to_string();
    assert!(missing.starts_with(&format!("no move was given for {}", roles[1])), "{missing}");
    let second = play.legal(&roles[1])?.remove(0);
    play.play(vec![first, second])?;
    assert_eq!(play.step(), 1);
    Ok(())
}

#[test]
fn random_matches_end_and_repeat_with_their_seed() -> ludex::Result<()> {
    let game = Game::load("connectfour4x4")?;
    let finish = |seed| -> ludex::Result<Vec<Vec<String>>> {
        let (mut play, mut random) = (game.start()?, Random::new(seed));
        while play.play_random(&mut random)? {}
        assert!(play.is_over());
        Ok(play.history())
    };
    assert_eq!(finish(3)?, finish(3)?);
    // One by one and in lanes: every match of this game ends, and the goals add up to 100.
    for count in [200, 2000] {
        let outcomes = game.playouts(count).seed(3).run()?;
        assert_eq!(outcomes, game.playouts(count).seed(3).threads(1).run()?);
        assert_eq!((outcomes.playouts, outcomes.cut, outcomes.stuck), (count, 0, 0));
        let total: f64 = outcomes.roles.iter().filter_map(|role| role.mean()).sum();
        assert!((total - 100.0).abs() < 1e-9, "{total}");
        assert!(
            (7.0..=16.0).contains(&outcomes.mean_length()),
            "four in a row take seven moves, the board has sixteen"
        );
    }
    let cut = game.playouts(10).longest(2).run()?;
    assert_eq!((cut.cut, cut.moves), (10, 20));
    Ok(())
}

#[test]
fn engines_are_chosen_by_name() -> ludex::Result<()> {
    let game = Game::load("nim")?;
    for choice in ludex::engines::ALL {
        // 206 ways, by the simulator in testdata/perft that knows no GDL.
        assert_eq!(game.with_engine(choice.name)?.perft(2)?, 206, "{}", choice.name);
    }
    let error = game.with_engine("prolog").unwrap_err().to_string();
    assert_eq!(error, "there is no engine `prolog`; the engines are auto, datalog, tree, propnet");
    Ok(())
}
