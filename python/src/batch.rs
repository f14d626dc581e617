//! Batches over memory that Python owns.

use crate::error::raised_in_batch;
use crate::game::Prepared;
use ludex::engine::budget::Budget;
use ludex::engine::symmetry::{Symmetries, Symmetry};
use ludex::engine::vocabulary::FluentId;
use ludex_env::{
    Actions, Autoreset, Cells, EnvError, Forced, Illegal, Options, Outputs, Rewards, Start, Which,
};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyBufferError, PyLookupError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

/// A game compiled for batches. `Game.model` makes one.
#[pyclass(frozen, module = "ludex._ludex")]
pub(crate) struct Model {
    pub(crate) inner: Arc<ludex_env::Model>,
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) game: ludex::Game,
}

#[pymethods]
impl Model {
    /// The columns of a mask that are each role's: (first, behind the last).
    #[getter]
    fn move_ranges(&self) -> Vec<(usize, usize)> {
        let ranges = self.inner.vocabulary().roles().map(|role| self.inner.moves(role));
        ranges.map(|range| (range.start, range.end)).collect()
    }

    /// How many words of 64 bits a state takes.
    #[getter]
    fn words(&self) -> usize {
        self.inner.words()
    }

    /// The least and the greatest goal value that the rules name.
    #[getter]
    fn goal_range(&self) -> (i32, i32) {
        self.inner.goal_range()
    }

    /// True if games are stepped 512 at a time on a network.
    #[getter]
    fn has_network(&self) -> bool {
        self.inner.has_network()
    }

    /// How observations are made: `flat` or `board`. A board takes proofs, for which so many seconds may be spent.
    /// With the number of a role it is as this role sees it if it were the first one, which takes a symmetry of the
    /// rules.
    #[pyo3(signature = (kind, seconds=5.0, role=None))]
    fn encoder(&self, py: Python<'_>, kind: &str, seconds: f64, role: Option<usize>) -> PyResult<Encoder> {
        let time = crate::game::duration(seconds)?;
        let inner = match kind {
            "flat" => py.detach(|| ludex_env::Encoder::flat_without(&self.inner, self.inner.constants())),
            "board" => py.detach(|| {
                let found = self.game.facts().time(time).run().map_err(crate::error::raised)?;
                ludex_env::Encoder::board(&self.inner, &found.facts)
                    .map_err(|error| PyValueError::new_err(error.to_string()))
            })?,
            other => {
                return Err(PyValueError::new_err(format!(
                    "no observation `{other}`: it is `flat` or `board`"
                )));
            }
        };
        let Some(role) = role else { return Ok(Encoder { inner: Arc::new(inner) }) };
        let inner = py.detach(|| {
            let vocabulary = self.inner.vocabulary();
            let budget = Budget::default().within(time);
            let found = Symmetries::new(self.game.rules(), vocabulary, &budget);
            let found = found.map_err(|error| crate::error::raised(error.into()))?;
            let list = found.all(MOST_SYMMETRIES).unwrap_or(found.generators);
            let as_first =
                |symmetry: &&Symmetry| symmetry.roles.get(role).is_some_and(|role| role.index() == 0);
            list.iter().find(as_first).map(|symmetry| inner.through(symmetry, &self.inner)).ok_or_else(|| {
                PyLookupError::new_err("no symmetry of the rules is known that makes this role the first one")
            })
        });
        Ok(Encoder { inner: Arc::new(inner?) })
    }
}

/// Of more symmetries than this the generators alone are looked at.
const MOST_SYMMETRIES: usize = 1000;

/// How states become arrays.
#[pyclass(frozen, module = "ludex._ludex")]
pub(crate) struct Encoder {
    pub(crate) inner: Arc<ludex_env::Encoder>,
}

