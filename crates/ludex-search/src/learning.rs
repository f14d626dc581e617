//! What can be found out about playing a game before it is played: an evaluation learnt from games, and by a trial
//! whether to search by it or by the tree, and by which tree.
//!
//! For games of two roles with a network. The agent does this in its start clock, the example `duel` by processor time.
//! Which method wins may depend on the machine.

use crate::alphabeta::AlphaBeta;
use crate::clock::Clock;
use crate::estimate::Estimate;
use crate::evaluation::{Detail, Evaluation, Experience};
use crate::trial::{Comparison, Effort, Match, Method, Side};
use crate::uct;
use cpu_time::ThreadTime;
use ludex_engine::budget::Cancel;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::RoleId;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Games of a round that are played at most, and until which part of the time each round goes on; the rest is the trial's.
const MOST_GAMES: u64 = 20_000;
const ROUNDS: [f64; 2] = [0.15, 0.45];
/// By so much a finer evaluation must foretell better.
const WORTH_IT: f64 = 0.03;
const LONGEST_ROUND: Duration = Duration::from_millis(2500);
/// A game that is searched to its end in this processor time, with a table of so many bytes, is small.
const SMALL: Duration = Duration::from_millis(60);
const SMALL_TABLE: usize = 16 << 20;
/// Pairs of matches that each contender plays at most.
const MOST_PAIRS: u64 = 12;
/// Visits that it counts as, in the tree that goes by how games end.
const ENDS: f32 = 20.0;
/// Processor time a move: with less, a tree with lanes has not enough batches to look about.
const LEAST_EFFORT: Duration = Duration::from_millis(4);
/// Pairs of matches for which the time is divided.
const PAIRS: f64 = 3.0;
const MOST_EFFORT: Duration = Duration::from_millis(25);

/// How much time there is.
#[derive(Clone, Debug)]
pub struct Time {
    total: Duration,
    begun: Instant,
    processor: Option<ThreadTime>,
    cancel: Cancel,
}

impl Time {
    /// So much from now on, until `cancel` is cancelled.
    pub fn from_now(total: Duration, cancel: Cancel) -> Time {
        Time { total, begun: Instant::now(), processor: None, cancel }
    }

    /// So much processor time of this thread.
    pub fn processor(total: Duration) -> Time {
        let processor = Some(ThreadTime::now());
        Time { total, begun: Instant::now(), processor, cancel: Cancel::default() }
    }

    fn spent(&self) -> Duration {
        self.processor.as_ref().map_or_else(|| self.begun.elapsed(), ThreadTime::elapsed)
    }

    /// True if that part of it is spent, or all was called off.
    fn is_beyond(&self, part: f64) -> bool {
        self.cancel.is_cancelled() || self.spent() >= self.total.mul_f64(part)
    }

    fn left(&self) -> Duration {
        self.total.saturating_sub(self.spent())
    }
}

/// Finds out how to play from the first state of a game: the side that is best, and what to tell. `lanes` is asked once
/// for lanes, when the trial begins. An evaluation that was trained before takes the place of what is learnt here. `None` if nothing is to be found out: the game is none of two roles without chance, or
/// so small that it is searched to its end.
pub fn learn(
    engine: &Propnet,
    lanes: &mut dyn FnMut() -> Option<Arc<Lanes>>,
    tree: &uct::Settings,
    trained: Option<Evaluation>,
    seed: u64,
    time: &Time,
) -> Result<Option<(Side, Vec<String>)>, Fault> {
    let vocabulary = engine.vocabulary();
    let has_chance =
        vocabulary.roles().any(|role: RoleId| vocabulary.show_role(role).eq_ignore_ascii_case("random"));
    if vocabulary.role_count() != 2 || has_chance {
        return Ok(None);
    }
    let mut worker = engine.worker();
    let worker = &mut *worker;
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    if is_small(worker, &initial)? {
        return Ok(None);
    }
    let mut student = Student { worker, initial, seed, time, notes: Vec::new() };
    let is_trained = trained.is_some();
    let (evaluations, plies) = match trained {
        Some(trained) => (vec![Arc::new(trained)], student.length()?),
        None => student.study()?,
    };
    let mut side = Side { tree: tree.clone(), ..Side::default() };
    if evaluations.is_empty() {
        student.notes.push("nothing learnt that foretells the outcome".to_owned());
    }
    let lanes = lanes();
    side.lanes = lanes.is_some();
    let contenders = student.hold_trial(evaluations, is_trained, plies, &side, lanes.as_deref())?;
    side = choose(contenders, side, &mut student.notes);
    if let Method::Pvs(evaluation) = &side.method {
        student.notes.push(evaluation.describe());
    }
    student.notes.push(format!("plays by {side}"));
    Ok(Some((side, student.notes)))
}

