//! Relations that are lines between points, as in dots and boxes: four arguments are two points side by side.

use crate::axis::{Axis, Trust};
use crate::evidence::Evidence;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::BTreeSet;

/// A relation read as lines between points.
#[derive(Clone, Debug)]
pub struct Strokes {
    /// The table, by its number.
    pub table: usize,
    /// The first of the four columns.
    pub at: usize,
    /// The other columns.
    pub content: Vec<usize>,
    /// The names across.
    pub columns: Axis,
    /// The names upwards.
    pub rows: Axis,
}

/// Fewer lines than this make no board.
const FEWEST: usize = 4;

/// The table as lines between points, if it is that: each leads from a point to the one beside it or above it, and at
/// least half of all such lines are there.
pub fn read(evidence: &Evidence, number: usize, meter: &mut Meter) -> Result<Option<Strokes>, Exceeded> {
    let table = &evidence.tables[number];
    if !(4..=6).contains(&table.width()) || table.rows.len() < FEWEST {
        return Ok(None);
    }
    for at in 0..=table.width() - 4 {
        meter.tick_by(table.rows.len() as u64)?;
        let both = |one: usize, other: usize| -> Vec<TermId> {
            let values = [one, other].into_iter().flat_map(|k| table.columns[at + k].values.iter().copied());
            let distinct: BTreeSet<TermId> = values.collect();
            distinct.into_iter().collect()
        };
        let (columns, rows) = (evidence.axis(&both(0, 2)), evidence.axis(&both(1, 3)));
        let ordered = |axis: &Axis| axis.trust >= Trust::Numbers && axis.len() > 1;
        if !ordered(&columns) || !ordered(&rows) {
            continue;
        }
        let place = |row: &[TermId], k: usize| match k % 2 {
            0 => columns.place(row[at + k]),
            _ => rows.place(row[at + k]),
        };
        let is_step = |row: &Vec<TermId>| match (place(row, 0), place(row, 1), place(row, 2), place(row, 3)) {
            (Some(x), Some(y), Some(z), Some(w)) => x.abs_diff(z) + y.abs_diff(w) == 1,
            _ => false,
        };
        let possible = (columns.len() - 1) * rows.len() + columns.len() * (rows.len() - 1);
        if table.rows.len() * 2 >= possible && table.rows.iter().all(is_step) {
            let content = (0..table.width()).filter(|k| !(at..at + 4).contains(k)).collect();
            return Ok(Some(Strokes { table: number, at, content, columns, rows }));
        }
    }
    Ok(None)
}
