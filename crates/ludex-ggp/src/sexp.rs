//! Parenthesised text as the protocol writes it: tokens split on blanks and parentheses, nothing quoted.
//!
//! Reading goes along the text once, without recursion, so that depth costs nothing.

use std::fmt;

/// Parentheses that do not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unbalanced;

impl fmt::Display for Unbalanced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its parentheses do not match")
    }
}

/// The tokens: parentheses, and whatever stands between them and blanks.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let rest = &text[start..];
        let first = rest.chars().next()?;
        let length = match first {
            '(' | ')' => 1,
            _ => rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len()),
        };
        at = start + length;
        Some((start, &rest[..length]))
    })
}

/// The terms that stand side by side, each as it is written.
pub fn split(text: &str) -> Result<Vec<&str>, Unbalanced> {
    let mut terms = Vec::new();
    let (mut depth, mut begin) = (0usize, 0);
    for (at, token) in tokens(text) {
        if depth == 0 {
            begin = at;
        }
        match token {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1).ok_or(Unbalanced)?,
            _ => {}
        }
        if depth == 0 {
            terms.push(&text[begin..at + token.len()]);
        }
    }
    if depth == 0 { Ok(terms) } else { Err(Unbalanced) }
}

/// What is inside a term's parentheses; `None` for a single token.
pub fn inside(term: &str) -> Option<&str> {
    term.trim().strip_prefix('(')?.strip_suffix(')')
}

/// The terms that stand side by side, in canonical spelling: a single blank between parts, none at
/// parentheses.
pub fn canonical(text: &str) -> Result<Vec<String>, Unbalanced> {
    let terms = split(text)?;
    let canonical = |term: &str| {
        let mut out = String::with_capacity(term.len());
        for (_, token) in tokens(term) {
            if !out.is_empty() && token != ")" && !out.ends_with('(') {
                out.push(' ');
            }
            out.push_str(token);
        }
        out
    };
    Ok(terms.into_iter().map(canonical).collect())
}

/// The text with every token replaced by what `by` gives for it, a blank around each: the way managers write.
pub fn spaced(text: &str, by: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for (_, token) in tokens(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        match by(token) {
            Some(other) => out.push_str(&other),
            None => out.push_str(token),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Unbalanced, canonical, inside, spaced, split};

    #[test]
    fn terms_are_told_apart() {
        assert_eq!(split(" a ( b(c) ) d").expect("balanced"), ["a", "( b(c) )", "d"]);
        assert_eq!(split("").expect("balanced"), Vec::<&str>::new());
        for text in ["(", ")", "( ) )", ")(", "(()"] {
            assert_eq!(split(text), Err(Unbalanced), "{text}");
        }
        assert_eq!(inside(" ( a ) "), Some(" a "));
        assert_eq!(inside("nil"), None);
    }

    #[test]
    fn spelling_becomes_canonical_or_spaced() {
        let text = "( mark\t1  1 )noop((a)b)";
        assert_eq!(canonical(text).expect("balanced"), ["(mark 1 1)", "noop", "((a) b)"]);
        let upper = spaced("(mark 1 noop)", |token| (token == "noop").then(|| "NOOP".to_owned()));
        assert_eq!(upper, "( mark 1 NOOP )");
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(split(&deep).expect("balanced").len(), 1);
    }
}
