//! Batches and playouts on a GPU, and their arrays for other libraries.
//!
//! An array stays where it is: it is handed on by DLPack, which torch, jax and CuPy take without a copy. Actions come
//! in the same way. Nothing of CUDA is needed to build this, or to import it on a machine without a GPU.

use crate::batch::{Encoder, Memory, Model, closed, options};
use crate::error::{LimitError, LudexError, raised_in_batch};
use crate::game::Game;
use crate::state::State;
use ludex::engine::budget::Budget;
use ludex::engine::propnet::lanes::Lanes;
use ludex::engine::row::{self, Row};
use ludex::engine::vocabulary::{FluentId, RoleId};
use ludex_cuda::batch::{ActionKind, Batch, BatchSource, CellKind, Input, Plan, Wanted, network};
use ludex_cuda::{CudaError, Device, Gpu, Mark, Shape, Source, cache};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, MutexGuard};

/// What DLPack calls memory of an NVIDIA GPU.
const ON_GPU: i32 = 2;

const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

/// Streams that have numbers in DLPack: the default one, and that of each thread.
const DEFAULT_STREAM: i64 = 1;

fn gone_wrong(error: &CudaError) -> PyErr {
    match error {
        CudaError::Asked(error) => raised_in_batch(error),
        CudaError::Memory { .. } | CudaError::Large(_) => LimitError::new_err(error.to_string()),
        _ => LudexError::new_err(error.to_string()),
    }
}

/// What the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    U8,
    I8,
    U16,
    I32,
    I64,
    U64,
    F32,
}

impl Kind {
    /// The code of DLPack, and bits.
    fn code(self) -> (u8, u8) {
        match self {
            Kind::Bool => (6, 8),
            Kind::U8 => (1, 8),
            Kind::I8 => (0, 8),
            Kind::U16 => (1, 16),
            Kind::I32 => (0, 32),
            Kind::I64 => (0, 64),
            Kind::U64 => (1, 64),
            Kind::F32 => (2, 32),
        }
    }

    fn of(code: u8, bits: u8) -> Option<Kind> {
        let all = [Kind::Bool, Kind::U8, Kind::I8, Kind::U16, Kind::I32, Kind::I64, Kind::U64, Kind::F32];
        all.into_iter().find(|kind| kind.code() == (code, bits))
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::U8 => "uint8",
            Kind::I8 => "int8",
            Kind::U16 => "uint16",
            Kind::I32 => "int32",
            Kind::I64 => "int64",
            Kind::U64 => "uint64",
            Kind::F32 => "float32",
        }
    }

    fn bytes(self) -> usize {
        usize::from(self.code().1) / 8
    }
}

/// The structures of DLPack.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device: [i32; 2],
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// A tensor that was handed on, with what it needs to be there.
#[repr(C)]
struct Export {
    /// First: the address of both is the same.
    managed: Managed,
    _memory: Arc<ludex_cuda::Memory>,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

unsafe extern "C" fn give_back(managed: *mut Managed) {
    // SAFETY: it is the beginning of an `Export` that `__dlpack__` made in a box, and is given back once.
    drop(unsafe { Box::from_raw(managed.cast::<Export>()) });
}

unsafe extern "C" fn forget(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: called by Python with a capsule that `__dlpack__` made; whoever took the tensor has renamed it.
    unsafe {
        if pyo3::ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            let managed = pyo3::ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr());
            give_back(managed.cast::<Managed>());
        }
    }
}

/// An array on a GPU. Other libraries take it by `from_dlpack`, without a copy.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct DeviceArray {
    memory: Arc<ludex_cuda::Memory>,
    shape: Vec<i64>,
    kind: Kind,
}

