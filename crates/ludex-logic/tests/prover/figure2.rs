//! The 21 answers of Figure 2 of Thielscher and Voigt (2010), by SAT and by clingo.

use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_logic::asp;
use ludex_logic::formula::Request;
use ludex_logic::prove::{Answer, Options, Prover, Refutation};
use ludex_logic::transition::System;
use ludex_testkit::corpus;
use ludex_testkit::report::{Report, runs_slow};
use std::time::Duration;

/// The sheet, the fluent of the persistence column, and the answers of the paper: turn taking, persistence, control.
const FIGURE: [(&str, &str, [bool; 3]); 7] = [
    ("3pttc", "cell(_,_,blue)", [true, false, true]),
    ("biddingtictactoe", "not cell(_,_,b)", [false, true, false]),
    ("connect4", "cell(_,_,r)", [true, true, true]),
    ("endgame", "not cell(_,_,wk)", [true, false, true]),
    ("othello-comp2007", "cell(_,_,red)", [true, false, true]),
    ("tictactoe", "not cell(_,_,b)", [true, true, true]),
    ("tttcc4", "cell(_,_,redpawn)", [true, false, true]),
];

/// Sheets on which clingo takes a second or more; `scripts/prove-tables.py figure2` has them.
const SLOW: [&str; 3] = ["endgame", "othello-comp2007", "tttcc4"];

#[test]
fn the_answers_are_those_of_the_paper() {
    let sheets = corpus::shared_games("Figure 2");
    if sheets.is_empty() {
        return;
    }
    let clingo = crate::clingo::clingo("Figure 2 by clingo");
    let slow = runs_slow(&format!("Figure 2 by clingo on {}", SLOW.join(", ")));
    let mut report = Report::new("Figure 2");
    for (name, fluent, expected) in FIGURE {
        let source = sheets.iter().find(|source| source.name == name).expect(name);
        let game = source.game().expect(name);
        let system = System::new(&Prepared::new(game.clone()), &[], &Budget::default()).expect(name);
        let prover = Prover::new(&system, Options { time: Duration::from_secs(3600), ..Options::default() });
        let texts = ["turn-taking".to_owned(), format!("persistence({fluent})"), "control".to_owned()];
        for (text, expected) in texts.iter().zip(expected) {
            report.case(&format!("{name} {text}"), || {
                let property = Request::read(text).ok().and_then(|r| r.property(&system).ok()?).expect(text);
                let right = |answer: &Answer| match answer {
                    Answer::Holds(_) => expected,
                    // The line was replayed, or there would be no such answer.
                    Answer::Fails(Refutation::Line(_)) => !expected,
                    _ => false,
                };
                let answer = prover.prove(&property);
                if !right(&answer) {
                    return Err(format!("SAT: {answer:?}"));
                }
                let Some(clingo) = clingo.as_ref().filter(|_| slow || !SLOW.contains(&name)) else {
                    return Ok(());
                };
                let budget = prover.budget();
                let answer = asp::prove(&prover, &property, prover.turns(&budget), clingo, &budget);
                let answer = answer.map_err(|error| error.to_string())?;
                if right(&answer) { Ok(()) } else { Err(format!("clingo: {answer:?}")) }
            });
        }
    }
    report.finish();
}
