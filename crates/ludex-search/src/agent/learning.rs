//! What an agent finds out about playing a game before it plays: an evaluation learnt from random games, and by a trial
//! whether to search by it or by the tree.
//!
//! For games of two roles with a network. Until it is done, or a move is asked for, the searching threads wait: the trial
//! needs the processor more than they do. Which method wins may depend on the machine; with [`Settings::learning`]
//! `None` nothing is learnt, and all searches are trees.
//!
//! [`Settings::learning`]: super::Settings::learning

use super::Shared;
use crate::alphabeta::AlphaBeta;
use crate::clock::Clock;
use crate::estimate::Estimate;
use crate::evaluation::{Detail, Evaluation, Experience};
use crate::pvs;
use crate::trial::{Effort, Match, Method, Side};
use cpu_time::ThreadTime;
use ludex_engine::engine::Engine;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::RoleId;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Random games that are played at most, and the part of the time that they may take.
const MOST_GAMES: u64 = 20_000;
const GATHERING: f64 = 0.25;
const MOST_WAITING: f64 = 0.4;
const MOST_GATHERING: Duration = Duration::from_millis(1500);
/// A game that is searched to its end in this processor time, with a table of so many bytes, is small.
const SMALL: Duration = Duration::from_millis(60);
const SMALL_TABLE: usize = 16 << 20;
/// Bytes of the table that all threads share: it is written to when it is made, so a larger one takes time.
const MOST_TABLE: usize = 256 << 20;
/// Pairs of matches that each candidate plays at most.
const MOST_PAIRS: usize = 6;
/// Processor time a move.
const LEAST_EFFORT: Duration = Duration::from_millis(1);
const MOST_EFFORT: Duration = Duration::from_millis(20);

/// Learns, and puts what came of it on the table.
pub(super) fn run(shared: &Shared) {
    /// Nobody waits for it any longer, also if it panics.
    struct Done<'s>(&'s Shared);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.table().learning = false;
            self.0.announce();
        }
    }
    let done = Done(shared);
    if let Some(time) = shared.settings.learning
        && let Some(until) = Instant::now().checked_add(time)
        // A limit that is met leaves the game to the tree.
        && let Ok(Some((method, notes))) = learn(shared, until)
    {
        let mut table = shared.table();
        table.notes.extend(notes);
        if let Method::Pvs(evaluation) = method {
            let positions = Arc::new(pvs::Table::new(MOST_TABLE.min(shared.settings.memory / 2)));
            table.evaluation = Some((evaluation, positions));
        }
    }
    drop(done);
}

fn learn(shared: &Shared, until: Instant) -> Result<Option<(Method, Vec<String>)>, Fault> {
    let is_stopped = || shared.stop.is_cancelled() || Instant::now() >= until;
    let budget = shared.settings.budget.clone().with_cancel(shared.stop.child()).until(until);
    let Ok(engine) = shared.prepared.propnet(&budget) else { return Ok(None) };
    let vocabulary = engine.vocabulary();
    let has_chance =
        vocabulary.roles().any(|role: RoleId| vocabulary.show_role(role).eq_ignore_ascii_case("random"));
    if vocabulary.role_count() != 2 || has_chance {
        return Ok(None);
    }
    let mut worker = engine.worker();
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    // What can be searched to its end needs no evaluation.
    if let Some(mut exact) = AlphaBeta::new(&*worker, SMALL_TABLE) {
        let mut clock = Clock::processor(SMALL);
        let role = RoleId(0);
        let is_small = |found: Option<Estimate>| found.is_some_and(|found| found.solved);
        if is_small(exact.search(&mut *worker, &initial, role, &mut clock)?) {
            return Ok(None);
        }
    }
    let left = until.saturating_duration_since(Instant::now());
    let gathering = left.mul_f64(GATHERING).min(MOST_GATHERING);
    // By the clock as well: on a busy machine the processor time would take all of it.
    let (begun, enough) = (ThreadTime::now(), Instant::now() + left.mul_f64(MOST_WAITING));
    let mut random = Random::new(shared.settings.seed);
    let mut experience = Experience::default();
    let mut is_enough = || begun.elapsed() >= gathering || Instant::now() >= enough || is_stopped();
    experience.gather(&mut *worker, &initial, MOST_GAMES, &mut random, &mut is_enough)?;
    let mut candidates = Vec::new();
    // The likeliest first: it has a trial before the others.
    for detail in [Detail::Ranks, Detail::Counts, Detail::Cells] {
        if let Some(evaluation) =
            Evaluation::learn(&*worker, &experience, detail, &mut || shared.stop.is_cancelled())
        {
            candidates.push(Contender { evaluation: Arc::new(evaluation), points: 0.0, pairs: 0 });
        }
    }
    let mut notes = vec![format!("{} random games to learn from", experience.games())];
    if candidates.is_empty() {
        notes.push("nothing learnt that foretells the outcome".to_owned());
        return Ok(Some((Method::Tree, notes)));
    }
    let trees = Side { tree: shared.settings.tree.clone(), ..Side::default() };
    let left = until.saturating_duration_since(Instant::now());
    let moves = experience.mean_plies().max(4.0) * 2.0 * 4.0 * candidates.len() as f64;
    let effort = left.div_f64(moves).clamp(LEAST_EFFORT, MOST_EFFORT);
    let mut is_over = || is_stopped();
    'trial: for pair in 0..MOST_PAIRS as u64 {
        for contender in &mut candidates {
            let side = Side { method: Method::Pvs(contender.evaluation.clone()), ..Side::default() };
            let sides = [side, trees.clone()];
            let mut points = 0.0;
            for places in [[0, 1], [1, 0]] {
                let played =
                    Match { effort: Effort::Processor(effort), opening: 2, seed: pair + 1, lanes: None };
                let Some(goals) = played.play(&mut *worker, &sides, &places, &mut is_over)? else {
                    break 'trial;
                };
                points += f64::from(goals[places[0]] - goals[places[1]] + 100) / 400.0;
            }
            contender.points += points;
            contender.pairs += 1;
        }
    }
    Ok(Some(choose(&candidates, notes)))
}

/// An evaluation and how it did against the tree.
struct Contender {
    evaluation: Arc<Evaluation>,
    points: f64,
    pairs: usize,
}

impl Contender {
    /// Its part of the points, as if it had played one pair more: where there was no time for a trial, an evaluation that
    /// foretells well is taken to play well. Of the games in docs/playing.md all beyond this bound were won by it.
    fn part(&self) -> f64 {
        const FORETELLS_WELL: f64 = 0.25;
        let is_likely =
            self.evaluation.detail() == Detail::Ranks && self.evaluation.correlation() >= FORETELLS_WELL;
        (self.points + if is_likely { 0.6 } else { 0.4 }) / (self.pairs as f64 + 1.0)
    }
}

/// The best contender if it beat the tree, and what to tell.
fn choose(candidates: &[Contender], mut notes: Vec<String>) -> (Method, Vec<String>) {
    for contender in candidates {
        let matches = 2 * contender.pairs;
        notes.push(format!(
            "trial: {} {:.0} % in {matches} matches against the tree",
            contender.evaluation.detail(),
            100.0 * contender.points / (contender.pairs.max(1)) as f64
        ));
    }
    let best = candidates.iter().reduce(|best, next| if next.part() > best.part() { next } else { best });
    let method = match best {
        Some(best) if best.part() > 0.5 => Method::Pvs(best.evaluation.clone()),
        _ => Method::Tree,
    };
    if let Method::Pvs(evaluation) = &method {
        notes.push(evaluation.describe());
    }
    notes.push(format!("plays by {method}"));
    (method, notes)
}
