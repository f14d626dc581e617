//! Games solved beyond memory.
//!
//! States are packed into few bits by what is proved of the game ([`packing`]), visited layer by layer, sorted, and kept
//! in tables on disk ([`table`]); values are worked back from the ends. All of it happens in a folder that survives
//! being killed ([`folder`], [`manifest`]) and answers what a state is worth ([`Store`]).
//!
//! | to | use |
//! |---|---|
//! | solve a game, count its states or its lines of play | [`start`] with a [`Task`] |
//! | go on with a run | [`resume`] |
//! | estimate how many states there are, before | [`estimate::estimate`] |
//! | ask what a state is worth | [`Store`] |
//! | prove what a role can force, without visiting all states | [`strategy::search`] |
//!
//! `ludex_logic::endgame::solve` does the same in memory, for games of some millions of states; the answers are the
//! same. What this cannot do: games whose states take more than 1,024 bits, and values of simultaneous moves that need
//! mixed strategies.

#![forbid(unsafe_code)]

mod backward;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod counter;
mod cycles;
mod error;
pub mod estimate;
mod expand;
pub mod folder;
mod forward;
pub mod manifest;
pub mod packing;
pub mod plan;
mod run;
mod sort;
mod store;
pub mod strategy;
pub mod table;

pub use error::{Error, Result};
pub use run::{Options, Reached, Task, read, resume, start};
pub use store::Store;
