//! What is constant in every second state, or every third.
//!
//! Where players take turns, half of a network is idle in every state. In all states at an even ply, say, the
//! fluents that tell whose turn it is have the same values, and the network with these constants folded in
//! is about half as large; the idle player's moves need no choosing. Fluents that never change (walls) are
//! constants of every phase. Both executions use this: lanes are kept in step, so that a pass is in one phase;
//! a scalar worker looks which phase a state agrees with.
//!
//! Nothing is guessed. [`cycle`] computes, by three-valued simulation (false, true, unknown) over a cycle of
//! `period` phases, what every state of a phase has in common: what the states of one phase and any legal
//! moves make certain is all that the next phase keeps. The result is inductive: successors of *any* state
//! that agrees with phase i agree with phase i+1, so it serves every start row that agrees with some phase.

use super::net::{Block, Net, NetBuilder, Node, Signal, TICKS_A_GATE};
use crate::budget::{Exceeded, Meter};
use std::ops::Range;

/// False, true or unknown: bit 0 says that it must hold, bit 1 that it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Tri(u8);

impl Tri {
    pub(super) const FALSE: Tri = Tri(0b00);
    pub(super) const TRUE: Tri = Tri(0b11);
    pub(super) const UNKNOWN: Tri = Tri(0b10);

    pub(super) fn known(self) -> Option<bool> {
        match self {
            Tri::FALSE => Some(false),
            Tri::TRUE => Some(true),
            _ => None,
        }
    }

    fn from(value: bool) -> Tri {
        if value { Tri::TRUE } else { Tri::FALSE }
    }

    fn and(self, other: Tri) -> Tri {
        Tri(self.0 & other.0)
    }

    fn not(self) -> Tri {
        Tri((self.0 >> 1 | self.0 << 1) & 0b11 ^ 0b11)
    }

    /// What both have in common.
    fn join(self, other: Tri) -> Tri {
        if self == other { self } else { Tri::UNKNOWN }
    }

    /// True if a value may be this.
    pub(super) fn admits(self, value: bool) -> bool {
        self == Tri::UNKNOWN || self == Tri::from(value)
    }
}

/// What all states of one phase have in common, by fluent.
pub(super) type Phase = Vec<Tri>;

/// A state of which nothing is known.
pub(super) fn anything(net: &Net) -> Phase {
    vec![Tri::UNKNOWN; net.next.len()]
}

/// What the states after 0, 1, ... plies from `start` have in common, over a cycle of `period` phases.
pub(super) fn cycle(
    net: &Net,
    start: &[bool],
    period: usize,
    meter: &mut Meter,
) -> Result<Vec<Phase>, Exceeded> {
    let wiring = Wiring::new(net, meter)?;
    let mut simulations = vec![Simulation::new(net, &wiring); period];
    let mut phases: Vec<Option<Phase>> = vec![None; period];
    phases[0] = Some(start.iter().map(|&bit| Tri::from(bit)).collect());
    let mut quiet = 0;
    let mut at = 0;
    // Each round makes something unknown in some phase, or is the last.
    while quiet < period {
        let from = phases[at].clone().unwrap_or_else(|| anything(net));
        let next = simulations[at].next(&from, meter)?;
        at = (at + 1) % period;
        let joined: Phase = match &phases[at] {
            None => next,
            Some(old) => old.iter().zip(&next).map(|(a, b)| a.join(*b)).collect(),
        };
        if phases[at].as_ref() == Some(&joined) {
            quiet += 1;
        } else {
            quiet = 0;
            phases[at] = Some(joined);
        }
    }
    Ok(phases.into_iter().flatten().collect())
}

/// Where the inputs of a network are, and who reads each node.
struct Wiring {
    inputs: Vec<(usize, Node)>,
    /// For each node where its readers begin; they end where those of the next one begin.
    starts: Vec<u32>,
    readers: Vec<u32>,
}

