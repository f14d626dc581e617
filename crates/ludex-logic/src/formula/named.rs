//! Properties that have a name, and what users type: one of them, or a formula.

use super::error::FormulaError;
use super::force::Force;
use super::parse;
use super::property::{self, Property};
use super::{Formula, Node, NodeKind, Quantifier, Term};
use crate::transition::System;
use ludex_gdl::rules::RelationId;
use ludex_gdl::spelling::did_you_mean;
use ludex_gdl::syntax::Span;
use ludex_gdl::{Keyword, Rules};
use std::sync::Arc;

/// A property with a name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Named {
    /// At most one role has more than one legal move.
    TurnTaking,
    /// Who has control has it again after as many moves as there are roles.
    Control,
    /// A fluent keeps its value, once it is true, or once it is false.
    Persistence {
        /// True if it is about staying false.
        negated: bool,
        /// The fluent; `_` stands for any argument.
        fluent: Term,
    },
    /// Every role has a legal move until the game ends.
    Playable,
    /// Every role has exactly one goal value when the game has ended.
    UniqueGoals,
    /// The goals of all roles add up to the same number whenever the game has ended.
    ConstantSum,
    /// The last argument of a fluent is a function of the others: at most one value.
    Functional(Term),
    /// Every match ends.
    Terminates,
    /// Every role can get its best goal value, if all play along.
    WeaklyWinnable,
    /// Terminates, is playable, and is weakly winnable.
    WellFormed,
    /// A role can force something, whatever the others do.
    CanForce(Force),
    /// All roles can force the same goal value.
    Fair,
}

/// The names of the properties.
pub(super) const NAMES: [&str; 12] = [
    "turn-taking",
    "control",
    "persistence",
    "playable",
    "unique-goals",
    "constant-sum",
    "functional",
    "terminates",
    "weakly-winnable",
    "well-formed",
    "can-force",
    "fair",
];

/// What a user asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The text as it was given.
    pub text: Arc<str>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Formula(Formula),
    Named(Named),
}

impl Request {
    /// Reads a formula or a named property.
    pub fn read(text: &str) -> Result<Request, FormulaError> {
        let shared: Arc<str> = text.into();
        let start = text.len() - text.trim_start().len();
        let trimmed = text.trim();
        let length = trimmed.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(trimmed.len());
        let (name, rest) = trimmed.split_at(length);
        let end = start + trimmed.len();
        if name.contains('-') && !NAMES.contains(&name) {
            let message = format!("there is no property `{name}`");
            let error = FormulaError::new(&shared, Span::new(start, start + length), message, "unknown");
            let all = || format!("the named properties are {}", NAMES.join(", "));
            return Err(error.hint(did_you_mean(name, NAMES).unwrap_or_else(all)));
        }
        let rest_span = Span::new(start + length, end);
        let argument = || -> Result<(bool, Term), FormulaError> {
            let open = rest.trim_start();
            if !(open.starts_with('(') && open.ends_with(')')) {
                let message = format!("`{name}` needs a fluent");
                let error = FormulaError::new(&shared, Span::new(start, end), message, "without a fluent");
                return Err(error.hint(format!("such as `{name}(cell(_,_,x))`")));
            }
            let inside = Span::new(start + length + (rest.len() - open.len()) + 1, end - 1);
            parse::fluent(&shared, inside)
        };
        let plain = rest.is_empty();
        let named = match name {
            "turn-taking" if plain => Named::TurnTaking,
            "control" if plain => Named::Control,
            "playable" if plain => Named::Playable,
            "unique-goals" if plain => Named::UniqueGoals,
            "constant-sum" if plain => Named::ConstantSum,
            "terminates" if plain => Named::Terminates,
            "weakly-winnable" if plain => Named::WeaklyWinnable,
            "well-formed" if plain => Named::WellFormed,
            "fair" if plain => Named::Fair,
            "can-force" => Named::CanForce(Force::read(&shared, start + length)?),
            "persistence" => {
                let (negated, fluent) = argument()?;
                Named::Persistence { negated, fluent }
            }
            "functional" => {
                let (negated, fluent) = argument()?;
                if negated || fluent.arguments.is_empty() {
                    let message = "`functional` needs a fluent with arguments";
                    return Err(FormulaError::new(&shared, rest_span, message, "not such a fluent")
                        .hint("such as `functional(cell(_,_,_))`"));
                }
                Named::Functional(fluent)
            }
            _ if name.contains('-') => {
                let message = format!("`{name}` takes nothing");
                return Err(FormulaError::new(&shared, rest_span, message, "unexpected").hint("remove it"));
            }
            _ => {
                let formula = parse::formula(&shared)?;
                return Ok(Request { text: shared, kind: Kind::Formula(formula) });
            }
        };
        Ok(Request { text: shared, kind: Kind::Named(named) })
    }

    /// The property, if it has a name.
    pub fn named(&self) -> Option<&Named> {
        match &self.kind {
            Kind::Named(named) => Some(named),
            Kind::Formula(_) => None,
        }
    }

