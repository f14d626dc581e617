//! Rules with conditions on facts, written out for each fact.
//!
//! `win(N) if take(N, M) and not win(M)` negates itself, but if `take` is a list of facts that only ever
//! leads to smaller numbers, no `win(n)` depends on its own negation. Written out fact by fact, the rules
//! show that, and stratification by rules accepts them.

use crate::analysis::strata::NegativeCycle;
use crate::rules::{Literal, Rule, Rules, Term, Variable};
use crate::unify::Substitution;
use hashbrown::HashSet;

/// More copies than this of all rules together are not made,
const MOST_COPIES: usize = 20_000;

/// and not more than so many facts tried for them.
const MOST_TRIALS: usize = 2_000_000;

/// The rules with those that negate themselves written out for the facts they read; `None` if that gives
/// too many, or nothing can be written out.
pub(crate) fn unfold_facts(rules: &Rules, cycles: &[NegativeCycle]) -> Option<Rules> {
    let negating: HashSet<usize> = cycles.iter().map(|cycle| cycle.rule.index()).collect();
    let mut has_rules = vec![false; rules.relations().count()];
    rules.rules().iter().for_each(|rule| has_rules[rule.head.relation.index()] |= !rule.body.is_empty());
    // A positive condition on a relation that has facts and nothing else.
    let reads_facts = |literal: &Literal| {
        literal.positive().is_some_and(|atom| {
            !has_rules[atom.relation.index()] && !rules.rules_for(atom.relation).is_empty()
        })
    };
    let (mut copies, mut trials) = (0, 0);
    let mut result = Vec::new();
    let mut seen = HashSet::new();
    let mut changed = false;
    for (index, rule) in rules.rules().iter().enumerate() {
        if !negating.contains(&index) {
            result.push(rule.clone());
            continue;
        }
        let mut open = vec![rule.clone()];
        while let Some(rule) = open.pop() {
            let Some(position) = rule.body.iter().position(reads_facts) else {
                let rule = rule.renumbered();
                if seen.insert((rule.head.clone(), rule.body.clone())) {
                    result.push(rule);
                }
                continue;
            };
            changed = true;
            let Literal::Positive(atom) = &rule.body[position] else { continue };
            trials += rules.rules_for(atom.relation).len();
            if trials > MOST_TRIALS {
                return None;
            }
            for &fact in rules.rules_for(atom.relation) {
                let fact = &rules.rule(fact).head;
                let mut substitution = Substitution::default();
                if substitution.unify_atoms(atom, fact) {
                    let terms = substitution.resolve(rule.variables.len());
                    open.push(instance(&rule, position, &terms));
                    copies += 1;
                    if copies > MOST_COPIES || substitution.is_exhausted() {
                        return None;
                    }
                }
            }
        }
    }
    changed.then(|| rules.with_rules(result))
}

fn instance(rule: &Rule, without: usize, terms: &[Term]) -> Rule {
    let by = |v: Variable| terms[v.index()].clone();
    let mut copy = rule.clone();
    copy.body.remove(without);
    if without < copy.places.body.len() {
        copy.places.body.remove(without);
    }
    copy.head = copy.head.map(&by);
    copy.body = copy.body.iter().map(|literal| literal.map(&by)).collect();
    copy
}
