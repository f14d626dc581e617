//! Playout lines: a header, then one step a line.

use super::error::{Problem, RecordError};
use super::lines::Lines;
use super::{Header, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A line as it stands in the file: a header if it has roles, a step if it has a state.
#[derive(Deserialize)]
struct Line {
    game: Option<String>,
    roles: Option<Vec<String>>,
    playout: Option<usize>,
    tail: Option<bool>,
    seed: Option<u64>,
    engine: Option<String>,

    state: Option<Vec<String>>,
    terminal: Option<bool>,
    legals: Option<BTreeMap<String, Vec<String>>>,
    goals: Option<BTreeMap<String, Option<i32>>>,
    moves: Option<Vec<String>>,
    cut: Option<String>,
}

/// Reads the playouts of one text.
#[derive(Debug)]
pub(super) struct Reader {
    lines: Lines,
    /// A line that was read but belongs to what comes next.
    ahead: Option<Vec<u8>>,
    seen: usize,
}

impl Reader {
    pub(super) fn new(lines: Lines, first: Vec<u8>) -> Reader {
        Reader { lines, ahead: Some(first), seen: 0 }
    }

    pub(super) fn next_playout(&mut self) -> Result<Option<(Header, Vec<Step>)>, RecordError> {
        let Some(text) = self.take_line()? else { return Ok(None) };
        let line = self.parse(&text)?;
        let begun = self.lines.line();
        if line.state.is_some() {
            return Err(self.lines.malformed(Problem::StepWithoutHeader));
        }
        let Some(roles) = line.roles else { return Err(self.lines.malformed(Problem::UnknownObject)) };
        let header = Header {
            game: line.game,
            roles: None,
            playout: line.playout.unwrap_or(self.seen),
            tail: line.tail.unwrap_or(false),
            seed: line.seed,
            engine: line.engine,
        };
        let mut steps = Vec::new();
        let mut size = 0;
        while let Some(text) = self.take_line()? {
            let line = self.parse(&text)?;
            if line.state.is_none() && line.roles.is_some() {
                self.ahead = Some(text);
                break;
            }
            size += text.len();
            let limit = self.lines.limits().playout;
            if size > limit {
                return Err(RecordError::PlayoutTooLarge { line: self.lines.line(), limit });
            }
            steps.push(step(line, &roles).map_err(|problem| self.lines.malformed(problem))?);
        }
        if steps.is_empty() {
            return Err(RecordError::Malformed { line: begun, problem: Problem::NoSteps });
        }
        self.seen += 1;
        Ok(Some((Header { roles: Some(roles), ..header }, steps)))
    }

    fn take_line(&mut self) -> Result<Option<Vec<u8>>, RecordError> {
        match self.ahead.take() {
            Some(line) => Ok(Some(line)),
            None => self.lines.next_line(),
        }
    }

    fn parse(&self, text: &[u8]) -> Result<Line, RecordError> {
        serde_json::from_slice(text).map_err(|error| self.lines.malformed(Problem::Json(error)))
    }
}

fn step(line: Line, roles: &[String]) -> Result<Step, Problem> {
    let state = line.state.ok_or(Problem::UnknownObject)?;
    if let Some(moves) = &line.moves
        && moves.len() != roles.len()
    {
        return Err(Problem::MoveCount { roles: roles.len(), moves: moves.len() });
    }
    Ok(Step {
        state,
        terminal: line.terminal,
        legals: line.legals.map(|map| by_role(map, roles)).transpose()?,
        goals: line.goals.map(|map| by_role(map, roles)).transpose()?,
        moves: line.moves,
        cut: line.cut,
    })
}

/// The values of the map in the order of the roles.
fn by_role<T>(mut map: BTreeMap<String, T>, roles: &[String]) -> Result<Vec<T>, Problem> {
    let list = roles
        .iter()
        .map(|role| map.remove(role).ok_or_else(|| Problem::MissingRole(role.clone())))
        .collect::<Result<Vec<T>, Problem>>()?;
    match map.into_keys().next() {
        Some(stranger) => Err(Problem::UnknownRole(stranger)),
        None => Ok(list),
    }
}

/// The line that opens a playout, without a line end.
pub fn header_line(header: &Header) -> String {
    let mut object = Map::new();
    put(&mut object, "game", header.game.as_ref());
    put(&mut object, "roles", Some(header.roles.as_deref().unwrap_or_default()));
    put(&mut object, "playout", Some(header.playout));
    put(&mut object, "tail", header.tail.then_some(true));
    put(&mut object, "seed", header.seed);
    put(&mut object, "engine", header.engine.as_ref());
    Value::Object(object).to_string()
}

/// The line of one step of a playout between `roles`, without a line end.
pub fn step_line(step: &Step, roles: &[String]) -> String {
    let mut object = Map::new();
    put(&mut object, "state", Some(&step.state));
    put(&mut object, "terminal", step.terminal);
    put(&mut object, "legals", step.legals.as_ref().map(|lists| keyed(roles, lists)));
    put(&mut object, "goals", step.goals.as_ref().map(|values| keyed(roles, values)));
    put(&mut object, "moves", step.moves.as_ref());
    put(&mut object, "cut", step.cut.as_ref());
    Value::Object(object).to_string()
}

/// Keys without a value are left out: absent means that the record is silent.
fn put(object: &mut Map<String, Value>, key: &str, value: Option<impl Serialize>) {
    // Strings, numbers and lists of them always have a JSON form.
    if let Some(Ok(value)) = value.map(serde_json::to_value) {
        object.insert(key.to_owned(), value);
    }
}

fn keyed(roles: &[String], values: &[impl Serialize]) -> Map<String, Value> {
    let mut object = Map::new();
    for (role, value) in roles.iter().zip(values) {
        put(&mut object, role, Some(value));
    }
    object
}
