//! A formula's meaning for a game: relations found, names interned, the domains of variables computed.

use super::error::FormulaError;
use super::named::NAMES;
use super::{Formula, Node, NodeKind, Quantifier, Term};
use crate::transition::System;
use ludex_engine::terms::{TermId, Terms};
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::rules::RelationId;
use ludex_gdl::spelling::{did_you_mean, nearest};
use ludex_gdl::syntax::Span;
use ludex_gdl::{Keyword, Rules, Symbol};
use std::sync::Arc;

/// The largest number of ground instances of a formula's parts: beyond it a formula is refused.
const MOST_INSTANCES: usize = 4_000_000;

/// What can be proved or refuted of a game.
#[derive(Clone, Debug)]
pub struct Property {
    /// How the user said it.
    pub text: Arc<str>,
    /// What it says.
    pub root: Expression,
    /// The terms that it uses; they begin with the system's.
    pub terms: Terms,
    /// How many moves it looks ahead.
    pub degree: usize,
    /// How many variables it has.
    pub variables: usize,
}

/// A part of a property.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// The atom holds.
    Atom(Atom),
    /// The terms are equal.
    Equal(Arg, Arg),
    /// Negation.
    Not(Box<Expression>),
    /// All of them.
    And(Vec<Expression>),
    /// One of them at least.
    Or(Vec<Expression>),
    /// Both or neither.
    Iff(Box<Expression>, Box<Expression>),
    /// Of what follows the first move, if anything does.
    Next(Box<Expression>),
    /// For all values.
    All {
        /// The variables with their values.
        variables: Vec<(usize, Vec<TermId>)>,
        /// What is said of them.
        body: Box<Expression>,
    },
    /// For some number of values.
    Count {
        /// The variables with their values; combinations are counted.
        variables: Vec<(usize, Vec<TermId>)>,
        /// At least so many.
        least: usize,
        /// At most so many.
        most: Option<usize>,
        /// What is said of them.
        body: Box<Expression>,
    },
}

/// An atom of a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// What is asked.
    pub question: Question,
    /// Of what.
    pub arguments: Vec<Arg>,
}

/// What an atom asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether a fluent holds.
    True,
    /// Whether a move is legal for a role.
    Legal,
    /// Whether the game has ended.
    Terminal,
    /// Whether somebody is a role.
    Role,
    /// Whether a relation of the rules holds.
    Relation(RelationId),
}

/// An argument of an atom.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A variable, by number.
    Variable(usize),
    /// A ground term.
    Ground(TermId),
    /// A function of arguments with variables.
    Compound(Symbol, Vec<Arg>),
}

/// A property with more parts is taken as a whole.
const MOST_PARTS: usize = 200;

impl Property {
    /// How many parts the property is the conjunction of: one for each value of the variables that it begins
    /// with, if it begins with "for all". Each can be asked for by itself.
    pub fn parts(&self) -> usize {
        let Expression::All { variables, .. } = &self.root else { return 1 };
        let count =
            variables.iter().try_fold(1, |product: usize, (_, domain)| product.checked_mul(domain.len()));
        count.filter(|count| *count <= MOST_PARTS).unwrap_or(1)
    }

    /// One of the parts, with the values of its variables.
    pub fn part(&self, part: usize) -> (&Expression, Vec<Option<TermId>>) {
        let mut values = vec![None; self.variables];
        match &self.root {
            Expression::All { variables, body } if self.parts() != 1 => {
                let mut rest = part;
                for (variable, domain) in variables {
                    values[*variable] = Some(domain[rest % domain.len()]);
                    rest /= domain.len();
                }
                (body, values)
            }
            whole => (whole, values),
        }
    }

    /// Gives the formula its meaning.
    pub fn new(formula: &Formula, text: &Arc<str>, system: &System) -> Result<Property, FormulaError> {
        let mut resolver = Resolver {
            text: &formula.text,
            system,
            domains: None,
            terms: system.terms().clone(),
            scope: Vec::new(),
            variables: 0,
        };
        let root = resolver.node(&formula.root, 1)?;
        let degree = degree(&root);
        Ok(Property {
            text: text.clone(),
            root,
            degree,
            variables: resolver.variables,
            terms: resolver.terms,
        })
    }

    /// A property that was not written by a user.
    pub(crate) fn made(text: &str, root: Expression, system: &System) -> Property {
        let degree = degree(&root);
        Property { text: text.into(), root, terms: system.terms().clone(), degree, variables: 0 }
    }
}

