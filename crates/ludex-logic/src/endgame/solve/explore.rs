//! Every reachable state, breadth first, on several threads.
//!
//! Threads expand a batch of states each, one worker a thread; what they found is numbered by one thread in a
//! fixed order, so the numbering does not depend on the number of threads.

use super::{Nature, Reached, SolveError};
use hashbrown::HashTable;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::perft::each_joint_move;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::hash::BuildHasher;

/// How far an exploration goes, and how.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Reachable states.
    pub states: usize,
    /// Transitions, four bytes each.
    pub transitions: usize,
    /// Threads to use.
    pub threads: usize,
}

impl Default for Options {
    /// Twenty million states, four hundred million transitions, all processors.
    fn default() -> Options {
        Options {
            states: 20_000_000,
            transitions: 400_000_000,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

/// The reachable states of a game and how they lead to each other.
#[derive(Debug)]
pub struct Space {
    words: usize,
    roles: usize,
    rows: Vec<u64>,
    index: HashTable<u32>,
    hasher: hashbrown::DefaultHashBuilder,
    /// For each state where its successors begin; one more at the end.
    starts: Vec<u64>,
    /// Successors, in the order of the joint moves, the last role's moves changing fastest.
    successors: Vec<u32>,
    /// For each state and role how many legal moves it has; nothing legal anywhere for ends.
    counts: Vec<u32>,
    /// For each state and role the goal; only ends have any.
    goals: Vec<Option<Goal>>,
    ends: Vec<bool>,
}

impl Space {
    /// How many states there are. The initial one is number zero.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// False: there is always an initial state.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// How many transitions there are, counted by joint move.
    pub fn transition_count(&self) -> usize {
        self.successors.len()
    }

    /// How many ends there are.
    pub fn end_count(&self) -> usize {
        self.ends.iter().filter(|end| **end).count()
    }

    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    /// The state of that number.
    pub fn state(&self, at: usize) -> &[u64] {
        &self.rows[at * self.words..(at + 1) * self.words]
    }

    /// The number of a state, if it is reachable.
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        let hash = self.hasher.hash_one(state);
        self.index.find(hash, |&at| self.state(at as usize) == state).map(|&at| at as usize)
    }

    /// True if the game is over there.
    pub fn is_end(&self, at: usize) -> bool {
        self.ends[at]
    }

    /// The goal of a role in an end.
    pub fn goal(&self, at: usize, role: usize) -> Option<Goal> {
        self.goals[at * self.roles + role]
    }

    /// The successors, one for each joint move, the last role's moves changing fastest.
    pub fn successors(&self, at: usize) -> &[u32] {
        &self.successors[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// How many legal moves each role has.
    pub fn move_counts(&self, at: usize) -> &[u32] {
        &self.counts[at * self.roles..(at + 1) * self.roles]
    }

    /// The goal values that a role has in some end, ascending.
    pub(crate) fn values(&self, role: usize) -> Vec<Goal> {
        let mut values: Vec<Goal> = (0..self.len()).filter_map(|at| self.goal(at, role)).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    pub(crate) fn best_goal(&self, role: usize) -> Option<Goal> {
        (0..self.len()).filter_map(|at| self.goal(at, role)).max()
    }

    pub(crate) fn nature(&self) -> Nature {
        if self.roles == 1 {
            return Nature::Puzzle;
        }
        let turns =
            (0..self.len()).all(|at| self.move_counts(at).iter().filter(|&&count| count > 1).count() <= 1);
        if self.roles != 2 || !turns {
            return Nature::General;
        }
        let mut sums = (0..self.len())
            .filter(|&at| self.is_end(at))
            .map(|at| Some(self.goal(at, 0)? + self.goal(at, 1)?));
        match sums.next().flatten() {
            Some(first) if sums.all(|sum| sum == Some(first)) => Nature::ConstantSum(first),
            _ => Nature::General,
        }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        let index = self.index.capacity() * 8;
        let rest = self.counts.capacity() * 4 + self.goals.capacity() * 8 + self.ends.capacity();
        self.rows.capacity() * 8 + self.successors.capacity() * 4 + self.starts.capacity() * 8 + index + rest
    }

    /// The number of a state, new or not.
    fn number(&mut self, row: &[u64]) -> u32 {
        let (rows, words) = (&self.rows, self.words);
        let hash = self.hasher.hash_one(row);
        let known = self.index.find(hash, |&at| &rows[at as usize * words..(at as usize + 1) * words] == row);
        if let Some(&at) = known {
            return at;
        }
        let at = (rows.len() / words.max(1)) as u32;
        self.rows.extend_from_slice(row);
        let (rows, hasher) = (&self.rows, &self.hasher);
        self.index.insert_unique(hash, at, |&at| {
            hasher.hash_one(&rows[at as usize * words..(at as usize + 1) * words])
        });
        at
    }
}

/// What one thread found in its batch.
#[derive(Debug, Default)]
struct Found {
    rows: Vec<u64>,
    /// For each state how many successors it has.
    lengths: Vec<u32>,
    counts: Vec<u32>,
    goals: Vec<Option<Goal>>,
    ends: Vec<bool>,
    /// True if there was more than fits, and the rest was left out.
    full: bool,
}

/// States a thread expands before its finds are numbered.
const BATCH: usize = 4096;

/// Words of successors that a thread keeps until then: half a gigabyte.
const MOST_WORDS: usize = 1 << 26;

/// Visits every reachable state. `reached` is kept up to date for whoever watches. The states are held of the bytes of
/// the budget while they are sought.
pub fn explore(
    engine: &dyn Engine,
    options: &Options,
    budget: &Budget,
    reached: &Reached,
) -> Result<Space, SolveError> {
    let vocabulary = engine.vocabulary();
    // A game without fluents has one state, which still needs a row.
    let words = vocabulary.words().max(1);
    let mut space = Space {
        words,
        roles: vocabulary.role_count(),
        rows: Vec::new(),
        index: HashTable::new(),
        hasher: hashbrown::DefaultHashBuilder::default(),
        starts: vec![0],
        successors: Vec::new(),
        counts: Vec::new(),
        goals: Vec::new(),
        ends: Vec::new(),
    };
    let threads = options.threads.max(1);
    let mut workers: Vec<Box<dyn Worker>> = (0..threads).map(|_| engine.worker()).collect();
    workers.iter_mut().for_each(|worker| worker.obey(budget));
    let mut holding = budget.holding();
    let mut initial = vec![0; words];
    let words_of_engine = vocabulary.words();
    workers[0].initial(&mut initial[..words_of_engine]);
    space.number(&initial);
    while space.len() * words < space.rows.len() {
        budget.check()?;
        let first = space.len();
        // Wide states in smaller batches.
        let batch = (BATCH * 4 / words).clamp(16, BATCH);
        let open = (space.rows.len() / words - first).min(batch * threads);
        let share = open.div_ceil(threads);
        let rows = &space.rows[first * words..(first + open) * words];
        let found: Vec<Found> = if open < threads * 16 {
            vec![expand(&mut *workers[0], rows, words, budget)?]
        } else {
            std::thread::scope(|scope| {
                let tasks: Vec<_> = workers
                    .iter_mut()
                    .zip(rows.chunks(share * words))
                    .map(|(worker, rows)| scope.spawn(move || expand(&mut **worker, rows, words, budget)))
                    .collect();
                tasks.into_iter().map(join).collect::<Result<_, _>>()
            })?
        };
        if found.iter().any(|part| part.full) {
            return Err(SolveError::Transitions(options.transitions));
        }
        for part in found {
            for row in part.rows.chunks_exact(words) {
                let at = space.number(row);
                space.successors.push(at);
            }
            for length in part.lengths {
                let last = space.starts[space.starts.len() - 1];
                space.starts.push(last + u64::from(length));
            }
            space.counts.extend(part.counts);
            space.goals.extend(part.goals);
            space.ends.extend(part.ends);
        }
        reached.visit(space.len());
        holding.set(space.bytes())?;
        if space.rows.len() / words > options.states {
            return Err(SolveError::States(options.states));
        }
        if space.successors.len() > options.transitions {
            return Err(SolveError::Transitions(options.transitions));
        }
    }
    Ok(space)
}

pub(super) fn join<T>(task: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match task.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Ticks for a state, and for each of its successors: a tick is a few nanoseconds, a question of a network a hundred.
const TICKS_A_STATE: u64 = 512;
const TICKS_A_SUCCESSOR: u64 = 64;

fn expand(worker: &mut dyn Worker, rows: &[u64], words: usize, budget: &Budget) -> Result<Found, SolveError> {
    let mut meter = budget.clock();
    let roles = worker.vocabulary().role_count();
    let used = worker.vocabulary().words();
    let mut found = Found::default();
    let mut legal: Vec<Vec<MoveId>> = vec![Vec::new(); roles];
    let mut joint = Vec::new();
    for row in rows.chunks_exact(words) {
        meter.tick_by(TICKS_A_STATE)?;
        let state = &row[..used];
        let end = worker.is_terminal(state)?;
        found.ends.push(end);
        let mut length = 0;
        for role in (0..roles as u32).map(RoleId) {
            let list = &mut legal[role.index()];
            list.clear();
            if end {
                found.goals.push(worker.goal(state, role)?);
            } else {
                found.goals.push(None);
                worker.legal(state, role, list)?;
            }
            found.counts.push(list.len() as u32);
        }
        if !end && legal.iter().all(|list| !list.is_empty()) {
            each_joint_move(&legal, &mut joint, &mut |joint| -> Result<(), SolveError> {
                let start = found.rows.len();
                meter.tick_by(TICKS_A_SUCCESSOR)?;
                if start > MOST_WORDS {
                    found.full = true;
                    return Ok(());
                }
                found.rows.resize(start + words, 0);
                worker.next(state, joint, &mut found.rows[start..start + used])?;
                length += 1;
                Ok(())
            })?;
        }
        found.lengths.push(length);
    }
    Ok(found)
}
