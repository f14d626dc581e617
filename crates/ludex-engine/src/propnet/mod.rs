//! Propositional networks: the rules as a circuit.
//!
//! Grounding (`ground.rs`) writes the rules out without variables; `build.rs` makes a network of two-input
//! gates of them (`net.rs`), in which what does not change costs little. Two executions: [`Propnet`]
//! (`scalar.rs`) answers questions about one state at a time, for search; [`lanes`] plays
//! 512 games at a time, one bit a game.
//!
//! Choose it whenever it can be built: it is faster than interpreting the rules by two orders of
//! magnitude. It cannot take games whose ground rules do not fit the limits.

mod build;
mod change;
mod choices;
mod counters;
mod effects;
mod formula;
mod goals;
mod ground;
mod guards;
mod indexed_set;
pub mod lanes;
mod net;
mod phase;
mod plan;
mod scalar;
mod straight;
mod tracker;
mod turn;

pub use net::{Block, Net, Node, Signal};
pub use scalar::Propnet;

use crate::datalog::Base;
use crate::error::BuildError;
use crate::limits::Limits;
use crate::terms::{TermId, Terms};
use crate::vocabulary::Vocabulary;
use ludex_gdl::Game;
use std::sync::Arc;

/// The sizes of a network after each step of its making.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Ground rules.
    pub rules: usize,
    /// Gates that the rules give, equal ones shared and constants folded.
    pub gates: usize,
    /// Gates that some output reads.
    pub swept: usize,
}

/// The network of a game, with the numbering of its inputs and outputs.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The numbering.
    pub vocabulary: Arc<Vocabulary>,
    /// The network.
    pub net: Net,
    /// The initial state.
    pub initial: Vec<u64>,
    /// How it came about.
    pub sizes: Sizes,
    /// What `Net::asked` stands for.
    pub asked: Asked,
}

/// Questions beyond those of the contract. A rule for the `goal` of somebody who is no role has no other use,
/// so a caller that wants to know when `p(X)` holds adds `goal(ask(X), 0) :- p(X)` to the rules: each ground
/// `ask(x)` becomes an output, in the order of `Net::asked`.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The table of the terms.
    pub terms: Terms,
    /// The first arguments of those goals.
    pub questions: Vec<TermId>,
}

/// Compiles the rules of a game into a network.
pub fn compile(game: &Game, limits: Limits) -> Result<Compiled, BuildError> {
    let vocabulary = Arc::new(Vocabulary::new(game, limits)?);
    Base::build_on_demand(game, Vec::new(), vocabulary.terms(), limits, |base| {
        let ground = ground::Ground::new(base, limits)?;
        let net = build::build(base, &ground, &vocabulary);
        let swept = net.swept();
        let sizes = Sizes { rules: ground.rule_count(), gates: net.gate_count(), swept: swept.gate_count() };
        let initial = base.initial(&vocabulary);
        let questions = build::asked(base, &ground, &vocabulary);
        let terms = if questions.is_empty() { Terms::default() } else { ground.store.terms.clone() };
        let asked = Asked { terms, questions };
        Ok(Compiled { vocabulary: vocabulary.clone(), net: swept, initial, sizes, asked })
    })
}
