//! `ludex prove --repair`: changes of one rule after which a property holds.

use crate::progress::Progress;
use crate::report::count;
use anyhow::Result;
use ludex::engine::budget::Budget;
use ludex::gdl::Sheet;
use ludex::gdl::syntax::line_column;
use ludex::logic::formula::Request;
use ludex::logic::mend::{Repair, Repairs, repairs};
use ludex::logic::prove::{Prover, Refutation};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// Repairs that are shown.
const MOST: usize = 5;

/// Searches for repairs, for as long as a property may take.
pub fn search(
    sheet: &Sheet,
    request: &Request,
    refutation: &Refutation,
    prover: &Prover<'_>,
    time: f64,
) -> Repairs {
    let _progress = Progress::spinner(format!("searching for repairs of {}", request.text));
    let budget: Budget = prover.options().budget.lasting().within(Duration::from_secs_f64(time));
    repairs(sheet, request, refutation, prover.system().vocabulary(), MOST, &budget)
}

/// What stands at the place of a change now; nothing where clauses are added.
fn before<'s>(repair: &Repair, sheet: &'s Sheet) -> Option<(usize, &'s str)> {
    let span = repair.change.place?;
    let line = line_column(&sheet.text, span.start).0;
    Some((line, &sheet.text[span.start as usize..span.end as usize]))
}

/// Adds the repairs to an answer in JSON.
pub fn add(repairs: &Repairs, sheet: &Sheet, value: &mut Value) {
    let shown = repairs.found.iter().map(|repair| {
        let old = before(repair, sheet);
        json!({
            "kind": repair.change.kind.words(), "line": old.map(|(line, _)| line), "before": old.map(|(_, text)| text),
            "after": repair.change.text,
        })
    });
    value["repairs"] = Value::Array(shown.collect());
    value["tried"] = json!(repairs.tried);
}

/// Writes the repairs.
pub fn write(repairs: &Repairs, sheet: &Sheet, out: &mut dyn Write) -> Result<()> {
    for (number, repair) in repairs.found.iter().enumerate() {
        let (number, kind) = (number + 1, repair.change.kind.words());
        match before(repair, sheet) {
            Some((line, old)) => {
                writeln!(out, "  repair {number}: {kind}, line {line}; with it the property is proved")?;
                old.lines().try_for_each(|line| writeln!(out, "    -{line}"))?;
            }
            None => writeln!(out, "  repair {number}: {kind}; with it the property is proved")?,
        }
        repair.change.text.lines().try_for_each(|line| writeln!(out, "    +{line}"))?;
    }
    let tried = count(repairs.tried, "change");
    let all = if repairs.tried < repairs.of { format!(" of {}", repairs.of) } else { String::new() };
    if repairs.found.is_empty() {
        writeln!(out, "  no repair by one rule was found: {tried}{all} tried")?;
    } else {
        writeln!(out, "  {tried}{all} tried")?;
    }
    Ok(())
}
