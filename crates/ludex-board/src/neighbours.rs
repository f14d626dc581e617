//! Which spots are neighbours: what facts of the rules say, whatever the relation is called.
//!
//! A fact that names two spots, one directly behind the other or with one more argument between, makes them neighbours.
//! Not every relation over spots is one of neighbours: lines of three, orders, everything else than itself. So each is
//! looked at on its own: it has to reach most spots, and to lead from a spot to few others.

use crate::evidence::Evidence;
use crate::lattice::{self, Corner};
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Pairs of spots by their numbers, the smaller first.
pub type Edges = BTreeSet<(usize, usize)>;

/// Where each spot is in the lattice, and which are neighbours.
pub type Hexagons = (Vec<Corner>, Vec<(usize, usize)>);

/// What facts say of the spots of one board.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// The neighbours that one relation names, a relation each.
    single: Vec<Edges>,
    /// The same for relations that the text lists.
    plain: Vec<Edges>,
    /// The neighbours that those name together.
    listed: Edges,
    /// Relations that lead from a spot to at most one other, such as a direction.
    ways: Vec<BTreeMap<usize, usize>>,
    count: usize,
    /// How many names say which spot it is.
    size: usize,
}

/// The most neighbours of a spot, on average.
const MOST: usize = 6;

impl Neighbours {
    /// Looks for relations over spots. `spots` gives the number of each by the names that say which it is.
    pub fn of(
        evidence: &Evidence,
        spots: &HashMap<Vec<TermId>, usize>,
        meter: &mut Meter,
    ) -> Result<Neighbours, Exceeded> {
        let count = spots.len();
        let mut found = Neighbours { count, ..Neighbours::default() };
        let Some(size) = spots.keys().next().map(Vec::len) else { return Ok(found) };
        found.size = size;
        for facts in &evidence.facts {
            let width = facts.rows.first().map_or(0, Vec::len);
            let mut whole = Edges::new();
            for (at, gap) in (0..width).flat_map(|at| [(at, 0), (at, 1)]) {
                let behind = at + size + gap;
                if behind + size > width {
                    continue;
                }
                meter.tick_by(facts.rows.len() as u64)?;
                let pair = |row: &Vec<TermId>| {
                    Some((*spots.get(&row[at..at + size])?, *spots.get(&row[behind..behind + size])?))
                };
                let pairs: Edges = facts
                    .rows
                    .iter()
                    .filter_map(pair)
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| (a.min(b), a.max(b)))
                    .collect();
                let reached = touched(&pairs);
                // Between spots of one name, a gap is more likely the way there than a third spot of a line.
                let is_line = gap == 1 && size == 1;
                if reached * 3 < count || pairs.len() > count * MOST || is_line {
                    continue;
                }
                whole.extend(&pairs);
            }
            if whole.is_empty() {
                continue;
            }
            let is_listed = evidence.is_listed(facts.relation);
            if is_listed && whole.len() < count * 4 {
                found.listed.extend(&whole);
                found.plain.push(whole.clone());
            }
            if size == 1 && (2..=3).contains(&width) {
                found.ways.extend(ways(&facts.rows, spots));
            }
            if !found.single.contains(&whole) {
                found.single.push(whole);
            }
        }
        Ok(found)
    }

    /// The spots as part of the triangular lattice, with the neighbours that say so.
    pub fn hexagons(&self) -> Option<Hexagons> {
        // The relation that reaches most; among equals the first.
        let reach =
            |found: &Hexagons| found.1.iter().flat_map(|&(a, b)| [a, b]).collect::<HashSet<usize>>().len();
        let most = |found: &mut dyn Iterator<Item = Hexagons>| {
            found.fold(None, |best: Option<Hexagons>, next| match best {
                Some(best) if reach(&best) >= reach(&next) => Some(best),
                _ => Some(next),
            })
        };
        let single = most(&mut self.single.iter().chain([&self.listed]).filter_map(|edges| self.fit(edges)));
        let reaches_all = single.as_ref().is_some_and(|found| reach(found) == self.count);
        let by_ways = || {
            // Two of three directions, as the men of Chinese checkers go forward. A rectangle is not meant so.
            let pairs =
                self.ways.iter().enumerate().flat_map(|(at, one)| {
                    self.ways[at + 1..].iter().take(MOST).map(move |other| (one, other))
                });
            let parts: Vec<Edges> =
                pairs.take(MOST * MOST).map(|(one, other)| completed(one, other)).collect();
            // The ways of one player seldom reach all spots; those of the others go on where they fit.
            let grown = |(begin, found): (&Edges, Hexagons)| {
                let (mut edges, mut best) = (begin.clone(), found);
                for part in &parts {
                    let whole: Edges = edges.union(part).copied().collect();
                    if let Some(found) = self.fit(&whole).filter(|found| reach(found) > reach(&best)) {
                        (edges, best) = (whole, found);
                    }
                }
                best
            };
            let mut fits = parts.iter().filter_map(|part| Some((part, self.fit(part)?))).map(grown);
            most(&mut fits).filter(|(corners, _)| !is_rhombus(corners))
        };
        let by_ways = if reaches_all { None } else { by_ways() };
        most(&mut single.into_iter().chain(by_ways))
    }

    /// The spots that have neighbours in the lattice; few others, which no fact reaches, stand in a row of their own.
    fn fit(&self, edges: &Edges) -> Option<Hexagons> {
        let reached: BTreeSet<usize> = edges.iter().flat_map(|&(a, b)| [a, b]).collect();
        if reached.len() * 3 < self.count * 2 {
            return None;
        }
        let numbers: HashMap<usize, usize> = reached.iter().copied().zip(0..).collect();
        let among: Vec<(usize, usize)> = edges.iter().map(|(a, b)| (numbers[a], numbers[b])).collect();
        let corners = lattice::fit(reached.len(), &among)?;
        let lowest = corners.iter().map(|corner| corner.1).min()?;
        let mut apart = corners.iter().map(|corner| corner.0).min()?..;
        let corner = |spot: usize| match numbers.get(&spot) {
            Some(&number) => Some(corners[number]),
            None => Some((apart.next()?, lowest - 2)),
        };
        let corners = (0..self.count).map(corner).collect::<Option<Vec<Corner>>>()?;
        Some((corners, edges.iter().copied().collect()))
    }

    /// The neighbours of a board without hexagons, if facts connect most of the spots and none with everything.
    pub fn graph(&self) -> Option<&Edges> {
        let connects = |edges: &&Edges| {
            touched(edges) * 3 >= self.count * 2 && self.count > 3 && edges.len() < self.count * MOST
        };
        // What follows from facts about single names can be anything, such as what is smaller than what.
        let single = if self.size > 1 { &self.single } else { &self.plain };
        Some(&self.listed).filter(connects).or_else(|| single.iter().find(connects))
    }

    /// True if neighbours are as irregular as on no grid: for no few steps across and up they are there wherever both
    /// ends are.
    pub fn is_irregular(edges: &Edges, cells: &[(usize, usize)]) -> bool {
        let step = |&(a, b): &(usize, usize)| {
            let ((x, y), (z, w)) = (cells[a], cells[b]);
            (z as i64 - x as i64, w as i64 - y as i64)
        };
        let mut steps: HashMap<(i64, i64), usize> = HashMap::new();
        edges.iter().for_each(|edge| *steps.entry(step(edge)).or_default() += 1);
        let there: HashSet<(i64, i64)> = cells.iter().map(|&(x, y)| (x as i64, y as i64)).collect();
        let whole: usize = steps
            .iter()
            .filter(|((a, b), count)| {
                let possible = there.iter().filter(|(x, y)| there.contains(&(x + a, y + b))).count();
                *count * 4 >= possible * 3
            })
            .map(|(_, count)| count)
            .sum();
        whole * 10 < edges.len() * 9
    }
}

