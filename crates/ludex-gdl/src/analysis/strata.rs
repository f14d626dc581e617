//! The order in which rules can be applied so that negation is safe.
//!
//! The specification stratifies by relation. Real games go further: `goal` at 0 where `goal` at 100 does
//! not hold is a relation that negates itself, but never for the same arguments. So where a cycle of
//! relations has a negation in it, its *rules* are ordered: a rule comes after every rule whose head could
//! match one of its conditions. Only a negation inside a cycle of rules is an error.

use super::dependencies::Dependencies;
use super::graph::components;
use crate::rules::{Literal, RelationId, RuleId, Rules};
use crate::unify::overlap;
use hashbrown::HashMap;

/// Rules that are applied together, until nothing new follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    /// The rules, ascending.
    pub rules: Vec<RuleId>,
    /// True if a rule can use what another rule of the stratum, or itself, has derived.
    pub recursive: bool,
}

/// A negation inside a cycle: the rule and the position of the negative literal in its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeCycle {
    /// The rule with the negation.
    pub rule: RuleId,
    /// Which literal of its body.
    pub literal: usize,
}

/// The strata, each after all that it reads, or the negations that forbid any such order.
///
/// Cost: linear in the rules, and quadratic (up to a bound) only within a cycle of relations that has a negation in it.
pub fn stratify(rules: &Rules, dependencies: &Dependencies) -> Result<Vec<Stratum>, Vec<NegativeCycle>> {
    let mut strata = Vec::new();
    let mut cycles = Vec::new();
    for component in components(dependencies.graph()) {
        let inside = |relation: u32| component.binary_search(&relation).is_ok();
        let mut members: Vec<RuleId> =
            component.iter().flat_map(|&r| rules.rules_for(RelationId(r)).iter().copied()).collect();
        members.sort_unstable();
        if members.is_empty() {
            continue;
        }
        let reads_itself = |rule: &RuleId| {
            rules.rule(*rule).body.iter().any(|literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => inside(atom.relation.0),
                Literal::Distinct(..) => false,
            })
        };
        let negates_itself = |rule: &RuleId| {
            rules.rule(*rule).body.iter().any(|l| l.negative().is_some_and(|a| inside(a.relation.0)))
        };
        if members.iter().any(negates_itself) {
            by_rules(rules, &members, &mut strata, &mut cycles);
        } else {
            let recursive = members.iter().any(reads_itself);
            strata.push(Stratum { rules: members, recursive });
        }
    }
    if cycles.is_empty() { Ok(strata) } else { Err(cycles) }
}

/// So many pairs of a condition and a rule are compared within one cycle. Beyond that its negations count as what they
/// look like. (The goals of a thousand rules that each negate another make a million pairs.)
const MOST_PAIRS: usize = 10_000_000;

/// Orders the rules of one cycle of relations by what their conditions can match.
fn by_rules(rules: &Rules, members: &[RuleId], strata: &mut Vec<Stratum>, cycles: &mut Vec<NegativeCycle>) {
    let (facts, members): (Vec<RuleId>, Vec<RuleId>) =
        members.iter().partition(|&&rule| rules.rule(rule).body.is_empty());
    if !facts.is_empty() {
        strata.push(Stratum { rules: facts, recursive: false });
    }
    let mut by_relation: HashMap<RelationId, Vec<usize>> = HashMap::new();
    for (i, &rule) in members.iter().enumerate() {
        by_relation.entry(rules.rule(rule).head.relation).or_default().push(i);
    }
    let conditions = |rule: RuleId| {
        rules.rule(rule).body.iter().enumerate().filter_map(|(position, literal)| match literal {
            Literal::Positive(atom) => Some((position, atom, false)),
            Literal::Negative(atom) => Some((position, atom, true)),
            Literal::Distinct(..) => None,
        })
    };
    let writers = |relation: RelationId| by_relation.get(&relation).map_or(&[][..], Vec::as_slice);
    let pairs: usize = members
        .iter()
        .flat_map(|&rule| conditions(rule))
        .map(|(_, atom, _)| writers(atom.relation).len())
        .sum();
    if pairs > MOST_PAIRS {
        cycles.extend(members.iter().flat_map(|&rule| {
            let inside = conditions(rule)
                .filter(|(_, atom, negative)| *negative && !writers(atom.relation).is_empty());
            inside.map(move |(literal, ..)| NegativeCycle { rule, literal })
        }));
        return;
    }
    // Edges to the rules that each condition can match; the flag says that it is negated.
    let edges: Vec<Vec<(u32, usize, bool)>> = members
        .iter()
        .map(|&reader| {
            let mut list = Vec::new();
            for (position, atom, negative) in conditions(reader) {
                for &i in writers(atom.relation) {
                    if overlap(atom, &rules.rule(members[i]).head) {
                        list.push((i as u32, position, negative));
                    }
                }
            }
            list
        })
        .collect();
    let graph: Vec<Vec<u32>> = edges.iter().map(|list| list.iter().map(|e| e.0).collect()).collect();
    for component in components(&graph) {
        let mut recursive = false;
        for &reader in &component {
            for &(writer, literal, negative) in &edges[reader as usize] {
                if component.binary_search(&writer).is_ok() {
                    recursive = true;
                    if negative {
                        cycles.push(NegativeCycle { rule: members[reader as usize], literal });
                    }
                }
            }
        }
        let rules = component.iter().map(|&i| members[i as usize]).collect();
        strata.push(Stratum { rules, recursive });
    }
}
