//! `ludex play`, `ludex match`, `ludex player`.

use crate::{Scratch, ludex, ludex_with_input};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// One thread and little memory: tests run beside each other.
const SMALL: [&str; 4] = ["--threads", "1", "--memory", "50"];

fn with<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &SMALL].concat()
}

#[test]
fn a_person_plays_to_the_end_with_hint_view_and_undo() {
    // Race to ten: whatever is typed wrong is asked again.
    let typed = "nonsense\n99\nhint\nview\n1\nundo\n2\n1\n1\n1\n1\n1\n1\n";
    let run =
        ludex_with_input(&with(&["play", "racetoten", "--playclock", "0.2"]), typed.as_bytes()).ends_with(0);
    assert!(run.out.starts_with("racetoten: you are left\n"), "{}", run.out);
    for expected in [
        "a number, a move, or one of: hint, view, undo, quit",
        "would be the engine's move",
        "visits    value  move",
        "expected: ",
        "right plays ",
    ] {
        assert!(run.out.contains(expected), "{expected}: {}", run.out);
    }
    // The first move was taken back, so step 0 was shown twice.
    assert_eq!(run.out.matches("\nStep 0\n").count(), 2, "{}", run.out);
    assert!(run.out.contains("The game is over. goals: left "), "{}", run.out);
}

#[test]
fn a_person_may_leave_and_may_choose_the_role() {
    let run = ludex_with_input(&with(&["play", "tictactoe", "--role", "o", "--playclock", "0.1"]), b"quit\n");
    let run = run.ends_with(0);
    assert!(
        run.out.starts_with("tictactoe: you are o\n") && run.out.contains("x plays (mark "),
        "{}",
        run.out
    );
    ludex_with_input(&with(&["play", "tictactoe", "--playclock", "0.1"]), b"").ends_with(0);
    let wrong = ludex(&["play", "tictactoe", "--role", "z"]).ends_with(2);
    assert!(wrong.err.contains("its roles are x, o"), "{}", wrong.err);
}

#[test]
fn a_match_is_shown_and_its_record_replays() {
    let record = Scratch::new("match-record.json", "");
    let command = ["match", "tictactoe", "ludex", "random", "--playclock", "0.2", "--record", record.path()];
    let run = ludex(&with(&command)).ends_with(0);
    assert!(run.out.starts_with("tictactoe: 29 fluents, judge propnet; x ludex, o random\n"), "{}", run.out);
    for expected in ["\nStep 0\n", "played: x (mark ", "x thinks: (mark ", "goals: x "] {
        assert!(run.out.contains(expected), "{expected}: {}", run.out);
    }
    // Who plays perfectly never loses to chance.
    assert!(!run.out.contains("goals: x 0"), "{}", run.out);
    let replayed =
        ludex(&["replay", "tictactoe", record.path(), "--engine", "datalog", "--json"]).ends_with(0);
    assert_eq!(replayed.json()[0]["differences"], 0);
    assert!(replayed.json()[0]["steps"].as_u64().is_some_and(|steps| steps >= 6));
}

#[test]
fn tournaments_end_with_a_table() {
    let command = ["match", "racetoten", "ludex", "random", "--matches", "4", "--playclock", "0.1"];
    let run = ludex(&with(&command)).ends_with(0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert!(
        lines[0].contains("mean goal") && lines[1].starts_with("ludex ") && lines[2].starts_with("random ")
    );
    let json = ludex(&[with(&command).as_slice(), &["--json"]].concat()).ends_with(0).json();
    assert_eq!(json.len(), 6);
    for line in &json[..4] {
        for key in ["match", "players", "steps", "completed", "goals", "errors"] {
            assert!(!line[key].is_null(), "{key}: {line}");
        }
        assert_eq!(line["errors"], serde_json::json!([]));
    }
    for line in &json[4..] {
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["player", "matches", "mean", "confidence", "best", "errors"]);
        assert_eq!(line["matches"], 4);
    }
}

#[test]
fn a_match_that_is_broken_off_ends_with_one() {
    let run = ludex(&["match", "tictactoe", "random", "random", "--steps", "2", "--json"]).ends_with(1);
    assert_eq!((&run.json()[0]["completed"], &run.json()[0]["steps"]), (&false.into(), &2.into()));
}

