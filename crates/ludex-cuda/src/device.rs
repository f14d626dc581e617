//! A GPU, and games being played on it.
//!
//! [`Device::load`] compiles the source of a game (by NVRTC, or takes what it compiled before from a folder);
//! [`Playing`] holds the games of all threads and plays them on. The libraries of CUDA are loaded when a device
//! is opened, not when the program starts.

use super::error::CudaError;
use super::source::{LIVE, PLAYOUTS, STARTED, Source};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg,
    sys,
};
use cudarc::nvrtc::{Ptx, result as nvrtc, sys as nvrtc_sys};
use ludex_engine::propnet::lanes::BatchResult;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Games of a word.
pub const GAMES: u64 = 32;

/// A GPU.
#[derive(Clone, Debug)]
pub struct Device {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    name: String,
    architecture: String,
    multiprocessors: u32,
}

/// The least version of the driver, as it counts: 12.0.
const LEAST_DRIVER: i32 = 12_000;

/// What an error of the driver means.
pub(crate) fn failed(doing: &'static str) -> impl Fn(DriverError) -> CudaError {
    use sys::CUresult::*;
    move |error| match error.0 {
        // The games' own sizes are told where they are known.
        CUDA_ERROR_OUT_OF_MEMORY => CudaError::Memory { bytes: 0 },
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | CUDA_ERROR_INVALID_IMAGE
        | CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => CudaError::OldDriver,
        CUDA_ERROR_DEINITIALIZED
        | CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUDA_ERROR_DEVICE_UNAVAILABLE
        | CUDA_ERROR_ECC_UNCORRECTABLE
        | CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUDA_ERROR_ILLEGAL_ADDRESS
        | CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUDA_ERROR_LAUNCH_FAILED
        | CUDA_ERROR_LAUNCH_TIMEOUT
        | CUDA_ERROR_NOT_INITIALIZED
        | CUDA_ERROR_NO_DEVICE
        | CUDA_ERROR_SYSTEM_NOT_READY => CudaError::Lost { doing, number: error.0 as u32 },
        _ => CudaError::Driver { doing, says: error.to_string() },
    }
}

impl Device {
    /// Opens a GPU by its number.
    pub fn open(ordinal: usize) -> Result<Device, CudaError> {
        // SAFETY: looks for the driver's library and loads it; it is NVIDIA's, as every user of CUDA trusts.
        if !unsafe { sys::is_culib_present() } {
            return Err(CudaError::NoDriver);
        }
        let mut version = 0;
        // SAFETY: writes one number. Every driver answers this.
        let asked = unsafe { sys::cuDriverGetVersion(&raw mut version) };
        if asked == sys::CUresult::CUDA_SUCCESS && version < LEAST_DRIVER {
            return Err(CudaError::OldDriver);
        }
        let unusable = |error: DriverError| CudaError::NoDevice(error.to_string());
        let context = CudaContext::new(ordinal).map_err(unusable)?;
        let name = context.name().map_err(unusable)?;
        let (major, minor) = context.compute_capability().map_err(unusable)?;
        let attribute = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = context.attribute(attribute).map_err(unusable)? as u32;
        let stream = context.default_stream();
        Ok(Device { context, stream, name, architecture: format!("sm_{major}{minor}"), multiprocessors })
    }

    /// What the driver calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many processors it has that run blocks of threads.
    pub fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The number by which it was opened.
    pub fn number(&self) -> usize {
        self.context.ordinal()
    }

    /// Makes the calling thread work on it.
    pub(crate) fn bind(&self, doing: &'static str) -> Result<(), CudaError> {
        self.context.bind_to_thread().map_err(failed(doing))
    }

    /// How many blocks of a kernel fit at a time, if each also takes so many bytes of the device's memory.
    pub(crate) fn blocks(
        &self,
        function: &CudaFunction,
        block: u32,
        shared: u32,
        room: usize,
    ) -> Result<u32, CudaError> {
        let doing = "asking how many threads fit";
        let blocks = function
            .occupancy_max_active_blocks_per_multiprocessor(block, shared as usize, None)
            .map_err(failed(doing))?;
        let blocks = blocks.max(1) * self.multiprocessors;
        // Of the memory that is free some is left to others.
        let (free, _) = self.context.mem_get_info().map_err(failed(doing))?;
        let fit = (free / 4 * 3).checked_div(room).map_or(blocks, |fit| fit.min(u32::MAX as usize) as u32);
        Ok(blocks.min(fit.max(1)))
    }

