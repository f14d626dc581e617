//! What must hold for every input whatever, and the sheets that the tests start from.

// Every test file is a program of its own and uses its share of this.
#![allow(dead_code)]

use ludex_gdl::Sheet;
use ludex_gdl::syntax::tree::{Formula, FormulaKind, Term, Tree};
use ludex_gdl::syntax::{Span, TextLimits, line_column, print};
use ludex_testkit::corpus::{Source, games, shared_games, sheets_in, testdata};
use ludex_testkit::micro;
use ludex_testkit::treatment::difference;
use std::time::{Duration, Instant};

/// The longest that reading and checking an input of the tests' size may take, far above what it does
/// take, so that a busy machine does not fail the test.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Every sheet on this machine: bundled, micro, rejected, earlier finds of the fuzzer, and public ones.
pub fn corpus(what: &str) -> Vec<Source> {
    let mut sources = games();
    sources.extend(micro::load().into_iter().map(|game| Source {
        path: testdata("rules").join(&game.name),
        name: game.name,
        bytes: game.rules.into_bytes(),
    }));
    sources.extend(sheets_in(&testdata("reject")));
    sources.extend(sheets_in(&testdata("fuzz")));
    sources.extend(shared_games(what));
    sources
}

/// Reads the bytes and looks at everything that comes of it. An error says which promise is broken.
pub fn examine(bytes: &[u8], limits: &TextLimits) -> Result<Sheet, String> {
    let sheet = read_only(bytes, limits)?;
    if let Some(game) = sheet.game() {
        round_trip(&sheet.tree, &game.rules)?;
        round_trip(&game.rules.to_tree(), &game.rules)?;
        // Only that it does not panic: what it means is tested with a solver.
        print::asp(&game.rules);
    }
    Ok(sheet)
}

/// As [`examine`], without printing and reading again.
pub fn read_only(bytes: &[u8], limits: &TextLimits) -> Result<Sheet, String> {
    let started = Instant::now();
    let sheet = Sheet::read_bytes(bytes, limits);
    let elapsed = started.elapsed();
    if elapsed > PATIENCE {
        return Err(format!("reading took {elapsed:?}"));
    }
    spans(&sheet)?;
    if sheet.findings.len() > limits.findings + 1 {
        return Err(format!("{} findings in spite of the limit", sheet.findings.len()));
    }
    if sheet.game().is_none() && sheet.errors().next().is_none() {
        return Err("no game, and no error that says why".to_owned());
    }
    Ok(sheet)
}

/// Both notations read back as the same rules, and printing what was read back gives the same text.
fn round_trip(tree: &Tree, rules: &ludex_gdl::Rules) -> Result<(), String> {
    for (notation, print) in [("KIF", print::kif as fn(&Tree) -> String), ("infix", print::infix)] {
        let text = print(tree);
        let again = Sheet::read(&text);
        let Some(game) = again.game() else {
            let errors: Vec<String> = again
                .errors()
                .map(|f| {
                    let (line, column) = line_column(&text, f.span.start);
                    let shown = text.lines().nth(line - 1).unwrap_or_default();
                    format!("{line}:{column} {} {} in `{shown}`", f.code, f.message)
                })
                .take(3)
                .collect();
            return Err(format!("printed as {notation} it has errors: {}", errors.join("; ")));
        };
        if game.rules != *rules {
            return Err(format!(
                "printed as {notation} it is not the same: {}",
                difference(rules, &game.rules)
            ));
        }
        let twice = print(&again.tree);
        if twice != text {
            let line = text.lines().zip(twice.lines()).find(|(a, b)| a != b);
            return Err(format!("printed as {notation} twice it is not the same: {line:?}"));
        }
    }
    Ok(())
}

/// Every span lies in the text, from one character to a later one.
fn spans(sheet: &Sheet) -> Result<(), String> {
    let text: &str = &sheet.text;
    let sound = |what: &str, span: Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        let inside = start <= end && end <= text.len();
        if inside && text.is_char_boundary(start) && text.is_char_boundary(end) {
            return Ok(());
        }
        Err(format!("the span {start}..{end} of {what} is bad in a text of {} bytes", text.len()))
    };
    for finding in &sheet.findings {
        sound(finding.code.name(), finding.span)?;
        if let Some((span, _)) = finding.related {
            sound(finding.code.name(), span)?;
        }
        // The text must bear being pointed at.
        line_column(text, finding.span.start);
    }
    for clause in &sheet.tree.clauses {
        sound("a clause", clause.span)?;
        each_term(&clause.head, &mut |term| sound("a term", term.span))?;
        for condition in clause.body.iter().flatten() {
            each_formula(condition, &mut |what, span| sound(what, span))?;
        }
    }
    if let Some(game) = sheet.game() {
        for rule in game.rules.rules() {
            sound("a rule", rule.places.clause)?;
            sound("a head", rule.places.head)?;
            if rule.places.body.len() != rule.body.len() {
                return Err("a rule has another number of places than of literals".to_owned());
            }
            rule.places.body.iter().try_for_each(|&span| sound("a literal", span))?;
        }
    }
    Ok(())
}

fn each_term(term: &Term, visit: &mut impl FnMut(&Term) -> Result<(), String>) -> Result<(), String> {
    visit(term)?;
    term.arguments().iter().try_for_each(|argument| each_term(argument, visit))
}

fn each_formula(
    formula: &Formula,
    visit: &mut impl FnMut(&str, Span) -> Result<(), String>,
) -> Result<(), String> {
    visit("a condition", formula.span)?;
    match &formula.kind {
        FormulaKind::Atom(atom) => each_term(atom, &mut |term| visit("a term", term.span)),
        FormulaKind::Distinct(left, right) => {
            each_term(left, &mut |term| visit("a term", term.span))?;
            each_term(right, &mut |term| visit("a term", term.span))
        }
        FormulaKind::Not(inner) => each_formula(inner, visit),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            parts.iter().try_for_each(|part| each_formula(part, visit))
        }
    }
}
