//! `ludex prove`: answers, keys, statuses.

use crate::{Scratch, ludex};

#[test]
fn answers_have_the_agreed_keys() {
    let run = ludex(&["prove", "tictactoe", "turn-taking", "next not open", "--json"]).ends_with(1);
    let lines = run.json();
    assert_eq!(lines.len(), 2);
    let agreed = ["property", "answer", "seconds", "trace"];
    // What fails has the state in which it does.
    let expected = [agreed.to_vec(), [&agreed[..], &["at", "state", "terminal", "roles"]].concat()];
    for (line, expected) in lines.iter().zip(expected) {
        let keys: Vec<&str> = line.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, expected);
        assert!(line["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
    assert_eq!((&lines[0]["answer"], &lines[0]["trace"]), (&"holds".into(), &serde_json::Value::Null));
    assert_eq!((&lines[1]["property"], &lines[1]["answer"]), (&"next not open".into(), &"fails".into()));
    let trace = lines[1]["trace"].as_array().expect("moves");
    assert_eq!(trace.len(), 1);
    assert_eq!(trace[0][1], "noop");
}

#[test]
fn what_holds_is_status_0_and_what_does_not_is_1() {
    ludex(&["prove", "tictactoe", "control"]).ends_with(0);
    ludex(&["prove", "tictactoe", "terminal"]).ends_with(1);
    let run = ludex(&["prove", "breakthrough", "playable", "--time", "0.000001", "--json"]).ends_with(1);
    assert_eq!(run.json()[0]["answer"], "unknown");
    assert!(run.json()[0]["reason"].as_str().is_some_and(|reason| reason.contains("limits")));
}

#[test]
fn winning_lines_are_shown() {
    let run = ludex(&["prove", "tictactoe", "weakly-winnable", "--json"]).ends_with(0);
    let lines = run.json()[0]["lines"].as_array().expect("a match for each role").clone();
    assert_eq!(lines.len(), 2);
    for (line, role) in lines.iter().zip(["x", "o"]) {
        assert_eq!((&line["role"], &line["goal"]), (&role.into(), &100.into()));
        // Three marks of one player take five moves at least.
        assert!(line["trace"].as_array().is_some_and(|moves| moves.len() >= 5));
    }
}

#[test]
fn bad_formulas_are_misuse_and_drawn() {
    let run = ludex(&["prove", "tictactoe", "true(cell(1,1))"]).ends_with(2);
    assert!(
        run.err.contains("the fluent `cell` has 3 arguments") && run.err.contains("2 given"),
        "{}",
        run.err
    );
    assert!(run.out.is_empty());
    ludex(&["prove", "tictactoe"]).ends_with(2);
    ludex(&["prove", "tictactoe", "terminates", "--emit", "asp"]).ends_with(2);
    let missing =
        ludex(&["prove", "tictactoe", "control", "--backend", "asp", "--clingo", "no-such-program"]);
    assert!(missing.ends_with(2).err.contains("no-such-program"));
}

#[test]
fn programs_are_printed_for_base_case_and_step() {
    let text = ludex(&["prove", "tictactoe", "playable", "--emit", "asp"]).ends_with(0).out;
    let programs: Vec<&str> = text.split("%%%%\n").filter(|part| !part.trim().is_empty()).collect();
    assert_eq!(programs.len(), 3, "{text}");
    assert!(programs[0].contains("true(control(x),0).") && programs[0].contains("legal(R,M,T)"), "{text}");
    assert!(programs[2].contains("{ true(F,0) : fdom(F) }."), "{text}");
}

#[test]
fn discoveries_are_told_in_words_and_as_json() {
    let text = ludex(&["prove", "tictactoe", "--discover"]).ends_with(0).out;
    assert!(text.contains("exactly one of (cell * * _) holds for each of the 9 values of `*`"), "{text}");
    let lines = ludex(&["prove", "tictactoe", "--discover", "--json"]).ends_with(0).json();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["kind"].as_str()).collect();
    for kind in ["turn-taking", "control", "playable", "length", "constant-sum", "exactly-one"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}

/// A game that cannot be played on is told apart from one that can.
#[test]
fn a_designer_s_mistake_is_found() {
    let sheet = Scratch::new(
        "stuck.kif",
        "(role a) (init (at 0)) (succ 0 1) (succ 1 2)
         (<= (legal a go) (true (at 0)))
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 2)))
         (goal a 100)",
    );
    let run = ludex(&["prove", sheet.path(), "well-formed"]).ends_with(1);
    assert!(run.out.contains("not playable"), "{}", run.out);
    assert!(run.out.contains("a has no legal move, though the game is not over"), "{}", run.out);
    let run = ludex(&["prove", sheet.path(), "well-formed", "--repair", "--json"]).ends_with(1);
    let answer = &run.json()[0];
    assert_eq!((&answer["part"], &answer["role"]), (&"playable".into(), &"a".into()));
    assert_eq!((&answer["at"], &answer["terminal"]), (&1.into(), &false.into()));
    assert_eq!(answer["state"], serde_json::json!(["(at 1)"]));
    assert_eq!(answer["roles"], serde_json::json!([{ "role": "a", "moves": 0, "goals": [] }]));
    // The condition of the only rule for moves is the mistake; what is shown was proved.
    let repairs = answer["repairs"].as_array().expect("repairs");
    assert!(repairs.iter().any(|repair| repair["after"] == "(legal a go)"), "{repairs:?}");
}

