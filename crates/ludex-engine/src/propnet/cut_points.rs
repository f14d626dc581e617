//! Cut points: gates between the moves and what they do, kept as bits of the row while a move is made.
//!
//! In hex a stone joins chains. Which chains is a question of the move, and what becomes of their stones one of the chains: written
//! down for each move together, that is 81 moves times 6,561 fluents. But if the 81 gates that say "this chain is
//! joined" are *cut points*, computed for the move at hand and remembered as bits behind the moves, what each move does is to
//! switch cut_points on, and what cut_points do is written down once. A second layer of cut_points, "this stone is in a chain that is
//! joined", makes that short, too.

use super::net::{Net, NetBuilder, Node, Signal, TICKS_A_GATE};
use crate::budget::{Exceeded, Meter};

/// The most cut points of a phase.
const MOST_RELAYS: usize = 512;

/// More pairs of a move and a fluent that it may touch than this are worth cut_points.
const MOST_PAIRS: u64 = 300_000;

/// The same for pairs of a cut point and a fluent.
const MOST_LATE_PAIRS: u64 = 20_000;

/// How many bits a row needs for cut_points.
pub(super) fn room(net: &Net, meter: &mut Meter) -> Result<usize, Exceeded> {
    let paths = Paths::new(net, |_| true, meter)?;
    Ok(if paths.pairs() > MOST_PAIRS { MOST_RELAYS } else { 0 })
}

/// A network with cut points as inputs: moves of a role after the last one. When each is on is what `asked` says.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) net: Net,
    /// How many cut points depend on moves and the state alone. The others depend on these, too.
    pub(super) first: usize,
}

/// Makes cut points, first of gates that moves lead to, then, if these still lead to very much, of gates that cut points lead to.
/// `None` if none are worth it.
pub(super) fn cut(net: &Net, meter: &mut Meter) -> Result<Option<Cut>, Exceeded> {
    if !net.blocks.is_empty() {
        return Ok(None);
    }
    let roles = net.legal.len() as u32;
    let paths = Paths::new(net, |role| role < roles, meter)?;
    let Some(net) = cut_once(&Net { asked: Vec::new(), ..net.clone() }, &paths, meter)? else {
        return Ok(None);
    };
    let first = net.asked.len();
    let paths = Paths::new(&net, |role| role == roles, meter)?;
    let again = if paths.pairs() > MOST_LATE_PAIRS { cut_once(&net, &paths, meter)? } else { None };
    Ok(Some(Cut { net: again.unwrap_or(net), first }))
}

/// Adds cut points to those that there are.
fn cut_once(net: &Net, paths: &Paths, meter: &mut Meter) -> Result<Option<Net>, Exceeded> {
    let mut chosen = vec![false; net.nodes.len()];
    paths.best(net, meter)?.into_iter().for_each(|node| chosen[node] = true);
    let mut builder = NetBuilder::new();
    let mut moved: Vec<Signal> = Vec::with_capacity(net.nodes.len());
    let mut definitions = Vec::new();
    // What each node is without any move: cut points must be off then.
    let mut idle: Vec<Signal> = Vec::with_capacity(net.nodes.len());
    for (index, node) in net.nodes.iter().enumerate() {
        meter.tick_by(2 * TICKS_A_GATE)?;
        let (plain, still) = match *node {
            Node::And(a, b) => {
                let [now, without] = [&moved, &idle].map(|list: &Vec<Signal>| {
                    [a, b].map(|signal| list[signal.node()].inverse_if(signal.is_inverted()))
                });
                (builder.and(now[0], now[1]), builder.and(without[0], without[1]))
            }
            Node::False => (Signal::FALSE, Signal::FALSE),
            Node::Move(..) => (builder.input(*node), Signal::FALSE),
            Node::Fluent(_) | Node::Feedback => {
                let input = builder.input(*node);
                (input, input)
            }
        };
        moved.push(plain);
        idle.push(still);
        let number = net.asked.len() + definitions.len();
        if let Some(value) = still.known()
            && chosen[index]
            && number < MOST_RELAYS
        {
            let cut_point = builder.input(Node::Move(net.legal.len() as u32, number as u32));
            definitions.push(plain.inverse_if(value));
            moved[index] = cut_point.inverse_if(value);
        }
    }
    if definitions.is_empty() {
        return Ok(None);
    }
    let mut cut = net
        .carried(builder.nodes, Vec::new(), |signal| moved[signal.node()].inverse_if(signal.is_inverted()));
    cut.asked.extend(definitions);
    Ok(Some(cut))
}

