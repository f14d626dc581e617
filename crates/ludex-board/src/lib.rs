//! States drawn as boards.
//!
//! GDL has no boards, only fluents, so a board is a guess: fluents of one shape, such as
//! `(cell 1 2 x)` or `(cell (at 1 2) x)`, in which two places are coordinates and what remains is the
//! content. Whether a shape is one is decided once, from the whole vocabulary and the initial state
//! (`find.rs`), so that all states of a match are drawn alike. What is on no board is listed below.
//! A wrong guess costs looks only: every coordinate and content is a name of the rules.
//!
//! ```
//! use ludex_board::Drawing;
//! use ludex_engine::{Budget, Engine, datalog::Datalog};
//!
//! let game = ludex_gdl::Sheet::read("(role x) (index 1) (index 2)
//!     (<= (init (cell ?i ?j b)) (index ?i) (index ?j))
//!     (<= (legal x (mark ?i ?j)) (true (cell ?i ?j b)))
//!     (<= (next (cell ?i ?j x)) (does x (mark ?i ?j)))
//!     (<= (next (cell ?i ?j x)) (true (cell ?i ?j x)))
//!     (<= (next (cell ?i ?j b)) (true (cell ?i ?j b)) (not (does x (mark ?i ?j))))
//!     (<= terminal (true (cell 1 1 x)))
//!     (<= (goal x 100) (true (cell 1 1 x)))").into_game().expect("a sound sheet");
//! let engine = Datalog::new(&game, &Budget::default())?;
//! let mut state = vec![0; engine.vocabulary().words()];
//! engine.worker().initial(&mut state);
//! let drawing = Drawing::find(engine.vocabulary(), &state, &Budget::default())?;
//! let drawn = drawing.scene(&state).text();
//! assert_eq!(drawn.lines().collect::<Vec<_>>(), [" 2 | . .", " 1 | . .", "   +----", "     1 2"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod axis;
mod clicks;
mod content;
mod drawing;
mod evidence;
mod find;
mod grid;
mod hand;
mod joins;
mod lattice;
mod line;
mod neighbours;
mod pieces;
mod placed;
pub mod scene;
mod spread;
mod stack;
mod statics;
mod strokes;
mod svg;
mod table;
mod text;
mod tuple;

pub use drawing::{BoardLayout, ClickLayout, Drawing, Layout, Step};
pub use scene::{Scene, SpotId};
pub use svg::animated;
