//! Properties whose answers are known from paper, formulas that must be refused, limits that must be kept.

use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_gdl::{Game, Sheet};
use ludex_logic::formula::Request;
use ludex_logic::prove::{
    Answer, Certificate, Flaw, Lemma, Options, Proof, Prover, Reason, check, prove_in_part,
};
use ludex_logic::transition::System;
use ludex_testkit::corpus::{self, into_game};
use ludex_testkit::report::Report;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize)]
struct Games {
    game: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: Option<String>,
    rules: Option<String>,
    property: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    text: String,
    answer: String,
    why: String,
}

#[derive(Deserialize)]
struct Errors {
    error: Vec<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    text: String,
    at: String,
    message: String,
}

fn read(name: &str) -> String {
    std::fs::read_to_string(corpus::testdata("properties").join(name)).expect("the file is there")
}

fn bundled(name: &str) -> Game {
    let source = corpus::games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

fn decide(game: &Game, text: &str, options: Options) -> Answer {
    let request = Request::read(text).expect(text);
    let relations = request.relations(&game.rules).expect(text);
    let system = System::new(&Prepared::new(game.clone()), &relations, &Budget::default()).expect("small");
    Prover::new(&system, options).answer(&request).expect(text)
}

/// The clock must not decide.
fn unhurried() -> Options {
    Options { time: Duration::from_secs(3600), ..Options::default() }
}

#[test]
fn known_answers() {
    let games: Games = toml::from_str(&read("games.toml")).expect("valid");
    let mut report = Report::new("properties");
    let mut in_part = 0;
    for case in &games.game {
        let game = match (&case.name, &case.rules) {
            (Some(name), None) => bundled(name),
            (None, Some(rules)) => into_game(Sheet::read(rules)).expect("a sound sheet"),
            _ => panic!("a game has either a name or rules"),
        };
        for expected in &case.property {
            let name = format!("{}: {}", case.name.as_deref().unwrap_or("rules"), expected.text);
            report.case(&name, || {
                let request = Request::read(&expected.text).expect("a property");
                if prove_in_part(&game, &request, &unhurried()).is_some() {
                    in_part += 1;
                    if expected.answer != "holds" {
                        return Err(format!("proved in a part, but {} ({})", expected.answer, expected.why));
                    }
                }
                let answer = decide(&game, &expected.text, unhurried());
                let word = match &answer {
                    Answer::Holds(_) => "holds",
                    Answer::Fails(_) => "fails",
                    Answer::Unknown(_) => "unknown",
                };
                if word == expected.answer {
                    Ok(())
                } else {
                    Err(format!("expected {} ({}), found {answer:?}", expected.answer, expected.why))
                }
            });
        }
    }
    assert!(in_part >= 5, "{in_part} properties were proved in a part");
    report.finish();
}

/// What is proved in a part of a game is what the whole prover says of all of it, and whose turn it is can be told from
/// a part wherever it follows from nothing else.
#[test]
fn parts_agree_with_the_whole() {
    let mut report = Report::new("parts");
    let mut proved = Vec::new();
    for source in corpus::games() {
        let game = source.game().expect("a sound sheet");
        for text in [
            "turn-taking",
            "control",
            "functional(control(_))",
            "functional(step(_))",
            "functional(heap(_,_))",
        ] {
            let request = Request::read(text).expect(text);
            let part = prove_in_part(&game, &request, &unhurried());
            let Some(Answer::Holds(Proof::Part { rules, of, .. })) = part else { continue };
            assert!(rules < of + 2, "{}: {rules} of {of}", source.name);
            proved.push(format!("{} {text}", source.name));
            report.case(&format!("{}: {text}", source.name), || match decide(&game, text, unhurried()) {
                Answer::Holds(_) => Ok(()),
                other => Err(format!("the whole prover says {other:?}")),
            });
        }
    }
    report.finish();
    for wanted in
        ["tictactoe turn-taking", "tictactoe control", "connectfour turn-taking", "connectfour control"]
    {
        assert!(proved.iter().any(|name| name == wanted), "{wanted} is not proved in a part: {proved:?}");
    }
}

/// Turns that depend on what was played, on another fluent, or on a fluent without a name are not told from a part; nor
/// is a role that has two moves whatever the turn.
#[test]
fn parts_do_not_claim_what_is_not_so() {
    let rules = "(role a) (role b) (init (control a)) (init (lamp on))
        (<= (legal ?p (press ?x)) (true (control ?p)) (button ?x)) (button 1) (button 2)
        (<= (legal ?p wait) (role ?p) (not (true (control ?p))))
        (<= terminal (true (lamp off))) (goal a 50) (goal b 50) (<= (next (lamp on)) (true (lamp on)))";
    let turns = "(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))";
    let part = |extra: &str, text: &str| {
        let game = into_game(Sheet::read(&format!("{rules} {extra}"))).expect("a sound sheet");
        let request = Request::read(text).expect(text);
        prove_in_part(&game, &request, &unhurried()).is_some()
    };
    assert!(part(turns, "turn-taking") && part(turns, "control"));
    // Two moves for everybody; control that both have; control that depends on the moves.
    assert!(!part(&format!("{turns} (<= (legal b (press 3)))"), "turn-taking"));
    assert!(!part(&format!("{turns} (<= (next (control b)) (true (lamp on)))"), "turn-taking"));
    assert!(!part(
        "(<= (next (control b)) (does a (press 1))) (<= (next (control a)) (does b (press 1)))",
        "control"
    ));
    // What looks ahead in vain at the end of the game is not told from a part without an end.
    assert!(part(turns, "true(control(a)) => next true(control(b))"));
    assert!(!part(turns, "true(control(a)) => not next true(control(a))"));
}

#[test]
fn bad_formulas_are_refused_at_their_place() {
    let errors: Errors = toml::from_str(&read("errors.toml")).expect("valid");
    let game = bundled("tictactoe");
    for case in &errors.error {
        let result = Request::read(&case.text).and_then(|request| {
            let relations = request.relations(&game.rules)?;
            let system =
                System::new(&Prepared::new(game.clone()), &relations, &Budget::default()).expect("small");
            request.property(&system)
        });
        let error = result.expect_err(&case.text);
        let span = error.span.start as usize..error.span.end as usize;
        assert_eq!(&case.text[span], case.at, "{}: {error}", case.text);
        assert!(error.message.contains(&case.message), "{}: {error}", case.text);
    }
}

/// Every prefix and every change of one character is answered without a panic.
#[test]
fn broken_formulas_do_no_harm() {
    let text = "forall X, Y: exists 0..1 C in {b, 'x'}: not true(cell(X,Y,C)) => next (line(x) <=> X != 1)";
    let game = bundled("tictactoe");
    let system = System::new(&Prepared::new(game.clone()), &[], &Budget::default()).expect("small");
    let mut read = 0;
    let mut attempt = |text: &str| {
        if let Ok(request) = Request::read(text)
            && request.relations(&game.rules).is_ok()
            && request.property(&system).is_ok()
        {
            read += 1;
        }
    };
    attempt(text);
    for (at, _) in text.char_indices() {
        attempt(&text[..at]);
        for other in ["(", ")", ",", ":", "X", "1", " ", "'", "*", "é", "not "] {
            attempt(&format!("{}{other}{}", &text[..at], &text[at + 1..]));
        }
    }
    attempt(&"(".repeat(10_000));
    attempt(&"not ".repeat(10_000));
    attempt(&"terminal => ".repeat(10_000));
    assert!(read > 10, "{read}");
}

#[test]
fn limits_are_kept() {
    let game = bundled("breakthrough");
    let options = Options { time: Duration::ZERO, ..Options::default() };
    let answer = decide(&game, "playable", options);
    assert!(matches!(answer, Answer::Unknown(Reason::Limit(_))), "{answer:?}");
    let options = Options { budget: Budget::default().with_bytes(1000), ..Options::default() };
    let answer = decide(&game, "playable", options);
    assert!(matches!(answer, Answer::Unknown(Reason::Limit(_))), "{answer:?}");
}

/// The checker believes nobody: certificates that prove nothing are refused, each for its reason.
#[test]
fn false_certificates_are_refused() {
    let game = bundled("tictactoe");
    let system = System::new(&Prepared::new(game), &[], &Budget::default()).expect("small");
    let vocabulary = system.vocabulary();
    let fluent = |text: &str| {
        let term = vocabulary.read_term(text).expect(text);
        vocabulary.find_fluent(term).expect(text)
    };
    let property =
        |text: &str| Request::read(text).expect(text).property(&system).expect(text).expect("a formula");
    let prover = Prover::new(&system, Options::default());
    let verdict = |text: &str, lemmas: Vec<Lemma>, depth| {
        check(&system, &property(text), &Certificate { lemmas, depth }, &prover.budget())
    };
    let blank = Lemma::Clause(vec![(fluent("(cell 1 1 b)"), true)]);
    let marked = Lemma::Clause(vec![(fluent("(cell 1 1 b)"), false)]);
    assert_eq!(verdict("terminal or not terminal", vec![marked], 0), Err(Flaw::LemmaInitially));
    assert_eq!(verdict("terminal or not terminal", vec![blank], 0), Err(Flaw::LemmaStep));
    assert_eq!(verdict("terminal", Vec::new(), 1), Err(Flaw::Base));
    assert_eq!(verdict("not terminal", Vec::new(), 0), Err(Flaw::Step));
    assert_eq!(verdict("true(control(x)) or true(control(o))", Vec::new(), 1), Ok(()));
}
