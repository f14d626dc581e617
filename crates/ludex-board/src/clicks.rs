//! How moves are entered: which arguments of a move are a cell that is clicked.
//!
//! Neighbouring arguments whose values are coordinates of a board are a cell; where there is none, one argument whose
//! values are those of a side is a column. Everything else is left to a menu.

use crate::evidence::Evidence;
use crate::placed::Placed;
use crate::table::Table;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use ludex_gdl::Symbol;
use std::collections::HashSet;

/// How the moves of one relation are entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Click {
    /// The name of the move.
    pub name: Symbol,
    /// How many arguments it has.
    pub arity: usize,
    /// The cells that are clicked, in order.
    pub cells: Vec<ClickedCell>,
    /// For each column of the table where it stands in the move.
    pub paths: Vec<Vec<usize>>,
}

/// A cell of a board that a move names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickedCell {
    /// Of which board.
    pub board: usize,
    /// The columns of the table of moves that say which.
    pub columns: Vec<usize>,
    /// They name a whole column of the board.
    pub side: bool,
}

/// How all moves are entered.
pub fn of_moves(evidence: &Evidence, boards: &[Placed], meter: &mut Meter) -> Result<Vec<Click>, Exceeded> {
    let mut clicks = Vec::new();
    for moves in &evidence.moves {
        let arity = moves.columns.iter().map(|column| column.path[0] + 1).max().unwrap_or(0);
        let paths = moves.columns.iter().map(|column| column.path.clone()).collect();
        let cells = cells(boards, moves, meter)?;
        clicks.push(Click { name: moves.name, arity, cells, paths });
    }
    Ok(clicks)
}

fn cells(boards: &[Placed], moves: &Table, meter: &mut Meter) -> Result<Vec<ClickedCell>, Exceeded> {
    let mut cells = Vec::new();
    let mut at = 0;
    while at < moves.width() {
        let mut found = None;
        for (board, placed) in boards.iter().enumerate() {
            let Some(size) = placed.keys.keys().next().map(Vec::len) else { continue };
            if at + size > moves.width() {
                continue;
            }
            meter.tick_by(moves.rows.len() as u64)?;
            let known = |row: &Vec<TermId>| placed.keys.contains_key(&row[at..at + size]);
            let hits = moves.rows.iter().filter(|row| known(row)).count();
            let distinct = |at: usize| moves.columns[at].values.len() > 1;
            if hits > 0 && hits * 10 >= moves.rows.len() * 9 && (size > 1 || distinct(at)) {
                found = Some(ClickedCell { board, columns: (at..at + size).collect(), side: false });
                break;
            }
        }
        at += found.as_ref().map_or(1, |cell| cell.columns.len());
        cells.extend(found);
    }
    if cells.is_empty() {
        cells.extend(side(boards, moves));
    }
    Ok(cells)
}

/// One argument that names a column of the main board.
fn side(boards: &[Placed], moves: &Table) -> Option<ClickedCell> {
    let grid = boards.first()?.grid.as_ref()?;
    let names: HashSet<TermId> = grid.columns.names.iter().copied().collect();
    let column = (0..moves.width()).find(|&at| {
        let values = &moves.columns[at].values;
        values.len() > 1 && values.iter().all(|value| names.contains(value))
    })?;
    Some(ClickedCell { board: 0, columns: vec![column], side: true })
}
