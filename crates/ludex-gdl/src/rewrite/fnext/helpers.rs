//! The relations that a translation adds: what `not exists` and `not` of static relations become.

use crate::analysis::domains::{Domain, Functor};
use crate::rewrite::simplify::{Condition, Conjunction, Disjunction, Knowledge};
use crate::rules::{Atom, Literal, Places, RelationId, Rule, Rules, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use crate::unify::Substitution;
use hashbrown::HashMap;

/// Rules with room for more relations. Equal helpers are made once.
pub(super) struct Helpers {
    pub(super) rules: Rules,
    made: HashMap<(Vec<Term>, Vec<Literal>), RelationId>,
    domains: HashMap<Vec<Symbol>, RelationId>,
    rest: HashMap<(Symbol, Vec<Functor>), RelationId>,
}

/// A complement with more rows than this is not listed.
const MOST_ROWS: usize = 40_000;

impl Helpers {
    pub(super) fn new(rules: Rules) -> Helpers {
        Helpers { rules, made: HashMap::new(), domains: HashMap::new(), rest: HashMap::new() }
    }

    /// The rule with variables named `x1`, `x2` and so on, in order of appearance.
    pub(super) fn rule(&mut self, head: Atom, body: Vec<Literal>, variables: usize) -> Rule {
        let blank = self.rules.symbols.intern("x1");
        let mut rule = Rule { head, body, variables: vec![blank; variables], places: Places::default() };
        rule = rule.renumbered();
        for (at, name) in rule.variables.iter_mut().enumerate() {
            *name = self.rules.symbols.intern(&format!("x{}", at + 1));
        }
        rule
    }

    /// A relation with this one rule: `stem(arguments) if body`.
    fn define(&mut self, stem: &str, arguments: &[Term], body: Vec<Literal>, variables: usize) -> RelationId {
        let head = Atom { relation: RelationId(0), arguments: arguments.to_vec() };
        let mut rule = self.rule(head, body, variables);
        let key = (rule.head.arguments.clone(), rule.body.clone());
        if let Some(&relation) = self.made.get(&key) {
            return relation;
        }
        let relation = self.rules.fresh_relation(stem, arguments.len());
        rule.head.relation = relation;
        self.rules.push(rule);
        self.made.insert(key, relation);
        relation
    }

    /// The condition that no instance of `conditions` holds. Variables from `domains.len()` on are bound by
    /// `conditions` alone; `guards` bind the others where `conditions` do not.
    pub(super) fn none_of(
        &mut self,
        conditions: &[Condition],
        guards: &[Atom],
        variables: usize,
        domains: &[Domain],
        known: &Knowledge<'_>,
    ) -> Condition {
        let outer = outer_variables(conditions, domains.len());
        let mut substitution = Substitution::default();
        for condition in conditions {
            if let Condition::Equal(left, right) = condition {
                // They come from unification, so they fit.
                substitution.unify(left, right);
            }
        }
        let terms = substitution.resolve(variables);
        let by = |v: Variable| terms[v.index()].clone();
        let mut body: Vec<Literal> = conditions
            .iter()
            .filter_map(|condition| match condition {
                Condition::Literal(literal) => Some(literal.map(&by)),
                Condition::Equal(..) => None,
            })
            .collect();
        let arguments: Vec<Term> = outer.iter().map(|&v| by(v)).collect();
        let is_static = body.iter().all(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => known.is_static(atom.relation),
            Literal::Distinct(..) => true,
        });
        let bound = bound_variables(&body, variables);
        let mut self_bound = true;
        let mut check = |v: Variable| self_bound &= bound[v.index()];
        arguments.iter().for_each(|term| term.variables(&mut check));
        body.iter().for_each(|literal| literal.variables(&mut check));
        let lists_itself = is_static && self_bound;
        if !lists_itself {
            let needed = guards.iter().filter(|guard| {
                let mut shares = false;
                guard.variables(&mut |v| shares |= outer.contains(&v));
                shares
            });
            let needed: Vec<Literal> = needed.map(|guard| Literal::Positive(guard.map(&by))).collect();
            body.splice(0..0, needed);
        }
        let relation = self.define("keeps", &arguments, body, variables);
        let call: Vec<Term> = outer.iter().map(|&v| Term::Variable(v)).collect();
        let atom = Atom { relation, arguments: call };
        let complement = if lists_itself { self.complement(&atom, None, domains, known) } else { None };
        complement.unwrap_or(Condition::Literal(Literal::Negative(atom)))
    }

    /// A condition that holds if one of the conjunctions does; `guards` bind variables that they do not.
    pub(super) fn any_of(&mut self, clause: &Disjunction, guards: &[Atom], variables: usize) -> Condition {
        let conditions: Vec<Condition> = clause.0.iter().flat_map(Conjunction::conditions).collect();
        let outer = outer_variables(&conditions, variables);
        let arguments: Vec<Term> = outer.iter().map(|&v| Term::Variable(v)).collect();
        let relation = self.rules.fresh_relation("touches", arguments.len());
        for conjunction in &clause.0 {
            let by = |v: Variable| {
                let bound = conjunction.equal.iter().find(|(variable, _)| *variable == v);
                bound.map_or(Term::Variable(v), |(_, term)| term.clone())
            };
            let needed = guards.iter().filter(|guard| {
                let mut shares = false;
                guard.variables(&mut |v| shares |= outer.contains(&v));
                shares
            });
            let body = needed.map(|guard| Literal::Positive(guard.map(&by)));
            let body = body.chain(conjunction.literals.iter().cloned()).collect();
            let head = Atom { relation, arguments: arguments.iter().map(|term| term.map(&by)).collect() };
            let rule = self.rule(head, body, variables);
            self.rules.push(rule);
        }
        Condition::Literal(Literal::Positive(Atom { relation, arguments }))
    }

    /// The negation of a static atom as a positive condition that can be looked up, where listing it pays.
    /// `rows` is how many rows the atom's relation has, if that is known.
    pub(super) fn complement(
        &mut self,
        atom: &Atom,
        rows: Option<usize>,
        domains: &[Domain],
        known: &Knowledge<'_>,
    ) -> Option<Condition> {
        let mut variables: Vec<Variable> = Vec::new();
        atom.variables(&mut |v| {
            if !variables.contains(&v) {
                variables.push(v);
            }
        });
        let mut instances: usize = 1;
        for &v in &variables {
            let domain = domains.get(v.index()).filter(|d| d.functors.is_empty())?;
            instances = instances.saturating_mul(domain.constants.len());
        }
        // A relation with few rows has a complement that narrows nothing down.
        if instances > MOST_ROWS || variables.is_empty() || rows.is_some_and(|rows| rows * 2 < instances) {
            return None;
        }
        let mut body = Vec::new();
        for &v in &variables {
            let relation = self.domain(&domains[v.index()].constants, known);
            body.push(Literal::Positive(Atom { relation, arguments: vec![Term::Variable(v)] }));
        }
        body.push(Literal::Negative(atom.clone()));
        let arguments: Vec<Term> = variables.iter().map(|&v| Term::Variable(v)).collect();
        let relation = self.define("meets", &arguments, body, domains.len());
        Some(Condition::Literal(Literal::Positive(Atom { relation, arguments })))
    }

    /// A relation of one argument that lists the constants.
    fn domain(&mut self, constants: &[Symbol], known: &Knowledge<'_>) -> RelationId {
        if let Some(relation) = self.domains.get(constants).copied().or_else(|| known.facts_of(constants)) {
            return relation;
        }
        let relation = self.rules.fresh_relation("value", 1);
        for &name in constants {
            let head = Atom { relation, arguments: vec![Term::Constant(name)] };
            let fact = self.rule(head, Vec::new(), 0);
            self.rules.push(fact);
        }
        self.domains.insert(constants.to_vec(), relation);
        relation
    }

    /// The condition that a role makes a move, which is one of `actions`; `is_any` if it has no others.
    pub(super) fn makes(
        &mut self,
        role: Symbol,
        actions: &[Functor],
        is_any: bool,
        move_term: &Term,
    ) -> Atom {
        let does = self.rules.keyword(Keyword::Does);
        let arguments = vec![Term::Constant(role), move_term.clone()];
        if is_any || actions.len() == 1 {
            return Atom { relation: does, arguments };
        }
        let key = (role, actions.to_vec());
        let relation = match self.rest.get(&key) {
            Some(&relation) => relation,
            None => {
                let relation = self.rules.fresh_relation("otherwise", 2);
                for &(name, count) in actions {
                    let (term, variables) = generic(name, count, 0);
                    let arguments = vec![Term::Constant(role), term];
                    let condition = Atom { relation: does, arguments: arguments.clone() };
                    let rule = self.rule(
                        Atom { relation, arguments },
                        vec![Literal::Positive(condition)],
                        variables,
                    );
                    self.rules.push(rule);
                }
                self.rest.insert(key, relation);
                relation
            }
        };
        Atom { relation, arguments }
    }
}

/// A name applied to variables of its own, numbered from `first`, and how many there are.
pub(super) fn generic(name: Symbol, count: usize, first: usize) -> (Term, usize) {
    if count == 0 {
        return (Term::Constant(name), 0);
    }
    let arguments = (first..first + count).map(|v| Term::Variable(Variable(v as u32))).collect();
    (Term::Compound(name, arguments), count)
}

/// The variables below `count`, ascending.
fn outer_variables(conditions: &[Condition], count: usize) -> Vec<Variable> {
    let mut outer = Vec::new();
    let mut add = |v: Variable| {
        if v.index() < count {
            outer.push(v);
        }
    };
    for condition in conditions {
        match condition {
            Condition::Equal(left, right) => {
                left.variables(&mut add);
                right.variables(&mut add);
            }
            Condition::Literal(literal) => literal.variables(&mut add),
        }
    }
    outer.sort_unstable();
    outer.dedup();
    outer
}

/// Which variables positive conditions bind.
fn bound_variables(body: &[Literal], variables: usize) -> Vec<bool> {
    let mut bound = vec![false; variables];
    for atom in body.iter().filter_map(|literal| literal.positive()) {
        atom.variables(&mut |v| bound[v.index()] = true);
    }
    bound
}