#[pymethods]
impl Encoder {
    /// The shape of an observation.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.inner.shape().to_vec()
    }

    /// What each place of the first axis means.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.inner.names().to_vec()
    }

    /// True if every number is zero or one.
    #[getter]
    fn is_bits(&self) -> bool {
        self.inner.is_bits()
    }

    /// Where each number comes from when the fluents become these.
    fn permutation(&self, fluents: Vec<u32>) -> PyResult<Vec<usize>> {
        let images: Vec<FluentId> = fluents.into_iter().map(FluentId).collect();
        self.inner.permutation(&images).ok_or_else(|| {
            let what =
                "the symmetry moves something that this observation does not show, or is of another game";
            PyLookupError::new_err(what)
        })
    }
}

/// Memory of an array that Python owns. It stays where it is as long as this is held.
pub(crate) struct Memory<T: Element> {
    buffer: PyBuffer<T>,
}

impl<T: Element> Memory<T> {
    fn writable(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Memory<T>> {
        let memory = Memory::readable(name, array)?;
        match memory.buffer.readonly() {
            true => Err(PyBufferError::new_err(format!("the array `{name}` cannot be written"))),
            false => Ok(memory),
        }
    }

    pub(crate) fn readable(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Memory<T>> {
        let buffer = PyBuffer::get(array).map_err(|error| {
            PyTypeError::new_err(format!("the array `{name}` has the wrong type: {error}"))
        })?;
        match buffer.is_c_contiguous() {
            true => Ok(Memory { buffer }),
            false => Err(PyBufferError::new_err(format!("the array `{name}` is not contiguous"))),
        }
    }

    /// The addresses of its bytes.
    fn addresses(&self) -> Range<usize> {
        let first = self.buffer.buf_ptr().addr();
        first..first + self.buffer.len_bytes()
    }

    pub(crate) fn slice(&self) -> &[T] {
        if self.buffer.item_count() == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous, holds `item_count` elements of type T (checked by
        // `PyBuffer::get`) and is pinned while it is exported. It is none of the arrays that are written meanwhile
        // (`Arrays::touch`). Python code that writes to it from another thread meanwhile changes numbers, and every
        // number is checked before it is used.
        unsafe { std::slice::from_raw_parts(self.buffer.buf_ptr().cast::<T>(), self.buffer.item_count()) }
    }

    /// What is in it; a copy, if that is also in an array that is going to be written.
    fn apart_from(&self, arrays: &Arrays) -> Cow<'_, [T]>
    where
        T: Clone,
    {
        match arrays.touch(&self.addresses()) {
            true => Cow::Owned(self.slice().to_vec()),
            false => Cow::Borrowed(self.slice()),
        }
    }

    fn slice_mut(&mut self) -> &mut [T] {
        if self.buffer.item_count() == 0 {
            return &mut [];
        }
        // SAFETY: as in `slice`; it is writable (checked when it was bound), and each array is bound to one
        // name of one batch, whose lock is held.
        unsafe { std::slice::from_raw_parts_mut(self.buffer.buf_ptr().cast::<T>(), self.buffer.item_count()) }
    }
}

/// The arrays that a batch writes into.
#[derive(Default)]
struct Arrays {
    legal: Option<Memory<u8>>,
    rewards: Option<Memory<f32>>,
    terminated: Option<Memory<u8>>,
    truncated: Option<Memory<u8>>,
    stuck: Option<Memory<u8>>,
    turn: Option<Memory<i8>>,
    illegal: Option<Memory<u8>>,
    made: Option<Memory<i32>>,
    observation: Option<Observed>,
    final_observation: Option<Observed>,
}

enum Observed {
    Bytes(Memory<u8>),
    Floats(Memory<f32>),
}

impl Observed {
    fn bind(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Observed> {
        match Memory::writable(name, array) {
            Ok(memory) => Ok(Observed::Floats(memory)),
            Err(_) => Memory::writable(name, array).map(Observed::Bytes),
        }
    }

    fn cells(&mut self) -> Cells<'_> {
        match self {
            Observed::Bytes(memory) => Cells::Bytes(memory.slice_mut()),
            Observed::Floats(memory) => Cells::Floats(memory.slice_mut()),
        }
    }
}

impl Arrays {
    /// True if some array has bytes at these addresses.
    fn touch(&self, addresses: &Range<usize>) -> bool {
        fn of<T: Element>(memory: &Option<Memory<T>>) -> Option<Range<usize>> {
            memory.as_ref().map(Memory::addresses)
        }
        let observed = |observed: &Option<Observed>| match observed.as_ref()? {
            Observed::Bytes(memory) => Some(memory.addresses()),
            Observed::Floats(memory) => Some(memory.addresses()),
        };
        let all = [
            of(&self.legal),
            of(&self.rewards),
            of(&self.terminated),
            of(&self.truncated),
            of(&self.stuck),
            of(&self.turn),
            of(&self.illegal),
            of(&self.made),
            observed(&self.observation),
            observed(&self.final_observation),
        ];
        all.iter().flatten().any(|own| own.start < addresses.end && addresses.start < own.end)
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            legal: self.legal.as_mut().map(Memory::slice_mut),
            legal_words: None,
            rewards: self.rewards.as_mut().map(Memory::slice_mut),
            terminated: self.terminated.as_mut().map(Memory::slice_mut),
            truncated: self.truncated.as_mut().map(Memory::slice_mut),
            stuck: self.stuck.as_mut().map(Memory::slice_mut),
            turn: self.turn.as_mut().map(Memory::slice_mut),
            illegal: self.illegal.as_mut().map(Memory::slice_mut),
            made: self.made.as_mut().map(Memory::slice_mut),
            observation: self.observation.as_mut().map(Observed::cells),
            final_observation: self.final_observation.as_mut().map(Observed::cells),
        }
    }
}

struct Inner {
    batch: ludex_env::Batch,
    arrays: Arrays,
}

/// Many games of one model, stepped together. `ludex.VectorEnv` is the class for users.
#[pyclass(frozen, module = "ludex._ludex")]
pub(crate) struct Batch {
    inner: Mutex<Option<Inner>>,
}

impl Batch {
    /// The batch, if nobody else uses it and it is not closed.
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Inner>>> {
        self.inner.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is using this environment; give each thread one of its own",
            )
        })
    }

    fn step_by<T>(&self, py: Python<'_>, actions: &Memory<T>) -> PyResult<()>
    where
        T: Element + Sync,
        for<'a> &'a [T]: Into<Actions<'a>>,
    {
        self.with(py, |Inner { batch, arrays }| batch.step(&*actions.apart_from(arrays), arrays.outputs()))
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T, EnvError> + Send,
    ) -> PyResult<T> {
        let mut inner = self.lock()?;
        let inner = inner.as_mut().ok_or_else(closed)?;
        py.detach(|| work(inner)).map_err(|error| raised_in_batch(&error))
    }
}

