//! What most programs want: `use ludex::prelude::*;`

pub use crate::{Error, Game, LoadError, Match, Moves, PlayError};
pub use ludex_engine::{Engine, Random, Worker};
