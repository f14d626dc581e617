//! Conditions on trails, tried out with symbols in the place of keys.
//!
//! A symbol stands for any key, and different symbols for different keys. A derivation with symbols is a
//! derivation for every such choice of keys, as long as it never needs to know which key a symbol is:
//! comparing a symbol with a constant that is a possible key is *open*. An atom with one symbol that is open
//! otherwise holds if it holds for every key: `cell(S)` by the facts about cells.
//!
//! This is a small top-down prover with bounds on depth and work. It is there for conditions such as "the list
//! does not have this member", not for rules in general: what it cannot decide is open, and then nothing is rewritten.

use super::Step;
use crate::rules::{Atom, Literal, Rules, Term, Variable};
use crate::symbols::Symbol;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;

/// Terms compared in all. (The lists of 25 cells of a published game of Hex take 300,000.)
const MOST_WORK: usize = 10_000_000;

/// Calls within calls.
const MOST_DEPTH: usize = 600;

/// What is known of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Holds,
    Fails,
    Open,
}

/// Whether the conditions on trails of all steps hold for every trail that is extended from one of `begins`
/// by different keys.
pub(super) fn hold_for_all_trails(
    rules: &Rules,
    steps: &[Step<'_>],
    extending: &Step<'_>,
    key: Variable,
    keys: &[Symbol],
    begins: &BTreeSet<Term>,
) -> bool {
    let Some(longer) = extending.extended() else { return false };
    let mut names = rules.symbols.clone();
    let symbols: Vec<Symbol> = keys.iter().map(|_| names.fresh("key")).collect();
    let mut prover = Prover {
        rules,
        keys: keys.iter().copied().collect(),
        symbols: symbols.iter().copied().collect(),
        known: HashMap::new(),
        work: 0,
    };
    for begin in begins {
        let mut trail = begin.clone();
        // A trail of each length, the longest with all keys on it, and the key by which it is extended.
        for symbol in symbols.iter().map(Some).chain([None]) {
            let others = steps.iter().filter(|step| step.extended().is_none());
            for step in others {
                let put = |v: Variable| if v == step.trail { trail.clone() } else { Term::Variable(v) };
                let goals: Vec<Literal> = step.conditions.iter().map(|literal| literal.map(&put)).collect();
                let count = step.rule.variables.len() as u32;
                if !matches!(prover.solve(&goals, &trail, count, 0), Ok(Some(_))) {
                    return false;
                }
            }
            let Some(&symbol) = symbol else { break };
            let symbol = Term::Constant(symbol);
            let put = |v: Variable| match v {
                v if v == extending.trail => trail.clone(),
                v if v == key => symbol.clone(),
                v => Term::Variable(v),
            };
            let goals: Vec<Literal> = extending.conditions.iter().map(|literal| literal.map(&put)).collect();
            let count = extending.rule.variables.len() as u32;
            match prover.solve(&goals, &Term::Variable(longer), count, 0) {
                Ok(Some(next)) if next.is_ground() => trail = next,
                _ => return false,
            }
        }
    }
    true
}

/// It could not be decided.
struct Undecided;

struct Prover<'r> {
    rules: &'r Rules,
    /// What symbols can stand for.
    keys: HashSet<Symbol>,
    symbols: HashSet<Symbol>,
    /// Atoms that were decided, their variables numbered in the order of appearance.
    known: HashMap<Atom, Truth>,
    work: usize,
}

/// Bindings of variables, by number.
type Bindings = Vec<Option<Term>>;

fn bound<'t>(bindings: &'t Bindings, mut term: &'t Term) -> &'t Term {
    while let Term::Variable(v) = term {
        match bindings.get(v.index()) {
            Some(Some(next)) => term = next,
            _ => break,
        }
    }
    term
}

fn resolved(bindings: &Bindings, term: &Term) -> Term {
    match bound(bindings, term) {
        Term::Compound(name, arguments) => {
            Term::Compound(*name, arguments.iter().map(|a| resolved(bindings, a)).collect())
        }
        simple => simple.clone(),
    }
}

fn variables_of(term: &Term) -> HashSet<Variable> {
    let mut found = HashSet::new();
    term.variables(&mut |v| _ = found.insert(v));
    found
}

fn is_ground(literal: &Literal) -> bool {
    let mut ground = true;
    literal.variables(&mut |_| ground = false);
    ground
}