fn degree(expression: &Expression) -> usize {
    match expression {
        Expression::Atom(_) | Expression::Equal(..) => 0,
        Expression::Not(inner) => degree(inner),
        Expression::Next(inner) => 1 + degree(inner),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().map(degree).max().unwrap_or(0),
        Expression::Iff(a, b) => degree(a).max(degree(b)),
        Expression::All { body, .. } | Expression::Count { body, .. } => degree(body),
    }
}

/// The relations that a formula asks beyond fluents, legal moves, roles and the end.
pub(super) fn relations(formula: &Formula, rules: &Rules) -> Result<Vec<RelationId>, FormulaError> {
    let phases = phases(rules, &Dependencies::of(rules));
    let mut found = Vec::new();
    let mut open = vec![&formula.root];
    while let Some(node) = open.pop() {
        match &node.kind {
            NodeKind::Atom(atom) => {
                if let Question::Relation(relation) = question(&formula.text, rules, &phases, atom)?
                    && !found.contains(&relation)
                {
                    found.push(relation);
                }
            }
            NodeKind::Equal(..) => {}
            NodeKind::Not(inner) | NodeKind::Next(inner) => open.push(inner),
            NodeKind::And(parts) | NodeKind::Or(parts) => open.extend(parts),
            NodeKind::Implies(a, b) | NodeKind::Iff(a, b) => open.extend([&**a, &**b]),
            NodeKind::Quantifier { body, .. } => open.push(body),
        }
    }
    Ok(found)
}

/// What an atom asks, if a formula may ask it.
fn question(text: &Arc<str>, rules: &Rules, phases: &[Phase], atom: &Term) -> Result<Question, FormulaError> {
    let error = |message: String, label: &str| FormulaError::new(text, atom.span, message, label);
    let arity = atom.arguments.len();
    let keyword = Keyword::of(&atom.name).filter(|k| Keyword::RELATIONS.contains(k));
    if let Some(keyword) = keyword
        && keyword.arity() != Some(arity)
    {
        let wanted = keyword.arity().unwrap_or(0);
        let message = format!("`{}` takes {}", atom.name, counted(wanted, "argument"));
        return Err(error(message, &format!("{arity} given")));
    }
    match keyword {
        Some(Keyword::True) => return Ok(Question::True),
        Some(Keyword::Legal) => return Ok(Question::Legal),
        Some(Keyword::Terminal) => return Ok(Question::Terminal),
        Some(Keyword::Role) => return Ok(Question::Role),
        Some(Keyword::Does | Keyword::Init | Keyword::Next) => {
            let message = format!("a formula cannot speak of `{}`", atom.name);
            let error = error(message, "not a condition on states");
            return Err(error.hint("use `true(...)`, and `next F` for what holds after every move"));
        }
        Some(Keyword::Base | Keyword::Input | Keyword::Goal) | None => {}
        Some(_) => return Err(error(format!("`{}` is no relation", atom.name), "unexpected")),
    }
    let found = match keyword {
        Some(keyword) => Some(rules.keyword(keyword)),
        None => rules.find_relation(&atom.name, arity),
    };
    let known = found.filter(|id| {
        !rules.rules_for(*id).is_empty()
            || rules.rules().iter().any(|rule| {
                rule.body.iter().any(|l| {
                    l.positive().is_some_and(|a| a.relation == *id)
                        || l.negative().is_some_and(|a| a.relation == *id)
                })
            })
    });
    let Some(relation) = known else {
        let same_name: Vec<usize> = rules
            .relations()
            .map(|id| rules.relation(id))
            .filter(|info| rules.symbols.name(info.name) == atom.name && info.arity != arity)
            .map(|info| info.arity)
            .collect();
        if let Some(&other) = same_name.first() {
            let message = format!("`{}` takes {}", atom.name, counted(other, "argument"));
            return Err(error(message, &format!("{arity} given")));
        }
        let error = error(format!("the game has no relation `{}`", atom.name), "unknown");
        let hint = if is_fluent_name(rules, &atom.name) {
            format!("`{}` is a fluent: write `true({}...)`", atom.name, atom.name)
        } else {
            let near = nearest(&atom.name, candidates(rules));
            suggestion(rules, &near).unwrap_or_else(|| {
                "relations are spelt as in the rules; fluents stand inside `true(...)`".to_owned()
            })
        };
        return Err(error.hint(hint));
    };
    if phases[relation.index()] == Phase::Move {
        let error =
            error(format!("`{}` depends on the moves of a joint move", atom.name), "depends on `does`");
        return Err(error.hint("a formula can speak of what follows from the state alone"));
    }
    Ok(Question::Relation(relation))
}

