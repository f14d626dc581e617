//! Logical simplification of conjunctions: what is known of the rules decides conditions before play.
//!
//! A [`Conjunction`] is kept in solved form: equalities are substituted, conditions that facts or domains
//! decide are gone, and a contradiction is no conjunction at all. On that form, whether one conjunction
//! follows from another is plain inclusion.

use crate::analysis::dependencies::{Dependencies, Phase, phases};
use crate::analysis::domains::{Domain, Domains};
use crate::budget::{Budget, Meter};
use crate::rules::{Atom, Literal, RelationId, Rules, Term, Variable};
use crate::unify::Substitution;
use hashbrown::{HashMap, HashSet};
use std::cell::{Cell, RefCell};

/// What simplification knows of a game.
pub(crate) struct Knowledge<'g> {
    pub(crate) rules: &'g Rules,
    pub(crate) domains: Domains,
    phases: Vec<Phase>,
    /// Which relations are computed from themselves.
    recursive: Vec<bool>,
    /// The facts of relations that have nothing but ground facts.
    facts: HashMap<RelationId, HashSet<Vec<Term>>>,
    steps: Cell<usize>,
    meter: RefCell<Meter>,
}

/// An equality, or a condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Equal(Term, Term),
    Literal(Literal),
}

/// Conditions that hold together, over the variables of a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conjunction {
    /// Variables and what they are equal to; no variable of the left stands anywhere else.
    pub(crate) equal: Vec<(Variable, Term)>,
    /// The other conditions, ascending, without duplicates.
    pub(crate) literals: Vec<Literal>,
}

/// What is known of a condition.
pub(crate) enum Verdict {
    True,
    False,
    Open(Literal),
}

/// A step of simplification takes some hundred nanoseconds.
const TICKS_A_STEP: u64 = 64;

/// Instances of an atom that are tried to see whether all of them are facts.
const MOST_INSTANCES: usize = 4096;

impl<'g> Knowledge<'g> {
    /// `steps` bounds the work of all simplifications together, and so does the budget.
    pub(crate) fn new(rules: &'g Rules, steps: usize, budget: &Budget) -> Knowledge<'g> {
        let dependencies = Dependencies::of(rules);
        let mut facts = HashMap::new();
        for relation in rules.relations() {
            let list = rules.rules_for(relation);
            let is_fact = |rule: &crate::rules::Rule| {
                rule.body.is_empty() && rule.head.arguments.iter().all(Term::is_ground)
            };
            if !list.is_empty() && list.iter().all(|&rule| is_fact(rules.rule(rule))) {
                let rows = list.iter().map(|&rule| rules.rule(rule).head.arguments.clone()).collect();
                facts.insert(relation, rows);
            }
        }
        Knowledge {
            rules,
            domains: Domains::of(rules),
            phases: phases(rules, &dependencies),
            recursive: dependencies.recursive(),
            facts,
            steps: Cell::new(steps),
            meter: RefCell::new(budget.clock()),
        }
    }

    /// Notes some work; true as long as there is any left to spend.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let is_over = self.meter.borrow_mut().tick_by(TICKS_A_STEP * steps as u64).is_err();
        self.steps.set(if is_over { 0 } else { self.steps.get().saturating_sub(steps) });
        self.steps.get() > 0
    }

