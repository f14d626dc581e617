//! One state of a game.

use crate::error::raised;
use crate::game::{Game, duration};
use ludex::search::evaluation::Trained;
use ludex::{Match, Moves};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A state of a game; it never changes. `Game.start` makes the first one, `play` the next.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct State {
    /// Behind a lock since the engine's scratch memory is not shared; it is held for single questions.
    inner: Mutex<Match>,
}

impl State {
    pub(crate) fn new(inner: Match) -> State {
        State { inner: Mutex::new(inner) }
    }

    /// The match. A panic under the lock, which is a mistake of ours, leaves it as it was before the question.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Match> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Moves as Python gives them.
fn moves(given: &Bound<'_, PyAny>) -> PyResult<Moves> {
    if let Ok(text) = given.extract::<String>() {
        return Ok(Moves::One(text));
    }
    if let Ok(pairs) = given.cast::<PyDict>() {
        let pairs = pairs.iter().map(|(role, action)| Ok((role.extract()?, action.extract()?)));
        return Ok(Moves::ByRole(pairs.collect::<PyResult<_>>()?));
    }
    match given.extract::<Vec<String>>() {
        Ok(texts) => Ok(Moves::All(texts)),
        Err(_) => Err(PyTypeError::new_err(
            "moves are a text, a sequence of texts in the order of the roles, or a dict from role to text",
        )),
    }
}

#[pymethods]
impl State {
    /// The roles, in the order of the rules.
    #[getter]
    fn roles(&self) -> Vec<String> {
        self.lock().roles().to_vec()
    }

    /// The legal moves of a role.
    fn legal(&self, role: &str) -> PyResult<Vec<String>> {
        self.lock().legal(role).map_err(|error| raised(error.into()))
    }

    /// The numbers of the legal moves of a role, given by its place in the order of the roles.
    fn legal_actions(&self, role: usize) -> PyResult<Vec<u32>> {
        let role = u32::try_from(role).map_err(|_| PyIndexError::new_err(format!("role {role}")))?;
        Ok(self.lock().legal_ids(ludex::engine::RoleId(role)).iter().map(|action| action.0).collect())
    }

    /// True if the game is over.
    #[getter]
    fn terminal(&self) -> bool {
        self.lock().is_over()
    }

    /// True if somebody cannot move though the game is not over.
    #[getter]
    fn stuck(&self) -> bool {
        self.lock().is_stuck()
    }

    /// The goal value of each role, in the order of the roles.
    #[getter]
    fn goal_values(&self) -> Vec<Option<i32>> {
        self.lock().goals().to_vec()
    }

    /// The roles with more than one legal move.
    #[getter]
    fn choosing(&self) -> Vec<String> {
        self.lock().choosing().into_iter().map(str::to_owned).collect()
    }

    /// How many joint moves have been made since the first state of this line.
    #[getter]
    fn step(&self) -> usize {
        self.lock().step()
    }

    /// The joint moves since the first state of this line.
    #[getter]
    fn history(&self) -> Vec<Vec<String>> {
        self.lock().history()
    }

    /// What holds.
    #[getter]
    fn fluents(&self) -> Vec<String> {
        self.lock().fluents()
    }

    /// The state after these moves.
    fn play(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<State> {
        let moves = moves(given)?;
        py.detach(|| {
            let mut next = self.lock().clone();
            next.play(moves).map_err(raised)?;
            Ok(State::new(next))
        })
    }

    /// The state after these moves, given by their numbers in the order of the roles.
    fn apply(&self, py: Python<'_>, actions: Vec<u32>) -> PyResult<State> {
        py.detach(|| {
            let mut next = self.lock().clone();
            next.play_ids(&actions.into_iter().map(ludex::engine::MoveId).collect::<Vec<_>>())
                .map_err(raised)?;
            Ok(State::new(next))
        })
    }

    /// The state as a board, where it looks like one.
    fn draw(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let play = self.lock().clone();
            play.draw()
        })
    }

    /// The state as a picture, an SVG document.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let play = self.lock().clone();
            play.svg()
        })
    }

    /// The bits of the state, a bit a fluent, eight bytes a word.
    fn row<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.lock().state().iter().flat_map(|word| word.to_le_bytes()).collect();
        PyBytes::new(py, &bytes)
    }

    /// Searches: (role, best, [(move, visits, value, certain value or None)], line, playouts, solved).
    #[pyo3(signature = (seconds=1.0, iterations=None, role=None, seed=1, evaluation=None))]
    #[allow(clippy::type_complexity)]
    fn search(
        &self,
        py: Python<'_>,
        seconds: f64,
        iterations: Option<u64>,
        role: Option<&str>,
        seed: u64,
        evaluation: Option<PathBuf>,
    ) -> PyResult<(String, Option<String>, Vec<(String, u64, f64, Option<i32>)>, Vec<Vec<String>>, u64, bool)>
    {
        let time = duration(seconds)?;
        let found = py.detach(|| {
            let play = self.lock().clone();
            let game = play.game().clone();
            let trained = evaluation.map(|path| Trained::read(&path)).transpose();
            let trained = trained.map_err(|error| raised(ludex::Error::from(error)))?;
            let search = game.search(&play).seed(seed);
            let search = match &trained {
                Some(trained) => search.evaluation(trained),
                None => search,
            };
            let search = match iterations {
                Some(count) => search.iterations(count),
                None => search.time(time),
            };
            let search = match role {
                Some(role) => search.role(role),
                None => search,
            };
            search.run().map_err(raised)
        })?;
        let candidates = found.candidates.into_iter().map(|candidate| {
            let certain = candidate.verdict.map(|verdict| verdict.value);
            (candidate.action, candidate.visits, candidate.value, certain)
        });
        Ok((found.role, found.best, candidates.collect(), found.line, found.playouts, found.solved))
    }

    fn __eq__(&self, other: &State) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let (row, text) = {
            let one = self.lock();
            (one.state().to_vec(), one.game().text().to_owned())
        };
        let other = other.lock();
        row == other.state() && text == other.game().text()
    }

    fn __hash__(&self) -> isize {
        let mut hasher = DefaultHasher::new();
        self.lock().state().hash(&mut hasher);
        hasher.finish() as isize
    }

    fn __repr__(&self) -> String {
        let state = self.lock();
        format!("<ludex.State of {}, step {}>", state.game().name(), state.step())
    }

    /// Pickled as the rules and what holds.
    fn __getnewargs__(&self) -> (String, String, Vec<String>) {
        let state = self.lock();
        (state.game().name().to_owned(), state.game().text().to_owned(), state.fluents())
    }

    #[new]
    fn read(py: Python<'_>, name: &str, rules: &str, fluents: Vec<String>) -> PyResult<State> {
        py.detach(|| {
            let game = Game::new(ludex::Game::read(name, rules).map_err(|error| raised(error.into()))?);
            let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
            Ok(State::new(game.prepared()?.game.start_from(&fluents).map_err(raised)?))
        })
    }
}
