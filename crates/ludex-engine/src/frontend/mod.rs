//! What all engines start from: the rules as a flat Datalog program over tables.
//!
//! Terms are flattened into columns, what depends on neither state nor moves is computed once, and a fixpoint that
//! ignores negation gives a finite superset of everything else ([`Base`]). The reference engine evaluates this
//! program state by state, the interpreter remodels its rules, the network grounds them. There is one evaluator of
//! tables (`evaluate.rs`, semi-naive), and whoever needs rows uses it.
//!
//! - `program.rs`: rules made flat
//! - `table.rs`, `presence.rs`: sets of rows with indexes; those of large tables as bits
//! - `plan.rs`: the order of conditions (join order)
//! - `evaluate.rs`: rules applied to tables
//! - `base.rs`: the static part, and the superset
//! - `project.rs`: conditions without the arguments that they leave open
//! - `reach.rs`: the fluents and moves of the superset, for the vocabulary
//! - `split.rs`: large rules in parts, for those who enumerate instances
//! - `questions.rs`: the strata that each question of the engine contract needs

mod base;
mod evaluate;
mod plan;
mod presence;
mod program;
mod project;
mod questions;
mod reach;
mod split;
mod table;

pub(crate) use base::{Base, Extent, Overrun};
pub(crate) use evaluate::{Sink, Store, StratumPlan};
pub(crate) use plan::{Estimate, Plan};
pub(crate) use program::{Arg, FlatAtom, FlatLiteral, FlatRule, Program, Shape, Stay, TableId};
pub(crate) use questions::Questions;
pub(crate) use reach::reach;
pub(crate) use split::split;
pub(crate) use table::Table;
