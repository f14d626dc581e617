//! Facts as formulas that the prover reads again: what `words.rs` says for people, for programs.
//!
//! Fluents are listed, not described by patterns, so a formula says exactly what was proved. Where a fact has a name
//! among the properties ([`crate::formula::Named`]) the name is used.

use crate::facts::ImpossibleMoves;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Functor;
use ludex_gdl::syntax::print::infix_name;

/// Before the end, at most one role has a choice. Other than the named property it leaves out the end.
pub(super) const TURN_TAKING: &str = "not terminal => exists 0..1 P: exists 2..* M: legal(P,M)";

/// Writes formulas about one game.
#[derive(Clone, Copy)]
pub(super) struct Formulas<'v>(pub &'v Vocabulary);

impl Formulas<'_> {
    /// Exactly one of the fluents holds, or at most one.
    pub fn group(self, exactly: bool, fluents: &[FluentId]) -> String {
        let least = u8::from(exactly);
        format!("exists {least}..1 F in {}: true(F)", self.list(fluents))
    }

    /// All of the fluents hold, or none does.
    pub fn constant(self, value: bool, fluents: &[FluentId]) -> String {
        format!("forall F in {}: {}", self.list(fluents), holds(value))
    }

    /// Each of the fluents keeps the value, once it has it.
    pub fn persistent(self, value: bool, fluents: &[FluentId]) -> String {
        format!("forall F in {}: {} => next {}", self.list(fluents), holds(value), holds(value))
    }

    /// The two of each pair never hold together. Pairs that begin alike stand together.
    pub fn mutexes(self, pairs: &[(FluentId, FluentId)]) -> String {
        let parts = pairs.chunk_by(|one, other| one.0 == other.0).map(|chunk| {
            let seconds: Vec<FluentId> = chunk.iter().map(|pair| pair.1).collect();
            let first = self.term(self.0.fluent(chunk[0].0));
            format!("forall F in {}: not (true({first}) and true(F))", self.list(&seconds))
        });
        all(parts)
    }

    /// The fluents say whose turn it is.
    pub fn control(self, control: &[(FluentId, RoleId)]) -> String {
        let fluents: Vec<FluentId> = control.iter().map(|(fluent, _)| *fluent).collect();
        let others = control.iter().flat_map(|&(fluent, mover)| {
            let fluent = self.term(self.0.fluent(fluent));
            let waiting = self.0.roles().filter(move |&role| role != mover);
            waiting.map(move |role| {
                let role = self.term(self.0.role(role));
                format!("true({fluent}) and not terminal => exists 0..1 M: legal({role}, M)")
            })
        });
        all(std::iter::once(self.group(true, &fluents)).chain(others))
    }

    /// Moves of these names are never legal together before the end.
    pub fn impossible(self, pair: &ImpossibleMoves) -> String {
        let (one, other) = (self.some_move(pair.first), self.some_move(pair.second));
        format!("not terminal => not (({one}) and ({other}))")
    }

    /// The role has a legal move of that name.
    fn some_move(self, (role, (name, arity)): (RoleId, Functor)) -> String {
        let variables: Vec<String> = (1..=arity).map(|number| format!("X{number}")).collect();
        let mut action = String::new();
        infix_name(self.0.rules().symbols.name(name), &mut action);
        let role = self.term(self.0.role(role));
        if variables.is_empty() {
            return format!("legal({role}, {action})");
        }
        let variables = variables.join(", ");
        format!("exists {variables}: legal({role}, {action}({variables}))")
    }

    fn list(self, fluents: &[FluentId]) -> String {
        let names: Vec<String> = fluents.iter().map(|&fluent| self.term(self.0.fluent(fluent))).collect();
        format!("{{{}}}", names.join(", "))
    }

    fn term(self, term: TermId) -> String {
        let mut out = String::new();
        self.write(term, &mut out);
        out
    }

    fn write(self, term: TermId, out: &mut String) {
        infix_name(self.0.rules().symbols.name(self.0.terms().functor(term)), out);
        let arguments = self.0.terms().arguments(term);
        for (number, &argument) in arguments.iter().enumerate() {
            out.push_str(if number == 0 { "(" } else { ", " });
            self.write(argument, out);
        }
        if !arguments.is_empty() {
            out.push(')');
        }
    }
}

/// A conjunction. A quantifier reaches as far as it can, so each part has parentheses.
pub(super) fn all(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    match parts.as_slice() {
        [only] => only.clone(),
        several => several.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" and "),
    }
}

fn holds(value: bool) -> &'static str {
    if value { "true(F)" } else { "not true(F)" }
}
