//! And-inverter networks.
//!
//! Every gate is the conjunction of two signals, each plain or inverted. Gates are made in an order in which
//! each reads earlier ones only, equal gates are made once, and constants are folded on the way. Rules that
//! feed back into themselves (a chain of stones is connected if a neighbour is) make a [`Block`]: its
//! variables start false and are computed again until they no longer change.

use crate::budget::{Budget, Exceeded, Meter};
use crate::engine::Goal;
use hashbrown::HashMap;

/// A signal, or its inverse: the number of the node twice, plus one if inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(pub(crate) u32);

impl Signal {
    /// Never true.
    pub const FALSE: Signal = Signal(0);
    /// Always true.
    pub const TRUE: Signal = Signal(1);

    pub(crate) fn plain(node: usize) -> Signal {
        Signal((node as u32) << 1)
    }

    /// The node that the signal comes from.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// True if the signal is the inverse of its node.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The inverse.
    #[must_use]
    pub fn inverse(self) -> Signal {
        Signal(self.0 ^ 1)
    }

    /// The inverse if `inverted`, else the signal itself.
    #[must_use]
    pub(crate) fn inverse_if(self, inverted: bool) -> Signal {
        Signal(self.0 ^ u32::from(inverted))
    }

    /// Always or never true.
    pub(crate) fn constant(value: bool) -> Signal {
        Signal(u32::from(value))
    }

    /// Whether the signal is always or never true; `None` if it depends on the inputs.
    pub(crate) fn known(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Never true; node zero.
    False,
    /// A fluent, by number.
    Fluent(u32),
    /// A move: the role and the number of the move.
    Move(u32, u32),
    /// A variable of a block.
    Feedback,
    /// The conjunction of two signals.
    And(Signal, Signal),
}

/// Nodes that feed back into themselves.
#[derive(Clone, Debug)]
pub struct Block {
    /// The nodes that are computed again, by number: first included, last not.
    pub nodes: std::ops::Range<usize>,
    /// Each variable with the signal that gives its next value.
    pub feedback: Vec<(usize, Signal)>,
}

/// A game as a network.
#[derive(Clone, Debug)]
pub struct Net {
    /// All nodes; each reads earlier ones only, but for the variables of blocks.
    pub nodes: Vec<Node>,
    /// The blocks, in the order of their nodes, not overlapping.
    pub blocks: Vec<Block>,
    /// For each role and move whether it is legal.
    pub legal: Vec<Vec<Signal>>,
    /// For each fluent whether it holds next.
    pub next: Vec<Signal>,
    /// Whether the game is over.
    pub terminal: Signal,
    /// For each role its goal values and when they are given. A value that is no number is `None`.
    pub goals: Vec<Vec<(Option<Goal>, Signal)>>,
    /// What else is read, while a network is being made.
    pub(crate) asked: Vec<Signal>,
}

impl Net {
    /// The signal of a node.
    ///
    /// # Panics
    /// If the network has no such node.
    pub fn signal(&self, node: usize) -> Signal {
        assert!(node < self.nodes.len(), "the network has {} nodes, no node {node}", self.nodes.len());
        Signal::plain(node)
    }

    /// How many gates there are.
    pub fn gate_count(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node, Node::And(..))).count()
    }

    /// The gates that the signals depend on.
    pub fn cone_size(&self, signals: impl IntoIterator<Item = Signal>) -> usize {
        let needed = self.cone(signals);
        self.nodes
            .iter()
            .zip(&needed)
            .filter(|(node, needed)| **needed && matches!(node, Node::And(..)))
            .count()
    }

    /// For each node whether the signals depend on it.
    pub fn cone(&self, signals: impl IntoIterator<Item = Signal>) -> Vec<bool> {
        let unlimited = &mut Budget::default().clock();
        self.cone_within(signals, unlimited).expect("without a deadline nothing is over")
    }

    /// As `cone`, within a budget.
    pub(crate) fn cone_within(
        &self,
        signals: impl IntoIterator<Item = Signal>,
        meter: &mut Meter,
    ) -> Result<Vec<bool>, Exceeded> {
        let mut feedback = HashMap::new();
        for block in &self.blocks {
            for &(node, signal) in &block.feedback {
                feedback.insert(node, signal);
            }
        }
        let mut needed = vec![false; self.nodes.len()];
        let mut open: Vec<usize> = signals.into_iter().map(Signal::node).collect();
        while let Some(node) = open.pop() {
            meter.tick()?;
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            match self.nodes[node] {
                Node::And(a, b) => open.extend([a.node(), b.node()]),
                Node::Feedback => open.push(feedback[&node].node()),
                Node::False | Node::Fluent(_) | Node::Move(..) => {}
            }
        }
        Ok(needed)
    }

    /// Every signal that is read from outside.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = Signal> + '_ {
        let legal = self.legal.iter().flatten().copied();
        let goals = self.goals.iter().flatten().map(|(_, signal)| *signal);
        let asked = self.asked.iter().copied();
        legal.chain(self.next.iter().copied()).chain([self.terminal]).chain(goals).chain(asked)
    }

    /// The network without the nodes that no output reads, inputs apart.
    pub(crate) fn swept(&self, meter: &mut Meter) -> Result<Net, Exceeded> {
        let needed = self.cone_within(self.outputs(), meter)?;
        let mut place = vec![0u32; self.nodes.len()];
        let mut starts = vec![0u32; self.nodes.len() + 1];
        let mut nodes = Vec::new();
        let moved = |place: &[u32], signal: Signal| Signal(place[signal.node()] << 1 | signal.0 & 1);
        for (index, node) in self.nodes.iter().enumerate() {
            meter.tick()?;
            starts[index] = nodes.len() as u32;
            let keep = needed[index] || !matches!(node, Node::And(..) | Node::Feedback);
            if !keep {
                continue;
            }
            place[index] = nodes.len() as u32;
            nodes.push(match *node {
                Node::And(a, b) => Node::And(moved(&place, a), moved(&place, b)),
                other => other,
            });
        }
        starts[self.nodes.len()] = nodes.len() as u32;
        let blocks = self
            .blocks
            .iter()
            .map(|block| Block {
                nodes: starts[block.nodes.start] as usize..starts[block.nodes.end] as usize,
                feedback: block
                    .feedback
                    .iter()
                    .filter(|(node, _)| needed[*node])
                    .map(|&(node, signal)| (place[node] as usize, moved(&place, signal)))
                    .collect(),
            })
            .filter(|block| !block.feedback.is_empty())
            .collect();
        Ok(self.carried(nodes, blocks, |signal| moved(&place, signal)))
    }

    /// The network over other nodes: what each of its signals has become there is given by `moved`.
    pub(crate) fn carried(
        &self,
        nodes: Vec<Node>,
        blocks: Vec<Block>,
        moved: impl Fn(Signal) -> Signal,
    ) -> Net {
        let all = |signals: &[Signal]| signals.iter().map(|&signal| moved(signal)).collect::<Vec<_>>();
        Net {
            nodes,
            blocks,
            legal: self.legal.iter().map(|signals| all(signals)).collect(),
            next: all(&self.next),
            terminal: moved(self.terminal),
            goals: self
                .goals
                .iter()
                .map(|goals| goals.iter().map(|&(value, signal)| (value, moved(signal))).collect())
                .collect(),
            asked: all(&self.asked),
        }
    }
}