    /// Compiles source, or takes what was compiled before from the folder `cache`. Says how long it took, and whether
    /// it was there.
    pub(crate) fn module(
        &self,
        text: &str,
        cache: Option<&Path>,
    ) -> Result<(Arc<CudaModule>, Duration, bool), CudaError> {
        let started = Instant::now();
        let place = cache.map(|folder| folder.join(self.cache_name(text)));
        let kept = place.as_ref().and_then(|place| std::fs::read(place).ok());
        let load = |binary| self.context.load_module(Ptx::from_binary(binary));
        // What does not load (a file that was cut short, one of another driver) is compiled anew.
        if let Some(module) = kept.and_then(|binary| load(binary).ok()) {
            return Ok((module, started.elapsed(), true));
        }
        let binary = compile(text, &self.architecture)?;
        if let Some(place) = &place {
            keep(place, &binary);
        }
        let compiled = started.elapsed();
        Ok((load(binary).map_err(failed("loading the game's kernels"))?, compiled, false))
    }

    /// Compiles a game, or takes what was compiled before from the folder `cache`.
    pub fn load(&self, source: Source, cache: Option<&Path>) -> Result<Kernel, CudaError> {
        let (module, compiled, from_cache) = self.module(&source.text, cache)?;
        let function = |name| module.load_function(name).map_err(failed("loading the game's kernels"));
        let (begin, play) = (function("begin")?, function("play")?);
        if source.shared > 0 {
            let room = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            play.set_attribute(room, source.shared as i32).map_err(|error| {
                CudaError::Large(format!("a block needs {} bytes of shared memory ({error})", source.shared))
            })?;
        }
        Ok(Kernel { device: self.clone(), source, module, begin, play, compiled, from_cache })
    }

    /// By what the compiled game depends on: the text, the device, and the version of this crate.
    fn cache_name(&self, text: &str) -> PathBuf {
        let version = env!("CARGO_PKG_VERSION");
        // FNV-1a, twice from different starts: the same on every machine.
        let hash = |start: u64| {
            let parts = [text, &self.architecture, version];
            parts
                .iter()
                .flat_map(|part| part.bytes().chain([0]))
                .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
        };
        let [a, b] = [0xCBF2_9CE4_8422_2325, 0x9E37_79B9_7F4A_7C15].map(hash);
        PathBuf::from(format!("{a:016x}{b:016x}.cubin"))
    }
}

/// Where compiled games are kept: the user's folder for such things.
pub fn cache() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let folder = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(folder.join("ludex").join("cuda"))
}

/// Writes a file of the cache. If it cannot be written, the game is compiled again next time.
fn keep(place: &Path, binary: &[u8]) {
    let Some(folder) = place.parent() else { return };
    let draft = place.with_extension(format!("draft{}", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&draft, binary))
        .and_then(|()| std::fs::rename(&draft, place));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
}

/// Compiles CUDA source to machine code. Needs no GPU, only the compiler's library.
pub fn compile(text: &str, architecture: &str) -> Result<Vec<u8>, CudaError> {
    // SAFETY: looks for the compiler's library and loads it, as for the driver.
    if !unsafe { nvrtc_sys::is_culib_present() } {
        return Err(CudaError::NoCompiler);
    }
    let says = |error: nvrtc::NvrtcError| CudaError::Compile(format!("{error:?}"));
    let text = CString::new(text).map_err(|_| CudaError::Compile("it contains a zero byte".to_owned()))?;
    let program = nvrtc::create_program(&text, None).map_err(says)?;
    let options = [format!("--gpu-architecture={architecture}"), "--disable-warnings".to_owned()];
    // SAFETY: the program is alive until it is destroyed below, and buffers have the sizes that were asked for.
    unsafe {
        let compiled = nvrtc::compile_program(program, &options);
        let binary = compiled.and_then(|()| {
            let mut size = 0;
            nvrtc_sys::nvrtcGetCUBINSize(program, &raw mut size).result()?;
            let mut binary = vec![0u8; size];
            nvrtc_sys::nvrtcGetCUBIN(program, binary.as_mut_ptr().cast()).result()?;
            Ok(binary)
        });
        let binary = binary.map_err(|error| {
            let log = nvrtc::get_program_log(program).unwrap_or_default();
            let log: String = log.iter().map(|&c| char::from(c as u8)).take(2000).collect();
            CudaError::Compile(format!("{error:?}: {log}"))
        });
        let _ = nvrtc::destroy_program(program);
        binary
    }
}

/// A compiled game.
#[derive(Debug)]
pub struct Kernel {
    device: Device,
    source: Source,
    module: Arc<CudaModule>,
    begin: CudaFunction,
    play: CudaFunction,
    /// How long it took to compile the game, or to read it from the cache.
    pub compiled: Duration,
    /// Whether it was in the cache.
    pub from_cache: bool,
}

