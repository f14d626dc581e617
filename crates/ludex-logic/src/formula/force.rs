//! What a role can force: `can-force(ROLE, FORMULA)`, `can-force(ROLE, goal >= VALUE)`, both perhaps `within N`.
//!
//! This is the text alone. No formula of states says the same, so the provers here do not answer it: a search for
//! strategies does, which stands on this crate.

use super::error::FormulaError;
use super::{Formula, property};
use ludex_engine::engine::Goal;
use ludex_gdl::Rules;
use ludex_gdl::rules::RelationId;
use ludex_gdl::syntax::Span;
use std::sync::Arc;

/// That a role can force something, whatever the others do.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// The role as it is written.
    pub role: String,
    /// What it forces.
    pub wish: Wish,
    /// Within how many joint moves; `None` for any number.
    pub within: Option<u32>,
}

/// What a role wants to force.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// An end with a goal of at least this.
    Goal(Goal),
    /// A state in which the formula holds.
    Formula(Formula),
}

impl Force {
    /// Reads what stands behind `can-force`, which begins at `start` in the text.
    pub(super) fn read(text: &Arc<str>, start: usize) -> Result<Force, FormulaError> {
        const FORM: &str =
            "such as `can-force(xplayer, goal >= 50)` or `can-force(xplayer, true(cell(1,1,x))) within 3`";
        let rest = &text[start..];
        let error = |span: (usize, usize), message: &str, label: &str| {
            FormulaError::new(text, Span::new(start + span.0, start + span.1), message, label).hint(FORM)
        };
        let open = rest.len() - rest.trim_start().len();
        if !rest[open..].starts_with('(') {
            return Err(error(
                (0, rest.len()),
                "`can-force` needs a role and what it is to force",
                "not given",
            ));
        }
        let mut depth = 0usize;
        let (mut comma, mut close, mut quoted) = (None, None, false);
        for (at, c) in rest.char_indices().skip_while(|(at, _)| *at < open) {
            match c {
                '\'' => quoted = !quoted,
                _ if quoted => {}
                '(' => depth += 1,
                ')' => {
                    depth -= 1;
                    if depth == 0 {
                        close = Some(at);
                        break;
                    }
                }
                ',' if depth == 1 && comma.is_none() => comma = Some(at),
                _ => {}
            }
        }
        let Some(close) = close else {
            return Err(error((open, open + 1), "a parenthesis is never closed", "opened here"));
        };
        let Some(comma) = comma else {
            return Err(error(
                (open, close + 1),
                "`can-force` needs a role and what it is to force",
                "one of both",
            ));
        };
        let role = rest[open + 1..comma].trim();
        let wish = rest[comma + 1..close].trim();
        if role.is_empty() || wish.is_empty() {
            return Err(error(
                (open, close + 1),
                "`can-force` needs a role and what it is to force",
                "empty",
            ));
        }
        let number = wish.strip_prefix("goal").and_then(|rest| rest.trim_start().strip_prefix(">="));
        let wish = match number.map(|number| number.trim().parse::<Goal>()) {
            Some(Ok(value)) => Wish::Goal(value),
            Some(Err(_)) => {
                return Err(error((comma + 1, close), "no whole number stands behind `goal >=`", "this"));
            }
            None => Wish::Formula(Formula::read(wish)?),
        };
        let behind = rest[close + 1..].trim();
        let within = match behind.strip_prefix("within").map(|number| number.trim().parse::<u32>()) {
            None if behind.is_empty() => None,
            Some(Ok(most)) if most <= MOST_WITHIN => Some(most),
            _ => {
                let label = "`within` and a number of joint moves can stand here";
                return Err(error(
                    (close + 1, rest.len()),
                    "nothing else can follow `can-force(...)`",
                    label,
                ));
            }
        };
        Ok(Force { role: role.to_owned(), wish, within })
    }

    /// The relations of the rules that it speaks of.
    pub(super) fn relations(&self, rules: &Rules) -> Result<Vec<RelationId>, FormulaError> {
        match &self.wish {
            Wish::Goal(_) => Ok(Vec::new()),
            Wish::Formula(formula) => property::relations(formula, rules),
        }
    }
}

/// Joint moves that can be asked for.
const MOST_WITHIN: u32 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::super::{Named, Request};
    use super::Wish;

    #[test]
    fn role_wish_and_bound_are_read() {
        for (text, role, value, within) in [
            ("can-force(x, goal >= 50)", "x", Some(50), None),
            (" can-force ( x , goal>=100 )  within 7 ", "x", Some(100), Some(7)),
            ("can-force(p(1,2), true(f(a,b)) and not terminal)", "p(1,2)", None, None),
            ("can-force(x, true('a)'))", "x", None, None),
        ] {
            let request = Request::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let Some(Named::CanForce(force)) = request.named() else { panic!("{text}") };
            assert_eq!((force.role.as_str(), force.within), (role, within), "{text}");
            match &force.wish {
                Wish::Goal(goal) => assert_eq!(Some(*goal), value, "{text}"),
                Wish::Formula(_) => assert_eq!(value, None, "{text}"),
            }
        }
    }

    #[test]
    fn what_does_not_read_is_refused_at_its_place() {
        for (text, message) in [
            ("can-force", "needs a role"),
            ("can-force(x)", "needs a role"),
            ("can-force(, goal >= 1)", "needs a role"),
            ("can-force(x, goal >= 50", "never closed"),
            ("can-force(x, goal >= many)", "whole number"),
            ("can-force(x, goal >= 5) within", "nothing else"),
            ("can-force(x, goal >= 5) or terminal", "nothing else"),
            ("can-force(x, true(", "never closed"),
            ("can-force(x, =>)", "expected"),
        ] {
            let error = Request::read(text).expect_err(text);
            assert!(error.message.contains(message), "{text}: {}", error.message);
        }
    }
}
