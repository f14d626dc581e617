//! How moves are entered: which arguments of a move are a cell that is clicked.
//!
//! Neighbouring arguments whose values are coordinates of a board are a cell; where there is none, one argument whose
//! values are those of a side is a column. Everything else is left to a menu.

use crate::evidence::Evidence;
use crate::placed::Placed;
use crate::scene::SpotId;
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
    /// It is a thing in one of these hands: in that of the role that moves.
    pub hands: Vec<usize>,
}

/// How all moves are entered.
pub fn of_moves(evidence: &Evidence, boards: &[Placed], meter: &mut Meter) -> Result<Vec<Click>, Exceeded> {
    let mut clicks = Vec::new();
    for moves in &evidence.moves {
        let arity = moves.columns.iter().map(|column| column.path[0] + 1).max().unwrap_or(0);
        let paths = moves.columns.iter().map(|column| column.path.clone()).collect();
        let cells = cells(evidence, boards, moves, meter)?;
        clicks.push(Click { name: moves.name, arity, cells, paths });
    }
    Ok(clicks)
}

fn cells(
    evidence: &Evidence,
    boards: &[Placed],
    moves: &Table,
    meter: &mut Meter,
) -> Result<Vec<ClickedCell>, Exceeded> {
    let mut cells = Vec::new();
    let mut at = 0;
    while at < moves.width() {
        let mut found: Option<ClickedCell> = None;
        let spots = boards.iter().enumerate().filter(|(_, placed)| placed.holder.is_none());
        let sizes = spots
            .flat_map(|(board, placed)| placed.sizes().into_iter().map(move |size| (board, placed, size)));
        for (board, placed, size) in sizes {
            if at + size > moves.width() {
                continue;
            }
            meter.tick_by(moves.rows.len() as u64)?;
            let known = |row: &Vec<TermId>| placed.keys.contains_key(&row[at..at + size]);
            let hits = moves.rows.iter().filter(|row| known(row)).count();
            let distinct = |at: usize| moves.columns[at].values.len() > 1;
            if hits > 0 && hits * 10 >= moves.rows.len() * 9 && (size > 1 || distinct(at)) {
                let columns = (at..at + size).collect();
                let cell = ClickedCell { board, columns, side: false, hands: Vec::new() };
                // Of boards with cells of the same names, the one whose cell a rule names together with the move's.
                let pair = evidence.pair_of_move(moves, at).filter(|_| size == 2);
                let meant =
                    pair.is_some_and(|pair| placed.pairs.iter().any(|own| evidence.are_together(&pair, own)));
                if meant || found.is_none() {
                    found = Some(cell);
                }
                if meant || size != 2 {
                    break;
                }
            }
        }
        found = found.or_else(|| in_hands(boards, moves, at));
        at += found.as_ref().map_or(1, |cell| cell.columns.len());
        cells.extend(found);
    }
    if cells.is_empty() {
        cells.extend(side(boards, moves));
    }
    Ok(cells)
}

/// The spots that moves name, each as a cell of its own.
pub fn named(evidence: &Evidence, boards: &[Placed], clicks: &[Click]) -> HashSet<SpotId> {
    let mut named = HashSet::new();
    for (click, moves) in clicks.iter().zip(&evidence.moves) {
        for cell in click.cells.iter().filter(|cell| !cell.side) {
            let key = |row: &Vec<TermId>| cell.columns.iter().map(|&k| row[k]).collect::<Vec<TermId>>();
            named.extend(moves.rows.iter().filter_map(|row| boards[cell.board].keys.get(&key(row))));
        }
    }
    named
}

/// One argument that names a column of the main board.
fn side(boards: &[Placed], moves: &Table) -> Option<ClickedCell> {
    let names: HashSet<TermId> = boards.first()?.sides.keys().copied().collect();
    let column = (0..moves.width()).find(|&at| {
        let values = &moves.columns[at].values;
        values.len() > 1 && values.iter().all(|value| names.contains(value))
    })?;
    Some(ClickedCell { board: 0, columns: vec![column], side: true, hands: Vec::new() })
}

/// An argument that names a thing in a hand.
fn in_hands(boards: &[Placed], moves: &Table, at: usize) -> Option<ClickedCell> {
    let holds = |placed: &Placed| {
        let held: HashSet<TermId> = placed.keys.keys().flatten().copied().collect();
        placed.holder.is_some() && moves.columns[at].values.iter().all(|value| held.contains(value))
    };
    let hands: Vec<usize> =
        boards.iter().enumerate().filter(|(_, placed)| holds(placed)).map(|(number, _)| number).collect();
    let &board = hands.first()?;
    (moves.columns[at].values.len() > 1).then(|| ClickedCell { board, columns: vec![at], side: false, hands })
}