/// What can be searched to its end needs no evaluation.
fn is_small(worker: &mut dyn Worker, initial: &[u64]) -> Result<bool, Fault> {
    let Some(mut exact) = AlphaBeta::new(worker, SMALL_TABLE) else { return Ok(false) };
    let is_small = |found: Option<Estimate>| found.is_some_and(|found| found.solved);
    Ok(is_small(exact.search(worker, initial, RoleId(0), &mut Clock::processor(SMALL))?))
}

struct Student<'s> {
    worker: &'s mut dyn Worker,
    initial: Vec<u64>,
    seed: u64,
    time: &'s Time,
    notes: Vec<String>,
}

impl Student<'_> {
    /// How many plies games have, by a few random ones.
    fn length(&mut self) -> Result<f64, Fault> {
        const GAMES: u64 = 20;
        let mut games = Experience::default();
        let mut random = Random::new(self.seed);
        let mut is_over = || self.time.is_beyond(ROUNDS[0]);
        games.gather(self.worker, &self.initial, None, GAMES, &mut random, &mut is_over)?;
        Ok(games.mean_plies())
    }

    /// Plays and learns: evaluations, the likeliest first, and how many plies games have.
    fn study(&mut self) -> Result<(Vec<Arc<Evaluation>>, f64), Fault> {
        let mut random = Random::new(self.seed);
        let mut evaluations: Vec<Arc<Evaluation>> = Vec::new();
        let mut plies = 0.0;
        for part in ROUNDS {
            let begun = ThreadTime::now();
            let mut is_enough = || begun.elapsed() >= LONGEST_ROUND || self.time.is_beyond(part);
            let mut experience = Experience::default();
            let guide = evaluations.first().cloned();
            experience.gather(
                self.worker,
                &self.initial,
                guide.as_deref(),
                MOST_GAMES,
                &mut random,
                &mut is_enough,
            )?;
            plies = f64::max(plies, experience.mean_plies());
            self.notes.push(format!("{} games to learn from", experience.games()));
            let mut learnt: Vec<Arc<Evaluation>> = Vec::new();
            for detail in [Detail::Ranks, Detail::Cells] {
                let mut is_over = || self.time.is_beyond(0.7);
                learnt
                    .extend(Evaluation::learn(self.worker, &experience, detail, &mut is_over).map(Arc::new));
            }
            // What is finer must foretell better, or it only takes time from the trial.
            if let [coarse, fine] = &learnt[..]
                && fine.correlation() < coarse.correlation() + WORTH_IT
            {
                learnt.truncate(1);
            }
            if learnt.is_empty() {
                break;
            }
            evaluations = learnt;
        }
        Ok((evaluations, plies))
    }

    /// Each contender against the tree, sides swapped, until it is plain who wins or the time is up: searches by the
    /// evaluations, and the tree that goes by how games end.
    fn hold_trial(
        &mut self,
        evaluations: Vec<Arc<Evaluation>>,
        is_trained: bool,
        plies: f64,
        trees: &Side,
        lanes: Option<&Lanes>,
    ) -> Result<Vec<Contender>, Fault> {
        let by_ends = uct::Settings { ends: ENDS, ..trees.tree.clone() };
        let by_evaluation = |evaluation: Arc<Evaluation>| {
            let is_likely = foretells_well(&evaluation);
            let side = Side { method: Method::Pvs(evaluation), ..trees.clone() };
            Contender { doubts: is_trained.then(Comparison::default), ..Contender::new(side, is_likely) }
        };
        let mut contenders: Vec<Contender> = evaluations.into_iter().map(by_evaluation).collect();
        contenders.push(Contender::new(Side { tree: by_ends, ..trees.clone() }, false));
        let moves = plies.max(4.0) * 2.0 * PAIRS * contenders.len() as f64;
        let effort = Effort::Processor(self.time.left().div_f64(moves).clamp(LEAST_EFFORT, MOST_EFFORT));
        let mut is_over = || self.time.is_beyond(1.0);
        'trial: for pair in 1..=MOST_PAIRS {
            for contender in contenders.iter_mut().filter(|contender| !contender.is_settled()) {
                let sides = [contender.side.clone(), trees.clone()];
                let mut parts = [0.0; 2];
                for (part, places) in parts.iter_mut().zip([[0, 1], [1, 0]]) {
                    let played = Match { effort, opening: 2, seed: pair, lanes };
                    let Some(goals) = played.play(self.worker, &sides, &places, &mut is_over)? else {
                        break 'trial;
                    };
                    // Who got more: how much more differs by game, and would speak louder in one than in another.
                    *part = match goals[places[0]].cmp(&goals[places[1]]) {
                        Ordering::Greater => 1.0,
                        Ordering::Equal => 0.5,
                        Ordering::Less => 0.0,
                    };
                }
                // Both matches of a pair or none: one role may be the better one.
                parts.into_iter().for_each(|part| contender.add(part));
            }
        }
        Ok(contenders)
    }
}

