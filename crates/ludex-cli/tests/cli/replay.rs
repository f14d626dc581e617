//! `ludex replay`: small records written here, and the recorded matches where they are at hand.

use crate::{Scratch, ludex, shared};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Two moves of Tic-Tac-Toe, written by hand from the rules.
fn record() -> String {
    let cells = |marks: &[(&str, &str)], control: &str| {
        let mut state = Vec::new();
        for cell in ["1 1", "1 2", "1 3", "2 1", "2 2", "2 3", "3 1", "3 2", "3 3"] {
            let mark = marks.iter().find(|(at, _)| *at == cell).map_or("b", |(_, mark)| mark);
            state.push(format!("\"(cell {cell} {mark})\""));
        }
        state.push(format!("\"(control {control})\""));
        state.join(",")
    };
    let free = |taken: &[&str]| {
        let all = ["1 1", "1 2", "1 3", "2 1", "2 2", "2 3", "3 1", "3 2", "3 3"];
        let moves = all.iter().filter(|cell| !taken.contains(cell)).map(|cell| format!("\"(mark {cell})\""));
        moves.collect::<Vec<_>>().join(",")
    };
    format!(
        "{{\"game\":\"tictactoe\",\"roles\":[\"x\",\"o\"],\"playout\":0}}
{{\"state\":[{}],\"terminal\":false,\"legals\":{{\"x\":[{}],\"o\":[\"noop\"]}},\"moves\":[\"(mark 2 2)\",\"noop\"]}}
{{\"state\":[{}],\"terminal\":false,\"legals\":{{\"x\":[\"noop\"],\"o\":[{}]}},\"moves\":[\"noop\",\"(mark 1 3)\"]}}
{{\"state\":[{}],\"terminal\":false}}
",
        cells(&[], "x"),
        free(&[]),
        cells(&[("2 2", "x")], "o"),
        free(&["2 2"]),
        cells(&[("2 2", "x"), ("1 3", "o")], "x"),
    )
}

#[test]
fn agreement_is_a_yes() {
    let plain = Scratch::new("agree.jsonl", record());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(record().as_bytes()).expect("memory can be written");
    let packed = Scratch::new("agree.jsonl.gz", encoder.finish().expect("memory can be written"));
    let run = ludex(&["replay", "tictactoe", plain.path(), packed.path(), "--json"]).ends_with(0);
    let lines = run.json();
    assert_eq!(lines.len(), 2);
    for (line, path) in lines.iter().zip([plain.path(), packed.path()]) {
        assert_eq!(line["record"], path);
        assert_eq!(line["steps"], 3);
        assert_eq!(line["differences"], 0);
    }
    let text = ludex(&["replay", "tictactoe", plain.path(), "--engine", "datalog"]).ends_with(0).out;
    assert_eq!(text, format!("{}: 1 playout, 3 steps, no difference\n", plain.path()));
}

#[test]
fn the_first_difference_is_a_no_printed_in_full() {
    let wrong = record().replacen("\"(mark 3 3)\"", "\"(mark 9 9)\"", 1);
    let (wrong, right) = (Scratch::new("wrong.jsonl", wrong), Scratch::new("right.jsonl", record()));
    let text = ludex(&["replay", "tictactoe", wrong.path(), right.path()]).ends_with(1).out;
    let expected = format!(
        "{}: playout 0, step 0: the legal moves differ
  role: x
  only in the record (1):
    (mark 9 9)
  only in the engine (1):
    (mark 3 3)
",
        wrong.path()
    );
    assert_eq!(text, expected);
    let run = ludex(&["replay", "tictactoe", right.path(), wrong.path(), "--json"]).ends_with(1);
    let [first, second] = run.json().try_into().expect("a line for each record");
    assert_eq!(first["differences"], 0);
    assert!(first["first"].is_null());
    assert_eq!(second["differences"], 1);
    assert_eq!(second["first"]["kind"], "legal");
    assert_eq!(second["first"]["only_in_engine"][0], "(mark 3 3)");
}

#[test]
fn match_records_of_servers_are_read() {
    let text = r#"{"matchId":"m1","isCompleted":false,
  "states":["( ( heap a 1 ) ( heap b 3 ) ( heap c 5 ) ( heap d 7 ) ( control alice ) )",
            "((heap a 1)(heap b 3)(heap c 5)(heap d 4)(control bob))"],
  "moves":[["( take d 3 )","noop"]]}"#;
    let file = Scratch::new("match.json", text);
    let run = ludex(&["replay", "nim", file.path(), "--json"]).ends_with(0);
    assert_eq!(run.json()[0]["steps"], 2);
    let wrong = Scratch::new("wrong-match.json", text.replace("heap d 4", "heap d 3"));
    let run = ludex(&["replay", "nim", wrong.path()]).ends_with(1);
    assert!(run.out.contains("step 1: the successor differs"), "{}", run.out);
    assert!(run.out.contains("after the joint move: (take d 3)  noop"), "{}", run.out);
}

#[test]
fn missing_records_are_misuse_and_broken_ones_a_failure() {
    let missing = ludex(&["replay", "nim", "/nonexistent/record.jsonl"]).ends_with(2);
    assert!(missing.err.contains("there is no record"), "{}", missing.err);
    let contents: [(&str, &[u8]); 4] = [
        ("empty", b""),
        ("text", b"hello\n"),
        ("bytes", &[0xFF; 64]),
        ("gzip", &[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]),
    ];
    for (name, content) in contents {
        let file = Scratch::new(&format!("broken-{name}"), content);
        let run = ludex(&["replay", "nim", file.path()]).ends_with(1);
        assert!(run.err.contains(file.path()), "{name}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{name}: {}", run.err);
    }
}

#[test]
fn recorded_matches_of_public_games_agree() {
    let Some(shared) = shared("ludex replay of the oracle's records") else { return };
    // A few small ones of each kind; the engines' own tests and scripts/replay-all.py replay them all.
    for name in ["connect4", "checkerstiny", "biddingtictactoe", "2pttc", "checkers.tail", "3pffa"] {
        let game = name.trim_end_matches(".tail");
        let rules = shared.join(format!("games/{game}.kif"));
        let record = shared.join(format!("oracle/{name}.jsonl.gz"));
        let paths = [&rules, &record].map(|path| path.to_str().expect("a plain path"));
        for more in [
            ["--engine", "auto", "--encoding", "original"],
            ["--engine", "datalog", "--encoding", "direct"],
            ["--engine", "tree", "--encoding", "pruned"],
            ["--engine", "tree", "--encoding", "relevant"],
        ] {
            let arguments = [&["replay", paths[0], paths[1], "--json"], more.as_slice()].concat();
            let line = &ludex(&arguments).ends_with(0).json()[0];
            assert_eq!(line["differences"], 0, "{more:?} {line}");
            assert!(line["steps"].as_u64().is_some_and(|steps| steps > 5), "{more:?} {line}");
        }
    }
    ludex(&["replay", "nim", "nim.jsonl", "--encoding", "auto"]).ends_with(2);
}
