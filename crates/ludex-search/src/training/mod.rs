//! Longer training of an evaluation: rounds of games that the search plays against itself, each fitted and tried.
//!
//! It begins with what is learnt of random games and of games that look one move ahead ([`crate::evaluation`]). In each round
//! the evaluation of the moment plays games against itself (`play.rs`), by principal variation search over so many states a
//! move, with chance in the openings and now and then later. What was thought of a state and what came of its game are what
//! is fitted, over the games of the last rounds. Each way to look at them ([`Detail`]) gives a candidate, and one that gets
//! more points against the evaluation of the moment, at equal numbers of states, takes its place; so it does not get worse
//! but by chance. Then it plays what was known before the first round, which is the learning curve.
//!
//! With a seed and rounds of so many games what comes out is always the same, whatever the number of threads. After each round
//! the [`Trained`] can be written, and a training goes on from the last one written; only the games of earlier rounds are
//! gone, so the first round after that has fewer of them to go by.

mod play;

use crate::evaluation::{Detail, Evaluation, Experience, FileError, Lesson, Trained};
use crate::trial::{Effort, Method, Side};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::rules::Rules;
use play::Hall;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// How a training goes about it.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Threads that play.
    pub threads: usize,
    /// Games of a round.
    pub games: u64,
    /// Pairs of matches in which a candidate is tried, and as many for the curve.
    pub pairs: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { threads: 1, games: 500, pairs: 24 }
    }
}

/// Why there is no training.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainingError {
    /// The game is none of two roles without chance.
    Unfit(&'static str),
    /// Nothing that is counted in the states of random games goes with their outcomes.
    NothingLearnt,
    /// The time was over before the first games had been played.
    NoTime,
    /// The file is of another game, or none.
    File(FileError),
    /// The engine met a limit.
    Limit(Fault),
}

impl fmt::Display for TrainingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainingError::Unfit(why) => f.write_str(why),
            TrainingError::NothingLearnt => f.write_str("nothing was learnt that foretells outcomes"),
            TrainingError::NoTime => f.write_str("the time was over before anything was learnt"),
            TrainingError::File(error) => error.fmt(f),
            TrainingError::Limit(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for TrainingError {}

impl From<FileError> for TrainingError {
    fn from(error: FileError) -> TrainingError {
        TrainingError::File(error)
    }
}

impl From<Fault> for TrainingError {
    fn from(fault: Fault) -> TrainingError {
        TrainingError::Limit(fault)
    }
}

/// A training under way.
#[derive(Debug)]
pub struct Training<'e> {
    engine: &'e Propnet,
    settings: Settings,
    /// States that a player of games to learn from looks at for a move; of matches that compare, so many times more.
    states: u64,
    untrained: Arc<Evaluation>,
    evaluation: Arc<Evaluation>,
    trained: Trained,
    /// The games of the last rounds.
    window: VecDeque<Experience>,
}

/// Random games, and games that look one move ahead, before the first round.
const FIRST_GAMES: u64 = 2000;
/// Games by which is found how many moves there are to choose from.
const GAUGED: u64 = 10;
/// A player looks at so many states for each move that there is to choose from, so that it looks ahead by two plies or more,
/// and at so many at least and at most.
const STATES_A_MOVE: f64 = 4.0;
const FEWEST_STATES: f64 = 64.0;
const MOST_STATES: f64 = 4000.0;
/// How many times more in matches.
const DEEPER: u64 = 4;
/// Fluents held in the states of all rounds that are kept, unless one round has more.
const MOST_HELD: usize = 6_000_000;
const MOST_ROUNDS: usize = 30;
/// A candidate that gets more of the points is better.
const BETTER: f64 = 0.55;

