//! Interned rules: the form that every analysis, rewriting and engine reads.
//!
//! A rule is `head if literal and ... and literal`: disjunctions are split, negation stands in front of
//! atoms only, variables are numbered within their rule. A relation is a name together with its number of
//! arguments. Rules compare equal when they say the same, whatever the variables were called and wherever
//! they stood.
//!
//! [`Rules`] made by [`crate::Sheet`] are checked: stratified, safe, keywords in their places. Rewritings
//! build new ones with [`Rules::with_rules`] and answer for the same.

use crate::symbols::{Keyword, Symbol, Symbols};
use crate::syntax::{Span, tree};
use hashbrown::HashMap;

/// A relation of a game: a name with a number of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelationId(pub u32);

impl RelationId {
    /// Position in [`Rules::relations`], dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rule of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub u32);

impl RuleId {
    /// Position in [`Rules::rules`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

impl Variable {
    /// Position in [`Rule::variables`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a relation by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Its name.
    pub name: Symbol,
    /// How many arguments it takes.
    pub arity: usize,
    /// The keyword it is, if it is one.
    pub keyword: Option<Keyword>,
}

/// A term with variables of the rule around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable.
    Variable(Variable),
    /// A constant.
    Constant(Symbol),
    /// A function applied to at least one argument.
    Compound(Symbol, Vec<Term>),
}

impl Term {
    /// Calls `visit` for every variable occurrence, left to right.
    pub fn variables(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Term::Variable(v) => visit(*v),
            Term::Constant(_) => {}
            Term::Compound(_, arguments) => arguments.iter().for_each(|a| a.variables(visit)),
        }
    }

    /// How many names and variables stand in the term.
    pub fn words(&self) -> usize {
        match self {
            Term::Variable(_) | Term::Constant(_) => 1,
            Term::Compound(_, arguments) => 1 + arguments.iter().map(Term::words).sum::<usize>(),
        }
    }

    /// The most arguments that a function has in the term.
    fn widest(&self) -> usize {
        match self {
            Term::Variable(_) | Term::Constant(_) => 0,
            Term::Compound(_, arguments) => {
                arguments.iter().map(Term::widest).fold(arguments.len(), usize::max)
            }
        }
    }

    /// True if no variable occurs.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Variable(_) => false,
            Term::Constant(_) => true,
            Term::Compound(_, arguments) => arguments.iter().all(Term::is_ground),
        }
    }

    /// The term with every variable replaced by what `by` gives for it.
    #[must_use]
    pub fn map(&self, by: &impl Fn(Variable) -> Term) -> Term {
        match self {
            Term::Variable(v) => by(*v),
            Term::Constant(name) => Term::Constant(*name),
            Term::Compound(name, arguments) => {
                Term::Compound(*name, arguments.iter().map(|a| a.map(by)).collect())
            }
        }
    }
}

/// A relation with arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// Which relation.
    pub relation: RelationId,
    /// Its arguments, as many as its arity.
    pub arguments: Vec<Term>,
}

impl Atom {
    /// Calls `visit` for every variable occurrence, left to right.
    pub fn variables(&self, visit: &mut impl FnMut(Variable)) {
        self.arguments.iter().for_each(|a| a.variables(visit));
    }

    /// The atom with every variable replaced by what `by` gives for it.
    #[must_use]
    pub fn map(&self, by: &impl Fn(Variable) -> Term) -> Atom {
        Atom { relation: self.relation, arguments: self.arguments.iter().map(|a| a.map(by)).collect() }
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    /// The atom holds.
    Positive(Atom),
    /// The atom does not hold.
    Negative(Atom),
    /// The two terms differ.
    Distinct(Term, Term),
}

impl Literal {
    /// The atom of a positive literal.
    pub fn positive(&self) -> Option<&Atom> {
        match self {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        }
    }

    /// The atom of a negative literal.
    pub fn negative(&self) -> Option<&Atom> {
        match self {
            Literal::Negative(atom) => Some(atom),
            _ => None,
        }
    }

