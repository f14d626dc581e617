//! Formulas over the states of a game: what can be asked of the prover.
//!
//! ```text
//! formula    = implied { "<=>" implied }
//! implied    = either [ "=>" implied ]
//! either     = both { "or" both }
//! both       = simple { ("and" | ",") simple }
//! simple     = "not" simple | "next" simple | quantifier | "(" formula ")" | term "=" term | term "!=" term | atom
//! quantifier = ("forall" | "exists" [ m ".." (n | "*") ]) Variable { "," Variable } [ "in" "{" terms "}" ] ":" formula
//! ```
//!
//! Atoms and terms are written in the infix notation of rules, whatever notation the game is written in. An
//! atom is any relation of the game that does not depend on `does`, but for `init` and `next`; `distinct(s, t)`
//! is `s != t`. A quantifier reaches as far to the right as it can.
//!
//! **Meaning.** A formula is read along sequences of states, as in Thielscher and Voigt (2010): it *holds in a
//! state* if it is true of every sequence of legal moves from there, as long as the formula looks ahead or
//! until the game ends. `next F` is true of a sequence if `F` is true of what follows the first move, and
//! true where nothing follows. So `not next F` says that `F` is false after *every* move, and implies
//! `next not F`. A sequence ends in a terminal state; a state in which some role has no legal move ends it too
//! (the paper leaves such games without a meaning).
//!
//! **Variables** range over everything that can stand in the places in which the formula has them: for places
//! inside `true(...)` and `legal(...)` what the vocabulary has there, for other relations the constants that the
//! rules can bring there; or over the list that the quantifier gives.
//!
//! [`Formula`] is the text understood, without a game. [`Property`] is its meaning for a game: relations found,
//! domains computed. [`Request`] is what users type: a formula, or one of the [`Named`] properties.

mod error;
mod force;
mod named;
mod parse;
mod property;

pub use error::FormulaError;
pub use force::{Force, Wish};
pub use named::{Named, Request};
pub use property::{Arg, Atom, Expression, Property, Question};

use ludex_gdl::syntax::Span;
use std::sync::Arc;

/// A formula with the text that its places point into.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// The text.
    pub text: Arc<str>,
    /// What it says.
    pub root: Node,
}

impl Formula {
    /// Reads a formula.
    pub fn read(text: &str) -> Result<Formula, FormulaError> {
        parse::formula(&text.into())
    }
}

/// A part of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it stands.
    pub span: Span,
}

/// What a part of a formula can be.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A relation with arguments.
    Atom(Term),
    /// The two terms are equal.
    Equal(Term, Term),
    /// Negation.
    Not(Box<Node>),
    /// All of them.
    And(Vec<Node>),
    /// One of them at least.
    Or(Vec<Node>),
    /// If the first then the second.
    Implies(Box<Node>, Box<Node>),
    /// Both or neither.
    Iff(Box<Node>, Box<Node>),
    /// After every legal joint move.
    Next(Box<Node>),
    /// For how many values the body holds.
    Quantifier {
        /// How many.
        kind: Quantifier,
        /// The variables, with their places.
        variables: Vec<(String, Span)>,
        /// The values that each of them takes, where they are listed.
        values: Option<Vec<Term>>,
        /// What is said of them.
        body: Box<Node>,
    },
}

/// How many values must satisfy the body of a quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// All.
    Forall,
    /// At least as many as the first, at most as many as the second, if there is one.
    Exists(usize, Option<usize>),
}

/// A term as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The name, or the name of the variable.
    pub name: String,
    /// True for a variable.
    pub is_variable: bool,
    /// The arguments; none for constants and variables.
    pub arguments: Vec<Term>,
    /// Where it stands.
    pub span: Span,
}
