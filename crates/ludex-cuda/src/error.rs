//! Why nothing can be played on a GPU. Every case leaves the CPU as it was.

use std::fmt;

/// What went wrong on the way to the GPU or on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CudaError {
    /// The machine has no driver for NVIDIA GPUs.
    NoDriver,
    /// There is a driver, but no such GPU, or it cannot be used.
    NoDevice(String),
    /// The library that compiles CUDA source is not there.
    NoCompiler,
    /// The source of the game was not accepted.
    Compile(String),
    /// The game is too large for a GPU.
    Large(String),
    /// The GPU has not enough memory.
    Memory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The GPU or its driver failed.
    Driver {
        /// What was being done.
        doing: &'static str,
        /// What the driver says.
        says: String,
    },
    /// What was counted does not add up: the device cannot be trusted.
    Tally(String),
}

impl fmt::Display for CudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CudaError::NoDriver => write!(
                f,
                "no NVIDIA driver on this machine (libcuda is not found); play on the CPU, or install the driver"
            ),
            CudaError::Large(why) => write!(f, "the game is too large for the GPU: {why}; play on the CPU"),
            CudaError::NoDevice(says) => write!(f, "no usable GPU: {says}"),
            CudaError::NoCompiler => write!(
                f,
                "the CUDA run-time compiler is not found (libnvrtc); install it, or name its folder in \
                 LD_LIBRARY_PATH"
            ),
            CudaError::Compile(log) => write!(f, "the CUDA source of the game does not compile: {log}"),
            CudaError::Memory { bytes } => write!(f, "the GPU has no {bytes} bytes of memory to spare"),
            CudaError::Driver { doing, says } => write!(f, "the GPU failed while {doing}: {says}"),
            CudaError::Tally(what) => write!(f, "the GPU's counts do not add up: {what}"),
        }
    }
}

impl std::error::Error for CudaError {}
