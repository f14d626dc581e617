//! Rules with conditions on facts, written out for each fact.
//!
//! `win(N) if take(N, M) and not win(M)` negates itself, but if `take` is a list of facts that only ever
//! leads to smaller numbers, no `win(n)` depends on its own negation. Written out fact by fact, the rules
//! show that, and stratification by rules accepts them.

use crate::analysis::strata::NegativeCycle;
use crate::rules::{Literal, RelationId, Rule, Rules, Term, Variable};
use crate::unify::Substitution;
use hashbrown::HashSet;

/// More copies than this of all rules together are not made.
const MOST_COPIES: usize = 20_000;

/// The rules with those that negate themselves written out for the facts they read; `None` if that gives
/// too many, or nothing can be written out.
pub(crate) fn unfold_facts(rules: &Rules, cycles: &[NegativeCycle]) -> Option<Rules> {
    let mut copies = 0;
    let mut result = Vec::new();
    let mut seen = HashSet::new();
    let mut changed = false;
    for (index, rule) in rules.rules().iter().enumerate() {
        if !cycles.iter().any(|cycle| cycle.rule.index() == index) {
            result.push(rule.clone());
            continue;
        }
        let mut open = vec![rule.clone()];
        while let Some(rule) = open.pop() {
            let Some(position) = rule.body.iter().position(|l| reads_facts(rules, l)) else {
                let rule = rule.renumbered();
                if seen.insert((rule.head.clone(), rule.body.clone())) {
                    result.push(rule);
                }
                continue;
            };
            changed = true;
            let Literal::Positive(atom) = &rule.body[position] else { continue };
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

/// True for a positive condition on a relation that has facts and nothing else.
fn reads_facts(rules: &Rules, literal: &Literal) -> bool {
    let only_facts = |relation: RelationId| {
        let list = rules.rules_for(relation);
        !list.is_empty() && list.iter().all(|&rule| rules.rule(rule).body.is_empty())
    };
    literal.positive().is_some_and(|atom| only_facts(atom.relation))
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
