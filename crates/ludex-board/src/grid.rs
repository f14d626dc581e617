//! Relations that are grids: two columns are coordinates, at most two more tell boards apart that stand side by side (two
//! of them: a board of boards), and what remains is the content.
//!
//! Every pair of columns is scored by what the rules say of it, never by what things are called: a cell has at most one
//! content initially, better just one; both coordinates come from the same values, or have an order; moves name the same pairs;
//! roles are no coordinates.

use crate::axis::{Axis, Trust};
use crate::evidence::Evidence;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::HashSet;

/// A relation read as a grid.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The table, by its number.
    pub table: usize,
    /// The column that runs across.
    pub x: usize,
    /// The column that runs upwards.
    pub y: usize,
    /// The columns that tell boards apart, if there are any: which of those in a row, and in which row.
    pub split: Vec<usize>,
    /// The names across.
    pub columns: Axis,
    /// The names upwards.
    pub rows: Axis,
    /// The names of the boards, as many for each as there are columns that tell them apart.
    pub boards: Vec<Vec<TermId>>,
    /// How many boards stand in a row.
    pub across: usize,
    /// Every cell has just one content initially.
    pub total: bool,
    /// How much speaks for it as the main board, where size counts.
    pub score: f64,
    /// How much speaks for this reading among others of the same relation.
    pub within: f64,
}

/// More names than this along a side are no board.
const LONGEST: usize = 64;
/// At least so much of the grid must be in the vocabulary; a checkers board uses half.
const COVERED: f64 = 0.25;
/// No more boards than this stand side by side.
const MOST_BOARDS: usize = 16;
/// Up to so many boards stand in one row.
const LONGEST_ROW: usize = 3;
/// More contents than this, and than columns, are seldom pieces.
const MOST_PIECES: usize = 24;
/// What speaks less for a grid than this does not make one.
const LEAST: f64 = -WALLS;
/// What never changes is drawn, but does not come first.
const WALLS: f64 = 6.0;

/// The best reading of the table as a grid.
pub fn best(evidence: &Evidence, number: usize, meter: &mut Meter) -> Result<Option<Grid>, Exceeded> {
    let table = &evidence.tables[number];
    let mut best: Option<Grid> = None;
    if !(2..=8).contains(&table.width()) {
        return Ok(None);
    }
    for x in 0..table.width() {
        for y in x + 1..table.width() {
            meter.tick_by(table.rows.len() as u64 * 2)?;
            let Some(grid) = read(evidence, number, x, y) else { continue };
            if best.as_ref().is_none_or(|best| best.within < grid.within - 1e-9) {
                best = Some(grid);
            }
        }
    }
    Ok(best.filter(|grid| grid.score >= LEAST))
}

fn read(evidence: &Evidence, number: usize, x: usize, y: usize) -> Option<Grid> {
    let table = &evidence.tables[number];
    let (across, up) = (&table.columns[x].values, &table.columns[y].values);
    let sides = 2..=LONGEST;
    if !sides.contains(&across.len()) || !sides.contains(&up.len()) {
        return None;
    }
    let cells: HashSet<(TermId, TermId)> = table.rows.iter().map(|row| (row[x], row[y])).collect();
    let size = across.len() * up.len();
    if (cells.len() as f64) < COVERED * size as f64 || cells.len() < 4 {
        return None;
    }
    let initially = evidence.initially(number);
    let (across, up) = evidence
        .walled(number, x, y)
        .or_else(|| evidence.counted(number, x, y))
        .unwrap_or((across.clone(), up.clone()));
    let (across, up) = (&across, &up);
    let mut split = Vec::new();
    if !once(initially.iter().map(|row| (row[x], row[y]))) {
        let others = (0..table.width()).filter(|&k| k != x && k != y);
        let fits = |&k: &usize| {
            (2..=MOST_BOARDS).contains(&table.columns[k].values.len())
                && once(initially.iter().map(|row| (row[x], row[y], row[k])))
        };
        split = vec![others.filter(fits).min_by_key(|&k| table.columns[k].values.len())?];
    }
    if initially.is_empty() && table.width() > 3 {
        // No cell says how many contents there are: boards are those that moves name beside the coordinates.
        split = beside(evidence, number, x, y);
    }
    let (boards, in_a_row) = boards(evidence, number, &split);
    let place = |row: &Vec<TermId>| (row[x], row[y], split.iter().map(|&k| row[k]).collect::<Vec<TermId>>());
    let places: HashSet<_> = table.rows.iter().map(place).collect();
    let full = initially.len() as f64 / places.len() as f64;
    let total = initially.len() == places.len();
    let content: Vec<usize> =
        (0..table.width()).filter(|&k| k != x && k != y && !split.contains(&k)).collect();
    // Cells for content are no pieces: which cells are one group, or what was moved where.
    let is_side = |&k: &usize| table.columns[k].values == *across || table.columns[k].values == *up;
    if content.len() > 1 && content.iter().all(is_side) {
        return None;
    }
    let (across, up) =
        (&evidence.squared(number, (x, across), (y, up)), &evidence.squared(number, (y, up), (x, across)));
    let columns = evidence.axis(across);
    let rows = evidence.axis(up);
    let order = |axis: &Axis| match axis.trust {
        Trust::Successors => 1.0,
        Trust::Numbers | Trust::Ring => 0.8,
        Trust::Stems | Trust::Letters | Trust::Mentioned => 0.0,
    };
    let alike = across == up;
    let named = evidence.named_by_moves(across, up);
    // A value for each name of one column is a list of numbers, not a board.
    let function = content.is_empty()
        && [x, y].iter().any(|&k| {
            let key = |row: &Vec<TermId>| (row[k], split.iter().map(|&k| row[k]).collect::<Vec<TermId>>());
            let keys: HashSet<_> = initially.iter().map(|row| key(row)).collect();
            keys.len() == initially.len() && keys.len() == table.columns[k].values.len() * boards.len()
        });
    if [across, up].iter().any(|names| evidence.are_roles(names)) {
        return None;
    }
    // What is the same for all cells, or never changes, says little.
    let informs = content.iter().any(|&k| table.columns[k].values.len() > 1)
        || (content.is_empty() && named && evidence.twins(number).next().is_some());
    let owned = content.iter().any(|&k| evidence.are_roles(&table.columns[k].values));
    // Pieces are few; many values are marks of something else.
    let busy = content.iter().any(|&k| table.columns[k].values.len() > MOST_PIECES.max(across.len()));
    let narrow = [across, up].iter().filter(|names| names.len() < 3).count();
    let ordered = columns.trust >= Trust::Numbers && rows.trust >= Trust::Numbers;
    if !informs && (function || (!alike && initially.is_empty() && !named && !ordered)) {
        return None;
    }
    let size = (places.len() as f64).log2();
    let split_count = split.len() as f64;
    let score = if informs { 1.5 * full.min(1.0) } else { 0.7 * full.min(1.0) }
        + if initially.is_empty() { 0.0 } else { 0.5 }
        + if alike { 1.5 } else { 0.0 }
        + order(&columns)
        + order(&rows)
        + if named { 1.0 } else { 0.0 }
        + if owned { 0.5 } else { 0.0 }
        + size * 0.7
        + (table.rows.len() as f64).log2() * 0.2
        - if !split.is_empty() && !initially.is_empty() { 1.5 } else { 0.0 }
        - if informs { 0.0 } else { 2.0 }
        - if busy { 1.5 } else { 0.0 }
        - if evidence.never_changes(table) { WALLS } else { 0.0 }
        - 1.5 * narrow as f64
        - 0.1 * (x + y) as f64;
    // Letters run across the board, as in chess; only where that leaves its size, which depends on no names.
    let turned = rows.letters && !columns.letters && rows.len() == columns.len();
    let (x, y, columns, rows) = if turned { (y, x, rows, columns) } else { (x, y, columns, rows) };
    Some(Grid {
        table: number,
        x,
        y,
        split,
        columns,
        rows,
        boards,
        across: in_a_row,
        total,
        score,
        within: score - size * 0.5 + 0.5 * split_count,
    })
}

