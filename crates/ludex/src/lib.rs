//! Ludex: General Game Playing.
//!
//! Give it the rules of any game in the Game Description Language, and it computes initial state, legal moves, successors,
//! ends and goals; plays, searches, proves what holds, and solves what is small enough.
//!
//! ```
//! use ludex::prelude::*;
//!
//! fn main() -> ludex::Result<()> {
//!     let game = Game::load("tictactoe")?;
//!     let mut play = game.start()?;
//!     while !play.is_over() {
//!         let found = game.search(&play).iterations(300).run()?;
//!         play.play(found.best.expect("somebody can move"))?;
//!     }
//!     print!("{}", play.draw());
//!     println!("{:?} get {:?}", play.roles(), play.goals());
//!     Ok(())
//! }
//! ```
//!
//! | to | use |
//! |---|---|
//! | load rules by name, path or text | [`Game::load`], [`Game::open`], [`Game::read`] |
//! | play, with moves in words | [`Game::start`], [`Match::play`] |
//! | play at random, a million times | [`Game::playouts`] |
//! | know what play is like | [`Game::stats`] |
//! | find a good move | [`Game::search`] |
//! | know what always holds | [`Game::prove`], [`Game::facts`] |
//! | know who wins | [`Game::solve`] |
//!
//! These are for people; what they stand on is there as well. [`gdl`] reads and checks rules, [`engine`] computes with
//! states as rows of bits, `logic` proves, `search` plays against a clock, `ggp` knows the protocol and the records of
//! matches, [`board`] draws. [`games`] are bundled, [`engines`] are listed by name. Nothing here prints.
//!
//! # Features
//!
//! `logic`, `search` (with `logic`) and `ggp` (with `search`) stand for the crates of those names; `native` is machine code
//! and vector instructions in the engines. All are on by default; without them there are rules, engines and play. `cuda`
//! plays on GPUs.

#![forbid(unsafe_code)]

/// The program of the README is run as well.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(feature = "cuda", feature = "search"))]
mod accelerator;
pub mod ask;
pub mod engines;
mod error;
mod game;
pub mod games;
mod load;
mod moves;
mod play;
pub mod prelude;

#[cfg(all(feature = "cuda", feature = "search"))]
pub use accelerator::GpuLeaves;
pub use error::{Error, Result};
pub use game::Game;
pub use load::{LoadError, load, load_file};
pub use moves::Moves;
pub use play::{Match, PlayError};

#[doc(inline)]
pub use ludex_board as board;
#[cfg(feature = "cuda")]
#[doc(inline)]
pub use ludex_cuda as cuda;
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