#[test]
fn players_that_make_no_sense_end_with_two() {
    for players in
        [&["random"][..], &["random", "random", "random"], &["ludexx", "random"], &["http://", "random"]]
    {
        let run = ludex(&[&["match", "tictactoe"], players].concat()).ends_with(2);
        assert!(!run.err.is_empty() && run.out.is_empty(), "{players:?}: {}", run.out);
    }
    ludex(&["player", "--name", "two words"]).ends_with(2);
    ludex(&["player", "--bind", "nowhere"]).ends_with(2);
}

/// A `ludex player` that ends with the test.
pub struct Player {
    child: Child,
    pub address: String,
}

impl Player {
    pub fn start(arguments: &[&str]) -> Player {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["player", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("it says where it listens");
        let address = line.trim().rsplit("http://").next().expect("an address").to_owned();
        Player { child, address }
    }

    /// Ends it, and gives what it has said on standard error.
    pub fn told(&mut self) -> String {
        self.child.kill().expect("it runs");
        let mut told = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut told).expect("text");
        told
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn two_player_processes_meet_and_tell_what_they_know() {
    let mut one = Player::start(&with(&["-v", "--name", "first"]));
    let two = Player::start(&with(&["--plain"]));
    let mut stream = TcpStream::connect(&one.address).expect("it listens");
    stream.write_all(b"GET /(INFO) HTTP/1.0\r\n\r\n").expect("connected");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    assert!(answer.ends_with("( ( name first ) ( status available ) )"), "{answer}");
    let clocks = ["--startclock", "20", "--playclock", "1"];
    let command =
        [&["match", "racetoten", &one.address, &two.address, "--scramble", "--json"], &clocks[..]].concat();
    let run = ludex(&command).ends_with(0);
    let line = &run.json()[0];
    assert_eq!(line["errors"], serde_json::json!([]), "{line}");
    assert_eq!(line["players"], serde_json::json!([one.address, two.address]));
    let told = one.told();
    for expected in ["clocks 20 and 1 s", "propnet", "gates", "playouts", "over, goal"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn the_speed_contest_gets_its_file() {
    let result = Scratch::new("gdl-perf.txt", "");
    let sheet = Scratch::new(
        "gdl-perf.kif",
        "(role x) (init a) (legal x go) (<= terminal (true b)) (<= (next b) (true a)) (goal x 1)",
    );
    let run = ludex(&["bench", "--gdl-perf", sheet.path(), result.path(), "0.05"]).ends_with(0);
    assert_eq!(run.out, "");
    let number = |text: &str, key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        line.expect(key).parse::<u64>().expect("a number")
    };
    for engine in ["auto", "datalog"] {
        ludex(&["bench", "--gdl-perf", "tictactoe", result.path(), "0.05", "--engine", engine]).ends_with(0);
        let text = std::fs::read_to_string(result.path()).expect("written");
        assert!(text.starts_with("version = ludex "), "{text}");
        assert!(number(&text, "millisecondsTaken") >= 50, "{text}");
        let (changes, rollouts) = (number(&text, "numStateChanges"), number(&text, "numRollouts"));
        // A game takes five to nine moves.
        assert!(rollouts > 0 && (5 * rollouts..=10 * rollouts + 10_000).contains(&changes), "{text}");
    }
    let broken = Scratch::new("gdl-perf-broken.kif", "(role");
    ludex(&["bench", "--gdl-perf", broken.path(), result.path(), "1"]).ends_with(1);
    let text = std::fs::read_to_string(result.path()).expect("written");
    assert!(text.lines().any(|line| line.starts_with("errorMessage = ")), "{text}");
    ludex(&["bench", "--gdl-perf", "tictactoe", result.path()]).ends_with(2);
    ludex(&["bench", "--gdl-perf", "tictactoe", result.path(), "never"]).ends_with(2);
    ludex(&["bench", "--gdl-perf", "no-such-game.kif", result.path(), "1"]).ends_with(2);
    ludex(&["bench", "--gdl-perf", "tictactoe", "/no/such/folder/file", "0.01"]).ends_with(2);
}
