//! `ludex check`: the findings about rule sheets.

use crate::args::Check;
use crate::game::{self, Loaded};
use crate::status::{Misuse, Status};
use crate::{json, report};
use anyhow::Result;
use ludex::gdl::syntax::line_column;
use ludex::gdl::{Diagnostic, Game, Keyword};
use serde_json::{Value, json};
use std::io::{self, Write};

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
        if args.json.json {
            json::line(out, &answer(&loaded))?;
        } else {
            let sheet = &loaded.sheet;
            let findings =
                report::draw(&loaded.source, &sheet.text, sheet.findings.iter(), report::Target::Stdout);
            writeln!(out, "{findings}{}", summary(&loaded))?;
            out.flush()?;
        }
    }
    Ok(if missing { Status::Misused } else { Status::of(sound) })
}

fn answer(loaded: &Loaded) -> Value {
    let list = |errors: bool| -> Vec<Value> {
        let findings = loaded.sheet.findings.iter().filter(|finding| finding.is_error() == errors);
        findings.map(|finding| self::finding(&loaded.sheet.text, finding)).collect()
    };
    json!({ "game": loaded.name, "errors": list(true), "warnings": list(false) })
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