#[pymethods]
impl DeviceArray {
    /// How many elements there are in each direction.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// What the elements are, by NumPy's name.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.kind.name()
    }

    /// The device, as `cuda:0`.
    #[getter]
    fn device(&self) -> String {
        format!("cuda:{}", self.memory.device().number())
    }

    /// The address of the first element.
    #[getter]
    fn pointer(&self) -> u64 {
        self.memory.address()
    }

    /// DLPack's type and number of the device.
    fn __dlpack_device__(&self) -> (i32, usize) {
        (ON_GPU, self.memory.device().number())
    }

    /// The array for another library. Work of `stream` that comes later sees all that was done before.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The oldest form, which everybody takes.
        let _ = max_version;
        let device = self.memory.device().number();
        if copy == Some(true) || dl_device.is_some_and(|asked| asked != (ON_GPU, device as i32)) {
            return Err(PyBufferError::new_err("an array of a GPU is handed on where it is, without a copy"));
        }
        match stream {
            // Nobody waits, or the stream is the one that all work is on.
            Some(-1) | None | Some(DEFAULT_STREAM) => {}
            Some(other) if other > DEFAULT_STREAM => {
                let waiting = Gpu::precede(self.memory.device(), other as u64);
                waiting.map_err(|error| gone_wrong(&error))?;
            }
            Some(other) => return Err(PyValueError::new_err(format!("{other} is no stream of CUDA"))),
        }
        let mut strides: Vec<i64> = vec![1; self.shape.len()];
        for at in (1..strides.len()).rev() {
            strides[at - 1] = strides[at] * self.shape[at];
        }
        let (code, bits) = self.kind.code();
        let mut export = Box::new(Export {
            managed: Managed {
                tensor: Tensor {
                    data: self.memory.address() as *mut c_void,
                    device: [ON_GPU, device as i32],
                    dimensions: self.shape.len() as i32,
                    code,
                    bits,
                    lanes: 1,
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    offset: 0,
                },
                context: std::ptr::null_mut(),
                deleter: Some(give_back),
            },
            _memory: self.memory.clone(),
            shape: self.shape.clone(),
            strides,
        });
        export.managed.tensor.shape = export.shape.as_mut_ptr();
        export.managed.tensor.strides = export.strides.as_mut_ptr();
        let pointer = Box::into_raw(export);
        // SAFETY: the pointer is not null, the name is static, and the capsule or whoever takes the tensor gives it
        // back once.
        unsafe {
            let capsule = pyo3::ffi::PyCapsule_New(pointer.cast(), NAME.as_ptr(), Some(forget));
            if capsule.is_null() {
                give_back(pointer.cast());
                return Err(PyErr::fetch(py));
            }
            Ok(Bound::from_owned_ptr(py, capsule))
        }
    }

    /// A copy as an array of NumPy, when all work on it is done.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let count = self.shape.iter().product::<i64>() as usize;
        let mut bytes = vec![0u8; count * self.kind.bytes()];
        let read = py.detach(|| self.memory.read(&mut bytes));
        read.map_err(|error| gone_wrong(&error))?;
        let bytes = pyo3::types::PyByteArray::new(py, &bytes);
        let flat = numpy.call_method1("frombuffer", (bytes, self.kind.name()))?;
        flat.call_method1("reshape", (PyTuple::new(py, &self.shape)?,))
    }

    fn __repr__(&self) -> String {
        format!("<ludex.DeviceArray {:?} {} {}>", self.shape, self.kind.name(), self.device())
    }
}

/// An array of another library on the GPU.
struct Import {
    address: u64,
    kind: Kind,
    capsule: Py<PyAny>,
}

impl Drop for Import {
    fn drop(&mut self) {
        Python::attach(|py| {
            let capsule = self.capsule.bind(py).as_ptr();
            // SAFETY: the capsule is of DLPack, was renamed when it was taken, and its tensor is given back once.
            unsafe {
                let managed = pyo3::ffi::PyCapsule_GetPointer(capsule, USED.as_ptr()).cast::<Managed>();
                if managed.is_null() {
                    pyo3::ffi::PyErr_Clear();
                } else if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            }
        });
    }
}

