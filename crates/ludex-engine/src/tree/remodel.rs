//! A copy of a rule for each condition that calls it.
//!
//! The arguments of the condition are unified with the head, so constants and equal variables reach the
//! body; what thereby becomes ground is decided here and not in play: facts are looked up, functions put
//! together, a condition with one matching fact binds its variables. A rule that contradicts the condition, or
//! itself, has no copy.

use super::rulebook::{Atom, Condition, Place, Rule, Rulebook};
use crate::frontend::{Arg, Table};
use crate::terms::TermId;
use hashbrown::HashSet;
use std::sync::Arc;

/// How a condition asks for one argument of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Slot {
    /// It is this term.
    Constant(TermId),
    /// Each question gives it.
    Input,
    /// The answers give it.
    Output,
    /// It does not matter.
    Any,
    /// It equals the argument at that position.
    Same(usize),
}

/// The rule for that question, or `None` if it can never answer it.
pub(super) fn remodel(rule: &Rule, question: &[Slot], book: &mut Rulebook) -> Option<Rule> {
    let mut bindings = Bindings::new(rule.variables);
    for (position, slot) in question.iter().enumerate() {
        match slot {
            Slot::Constant(term) => bindings.unify(rule.head[position], Arg::Term(*term))?,
            Slot::Same(other) => bindings.unify(rule.head[position], rule.head[*other])?,
            Slot::Input | Slot::Output | Slot::Any => {}
        }
    }
    let mut body = rule.body.clone();
    loop {
        let before = (body.len(), bindings.count());
        let mut kept: Vec<Condition> = Vec::new();
        let mut seen: HashSet<Condition> = HashSet::new();
        for mut condition in body {
            condition.map(&|arg| bindings.resolve(arg));
            if keep(&condition, &mut bindings, book)? && seen.insert(condition.clone()) {
                kept.push(condition);
            }
        }
        body = kept;
        if before == (body.len(), bindings.count()) {
            break;
        }
    }
    let is_denied = {
        let conditions: HashSet<&Condition> = body.iter().collect();
        body.iter().any(|condition| match condition {
            Condition::Atom(atom) if atom.negated => {
                conditions.contains(&Condition::Atom(Atom { negated: false, ..atom.clone() }))
            }
            _ => false,
        })
    };
    if is_denied {
        return None;
    }
    let head = rule.head.iter().map(|&arg| bindings.resolve(arg)).collect();
    Some(Rule { head, body, variables: rule.variables })
}

/// Whether the condition is still needed; `None` if it can never hold.
fn keep(condition: &Condition, bindings: &mut Bindings, book: &mut Rulebook) -> Option<bool> {
    match condition {
        Condition::Distinct(left, right) if left == right => None,
        Condition::Distinct(Arg::Term(_), Arg::Term(_)) => Some(false),
        Condition::Distinct(..) => Some(true),
        Condition::Constant(Arg::Term(term)) => book.terms.is_constant(*term).then_some(false),
        Condition::Constant(_) => Some(true),
        Condition::Function { whole: Arg::Term(term), functor, args } => {
            let inside = book.terms.arguments(*term).to_vec();
            if book.terms.functor(*term) != *functor || inside.len() != args.len() {
                return None;
            }
            for (arg, term) in args.iter().zip(inside) {
                bindings.unify(*arg, Arg::Term(term))?;
            }
            Some(false)
        }
        Condition::Function { whole, functor, args } => {
            let Some(args) = args.iter().map(|arg| term(*arg)).collect::<Option<Vec<_>>>() else {
                return Some(true);
            };
            // What is too large to be put together here is left to play, which has limits.
            let Ok(term) = book.terms.derive(*functor, &args) else { return Some(true) };
            bindings.unify(*whole, Arg::Term(term))?;
            Some(false)
        }
        Condition::Atom(atom) => {
            let Place::Facts(facts) = atom.place else { return Some(true) };
            let matching = first_matches(&mut book.facts[facts.index()], &atom.args);
            match (matching, atom.negated) {
                (Matches::None, false) => None,
                (Matches::None, true) => Some(false),
                (Matches::One(row), false) => {
                    for (&arg, cell) in atom.args.iter().zip(row) {
                        bindings.unify(arg, Arg::Term(cell))?;
                    }
                    Some(false)
                }
                // All arguments of a negated condition are known before it is asked, not here.
                (Matches::One(_), true) if atom.args.iter().all(|arg| term(*arg).is_some()) => None,
                (Matches::One(_) | Matches::Several, _) => Some(true),
            }
        }
    }
}

fn term(arg: Arg) -> Option<TermId> {
    match arg {
        Arg::Term(term) => Some(term),
        Arg::Variable(_) => None,
    }
}

enum Matches {
    None,
    One(Vec<TermId>),
    Several,
}

/// Whether no, one or several rows match the ground arguments.
fn first_matches(table: &mut Arc<Table>, args: &[Arg]) -> Matches {
    let known: Vec<usize> = (0..args.len()).filter(|&column| term(args[column]).is_some()).collect();
    let fits = |row: &[TermId]| known.iter().all(|&column| Some(row[column]) == term(args[column]));
    if known.is_empty() {
        return match table.len() {
            0 => Matches::None,
            1 => Matches::One(table.row(0).to_vec()),
            _ => Matches::Several,
        };
    }
    // Nothing is decided where the table has too many indexes.
    let Some(index) = Arc::make_mut(table).index_on(&known) else { return Matches::Several };
    let mut at = table.newest(index, known.iter().filter_map(|&column| term(args[column])));
    let mut found: Option<usize> = None;
    while let Some(row) = at {
        if fits(table.row(row)) {
            if found.is_some() {
                return Matches::Several;
            }
            found = Some(row);
        }
        at = table.older(index, row);
    }
    found.map_or(Matches::None, |row| Matches::One(table.row(row).to_vec()))
}

/// What variables are known to be.
pub(super) struct Bindings {
    of: Vec<Option<Arg>>,
}

impl Bindings {
    pub(super) fn new(variables: usize) -> Bindings {
        Bindings { of: vec![None; variables] }
    }

    fn count(&self) -> usize {
        self.of.iter().flatten().count()
    }

    pub(super) fn resolve(&self, mut arg: Arg) -> Arg {
        while let Arg::Variable(v) = arg
            && let Some(next) = self.of[v as usize]
        {
            arg = next;
        }
        arg
    }

    /// Makes the two equal, or says that they cannot be.
    pub(super) fn unify(&mut self, left: Arg, right: Arg) -> Option<()> {
        match (self.resolve(left), self.resolve(right)) {
            (left, right) if left == right => Some(()),
            (Arg::Variable(v), other) | (other, Arg::Variable(v)) => {
                self.of[v as usize] = Some(other);
                Some(())
            }
            (Arg::Term(_), Arg::Term(_)) => None,
        }
    }
}
