//! `ludex endgame`: build, query and info, as scripts use them.

use crate::{Scratch, ludex, ludex_with_input};

/// A database of the game to that depth, and what the build said.
fn built(game: &str, depth: &str) -> (Scratch, serde_json::Value) {
    let file = Scratch::new(&format!("{game}-{depth}.end"), "");
    let run =
        ludex(&["endgame", "build", game, "--depth", depth, "--time", "1000", "-o", file.path(), "--json"]);
    let line = run.ends_with(0).json().remove(0);
    (file, line)
}

#[test]
fn the_maze_is_known_to_the_end() {
    let (file, built) = built("maze", "100");
    assert_eq!(built["depth"], 8, "{built}");
    assert_eq!(built["complete"], true, "{built}");
    assert!(built["entries"].as_u64() > Some(0) && built["seconds"].is_number(), "{built}");
    // The gold is in the robot's hands, in the room before the last: move, then drop.
    let state = "(cell d) (gold i) (step 5)";
    let run = ludex(&["endgame", "query", file.path(), "--state", state, "--json"]).ends_with(0);
    let answer = run.json().remove(0);
    assert_eq!(answer["class"], "winning", "{answer}");
    assert_eq!(answer["moves"]["r"], serde_json::json!(["move"]), "{answer}");
    let entry = &answer["entries"][0];
    assert_eq!(
        (&entry["role"], &entry["depth"]),
        (&serde_json::json!("r"), &serde_json::json!(2)),
        "{answer}"
    );
    assert_eq!(entry["kind"], "forced", "{answer}");
    assert_eq!(entry["plan"], serde_json::json!([["move"], ["drop"]]), "{answer}");
    // Too late: there is no step left for the drop.
    let late =
        ludex_with_input(&["endgame", "query", file.path(), "--state", "-"], b"(cell d) (gold i) (step 10)");
    let never = "r: unknown\n  no role can reach its best goal from here, whatever is played\n";
    assert_eq!(late.ends_with(0).out, never);
    let info = ludex(&["endgame", "info", file.path(), "--descriptions", "9", "--ghosts"]).ends_with(0).out;
    assert!(info.starts_with("regression to depth 8, complete\n"), "{info}");
    assert!(info.contains("0: (gold a)\n"), "{info}");
    assert!(info.contains("entries are met by no reachable state"), "{info}");
}

#[test]
fn tic_tac_toe_has_no_forced_win() {
    let (file, built) = built("tictactoe", "3");
    assert_eq!(built["depth"], 3, "{built}");
    let info = ludex(&["endgame", "info", file.path(), "--json"]).ends_with(0).json().remove(0);
    assert_eq!(info["form"], "regression", "{info}");
    assert_eq!(info["layers"].as_array().map(Vec::len), Some(4), "{info}");
    assert_eq!(info["entries"], built["entries"], "{info}");
    let query = |role: &str| {
        let run = ludex(&["endgame", "query", file.path(), "--state", "initial", "--role", role, "--json"]);
        run.ends_with(0).json().remove(0)
    };
    assert_eq!(query("x")["class"], "unknown");
    let reason = "the database goes to depth 3: a best goal is further away, or out of reach";
    assert_eq!(query("x")["reason"], reason);
    assert_eq!(query("o")["entries"], serde_json::json!([]));
}

/// Proved facts may cut off more ghosts than those found on the way, but no state that play reaches.
#[test]
fn proved_facts_change_no_answer() {
    let (file, _) = built("maze", "100");
    let proved = Scratch::new("proved.end", "");
    let arguments = ["endgame", "build", "maze", "--prove", "20", "-o", proved.path(), "--json"];
    let line = ludex(&arguments).ends_with(0).json().remove(0);
    assert_eq!(line["complete"], true, "{line}");
    let query =
        |path: &str| ludex(&["endgame", "query", path, "--state", "initial", "--json"]).ends_with(0).out;
    assert_eq!(query(file.path()), query(proved.path()));
}

#[test]
fn limits_are_named() {
    let file = Scratch::new("limits.end", "");
    let arguments = ["endgame", "build", "nim", "--entries", "100", "-o", file.path(), "--json"];
    let line = ludex(&arguments).ends_with(0).json().remove(0);
    assert_eq!(line["limit"], "more than 100 entries", "{line}");
    assert_eq!(line["complete"], false, "{line}");
    assert!(line["entries"].as_u64() <= Some(100), "{line}");
}

