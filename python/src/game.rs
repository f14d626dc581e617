//! Rules, and what can be asked of them.

use crate::batch::Model;
use crate::error::{RulesError, raised};
use crate::state::State;
use ludex::engine::BuildError;
use ludex::engine::budget::Budget;
use ludex::engine::symmetry::Symmetries;
use ludex::engine::vocabulary::RoleId;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A network that takes more to make is left alone, and the game is interpreted: whoever types waits. Not a time, since whether
/// there is a network decides what observations show, and that must not depend on what else the machine does. Chess is given up
/// after a second.
const NETWORK_ROWS: usize = 200_000;
const NETWORK_STEPS: u64 = 20_000_000;

/// From so many games on a symmetry is looked for, and what that may take.
const MANY: usize = 512;
const SYMMETRY_STEPS: u64 = 100_000_000;
const SYMMETRY_TIME: Duration = Duration::from_secs(1);

/// The names of the bundled games.
#[pyfunction]
pub(crate) fn bundled() -> Vec<&'static str> {
    ludex::games::ALL.iter().map(|game| game.name).collect()
}

/// The game that `source` stands for: a bundled name, a path, or the rules themselves.
#[pyfunction]
#[pyo3(signature = (source, scramble=None))]
pub(crate) fn load(py: Python<'_>, source: &str, scramble: Option<u64>) -> PyResult<Game> {
    py.detach(|| {
        let game = ludex::Game::load(source).map_err(|error| raised(error.into()))?;
        match scramble {
            None => Ok(Game::new(game)),
            Some(seed) => {
                // Without comments, whose words are no names.
                let plain = ludex::gdl::syntax::print::kif(&ludex::gdl::Sheet::read(game.text()).tree);
                let rules = ludex::ggp::scramble::Scrambler::new(&plain, seed).scramble(&plain);
                let game = ludex::Game::read(game.name(), &rules).map_err(|error| raised(error.into()))?;
                Ok(Game::new(game))
            }
        }
    })
}

/// The rules of a game. `ludex.load` makes one.
#[pyclass(frozen, module = "ludex")]
pub(crate) struct Game {
    pub(crate) inner: ludex::Game,
    prepared: OnceLock<Arc<Prepared>>,
}

/// What steps a game: made when it is first needed.
pub(crate) struct Prepared {
    pub(crate) model: Arc<ludex_env::Model>,
    /// The same, faster for many games.
    many: OnceLock<Arc<ludex_env::Model>>,
    /// The same game with an engine that answers about single states.
    pub(crate) game: ludex::Game,
}

impl Game {
    pub(crate) fn new(inner: ludex::Game) -> Game {
        Game { inner, prepared: OnceLock::new() }
    }

    /// Call it without the interpreter lock.
    pub(crate) fn prepared(&self) -> PyResult<&Arc<Prepared>> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared);
        }
        let made = self.prepare().map_err(|error| raised(error.into()))?;
        Ok(self.prepared.get_or_init(|| Arc::new(made)))
    }

    fn prepare(&self) -> Result<Prepared, BuildError> {
        let budget = Budget::default();
        let patient = budget.clone().with_rows(NETWORK_ROWS).with_steps(NETWORK_STEPS);
        // The engine takes the same network.
        let model = ludex_env::Model::of(self.inner.prepared(), &budget, &patient)?;
        let engine = if model.has_network() { "propnet" } else { "tree" };
        let game = self.inner.with_engine(engine).unwrap_or_else(|_| self.inner.clone());
        Ok(Prepared { model: Arc::new(model), many: OnceLock::new(), game })
    }
}

impl Prepared {
    /// The model for so many games: for whole blocks of them it is worth looking for a symmetry that makes steps faster.
    pub(crate) fn model_for(&self, games: usize) -> &Arc<ludex_env::Model> {
        if games < MANY {
            return &self.model;
        }
        let budget = Budget::default().with_steps(SYMMETRY_STEPS).within(SYMMETRY_TIME);
        self.many.get_or_init(|| Arc::new((*self.model).clone().turned(&budget)))
    }
}

#[pymethods]
impl Game {
    /// What the game is called: a bundled name, or that of its file.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// The text of the rules.
    #[getter]
    fn rules(&self) -> &str {
        self.inner.text()
    }

