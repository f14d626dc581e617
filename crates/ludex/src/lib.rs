//! Ludex: General Game Playing.
//!
//! Give it the rules of any game in the Game Description Language, and it computes initial state, legal
//! moves, successors, ends and goals.
//!
//! ```
//! use ludex::engine::budget::Budget;
//! use ludex::engine::perft::perft;
//!
//! let game = ludex::load("tictactoe")?;
//! let engine = ludex::engines::AUTO.build(&game, &Budget::default())?;
//! assert_eq!(perft(&mut *engine.worker(), 4)?, 3024);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate is a facade: [`gdl`] reads and checks rules, [`engine`] computes states, [`ggp`] knows
//! the protocol and records of matches, [`search`] plays. Its own are the [`games`] that are bundled with Ludex, the list of [`engines`] by
//! name, and [`load`], for programs that want a game and no findings. It never prints.
//!
//! See `examples/` for small programs.

#![forbid(unsafe_code)]

pub mod engines;
pub mod games;
mod load;

#[doc(inline)]
pub use ludex_board as board;
#[doc(inline)]
pub use ludex_engine as engine;
#[doc(inline)]
pub use ludex_gdl as gdl;
#[cfg(feature = "ggp")]
#[doc(inline)]
pub use ludex_ggp as ggp;
#[cfg(feature = "logic")]
#[doc(inline)]
pub use ludex_logic as logic;
#[cfg(feature = "search")]
#[doc(inline)]
pub use ludex_search as search;

pub use load::{LoadError, load, load_file};