fn once<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> bool {
    let mut seen = HashSet::new();
    keys.into_iter().all(|key| seen.insert(key))
}

impl Grid {
    /// How wide one board is.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// How high one board is.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// The cell of a row of this grid, or of another one that can be laid over it, as the table of `of` numbers columns: which
    /// board, column and row.
    pub fn cell(&self, of: &Grid, row: &[TermId]) -> Option<(usize, usize, usize)> {
        let board: Vec<TermId> = of.split.iter().map(|&k| row[k]).collect();
        let board = self.boards.iter().position(|names| *names == board)?;
        Some((board, self.columns.place(row[of.x])?, self.rows.place(row[of.y])?))
    }

    /// True if the cells of `other` are cells of this grid, so that it can be laid over.
    pub fn takes(&self, other: &Grid) -> bool {
        other.boards == self.boards && self.covers(other)
    }

    /// True if the names along the sides of `other` are names along those of this grid.
    pub fn covers(&self, other: &Grid) -> bool {
        let within = |axis: &Axis, of: &Axis| of.names.iter().all(|&name| axis.place(name).is_some());
        within(&self.columns, &other.columns) && within(&self.rows, &other.rows)
    }
}

/// The columns beside the coordinates that tell boards apart, where moves name them together; two where all four have the
/// same values and moves name all four, since the first two are then a board of the boards.
fn beside(evidence: &Evidence, number: usize, x: usize, y: usize) -> Vec<usize> {
    let table = &evidence.tables[number];
    let few = |k: usize| (2..=MOST_BOARDS).contains(&table.columns[k].values.len());
    if y != x + 1 {
        return Vec::new();
    }
    let alike = |k: usize| table.columns[k].values == table.columns[x].values;
    if x >= 2 && (x - 2..=y).all(alike) && few(x) && evidence.named_together(table, x - 2, y) {
        return vec![x - 2, x - 1];
    }
    let sides =
        [x.checked_sub(1), Some(y + 1)].into_iter().flatten().filter(|&k| k < table.width() && few(k));
    let mut named = sides.filter(|&k| evidence.named_together(table, k.min(x), k.max(y)));
    named.next().into_iter().collect()
}

/// The names of the boards, and how many stand in a row: a nameless one if no column tells boards apart.
fn boards(evidence: &Evidence, number: usize, split: &[usize]) -> (Vec<Vec<TermId>>, usize) {
    let axis = |k: usize| evidence.axis(&evidence.tables[number].columns[k].values).names;
    match *split {
        [] => (vec![Vec::new()], 1),
        [one] => {
            let names = axis(one);
            // Many boards in one row are small: they stand in rows of their own.
            let across = if names.len() > LONGEST_ROW {
                (names.len() as f64).sqrt().ceil() as usize
            } else {
                names.len()
            };
            (names.into_iter().map(|name| vec![name]).collect(), across)
        }
        [one, other, ..] => {
            let (columns, rows) = (axis(one), axis(other));
            let pairs =
                rows.iter().rev().flat_map(|&row| columns.iter().map(move |&column| vec![column, row]));
            (pairs.collect(), columns.len())
        }
    }
}
