//! Engines that compute states, legal moves and outcomes of games from their rules.
//!
//! | engine | what it is | choose it |
//! |---|---|---|
//! | [`datalog::Datalog`] | the reference: bottom-up, stratum by stratum | to check the others |
//! | [`tree::Tree`] | top-down proofs, a set of rows at a time | for games too big to ground |
//! | [`propnet::Propnet`] | the rules as a circuit, for single states | for search |
//! | [`propnet::lanes::Lanes`] | the same circuit, 512 games at a time | for batches of random games |
//! | [`auto::Portfolio`] | builds what fits, measures it, takes the fastest | when in doubt |
//!
//! All engines meet one contract ([`Engine`], [`Worker`]) and share one numbering of
//! roles, fluents and moves ([`Vocabulary`]), so a state is the same row of bits in each.
//!
//! ```
//! use ludex_engine::{Budget, Engine, datalog::Datalog, perft::perft};
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (legal robot wait)
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
//!     (<= terminal (true (at 2)))
//!     (<= (goal robot 100) (true (at 2)))").into_game().expect("a sound sheet");
//! let engine = Datalog::new(&game, &Budget::default())?;
//! assert_eq!(perft(&mut *engine.worker(), 3)?, 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(feature = "native", deny(unsafe_code))]
#![cfg_attr(not(feature = "native"), forbid(unsafe_code))]

pub mod auto;
pub mod datalog;
pub mod engine;
pub mod error;
pub mod fault;
mod frontend;
pub mod measure;
pub mod native;
pub mod outputs;
pub mod perft;
pub mod prepared;
pub mod propnet;
pub mod quick;
pub mod random;
pub mod row;
pub mod statics;
pub mod symmetry;
pub mod terms;
pub mod tree;
pub mod vocabulary;
pub mod words;

pub use engine::{Engine, Goal, PlayoutBuffer, Worker};
pub use error::BuildError;
pub use fault::Fault;
pub use ludex_gdl::budget::{self, Budget};
pub use random::Random;
pub use vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
