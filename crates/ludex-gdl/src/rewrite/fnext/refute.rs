//! When a frame rule does *not* let its fluent stay: its negation, as a disjunction of simple conditions.
//!
//! For a fluent and a general joint move, a frame rule with a unifier says: the fluent stays if some
//! instance of the equalities and conditions holds. Its negation is a disjunction with one part for each
//! condition, and for each group of conditions that share variables of the rule, for which an auxiliary
//! relation is made. Static relations are negated by what defines them where that leaves equalities only:
//! `not differs(X, Y, A, B)` becomes `X = A and Y = B`, which can be substituted.

use super::covering::Scope;
use super::helpers::Helpers;
use crate::analysis::frames::FrameRule;
use crate::rewrite::simplify::{Condition, Conjunction, Disjunction, Knowledge, Verdict};
use crate::rules::{Atom, Literal, Term, Variable};
use crate::symbols::Keyword;
use crate::unify::Substitution;

/// How deep the definitions of static relations are followed.
const MOST_DEPTH: usize = 3;

/// Alternatives that the negation of a static relation may have.
const MOST_ALTERNATIVES: usize = 8;

/// Unifiers of one rule with one general joint move.
const MOST_UNIFIERS: usize = 64;

/// What negations are made with.
pub(super) struct Refuter<'a, 'g> {
    pub(super) known: &'a Knowledge<'g>,
    pub(super) helpers: &'a mut Helpers,
}

/// Where the conditions of a negated rule come from.
#[derive(Clone, Copy)]
enum Origin {
    /// A frame rule: groups of conditions get auxiliary relations.
    Frame,
    /// The definition of a static relation, so deep: a group of conditions makes it useless.
    Definition(usize),
}

impl Refuter<'_, '_> {
    /// The negation of a frame rule, one disjunction for each most general unifier with the scope.
    pub(super) fn refutations(&mut self, frame: &FrameRule, scope: &Scope) -> Vec<Disjunction> {
        let shift = scope.domains.len() as u32;
        let mut first = Substitution::default();
        let fits = first.unify(&frame.fluent.shifted(shift), &scope.fluent);
        if first.is_exhausted() {
            self.known.spend(usize::MAX);
        }
        if !fits {
            return Vec::new();
        }
        let mut unifiers = vec![first];
        for (player, move_term) in &frame.moves {
            let mut longer = Vec::new();
            for unifier in &unifiers {
                for (role, term) in &scope.moves {
                    let mut trial = unifier.clone();
                    let fits = trial.unify(&player.shifted(shift), &Term::Constant(*role))
                        && trial.unify(&move_term.shifted(shift), term);
                    if trial.is_exhausted() {
                        self.known.spend(usize::MAX);
                    }
                    if fits {
                        longer.push(trial);
                    }
                }
            }
            unifiers = longer;
            if unifiers.len() > MOST_UNIFIERS {
                self.known.spend(usize::MAX);
                return Vec::new();
            }
        }
        let conditions: Vec<Literal> =
            frame.conditions.iter().map(|literal| shifted(literal, shift)).collect();
        let total = scope.domains.len() + frame.variables;
        let mut result = Vec::new();
        for unifier in unifiers {
            // Frames never make it fail.
            if let Some(clause) = self.refute(unifier, &conditions, total, scope, Origin::Frame)
                && !clause.is_always()
                && !result.contains(&clause)
            {
                result.push(clause);
            }
        }
        result
    }

    /// The negation of `conditions` under a unifier. Variables from the scope's on are the rule's own.
    /// `None` if it would need an auxiliary relation where none is wanted.
    fn refute(
        &mut self,
        mut unifier: Substitution,
        conditions: &[Literal],
        total: usize,
        scope: &Scope,
        origin: Origin,
    ) -> Option<Disjunction> {
        let outer = scope.domains.len();
        let terms = unifier.resolve(total);
        if unifier.is_exhausted() || !self.known.spend(total) {
            self.known.spend(usize::MAX);
            return None;
        }
        let by = |v: Variable| terms[v.index()].clone();
        let mut open: Vec<Condition> = Vec::new();
        for (at, term) in terms[..outer].iter().enumerate() {
            let variable = Term::Variable(Variable(at as u32));
            if *term != variable {
                open.push(Condition::Equal(variable, term.clone()));
            }
        }
        for literal in conditions {
            let literal = self.about_moves(literal.map(&by), scope);
            match self.known.decide(literal, &|v| scope.domains.get(v.index())) {
                Verdict::True => {}
                // The rule never fires.
                Verdict::False => return Some(Disjunction::always()),
                Verdict::Open(literal) => open.push(Condition::Literal(literal)),
            }
        }
        let mut result = Disjunction::default();
        for group in groups(open, outer) {
            let alternatives = match (group.as_slice(), origin) {
                ([only], _) if own_variables(only, outer).is_empty() => self.negated(only, scope, origin)?,
                (_, Origin::Definition(_)) => return None,
                (group, Origin::Frame) => {
                    let guards = self.guards(scope);
                    let none = self.helpers.none_of(group, &guards, total, &scope.domains, self.known);
                    Disjunction(
                        Conjunction::default().and(&[none], &scope.domains, self.known).into_iter().collect(),
                    )
                }
            };
            alternatives.0.into_iter().for_each(|alternative| result.or(alternative));
            if result.is_always() {
                break;
            }
        }
        Some(result)
    }