/// The relations of two spots among the rows, one for each third argument, that lead from a spot to at most one other.
fn ways(rows: &[Vec<TermId>], spots: &HashMap<Vec<TermId>, usize>) -> Vec<BTreeMap<usize, usize>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut found = Vec::new();
    for at in 1..width {
        let mut groups: BTreeMap<Vec<TermId>, Vec<(usize, usize)>> = BTreeMap::new();
        for row in rows {
            let spot = |k: usize| spots.get(&row[k..=k]).copied();
            let Some(pair) = spot(at - 1).zip(spot(at)) else { continue };
            let others = (0..width).filter(|&k| k != at && k != at - 1).map(|k| row[k]).collect();
            groups.entry(others).or_default().push(pair);
        }
        for pairs in groups.into_values() {
            let way: BTreeMap<usize, usize> = pairs.iter().copied().collect();
            if way.len() == pairs.len() && way.len() * 3 >= spots.len() {
                found.push(way);
            }
        }
    }
    found
}

/// The edges of two directions and of the third between them: from where the one leads to where the other does.
fn completed(one: &BTreeMap<usize, usize>, other: &BTreeMap<usize, usize>) -> Edges {
    let steps = one.iter().chain(other).map(|(&a, &b)| (a, b));
    let third = one.iter().filter_map(|(from, &a)| Some((a, *other.get(from)?)));
    let back: BTreeMap<usize, usize> = other.iter().map(|(&a, &b)| (b, a)).collect();
    let inverse: BTreeMap<usize, usize> = one.iter().map(|(&a, &b)| (b, a)).collect();
    let fourth = inverse.iter().filter_map(|(from, &a)| Some((a, *back.get(from)?)));
    steps.chain(third).chain(fourth).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect()
}

/// True if the corners fill a rectangle of two of the three directions.
fn is_rhombus(corners: &[Corner]) -> bool {
    // Any two of the three directions.
    (0..3).any(|view| {
        let see = |&(q, r): &Corner| [(q, r), (q, q + r), (r, q + r)][view];
        let seen: Vec<Corner> = corners.iter().map(see).collect();
        let extent = |of: fn(&Corner) -> i32| {
            let (low, high) =
                (seen.iter().map(of).min().unwrap_or(0), seen.iter().map(of).max().unwrap_or(0));
            (high - low + 1) as usize
        };
        extent(|at| at.0) * extent(|at| at.1) == corners.len()
    })
}

fn touched(edges: &Edges) -> usize {
    edges.iter().flat_map(|&(a, b)| [a, b]).collect::<HashSet<usize>>().len()
}
