//! The nodes of a tree: how they are laid out, made, found, and kept when the root moves on. A state has one node, whatever
//! ways lead to it, so they make a graph, which may have circles where the rules do.
//!
//! Everything lies in a few growing vectors, so that a tree has one bound on its memory, and is freed and
//! copied at once.

use super::ends::NOTHING;
use super::{ROOT, Tree, proof};
use hashbrown::HashMap;
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::collections::VecDeque;
use std::mem::size_of;
use std::ops::Range;

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who decides which child comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not expanded yet: nothing is known of its moves.
    Leaf,
    /// Nobody: every role has one move.
    Forced,
    /// One role.
    Turn(RoleId),
    /// Several roles.
    Joint,
}

/// A state that has been visited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// Ways that came here, and of these the valued ones: the others are under way.
    pub(super) visits: u32,
    pub(super) valued: u32,
    /// The way that is being gone has passed it.
    pub(super) on_way: bool,
    pub(super) kind: Kind,
    /// Its place in `Tree::seats`, if it is expanded.
    pub(super) seats: u32,
    /// Its place in `Tree::figures`, if it was visited often.
    pub(super) figures: Option<u32>,
    pub(super) proof: Option<Proof>,
}

/// A node that a way passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    /// The state of a move that is certain and better than the one that was tried, if there is one: the node is worth that.
    pub(super) settled: Option<NodeId>,
}

/// What is certain of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    /// Where its values begin in `Tree::values`.
    pub(super) values: u32,
    /// How far the end is.
    pub(super) plies: u32,
}

/// A move of one role in one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    pub(super) action: MoveId,
    /// Where the move alone decides, the state after it; [`NONE`] if there is none yet.
    child: NodeId,
    /// Ways that went here, and of these those that are not valued yet.
    pub(super) visits: u32,
    pub(super) under_way: u16,
    /// What the state after it is worth is certain.
    pub(super) is_proved: bool,
    /// Of the valued ways; infinite before the first, so that it is tried, and afterwards the certain value if there is one.
    pub(super) mean: f32,
    /// What exploration adds to it, but for a factor that the arms of a node share: one by the root of the visits.
    pub(super) weight: f32,
    /// The fluent that it makes true, or [`NOTHING`] if none is its own.
    pub(super) makes: u32,
}

/// The number of no node.
const NONE: NodeId = NodeId(u32::MAX);

impl Arm {
    fn new(action: MoveId, trust: f32) -> Arm {
        let (mean, weight) = (0.0, 0.0);
        let (child, makes) = (NONE, NOTHING);
        let mut arm = Arm { action, child, visits: 0, under_way: 0, is_proved: false, mean, weight, makes };
        arm.weigh(trust);
        arm
    }

    pub(super) fn child(&self) -> Option<NodeId> {
        (self.child != NONE).then_some(self.child)
    }

    /// Ways that are valued.
    pub(super) fn valued(&self) -> u32 {
        self.visits - u32::from(self.under_way)
    }

    /// After the visits have changed. What is known beforehand counts as some more.
    pub(super) fn weigh(&mut self, trust: f32) {
        let visits = self.visits as f32 + trust;
        if visits <= 0.0 {
            (self.mean, self.weight) = (f32::INFINITY, 0.0);
        } else if !self.is_proved {
            self.weight = 1.0 / visits.sqrt();
        }
    }
}

/// A hash of a state, the same on all machines.
fn hash(state: &[u64]) -> u64 {
    let mix = |hash: u64, word: &u64| {
        let product = u128::from(hash ^ word) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        (product as u64 ^ (product >> 64) as u64).wrapping_add(0x2545_F491_4F6C_DD1D)
    };
    state.iter().fold(0x5851_F42D_4C95_7F2D, mix)
}

