//! The exhaustive solver, in words.

use crate::error::Result;
use crate::game::Game;
use ludex_engine::{Budget, Goal};
use ludex_logic::endgame::Database;
use ludex_logic::endgame::query;
use ludex_logic::endgame::solve::{Nature, Options, Reached, Solution, solve};
use std::fmt;
use std::time::Duration;

/// A solution to be computed ([`Game::solve`]).
#[derive(Clone, Debug)]
#[must_use = "nothing is solved before `run`"]
pub struct Solve<'g> {
    game: &'g Game,
    options: Options,
    time: Duration,
    budget: Budget,
}

/// A solved game: what each role gets from the start.
#[derive(Debug)]
#[non_exhaustive]
pub struct Solved {
    /// Reachable states.
    pub states: usize,
    /// True if the values are those of best play: the game is for one, or for two who take turns for a
    /// constant sum. Else they are what a role can force by itself.
    pub exact: bool,
    /// By role, in the order of the roles.
    pub roles: Vec<RoleValue>,
    /// Everything, state by state.
    pub solution: Solution,
}

/// What a role gets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoleValue {
    /// The role.
    pub role: String,
    /// The goal value; none where the role can force no end.
    pub value: Option<Goal>,
    /// Joint moves until then, at most.
    pub depth: Option<u32>,
    /// The first moves that get it.
    pub moves: Vec<String>,
}

impl<'g> Solve<'g> {
    pub(crate) fn new(game: &'g Game) -> Solve<'g> {
        Solve { game, options: Options::default(), time: Duration::from_secs(600), budget: Budget::default() }
    }

    /// At most so many states; twenty million if nothing is said.
    pub fn states(mut self, states: usize) -> Self {
        self.options.states = states;
        self
    }

    /// For so long; ten minutes if nothing is said.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Within this budget, too: its memory, its token, its deadline.
    pub fn budget(mut self, budget: &Budget) -> Self {
        self.budget = budget.clone();
        self
    }

    /// On so many threads; all processors if nothing is said.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads.max(1);
        self
    }

    /// Visits every reachable state, and works back from the ends.
    ///
    /// ```
    /// let solved = ludex::Game::load("nim")?.solve().run()?;
    /// // 1 xor 3 xor 5 xor 7 is 0: who begins has lost.
    /// assert_eq!(solved.role("alice").map(|alice| alice.value), Some(Some(0)));
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Solved> {
        let engine = self.game.engine()?;
        let vocabulary = engine.vocabulary();
        let solution = solve(&**engine, &self.options, &self.budget.within(self.time), &Reached::default())?;
        let bytes = solution.encode(self.game.rules(), &**engine);
        let mut worker = engine.worker();
        let mut initial = vec![0; vocabulary.words()];
        worker.initial(&mut initial);
        // The database of what was just solved reads back, or it is a mistake of ours that shows as moves not known.
        let best = match Database::from_bytes(bytes) {
            Ok(database) => query::best_moves(&database, &mut *worker, &initial)?,
            Err(_) => vec![Vec::new(); vocabulary.role_count()],
        };
        let roles = vocabulary.roles().zip(best).map(|(role, best)| {
            let verdict = solution.verdict(0, role);
            RoleValue {
                role: vocabulary.show_role(role),
                value: verdict.value,
                depth: verdict.depth,
                moves: best.iter().map(|&action| vocabulary.show_move(role, action)).collect(),
            }
        });
        let roles = roles.collect();
        let exact = !matches!(solution.nature, Nature::General);
        Ok(Solved { states: solution.space.len(), exact, roles, solution })
    }
}

impl Solved {
    /// What a role gets.
    pub fn role(&self, role: &str) -> Option<&RoleValue> {
        self.roles.iter().find(|value| value.role == role)
    }
}

impl fmt::Display for RoleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.depth) {
            (Some(value), Some(depth)) => write!(f, "{} gets {value} within {depth} moves", self.role),
            _ => write!(f, "{} cannot force an end", self.role),
        }
    }
}
