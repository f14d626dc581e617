//! What holds in a game: properties and their proofs, what is worth proving, and the end of the game by regression.
//!
//! - [`formula`]: what can be asked, as text and as meaning for a game
//! - [`transition`]: a game as a transition system, compiled for a set of questions
//! - `unroll`, `solver`: several moments of a game as clauses, and the SAT solver behind them
//! - [`prove`]: induction, property-directed reachability, certificates, counterexamples
//! - [`discover`]: what is worth knowing of a game, found and proved
//! - [`facts`]: the value of what is proved, for the rest of Ludex
//! - [`endgame`]: what is how far from a goal, by regression and by exhaustion, in one file
//! - [`asp`]: the same questions as answer-set programs for clingo

#![deny(unsafe_code)]

pub mod asp;
pub mod discover;
pub mod endgame;
pub mod facts;
pub mod formula;
pub mod prove;
mod solver;
pub mod transition;
mod unroll;
