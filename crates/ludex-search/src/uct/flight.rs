//! Leaves in lanes: the search goes down again and again, each leaf waits with the way that led to it, and one batch of
//! random games from all of them values hundreds, or on a GPU thousands.
//!
//! What is under way counts as visited and not yet as valued, so that the next way down goes elsewhere. Lanes of a batch
//! are in one phase of the game (players who take turns), so leaves wait by phase.

use super::memory::{NodeId, Step};
use super::{ROOT, Scratch, Tree, outcome};
use ludex_engine::propnet::lanes::{Ended, Valuer};

/// Leaves that are valued together, when little has been valued yet: the first must say where to look for the next.
const FEWEST: usize = 32;

/// Leaves that wait, by phase.
#[derive(Debug, Default)]
pub(super) struct Flights {
    waiting: Vec<Waiting>,
    ended: Ended,
}

/// Leaves of one phase and the ways to them, one after the other.
#[derive(Debug, Default)]
struct Waiting {
    rows: Vec<u64>,
    path: Vec<Step>,
    chosen: Vec<u32>,
    ways: Vec<Way>,
}

/// Where a way ends in the lists, and its leaf, if the tree has a node for it.
#[derive(Clone, Copy, Debug)]
struct Way {
    path: u32,
    chosen: u32,
    leaf: Option<NodeId>,
}

impl Tree {
    /// Lets the leaf in `scratch.next` wait for its batch, and values the batch if it is full.
    pub(super) fn wait(&mut self, lanes: &mut dyn Valuer, scratch: &mut Scratch) {
        let period = lanes.lanes().period();
        let phase = lanes.lanes().phase_of(&scratch.next);
        let at = phase.unwrap_or(period);
        self.flights.waiting.resize_with(period + 1, Waiting::default);
        let waiting = &mut self.flights.waiting[at];
        waiting.rows.extend_from_slice(&scratch.next);
        waiting.path.extend_from_slice(&scratch.path);
        waiting.chosen.extend_from_slice(&scratch.chosen);
        let (path, chosen) = (waiting.path.len() as u32, waiting.chosen.len() as u32);
        waiting.ways.push(Way { path, chosen, leaf: scratch.leaf });
        let full = (self.nodes[ROOT.index()].valued as usize / 4).max(FEWEST).min(lanes.capacity());
        if waiting.ways.len() >= full {
            self.value(lanes, at, phase, &mut scratch.outcome);
        }
    }

    /// Plays from each waiting leaf of a phase and tells the ways to them what that came to on average.
    fn value(&mut self, lanes: &mut dyn Valuer, at: usize, phase: Option<usize>, outcomes: &mut Vec<f64>) {
        let mut waiting = std::mem::take(&mut self.flights.waiting[at]);
        let mut ended = std::mem::take(&mut self.flights.ended);
        if self.settings.ends > 0.0 && ended.states.is_none() {
            ended.states = Some(Vec::new());
        }
        lanes.value(phase, &waiting.rows, self.settings.plies as u64, &mut ended);
        let games = lanes.games_a_state();
        self.playouts += (games * waiting.ways.len()) as u64;
        let (mut path, mut chosen) = (0, 0);
        for ((number, way), goals) in
            waiting.ways.iter().enumerate().zip(ended.goals.chunks_exact(games * self.roles))
        {
            outcomes.clear();
            outcomes.extend((0..self.roles).map(|role| {
                let goals = goals.iter().skip(role).step_by(self.roles);
                goals.map(|goal| goal.map_or(0.0, outcome)).sum::<f64>() / games as f64
            }));
            let end = ended.states.as_ref().map(|states| &states[number * self.words..][..self.words]);
            let (path_end, chosen_end) = (way.path as usize, way.chosen as usize);
            self.back_up(
                &waiting.path[path..path_end],
                &waiting.chosen[chosen..chosen_end],
                way.leaf,
                outcomes,
                end,
            );
            (path, chosen) = (path_end, chosen_end);
        }
        waiting.clear();
        self.flights.waiting[at] = waiting;
        self.flights.ended = ended;
    }

    /// Forgets what is under way.
    pub(super) fn call_back(&mut self) {
        for at in 0..self.flights.waiting.len() {
            let mut waiting = std::mem::take(&mut self.flights.waiting[at]);
            let (mut path, mut chosen) = (0, 0);
            for way in &waiting.ways {
                let (path_end, chosen_end) = (way.path as usize, way.chosen as usize);
                self.forget(&waiting.path[path..path_end], &waiting.chosen[chosen..chosen_end], way.leaf);
                (path, chosen) = (path_end, chosen_end);
            }
            waiting.clear();
            self.flights.waiting[at] = waiting;
        }
    }
}

impl Waiting {
    fn clear(&mut self) {
        self.rows.clear();
        self.path.clear();
        self.chosen.clear();
        self.ways.clear();
    }
}
