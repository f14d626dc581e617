//! How many states a game has, estimated by samples, where there are too many to visit.
//!
//! Every state but the initial one hands its weight of one back in equal parts to the states before it: so the weights
//! that flow forward, each state giving a successor its own weight divided by the number of states before that
//! successor, add up to one in every state. Their sum over all generations is the number of states. A generation of
//! few states is followed exactly; of a larger one a sample stands for the whole, chosen so that the sum is right
//! on average. Several samples, each from the beginning, say how far off their mean can be.
//!
//! What comes before a state is found by undoing the changes that moves were seen to make, and accepted where the rules
//! lead from there to the state and the way back goes on to the initial state. A move whose change was never seen is not
//! undone, so where changes are of many kinds the estimate is too high; how many changes were known is told.

use crate::error::{Error, Result};
use hashbrown::{HashMap, HashSet};
use ludex_engine::budget::{Budget, Meter};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::perft::each_joint_move;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// How much to do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Samples, each from the beginning to the end.
    pub samples: usize,
    /// States of a generation that stand for it.
    pub states: usize,
    /// Random games in which changes are learnt.
    pub games: usize,
    /// The seed of all choices.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { samples: 16, states: 300, games: 400, seed: 1 }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The sums of the samples.
    pub samples: Vec<f64>,
    /// Whether every generation was followed exactly: then all samples are the number itself.
    pub exact: bool,
    /// Joint moves that lead on from a state, on average.
    pub branching: f64,
    /// The largest generation.
    pub widest: f64,
    /// Generations.
    pub generations: usize,
    /// Changes that were met, and how many of them were known before.
    pub changes: u64,
    /// See above.
    pub known: u64,
    /// Ways back that were given up, and counted as if they went on to the initial state.
    pub given_up: u64,
}

impl Estimate {
    /// The mean.
    pub fn mean(&self) -> f64 {
        self.samples.iter().sum::<f64>() / self.samples.len().max(1) as f64
    }

    /// Where the number is, but for one case in a hundred: 3.5 standard errors to each side. Few samples tell their own
    /// scatter badly, and sums of samples do not scatter quite like a bell, so it is more than for a bell.
    pub fn interval(&self) -> (f64, f64) {
        const ERRORS: f64 = 3.5;
        let (mean, count) = (self.mean(), self.samples.len() as f64);
        if self.exact {
            return (mean, mean);
        }
        let squares: f64 = self.samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        ((mean - ERRORS * error).max(1.0), mean + ERRORS * error)
    }
}

type State = Box<[u64]>;

/// A change that a joint move was seen to make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Change {
    joint: Box<[MoveId]>,
    gone: State,
    come: State,
}

/// Changes that are kept at most; a state before is sought by each of them.
const MOST_CHANGES: usize = 20_000;

/// States of which a way back may go through at most.
const MOST_BACK: usize = 5_000;

/// States whose ways back are remembered.
const MOST_REMEMBERED: usize = 4_000_000;

/// States that are counted one by one at most.
const MOST_VISITED: usize = 1_000_000;

/// Generations after which a sample ends.
const MOST_GENERATIONS: usize = 10_000;

/// Moves of a random game.
const MOST_MOVES: usize = 1_000;

/// Estimates the number of states.
pub fn estimate(engine: &dyn Engine, effort: &Effort, budget: &Budget) -> Result<Estimate> {
    let mut sampler = Sampler::new(engine, effort, budget);
    sampler.learn(effort.games)?;
    let mut all = Estimate {
        samples: Vec::new(),
        exact: true,
        branching: 0.0,
        widest: 0.0,
        generations: 0,
        changes: 0,
        known: 0,
        given_up: 0,
    };
    for _ in 0..effort.samples.max(2) {
        sampler.sample(&mut all)?;
        // What was followed exactly is the same each time.
        if all.exact {
            break;
        }
    }
    all.branching = sampler.moves / sampler.expanded.max(1.0);
    (all.changes, all.known, all.given_up) = (sampler.changes_met, sampler.changes_known, sampler.given_up);
    Ok(all)
}

struct Sampler {
    worker: Box<dyn Worker>,
    meter: Meter,
    random: Random,
    most: usize,
    initial: State,
    words: usize,
    legal: Vec<Vec<MoveId>>,
    changes: Vec<Change>,
    known: HashSet<Change>,
    /// Whether the way back from a state goes on to the initial one.
    back: HashMap<State, bool>,
    moves: f64,
    expanded: f64,
    changes_met: u64,
    changes_known: u64,
    given_up: u64,
}

