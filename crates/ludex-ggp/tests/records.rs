//! Reading records: both formats, plain and compressed, and what broken files give.

use flate2::Compression;
use flate2::write::GzEncoder;
use ludex_ggp::record::{
    Header, Playout, Problem, RecordError, RecordLimits, Records, Step, header_line, step_line,
};
use std::io::{Cursor, Write};

const LINES: &str = r#"{"game":"walk","roles":["a","b"],"playout":0}
{"state":["(at 0)","on"],"terminal":false,"legals":{"b":["y"],"a":["x","z"]},"goals":{"a":null,"b":7},"moves":["x","y"]}

{"state":[],"terminal":true,"goals":{"a":100,"b":0}}
{"game":"walk","roles":["a","b"],"playout":1,"tail":true}
{"state":["on"],"terminal":false,"legals":{"a":[],"b":["y"]},"goals":{"a":0,"b":0},"cut":"steps"}
"#;

fn read(bytes: impl Into<Vec<u8>>) -> Result<Vec<Playout>, RecordError> {
    read_within(bytes, RecordLimits::default())
}

fn read_within(bytes: impl Into<Vec<u8>>, limits: RecordLimits) -> Result<Vec<Playout>, RecordError> {
    Records::with_limits("test", Cursor::new(bytes.into()), limits)?.collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

#[test]
fn playout_lines_are_read_in_the_order_of_the_roles() {
    let playouts = read(LINES).expect("a sound record");
    let [first, second] = playouts.as_slice() else { panic!("{} playouts", playouts.len()) };
    assert_eq!(first.record, "test");
    assert_eq!(first.header.game.as_deref(), Some("walk"));
    assert_eq!(first.header.roles, Some(texts(&["a", "b"])));
    assert!(!first.header.tail);
    let expected = Step {
        state: texts(&["(at 0)", "on"]),
        terminal: Some(false),
        legals: Some(vec![texts(&["x", "z"]), texts(&["y"])]),
        goals: Some(vec![None, Some(7)]),
        moves: Some(texts(&["x", "y"])),
        cut: None,
    };
    assert_eq!(first.steps[0], expected);
    assert_eq!(first.steps[1].legals, None);
    assert_eq!(first.steps.len(), 2);
    assert!(second.header.tail);
    assert_eq!(second.header.playout, 1);
    assert_eq!(second.steps[0].cut.as_deref(), Some("steps"));
}

#[test]
fn compressed_records_read_the_same() {
    assert_eq!(read(gzip(LINES.as_bytes())).expect("sound"), read(LINES).expect("sound"));
    // Two compressed files laid end to end are one compressed file.
    let (head, tail) = LINES
        .split_at(LINES.find("{\"game\":\"walk\",\"roles\":[\"a\",\"b\"],\"playout\":1").expect("there"));
    let joined = [gzip(head.as_bytes()), gzip(tail.as_bytes())].concat();
    assert_eq!(read(joined).expect("sound"), read(LINES).expect("sound"));
}

#[test]
fn what_is_written_reads_back() {
    let playouts = read(LINES).expect("a sound record");
    let mut text = String::new();
    for playout in &playouts {
        let roles = playout.header.roles.clone().expect("named roles");
        let header = Header { seed: Some(u64::MAX), engine: Some("e".to_owned()), ..playout.header.clone() };
        text.push_str(&(header_line(&header) + "\n"));
        playout.steps.iter().for_each(|step| text.push_str(&(step_line(step, &roles) + "\n")));
    }
    let again = read(text).expect("what we write is sound");
    assert_eq!(
        again.iter().map(|p| &p.steps).collect::<Vec<_>>(),
        playouts.iter().map(|p| &p.steps).collect::<Vec<_>>()
    );
    assert_eq!(again[1].header.seed, Some(u64::MAX));
    assert_eq!(again[1].header.engine.as_deref(), Some("e"));
    assert!(again[1].header.tail);
}

const MATCH: &str = r#"{"matchId":"m","isCompleted":true,"isAborted":false,
 "states":["( ( cell 1 1  b ) ( control x ) )","((cell 1 1 x)(control o))"],
 "moves":[["( mark 1 1 )","noop"]],
 "goalValues":[100,0], "errors":[["",""]], "gameMetaURL":"http://games/ttt/"}"#;

