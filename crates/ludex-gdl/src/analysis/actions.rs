//! Who can do what, by name: the roles, and for each the names of its moves.
//!
//! A superset, read off the heads of the `legal` rules and the domains of their variables.

use super::domains::{Domain, Domains, Functor};
use crate::rules::{Rules, Term};
use crate::symbols::{Keyword, Symbol};

/// A role with the names of its moves; a move that is a bare constant has no arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleActions {
    /// The role.
    pub role: Symbol,
    /// Its moves by name and number of arguments, ascending, without duplicates.
    pub actions: Vec<Functor>,
}

/// Moves of some roles, by name: one or more parts of a joint move.
pub type PartialJointMove = Vec<(Symbol, Functor)>;

/// All roles in the order of the rules. `None` if a role is no plain name.
pub fn actions(rules: &Rules, domains: &Domains) -> Option<Vec<RoleActions>> {
    let mut result: Vec<RoleActions> = Vec::new();
    for &rule in rules.rules_for(rules.keyword(Keyword::Role)) {
        let rule = rules.rule(rule);
        let [Term::Constant(role)] = rule.head.arguments.as_slice() else { return None };
        if !rule.body.is_empty() {
            return None;
        }
        if result.iter().all(|known| known.role != *role) {
            result.push(RoleActions { role: *role, actions: Vec::new() });
        }
    }
    for &rule in rules.rules_for(rules.keyword(Keyword::Legal)) {
        let rule = rules.rule(rule);
        let Some(variables) = domains.variables(rule) else { continue };
        let [player, move_term] = rule.head.arguments.as_slice() else { continue };
        let names = match move_term {
            Term::Variable(v) => functors(&variables[v.index()]),
            Term::Constant(name) => vec![(*name, 0)],
            Term::Compound(name, arguments) => vec![(*name, arguments.len())],
        };
        for entry in &mut result {
            let plays = match player {
                Term::Variable(v) => variables[v.index()].constants.binary_search(&entry.role).is_ok(),
                Term::Constant(name) => *name == entry.role,
                Term::Compound(..) => false,
            };
            if plays {
                entry.actions.extend(&names);
            }
        }
    }
    for entry in &mut result {
        entry.actions.sort_unstable();
        entry.actions.dedup();
    }
    Some(result)
}

/// Everything a place can hold, by name: constants have no arguments.
pub fn functors(domain: &Domain) -> Vec<Functor> {
    let constants = domain.constants.iter().map(|&name| (name, 0));
    constants.chain(domain.functors.iter().copied()).collect()
}

/// The name in front of a term, if it is no variable.
pub fn functor(term: &Term) -> Option<Functor> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Compound(name, arguments) => Some((*name, arguments.len())),
    }
}
