//! The syntax tree: what a sheet says, before any meaning is given to it.
//!
//! Both notations give the same tree, so everything behind the parsers is written once. Names are symbols
//! of the tree's own table; every node knows its place. The tree keeps the sheet's shape (`or`, `not`,
//! clause order, spelling); [`crate::rules`] is the form that has a meaning.

use super::span::Span;
use crate::symbols::{Symbol, Symbols};

/// A whole sheet.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The names that the clauses use.
    pub symbols: Symbols,
    /// The clauses, in the order of the text.
    pub clauses: Vec<Clause>,
}

/// `head` or `head if body`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The atom that the clause defines.
    pub head: Term,
    /// The conjunction it needs; `None` for a fact, empty for a rule written without conditions.
    pub body: Option<Vec<Formula>>,
    /// The whole clause.
    pub span: Span,
}

/// A condition in a body.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What kind of condition.
    pub kind: FormulaKind,
    /// The whole condition.
    pub span: Span,
}

/// The kinds of [`Formula`].
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A relation, possibly a keyword such as `true`.
    Atom(Term),
    /// The two terms differ.
    Distinct(Term, Term),
    /// The condition does not hold.
    Not(Box<Formula>),
    /// At least one condition holds.
    Or(Vec<Formula>),
    /// All conditions hold.
    And(Vec<Formula>),
}

/// A term, or an atom in the place of one.
#[derive(Clone, Debug)]
pub struct Term {
    /// What kind of term.
    pub kind: TermKind,
    /// The whole term.
    pub span: Span,
}

/// The kinds of [`Term`].
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A variable; the name has no `?`.
    Variable(Symbol),
    /// A constant.
    Constant(Symbol),
    /// A function or relation with arguments. In KIF the list of arguments may be empty: `(terminal)`.
    Compound(Symbol, Vec<Term>),
}

impl Term {
    /// The name in front: of a constant, or of a compound term.
    pub fn name(&self) -> Option<Symbol> {
        match &self.kind {
            TermKind::Variable(_) => None,
            TermKind::Constant(name) | TermKind::Compound(name, _) => Some(*name),
        }
    }

    /// The arguments; none for variables and constants.
    pub fn arguments(&self) -> &[Term] {
        match &self.kind {
            TermKind::Compound(_, arguments) => arguments,
            _ => &[],
        }
    }
}
