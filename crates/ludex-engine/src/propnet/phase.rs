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

use super::net::{Block, Net, NetBuilder, Node, Signal};

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
pub(super) fn cycle(net: &Net, start: &[bool], period: usize) -> Vec<Phase> {
    let mut phases: Vec<Option<Phase>> = vec![None; period];
    phases[0] = Some(start.iter().map(|&bit| Tri::from(bit)).collect());
    let mut quiet = 0;
    let mut at = 0;
    // Each round makes something unknown in some phase, or is the last.
    while quiet < period {
        let from = phases[at].clone().unwrap_or_else(|| anything(net));
        let next = simulate(net, &from).next;
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
    phases.into_iter().flatten().collect()
}

/// What is known in a phase.
struct Simulated {
    nodes: Vec<Tri>,
    next: Phase,
}

fn simulate(net: &Net, phase: &Phase) -> Simulated {
    let mut moves: Vec<Vec<Tri>> = net.legal.iter().map(|list| vec![Tri::UNKNOWN; list.len()]).collect();
    let mut nodes = vec![Tri::UNKNOWN; net.nodes.len()];
    // Once for what is legal, which no move feeds into, and once for what follows from it.
    evaluate(net, phase, &moves, &mut nodes);
    for (role, legal) in net.legal.iter().enumerate() {
        let legal: Vec<Tri> = legal.iter().map(|&signal| value(&nodes, signal)).collect();
        let possible = legal.iter().filter(|&&l| l != Tri::FALSE).count();
        for (movement, &l) in legal.iter().enumerate() {
            moves[role][movement] = match l {
                Tri::FALSE => Tri::FALSE,
                // Whoever cannot make the only move there may be plays no further.
                _ if possible == 1 => Tri::TRUE,
                _ => Tri::UNKNOWN,
            };
        }
    }
    evaluate(net, phase, &moves, &mut nodes);
    let next = net.next.iter().map(|&signal| value(&nodes, signal)).collect();
    Simulated { nodes, next }
}

fn value(nodes: &[Tri], signal: Signal) -> Tri {
    let value = nodes[signal.node()];
    if signal.is_inverted() { value.not() } else { value }
}

fn evaluate(net: &Net, phase: &Phase, moves: &[Vec<Tri>], nodes: &mut [Tri]) {
    let mut done = 0;
    let sweep = |nodes: &mut [Tri], range: std::ops::Range<usize>| {
        for node in range {
            nodes[node] = match net.nodes[node] {
                Node::False => Tri::FALSE,
                Node::Fluent(fluent) => phase[fluent as usize],
                Node::Move(role, movement) => moves[role as usize][movement as usize],
                Node::Feedback => nodes[node],
                Node::And(a, b) => value(nodes, a).and(value(nodes, b)),
            };
        }
    };
    for block in &net.blocks {
        sweep(nodes, done..block.nodes.start);
        for &(variable, _) in &block.feedback {
            nodes[variable] = Tri::FALSE;
        }
        // Variables are read plainly only, so both bounds grow until they are the least fixpoints.
        loop {
            sweep(nodes, block.nodes.clone());
            let mut changed = false;
            for &(variable, signal) in &block.feedback {
                let new = value(nodes, signal);
                changed |= nodes[variable] != new;
                nodes[variable] = new;
            }
            if !changed {
                break;
            }
        }
        done = block.nodes.end;
    }
    sweep(nodes, done..net.nodes.len());
}

/// The network as it is in states of the phase: constants folded in, moves that cannot be legal and the only
/// possible move of a role as well, and what then is not read dropped.
pub(super) fn specialised(net: &Net, phase: &Phase) -> Net {
    let known = simulate(net, phase).nodes;
    let mut builder = NetBuilder::new();
    let mut place = vec![Signal::FALSE; net.nodes.len()];
    let constant = |node: usize| known[node].known().map(Signal::constant);
    let moved = |place: &[Signal], signal: Signal| place[signal.node()].inverse_if(signal.is_inverted());
    let mut blocks = net.blocks.iter().peekable();
    let mut open: Option<(usize, &Block)> = None;
    for (node, kind) in net.nodes.iter().enumerate() {
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
    Net { asked: Vec::new(), ..folded }.swept()
}