impl Sampler {
    fn new(engine: &dyn Engine, effort: &Effort, budget: &Budget) -> Sampler {
        let mut worker = engine.worker();
        worker.obey(budget);
        let vocabulary = engine.vocabulary();
        let mut initial = vec![0; vocabulary.words()];
        worker.initial(&mut initial);
        Sampler {
            worker,
            meter: budget.clock(),
            random: Random::new(effort.seed),
            most: effort.states.max(1),
            words: initial.len(),
            initial: initial.into(),
            legal: vec![Vec::new(); vocabulary.role_count()],
            changes: Vec::new(),
            known: HashSet::new(),
            back: HashMap::new(),
            moves: 0.0,
            expanded: 0.0,
            changes_met: 0,
            changes_known: 0,
            given_up: 0,
        }
    }

    /// The legal moves of all roles; none if the game is over.
    fn list(&mut self, state: &[u64]) -> Result<bool> {
        self.meter.tick_by(512)?;
        if self.worker.is_terminal(state)? {
            return Ok(false);
        }
        for role in 0..self.legal.len() {
            self.legal[role].clear();
            self.worker.legal(state, RoleId(role as u32), &mut self.legal[role])?;
        }
        Ok(self.legal.iter().all(|list| !list.is_empty()))
    }

    fn change(joint: &[MoveId], from: &[u64], to: &[u64]) -> Change {
        let gone = from.iter().zip(to).map(|(from, to)| from & !to).collect();
        let come = from.iter().zip(to).map(|(from, to)| to & !from).collect();
        Change { joint: joint.into(), gone, come }
    }

    /// Remembers a change; true if it was known.
    fn remember(&mut self, change: Change) -> bool {
        if self.known.contains(&change) {
            return true;
        }
        if self.changes.len() < MOST_CHANGES {
            self.known.insert(change.clone());
            self.changes.push(change);
        }
        false
    }

    /// Plays at random and remembers what moves change.
    fn learn(&mut self, games: usize) -> Result<()> {
        let mut next = vec![0; self.words];
        for _ in 0..games {
            let mut state = self.initial.to_vec();
            for _ in 0..MOST_MOVES {
                if !self.list(&state)? {
                    break;
                }
                let random = &mut self.random;
                let joint: Vec<MoveId> =
                    self.legal.iter().map(|list| list[random.below(list.len())]).collect();
                self.worker.next(&state, &joint, &mut next)?;
                self.remember(Sampler::change(&joint, &state, &next));
                std::mem::swap(&mut state, &mut next);
            }
        }
        Ok(())
    }