impl Wiring {
    fn new(net: &Net, meter: &mut Meter) -> Result<Wiring, Exceeded> {
        meter.tick_by(net.nodes.len() as u64)?;
        let inputs = net.nodes.iter().copied().enumerate();
        let inputs = inputs.filter(|(_, node)| matches!(node, Node::Fluent(_) | Node::Move(..))).collect();
        let gates = || {
            net.nodes.iter().enumerate().filter_map(|(gate, node)| match node {
                Node::And(a, b) => Some((gate, [a.node(), b.node()])),
                _ => None,
            })
        };
        let mut starts = vec![0u32; net.nodes.len() + 1];
        for (_, read) in gates() {
            meter.tick_by(2)?;
            read.into_iter().for_each(|node| starts[node + 1] += 1);
        }
        for node in 0..net.nodes.len() {
            starts[node + 1] += starts[node];
        }
        let mut ends = starts.clone();
        let mut readers = vec![0; starts[net.nodes.len()] as usize];
        for (gate, read) in gates() {
            meter.tick()?;
            for node in read {
                readers[ends[node] as usize] = gate as u32;
                ends[node] += 1;
            }
        }
        Ok(Wiring { inputs, starts, readers })
    }

    fn readers(&self, node: usize) -> &[u32] {
        &self.readers[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// What is known of each node in a phase. When less is known of the phase, only what that changes is computed again:
/// in chess a cycle takes dozens of rounds, most of which change little.
#[derive(Clone)]
struct Simulation<'n> {
    net: &'n Net,
    wiring: &'n Wiring,
    nodes: Vec<Tri>,
    /// Gates to be computed, as a row.
    stale: Vec<u64>,
}

impl<'n> Simulation<'n> {
    fn new(net: &'n Net, wiring: &'n Wiring) -> Simulation<'n> {
        let mut stale = vec![0; net.nodes.len().div_ceil(64)];
        for (node, _) in net.nodes.iter().enumerate().filter(|(_, node)| matches!(node, Node::And(..))) {
            stale[node / 64] |= 1 << (node % 64);
        }
        let mut nodes = vec![Tri::UNKNOWN; net.nodes.len()];
        nodes[0] = Tri::FALSE;
        Simulation { net, wiring, nodes, stale }
    }

    /// What the states after those of the phase have in common.
    fn next(&mut self, phase: &Phase, meter: &mut Meter) -> Result<Phase, Exceeded> {
        self.run(phase, meter)?;
        Ok(self.net.next.iter().map(|&signal| value(&self.nodes, signal)).collect())
    }

    fn run(&mut self, phase: &Phase, meter: &mut Meter) -> Result<(), Exceeded> {
        let (net, wiring) = (self.net, self.wiring);
        for &(node, input) in &wiring.inputs {
            if let Node::Fluent(fluent) = input {
                self.set(node, phase[fluent as usize]);
            }
        }
        // Once for what is legal, which no move feeds into, and once for what follows from it.
        self.settle(meter)?;
        let possible = |legal: &Vec<Signal>| {
            legal.iter().filter(|&&signal| value(&self.nodes, signal) != Tri::FALSE).count()
        };
        let possible: Vec<usize> = net.legal.iter().map(possible).collect();
        for &(node, input) in &wiring.inputs {
            if let Node::Move(role, action) = input {
                let legal = value(&self.nodes, net.legal[role as usize][action as usize]);
                self.set(
                    node,
                    match legal {
                        Tri::FALSE => Tri::FALSE,
                        // Whoever cannot make the only move there may be plays no further.
                        _ if possible[role as usize] == 1 => Tri::TRUE,
                        _ => Tri::UNKNOWN,
                    },
                );
            }
        }
        self.settle(meter)
    }

    fn set(&mut self, node: usize, value: Tri) {
        if self.nodes[node] != value {
            self.nodes[node] = value;
            for &reader in self.wiring.readers(node) {
                self.stale[reader as usize / 64] |= 1 << (reader % 64);
            }
        }
    }

    fn settle(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        let net = self.net;
        let mut from = 0;
        for block in &net.blocks {
            self.sweep(from..block.nodes.start, meter)?;
            self.settle_block(block, meter)?;
            from = block.nodes.end;
        }
        self.sweep(from..net.nodes.len(), meter)
    }

    /// Computes gates of the range that are stale. Readers come later, so one sweep is enough.
    fn sweep(&mut self, range: Range<usize>, meter: &mut Meter) -> Result<(), Exceeded> {
        for word in range.start / 64..range.end.div_ceil(64) {
            meter.tick()?;
            loop {
                let inside = bits_from(range.start, word) & !bits_from(range.end, word);
                let stale = self.stale[word] & inside;
                if stale == 0 {
                    break;
                }
                let node = word * 64 + stale.trailing_zeros() as usize;
                self.stale[word] &= !(1 << (node % 64));
                meter.tick()?;
                if let Node::And(a, b) = self.net.nodes[node] {
                    let new = value(&self.nodes, a).and(value(&self.nodes, b));
                    self.set(node, new);
                }
            }
        }
        Ok(())
    }

    /// Computes a block anew. Variables are read plainly only, so both bounds grow until they are the least
    /// fixpoints.
    fn settle_block(&mut self, block: &Block, meter: &mut Meter) -> Result<(), Exceeded> {
        for &(variable, _) in &block.feedback {
            self.set(variable, Tri::FALSE);
        }
        loop {
            self.sweep(block.nodes.clone(), meter)?;
            meter.tick_by(block.feedback.len() as u64)?;
            let mut changed = false;
            for &(variable, signal) in &block.feedback {
                let new = value(&self.nodes, signal);
                changed |= self.nodes[variable] != new;
                self.set(variable, new);
            }
            if !changed {
                return Ok(());
            }
        }
    }
}

/// The bits of a word that stand for numbers from `first` on.
fn bits_from(first: usize, word: usize) -> u64 {
    match first.checked_sub(word * 64) {
        None => !0,
        Some(bits) if bits < 64 => !0 << bits,
        Some(_) => 0,
    }
}

fn value(nodes: &[Tri], signal: Signal) -> Tri {
    let value = nodes[signal.node()];
    if signal.is_inverted() { value.not() } else { value }
}

/// The network as it is in states of the phase: constants folded in, moves that cannot be legal and the only
/// possible move of a role as well, and what then is not read dropped.
pub(super) fn specialised(net: &Net, phase: &Phase, meter: &mut Meter) -> Result<Net, Exceeded> {
    let wiring = Wiring::new(net, meter)?;
    let mut simulation = Simulation::new(net, &wiring);
    simulation.run(phase, meter)?;
    let known = simulation.nodes;
    let mut builder = NetBuilder::new();
    let mut place = vec![Signal::FALSE; net.nodes.len()];
    let constant = |node: usize| known[node].known().map(Signal::constant);
    let moved = |place: &[Signal], signal: Signal| place[signal.node()].inverse_if(signal.is_inverted());
    let mut blocks = net.blocks.iter().peekable();
    let mut open: Option<(usize, &Block)> = None;
    for (node, kind) in net.nodes.iter().enumerate() {
        meter.tick_by(TICKS_A_GATE)?;
        if let Some(block) = blocks.next_if(|block| block.nodes.start == node) {
            open = Some((builder.nodes.len(), block));
        }
        place[node] = match (constant(node), *kind) {
            (Some(signal), _) => signal,
            (None, Node::And(a, b)) => builder.and(moved(&place, a), moved(&place, b)),
            (None, input) => builder.input(input),
        };
        if let Some((start, block)) = open
            && block.nodes.end == node + 1
        {
            let feedback: Vec<(usize, Signal)> = block
                .feedback
                .iter()
                .filter(|(variable, _)| constant(*variable).is_none())
                .map(|&(variable, signal)| (place[variable].node(), moved(&place, signal)))
                .collect();
            if !feedback.is_empty() {
                builder.blocks.push(Block { nodes: start..builder.nodes.len(), feedback });
            }
            open = None;
        }
    }
    let NetBuilder { nodes, blocks, .. } = builder;
    let folded = net.carried(nodes, blocks, |signal| moved(&place, signal));
    // Play needs no other answers.
    Net { asked: Vec::new(), ..folded }.swept(meter)
}