/// A way to search and how it did against the tree.
struct Contender {
    side: Side,
    compared: Comparison,
    /// Of what was trained at length: how the tree did against it. Matches of a few milliseconds a move say little of long
    /// ones, so it stays unless the tree beats it plainly.
    doubts: Option<Comparison>,
}

/// An evaluation that does is taken to play well, until a match tells otherwise.
fn foretells_well(evaluation: &Evaluation) -> bool {
    const WELL: f64 = 0.25;
    evaluation.detail() == Detail::Ranks && evaluation.correlation() >= WELL
}

impl Contender {
    fn new(side: Side, is_likely: bool) -> Contender {
        let compared = if is_likely { Comparison::expecting() } else { Comparison::default() };
        Contender { side, compared, doubts: None }
    }

    fn is_settled(&self) -> bool {
        self.doubts.as_ref().unwrap_or(&self.compared).is_settled()
    }

    /// One match more.
    fn add(&mut self, part: f64) {
        self.compared.add(part);
        if let Some(doubts) = &mut self.doubts {
            doubts.add(1.0 - part);
        }
    }
}

/// What was trained, if the tree has not beaten it; else the contender that beat the tree most clearly, or else the tree; and
/// what to tell.
fn choose(mut contenders: Vec<Contender>, tree: Side, notes: &mut Vec<String>) -> Side {
    for Contender { side, compared, .. } in &contenders {
        let (part, matches) = compared.score();
        notes.push(format!("trial: {side}: {:.0} % in {matches} matches against the tree", 100.0 * part));
    }
    let stays = |contender: &Contender| contender.doubts.is_some_and(|doubts| !doubts.favours_first());
    if let Some(trained) = contenders.iter().position(stays) {
        return contenders.swap_remove(trained).side;
    }
    // Of equal ones the first.
    let better = contenders.into_iter().filter(|contender| contender.compared.favours_first());
    let best =
        better.reduce(|best, next| if next.compared.ratio() > best.compared.ratio() { next } else { best });
    best.map_or(tree, |best| best.side)
}
