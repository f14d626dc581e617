//! Boards with their spots in place, before any state is known.

use crate::content::Contents;
use crate::evidence::Evidence;
use crate::grid::Grid;
use crate::line::{self, Line};
use crate::scene::{Colour, Glyph, Kind, Label, Names, Outline, Point, Spot, SpotId};
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use ludex_gdl::Symbol;
use std::collections::HashMap;

/// The side of a square.
pub const SQUARE: f64 = 48.0;
/// No more spots stand in one row of a track.
const LONGEST_ROW: usize = 12;
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
            let single =
                |name: TermId| evidence.parts(name).map_or(vec![name], |(first, second)| vec![first, second]);
            let key: Vec<TermId> = key.into_iter().flat_map(|(_, name)| single(name)).collect();
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

    /// The spots of a track, of pits or of a graph, numbered from `first`.
    pub fn of_line(
        evidence: &Evidence,
        line: &Line,
        first: u32,
        meter: &mut Meter,
    ) -> Result<Placed, Exceeded> {
        let table = &evidence.tables[line.table];
        let relation = evidence.name(table.name);
        let count = line.names.len();
        let step = SQUARE * 1.25;
        let centres: Vec<Point> = if line.kind == Kind::Graph {
            let places = line::spread(count, &line.edges, meter)?;
            let least = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min);
            let (left, top) = (least(|place| place.0), least(|place| place.1));
            let at = |from: f64, place: f64| MARGIN + SQUARE / 2.0 + (place - from) * step;
            places.iter().map(|&(x, y)| Point { x: at(left, x), y: at(top, y) }).collect()
        } else {
            // Long rows are broken, so that they can be seen at once.
            let across =
                if count > LONGEST_ROW { count.div_ceil(count.div_ceil(LONGEST_ROW)) } else { count };
            let at = |place: usize| MARGIN + SQUARE / 2.0 + place as f64 * step;
            (0..count)
                .map(|place| Point { x: at(place % across), y: at(place / across) + MARGIN / 2.0 })
                .collect()
        };
        let most = |of: fn(&Point) -> f64| centres.iter().map(of).fold(0.0, f64::max);
        let (width, height) = (most(|p| p.x) + SQUARE / 2.0 + MARGIN, most(|p| p.y) + SQUARE / 2.0 + MARGIN);
        let mut spots = Vec::new();
        let mut labels = Vec::new();
        let mut keys = HashMap::new();
        for (place, (&name, &centre)) in line.names.names.iter().zip(&centres).enumerate() {
            let id = SpotId(first + place as u32);
            let shown = evidence.show(name);
            keys.insert(vec![name], id);
            let names = Names::Column(place);
            let above = Point { x: centre.x, y: centre.y - SQUARE / 2.0 - 7.0 };
            let at = if line.kind == Kind::Graph {
                Point { y: centre.y + SQUARE * 0.46, ..centre }
            } else {
                above
            };
            labels.push(Label { at, text: shown.clone(), names });
            let outline = match line.kind {
                Kind::Track => Outline::Rectangle(SQUARE, SQUARE),
                Kind::Graph => Outline::Circle(SQUARE * 0.36),
                _ => Outline::Circle(SQUARE * 0.5),
            };
            let name = format!("{relation} {shown}");
            let (marks, fault) = (Vec::new(), None);
            spots.push(Spot { id, name, centre, outline, dark: false, column: place, row: 0, marks, fault });
        }
        let lines = line.edges.iter().map(|&(a, b)| (centres[a], centres[b])).collect();
        Ok(Placed {
            kind: line.kind,
            relation: table.name,
            title: String::new(),
            columns: count,
            rows: 1,
            width,
            height,
            spots,
            labels,
            lines,
            legend: Vec::new(),
            total: line.total.then_some(line.table),
            keys,
            grid: None,
        })
    }

    /// Puts the fluents of a row of spots onto them.
    pub fn place_line(&mut self, evidence: &Evidence, line: &Line, places: &mut [Place]) {
        let contents = Contents::of(evidence, line.table, &line.content, false);
        let table = &evidence.tables[line.table];
        for (item, row) in table.items.iter().zip(&table.rows) {
            let Some(&spot) = self.keys.get(&vec![row[line.key]]) else { continue };
            places[*item] = Place::Spot { spot, table: line.table, mark: contents.mark(evidence, row) };
        }
        let title = evidence.title(line.table, &[(line.key, "x")]);
        self.title = format!("{} {title}", self.title).trim().to_owned();
        self.legend.extend(contents.legend());
    }

    /// Puts the fluents of a grid onto the spots.
    pub fn place_grid(&mut self, evidence: &Evidence, grid: &Grid, places: &mut [Place]) {
        let Some(own) = &self.grid else { return };
        let table = &evidence.tables[grid.table];
        let contents = Contents::of(evidence, grid.table, &grid.content, grid.total);
        let spot_of: HashMap<(usize, usize), SpotId> =
            self.spots.iter().map(|spot| ((spot.column, spot.row), spot.id)).collect();
        for (item, row) in table.items.iter().zip(&table.rows) {
            let Some((board, x, y)) = own.cell_of(grid, row) else { continue };
            let Some(&spot) = spot_of.get(&(board * (self.columns + 1) + x, y)) else { continue };
            places[*item] = Place::Spot { spot, table: grid.table, mark: contents.mark(evidence, row) };
        }
        self.legend.extend(contents.legend());
        // Without a value for an empty cell, cells that pieces leave have none, and that is no mistake.
        if self.total == Some(grid.table) && !contents.has_blank() {
            self.total = None;
        }
    }
}
