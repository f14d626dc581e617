//! Incremental evaluation: one network in one state, kept up to date change by change.

use super::counters::{BlockCode, Counters, Edge, Output, Place};
use super::indexed_set::IndexedSet;
use crate::row::Row;
use crate::vocabulary::MoveId;

/// The values of a compiled network, and the answers that are read off it. It does not hold the network: every call
/// takes the counters that the tracker was made with.
#[derive(Debug)]
pub(super) struct Tracker {
    now: Situation,
    /// The situation in the home state, to which playouts return: restoring it costs a copy, while going back
    /// change by change costs as much as the whole playout did.
    home: Situation,
    /// The moves that are switched on; empty if none are.
    joint: Vec<MoveId>,
    /// Places that have changed and whose readers do not know yet: the place twice, plus its value.
    events: Vec<u32>,
    /// Local values of the block at hand.
    values: Vec<u8>,
    /// A measure of cost that does not depend on the machine: instructions, roughly, since the beginning.
    work: u64,
}

/// So many changed fluents are followed without a look at the home state: two moves change fewer.
const CLOSE: u32 = 12;

/// The work of a change, and for each reader that is told.
const EVENT: u64 = 15;
const EDGE: u64 = 12;

/// Everything that depends on the state.
#[derive(Debug)]
struct Situation {
    /// For each place the number of its false inputs.
    counts: Vec<i32>,
    /// The fluents that hold, of those that something reads.
    row: Vec<u64>,
    /// For each role its legal moves.
    legal: Vec<IndexedSet>,
    /// The fluents that change with the moves that are on.
    changes: IndexedSet,
    terminal: bool,
    dirty: Vec<bool>,
}

impl Clone for Situation {
    fn clone(&self) -> Situation {
        Situation {
            counts: self.counts.clone(),
            row: self.row.clone(),
            legal: self.legal.clone(),
            changes: self.changes.clone(),
            terminal: self.terminal,
            dirty: self.dirty.clone(),
        }
    }

    /// Copies without allocating.
    fn clone_from(&mut self, other: &Situation) {
        self.counts.clone_from(&other.counts);
        self.row.clone_from(&other.row);
        for (set, from) in self.legal.iter_mut().zip(&other.legal) {
            set.copy_from(from);
        }
        self.changes.copy_from(&other.changes);
        self.terminal = other.terminal;
        self.dirty.clone_from(&other.dirty);
    }
}

impl Tracker {
    /// The network in the empty state, with `home` as the state that can be restored at once.
    pub(super) fn new(counters: &Counters, home: &Row) -> Tracker {
        let empty = Situation {
            counts: counters.counts.clone(),
            row: vec![0; home.len()],
            legal: counters.move_counts.iter().map(|&count| IndexedSet::new(count)).collect(),
            changes: IndexedSet::new(counters.fluents),
            terminal: false,
            dirty: vec![true; counters.blocks.len()],
        };
        let mut tracker = Tracker {
            home: empty.clone(),
            now: empty,
            joint: Vec::with_capacity(counters.moves.len()),
            events: Vec::with_capacity(256),
            values: Vec::new(),
            work: 0,
        };
        for position in 0..counters.outputs.len() {
            if tracker.holds(counters.outputs_from + position as Place) {
                tracker.output(counters, position, true);
            }
        }
        tracker.settle(counters);
        tracker.load(counters, home);
        tracker.home = tracker.now.clone();
        tracker
    }

    /// Whether the game is over.
    pub(super) fn is_terminal(&self) -> bool {
        self.now.terminal
    }

    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// For each role its legal moves.
    pub(super) fn legal(&self) -> &[IndexedSet] {
        &self.now.legal
    }