    /// A negated move of a role whose move the scope has is a matter of terms.
    fn about_moves(&self, literal: Literal, scope: &Scope) -> Literal {
        let does = self.known.rules.keyword(Keyword::Does);
        if let Literal::Negative(atom) = &literal
            && atom.relation == does
            && let Term::Constant(role) = atom.arguments[0]
            && let Some(move_term) = scope.move_term(role)
        {
            return Literal::Distinct(atom.arguments[1].clone(), move_term.clone());
        }
        literal
    }

    /// What binds the variables of the scope.
    pub(super) fn guards(&self, scope: &Scope) -> Vec<Atom> {
        let [holds, does] = [Keyword::True, Keyword::Does].map(|keyword| self.known.rules.keyword(keyword));
        let moves = scope.moves.iter().map(|(role, move_term)| Atom {
            relation: does,
            arguments: vec![Term::Constant(*role), move_term.clone()],
        });
        moves.chain([Atom { relation: holds, arguments: vec![scope.fluent.clone()] }]).collect()
    }

    /// The negation of a condition without variables of its own.
    fn negated(&mut self, condition: &Condition, scope: &Scope, origin: Origin) -> Option<Disjunction> {
        let opposite = match condition {
            Condition::Equal(left, right) => {
                Condition::Literal(Literal::Distinct(left.clone(), right.clone()))
            }
            Condition::Literal(Literal::Distinct(left, right)) => {
                Condition::Equal(left.clone(), right.clone())
            }
            Condition::Literal(Literal::Negative(atom)) => {
                Condition::Literal(Literal::Positive(atom.clone()))
            }
            Condition::Literal(Literal::Positive(atom)) => {
                if let Some(disjunction) = self.unfolded(atom, scope, origin) {
                    return Some(disjunction);
                }
                match origin {
                    Origin::Definition(_) => return None,
                    Origin::Frame => self.without(atom, scope),
                }
            }
        };
        let conjunction = Conjunction::default().and(&[opposite], &scope.domains, self.known);
        Some(Disjunction(conjunction.into_iter().collect()))
    }

    /// `not atom`, as a positive condition where that helps.
    fn without(&mut self, atom: &Atom, scope: &Scope) -> Condition {
        let complement = if self.known.is_static(atom.relation) {
            let rows = self.known.facts(atom.relation).map(|facts| facts.len());
            self.helpers.complement(atom, rows, &scope.domains, self.known)
        } else {
            None
        };
        complement.unwrap_or_else(|| Condition::Literal(Literal::Negative(atom.clone())))
    }

    /// The negation of a static atom by its definition, if only equalities and positive conditions remain.
    fn unfolded(&mut self, atom: &Atom, scope: &Scope, origin: Origin) -> Option<Disjunction> {
        let depth = match origin {
            Origin::Frame => 0,
            Origin::Definition(depth) => depth,
        };
        let rules = self.known.rules;
        let definitions = rules.rules_for(atom.relation);
        let is_plain = self.known.is_static(atom.relation)
            && self.known.facts(atom.relation).is_none()
            && definitions.len() <= MOST_ALTERNATIVES
            && !self.known.is_recursive(atom.relation);
        if !is_plain || depth >= MOST_DEPTH {
            return None;
        }
        let shift = scope.domains.len() as u32;
        let mut result = Disjunction::always();
        for &definition in definitions {
            let definition = rules.rule(definition);
            let mut unifier = Substitution::default();
            let mut pairs = definition.head.arguments.iter().zip(&atom.arguments);
            let fits = pairs.all(|(head, argument)| unifier.unify(&head.shifted(shift), argument));
            if unifier.is_exhausted() {
                return None;
            }
            if !fits {
                continue;
            }
            let conditions: Vec<Literal> =
                definition.body.iter().map(|literal| shifted(literal, shift)).collect();
            let total = scope.domains.len() + definition.variables.len();
            let deeper = Origin::Definition(depth + 1);
            let clause = self.refute(unifier, &conditions, total, scope, deeper)?;
            result = result.and(&clause, MOST_ALTERNATIVES, &scope.domains, self.known)?;
        }
        let is_good = |conjunction: &Conjunction| {
            !conjunction.literals.iter().any(|literal| matches!(literal, Literal::Negative(_)))
        };
        result.0.iter().all(is_good).then_some(result)
    }
}

fn shifted(literal: &Literal, by: u32) -> Literal {
    literal.map(&|v| Term::Variable(Variable(v.0 + by)))
}

/// The variables from `outer` on.
fn own_variables(condition: &Condition, outer: usize) -> Vec<Variable> {
    let mut own = Vec::new();
    let mut add = |v: Variable| {
        if v.index() >= outer {
            own.push(v);
        }
    };
    match condition {
        Condition::Equal(left, right) => {
            left.variables(&mut add);
            right.variables(&mut add);
        }
        Condition::Literal(literal) => literal.variables(&mut add),
    }
    own
}

/// Puts conditions together that share variables from `outer` on.
fn groups(conditions: Vec<Condition>, outer: usize) -> Vec<Vec<Condition>> {
    let mut groups: Vec<(Vec<Variable>, Vec<Condition>)> = Vec::new();
    for condition in conditions {
        let mut variables = own_variables(&condition, outer);
        let mut members = vec![condition];
        let mut rest = Vec::new();
        for (other, list) in groups {
            if other.iter().any(|v| variables.contains(v)) {
                variables.extend(other);
                members.splice(0..0, list);
            } else {
                rest.push((other, list));
            }
        }
        rest.push((variables, members));
        groups = rest;
    }
    groups.into_iter().map(|(_, list)| list).collect()
}
