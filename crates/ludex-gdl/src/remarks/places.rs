//! Where the parts of a rule stand: rules know their literals' places, the tree those of every term.

use crate::rules::Rule;
use crate::syntax::Span;
use crate::syntax::tree::{self, Clause, Formula, FormulaKind, Tree};

/// The clauses of a sheet by their place.
pub(super) struct Places<'s> {
    clauses: &'s [Clause],
}

impl<'s> Places<'s> {
    pub(super) fn of(tree: &'s Tree) -> Places<'s> {
        Places { clauses: &tree.clauses }
    }

    /// The clause that a rule comes from. Clauses stand in the order of the text.
    pub(super) fn clause(&self, rule: &Rule) -> Option<&'s Clause> {
        let start = rule.places.clause.start;
        let at = self.clauses.partition_point(|clause| clause.span.start < start);
        self.clauses.get(at).filter(|clause| clause.span == rule.places.clause)
    }

    /// The place of a part of a literal: `path` are the positions of arguments, from the atom inwards. As much of it as
    /// the text shows; equalities may have put a term where the text has a variable.
    pub(super) fn part(&self, rule: &Rule, literal: usize, path: &[usize]) -> Span {
        let whole = rule.places.body.get(literal).copied().unwrap_or(rule.places.clause);
        let conditions = self.clause(rule).and_then(|clause| clause.body.as_deref()).unwrap_or_default();
        match conditions.iter().find_map(|condition| find(condition, whole)) {
            Some(atom) => descend(atom, path),
            None => whole,
        }
    }

    /// The place of a part of the head.
    pub(super) fn head(&self, rule: &Rule, path: &[usize]) -> Span {
        self.clause(rule).map_or(rule.places.head, |clause| descend(&clause.head, path))
    }
}

/// The atom of the condition at `place`.
fn find(formula: &Formula, place: Span) -> Option<&tree::Term> {
    if place.start < formula.span.start || formula.span.end < place.end {
        return None;
    }
    match &formula.kind {
        FormulaKind::Atom(atom) => Some(atom),
        FormulaKind::Distinct(..) => None,
        FormulaKind::Not(inner) if formula.span == place => match &inner.kind {
            FormulaKind::Atom(atom) => Some(atom),
            _ => None,
        },
        FormulaKind::Not(inner) => find(inner, place),
        FormulaKind::Or(parts) | FormulaKind::And(parts) => {
            let at = parts.partition_point(|part| part.span.end < place.end);
            find(parts.get(at)?, place)
        }
    }
}

fn descend(atom: &tree::Term, path: &[usize]) -> Span {
    let mut term = atom;
    for &position in path {
        match term.arguments().get(position) {
            Some(argument) => term = argument,
            None => break,
        }
    }
    term.span
}