    /// Brings the network to `state`, without moves.
    #[inline]
    pub(super) fn load(&mut self, counters: &Counters, state: &Row) {
        let mut changes = 0;
        for ((now, word), read) in self.now.row.iter().zip(state).zip(&counters.read) {
            let differ = now ^ word & read;
            if differ != 0 {
                changes += differ.count_ones();
            }
        }
        if changes == 0 && self.joint.is_empty() {
            return;
        }
        if changes > CLOSE {
            self.start_nearer(counters, state, changes);
        }
        // Moves go off together with the change of state, so that nothing is computed for moves of the past.
        self.switch_off(counters);
        for (at, (word, read)) in state.iter().zip(&counters.read).enumerate() {
            let word = word & read;
            let mut differ = std::mem::replace(&mut self.now.row[at], word) ^ word;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                self.flip_input((at * 64) as u32 + bit, word >> bit & 1 == 1);
                differ &= differ - 1;
            }
        }
        self.settle(counters);
    }

    /// Goes home if the way from there is much shorter.
    fn start_nearer(&mut self, counters: &Counters, state: &Row, changes: u32) {
        let words = self.home.row.iter().zip(state).zip(&counters.read);
        let from_home: u32 = words.map(|((home, word), read)| (home ^ word & read).count_ones()).sum();
        if from_home * 4 < changes {
            self.now.clone_from(&self.home);
            self.joint.clear();
        }
    }

    /// Writes the state that follows from the present one, which `row` holds, when the moves are made.
    /// The moves stay switched on until the next `load`.
    pub(super) fn next(&mut self, counters: &Counters, joint: &[MoveId], row: &mut Row) {
        for (role, &action) in joint.iter().enumerate() {
            self.flip_input(counters.moves[role] + action.0, true);
            self.joint.push(action);
        }
        self.settle(counters);
        for &fluent in self.now.changes.members() {
            row[fluent as usize / 64] ^= 1 << (fluent % 64);
        }
    }

    fn switch_off(&mut self, counters: &Counters) {
        for role in 0..self.joint.len() {
            self.flip_input(counters.moves[role] + self.joint[role].0, false);
        }
        self.joint.clear();
    }

    fn holds(&self, place: Place) -> bool {
        self.now.counts[place as usize] <= 0
    }

    /// Sets an input that has the other value now.
    #[inline]
    fn flip_input(&mut self, place: Place, value: bool) {
        self.now.counts[place as usize] = i32::from(!value);
        self.events.push(place << 1 | u32::from(value));
    }

    /// Carries all changes through the network.
    fn settle(&mut self, counters: &Counters) {
        loop {
            self.propagate(counters);
            // Blocks in order: a later one may read an earlier one.
            let Some(block) = self.now.dirty.iter().position(|dirty| *dirty) else { return };
            self.now.dirty[block] = false;
            self.compute_block(&counters.blocks[block]);
        }
    }

    fn propagate(&mut self, counters: &Counters) {
        while let Some(event) = self.events.pop() {
            let (from, to) = counters.readers[(event >> 1) as usize];
            self.work += EVENT + EDGE * u64::from(to - from);
            for &Edge(edge) in &counters.edges[from as usize..to as usize] {
                let reader = edge >> 1;
                // One if the reader's input becomes true.
                let rises = (edge ^ event) & 1;
                let count = &mut self.now.counts[reader as usize];
                *count += 1 - 2 * rises as i32;
                if *count == 1 - rises as i32 {
                    if reader < counters.outputs_from {
                        self.events.push(reader << 1 | rises);
                    } else {
                        self.output(counters, (reader - counters.outputs_from) as usize, rises == 1);
                    }
                }
            }
        }
    }

    #[inline]
    fn output(&mut self, counters: &Counters, position: usize, value: bool) {
        match counters.outputs[position] {
            Output::Legal { role, action } => self.now.legal[role as usize].toggle(action),
            Output::Change { fluent } => self.now.changes.toggle(fluent),
            Output::Terminal => self.now.terminal = value,
            Output::Block { block } => self.now.dirty[block as usize] = true,
        }
    }

    /// Computes a block from its inputs, and tells the changes.
    fn compute_block(&mut self, block: &BlockCode) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.push(0);
        values.extend(block.inputs.iter().map(|&place| u8::from(self.holds(place))));
        let variables = values.len();
        values.resize(block.code.first + block.code.gates.len(), 0);
        block.code.compute(&mut values);
        for (&place, &value) in block.variables.iter().zip(&values[variables..]) {
            if self.holds(place) != (value == 1) {
                self.flip_input(place, value == 1);
            }
        }
        self.values = values;
    }
}