/// What a misspelt atom may have meant: a relation, a fluent without its `true`, a named property.
fn candidates(rules: &Rules) -> Vec<&str> {
    let asked = [Keyword::True, Keyword::Legal, Keyword::Terminal, Keyword::Role, Keyword::Goal];
    let mut names: Vec<&str> = asked.iter().map(|keyword| keyword.name()).chain(NAMES).collect();
    names.extend(
        rules
            .relations()
            .filter(|id| !rules.rules_for(*id).is_empty())
            .map(|id| rules.symbols.name(rules.relation(id).name))
            .filter(|name| Keyword::of(name).is_none()),
    );
    names.extend(fluent_names(rules));
    names
}

/// The near misses, as they would be written.
fn suggestion(rules: &Rules, near: &[&str]) -> Option<String> {
    let written = |name: &&str| {
        if is_fluent_name(rules, name) { format!("`true({name}...)`") } else { format!("`{name}`") }
    };
    let shown: Vec<String> = near.iter().map(written).collect();
    (!shown.is_empty()).then(|| format!("did you mean {}?", shown.join(" or ")))
}

/// True if a head of `init` or `next` has this name in front.
fn is_fluent_name(rules: &Rules, name: &str) -> bool {
    fluent_names(rules).any(|found| found == name)
}

/// The names in front of the heads of `init` and `next`, some of them several times.
fn fluent_names(rules: &Rules) -> impl Iterator<Item = &str> {
    let heads = [Keyword::Init, Keyword::Next].into_iter().flat_map(|k| rules.rules_for(rules.keyword(k)));
    heads.filter_map(|&rule| match &rules.rule(rule).head.arguments[0] {
        ludex_gdl::rules::Term::Constant(name) | ludex_gdl::rules::Term::Compound(name, _) => {
            Some(rules.symbols.name(*name))
        }
        ludex_gdl::rules::Term::Variable(_) => None,
    })
}

fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

struct Resolver<'a> {
    text: &'a Arc<str>,
    system: &'a System,
    /// What arguments of relations can hold; computed when a variable first needs it.
    domains: Option<(Domains, Vec<Phase>)>,
    terms: Terms,
    /// The variables in scope, the innermost last.
    scope: Vec<(String, usize)>,
    variables: usize,
}

