//! Principal variation search with a learnt evaluation: alpha-beta for games too large to be searched to their ends.
//!
//! For two roles who take turns. Iterative deepening with aspiration windows, null windows for all moves but the first,
//! a table of states ([`Table`]), killer moves, history, and captures followed to quiet states; the score of a leaf is that of the [`Evaluation`], found from what a move changed.
//!
//! It differs from [`crate::alphabeta`] in what it says: its values are estimates, and nothing that it finds is called
//! certain, since leaves are guesses and states are known by a hash. Whether the game is one of turns is seen on the
//! way: a state in which both choose ends the search for good ([`Pvs::applies`]). Where goals do not add up to 100, both
//! are taken to play for the difference.

mod table;

pub use table::Table;

use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate};
use crate::evaluation::{self, Evaluation, MOST_SCORE, UNIT};
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::sync::Arc;
use table::{Bound, Entry};

/// A game that is won; less the plies that it takes.
const WIN: i32 = 30_000;
/// Scores beyond it are ends of games.
const NEAR_WIN: i32 = 25_000;
/// Iteration stops there.
const DEEPEST: i32 = 100;
/// Captures are followed so far beyond the depth.
const QUIET_PLIES: i32 = 6;
/// The first window around the score of the depth before.
const WINDOW: i32 = 150;
/// A move whose material gain is greater by this than the least of its state's moves is a capture.
const CAPTURE: i32 = 60;

/// How the search goes about it; what can be left out, to measure what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Captures at the last ply are followed up.
    pub quiescence: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { quiescence: true }
    }
}

enum Break {
    Time,
    Unfit,
    Fault(Fault),
}

impl From<Fault> for Break {
    fn from(fault: Fault) -> Break {
        Break::Fault(fault)
    }
}

/// A search that keeps its table from move to move.
#[derive(Debug)]
pub struct Pvs {
    settings: Settings,
    evaluation: Arc<Evaluation>,
    table: Arc<Table>,
    /// A number a fluent, whose sum without carry is the hash of a state.
    keys: Vec<u64>,
    history: [Vec<u32>; 2],
    killers: Vec<[Option<MoveId>; 2]>,
    levels: Vec<Level>,
    root: Option<Root>,
    states: u64,
    fits: bool,
}

/// The buffers of one depth.
#[derive(Debug, Default)]
struct Level {
    legal: [Vec<MoveId>; 2],
    children: Vec<Child>,
    rows: Vec<u64>,
}

/// A state after a move.
#[derive(Clone, Copy, Debug)]
struct Child {
    action: MoveId,
    /// Its place in the rows of its level.
    row: u32,
    known: Known,
    order: i64,
}

/// What is found of a state from the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    hash: u64,
    /// For the first role.
    score: i32,
    material: i32,
    /// The move that led here took something.
    is_capture: bool,
}

/// What is known of the state that is searched.
#[derive(Debug)]
struct Root {
    state: Vec<u64>,
    mover: usize,
    idle: MoveId,
    /// With their scores for the mover, the best first.
    moves: Vec<(MoveId, i32)>,
    /// Searched in full.
    depth: i32,
    states: u64,
}

impl Pvs {
    /// A search by an evaluation with a table that others may share. `None` if the game has not two roles.
    pub fn new(
        worker: &dyn Worker,
        settings: Settings,
        evaluation: Arc<Evaluation>,
        table: Arc<Table>,
    ) -> Option<Pvs> {
        let vocabulary = worker.vocabulary();
        if vocabulary.role_count() != 2 {
            return None;
        }
        // The same in all threads, or they could not share a table.
        let mut random = Random::new(0x9E37_79B9);
        Some(Pvs {
            settings,
            evaluation,
            table,
            keys: vocabulary.fluents().map(|_| random.bits()).collect(),
            history: [0, 1].map(|role| vec![0; vocabulary.move_count(RoleId(role))]),
            killers: Vec::new(),
            levels: Vec::new(),
            root: None,
            states: 0,
            fits: true,
        })
    }

    /// False once the game has turned out not to be one of two who take turns.
    pub fn applies(&self) -> bool {
        self.fits
    }

