//! What holds in a game: properties and their proofs, what is worth proving, and the end of the game by regression.

#![forbid(unsafe_code)]

pub mod facts;