pub(crate) fn closed() -> PyErr {
    PyRuntimeError::new_err("this environment is closed")
}

fn option<T: Copy>(what: &str, given: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        PyValueError::new_err(format!("{what} `{given}`: it is one of {}", names.join(", ")))
    })
}

/// The options by their names.
pub(crate) fn options(
    seed: u64,
    autoreset: &str,
    illegal: &str,
    rewards: &str,
    forced: &str,
    length: u32,
    threads: usize,
) -> PyResult<Options> {
    let autoreset = option(
        "autoreset",
        autoreset,
        &[
            ("SameStep", Autoreset::SameStep),
            ("NextStep", Autoreset::NextStep),
            ("Disabled", Autoreset::Disabled),
        ],
    )?;
    let illegal = option(
        "illegal",
        illegal,
        &[("lose", Illegal::Lose), ("random", Illegal::Random), ("raise", Illegal::Raise)],
    )?;
    let rewards = option(
        "rewards",
        rewards,
        &[("goals", Rewards::Goals), ("scaled", Rewards::Scaled), ("zero_sum", Rewards::ZeroSum)],
    )?;
    let forced = option("forced", forced, &[("given", Forced::Given), ("made", Forced::Made)])?;
    Ok(Options { autoreset, illegal, rewards, forced, length, seed, threads })
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (model, games, *, seed, autoreset, illegal, rewards, forced, length, threads, encoder=None))]
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
        threads: i64,
        encoder: Option<&Encoder>,
    ) -> PyResult<Batch> {
        let threads = crate::game::threads(threads)?;
        let options = options(seed, autoreset, illegal, rewards, forced, length, threads)?;
        let made = py.detach(|| {
            let batch = ludex_env::Batch::new(model.prepared.model_for(games).clone(), games, options)?;
            match encoder {
                Some(encoder) => batch.with_encoder(encoder.inner.clone()),
                None => Ok(batch),
            }
        });
        let batch = made.map_err(|error| raised_in_batch(&error))?;
        Ok(Batch { inner: Mutex::new(Some(Inner { batch, arrays: Arrays::default() })) })
    }

    /// The array that an output is written into from now on: contiguous, writable, of the right type and length.
    fn bind(&self, name: &str, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let Inner { batch, arrays } = inner.as_mut().ok_or_else(closed)?;
        match name {
            "legal" => arrays.legal = Some(Memory::writable(name, array)?),
            "rewards" => arrays.rewards = Some(Memory::writable(name, array)?),
            "terminated" => arrays.terminated = Some(Memory::writable(name, array)?),
            "truncated" => arrays.truncated = Some(Memory::writable(name, array)?),
            "stuck" => arrays.stuck = Some(Memory::writable(name, array)?),
            "turn" => arrays.turn = Some(Memory::writable(name, array)?),
            "illegal" => arrays.illegal = Some(Memory::writable(name, array)?),
            "made" => arrays.made = Some(Memory::writable(name, array)?),
            "observation" => arrays.observation = Some(Observed::bind(name, array)?),
            "final_observation" => arrays.final_observation = Some(Observed::bind(name, array)?),
            other => return Err(PyValueError::new_err(format!("no output `{other}`"))),
        }
        batch.show(arrays.outputs()).map_err(|error| raised_in_batch(&error))
    }

    /// Begins games anew: all, or those marked; from the initial state, or from rows of bits.
    #[pyo3(signature = (mask=None, states=None))]
    fn reset(
        &self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mask = mask.map(|array| Memory::<u8>::readable("mask", array)).transpose()?;
        let states = states.map(|array| Memory::<u64>::readable("states", array)).transpose()?;
        self.with(py, |Inner { batch, arrays }| {
            let (mask, states) = (
                mask.as_ref().map(|mask| mask.apart_from(arrays)),
                states.as_ref().map(|states| states.apart_from(arrays)),
            );
            let which = mask.as_deref().map_or(Which::All, Which::Marked);
            let from = states.as_deref().map_or(Start::Initial, Start::States);
            batch.reset(which, from, arrays.outputs())
        })
    }

    /// Steps every game by an action of each role: a contiguous array of int32, int64 or uint16.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(actions) = Memory::<i32>::readable("actions", actions) {
            return self.step_by(py, &actions);
        }
        if let Ok(actions) = Memory::<i64>::readable("actions", actions) {
            return self.step_by(py, &actions);
        }
        self.step_by(py, &Memory::<u16>::readable("actions", actions)?)
    }

    /// Writes a random legal action of each role in each game.
    fn sample(&self, py: Python<'_>, seed: u64, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut out = Memory::<i32>::writable("actions", out)?;
        self.with(py, |inner| inner.batch.sample(seed, out.slice_mut()))
    }

    /// Writes the state of each game, a bit a fluent.
    fn states(&self, py: Python<'_>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut out = Memory::<u64>::writable("states", out)?;
        self.with(py, |inner| inner.batch.states(out.slice_mut()))
    }

    /// Begins the sequence of random moves anew.
    fn reseed(&self, seed: u64) -> PyResult<()> {
        self.lock()?.as_mut().ok_or_else(closed)?.batch.reseed(seed);
        Ok(())
    }

    /// Lets go of all memory; whatever is asked afterwards is an error.
    fn close(&self) -> PyResult<()> {
        *self.lock()? = None;
        Ok(())
    }
}