    /// Calls `visit` for every variable occurrence, left to right.
    pub fn variables(&self, visit: &mut impl FnMut(Variable)) {
        match self {
            Literal::Positive(atom) | Literal::Negative(atom) => atom.variables(visit),
            Literal::Distinct(left, right) => {
                left.variables(visit);
                right.variables(visit);
            }
        }
    }

    /// The literal with every variable replaced by what `by` gives for it.
    #[must_use]
    pub fn map(&self, by: &impl Fn(Variable) -> Term) -> Literal {
        match self {
            Literal::Positive(atom) => Literal::Positive(atom.map(by)),
            Literal::Negative(atom) => Literal::Negative(atom.map(by)),
            Literal::Distinct(left, right) => Literal::Distinct(left.map(by), right.map(by)),
        }
    }
}

/// `head if body`. A fact is a rule with an empty body.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What the rule derives.
    pub head: Atom,
    /// What must hold.
    pub body: Vec<Literal>,
    /// The names of the variables, by [`Variable::index`].
    pub variables: Vec<Symbol>,
    /// Where its parts stand in the text.
    pub places: Places,
}

/// Where a rule comes from. Empty for rules that a rewriting made.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The whole clause.
    pub clause: Span,
    /// The head.
    pub head: Span,
    /// The literals of the body, in the order of the body.
    pub body: Vec<Span>,
}

impl PartialEq for Rule {
    /// Names of variables and places do not count.
    fn eq(&self, other: &Rule) -> bool {
        self.head == other.head && self.body == other.body
    }
}

impl Eq for Rule {}

impl Rule {
    /// Calls `visit` for every variable occurrence, head first.
    pub fn variables(&self, visit: &mut impl FnMut(Variable)) {
        self.head.variables(visit);
        self.body.iter().for_each(|literal| literal.variables(visit));
    }

    /// How many names and variables stand in the rule: its size.
    pub fn words(&self) -> usize {
        let atom = |atom: &Atom| 1 + atom.arguments.iter().map(Term::words).sum::<usize>();
        let literal = |literal: &Literal| match literal {
            Literal::Positive(a) | Literal::Negative(a) => atom(a),
            Literal::Distinct(left, right) => 1 + left.words() + right.words(),
        };
        atom(&self.head) + self.body.iter().map(literal).sum::<usize>()
    }

    /// The most arguments that a relation or function has in the rule.
    pub fn widest(&self) -> usize {
        let all = |terms: &[Term]| terms.iter().map(Term::widest).fold(terms.len(), usize::max);
        let literal = |literal: &Literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => all(&atom.arguments),
            Literal::Distinct(left, right) => left.widest().max(right.widest()),
        };
        self.body.iter().map(literal).fold(all(&self.head.arguments), usize::max)
    }

    /// The same rule with its variables numbered in order of appearance, head first. Rules that say the same
    /// are equal in this form; rewritings end with it.
    #[must_use]
    pub fn renumbered(self) -> Rule {
        let mut order: Vec<Variable> = Vec::new();
        let mut new = vec![None; self.variables.len()];
        self.variables(&mut |v| {
            if new[v.index()].is_none() {
                new[v.index()] = Some(Term::Variable(Variable(order.len() as u32)));
                order.push(v);
            }
        });
        let by = |v: Variable| new[v.index()].clone().unwrap_or(Term::Variable(v));
        Rule {
            head: self.head.map(&by),
            body: self.body.iter().map(|literal| literal.map(&by)).collect(),
            variables: order.iter().map(|v| self.variables[v.index()]).collect(),
            places: self.places,
        }
    }
}

/// The rules of one game.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The names of the game.
    pub symbols: Symbols,
    relations: Vec<Relation>,
    by_name: HashMap<(Symbol, usize), RelationId>,
    rules: Vec<Rule>,
    by_head: Vec<Vec<RuleId>>,
}

