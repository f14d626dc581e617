//! Search on top of engines: minimax, Monte Carlo, clocks.

#![forbid(unsafe_code)]

pub mod alphabeta;
pub mod clock;
pub mod estimate;
pub mod mind;
pub mod minimax;
pub mod solitaire;
pub mod uct;
