//! The file of an end-game database, what the oracle says, and the solver against what is known of games.

use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::Propnet;
use ludex_engine::row;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::{Game, Sheet};
use ludex_logic::endgame::query::{self, Class, StateError, read_state};
use ludex_logic::endgame::regress::{Options, regress};
use ludex_logic::endgame::solve::{self, Nature, Solution, solve};
use ludex_logic::endgame::{Database, FileError, Kind, Knowledge, Oracle, file};
use ludex_testkit::corpus;
use ludex_testkit::report::{note, runs_slow};
use std::collections::HashMap;

fn bundled(name: &str) -> Game {
    let source = corpus::games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

fn engine(game: &Game) -> Propnet {
    Propnet::new(game, &Budget::default()).expect("it has a network")
}

fn solved(engine: &Propnet, threads: usize) -> Solution {
    let options = solve::Options { threads, ..solve::Options::default() };
    solve(engine, &options, &Budget::default(), &solve::Reached::default()).expect("it fits")
}

fn regressed(game: &Game, depth: u32) -> Vec<u8> {
    regress(&Prepared::new(game.clone()), &Options { depth, ..Options::default() }).expect("it fits").bytes
}

#[test]
fn damage_of_any_byte_is_found() {
    let bytes = regressed(&bundled("maze"), 3);
    assert!(Database::from_bytes(bytes.clone()).is_ok());
    for at in 0..bytes.len() {
        // The last eight bytes of the header are unused.
        if (56..64).contains(&at) {
            continue;
        }
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let error = Database::from_bytes(damaged).expect_err("a changed byte");
        match error {
            FileError::NotADatabase => assert!(at < 8, "{at}"),
            FileError::Corrupt(_) => assert!(at >= 8, "{at}"),
            other => panic!("{at}: {other}"),
        }
    }
    for length in (0..bytes.len()).step_by(97) {
        assert!(Database::from_bytes(bytes[..length].to_vec()).is_err(), "{length}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(matches!(Database::from_bytes(longer), Err(FileError::Corrupt(_))));
}

#[test]
fn files_are_there_whole_or_not_at_all() {
    let game = bundled("maze");
    let bytes = regressed(&game, 3);
    let folder = std::env::temp_dir().join(format!("ludex-endgame-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    let path = folder.join("maze.end");
    file::write(&path, &bytes).expect("written");
    let opened = Database::open(&path).expect("sound");
    assert_eq!(opened.size(), bytes.len());
    assert!(opened.expect_rules(&game.rules).is_ok());
    assert!(matches!(opened.expect_rules(&bundled("nim").rules), Err(FileError::Foreign)));
    let again = opened.game().expect("the rules are in the file");
    assert!(opened.expect_rules(&again.rules).is_ok());
    let names: Vec<_> =
        std::fs::read_dir(&folder).expect("readable").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(names, ["maze.end"], "no temporary file is left");
    assert!(file::write(&folder.join("missing/maze.end"), &bytes).is_err());
    std::fs::write(&path, b"short").expect("written");
    assert!(matches!(Database::open(&path), Err(FileError::NotADatabase)));
    assert!(matches!(Database::open(&folder.join("none.end")), Err(FileError::Io(_))));
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// Wherever the solver knows the value, the regression's oracle says the same or nothing.
#[cfg(unix)]
#[test]
fn links_and_pipes_stay_what_they_are() {
    let folder = std::env::temp_dir().join(format!("ludex-endgame-links-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (end, link, pipe) = (folder.join("maze.end"), folder.join("link.end"), folder.join("pipe.end"));
    std::fs::write(&end, "old").expect("written");
    std::os::unix::fs::symlink(&end, &link).expect("a link");
    file::write(&link, b"new").expect("written");
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(std::fs::read(&end).expect("a file"), b"new");

    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read(pipe).expect("what is written"))
    };
    file::write(&pipe, b"for the reader").expect("written");
    assert!(!std::fs::metadata(&pipe).expect("the pipe").is_file());
    assert_eq!(reader.join().expect("the reader"), b"for the reader");
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn the_oracles_agree() {
    for name in ["tictactoe", "nim", "maze", "racetoten"] {
        let game = bundled(name);
        let engine = engine(&game);
        let solution = solved(&engine, 2);
        let table = Database::from_bytes(solution.encode(&game, &engine)).expect("sound");
        let regression = Database::from_bytes(regressed(&game, 4)).expect("sound");
        let (mut exact, mut hints) = (0, 0);
        for at in 0..solution.space.len() {
            let state = solution.space.state(at);
            for role in engine.vocabulary().roles() {
                match (regression.lookup(state, role), table.lookup(state, role)) {
                    (Knowledge::Exact { value, depth }, Knowledge::Exact { value: known, depth: least }) => {
                        assert_eq!(value, known, "{name}, state {at}");
                        // The loser's clock is the winner's: a solution counts how soon the loser can end it.
                        assert!(Some(value) != table.best_goal(role) || depth == least, "{name}, state {at}");
                        exact += 1;
                    }
                    (Knowledge::Exact { .. }, other) => panic!("{name}, state {at}: {other:?}"),
                    (Knowledge::Hint { depth }, _) => {
                        assert_eq!(
                            table.depth(state, role, Kind::Reachable),
                            Some(depth),
                            "{name}, state {at}"
                        );
                        hints += 1;
                    }
                    (Knowledge::Unknown, _) => {}
                }
            }
        }
        assert!(exact > 0, "{name}: {exact} {hints}");
        // A state of another game, or none, is unknown.
        assert_eq!(table.lookup(&[], RoleId(0)), Knowledge::Unknown);
        assert_eq!(regression.lookup(&[0; 9], RoleId(0)), Knowledge::Unknown);
        assert_eq!(regression.lookup(solution.space.state(0), RoleId(7)), Knowledge::Unknown);
    }
}

/// Counts that others have published: 5,478 positions of Tic-Tac-Toe, 958 of them final. It is drawn.
#[test]
fn tictactoe_has_its_known_values() {
    assert_eq!(counted_and_valued("tictactoe"), (5_478, 958, 50));
}

/// Positions, those in which the game is over, and what the one who begins gets.
fn counted_and_valued(name: &str) -> (usize, usize, Goal) {
    let engine = engine(&bundled(name));
    let solution = solved(&engine, 2);
    assert_eq!(solution.nature, Nature::ConstantSum(100), "{name}");
    let value = solution.verdict(0, RoleId(0)).value.expect("a value under best play");
    assert_eq!(solution.verdict(0, RoleId(1)).value, Some(100 - value), "{name}");
    (solution.space.len(), solution.space.end_count(), value)
}

/// The same of Connect Four by a program that knows the game and no GDL. A position is the discs of whoever
/// moves and all discs; a column takes one bit more than its height, so that no line runs from one column into
/// the next.
fn connect_four(width: u32, height: u32) -> (usize, usize, Goal) {
    let has_four = |discs: u64| {
        [1, height, height + 1, height + 2].iter().any(|shift| {
            let pairs = discs & (discs >> shift);
            pairs & (pairs >> (2 * shift)) != 0
        })
    };
    let is_over = |(mine, all): (u64, u64)| has_four(mine ^ all) || all.count_ones() == width * height;
    let drops = |(mine, all): (u64, u64)| {
        (0..width).filter_map(move |column| {
            let bottom = 1u64 << (column * (height + 1));
            let disc = (all + bottom) & (((1 << height) - 1) * bottom);
            (disc != 0).then_some((mine ^ all, all | disc))
        })
    };
    let mut layers: Vec<Vec<(u64, u64)>> = vec![vec![(0, 0)]];
    while let Some(last) = layers.last().filter(|last| !last.is_empty()) {
        let going = last.iter().copied().filter(|&position| !is_over(position));
        let mut next: Vec<(u64, u64)> = going.flat_map(drops).collect();
        next.sort_unstable();
        next.dedup();
        layers.push(next);
    }
    let ends = layers.iter().flatten().filter(|&&position| is_over(position)).count();
    // Back from the fullest boards: what whoever moves gets.
    let mut later: HashMap<(u64, u64), Goal> = HashMap::new();
    for layer in layers.iter().rev() {
        let value = |&position: &(u64, u64)| match position {
            (mine, all) if has_four(mine ^ all) => 0,
            (_, all) if all.count_ones() == width * height => 50,
            _ => drops(position).map(|next| 100 - later[&next]).max().unwrap_or(0),
        };
        later = layer.iter().map(|position| (*position, value(position))).collect();
    }
    (layers.iter().map(Vec::len).sum(), ends, later[&(0, 0)])
}

/// 161,029 positions on four columns of four are also what others have published.
#[test]
fn connect_four_has_the_counts_and_value_of_a_program_of_its_own() {
    let small = connect_four(4, 4);
    assert_eq!((small.0, small.2), (161_029, 50));
    assert_eq!(counted_and_valued("connectfour4x4"), small);
    if !runs_slow("Connect Four on five columns of four, solved and counted") {
        return;
    }
    let large = connect_four(5, 4);
    note(&format!("Connect Four on five columns of four: {large:?}"));
    assert_eq!(counted_and_valued("connectfour5x4"), large);
}

/// Counted and solved by a simulator that knows no GDL: `testdata/perft/derive/krkendgame5x5.py --solve`.
#[test]
fn a_chess_endgame_is_won_as_the_simulator_says() {
    let engine = engine(&bundled("krkendgame5x5"));
    let solution = solved(&engine, 2);
    assert_eq!(solution.space.len(), 123_519);
    let white = solution.verdict(0, RoleId(0));
    assert_eq!((white.value, white.depth), (Some(100), Some(3)));
    assert_eq!(solution.verdict(0, RoleId(1)).value, Some(0));
}

/// Bouton: whoever moves loses exactly where the heaps add up to zero without carry.
#[test]
fn nim_is_won_as_its_theory_says() {
    let game = bundled("nim");
    let engine = engine(&game);
    let solution = solved(&engine, 1);
    let vocabulary = engine.vocabulary();
    for at in 0..solution.space.len() {
        let (mut sum, mut mover) = (0u32, None);
        for fluent in row::fluents(solution.space.state(at)) {
            let shown = vocabulary.show_fluent(fluent);
            let words: Vec<&str> = shown.trim_matches(['(', ')']).split(' ').collect();
            match words.as_slice() {
                ["heap", _, matches] => sum ^= matches.parse::<u32>().expect("a number"),
                ["control", name] => {
                    mover = vocabulary.roles().find(|&role| vocabulary.show_role(role) == *name);
                }
                other => panic!("{other:?}"),
            }
        }
        let mover = mover.expect("somebody moves");
        let expected: Goal = if sum == 0 { 0 } else { 100 };
        assert_eq!(solution.verdict(at, mover).value, Some(expected), "state {at}");
    }
}

#[test]
fn threads_do_not_change_the_solution() {
    let game = bundled("pursuit");
    let engine = engine(&game);
    let one = solved(&engine, 1).encode(&game, &engine);
    let three = solved(&engine, 3).encode(&game, &engine);
    assert_eq!(one, three);
}

#[test]
fn a_solution_that_does_not_fit_is_refused() {
    let engine = engine(&bundled("tictactoe"));
    let options = solve::Options { states: 1_000, ..solve::Options::default() };
    let error = solve(&engine, &options, &Budget::default(), &solve::Reached::default())
        .expect_err("too many states");
    assert_eq!(error, solve::SolveError::States(1_000));
}

/// A game in which play can go round for ever: the lazy player cannot force an end, the other can.
#[test]
fn play_without_end_has_no_value() {
    let rules = "(role a) (role b) (init (control a)) (init (at 0))
        (<= (legal ?p stay) (true (control ?p))) (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (legal b leave) (true (control b)))
        (<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
        (<= (next (at 1)) (does b leave)) (<= (next (at 0)) (true (at 0)) (not (does b leave)))
        (<= terminal (true (at 1)))
        (<= (goal a 100) (true (at 1))) (<= (goal b 0) (true (at 1)))";
    let game = Sheet::read(rules).into_game().expect("a sound sheet");
    let engine = engine(&game);
    let solution = solved(&engine, 1);
    assert_eq!(solution.verdict(0, RoleId(0)).value, None);
    assert_eq!(solution.verdict(0, RoleId(0)).reachable, Some(2));
    assert_eq!(
        (solution.verdict(0, RoleId(1)).value, solution.verdict(0, RoleId(1)).depth),
        (Some(0), Some(2))
    );
    let database = Database::from_bytes(regressed(&game, 10)).expect("sound");
    let initial = solution.space.state(0);
    assert_eq!(database.depth(initial, RoleId(0), Kind::Reachable), Some(2));
    assert_eq!(database.depth(initial, RoleId(0), Kind::Forced), None);
}

/// Worked out by hand: x has two in the first row and moves, o has two in the second.
#[test]
fn a_state_is_classified_and_advised() {
    let game = bundled("tictactoe");
    let engine = engine(&game);
    let text = "(cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) (cell 2 3 b)
        (cell 3 1 b) (cell 3 2 b) (cell 3 3 b) (control x)";
    let state = read_state(engine.vocabulary(), text).expect("a state");
    let one = Database::from_bytes(regressed(&game, 1)).expect("sound");
    let answer = query::query(&one, &mut *engine.worker(), &state).expect("no limit is met");
    assert_eq!(answer.classes, [Class::Winning, Class::Losing]);
    let shown: Vec<String> =
        answer.moves[0].iter().map(|&m| engine.vocabulary().show_move(RoleId(0), m)).collect();
    assert_eq!(shown, ["(mark 1 3)"]);
    assert!(answer.moves[1].is_empty());
    assert!(answer.entries.iter().all(|entry| entry.depth == 1 && entry.plan.len() == 1));
    // Two joint moves deep o has a plan too, if x helps.
    let two = Database::from_bytes(regressed(&game, 2)).expect("sound");
    let answer = query::query(&two, &mut *engine.worker(), &state).expect("no limit is met");
    assert_eq!(answer.classes, [Class::Cooperative, Class::Cooperative]);
    let forced: Vec<RoleId> =
        answer.entries.iter().filter(|e| e.kind == Kind::Forced).map(|e| e.role).collect();
    assert_eq!(forced, [RoleId(0)]);
}

#[test]
fn states_are_read_in_every_dress() {
    let engine = engine(&bundled("maze"));
    let vocabulary = engine.vocabulary();
    let plain = read_state(vocabulary, "(cell a) (gold i) (step 5)").expect("a state");
    assert_eq!(row::fluents(&plain).count(), 3);
    for text in [
        "((cell a) (gold i) (step 5))",
        "(true (cell a)) (true (gold i)) (true (step 5))",
        "((true (cell a)) (TRUE (gold i)) (step 5))",
        "\n(cell a)(gold i)\n\t(step 5)  ",
    ] {
        assert_eq!(read_state(vocabulary, text), Ok(plain.clone()), "{text}");
    }
    let one = read_state(vocabulary, "(cell a)").expect("a state");
    assert_eq!(read_state(vocabulary, "(true (cell a))"), Ok(one));
    assert_eq!(read_state(vocabulary, ""), Ok(vec![0; plain.len()]));
    assert_eq!(read_state(vocabulary, "(cell a"), Err(StateError::Parentheses));
    assert_eq!(read_state(vocabulary, "(cell a))"), Err(StateError::Parentheses));
    let refused = read_state(vocabulary, "(cell q)");
    assert!(
        matches!(&refused, Err(StateError::NoFluent(text, near)) if text == "(cell q)" && near.contains(&"(cell a)".to_owned())),
        "{refused:?}"
    );
    assert!(matches!(read_state(vocabulary, "nonsense (cell a)"), Err(StateError::NoFluent(..))));
    for hostile in ["(", ")", "()", "(()", "((((((((", "\u{1F600}", "(true)", "(true true true)", "(cell ?x)"]
    {
        assert!(read_state(vocabulary, hostile).is_err(), "{hostile}");
    }
}
