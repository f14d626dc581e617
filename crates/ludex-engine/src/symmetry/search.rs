//! The automorphisms of a coloured graph, as generators.
//!
//! Colours are refined until nodes of one colour see the same colours around them. Where fluents or moves are
//! left that have a colour in common, one is singled out, and so on: the path to a leaf at which everything
//! is told apart. A symmetry takes this leaf to another one, so from the end of the path to its beginning
//! every node is tried that could stand for the one singled out and is not yet known to by the symmetries
//! found so far.
//!
//! Colours are hashes: two that are equal by accident make the search miss something or go astray, never tell a wrong
//! permutation, since each is compared with the rules.

use super::graph::RuleGraph;
use crate::budget::{Budget, Exceeded, Meter};
use hashbrown::HashMap;

/// Permutations of the nodes, and whether the search came to its end.
pub(super) fn generators(graph: &RuleGraph, budget: &Budget) -> (Vec<Vec<u32>>, bool) {
    let mut search = Search { graph, meter: budget.meter(), fresh: Vec::new() };
    let Ok(path) = search.path() else { return (Vec::new(), false) };
    let mut found: Vec<Vec<u32>> = Vec::new();
    for level in (0..path.len() - 1).rev() {
        let singled = path[level].singled;
        let colour = path[level].colours[singled];
        let mut orbits = Orbits::new(graph.nodes(), &found);
        for node in 0..graph.nodes() {
            if path[level].colours[node] != colour || orbits.same(node, singled) {
                continue;
            }
            let above = path[level].colours.clone();
            match search.image(&path, level, &above, node) {
                Ok(Some(map)) => {
                    orbits.join(&map);
                    found.push(map);
                }
                Ok(None) => {}
                Err(_) => return (found, false),
            }
        }
    }
    (found, true)
}

/// The colours at one level of the path, and the node that is singled out there.
struct Level {
    colours: Vec<u64>,
    /// The colours sorted.
    histogram: Vec<u64>,
    singled: usize,
}

struct Search<'g> {
    graph: &'g RuleGraph,
    meter: Meter,
    fresh: Vec<u64>,
}

impl Search<'_> {
    /// From the graph as it is to colours that tell all nodes apart; the last level singles out nothing.
    fn path(&mut self) -> Result<Vec<Level>, Exceeded> {
        let mut path = Vec::new();
        let mut colours = self.graph.colours.clone();
        self.refine(&mut colours)?;
        loop {
            let next = self.open(&colours);
            let mut histogram = colours.clone();
            histogram.sort_unstable();
            path.push(Level { colours: colours.clone(), histogram, singled: next.unwrap_or(usize::MAX) });
            let Some(next) = next else { return Ok(path) };
            single_out(&mut colours, next);
            self.refine(&mut colours)?;
        }
    }

    /// The first node of the smallest set that has a colour in common: fluents, moves and roles before atoms.
    fn open(&self, colours: &[u64]) -> Option<usize> {
        let nodes = &colours[..self.graph.nodes()];
        let mut counts: HashMap<u64, u32> = HashMap::new();
        nodes.iter().for_each(|colour| *counts.entry(*colour).or_default() += 1);
        let open = nodes.iter().enumerate().filter(|(_, colour)| counts[*colour] > 1);
        open.min_by_key(|(node, colour)| (counts[*colour], **colour, *node)).map(|(node, _)| node)
    }

    /// A symmetry that keeps what the path singles out above the level and takes what it singles out there to `node`.
    fn image(
        &mut self,
        path: &[Level],
        level: usize,
        colours: &[u64],
        node: usize,
    ) -> Result<Option<Vec<u32>>, Exceeded> {
        let mut colours = colours.to_vec();
        single_out(&mut colours, node);
        self.refine(&mut colours)?;
        let below = &path[level + 1];
        let mut histogram = colours.clone();
        histogram.sort_unstable();
        self.meter.tick_by(histogram.len() as u64)?;
        if histogram != below.histogram {
            return Ok(None);
        }
        if level + 2 == path.len() {
            let nodes = self.graph.nodes();
            let place: HashMap<u64, u32> =
                colours[..nodes].iter().zip(0..).map(|(colour, node)| (*colour, node)).collect();
            let map: Option<Vec<u32>> =
                below.colours[..nodes].iter().map(|colour| place.get(colour).copied()).collect();
            self.meter.tick_by(self.graph.edge_count() as u64)?;
            return Ok(map.filter(|map| is_permutation(map) && self.graph.is_symmetric(map)));
        }
        let colour = below.colours[below.singled];
        for next in 0..self.graph.nodes() {
            if colours[next] == colour
                && let Some(map) = self.image(path, level + 1, &colours, next)?
            {
                return Ok(Some(map));
            }
        }
        Ok(None)
    }

    /// Gives nodes different colours that see different colours around them, until that gives no more.
    fn refine(&mut self, colours: &mut [u64]) -> Result<(), Exceeded> {
        let distinct = |colours: &[u64]| {
            let mut sorted = colours.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            sorted.len()
        };
        let mut before = distinct(colours);
        loop {
            self.fresh.clear();
            for (node, &colour) in colours.iter().enumerate() {
                let around = self.graph.edges(node).iter();
                let sum = around.fold(0u64, |sum, &(other, kind)| {
                    sum.wrapping_add(mix(colours[other as usize] ^ kind.wrapping_mul(0xA24B_AED4_963E_E407)))
                });
                self.fresh.push(mix(colour.wrapping_add(mix(sum))));
            }
            colours.copy_from_slice(&self.fresh);
            self.meter.tick_by((self.graph.edge_count() + colours.len()) as u64)?;
            let now = distinct(colours);
            if now <= before {
                return Ok(());
            }
            before = now;
        }
    }
}

fn is_permutation(map: &[u32]) -> bool {
    let mut seen = vec![false; map.len()];
    map.iter().all(|&node| !std::mem::replace(&mut seen[node as usize], true))
}

fn single_out(colours: &mut [u64], node: usize) {
    colours[node] = mix(colours[node] ^ 0x5851_F42D_4C95_7F2D);
}

/// SplitMix64's finish.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Which nodes the symmetries found so far take to which.
struct Orbits {
    parents: Vec<u32>,
}

impl Orbits {
    fn new(nodes: usize, found: &[Vec<u32>]) -> Orbits {
        let mut orbits = Orbits { parents: (0..nodes as u32).collect() };
        found.iter().for_each(|map| orbits.join(map));
        orbits
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let parent = self.parents[node as usize];
            self.parents[node as usize] = self.parents[parent as usize];
            node = parent;
        }
        node
    }

    fn same(&mut self, a: usize, b: usize) -> bool {
        self.root(a as u32) == self.root(b as u32)
    }

    fn join(&mut self, map: &[u32]) {
        for (node, &to) in (0..).zip(map) {
            let (a, b) = (self.root(node), self.root(to));
            self.parents[a as usize] = b;
        }
    }
}