    /// The formula, if it has no name.
    pub fn formula(&self) -> Option<&Formula> {
        match &self.kind {
            Kind::Formula(formula) => Some(formula),
            Kind::Named(_) => None,
        }
    }

    /// The relations of the rules, beyond fluents and legal moves, that the property speaks of. The
    /// [`System`] must be built for them.
    pub fn relations(&self, rules: &Rules) -> Result<Vec<RelationId>, FormulaError> {
        match &self.kind {
            Kind::Formula(formula) => property::relations(formula, rules),
            Kind::Named(
                Named::UniqueGoals
                | Named::ConstantSum
                | Named::WeaklyWinnable
                | Named::WellFormed
                | Named::Fair,
            ) => Ok(vec![rules.keyword(Keyword::Goal)]),
            Kind::Named(Named::CanForce(force)) => force.relations(rules),
            Kind::Named(_) => Ok(Vec::new()),
        }
    }

    /// The meaning for a game, where it is one formula; `None` for the named properties that are not.
    pub fn property(&self, system: &System) -> Result<Option<Property>, FormulaError> {
        let text = &self.text;
        let formula = match &self.kind {
            Kind::Formula(formula) => formula.clone(),
            Kind::Named(named) => match named.formula(text, system)? {
                Some(formula) => formula,
                None => return Ok(None),
            },
        };
        Property::new(&formula, text, system).map(Some)
    }
}

impl Named {
    /// The formula that the name stands for.
    fn formula(&self, text: &Arc<str>, system: &System) -> Result<Option<Formula>, FormulaError> {
        let read = |text: &str| Formula::read(text).map(Some);
        match self {
            Named::TurnTaking => read("exists 0..1 P: exists 2..* M: legal(P,M)"),
            Named::Playable => read("not terminal => forall P: exists M: legal(P,M)"),
            Named::UniqueGoals => read("terminal => forall P: role(P) => exists 1..1 V: goal(P,V)"),
            Named::Control => {
                if !system.has_fluent("control", 1) {
                    let message = "the game has no fluent `control(P)`";
                    let error = FormulaError::new(text, Span::new(0, text.len()), message, "of no use here");
                    return Err(error.hint("write the formula with the fluent that says whose turn it is"));
                }
                let next = "next ".repeat(system.vocabulary().role_count());
                read(&format!("forall P: true(control(P)) => {next}true(control(P))"))
            }
            Named::Persistence { negated, fluent } => {
                let atom = |fluent: &Term| {
                    let span = fluent.span;
                    let arguments = vec![fluent.clone()];
                    let term = Term { name: "true".to_owned(), is_variable: false, arguments, span };
                    let atom = Node { kind: NodeKind::Atom(term), span };
                    if *negated { Node { kind: NodeKind::Not(Box::new(atom)), span } } else { atom }
                };
                let span = fluent.span;
                let next = Node { kind: NodeKind::Next(Box::new(atom(fluent))), span };
                let stays = Node { kind: NodeKind::Implies(Box::new(atom(fluent)), Box::new(next)), span };
                Ok(Some(Formula { text: text.clone(), root: for_all(fluent, stays) }))
            }
            Named::Functional(fluent) => {
                let span = fluent.span;
                let mut fluent = fluent.clone();
                let mut inputs = fluent.clone();
                inputs.arguments.pop();
                let value = "Value".to_owned();
                if let Some(last) = fluent.arguments.last_mut() {
                    let span = last.span;
                    *last = Term { name: value.clone(), is_variable: true, arguments: Vec::new(), span };
                }
                let term =
                    Term { name: "true".to_owned(), is_variable: false, arguments: vec![fluent], span };
                let kind = NodeKind::Quantifier {
                    kind: Quantifier::Exists(0, Some(1)),
                    variables: vec![(value, span)],
                    values: None,
                    body: Box::new(Node { kind: NodeKind::Atom(term), span }),
                };
                Ok(Some(Formula { text: text.clone(), root: for_all(&inputs, Node { kind, span }) }))
            }
            Named::ConstantSum
            | Named::Terminates
            | Named::WeaklyWinnable
            | Named::WellFormed
            | Named::CanForce(_)
            | Named::Fair => Ok(None),
        }
    }
}

/// The body for all values of the variables of the term.
fn for_all(term: &Term, body: Node) -> Node {
    let mut variables = Vec::new();
    collect_variables(term, &mut variables);
    if variables.is_empty() {
        return body;
    }
    let span = body.span;
    let kind =
        NodeKind::Quantifier { kind: Quantifier::Forall, variables, values: None, body: Box::new(body) };
    Node { kind, span }
}

fn collect_variables(term: &Term, out: &mut Vec<(String, Span)>) {
    if term.is_variable && out.iter().all(|(name, _)| *name != term.name) {
        out.push((term.name.clone(), term.span));
    }
    term.arguments.iter().for_each(|argument| collect_variables(argument, out));
}
