//! What shows that a property fails: the role, the state, the moves that lead there, the goals.

use super::prove::{moves, write_moves};
use crate::report::count;
use anyhow::Result;
use ludex::engine::row;
use ludex::engine::vocabulary::{RoleId, Vocabulary};
use ludex::logic::prove::{Line, Prover, Refutation, Witness};
use ludex_board::Drawing;
use serde_json::{Value, json};
use std::io::Write;

/// The parts that the refutation is in, by their names, and what stands inside.
fn innermost(mut refutation: &Refutation) -> (Vec<&'static str>, &Refutation) {
    let mut parts = Vec::new();
    while let Refutation::Part(name, inner) = refutation {
        parts.push(*name);
        refutation = inner;
    }
    (parts, refutation)
}

/// What the reference says of the state of a line. Without an answer within the limits nothing is shown.
fn witness(prover: &Prover<'_>, line: &Line) -> Option<Witness> {
    prover.reference(&prover.options().budget.lasting()).ok()?.witness(line)
}

/// The roles that the refutation is about: those without a move, or without a single goal value.
fn blamed(refutation: &Refutation, part: Option<&str>, seen: Option<&Witness>) -> Vec<RoleId> {
    let of = |blames: &dyn Fn(&ludex::logic::prove::RoleWitness) -> bool| {
        let roles = seen.into_iter().flat_map(|seen| seen.roles.iter().enumerate());
        roles.filter(|(_, role)| blames(role)).map(|(at, _)| RoleId(at as u32)).collect()
    };
    match (refutation, part) {
        (Refutation::Unreachable { role, .. }, _) => vec![*role],
        (Refutation::Line(_), Some("playable")) => of(&|role| role.moves == 0),
        (Refutation::Line(_), Some("unique-goals")) => of(&|role| role.goals.len() != 1),
        _ => Vec::new(),
    }
}

/// The property that a refutation is of: the innermost part, or what was asked.
fn part_of<'a>(parts: &[&'a str], asked: &'a str) -> &'a str {
    parts.last().copied().unwrap_or(asked)
}

/// Adds to an answer in JSON what shows that the property fails.
pub fn add(refutation: &Refutation, prover: &Prover<'_>, value: &mut Value) {
    let vocabulary = prover.system().vocabulary();
    let asked = value["property"].as_str().unwrap_or_default().trim().to_owned();
    let (parts, inner) = innermost(refutation);
    if let Some(part) = parts.last() {
        value["part"] = json!(part);
    }
    let Some(line) = inner.line() else { return };
    value["trace"] = json!(moves(vocabulary, &line.joints));
    let seen = witness(prover, line);
    let roles = blamed(inner, Some(part_of(&parts, &asked)), seen.as_ref());
    if let Some(role) = roles.first() {
        value["role"] = json!(vocabulary.show_role(*role));
    }
    let Some(seen) = seen else { return };
    value["at"] = json!(line.at);
    value["state"] = json!(row::show(vocabulary, &seen.state));
    value["terminal"] = json!(seen.terminal);
    let roles = vocabulary.roles().zip(&seen.roles);
    let roles = roles.map(|(role, seen)| {
        json!({ "role": vocabulary.show_role(role), "moves": seen.moves, "goals": seen.goals })
    });
    value["roles"] = Value::Array(roles.collect());
}

/// Writes what shows that the property fails.
pub fn write(asked: &str, refutation: &Refutation, prover: &Prover<'_>, out: &mut dyn Write) -> Result<()> {
    let vocabulary = prover.system().vocabulary();
    let (parts, inner) = innermost(refutation);
    for part in &parts {
        writeln!(out, "  not {part}:")?;
    }
    match inner {
        Refutation::Line(line) => writeln!(out, "  in the state after {}:", count(line.at, "move"))?,
        Refutation::Repetition(line) => {
            writeln!(out, "  the state after {} comes back:", count(line.at, "move"))?;
        }
        Refutation::Unreachable { role, goal, most, .. } => {
            let role = vocabulary.show_role(*role);
            match most {
                Some((most, line)) => {
                    let moves = count(line.joints.len(), "move");
                    writeln!(
                        out,
                        "  {role} can never get {goal}; the most that was seen is {most}, after {moves}:"
                    )?;
                }
                None => writeln!(out, "  {role} can never get {goal}")?,
            }
        }
        Refutation::Part(..) => {}
    }
    let Some(line) = inner.line() else { return Ok(()) };
    write_moves(vocabulary, &line.joints, out)?;
    let Some(seen) = witness(prover, line) else { return Ok(()) };
    let budget = prover.options().budget.lasting();
    if let Ok(drawing) = Drawing::find(vocabulary, prover.system().initial(), &budget) {
        for line in drawing.scene(&seen.state).text().lines() {
            writeln!(out, "    {line}")?;
        }
    }
    for role in blamed(inner, Some(part_of(&parts, asked)), Some(&seen)) {
        let RoleId(at) = role;
        let has = match (inner, &seen.roles[at as usize]) {
            (Refutation::Unreachable { .. }, _) => continue,
            (_, role) if !seen.terminal && role.moves == 0 => {
                "has no legal move, though the game is not over".to_owned()
            }
            (_, role) if role.goals.is_empty() => "has no goal value".to_owned(),
            (_, role) => format!("has the goal values {}", role.goals.join(" and ")),
        };
        writeln!(out, "  {} {has}", vocabulary.show_role(role))?;
    }
    if seen.terminal {
        writeln!(out, "  goals: {}", goals(vocabulary, &seen))?;
    }
    Ok(())
}

fn goals(vocabulary: &Vocabulary, seen: &Witness) -> String {
    let shown = vocabulary.roles().zip(&seen.roles).map(|(role, seen)| {
        let values = if seen.goals.is_empty() { "none".to_owned() } else { seen.goals.join(" and ") };
        format!("{} {values}", vocabulary.show_role(role))
    });
    shown.collect::<Vec<_>>().join(", ")
}
