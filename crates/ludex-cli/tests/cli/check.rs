//! `ludex check`.

use crate::{Scratch, bundled, ludex, ludex_with_input};

const UNSAFE: &str = "(role x)\n(init on)\n(<= (legal x go)\n    (not (true (cell ?n))))\n";

#[test]
fn bundled_games_have_no_findings() {
    let names = bundled();
    let mut arguments = vec!["check"];
    arguments.extend(names.iter().map(String::as_str));
    let run = ludex(&arguments).ends_with(0);
    assert_eq!(run.out.lines().count(), names.len(), "{}", run.out);
    for (name, line) in names.iter().zip(run.out.lines()) {
        assert!(line.starts_with(&format!("{name}: 0 errors, 0 warnings; ")), "{line}");
    }
}

#[test]
fn the_summary_counts() {
    let run = ludex(&["check", "tictactoe"]).ends_with(0);
    assert_eq!(
        run.out,
        "tictactoe: 0 errors, 0 warnings; 2 roles, 18 facts, 22 rules, 12 relations in KIF notation\n"
    );
    let infix = ludex(&["check", "racetoten"]).ends_with(0);
    assert!(infix.out.ends_with(" in infix notation\n"), "{}", infix.out);
}

#[test]
fn findings_are_drawn_at_their_place() {
    let run = ludex_with_input(&["check", "-"], UNSAFE.as_bytes()).ends_with(1);
    assert!(run.out.contains("unsafe-variable"), "{}", run.out);
    assert!(run.out.contains("[standard input:4:22]"), "{}", run.out);
    assert!(run.out.contains("stdin: 1 error, 0 warnings; 3 clauses in KIF notation\n"), "{}", run.out);
    assert!(!run.out.contains('\u{1b}'), "colours are for terminals");
}

#[test]
fn json_has_the_promised_keys() {
    let run = ludex_with_input(&["check", "-", "nim", "--json"], UNSAFE.as_bytes()).ends_with(1);
    let [broken, nim] = run.json().try_into().expect("one line a game");
    assert_eq!(broken["game"], "stdin");
    let error = &broken["errors"][0];
    assert_eq!((error["line"].as_u64(), error["column"].as_u64()), (Some(4), Some(22)), "{error}");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("?n")), "{error}");
    assert_eq!(error["code"], "unsafe-variable");
    assert!(error["hint"].is_string(), "{error}");
    assert_eq!(broken["warnings"].as_array().map(Vec::len), Some(0));
    assert_eq!(nim, serde_json::json!({ "game": "nim", "errors": [], "warnings": [] }));
}

#[test]
fn warnings_alone_are_a_yes() {
    let run = ludex_with_input(&["check", "-", "--json"], b"(role x) (init on)").ends_with(0);
    let warnings = run.json()[0]["warnings"].as_array().expect("a list").len();
    assert!(warnings > 0, "{}", run.out);
    let drawn = ludex_with_input(&["check", "-"], b"(role x) (init on)").ends_with(0);
    assert!(drawn.out.contains("missing-terminal"), "{}", drawn.out);
}

#[test]
fn hostile_texts_get_an_answer() {
    let inputs: [(&str, Vec<u8>); 7] = [
        ("nothing", Vec::new()),
        ("zero bytes", vec![0; 1000]),
        ("not UTF-8", vec![0xFF; 1000]),
        ("deep", vec![b'('; 1_000_000]),
        ("closing", vec![b')'; 1_000_000]),
        ("too large", vec![b' '; 17 << 20]),
        ("a quote", b"p('".to_vec()),
    ];
    for (name, input) in inputs {
        let run = ludex_with_input(&["check", "-", "--json"], &input).ends_with(1);
        let errors = run.json()[0]["errors"].as_array().expect(name).len();
        assert!(errors > 0, "{name}");
        let drawn = ludex_with_input(&["check", "-"], &input).ends_with(1);
        assert!(drawn.out.contains("stdin: "), "{name}: {}", drawn.out);
    }
}

