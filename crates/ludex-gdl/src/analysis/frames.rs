//! Frame rules: the `next` rules that say what stays.
//!
//! A `next` rule is a frame rule if its own head is among its conditions: `next(f) if true(f) and ...`.
//! A rule with a variable for the whole fluent is first written out for each fluent it can be; and a
//! condition on a helper relation that reads the moves is replaced by the helper's own conditions, so that
//! the moves that let the fluent stay can be seen.

use super::actions::{functor, functors};
use super::dependencies::{Dependencies, Phase, phases};
use super::domains::{Domains, Functor};
use crate::rules::{Literal, Rule, RuleId, Rules, Term, Variable};
use crate::symbols::Keyword;
use crate::unify::Substitution;

/// A `next` rule for one fluent name.
#[derive(Clone, Debug)]
pub struct NextRule {
    /// The rule of the game that it is, or is an instance of.
    pub source: RuleId,
    /// The fluent's name and number of arguments.
    pub fluent: Functor,
    /// The rule; the head is no variable.
    pub rule: Rule,
    /// If it is a frame rule, its cases: one, or more where a helper had several rules. Empty otherwise.
    pub frames: Vec<FrameRule>,
}

/// `next(fluent) if true(fluent) and moves and conditions`.
#[derive(Clone, Debug)]
pub struct FrameRule {
    /// The fluent that stays.
    pub fluent: Term,
    /// The positive conditions on moves: the terms of role and move.
    pub moves: Vec<(Term, Term)>,
    /// All other conditions.
    pub conditions: Vec<Literal>,
    /// How many variables there are.
    pub variables: usize,
}

/// A rule whose helpers have more cases than this is taken as it stands.
const MOST_CASES: usize = 16;

/// How often a helper's helper is looked into.
const MOST_DEPTH: usize = 4;

/// All `next` rules, in the order of the text.
pub fn next_rules(rules: &Rules, domains: &Domains) -> Vec<NextRule> {
    let dependencies = Dependencies::of(rules);
    let recursive = dependencies.recursive();
    let helpers = Helpers { rules, phases: phases(rules, &dependencies), recursive };
    let mut result = Vec::new();
    for &id in rules.rules_for(rules.keyword(Keyword::Next)) {
        for rule in instances(rules.rule(id), domains) {
            let Some(fluent) = functor(&rule.head.arguments[0]) else { continue };
            let frames = if is_frame(rules, &rule) { helpers.cases(&rule) } else { Vec::new() };
            result.push(NextRule { source: id, fluent, rule, frames });
        }
    }
    result
}

/// True if there is a frame rule at all; cheap.
pub fn has_frames(rules: &Rules) -> bool {
    rules.rules_for(rules.keyword(Keyword::Next)).iter().any(|&id| is_frame(rules, rules.rule(id)))
}

/// The rule for each fluent that a variable head can be; rules that can never fire have none.
fn instances(rule: &Rule, domains: &Domains) -> Vec<Rule> {
    let Term::Variable(whole) = rule.head.arguments[0] else { return vec![rule.clone()] };
    let Some(variables) = domains.variables(rule) else { return Vec::new() };
    functors(&variables[whole.index()])
        .into_iter()
        .map(|(name, count)| {
            let first = rule.variables.len() as u32;
            let term = match count {
                0 => Term::Constant(name),
                _ => Term::Compound(
                    name,
                    (first..first + count as u32).map(|v| Term::Variable(Variable(v))).collect(),
                ),
            };
            let mut copy = rule.clone();
            // One name for all of them: whoever prints the rule names its variables anew.
            copy.variables.extend(std::iter::repeat_n(rule.variables[whole.index()], count));
            let by = |v: Variable| if v == whole { term.clone() } else { Term::Variable(v) };
            copy.head = copy.head.map(&by);
            copy.body = copy.body.iter().map(|literal| literal.map(&by)).collect();
            copy
        })
        .collect()
}