impl Tree {
    /// Forgets everything and begins at `state`.
    pub(super) fn restart(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<(), Fault> {
        self.call_back();
        self.nodes.clear();
        self.means.clear();
        self.index.clear();
        self.rows.clear();
        self.arms.clear();
        self.seats.clear();
        self.values.clear();
        self.figures.clear();
        self.joint_children.clear();
        self.record = None;
        self.add_node(worker, state).map(|_| ())
    }

    /// Makes the state after a joint move the root. What was found out below it is kept. After a fault the
    /// tree is empty and must not be used again.
    pub fn advance(&mut self, worker: &mut dyn Worker, joint: &[MoveId], state: &[u64]) -> Result<(), Fault> {
        if let Some((_, moves)) = &mut self.record {
            if moves.first() == joint.first() {
                moves.remove(0);
            } else {
                self.record = None;
            }
        }
        let record = self.record.take().filter(|(_, moves)| !moves.is_empty());
        self.call_back();
        let below = self.find(joint).filter(|child| self.row(*child) == state).or_else(|| self.lookup(state));
        match below {
            // A leaf has nothing below it; what an oracle said of it does not tell which move to make.
            Some(child) if self.nodes[child.index()].kind != Kind::Leaf => self.keep(child),
            _ => self.restart(worker, state)?,
        }
        self.record = record;
        Ok(())
    }

    /// The child of the root after a joint move.
    fn find(&self, joint: &[MoveId]) -> Option<NodeId> {
        if self.nodes[ROOT.index()].kind == Kind::Leaf {
            return None;
        }
        let mut chosen = Vec::with_capacity(self.roles);
        for (role, action) in joint.iter().enumerate() {
            let arm = self.seat(ROOT, role).find(|&arm| self.arms[arm].action == *action)?;
            chosen.push(arm as u32);
        }
        self.child(ROOT, &chosen)
    }

    /// Copies what is below `root` into new vectors, breadth first.
    fn keep(&mut self, root: NodeId) {
        let old = Tree {
            settings: self.settings.clone(),
            scratch: std::mem::take(&mut self.scratch),
            flights: std::mem::take(&mut self.flights),
            random: self.random.clone(),
            record: None,
            nodes: std::mem::take(&mut self.nodes),
            means: std::mem::take(&mut self.means),
            index: std::mem::take(&mut self.index),
            rows: std::mem::take(&mut self.rows),
            arms: std::mem::take(&mut self.arms),
            seats: std::mem::take(&mut self.seats),
            values: std::mem::take(&mut self.values),
            figures: std::mem::take(&mut self.figures),
            ahead: std::mem::take(&mut self.ahead),
            joint_children: std::mem::take(&mut self.joint_children),
            ..*self
        };
        let mut joint_children: HashMap<NodeId, Vec<(u64, NodeId)>> = HashMap::new();
        for (&(parent, number), &child) in &old.joint_children {
            joint_children.entry(parent).or_default().push((number, child));
        }
        let mut copies = Copies { of: vec![NONE; old.nodes.len()], open: VecDeque::new(), count: 0 };
        copies.of(root);
        while let Some(from) = copies.open.pop_front() {
            let mut node = old.nodes[from.index()];
            let copy = NodeId(self.nodes.len() as u32);
            self.rows.extend_from_slice(old.row(from));
            self.means.extend_from_slice(&old.means[from.index() * self.roles..][..self.roles]);
            if let Some(known) = node.proof {
                let values = old.values[known.values as usize..][..self.roles].iter().copied();
                node.proof = Some(proof(&mut self.values, values, known.plies));
            }
            if let Some(at) = node.figures {
                node.figures = Some(self.figures.len() as u32);
                let count = self.fluents * (self.roles + 1);
                self.figures.extend_from_slice(&old.figures[at as usize..][..count]);
            }
            if node.kind != Kind::Leaf {
                let seats = &old.seats[node.seats as usize..=node.seats as usize + self.roles];
                let shift = |at: u32| at - seats[0] + self.arms.len() as u32;
                node.seats = self.seats.len() as u32;
                self.seats.extend(seats.iter().map(|&at| shift(at)));
                for arm in &old.arms[seats[0] as usize..seats[self.roles] as usize] {
                    let child = arm.child().map_or(NONE, |child| copies.of(child));
                    self.arms.push(Arm { child, ..*arm });
                }
                for &(number, child) in joint_children.get(&from).map_or(&[][..], Vec::as_slice) {
                    self.joint_children.insert((copy, number), copies.of(child));
                }
            }
            self.nodes.push(node);
            self.enter(copy);
        }
        self.scratch = old.scratch;
        self.ahead = old.ahead;
        self.flights = old.flights;
    }

    /// The node of a state.
    pub(super) fn lookup(&self, state: &[u64]) -> Option<NodeId> {
        self.index.find(hash(state), |&node| self.row(node) == state).copied()
    }

    /// Lets the last node be found by its state.
    fn enter(&mut self, node: NodeId) {
        let Tree { index, rows, words, .. } = self;
        let row = |node: NodeId| &rows[node.index() * *words..][..*words];
        index.insert_unique(hash(row(node)), node, |&other| hash(row(other)));
    }

    pub(super) fn row(&self, node: NodeId) -> &[u64] {
        &self.rows[node.index() * self.words..][..self.words]
    }

    /// Bytes in use, roughly.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + self.roles * size_of::<f32>())
            // A number and a byte for each place.
            + self.index.capacity() * 8 / 7 * 5
            + self.rows.len() * size_of::<u64>()
            + self.arms.len() * size_of::<Arm>()
            + (self.seats.len() + self.values.len() + self.figures.len()) * size_of::<u32>()
            + self.joint_children.len() * 2 * size_of::<(NodeId, u64, NodeId)>()
    }

