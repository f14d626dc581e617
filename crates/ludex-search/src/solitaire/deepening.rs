//! Depth first within a bound on the length, again and again with other bounds and another order of moves.
//!
//! A bound that is small finds short lines and keeps the search out of circles; one that is large goes where long lines are.
//! Which is right nobody knows before, so all have a try of the same number of states, and when each had one they get
//! longer. A bound is tried in three orders: by the goal heuristic, by chance, and by need. *By need* a state has only the
//! moves that bring about one thing which the best goal demands and which is not there yet: the one that fewest moves bring
//! about, and where none does, the state is left. Where moves can be made in any order, as in sudoku, that loses nothing and
//! finds out early what cannot be; there the bound does not matter, so these tries have none. A table remembers the states that a try has
//! been in, with how far it could still go from there: coming back with no more than that is in vain. It has a fixed size
//! and knows states by their hash, so a state can be passed over wrongly, once in many: this search proves nothing.

use super::{Desk, Guide, LONGEST, Member, fingerprint};
use crate::clock::Clock;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};

/// The bounds grow by half.
const LEAST_BOUND: usize = 12;
/// States of the first try of each bound.
const FIRST_TRY: u64 = 2000;
const MOST_ENTRIES: usize = 1 << 23;

#[derive(Debug)]
pub(super) struct Deepening {
    start: Vec<u64>,
    words: usize,
    random: Random,
    bounds: Vec<usize>,
    needs: Vec<u32>,
    rows_after: Vec<u64>,
    /// Which try this is, what it may still look at, and whether something was out of its bound.
    tries: usize,
    left: u64,
    is_cut: bool,
    /// A hash whose last bits are how far the search could go, plus one; zero for nothing.
    table: Vec<u64>,
    entries: usize,
    /// The states of the line that is being gone, and for each the moves that are left and where they begin in `moves`.
    rows: Vec<u64>,
    frames: Vec<Frame>,
    moves: Vec<MoveId>,
    legal: Vec<MoveId>,
    order: Vec<(f64, MoveId)>,
    state: Vec<u64>,
    guide: Guide,
}

/// In which order moves are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Heuristic,
    Chance,
    Need,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The moves of the state that are not gone yet begin here and end with `moves`.
    begin: usize,
    /// The move that led here.
    by: MoveId,
}

const DISTANCE_BITS: u32 = 11;

impl Deepening {
    pub(super) fn new(start: &[u64], memory: usize, seed: u64) -> Deepening {
        let mut bounds = vec![LEAST_BOUND];
        while let Some(&last) = bounds.last()
            && last < LONGEST
        {
            bounds.push((last + last / 2).min(LONGEST));
        }
        let entries = (memory / 8).clamp(1, MOST_ENTRIES);
        Deepening {
            start: start.to_vec(),
            words: start.len(),
            random: Random::new(seed ^ 0xD0),
            bounds,
            needs: Vec::new(),
            rows_after: Vec::new(),
            tries: 0,
            left: 0,
            is_cut: true,
            table: Vec::new(),
            entries,
            rows: Vec::new(),
            frames: Vec::new(),
            moves: Vec::new(),
            legal: Vec::new(),
            order: Vec::new(),
            state: vec![0; start.len()],
            guide: Guide::default(),
        }
    }

    /// The order of the present try: each bound has one try in each.
    fn order(&self, desk: &Desk<'_>) -> Order {
        match self.tries % 3 {
            0 if desk.goal_heuristic.is_some() => Order::Heuristic,
            2 if !desk.demands.is_empty() => Order::Need,
            _ => Order::Chance,
        }
    }

    fn bound(&self, desk: &Desk<'_>) -> usize {
        if self.order(desk) == Order::Need {
            return LONGEST;
        }
        self.bounds[(self.tries / 3) % self.bounds.len()]
    }

    /// Begins the next try.
    fn begin(&mut self, desk: &mut Desk<'_>) -> Result<(), Fault> {
        if self.table.is_empty() {
            self.table = vec![0; self.entries];
        }
        self.tries += 1;
        let rounds = (self.tries / 3 / self.bounds.len()) as u32;
        self.left = FIRST_TRY << rounds.min(40);
        self.is_cut = false;
        self.rows.clear();
        self.frames.clear();
        self.moves.clear();
        let start = std::mem::take(&mut self.start);
        let entered = self.enter(desk, &start, MoveId(0));
        self.start = start;
        entered
    }

