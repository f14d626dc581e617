//! Alpha-beta with iterative deepening and a transposition table, for what is certain.
//!
//! For games of two roles who take turns and whose goals add up to 100. A state has a lower and an upper
//! bound on the first role's goal; what lies beyond the depth of the search is between 0 and 100. So every
//! bound is true whatever the depth it came from, bounds in the table never grow stale, and when they
//! meet at the root the best move is known. There is no guess at the value of unfinished games: that is
//! what [`crate::uct`] is for, which looks far where this looks at everything.
//!
//! Whether the game is of that kind is seen on the way: a state in which both choose, or an end whose
//! goals do not add up to 100, ends the search for good ([`AlphaBeta::applies`]). States compare in full, so two
//! states are never taken for one.

use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate, Verdict};
use hashbrown::DefaultHashBuilder;
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::hash::BuildHasher;

/// The least and the greatest goal of the first role; the other has the rest.
const RANGE: Bounds = Bounds { low: 0, high: 100 };

/// Deeper than any game that can be searched to its end: iteration stops there.
const DEEPEST: u16 = 500;

/// Longer ways count as so long.
const MOST_PLIES: u16 = 511;

/// What the first role's goal lies between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    low: i8,
    high: i8,
}

impl Bounds {
    fn is_exact(self) -> bool {
        self.low == self.high
    }

    fn contains(self, other: Bounds) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The same seen by a role.
    fn for_role(self, role: usize) -> Bounds {
        if role == 0 { self } else { Bounds { low: 100 - self.high, high: 100 - self.low } }
    }
}

/// Bounds, and within how many plies the game ends by them if whoever they favour plays as was found: never less than it
/// takes, and more where the table knew a longer way. What is worth anything takes none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    bounds: Bounds,
    plies: u16,
}

/// Why a search came back without bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Break {
    /// The clock ended.
    Time,
    /// The game is not of the kind.
    Unfit,
    /// A question ran into a limit.
    Fault(Fault),
}

impl From<Fault> for Break {
    fn from(fault: Fault) -> Break {
        Break::Fault(fault)
    }
}

/// A search that keeps its table from move to move.
#[derive(Debug)]
pub struct AlphaBeta {
    table: Table,
    fits: bool,
    /// How often each move of each role has cut a search off: the order in which moves are tried.
    history: [Vec<u32>; 2],
    levels: Vec<Level>,
    states: u64,
}

/// The buffers of one depth.
#[derive(Debug, Default)]
struct Level {
    legal: [Vec<MoveId>; 2],
    order: Vec<MoveId>,
    state: Vec<u64>,
}

/// A move at the root.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    action: MoveId,
    bounds: Bounds,
    /// Within so many plies the game ends by the bounds.
    plies: u16,
}

impl AlphaBeta {
    /// A search with a table of at most `memory` bytes. `None` if the game has not two roles.
    pub fn new(worker: &dyn Worker, memory: usize) -> Option<AlphaBeta> {
        let vocabulary = worker.vocabulary();
        if vocabulary.role_count() != 2 {
            return None;
        }
        Some(AlphaBeta {
            table: Table::new(vocabulary.words(), memory),
            fits: true,
            history: [0, 1].map(|role| vec![0; vocabulary.move_count(RoleId(role))]),
            levels: Vec::new(),
            states: 0,
        })
    }

    /// False once the game has turned out not to be one of two who take turns for a constant sum.
    pub fn applies(&self) -> bool {
        self.fits
    }