impl Prover<'_> {
    /// Makes two terms equal. After anything but `Holds` the bindings are of no use.
    fn unify(&mut self, bindings: &mut Bindings, left: &Term, right: &Term) -> Truth {
        self.work += 1;
        let (left, right) = (bound(bindings, left).clone(), bound(bindings, right).clone());
        match (&left, &right) {
            (Term::Variable(a), Term::Variable(b)) if a == b => Truth::Holds,
            (Term::Variable(v), other) | (other, Term::Variable(v)) => {
                if occurrences(bindings, *v, other) {
                    return Truth::Fails;
                }
                if bindings.len() <= v.index() {
                    bindings.resize(v.index() + 1, None);
                }
                bindings[v.index()] = Some(other.clone());
                Truth::Holds
            }
            (Term::Constant(a), Term::Constant(b)) if a == b => Truth::Holds,
            (Term::Constant(a), Term::Constant(b)) => {
                let may_be =
                    |symbol: &Symbol, key: &Symbol| self.symbols.contains(symbol) && self.keys.contains(key);
                if may_be(a, b) || may_be(b, a) { Truth::Open } else { Truth::Fails }
            }
            (Term::Compound(f, a), Term::Compound(g, b)) if f == g && a.len() == b.len() => {
                let mut truth = Truth::Holds;
                for (a, b) in a.iter().zip(b) {
                    match self.unify(bindings, a, b) {
                        Truth::Holds => {}
                        // What is different elsewhere is different, whatever is open here.
                        Truth::Open => truth = Truth::Open,
                        Truth::Fails => return Truth::Fails,
                    }
                }
                truth
            }
            // Keys are constants, so a symbol is no compound term.
            _ => Truth::Fails,
        }
    }

    /// The value of `answer` in the first solution of all goals; `None` if there is certainly none.
    fn solve(
        &mut self,
        goals: &[Literal],
        answer: &Term,
        variables: u32,
        depth: usize,
    ) -> Result<Option<Term>, Undecided> {
        if depth > MOST_DEPTH || self.work > MOST_WORK {
            return Err(Undecided);
        }
        let mut open = false;
        // What has nothing to do with the rest is decided by itself.
        let mut rest: Vec<&Literal> = Vec::new();
        for (at, goal) in goals.iter().enumerate() {
            let is_alone = || {
                let others = (0..goals.len()).filter(|&other| other != at);
                let mut elsewhere: HashSet<Variable> = variables_of(answer);
                others.for_each(|other| goals[other].variables(&mut |v| _ = elsewhere.insert(v)));
                let mut alone = goal.positive().is_some();
                goal.variables(&mut |v| alone &= !elsewhere.contains(&v));
                alone
            };
            if !is_ground(goal) && !is_alone() {
                rest.push(goal);
                continue;
            }
            match self.decide(goal, depth) {
                Truth::Holds => {}
                Truth::Fails => return Ok(None),
                Truth::Open => open = true,
            }
        }
        if open {
            return Err(Undecided);
        }
        if rest.is_empty() {
            return Ok(Some(answer.clone()));
        }
        // Then the condition of which most is known.
        let share = |literal: &Literal| {
            let atom = literal.positive()?;
            let known = atom.arguments.iter().filter(|argument| argument.is_ground()).count();
            Some(1000 * known / atom.arguments.len().max(1))
        };
        let next = (0..rest.len()).filter(|&at| share(rest[at]).is_some()).max_by_key(|&at| {
            // The first of those that are alike.
            (share(rest[at]), std::cmp::Reverse(at))
        });
        let Some(atom) = next.and_then(|at| rest[at].positive()) else { return Err(Undecided) };
        let left: Vec<&Literal> = (0..rest.len()).filter(|&at| Some(at) != next).map(|at| rest[at]).collect();
        let rules = self.rules;
        for &id in rules.rules_for(atom.relation) {
            let rule = rules.rule(id);
            let mut bindings = Bindings::new();
            match self.unify_arguments(&mut bindings, &atom.arguments, &rule.head.arguments, variables) {
                Truth::Fails => continue,
                Truth::Open => {
                    open = true;
                    continue;
                }
                Truth::Holds => {}
            }
            let put = |v: Variable| resolved(&bindings, &Term::Variable(v));
            let shifted = |v: Variable| resolved(&bindings, &Term::Variable(Variable(v.0 + variables)));
            let body = rule.body.iter().map(|literal| literal.map(&shifted));
            let goals: Vec<Literal> = body.chain(left.iter().map(|literal| literal.map(&put))).collect();
            let count = variables + rule.variables.len() as u32;
            match self.solve(&goals, &answer.map(&put), count, depth + 1) {
                Ok(Some(found)) => return Ok(Some(found)),
                Ok(None) => {}
                Err(Undecided) => open = true,
            }
        }
        if open { Err(Undecided) } else { Ok(None) }
    }

    /// Unifies the arguments of a goal with those of a head, whose variables are numbered from `shift` on.
    fn unify_arguments(
        &mut self,
        bindings: &mut Bindings,
        goal: &[Term],
        head: &[Term],
        shift: u32,
    ) -> Truth {
        let mut truth = Truth::Holds;
        for (goal, head) in goal.iter().zip(head) {
            match self.unify(bindings, goal, &head.shifted(shift)) {
                Truth::Holds => {}
                Truth::Open => truth = Truth::Open,
                Truth::Fails => return Truth::Fails,
            }
        }
        truth
    }

    /// Decides a condition that is ground, or positive: then whether it holds for some values of its variables.
    fn decide(&mut self, literal: &Literal, depth: usize) -> Truth {
        let negated = |truth| match truth {
            Truth::Holds => Truth::Fails,
            Truth::Fails => Truth::Holds,
            Truth::Open => Truth::Open,
        };
        match literal {
            Literal::Positive(atom) => self.holds(atom, depth),
            Literal::Negative(atom) => negated(self.holds(atom, depth)),
            Literal::Distinct(left, right) => negated(self.unify(&mut Bindings::new(), left, right)),
        }
    }

    /// Decides whether the atom holds for some values of its variables.
    fn holds(&mut self, atom: &Atom, depth: usize) -> Truth {
        let mut order: Vec<Variable> = Vec::new();
        atom.variables(&mut |v| {
            if !order.contains(&v) {
                order.push(v);
            }
        });
        let number = |v: Variable| order.iter().position(|&other| other == v).unwrap_or_default();
        let atom = &atom.map(&|v| Term::Variable(Variable(number(v) as u32)));
        if let Some(&truth) = self.known.get(atom) {
            return truth;
        }
        let by_rules = self.by_rules(atom, order.len() as u32, depth);
        let truth = if by_rules == Truth::Open { self.for_every_key(atom, depth) } else { by_rules };
        if truth != Truth::Open {
            self.known.insert(atom.clone(), truth);
        }
        truth
    }

    fn by_rules(&mut self, atom: &Atom, variables: u32, depth: usize) -> Truth {
        let rules = self.rules;
        let mut open = false;
        for &id in rules.rules_for(atom.relation) {
            let rule = rules.rule(id);
            let mut bindings = Bindings::new();
            match self.unify_arguments(&mut bindings, &atom.arguments, &rule.head.arguments, variables) {
                Truth::Fails => continue,
                Truth::Open => {
                    open = true;
                    continue;
                }
                Truth::Holds => {}
            }
            let put = |v: Variable| resolved(&bindings, &Term::Variable(Variable(v.0 + variables)));
            let goals: Vec<Literal> = rule.body.iter().map(|literal| literal.map(&put)).collect();
            let count = variables + rule.variables.len() as u32;
            // Any term without variables: only whether there is a solution matters.
            let nothing = Term::Constant(self.rules.relation(atom.relation).name);
            match self.solve(&goals, &nothing, count, depth + 1) {
                Ok(Some(_)) => return Truth::Holds,
                Ok(None) => {}
                Err(Undecided) => open = true,
            }
        }
        if open { Truth::Open } else { Truth::Fails }
    }

    /// Decides an atom with one symbol by all keys that it can stand for.
    fn for_every_key(&mut self, atom: &Atom, depth: usize) -> Truth {
        let mut found = HashSet::new();
        atom.arguments.iter().for_each(|term| self.symbols_in(term, &mut found));
        let mut symbols = found.into_iter();
        let (Some(symbol), None) = (symbols.next(), symbols.next()) else { return Truth::Open };
        let mut keys: Vec<Symbol> = self.keys.iter().copied().collect();
        keys.sort_unstable();
        let mut common = None;
        for key in keys {
            let arguments = atom.arguments.iter().map(|term| replaced(term, symbol, key)).collect();
            let truth = self.holds(&Atom { relation: atom.relation, arguments }, depth + 1);
            if truth == Truth::Open || common.is_some_and(|common| common != truth) {
                return Truth::Open;
            }
            common = Some(truth);
        }
        common.unwrap_or(Truth::Open)
    }

    fn symbols_in(&self, term: &Term, found: &mut HashSet<Symbol>) {
        match term {
            Term::Constant(name) if self.symbols.contains(name) => {
                found.insert(*name);
            }
            Term::Constant(_) | Term::Variable(_) => {}
            Term::Compound(_, arguments) => arguments.iter().for_each(|term| self.symbols_in(term, found)),
        }
    }
}

/// Whether the variable occurs in the term.
fn occurrences(bindings: &Bindings, variable: Variable, term: &Term) -> bool {
    match bound(bindings, term) {
        Term::Variable(v) => *v == variable,
        Term::Constant(_) => false,
        Term::Compound(_, arguments) => arguments.iter().any(|a| occurrences(bindings, variable, a)),
    }
}

fn replaced(term: &Term, symbol: Symbol, key: Symbol) -> Term {
    match term {
        Term::Constant(name) if *name == symbol => Term::Constant(key),
        Term::Constant(_) | Term::Variable(_) => term.clone(),
        Term::Compound(name, arguments) => {
            Term::Compound(*name, arguments.iter().map(|a| replaced(a, symbol, key)).collect())
        }
    }
}
