//! A GPU as the machine of a batch.
//!
//! All work goes to the legacy default stream, which other streams of the process wait for and which waits for them
//! (but for those made not to block): who reads the arrays of a batch by its own default stream sees them whole.
//! [`Gpu::precede`] makes any other stream wait.

use super::batch::{BatchKernel, Call, Machine, Plan, Threads};
use super::device::{Device, failed};
use super::error::CudaError;
use cudarc::driver::{
    CudaEvent, CudaFunction, CudaModule, DeviceRepr, DriverError, LaunchConfig, PushKernelArg, result, sys,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

// SAFETY: numbers of 64 bits in the order of C, as the kernels declare it.
unsafe impl DeviceRepr for Call {}

/// Memory of a GPU, until the last who holds it lets go.
#[derive(Debug)]
pub struct Memory {
    device: Device,
    address: u64,
    bytes: usize,
}

impl Memory {
    /// Where it begins.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// How large it is.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies bytes from its beginning, when all work on it is done.
    pub fn read(&self, bytes: &mut [u8]) -> Result<(), CudaError> {
        let device = &self.device;
        if bytes.len() > self.bytes {
            let says = format!("{} bytes of memory of {}", bytes.len(), self.bytes);
            return Err(CudaError::Driver { doing: READING, says });
        }
        device.bind(READING)?;
        // SAFETY: the memory is there and has as many bytes; the copy is over when the call returns.
        unsafe { result::memcpy_dtoh_sync(bytes, self.address) }.map_err(failed(READING))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.device.bind("giving memory back").is_ok() {
            // SAFETY: it was allocated as this address and is freed once. The driver waits for work on it.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

const READING: &str = "copying from the GPU";
const WRITING: &str = "copying to the GPU";
const STEPPING: &str = "stepping games";

/// Work that has been handed to a GPU.
#[derive(Debug)]
pub struct Mark(CudaEvent);

impl Mark {
    /// Whether all of it is done.
    pub fn is_past(&self) -> bool {
        self.0.is_complete()
    }
}

/// A GPU with the kernels of a batch, and its memory.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    _module: Arc<CudaModule>,
    functions: Vec<CudaFunction>,
    memory: Vec<Arc<Memory>>,
    network: (u32, u32),
    /// How long it took to compile the kernels, or to read them from the cache.
    pub compiled: Duration,
    /// Whether they were in the cache.
    pub from_cache: bool,
}

impl Gpu {
    /// Compiles what the plan says, or takes what was compiled before from the folder `cache`.
    pub fn new(device: &Device, plan: &Plan, cache: Option<&Path>) -> Result<Gpu, CudaError> {
        let (module, compiled, from_cache) = device.module(plan.text(), cache)?;
        let functions = BatchKernel::ALL
            .iter()
            .map(|kernel| module.load_function(kernel.name()).map_err(failed("loading the game's kernels")))
            .collect::<Result<Vec<CudaFunction>, CudaError>>()?;
        let network = plan.network();
        let gpu = Gpu {
            device: device.clone(),
            _module: module,
            functions,
            memory: Vec::new(),
            network,
            compiled,
            from_cache,
        };
        let (_, shared) = network;
        if shared > 0 {
            let room = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            gpu.function(BatchKernel::Network).set_attribute(room, shared as i32).map_err(|error| {
                CudaError::Large(format!("a block needs {shared} bytes of shared memory ({error})"))
            })?;
        }
        Ok(gpu)
    }

    fn function(&self, kernel: BatchKernel) -> &CudaFunction {
        let place = BatchKernel::ALL.iter().position(|other| *other == kernel);
        &self.functions[place.unwrap_or(0)]
    }

    /// The memory that begins at an address that `room` gave.
    pub fn memory(&self, address: u64) -> Option<&Arc<Memory>> {
        self.memory.iter().find(|memory| memory.address == address)
    }

    /// Memory for whoever asks, all zero; it goes back when the last who holds it lets go.
    pub fn lend(&mut self, bytes: usize) -> Result<Arc<Memory>, CudaError> {
        self.room(bytes)?;
        self.memory.pop().ok_or(CudaError::Memory { bytes: bytes as u64 })
    }

    /// Makes another stream of the process wait for all work so far.
    pub fn precede(device: &Device, stream: u64) -> Result<(), CudaError> {
        const DOING: &str = "making another stream wait";
        device.bind(DOING)?;
        let event = device.stream().record_event(None).map_err(failed(DOING))?;
        // SAFETY: whoever asks says that this is a stream of the process.
        unsafe {
            let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
            result::stream::wait_event(stream as sys::CUstream, event.cu_event(), flags)
        }
        .map_err(failed(DOING))
    }

    /// A mark behind all work so far.
    pub fn mark(&self) -> Result<Mark, CudaError> {
        self.device.stream().record_event(None).map(Mark).map_err(failed(STEPPING))
    }

    /// Waits until all work is done.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.device.stream().synchronize().map_err(failed(STEPPING))
    }
}

impl Machine for Gpu {
    fn room(&mut self, bytes: usize) -> Result<u64, CudaError> {
        const DOING: &str = "making room for the games";
        let failed = |error: DriverError| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Memory { bytes: bytes as u64 },
            _ => failed(DOING)(error),
        };
        self.device.bind(DOING)?;
        let stream = self.device.stream().cu_stream();
        // SAFETY: the memory is new, is set before anything reads it, and belongs to `Memory`, which frees it.
        let address = unsafe { result::malloc_sync(bytes) }.map_err(failed)?;
        self.memory.push(Arc::new(Memory { device: self.device.clone(), address, bytes }));
        // SAFETY: as many bytes were given.
        unsafe { result::memset_d8_async(address, 0, bytes, stream) }.map_err(failed)?;
        Ok(address)
    }

    fn put(&mut self, to: u64, bytes: &[u8]) -> Result<(), CudaError> {
        self.device.bind(WRITING)?;
        // SAFETY: a batch writes into room that it asked for; the copy is over when the call returns, and the default
        // stream's work comes before it.
        unsafe { result::memcpy_htod_sync(to, bytes) }.map_err(failed(WRITING))
    }

    fn get(&mut self, from: u64, bytes: &mut [u8]) -> Result<(), CudaError> {
        self.device.bind(READING)?;
        // SAFETY: a batch reads from room that it asked for, or from an array whose length was checked.
        unsafe { result::memcpy_dtoh_sync(bytes, from) }.map_err(failed(READING))
    }

    fn fill(&mut self, to: u64, byte: u8, bytes: usize) -> Result<(), CudaError> {
        self.device.bind(WRITING)?;
        let stream = self.device.stream().cu_stream();
        // SAFETY: a batch sets room that it asked for.
        unsafe { result::memset_d8_async(to, byte, bytes, stream) }.map_err(failed(WRITING))
    }

    fn launch(&mut self, kernel: BatchKernel, threads: Threads, call: &Call) -> Result<(), CudaError> {
        let Threads { blocks: [x, y], block, shared, .. } = threads;
        let shape = LaunchConfig { grid_dim: (x, y, 1), block_dim: (block, 1, 1), shared_mem_bytes: shared };
        let stream = self.device.stream();
        // SAFETY: every kernel takes one `Call`; the batch gives it addresses of arrays of the sizes that it reads and
        // writes, which `tests/batch.rs` runs as C.
        unsafe { stream.launch_builder(self.function(kernel)).arg(call).launch(shape) }
            .map_err(failed(STEPPING))?;
        Ok(())
    }

    fn blocks(&self, room: usize) -> Result<u32, CudaError> {
        let (block, shared) = self.network;
        self.device.blocks(self.function(BatchKernel::Network), block, shared, room)
    }
}