impl Import {
    /// The array if it is one of the GPU; an error if it is not such an array as is needed.
    fn of(
        name: &str,
        array: &Bound<'_, PyAny>,
        device: usize,
        count: usize,
        kinds: &[Kind],
    ) -> PyResult<Option<Import>> {
        if !array.hasattr("__dlpack_device__")? {
            return Ok(None);
        }
        let (type_, number): (i32, i32) = array.call_method0("__dlpack_device__")?.extract()?;
        if type_ != ON_GPU {
            return Ok(None);
        }
        if number != device as i32 {
            return Err(PyValueError::new_err(format!(
                "`{name}` is on cuda:{number}, the games on cuda:{device}"
            )));
        }
        let options = PyDict::new(array.py());
        // Whoever owns it makes our stream wait for what is under way on it.
        options.set_item("stream", DEFAULT_STREAM)?;
        let capsule = array.call_method("__dlpack__", (), Some(&options))?;
        // SAFETY: a capsule of this name holds a tensor of DLPack; renaming it says that it is taken, and `Import`
        // gives it back.
        let import = unsafe {
            let managed = pyo3::ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()).cast::<Managed>();
            if managed.is_null() || pyo3::ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) != 0 {
                return Err(PyErr::fetch(array.py()));
            }
            let tensor = &(*managed).tensor;
            let import = Import {
                address: tensor.data as u64 + tensor.offset,
                kind: Kind::of(tensor.code, tensor.bits).unwrap_or(Kind::F32),
                capsule: capsule.unbind(),
            };
            let dimensions = tensor.dimensions.max(0) as usize;
            let list = |from: *mut i64| {
                if dimensions == 0 { &[][..] } else { std::slice::from_raw_parts(from, dimensions) }
            };
            let shape = list(tensor.shape);
            let given: i64 = shape.iter().product();
            if given != count as i64 {
                return Err(PyValueError::new_err(format!("`{name}` has {given} elements, not {count}")));
            }
            if !tensor.strides.is_null() {
                let mut step = 1;
                for (length, stride) in shape.iter().zip(list(tensor.strides)).rev() {
                    if *length != 1 && *stride != step {
                        return Err(PyBufferError::new_err(format!("the array `{name}` is not contiguous")));
                    }
                    step *= length;
                }
            }
            import
        };
        if !kinds.contains(&import.kind) {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            return Err(PyTypeError::new_err(format!("`{name}` is not of {}", names.join(", "))));
        }
        Ok(Some(import))
    }
}

struct Inner {
    batch: Batch<Gpu>,
    device: Device,
    /// Arrays of others that are still read.
    held: Vec<(Mark, Import)>,
}

impl Inner {
    /// Keeps an array of others until what was called is done.
    fn hold(&mut self, import: Import) -> Result<(), CudaError> {
        let mark = self.batch.machine().mark()?;
        self.held.retain(|(mark, _)| !mark.is_past());
        self.held.push((mark, import));
        Ok(())
    }

    /// New memory for numbers that are asked for.
    fn array(&mut self, shape: Vec<i64>, kind: Kind) -> Result<DeviceArray, CudaError> {
        let bytes = shape.iter().product::<i64>() as usize * kind.bytes();
        let memory = self.batch.machine().lend(bytes.max(1))?;
        Ok(DeviceArray { memory, shape, kind })
    }
}

/// Many games of one model on a GPU. `ludex.VectorEnv` is the class for users.
#[pyclass(frozen, module = "ludex._ludex")]
pub(crate) struct DeviceBatch {
    inner: Mutex<Option<Inner>>,
    games: usize,
    roles: usize,
    words: usize,
    moves: usize,
    columns: Vec<usize>,
    cells: Kind,
}

impl DeviceBatch {
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Inner>>> {
        self.inner.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is using this environment; give each thread one of its own",
            )
        })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, CudaError> + Send,
    ) -> PyResult<T> {
        let mut inner = self.lock()?;
        let inner = inner.as_mut().ok_or_else(closed)?;
        py.detach(|| work(inner)).map_err(|error| gone_wrong(&error))
    }

    fn number(&self) -> PyResult<usize> {
        Ok(self.lock()?.as_ref().ok_or_else(closed)?.device.number())
    }
}

