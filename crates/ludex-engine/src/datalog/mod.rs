//! The reference engine: bottom-up evaluation, stratum by stratum.
//!
//! It does what the definition of a game says and little else, so that it can be trusted: the state is
//! written into the *true* tables, the moves into the *does* tables, and the rules are applied in the
//! order of their strata until nothing new follows. What makes it usable all the same: relations that
//! depend on neither state nor moves are computed once; of the others only those that a question needs,
//! and once a state; rules are semi-naive joins over indexed tables (`frontend`), ordered by measured sizes.
//!
//! Choose it to check another engine, or for a game that no other engine takes. It cannot run games
//! whose vocabulary is beyond the limits, nor games with a relation that is endless even on demand.
//!
//! - `reference.rs`: the engine
//! - `firsthand.rs`: one state at a time in words, before there is a vocabulary

mod firsthand;
mod reference;

pub use firsthand::{Firsthand, Lost};
pub use reference::Datalog;
