//! A network compiled for incremental evaluation, which follows changes.
//!
//! Trees of gates that nobody else reads become one gate of many inputs. A gate counts its inputs that are
//! false; it is true while the count is zero. So an input that changes costs one addition at each gate
//! that reads it, and goes further only where a gate really changes. Outputs (legal moves, changing fluents,
//! the end of the game, the inputs of blocks) are gates of one input, at the end of the numbering. Only the
//! questions that are to be followed are compiled; the rest of the network is left out.

use super::change::with_changes;
use super::levelized::Levelized;
use super::net::{Net, Node, Signal};
use super::turn::Questions;
use crate::budget::{Exceeded, Meter};
use hashbrown::HashMap;

/// A place in the compiled network: fluents, then moves, then feedback variables, then gates, then outputs.
pub(super) type Place = u32;

/// What happens when an output changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A move becomes legal or illegal.
    Legal { role: u32, action: u32 },
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
    /// Where the values come from that the block reads: the places of the local values from one on.
    pub(super) inputs: Vec<Place>,
    /// The places of the variables, which are the local values after that.
    pub(super) variables: Vec<Place>,
    pub(super) code: Levelized,
}

/// The compiled network.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    /// For each place the range of its edges.
    pub(super) readers: Vec<(u32, u32)>,
    pub(super) edges: Vec<Edge>,
    /// For each place the number of its false inputs when all fluents and moves are false; inputs that
    /// are false themselves have one.
    pub(super) counts: Vec<i32>,
    /// The fluents that something reads, as a row.
    pub(super) read: Vec<u64>,
    /// The first output.
    pub(super) outputs_from: Place,
    pub(super) outputs: Vec<Output>,
    pub(super) fluents: usize,
    /// For each role the place of its first move, and how many there are.
    pub(super) moves: Vec<Place>,
    pub(super) move_counts: Vec<usize>,
    pub(super) blocks: Vec<BlockCode>,
}

impl Counters {
    /// Compiles the part of a network that is followed.
    pub(super) fn new(net: &Net, followed: Questions, meter: &mut Meter) -> Result<Counters, Exceeded> {
        let mut part = net.clone();
        part.goals.clear();
        part.asked.clear();
        if !followed.legal {
            part.legal.iter_mut().flatten().for_each(|signal| *signal = Signal::FALSE);
        }
        if !followed.terminal {
            part.terminal = Signal::FALSE;
        }
        if followed.next {
            part = with_changes(&part, meter)?;
        } else {
            part.next.fill(Signal::FALSE);
            part = part.swept(meter)?;
        }
        Compiler::new(&part).compile(meter)
    }

    pub(super) fn memory_usage(&self) -> usize {
        std::mem::size_of_val(&*self.readers)
            + std::mem::size_of_val(&*self.edges)
            + std::mem::size_of_val(&*self.counts)
            + std::mem::size_of_val(&*self.outputs)
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

    fn compile(mut self, meter: &mut Meter) -> Result<Counters, Exceeded> {
        let net = self.net;
        meter.tick_by(net.nodes.len() as u64)?;
        let block_nodes = self.block_nodes();
        self.collect_outputs(&block_nodes);
        let needed = self.needed();
        meter.tick_by(net.nodes.len() as u64)?;
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
        let mut count = net.next.len() as Place;
        let mut moves = Vec::new();
        for legal in &net.legal {
            moves.push(count);
            count += legal.len() as Place;
        }
        for (node, what) in net.nodes.iter().enumerate() {
            self.places[node] = match *what {
                Node::Fluent(fluent) => fluent,
                Node::Move(role, action) => moves[role as usize] + action,
                Node::Feedback => {
                    count += 1;
                    count - 1
                }
                Node::False | Node::And(..) => NO_PLACE,
            };
        }
        let first_gate = count;
        for (node, what) in net.nodes.iter().enumerate() {
            meter.tick()?;
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
        self.link(first_gate, outputs_from, &outputs, moves, &block_nodes, meter)
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
                // The variables are nodes of the block, too.
                let mut inside = vec![false; block.nodes.len()];
                let at = |node: usize| node.wrapping_sub(block.nodes.start);
                for &(variable, _) in &block.feedback {
                    inside[at(variable)] = true;
                }
                let is_inside = |inside: &[bool], node: usize| inside.get(at(node)) == Some(&true);
                for node in block.nodes.clone() {
                    if let Node::And(a, b) = net.nodes[node] {
                        inside[at(node)] = is_inside(&inside, a.node()) || is_inside(&inside, b.node());
                    }
                }
                block
                    .nodes
                    .clone()
                    .filter(|&node| inside[at(node)] && matches!(net.nodes[node], Node::And(..)))
                    .collect()
            })
            .collect()
    }

    fn collect_outputs(&mut self, block_nodes: &[Vec<usize>]) {
        let net = self.net;
        for (role, legal) in net.legal.iter().enumerate() {
            for (action, &signal) in legal.iter().enumerate() {
                let output = Output::Legal { role: role as u32, action: action as u32 };
                self.outputs.push((output, signal));
            }
        }
        for (fluent, &signal) in net.next.iter().enumerate() {
            self.outputs.push((Output::Change { fluent: fluent as u32 }, signal));
        }
        self.outputs.push((Output::Terminal, net.terminal));
        // What never holds needs no output.
        self.outputs.retain(|(_, signal)| *signal != Signal::FALSE);
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
        meter: &mut Meter,
    ) -> Result<Counters, Exceeded> {
        let total = first_gate as usize + self.inputs.len();
        let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); total];
        let mut counts = vec![1; first_gate as usize];
        for (gate, inputs) in (first_gate..).zip(&self.inputs) {
            meter.tick_by(inputs.len() as u64)?;
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
        let fluents = self.net.next.len();
        let mut read = vec![0; fluents.div_ceil(64)];
        for fluent in (0..fluents).filter(|&fluent| !edges[fluent].is_empty()) {
            read[fluent / 64] |= 1 << (fluent % 64);
        }
        let mut readers = Vec::with_capacity(total);
        let mut flat = Vec::new();
        for list in edges {
            meter.tick()?;
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
        Ok(Counters {
            readers,
            edges: flat,
            counts,
            read,
            outputs_from,
            outputs: outputs.iter().map(|(output, _)| *output).collect(),
            fluents,
            moves,
            move_counts: self.net.legal.iter().map(Vec::len).collect(),
            blocks,
        })
    }

    fn block_code(&self, block: &super::net::Block, nodes: &[usize]) -> BlockCode {
        let outside = outside_inputs(self.net, block, nodes);
        let mut local = HashMap::new();
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
        let mut code = Levelized { first: local.len(), ..Levelized::default() };
        let read =
            |local: &HashMap<usize, u32>, s: Signal| local[&s.node()] << 1 | u32::from(s.is_inverted());
        for &node in nodes {
            if let Node::And(a, b) = self.net.nodes[node] {
                code.gates.push((read(&local, a), read(&local, b)));
                local.insert(node, local.len() as u32);
            }
        }
        code.feedback = block.feedback.iter().map(|&(v, s)| (local[&v], read(&local, s))).collect();
        BlockCode { inputs, variables, code }
    }
}

/// The nodes outside a block that it reads, the constant apart.
fn outside_inputs(net: &Net, block: &super::net::Block, nodes: &[usize]) -> Vec<usize> {
    let inside = |node: usize| nodes.binary_search(&node).is_ok();
    let mut variables: Vec<usize> = block.feedback.iter().map(|(variable, _)| *variable).collect();
    variables.sort_unstable();
    let variable = |node: usize| variables.binary_search(&node).is_ok();
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
