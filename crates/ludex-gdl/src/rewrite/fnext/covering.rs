//! General joint moves, and sets of them that cover every joint move of the game.

use super::helpers::generic;
use crate::analysis::actions::{PartialJointMove, RoleActions};
use crate::analysis::domains::{Domain, Domains, Functor};
use crate::rules::{Term, Variable};
use crate::symbols::Symbol;

/// What one role does in a general joint move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) role: Symbol,
    /// The moves it may be, by name; one that is alone is written with variables for its arguments, several
    /// as one variable for the whole move.
    pub(super) actions: Vec<Functor>,
}

/// Parts for some roles; of the others nothing is said.
pub(super) type General = Vec<Part>;

/// More general joint moves than this are not written out.
const MOST_MOVES: usize = 2048;

/// Choices that are tried to find one that is possible.
const MOST_CHOICES: usize = 2000;

/// The direct covering: every combination of the names of all roles' moves; `None` if there are too many.
pub(super) fn direct(roles: &[RoleActions]) -> Option<Vec<General>> {
    let count: usize = roles.iter().fold(1, |product: usize, r| product.saturating_mul(r.actions.len()));
    if count > MOST_MOVES {
        return None;
    }
    let mut covering = vec![General::new()];
    for entry in roles {
        covering = covering
            .iter()
            .flat_map(|general| {
                entry.actions.iter().map(|&action| {
                    let mut longer = general.clone();
                    longer.push(Part { role: entry.role, actions: vec![action] });
                    longer
                })
            })
            .collect();
    }
    Some(covering)
}

/// False if every choice of moves contains one of the impossible ones.
pub(super) fn is_possible(general: &[Part], impossible: &[PartialJointMove]) -> bool {
    let mut left = MOST_CHOICES;
    choose(general, &mut Vec::new(), impossible, &mut left)
}

fn choose(
    open: &[Part],
    chosen: &mut PartialJointMove,
    impossible: &[PartialJointMove],
    left: &mut usize,
) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    let excluded = |set: &PartialJointMove| set.iter().all(|part| chosen.contains(part));
    if impossible.iter().any(excluded) {
        return false;
    }
    let Some((part, rest)) = open.split_first() else { return true };
    part.actions.iter().any(|&action| {
        chosen.push((part.role, action));
        let possible = choose(rest, chosen, impossible, left);
        chosen.pop();
        possible
    })
}

/// A fluent and a general joint move with variables, and what each variable can be.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) fluent: Term,
    /// Role and move of each part.
    pub(super) moves: Vec<(Symbol, Term)>,
    pub(super) domains: Vec<Domain>,
}

impl Scope {
    pub(super) fn new(fluent: Functor, general: &[Part], known: &Domains) -> Scope {
        let (term, _) = generic(fluent.0, fluent.1, 0);
        let arguments =
            |functor: Functor| (0..functor.1).map(move |at| Domain::clone(known.inside(functor, at)));
        let mut scope = Scope { fluent: term, moves: Vec::new(), domains: arguments(fluent).collect() };
        for part in general {
            let first = scope.domains.len();
            let move_term = match part.actions.as_slice() {
                &[action] => {
                    scope.domains.extend(arguments(action));
                    generic(action.0, action.1, first).0
                }
                several => {
                    let (constants, functors) = several.iter().partition::<Vec<Functor>, _>(|a| a.1 == 0);
                    let mut constants: Vec<Symbol> = constants.into_iter().map(|(name, _)| name).collect();
                    constants.sort_unstable();
                    scope.domains.push(Domain { constants, functors });
                    Term::Variable(Variable(first as u32))
                }
            };
            scope.moves.push((part.role, move_term));
        }
        scope
    }

    /// The move of a role, if something is said of it.
    pub(super) fn move_term(&self, role: Symbol) -> Option<&Term> {
        self.moves.iter().find(|(other, _)| *other == role).map(|(_, move_term)| move_term)
    }
}
