//! Graphs that are part of the triangular lattice: every corner has up to six neighbours, as the cells of a hex board
//! have, and the holes of Chinese checkers.

use std::collections::{BTreeSet, HashMap, VecDeque};

/// A corner of the lattice: how far along, and in which row. Its neighbours are `NEIGHBOURS` away.
pub type Corner = (i32, i32);

/// The six neighbours of a corner, one after the other around it.
const NEIGHBOURS: [Corner; 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// At least so many of the corners that are neighbours in the lattice must be neighbours in the graph.
const TIGHT: f64 = 0.9;

/// The six neighbours of a corner.
pub fn around((q, r): Corner) -> impl Iterator<Item = Corner> {
    NEIGHBOURS.into_iter().map(move |(a, b)| (q + a, r + b))
}

/// The graph's corners in the lattice so that exactly neighbours are neighbours, if that is so: the place of one corner
/// with six neighbours and theirs decide all others, triangle by triangle.
pub fn fit(count: usize, edges: &[(usize, usize)]) -> Option<Vec<Corner>> {
    let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        near[a].insert(b);
        near[b].insert(a);
    }
    if near.iter().any(|near| near.len() > 6) {
        return None;
    }
    let start = (0..count).find(|&corner| near[corner].len() == 6)?;
    let mut ring: Vec<usize> = near[start].iter().copied().take(1).collect();
    while ring.len() < 6 {
        let last = *ring.last()?;
        ring.push(
            near[start].iter().copied().find(|other| near[last].contains(other) && !ring.contains(other))?,
        );
    }
    let mut places: Vec<Option<Corner>> = vec![None; count];
    let mut taken: HashMap<Corner, usize> = HashMap::new();
    let mut open = VecDeque::new();
    let mut put =
        |corner: usize, at: Corner, places: &mut Vec<Option<Corner>>, open: &mut VecDeque<usize>| {
            places[corner] = Some(at);
            open.push_back(corner);
            taken.insert(at, corner).is_none()
        };
    put(start, (0, 0), &mut places, &mut open);
    for (&corner, at) in ring.iter().zip(NEIGHBOURS) {
        put(corner, at, &mut places, &mut open);
    }
    // A corner is looked at again when a neighbour found its place, so each at most seven times.
    while let Some(corner) = open.pop_front() {
        let Some(at) = places[corner] else { continue };
        for &other in &near[corner] {
            let Some(there) = places[other] else { continue };
            let third: Vec<usize> = near[corner].intersection(&near[other]).copied().collect();
            let spots: Vec<Corner> = around(at).filter(|&spot| around(there).any(|s| s == spot)).collect();
            let is_held = |spot: &Corner| third.iter().any(|&other| places[other] == Some(*spot));
            let free: Vec<Corner> = spots.iter().copied().filter(|spot| !is_held(spot)).collect();
            let left: Vec<usize> = third.into_iter().filter(|&other| places[other].is_none()).collect();
            if let ([spot], [corner]) = (free.as_slice(), left.as_slice())
                && !put(*corner, *spot, &mut places, &mut open)
            {
                return None;
            }
        }
    }
    let places = places.into_iter().collect::<Option<Vec<Corner>>>()?;
    let is_step = |&(a, b): &(usize, usize)| around(places[a]).any(|spot| spot == places[b]);
    let near_in_lattice: usize =
        places.iter().map(|&at| around(at).filter(|spot| taken.contains_key(spot)).count()).sum();
    let in_graph: usize = near.iter().map(BTreeSet::len).sum();
    (edges.iter().all(is_step) && in_graph as f64 >= TIGHT * near_in_lattice as f64).then_some(places)
}