    /// Goes to a state, if it is worth it.
    fn enter(&mut self, desk: &mut Desk<'_>, state: &[u64], by: MoveId) -> Result<(), Fault> {
        if let Some(value) = desk.ending(state)? {
            let frames = &self.frames;
            desk.record.offer(value, || frames.iter().skip(1).map(|frame| frame.by).chain([by]).collect());
            return Ok(());
        }
        let left = self.bound(desk).saturating_sub(self.frames.len());
        if left == 0 {
            self.is_cut = true;
            return Ok(());
        }
        if self.is_in_vain(state, left) {
            return Ok(());
        }
        desk.worker.legal(state, RoleId(0), &mut self.legal)?;
        let begin = self.moves.len();
        self.arrange(desk, state)?;
        self.frames.push(Frame { begin, by });
        self.rows.extend_from_slice(state);
        Ok(())
    }

    /// Puts the moves behind those of the states before, the one to be gone first last.
    fn arrange(&mut self, desk: &mut Desk<'_>, state: &[u64]) -> Result<(), Fault> {
        let order = self.order(desk);
        let looks_ahead = order != Order::Chance && self.legal.len() > 1;
        self.order.clear();
        self.rows_after.clear();
        for at in 0..self.legal.len() {
            let action = self.legal[at];
            let mut worth = self.random.below(1 << 20) as f64 * 1e-9;
            if looks_ahead {
                desk.next(state, action, &mut self.state)?;
                match order {
                    Order::Heuristic => worth += self.guide.of(desk.goal_heuristic, &self.state),
                    Order::Need | Order::Chance => self.rows_after.extend_from_slice(&self.state),
                }
            }
            self.order.push((worth, action));
        }
        if looks_ahead && order == Order::Need {
            self.keep_what_is_needed(desk, state);
        }
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.moves.extend(self.order.iter().map(|(_, action)| *action));
        Ok(())
    }

    /// Of the moves keeps those that bring about what fewest bring about.
    fn keep_what_is_needed(&mut self, desk: &Desk<'_>, state: &[u64]) {
        let missing = |row: &[u64], (fluent, wanted): (FluentId, bool)| row::holds(row, fluent) != wanted;
        let open = || desk.demands.iter().copied().filter(|&demand| missing(state, demand));
        self.needs.clear();
        self.needs.extend(open().map(|demand| {
            let rows = self.rows_after.chunks_exact(self.words);
            rows.filter(|row| !missing(row, demand)).count() as u32
        }));
        let fewest = self.needs.iter().copied().min();
        // Of several the first: what comes next to each other in the rules hangs together.
        let chosen = open().zip(&self.needs).find(|(_, count)| Some(**count) == fewest);
        let Some((demand, _)) = chosen else { return };
        let rows = self.rows_after.chunks_exact(self.words);
        let kept: Vec<bool> = rows.map(|row| !missing(row, demand)).collect();
        let mut at = 0;
        self.order.retain(|_| {
            at += 1;
            kept[at - 1]
        });
    }

    /// True if this try was here before and could go as far. Notes that it is here.
    fn is_in_vain(&mut self, state: &[u64], left: usize) -> bool {
        let hash = fingerprint(state, self.tries as u64);
        let slot = ((u128::from(hash) * self.table.len() as u128) >> 64) as usize;
        let mask = (1 << DISTANCE_BITS) - 1;
        let held = self.table[slot];
        if held & !mask == hash & !mask && held & mask >= left as u64 {
            return true;
        }
        self.table[slot] = hash & !mask | left as u64;
        false
    }
}

impl Member for Deepening {
    fn turn(&mut self, desk: &mut Desk<'_>, clock: &mut Clock) -> Result<bool, Fault> {
        while !desk.record.is_ceiling() {
            if clock.tick() {
                return Ok(false);
            }
            if self.frames.is_empty() || self.left == 0 {
                // A try that saw all that its bound lets it see, and was never stopped by it, has seen all there is.
                if self.tries > 0 && self.left > 0 && !self.is_cut && self.order(desk) != Order::Need {
                    return Ok(true);
                }
                self.begin(desk)?;
                if self.frames.is_empty() {
                    return Ok(true);
                }
            }
            self.left -= 1;
            let depth = self.frames.len();
            let frame = self.frames[depth - 1];
            if self.moves.len() == frame.begin {
                self.frames.pop();
                self.rows.truncate((depth - 1) * self.words);
                continue;
            }
            let Some(action) = self.moves.pop() else { continue };
            let mut next = std::mem::take(&mut self.state);
            let entered =
                desk.next(&self.rows[(depth - 1) * self.words..], action, &mut next).and_then(|()| {
                    let state = next.clone();
                    self.state.resize(self.words, 0);
                    self.enter(desk, &state, action)
                });
            self.state = next;
            entered?;
        }
        Ok(false)
    }
}
