//! The exhaustive solver: every reachable state, and what each role can force from it.
//!
//! `explore` visits the reachable states on several threads, `retrograde` works back from the ends. Unlike
//! [`regress`](super::regress) it knows every value, not only the best goals, and meets no ghosts; but every
//! reachable state must fit in memory. It is also the judge of the regression, which it shares nothing with
//! but the network.
//!
//! What is computed for every state and role, in any game: the joint moves to the role's best goal if all
//! work together, and the greatest value that the role can force, without knowing simultaneous moves of
//! others. In two-player turn-taking constant-sum games the two forced values add up to the sum, and are
//! *the* values of the game. Elsewhere they are lower bounds: mixed strategies and bargains between roles are
//! not looked for. Where play can go on for ever a role may be unable to force any end; it then has no value.

mod explore;
mod reached;
mod retrograde;

pub use explore::{Options, Space, explore};
pub use reached::Reached;

use super::file;
use super::file::Verdict;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Game;
use std::fmt;

/// Why a game is not solved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// More reachable states than allowed.
    States(usize),
    /// More transitions than allowed, or more from a few states than fit in memory.
    Transitions(usize),
    /// What the work as a whole may take.
    Limit(Exceeded),
    /// The engine could not answer a question about a reachable state.
    Engine(Fault),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolveError::States(most) => write!(f, "the game has more than {most} reachable states"),
            SolveError::Transitions(most) => write!(f, "the game has more than {most} transitions"),
            SolveError::Limit(limit) => write!(f, "it takes {limit}"),
            SolveError::Engine(fault) => write!(f, "in a reachable state {fault}"),
        }
    }
}

impl std::error::Error for SolveError {}

impl From<Exceeded> for SolveError {
    fn from(limit: Exceeded) -> SolveError {
        SolveError::Limit(limit)
    }
}

impl From<Fault> for SolveError {
    /// A question that ended with the time of the whole is no fault of the engine.
    fn from(fault: Fault) -> SolveError {
        match fault.limit() {
            limit if limit.is_final() => SolveError::Limit(limit),
            _ => SolveError::Engine(fault),
        }
    }
}

/// What the goals of a game are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// One role: values are what it can reach.
    Puzzle,
    /// Two roles, one choosing at a time, goals that add up to the same sum in every end: values are exact.
    ConstantSum(Goal),
    /// Everything else: values are what a role can force by itself.
    General,
}

/// A solved game.
#[derive(Debug)]
pub struct Solution {
    /// The reachable states.
    pub space: Space,
    /// What the goals are like.
    pub nature: Nature,
    /// What two goals add up to, where values are exact for that reason.
    pub(crate) sum: Option<Goal>,
    /// For each role the greatest goal that the rules give it in a reachable end.
    pub best: Vec<Option<Goal>>,
    /// For each role the joint moves to its best goal, by state.
    reachable: Vec<Vec<u16>>,
    /// For each role the value it can force and how soon, by state.
    forced: Vec<Vec<(Option<Goal>, u16)>>,
}

/// Visits every reachable state and works back from the ends. `reached` is kept up to date for whoever
/// watches.
pub fn solve(
    engine: &dyn Engine,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Solution, SolveError> {
    let space = explore(engine, options, budget, reached)?;
    let roles = space.roles();
    let nature = space.nature();
    let best: Vec<Option<Goal>> = (0..roles).map(|role| space.best_goal(role)).collect();
    let threads = options.threads;
    let values: Vec<Vec<Goal>> = (0..roles).map(|role| space.values(role)).collect();
    reached.work_back(roles + values.iter().map(Vec::len).sum::<usize>());
    let distances = |role: usize| {
        let is_best = |at| best[role].is_some() && space.goal(at, role) == best[role];
        retrograde::distances(&space, is_best, threads, budget, reached)
    };
    let reachable = (0..roles).map(distances).collect::<Result<_, _>>()?;
    let forced = |role| retrograde::forced_values(&space, role, &values[role], threads, budget, reached);
    let forced = (0..roles).map(forced).collect::<Result<_, _>>()?;
    let sum = match nature {
        Nature::ConstantSum(sum) => Some(sum),
        Nature::Puzzle | Nature::General => None,
    };
    Ok(Solution { space, nature, sum, best, reachable, forced })
}

impl Solution {
    /// What is known of a state from one role's side.
    pub fn verdict(&self, state: usize, role: RoleId) -> Verdict {
        let known = |depth: u16| (depth != retrograde::NEVER).then_some(u32::from(depth));
        let (value, depth) = self.forced[role.index()][state];
        Verdict { value, depth: known(depth), reachable: known(self.reachable[role.index()][state]) }
    }

    /// Joint moves within which the role forces its best goal.
    pub fn forced_depth(&self, state: usize, role: RoleId) -> Option<u32> {
        let verdict = self.verdict(state, role);
        verdict.depth.filter(|_| verdict.value.is_some() && verdict.value == self.best[role.index()])
    }

    /// The greatest depth of any verdict.
    pub fn depth(&self) -> u32 {
        let known = |depth: &u16| *depth != retrograde::NEVER;
        let forced = self.forced.iter().flatten().map(|(_, depth)| *depth).filter(known).max();
        let reachable = self.reachable.iter().flatten().copied().filter(known).max();
        u32::from(forced.max(reachable).unwrap_or(0))
    }

    /// The content of the file.
    pub fn encode(&self, game: &Game, engine: &dyn Engine) -> Vec<u8> {
        file::solution(game, engine.vocabulary(), self)
    }
}