impl Kernel {
    /// Registers of a thread, and bytes of local memory.
    pub fn registers(&self) -> (i32, i32) {
        (self.play.num_regs().unwrap_or(0), self.play.local_size_bytes().unwrap_or(0))
    }

    /// As many words of 32 games as the GPU can play at once.
    pub fn full(&self) -> Result<u32, CudaError> {
        let Source { block, units, shared, room, .. } = self.source;
        Ok(self.device.blocks(&self.play, block, shared, room)? * units)
    }

    /// `words` times 32 games from the start, none begun. `start` has a value for each fluent; `phase` is the
    /// phase of the start. `most` is the bound on plies; the source was written for its number of digits.
    pub fn playing(
        &self,
        words: u32,
        seed: u64,
        start: &[bool],
        phase: u32,
        most: u64,
    ) -> Result<Playing<'_>, CudaError> {
        let stream = &self.device.stream;
        let doing = "making room for the games";
        let Source { block, units, shared, .. } = self.source;
        let threads = words.next_multiple_of(units);
        let size = self.source.words * threads as usize;
        let memory = |error: DriverError| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Memory { bytes: size as u64 * 4 },
            _ => failed(doing)(error),
        };
        let mut words = stream.alloc_zeros::<u32>(size).map_err(memory)?;
        let data = stream.clone_htod(&self.source.data);
        let data = data.map_err(memory)?;
        let room = (self.source.room * (threads / units) as usize).max(4);
        // SAFETY: whatever is in it is written before it is read, or masked out.
        let room = unsafe { stream.alloc::<u8>(room) }.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Memory { bytes: room as u64 },
            _ => failed(doing)(error),
        })?;
        let tally = stream.alloc_zeros::<u64>(self.source.counters).map_err(memory)?;
        let planes = |bits: &mut dyn Iterator<Item = bool>| -> Vec<u32> {
            bits.map(|bit| if bit { u32::MAX } else { 0 }).collect()
        };
        self.constant("start", &planes(&mut start.iter().copied()))?;
        self.bound(most)?;
        let shape = LaunchConfig {
            grid_dim: (threads / units, 1, 1),
            block_dim: (block, 1, 1),
            shared_mem_bytes: shared,
        };
        self.begin(&mut words, threads, seed).map_err(failed(doing))?;
        stream.synchronize().map_err(failed(doing))?;
        Ok(Playing {
            kernel: self,
            shape,
            threads,
            words,
            data,
            room,
            tally,
            phase,
            start_phase: phase,
            live: 0,
        })
    }

    /// Gives each word of 32 games random numbers of its own. There are `threads` words, whole blocks of them.
    pub(crate) fn begin(
        &self,
        words: &mut CudaSlice<u32>,
        threads: u32,
        seed: u64,
    ) -> Result<(), DriverError> {
        let units = self.source.units;
        let shape =
            LaunchConfig { grid_dim: (threads / units, 1, 1), block_dim: (units, 1, 1), shared_mem_bytes: 0 };
        let stream = &self.device.stream;
        // SAFETY: the arguments are those of the kernel, and it writes words of its own threads only.
        unsafe { stream.launch_builder(&self.begin).arg(words).arg(&threads).arg(&seed).launch(shape) }?;
        Ok(())
    }

    /// Sets the bound on plies, of as many digits as the source was written for.
    pub(crate) fn bound(&self, most: u64) -> Result<(), CudaError> {
        let digits = (0..self.source.digits).map(|digit| if most >> digit & 1 == 1 { u32::MAX } else { 0 });
        self.constant("most", &digits.collect::<Vec<u32>>())
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    pub(crate) fn play(&self) -> &CudaFunction {
        &self.play
    }

    /// A kernel of the source by its name.
    pub(crate) fn function(&self, name: &str) -> Result<CudaFunction, CudaError> {
        self.module.load_function(name).map_err(failed("loading the game's kernels"))
    }

    fn constant(&self, name: &str, values: &[u32]) -> Result<(), CudaError> {
        if values.is_empty() {
            return Ok(());
        }
        let doing = "setting the start of the games";
        let stream = &self.device.stream;
        let mut bytes = self.module.get_global(name, stream).map_err(failed(doing))?;
        // SAFETY: the kernel declares an array of as many words, and bytes have no invalid values.
        let view = unsafe { bytes.transmute_mut::<u32>(values.len()) };
        let Some(mut view) = view else {
            return Err(CudaError::Driver { doing, says: format!("`{name}` has another size") });
        };
        stream.memcpy_htod(values, &mut view).map_err(failed(doing))
    }
}