    /// The states that follow, each once.
    fn successors(&mut self, state: &[u64]) -> Result<Vec<State>> {
        self.expanded += 1.0;
        if !self.list(state)? {
            return Ok(Vec::new());
        }
        let legal = std::mem::take(&mut self.legal);
        let mut joint = Vec::new();
        let mut next = vec![0; self.words];
        let mut found = Vec::new();
        let visited = each_joint_move(&legal, &mut joint, &mut |joint| -> Result<()> {
            self.meter.tick_by(64)?;
            self.worker.next(state, joint, &mut next)?;
            self.moves += 1.0;
            self.changes_met += 1;
            let change = Sampler::change(joint, state, &next);
            self.changes_known += u64::from(self.remember(change));
            found.push(State::from(next.as_slice()));
            Ok(())
        });
        self.legal = legal;
        visited?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// States from which a joint move leads to this one, each once, whether play reaches them or not.
    fn before(&mut self, state: &[u64]) -> Result<Vec<State>> {
        let mut found: Vec<State> = Vec::new();
        let mut next = vec![0; self.words];
        for at in 0..self.changes.len() {
            self.meter.tick_by(4)?;
            let Change { joint, gone, come } = &self.changes[at];
            let fits = state
                .iter()
                .zip(gone.iter().zip(come))
                .all(|(state, (gone, come))| state & gone == 0 && state & come == *come);
            if !fits {
                continue;
            }
            let from: State = state
                .iter()
                .zip(gone.iter().zip(come))
                .map(|(state, (gone, come))| state & !come | gone)
                .collect();
            if found.contains(&from) {
                continue;
            }
            let joint = joint.clone();
            if !self.list(&from)?
                || self.legal.iter().zip(&joint).any(|(list, action)| list.binary_search(action).is_err())
            {
                continue;
            }
            self.worker.next(&from, &joint, &mut next)?;
            if next == state {
                found.push(from);
            }
        }
        Ok(found)
    }

    /// Whether play reaches a state: some way back goes on to the initial one.
    fn is_reached(&mut self, state: &State) -> Result<bool> {
        if self.back.len() > MOST_REMEMBERED {
            self.back.clear();
        }
        let mut seen: HashSet<State> = HashSet::new();
        // States on the way, each with those before it that were not tried.
        let mut way: Vec<(State, Vec<State>)> = Vec::new();
        let mut next = state.clone();
        loop {
            let known = if *next == *self.initial { Some(true) } else { self.back.get(&next).copied() };
            match known {
                Some(true) => {
                    // So does every state of the way.
                    self.back.insert(next, true);
                    self.back.extend(way.into_iter().map(|(state, _)| (state, true)));
                    return Ok(true);
                }
                None if seen.insert(next.clone()) => {
                    if seen.len() > MOST_BACK {
                        self.given_up += 1;
                        return Ok(true);
                    }
                    let before = self.before(&next)?;
                    way.push((next, before));
                }
                _ => {}
            }
            next = loop {
                let Some((_, before)) = way.last_mut() else {
                    // All ways back were followed.
                    self.back.extend(seen.into_iter().map(|state| (state, false)));
                    return Ok(false);
                };
                match before.pop() {
                    Some(state) => break state,
                    None => drop(way.pop()),
                }
            };
        }
    }

    /// How many states that play reaches come right before this one, which follows one.
    fn degree(&mut self, state: &State) -> Result<f64> {
        let mut count = 0;
        for from in self.before(state)? {
            count += u32::from(self.is_reached(&from)?);
        }
        Ok(f64::from(count.max(1)))
    }

    /// One sample, from the beginning to the end.
    fn sample(&mut self, all: &mut Estimate) -> Result<()> {
        let mut generation: Vec<(State, f64)> = vec![(self.initial.clone(), 1.0)];
        let mut sum = 1.0;
        // As long as every state is followed they need no weights to be counted.
        let mut visited = Some(HashSet::<State>::from_iter([self.initial.clone()]));
        for number in 1.. {
            if number > MOST_GENERATIONS {
                return Err(Error::TooMany("generations of states"));
            }
            let mut next: HashMap<State, f64> = HashMap::new();
            for (state, weight) in &generation {
                for successor in self.successors(state)? {
                    if successor != self.initial {
                        *next.entry(successor).or_insert(0.0) += weight;
                    }
                }
            }
            // In an order that does not depend on the table.
            let mut states: Vec<(State, f64)> = next.into_iter().collect();
            states.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            for (state, weight) in &mut states {
                *weight /= self.degree(state)?;
            }
            let total: f64 = states.iter().map(|(_, weight)| weight).sum();
            let mut width = total;
            if let Some(seen) = &mut visited {
                let before = seen.len();
                seen.extend(states.iter().map(|(state, _)| state.clone()));
                if seen.len() == before {
                    all.generations = all.generations.max(number);
                    sum = seen.len() as f64;
                    break;
                }
                width = (seen.len() - before) as f64;
                if states.len() > self.most || seen.len() > MOST_VISITED {
                    all.exact = false;
                    visited = None;
                }
            } else if states.is_empty() || total < 1e-9 * sum {
                // Where lines come back for ever less and less is left.
                all.generations = all.generations.max(number);
                break;
            }
            sum += total;
            all.widest = all.widest.max(width);
            if states.len() > self.most {
                states = self.choose(&states, total);
            }
            generation = states;
        }
        all.samples.push(sum);
        Ok(())
    }

    /// A sample that stands for all: each state as often as its weight says, on average, with what that is worth.
    fn choose(&mut self, states: &[(State, f64)], total: f64) -> Vec<(State, f64)> {
        const PARTS: usize = 1 << 30;
        let each = total / self.most as f64;
        let mut next = each * (self.random.below(PARTS) as f64 / PARTS as f64);
        let mut passed = 0.0;
        let mut chosen = Vec::with_capacity(self.most);
        for (state, weight) in states {
            passed += weight;
            let mut times = 0.0;
            while next < passed {
                times += 1.0;
                next += each;
            }
            if times > 0.0 {
                chosen.push((state.clone(), times * each));
            }
        }
        chosen
    }
}