impl<'e> Training<'e> {
    /// Learns what there is to learn before the first round. `is_over` is asked often, and ends it without result.
    pub fn begin(
        engine: &'e Propnet,
        rules: &Rules,
        seed: u64,
        settings: Settings,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Training<'e>, TrainingError> {
        fits(engine)?;
        let mut worker = engine.worker();
        let mut initial = vec![0; engine.vocabulary().words()];
        worker.initial(&mut initial);
        let mut random = Random::new(seed);
        let mut untrained: Option<Evaluation> = None;
        for _ in 0..2 {
            let mut games = Experience::default();
            let guide = untrained.as_ref();
            games.gather(&mut *worker, &initial, guide, FIRST_GAMES, &mut random, &mut || is_over())?;
            let mut ended = || is_over();
            let details = [Detail::Ranks, Detail::Cells, Detail::Pairs];
            let found = details
                .into_iter()
                .find_map(|detail| Evaluation::learn(&*worker, &games, detail, &mut ended));
            untrained = found.or(untrained);
        }
        if is_over() {
            return Err(TrainingError::NoTime);
        }
        let untrained = untrained.ok_or(TrainingError::NothingLearnt)?;
        let trained = Trained::begun(rules, engine.vocabulary(), seed, &untrained);
        let untrained = Arc::new(untrained);
        Training::with(engine, settings, trained, untrained.clone(), untrained)
    }

    /// Goes on where a training ended.
    pub fn resume(
        engine: &'e Propnet,
        rules: &Rules,
        trained: Trained,
        settings: Settings,
    ) -> Result<Training<'e>, TrainingError> {
        fits(engine)?;
        let untrained = Arc::new(trained.untrained(rules, engine.vocabulary())?);
        let evaluation = Arc::new(trained.evaluation(rules, engine.vocabulary())?);
        Training::with(engine, settings, trained, untrained, evaluation)
    }

    fn with(
        engine: &'e Propnet,
        settings: Settings,
        trained: Trained,
        untrained: Arc<Evaluation>,
        evaluation: Arc<Evaluation>,
    ) -> Result<Training<'e>, TrainingError> {
        let states =
            (STATES_A_MOVE * choices(&mut *engine.worker())?).clamp(FEWEST_STATES, MOST_STATES) as u64;
        let window = VecDeque::new();
        Ok(Training { engine, settings, states, untrained, evaluation, trained, window })
    }

    /// What has come of it so far.
    pub fn trained(&self) -> &Trained {
        &self.trained
    }

    /// Counts time that was spent on it.
    pub fn spend(&mut self, seconds: f64) {
        self.trained.seconds += seconds;
    }

    /// The best evaluation so far.
    pub fn evaluation(&self) -> &Arc<Evaluation> {
        &self.evaluation
    }

    /// One more round, of which `seconds` tells how long it has taken when it is over; `None` if `is_over` ended it before,
    /// and then nothing has changed.
    pub fn round(
        &mut self,
        seconds: &dyn Fn() -> f64,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Lesson>, TrainingError> {
        let Settings { threads, games, pairs } = self.settings;
        let round = self.trained.rounds + 1;
        let hall =
            Hall { engine: self.engine, threads, seed: mixed(self.trained.seed, u64::from(round)), is_over };
        let Some(experience) = hall.play(&self.evaluation, self.states, games)? else { return Ok(None) };
        let mut all = Experience::after(&self.evaluation);
        self.window.iter().chain([&experience]).for_each(|games| all.extend(games));
        let effort = Effort::Iterations(DEEPER * self.states);
        let mut best: Option<(f64, Arc<Evaluation>)> = None;
        let mut correlation = self.evaluation.correlation();
        for detail in [Detail::Pairs, Detail::Cells, Detail::Ranks] {
            let worker = self.engine.worker();
            let learnt = Evaluation::learn(&*worker, &all, detail, &mut || is_over());
            let Some(candidate) = learnt.map(Arc::new) else { continue };
            correlation = f64::max(correlation, candidate.correlation());
            let sides = [side(&candidate), side(&self.evaluation)];
            let Some(parts) = hall.meet(&sides, pairs, effort)? else { return Ok(None) };
            let part = mean(&parts);
            if part > BETTER && best.as_ref().is_none_or(|(other, _)| part > *other) {
                best = Some((part, candidate));
            }
        }
        let is_better = best.is_some();
        let evaluation = best.map_or_else(|| self.evaluation.clone(), |(_, best)| best);
        let last = self.trained.lessons.last();
        let (points, confidence) = match last.filter(|_| !is_better) {
            Some(last) => (last.points, last.confidence),
            None => {
                let sides = [side(&evaluation), side(&self.untrained)];
                let Some(parts) = hall.meet(&sides, pairs, effort)? else { return Ok(None) };
                (100.0 * mean(&parts), 100.0 * half_interval(&parts))
            }
        };
        if is_over() {
            return Ok(None);
        }
        if is_better {
            self.trained.improve(self.engine.vocabulary(), &evaluation);
            self.evaluation = evaluation;
        }
        self.trained.rounds = round;
        self.trained.games += experience.games();
        self.trained.seconds += seconds();
        self.window.push_back(experience);
        while self.window.len() > 1
            && (self.window.len() > MOST_ROUNDS
                || self.window.iter().map(Experience::size).sum::<usize>() > MOST_HELD)
        {
            self.window.pop_front();
        }
        let Trained { seconds, games, .. } = self.trained;
        let lesson = Lesson { round, seconds, games, correlation, points, confidence, is_better };
        self.trained.lessons.push(lesson);
        Ok(Some(lesson))
    }
}