/// Making a gate takes a look into a large table: as long as some tens of steps of other kinds.
pub(crate) const TICKS_A_GATE: u64 = 16;

/// Makes nodes.
#[derive(Debug, Default)]
pub(crate) struct NetBuilder {
    pub(crate) nodes: Vec<Node>,
    pub(crate) blocks: Vec<Block>,
    gates: HashMap<(Signal, Signal), u32>,
}

impl NetBuilder {
    pub(crate) fn new() -> NetBuilder {
        NetBuilder { nodes: vec![Node::False], ..NetBuilder::default() }
    }

    /// A builder that goes on from the nodes of a network.
    pub(crate) fn continuing(net: &Net, meter: &mut Meter) -> Result<NetBuilder, Exceeded> {
        let mut gates = HashMap::with_capacity(net.nodes.len());
        for (node, what) in net.nodes.iter().enumerate() {
            meter.tick_by(TICKS_A_GATE)?;
            if let Node::And(a, b) = *what {
                gates.insert((a.min(b), a.max(b)), node as u32);
            }
        }
        Ok(NetBuilder { nodes: net.nodes.clone(), blocks: Vec::new(), gates })
    }

    pub(crate) fn input(&mut self, node: Node) -> Signal {
        self.nodes.push(node);
        Signal::plain(self.nodes.len() - 1)
    }

    /// The conjunction of two signals.
    pub(crate) fn and(&mut self, a: Signal, b: Signal) -> Signal {
        let (a, b) = (a.min(b), a.max(b));
        if a == Signal::FALSE || a == b.inverse() {
            return Signal::FALSE;
        }
        if a == Signal::TRUE || a == b {
            return b;
        }
        // One level deeper: what a gate already contains, or contradicts.
        for (x, y) in [(a, b), (b, a)] {
            if let Node::And(left, right) = self.nodes[x.node()] {
                if !x.is_inverted() {
                    if y == left || y == right {
                        return x;
                    }
                    if y == left.inverse() || y == right.inverse() {
                        return Signal::FALSE;
                    }
                } else {
                    // not (left and right) and y, where y decides one of them.
                    if y == left.inverse() || y == right.inverse() {
                        return y;
                    }
                    if y == left {
                        return self.and(right.inverse(), y);
                    }
                    if y == right {
                        return self.and(left.inverse(), y);
                    }
                }
            }
        }
        let next = self.nodes.len() as u32;
        let node = *self.gates.entry((a, b)).or_insert(next);
        if node == next {
            self.nodes.push(Node::And(a, b));
        }
        Signal::plain(node as usize)
    }

    /// The conjunction of all signals, as a balanced tree over their sorted list.
    pub(crate) fn and_all(&mut self, signals: &mut Vec<Signal>) -> Signal {
        signals.sort_unstable();
        signals.dedup();
        if signals.windows(2).any(|pair| pair[0] == pair[1].inverse()) {
            return Signal::FALSE;
        }
        let mut list = std::mem::take(signals);
        while list.len() > 1 {
            let mut half = Vec::with_capacity(list.len().div_ceil(2));
            for pair in list.chunks(2) {
                half.push(match pair {
                    [a, b] => self.and(*a, *b),
                    rest => rest[0],
                });
            }
            list = half;
        }
        list.first().copied().unwrap_or(Signal::TRUE)
    }

    /// The disjunction of all signals.
    pub(crate) fn or_all(&mut self, signals: &mut Vec<Signal>) -> Signal {
        signals.iter_mut().for_each(|signal| *signal = signal.inverse());
        self.and_all(signals).inverse()
    }
}
