//! Random matches, many at a time, and how they end.

use crate::error::Result;
use crate::game::Game;
use ludex_engine::propnet::lanes::BatchResult;
use ludex_engine::{Engine, Goal, PlayoutBuffer, Random, Vocabulary};
use std::collections::BTreeMap;

/// Random matches to be played ([`Game::playouts`]).
///
/// Where the game has a network they are played 512 at a time, on several threads; else one by one. The same seed
/// gives the same matches on every machine.
#[derive(Clone, Debug)]
#[must_use = "nothing is played before `run`"]
pub struct Playouts<'g> {
    game: &'g Game,
    count: u64,
    seed: u64,
    longest: u64,
    threads: usize,
    start: Option<Vec<u64>>,
}

/// How random matches have ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// Matches played.
    pub playouts: u64,
    /// Joint moves made in them.
    pub moves: u64,
    /// Matches in which somebody had no legal move before the end.
    pub stuck: u64,
    /// Matches that were broken off for their length.
    pub cut: u64,
    /// What each role got, in the order of the roles.
    pub roles: Vec<RoleOutcome>,
}

/// What one role got.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoleOutcome {
    /// The role.
    pub role: String,
    /// Each goal value with its number of matches, ascending.
    pub goals: Vec<(Goal, u64)>,
    /// Matches whose last state gives the role no single goal value.
    pub none: u64,
}

impl RoleOutcome {
    /// The mean goal over the matches that have one.
    pub fn mean(&self) -> Option<f64> {
        let count: u64 = self.goals.iter().map(|(_, count)| count).sum();
        let sum: f64 = self.goals.iter().map(|&(goal, count)| f64::from(goal) * count as f64).sum();
        (count > 0).then(|| sum / count as f64)
    }
}

impl Outcomes {
    /// What a role got.
    pub fn role(&self, role: &str) -> Option<&RoleOutcome> {
        self.roles.iter().find(|outcome| outcome.role == role)
    }

    /// Joint moves a match, in the mean.
    pub fn mean_length(&self) -> f64 {
        self.moves as f64 / (self.playouts as f64).max(1.0)
    }
}

/// Fewer matches are not worth building the lanes.
const FEW: u64 = 512;

impl<'g> Playouts<'g> {
    pub(crate) fn new(game: &'g Game, count: u64) -> Playouts<'g> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Playouts { game, count, seed: 1, longest: 10_000, threads, start: None }
    }

    /// The seed of the random moves; 1 if none is given.
    pub fn seed(self, seed: u64) -> Self {
        Playouts { seed, ..self }
    }

    /// Matches are broken off after so many joint moves; 10,000 if nothing is said.
    pub fn longest(self, longest: u64) -> Self {
        Playouts { longest, ..self }
    }

    /// How many threads play; all processors if nothing is said.
    pub fn threads(self, threads: usize) -> Self {
        Playouts { threads: threads.max(1), ..self }
    }

    /// From the state of a match instead of the start.
    pub fn after(self, play: &crate::play::Match) -> Self {
        Playouts { start: Some(play.state().to_vec()), ..self }
    }

    /// Plays.
    ///
    /// ```
    /// let outcomes = ludex::Game::load("tictactoe")?.playouts(2000).seed(7).run()?;
    /// assert_eq!(outcomes.playouts, 2000);
    /// let x = outcomes.role("x").and_then(|x| x.mean());
    /// assert!(x > Some(50.0), "who begins is better off: {x:?}");
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Outcomes> {
        let engine = self.game.engine()?;
        let start = self.start.clone().unwrap_or_else(|| {
            let mut state = vec![0; engine.vocabulary().words()];
            engine.worker().initial(&mut state);
            state
        });
        if self.count >= FEW
            && let Some(lanes) = self.game.lanes()
        {
            let result = lanes.run_parallel(self.threads, self.seed, &start, self.count, self.longest);
            return Ok(of_lanes(engine.vocabulary(), result));
        }
        self.one_by_one(&**engine, &start)
    }

    fn one_by_one(&self, engine: &dyn Engine, start: &[u64]) -> Result<Outcomes> {
        let vocabulary = engine.vocabulary();
        let mut worker = engine.worker();
        let (mut random, mut buffer) = (Random::new(self.seed), PlayoutBuffer::default());
        let longest = usize::try_from(self.longest).unwrap_or(usize::MAX);
        let mut outcomes = Outcomes { playouts: self.count, moves: 0, stuck: 0, cut: 0, roles: Vec::new() };
        let mut goals: Vec<BTreeMap<Option<Goal>, u64>> = vec![BTreeMap::new(); vocabulary.role_count()];
        let mut state = start.to_vec();
        for _ in 0..self.count {
            state.copy_from_slice(start);
            let made = worker.playout(&mut state, longest, &mut random, &mut buffer)?;
            outcomes.moves += made as u64;
            if !worker.is_terminal(&state)? {
                *if made >= longest { &mut outcomes.cut } else { &mut outcomes.stuck } += 1;
            }
            for (role, goals) in vocabulary.roles().zip(&mut goals) {
                *goals.entry(worker.goal(&state, role)?).or_default() += 1;
            }
        }
        let roles = vocabulary.roles().zip(goals).map(|(role, goals)| RoleOutcome {
            role: vocabulary.show_role(role),
            none: goals.get(&None).copied().unwrap_or(0),
            goals: goals.into_iter().filter_map(|(goal, count)| Some((goal?, count))).collect(),
        });
        outcomes.roles = roles.collect();
        Ok(outcomes)
    }
}

fn of_lanes(vocabulary: &Vocabulary, result: BatchResult) -> Outcomes {
    let roles = vocabulary.roles().zip(result.goals).map(|(role, counts)| RoleOutcome {
        role: vocabulary.show_role(role),
        goals: counts.values.into_iter().filter(|(_, count)| *count > 0).collect(),
        none: counts.none,
    });
    Outcomes {
        playouts: result.playouts,
        moves: result.transitions,
        stuck: result.stuck,
        cut: result.cut,
        roles: roles.collect(),
    }
}