#[pymethods]
impl DeviceBatch {
    #[new]
    #[pyo3(signature = (model, games, *, seed, autoreset, illegal, rewards, forced, length, device, encoder=None, bytes=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        model: &Model,
        games: usize,
        seed: u64,
        autoreset: &str,
        illegal: &str,
        rewards: &str,
        forced: &str,
        length: u32,
        device: usize,
        encoder: Option<&Encoder>,
        bytes: bool,
    ) -> PyResult<DeviceBatch> {
        let options = options(seed, autoreset, illegal, rewards, forced, length, 1)?;
        let cell = if bytes { CellKind::Bytes } else { CellKind::Floats };
        let wanted = Wanted {
            legal: true,
            rewards: true,
            ends: true,
            turn: true,
            illegal: true,
            made: options.illegal == ludex_env::Illegal::Random,
            observation: encoder.map(|_| cell),
            final_observation: encoder
                .filter(|_| options.autoreset == ludex_env::Autoreset::SameStep)
                .map(|_| cell),
        };
        let inner = py.detach(|| {
            let device = Device::open(device)?;
            let source = BatchSource::fitting(network(&model.inner)?)?;
            let encoder = encoder.map(|encoder| &*encoder.inner);
            let plan = Plan::new(model.inner.clone(), source, games, options, encoder, wanted)?;
            let gpu = Gpu::new(&device, &plan, cache().as_deref())?;
            let batch = Batch::new(plan, gpu)?;
            Ok(Inner { batch, device, held: Vec::new() })
        });
        let inner = inner.map_err(|error| gone_wrong(&error))?;
        Ok(DeviceBatch {
            inner: Mutex::new(Some(inner)),
            games,
            roles: model.inner.role_count(),
            words: model.inner.words(),
            moves: model.inner.move_count(),
            columns: encoder.map_or(Vec::new(), |encoder| encoder.inner.shape().to_vec()),
            cells: if bytes { Kind::U8 } else { Kind::F32 },
        })
    }

    /// The arrays that are written, by name.
    fn arrays(&self) -> PyResult<Vec<(&'static str, DeviceArray)>> {
        let mut inner = self.lock()?;
        let inner = inner.as_mut().ok_or_else(closed)?;
        let at = *inner.batch.arrays();
        let (games, roles) = (self.games as i64, self.roles as i64);
        let cells: Vec<i64> =
            [games].into_iter().chain(self.columns.iter().map(|&length| length as i64)).collect();
        let all = [
            ("mask", at.legal, vec![games, self.moves as i64], Kind::Bool),
            ("rewards", at.rewards, vec![games, roles], Kind::F32),
            ("terminated", at.terminated, vec![games], Kind::Bool),
            ("truncated", at.truncated, vec![games], Kind::Bool),
            ("turn", at.turn, vec![games], Kind::I8),
            ("illegal", at.illegal, vec![games, roles], Kind::Bool),
            ("made", at.made, vec![games, roles], Kind::I32),
            ("observations", at.observation, cells.clone(), self.cells),
            ("final_observations", at.final_observation, cells, self.cells),
        ];
        let machine = inner.batch.machine();
        let there = all.into_iter().filter_map(|(name, address, shape, kind)| {
            let memory = machine.memory(address)?.clone();
            Some((name, DeviceArray { memory, shape, kind }))
        });
        Ok(there.collect())
    }

    /// Begins games anew: all, or those marked; from the initial state, or from rows of bits.
    #[pyo3(signature = (mask=None, states=None))]
    fn reset(
        &self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let device = self.number()?;
        let marks = mask.map(|array| {
            Ok::<_, PyErr>(match Import::of("mask", array, device, self.games, &[Kind::Bool, Kind::U8])? {
                Some(import) => Given::There(import),
                None => Given::Here(Memory::<u8>::readable("mask", array)?.slice().to_vec()),
            })
        });
        let count = self.games * self.words;
        let rows = states.map(|array| {
            Ok::<_, PyErr>(match Import::of("states", array, device, count, &[Kind::U64])? {
                Some(import) => Given::There(import),
                None => {
                    let rows = Memory::<u64>::readable("states", array)?;
                    Given::Here(rows.slice().iter().flat_map(|word| word.to_le_bytes()).collect())
                }
            })
        });
        let (marks, rows) = (marks.transpose()?, rows.transpose()?);
        self.with(py, |inner| {
            let done = inner.batch.reset(marks.as_ref().map(Given::input), rows.as_ref().map(Given::input));
            [marks, rows].into_iter().flatten().try_for_each(|given| given.keep(inner))?;
            done
        })
    }

    /// Steps every game by an action of each role: an array of int32, int64 or uint16, on the GPU or not.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        let kinds = [Kind::I32, Kind::I64, Kind::U16];
        let import = Import::of("actions", actions, self.number()?, self.games * self.roles, &kinds)?;
        let (kind, given) = match import {
            Some(import) => {
                let kind = match import.kind {
                    Kind::I32 => ActionKind::I32,
                    Kind::I64 => ActionKind::I64,
                    _ => ActionKind::U16,
                };
                (kind, Given::There(import))
            }
            None => {
                let numbers = Memory::<i64>::readable("actions", actions)?;
                let bytes = numbers.slice().iter().flat_map(|number| number.to_le_bytes()).collect();
                (ActionKind::I64, Given::Here(bytes))
            }
        };
        self.with(py, |inner| {
            let done = inner.batch.step(kind, given.input());
            given.keep(inner)?;
            done
        })
    }

    /// A random legal action of each role in each game.
    fn sample(&self, py: Python<'_>, seed: u64) -> PyResult<DeviceArray> {
        let shape = vec![self.games as i64, self.roles as i64];
        self.with(py, |inner| {
            let array = inner.array(shape, Kind::I32)?;
            inner.batch.sample(seed, array.memory.address())?;
            Ok(array)
        })
    }

    /// The same, into an array that `sample` has given.
    fn sample_into(&self, py: Python<'_>, seed: u64, out: &DeviceArray) -> PyResult<()> {
        if out.kind != Kind::I32 || out.shape != [self.games as i64, self.roles as i64] {
            return Err(PyValueError::new_err("`out` is an array that `sample_actions` has given"));
        }
        self.with(py, |inner| inner.batch.sample(seed, out.memory.address()))
    }

    /// The state of each game, a bit a fluent.
    fn states(&self, py: Python<'_>) -> PyResult<DeviceArray> {
        let shape = vec![self.games as i64, self.words as i64];
        self.with(py, |inner| {
            let array = inner.array(shape, Kind::U64)?;
            inner.batch.states(array.memory.address())?;
            Ok(array)
        })
    }

    /// Begins the sequence of random moves anew.
    fn reseed(&self, seed: u64) -> PyResult<()> {
        self.lock()?.as_mut().ok_or_else(closed)?.batch.reseed(seed);
        Ok(())
    }

    /// Waits until all that was asked is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |inner| inner.batch.machine().finish())
    }

    /// Lets go of the games; memory goes back when nobody has an array of it any more.
    fn close(&self) -> PyResult<()> {
        *self.lock()? = None;
        Ok(())
    }
}