/// The corners seen from another side: turned and reflected in one of twelve ways, so that `cost` is least. The costs of
/// two ways being equal, the first counts.
pub fn turned(places: &[Corner], cost: impl Fn(&[Corner]) -> usize) -> Vec<Corner> {
    let turn = |(q, r): Corner| (-r, q + r);
    let mirror = |(q, r): Corner| (r, q);
    let mut best: Option<(usize, Vec<Corner>)> = None;
    for way in 0..12 {
        let see = |&at: &Corner| {
            let at = if way >= 6 { mirror(at) } else { at };
            (0..way % 6).fold(at, |at, _| turn(at))
        };
        let seen: Vec<Corner> = places.iter().map(see).collect();
        let cost = cost(&seen);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, seen));
        }
    }
    best.map_or_else(Vec::new, |(_, seen)| seen)
}

/// The corners with those that have no neighbours in a row of their own, below the others as they are seen.
pub fn lined_up(places: Vec<Corner>, edges: &[(usize, usize)]) -> Vec<Corner> {
    let reached: BTreeSet<usize> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
    let seen = || reached.iter().map(|&corner| places[corner]);
    let (Some(lowest), Some(left)) = (seen().map(|(_, r)| r).min(), seen().map(|(q, r)| 2 * q + r).min())
    else {
        return places;
    };
    let row = lowest - 2;
    let mut apart = (left - row).div_euclid(2)..;
    let place = |(corner, &at)| match reached.contains(&corner) {
        true => Some(at),
        false => Some((apart.next()?, row)),
    };
    places.iter().enumerate().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All edges between corners of a set that are neighbours.
    fn edges(corners: &[Corner]) -> Vec<(usize, usize)> {
        let place: HashMap<Corner, usize> = corners.iter().copied().zip(0..).collect();
        let from = |(at, &corner): (usize, &Corner)| {
            around(corner).filter_map(|c| Some((at, *place.get(&c)?))).collect::<Vec<_>>()
        };
        corners.iter().enumerate().flat_map(from).filter(|(a, b)| a < b).collect()
    }

    fn rhombus(side: i32) -> Vec<Corner> {
        (0..side * side).map(|n| (n % side, n / side)).collect()
    }

    /// A hexagon of radius two with six tips: 19 + 6 · 3 corners.
    fn star() -> Vec<Corner> {
        let all = (-4..=4).flat_map(|q| (-4..=4).map(move |r| (q, r)));
        let within = |(q, r): Corner, from: i32| [q, r, -q - r].into_iter().all(|a| a >= from);
        all.filter(|&(q, r)| within((q, r), -2) || within((-q, -r), -2)).collect()
    }

    #[test]
    fn hex_boards_and_stars_fit() {
        for corners in [rhombus(3), rhombus(9), star()] {
            let edges = edges(&corners);
            let places = fit(corners.len(), &edges).expect("it is part of the lattice");
            let distinct: BTreeSet<Corner> = places.iter().copied().collect();
            assert_eq!(distinct.len(), corners.len());
            assert!(edges.iter().all(|&(a, b)| around(places[a]).any(|c| c == places[b])));
        }
        assert_eq!(star().len(), 37);
    }

    #[test]
    fn squares_and_cliques_do_not() {
        let square = |n: usize| (n % 4, n / 4);
        let near = |a: usize, b: usize| {
            let ((x, y), (z, w)) = (square(a), square(b));
            x.abs_diff(z) <= 1 && y.abs_diff(w) <= 1
        };
        let pairs = |test: &dyn Fn(usize, usize) -> bool, count: usize| -> Vec<(usize, usize)> {
            (0..count)
                .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
                .filter(|&(a, b)| test(a, b))
                .collect()
        };
        assert_eq!(fit(16, &pairs(&near, 16)), None);
        assert_eq!(fit(7, &pairs(&|_, _| true, 7)), None);
        assert_eq!(fit(0, &[]), None);
    }

    #[test]
    fn a_view_is_chosen_by_its_cost() {
        let corners = rhombus(3);
        let seen = turned(&corners, |seen| usize::from(seen[1] != (0, 1)));
        assert_eq!((seen[0], seen[1]), ((0, 0), (0, 1)));
    }
}