    /// The roles, in the order of the rules.
    #[getter]
    fn roles(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| {
            let vocabulary = self.prepared()?.model.vocabulary();
            Ok(vocabulary.roles().map(|role| vocabulary.show_role(role)).collect())
        })
    }

    /// The moves of each role, in the order of their numbers.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Vec<String>>> {
        py.detach(|| {
            let vocabulary = self.prepared()?.model.vocabulary();
            let count = |role: RoleId| vocabulary.move_count(role) as u32;
            let show = |role: RoleId| {
                (0..count(role)).map(|n| vocabulary.show_move(role, ludex::engine::MoveId(n))).collect()
            };
            Ok(vocabulary.roles().map(show).collect())
        })
    }

    /// The fluents, in the order of their numbers.
    #[getter]
    fn fluents(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| {
            let vocabulary = self.prepared()?.model.vocabulary();
            Ok(vocabulary.fluents().map(|fluent| vocabulary.show_fluent(fluent)).collect())
        })
    }

    /// The initial state.
    fn start(&self, py: Python<'_>) -> PyResult<State> {
        py.detach(|| Ok(State::new(self.prepared()?.game.start().map_err(raised)?)))
    }

    /// The state in which just these fluents hold.
    fn state(&self, py: Python<'_>, fluents: Vec<String>) -> PyResult<State> {
        py.detach(|| {
            let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
            Ok(State::new(self.prepared()?.game.start_from(&fluents).map_err(raised)?))
        })
    }

    /// A model for batches.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        py.detach(|| {
            let prepared = self.prepared()?.clone();
            Ok(Model { inner: prepared.model.clone(), prepared, game: self.inner.clone() })
        })
    }

    /// What the checker says: (severity, line, column, message, drawn).
    fn check(&self) -> Vec<(String, usize, usize, String, String)> {
        let text = self.inner.text();
        let warnings = self.inner.warnings().iter();
        warnings
            .map(|finding| {
                let (line, column) = ludex::gdl::syntax::line_column(text, finding.span.start);
                (
                    "warning".to_owned(),
                    line,
                    column,
                    finding.message.clone(),
                    finding.drawn(self.inner.name(), text),
                )
            })
            .collect()
    }

    /// What was found and proved within so many seconds: a dict of plain values, and sentences.
    #[pyo3(signature = (seconds=2.0))]
    fn facts<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Bound<'py, PyDict>> {
        let time = duration(seconds)?;
        let found = py.detach(|| self.inner.facts().time(time).run().map_err(raised))?;
        let facts = PyDict::new(py);
        let statements: Vec<(&str, &str, &str)> = (found.statements.iter())
            .map(|statement| (statement.kind, statement.text.as_str(), statement.formula.as_str()))
            .collect();
        facts.set_item("statements", statements)?;
        facts.set_item("playable", found.facts.playable)?;
        facts.set_item("unique_goals", found.facts.unique_goals)?;
        facts.set_item("goal_sum", found.facts.goal_sum)?;
        facts.set_item("length", found.facts.length)?;
        let turns = !matches!(found.facts.turns, ludex::logic::facts::Turns::Unknown);
        facts.set_item("turn_taking", turns)?;
        Ok(facts)
    }

    /// Decides a property: ("holds" | "fails" | "unknown", counterexample or None, text).
    #[pyo3(signature = (formula, seconds=10.0))]
    fn prove(
        &self,
        py: Python<'_>,
        formula: &str,
        seconds: f64,
    ) -> PyResult<(&'static str, Option<Vec<Vec<String>>>, String)> {
        let time = duration(seconds)?;
        let proved = py.detach(|| self.inner.prove(formula).time(time).run().map_err(raised))?;
        let answer = match () {
            () if proved.holds() => "holds",
            () if proved.fails() => "fails",
            () => "unknown",
        };
        Ok((answer, proved.counterexample(), proved.to_string()))
    }

    /// Visits every state: (states, exact, {role: (value or None, depth or None, best first moves)}).
    #[pyo3(signature = (states=20_000_000, seconds=600.0, threads=1))]
    #[allow(clippy::type_complexity)]
    fn solve(
        &self,
        py: Python<'_>,
        states: usize,
        seconds: f64,
        threads: i64,
    ) -> PyResult<(usize, bool, Vec<(String, Option<i32>, Option<u32>, Vec<String>)>)> {
        let time = duration(seconds)?;
        let threads = self::threads(threads)?;
        let solved = py.detach(|| {
            let game = &self.prepared()?.game;
            game.solve().states(states).time(time).threads(threads).run().map_err(raised)
        })?;
        let roles = solved.roles.into_iter().map(|role| (role.role, role.value, role.depth, role.moves));
        Ok((solved.states, solved.exact, roles.collect()))
    }

    /// The rules in a notation: `kif` or `infix`.
    #[pyo3(signature = (notation="kif"))]
    fn print(&self, notation: &str) -> PyResult<String> {
        use ludex::gdl::{Sheet, syntax::print};
        let sheet = Sheet::read(self.inner.text());
        match notation {
            "kif" => Ok(print::kif(&sheet.tree)),
            "infix" => Ok(print::infix(&sheet.tree)),
            other => Err(PyValueError::new_err(format!("no notation `{other}`: it is `kif` or `infix`"))),
        }
    }

    /// Random matches: (playouts, moves, stuck, cut, [(role, [(goal, count)], without goal)]).
    #[pyo3(signature = (count, start=None, seed=1, threads=1, longest=10_000))]
    #[allow(clippy::type_complexity)]
    fn playouts(
        &self,
        py: Python<'_>,
        count: u64,
        start: Option<&State>,
        seed: u64,
        threads: i64,
        longest: u64,
    ) -> PyResult<(u64, u64, u64, u64, Vec<(String, Vec<(i32, u64)>, u64)>)> {
        let threads = self::threads(threads)?;
        let outcomes = py.detach(|| {
            let game = &self.prepared()?.game;
            let playouts = game.playouts(count).seed(seed).threads(threads).longest(longest);
            match start {
                None => playouts.run().map_err(raised),
                Some(state) => {
                    // Others may ask the state meanwhile.
                    let play = state.lock().clone();
                    playouts.after(&play).run().map_err(raised)
                }
            }
        })?;
        let roles = outcomes.roles.into_iter().map(|role| (role.role, role.goals, role.none));
        Ok((outcomes.playouts, outcomes.moves, outcomes.stuck, outcomes.cut, roles.collect()))
    }

    /// Symmetries as index lists: [(roles, fluents, [moves of each role])]; at most so many.
    #[pyo3(signature = (most=64, seconds=5.0))]
    #[allow(clippy::type_complexity)]
    fn symmetries(
        &self,
        py: Python<'_>,
        most: usize,
        seconds: f64,
    ) -> PyResult<Option<Vec<(Vec<u32>, Vec<u32>, Vec<Vec<u32>>)>>> {
        let time = duration(seconds)?;
        py.detach(|| {
            let vocabulary = self.prepared()?.model.vocabulary().clone();
            let budget = Budget::default().within(time);
            let found = Symmetries::new(self.inner.rules(), &vocabulary, &budget);
            let found = found.map_err(|error| raised(error.into()))?;
            let Some(all) = found.all(most) else { return Ok(None) };
            let lists = all.iter().map(|symmetry| {
                let roles = symmetry.roles.iter().map(|role| role.0).collect();
                let fluents = symmetry.fluents.iter().map(|fluent| fluent.0).collect();
                let moves = symmetry.moves.iter().map(|list| list.iter().map(|m| m.0).collect()).collect();
                (roles, fluents, moves)
            });
            Ok(Some(lists.collect()))
        })
    }

    fn __repr__(&self) -> String {
        format!("<ludex.Game {}>", self.inner.name())
    }

    /// Pickled as its rules.
    fn __getnewargs__(&self) -> (String, String) {
        (self.inner.name().to_owned(), self.inner.text().to_owned())
    }

    #[new]
    fn read(py: Python<'_>, name: &str, rules: &str) -> PyResult<Game> {
        py.detach(|| {
            ludex::Game::read(name, rules)
                .map(Game::new)
                .map_err(|error| RulesError::new_err(error.to_string()))
        })
    }

    fn __eq__(&self, other: &Game) -> bool {
        self.inner.text() == other.inner.text()
    }

    fn __hash__(&self) -> isize {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.inner.text().hash(&mut hasher);
        hasher.finish() as isize
    }
}

/// More threads than this are a mistake.
const MOST_THREADS: i64 = 1024;

/// A number of threads that makes sense.
pub(crate) fn threads(threads: i64) -> PyResult<usize> {
    match threads {
        1..=MOST_THREADS => Ok(threads as usize),
        _ => Err(PyValueError::new_err(format!(
            "`threads` is a number from 1 to {MOST_THREADS}, not {threads}"
        ))),
    }
}

/// Seconds that make sense as a time.
pub(crate) fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{seconds} seconds are no time to wait")))
}
