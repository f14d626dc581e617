//! Networks for one player's turn.
//!
//! Most games have a fluent that says whose turn it is. Where exactly one of a few fluents holds at any
//! time, a network of its own for each of them knows that fluent as a constant: the moves of all others are
//! decided, and much of the rest folds away. That exactly one of them holds is proved here by induction (it
//! holds initially, and folding shows that each of them leads to exactly one of them), never guessed.

use super::net::{Block, Net, NetBuilder, Node, Signal};
use crate::row;
use crate::vocabulary::{FluentId, Vocabulary};
use hashbrown::HashMap;

/// Fluents of which exactly one holds in every reachable state, with a network for each.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    pub(crate) fluents: Vec<FluentId>,
    pub(crate) nets: Vec<Net>,
}

/// More networks than this are not made: each must be kept in step with the others.
const MOST_TURNS: usize = 8;

/// A specialisation must save this share of the gates to be worth its upkeep.
const LEAST_SAVING: f64 = 0.1;

/// The best choice of turn fluents, if there is a good one.
pub(crate) fn turns(net: &Net, vocabulary: &Vocabulary, initial: &[u64]) -> Option<Turns> {
    let mut groups: HashMap<_, Vec<FluentId>> = HashMap::new();
    for fluent in vocabulary.fluents() {
        let term = vocabulary.fluent(fluent);
        let terms = vocabulary.terms();
        groups.entry((terms.functor(term), terms.arguments(term).len())).or_default().push(fluent);
    }
    let play_size = |net: &Net| {
        net.cone_size(
            net.next.iter().copied().chain(net.legal.iter().flatten().copied()).chain([net.terminal]),
        )
    };
    let limit = play_size(net) as f64 * (1.0 - LEAST_SAVING);
    groups
        .into_values()
        .filter(|group| (2..=MOST_TURNS).contains(&group.len()))
        .filter(|group| group.iter().filter(|&&fluent| row::holds(initial, fluent)).count() == 1)
        .filter_map(|fluents| {
            let nets: Vec<Net> =
                fluents.iter().map(|&turn| specialised(net, &fluents, turn)).collect::<Option<_>>()?;
            let size = nets.iter().map(play_size).sum::<usize>() as f64 / nets.len() as f64;
            Some((size, Turns { fluents, nets }))
        })
        .filter(|(size, _)| *size <= limit)
        .min_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.fluents.cmp(&b.1.fluents)))
        .map(|(_, turns)| turns)
}

/// The network when `turn` is the one of `group` that holds; `None` if folding does not show that exactly
/// one of the group holds next.
fn specialised(net: &Net, group: &[FluentId], turn: FluentId) -> Option<Net> {
    let mut known = HashMap::new();
    for &fluent in group {
        known.insert(Node::Fluent(fluent.0), fluent == turn);
    }
    let first = folded(net, &known);
    // What is never legal is not done; where one move is all there is, it is done.
    for (role, legal) in (0u32..).zip(&first.legal) {
        let possible: Vec<u32> =
            (0u32..).zip(legal).filter(|(_, signal)| **signal != Signal::FALSE).map(|(m, _)| m).collect();
        for movement in 0..legal.len() as u32 {
            if legal[movement as usize] == Signal::FALSE {
                known.insert(Node::Move(role, movement), false);
            } else if possible == [movement] && legal[movement as usize] == Signal::TRUE {
                known.insert(Node::Move(role, movement), true);
            }
        }
    }
    let second = folded(net, &known);
    let next = group.iter().map(|fluent| second.next[fluent.index()]);
    let decided = next.clone().all(|signal| signal == Signal::TRUE || signal == Signal::FALSE);
    let one = next.filter(|signal| *signal == Signal::TRUE).count() == 1;
    (decided && one).then(|| second.swept())
}

/// The network with some inputs known. The inputs keep their places.
fn folded(net: &Net, known: &HashMap<Node, bool>) -> Net {
    let mut builder = NetBuilder::new();
    let mut signals = vec![Signal::FALSE; net.nodes.len()];
    let mut starts = vec![0; net.nodes.len() + 1];
    let map = |signals: &[Signal], signal: Signal| {
        let new = signals[signal.node()];
        if signal.is_inverted() { new.inverse() } else { new }
    };
    for (index, node) in net.nodes.iter().enumerate() {
        starts[index] = builder.nodes.len();
        signals[index] = match *node {
            Node::False => Signal::FALSE,
            Node::And(a, b) => {
                let (a, b) = (map(&signals, a), map(&signals, b));
                builder.and(a, b)
            }
            input => {
                let signal = builder.input(input);
                match known.get(&input) {
                    Some(true) => Signal::TRUE,
                    Some(false) => Signal::FALSE,
                    None => signal,
                }
            }
        };
    }
    starts[net.nodes.len()] = builder.nodes.len();
    let all = |list: &[Signal]| list.iter().map(|&signal| map(&signals, signal)).collect::<Vec<_>>();
    let blocks = net
        .blocks
        .iter()
        .map(|block| Block {
            nodes: starts[block.nodes.start]..starts[block.nodes.end],
            feedback: block
                .feedback
                .iter()
                .map(|&(variable, signal)| (signals[variable].node(), map(&signals, signal)))
                .collect(),
        })
        .collect();
    Net {
        blocks,
        legal: net.legal.iter().map(|list| all(list)).collect(),
        next: all(&net.next),
        terminal: map(&signals, net.terminal),
        goals: net
            .goals
            .iter()
            .map(|list| list.iter().map(|&(value, signal)| (value, map(&signals, signal))).collect())
            .collect(),
        asked: Vec::new(),
        nodes: builder.nodes,
    }
}
