//! Boards with their spots in place, before any state is known.

use crate::content::Contents;
use crate::evidence::Evidence;
use crate::grid::Grid;
use crate::scene::{Colour, Glyph, Kind, Label, Names, Outline, Point, Spot, SpotId};
use ludex_engine::terms::TermId;
use ludex_gdl::Symbol;
use std::collections::HashMap;

/// The side of a square.
pub const SQUARE: f64 = 48.0;
/// Room for labels.
pub const MARGIN: f64 = 26.0;

/// A board without a state. Coordinates count from its own corner.
#[derive(Clone, Debug)]
pub struct Placed {
    /// What kind it is.
    pub kind: Kind,
    /// The relation that it shows.
    pub relation: Symbol,
    /// Which fluents it shows.
    pub title: String,
    /// Columns of one board.
    pub columns: usize,
    /// Rows of one board.
    pub rows: usize,
    /// In the picture.
    pub width: f64,
    /// In the picture.
    pub height: f64,
    /// The spots, nothing on them.
    pub spots: Vec<Spot>,
    /// Names of columns and rows.
    pub labels: Vec<Label>,
    /// Lines between neighbours.
    pub lines: Vec<(Point, Point)>,
    /// What abbreviations mean.
    pub legend: Vec<String>,
    /// The table whose fluents give each spot just one value initially.
    pub total: Option<usize>,
    /// The spot of each key: the names that say which spot it is, in the order of the fluents' arguments.
    pub keys: HashMap<Vec<TermId>, SpotId>,
    /// How the relation is read, for grids.
    pub grid: Option<Grid>,
}

/// Where a fluent is drawn.
#[derive(Clone, Debug)]
pub enum Place {
    /// On a spot; nothing to see where it means that nothing is there.
    Spot {
        /// The spot.
        spot: SpotId,
        /// Of which table the fluent is.
        table: usize,
        /// How it looks.
        mark: Option<(Glyph, String, Colour)>,
    },
    /// Beside the boards.
    Aside {
        /// What it is.
        label: String,
        /// Its value.
        value: String,
        /// Whose it is.
        colour: Colour,
    },
    /// Not drawn.
    Rest,
}

impl Placed {
    /// The spots of a grid, numbered from `first`.
    pub fn of_grid(evidence: &Evidence, grid: &Grid, extra: &[&Grid], first: u32) -> Placed {
        let table = &evidence.tables[grid.table];
        let show = |term: TermId| evidence.show(term);
        let relation = evidence.name(table.name);
        let mut cells: Vec<(usize, usize, usize)> =
            table.rows.iter().filter_map(|row| grid.cell(row)).collect();
        for over in extra {
            cells.extend(evidence.tables[over.table].rows.iter().filter_map(|row| grid.cell_of(over, row)));
        }
        // Board by board, from the bottom up, from the left: so they stand in text, too.
        cells.sort_unstable_by_key(|&(board, x, y)| (board, y, x));
        cells.dedup();
        let (columns, rows) = (grid.width(), grid.height());
        let panel = MARGIN * 2.0 + columns as f64 * SQUARE;
        let mut keys = HashMap::new();
        let mut spots = Vec::new();
        for (number, &(board, x, y)) in cells.iter().enumerate() {
            let id = SpotId(first + number as u32);
            let mut key = vec![(grid.x, grid.columns.names[x]), (grid.y, grid.rows.names[y])];
            key.extend(grid.split.zip(grid.boards[board]));
            key.sort_unstable_by_key(|&(column, _)| column);
            let key: Vec<TermId> = key.into_iter().map(|(_, name)| name).collect();
            let words: Vec<String> = key.iter().map(|&name| show(name)).collect();
            spots.push(Spot {
                id,
                name: format!("{relation} {}", words.join(" ")),
                centre: Point {
                    x: panel * board as f64 + MARGIN + (x as f64 + 0.5) * SQUARE,
                    y: MARGIN + ((rows - 1 - y) as f64 + 0.5) * SQUARE,
                },
                outline: Outline::Rectangle(SQUARE, SQUARE),
                dark: (x + y) % 2 == 0,
                column: board * (columns + 1) + x,
                row: y,
                marks: Vec::new(),
                fault: None,
            });
            keys.insert(key, id);
        }
        let mut labels = Vec::new();
        let bottom = MARGIN + rows as f64 * SQUARE;
        for (board, name) in grid.boards.iter().enumerate() {
            let left = panel * board as f64;
            for (x, &name) in grid.columns.names.iter().enumerate() {
                let at = Point { x: left + MARGIN + (x as f64 + 0.5) * SQUARE, y: bottom + MARGIN * 0.45 };
                labels.push(Label { at, text: show(name), names: Names::Column(board * (columns + 1) + x) });
            }
            if let Some(name) = name {
                let at = Point { x: left + MARGIN + columns as f64 * SQUARE / 2.0, y: MARGIN * 0.5 };
                labels.push(Label { at, text: show(*name), names: Names::Board });
            }
            for (y, &name) in grid.rows.names.iter().enumerate() {
                let at =
                    Point { x: left + MARGIN * 0.55, y: MARGIN + ((rows - 1 - y) as f64 + 0.5) * SQUARE };
                labels.push(Label { at, text: show(name), names: Names::Row(y) });
            }
        }
        Placed {
            kind: Kind::Grid,
            relation: table.name,
            title: evidence.title(grid.table, &[(grid.x, "x"), (grid.y, "y")]),
            columns,
            rows,
            width: panel * grid.boards.len() as f64,
            height: bottom + MARGIN,
            spots,
            labels,
            lines: Vec::new(),
            legend: Vec::new(),
            total: grid.total.then_some(grid.table),
            keys,
            grid: Some(grid.clone()),
        }
    }

    /// Puts the fluents of a grid onto the spots.
    pub fn place_grid(&mut self, evidence: &Evidence, grid: &Grid, places: &mut [Place]) {
        let Some(own) = &self.grid else { return };
        let table = &evidence.tables[grid.table];
        let contents = Contents::of(evidence, grid.table, &grid.content);
        let spot_of: HashMap<(usize, usize), SpotId> =
            self.spots.iter().map(|spot| ((spot.column, spot.row), spot.id)).collect();
        for (item, row) in table.items.iter().zip(&table.rows) {
            let Some((board, x, y)) = own.cell_of(grid, row) else { continue };
            let Some(&spot) = spot_of.get(&(board * (self.columns + 1) + x, y)) else { continue };
            places[*item] = Place::Spot { spot, table: grid.table, mark: contents.mark(evidence, row) };
        }
        self.legend.extend(contents.legend());
    }
}
