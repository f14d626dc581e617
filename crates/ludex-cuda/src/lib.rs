//! Random playouts on NVIDIA GPUs.
//!
//! The lanes of the CPU play 512 games at a time, one bit a game; here each thread of a GPU plays 32. A
//! [`Source`] is a game as CUDA text, written from the same networks as the plans of the CPU lanes; `Device`
//! compiles and plays it. Nothing of CUDA is needed to build this crate, or to run it on a machine without a
//! GPU, where `Device::open` says so.
//!
//! Playouts equal those of the CPU lanes in distribution, not bit for bit: a generator that both share would
//! have to be slow on one of them. State by state they are equal.

pub mod batch;
mod choose;
mod circuit;
mod data;
#[cfg(feature = "device")]
#[allow(unsafe_code)]
mod device;
mod error;
#[cfg(feature = "device")]
#[allow(unsafe_code)]
mod gpu;
mod interpreted;
mod leaves;
mod lut;
mod source;
mod table;
#[cfg(feature = "device")]
#[allow(unsafe_code)]
mod valuer;

#[cfg(feature = "device")]
pub use device::{Device, GAMES, Kernel, Playing, cache, compile};
pub use error::CudaError;
#[cfg(feature = "device")]
pub use gpu::{Gpu, Mark, Memory};
pub use source::{BLOCK, Cost, Ends, HOST, Shape, Source, StepSource};
#[cfg(feature = "device")]
pub use valuer::Leaves;
