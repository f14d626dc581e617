//! `--state` and `--moves`: a game begun elsewhere.
//!
//! The position becomes the initial state of the rules, so that engines, players, solver and prover, also those at the
//! other end of a wire, begin there without knowing of it.

use crate::args::Position;
use crate::status::Misuse;
use anyhow::{Context, Result, anyhow};
use ludex::engine::budget::Budget;
use ludex::{Error, Game, Match};
use serde_json::Value;
use std::io::Read;

/// The longest state that is read, in bytes.
const LONGEST_TEXT: u64 = 1 << 24;

/// The most joint moves that lead to a position.
const MOST_MOVES: usize = 100_000;

/// The match at the position, played by an engine that is ready soon. Engines are made within the budget.
pub fn reach(name: &str, rules: &str, position: &Position, budget: &Budget) -> Result<Match> {
    let game = Game::read(name, rules)?.with_budget(budget).with_engine("tree")?;
    let mut play = match position.state.as_deref() {
        None => game.start().with_context(|| format!("no engine for {name}"))?,
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().lock().take(LONGEST_TEXT).read_to_string(&mut text).context("standard input")?;
            begin(&game, &text)?
        }
        Some(text) => begin(&game, text)?,
    };
    let moves = position.moves.as_deref().map(steps).transpose()?.unwrap_or_default();
    for (number, step) in moves.iter().enumerate() {
        budget
            .check()
            .map_err(|limit| anyhow!("{name}, move {} of --moves: it takes {limit}", number + 1))?;
        make(&mut play, step).map_err(|error| refused(&format!("--moves, move {}", number + 1), error))?;
    }
    Ok(play)
}

fn begin(game: &Game, state: &str) -> Result<Match> {
    let play = game.start_at(state).map_err(|error| refused("--state", error))?;
    // Nothing can be played where nothing holds; a text without a fluent is one that got lost on its way here.
    if play.fluents().is_empty() {
        return Err(Misuse("--state: no fluent is given".to_owned()).into());
    }
    Ok(play)
}

/// What was typed wrong is the caller's mistake; a limit that was met is not.
fn refused(place: &str, error: Error) -> anyhow::Error {
    match error {
        Error::Play(error) => Misuse(format!("{place}: {error}")).into(),
        error => anyhow!("{place}: {error}"),
    }
}

/// One step as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A move, or a move for every role.
    Text(String),
    /// A move for every role.
    Joint(Vec<String>),
}

/// The steps of a text.
fn steps(text: &str) -> Result<Vec<Step>, Misuse> {
    let text = text.trim();
    let wrong = || {
        Misuse("--moves: in JSON it is a list whose parts are moves or lists of moves, all texts".to_owned())
    };
    let steps: Vec<Step> = if text.starts_with('[') {
        let step = |value: Value| match value {
            Value::String(text) => Some(Step::Text(text)),
            Value::Array(list) => {
                let texts = list.into_iter().map(|text| text.as_str().map(str::to_owned));
                texts.collect::<Option<Vec<_>>>().map(Step::Joint)
            }
            _ => None,
        };
        let list: Vec<Value> = serde_json::from_str(text).map_err(|_| wrong())?;
        list.into_iter().map(step).collect::<Option<_>>().ok_or_else(wrong)?
    } else {
        let parts = text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| Step::Text(part.to_owned())).collect()
    };
    if steps.len() > MOST_MOVES {
        return Err(Misuse(format!("--moves: {} moves; at most {MOST_MOVES} are made", steps.len())));
    }
    Ok(steps)
}

/// Makes a step. What reads both as one move and as a move for every role is one move.
fn make(play: &mut Match, step: &Step) -> Result<(), Error> {
    let text = match step {
        Step::Joint(moves) => return play.play(moves),
        Step::Text(text) => text,
    };
    let one = play.play(text);
    let joint = terms(text);
    match one {
        Err(Error::Play(_)) if play.roles().len() > 1 && joint.len() == play.roles().len() => {
            // Of the two complaints the first is about fewer guesses.
            play.play(joint.as_slice()).or(one)
        }
        one => one,
    }
}

/// The terms of a text in either notation, one after the other.
fn terms(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0usize, None);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth > 0 => {}
            _ if (letter.is_whitespace() || letter == ',') && depth == 0 => {
                parts.extend(start.take().map(|from| &text[from..at]));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    parts.extend(start.map(|from| &text[from..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::{Step, steps, terms};

    #[test]
    fn steps_are_read_as_text_and_as_json() {
        let text = |text: &str| Step::Text(text.to_owned());
        assert_eq!(steps("drop 1; (drop 2) noop;\n").unwrap(), [text("drop 1"), text("(drop 2) noop")]);
        let joint = Step::Joint(vec!["(mark 1 1)".to_owned(), "noop".to_owned()]);
        assert_eq!(steps(r#"[["(mark 1 1)","noop"],"mark(2,2)"]"#).unwrap(), [joint, text("mark(2,2)")]);
        assert_eq!(steps("").unwrap(), []);
        for wrong in ["[", "[1]", "[[1]]", "[{}]", r#"["a""#] {
            assert!(steps(wrong).unwrap_err().0.contains("in JSON"), "{wrong}");
        }
    }

    #[test]
    fn terms_are_told_apart_in_either_notation() {
        assert_eq!(terms("(mark 1 1) noop"), ["(mark 1 1)", "noop"]);
        assert_eq!(terms("mark(1,1), noop"), ["mark(1,1)", "noop"]);
        assert_eq!(terms(" noop\tpass "), ["noop", "pass"]);
    }
}
