//! Relations that have one key: spots in a row, pits with numbers, corners of a graph.

use crate::axis::{Axis, Trust};
use crate::evidence::Evidence;
use crate::scene::Kind;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A relation read as a row of spots.
#[derive(Clone, Debug)]
pub struct Line {
    /// The table, by its number.
    pub table: usize,
    /// The column that says which spot.
    pub key: usize,
    /// The other columns.
    pub content: Vec<usize>,
    /// The names of the spots, in order.
    pub names: Axis,
    /// Which spots are neighbours, by their places.
    pub edges: Vec<(usize, usize)>,
    /// A track, pits or a graph.
    pub kind: Kind,
    /// Every spot has just one content initially.
    pub total: bool,
    /// How much speaks for it.
    pub score: f64,
}

/// No more spots than this make a row.
const MOST_SPOTS: usize = 200;

/// The best reading of the table as a row of spots.
pub fn best(evidence: &Evidence, number: usize, meter: &mut Meter) -> Result<Option<Line>, Exceeded> {
    let table = &evidence.tables[number];
    let mut best: Option<Line> = None;
    if !(2..=4).contains(&table.width()) {
        return Ok(None);
    }
    for key in 0..table.width() {
        meter.tick_by(table.rows.len() as u64)?;
        let Some(line) = read(evidence, number, key) else { continue };
        if best.as_ref().is_none_or(|best| best.score < line.score - 1e-9) {
            best = Some(line);
        }
    }
    Ok(best)
}

fn read(evidence: &Evidence, number: usize, key: usize) -> Option<Line> {
    let table = &evidence.tables[number];
    let values = &table.columns[key].values;
    if !(2..=MOST_SPOTS).contains(&values.len()) || evidence.are_roles(values) {
        return None;
    }
    let initially = evidence.initially(number);
    let keys: HashSet<TermId> = initially.iter().map(|row| row[key]).collect();
    if keys.len() != initially.len() {
        return None;
    }
    let total = keys.len() == values.len();
    let names = evidence.axis(values);
    let edges = if names.trust == Trust::Successors { Vec::new() } else { edges(evidence, &names) };
    if !total && (edges.is_empty() || !evidence.named_by_move(values)) {
        return None;
    }
    let content: Vec<usize> = (0..table.width()).filter(|&column| column != key).collect();
    let counts = |&column: &usize| {
        let values = &table.columns[column].values;
        values.len() > 3 && evidence.axis(values).trust >= Trust::Numbers
    };
    let kind = match () {
        () if !edges.is_empty() => Kind::Graph,
        () if content.len() == 1 && content.iter().all(counts) => Kind::Pits,
        () => Kind::Track,
    };
    let score = 1.5 * f64::from(u8::from(total))
        + if edges.is_empty() { 0.0 } else { 2.0 }
        + if evidence.named_by_move(values) { 1.0 } else { 0.0 }
        + (table.rows.len() as f64).log2() * 0.5
        + (values.len() as f64).log2() * 0.7
        - 0.1 * key as f64
        - if evidence.never_changes(table) { 6.0 } else { 0.0 };
    Some(Line { table: number, key, content, names, edges, kind, total, score })
}

/// The neighbours that facts of the rules name, whatever the directions are called: all pairs of spots side by side
/// in a fact, if they connect most of the spots and no spot with everything.
fn edges(evidence: &Evidence, names: &Axis) -> Vec<(usize, usize)> {
    let mut all: BTreeSet<(usize, usize)> = BTreeSet::new();
    for facts in &evidence.facts {
        let width = facts.rows.first().map_or(0, Vec::len);
        for at in 1..width.min(5) {
            let pairs =
                facts.rows.iter().filter_map(|row| Some((names.place(row[at - 1])?, names.place(row[at])?)));
            let pairs: BTreeSet<(usize, usize)> =
                pairs.filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))).collect();
            let touched: HashSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            if touched.len() * 3 >= names.len() && pairs.len() < names.len() * 4 {
                all.extend(pairs);
            }
        }
    }
    let touched: HashSet<usize> = all.iter().flat_map(|&(a, b)| [a, b]).collect();
    let connects = touched.len() * 5 >= names.len() * 4 && names.len() > 3 && all.len() < names.len() * 6;
    if connects { all.into_iter().collect() } else { Vec::new() }
}

/// Places for the corners of a graph in which the way between two of them is about as long as it is in the graph (stress
/// majorization, from a circle, so always the same). The unit is the length of an edge.
pub fn spread(
    count: usize,
    edges: &[(usize, usize)],
    meter: &mut Meter,
) -> Result<Vec<(f64, f64)>, Exceeded> {
    let mut near: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(a, b) in edges {
        near.entry(a).or_default().push(b);
        near.entry(b).or_default().push(a);
    }
    let far = (count as f64).sqrt() + 2.0;
    let mut ways = vec![vec![far; count]; count];
    for (start, ways) in ways.iter_mut().enumerate() {
        ways[start] = 0.0;
        let mut open = std::collections::VecDeque::from([start]);
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
    let around = |place: usize| std::f64::consts::TAU * place as f64 / count as f64;
    let mut places: Vec<(f64, f64)> =
        (0..count).map(|place| (far * around(place).cos(), far * around(place).sin() * 0.9)).collect();
    for _ in 0..150 {
        meter.tick_by((count * count) as u64)?;
        let old = places.clone();
        for place in 0..count {
            let (mut x, mut y, mut weights) = (0.0, 0.0, 0.0);
            for other in (0..count).filter(|&other| other != place) {
                let wanted = ways[place][other];
                let weight = 1.0 / (wanted * wanted);
                let (dx, dy) = (places[place].0 - old[other].0, places[place].1 - old[other].1);
                let length = dx.hypot(dy).max(1e-6);
                x += weight * (old[other].0 + wanted * dx / length);
                y += weight * (old[other].1 + wanted * dy / length);
                weights += weight;
            }
            if weights > 0.0 {
                places[place] = (x / weights, y / weights);
            }
        }
    }
    Ok(places)
}
