//! Properties of the goals.

use super::answer::{Answer, Proof, Reason, Refutation};
use super::hunt::Prey;
use super::{Certificate, Line, Prover};
use crate::formula::{Arg, Atom, Expression, Property, Question};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::random::Random;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::rules::{Literal, Rule, Term};
use ludex_gdl::{Keyword, Rules, Symbol};

/// Combinations of goal values that are excluded one by one.
const MOST_COMBINATIONS: usize = 20_000;

/// Random matches that are played until one ends.
const MATCHES: usize = 20;

impl Prover<'_> {
    /// Each role gets the best goal value that the rules name for it in some match. What cannot be reached is proved to
    /// be so.
    pub fn weakly_winnable(&self, budget: &Budget) -> Answer {
        let mut lines = Vec::new();
        let roles = self.system().vocabulary().roles();
        for (left, role) in (1..=roles.len() as u32).rev().zip(roles) {
            let Some(best) = self.best_goal(role) else {
                return Answer::Unknown(Reason::NothingFound("a role has no goal value that is a number"));
            };
            match self.is_never_won(role, best, &budget.share(left)) {
                Answer::Fails(Refutation::Line(line)) => lines.push((role, best, line)),
                Answer::Holds(proof) => return Answer::Fails(self.unreachable(role, best, proof, budget)),
                Answer::Unknown(reason) => return Answer::Unknown(reason),
                Answer::Fails(_) => {
                    return Answer::Unknown(Reason::NothingFound("a formula is refuted by a line of play"));
                }
            }
        }
        Answer::Holds(Proof::Lines(lines))
    }

    /// That a role never ends with that goal value: refuted by play, or proved.
    fn is_never_won(&self, role: RoleId, goal: Goal, budget: &Budget) -> Answer {
        let Some(never) = self.never_won(role, goal) else {
            // The rules have no such instance, whatever play comes to.
            return Answer::Holds(Proof::Induction(Certificate::default()));
        };
        let shown = |line: Line| match self.refuted(&never, line, budget) {
            Ok(Answer::Fails(refutation)) => Some(Answer::Fails(refutation)),
            _ => None,
        };
        let played = self.survey(&budget.share(8)).best.get(role.index()).cloned().flatten();
        let played = played.filter(|(reached, _)| *reached == goal).map(|(_, line)| line);
        if let Some(answer) = played.and_then(shown) {
            return answer;
        }
        // A short look for a proof or a short way, a long one by play, and the rest of the time for a proof.
        let first = self.prove_within(&never, &budget.share(4));
        if !matches!(first, Answer::Unknown(_)) {
            return first;
        }
        let hunted = self.hunt(Prey::Goal(role, goal), &budget.share(2));
        hunted.and_then(shown).unwrap_or_else(|| self.prove_within(&never, budget))
    }

    /// The formula that says so; nothing where no rule has that instance.
    fn never_won(&self, role: RoleId, goal: Goal) -> Option<Property> {
        let (_, term) = self.goal_values(role).into_iter().find(|(value, _)| *value == goal)?;
        let terminal = Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() });
        // A value beside another one is none.
        let others = self.goal_terms(role).into_iter().filter(|other| *other != term);
        let others = others.map(|other| Expression::Not(Box::new(self.goal_atom(role, other))));
        let won = Expression::And([terminal, self.goal_atom(role, term)].into_iter().chain(others).collect());
        Some(Property::made("never won", Expression::Not(Box::new(won)), self.system()))
    }

    /// That a role never gets its best goal, with the most that play gave it.
    pub(super) fn unreachable(&self, role: RoleId, goal: Goal, proof: Proof, budget: &Budget) -> Refutation {
        let most = self.survey(&budget.share(8)).best.get(role.index()).cloned().flatten();
        Refutation::Unreachable { role, goal, proof: Box::new(proof), most }
    }

    /// The greatest goal value that the rules name for a role. It does not depend on the state in which the game begins:
    /// what heads of rules say counts also where no play from there leads to it.
    pub fn best_goal(&self, role: RoleId) -> Option<Goal> {
        let rules = &self.system().original().rules;
        let name = self.system().terms().functor(self.system().vocabulary().role(role));
        let written = rules.rules_for(self.system().goal()).iter().filter_map(|&id| {
            let rule = rules.rule(id);
            let [who, Term::Constant(value)] = rule.head.arguments.as_slice() else { return None };
            let value = rules.symbols.name(*value).parse().ok()?;
            can_be(rules, rule, who, name).then_some(value)
        });
        written.chain(self.goal_values(role).into_iter().map(|(value, _)| value)).max()
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

    /// All that a role can have as a goal value.
    fn goal_terms(&self, role: RoleId) -> Vec<TermId> {
        let system = self.system();
        let mine = |arguments: &[TermId]| arguments[0] == system.vocabulary().role(role);
        let all = system.instances(system.goal());
        all.iter().filter(|(arguments, _)| mine(arguments)).map(|(arguments, _)| arguments[1]).collect()
    }

    /// `unique-goals`, also where the rules have no goal at all for a role.
    pub(super) fn unique_goals(&self) -> Property {
        let terminal = Expression::Atom(Atom { question: Question::Terminal, arguments: Vec::new() });
        let ended = Expression::Not(Box::new(terminal));
        let single = |role: RoleId| Expression::Count {
            variables: vec![(0, self.goal_terms(role))],
            least: 1,
            most: Some(1),
            body: Box::new(Expression::Atom(Atom {
                question: Question::Relation(self.system().goal()),
                arguments: vec![Arg::Ground(self.system().vocabulary().role(role)), Arg::Variable(0)],
            })),
        };
        let all = Expression::And(self.system().vocabulary().roles().map(single).collect());
        let mut property = Property::made("unique-goals", Expression::Or(vec![ended, all]), self.system());
        property.variables = 1;
        property
    }

    /// The role has one of its numbers, and no other goal value.
    fn exactly_one_goal(&self, role: RoleId, values: &[(Goal, TermId)]) -> Expression {
        let mut parts = vec![Expression::Or(values.iter().map(|&(_, v)| self.goal_atom(role, v)).collect())];
        let terms = self.goal_terms(role);
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
                // Another end may have what this one lacks, and then this one is found to fail.
                let sum = self.system().vocabulary().roles().map(|role| judge.goal(last, role).ok()?).sum();
                if let Some(sum) = sum {
                    return Some(sum);
                }
            }
        }
        None
    }
}

/// Whether the first argument of a head can be the role, as far as facts alone say: whatever depends on the state is
/// taken to be possible.
fn can_be(rules: &Rules, rule: &Rule, who: &Term, role: Symbol) -> bool {
    let Term::Variable(_) = who else { return *who == Term::Constant(role) };
    let is_role = rules.keyword(Keyword::Role);
    rule.body.iter().all(|literal| match literal {
        Literal::Distinct(one, other) => {
            let role = Term::Constant(role);
            !(one == who && *other == role || other == who && *one == role)
        }
        Literal::Negative(_) => true,
        Literal::Positive(atom) => {
            let defined = rules.rules_for(atom.relation);
            let are_facts = defined.iter().all(|&id| rules.rule(id).body.is_empty());
            let keyword = rules.relation(atom.relation).keyword;
            let is_static = are_facts && (keyword.is_none() || atom.relation == is_role);
            !is_static
                || (0..atom.arguments.len()).filter(|&at| atom.arguments[at] == *who).all(|at| {
                    defined.iter().any(|&id| match &rules.rule(id).head.arguments[at] {
                        Term::Constant(name) => *name == role,
                        other => matches!(other, Term::Variable(_)),
                    })
                })
        }
    })
}
