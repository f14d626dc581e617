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

/// Plays a bundled game by typing these lines.
fn played(game: &str, options: &[&str], typed: &str) -> String {
    let arguments = with(&[&["play", game, "--playclock", "0.1"], options].concat());
    ludex_with_input(&arguments, typed.as_bytes()).ends_with(0).out
}

#[test]
fn a_person_plays_to_the_end_with_hint_view_and_undo() {
    // Race to ten: whatever is typed wrong is asked again, so that of all numbers one is the next move.
    let rest = "1\n2\n3\n".repeat(6);
    let out = played("racetoten", &[], &format!("nonsense\n99\nhint\nview\n1\nundo\n2\n{rest}"));
    assert!(out.starts_with("racetoten: you are left\n"), "{out}");
    for expected in [
        "the game has no move `nonsense` for you",
        "there is no move number 99",
        "would be the engine's move",
        "visits    value  move",
        "expected: ",
        "right plays ",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    // The first move was taken back, so step 0 was shown twice.
    assert_eq!(out.matches("\nStep 0\n").count(), 2, "{out}");
    assert!(out.contains("The game is over. goals: left "), "{out}");
}

#[test]
fn moves_are_typed_in_words_and_keep_their_numbers() {
    // The moves of x are (mark 1 1) to (mark 3 3) and noop: numbers 1 to 10, whatever is legal.
    let out =
        played("tictactoe", &[], "mark 2 2\nmark 2 2\n5\nMARK 9 9\nmark\nmrak 1 3\nhelp\nmoves\nquit\n");
    assert!(out.contains("   1 (mark 1 1)     2 (mark 1 2)"), "{out}");
    for expected in [
        "(mark 2 2) is not legal now",
        "move 5, (mark 2 2), is not legal now",
        "the game has no move `MARK 9 9` for you",
        "`mark` could be (mark ",
        "did you mean `mark ",
        "save FILE   the game so far",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    let after = &out[out.find("Step 2").expect("two moves were made")..];
    assert!(!after.contains("   5 (mark 2 2)"), "{out}");
    // Row 3 is played by nobody yet, so at least one of its squares is still listed under its number.
    assert!(
        ["7 (mark 3 1)", "8 (mark 3 2)", "9 (mark 3 3)"].iter().any(|text| after.contains(text)),
        "{out}"
    );
}

#[test]
fn games_are_saved_loaded_redone_and_begun_again() {
    let file = Scratch::new("saved.jsonl", "");
    let save =
        format!("mark 2 2\nhistory\nundo\nredo\nhistory\nsave {}\nnew\nhistory\nredo\nquit\n", file.path());
    let out = played("tictactoe", &[], &save);
    // Made once, listed twice: redone exactly as it was, with the engine's answer.
    let line = out.lines().find(|line| line.contains("1. x (mark 2 2), o noop")).expect("a history");
    assert_eq!(out.matches(line).count(), 2, "{out}");
    assert!(out.contains("no move has been made") && out.contains("nothing was taken back"), "{out}");
    // Start, undone, new: step 0 three times.
    assert_eq!(out.matches("\nStep 0\n").count(), 3, "{out}");
    // What is saved is a record like any other.
    let replayed = ludex(&["replay", "tictactoe", file.path(), "--engine", "datalog", "--json"]).ends_with(0);
    assert_eq!((&replayed.json()[0]["differences"], &replayed.json()[0]["steps"]), (&0.into(), &3.into()));
    let out =
        played("tictactoe", &[], &format!("load {}\nhistory\nload\nload /no/such/file\nquit\n", file.path()));
    assert!(out.contains(line) && out.contains("load needs a file"), "{out}");
    assert!(out.contains("`/no/such/file` cannot be read"), "{out}");
    let out = played("racetoten", &[], &format!("load {}\nhistory\nquit\n", file.path()));
    assert!(out.contains("is a record of another game") && out.contains("no move has been made"), "{out}");
}

#[test]
fn after_the_end_a_person_may_go_on() {
    let out = played("racetoten", &[], "1\n1\n1\n1\n1\n1\nhint\nview\n1\nundo\nquit\n");
    let end = out.find("The game is over. goals: ").expect("an end");
    assert!(out[end..].contains("the game is over") && out[end..].contains("\nStep "), "{out}");
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
    let wrong = ludex(&["play", "racetoten", "--role", "rihgt"]).ends_with(2);
    assert!(wrong.err.contains("did you mean `right`?"), "{}", wrong.err);
}

#[test]
fn a_match_is_shown_and_its_record_replays() {
    let record = Scratch::new("match-record.json", "");
    let command = ["match", "tictactoe", "ludex", "random", "--playclock", "0.2", "--record", record.path()];
    let run = ludex(&with(&command)).ends_with(0);
    assert!(run.out.starts_with("tictactoe: 29 fluents, judge auto; x ludex, o random\n"), "{}", run.out);
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
fn a_player_that_is_not_there_ends_the_match() {
    // Bound and released: nobody listens there.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it has one").to_string();
    drop(listener);
    for extra in [&[][..], &["--matches", "3"], &["--json"]] {
        let run = ludex(&[&["match", "tictactoe", &address, "random"], extra].concat()).ends_with(1);
        let expected = format!("the player {address} cannot be reached: connection refused");
        assert!(run.err.contains(&expected), "{extra:?}: {}", run.err);
    }
}

/// As Ctrl-C does.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_tournament_shows_its_table() {
    let record = Scratch::new("interrupted.json", "");
    let command =
        ["match", "tictactoe", "random", "random", "--matches", "1000000", "--record", record.path()];
    let child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(with(&command))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The record says when matches are finished.
    while std::fs::read_to_string(record.path()).is_ok_and(|text| text.lines().count() < 4) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(130), "{out}{err}");
    assert_eq!(err, "interrupted\n");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].contains("mean goal") && lines[2].starts_with("random "), "{out}");
    let finished: usize = lines[1].split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number");
    assert!(finished >= 3, "{out}");
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
