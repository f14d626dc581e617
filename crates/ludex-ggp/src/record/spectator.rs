//! Match records as GGP.org servers publish them to spectators.
//!
//! Such a record names neither roles nor legal moves, so only states, moves and the final goals can be
//! compared. Its terms are spaced differently by different servers, and nothing else about them differs.

use super::error::{Problem, RecordError};
use super::lines::Lines;
use super::{Header, Step};
use crate::sexp::{canonical, inside};
use serde::Deserialize;

/// A match as it stands in the file. Keys that say nothing about the play are not read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Match {
    #[serde(rename = "gameMetaURL")]
    game_meta_url: Option<String>,
    #[serde(default)]
    is_completed: bool,
    #[serde(default)]
    is_aborted: bool,
    states: Option<Vec<String>>,
    #[serde(default)]
    moves: Vec<Vec<String>>,
    goal_values: Option<Vec<i32>>,
    /// Archives wrap each match together with its address.
    data: Option<Box<Match>>,
}

/// Reads the matches of one text: one a line, or a single one over several lines.
#[derive(Debug)]
pub(super) struct Reader {
    lines: Lines,
    ahead: Option<Vec<u8>>,
    whole: bool,
    seen: usize,
}

impl Reader {
    pub(super) fn by_line(lines: Lines, first: Vec<u8>) -> Reader {
        Reader { lines, ahead: Some(first), whole: false, seen: 0 }
    }

    pub(super) fn whole(lines: Lines, first: Vec<u8>) -> Reader {
        Reader { lines, ahead: Some(first), whole: true, seen: 0 }
    }

    pub(super) fn next_playout(&mut self) -> Result<Option<(Header, Vec<Step>)>, RecordError> {
        let text = match self.ahead.take() {
            Some(mut first) => {
                if self.whole {
                    self.lines.rest(&mut first)?;
                }
                Some(first)
            }
            None if self.whole => None,
            None => self.lines.next_line()?,
        };
        let Some(text) = text else { return Ok(None) };
        let limit = self.lines.limits().playout;
        if text.len() > limit {
            return Err(RecordError::PlayoutTooLarge { line: self.lines.line(), limit });
        }
        let parsed = serde_json::from_slice::<Match>(&text).map_err(|error| {
            // In a text of several lines the parser knows the line better than we do.
            let line = if self.whole { error.line() } else { self.lines.line() };
            RecordError::Malformed { line, problem: Problem::Json(error) }
        })?;
        let inner = match parsed.data {
            Some(data) => *data,
            None => parsed,
        };
        let playout = playout(inner, self.seen).map_err(|problem| self.lines.malformed(problem))?;
        self.seen += 1;
        Ok(Some(playout))
    }
}

fn playout(record: Match, number: usize) -> Result<(Header, Vec<Step>), Problem> {
    let states = record.states.ok_or(Problem::UnknownObject)?;
    let (count, moves) = (states.len(), record.moves.len());
    // The joint move after the last state may be there already when a match was broken off.
    if count == 0 || (moves + 1 != count && moves != count) {
        return Err(Problem::StateCount { states: count, moves });
    }
    let finished = record.is_completed && !record.is_aborted;
    let mut joint_moves = record.moves.into_iter();
    let mut steps = Vec::with_capacity(count);
    for (index, state) in states.into_iter().enumerate() {
        let last = index + 1 == count;
        let moves = match joint_moves.next() {
            Some(joint) => Some(joint.iter().map(|text| term(text)).collect::<Result<_, _>>()?),
            None => None,
        };
        steps.push(Step {
            state: elements(&state)?,
            terminal: if last { finished.then_some(true) } else { Some(false) },
            legals: None,
            goals: match &record.goal_values {
                Some(values) if last && finished => Some(values.iter().copied().map(Some).collect()),
                _ => None,
            },
            moves,
            cut: None,
        });
    }
    let header = Header { game: record.game_meta_url, playout: number, ..Header::default() };
    Ok((header, steps))
}

/// The term in canonical spelling.
fn term(text: &str) -> Result<String, Problem> {
    let mut terms = canonical(text).map_err(|_| broken(text))?;
    match terms.pop() {
        Some(only) if terms.is_empty() => Ok(only),
        _ => Err(broken(text)),
    }
}

/// The elements of a list such as `( ( cell 1 1 b ) ( control x ) )`, each in canonical spelling.
fn elements(text: &str) -> Result<Vec<String>, Problem> {
    inside(text).and_then(|terms| canonical(terms).ok()).ok_or_else(|| broken(text))
}

/// The complaint quotes the beginning only: a whole state would fill the screen.
fn broken(text: &str) -> Problem {
    const QUOTED: usize = 60;
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    Problem::Term(short)
}

#[cfg(test)]
mod tests {
    use super::{elements, term};

    #[test]
    fn spacing_does_not_matter() {
        let state = "(( cell 1  1 b )(control\tx ) step ( at( p 1 2) ) )";
        let expected = ["(cell 1 1 b)", "(control x)", "step", "(at (p 1 2))"];
        assert_eq!(elements(state).expect("a state"), expected);
        assert_eq!(elements(" ( ) ").expect("an empty state"), Vec::<String>::new());
        assert_eq!(term(" ( mark 1 1 ) ").expect("a move"), "(mark 1 1)");
        assert_eq!(term("noop").expect("a move"), "noop");
    }

    #[test]
    fn unbalanced_terms_are_refused() {
        for text in ["", "( mark", "mark )", "( a ) ( b )", "a b", ")("] {
            assert!(term(text).is_err(), "{text:?}");
        }
        for text in ["", "( a", "a", "( a ) )", "( ( a )"] {
            assert!(elements(text).is_err(), "{text:?}");
        }
    }
}
