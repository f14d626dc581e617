//! The games of a training, on several threads: each has a number, from which all its chance comes, and what was played is
//! put together in the order of the numbers. So it does not depend on threads.

use super::mixed;
use crate::clock::Clock;
use crate::evaluation::{self, Evaluation, Experience};
use crate::pvs::{self, Pvs, Table};
use crate::trial::{Effort, Match, Side};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::cmp::Ordering as Compared;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where games are played.
pub(super) struct Hall<'h> {
    pub(super) engine: &'h Propnet,
    pub(super) threads: usize,
    pub(super) seed: u64,
    pub(super) is_over: &'h (dyn Fn() -> bool + Sync),
}

/// Random moves at the beginning of a game at most, and in matches.
const MOST_OPENING: usize = 9;
const OPENING: usize = 4;
/// Of a hundred later moves so many are made at random.
const WANDERING: usize = 6;
/// Longer games are broken off and count for nothing.
const MOST_PLIES: usize = 400;
/// Bytes of the table of a game.
const TABLE: usize = 1 << 18;

/// The states of a game, what each was thought to be worth to the first role, and what that got.
struct Played {
    path: Vec<u64>,
    thought: Vec<Option<f64>>,
    outcome: Option<f64>,
}

impl Hall<'_> {
    /// Games of an evaluation against itself; `None` if the time is over before all are played.
    pub(super) fn play(
        &self,
        evaluation: &Arc<Evaluation>,
        states: u64,
        games: u64,
    ) -> Result<Option<Experience>, Fault> {
        let words = self.engine.vocabulary().words();
        let played = self.each(games, |worker, number| self.game(worker, evaluation, states, number))?;
        let Some(played) = played else { return Ok(None) };
        let mut experience = Experience::after(evaluation);
        let mut random = Random::new(mixed(self.seed, u64::MAX));
        for Played { path, thought, outcome } in played {
            experience.add_game(&path, words, &thought, outcome, &mut random);
        }
        Ok(Some(experience))
    }

    /// What the first side gets of each pair of matches, in which sides are swapped.
    pub(super) fn meet(
        &self,
        sides: &[Side; 2],
        pairs: u64,
        effort: Effort,
    ) -> Result<Option<Vec<f64>>, Fault> {
        self.each(pairs, |worker, number| {
            let mut points = 0.0;
            for places in [[0, 1], [1, 0]] {
                let played = Match { effort, opening: OPENING, seed: mixed(self.seed, number), lanes: None };
                let goals = played.play(worker, sides, &places, &mut || (self.is_over)())?;
                let Some(goals) = goals else { return Ok(None) };
                points += match goals[places[0]].cmp(&goals[places[1]]) {
                    Compared::Greater => 0.5,
                    Compared::Equal => 0.25,
                    Compared::Less => 0.0,
                };
            }
            Ok(Some(points))
        })
    }

    /// Does something for each number below `count`, on all threads; the results in order, or `None` if one has none.
    fn each<T: Send>(
        &self,
        count: u64,
        work: impl Fn(&mut dyn Worker, u64) -> Result<Option<T>, Fault> + Sync,
    ) -> Result<Option<Vec<T>>, Fault> {
        let next = AtomicU64::new(0);
        let done: Mutex<Vec<(u64, T)>> = Mutex::new(Vec::new());
        let failed: Mutex<Option<Result<(), Fault>>> = Mutex::new(None);
        let one = || {
            let mut worker = self.engine.worker();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                let ended = match work(&mut *worker, number) {
                    Ok(Some(result)) => {
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                        continue;
                    }
                    Ok(None) => Ok(()),
                    Err(fault) => Err(fault),
                };
                // The others need not begin another one.
                next.store(count, Ordering::Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(ended);
                return;
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(one);
            }
            one();
        });
        if let Some(ended) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return ended.map(|()| None);
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(number, _)| *number);
        Ok(Some(done.into_iter().map(|(_, result)| result).collect()))
    }

    fn game(
        &self,
        worker: &mut dyn Worker,
        evaluation: &Arc<Evaluation>,
        states: u64,
        number: u64,
    ) -> Result<Option<Played>, Fault> {
        let mut random = Random::new(mixed(self.seed ^ 1, number));
        let mut state = vec![0; worker.vocabulary().words()];
        worker.initial(&mut state);
        let mut next = state.clone();
        let table = Arc::new(Table::new(TABLE));
        let mut search = Pvs::new(worker, pvs::Settings::default(), evaluation.clone(), table);
        let opening = random.below(MOST_OPENING);
        let (mut path, mut thought) = (Vec::new(), Vec::new());
        let mut legal: [Vec<MoveId>; 2] = Default::default();
        let mut outcome = None;
        for ply in 0..MOST_PLIES {
            if (self.is_over)() {
                return Ok(None);
            }
            if worker.is_terminal(&state)? {
                outcome = evaluation::outcome(worker, &state)?;
                break;
            }
            for (role, legal) in legal.iter_mut().enumerate() {
                worker.legal(&state, RoleId(role as u32), legal)?;
            }
            if legal.iter().any(Vec::is_empty) {
                outcome = evaluation::outcome(worker, &state)?;
                break;
            }
            let mut joint = [0, 1].map(|role| legal[role][random.below(legal[role].len())]);
            let wanders = ply < opening || random.below(100) < WANDERING;
            let mut worth = None;
            let mover = (0..2).find(|&role| legal[role].len() > 1).filter(|&role| legal[1 - role].len() == 1);
            if let (false, Some(mover), Some(search)) = (wanders, mover, &mut search) {
                let role = RoleId(mover as u32);
                let found = search.search(worker, &state, role, &mut Clock::iterations(states))?;
                if let Some(best) = found.as_ref().and_then(|found| found.best()) {
                    joint[mover] = best.action;
                    // Before its first depth is done it has no opinion.
                    let value = best.value / 100.0;
                    worth = (search.depth() > 0).then_some(if mover == 0 { value } else { 1.0 - value });
                }
            }
            path.extend_from_slice(&state);
            thought.push(worth);
            worker.next(&state, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        Ok(Some(Played { path, thought, outcome }))
    }
}
