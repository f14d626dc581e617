//! Which fluents matter: those on which an end, a goal or the legality of a move depends, now or later.
//!
//! What is true of the others can be left out of a state. The rest goes on as it did, since no fluent that matters depends
//! on one that does not; so whoever searches need not tell apart states that differ in nothing else, nor moves between which
//! nothing else decides.

use crate::goal_heuristic::conjunction;
use hashbrown::HashMap;
use ludex_engine::propnet::{Net, Node, Signal};
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::FluentId;

/// The fluents of a network that matter, as a row of so many words.
pub fn relevant(net: &Net, words: usize) -> Vec<u64> {
    let feedback: HashMap<usize, Signal> =
        net.blocks.iter().flat_map(|block| block.feedback.iter().copied()).collect();
    let goals = net.goals.iter().flatten().map(|(_, signal)| signal.node());
    let legal = net.legal.iter().flatten().map(|signal| signal.node());
    let mut open: Vec<usize> = goals.chain(legal).chain([net.terminal.node()]).collect();
    let mut seen = vec![false; net.nodes.len()];
    let mut mask = vec![0; words];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        match net.nodes[node] {
            Node::And(a, b) => open.extend([a.node(), b.node()]),
            Node::Fluent(fluent) => {
                row::set(&mut mask, FluentId(fluent));
                open.push(net.next[fluent as usize].node());
            }
            Node::Feedback => open.extend(feedback.get(&node).map(|signal| signal.node())),
            Node::False | Node::Move(..) => {}
        }
    }
    mask
}

/// What the best goal demands of single fluents: the parts of its condition that are fluents, or that one does not hold.
pub(super) fn demands(net: &Net) -> Vec<(FluentId, bool)> {
    let goals = net.goals.first().into_iter().flatten();
    let values = goals.filter_map(|&(value, signal)| Some((value?, signal)));
    let Some((_, best)) = values.max_by_key(|(value, _)| *value) else { return Vec::new() };
    let parts = if best.is_inverted() { vec![best] } else { conjunction(net, best.node()) };
    let demand = |part: Signal| match net.nodes[part.node()] {
        Node::Fluent(fluent) => Some((FluentId(fluent), !part.is_inverted())),
        _ => None,
    };
    parts.into_iter().filter_map(demand).collect()
}

/// Leaves what does not matter out of a state.
pub(super) fn leave_out(mask: Option<&[u64]>, state: &mut Row) {
    if let Some(mask) = mask {
        state.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
    }
}
