//! The reference engine: bottom-up evaluation, stratum by stratum.
//!
//! It does what the definition of a game says and little else, so that it can be trusted: the state is
//! written into the *true* tables, the moves into the *does* tables, and the rules are applied in the
//! order of their strata until nothing new follows. What makes it usable all the same: relations that
//! depend on neither state nor moves are computed once; of the others only those that a question needs,
//! and once a state; rules are semi-naive joins over indexed tables, ordered by measured sizes.
//!
//! Choose it to check another engine, or for a game that no other engine takes. It cannot run games
//! whose vocabulary is beyond the limits, nor games with a relation that is endless even on demand.
//!
//! - `table.rs`, `presence.rs`: sets of rows with indexes; those of large tables as bits
//! - `program.rs`: rules made flat
//! - `plan.rs`: the order of conditions
//! - `evaluate.rs`: rules applied to tables
//! - `split.rs`: large rules in parts, for those who enumerate instances
//! - `base.rs`: the static part, and a superset of everything else
//! - `project.rs`: conditions without the arguments that they leave open
//! - `reach.rs`: the fluents and moves of that superset, for the vocabulary
//! - `reference.rs`: the engine
//! - `firsthand.rs`: one state at a time in words, before there is a vocabulary

mod base;
mod evaluate;
mod firsthand;
mod plan;
mod presence;
mod program;
mod project;
mod reach;
mod reference;
mod split;
mod table;

pub(crate) use base::{Base, Extent, Overrun};
pub(crate) use evaluate::{Sink, Store};
pub use firsthand::{Firsthand, Lost};
pub(crate) use plan::{Estimate, Plan};
pub(crate) use program::{Arg, FlatAtom, FlatLiteral, FlatRule, Program, Shape, Stay, TableId};
pub(crate) use reach::reach;
pub use reference::Datalog;
pub(crate) use split::split;
pub(crate) use table::Table;
