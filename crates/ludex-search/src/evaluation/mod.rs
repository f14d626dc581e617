//! A learnt evaluation: what a state is worth by what stands where, found out from the rules alone.
//!
//! Random games show which features of their states ([`features`](Detail)) go with success; logistic regression gives
//! each a weight, and since all are linear in the fluents, a state's score is a sum of one integer a fluent that
//! holds. A move changes few fluents, so the score of the next state is found from the change. A fifth of the games is
//! kept out of the fit and tells how well it foretells ([`Evaluation::correlation`]). Games of a second round are played
//! by the evaluation of the first, looking one move ahead: what goes with success among players who want to win is not
//! what does so among those who do not care.
//!
//! For two roles: the score is the first role's, in thousandths of the logarithm of its odds. Where the goals do not add
//! up to 100 it is the difference of goals that is foretold. What foretells random games best is not always what plays
//! best, so whether it is used, and how fine it is, is left to a trial on the game ([`crate::trial`]).

mod features;
mod file;
mod fit;
mod pairs;

pub use features::Detail;
pub use file::{FileError, Lesson, Trained};

use features::Features;
use fit::{Samples, logistic};
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use pairs::Pairs;
use std::borrow::Cow;

/// Thousandths of the logarithm of the odds: the unit of scores.
pub const UNIT: f64 = 1000.0;

/// No score of an unfinished game is beyond it, either way.
pub const MOST_SCORE: i32 = 12_000;

/// No weight is beyond it, either way.
const MOST_WEIGHT: f64 = 1e6;

/// What states are worth to the first of two roles.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    constant: i32,
    /// One a fluent; and what of it is for its pattern alone, wherever it stands.
    weights: Vec<(i32, i32)>,
    pairs: Pairs,
    detail: Detail,
    correlation: f64,
    /// Rounds of games: the first at random.
    rounds: u32,
    /// The features that count most, in words, with their weights.
    words: Vec<(String, f64)>,
    /// Pieces that speak for the first role, as multiples of the commonest of them, whose name comes first.
    pieces: Vec<(String, f64)>,
}

/// States of games, to learn from.
#[derive(Clone, Debug, Default)]
pub struct Experience {
    /// Rounds before this one.
    rounds: u32,
    /// Games to learn from, and those to check by.
    learnt: Samples,
    checked: Samples,
    /// Some states, to tell places from kinds.
    seen: Vec<Vec<u64>>,
    games: u64,
    plies: u64,
}

/// Fluents of samples that are held at most: some 80 MB.
const MOST_HELD: usize = 20_000_000;
/// Of a game every so many-th state is kept, as chance wants it, but at least and at most so many: of long games there are
/// few, and their states differ more.
const APART: usize = 8;
const FEWEST_STATES: usize = 8;
const MOST_STATES: usize = 32;
/// States by which places are told from kinds.
const MOST_SEEN: usize = 200;
/// Longer games are broken off and count for nothing.
const MOST_PLIES: usize = 600;
/// Of so many games one is kept to check by.
const CHECKED: u64 = 5;

/// Of a hundred moves of a player who goes by an evaluation so many are made at random, and so many first moves of a game at most.
const WANDERING: usize = 12;
const MOST_OPENING: usize = 8;
/// Such a player does not tell scores apart that differ by less.
const BLUR: usize = 200;