    /// True if the work ran out: nothing that was simplified since can be used.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    pub(crate) fn is_static(&self, relation: RelationId) -> bool {
        self.phases[relation.index()] == Phase::Static
    }

    pub(crate) fn is_recursive(&self, relation: RelationId) -> bool {
        self.recursive[relation.index()]
    }

    /// The facts of a relation that has nothing but facts.
    pub(crate) fn facts(&self, relation: RelationId) -> Option<&HashSet<Vec<Term>>> {
        self.facts.get(&relation)
    }

    /// A relation of one argument whose facts are exactly these constants.
    pub(crate) fn facts_of(&self, constants: &[crate::Symbol]) -> Option<RelationId> {
        self.rules.relations().find(|&relation| {
            let info = self.rules.relation(relation);
            info.arity == 1
                && info.keyword.is_none()
                && self.facts(relation).is_some_and(|rows| {
                    rows.len() == constants.len()
                        && constants.iter().all(|&name| rows.contains([Term::Constant(name)].as_slice()))
                })
        })
    }

    /// What facts, terms and the domains of variables say of a condition.
    pub(crate) fn decide<'d>(
        &self,
        literal: Literal,
        domain: &dyn Fn(Variable) -> Option<&'d Domain>,
    ) -> Verdict {
        let verdict = match &literal {
            Literal::Distinct(left, right) => self.differ(left, right, domain),
            Literal::Positive(atom) => self.holds(atom, domain),
            Literal::Negative(atom) => self.holds(atom, domain).map(|holds| !holds),
        };
        match verdict {
            Some(true) => Verdict::True,
            Some(false) => Verdict::False,
            None => Verdict::Open(narrowed(literal)),
        }
    }

    fn differ<'d>(
        &self,
        left: &Term,
        right: &Term,
        domain: &dyn Fn(Variable) -> Option<&'d Domain>,
    ) -> Option<bool> {
        if left == right {
            return Some(false);
        }
        let mut substitution = Substitution::default();
        if !substitution.unify(left, right) && !substitution.is_exhausted() {
            return Some(true);
        }
        let apart = match (left, right) {
            (Term::Variable(a), Term::Variable(b)) => match (domain(*a), domain(*b)) {
                (Some(a), Some(b)) => a.intersection(b).is_empty(),
                _ => false,
            },
            (Term::Variable(v), term) | (term, Term::Variable(v)) => {
                domain(*v).is_some_and(|domain| !can_be(domain, term))
            }
            _ => false,
        };
        apart.then_some(true)
    }

    /// Whether every instance, or none, is a fact.
    fn holds<'d>(&self, atom: &Atom, domain: &dyn Fn(Variable) -> Option<&'d Domain>) -> Option<bool> {
        if atom.relation.index() >= self.phases.len() {
            // Made by the rewriting: nothing is known of it here.
            return None;
        }
        let Some(facts) = self.facts.get(&atom.relation) else {
            // What nothing defines never holds.
            let is_defined = self.rules.relation(atom.relation).keyword.is_some()
                || !self.rules.rules_for(atom.relation).is_empty();
            return (!is_defined).then_some(false);
        };
        if atom.arguments.iter().all(Term::is_ground) {
            return Some(facts.contains(&atom.arguments));
        }
        self.spend(facts.len() / 16);
        let mut variables: Vec<Variable> = Vec::new();
        atom.variables(&mut |v| {
            if !variables.contains(&v) {
                variables.push(v);
            }
        });
        let values = variables
            .iter()
            .map(|&v| domain(v).filter(|d| d.functors.is_empty()).map(|d| d.constants.as_slice()))
            .collect::<Option<Vec<_>>>()?;
        let instances: usize =
            values.iter().fold(1, |product: usize, list| product.saturating_mul(list.len()));
        if instances == 0 || instances > MOST_INSTANCES {
            return None;
        }
        let (mut all, mut none) = (true, true);
        for mut number in 0..instances {
            let chosen: Vec<Term> = values
                .iter()
                .map(|list| {
                    let constant = list[number % list.len()];
                    number /= list.len();
                    Term::Constant(constant)
                })
                .collect();
            let by = |v: Variable| {
                let at = variables.iter().position(|w| *w == v);
                at.map_or(Term::Variable(v), |at| chosen[at].clone())
            };
            let is_fact = facts.contains(&atom.map(&by).arguments);
            all &= is_fact;
            none &= !is_fact;
            if !all && !none {
                self.spend(1);
                return None;
            }
        }
        self.spend(instances / 8 + 1);
        Some(all)
    }
}

/// True if a value of the domain can be an instance of the term.
fn can_be(domain: &Domain, term: &Term) -> bool {
    match term {
        Term::Variable(_) => true,
        Term::Constant(name) => domain.constants.binary_search(name).is_ok(),
        Term::Compound(name, arguments) => domain.functors.binary_search(&(*name, arguments.len())).is_ok(),
    }
}

/// `distinct` of two functions that differ in one argument only is about that argument.
fn narrowed(literal: Literal) -> Literal {
    if let Literal::Distinct(Term::Compound(f, left), Term::Compound(g, right)) = &literal
        && f == g
        && left.len() == right.len()
    {
        let mut differing = left.iter().zip(right).filter(|(a, b)| a != b);
        if let (Some((a, b)), None) = (differing.next(), differing.next()) {
            return narrowed(Literal::Distinct(a.clone(), b.clone()));
        }
    }
    literal
}

