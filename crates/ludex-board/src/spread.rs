//! Places for the corners of a graph in which the way between two of them is about as long as it is in the graph.
//!
//! Stress majorization, from a circle and from a few other beginnings that are always the same; the one with the least
//! stress counts. The unit is the length of an edge.

use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::random::Random;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// How many beginnings are tried, and how many rounds each takes.
const BEGINNINGS: u64 = 6;
const ROUNDS: usize = 120;
/// Larger graphs begin twice only.
const LARGE: usize = 64;

/// The places, in the order of the corners. Corners without edges stand in a row below the others.
pub fn spread(
    count: usize,
    edges: &[(usize, usize)],
    meter: &mut Meter,
) -> Result<Vec<(f64, f64)>, Exceeded> {
    let reached: BTreeSet<usize> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    let numbers: HashMap<usize, usize> = reached.iter().copied().zip(0..).collect();
    let among: Vec<(usize, usize)> = edges.iter().map(|(a, b)| (numbers[a], numbers[b])).collect();
    let places = connected(reached.len(), &among, meter)?;
    let left = places.iter().map(|place| place.0).fold(f64::INFINITY, f64::min).min(1e6);
    let low = places.iter().map(|place| place.1).fold(f64::NEG_INFINITY, f64::max).max(-1e6);
    let mut apart = 0;
    let place = |corner: usize| match numbers.get(&corner) {
        Some(&number) => places[number],
        None => {
            apart += 1;
            (left + f64::from(apart - 1), low + 1.5)
        }
    };
    Ok((0..count).map(place).collect())
}

fn connected(count: usize, edges: &[(usize, usize)], meter: &mut Meter) -> Result<Vec<(f64, f64)>, Exceeded> {
    let far = (count as f64).sqrt() + 2.0;
    let ways = ways(count, edges, far);
    let mut best: Option<(f64, Vec<(f64, f64)>)> = None;
    for beginning in 0..if count > LARGE { 2 } else { BEGINNINGS } {
        let mut random = Random::new(beginning);
        let around = |place: usize| std::f64::consts::TAU * place as f64 / count as f64;
        let mut somewhere = || far * (random.below(1 << 20) as f64 / f64::from(1 << 20) - 0.5);
        let mut places: Vec<(f64, f64)> = match beginning {
            0 => (0..count).map(|at| (far * around(at).cos(), far * around(at).sin() * 0.9)).collect(),
            _ => (0..count).map(|_| (somewhere(), somewhere())).collect(),
        };
        for _ in 0..ROUNDS {
            meter.tick_by((count * count) as u64)?;
            pull(&mut places, &ways);
        }
        let stress = stress(&places, &ways);
        if best.as_ref().is_none_or(|(least, _)| stress < least * 0.99) {
            best = Some((stress, places));
        }
    }
    Ok(upright(&best.map_or_else(Vec::new, |(_, places)| places), edges))
}

/// How long the shortest ways are; `far` where there is none.
fn ways(count: usize, edges: &[(usize, usize)], far: f64) -> Vec<Vec<f64>> {
    let mut near: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(a, b) in edges {
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    }
    let mut ways = vec![vec![far; count]; count];
    for (start, ways) in ways.iter_mut().enumerate() {
        ways[start] = 0.0;
        let mut open = VecDeque::from([start]);
        let mut seen = HashSet::from([start]);
        while let Some(at) = open.pop_front() {
            for &next in near.get(&at).into_iter().flatten() {
                if seen.insert(next) {
                    ways[next] = ways[at] + 1.0;
                    open.push_back(next);
                }
            }
        }
    }
    ways
}

/// Moves each corner to where the others would have it.
fn pull(places: &mut [(f64, f64)], ways: &[Vec<f64>]) {
    for place in 0..places.len() {
        let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
        for other in (0..places.len()).filter(|&other| other != place) {
            let wanted = ways[place][other];
            let weight = 1.0 / (wanted * wanted);
            let (dx, dy) = (places[place].0 - places[other].0, places[place].1 - places[other].1);
            let length = dx.hypot(dy).max(1e-6);
            x += weight * (places[other].0 + wanted * dx / length);
            y += weight * (places[other].1 + wanted * dy / length);
            weights += weight;
        }
        if weights > 0.0 {
            places[place] = (x / weights, y / weights);
        }
    }
}

fn stress(places: &[(f64, f64)], ways: &[Vec<f64>]) -> f64 {
    let mut sum = 0.0;
    for (a, ways) in ways.iter().enumerate() {
        for (b, wanted) in ways.iter().enumerate().take(a) {
            let length = (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
            sum += ((length - wanted) / wanted).powi(2);
        }
    }
    sum
}

/// The same picture turned so that as many edges as possible run across or up.
fn upright(places: &[(f64, f64)], edges: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let turned = |angle: f64| -> Vec<(f64, f64)> {
        let (s, c) = angle.sin_cos();
        places.iter().map(|&(x, y)| (x * c - y * s, x * s + y * c)).collect()
    };
    let slant = |places: &[(f64, f64)]| -> f64 {
        edges
            .iter()
            .map(|&(a, b)| (places[a].0 - places[b].0).abs().min((places[a].1 - places[b].1).abs()))
            .sum()
    };
    let angles = (0..90).map(|degree| f64::from(degree).to_radians());
    let views = angles.map(turned).map(|view| (slant(&view), view));
    let best = views.min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(Vec::new, |(_, view)| view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex_engine::budget::Budget;

    fn lengths(count: usize, edges: &[(usize, usize)]) -> Vec<f64> {
        let places = spread(count, edges, &mut Budget::default().meter()).expect("a small graph");
        edges.iter().map(|&(a, b)| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1)).collect()
    }

    #[test]
    fn edges_are_about_as_long_as_one_another() {
        // A ring of eight, and three such rings with spokes at four corners, as the board of merrills.
        let ring = |first: usize| (0..8).map(move |i| (first + i, first + (i + 1) % 8));
        let merrills: Vec<(usize, usize)> = ring(0)
            .chain(ring(8))
            .chain(ring(16))
            .chain([0, 2, 4, 6].into_iter().flat_map(|i| [(i, i + 8), (i + 8, i + 16)]))
            .collect();
        for (count, edges) in [(8, ring(0).collect()), (24, merrills)] {
            let lengths = lengths(count, &edges);
            let (least, most) = lengths.iter().fold((f64::MAX, 0.0f64), |(a, b), &l| (a.min(l), b.max(l)));
            assert!(least > 0.3 && most < 2.5, "{count}: {least} to {most}");
        }
    }

    #[test]
    fn what_is_not_connected_is_placed_as_well() {
        let places = spread(3, &[], &mut Budget::default().meter()).expect("a small graph");
        assert!(places.iter().all(|(x, y)| x.is_finite() && y.is_finite()) && places.len() == 3);
    }
}