/// How many ways lead to each node from moves that may be legal, or from cut points, and from it to what holds next; no more than
/// there are fluents, or moves at first.
struct Paths {
    sources: Vec<usize>,
    from_sources: Vec<u64>,
    to_fluents: Vec<u64>,
    readers: Vec<Vec<u32>>,
}

impl Paths {
    /// The ways from moves of those roles.
    fn new(net: &Net, of: impl Fn(u32) -> bool, meter: &mut Meter) -> Result<Paths, Exceeded> {
        let possible = |role: u32, action: u32| {
            let legal = net.legal.get(role as usize).map(|moves| moves[action as usize]);
            of(role) && legal != Some(Signal::FALSE)
        };
        let sources: Vec<usize> = (0..net.nodes.len())
            .filter(|&node| matches!(net.nodes[node], Node::Move(role, action) if possible(role, action)))
            .collect();
        let (most, fluents) = (sources.len() as u64, net.next.len() as u64);
        let mut from_sources = vec![0u64; net.nodes.len()];
        sources.iter().for_each(|&node| from_sources[node] = 1);
        let mut readers = vec![Vec::new(); net.nodes.len()];
        for (index, node) in net.nodes.iter().enumerate() {
            meter.tick_by(TICKS_A_GATE)?;
            if let Node::And(a, b) = *node {
                [a, b].iter().for_each(|signal| readers[signal.node()].push(index as u32));
                from_sources[index] = (from_sources[a.node()] + from_sources[b.node()]).min(most);
            }
        }
        let mut to_fluents = vec![0u64; net.nodes.len()];
        net.next.iter().for_each(|signal| to_fluents[signal.node()] += 1);
        for index in (0..net.nodes.len()).rev() {
            meter.tick()?;
            if let Node::And(a, b) = net.nodes[index] {
                for input in [a.node(), b.node()] {
                    to_fluents[input] = (to_fluents[input] + to_fluents[index]).min(fluents);
                }
            }
        }
        Ok(Paths { sources, from_sources, to_fluents, readers })
    }

    /// Pairs of a source and a fluent that it may touch.
    fn pairs(&self) -> u64 {
        self.sources.iter().map(|&source| self.to_fluents[source]).sum()
    }

    /// Gates through which most ways lead, none of which reads another.
    fn best(&self, net: &Net, meter: &mut Meter) -> Result<Vec<usize>, Exceeded> {
        meter.tick_by(net.nodes.len() as u64)?;
        let score = |node: usize| self.from_sources[node] * self.to_fluents[node];
        let gates = (0..net.nodes.len()).filter(|&node| matches!(net.nodes[node], Node::And(..)));
        let most = gates.clone().map(score).max().unwrap_or(0);
        let mut order: Vec<usize> = gates.filter(|&node| most > 0 && score(node) * 2 >= most).collect();
        // Of equals the one nearest to the fluents, which has the others behind it.
        order.sort_by_key(|&node| (std::cmp::Reverse(score(node)), std::cmp::Reverse(node)));
        let mut related = vec![[false; 2]; net.nodes.len()];
        let mut chosen = Vec::new();
        for node in order {
            if related[node] != [false; 2] {
                continue;
            }
            chosen.push(node);
            let mut open = vec![(node, 0), (node, 1)];
            while let Some((node, direction)) = open.pop() {
                meter.tick()?;
                if std::mem::replace(&mut related[node][direction], true) {
                    continue;
                }
                if direction == 0 {
                    open.extend(self.readers[node].iter().map(|&reader| (reader as usize, 0)));
                } else if let Node::And(a, b) = net.nodes[node] {
                    open.extend([(a.node(), 1), (b.node(), 1)]);
                }
            }
        }
        Ok(chosen)
    }
}
