//! Comparing records with an engine: agreement, and every kind of difference.

use ludex_engine::budget::{Budget, Cancel, Exceeded};
use ludex_engine::datalog::Datalog;
use ludex_gdl::Sheet;
use ludex_ggp::record::Records;
use ludex_ggp::replay::{Difference, Kind, Replayer, Sets, Stopped};
use std::io::Cursor;

/// Two roles step from 0 to 2; either may wait.
const GAME: &str = "
    (role a) (role b) (init (at a 0)) (init (at b 0)) (succ 0 1) (succ 1 2)
    (<= (legal ?r step) (true (at ?r ?x)) (succ ?x ?y))
    (<= (legal ?r wait) (role ?r))
    (<= (next (at ?r ?y)) (does ?r step) (true (at ?r ?x)) (succ ?x ?y))
    (<= (next (at ?r ?x)) (does ?r wait) (true (at ?r ?x)))
    (<= terminal (true (at ?r 2)))
    (<= (goal ?r 100) (true (at ?r 2)))
    (<= (goal ?r 0) (true (at ?r ?x)) (distinct ?x 2))";

const RECORD: &str = r#"{"game":"walk","roles":["a","b"],"playout":3}
{"state":["(at a 0)","(at b 0)"],"terminal":false,"legals":{"a":["step","wait"],"b":["step","wait"]},"goals":{"a":0,"b":0},"moves":["step","wait"]}
{"state":["(at a 1)","(at b 0)"],"terminal":false,"legals":{"a":["step","wait"],"b":["step","wait"]},"goals":{"a":0,"b":0},"moves":["step","step"]}
{"state":["(at a 2)","(at b 1)"],"terminal":true,"goals":{"a":100,"b":0}}
"#;

fn compare(record: &str) -> Result<usize, Difference> {
    replay(record, &Budget::default()).map_err(|stopped| match stopped {
        Stopped::Difference(difference) => difference,
        Stopped::Limit(limit) => panic!("{limit}"),
    })
}

fn replay(record: &str, budget: &Budget) -> Result<usize, Stopped> {
    let game = Sheet::read(GAME).into_game().expect("a sound sheet");
    let engine = Datalog::new(&game, budget).expect("a small game");
    let mut replayer = Replayer::new(&engine);
    let records =
        Records::new("walk.jsonl", Cursor::new(record.as_bytes().to_vec())).expect("a sound record");
    let mut steps = 0;
    for playout in records {
        steps += replayer.compare(&playout.expect("a sound record")).map_err(|stopped| *stopped)?;
    }
    Ok(steps)
}

/// The difference that replacing `from` by `to` in the sound record makes; it must say where it is.
fn difference(from: &str, to: &str) -> (usize, Kind) {
    assert!(RECORD.contains(from), "{from}");
    let difference = compare(&RECORD.replacen(from, to, 1)).expect_err(to);
    assert_eq!((difference.record.as_str(), difference.playout), ("walk.jsonl", 3));
    assert!(difference.to_string().starts_with("walk.jsonl: playout 3, step "), "{difference}");
    (difference.step, difference.kind)
}

fn sets(record: &[&str], engine: &[&str]) -> Sets {
    let own = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect();
    Sets { only_in_record: own(record), only_in_engine: own(engine) }
}

#[test]
fn a_sound_record_has_no_difference() {
    assert_eq!(compare(RECORD), Ok(3));
    assert_eq!(compare(&RECORD.repeat(2)), Ok(6));
}

