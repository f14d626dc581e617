//! The compiled half of the Python package `ludex`.
//!
//! Thin: what is computed is computed by the crates `ludex` and `ludex-env`; here arguments are read, the
//! interpreter lock is released around every computation, and errors become exceptions. Arrays are made by
//! Python (`python/ludex`), and this half writes into their memory.

mod batch;
mod device;
mod error;
mod game;
mod state;

use pyo3::prelude::*;

/// See the module `ludex`, which gives these names to users.
#[pymodule]
mod _ludex {
    #[pymodule_export]
    use crate::batch::{Batch, Encoder, Model};
    #[pymodule_export]
    use crate::device::{DeviceArray, DeviceBatch, device_playouts};
    #[pymodule_export]
    use crate::error::{IllegalMoveError, LimitError, LudexError, RulesError};
    #[pymodule_export]
    use crate::game::{Game, bundled, load};
    #[pymodule_export]
    use crate::state::State;
}