impl Experience {
    /// Plays games from `start` until `is_over` says so or `most` games are played: at random, or by an evaluation, looking
    /// one move ahead. What there is must have been played in the same way.
    pub fn gather(
        &mut self,
        worker: &mut dyn Worker,
        start: &Row,
        guide: Option<&Evaluation>,
        most: u64,
        random: &mut Random,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Result<(), Fault> {
        self.rounds = guide.map_or(0, |guide| guide.rounds);
        let (mut legal, mut joint) = (Vec::new(), Vec::new());
        let (mut state, mut next) = (start.to_vec(), start.to_vec());
        let mut path: Vec<u64> = Vec::new();
        let words = start.len().max(1);
        while self.games < most && self.learnt.size() < MOST_HELD && !is_over() {
            state.copy_from_slice(start);
            path.clear();
            let mut ended = false;
            let opening = random.below(MOST_OPENING);
            for ply in 0..MOST_PLIES {
                if worker.is_terminal(&state)? {
                    ended = true;
                    break;
                }
                if !draw(worker, &state, random, &mut legal, &mut joint)? {
                    ended = true;
                    break;
                }
                if let Some(guide) = guide
                    && ply >= opening
                    && random.below(100) >= WANDERING
                {
                    prefer(guide, worker, &state, random, (&mut legal, &mut joint, &mut next))?;
                }
                path.extend_from_slice(&state);
                worker.next(&state, &joint, &mut next)?;
                std::mem::swap(&mut state, &mut next);
                if is_over() {
                    return Ok(());
                }
            }
            self.games += 1;
            self.plies += (path.len() / words) as u64;
            let Some(outcome) = outcome(worker, &state)?.filter(|_| ended) else { continue };
            self.keep(&path, words, &[], outcome, random);
        }
        Ok(())
    }

    /// Keeps some states of a game, with what came of it. Where whoever searched them thought that they were worth
    /// something else, they are taken to be worth the mean of both; the states to check by go by what came of it alone.
    fn keep(
        &mut self,
        path: &[u64],
        words: usize,
        thought: &[Option<f64>],
        outcome: f64,
        random: &mut Random,
    ) {
        let is_checked = self.games.is_multiple_of(CHECKED);
        let plies = path.len() / words;
        for _ in 0..(plies / APART).clamp(FEWEST_STATES, MOST_STATES).min(plies) {
            let ply = random.below(plies);
            let row = &path[ply * words..][..words];
            let fluents = row::fluents(row).map(|fluent| fluent.0);
            if is_checked {
                self.checked.push(fluents, outcome);
            } else {
                let thought = thought.get(ply).copied().flatten().unwrap_or(outcome);
                self.learnt.push(fluents, (outcome + thought) / 2.0);
            }
            if self.seen.len() < MOST_SEEN {
                self.seen.push(row.to_vec());
            }
        }
    }

    /// What is to be learnt from games by an evaluation that others play: nothing yet.
    pub(crate) fn after(guide: &Evaluation) -> Experience {
        Experience { rounds: guide.rounds, ..Experience::default() }
    }

    /// A game that others played: its states, what they were thought to be worth to the first role, 0 to 1, and what that
    /// got, if the game ended.
    pub(crate) fn add_game(
        &mut self,
        path: &[u64],
        words: usize,
        thought: &[Option<f64>],
        outcome: Option<f64>,
        random: &mut Random,
    ) {
        self.games += 1;
        self.plies += (path.len() / words) as u64;
        if let Some(outcome) = outcome {
            self.keep(path, words, thought, outcome, random);
        }
    }

    /// Adds games of another round.
    pub(crate) fn extend(&mut self, other: &Experience) {
        self.rounds = self.rounds.max(other.rounds);
        self.learnt.extend(&other.learnt);
        self.checked.extend(&other.checked);
        let room = MOST_SEEN.saturating_sub(self.seen.len());
        self.seen.extend(other.seen.iter().take(room).cloned());
        self.games += other.games;
        self.plies += other.plies;
    }

    /// Fluents held in all its states, which is what learning from it takes the time of.
    pub(crate) fn size(&self) -> usize {
        self.learnt.size()
    }

    /// How many moves a random game has.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.games.max(1) as f64
    }

    /// Random games played.
    pub fn games(&self) -> u64 {
        self.games
    }
}

/// A random joint move; false if somebody has none.
fn draw(
    worker: &mut dyn Worker,
    state: &Row,
    random: &mut Random,
    legal: &mut Vec<MoveId>,
    joint: &mut Vec<MoveId>,
) -> Result<bool, Fault> {
    joint.clear();
    for role in 0..worker.vocabulary().role_count() as u32 {
        worker.legal(state, RoleId(role), legal)?;
        if legal.is_empty() {
            return Ok(false);
        }
        joint.push(legal[random.below(legal.len())]);
    }
    Ok(true)
}

/// Puts the move into a joint move that leads to the best state for whoever chooses alone, if somebody does.
fn prefer(
    guide: &Evaluation,
    worker: &mut dyn Worker,
    state: &Row,
    random: &mut Random,
    (legal, joint, next): (&mut Vec<MoveId>, &mut [MoveId], &mut Row),
) -> Result<(), Fault> {
    let mut mover = None;
    for role in 0..joint.len() as u32 {
        worker.legal(state, RoleId(role), legal)?;
        if legal.len() > 1 && mover.replace(role as usize).is_some() {
            return Ok(());
        }
    }
    let Some(mover) = mover else { return Ok(()) };
    worker.legal(state, RoleId(mover as u32), legal)?;
    let sign = if mover == 0 { 1 } else { -1 };
    let mut best: Option<(i32, MoveId)> = None;
    for &action in &*legal {
        joint[mover] = action;
        worker.next(state, joint, next)?;
        let ended = if worker.is_terminal(next)? { outcome(worker, next)? } else { None };
        let score = match ended {
            Some(outcome) => ((2.0 * outcome - 1.0) * f64::from(MOST_SCORE)) as i32,
            None => guide.score(next).clamp(-MOST_SCORE, MOST_SCORE),
        };
        let score = sign * score + random.below(BLUR) as i32;
        if best.is_none_or(|(other, _)| score > other) {
            best = Some((score, action));
        }
    }
    joint[mover] = best.map_or(joint[mover], |(_, action)| action);
    Ok(())
}

