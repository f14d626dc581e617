//! From what holds next to what changes.
//!
//! For following changes it is better to know whether a fluent *changes* than whether it holds next: a fluent
//! that persists is next true because it is true, so each time it changes its next value would change
//! with it, and be followed in vain. Its change is `f and not next, or not f and next`, in which `next`
//! is simplified by what is known of `f`: of a frame rule only the moves that touch the fluent remain.

use super::net::{Net, NetBuilder, Node, Signal, TICKS_A_GATE};
use crate::budget::{Exceeded, Meter};
use hashbrown::HashMap;

/// How deep below `next` the fluent is looked for. Frame rules have it near the top; deeper occurrences
/// stay, which is right all the same.
const DEPTH: usize = 8;

/// The network with `next` replaced by whether each fluent changes.
pub(super) fn with_changes(net: &Net, meter: &mut Meter) -> Result<Net, Exceeded> {
    let mut builder = NetBuilder::continuing(net, meter)?;
    let fluents = fluents(net, &mut builder);
    let mut changes = Vec::with_capacity(fluents.len());
    for (&fluent, &next) in fluents.iter().zip(&net.next) {
        let Change { falls, rises, work } = Change::new(&mut builder, fluent, next);
        meter.tick_by(TICKS_A_GATE * (1 + work as u64))?;
        changes.push(builder.and(falls.inverse(), rises.inverse()).inverse());
    }
    Net { nodes: builder.nodes, next: changes, ..net.clone() }.swept(meter)
}

/// The signal of each fluent; one is made where the network has none, because nothing reads the fluent.
pub(super) fn fluents(net: &Net, builder: &mut NetBuilder) -> Vec<Signal> {
    let mut fluents = vec![None; net.next.len()];
    for (node, what) in net.nodes.iter().enumerate() {
        if let Node::Fluent(fluent) = what {
            fluents[*fluent as usize] = Some(Signal::plain(node));
        }
    }
    let made = |(fluent, signal): (u32, Option<Signal>)| {
        signal.unwrap_or_else(|| builder.input(Node::Fluent(fluent)))
    };
    (0u32..).zip(fluents).map(made).collect()
}

/// When a fluent changes.
pub(super) struct Change {
    /// It holds, and no longer holds next.
    pub(super) falls: Signal,
    /// It does not hold, and holds next.
    pub(super) rises: Signal,
    /// The gates that were looked at to find out.
    pub(super) work: usize,
}

impl Change {
    /// When the fluent changes, given when it holds next.
    pub(super) fn new(builder: &mut NetBuilder, fluent: Signal, next: Signal) -> Change {
        let (mut true_seen, mut false_seen) = (HashMap::new(), HashMap::new());
        let if_true = cofactor(builder, next, (fluent, true), DEPTH, &mut true_seen);
        let if_false = cofactor(builder, next, (fluent, false), DEPTH, &mut false_seen);
        Change {
            work: true_seen.len() + false_seen.len(),
            falls: builder.and(fluent, if_true.inverse()),
            rises: builder.and(fluent.inverse(), if_false),
        }
    }
}

/// The signal where the input has a value.
fn cofactor(
    builder: &mut NetBuilder,
    signal: Signal,
    (input, value): (Signal, bool),
    depth: usize,
    seen: &mut HashMap<usize, Signal>,
) -> Signal {
    let node = signal.node();
    let plain = if node == input.node() {
        if value { Signal::TRUE } else { Signal::FALSE }
    } else if let Some(&known) = seen.get(&node) {
        known
    } else {
        let result = match builder.nodes[node] {
            Node::And(a, b) if depth > 0 => {
                let left = cofactor(builder, a, (input, value), depth - 1, seen);
                let right = cofactor(builder, b, (input, value), depth - 1, seen);
                builder.and(left, right)
            }
            _ => Signal::plain(node),
        };
        seen.insert(node, result);
        result
    };
    if signal.is_inverted() { plain.inverse() } else { plain }
}
