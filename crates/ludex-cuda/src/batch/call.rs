//! What a kernel of a batch is called with, and the machine that runs it: a GPU, or in the tests a program in C.

use crate::error::CudaError;

/// Defines [`Call`] with its numbers in order.
macro_rules! call {
    ($($name:ident),*) => {
        /// The arguments of every kernel, in the order of the structure `Call` of `around.cu`; addresses of the
        /// machine's memory, then numbers.
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Call { $(pub(crate) $name: u64),* }

        impl Call {
            /// All of them.
            pub fn words(&self) -> Vec<u64> {
                vec![$(self.$name),*]
            }
        }
    };
}
call!(
    planes, info, data, room, actions, first, out, marks, states, rewards, terminated, truncated, stuck,
    illegal, turn, made, games, words, flags, length, seed, step, kind, from, width, span
);

/// Defines [`BatchKernel`] with the names of the kernels.
macro_rules! kernels {
    ($($(#[$about:meta])* $kernel:ident = $name:literal),* $(,)?) => {
        /// The kernels of a batch.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BatchKernel { $($(#[$about])* $kernel),* }

        impl BatchKernel {
            /// All of them.
            pub const ALL: &[BatchKernel] = &[$(BatchKernel::$kernel),*];

            /// What it is called in the source.
            pub fn name(self) -> &'static str {
                match self { $(BatchKernel::$kernel => $name),* }
            }
        }
    };
}
kernels!(
    /// Reads actions.
    Read = "batch_read",
    /// The next state, and what it is like.
    Network = "batch_network",
    /// Ends games.
    Finish = "batch_finish",
    /// Begins games that are marked.
    Begin = "batch_begin",
    /// Puts initial states where games begin.
    Renew = "batch_renew",
    /// Writes rewards and flags.
    Tell = "batch_tell",
    /// Writes rows of bits as bytes or floats.
    Rows = "batch_rows",
    /// Writes long rows.
    LongRows = "batch_long_rows",
    /// Writes numbers into rows of floats.
    Numbers = "batch_numbers",
    /// Draws actions.
    Sample = "batch_sample",
    /// Writes states as rows of bits.
    States = "batch_states",
    /// Marks games.
    Mark = "batch_mark",
    /// Puts given states into games.
    Put = "batch_put",
);

/// How many threads work on a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads {
    /// Blocks, in two directions.
    pub blocks: [u32; 2],
    /// Threads of a block, in the first direction.
    pub block: u32,
    /// Bytes of shared memory of a block, beyond what the source declares.
    pub shared: u32,
    /// Whether the threads of a block share one piece of work; else each has its own.
    pub together: bool,
}

/// Memory, and kernels that work on it, in the order in which they are called.
pub trait Machine {
    /// Memory of so many bytes, all zero, for as long as the machine is there.
    fn room(&mut self, bytes: usize) -> Result<u64, CudaError>;

    /// Copies bytes to the machine.
    fn put(&mut self, to: u64, bytes: &[u8]) -> Result<(), CudaError>;

    /// Copies bytes from the machine, when all that was called is done.
    fn get(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), CudaError>;

    /// Sets so many bytes.
    fn fill(&mut self, to: u64, byte: u8, bytes: usize) -> Result<(), CudaError>;

    /// Calls a kernel.
    fn launch(&mut self, kernel: BatchKernel, threads: Threads, call: &Call) -> Result<(), CudaError>;

    /// How many blocks of the network there are at a time, if each has room of so many bytes of its own.
    fn blocks(&self, room: usize) -> Result<u32, CudaError>;
}
