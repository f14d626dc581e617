//! What holds in a game: properties and their proofs, what is worth proving, and the end of the game by regression.
//!
//! - [`formula`]: what can be asked, as text and as meaning for a game
//! - [`transition`]: a game as a transition system, compiled for a set of questions
//! - `unroll`, `solver`: several moments of a game as clauses, and the SAT solver behind them
//! - [`prove`]: induction, property-directed reachability, certificates, counterexamples
//! - [`discover`]: what is worth knowing of a game, found and proved
//! - [`review`]: what is likely wrong with a game, guessed from random play
//! - [`facts`]: the value of what is proved, for the rest of Ludex
//! - [`endgame`]: what is how far from a goal, by regression and by exhaustion, in one file
//! - [`asp`]: the same questions as answer-set programs for clingo
//!
//! ```
//! use ludex_engine::prepared::Prepared;
//! use ludex_logic::formula::Request;
//! use ludex_logic::prove::{Answer, Options, Prover};
//! use ludex_logic::transition::System;
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (legal robot wait)
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
//!     (<= terminal (true (at 2)))
//!     (<= (goal robot 100) (true (at 2)))").into_game().expect("a sound sheet");
//! let system = System::new(&Prepared::new(game), &[], &Default::default())?;
//! let prover = Prover::new(&system, Options::default());
//! let somewhere = prover.answer(&Request::read("exists 1..1 X: true(at(X))")?)?;
//! assert!(matches!(somewhere, Answer::Holds(_)));
//! // It may wait for ever: the state comes back.
//! let ends = prover.answer(&Request::read("terminates")?)?;
//! assert!(matches!(ends, Answer::Fails(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod asp;
pub mod discover;
pub mod endgame;
pub mod facts;
pub mod formula;
pub mod mend;
pub mod plan;
pub mod prove;
pub mod review;
mod solver;
pub mod transition;
mod unroll;
