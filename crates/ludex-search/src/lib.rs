//! Search on top of engines: minimax, Monte Carlo, clocks.

#![forbid(unsafe_code)]