    /// States visited so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// How deep the current state has been searched in full.
    pub fn depth(&self) -> i32 {
        self.root.as_ref().map_or(0, |root| root.depth)
    }

    /// True if deeper search of the current state would find no more: its end is in sight whatever is played.
    pub fn is_done(&self) -> bool {
        self.root.as_ref().is_some_and(Root::is_done)
    }

    /// Deepens until the clock ends, and goes on where it ended if it is the same state; `None` if nothing can be said.
    /// A question that runs into a limit ends the search with that fault.
    pub fn search(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        role: RoleId,
        clock: &mut Clock,
    ) -> Result<Option<Estimate>, Fault> {
        let kept = self.root.take().filter(|root| root.state == state);
        let root = match kept {
            Some(root) => Some(root),
            None if self.fits => self.begin(worker, state)?,
            None => None,
        };
        let Some(mut root) = root else { return Ok(None) };
        let mut ended = Ok(());
        while !root.is_done() && ended.is_ok() {
            let before = self.states;
            ended = self.deepen(worker, &mut root, clock);
            root.states += self.states - before;
        }
        let estimate = root.estimate(role);
        self.root = Some(root);
        match ended {
            Ok(()) | Err(Break::Time) => Ok(Some(estimate)),
            Err(Break::Unfit) => Ok(None),
            Err(Break::Fault(fault)) => Err(fault),
        }
    }