impl Resolver<'_> {
    fn error(&self, span: Span, message: impl Into<String>, label: impl Into<String>) -> FormulaError {
        FormulaError::new(self.text, span, message, label)
    }

    fn analysis(&mut self) -> &(Domains, Vec<Phase>) {
        let rules = &self.system.original().rules;
        self.domains.get_or_insert_with(|| (Domains::of(rules), phases(rules, &Dependencies::of(rules))))
    }

    /// `instances` is how often the node will be written out.
    fn node(&mut self, node: &Node, instances: usize) -> Result<Expression, FormulaError> {
        let boxed = |expression| Box::new(expression);
        Ok(match &node.kind {
            NodeKind::Atom(atom) => self.atom(atom)?,
            NodeKind::Equal(left, right) => Expression::Equal(self.term(left)?, self.term(right)?),
            NodeKind::Not(inner) => Expression::Not(boxed(self.node(inner, instances)?)),
            NodeKind::Next(inner) => Expression::Next(boxed(self.node(inner, instances)?)),
            NodeKind::And(parts) => Expression::And(self.nodes(parts, instances)?),
            NodeKind::Or(parts) => Expression::Or(self.nodes(parts, instances)?),
            NodeKind::Implies(left, right) => {
                let left = self.node(left, instances)?;
                Expression::Or(vec![Expression::Not(boxed(left)), self.node(right, instances)?])
            }
            NodeKind::Iff(left, right) => {
                Expression::Iff(boxed(self.node(left, instances)?), boxed(self.node(right, instances)?))
            }
            NodeKind::Quantifier { kind, variables, values, body } => {
                let mut numbered = Vec::new();
                let mut total = instances;
                for (name, span) in variables {
                    let domain = match values {
                        Some(values) => self.listed(values)?,
                        None => self.domain(body, name, *span)?,
                    };
                    total = total.saturating_mul(domain.len().max(1));
                    numbered.push((self.variables, domain));
                    self.variables += 1;
                }
                if total > MOST_INSTANCES {
                    let message = format!("the formula has more than {MOST_INSTANCES} instances");
                    return Err(self.error(node.span, message, "too many").hint("give the variables a list"));
                }
                for ((name, _), (number, _)) in variables.iter().zip(&numbered) {
                    self.scope.push((name.clone(), *number));
                }
                let body = self.node(body, total)?;
                self.scope.truncate(self.scope.len() - variables.len());
                match *kind {
                    Quantifier::Forall => Expression::All { variables: numbered, body: boxed(body) },
                    Quantifier::Exists(least, most) => {
                        Expression::Count { variables: numbered, least, most, body: boxed(body) }
                    }
                }
            }
        })
    }

    fn nodes(&mut self, nodes: &[Node], instances: usize) -> Result<Vec<Expression>, FormulaError> {
        nodes.iter().map(|node| self.node(node, instances)).collect()
    }

    fn question(&mut self, atom: &Term) -> Result<Question, FormulaError> {
        let (text, rules) = (self.text, &self.system.original().rules);
        let (_, phases) = self.analysis();
        question(text, rules, phases, atom)
    }

    fn atom(&mut self, atom: &Term) -> Result<Expression, FormulaError> {
        let question = self.question(atom)?;
        self.check_shapes(question, atom)?;
        let arguments = atom.arguments.iter().map(|a| self.term(a)).collect::<Result<_, _>>()?;
        Ok(Expression::Atom(Atom { question, arguments }))
    }

    /// Fluents and moves inside an atom must be such as the game has.
    fn check_shapes(&self, question: Question, atom: &Term) -> Result<(), FormulaError> {
        match question {
            Question::True => self.check_shape(&atom.arguments[0], "fluent", &self.system.fluent_shapes()),
            Question::Legal => self.check_shape(&atom.arguments[1], "move", &self.system.move_shapes()),
            Question::Terminal | Question::Role | Question::Relation(_) => Ok(()),
        }
    }

    /// A fluent or move must have a name and a number of arguments that the game has.
    fn check_shape(&self, term: &Term, what: &str, shapes: &[(Symbol, usize)]) -> Result<(), FormulaError> {
        if term.is_variable {
            return Ok(());
        }
        let symbols = self.system.symbols();
        let mut same = shapes.iter().filter(|(name, _)| symbols.name(*name) == term.name);
        if same.clone().any(|(_, arity)| *arity == term.arguments.len()) {
            return Ok(());
        }
        match same.next() {
            Some((_, arity)) => {
                let message = format!("the {what} `{}` has {}", term.name, counted(*arity, "argument"));
                Err(self.error(term.span, message, format!("{} given", term.arguments.len())))
            }
            None => {
                let mut names: Vec<&str> = shapes.iter().map(|(name, _)| symbols.name(*name)).collect();
                names.sort_unstable();
                names.dedup();
                let near = did_you_mean(&term.name, names.iter().copied());
                names.truncate(12);
                let all = || format!("its {what}s are named {}", names.join(", "));
                let message = format!("the game has no {what} `{}`", term.name);
                let error = self.error(term.span, message, "unknown");
                Err(error.hint(near.unwrap_or_else(all)))
            }
        }
    }

    fn term(&mut self, term: &Term) -> Result<Arg, FormulaError> {
        if term.is_variable {
            let bound = self.scope.iter().rev().find(|(name, _)| *name == term.name);
            return match bound {
                Some((_, number)) => Ok(Arg::Variable(*number)),
                None => {
                    let error = self.error(term.span, "no quantifier binds this variable", "not bound");
                    Err(error.hint("write `forall X: ...` or `exists X: ...` around it"))
                }
            };
        }
        let Some(name) = self.system.symbols().get(&term.name) else {
            let error = self.error(term.span, format!("the game has no name `{}`", term.name), "unknown");
            let symbols = &self.system.original().rules.symbols;
            let near = did_you_mean(&term.name, symbols.iter().map(|symbol| symbols.name(symbol)));
            let spelling = "names are spelt as in the rules; variables begin with a capital letter";
            return Err(error.hint(near.unwrap_or_else(|| spelling.to_owned())));
        };
        let arguments: Vec<Arg> = term.arguments.iter().map(|a| self.term(a)).collect::<Result<_, _>>()?;
        let ground: Option<Vec<TermId>> = arguments
            .iter()
            .map(|argument| match argument {
                Arg::Ground(id) => Some(*id),
                _ => None,
            })
            .collect();
        Ok(match ground {
            Some(ids) => Arg::Ground(self.terms.intern(name, &ids)),
            None => Arg::Compound(name, arguments),
        })
    }

    fn listed(&mut self, values: &[Term]) -> Result<Vec<TermId>, FormulaError> {
        let mut list = Vec::new();
        for value in values {
            match self.term(value)? {
                Arg::Ground(id) if !list.contains(&id) => list.push(id),
                Arg::Ground(_) => {}
                _ => return Err(self.error(value.span, "a list of values has no variables", "a variable")),
            }
        }
        Ok(list)
    }

    /// Everything that can stand where the body has the variable.
    fn domain(&mut self, body: &Node, name: &str, span: Span) -> Result<Vec<TermId>, FormulaError> {
        let mut places = Vec::new();
        occurrences(body, name, &mut places);
        let mut found = Vec::new();
        for atom in &places {
            let question = self.question(atom)?;
            self.check_shapes(question, atom)?;
            for (position, argument) in atom.arguments.iter().enumerate() {
                if mentions(argument, name) {
                    self.place(question, position, argument, name, &mut found)?;
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            let message = format!("nothing says what `{name}` ranges over");
            let error = self.error(span, message, "no place has values for it");
            return Err(error.hint(format!("list its values: `{name} in {{a, b}}`")));
        }
        Ok(found)
    }

    /// Everything that can stand where one argument of an atom has the variable.
    fn place(
        &mut self,
        question: Question,
        position: usize,
        argument: &Term,
        name: &str,
        found: &mut Vec<TermId>,
    ) -> Result<(), FormulaError> {
        let system = self.system;
        let vocabulary = system.vocabulary();
        match (question, position) {
            (Question::Terminal, _) => {}
            (Question::True, _) => {
                for fluent in vocabulary.fluents() {
                    self.inside(vocabulary.fluent(fluent), argument, name, found);
                }
            }
            (Question::Legal, 1) => {
                for role in vocabulary.roles() {
                    for action in system.moves(role) {
                        self.inside(vocabulary.action(role, action), argument, name, found);
                    }
                }
            }
            (Question::Relation(relation), _) if position != 0 || relation != system.goal() => {
                self.column(relation, position, argument, found)?;
            }
            (Question::Role | Question::Legal | Question::Relation(_), _) => {
                for role in vocabulary.roles() {
                    self.inside(vocabulary.role(role), argument, name, found);
                }
            }
        }
        Ok(())
    }

    /// The constants that an argument of a relation can hold.
    fn column(
        &mut self,
        relation: RelationId,
        position: usize,
        argument: &Term,
        found: &mut Vec<TermId>,
    ) -> Result<(), FormulaError> {
        let (domains, _) = self.analysis();
        let domain = domains.argument(relation, position).clone();
        if !argument.is_variable || !domain.functors.is_empty() {
            let error =
                self.error(argument.span, "the values of this place cannot be listed", "holds functions");
            return Err(error.hint("list the values of the variable: `X in {a, b}`"));
        }
        found.extend(domain.constants.iter().map(|&name| self.terms.constant(name)));
        Ok(())
    }

    /// What stands in `term` where `pattern` has the variable, if the names in front agree on the way.
    fn inside(&self, term: TermId, pattern: &Term, name: &str, found: &mut Vec<TermId>) {
        if pattern.is_variable {
            if pattern.name == name {
                found.push(term);
            }
            return;
        }
        let arguments = self.terms.arguments(term);
        if arguments.len() == pattern.arguments.len()
            && self.system.symbols().name(self.terms.functor(term)) == pattern.name
        {
            for (&argument, pattern) in arguments.iter().zip(&pattern.arguments) {
                self.inside(argument, pattern, name, found);
            }
        }
    }
}

/// The atoms in which the variable is free.
fn occurrences<'n>(node: &'n Node, name: &str, out: &mut Vec<&'n Term>) {
    match &node.kind {
        NodeKind::Atom(atom) => {
            if mentions(atom, name) {
                out.push(atom);
            }
        }
        NodeKind::Equal(..) => {}
        NodeKind::Not(inner) | NodeKind::Next(inner) => occurrences(inner, name, out),
        NodeKind::And(parts) | NodeKind::Or(parts) => parts.iter().for_each(|p| occurrences(p, name, out)),
        NodeKind::Implies(a, b) | NodeKind::Iff(a, b) => {
            occurrences(a, name, out);
            occurrences(b, name, out);
        }
        NodeKind::Quantifier { variables, body, .. } => {
            if variables.iter().all(|(bound, _)| bound != name) {
                occurrences(body, name, out);
            }
        }
    }
}

fn mentions(term: &Term, name: &str) -> bool {
    (term.is_variable && term.name == name) || term.arguments.iter().any(|a| mentions(a, name))
}