#[test]
fn match_records_are_read_on_one_line_or_many_or_wrapped() {
    let pretty = read(MATCH).expect("a sound match");
    let line = MATCH.replace('\n', "");
    let wrapped = format!("{{\"url\":\"http://x\",\"data\":{line}}}\n");
    assert_eq!(read(line.clone()).expect("sound"), pretty);
    assert_eq!(read(wrapped).expect("sound"), pretty);
    assert_eq!(read(gzip(MATCH.as_bytes())).expect("sound"), pretty);
    assert_eq!(read(format!("{line}\n{line}\n")).expect("sound").len(), 2);

    let [playout] = pretty.as_slice() else { panic!("{} matches", pretty.len()) };
    assert_eq!(playout.header.game.as_deref(), Some("http://games/ttt/"));
    assert_eq!(playout.header.roles, None);
    assert_eq!(playout.steps[0].state, ["(cell 1 1 b)", "(control x)"]);
    assert_eq!(playout.steps[0].moves, Some(texts(&["(mark 1 1)", "noop"])));
    assert_eq!(playout.steps[0].terminal, Some(false));
    assert_eq!(playout.steps[0].goals, None);
    assert_eq!(playout.steps[1].state, ["(cell 1 1 x)", "(control o)"]);
    assert_eq!(playout.steps[1].terminal, Some(true));
    assert_eq!(playout.steps[1].goals, Some(vec![Some(100), Some(0)]));
}

#[test]
fn aborted_matches_say_nothing_about_their_end() {
    let text = MATCH.replace("\"isAborted\":false", "\"isAborted\":true");
    let playouts = read(text).expect("a sound match");
    assert_eq!(playouts[0].steps[1].terminal, None);
    assert_eq!(playouts[0].steps[1].goals, None);
}

/// The line and problem of a record that must be malformed.
fn problem(text: &str) -> (usize, Problem) {
    match read(text) {
        Err(RecordError::Malformed { line, problem }) => (line, problem),
        other => panic!("{text:?} gave {other:?}"),
    }
}

#[test]
fn malformed_lines_are_named() {
    let header = r#"{"roles":["a"],"playout":0}"#;
    assert!(matches!(problem("[1,2"), (1, Problem::Json(_))));
    assert!(matches!(problem("hello"), (1, Problem::Json(_))));
    assert!(matches!(problem("{\"state\":[]}"), (1, Problem::StepWithoutHeader)));
    assert!(matches!(problem("{\"x\":1}"), (1, Problem::UnknownObject)));
    assert!(matches!(problem(header), (1, Problem::NoSteps)));
    let after = |step: &str| problem(&format!("{header}\n{step}\n"));
    assert!(matches!(after("{}"), (2, Problem::UnknownObject)));
    assert!(matches!(after("{\"state\":[1]}"), (2, Problem::Json(_))));
    assert!(matches!(after("{\"state\":[],\"goals\":{\"a\":1e99}}"), (2, Problem::Json(_))));
    assert!(matches!(after("{\"state\":[],\"goals\":{}}"), (2, Problem::MissingRole(r)) if r == "a"));
    assert!(
        matches!(after("{\"state\":[],\"goals\":{\"a\":1,\"b\":1}}"), (2, Problem::UnknownRole(r)) if r == "b")
    );
    assert!(matches!(after("{\"state\":[],\"moves\":[]}"), (2, Problem::MoveCount { roles: 1, moves: 0 })));
    assert!(matches!(after(&"[".repeat(100_000)), (2, Problem::Json(_))));
}

