//! Every line of every command's `--json` is as `docs/json-schema.json` says, and every kind of line is documented.

mod page;
mod schema;

use crate::{Folder, Scratch, ludex, ludex_with_input};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

fn definitions() -> Value {
    let text = std::fs::read_to_string(docs("json-schema.json")).expect("the schema is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Commands and the kind of each line they print. A list without a last kind repeats.
struct Checked {
    schema: Value,
    /// The kinds of line that were seen.
    seen: BTreeSet<String>,
}

impl Checked {
    /// Runs a command with `--json` and holds each line against the kind that `kind` gives it.
    fn run(
        &mut self,
        arguments: &[&str],
        input: &str,
        status: i32,
        kind: impl Fn(&Value) -> &'static str,
    ) -> Vec<Value> {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let lines = ludex_with_input(&arguments, input.as_bytes()).ends_with(status).json();
        assert!(!lines.is_empty(), "{arguments:?} prints nothing");
        for line in &lines {
            let kind = kind(line);
            let demand =
                self.schema["$defs"].get(kind).unwrap_or_else(|| panic!("the schema has no `{kind}`"));
            let faults = schema::faults(demand, line);
            assert!(faults.is_empty(), "{arguments:?}: `{kind}`: {faults:#?}\n{line}");
            self.seen.insert(kind.to_owned());
        }
        lines
    }
}

/// Where nobody can move on, and where a goal cannot be had.
const STUCK: &str = "(role a) (init (at 0)) (succ 0 1) (succ 1 2)
    (<= (legal a go) (true (at 0)))
    (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
    (<= terminal (true (at 2)))
    (goal a 100)";

#[test]
fn every_line_is_as_the_schema_says() {
    let mut checked = Checked { schema: definitions(), seen: BTreeSet::new() };
    let wrong = "(role robot) (init (at 0)) (<= (next (at ?y)) (true (at ?x)))";
    checked.run(&["check", "-"], wrong, 1, |_| "check");
    checked.run(&["check", "tictactoe", "hex"], "", 0, |_| "check");
    checked.run(&["games"], "", 0, |_| "games");
    checked.run(&["draw", "tictactoe", "--layout"], "", 0, |_| "draw --layout");
    checked.run(&["perft", "tictactoe", "--depth", "3"], "", 0, |_| "perft");
    checked.run(&["perft", "nim", "--depth", "2", "--divide"], "", 0, |_| "perft --divide");
    let step = |line: &Value| if line.get("state").is_some() { "simulate: step" } else { "simulate: header" };
    checked.run(&["simulate", "nim", "--seed", "3"], "", 0, step);
    checked.run(&["simulate", "nim", "--seed", "3", "--steps", "2"], "", 0, step);
    checked.run(&["simulate", "-", "--seed", "3"], STUCK, 1, step);
    checked.run(&["bench", "nim", "--seconds", "0.02", "--engine", "datalog"], "", 0, |_| "bench");
    checked.run(&["bench", "nim", "--seconds", "0.02", "--batch"], "", 0, |_| "bench");
    checked.run(&["minimax", "tictactoe", "--depth", "2"], "", 0, |_| "minimax");
    checked.run(&["solve", "nim"], "", 0, |_| "solve");
    checked.run(&["solve", "nim", "--strategy", "bob", "100"], "", 0, |_| "solve --strategy");
    checked.run(
        &["solve", "nim", "--strategy", "alice", "100", "--within", "9"],
        "",
        1,
        |_| "solve --strategy",
    );
    let strategy = Scratch::new("nim.strategy", "");
    ludex(&["solve", "nim", "--strategy", "bob", "100", "-o", strategy.path()]).ends_with(0);
    checked.run(&["solve", "nim", "--check", strategy.path()], "", 0, |_| "solve --check");
    let asked = ["prove", "nim", "fair", "can-force(bob, goal >= 100)", "can-force(alice, true(heap(a,0)))"];
    checked.run(&asked, "", 1, |_| "prove");
    checked.run(&["count", "nim"], "", 0, |_| "count");
    checked.run(&["solve", "rockpaperscissors"], "", 0, |_| "solve");
    checked.run(
        &["stats", "tictactoe", "--games", "2000", "--skill", "0.1", "--weak", "2"],
        "",
        0,
        |_| "stats",
    );
    checked.run(&["stats", "eightpuzzle", "--games", "100", "--steps", "30"], "", 0, |_| "stats");
    replays(&mut checked);
    proofs(&mut checked);
    databases(&mut checked);
    matches(&mut checked);
    let documented: BTreeSet<String> =
        checked.schema["$defs"].as_object().expect("definitions").keys().cloned().collect();
    assert_eq!(checked.seen, documented, "kinds of line that are documented and kinds that were printed");
}

/// A record with every kind of difference.
fn replays(checked: &mut Checked) {
    let record =
        Scratch::new("schema.jsonl", ludex(&["simulate", "nim", "--seed", "3", "--json"]).ends_with(0).out);
    checked.run(&["replay", "nim", record.path()], "", 0, |_| "replay");
    let (roles, first) = (
        r#""roles":["alice","bob"]"#,
        r#"["(control alice)","(heap a 1)","(heap b 3)","(heap c 5)","(heap d 7)"]"#,
    );
    let kinds = [
        ("roles", r#""roles":["bob","alice"]"#.to_owned(), format!(r#"{{"state":{first}}}"#)),
        ("unknown-fluents", format!(r#"{roles},"tail":true"#), r#"{"state":["(heap e 9)"]}"#.to_owned()),
        ("initial-state", roles.to_owned(), r#"{"state":["(control alice)"]}"#.to_owned()),
        ("terminal", roles.to_owned(), format!(r#"{{"state":{first},"terminal":true}}"#)),
        (
            "legal",
            roles.to_owned(),
            format!(r#"{{"state":{first},"legals":{{"alice":["noop"],"bob":["noop"]}}}}"#),
        ),
        ("goal", roles.to_owned(), format!(r#"{{"state":{first},"goals":{{"alice":7,"bob":0}}}}"#)),
        ("illegal-move", roles.to_owned(), format!(r#"{{"state":{first},"moves":["noop","noop"]}}"#)),
        (
            "successor",
            roles.to_owned(),
            format!("{{\"state\":{first},\"moves\":[\"(take d 2)\",\"noop\"]}}\n{{\"state\":{first}}}"),
        ),
    ];
    for (kind, roles, steps) in kinds {
        let record = Scratch::new(&format!("{kind}.jsonl"), format!("{{{roles},\"playout\":0}}\n{steps}\n"));
        let line = checked.run(&["replay", "nim", record.path()], "", 1, |_| "replay").remove(0);
        assert_eq!(line["first"]["kind"], kind, "{line}");
        assert_eq!(line["first"]["record"], record.path(), "{line}");
    }
}

fn proofs(checked: &mut Checked) {
    let answers = checked.run(
        &["prove", "tictactoe", "playable", "weakly-winnable", "forall X, Y: true(cell(X,Y,b))"],
        "",
        1,
        |_| "prove",
    );
    let words: Vec<&Value> = answers.iter().map(|line| &line["answer"]).collect();
    assert_eq!(words, ["holds", "holds", "fails"]);
    let unknown =
        checked.run(&["prove", "connectfour", "constant-sum", "--time", "0.001"], "", 1, |_| "prove");
    assert_eq!(unknown[0]["answer"], "unknown", "{unknown:?}");
    // What is discovered is proved again, from what was printed.
    let found = checked.run(&["prove", "tictactoe", "--discover"], "", 0, |_| "prove --discover");
    let mut again = vec!["prove", "tictactoe"];
    again.extend(found.iter().map(|line| line["property"].as_str().expect("text")));
    let proved = checked.run(&again, "", 0, |_| "prove");
    assert_eq!(proved.len(), found.len());
}

fn databases(checked: &mut Checked) {
    let file = Scratch::new("schema.end", "");
    checked.run(&["endgame", "build", "maze", "-o", file.path()], "", 0, |_| "endgame build");
    checked.run(&["endgame", "query", file.path(), "--state", "initial"], "", 0, |_| "endgame query");
    checked.run(&["endgame", "info", file.path()], "", 0, |_| "endgame info");
    checked.run(&["endgame", "info", file.path(), "--ghosts", "--lookups", "100"], "", 0, |_| "endgame info");
    let solved = Scratch::new("schema.solved", "");
    ludex(&["solve", "maze", "-o", solved.path()]).ends_with(0);
    checked.run(&["endgame", "info", solved.path()], "", 0, |_| "endgame info");
}

fn matches(checked: &mut Checked) {
    let line =
        checked.run(&["match", "tictactoe", "random", "random", "--seed", "5"], "", 0, |_| "match").remove(0);
    assert_eq!((&line["game"], &line["seed"]), (&"tictactoe".into(), &5.into()), "{line}");
    assert_eq!(line["roles"], serde_json::json!(["x", "o"]), "{line}");
    let moves = line["moves"].as_array().expect("joint moves");
    assert_eq!(Some(moves.len() as u64), line["steps"].as_u64(), "{line}");
    // Tic-Tac-Toe begins with a mark of x, which the command spells as the rules do.
    assert!(moves[0][0].as_str().is_some_and(|text| text.starts_with("(mark ")), "{line}");
    assert_eq!(moves[0][1], "noop", "{line}");
    let kind = |line: &Value| if line.get("player").is_some() { "match: score" } else { "match" };
    checked.run(&["match", "tictactoe", "random", "random", "--matches", "1"], "", 0, kind);
    checked.run(&["match", "tictactoe", "random", "random", "--steps", "2"], "", 1, kind);
    let folder = Folder::new("schema.train");
    let file = folder.0.join("four.eval").display().to_string();
    let kind = |line: &Value| if line.get("round").is_some() { "train: round" } else { "train" };
    checked.run(&["train", "connectfour4x4", "--games", "30", "--rounds", "1", "-o", &file], "", 0, kind);
}

/// The commands that take `--json` are those whose lines are documented.
#[test]
fn every_command_that_answers_in_json_is_documented() {
    let documented: BTreeSet<String> = definitions()["$defs"]
        .as_object()
        .expect("definitions")
        .keys()
        .map(|name| name.split([':', '-']).next().unwrap_or_default().trim().to_owned())
        .collect();
    let mut answering = BTreeSet::new();
    let mut open = vec![Vec::new()];
    while let Some(command) = open.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = ludex(&arguments).ends_with(0).out;
        if help.lines().any(|line| line.trim_start().starts_with("--json")) {
            answering.insert(command.join(" "));
        }
        let Some((_, commands)) = help.split_once("Commands:\n") else { continue };
        let names = commands.lines().take_while(|line| !line.is_empty());
        // Names stand two columns in; what is further in is the rest of a description.
        let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
            open.push([command.as_slice(), &[name.to_owned()]].concat());
        }
    }
    assert_eq!(answering, documented);
}

#[test]
fn the_page_says_what_the_schema_says() {
    ludex_testkit::golden::compare(&docs("json.md"), &page::of(&definitions()))
        .unwrap_or_else(|error| panic!("{error}"));
}
