//! `ludex check`: the findings about rule sheets.

use crate::args::Check;
use crate::game::{self, Loaded};
use crate::progress::making;
use crate::status::{Misuse, Status};
use crate::{json, patch, report};
use anyhow::{Context, Result};
use ludex::engine::budget::Budget;
use ludex::engine::error::BuildError;
use ludex::gdl::caret;
use ludex::gdl::syntax::{Span, line_column};
use ludex::gdl::{Diagnostic, Game, Keyword, Sheet};
use ludex::logic::review::{Review, Suspicion, review};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

pub fn run(args: &Check, out: &mut dyn Write) -> Result<Status> {
    let mut sound = true;
    let mut missing = false;
    for argument in &args.games {
        let loaded = match game::read_quietly(argument) {
            Ok(loaded) => loaded,
            // A sheet that is not there should not cost the findings about the others.
            Err(error) if error.is::<Misuse>() => {
                writeln!(io::stderr(), "error: {error:#}")?;
                missing = true;
                continue;
            }
            Err(error) => return Err(error),
        };
        sound &= loaded.sheet.game().is_some();
        let review = args.deep.then(|| deep(&loaded.sheet, &loaded.name, args.time));
        if args.json.json {
            json::line(out, &answer(&loaded, review.as_ref()))?;
        } else {
            let sheet = &loaded.sheet;
            let findings =
                report::draw(&loaded.source, &sheet.text, sheet.findings.iter(), report::Target::Stdout);
            writeln!(out, "{findings}{}", summary(&loaded))?;
            match &review {
                Some(Ok(review)) => tell(&loaded, review, out)?,
                Some(Err(why)) => writeln!(out, "{}: not played: {why}", loaded.name)?,
                None => {}
            }
            if args.fix {
                fix(&loaded, review.and_then(Result::ok).as_ref(), argument, args, out)?;
            }
            out.flush()?;
        }
    }
    Ok(if missing { Status::Misused } else { Status::of(sound) })
}

/// A review, or why the game was not played.
type Reviewed = std::result::Result<Review, String>;

/// What is likely wrong with the meaning of a sheet without errors.
fn deep(sheet: &Sheet, name: &str, time: f64) -> Reviewed {
    if sheet.game().is_none() {
        return Err("the rules have errors".to_owned());
    }
    let budget = Budget::default().within(Duration::from_secs_f64(time));
    let reviewed: std::result::Result<Review, BuildError> =
        making(format!("playing {name}"), &budget, |budget| review(sheet, budget));
    reviewed.map_err(|error| error.to_string())
}

/// Longer lines of play are cut in the middle.
const MOST_MOVES: usize = 12;

fn tell(loaded: &Loaded, review: &Review, out: &mut dyn Write) -> Result<()> {
    for suspicion in &review.suspicions {
        writeln!(out, "suspicion[{}]: {}", suspicion.kind, suspicion.message)?;
        let label = if suspicion.span == Span::default() { "the sheet as a whole" } else { "" };
        write!(out, "{}", caret::draw(&loaded.source, &loaded.sheet.text, suspicion.span, label))?;
        let moves = &suspicion.moves;
        if moves.len() > MOST_MOVES {
            let (first, last) = (&moves[..MOST_MOVES / 2], &moves[moves.len() - MOST_MOVES / 2..]);
            let left = moves.len() - MOST_MOVES;
            writeln!(out, "moves: {}; ... {left} more ...; {}", first.join("; "), last.join("; "))?;
        } else if !moves.is_empty() {
            writeln!(out, "moves: {}", moves.join("; "))?;
        }
        writeln!(out, "help: {}\n", suspicion.hint)?;
    }
    writeln!(
        out,
        "{}: {} in {} of random play, {} in all",
        loaded.name,
        report::count(review.suspicions.len(), "suspicion"),
        report::count(review.matches, "match").replace("matchs", "matches"),
        report::count(review.moves, "move")
    )?;
    Ok(())
}

