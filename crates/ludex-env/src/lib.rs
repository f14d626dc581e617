//! Any game as a batch to step: thousands of games at a time, with given moves.
//!
//! A [`Model`] is a game compiled for it; a [`Batch`] is many games of the model, each in its own state.
//! Actions come in as integers, an action of each role for each game; legal moves, rewards, ends and
//! observations go out as arrays of the caller ([`Outputs`]). [`Options`] say what happens where the rules
//! leave it open: when a game begins anew, what an illegal action means, what a goal is worth. Nothing that
//! comes in is undefined.
//!
//! Games with a network are stepped 512 at a time, one bit a game (`ludex_engine::propnet::lanes`); others
//! one at a time by an interpreter, with the same answers. Use it to train or search with moves of your own;
//! for random playouts of which only statistics are wanted the lanes are faster, and for questions about
//! single states the engines are simpler.
//!
//! ```
//! use ludex_env::{Batch, Model, Options, Outputs, Start, Which};
//! use ludex_engine::budget::Budget;
//! use std::sync::Arc;
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (legal robot wait)
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?x)) (does robot wait) (true (at ?x)))
//!     (<= terminal (true (at 2)))
//!     (<= (goal robot 100) (true (at 2)))").into_game().expect("a sound sheet");
//! let model = Arc::new(Model::new(&game, &Budget::default())?);
//! let mut batch = Batch::new(model, 3, Options::default())?;
//!
//! // Moves are numbered by name: 0 is `step`, 1 is `wait`. The third game waits.
//! let (mut legal, mut rewards, mut terminated) = ([0; 6], [0.0; 3], [0; 3]);
//! batch.step(&[0, 0, 1][..], Outputs::default())?;
//! let outputs = Outputs {
//!     legal: Some(&mut legal),
//!     rewards: Some(&mut rewards),
//!     terminated: Some(&mut terminated),
//!     ..Outputs::default()
//! };
//! batch.step(&[0, 1, 0][..], outputs)?;
//! assert_eq!(terminated, [1, 0, 0]);
//! assert_eq!(rewards, [100.0, 0.0, 0.0]);
//! assert_eq!(legal, [0, 0, 1, 1, 1, 1]);
//!
//! // All begin anew where the second game is.
//! let mut states = [0; 3];
//! batch.states(&mut states)?;
//! batch.reset(Which::All, Start::States(&[states[1]; 3]), Outputs::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod batch;
mod board;
mod encode;
mod error;
mod model;
mod options;
mod outputs;
mod part;
mod reward;
mod simulate;

pub use batch::{Batch, Start, Which};
pub use board::NoBoard;
pub use encode::{Counter, Encoder};
pub use error::EnvError;
pub use model::Model;
pub use options::{Autoreset, Forced, Illegal, Options, Rewards};
pub use outputs::{Cells, Outputs};
pub use reward::Scale;
pub use simulate::Actions;
