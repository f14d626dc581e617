//! Unification of terms.
//!
//! Variables are plain numbers here; two rules are kept apart by shifting the numbers of one
//! ([`Term::shifted`]).

use crate::rules::{Atom, Term, Variable};

/// Bindings of variables to terms, in triangular form: a bound term may mention other bound variables.
#[derive(Clone, Debug)]
pub struct Substitution {
    bindings: Vec<Option<Term>>,
    /// Nodes that may still be looked at or built: terms without sharing can double with each binding.
    steps: usize,
}

/// Real rules take a few dozen steps.
const MOST_STEPS: usize = 100_000;

/// Bindings can nest terms in each other, far deeper than the text does. Deeper than this counts as too many steps: the
/// walks over terms are recursive, here and wherever the result goes.
const MOST_DEPTH: usize = 1_000;

impl Default for Substitution {
    fn default() -> Substitution {
        Substitution { bindings: Vec::new(), steps: MOST_STEPS }
    }
}

impl Substitution {
    /// Makes the two terms equal, or returns false and leaves the bindings in no useful state: they cannot
    /// be made equal, or it takes too many steps ([`Substitution::is_exhausted`]).
    pub fn unify(&mut self, left: &Term, right: &Term) -> bool {
        self.unify_at(0, left, right)
    }

    fn unify_at(&mut self, depth: usize, left: &Term, right: &Term) -> bool {
        if !self.step(depth) {
            return false;
        }
        let left = self.walk(left).clone();
        let right = self.walk(right).clone();
        match (left, right) {
            (Term::Variable(a), Term::Variable(b)) if a == b => true,
            (Term::Variable(v), term) | (term, Term::Variable(v)) => {
                if self.occurs(depth, v, &term) {
                    return false;
                }
                if self.bindings.len() <= v.index() {
                    self.bindings.resize(v.index() + 1, None);
                }
                self.bindings[v.index()] = Some(term);
                true
            }
            (Term::Constant(a), Term::Constant(b)) => a == b,
            (Term::Compound(f, a), Term::Compound(g, b)) => {
                f == g && a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.unify_at(depth + 1, a, b))
            }
            _ => false,
        }
    }

    /// Makes the two atoms equal, or returns false.
    pub fn unify_atoms(&mut self, left: &Atom, right: &Atom) -> bool {
        left.relation == right.relation
            && left.arguments.iter().zip(&right.arguments).all(|(a, b)| self.unify(a, b))
    }

    /// True if it took too many steps: nothing that was computed with it can be used.
    pub fn is_exhausted(&self) -> bool {
        self.steps == 0
    }

    /// What each of the variables below `count` stands for, with all bindings applied. Exhaustion leaves
    /// variables standing.
    pub fn resolve(&mut self, count: usize) -> Vec<Term> {
        (0..count as u32).map(|v| self.resolved(&Term::Variable(Variable(v)))).collect()
    }

    /// The term with all bindings applied. Exhaustion leaves variables standing.
    pub fn resolved(&mut self, term: &Term) -> Term {
        self.resolved_at(0, term)
    }

    fn resolved_at(&mut self, depth: usize, term: &Term) -> Term {
        if !self.step(depth) {
            return term.clone();
        }
        match self.walk(term).clone() {
            Term::Compound(name, arguments) => {
                Term::Compound(name, arguments.iter().map(|a| self.resolved_at(depth + 1, a)).collect())
            }
            simple => simple,
        }
    }

    fn step(&mut self, depth: usize) -> bool {
        self.steps = if depth > MOST_DEPTH { 0 } else { self.steps.saturating_sub(1) };
        self.steps > 0
    }

    fn walk<'a>(&'a self, mut term: &'a Term) -> &'a Term {
        while let Term::Variable(v) = term {
            match self.bindings.get(v.index()) {
                Some(Some(bound)) => term = bound,
                _ => break,
            }
        }
        term
    }

    fn occurs(&mut self, depth: usize, variable: Variable, term: &Term) -> bool {
        if !self.step(depth) {
            return true;
        }
        match self.walk(term).clone() {
            Term::Variable(v) => v == variable,
            Term::Constant(_) => false,
            Term::Compound(_, arguments) => arguments.iter().any(|a| self.occurs(depth + 1, variable, a)),
        }
    }
}

impl Term {
    /// The term with every variable's number raised by `by`.
    #[must_use]
    pub fn shifted(&self, by: u32) -> Term {
        self.map(&|v| Term::Variable(Variable(v.0 + by)))
    }
}

/// True if some ground atom is an instance of both, each with variables of its own.
pub fn overlap(left: &Atom, right: &Atom) -> bool {
    if left.relation != right.relation {
        return false;
    }
    let mut count = 0;
    left.variables(&mut |v| count = count.max(v.0 + 1));
    let mut substitution = Substitution::default();
    left.arguments.iter().zip(&right.arguments).all(|(a, b)| {
        if let (Term::Constant(a), Term::Constant(b)) = (a, b) {
            return a == b;
        }
        substitution.unify(a, &b.shifted(count))
    })
}
