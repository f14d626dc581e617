//! Questions to a game: what they can be told, and what they answer.
//!
//! A question is made by a method of [`Game`](crate::Game) and has sensible defaults; methods of its own
//! change them, and `run` answers. Nothing is computed before.

mod playouts;
#[cfg(feature = "logic")]
mod prove;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "logic")]
mod solve;
mod stats;

pub use playouts::{Outcomes, Playouts, RoleOutcome};
#[cfg(feature = "logic")]
pub use prove::{Discover, Discovered, Prove, Proved};
#[cfg(feature = "search")]
pub use search::{Candidate, Found, Search};
#[cfg(feature = "logic")]
pub use solve::{RoleValue, Solve, Solved};
#[cfg(feature = "search")]
pub use stats::{Contest, Skill};
pub use stats::{FirstMover, Lengths, Mean, Ply, RoleStatistics, Share, States, Statistics, Stats, Values};