#[test]
fn what_is_no_database_is_refused() {
    let (file, _) = built("maze", "1");
    let mut bytes = std::fs::read(file.path()).expect("it is there");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let damaged = Scratch::new("damaged.end", &bytes);
    let run = ludex(&["endgame", "info", damaged.path()]).ends_with(1);
    assert!(run.err.contains("damaged"), "{}", run.err);
    let cut = Scratch::new("cut.end", &bytes[..bytes.len() / 2]);
    let run = ludex(&["endgame", "query", cut.path(), "--state", "initial"]).ends_with(1);
    assert!(run.err.contains("damaged"), "{}", run.err);
    let text = Scratch::new(
        "text.end",
        "(role r) this is a rule sheet and not a database, and long enough to be one ....",
    );
    let run = ludex(&["endgame", "info", text.path()]).ends_with(1);
    assert!(run.err.contains("no end-game database"), "{}", run.err);
    ludex(&["endgame", "info", "/nonexistent/file.end"]).ends_with(2);
    ludex(&["endgame", "build", "maze", "-o", "/nonexistent/folder/maze.end"]).ends_with(2);
    ludex(&["endgame", "build", "maze"]).ends_with(2);
    for (state, complaint) in [("(cell q)", "no fluent"), ("(cell a", "parentheses")] {
        let run = ludex(&["endgame", "query", file.path(), "--state", state]).ends_with(2);
        assert!(run.err.contains(complaint), "{}", run.err);
    }
    let run =
        ludex(&["endgame", "query", file.path(), "--state", "initial", "--role", "nobody"]).ends_with(2);
    assert!(run.err.contains("`nobody` is no role of the game; its roles are r"), "{}", run.err);
    let run = ludex(&["endgame", "query", file.path(), "--state", "(cel a)"]).ends_with(2);
    assert!(run.err.contains("did you mean `(cell a)`"), "{}", run.err);
}

/// Why nobody has an entry: over, out of reach, never met in play.
#[test]
fn what_is_unknown_is_unknown_for_a_reason() {
    let file = Scratch::new("tictactoe-solved.end", "");
    ludex(&["solve", "tictactoe", "-o", file.path()]).ends_with(0);
    let reason = |state: &str| {
        let run = ludex(&["endgame", "query", file.path(), "--state", state, "--json"]).ends_with(0);
        run.json().remove(0)["reason"].clone()
    };
    assert_eq!(reason("initial"), serde_json::Value::Null);
    // A full board without a line is drawn.
    let drawn = "(cell 1 1 x) (cell 1 2 o) (cell 1 3 x) (cell 2 1 x) (cell 2 2 o) (cell 2 3 o) (cell 3 1 o) \
                 (cell 3 2 x) (cell 3 3 x) (control o)";
    assert_eq!(reason(drawn), "the game is over here, with the best goal for nobody");
    assert_eq!(reason("(control x)"), "play never reaches this state; a solution knows no other");
}

/// How far a build is when it is interrupted depends on the machine, so it is given longer until something is finished.
#[cfg(unix)]
#[test]
fn an_interrupted_build_keeps_what_is_finished() {
    use std::process::{Command, Stdio};
    // Facts and the first layers take about a second, all of them minutes; other tests use the processors, too.
    for seconds in [5, 20, 80] {
        let file = Scratch::new("interrupted.end", "");
        std::fs::remove_file(file.path()).expect("it was ours");
        let child = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(["endgame", "build", "eightpuzzle", "--time", "600", "-o", file.path(), "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(std::time::Duration::from_secs(seconds));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
        let output = child.wait_with_output().expect("it ends");
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(130), "{out}");
        if out.is_empty() {
            assert!(!std::path::Path::new(file.path()).exists(), "a file of a build that finished nothing");
            continue;
        }
        let line: serde_json::Value = serde_json::from_str(&out).expect("an answer");
        assert_eq!(line["limit"], "interrupted", "{line}");
        assert!(std::path::Path::new(file.path()).exists(), "{line}");
        return;
    }
    panic!("nothing was finished in 80 seconds");
}