impl PartialEq for Rules {
    /// Equal by spelling and order: the numbering of names and relations does not count.
    fn eq(&self, other: &Rules) -> bool {
        let term = |a: &Term, b: &Term| same_term(&self.symbols, a, &other.symbols, b);
        let atom = |a: &Atom, b: &Atom| {
            let (left, right) = (self.relation(a.relation), other.relation(b.relation));
            self.symbols.name(left.name) == other.symbols.name(right.name)
                && a.arguments.len() == b.arguments.len()
                && a.arguments.iter().zip(&b.arguments).all(|(a, b)| term(a, b))
        };
        let literal = |a: &Literal, b: &Literal| match (a, b) {
            (Literal::Positive(a), Literal::Positive(b)) => atom(a, b),
            (Literal::Negative(a), Literal::Negative(b)) => atom(a, b),
            (Literal::Distinct(a, b), Literal::Distinct(c, d)) => term(a, c) && term(b, d),
            _ => false,
        };
        self.rules.len() == other.rules.len()
            && self.rules.iter().zip(&other.rules).all(|(a, b)| {
                atom(&a.head, &b.head)
                    && a.body.len() == b.body.len()
                    && a.body.iter().zip(&b.body).all(|(a, b)| literal(a, b))
            })
    }
}

fn same_term(left: &Symbols, a: &Term, right: &Symbols, b: &Term) -> bool {
    match (a, b) {
        (Term::Variable(a), Term::Variable(b)) => a == b,
        (Term::Constant(a), Term::Constant(b)) => left.name(*a) == right.name(*b),
        (Term::Compound(f, a), Term::Compound(g, b)) => {
            left.name(*f) == right.name(*g)
                && a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| same_term(left, a, right, b))
        }
        _ => false,
    }
}

impl Rules {
    /// No rules yet, over the names of `symbols`. The keyword relations exist from the start.
    pub(crate) fn new(mut symbols: Symbols) -> Rules {
        let names = Keyword::RELATIONS.map(|keyword| symbols.intern(keyword.name()));
        let mut rules = Rules {
            symbols,
            relations: Vec::new(),
            by_name: HashMap::default(),
            rules: Vec::new(),
            by_head: Vec::new(),
        };
        for (keyword, name) in Keyword::RELATIONS.into_iter().zip(names) {
            rules.add_relation(name, keyword.arity().unwrap_or(0), Some(keyword));
        }
        rules
    }

    fn add_relation(&mut self, name: Symbol, arity: usize, keyword: Option<Keyword>) -> RelationId {
        let id = RelationId(u32::try_from(self.relations.len()).unwrap_or(u32::MAX));
        self.relations.push(Relation { name, arity, keyword });
        self.by_head.push(Vec::new());
        self.by_name.insert((name, arity), id);
        id
    }

    /// The relation `name` with `arity` arguments, made if it is new. Keywords are found in any case.
    pub fn intern_relation(&mut self, name: Symbol, arity: usize) -> RelationId {
        if let Some(&id) = self.by_name.get(&(name, arity)) {
            return id;
        }
        let keyword = Keyword::of(self.symbols.name(name))
            .filter(|k| Keyword::RELATIONS.contains(k) && k.arity() == Some(arity));
        match keyword {
            Some(keyword) => {
                let id = self.keyword(keyword);
                self.by_name.insert((name, arity), id);
                id
            }
            None => self.add_relation(name, arity, None),
        }
    }