/// What the first of two roles got, 0 to 1: half the difference of the goals above one half.
pub(crate) fn outcome(worker: &mut dyn Worker, state: &Row) -> Result<Option<f64>, Fault> {
    let [mine, theirs] = [worker.goal(state, RoleId(0))?, worker.goal(state, RoleId(1))?];
    let difference =
        |(mine, theirs): (i32, i32)| f64::from(mine.clamp(0, 100) - theirs.clamp(0, 100) + 100) / 200.0;
    Ok(mine.zip(theirs).map(difference))
}

/// The part that a score stands for, 0 to 1.
pub(crate) fn chance(score: i32) -> f64 {
    logistic(f64::from(score) / UNIT)
}

impl Evaluation {
    /// Learns from experience; `None` if there is too little of it, nothing foretells anything, or `is_over` said that
    /// the time is up.
    pub fn learn(
        worker: &dyn Worker,
        experience: &Experience,
        detail: Detail,
        is_over: &mut dyn FnMut() -> bool,
    ) -> Option<Evaluation> {
        const LEAST_SAMPLES: usize = 400;
        /// Less is no foresight.
        const LEAST_CORRELATION: f64 = 0.05;
        const TOLD: usize = 6;
        let Experience { learnt, checked, seen, .. } = experience;
        if worker.vocabulary().role_count() != 2 || learnt.len() < LEAST_SAMPLES {
            return None;
        }
        let mut features = Features::new(worker.vocabulary(), seen, detail);
        let fluents = worker.vocabulary().fluent_count();
        let (mut constant, mut by_feature) = fit::fit(learnt, &features, fluents, is_over)?;
        let mut by_fluent = fit::by_fluent(&features, fluents, &by_feature);
        let mut together = Vec::new();
        let mut checked = Cow::Borrowed(checked);
        if detail == Detail::Pairs {
            let guesses = learnt.sums(&by_fluent);
            let residue = learnt.outcomes.iter().zip(guesses).map(|(y, sum)| y - logistic(sum + constant));
            together = pairs::promising(learnt, &residue.collect::<Vec<f64>>(), fluents);
            let name = |fluent| worker.vocabulary().show_fluent(FluentId(fluent));
            features.add_pairs(together.iter().map(|&(a, b)| format!("{} with {}", name(a), name(b))));
            let learnt = pairs::with_pairs(learnt, &together, fluents);
            let all = fluents + together.len();
            (constant, by_feature) = fit::fit(&learnt, &features, all, is_over)?;
            by_fluent = fit::by_fluent(&features, all, &by_feature);
            checked = Cow::Owned(pairs::with_pairs(&checked, &together, fluents));
        }
        let patterns: Vec<f64> =
            by_feature.iter().zip(&features.material).map(|(w, is)| if *is { *w } else { 0.0 }).collect();
        let material = fit::by_fluent(&features, fluents, &patterns);
        let pieces = pieces(&features, &by_fluent[..fluents], &learnt.frequencies(fluents));
        let guesses: Vec<f64> = checked.sums(&by_fluent).iter().map(|sum| logistic(sum + constant)).collect();
        let correlation = correlation(&guesses, &checked.outcomes);
        if correlation < LEAST_CORRELATION {
            return None;
        }
        let mut words: Vec<(String, f64)> = features.names.into_iter().zip(by_feature).collect();
        words.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        words.truncate(TOLD);
        let rounded = |weight: f64| (weight * UNIT).round().clamp(-MOST_WEIGHT, MOST_WEIGHT) as i32;
        let together: Vec<(u32, u32, i32)> =
            together.into_iter().zip(&by_fluent[fluents..]).map(|((a, b), w)| (a, b, rounded(*w))).collect();
        by_fluent.truncate(fluents);
        Some(Evaluation {
            constant: rounded(constant),
            weights: by_fluent.into_iter().map(rounded).zip(material.into_iter().map(rounded)).collect(),
            pairs: Pairs::new(fluents, &together),
            detail,
            correlation,
            rounds: experience.rounds + 1,
            words,
            pieces,
        })
    }