#[test]
fn rejected_sheets_of_the_test_data_are_answered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/reject");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the test data is there") {
        let path = entry.expect("readable").path();
        if !path.extension().is_some_and(|ending| ending == "kif" || ending == "gdl") {
            continue;
        }
        let text = path.to_str().expect("a plain path");
        let run = ludex(&["check", text, "--json"]);
        assert!(run.status == 0 || run.status == 1, "{text}: {}", run.err);
        let answer = &run.json()[0];
        assert_eq!(
            run.status == 1,
            answer["errors"].as_array().is_some_and(|list| !list.is_empty()),
            "{text}"
        );
        seen += 1;
    }
    assert!(seen > 10, "{seen} sheets");
}

#[test]
fn folders_of_files_can_be_named_at_once() {
    let one = Scratch::new("one.kif", "(role x)");
    let two = Scratch::new("two.kif", "(role");
    let run = ludex(&["check", one.path(), two.path()]).ends_with(1);
    assert!(run.out.contains("one: 0 errors"), "{}", run.out);
    assert!(run.out.contains("two: 1 error,"), "{}", run.out);
}

#[test]
fn a_missing_sheet_does_not_cost_the_others() {
    let run = ludex(&["check", "tictactoe", "no-such-sheet.kif", "nim"]).ends_with(2);
    assert!(run.out.contains("tictactoe: 0 errors") && run.out.contains("nim: 0 errors"), "{}", run.out);
    assert!(run.err.contains("`no-such-sheet.kif` is no file"), "{}", run.err);
    let broken = Scratch::new("broken.kif", "(role");
    let run = ludex(&["check", "no-such-sheet.kif", broken.path(), "--json"]).ends_with(2);
    assert_eq!(run.json().len(), 1);
}

/// One lamp is switched, and nothing keeps the others.
const FORGETFUL: &str = "(role robot)
(init (lamp 1 off))
(init (lamp 2 off))
(init (lamp 3 off))
(<= (legal robot (light ?n)) (true (lamp ?n off)))
(<= (next (lamp ?n on)) (does robot (light ?n)))
(<= dark (true (lamp ?n off)))
(<= terminal (not dark))
(<= (goal robot 100) (not dark))
(<= (goal robot 0) dark)
";

#[test]
fn a_forgotten_frame_rule_is_shown_and_written() {
    let sheet = Scratch::new("forgetful-lamps.kif", FORGETFUL);
    let run = ludex(&["check", sheet.path(), "--deep", "--json"]).ends_with(0);
    let answer = &run.json()[0];
    let lost = answer["review"]["suspicions"]
        .as_array()
        .and_then(|list| list.iter().find(|s| s["kind"] == "lost-value"))
        .unwrap_or_else(|| panic!("no lost value: {answer}"));
    assert_eq!(lost["line"], 6, "{lost}");
    assert_eq!(lost["moves"].as_array().map(Vec::len), Some(1), "{lost}");
    let shown = ludex(&["check", sheet.path(), "--deep", "--fix"]).ends_with(0);
    assert!(shown.out.contains("+(<= (next (lamp ?x1 ?x2))"), "{}", shown.out);
    assert_eq!(std::fs::read_to_string(sheet.path()).expect("readable"), FORGETFUL, "shown, not written");
    ludex(&["check", sheet.path(), "--deep", "--fix", "--write"]).ends_with(0);
    let mended = ludex(&["check", sheet.path(), "--deep", "--json"]).ends_with(0);
    let answer = &mended.json()[0];
    assert_eq!(answer["review"]["suspicions"].as_array().map(Vec::len), Some(0), "{answer}");
}

#[test]
fn a_misspelt_name_is_mended() {
    let sheet = Scratch::new(
        "misspelt-lamps.kif",
        FORGETFUL.replace("(legal robot (light ?n)) (true (lamp", "(legal robot (light ?n)) (true (lmap"),
    );
    let run = ludex(&["check", sheet.path(), "--fix", "--write"]).ends_with(0);
    assert!(run.out.contains("did you mean `lamp`?"), "{}", run.out);
    assert_eq!(std::fs::read_to_string(sheet.path()).expect("readable"), FORGETFUL);
    // What is no file cannot be written, and what has nothing to mend is left alone.
    let none = ludex(&["check", "nim", "--fix", "--write"]).ends_with(0);
    assert!(none.out.contains("no repair to suggest"), "{}", none.out);
}