    /// The relation `name` with `arity` arguments, if the game has it.
    pub fn find_relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let symbol = self.symbols.get(name)?;
        self.by_name.get(&(symbol, arity)).copied()
    }

    /// A relation of `arity` arguments whose name begins with `stem` and that the game does not use.
    pub fn fresh_relation(&mut self, stem: &str, arity: usize) -> RelationId {
        let name = self.symbols.fresh(stem);
        self.add_relation(name, arity, None)
    }

    /// The relation of a keyword.
    ///
    /// # Panics
    /// If `keyword` is a connective and not a relation.
    pub fn keyword(&self, keyword: Keyword) -> RelationId {
        let position = Keyword::RELATIONS.iter().position(|k| *k == keyword);
        RelationId(position.expect("a keyword that is a relation") as u32)
    }

    /// All relations.
    pub fn relations(&self) -> impl Iterator<Item = RelationId> + use<> {
        (0..self.relations.len() as u32).map(RelationId)
    }

    /// Name, arity and keyword of a relation.
    pub fn relation(&self, id: RelationId) -> Relation {
        self.relations[id.index()]
    }

    /// All rules, in the order of the text.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// One rule.
    pub fn rule(&self, id: RuleId) -> &Rule {
        &self.rules[id.index()]
    }

    /// The rules with that relation in their head.
    pub fn rules_for(&self, relation: RelationId) -> &[RuleId] {
        &self.by_head[relation.index()]
    }

    /// Adds a rule at the end.
    pub fn push(&mut self, rule: Rule) -> RuleId {
        let id = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        self.by_head[rule.head.relation.index()].push(id);
        self.rules.push(rule);
        id
    }

    /// Forgets the rules from `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        for rule in self.rules.drain(length..) {
            self.by_head[rule.head.relation.index()].pop();
        }
    }

    /// The same names and relations with other rules.
    #[must_use]
    pub fn with_rules(&self, rules: impl IntoIterator<Item = Rule>) -> Rules {
        let mut result = self.clone();
        result.rules.clear();
        result.by_head.iter_mut().for_each(Vec::clear);
        rules.into_iter().for_each(|rule| {
            result.push(rule);
        });
        result
    }

    /// The symbol at `index` of the table.
    pub(crate) fn symbol_at(&self, index: usize) -> Symbol {
        self.symbols.at(index)
    }

    /// The rules as a tree, for printing: one clause a rule, disjunctions stay split.
    pub fn to_tree(&self) -> tree::Tree {
        let clauses = self.rules.iter().map(|rule| self.clause(rule)).collect();
        tree::Tree { symbols: self.symbols.clone(), clauses }
    }

    fn clause(&self, rule: &Rule) -> tree::Clause {
        let span = rule.places.clause;
        let atom = |atom: &Atom| {
            let name = self.relation(atom.relation).name;
            let arguments: Vec<tree::Term> = atom.arguments.iter().map(|a| tree_term(rule, a)).collect();
            let kind = if arguments.is_empty() {
                tree::TermKind::Constant(name)
            } else {
                tree::TermKind::Compound(name, arguments)
            };
            tree::Term { kind, span }
        };
        let body = rule
            .body
            .iter()
            .map(|literal| {
                let kind = match literal {
                    Literal::Positive(a) => tree::FormulaKind::Atom(atom(a)),
                    Literal::Negative(a) => {
                        let inner = tree::Formula { kind: tree::FormulaKind::Atom(atom(a)), span };
                        tree::FormulaKind::Not(Box::new(inner))
                    }
                    Literal::Distinct(left, right) => {
                        tree::FormulaKind::Distinct(tree_term(rule, left), tree_term(rule, right))
                    }
                };
                tree::Formula { kind, span }
            })
            .collect::<Vec<_>>();
        tree::Clause { head: atom(&rule.head), body: (!body.is_empty()).then_some(body), span }
    }
}

fn tree_term(rule: &Rule, term: &Term) -> tree::Term {
    let kind = match term {
        Term::Variable(v) => tree::TermKind::Variable(rule.variables[v.index()]),
        Term::Constant(name) => tree::TermKind::Constant(*name),
        Term::Compound(name, arguments) => {
            tree::TermKind::Compound(*name, arguments.iter().map(|a| tree_term(rule, a)).collect())
        }
    };
    tree::Term { kind, span: rule.places.clause }
}
