//! Conditions replaced by the body of the one rule that they call.
//!
//! A question costs more than a condition: rows become questions, answers are kept and merged back. Where a
//! relation has a single rule and is called from one place, or that rule has a single condition that is
//! looked up, the condition is worth nothing as a node of its own. Negated conditions are unfolded
//! only into one that is looked up: *no such row* then means the same.

use super::remodel::Bindings;
use super::rulebook::{Atom, Condition, Place, Rule, Rulebook};
use crate::frontend::Arg;

/// A body does not grow beyond this.
const MOST_CONDITIONS: usize = 24;

/// Unfolds wherever it pays, callees first.
pub(super) fn unfold(book: &mut Rulebook) {
    let calls = count_calls(book);
    // Chains of relations are unfolded from their ends in as many rounds as they are long; the bound keeps
    // hostile sheets cheap.
    for _ in 0..8 {
        let mut changed = false;
        for relation in 0..book.relations.len() {
            for position in 0..book.relations[relation].rules.len() {
                while let Some(rule) = unfold_one(book, relation, position, &calls) {
                    book.relations[relation].rules[position] = rule;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// How many conditions call each relation.
fn count_calls(book: &Rulebook) -> Vec<usize> {
    let mut calls = vec![0; book.relations.len()];
    for condition in book.relations.iter().flat_map(|r| &r.rules).flat_map(|rule| &rule.body) {
        if let Condition::Atom(Atom { place: Place::Proof(relation), .. }) = condition {
            calls[relation.index()] += 1;
        }
    }
    calls
}

/// The rule with one more condition unfolded.
fn unfold_one(book: &Rulebook, relation: usize, position: usize, calls: &[usize]) -> Option<Rule> {
    let rule = &book.relations[relation].rules[position];
    rule.body.iter().enumerate().find_map(|(at, condition)| {
        let Condition::Atom(atom) = condition else { return None };
        let Place::Proof(called) = atom.place else { return None };
        let [only] = book.relations[called.index()].rules.as_slice() else { return None };
        if rule.body.len() + only.body.len() > MOST_CONDITIONS {
            return None;
        }
        let reads_itself = only.body.iter().any(|c| calls_any(c, &[called.index(), relation]));
        let worth = if atom.negated {
            is_one_lookup(only) && has_open_head(only)
        } else {
            calls[called.index()] == 1 || is_one_lookup(only)
        };
        (worth && !reads_itself && called.index() != relation)
            .then(|| replace(rule, at, atom, only))
            .flatten()
    })
}

fn calls_any(condition: &Condition, relations: &[usize]) -> bool {
    match condition {
        Condition::Atom(Atom { place: Place::Proof(called), .. }) => relations.contains(&called.index()),
        _ => false,
    }
}

/// True for a rule with one condition, that is looked up and not negated, whose variables beside those of the head stand
/// there once.
fn is_one_lookup(rule: &Rule) -> bool {
    let [Condition::Atom(atom)] = rule.body.as_slice() else { return false };
    let once = |arg: &Arg| {
        matches!(arg, Arg::Term(_))
            || rule.head.contains(arg)
            || atom.args.iter().filter(|a| *a == arg).count() == 1
    };
    !atom.negated && !matches!(atom.place, Place::Proof(_)) && atom.args.iter().all(once)
}

/// True if the head takes whatever it is asked with.
fn has_open_head(rule: &Rule) -> bool {
    let open = |(at, arg): (usize, &Arg)| matches!(arg, Arg::Variable(_)) && !rule.head[..at].contains(arg);
    rule.head.iter().enumerate().all(open)
}

/// The rule with the condition at `at` replaced by the body of `called`; `None` if they contradict each other.
fn replace(rule: &Rule, at: usize, atom: &Atom, called: &Rule) -> Option<Rule> {
    let shift = rule.variables as u32;
    let shifted = |arg: Arg| match arg {
        Arg::Variable(v) => Arg::Variable(v + shift),
        Arg::Term(term) => Arg::Term(term),
    };
    let variables = rule.variables + called.variables;
    let mut bindings = Bindings::new(variables);
    for (&arg, &head) in atom.args.iter().zip(&called.head) {
        // The callee's variables give way to the caller's.
        bindings.unify(shifted(head), arg)?;
    }
    let mut body = rule.body.clone();
    let called_body = called.body.iter().map(|condition| {
        let mut condition = condition.clone();
        condition.map(&shifted);
        if let Condition::Atom(inside) = &mut condition {
            inside.negated |= atom.negated;
        }
        condition
    });
    body.splice(at..=at, called_body);
    body.iter_mut().for_each(|condition| condition.map(&|arg| bindings.resolve(arg)));
    let head = rule.head.iter().map(|&arg| bindings.resolve(arg)).collect();
    Some(Rule { head, body, variables })
}