/// Shows the repairs that make the findings fewer, and writes them if that is asked for.
fn fix(
    loaded: &Loaded,
    review: Option<&Review>,
    argument: &Path,
    args: &Check,
    out: &mut dyn Write,
) -> Result<()> {
    let sheet = &loaded.sheet;
    let Some(patch) = patch::patch(&loaded.source, sheet, review) else {
        writeln!(out, "{}: no repair to suggest", loaded.name)?;
        return Ok(());
    };
    // Nothing is shown that has not been tried.
    let mended = Sheet::read(&patch.text);
    let again = args.deep.then(|| deep(&mended, &loaded.name, args.time)).and_then(Result::ok);
    let troubles = |sheet: &Sheet, review: Option<&Review>| {
        sheet.findings.len() + review.map_or(0, |review| review.suspicions.len())
    };
    let (before, after) = (troubles(sheet, review), troubles(&mended, again.as_ref()));
    if mended.game().is_none() || after >= before {
        writeln!(out, "{}: no repair to suggest: what the hints say does not help", loaded.name)?;
        return Ok(());
    }
    write!(out, "{}", patch.diff)?;
    writeln!(
        out,
        "{}: {} before the repair, {after} after it",
        loaded.name,
        report::count(before, "finding")
    )?;
    if args.write {
        if !argument.is_file() {
            let why = format!("`{}` is no file that could be written; use --fix alone", argument.display());
            return Err(Misuse(why).into());
        }
        fs::write(argument, &patch.text)
            .with_context(|| format!("{} cannot be written", argument.display()))?;
        writeln!(out, "{}: written", argument.display())?;
    }
    Ok(())
}

fn answer(loaded: &Loaded, review: Option<&Reviewed>) -> Value {
    let list = |errors: bool| -> Vec<Value> {
        let findings = loaded.sheet.findings.iter().filter(|finding| finding.is_error() == errors);
        findings.map(|finding| self::finding(&loaded.sheet.text, finding)).collect()
    };
    let mut answer = json!({ "game": loaded.name, "errors": list(true), "warnings": list(false) });
    if let Some(review) = review {
        answer["review"] = self::review_value(&loaded.sheet.text, review);
    }
    answer
}

fn review_value(text: &str, review: &Reviewed) -> Value {
    let review = match review {
        Ok(review) => review,
        Err(why) => {
            return json!({ "suspicions": [], "matches": 0, "moves": 0, "limit": why });
        }
    };
    let one = |suspicion: &Suspicion| {
        let (line, column) = line_column(text, suspicion.span.start);
        json!({
            "line": line,
            "column": column,
            "kind": suspicion.kind,
            "message": suspicion.message,
            "hint": suspicion.hint,
            "moves": suspicion.moves,
            "repair": suspicion.repair,
        })
    };
    let suspicions: Vec<Value> = review.suspicions.iter().map(one).collect();
    json!({ "suspicions": suspicions, "matches": review.matches, "moves": review.moves, "limit": null })
}

fn finding(text: &str, finding: &Diagnostic) -> Value {
    let (line, column) = line_column(text, finding.span.start);
    json!({
        "line": line,
        "column": column,
        "code": finding.code.name(),
        "message": finding.message,
        "hint": finding.hint,
    })
}

/// One line: how many findings, and how large the game is.
fn summary(loaded: &Loaded) -> String {
    let sheet = &loaded.sheet;
    let errors = sheet.errors().count();
    let warnings = sheet.findings.len() - errors;
    let size = match sheet.game() {
        Some(game) => size(game),
        None => report::count(sheet.tree.clauses.len(), "clause"),
    };
    format!(
        "{}: {}, {}; {} in {} notation",
        loaded.name,
        report::count(errors, "error"),
        report::count(warnings, "warning"),
        size,
        loaded.notation()
    )
}

fn size(game: &Game) -> String {
    let rules = &game.rules;
    let facts = rules.rules().iter().filter(|rule| rule.body.is_empty()).count();
    let defined = rules.relations().filter(|&relation| !rules.rules_for(relation).is_empty()).count();
    let roles = rules.rules_for(rules.keyword(Keyword::Role)).len();
    [
        report::count(roles, "role"),
        report::count(facts, "fact"),
        report::count(rules.rules().len() - facts, "rule"),
        report::count(defined, "relation"),
    ]
    .join(", ")
}