    /// How well it foretells games that it was not learnt from, played as those were: the correlation with their outcomes.
    pub fn correlation(&self) -> f64 {
        self.correlation
    }

    /// How fine its features are.
    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// The score of a state for the first role, unbounded.
    pub fn score(&self, state: &Row) -> i32 {
        row::fluents(state)
            .fold(self.constant, |sum, fluent| sum.saturating_add(self.weight(fluent.index()).0))
            .saturating_add(self.pairs.score(state))
    }

    /// What pairs of fluents change of the score from one state to another.
    pub(crate) fn change_of_pairs(&self, before: &Row, after: &Row) -> i32 {
        if self.pairs.is_empty() { 0 } else { self.pairs.change(before, after) }
    }

    /// The score of nothing.
    pub(crate) fn constant(&self) -> i32 {
        self.constant
    }

    /// What one fluent adds: in all, and as a piece wherever it stands.
    pub(crate) fn weight(&self, fluent: usize) -> (i32, i32) {
        self.weights.get(fluent).copied().unwrap_or((0, 0))
    }

    /// What was learnt, in words.
    pub fn describe(&self) -> String {
        let each: Vec<String> =
            self.words.iter().map(|(name, weight)| format!("`{name}` {weight:+.2}")).collect();
        let games = match self.rounds {
            1 => "random games".to_owned(),
            rounds => format!("games of round {rounds}"),
        };
        let worth = self.pieces.split_first().filter(|(_, others)| !others.is_empty());
        let worth = worth.map_or(String::new(), |((unit, _), others)| {
            let others: Vec<String> =
                others.iter().map(|(name, times)| format!("one `{name}` is worth {times:.1}")).collect();
            format!("; counted in `{unit}`, {}", others.join(", "))
        });
        format!(
            "learnt from {games}, foretelling others by {:.2}: {} (logarithms of the first role's odds){worth}",
            self.correlation,
            each.join(", ")
        )
    }
}

/// What the pieces of each pattern are worth on average where they stood, if that is something for the first role; as
/// multiples of the commonest pattern among those, which comes first.
fn pieces(features: &Features, weights: &[f64], frequencies: &[f64]) -> Vec<(String, f64)> {
    /// Patterns that are worth less than this part of the best are no pieces of the first role.
    const LEAST: f64 = 0.1;
    const TOLD: usize = 6;
    let mut sums = vec![(0.0, 0.0); features.len()];
    for (fluent, (weight, frequency)) in weights.iter().zip(frequencies).enumerate() {
        let pattern = features.of(fluent).iter().map(|(feature, _)| *feature as usize);
        if let Some(pattern) = pattern.clone().find(|&feature| features.material[feature]) {
            sums[pattern].0 += weight * frequency;
            sums[pattern].1 += frequency;
        }
    }
    let mean = |&(sum, count): &(f64, f64)| if count > 0.0 { sum / count } else { 0.0 };
    let best = sums.iter().map(mean).fold(0.0, f64::max);
    let mut pieces: Vec<(usize, f64, f64)> =
        sums.iter().enumerate().map(|(feature, sum)| (feature, mean(sum), sum.1)).collect();
    pieces.retain(|(_, worth, _)| *worth > 0.0 && *worth >= LEAST * best);
    let Some(&(unit, base, _)) = pieces.iter().max_by(|a, b| a.2.total_cmp(&b.2)) else { return Vec::new() };
    pieces.sort_by(|a, b| (b.0 == unit).cmp(&(a.0 == unit)).then(b.1.total_cmp(&a.1)));
    pieces.truncate(TOLD);
    pieces.into_iter().map(|(feature, worth, _)| (features.names[feature].clone(), worth / base)).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len()) as f64;
    if n < 2.0 {
        return 0.0;
    }
    let mean = |list: &[f64]| list.iter().sum::<f64>() / n;
    let (ma, mb) = (mean(a), mean(b));
    let sum = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(b).map(|(x, y)| f(x - ma, y - mb)).sum::<f64>();
    let (xx, yy, xy) = (sum(&|x, _| x * x), sum(&|_, y| y * y), sum(&|x, y| x * y));
    if xx <= 1e-12 || yy <= 1e-12 { 0.0 } else { xy / (xx * yy).sqrt() }
}
