//! Search on top of engines.
//!
//! | module | what it is | choose it |
//! |---|---|---|
//! | [`uct`] | decoupled UCT with proofs and batches | for any game |
//! | [`alphabeta`] | exact bounds by iterative deepening | two roles who take turns for a constant sum |
//! | [`solitaire`] | every state once, nearest first | games for one |
//! | [`minimax`] | full width, nothing clever | to measure encodings and engines |
//! | [`goal_heuristic`] | how far the conditions of the goals are met, and whether that tells anything | to guide `uct` and `solitaire` |
//! | [`selection`] | which exhaustive search a game suits, by what is proved of it | to choose among those |
//! | [`agent`] | one role of one match: engines, threads, time | to play |
//!
//! All but `minimax` end by a [`clock::Clock`]; `uct` and `alphabeta` answer with an [`estimate::Estimate`].

#![forbid(unsafe_code)]

pub mod agent;
pub mod alphabeta;
pub mod clock;
pub mod estimate;
pub mod goal_heuristic;
pub mod minimax;
pub mod selection;
pub mod solitaire;
pub mod uct;
