//! Engines that compute states, legal moves and outcomes of games from their rules.
//!
//! | engine | what it is | choose it |
//! |---|---|---|
//! | [`datalog::Datalog`] | the reference: bottom-up, stratum by stratum | to check the others |
//! | [`tree::Tree`] | top-down proofs, a set of rows at a time | for games too big to ground |
//!
//! All engines meet one contract ([`engine::Engine`], [`engine::Worker`]) and share one numbering of
//! roles, fluents and moves ([`vocabulary::Vocabulary`]), so a state is the same row of bits in each.
//!
//! ```
//! use ludex_engine::{datalog::Datalog, engine::Engine, limits::Limits, perft::perft};
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (legal robot wait)
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
//!     (<= terminal (true (at 2)))
//!     (<= (goal robot 100) (true (at 2)))").into_game().expect("a sound sheet");
//! let engine = Datalog::new(&game, Limits::default())?;
//! assert_eq!(perft(&mut *engine.worker(), 3), 6);
//! # Ok::<(), ludex_engine::error::BuildError>(())
//! ```

#![deny(unsafe_code)]

pub mod auto;
pub mod datalog;
pub mod engine;
pub mod error;
mod frontend;
pub mod limits;
pub mod measure;
pub mod perft;
pub mod propnet;
pub mod random;
pub mod row;
pub mod terms;
pub mod tree;
pub mod vocabulary;
pub mod watch;
