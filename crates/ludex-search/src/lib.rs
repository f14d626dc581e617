//! Search on top of engines.
//!
//! | module | what it is | choose it |
//! |---|---|---|
//! | [`uct`] | decoupled UCT with proofs and batches | for any game |
//! | [`alphabeta`] | exact bounds by iterative deepening | two roles who take turns for a constant sum |
//! | [`solitaire`] | every state once, nearest first | games for one |
//! | [`minimax`] | full width, nothing clever | to measure encodings and engines |
//! | [`closeness`] | how far the conditions of the goals are met, and whether that tells anything | to guide `uct` and `solitaire` |
//! | [`suitable`] | which exhaustive search a game suits, by what is proved of it | to choose among those |
//! | [`mind`] | one role of one match: engines, threads, time | to play |
//!
//! All but `minimax` end by a [`clock::Clock`]; `uct` and `alphabeta` answer with an [`estimate::Estimate`].

#![forbid(unsafe_code)]

pub mod alphabeta;
pub mod clock;
pub mod closeness;
pub mod estimate;
pub mod mind;
pub mod minimax;
pub mod solitaire;
pub mod suitable;
pub mod uct;
