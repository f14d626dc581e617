//! The Game Description Language: reading, checking, printing and analysing the rules of games.
//!
//! ```
//! use ludex_gdl::Sheet;
//!
//! let sheet = Sheet::read("(role robot) (init (at 0)) (succ 0 1)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= terminal (true (at 1)))
//!     (<= (goal robot 100) (true (at 1)))");
//! assert!(sheet.findings.is_empty());
//! let game = sheet.game().expect("no errors");
//! assert_eq!(game.rules.rules().len(), 7);
//! println!("{}", ludex_gdl::syntax::print::infix(&game.rules.to_tree()));
//! ```
//!
//! The way of a text: [`syntax`] makes a tree of it, in whichever of two notations it is written; lowering
//! makes [`Rules`] of the tree, with disjunctions split and names interned; checking decides whether
//! they have a meaning and finds an order of evaluation ([`analysis::strata`]). All three collect
//! [`Diagnostic`]s instead of stopping at the first.
//!
//! This crate knows nothing of states, engines or files: texts come in, rules and findings come out.
//! Nothing in it panics or recurses without bound on any input ([`syntax::TextLimits`]).

#![forbid(unsafe_code)]

pub mod analysis;
pub mod budget;
pub mod caret;
mod check;
pub mod diagnostic;
mod lower;
mod remarks;
pub mod rewrite;
pub mod rules;
pub mod spelling;
pub mod symbols;
pub mod syntax;
pub mod unify;

pub use diagnostic::{Code, Diagnostic, Severity};
pub use rules::Rules;
pub use symbols::{Keyword, Symbol, Symbols};

use analysis::strata::Stratum;
use rules::RelationId;
use std::sync::Arc;
use syntax::{Findings, Notation, Parsed, TextLimits, tree::Tree};

/// A sheet that was read and checked.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// The text, which all spans point into.
    pub text: Arc<str>,
    /// How it is written.
    pub notation: Notation,
    /// Its clauses as they stand there.
    pub tree: Tree,
    /// Everything that is wrong with it, in the order of the text.
    pub findings: Vec<Diagnostic>,
    /// The game; where there is an error, the rules of the clauses that have none.
    game: Result<Game, Rules>,
}

/// Rules that have a meaning: safe and stratified.
#[derive(Clone, Debug)]
pub struct Game {
    /// The rules.
    pub rules: Rules,
    /// An order in which they can be applied.
    pub strata: Vec<Stratum>,
    /// In a game translated for the frame problem, the relation of the fluents that end: the successor is
    /// what `next` gives and, of the state, everything but these. `None` in a game as it was written.
    pub frame: Option<RelationId>,
}

impl Sheet {
    /// Reads and checks a text with the default limits.
    pub fn read(text: &str) -> Sheet {
        Sheet::read_bytes(text.as_bytes(), &TextLimits::default())
    }

    /// Reads and checks whatever bytes a file held.
    pub fn read_bytes(bytes: &[u8], limits: &TextLimits) -> Sheet {
        Sheet::check(syntax::parse_bytes(bytes, limits), limits)
    }

    fn check(mut parsed: Parsed, limits: &TextLimits) -> Sheet {
        let mut findings = Findings::new(limits);
        std::mem::take(&mut parsed.findings).into_iter().for_each(|f| findings.push(f));
        let lowered = lower::lower(&parsed, limits, &mut findings);
        let broken = findings.list.iter().any(Diagnostic::is_error);
        // Rules are missing where a clause was refused, so a missing `terminal` would be an echo.
        let game = if broken { None } else { check::check(&lowered, &mut findings) };
        if game.is_some() && !findings.list.iter().any(Diagnostic::is_error) {
            remarks::remark(&lowered, &parsed, &mut findings);
        }
        let mut findings = findings.list;
        findings.sort_by_key(|f| (f.span, f.code));
        let broken = findings.iter().any(Diagnostic::is_error);
        let game = game.filter(|_| !broken).ok_or(lowered.rules);
        Sheet { text: parsed.text, notation: parsed.notation, tree: parsed.tree, findings, game }
    }

    /// The rules, if there was no error.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref().ok()
    }

    /// The rules of every clause that has no error of its own: all of them if there is a game. They need not be
    /// stratified, and what they call undefined may stand in a clause with an error: for editors, not for play.
    pub fn rules(&self) -> &Rules {
        self.game.as_ref().map_or_else(|rules| rules, |game| &game.rules)
    }

    /// The rules, or the findings of which at least one is an error.
    pub fn into_game(self) -> Result<Game, Vec<Diagnostic>> {
        self.game.map_err(|_| self.findings)
    }

    /// The findings that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.findings.iter().filter(|f| f.is_error())
    }
}
