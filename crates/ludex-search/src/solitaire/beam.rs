//! Beam search: of the states of each depth the best so many, by the goal heuristic.
//!
//! A run ends where nothing is left or lines get too long; the next one is twice as wide, as far as the memory goes, and
//! later ones differ by chance. A state that a run has met is not met again in it. Without a heuristic the states that go
//! on are drawn by lot.

use super::{Desk, Guide, LONGEST, Member, fingerprint};
use crate::clock::Clock;
use hashbrown::HashSet;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

const FIRST_WIDTH: usize = 32;
/// Bytes for each state of a run beside its row: its hash, and where it comes from.
const STATE_BYTES: usize = 32;

#[derive(Debug)]
pub(super) struct Beam {
    start: Vec<u64>,
    words: usize,
    memory: usize,
    random: Random,
    width: usize,
    /// How much chance counts, against a heuristic from 0 to 1.
    noise: f64,
    /// Hashes of the states of this run.
    met: HashSet<u64>,
    /// For each state of this run that went on where it comes from, and the move.
    origins: Vec<(u32, MoveId)>,
    /// The states of this depth, their place in `origins`, and which is looked at next.
    rows: Vec<u64>,
    places: Vec<u32>,
    at: usize,
    depth: usize,
    /// The states of the next depth: how good they look, where they come from, and their rows.
    found: Vec<Found>,
    found_rows: Vec<u64>,
    next: Vec<u64>,
    legal: Vec<MoveId>,
    guide: Guide,
}

#[derive(Clone, Copy, Debug)]
struct Found {
    worth: f64,
    from: u32,
    by: MoveId,
    row: u32,
}

impl Beam {
    pub(super) fn new(start: &[u64], memory: usize, seed: u64) -> Beam {
        Beam {
            start: start.to_vec(),
            words: start.len(),
            memory,
            random: Random::new(seed ^ 0xBE),
            width: FIRST_WIDTH / 2,
            noise: 0.0,
            met: HashSet::new(),
            origins: Vec::new(),
            rows: Vec::new(),
            places: Vec::new(),
            at: 0,
            depth: 0,
            found: Vec::new(),
            found_rows: Vec::new(),
            next: vec![0; start.len()],
            legal: Vec::new(),
            guide: Guide::default(),
        }
    }

    fn begin(&mut self) {
        // As wide as a hundred depths fit the memory.
        let widest = self.memory / (8 * self.words + STATE_BYTES) / 100;
        if 2 * self.width <= widest.max(FIRST_WIDTH) {
            self.width *= 2;
        } else {
            self.noise = if self.noise > 0.2 { 0.01 } else { self.noise * 2.0 + 0.01 };
        }
        self.met.clear();
        self.origins.clear();
        self.origins.push((0, MoveId(0)));
        self.rows.clone_from(&self.start);
        self.places = vec![0];
        (self.at, self.depth) = (0, 0);
        self.found.clear();
        self.found_rows.clear();
    }

    fn is_full(&self) -> bool {
        let rows = self.rows.len() + self.found_rows.len();
        8 * rows + STATE_BYTES * (self.met.len() + self.origins.len() + self.found.len()) > self.memory
    }

    /// The moves to a state of this depth.
    fn line(&self, place: u32, last: MoveId) -> Vec<MoveId> {
        let mut moves = vec![last];
        let mut at = place;
        while at > 0 {
            let (before, action) = self.origins[at as usize];
            moves.push(action);
            at = before;
        }
        moves.reverse();
        moves
    }

    /// Looks at the next state of this depth.
    fn look(&mut self, desk: &mut Desk<'_>) -> Result<(), Fault> {
        let place = self.places[self.at];
        let from = self.at * self.words..(self.at + 1) * self.words;
        self.at += 1;
        desk.worker.legal(&self.rows[from.clone()], RoleId(0), &mut self.legal)?;
        for at in 0..self.legal.len() {
            let by = self.legal[at];
            desk.next(&self.rows[from.clone()], by, &mut self.next)?;
            if !self.met.insert(fingerprint(&self.next, 0)) {
                continue;
            }
            if let Some(value) = desk.ending(&self.next)? {
                let line = || self.line(place, by);
                desk.record.offer(value, line);
                continue;
            }
            let noise = (self.noise + 1e-9) * self.random.below(1 << 20) as f64 / f64::from(1 << 20);
            let worth = self.guide.of(desk.goal_heuristic, &self.next) + noise;
            self.found.push(Found {
                worth,
                from: place,
                by,
                row: (self.found_rows.len() / self.words) as u32,
            });
            self.found_rows.extend_from_slice(&self.next);
        }
        Ok(())
    }

    /// Goes to the next depth with the best of what was found.
    fn go_down(&mut self) {
        if self.found.len() > self.width {
            self.found.select_nth_unstable_by(self.width, |a, b| b.worth.total_cmp(&a.worth));
            self.found.truncate(self.width);
        }
        self.rows.clear();
        self.places.clear();
        for found in &self.found {
            self.places.push(self.origins.len() as u32);
            self.origins.push((found.from, found.by));
            let row = found.row as usize * self.words;
            self.rows.extend_from_slice(&self.found_rows[row..row + self.words]);
        }
        self.found.clear();
        self.found_rows.clear();
        self.at = 0;
        self.depth += 1;
    }
}

impl Member for Beam {
    fn turn(&mut self, desk: &mut Desk<'_>, clock: &mut Clock) -> Result<bool, Fault> {
        while !desk.record.is_ceiling() {
            if clock.tick() {
                return Ok(false);
            }
            if self.at == self.places.len() {
                if self.found.is_empty() || self.depth >= LONGEST {
                    if desk.ending(&self.start)?.is_some() {
                        return Ok(true);
                    }
                    self.begin();
                } else {
                    self.go_down();
                }
            }
            self.look(desk)?;
            if self.is_full() {
                self.at = self.places.len();
                self.found.clear();
            }
        }
        Ok(false)
    }
}
