//! The OR-AND tree interpreter: proofs from the question down, a set of rows at a time.
//!
//! The rules are remodelled for each condition that calls them and become a tree of OR nodes (questions to a
//! relation) and AND nodes (rules, as operations that merge one condition after the other into a set of
//! rows). A question of the engine contract is the proof of a root. Unlike the reference engine, which
//! derives all that follows from a state, it proves only what is asked, for the arguments that are asked; unlike
//! Prolog, it takes each condition once for all bindings instead of once for each, and remembers what it has
//! proved until the state changes. After the interpreter of MiNI-Player; docs/engines.md says what differs.
//!
//! Choose it for games whose ground rules do not fit the network. It needs no grounding, so it takes every
//! game that has a vocabulary; on games that the network takes, the network is faster.
//!
//! - `rulebook.rs`: the flat rules, sorted by where the rows of conditions come from; facts listed
//! - `unfold.rs`: conditions replaced by the body that they call
//! - `remodel.rs`: a copy of a rule for each condition that calls it
//! - `order.rs`: the order of conditions
//! - `compile.rs`, `node.rs`: rules to tree, and what the tree is
//! - `cell.rs`, `rowset.rs`, `lookup.rs`: numbers, sets of rows, indexes
//! - `facts.rs`: facts, state and moves as rows that can be looked up
//! - `answers.rs`, `groups.rs`: questions and answers of an OR node, and answers by some of their values
//! - `merge.rs`: the merge operations
//! - `prove.rs`, `recursion.rs`: the walk through the tree; nodes that need each other
//! - `tune.rs`: what play shows, and which bindings calls pass on
//! - `show.rs`: the tree as text
//! - `engine.rs`: the engine

mod answers;
mod cell;
mod compile;
mod engine;
mod facts;
mod groups;
mod lookup;
mod merge;
mod node;
mod order;
mod prove;
mod recursion;
mod remodel;
mod rowset;
mod rulebook;
mod show;
mod tune;
mod unfold;

pub use engine::Tree;

/// What the interpreter does beside proving. The defaults are the fastest; the others are there to measure
/// what each brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// A call passes the bindings of its rows on, so that nothing else is proved. Without, a called relation is
    /// proved whole; recursion over functions may then not end within the limits.
    pub filters: bool,
    /// What a node has answered stays until the state changes. Without, every call proves anew.
    pub sharing: bool,
    /// How many other ways to pass bindings on are tried when the rules are prepared. A filter without which
    /// less work was done is dropped; with 0 all are kept.
    pub trials: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { filters: true, sharing: true, trials: 12 }
    }
}
