//! The network followed change by change: the engine for search.
//!
//! A worker keeps the network in the state it was last asked about (`tracker.rs`). To move on it switches the
//! moves on, sees which fluents will differ, and flips those: the cost is that of what changes, whatever
//! the size of the game. Where players take turns it keeps a smaller network for each turn
//! (`specialise.rs`). Legal moves stand in sets with constant-time random choice. Goals are not followed;
//! they are computed from scratch when asked for, since a playout asks once.

use super::counters::Counters;
use super::net::{Net, Node, Signal};
use super::specialise;
use super::tracker::Tracker;
use super::{Compiled, compile};
use crate::engine::{Engine, Goal, PlayoutBuffer, Worker};
use crate::error::BuildError;
use crate::limits::Limits;
use crate::random::Random;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use std::sync::Arc;

/// The propositional network as an engine.
#[derive(Debug)]
pub struct Propnet {
    vocabulary: Arc<Vocabulary>,
    net: Net,
    counters: Counters,
    /// Fluents of which exactly one holds in every reachable state, and the network of each.
    turn_fluents: Vec<FluentId>,
    turn_counters: Vec<Counters>,
    initial: Vec<u64>,
    goals: GoalCode,
}

impl Propnet {
    /// Compiles the rules.
    pub fn new(game: &Game, limits: Limits) -> Result<Propnet, BuildError> {
        Ok(Propnet::of(compile(game, limits)?))
    }

    /// The engine over a network that was compiled already.
    pub fn of(compiled: Compiled) -> Propnet {
        let Compiled { vocabulary, net, initial, .. } = compiled;
        let counters = Counters::new(&net);
        let goals = GoalCode::new(&net);
        let turns = specialise::turns(&net, &vocabulary, &initial);
        let (turn_fluents, turn_counters) = match turns {
            Some(turns) => (turns.fluents, turns.nets.iter().map(Counters::new).collect()),
            None => (Vec::new(), Vec::new()),
        };
        Propnet { vocabulary, net, counters, turn_fluents, turn_counters, initial, goals }
    }

    /// The network.
    pub fn net(&self) -> &Net {
        &self.net
    }

    fn new_worker(&self) -> ScalarWorker<'_> {
        let tracker = |counters| Tracker::new(counters, &self.vocabulary, &self.initial);
        ScalarWorker {
            engine: self,
            general: tracker(&self.counters),
            turns: self.turn_counters.iter().map(tracker).collect(),
            goal_values: vec![false; self.net.nodes.len()],
            goal_state: None,
        }
    }
}

impl Engine for Propnet {
    fn name(&self) -> &'static str {
        "propnet"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    fn memory_usage(&self) -> usize {
        self.net.nodes.len() * std::mem::size_of::<Node>()
            + (self.counters.edges.len() + 2 * self.counters.counts.len()) * 4
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self.new_worker())
    }
}

/// The nodes that goals are computed from, in order, in parts.
#[derive(Debug)]
struct GoalCode {
    parts: Vec<GoalPart>,
}

/// Nodes that are computed together: once, or, for a block, until they no longer change. A block must have
/// settled before anything reads it: what negates it may never see it half done.
#[derive(Debug)]
struct GoalPart {
    nodes: Vec<u32>,
    block: Option<usize>,
}

impl GoalCode {
    fn new(net: &Net) -> GoalCode {
        let needed = net.cone(net.goals.iter().flatten().map(|(_, signal)| *signal));
        let part = |nodes: std::ops::Range<usize>, block: Option<usize>| GoalPart {
            nodes: nodes.filter(|&node| needed[node]).map(|node| node as u32).collect(),
            block,
        };
        let mut parts = Vec::new();
        let mut at = 0;
        for (position, block) in net.blocks.iter().enumerate() {
            parts.push(part(at..block.nodes.start, None));
            parts.push(part(block.nodes.clone(), Some(position)));
            at = block.nodes.end;
        }
        parts.push(part(at..net.nodes.len(), None));
        parts.retain(|part| !part.nodes.is_empty());
        GoalCode { parts }
    }
}

