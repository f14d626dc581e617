//! A network covered by tables of three inputs.
//!
//! An and-inverter network has one conjunction a gate; a GPU computes any function of three words at once. The
//! cover chooses for each gate that is kept a *cut*: up to three nodes from which it is computed, whatever
//! lies between them. Cuts are compared by area flow (the cost of a cut shared among those who read it), which
//! is the usual heuristic of technology mapping; the result is not the smallest cover, but near it.

use hashbrown::HashSet;
use ludex_engine::propnet::{Net, Node, Signal};

/// A gate as a function of up to three nodes. Unused inputs are node zero, which is never true.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lut {
    pub(crate) leaves: [u32; 3],
    /// In the order of [`super::circuit::tables`].
    pub(crate) table: u8,
}

#[derive(Clone, Copy, Debug)]
struct Cut {
    lut: Lut,
    size: u8,
    flow: f32,
}

/// So many cuts are kept a node.
const CUTS: usize = 10;

/// The cover of what the signals depend on: for each gate that is computed, how.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    pub(crate) luts: Vec<Option<Lut>>,
    /// Gates that outputs read inverted only: better stored so.
    pub(crate) inverted: Vec<bool>,
}

impl Cover {
    /// Covers what `outputs` need, the feedback of blocks included.
    pub(crate) fn new(net: &Net, outputs: &[Signal]) -> Cover {
        let needed = net.cone(outputs.iter().copied());
        let feedback = net.blocks.iter().flat_map(|block| block.feedback.iter());
        let feedback = feedback.filter(|(variable, _)| needed[*variable]).map(|(_, signal)| *signal);
        let outputs: Vec<Signal> = outputs.iter().copied().chain(feedback).collect();
        let mut readers = vec![0u32; net.nodes.len()];
        for signal in &outputs {
            readers[signal.node()] += 1;
        }
        for (node, kind) in net.nodes.iter().enumerate() {
            if let (Node::And(a, b), true) = (kind, needed[node]) {
                readers[a.node()] += 1;
                readers[b.node()] += 1;
            }
        }
        let mut cuts: Vec<Vec<Cut>> = vec![Vec::new(); net.nodes.len()];
        let mut flows = vec![0f32; net.nodes.len()];
        for (node, kind) in net.nodes.iter().enumerate() {
            let (Node::And(a, b), true) = (kind, needed[node]) else { continue };
            let mut found: Vec<Cut> = Vec::new();
            let [left, right] = [a, b].map(|signal| with_itself(&cuts[signal.node()], signal.node()));
            for x in &left {
                for y in &right {
                    if let Some(mut cut) = merged(x, y, a.is_inverted(), b.is_inverted()) {
                        let leaves = &cut.lut.leaves[..cut.size as usize];
                        cut.flow = 1.0 + leaves.iter().map(|&leaf| flows[leaf as usize]).sum::<f32>();
                        let same = |other: &Cut| other.lut.leaves == cut.lut.leaves;
                        if !found.iter().any(same) {
                            found.push(cut);
                        }
                    }
                }
            }
            found.sort_by(|x, y| x.flow.total_cmp(&y.flow).then(x.size.cmp(&y.size)));
            found.truncate(CUTS);
            flows[node] = found.first().map_or(0.0, |cut| cut.flow) / readers[node].max(1) as f32;
            cuts[node] = found;
        }
        let mut luts = vec![None; net.nodes.len()];
        let mut open: Vec<usize> = outputs.iter().map(|signal| signal.node()).collect();
        let mut seen = HashSet::new();
        while let Some(node) = open.pop() {
            if let Some(cut) = cuts[node].first()
                && seen.insert(node)
            {
                luts[node] = Some(cut.lut);
                open.extend(cut.lut.leaves[..cut.size as usize].iter().map(|&leaf| leaf as usize));
            }
        }
        let mut inverted = vec![false; net.nodes.len()];
        for signal in &outputs {
            inverted[signal.node()] = true;
        }
        for signal in outputs.iter().filter(|signal| !signal.is_inverted()) {
            inverted[signal.node()] = false;
        }
        Cover { luts, inverted }
    }

    /// How many tables there are.
    pub(crate) fn size(&self) -> usize {
        self.luts.iter().flatten().count()
    }
}

/// The cuts of a node, and the node as a cut for those who read it.
fn with_itself(cuts: &[Cut], node: usize) -> Vec<Cut> {
    let mut all = cuts.to_vec();
    let lut = Lut { leaves: [node as u32, 0, 0], table: super::circuit::tables::A };
    all.push(Cut { lut, size: 1, flow: 0.0 });
    all
}

/// The conjunction of two cuts, if it has at most three leaves.
fn merged(x: &Cut, y: &Cut, invert_x: bool, invert_y: bool) -> Option<Cut> {
    let mut leaves = [0u32; 3];
    let mut size = 0;
    let both = x.lut.leaves[..x.size as usize].iter().chain(&y.lut.leaves[..y.size as usize]);
    for &leaf in both {
        if !leaves[..size].contains(&leaf) {
            if size == 3 {
                return None;
            }
            leaves[size] = leaf;
            size += 1;
        }
    }
    leaves[..size].sort_unstable();
    let spread = |cut: &Cut, invert: bool| {
        let mut table = 0u8;
        for place in 0..8u8 {
            let mut from = 0u8;
            for (at, leaf) in cut.lut.leaves[..cut.size as usize].iter().enumerate() {
                let to = leaves[..size].iter().position(|other| other == leaf).unwrap_or(0);
                // Place 0 of the leaves is the highest bit of an index.
                from |= (place >> (2 - to) & 1) << (2 - at);
            }
            table |= ((cut.lut.table >> from & 1) ^ u8::from(invert)) << place;
        }
        table
    };
    let table = spread(x, invert_x) & spread(y, invert_y);
    Some(Cut { lut: Lut { leaves, table }, size: size as u8, flow: 0.0 })
}