/// Games under way on the GPU.
#[derive(Debug)]
pub struct Playing<'k> {
    kernel: &'k Kernel,
    shape: LaunchConfig,
    /// Words of 32 games.
    threads: u32,
    words: CudaSlice<u32>,
    data: CudaSlice<u32>,
    room: CudaSlice<u8>,
    tally: CudaSlice<u64>,
    phase: u32,
    start_phase: u32,
    live: u64,
}

impl Playing<'_> {
    /// Games that are played at the same time.
    pub fn games(&self) -> u64 {
        u64::from(self.threads) * GAMES
    }

    /// Plays so many passes, every game going on where the last call left it.
    pub fn run(&mut self, passes: u32) -> Result<BatchResult, CudaError> {
        self.launch(passes, false)
    }

    /// Plays exactly `count` playouts, each to its end. No game may be under way.
    pub fn playouts(&mut self, count: u64) -> Result<BatchResult, CudaError> {
        const DOING: &str = "handing out playouts";
        let (each, more) = (count / u64::from(self.threads), count % u64::from(self.threads));
        let quota: Vec<u32> = (0..u64::from(self.threads))
            .map(|t| (each + u64::from(t < more)).min(u64::from(u32::MAX)) as u32)
            .collect();
        let stream = &self.kernel.device.stream;
        let threads = self.threads as usize;
        // Where `play` keeps what a thread has still to start.
        let at = (self.kernel.source.fluents + 4) * threads;
        let mut place = self.words.slice_mut(at..at + threads);
        stream.memcpy_htod(&quota, &mut place).map_err(failed(DOING))?;
        let mut total: Option<BatchResult> = None;
        loop {
            let part = self.launch(1024, true)?;
            let unfinished = part.unfinished;
            let sum = match &mut total {
                None => total.insert(part),
                Some(sum) => {
                    sum.add(&part);
                    sum
                }
            };
            sum.unfinished = unfinished;
            if unfinished == 0 && sum.playouts >= count {
                return Ok(sum.clone());
            }
        }
    }

    fn launch(&mut self, passes: u32, counted: bool) -> Result<BatchResult, CudaError> {
        const DOING: &str = "playing";
        let source = &self.kernel.source;
        let stream = &self.kernel.device.stream;
        stream.memset_zeros(&mut self.tally).map_err(failed(DOING))?;
        let counted_flag = u32::from(counted);
        // SAFETY: the arguments are those of the kernel; it reads and writes the words of its threads and the
        // counters, which have the sizes that the source states.
        unsafe {
            stream
                .launch_builder(&self.kernel.play)
                .arg(&mut self.words)
                .arg(&mut self.tally)
                .arg(&self.threads)
                .arg(&passes)
                .arg(&self.phase)
                .arg(&self.start_phase)
                .arg(&counted_flag)
                .arg(&self.data)
                .arg(&mut self.room)
                .launch(self.shape)
        }
        .map_err(failed(DOING))?;
        let tally = stream.clone_dtoh(&self.tally).map_err(failed(DOING))?;
        self.phase = (self.phase + passes) % source.period as u32;
        let result = source.summary(&tally, u64::from(passes))?;
        if self.live + tally[STARTED] != tally[PLAYOUTS] + tally[LIVE] {
            let [live, started, ended, left] = [self.live, tally[STARTED], tally[PLAYOUTS], tally[LIVE]];
            return Err(CudaError::Tally(format!(
                "{live} games under way and {started} begun, but {ended} ended and {left} left"
            )));
        }
        if result.transitions > u64::from(passes) * self.games() {
            return Err(CudaError::Tally(format!("{} moves in {passes} passes", result.transitions)));
        }
        self.live = tally[LIVE];
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_a_device_are_sentences_that_say_what_to_do() {
        use sys::CUresult::*;
        let said = |number| failed("playing")(DriverError(number)).to_string();
        assert_eq!(
            said(CUDA_ERROR_OUT_OF_MEMORY),
            "the GPU has not enough memory to spare; play fewer games at a time, or on the CPU"
        );
        for number in [CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_ECC_UNCORRECTABLE] {
            let says = said(number);
            assert!(
                says.starts_with("the GPU was lost while playing") && says.contains("play on the CPU"),
                "{says}"
            );
        }
        for number in [CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_NO_BINARY_FOR_GPU] {
            assert!(said(number).contains("driver is too old"), "{}", said(number));
        }
    }
}