impl Conjunction {
    /// This and `more` together; `None` if that is never true. The variables are those of `domains`.
    pub(crate) fn and(
        &self,
        more: &[Condition],
        domains: &[Domain],
        known: &Knowledge<'_>,
    ) -> Option<Conjunction> {
        known.spend(1 + more.len() + self.literals.len());
        let mut substitution = Substitution::default();
        let mut fits =
            self.equal.iter().all(|(variable, term)| substitution.unify(&Term::Variable(*variable), term));
        for condition in more {
            if let Condition::Equal(left, right) = condition {
                fits = fits && substitution.unify(left, right);
            }
        }
        let terms = substitution.resolve(domains.len());
        if substitution.is_exhausted() {
            known.spend(usize::MAX);
            return None;
        }
        if !fits {
            return None;
        }
        let mut result = Conjunction::default();
        // Variables that are equal share what both can be.
        let mut shared: HashMap<Variable, Domain> = HashMap::new();
        for (at, term) in terms.iter().enumerate() {
            let variable = Variable(at as u32);
            match term {
                Term::Variable(v) if *v == variable => continue,
                Term::Variable(v) => {
                    let domain = shared.entry(*v).or_insert_with(|| domains[v.index()].clone());
                    *domain = domain.intersection(&domains[at]);
                    if domain.is_empty() {
                        return None;
                    }
                }
                term if !can_be(&domains[at], term) => return None,
                _ => {}
            }
            result.equal.push((variable, term.clone()));
        }
        let by = |v: Variable| terms[v.index()].clone();
        let domain = |v: Variable| Some(shared.get(&v).unwrap_or(&domains[v.index()]));
        let new = more.iter().filter_map(|condition| match condition {
            Condition::Literal(literal) => Some(literal),
            Condition::Equal(..) => None,
        });
        for literal in self.literals.iter().chain(new) {
            match known.decide(literal.map(&by), &domain) {
                Verdict::True => {}
                Verdict::False => return None,
                Verdict::Open(literal) => result.literals.push(literal),
            }
        }
        result.literals.sort_unstable();
        result.literals.dedup();
        let contradicts = |literal: &Literal| {
            literal
                .negative()
                .is_some_and(|atom| result.literals.binary_search(&Literal::Positive(atom.clone())).is_ok())
        };
        (!result.literals.iter().any(contradicts)).then_some(result)
    }

    /// Its conditions one by one.
    pub(crate) fn conditions(&self) -> Vec<Condition> {
        let equal = self.equal.iter().map(|(v, term)| Condition::Equal(Term::Variable(*v), term.clone()));
        equal.chain(self.literals.iter().cloned().map(Condition::Literal)).collect()
    }

    /// True if nothing is asked.
    pub(crate) fn is_empty(&self) -> bool {
        self.equal.is_empty() && self.literals.is_empty()
    }

    /// True if `other` holds wherever this does, as far as inclusion shows it.
    pub(crate) fn implies(&self, other: &Conjunction) -> bool {
        let by = |v: Variable| {
            let bound = self.equal.iter().find(|(variable, _)| *variable == v);
            bound.map_or(Term::Variable(v), |(_, term)| term.clone())
        };
        other.equal.iter().all(|(variable, term)| by(*variable) == term.map(&by))
            && other.literals.iter().all(|literal| self.literals.contains(&literal.map(&by)))
    }
}

/// A disjunction of conjunctions, none of which implies another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disjunction(pub(crate) Vec<Conjunction>);

impl Disjunction {
    /// What always holds.
    pub(crate) fn always() -> Disjunction {
        Disjunction(vec![Conjunction::default()])
    }

    pub(crate) fn is_always(&self) -> bool {
        self.0.iter().any(Conjunction::is_empty)
    }

    pub(crate) fn is_never(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an alternative.
    pub(crate) fn or(&mut self, conjunction: Conjunction) {
        if self.0.iter().any(|known| conjunction.implies(known)) {
            return;
        }
        self.0.retain(|known| !known.implies(&conjunction));
        self.0.push(conjunction);
    }

    /// This and another together; `None` if it has more than `most` alternatives.
    pub(crate) fn and(
        &self,
        other: &Disjunction,
        most: usize,
        domains: &[Domain],
        known: &Knowledge<'_>,
    ) -> Option<Disjunction> {
        let mut result = Disjunction::default();
        for conjunction in &self.0 {
            if other.0.iter().any(|alternative| conjunction.implies(alternative)) {
                result.or(conjunction.clone());
                continue;
            }
            for alternative in &other.0 {
                if let Some(both) = conjunction.and(&alternative.conditions(), domains, known) {
                    result.or(both);
                }
            }
            if result.0.len() > most || known.is_exhausted() {
                return None;
            }
        }
        Some(result)
    }
}
