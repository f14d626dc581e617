//! For the room where sheets are written: what is wrong with a text, and how it plays. Places are counted as pages count
//! them, in units of UTF-16.

use crate::opened::Opened;
use crate::refusal::Refusal;
use ludex::engine::budget::Budget;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::MoveId;
use ludex::gdl::{Severity, Sheet};
use ludex_lsp::service::Document;
use serde_json::{Value, json};

/// Findings that a page shows.
const MOST_FINDINGS: usize = 200;

/// Names that a page is offered.
const MOST_NAMES: usize = 500;

/// Positions of a random match that a page shows.
const MOST_STEPS: usize = 120;

/// The findings of a text, at the same places as `ludex check` has them.
pub fn check(text: &str) -> Result<Value, Refusal> {
    let sheet = Sheet::read(text);
    let findings = sheet.findings.iter().take(MOST_FINDINGS).map(|finding| {
        json!({
            "from": units(text, finding.span.start as usize), "to": units(text, finding.span.end as usize),
            "bytes": [finding.span.start, finding.span.end],
            "error": finding.code.severity() == Severity::Error, "code": finding.code.name(),
            "message": finding.message, "label": finding.label, "hint": finding.hint,
        })
    });
    Ok(json!({ "findings": findings.collect::<Vec<_>>(), "plays": sheet.game().is_some() }))
}

/// A place in units of UTF-16.
fn units(text: &str, byte: usize) -> usize {
    let byte = (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text[..byte].encode_utf16().count()
}

/// The first position of a sheet.
pub fn draw(game: &Opened, _: &Budget) -> Result<Value, Refusal> {
    Ok(json!({ "scene": crate::scene::json(game.drawing()?, game.initial()?, None), "roles": game.roles()? }))
}

/// The positions along a line of joint moves.
pub fn line(game: &Opened, budget: &Budget, line: &[Vec<String>]) -> Result<Value, Refusal> {
    let mut state = game.initial()?.to_vec();
    let mut steps = vec![step(game, &state, None, None)?];
    for texts in line.iter().take(MOST_STEPS) {
        budget.check().map_err(|limit| Refusal::full(limit.to_string()))?;
        let joint = game.read(&game.now(&state)?, texts)?;
        let next = game.next(&state, &joint)?;
        steps.push(step(game, &next, Some(&state), Some(&joint))?);
        state = next;
    }
    let now = game.now(&state)?;
    let end = json!({ "over": now.over, "goals": now.goals, "cut": line.len().min(MOST_STEPS) });
    Ok(json!({ "steps": steps, "end": end, "roles": game.roles()? }))
}

fn step(
    game: &Opened,
    state: &[u64],
    before: Option<&[u64]>,
    joint: Option<&[MoveId]>,
) -> Result<Value, Refusal> {
    let moves = joint.map(|joint| game.show(joint)).transpose()?;
    Ok(json!({ "scene": crate::scene::json(game.drawing()?, state, before), "moves": moves }))
}

/// The text laid out anew.
pub fn format(text: &str) -> Result<Value, Refusal> {
    let laid_out = Document::new(text).format().map_err(|error| Refusal::bad(error.to_string()))?;
    Ok(json!({ "text": laid_out }))
}

/// A random match: every position, with the joint move that led to it.
pub fn playtest(game: &Opened, budget: &Budget, seed: u64) -> Result<Value, Refusal> {
    let mut random = Random::new(seed);
    let mut state = game.initial()?.to_vec();
    let mut steps = vec![step(game, &state, None, None)?];
    let end = loop {
        let now = game.now(&state)?;
        if now.over {
            break json!({ "over": true, "goals": now.goals });
        }
        if let Some(role) = now.legal.iter().position(Vec::is_empty) {
            break json!({ "over": false, "stuck": game.roles()?[role] });
        }
        if steps.len() > MOST_STEPS || budget.check().is_err() {
            break json!({ "over": false, "cut": steps.len() - 1 });
        }
        let joint: Vec<_> = now.legal.iter().map(|legal| legal[random.below(legal.len())]).collect();
        let next = game.next(&state, &joint)?;
        steps.push(step(game, &next, Some(&state), Some(&joint))?);
        state = next;
    };
    Ok(json!({ "steps": steps, "end": end, "roles": game.roles()? }))
}

/// What the name at a place is, in sentences and by the clauses that define it.
pub fn hover(text: &str, at: usize) -> Result<Value, Refusal> {
    let document = Document::new(text);
    let Some(hover) = document.hover(document.offset_of_utf16(at)) else { return Ok(json!({ "lines": [] })) };
    let lines: Vec<String> = hover.lines.into_iter().chain(hover.comment).chain(hover.code).collect();
    Ok(json!({ "lines": lines }))
}

/// The names that could be written at a place.
pub fn complete(text: &str, at: usize) -> Result<Value, Refusal> {
    let document = Document::new(text);
    let names = document.completions(document.offset_of_utf16(at));
    let mut names: Vec<String> = names.into_iter().take(MOST_NAMES).map(|name| name.label).collect();
    names.dedup();
    Ok(json!({ "names": names }))
}