fn side(evaluation: &Arc<Evaluation>) -> Side {
    Side { method: Method::Pvs(evaluation.clone()), ..Side::default() }
}

/// What cannot be trained, and why.
fn fits(engine: &Propnet) -> Result<(), TrainingError> {
    let vocabulary = engine.vocabulary();
    if vocabulary.role_count() != 2 {
        return Err(TrainingError::Unfit("an evaluation is learnt for games of two roles"));
    }
    let is_chance = |role: RoleId| vocabulary.show_role(role).eq_ignore_ascii_case("random");
    if vocabulary.roles().any(is_chance) {
        return Err(TrainingError::Unfit("one of the two roles is chance: there is nobody to play against"));
    }
    Ok(())
}

/// How many moves there are to choose from where there is a choice, in the mean over random games.
fn choices(worker: &mut dyn Worker) -> Result<f64, Fault> {
    const MOST_PLIES: usize = 300;
    let mut random = Random::new(1);
    let mut state = vec![0; worker.vocabulary().words()];
    let mut next = state.clone();
    let (mut legal, mut joint) = (Vec::new(), Vec::new());
    let (mut sum, mut count) = (0, 0);
    for _ in 0..GAUGED {
        worker.initial(&mut state);
        'game: for _ in 0..MOST_PLIES {
            if worker.is_terminal(&state)? {
                break;
            }
            joint.clear();
            for role in [RoleId(0), RoleId(1)] {
                worker.legal(&state, role, &mut legal)?;
                if legal.is_empty() {
                    break 'game;
                }
                if legal.len() > 1 {
                    (sum, count) = (sum + legal.len(), count + 1);
                }
                joint.push(legal[random.below(legal.len())]);
            }
            worker.next(&state, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
    }
    Ok(sum as f64 / f64::from(count.max(1)))
}

/// A seed of its own for each number: generators of neighbouring seeds begin alike.
fn mixed(seed: u64, number: u64) -> u64 {
    let mixed = (seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

fn mean(parts: &[f64]) -> f64 {
    parts.iter().sum::<f64>() / parts.len().max(1) as f64
}

/// Half the width of the 95 % interval of the mean.
fn half_interval(parts: &[f64]) -> f64 {
    let (mean, n) = (mean(parts), parts.len() as f64);
    let variance = parts.iter().map(|part| (part - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    1.96 * (variance / n.max(1.0)).sqrt()
}