    /// States visited so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Deepens until the best move of `role` at `state` is certain, or the clock ends. `None` if nothing can
    /// be said: it is not the role's turn, or the game is not of the kind. A question that runs into a limit
    /// ends the search with that fault; what is in the table stays true.
    pub fn search(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        role: RoleId,
        clock: &mut Clock,
    ) -> Result<Option<Estimate>, Fault> {
        if !self.fits || worker.is_terminal(state)? {
            return Ok(None);
        }
        let mut legal = [Vec::new(), Vec::new()];
        for (role, list) in (0..).zip(&mut legal) {
            worker.legal(state, RoleId(role), list)?;
        }
        let other = 1 - role.index();
        if legal[role.index()].is_empty() || legal[other].len() != 1 {
            return Ok(None);
        }
        let idle = legal[other][0];
        let mut moves: Vec<RootMove> =
            legal[role.index()].iter().map(|&action| RootMove { action, bounds: RANGE, plies: 0 }).collect();
        let mut next = vec![0; state.len()];
        let mut solved = false;
        'deepening: for depth in 1..DEEPEST {
            for at in 0..moves.len() {
                if moves[at].bounds.is_exact() {
                    continue;
                }
                let joint =
                    if role.index() == 0 { [moves[at].action, idle] } else { [idle, moves[at].action] };
                worker.next(state, &joint, &mut next)?;
                // What is no better than the best so far need not be known more exactly.
                let floor = moves.iter().map(|m| m.bounds.for_role(role.index()).low).max().unwrap_or(0);
                let window = Bounds { low: floor, high: 100 }.for_role(role.index());
                match self.bounds(worker, &next, depth - 1, window, clock) {
                    Ok(Found { bounds, plies }) => {
                        moves[at] = RootMove { bounds, plies: plies + 1, ..moves[at] };
                    }
                    Err(Break::Fault(fault)) => return Err(fault),
                    Err(Break::Time | Break::Unfit) => break 'deepening,
                }
                solved = is_decided(&moves, role.index());
                if solved {
                    break 'deepening;
                }
            }
        }
        Ok(self.fits.then(|| self.estimate(&moves, role.index(), solved)))
    }

    fn estimate(&self, moves: &[RootMove], role: usize, solved: bool) -> Estimate {
        let candidates = moves.iter().map(|m| {
            let bounds = m.bounds.for_role(role);
            let verdict = Verdict { value: i32::from(bounds.low), plies: u32::from(m.plies) };
            let (low, high) = (f64::from(bounds.low), f64::from(bounds.high));
            Candidate {
                action: m.action,
                visits: 0,
                value: (low + high) / 2.0,
                verdict: bounds.is_exact().then_some(verdict),
            }
        });
        Estimate { candidates: candidates.collect(), solved, ..Estimate::default() }
    }

    /// Bounds on the value of a state, as tight as `depth` plies and the window allow.
    fn bounds(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        depth: u16,
        window: Bounds,
        clock: &mut Clock,
    ) -> Result<Found, Break> {
        if clock.tick() {
            return Err(Break::Time);
        }
        self.states += 1;
        let known = self.table.get(state);
        if let Some(entry) = known
            && (entry.depth >= depth && entry.window.contains(window)
                || entry.found.bounds.is_exact()
                || entry.found.bounds.low >= window.high
                || entry.found.bounds.high <= window.low)
        {
            return Ok(entry.found);
        }
        if worker.is_terminal(state)? {
            return self.ended(worker, state);
        }
        if depth == 0 {
            return Ok(Found { bounds: RANGE, plies: 0 });
        }
        let mut level = self.levels.pop().unwrap_or_default();
        let result = self.inside(worker, state, depth, window, clock, known, &mut level);
        self.levels.push(level);
        result
    }

    /// As `bounds`, for a state in which the game goes on.
    #[allow(clippy::too_many_arguments)]
    fn inside(
        &mut self,
        worker: &mut dyn Worker,
        state: &[u64],
        depth: u16,
        window: Bounds,
        clock: &mut Clock,
        known: Option<Entry>,
        level: &mut Level,
    ) -> Result<Found, Break> {
        for (role, list) in (0..).zip(&mut level.legal) {
            worker.legal(state, RoleId(role), list)?;
        }
        let mover = match level.legal.each_ref().map(Vec::len) {
            [0, _] | [_, 0] => return self.ended(worker, state),
            [_, 1] => 0,
            [1, _] => 1,
            _ => {
                self.fits = false;
                return Err(Break::Unfit);
            }
        };
        let idle = level.legal[1 - mover][0];
        level.order.clear();
        level.order.extend_from_slice(&level.legal[mover]);
        let first = known.and_then(|entry| entry.best);
        let history = &self.history[mover];
        level.order.sort_by_key(|m| (Some(*m) != first, std::cmp::Reverse(history[m.index()])));
        level.state.resize(state.len(), 0);
        // Seen by the mover, who wants much.
        let asked = window;
        let window = window.for_role(mover);
        let mut best: Option<(MoveId, i8)> = None;
        let (mut low, mut high) = (0, 0);
        // How long the best lower bound takes, and the longest way under the upper bounds.
        let (mut soonest, mut latest) = (0, 0);
        for (tried, at) in (1..).zip(0..level.order.len()) {
            let action = level.order[at];
            let joint = if mover == 0 { [action, idle] } else { [idle, action] };
            worker.next(state, &joint, &mut level.state)?;
            let inner = Bounds { low: low.max(window.low), high: window.high }.for_role(mover);
            let next = std::mem::take(&mut level.state);
            let found = self.bounds(worker, &next, depth - 1, inner, clock);
            level.state = next;
            let Found { bounds, plies } = found?;
            let found = bounds.for_role(mover);
            if best.is_none_or(|(_, value)| found.low > value) {
                best = Some((action, found.low));
                soonest = plies + 1;
            } else if found.low == low {
                soonest = soonest.min(plies + 1);
            }
            latest = latest.max(plies + 1);
            low = low.max(found.low);
            high = high.max(found.high);
            if low >= window.high || low == 100 {
                let gain = &mut self.history[mover][action.index()];
                *gain = gain.saturating_add(u32::from(depth) * u32::from(depth));
                // What was not tried may be anything.
                if tried < level.order.len() {
                    high = 100;
                }
                break;
            }
        }
        // What is worth anything needs no play to be so.
        let mut plies = match (low > 0, high < 100) {
            (false, false) => 0,
            (true, false) => soonest,
            (_, true) => latest,
        };
        let mut bounds = Bounds { low, high }.for_role(mover);
        if let Some(entry) = known {
            let before = bounds;
            bounds.low = bounds.low.max(entry.found.bounds.low);
            bounds.high = bounds.high.min(entry.found.bounds.high);
            // What was known before is part of what is known now.
            if bounds != before {
                plies = plies.max(entry.found.plies);
            }
        }
        let found = Found { bounds, plies: plies.min(MOST_PLIES) };
        self.table.put(state, Entry { found, depth, window: asked, best: best.map(|(action, _)| action) });
        Ok(found)
    }

    /// A state in which play ends.
    fn ended(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<Found, Break> {
        let found = Found { bounds: self.goals(worker, state)?, plies: 0 };
        self.table.put(state, Entry { found, depth: DEEPEST, window: RANGE, best: None });
        Ok(found)
    }

    /// The value of a state in which play ends.
    fn goals(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<Bounds, Break> {
        match [worker.goal(state, RoleId(0))?, worker.goal(state, RoleId(1))?] {
            [Some(mine @ 0..=100), Some(theirs)] if mine + theirs == 100 => {
                Ok(Bounds { low: mine as i8, high: mine as i8 })
            }
            _ => {
                self.fits = false;
                Err(Break::Unfit)
            }
        }
    }
}

/// True if the value of one move is known, and no other can be better.
fn is_decided(moves: &[RootMove], role: usize) -> bool {
    let bounds = |m: &RootMove| m.bounds.for_role(role);
    moves.iter().enumerate().any(|(at, m)| {
        let low = bounds(m).low;
        bounds(m).is_exact()
            && moves.iter().enumerate().all(|(other, n)| other == at || bounds(n).high <= low)
    })
}

/// What is remembered of a state.
#[derive(Clone, Copy, Debug)]
struct Entry {
    found: Found,
    /// How deep it was searched, and what was asked: what lies outside the window was not looked into.
    depth: u16,
    window: Bounds,
    best: Option<MoveId>,
}

impl Entry {
    /// The entry as a word that is not zero: nine bits for depth and plies, seven for each bound, the rest for the move.
    fn packed(self) -> u64 {
        // A move beyond sixteen bits is forgotten: it only orders moves.
        let best = self.best.map_or(0, |best| u16::try_from(best.0 + 1).unwrap_or(0));
        let Found { bounds, plies } = self.found;
        let bounds = [bounds.low, bounds.high, self.window.low, self.window.high];
        let bounds = bounds.iter().fold(0, |word, &bound| word << 7 | u64::from(bound as u8 & 0x7F));
        u64::from(self.depth + 1) | u64::from(plies) << 9 | bounds << 18 | u64::from(best) << 46
    }

    fn unpacked(word: u64) -> Option<Entry> {
        let depth = ((word & 0x1FF) as u16).checked_sub(1)?;
        let bound = |at: u32| (word >> (18 + 7 * at) & 0x7F) as i8;
        let best = ((word >> 46) as u16).checked_sub(1).map(|best| MoveId(u32::from(best)));
        let found =
            Found { bounds: Bounds { low: bound(3), high: bound(2) }, plies: (word >> 9 & 0x1FF) as u16 };
        Some(Entry { found, depth, window: Bounds { low: bound(1), high: bound(0) }, best })
    }
}

/// A fixed number of places; a state has two of them to choose from. All is zero at first, which costs
/// nothing until it is written to.
#[derive(Debug)]
struct Table {
    words: usize,
    entries: Vec<u64>,
    rows: Vec<u64>,
    hasher: DefaultHashBuilder,
}

impl Table {
    fn new(words: usize, memory: usize) -> Table {
        let each = (words + 1) * size_of::<u64>();
        // An even number, at least one pair.
        let pairs = (memory / each / 2).max(1);
        let (entries, rows) = (vec![0; 2 * pairs], vec![0; 2 * pairs * words]);
        Table { words, entries, rows, hasher: DefaultHashBuilder::default() }
    }

    fn pair(&self, state: &[u64]) -> usize {
        let hash = u128::from(self.hasher.hash_one(state));
        2 * ((hash * (self.entries.len() as u128 / 2)) >> 64) as usize
    }

    fn row(&self, at: usize) -> &[u64] {
        &self.rows[at * self.words..][..self.words]
    }

    fn get(&self, state: &[u64]) -> Option<Entry> {
        let pair = self.pair(state);
        (pair..pair + 2).find_map(|at| Entry::unpacked(self.entries[at]).filter(|_| self.row(at) == state))
    }

    /// Takes the state's own place, an empty one, or that of the shallower entry.
    fn put(&mut self, state: &[u64], entry: Entry) {
        let pair = self.pair(state);
        let own = (pair..pair + 2).find(|&at| self.entries[at] != 0 && self.row(at) == state);
        let depth = |at: usize| Entry::unpacked(self.entries[at]).map(|entry| entry.depth);
        let at = own.unwrap_or(if depth(pair) <= depth(pair + 1) { pair } else { pair + 1 });
        self.entries[at] = entry.packed();
        self.rows[at * self.words..][..self.words].copy_from_slice(state);
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, DEEPEST, Entry, Found, RANGE};
    use ludex_engine::vocabulary::MoveId;

    #[test]
    fn entries_fit_a_word_that_is_not_zero() {
        for (low, high, depth, best) in
            [(0, 0, 0, None), (0, 100, 7, Some(65_533)), (50, 50, DEEPEST, Some(0))]
        {
            let best = best.map(MoveId);
            let found = Found { bounds: Bounds { low, high }, plies: depth + 11 };
            let entry = Entry { found, depth, window: RANGE, best };
            let read = Entry::unpacked(entry.packed()).expect("not empty");
            assert_eq!((read.found, read.depth, read.window), (found, depth, RANGE));
            assert_eq!(read.best, best);
        }
        assert!(Entry::unpacked(0).is_none());
    }
}
