//! States as people type them.

use crate::row;
use crate::vocabulary::Vocabulary;
use ludex_gdl::spelling::nearest;
use std::fmt;

/// What is wrong with a state that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// Parentheses do not match.
    Parentheses,
    /// This is no fluent of the game; those that may have been meant.
    NoFluent(String, Vec<String>),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Parentheses => f.write_str("the parentheses of the state do not match"),
            StateError::NoFluent(text, near) => {
                write!(f, "`{text}` is no fluent of the game")?;
                let near: Vec<String> = near.iter().map(|fluent| format!("`{fluent}`")).collect();
                if near.is_empty() { Ok(()) } else { write!(f, "; did you mean {}?", near.join(" or ")) }
            }
        }
    }
}

impl std::error::Error for StateError {}

/// Reads a state: fluents in either notation one after the other, with blanks or commas between them, each plain or as
/// `(true F)`, all of them in one more pair of parentheses or not; or a list of such texts in JSON.
pub fn read_state(vocabulary: &Vocabulary, text: &str) -> Result<Vec<u64>, StateError> {
    let mut state = vec![0; vocabulary.words()];
    let find = |text: &str| vocabulary.read_term(text).and_then(|term| vocabulary.find_fluent(term));
    let text = text.trim();
    // The texts of a list in JSON have neither quotes nor brackets inside.
    let plain = text.starts_with('[').then(|| text.replace(['[', ']', '"'], " "));
    if plain.is_some() && !text.ends_with(']') {
        return Err(StateError::Parentheses);
    }
    let mut parts = split(plain.as_deref().unwrap_or(text))?;
    if let [one] = parts[..]
        && let Some(inside) = inner(one)
        && find(one).is_none()
    {
        let inside = split(inside)?;
        // A list, unless it is a fluent that the game does not have, or `(true F)`.
        if inside.iter().all(|part| part.starts_with('(') || find(part).is_some()) && !inside.is_empty() {
            parts = inside;
        }
    }
    for part in parts {
        let words = inner(part).map(split).transpose()?;
        let fluent = match words.as_deref() {
            Some([word, fluent]) if word.eq_ignore_ascii_case("true") => fluent,
            _ => part.strip_prefix("true(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(part),
        };
        let missing = || StateError::NoFluent(part.to_owned(), near(vocabulary, fluent));
        row::set(&mut state, find(fluent).ok_or_else(missing)?);
    }
    Ok(state)
}

/// The fluents that may have been meant. Parentheses and commas say nothing about that.
pub fn near(vocabulary: &Vocabulary, text: &str) -> Vec<String> {
    let plain =
        |text: &str| text.replace(['(', ')', ','], " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let all: Vec<String> = vocabulary.fluents().map(|fluent| vocabulary.show_fluent(fluent)).collect();
    let words: Vec<String> = all.iter().map(|fluent| plain(fluent)).collect();
    let near = nearest(&plain(text), words.iter().map(String::as_str));
    let shown = near.iter().filter_map(|name| words.iter().position(|word| word == name));
    shown.map(|at| all[at].clone()).collect()
}

/// What is between the parentheses of `(...)`.
fn inner(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
}

/// The expressions of a text, one after the other.
fn split(text: &str) -> Result<Vec<&str>, StateError> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => {
                start.get_or_insert(at);
                depth += 1;
            }
            ')' => {
                depth = depth.checked_sub(1).ok_or(StateError::Parentheses)?;
                if depth == 0 {
                    parts.extend(start.take().map(|from| &text[from..=at]));
                }
            }
            _ if (letter.is_whitespace() || letter == ',') && depth == 0 => {
                parts.extend(start.take().map(|from| &text[from..at]));
            }
            _ => {
                start.get_or_insert(at);
            }
        }
    }
    if depth > 0 {
        return Err(StateError::Parentheses);
    }
    parts.extend(start.map(|from| &text[from..]));
    Ok(parts)
}
