//! One playout from each of many states: the leaves of a tree, valued hundreds at a time.
//!
//! Lanes begin in states of their own and all are in one phase, so that one network serves them. No lane gets a second
//! game: what its game came to stays in the lane and is read there. A pass costs the same however few lanes play, so a
//! batch costs about as many passes as its longest game has plies.

use super::pass::{self, Job, Tally};
use super::plan::{FLUENTS, Slot};
use super::transpose::{self, Shown, Shuffle};
use super::vector::Plane;
use super::{LANES, LanesRunner};
use crate::engine::Goal;

/// What one batch came to, a game a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// A row a game and a goal a role: `None` where the last state gives no single number.
    pub goals: Vec<Option<Goal>>,
    /// Joint moves made.
    pub transitions: u64,
    /// The last state of each game, rows one after the other, where the caller has put `Some` here.
    pub states: Option<Vec<u64>>,
}

impl LanesRunner<'_> {
    /// Plays one playout from each of up to 512 states, to its end or to `most` plies, one at least; a state that is over, or in which
    /// somebody is stuck, has its own goals. `states` are rows one after the other, all of the phase
    /// ([`super::Lanes::phase_of`]), or of any for `None`, which takes longer. Games under way in the lanes are lost.
    ///
    /// # Panics
    /// If there are more than 512 rows, or rows of another length.
    pub fn playouts_each(&mut self, phase: Option<usize>, states: &[u64], most: u64, ended: &mut Ended) {
        let lanes = self.lanes;
        let fluents = lanes.net.next.len();
        let (stride, roles) = (fluents.div_ceil(64), lanes.goals.goals.len());
        let count = states.len().checked_div(stride).unwrap_or(0);
        assert!(count <= LANES && states.len() == count * stride, "whole rows of at most 512 states");
        let plans = if phase.is_some() { &lanes.plans[..] } else { lanes.general() };
        self.running = None;
        let most = most.max(1);
        self.state.reset(plans, &lanes.goals, most);
        if ended.states.is_some() {
            self.state.ends.resize(fluents, Plane::ZERO);
        }
        self.state.phase = phase.unwrap_or(0);
        self.state.live = Plane::first(count);
        transpose::planes_of(states, stride, &mut self.state.planes[FLUENTS as usize..][..fluents]);
        let mut job = Job {
            start_phase: self.state.phase,
            start: Default::default(),
            passes: u64::MAX,
            to_start: 0,
            most,
            playouts: 0,
            transitions: 0,
            stuck: 0,
            cut: 0,
            passes_done: 0,
            tally: Tally::default(),
            lengths: None,
            is_by_lane: true,
        };
        pass::drive_with(self.instructions, &mut self.state, plans, &lanes.goals, &mut job);
        ended.transitions = job.transitions;
        if let Some(states) = &mut ended.states {
            states.clear();
            states.resize(count * stride, 0);
            let slots: Vec<Slot> = (0..fluents as Slot).collect();
            let shown = Shown { planes: &self.state.ends, slots: &slots, turned: None };
            transpose::words(Shuffle::detect(), &shown, &Plane::first(count), states);
        }
        ended.goals.clear();
        ended.goals.resize(count * roles, None);
        // What is said twice is no single number.
        let mut told = Plane::ZERO;
        let mut twice = Vec::new();
        let mut last = 0;
        pass::goals_by_lane(self.instructions, &mut self.state, &lanes.goals, |lane, role, goal| {
            if role != last {
                (told, last) = (Plane::ZERO, role);
            }
            if told.bit(lane) {
                twice.push(lane * roles + role);
            }
            told.set(lane);
            ended.goals[lane * roles + role] = goal;
        });
        twice.into_iter().for_each(|at| ended.goals[at] = None);
    }
}