fn is_frame(rules: &Rules, rule: &Rule) -> bool {
    let holds = rules.keyword(Keyword::True);
    let is_own = |literal: &Literal| {
        literal.positive().is_some_and(|a| a.relation == holds && a.arguments == rule.head.arguments)
    };
    rule.body.iter().any(is_own)
}

struct Helpers<'r> {
    rules: &'r Rules,
    phases: Vec<Phase>,
    recursive: Vec<bool>,
}

impl Helpers<'_> {
    /// The cases of a frame rule.
    fn cases(&self, rule: &Rule) -> Vec<FrameRule> {
        let unfolded = self.unfolded(rule).unwrap_or_else(|| vec![rule.clone()]);
        let mut frames: Vec<FrameRule> = unfolded.iter().map(|case| self.frame(rule, case)).collect();
        if frames.is_empty() {
            // A helper that never holds: the rule never fires, but it is a frame rule all the same.
            frames.push(self.frame(rule, rule));
        }
        frames
    }

    /// The rule with helpers that read the moves replaced by their conditions; `None` if that gives too many.
    fn unfolded(&self, rule: &Rule) -> Option<Vec<Rule>> {
        let mut done = Vec::new();
        let mut open = vec![(rule.clone(), 0)];
        while let Some((rule, depth)) = open.pop() {
            let Some(position) = rule.body.iter().position(|literal| self.is_helper(literal)) else {
                done.push(rule);
                continue;
            };
            let Literal::Positive(atom) = &rule.body[position] else { continue };
            for &definition in self.rules.rules_for(atom.relation) {
                let definition = self.rules.rule(definition);
                let shift = rule.variables.len() as u32;
                let shifted = |v: Variable| Term::Variable(Variable(v.0 + shift));
                let mut substitution = Substitution::default();
                let fits = substitution.unify_atoms(&definition.head.map(&shifted), atom);
                if substitution.is_exhausted() {
                    return None;
                }
                if !fits {
                    continue;
                }
                let terms = substitution.resolve(rule.variables.len() + definition.variables.len());
                let by = |v: Variable| terms[v.index()].clone();
                let mut case = rule.clone();
                case.variables.extend(&definition.variables);
                let conditions = definition.body.iter().map(|literal| literal.map(&shifted));
                case.body.splice(position..=position, conditions);
                case.head = case.head.map(&by);
                case.body = case.body.iter().map(|literal| literal.map(&by)).collect();
                open.push((case, depth + 1));
            }
            if depth >= MOST_DEPTH || open.len() + done.len() > MOST_CASES {
                return None;
            }
        }
        done.reverse();
        Some(done)
    }

    /// True for a positive condition on a relation of the rules that reads the moves and not itself.
    fn is_helper(&self, literal: &Literal) -> bool {
        literal.positive().is_some_and(|atom| {
            self.rules.relation(atom.relation).keyword.is_none()
                && self.phases[atom.relation.index()] == Phase::Move
                && !self.recursive[atom.relation.index()]
        })
    }

    /// Sorts the conditions of a case; `rule` is the rule it comes from.
    fn frame(&self, rule: &Rule, case: &Rule) -> FrameRule {
        let [holds, does] = [Keyword::True, Keyword::Does].map(|keyword| self.rules.keyword(keyword));
        let mut frame = FrameRule {
            fluent: case.head.arguments[0].clone(),
            moves: Vec::new(),
            conditions: Vec::new(),
            variables: case.variables.len().max(rule.variables.len()),
        };
        for literal in &case.body {
            match literal {
                Literal::Positive(atom)
                    if atom.relation == holds && atom.arguments == case.head.arguments => {}
                Literal::Positive(atom) if atom.relation == does => {
                    let [player, move_term] = [0, 1].map(|at| atom.arguments[at].clone());
                    if !frame.moves.iter().any(|(p, m)| *p == player && *m == move_term) {
                        frame.moves.push((player, move_term));
                    }
                }
                _ => frame.conditions.push(literal.clone()),
            }
        }
        frame
    }
}