/// An array that came in.
enum Given {
    Here(Vec<u8>),
    There(Import),
}

impl Given {
    fn input(&self) -> Input<'_> {
        match self {
            Given::Here(bytes) => Input::Here(bytes),
            Given::There(import) => Input::There(import.address),
        }
    }

    fn keep(self, inner: &mut Inner) -> Result<(), CudaError> {
        match self {
            Given::Here(_) => Ok(()),
            Given::There(import) => inner.hold(import),
        }
    }
}

/// What is counted of random matches: playouts, moves, stuck, cut, and for each role its goals.
type Counted = (u64, u64, u64, u64, Vec<(String, Vec<(i32, u64)>, u64)>);

/// Random matches on a GPU, as `Game.playouts` counts them.
#[pyfunction]
#[pyo3(signature = (game, count, start, seed, longest, device))]
pub(crate) fn device_playouts(
    py: Python<'_>,
    game: &Game,
    count: u64,
    start: Option<&State>,
    seed: u64,
    longest: u64,
    device: usize,
) -> PyResult<Counted> {
    let row: Option<Vec<u64>> = start.map(|state| state.lock().state().to_vec());
    py.detach(|| {
        let device = Device::open(device).map_err(|error| gone_wrong(&error))?;
        let model = game.prepared()?.model.clone();
        network(&model).map_err(|error| gone_wrong(&error))?;
        let Some(compiled) = model.network() else { return Err(closed()) };
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default());
        let lanes = lanes.map_err(|error| LimitError::new_err(error.to_string()))?;
        let start: &Row = row.as_deref().unwrap_or(&compiled.initial);
        let played = play(&device, &lanes, start, count, seed, longest);
        let played = played.map_err(|error| gone_wrong(&error))?;
        let names = (0..).map(|role| model.vocabulary().show_role(RoleId(role)));
        let roles = names.zip(played.goals).map(|(name, goals)| (name, goals.values, goals.none));
        Ok((played.playouts, played.transitions, played.stuck, played.cut, roles.collect()))
    })
}

fn play(
    device: &Device,
    lanes: &Lanes,
    start: &Row,
    count: u64,
    seed: u64,
    longest: u64,
) -> Result<ludex::engine::propnet::lanes::BatchResult, CudaError> {
    let phase = lanes.phase_of(start);
    let source = Source::fitting(lanes, phase.is_none(), Shape::bounded(longest))?;
    let state: Vec<bool> =
        (0..source.fluents as u32).map(|fluent| row::holds(start, FluentId(fluent))).collect();
    let kernel = device.load(source, cache().as_deref())?;
    let words = count.div_ceil(32).clamp(1, u64::from(kernel.full()?)) as u32;
    kernel.playing(words, seed, &state, phase.unwrap_or(0) as u32, longest)?.playouts(count)
}