    /// A new leaf; proved at once if the game is over there.
    pub(super) fn add_node(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<NodeId, Fault> {
        let id = NodeId(self.nodes.len() as u32);
        let proof = if worker.is_terminal(state)? { Some(self.ended(worker, state)?) } else { None };
        self.rows.extend_from_slice(state);
        self.nodes.push(Node {
            visits: 0,
            valued: 0,
            on_way: false,
            kind: Kind::Leaf,
            seats: 0,
            figures: None,
            proof,
        });
        self.means.resize(self.means.len() + self.roles, 0.0);
        self.enter(id);
        Ok(id)
    }

    /// The goals of a state in which play ends. No single goal value counts as zero.
    fn ended(&mut self, worker: &mut dyn Worker, state: &[u64]) -> Result<Proof, Fault> {
        let at = self.values.len();
        for role in 0..self.roles as u32 {
            match worker.goal(state, RoleId(role)) {
                Ok(goal) => self.values.push(goal.unwrap_or(0)),
                Err(fault) => {
                    self.values.truncate(at);
                    return Err(fault);
                }
            }
        }
        Ok(Proof { values: at as u32, plies: 0 })
    }

    /// Lists the moves of a leaf. A state in which somebody cannot move is an end of the game.
    pub(super) fn expand(
        &mut self,
        worker: &mut dyn Worker,
        node: NodeId,
        legal: &mut Vec<MoveId>,
    ) -> Result<(), Fault> {
        let state = self.row(node).to_vec();
        let first = self.arms.len();
        let seats = self.seats.len();
        let mut deciders = 0;
        let mut kind = Kind::Forced;
        for role in 0..self.roles as u32 {
            self.seats.push(self.arms.len() as u32);
            let listed = worker.legal(&state, RoleId(role), legal);
            if listed.is_err() || legal.is_empty() {
                self.arms.truncate(first);
                self.seats.truncate(seats);
                listed?;
                self.nodes[node.index()].proof = Some(self.ended(worker, &state)?);
                return Ok(());
            }
            if legal.len() > 1 {
                deciders += 1;
                kind = if deciders == 1 { Kind::Turn(RoleId(role)) } else { Kind::Joint };
            }
            let from = self.arms.len();
            self.arms.extend(legal.iter().copied().map(|action| Arm::new(action, self.settings.ends)));
            // Untried moves are tried in the order in which they lie, which must not be that of their names.
            for at in (1..legal.len()).rev() {
                let other = self.random.below(at + 1);
                self.arms.swap(from + at, from + other);
            }
        }
        self.seats.push(self.arms.len() as u32);
        let id = node;
        let node = &mut self.nodes[id.index()];
        node.kind = kind;
        node.seats = seats as u32;
        self.look_ahead(worker, id)
    }

    /// The arms of a role in an expanded node.
    pub(super) fn seat(&self, node: NodeId, role: usize) -> Range<usize> {
        let at = self.nodes[node.index()].seats as usize + role;
        self.seats[at] as usize..self.seats[at + 1] as usize
    }

    /// The state after every role's only move.
    pub(super) fn forced_child(&self, node: NodeId) -> Option<NodeId> {
        self.arms[self.seat(node, 0).start].child()
    }

    /// The child under one arm a role.
    pub(super) fn child(&self, node: NodeId, chosen: &[u32]) -> Option<NodeId> {
        match self.nodes[node.index()].kind {
            Kind::Leaf => None,
            Kind::Forced => self.forced_child(node),
            Kind::Turn(role) => self.arms[chosen[role.index()] as usize].child(),
            Kind::Joint => self.joint_children.get(&(node, self.number(node, chosen))).copied(),
        }
    }

    pub(super) fn set_child(&mut self, node: NodeId, chosen: &[u32], child: NodeId) {
        match self.nodes[node.index()].kind {
            Kind::Leaf => {}
            Kind::Forced => self.arms[chosen[0] as usize].child = child,
            Kind::Turn(role) => self.arms[chosen[role.index()] as usize].child = child,
            Kind::Joint => {
                let number = self.number(node, chosen);
                self.joint_children.insert((node, number), child);
            }
        }
    }

    /// The joint move as one number: its arms are the digits.
    pub(super) fn number(&self, node: NodeId, chosen: &[u32]) -> u64 {
        let mut number = 0u64;
        for (role, &arm) in chosen.iter().enumerate() {
            let range = self.seat(node, role);
            number = number.wrapping_mul(range.len() as u64).wrapping_add(arm as u64 - range.start as u64);
        }
        number
    }
}

/// Which nodes are copied, and their new numbers: those of the order in which they come out of the queue.
struct Copies {
    of: Vec<NodeId>,
    open: VecDeque<NodeId>,
    count: u32,
}

impl Copies {
    /// The number of a node's copy, which is made in its turn.
    fn of(&mut self, node: NodeId) -> NodeId {
        let copy = &mut self.of[node.index()];
        if *copy == NONE {
            *copy = NodeId(self.count);
            self.count += 1;
            self.open.push_back(node);
        }
        *copy
    }
}
