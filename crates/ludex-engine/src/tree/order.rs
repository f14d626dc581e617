//! The order in which the conditions of a rule are merged.
//!
//! Tests come as soon as their variables are known, cheap ones before those that need a proof; of the
//! others the one that is expected to leave the fewest rows comes next. Once all that the head needs is known,
//! the rest of the body only asks whether there is a way through: what falls apart into
//! conditions without common variables is asked part by part, so that rows do not multiply.

use super::rulebook::{Atom, Condition, Place, RelationId, Rule};
use crate::datalog::{Arg, Estimate};
use hashbrown::HashMap;

/// What is known of the number of rows that conditions have.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) facts: Vec<Estimate>,
    pub(super) fluents: Vec<Estimate>,
    pub(super) roles: f64,
    /// Answers for a row, seen in play, by relation and known arguments.
    pub(super) answers: HashMap<(RelationId, Vec<bool>), f64>,
    /// Which arguments callers pass on, for relations where it is not all that they know.
    pub(super) passes: HashMap<RelationId, Vec<bool>>,
}

/// A condition that needs a proof is worth so many rows of one that is looked up.
const PROOF: f64 = 3.0;

/// One step of an order, by positions in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Merge(usize),
    /// These conditions together, of which only matters whether they can hold.
    Part(Vec<usize>),
}

pub(super) fn variable(arg: &Arg) -> Option<u32> {
    match arg {
        Arg::Variable(v) => Some(*v),
        Arg::Term(_) => None,
    }
}

/// Orders the body; `known` are the variables that the question gives, `guesses` the sizes of relations
/// that were not seen in play.
pub(super) fn order(
    rule: &Rule,
    known: Vec<bool>,
    wanted: &[u32],
    sizes: &Sizes,
    guess: &dyn Fn(RelationId) -> Estimate,
) -> Vec<Step> {
    let open = (0..rule.body.len()).collect();
    let mut planner = Planner { rule, known, open, wanted, sizes, guess, steps: Vec::new() };
    planner.run();
    planner.steps
}

struct Planner<'a> {
    rule: &'a Rule,
    known: Vec<bool>,
    /// The conditions that are not placed yet.
    open: Vec<usize>,
    /// The variables that the head needs.
    wanted: &'a [u32],
    sizes: &'a Sizes,
    guess: &'a dyn Fn(RelationId) -> Estimate,
    steps: Vec<Step>,
}

impl Planner<'_> {
    fn run(&mut self) {
        while !self.open.is_empty() {
            if let Some(at) = self.open.iter().position(|&i| self.is_cheap_test(i)) {
                self.take(at);
                continue;
            }
            if self.wanted.iter().all(|&v| self.known[v as usize]) && self.split() {
                continue;
            }
            // A condition that must wait for others can only be left at the end of rules that are not safe,
            // which the reader refuses.
            let best = (0..self.open.len())
                .filter_map(|at| Some((at, self.cost(self.open[at])?)))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let (at, _) = best.expect("a safe rule can always be ordered");
            self.take(at);
        }
    }

    fn take(&mut self, at: usize) {
        let position = self.open.remove(at);
        self.steps.push(Step::Merge(position));
        if !matches!(&self.rule.body[position], Condition::Atom(Atom { negated: true, .. })) {
            let known = &mut self.known;
            self.rule.body[position].each_arg(&mut |arg| {
                if let Some(v) = variable(&arg) {
                    known[v as usize] = true;
                }
            });
        }
    }

    fn is_known(&self, arg: &Arg) -> bool {
        variable(arg).is_none_or(|v| self.known[v as usize])
    }

    /// True if the variable stands once in what is left of the rule.
    fn is_lonely(&self, arg: &Arg) -> bool {
        let Some(v) = variable(arg) else { return false };
        let mut count = usize::from(self.wanted.contains(&v));
        for &position in &self.open {
            self.rule.body[position].each_arg(&mut |other| count += usize::from(variable(&other) == Some(v)));
        }
        count == 1
    }

    fn is_test(&self, position: usize) -> bool {
        match &self.rule.body[position] {
            Condition::Atom(atom) => atom.args.iter().all(|arg| self.is_known(arg) || self.is_lonely(arg)),
            Condition::Distinct(left, right) => self.is_known(left) && self.is_known(right),
            Condition::Function { whole, args, .. } => {
                self.is_known(whole) || args.iter().all(|arg| self.is_known(arg))
            }
            Condition::Constant(arg) => self.is_known(arg),
        }
    }

    fn is_cheap_test(&self, position: usize) -> bool {
        let proof = matches!(&self.rule.body[position], Condition::Atom(Atom { place: Place::Proof(_), .. }));
        !proof && self.is_test(position)
    }

    /// The rows expected for each row so far, and the work for them; `None` if the condition must wait.
    fn cost(&self, position: usize) -> Option<f64> {
        let Condition::Atom(atom) = &self.rule.body[position] else { return None };
        if self.is_test(position) {
            // After what does not multiply rows, before what does.
            return Some(1.5);
        }
        if atom.negated {
            return None;
        }
        let known: Vec<usize> =
            (0..atom.args.len()).filter(|&column| self.is_known(&atom.args[column])).collect();
        let matching = |estimate: &Estimate| estimate.matching(known.iter().copied());
        Some(match atom.place {
            Place::Fluents(shape) => matching(&self.sizes.fluents[shape]),
            Place::Does(_) if known.contains(&0) => 0.5,
            Place::Does(_) => self.sizes.roles,
            Place::Facts(facts) => matching(&self.sizes.facts[facts.index()]),
            Place::Proof(relation) => {
                let mask = (0..atom.args.len()).map(|column| known.contains(&column)).collect();
                let seen = self.sizes.answers.get(&(relation, mask)).copied();
                PROOF * seen.unwrap_or_else(|| matching(&(self.guess)(relation))).max(0.5)
            }
        })
    }

    /// Makes parts of conditions that have no variable in common with the rest; false if all hang together.
    fn split(&mut self) -> bool {
        let mut parts: Vec<(Vec<usize>, Vec<u32>)> = Vec::new();
        for &position in &self.open {
            let mut variables = Vec::new();
            self.rule.body[position].each_arg(&mut |arg| {
                variables.extend(variable(&arg).filter(|&v| !self.known[v as usize]));
            });
            let mut part = (vec![position], variables);
            parts.retain(|(positions, variables)| {
                let joined = variables.iter().any(|v| part.1.contains(v));
                if joined {
                    part.0.extend(positions);
                    part.1.extend(variables);
                }
                !joined
            });
            parts.push(part);
        }
        if parts.len() < 2 {
            return false;
        }
        // The last one of several conditions needs no relation of its own: nothing comes after it.
        let last = parts.iter().rposition(|(positions, _)| positions.len() > 1);
        for (at, (mut positions, _)) in parts.into_iter().enumerate() {
            positions.sort_unstable();
            match positions.as_slice() {
                [only] => {
                    let at = self.open.iter().position(|i| i == only);
                    self.take(at.expect("the parts are made of open conditions"));
                }
                _ if Some(at) == last => {}
                _ => {
                    self.open.retain(|i| !positions.contains(i));
                    self.steps.push(Step::Part(positions));
                }
            }
        }
        true
    }
}