    /// A new root; `None` if the game is over there, or both choose.
    fn begin(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<Option<Root>, Fault> {
        if worker.is_terminal(state)? {
            return Ok(None);
        }
        let mut legal = [Vec::new(), Vec::new()];
        for (role, list) in (0..).zip(&mut legal) {
            worker.legal(state, RoleId(role), list)?;
        }
        let Some(mover) = mover(&legal) else {
            self.fits &= legal.iter().any(Vec::is_empty);
            return Ok(None);
        };
        // What was learnt of the order of moves fades.
        self.history.iter_mut().flatten().for_each(|gain| *gain /= 8);
        self.killers.clear();
        Ok(Some(Root {
            state: state.to_vec(),
            mover,
            idle: legal[1 - mover][0],
            moves: legal[mover].iter().map(|&action| (action, 0)).collect(),
            depth: 0,
            states: 0,
        }))
    }

    /// One more ply. What a broken-off depth has found to be better than the best before it is kept.
    fn deepen(&mut self, worker: &mut dyn Worker, root: &mut Root, clock: &mut Clock) -> Result<(), Break> {
        let depth = root.depth + 1;
        let expected = root.moves[0].1;
        let (mut low, mut high) = match root.depth {
            0..=2 => (-WIN, WIN),
            _ => (expected - WINDOW, expected + WINDOW),
        };
        loop {
            let best = self.root_moves(worker, root, depth, (low, high), clock)?;
            if best <= low && low > -WIN {
                low = -WIN;
            } else if best >= high && high < WIN {
                high = WIN;
            } else {
                root.depth = depth;
                return Ok(());
            }
        }
    }

    /// Searches the moves of the root within the mover's window and puts the best one first.
    fn root_moves(
        &mut self,
        worker: &mut dyn Worker,
        root: &mut Root,
        depth: i32,
        (low, high): (i32, i32),
        clock: &mut Clock,
    ) -> Result<i32, Break> {
        let from = self.first_look(&root.state);
        let mut next = vec![0; root.state.len()];
        let (mut alpha, mut best) = (low, -WIN);
        for at in 0..root.moves.len() {
            let action = root.moves[at].0;
            worker.next(&root.state, &joint(root.mover, action, root.idle), &mut next)?;
            let known = self.look(&root.state, from, &next);
            let mut inner = |search: &mut Pvs, low: i32, high: i32| {
                let window = seen_by(root.mover, (low, high));
                let value = search.visit(worker, &next, known, depth - 1, window, 1, clock)?;
                Ok::<i32, Break>(sign(root.mover) * value)
            };
            let mut score = if at == 0 { inner(self, alpha, high)? } else { inner(self, alpha, alpha + 1)? };
            if at > 0 && score > alpha && score < high {
                score = inner(self, alpha, high)?;
            }
            // A better move comes first from now on, even if this depth is broken off.
            if at == 0 || score > alpha {
                root.moves[..=at].rotate_right(1);
                root.moves[0].1 = score;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= high {
                break;
            }
        }
        Ok(best)
    }

    /// The value of a state to the first role, within a window of the first role's.
    #[allow(clippy::too_many_arguments)]
    fn visit(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        known: Known,
        depth: i32,
        window: (i32, i32),
        ply: i32,
        clock: &mut Clock,
    ) -> Result<i32, Break> {
        if clock.tick() {
            return Err(Break::Time);
        }
        self.states += 1;
        if worker.is_terminal(state)? {
            return Ok(self.ended(worker, state, known, ply)?);
        }
        if depth <= 0 {
            let is_quiet = !self.settings.quiescence || !known.is_capture || depth <= -QUIET_PLIES;
            if is_quiet {
                return Ok(known.score());
            }
        }
        let entry = self.table.get(known.hash);
        if let Some(entry) = entry {
            let score = from_table(entry.score, ply);
            let is_deep = i32::from(entry.depth) >= depth.max(0);
            match entry.bound {
                // An end that was forced from here is forced, however far one looks.
                Bound::Exact | Bound::Low if score > NEAR_WIN && score >= window.1 => return Ok(score),
                Bound::Exact | Bound::High if score < -NEAR_WIN && score <= window.0 => return Ok(score),
                _ if !is_deep => {}
                Bound::Exact => return Ok(score),
                Bound::Low if score >= window.1 => return Ok(score),
                Bound::High if score <= window.0 => return Ok(score),
                Bound::Low | Bound::High => {}
            }
        }
        let mut level = self.levels.pop().unwrap_or_default();
        let first = entry.and_then(|entry| entry.best);
        let result = self.inside(worker, state, known, depth, window, ply, clock, first, &mut level);
        self.levels.push(level);
        result
    }

    /// As `visit`, for a state in which the game goes on and whose moves are looked at.
    #[allow(clippy::too_many_arguments)]
    fn inside(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        known: Known,
        depth: i32,
        window: (i32, i32),
        ply: i32,
        clock: &mut Clock,
        first: Option<MoveId>,
        level: &mut Level,
    ) -> Result<i32, Break> {
        for (role, list) in (0..).zip(&mut level.legal) {
            worker.legal(state, RoleId(role), list)?;
        }
        let Some(mover) = mover(&level.legal) else {
            if level.legal.iter().any(Vec::is_empty) {
                return Ok(self.ended(worker, state, known, ply)?);
            }
            self.fits = false;
            return Err(Break::Unfit);
        };
        let idle = level.legal[1 - mover][0];
        let sign = sign(mover);
        let (mut alpha, beta) = seen_by(mover, window);
        let lowest = alpha;
        let quiet = depth <= 0;
        let (mut best, mut best_move) = (-WIN, None);
        if quiet {
            // The mover need not take.
            best = sign * known.score();
            alpha = alpha.max(best);
            if best >= beta {
                return Ok(sign * best);
            }
        }
        let words = state.len();
        level.children.clear();
        level.rows.resize(words * level.legal[mover].len(), 0);
        // The move that was best before may do alone; then the others are not even made.
        let mut pending = first.filter(|action| !quiet && level.legal[mover].binary_search(action).is_ok());
        let searched_first = pending;
        let (mut tried, mut at, mut is_made) = (0, 0, false);
        loop {
            let child = if let Some(action) = pending.take() {
                worker.next(state, &joint(mover, action, idle), &mut level.rows[..words])?;
                let known = self.look(state, known, &level.rows[..words]);
                Child { action, row: 0, known, order: 0 }
            } else {
                if !is_made {
                    self.make(worker, state, known, mover, idle, depth, ply, level)?;
                    is_made = true;
                }
                if level.children.get(at).is_some_and(|child| Some(child.action) == searched_first) {
                    at += 1;
                }
                let Some(&child) = level.children.get(at) else { break };
                at += 1;
                child
            };
            let rows = std::mem::take(&mut level.rows);
            let next = &rows[child.row as usize * words..][..words];
            let searched = self.child(worker, next, child, depth, (alpha, beta), (mover, tried, ply), clock);
            level.rows = rows;
            let score = searched?;
            tried += 1;
            if score > best {
                (best, best_move) = (score, Some(child.action));
            }
            alpha = alpha.max(score);
            if alpha >= beta {
                if !quiet {
                    self.remember(mover, child.action, depth, ply);
                }
                break;
            }
        }
        if !quiet {
            let bound = match best {
                _ if best >= beta => Bound::Low,
                _ if best <= lowest => Bound::High,
                _ => Bound::Exact,
            };
            let bound = if mover == 0 { bound } else { bound.seen_by_other() };
            let score = to_table(sign * best, ply);
            self.table
                .put(known.hash, Entry { score, depth: depth.clamp(0, 255) as u8, bound, best: best_move });
        }
        Ok(sign * best)
    }

    /// The mover's score of one move, by a null window where that is enough.
    #[allow(clippy::too_many_arguments)]
    fn child(
        &mut self,
        worker: &mut dyn Worker,
        next: &[u64],
        child: Child,
        depth: i32,
        (alpha, beta): (i32, i32),
        (mover, tried, ply): (usize, usize, i32),
        clock: &mut Clock,
    ) -> Result<i32, Break> {
        let mut inner = |search: &mut Pvs, depth: i32, low: i32, high: i32| {
            let window = seen_by(mover, (low, high));
            let value = search.visit(worker, next, child.known, depth, window, ply + 1, clock)?;
            Ok::<i32, Break>(sign(mover) * value)
        };
        if tried == 0 || depth <= 0 {
            return inner(self, depth - 1, alpha, beta);
        }
        let mut score = inner(self, depth - 1, alpha, alpha + 1)?;
        if score > alpha && score < beta {
            score = inner(self, depth - 1, alpha, beta)?;
        }
        Ok(score)
    }

    /// Makes all moves (of quiescence: the captures) and puts the likely ones first.
    #[allow(clippy::too_many_arguments)]
    fn make(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        known: Known,
        mover: usize,
        idle: MoveId,
        depth: i32,
        ply: i32,
        level: &mut Level,
    ) -> Result<(), Fault> {
        let words = state.len();
        let Level { legal, children, rows } = level;
        let killers = self.killers.get(ply as usize).copied().unwrap_or_default();
        for (at, &action) in legal[mover].iter().enumerate() {
            let row = &mut rows[at * words..][..words];
            worker.next(state, &joint(mover, action, idle), row)?;
            let found = self.look(state, known, row);
            let score = i64::from(sign(mover) * found.score);
            let history = i64::from(self.history[mover][action.index()]);
            let killer = if killers.contains(&Some(action)) { 300 } else { 0 };
            // What the evaluation says, with what has cut off before: logarithms of both are of one size.
            let order = -(score + killer + 100 * i64::from((history + 1).ilog2()));
            children.push(Child { action, row: at as u32, known: found, order });
        }
        let gain = |child: &Child| sign(mover) * (child.known.material - known.material);
        if let Some(least) = children.iter().map(gain).min() {
            for child in children.iter_mut() {
                child.known.is_capture = gain(child) > least + CAPTURE;
            }
        }
        if depth <= 0 {
            children.retain(|child| child.known.is_capture);
        }
        children.sort_by_key(|child| child.order);
        Ok(())
    }

    /// A move has cut off.
    fn remember(&mut self, mover: usize, action: MoveId, depth: i32, ply: i32) {
        let gain = &mut self.history[mover][action.index()];
        *gain = gain.saturating_add((depth * depth) as u32);
        let ply = ply as usize;
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(action) {
            killers[1] = killers[0];
            killers[0] = Some(action);
        }
    }

    /// The score of a state in which play ends; what gives no single goal counts as it stands.
    fn ended(&self, worker: &mut dyn Worker, state: &[u64], known: Known, ply: i32) -> Result<i32, Fault> {
        Ok(match evaluation::outcome(worker, state)? {
            None => known.score(),
            Some(outcome) if outcome >= 1.0 => WIN - ply,
            Some(outcome) if outcome <= 0.0 => ply - WIN,
            Some(outcome) => ((outcome / (1.0 - outcome)).ln() * UNIT) as i32,
        })
    }

    fn first_look(&self, state: &[u64]) -> Known {
        let empty = vec![0; state.len()];
        let nothing = Known { score: self.evaluation.constant(), ..Known::default() };
        self.look(&empty, nothing, state)
    }

    /// What is known of a state from the one before and what has changed.
    fn look(&self, before: &[u64], known: Known, after: &[u64]) -> Known {
        let mut found = Known { is_capture: false, ..known };
        for (at, (&old, &new)) in before.iter().zip(after).enumerate() {
            let mut changed = old ^ new;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let fluent = at * 64 + bit as usize;
                let (weight, material) = self.evaluation.weight(fluent);
                let sign = if new >> bit & 1 == 1 { 1 } else { -1 };
                found.score = found.score.saturating_add(sign * weight);
                found.material = found.material.saturating_add(sign * material);
                found.hash ^= self.keys.get(fluent).copied().unwrap_or(0);
            }
        }
        found.score = found.score.saturating_add(self.evaluation.change_of_pairs(before, after));
        found
    }
}

impl Known {
    fn score(&self) -> i32 {
        self.score.clamp(-MOST_SCORE, MOST_SCORE)
    }
}

impl Root {
    fn is_done(&self) -> bool {
        self.depth >= DEEPEST || self.depth > 0 && self.moves[0].1.abs() > NEAR_WIN
    }