/// One thread's trackers: one for the whole network, and one for each turn where there are turns.
#[derive(Debug)]
struct ScalarWorker<'e> {
    engine: &'e Propnet,
    general: Tracker<'e>,
    turns: Vec<Tracker<'e>>,
    goal_values: Vec<bool>,
    /// The state that `goal_values` speaks of: each role asks for its own.
    goal_state: Option<Vec<u64>>,
}

impl<'e> ScalarWorker<'e> {
    /// The tracker for the state, brought to it.
    #[inline]
    fn load(&mut self, state: &Row) -> &mut Tracker<'e> {
        let mut turn = None;
        for (position, &fluent) in self.engine.turn_fluents.iter().enumerate() {
            if row::holds(state, fluent) {
                if turn.is_some() {
                    // Not a reachable state: the whole network has an answer for it, too.
                    turn = None;
                    break;
                }
                turn = Some(position);
            }
        }
        let tracker = match turn {
            Some(position) => &mut self.turns[position],
            None => &mut self.general,
        };
        tracker.load(state);
        tracker
    }

    /// Computes what goals are read from, for a state.
    fn compute_goals(&mut self, state: &Row) {
        let engine = self.engine;
        for part in &engine.goals.parts {
            let feedback = part.block.map_or(&[][..], |block| &engine.net.blocks[block].feedback);
            for &(variable, _) in feedback {
                self.goal_values[variable] = false;
            }
            loop {
                for &node in &part.nodes {
                    self.goal_values[node as usize] = match engine.net.nodes[node as usize] {
                        Node::Fluent(fluent) => row::holds(state, FluentId(fluent)),
                        Node::And(a, b) => self.goal_signal(a) && self.goal_signal(b),
                        Node::Feedback => continue,
                        Node::False | Node::Move(..) => false,
                    };
                }
                let mut changed = false;
                for &(variable, signal) in feedback {
                    let value = self.goal_signal(signal);
                    changed |= std::mem::replace(&mut self.goal_values[variable], value) != value;
                }
                if !changed {
                    break;
                }
            }
        }
    }

    fn goal_signal(&self, signal: Signal) -> bool {
        self.goal_values[signal.node()] ^ signal.is_inverted()
    }
}

impl Worker for ScalarWorker<'_> {
    fn vocabulary(&self) -> &Vocabulary {
        &self.engine.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.engine.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> bool {
        self.load(state).is_terminal()
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) {
        let tracker = self.load(state);
        out.clear();
        out.extend(tracker.legal()[role.index()].members().iter().map(|&movement| MoveId(movement)));
        out.sort_unstable();
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) {
        let tracker = self.load(state);
        out.copy_from_slice(state);
        tracker.next(joint, out);
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Option<Goal> {
        if self.goal_state.as_deref() != Some(state) {
            self.compute_goals(state);
            self.goal_state.get_or_insert_with(|| vec![0; state.len()]).copy_from_slice(state);
        }
        let mut given =
            self.engine.net.goals[role.index()].iter().filter(|(_, signal)| self.goal_signal(*signal));
        let (value, _) = given.next()?;
        if given.next().is_some() { None } else { *value }
    }

    fn playout(
        &mut self,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        buffer: &mut PlayoutBuffer,
    ) -> usize {
        for made in 0..most {
            let tracker = self.load(state);
            if tracker.is_terminal() {
                return made;
            }
            buffer.joint.clear();
            for legal in tracker.legal() {
                let members = legal.members();
                if members.is_empty() {
                    return made;
                }
                let choice = if members.len() == 1 { 0 } else { random.below(members.len()) };
                buffer.joint.push(MoveId(members[choice]));
            }
            tracker.next(&buffer.joint, state);
        }
        most
    }
}