/// What a role gets at best is what the rules say, wherever the game begins.
#[test]
fn an_end_that_is_lost_is_not_winnable() {
    let moves = "mark 1 1; mark 2 1; mark 1 2; mark 2 2; mark 1 3";
    for moves in [moves, "mark 1 1; mark 2 1; mark 1 2; mark 2 2"] {
        let run = ludex(&["prove", "tictactoe", "weakly-winnable", "--moves", moves, "--json"]);
        let answer = &run.json()[0]["answer"];
        // x has won, or can; o can still win in the second, by the third mark of its row.
        let expected = if moves.ends_with("1 3") { "fails" } else { "holds" };
        assert_eq!(answer, expected, "{moves}: {}", run.out);
    }
}

/// Every end must say what everybody gets: the values are shown where it does not.
#[test]
fn goals_that_are_not_unique_are_shown() {
    let sheet = Scratch::new(
        "goals.kif",
        "(role a) (role b) (init (at 0)) (succ 0 1)
         (<= (legal ?p go) (role ?p))
         (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
         (<= terminal (true (at 1)))
         (goal a 100) (goal a 0) (<= (goal b 50) (true (at 0)))",
    );
    let run = ludex(&["prove", sheet.path(), "well-formed"]).ends_with(1);
    assert!(
        run.out.contains("not unique-goals") && run.out.contains("a has the goal values 0 and 100"),
        "{}",
        run.out
    );
    assert!(run.out.contains("b has no goal value"), "{}", run.out);
}

/// Names that are nearly right get a suggestion: relations, fluents, moves, constants, properties.
#[test]
fn misspelt_names_get_a_suggestion() {
    for (formula, expected) in [
        ("turn-takin", "did you mean `turn-taking`?"),
        ("playble", "did you mean `playable`?"),
        ("terminate", "did you mean `terminates` or `terminal`?"),
        ("true(contrl(x))", "did you mean `control`?"),
        ("contrl(x)", "did you mean `true(control...)`?"),
        ("exists P: legal(P, mrak(1,1))", "did you mean `mark`?"),
        ("exists P: gaol(P, 100)", "did you mean `goal`?"),
        ("true(cell(1,1,x)) or true(control(nopo))", "did you mean `noop`?"),
        ("persistence(cel(_,_,x))", "did you mean `cell`?"),
    ] {
        let run = ludex(&["prove", "tictactoe", formula]).ends_with(2);
        assert!(run.err.contains(expected), "{formula}: {}", run.err);
    }
}

/// Whatever discovery says is a formula that `prove` takes back, and proves again.
#[test]
fn discoveries_are_formulas_that_hold() {
    for game in ["tictactoe", "nim", "maze", "rockpaperscissors", "racetoten"] {
        let found = ludex(&["prove", game, "--discover", "--json"]).ends_with(0).json();
        let formulas: Vec<&str> = found.iter().filter_map(|line| line["property"].as_str()).collect();
        assert!(formulas.len() >= 5, "{game}: {formulas:?}");
        let proved =
            ludex(&[&["prove", game, "--json", "--"], formulas.as_slice()].concat()).ends_with(0).json();
        assert_eq!(proved.len(), formulas.len(), "{game}");
        assert!(proved.iter().all(|line| line["answer"] == "holds"), "{game}: {proved:?}");
    }
}

/// A game that is too large to compile within the limits still has its turns told.
#[test]
fn turns_are_told_of_games_that_are_not_compiled() {
    let run = ludex(&["prove", "reversi", "--discover", "--most-steps", "2000"]).ends_with(1);
    assert!(run.out.contains("the players take turns"), "{}{}", run.out, run.err);
    let run = ludex(&["prove", "reversi", "turn-taking", "--most-steps", "2000"]);
    assert!(run.ends_with(0).out.contains("which does not depend on the others"));
}

#[test]
fn what_can_be_forced_is_decided_with_strategies() {
    // Bouton: the second player wins at Nim with heaps of 1, 3, 5 and 7.
    let asked =
        ["prove", "nim", "can-force(bob, goal >= 100)", "can-force(alice, goal >= 100)", "fair", "--json"];
    let lines = ludex(&asked).ends_with(1).json();
    let answers: Vec<_> = lines.iter().map(|line| line["answer"].as_str().unwrap_or_default()).collect();
    assert_eq!(answers, ["holds", "fails", "fails"]);
    let values = &lines[2]["values"];
    assert_eq!((&values[0]["can"], &values[1]["can"]), (&0.into(), &100.into()), "{values}");
    // The centre is free for the first move, and a mark of one's own can be forced nowhere in particular later.
    let centre = "can-force(x, true(cell(2,2,x)))";
    let within = |most: u32| format!("{centre} within {most}");
    assert!(ludex(&["prove", "tictactoe", &within(1), "fair"]).ends_with(0).out.contains("worth nothing"));
    ludex(&["prove", "tictactoe", &within(0)]).ends_with(1);
    ludex(&["prove", "tictactoe", "can-force(o, true(cell(2,2,o)))"]).ends_with(1);
    // Pure strategies: whoever shows his hand first loses.
    let text = ludex(&["prove", "rockpaperscissors", "fair"]).out;
    assert!(text.starts_with("fair: holds"), "{text}");
    for wrong in ["can-force(z, goal >= 1)", "can-force(x, next terminal)", "can-force(x, true(cell(1,1)))"] {
        ludex(&["prove", "tictactoe", wrong]).ends_with(2);
    }
}