    /// What a role thinks of its moves. The best has all the visits: of the others only bounds are known.
    fn estimate(&self, role: RoleId) -> Estimate {
        let turn = role.index() == self.mover;
        let value = 100.0 * evaluation::chance(sign(role.index()) * sign(self.mover) * self.moves[0].1);
        let mut candidates: Vec<Candidate> = if turn {
            let candidate =
                |&(action, _): &(MoveId, i32)| Candidate { action, visits: 0, value, verdict: None };
            self.moves.iter().map(candidate).collect()
        } else {
            vec![Candidate { action: self.idle, visits: 0, value, verdict: None }]
        };
        candidates[0].visits = self.states.max(1);
        let first = candidates[0].action;
        candidates.sort_by_key(|candidate| candidate.action);
        let line = vec![joint(self.mover, if turn { first } else { self.moves[0].0 }, self.idle).to_vec()];
        Estimate { candidates, nodes: self.states as usize, line, ..Estimate::default() }
    }
}

/// Who chooses, if at most one does and all can move.
fn mover(legal: &[Vec<MoveId>; 2]) -> Option<usize> {
    match legal.each_ref().map(Vec::len) {
        [0, _] | [_, 0] => None,
        [_, 1] => Some(0),
        [1, _] => Some(1),
        _ => None,
    }
}

fn joint(mover: usize, action: MoveId, idle: MoveId) -> [MoveId; 2] {
    if mover == 0 { [action, idle] } else { [idle, action] }
}

fn sign(mover: usize) -> i32 {
    if mover == 0 { 1 } else { -1 }
}

/// A window of the first role's as a role sees it, and the other way round.
fn seen_by(mover: usize, (low, high): (i32, i32)) -> (i32, i32) {
    if mover == 0 { (low, high) } else { (-high, -low) }
}

/// Ends are remembered by their distance from the state, not from the root.
fn to_table(score: i32, ply: i32) -> i32 {
    match score {
        _ if score > NEAR_WIN => score + ply,
        _ if score < -NEAR_WIN => score - ply,
        _ => score,
    }
}

fn from_table(score: i32, ply: i32) -> i32 {
    match score {
        _ if score > NEAR_WIN => score - ply,
        _ if score < -NEAR_WIN => score + ply,
        _ => score,
    }
}