#[test]
fn malformed_matches_are_refused() {
    let with = |states: &str, moves: &str| problem(&format!("{{\"states\":{states},\"moves\":{moves}}}")).1;
    assert!(matches!(with("[]", "[]"), Problem::StateCount { states: 0, moves: 0 }));
    assert!(matches!(with("[\"()\",\"()\",\"()\"]", "[[]]"), Problem::StateCount { states: 3, moves: 1 }));
    assert!(matches!(with("[\"(\"]", "[]"), Problem::Term(_)));
    assert!(matches!(with("[\"()\"]", "[[\"( x\"]]"), Problem::Term(_)));
    assert!(matches!(problem("{\"data\":{}}").1, Problem::UnknownObject));
    // Over several lines the parser tells which one is at fault.
    assert!(matches!(problem("{\"states\":[\n\"()\",\n7]}"), (3, Problem::Json(_))));
    let deep = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
    assert!(read(format!("{{\"states\":[\"({deep})\"]}}")).is_ok(), "depth alone is no fault of a record");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert!(matches!(read(""), Err(RecordError::Empty)));
    assert!(matches!(read("\n \r\n"), Err(RecordError::Empty)));
    assert!(matches!(read(gzip(b"")), Err(RecordError::Empty)));
    assert!(matches!(read([0xFF, 0xFE, 0x00]), Err(RecordError::Malformed { line: 1, .. })));
    assert!(matches!(read(b"{\"roles\":[\"\xFF\"]}".to_vec()), Err(RecordError::Malformed { line: 1, .. })));
    assert!(matches!(read([0x1F, 0x8B, 1, 2, 3]), Err(RecordError::Gzip(_))));
    let whole = gzip(LINES.as_bytes());
    for length in 2..whole.len() {
        assert!(read(&whole[..length]).is_err(), "cut at {length}");
    }
    for position in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[position] ^= 0x55;
        // Some bytes of the header mean nothing, so reading may succeed; but then with the right result.
        if let Ok(playouts) = read(damaged) {
            assert_eq!(playouts, read(LINES).expect("sound"), "byte {position}");
        }
    }
}

#[test]
fn limits_bound_what_is_read() {
    let small = RecordLimits { line: 1000, playout: 1500, total: 10_000 };
    let header = "{\"roles\":[],\"playout\":0}\n";
    let step = format!("{{\"state\":[\"{}\"]}}\n", "x".repeat(600));
    assert_eq!(read_within(format!("{header}{step}{step}"), small).expect("within")[0].steps.len(), 2);
    let three = format!("{header}{step}{step}{step}");
    assert!(matches!(read_within(three, small), Err(RecordError::PlayoutTooLarge { line: 4, limit: 1500 })));
    let long = format!("{header}{{\"state\":[\"{}\"]}}", "x".repeat(2000));
    assert!(matches!(read_within(long, small), Err(RecordError::LineTooLong { line: 2, limit: 1000 })));
    let many = format!("{header}{step}{step}").repeat(9);
    assert!(matches!(read_within(many, small), Err(RecordError::TooLarge { limit: 10_000 })));
    let laid_out = format!("{{\n\"states\":[\"(){}\"]}}", "x".repeat(2000));
    assert!(matches!(read_within(laid_out, small), Err(RecordError::LineTooLong { .. })));
    // A bomb: a few kilobytes that would unpack to a hundred megabytes of blank lines.
    let bomb = gzip(&vec![b'\n'; 100 << 20]);
    assert!(bomb.len() < 1 << 20);
    assert!(matches!(read_within(bomb, small), Err(RecordError::TooLarge { limit: 10_000 })));
}

#[test]
fn after_an_error_nothing_more_comes() {
    let text = format!("{LINES}broken\n");
    let mut records = Records::new("test", Cursor::new(text.into_bytes())).expect("it begins well");
    assert!(records.next().is_some_and(|playout| playout.is_ok()));
    assert!(records.next().is_some_and(|playout| playout.is_err()));
    assert!(records.next().is_none());
}

#[test]
fn every_error_says_something() {
    for text in ["", "x", "{}", "{\"state\":[]}", "{\"states\":[]}", "{\"roles\":[]}"] {
        let error = read(text).expect_err("broken");
        assert!(error.to_string().len() > 10, "{text:?}: {error}");
    }
    let missing = Records::open(std::path::Path::new("/nonexistent/record")).expect_err("it is not there");
    assert!(matches!(missing, RecordError::Io(_)), "{missing}");
}
