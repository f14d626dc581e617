//! A limit that was met in play: what every command says about it.

use anyhow::{Error, anyhow};
use ludex::engine::fault::Fault;
use std::fmt::Display;

/// The failure of a command whose engine could not answer about a state of `game`; `place` says which.
pub fn met(game: &str, place: impl Display, fault: &Fault) -> Error {
    match fault.limit() {
        limit if limit.is_final() => anyhow!("{game}, {place}: it takes {limit}"),
        _ => anyhow!("{game}, {place}: {fault}; another --engine or more --most-steps may answer"),
    }
}
