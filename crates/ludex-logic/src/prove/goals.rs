//! Properties of the goals, and those that have several parts.

use super::Prover;
use super::answer::{Answer, Proof, Reason, Refutation};
use crate::formula::{Arg, Atom, Expression, FormulaError, Named, Property, Question, Request};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::random::Random;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::RoleId;

/// Combinations of goal values that are excluded one by one.
const MOST_COMBINATIONS: usize = 20_000;

/// Random matches that are played until one ends.
const MATCHES: usize = 20;

/// A part of a property that is decided by itself: its name, and how.
type Part<'a> = (&'static str, &'a dyn Fn(&Budget) -> Answer);

impl Prover<'_> {
    /// Answers whatever a user asked. The system must have been built for the request's relations.
    pub fn answer(&self, request: &Request) -> Result<Answer, FormulaError> {
        let budget = self.budget();
        if let Some(property) = request.property(self.system())? {
            return Ok(self.prove_within(&property, &budget));
        }
        Ok(match request.named() {
            Some(Named::ConstantSum) => self.constant_sum(&budget).1,
            Some(Named::WeaklyWinnable) => self.weakly_winnable(&budget),
            Some(Named::Terminates) => self.terminates(&budget),
            Some(Named::CanForce(_) | Named::Fair) => Answer::Unknown(Reason::NothingFound(
                "strategies are found by search, not by proofs over states",
            )),
            _ => self.well_formed(&budget)?,
        })
    }

    /// Terminates, is playable, is weakly winnable; the first that fails decides.
    fn well_formed(&self, budget: &Budget) -> Result<Answer, FormulaError> {
        let playable = Request::read("playable")?.property(self.system())?;
        let parts: [Part<'_>; 3] = [
            ("playable", &|budget| match &playable {
                Some(property) => self.prove_within(property, budget),
                None => Answer::Unknown(Reason::NothingFound("`playable` is a formula")),
            }),
            ("terminates", &|budget| self.terminates(budget)),
            ("weakly-winnable", &|budget| self.weakly_winnable(budget)),
        ];
        let mut proofs = Vec::new();
        let mut open = None;
        for (left, (name, decide)) in (1..=parts.len() as u32).rev().zip(parts) {
            match decide(&budget.share(left)) {
                Answer::Holds(proof) => proofs.push((name, proof)),
                Answer::Fails(why) => return Ok(Answer::Fails(Refutation::Part(name, Box::new(why)))),
                Answer::Unknown(why) => open = open.or(Some(Reason::Part(name, Box::new(why)))),
            }
        }
        Ok(open.map_or(Answer::Holds(Proof::Parts(proofs)), Answer::Unknown))
    }

    /// Each role gets its best goal value in some match. What cannot be reached is proved to be so.
    pub fn weakly_winnable(&self, budget: &Budget) -> Answer {
        let mut lines = Vec::new();
        let roles = self.system().vocabulary().roles();
        for (left, role) in (1..=roles.len() as u32).rev().zip(roles) {
            let values = self.goal_values(role);
            let Some(&(best, term)) = values.iter().max_by_key(|(value, _)| *value) else {
                return Answer::Unknown(Reason::NothingFound("a role has no goal value that is a number"));
            };
            let won = Expression::And(vec![
                Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() }),
                self.goal_atom(role, term),
            ]);
            let never = Property::made("never won", Expression::Not(Box::new(won)), self.system());
            match self.prove_within(&never, &budget.share(left)) {
                Answer::Fails(Refutation::Line(line)) => lines.push((role, best, line)),
                Answer::Holds(Proof::Induction(certificate)) => {
                    return Answer::Fails(Refutation::Unreachable(role, best, certificate));
                }
                Answer::Unknown(reason) => return Answer::Unknown(reason),
                Answer::Holds(_) | Answer::Fails(_) => {
                    return Answer::Unknown(Reason::NothingFound("a formula is proved by induction"));
                }
            }
        }
        Answer::Holds(Proof::Lines(lines))
    }

    /// The goals add up to the sum of the first match that random play brings to its end, in all others too.
    pub fn constant_sum(&self, budget: &Budget) -> (Option<Goal>, Answer) {
        let unknown = |what| (None, Answer::Unknown(Reason::NothingFound(what)));
        let Some(sum) = self.first_sum(budget) else {
            return unknown("no match of random play ended with a goal value for each role");
        };
        let roles: Vec<RoleId> = self.system().vocabulary().roles().collect();
        let values: Vec<Vec<(Goal, TermId)>> = roles.iter().map(|&role| self.goal_values(role)).collect();
        let combinations = values.iter().map(Vec::len).product::<usize>();
        if combinations > MOST_COMBINATIONS {
            return unknown("too many combinations of goal values");
        }
        let mut parts: Vec<Expression> =
            roles.iter().zip(&values).map(|(&role, values)| self.exactly_one_goal(role, values)).collect();
        for number in 0..combinations {
            let mut rest = number;
            let mut total = 0;
            let mut atoms = Vec::new();
            for (&role, values) in roles.iter().zip(&values) {
                let (value, term) = values[rest % values.len()];
                rest /= values.len();
                total += value;
                atoms.push(self.goal_atom(role, term));
            }
            if total != sum {
                parts.push(Expression::Not(Box::new(Expression::And(atoms))));
            }
        }
        let terminal = Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() });
        let root = Expression::Or(vec![Expression::Not(Box::new(terminal)), Expression::And(parts)]);
        let property = Property::made("constant sum", root, self.system());
        (Some(sum), self.prove_within(&property, budget))
    }

    /// The numbers among the goal values of a role, with their terms.
    pub fn goal_values(&self, role: RoleId) -> Vec<(Goal, TermId)> {
        let system = self.system();
        let name = |term: TermId| system.symbols().name(system.terms().functor(term));
        system
            .instances(system.goal())
            .into_iter()
            .filter(|(arguments, _)| arguments[0] == system.vocabulary().role(role))
            .filter(|(arguments, _)| system.terms().is_constant(arguments[1]))
            .filter_map(|(arguments, _)| Some((name(arguments[1]).parse().ok()?, arguments[1])))
            .collect()
    }

    /// The role has one of its numbers, and no other goal value.
    fn exactly_one_goal(&self, role: RoleId, values: &[(Goal, TermId)]) -> Expression {
        let system = self.system();
        let all = system.instances(system.goal());
        let mine = all.iter().filter(|(arguments, _)| arguments[0] == system.vocabulary().role(role));
        let mut parts = vec![Expression::Or(values.iter().map(|&(_, v)| self.goal_atom(role, v)).collect())];
        let terms: Vec<TermId> = mine.map(|(arguments, _)| arguments[1]).collect();
        for (at, &a) in terms.iter().enumerate() {
            for &b in &terms[at + 1..] {
                let both = Expression::And(vec![self.goal_atom(role, a), self.goal_atom(role, b)]);
                parts.push(Expression::Not(Box::new(both)));
            }
        }
        Expression::And(parts)
    }

    fn goal_atom(&self, role: RoleId, value: TermId) -> Expression {
        let system = self.system();
        let arguments = vec![Arg::Ground(system.vocabulary().role(role)), Arg::Ground(value)];
        Expression::Atom(Atom { question: Question::Relation(system.goal()), arguments })
    }

    /// The sum of the goals where a random match ended. The network of the system has no goals of its own, so
    /// the reference engine is asked.
    fn first_sum(&self, budget: &Budget) -> Option<Goal> {
        let mut worker = self.engine(budget).ok()?.worker();
        let mut judge = self.reference(budget).ok()?.worker();
        let mut random = Random::new(13);
        for _ in 0..MATCHES {
            let (states, _) = self.random_match(&mut *worker, &mut random);
            let last = states.last()?;
            if judge.is_terminal(last).ok()? {
                return self.system().vocabulary().roles().map(|role| judge.goal(last, role).ok()?).sum();
            }
        }
        None
    }
}
