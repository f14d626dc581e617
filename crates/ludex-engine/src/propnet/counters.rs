//! A network compiled for following changes.
//!
//! Trees of gates that nobody else reads become one gate of many inputs. A gate counts its inputs that are
//! false; it is true while the count is zero. So an input that changes costs one addition at each gate
//! that reads it, and goes further only where a gate really changes. Outputs (legal moves, changing fluents,
//! the end of the game, the inputs of blocks) are gates of one input, at the end of the numbering.

use super::change::with_changes;
use super::net::{Net, Node, Signal};

/// A place in the compiled network: fluents, then moves, then feedback variables, then gates, then outputs.
pub(super) type Place = u32;

/// What happens when an output changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A move becomes legal or illegal.
    Legal { role: u32, movement: u32 },
    /// A fluent will, or will not, change.
    Change { fluent: u32 },
    /// The game is over, or not.
    Terminal,
    /// A block must be computed again.
    Block { block: u32 },
}

/// A reader of a place: the gate or output twice, plus one if it reads the inverse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge(pub(super) u32);

/// A block that is computed from scratch.
#[derive(Clone, Debug)]
pub(super) struct BlockCode {
    /// Where the values come from that the block reads: the place, for local values `0..inputs.len()`.
    pub(super) inputs: Vec<Place>,
    /// The variables: their places, for the local values that follow.
    pub(super) variables: Vec<Place>,
    /// The gates in order, over local values; each adds one.
    pub(super) gates: Vec<(LocalSignal, LocalSignal)>,
    /// For each variable the local signal that gives its next value.
    pub(super) feedback: Vec<LocalSignal>,
}

/// A local value of a block twice, plus one if inverted. Value zero of the block is the constant false.
pub(super) type LocalSignal = u32;

/// The compiled network.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    /// For each place the range of its edges.
    pub(super) readers: Vec<(u32, u32)>,
    pub(super) edges: Vec<Edge>,
    /// For each place the number of its false inputs when all fluents and moves are false; inputs that
    /// are false themselves have one.
    pub(super) counts: Vec<i32>,
    /// The first output.
    pub(super) outputs_from: Place,
    pub(super) outputs: Vec<Output>,
    /// For each role the place of its first move.
    pub(super) moves: Vec<Place>,
    pub(super) blocks: Vec<BlockCode>,
}

impl Counters {
    /// Compiles a network.
    pub(super) fn new(net: &Net) -> Counters {
        Compiler::new(&with_changes(net)).compile()
    }
}

const NO_PLACE: Place = Place::MAX;

struct Compiler<'n> {
    net: &'n Net,
    /// For each node its place, if it has one.
    places: Vec<Place>,
    /// How often each node is read by others than single gates that take it in.
    readers: Vec<u32>,
    inputs: Vec<Vec<Signal>>,
    outputs: Vec<(Output, Signal)>,
}

