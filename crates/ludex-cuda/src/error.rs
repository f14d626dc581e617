//! Why nothing can be played on a GPU. Every case leaves the CPU as it was.

use ludex_env::EnvError;
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
        /// Bytes that were asked for; zero if the driver asked for them.
        bytes: u64,
    },
    /// The driver is older than CUDA 12, or than the compiler's library.
    OldDriver,
    /// The GPU does not answer any more; what was on it is lost, and nothing more can be done on it by this process.
    Lost {
        /// What was being done.
        doing: &'static str,
        /// The number of the driver's error.
        number: u32,
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
    /// A batch was asked what it cannot do. On the CPU it is the same error.
    Asked(EnvError),
}

impl From<EnvError> for CudaError {
    fn from(error: EnvError) -> CudaError {
        CudaError::Asked(error)
    }
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
            CudaError::Memory { bytes: 0 } => {
                write!(f, "the GPU has not enough memory to spare; play fewer games at a time, or on the CPU")
            }
            CudaError::Memory { bytes } => {
                write!(
                    f,
                    "the GPU has no {bytes} bytes of memory to spare; play fewer games at a time, or on the CPU"
                )
            }
            CudaError::OldDriver => write!(
                f,
                "the NVIDIA driver is too old for CUDA 12 or for the run-time compiler (libnvrtc) beside it; update \
                 the driver, or play on the CPU"
            ),
            CudaError::Lost { doing, number } => write!(
                f,
                "the GPU was lost while {doing} (error {number} of the driver); what was on it is gone: play on the \
                 CPU, or begin anew in another process"
            ),
            CudaError::Driver { doing, says } => write!(f, "the GPU failed while {doing}: {says}"),
            CudaError::Asked(error) => error.fmt(f),
            CudaError::Tally(what) => write!(f, "the GPU's counts do not add up: {what}"),
        }
    }
}

impl std::error::Error for CudaError {}
