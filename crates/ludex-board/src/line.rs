//! Relations that have one key: spots in a row, pits with numbers, corners of a graph.

use crate::axis::{Axis, Trust};
use crate::evidence::Evidence;
use crate::lattice::Corner;
use crate::neighbours::Neighbours;
use crate::scene::Kind;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::{HashMap, HashSet};

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
    /// The spots in the triangular lattice, if they are part of it.
    pub corners: Option<Vec<Corner>>,
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
    if !(1..=5).contains(&table.width()) || (table.width() == 1 && evidence.twins(number).next().is_none()) {
        return Ok(None);
    }
    if let Some(line) = places(evidence, number) {
        return Ok(Some(line));
    }
    for key in 0..table.width() {
        meter.tick_by(table.rows.len() as u64)?;
        let Some(line) = read(evidence, number, key, meter)? else { continue };
        // A column that tells all spots apart is the key, whatever else could be.
        let better = |best: &Line| (best.total, best.score) < (line.total, line.score - 1e-9);
        if best.as_ref().is_none_or(better) {
            best = Some(line);
        }
    }
    Ok(best)
}

/// Where each of some things is, if a move takes them from one place to another: spots for the places, with the things on
/// them, such as discs on pegs.
fn places(evidence: &Evidence, number: usize) -> Option<Line> {
    let table = &evidence.tables[number];
    let initially = evidence.initially(number);
    if table.width() != 2 {
        return None;
    }
    (0..2).find_map(|key| {
        let (things, names) = (&table.columns[1 - key].values, &table.columns[key].values);
        let distinct: HashSet<TermId> = initially.iter().map(|row| row[1 - key]).collect();
        let each = distinct.len() == initially.len() && distinct.len() == things.len();
        let fewer = (2..things.len()).contains(&names.len());
        let taken = evidence.moves.iter().any(|moves| {
            let from =
                moves.columns.iter().filter(|column| column.values.len() > 1 && column.values == *names);
            let what = moves.columns.iter().any(|column| column.values == *things);
            what && from.count() > 1
        });
        let are_roles = evidence.are_roles(names) || evidence.are_roles(things);
        (each && fewer && taken && !are_roles).then(|| Line {
            table: number,
            key,
            content: vec![1 - key],
            names: evidence.axis(names),
            edges: Vec::new(),
            corners: None,
            kind: Kind::Track,
            total: false,
            score: 3.0 + (table.rows.len() as f64).log2() * 0.5,
        })
    })
}

fn read(evidence: &Evidence, number: usize, key: usize, meter: &mut Meter) -> Result<Option<Line>, Exceeded> {
    let table = &evidence.tables[number];
    let values = &table.columns[key].values;
    if !(2..=MOST_SPOTS).contains(&values.len()) || evidence.are_roles(values) {
        return Ok(None);
    }
    let initially = evidence.initially(number);
    let keys: HashSet<TermId> = initially.iter().map(|row| row[key]).collect();
    // Where another relation says for the same spots what is there, it says as well how many things there can be.
    let twins = evidence.twins(number).flat_map(|twin| evidence.initially(twin));
    let (mut rows, mut spots) = (0, HashSet::new());
    for row in twins.chain(initially) {
        rows += 1;
        spots.insert(row[key]);
    }
    if rows != spots.len() {
        return Ok(None);
    }
    let total = keys.len() == values.len();
    let names = evidence.axis(values);
    let (mut edges, mut corners) = (Vec::new(), None);
    if names.trust != Trust::Successors {
        let spots: HashMap<Vec<TermId>, usize> =
            names.names.iter().enumerate().map(|(place, &name)| (vec![name], place)).collect();
        let neighbours = Neighbours::of(evidence, &spots, meter)?;
        if let Some((found, by)) = neighbours.hexagons() {
            (edges, corners) = (by, Some(found));
        } else if let Some(by) = neighbours.graph() {
            edges = by.iter().copied().collect();
        }
    }
    let named = evidence.named_by_move(values);
    if (!total || table.width() == 1) && (edges.is_empty() || !named) {
        return Ok(None);
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
    // Values that are the keys once more are no pieces: where each of some things is, or what stands on what.
    let permutes = content
        .iter()
        .any(|&column| table.columns[column].values.len() > 3 && table.columns[column].values == *values);
    let score = 1.5 * f64::from(u8::from(total))
        + if edges.is_empty() { 0.0 } else { 2.0 }
        + if named { 1.0 } else { 0.0 }
        + (table.rows.len() as f64).log2() * 0.5
        + (values.len() as f64).log2() * 0.7
        - 0.1 * key as f64
        - if permutes { 3.0 } else { 0.0 }
        - if values.len() < 3 { 3.0 } else { 0.0 }
        - if evidence.never_changes(table) { 6.0 } else { 0.0 };
    Ok(Some(Line { table: number, key, content, names, edges, corners, kind, total, score }))
}