impl<'n> Compiler<'n> {
    fn new(net: &'n Net) -> Compiler<'n> {
        let n = net.nodes.len();
        Compiler {
            net,
            places: vec![NO_PLACE; n],
            readers: vec![0; n],
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    fn compile(mut self) -> Counters {
        let net = self.net;
        let block_nodes = self.block_nodes();
        self.collect_outputs(&block_nodes);
        let needed = self.needed();
        for (node, _) in net.nodes.iter().enumerate().filter(|(node, _)| needed[*node]) {
            if let Node::And(a, b) = net.nodes[node] {
                for signal in [a, b] {
                    // A gate that is read inverted cannot be taken in.
                    self.readers[signal.node()] += 1 + u32::from(signal.is_inverted());
                }
            }
        }
        for (_, signal) in &self.outputs {
            self.readers[signal.node()] += 2;
        }
        let mut count: Place = 0;
        let mut moves = vec![0; net.legal.len()];
        for kind in 0..3 {
            for (node, what) in net.nodes.iter().enumerate() {
                let here = match what {
                    Node::Fluent(_) => kind == 0,
                    Node::Move(..) => kind == 1,
                    Node::Feedback => kind == 2,
                    Node::False | Node::And(..) => false,
                };
                if here {
                    if let Node::Move(role, 0) = what {
                        moves[*role as usize] = count;
                    }
                    self.places[node] = count;
                    count += 1;
                }
            }
        }
        let first_gate = count;
        for (node, what) in net.nodes.iter().enumerate() {
            if needed[node] && matches!(what, Node::And(..)) && self.readers[node] > 1 {
                self.places[node] = count;
                count += 1;
                let mut inputs = Vec::new();
                self.take_in(node, &mut inputs);
                self.inputs.push(inputs);
            }
        }
        let outputs_from = count;
        let outputs = std::mem::take(&mut self.outputs);
        self.inputs.extend(outputs.iter().map(|(_, signal)| vec![*signal]));
        self.link(first_gate, outputs_from, &outputs, moves, &block_nodes)
    }

    /// The signals that a gate and the single-reader gates inside it read.
    fn take_in(&self, node: usize, inputs: &mut Vec<Signal>) {
        let Node::And(a, b) = self.net.nodes[node] else { return };
        for signal in [a, b] {
            let inner = signal.node();
            let single = self.readers[inner] == 1 && !signal.is_inverted();
            if single && matches!(self.net.nodes[inner], Node::And(..)) {
                self.take_in(inner, inputs);
            } else {
                inputs.push(signal);
            }
        }
    }

    /// For each block the nodes between its variables and its feedback.
    fn block_nodes(&self) -> Vec<Vec<usize>> {
        let net = self.net;
        net.blocks
            .iter()
            .map(|block| {
                let mut inside = vec![false; net.nodes.len()];
                for &(variable, _) in &block.feedback {
                    inside[variable] = true;
                }
                for node in block.nodes.clone() {
                    if let Node::And(a, b) = net.nodes[node] {
                        inside[node] = inside[a.node()] || inside[b.node()];
                    }
                }
                block
                    .nodes
                    .clone()
                    .filter(|&node| inside[node] && matches!(net.nodes[node], Node::And(..)))
                    .collect()
            })
            .collect()
    }

    fn collect_outputs(&mut self, block_nodes: &[Vec<usize>]) {
        let net = self.net;
        for (role, legal) in net.legal.iter().enumerate() {
            for (movement, &signal) in legal.iter().enumerate() {
                let output = Output::Legal { role: role as u32, movement: movement as u32 };
                self.outputs.push((output, signal));
            }
        }
        for (fluent, &signal) in net.next.iter().enumerate() {
            self.outputs.push((Output::Change { fluent: fluent as u32 }, signal));
        }
        self.outputs.push((Output::Terminal, net.terminal));
        for (index, block) in net.blocks.iter().enumerate() {
            for node in outside_inputs(net, block, &block_nodes[index]) {
                self.outputs.push((Output::Block { block: index as u32 }, Signal::plain(node)));
            }
        }
    }

    /// The nodes that the outputs read; what lies behind a feedback variable is its block's.
    fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.net.nodes.len()];
        let mut open: Vec<usize> = self.outputs.iter().map(|(_, signal)| signal.node()).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut needed[node], true)
                && let Node::And(a, b) = self.net.nodes[node]
            {
                open.extend([a.node(), b.node()]);
            }
        }
        needed
    }

    fn link(
        self,
        first_gate: Place,
        outputs_from: Place,
        outputs: &[(Output, Signal)],
        moves: Vec<Place>,
        block_nodes: &[Vec<usize>],
    ) -> Counters {
        let total = first_gate as usize + self.inputs.len();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); total];
        let mut counts = vec![1; first_gate as usize];
        for (gate, inputs) in (first_gate..).zip(&self.inputs) {
            let mut false_inputs = 0;
            for signal in inputs {
                let place = self.places[signal.node()];
                if place == NO_PLACE {
                    // The constant: false inputs of it count for good.
                    false_inputs += i32::from(!signal.is_inverted());
                    continue;
                }
                edges[place as usize].push(Edge(gate << 1 | u32::from(signal.is_inverted())));
                let holds = (counts[place as usize] <= 0) != signal.is_inverted();
                false_inputs += i32::from(!holds);
            }
            counts.push(false_inputs);
        }
        let mut readers = Vec::with_capacity(total);
        let mut flat = Vec::new();
        for list in edges {
            let start = flat.len() as u32;
            flat.extend(list);
            readers.push((start, flat.len() as u32));
        }
        let blocks = self
            .net
            .blocks
            .iter()
            .zip(block_nodes)
            .map(|(block, nodes)| self.block_code(block, nodes))
            .collect();
        Counters {
            readers,
            edges: flat,
            counts,
            outputs_from,
            outputs: outputs.iter().map(|(output, _)| *output).collect(),
            moves,
            blocks,
        }
    }

    fn block_code(&self, block: &super::net::Block, nodes: &[usize]) -> BlockCode {
        let outside = outside_inputs(self.net, block, nodes);
        let mut local = hashbrown::HashMap::new();
        // Local value zero is the constant.
        local.insert(0usize, 0u32);
        let mut inputs = Vec::new();
        for node in outside {
            local.insert(node, local.len() as u32);
            inputs.push(self.places[node]);
        }
        let mut variables = Vec::new();
        for &(variable, _) in &block.feedback {
            local.insert(variable, local.len() as u32);
            variables.push(self.places[variable]);
        }
        let mut gates = Vec::new();
        for &node in nodes {
            if let Node::And(a, b) = self.net.nodes[node] {
                let signal = |s: Signal| local[&s.node()] << 1 | s.0 & 1;
                gates.push((signal(a), signal(b)));
                local.insert(node, local.len() as u32);
            }
        }
        let feedback = block.feedback.iter().map(|(_, s)| local[&s.node()] << 1 | s.0 & 1).collect();
        BlockCode { inputs, variables, gates, feedback }
    }
}

/// The nodes outside a block that it reads, the constant apart.
fn outside_inputs(net: &Net, block: &super::net::Block, nodes: &[usize]) -> Vec<usize> {
    let inside = |node: usize| nodes.binary_search(&node).is_ok();
    let variable = |node: usize| block.feedback.iter().any(|(v, _)| *v == node);
    let mut outside: Vec<usize> = Vec::new();
    let mut look = |signal: Signal| {
        let node = signal.node();
        if node != 0 && !inside(node) && !variable(node) {
            outside.push(node);
        }
    };
    for &node in nodes {
        if let Node::And(a, b) = net.nodes[node] {
            look(a);
            look(b);
        }
    }
    block.feedback.iter().for_each(|(_, signal)| look(*signal));
    outside.sort_unstable();
    outside.dedup();
    outside
}