#[test]
fn every_command_warns_on_standard_error() {
    let sheet = Scratch::new(
        "warned-lamps.kif",
        FORGETFUL.replace("(<= dark (true (lamp ?n off)))", "(<= dark (true (lamp ?n of)))"),
    );
    let run = ludex(&["simulate", sheet.path()]);
    assert!(run.err.contains(":7:25: `of` never stands as argument 2 of `lamp`"), "{}", run.err);
    assert_eq!(run.err.matches("never-holds").count(), 1, "{}", run.err);
    assert_eq!(ludex(&["simulate", "nim"]).ends_with(0).err, "");
}

#[test]
fn small_bundled_games_are_above_suspicion() {
    for game in ["tictactoe", "nim", "pursuit", "racetoten", "minicheckers", "hanoi"] {
        let run = ludex(&["check", game, "--deep", "--json"]).ends_with(0);
        let review = &run.json()[0]["review"];
        assert_eq!(review["suspicions"].as_array().map(Vec::len), Some(0), "{game}: {review}");
        assert!(review["matches"].as_u64().is_some_and(|matches| matches > 0), "{game}: {review}");
    }
}

/// Mistakes that show in play, each with the kind of its finding: facts that are missing, lists that lack something, ends
/// that both win, fluents that never begin.
#[test]
fn mistakes_in_the_meaning_are_told_by_kind() {
    const TURNS: &str = "(role x) (role o)
        (<= (legal ?p (take ?n)) (true (control ?p)) (true (left ?n)))
        (<= (legal x wait) (true (control o))) (<= (legal o wait) (true (control x)))
        (<= (next (control o)) (true (control x))) (<= (next (control x)) (true (control o)))
        (<= (next (left ?n)) (true (left ?n)) (does ?p (take ?m)) (less ?n ?m))
        (<= (next (last ?p)) (does ?p (take ?n)))
        (<= some (true (left ?n))) (<= terminal (not some))
        (<= (goal x 100) (true (last x))) (<= (goal x 0) (true (last o)))
        (<= (goal o 100) (true (last o))) (<= (goal o 0) (true (last x)))
        (<= (base (left ?n)) (pile ?n)) (<= (base (control ?p)) (role ?p)) (<= (base (last ?p)) (role ?p))
        (pile 1) (pile 2) (pile 3) (pile 4) (pile 5) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
        (<= (less ?a ?b) (succ ?a ?b)) (<= (less ?a ?c) (less ?a ?b) (succ ?b ?c))
        (<= (init (left ?n)) (pile ?n)) (init (control x))";
    let sound = Scratch::new("takes.kif", TURNS);
    let kinds = |path: &str| -> Vec<String> {
        let answer = ludex(&["check", path, "--deep", "--json"]).json().remove(0);
        let list = answer["review"]["suspicions"].as_array().expect("a list").clone();
        list.iter().map(|s| s["kind"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(kinds(sound.path()), Vec::<String>::new());
    for (kind, from, to) in [
        ("both-win", "(<= (goal x 0) (true (last o)))", "(<= (goal x 100) (true (last o)))"),
        ("undeclared", "(<= (base (last ?p)) (role ?p))", ""),
        ("never-begins", "(init (control x))", ""),
        ("stuck", "(<= (legal o wait) (true (control x)))", ""),
    ] {
        let text = TURNS.replace(from, to);
        assert_ne!(text, TURNS, "{kind}");
        let mistaken = Scratch::new(&format!("{kind}.kif"), &text);
        let found = kinds(mistaken.path());
        assert!(found.iter().any(|found| found == kind), "{kind}: {found:?}");
    }
}