#[test]
fn roles_are_compared() {
    let (_, kind) = difference(r#"["a","b"]"#, r#"["b","a"]"#);
    assert_eq!(
        kind,
        Kind::Roles { record: vec!["b".into(), "a".into()], engine: vec!["a".into(), "b".into()] }
    );
}

#[test]
fn the_initial_state_is_compared() {
    let (step, kind) = difference("\"(at b 0)\"]", "\"(at b 7)\"]");
    assert_eq!((step, kind), (0, Kind::InitialState(sets(&["(at b 7)"], &["(at b 0)"]))));
}

#[test]
fn successors_are_compared() {
    let (step, kind) = difference("(at a 2)", "(at A 2)");
    let moves = vec!["step".to_owned(), "step".to_owned()];
    assert_eq!((step, kind), (2, Kind::Successor { moves, sets: sets(&["(at A 2)"], &["(at a 2)"]) }));
}

#[test]
fn ends_are_compared() {
    assert_eq!(difference("\"terminal\":true", "\"terminal\":false"), (2, Kind::Terminal { record: false }));
    assert_eq!(difference("\"terminal\":false", "\"terminal\":true"), (0, Kind::Terminal { record: true }));
}

#[test]
fn legal_moves_are_compared_as_sets() {
    let (step, kind) = difference(r#""b":["step","wait"]"#, r#""b":["wait","jump","wait"]"#);
    assert_eq!((step, kind), (0, Kind::Legal { role: "b".into(), sets: sets(&["jump"], &["step"]) }));
    let shuffled = RECORD.replacen(r#""b":["step","wait"]"#, r#""b":["wait","step","wait"]"#, 1);
    assert_eq!(compare(&shuffled), Ok(3));
}

#[test]
fn goals_are_compared() {
    let (step, kind) = difference(r#""a":100"#, r#""a":null"#);
    assert_eq!((step, kind), (2, Kind::Goal { role: "a".into(), record: None, engine: Some(100) }));
}

#[test]
fn illegal_moves_are_found() {
    let (step, kind) = difference(r#""moves":["step","step"]"#, r#""moves":["fly","step"]"#);
    assert_eq!((step, kind), (1, Kind::IllegalMove { role: "a".into(), action: "fly".into() }));
}

#[test]
fn tails_begin_anywhere_the_rules_can_reach() {
    let tail = RECORD.replacen("\"playout\":3", "\"playout\":3,\"tail\":true", 1);
    let (header, steps) = tail.split_once('\n').expect("lines");
    let (_, rest) = steps.split_once('\n').expect("lines");
    assert_eq!(compare(&format!("{header}\n{rest}")), Ok(2));
    let unknown = format!("{header}\n{}", rest.replacen("(at a 1)", "(at a 9)", 1));
    let difference = compare(&unknown).expect_err("there is no 9");
    assert_eq!(difference.kind, Kind::UnknownFluents { fluents: vec!["(at a 9)".into()] });
}

#[test]
fn match_records_of_servers_are_compared() {
    let record = r#"{"isCompleted":true,"states":["( ( at a 0 ) ( at b 0 ) )","( ( at b 1 ) ( at a 1 ) )",
        "((at a 2)(at b 1))"],"moves":[["step","step"],["step","wait"]],"goalValues":[100,0]}"#;
    assert_eq!(compare(record), Ok(3));
    let wrong = compare(&record.replace("[100,0]", "[100,100]")).expect_err("b has not won");
    assert_eq!(wrong.kind, Kind::Goal { role: "b".into(), record: Some(100), engine: Some(0) });
    let short = compare(&record.replace(r#"["step","step"]"#, r#"["step"]"#)).expect_err("b has not moved");
    assert_eq!(short.kind, Kind::RoleCount { record: 1, engine: 2 });
}

#[test]
fn comparing_ends_when_it_is_called_off() {
    let game = Sheet::read(GAME).into_game().expect("a sound sheet");
    let engine = Datalog::new(&game, &Budget::default()).expect("a small game");
    let cancel = Cancel::default();
    let mut replayer = Replayer::new(&engine);
    replayer.obey(&Budget::default().with_cancel(cancel.clone()));
    let records =
        Records::new("walk.jsonl", Cursor::new(RECORD.as_bytes().to_vec())).expect("a sound record");
    let playouts: Vec<_> = records.map(|playout| playout.expect("a sound record")).collect();
    assert_eq!(playouts.iter().map(|playout| replayer.compare(playout).expect("no limit")).sum::<usize>(), 3);
    cancel.cancel();
    // Small questions look at the budget together: some of many do.
    let stopped = (0..10_000).find_map(|_| replayer.compare(&playouts[0]).err()).map(|stopped| *stopped);
    let Some(Stopped::Limit(limit)) = stopped else { panic!("not called off: {stopped:?}") };
    assert_eq!(limit.fault.limit(), Exceeded::Cancelled);
}
