//! Boards with their spots in place, before any state is known.

use crate::axis::Axis;
use crate::content::{Contents, Ground, initials};
use crate::evidence::Evidence;
use crate::grid::Grid;
use crate::joins::Pair;
use crate::lattice::Corner;
use crate::line::Line;
use crate::neighbours::Edges;
use crate::scene::{Colour, Glyph, Kind, Label, Mark, Names, Outline, Point, Spot, SpotId};
use crate::spread;
use crate::stack::Towers;
use crate::strokes::Strokes;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use ludex_gdl::Symbol;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The side of a square.
pub const SQUARE: f64 = 48.0;
/// No more spots stand in one row of a track.
const LONGEST_ROW: usize = 12;
/// Room for labels.
pub const MARGIN: f64 = 26.0;
/// From the middle of a hexagon to its corners.
const HEXAGON: f64 = 28.0;
/// How wide a small letter of a label is; a capital is half as wide again. What is too wide is cut: neighbours would run
/// into one another.
const LETTER: f64 = 6.5;
/// How wide a line between points is.
const STROKE: f64 = 12.0;
/// The length of an edge of a graph.
const STEP: f64 = SQUARE * 1.25;

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
    /// The spots, nothing on them but what never changes.
    pub spots: Vec<Spot>,
    /// Names of columns and rows.
    pub labels: Vec<Label>,
    /// Lines between neighbours.
    pub lines: Vec<(Point, Point)>,
    /// What abbreviations mean.
    pub legend: Vec<String>,
    /// The table whose fluents give each of its spots just one value initially, and those spots.
    pub total: Option<(usize, HashSet<SpotId>)>,
    /// The spot of each key: the names that say which spot it is, in the order of the fluents' arguments.
    pub keys: HashMap<Vec<TermId>, SpotId>,
    /// The columns across, by their names, and the spots in each: a move may name a whole column.
    pub sides: HashMap<TermId, Vec<SpotId>>,
    /// Dots where lines can begin and end.
    pub dots: Vec<Point>,
    /// The class of the coordinates: which other places of the rules hold the same.
    pub class: Option<usize>,
    /// The coordinates of its fluents, where they are two arguments side by side.
    pub pairs: Vec<Pair>,
    /// How its spots stand on one another, if they do.
    pub towers: Option<Towers>,
    /// Whose hand it is, and whether the role comes first in the keys.
    pub holder: Option<(TermId, bool)>,
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
        /// How it looks, but for what a screen reader says of it.
        mark: Option<Mark>,
        /// It never changes: it belongs to the ground.
        ground: bool,
    },
    /// On a row of spots at once, an argument on each, from this one on.
    Row(SpotId),
    /// A thing of a tower stands on another one, or on the ground.
    On {
        /// The thing.
        thing: SpotId,
        /// What is below it.
        below: Option<SpotId>,
    },
    /// Beside the boards.
    Aside {
        /// What it is.
        label: String,
        /// Its value.
        value: String,
        /// Whose it is.
        colour: crate::scene::Colour,
    },
    /// Not drawn.
    Rest,
}

/// Where the corners of a graph stand.
pub enum Shape {
    /// In the triangular lattice.
    Lattice(Vec<Corner>),
    /// There, the length of an edge being one.
    Given(Vec<(f64, f64)>),
    /// So that ways in the picture are as long as in the graph.
    Free,
}

/// A spot that is to be: which names say where it is, what it is called, where it stands.
struct Wanted {
    key: Vec<TermId>,
    centre: Point,
    column: usize,
    row: usize,
    outline: Outline,
    dark: bool,
}

impl Placed {
    fn empty(evidence: &Evidence, kind: Kind, table: usize, size: (usize, usize)) -> Placed {
        Placed {
            kind,
            relation: evidence.tables[table].name,
            title: String::new(),
            columns: size.0,
            rows: size.1,
            width: 0.0,
            height: 0.0,
            spots: Vec::new(),
            labels: Vec::new(),
            lines: Vec::new(),
            legend: Vec::new(),
            total: None,
            keys: HashMap::new(),
            sides: HashMap::new(),
            dots: Vec::new(),
            class: None,
            pairs: Vec::new(),
            towers: None,
            holder: None,
        }
    }

    /// Adds the spots, numbered from `first`, and makes room for them.
    fn fill(&mut self, evidence: &Evidence, first: u32, wanted: Vec<Wanted>) {
        let relation = evidence.name(self.relation);
        for (number, Wanted { key, centre, column, row, outline, dark }) in wanted.into_iter().enumerate() {
            let id = SpotId(first + number as u32);
            let words: Vec<String> = key.iter().map(|&name| evidence.show(name)).collect();
            let name = format!("{relation} {}", words.join(" "));
            let reach = outline.reach();
            self.width = self.width.max(centre.x + reach.x + MARGIN);
            self.height = self.height.max(centre.y + reach.y + MARGIN);
            self.keys.insert(evidence.opened(&key), id);
            let (marks, ground, fault) = (Vec::new(), Vec::new(), None);
            self.spots.push(Spot { id, name, centre, outline, dark, column, row, ground, marks, fault });
        }
    }

    /// The squares of a grid and of those that are laid over it, numbered from `first`.
    pub fn of_grid(evidence: &Evidence, grid: &Grid, over: &[&Grid], first: u32) -> Placed {
        let (columns, rows) = (grid.width(), grid.height());
        let mut placed = Placed::empty(evidence, Kind::Grid, grid.table, (columns, rows));
        placed.class = evidence.class(&evidence.tables[grid.table], grid.x, grid.y);
        let panel = (MARGIN * 2.0 + columns as f64 * SQUARE, MARGIN * 2.0 + rows as f64 * SQUARE);
        let lines = grid.boards.len().div_ceil(grid.across.max(1));
        // Where the boards stand, from the top left.
        let corner = |board: usize| Point {
            x: panel.0 * (board % grid.across) as f64,
            y: panel.1 * (board / grid.across) as f64,
        };
        let column = |board: usize, x: usize| (board % grid.across) * (columns + 1) + x;
        let row = |board: usize, y: usize| (lines - 1 - board / grid.across) * (rows + 1) + y;
        let mut cells = cells(evidence, grid, over);
        // Board by board, from the bottom up, from the left: so they stand in text, too.
        cells.sort_unstable_by_key(|&(board, x, y)| (board, y, x));
        let wanted = cells.iter().map(|&(board, x, y)| Wanted {
            key: key(grid, (board, x, y)),
            centre: Point {
                x: corner(board).x + MARGIN + (x as f64 + 0.5) * SQUARE,
                y: corner(board).y + MARGIN + ((rows - 1 - y) as f64 + 0.5) * SQUARE,
            },
            column: column(board, x),
            row: row(board, y),
            outline: Outline::Rectangle(SQUARE, SQUARE),
            dark: (x + y) % 2 == 0,
        });
        placed.fill(evidence, first, wanted.collect());
        for (&(_, x, _), spot) in cells.iter().zip(&placed.spots) {
            placed.sides.entry(grid.columns.names[x]).or_default().push(spot.id);
        }
        let several = grid.boards.len() > 1;
        for (board, names) in grid.boards.iter().enumerate() {
            let Point { x: left, y: top } = corner(board);
            let bottom = top + MARGIN + rows as f64 * SQUARE;
            for (x, &name) in grid.columns.names.iter().enumerate() {
                let at = Point { x: left + MARGIN + (x as f64 + 0.5) * SQUARE, y: bottom + MARGIN * 0.45 };
                placed.label(at, evidence.show(name), Names::Column(column(board, x)));
            }
            if several {
                let words: Vec<String> = names.iter().map(|&name| evidence.show(name)).collect();
                let at = Point { x: left + MARGIN + columns as f64 * SQUARE / 2.0, y: top + MARGIN * 0.5 };
                placed.label(at, words.join(" "), Names::Board);
            }
            for (y, &name) in grid.rows.names.iter().enumerate() {
                let at = Point {
                    x: left + MARGIN * 0.55,
                    y: top + MARGIN + ((rows - 1 - y) as f64 + 0.5) * SQUARE,
                };
                placed.label(at, evidence.show(name), Names::Row(row(board, y)));
            }
        }
        (placed.width, placed.height) = (panel.0 * grid.across as f64, panel.1 * lines as f64);
        placed
    }

    /// The cells of a grid as hexagons in the places of a lattice, numbered from `first`.
    pub fn of_hexagons(
        evidence: &Evidence,
        grid: &Grid,
        cells: &[(usize, usize, usize)],
        corners: &[Corner],
        first: u32,
    ) -> Placed {
        let mut placed = Placed::empty(evidence, Kind::Hex, grid.table, (grid.width(), grid.height()));
        placed.class = evidence.class(&evidence.tables[grid.table], grid.x, grid.y);
        let spots = lattice_places(corners, HEXAGON * 3f64.sqrt());
        let corner = |number: i32| {
            let angle = f64::from(60 * number - 30).to_radians();
            Point { x: HEXAGON * angle.cos(), y: HEXAGON * angle.sin() }
        };
        let wanted = cells.iter().zip(&spots).map(|(&cell, &(centre, column, row))| Wanted {
            key: key(grid, cell),
            centre,
            column,
            row,
            outline: Outline::Polygon((0..6).map(corner).collect()),
            dark: false,
        });
        placed.fill(evidence, first, wanted.collect());
        // Each row is named at its left end, each column below its lowest cell.
        let mut ends: BTreeMap<(bool, usize), Point> = BTreeMap::new();
        for (&(_, x, y), &(centre, ..)) in cells.iter().zip(&spots) {
            placed
                .sides
                .entry(grid.columns.names[x])
                .or_default()
                .push(placed.keys[&evidence.opened(&key(grid, (0, x, y)))]);
            let left = ends.entry((false, y)).or_insert(centre);
            if centre.x < left.x {
                *left = centre;
            }
            let low = ends.entry((true, x)).or_insert(centre);
            if centre.y > low.y {
                *low = centre;
            }
        }
        for ((is_column, place), end) in ends {
            let (names, at) = match is_column {
                true => (&grid.columns.names, Point { x: end.x + HEXAGON * 0.6, y: end.y + HEXAGON * 1.15 }),
                false => (&grid.rows.names, Point { x: end.x - HEXAGON * 1.3, y: end.y - 4.0 }),
            };
            placed.label(at, evidence.show(names[place]), Names::Board);
        }
        placed
    }

    /// Lines between points, numbered from `first`, and the squares between the points if `areas`.
    pub fn of_strokes(evidence: &Evidence, strokes: &Strokes, areas: bool, first: u32) -> Placed {
        let (columns, rows) = (strokes.columns.len(), strokes.rows.len());
        let mut placed = Placed::empty(evidence, Kind::Grid, strokes.table, (columns, rows));
        let x = |place: f64| MARGIN + STROKE + place * STEP;
        let y = |place: f64| MARGIN + STROKE + (rows as f64 - 1.0 - place) * STEP;
        let mut wanted = Vec::new();
        if areas {
            for (row, &up) in strokes.rows.names.iter().enumerate().take(rows - 1) {
                for (column, &across) in strokes.columns.names.iter().enumerate().take(columns - 1) {
                    wanted.push(Wanted {
                        key: vec![across, up],
                        centre: Point { x: x(column as f64 + 0.5), y: y(row as f64 + 0.5) },
                        column: 2 * column + 1,
                        row: 2 * row + 1,
                        outline: Outline::Rectangle(STEP - 2.0 * STROKE, STEP - 2.0 * STROKE),
                        dark: false,
                    });
                }
            }
        }
        let place = |axis: &Axis, name: TermId| axis.place(name).unwrap_or(0);
        for line in &evidence.tables[strokes.table].rows {
            let key = line[strokes.at..strokes.at + 4].to_vec();
            let (a, c) = (place(&strokes.columns, key[0]), place(&strokes.columns, key[2]));
            let (b, d) = (place(&strokes.rows, key[1]), place(&strokes.rows, key[3]));
            let (long, wide) = (STEP - 10.0, STROKE);
            wanted.push(Wanted {
                key,
                centre: Point { x: x((a + c) as f64 / 2.0), y: y((b + d) as f64 / 2.0) },
                column: a + c,
                row: b + d,
                outline: if b == d { Outline::Rectangle(long, wide) } else { Outline::Rectangle(wide, long) },
                dark: false,
            });
        }
        let mut seen = HashSet::new();
        wanted.retain(|spot| seen.insert(spot.key.clone()));
        placed.fill(evidence, first, wanted);
        placed.dots = (0..columns * rows)
            .map(|n| Point { x: x((n % columns) as f64), y: y((n / columns) as f64) })
            .collect();
        for (column, &name) in strokes.columns.names.iter().enumerate() {
            let at = Point { x: x(column as f64), y: y(0.0) + MARGIN * 0.8 };
            placed.label(at, evidence.show(name), Names::Column(2 * column));
        }
        for (row, &name) in strokes.rows.names.iter().enumerate() {
            let at = Point { x: MARGIN * 0.4, y: y(row as f64) };
            placed.label(at, evidence.show(name), Names::Row(2 * row));
        }
        placed.width += MARGIN;
        placed.height += MARGIN * 0.5;
        placed
    }

    /// What a role holds, a spot for each thing, numbered from `first`.
    pub fn of_hand(evidence: &Evidence, table: usize, keys: Vec<Vec<TermId>>, first: u32) -> Placed {
        let mut placed = Placed::empty(evidence, Kind::Hand, table, (keys.len(), 1));
        let across = if keys.len() > LONGEST_ROW { 8 } else { keys.len() };
        let centre = |place: usize| Point {
            x: MARGIN + SQUARE / 2.0 + (place % across) as f64 * STEP,
            y: MARGIN * 1.8 + SQUARE / 2.0 + (place / across) as f64 * (STEP + MARGIN * 0.6),
        };
        let names: Vec<String> = keys
            .iter()
            .map(|key| {
                let thing = key.iter().filter(|&&name| evidence.role_of(name).is_none());
                thing.map(|&name| evidence.show(name)).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let owner =
            keys.first().and_then(|key| key.iter().find(|&&name| evidence.role_of(name).is_some()).copied());
        let spot = |(place, key): (usize, Vec<TermId>)| Wanted {
            key,
            centre: centre(place),
            column: place,
            row: 0,
            outline: Outline::Rectangle(SQUARE, SQUARE),
            dark: false,
        };
        placed.fill(evidence, first, keys.into_iter().enumerate().map(spot).collect());
        for (place, name) in names.into_iter().enumerate() {
            let Point { x, y } = centre(place);
            placed.label(Point { x, y: y - SQUARE / 2.0 - 7.0 }, name, Names::Column(place));
        }
        if let Some(owner) = owner {
            let words = format!("{} {}", evidence.name(placed.relation), evidence.show(owner));
            placed.label(Point { x: placed.width / 2.0, y: MARGIN * 0.6 }, words, Names::Board);
        }
        placed
    }

    /// The spots of a track or of pits, numbered from `first`.
    pub fn of_row(evidence: &Evidence, line: &Line, first: u32) -> Placed {
        let count = line.names.len();
        let mut placed = Placed::empty(evidence, line.kind, line.table, (count, 1));
        // Long rows are broken, so that they can be seen at once.
        let across = if count > LONGEST_ROW { count.div_ceil(count.div_ceil(LONGEST_ROW)) } else { count };
        let at = |place: usize| MARGIN + SQUARE / 2.0 + place as f64 * STEP;
        let centre = |place: usize| Point { x: at(place % across), y: at(place / across) + MARGIN / 2.0 };
        let outline = match line.kind {
            Kind::Pits => Outline::Circle(SQUARE * 0.5),
            _ => Outline::Rectangle(SQUARE, SQUARE),
        };
        let spot = |(place, &name): (usize, &TermId)| Wanted {
            key: vec![name],
            centre: centre(place),
            column: place,
            row: 0,
            outline: outline.clone(),
            dark: false,
        };
        placed.fill(evidence, first, line.names.names.iter().enumerate().map(spot).collect());
        for (place, &name) in line.names.names.iter().enumerate() {
            let Point { x, y } = centre(place);
            placed.label(Point { x, y: y - SQUARE / 2.0 - 7.0 }, evidence.show(name), Names::Column(place));
        }
        placed
    }

    /// A row of spots that have no names but their places, numbered from `first`.
    pub fn of_tuple(evidence: &Evidence, table: usize, count: usize, first: u32) -> Placed {
        let mut placed = Placed::empty(evidence, Kind::Track, table, (count, 1));
        let spot = |place: usize| Wanted {
            key: Vec::new(),
            centre: Point { x: MARGIN + SQUARE / 2.0 + place as f64 * STEP, y: MARGIN * 1.5 + SQUARE / 2.0 },
            column: place,
            row: 0,
            outline: Outline::Rectangle(SQUARE, SQUARE),
            dark: false,
        };
        placed.fill(evidence, first, (0..count).map(spot).collect());
        placed.keys.clear();
        for place in 0..count {
            let Point { x, y } = placed.spots[place].centre;
            placed.spots[place].name.push_str(&(place + 1).to_string());
            let at = Point { x, y: y - SQUARE / 2.0 - 7.0 };
            placed.label(at, (place + 1).to_string(), Names::Column(place));
        }
        placed
    }

    /// Things that stand on one another in so many columns at most, numbered from `first`, bases before the others. If names
    /// are sizes, `sizes` says whether the later ones are the larger.
    pub fn of_towers(
        evidence: &Evidence,
        table: usize,
        (names, bases): (&[TermId], usize),
        columns: usize,
        sizes: Option<bool>,
        first: u32,
    ) -> Placed {
        let things = names.len() - bases;
        let mut placed = Placed::empty(evidence, Kind::Track, table, (names.len(), 1));
        let (widest, high) =
            (if sizes.is_some() || bases > 0 { SQUARE * 1.9 } else { SQUARE }, SQUARE * 0.62);
        let step = (widest + SQUARE * 0.35, high);
        let low = MARGIN + (things as f64 + 0.5) * high;
        let corner = (MARGIN + widest / 2.0, low);
        let spot = |(place, &name): (usize, &TermId)| {
            let share = (place as f64 - bases as f64) / (things as f64 - 1.0).max(1.0);
            let wide = match sizes {
                _ if place < bases => widest,
                Some(grow) => widest * (0.45 + 0.5 * if grow { share } else { 1.0 - share }),
                None => SQUARE,
            };
            Wanted {
                key: vec![name],
                centre: Point { x: corner.0 + place as f64 * step.0, y: low },
                column: place,
                row: 0,
                outline: Outline::Rectangle(wide, if place < bases { high * 0.2 } else { high - 2.0 }),
                dark: place >= bases,
            }
        };
        placed.fill(evidence, first, names.iter().enumerate().map(spot).collect());
        for (place, &name) in names.iter().enumerate() {
            let text = evidence.show(name);
            if place < bases {
                let at = Point { x: corner.0 + place as f64 * step.0, y: low + MARGIN * 0.7 };
                placed.label_in(step.0, at, text, Names::Column(place));
            } else {
                let glyph = Glyph::Text(initials(&text));
                let tooltip = placed.spots[place].name.clone();
                placed.spots[place].marks.push(Mark { glyph, text, colour: Colour::Neutral, tooltip });
            }
        }
        (placed.width, placed.height) =
            (MARGIN * 2.0 + columns as f64 * step.0, low + high * 0.5 + MARGIN * 1.4);
        placed.towers = Some(Towers { bases, step, corner });
        placed
    }

    /// The corners of a graph, numbered from `first`.
    pub fn of_graph(
        evidence: &Evidence,
        table: usize,
        keys: Vec<Vec<TermId>>,
        edges: &[(usize, usize)],
        shape: Shape,
        first: u32,
        meter: &mut Meter,
    ) -> Result<Placed, Exceeded> {
        let mut placed = Placed::empty(evidence, Kind::Graph, table, (keys.len(), 1));
        let is_lattice = matches!(shape, Shape::Lattice(_));
        let free = |places: Vec<(f64, f64)>| {
            let least = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min);
            let (left, top) = (least(|place| place.0), least(|place| place.1));
            let at = |from: f64, place: f64| MARGIN + SQUARE / 2.0 + (place - from) * STEP;
            let point = |&(x, y): &(f64, f64)| Point { x: at(left, x), y: at(top, y) };
            places.iter().enumerate().map(|(number, place)| (point(place), number, 0)).collect()
        };
        let spots: Vec<(Point, usize, usize)> = match shape {
            Shape::Lattice(corners) => lattice_places(&corners, STEP),
            Shape::Given(places) => free(places),
            Shape::Free => free(lying(spread::spread(keys.len(), edges, meter)?)),
        };
        let labels: Vec<String> = keys
            .iter()
            .map(|key| key.iter().map(|&name| evidence.show(name)).collect::<Vec<_>>().join(" "))
            .collect();
        let wanted = keys.into_iter().zip(&spots).map(|(key, &(centre, column, row))| Wanted {
            key,
            centre,
            column,
            row,
            outline: Outline::Circle(SQUARE * 0.36),
            dark: false,
        });
        placed.fill(evidence, first, wanted.collect());
        for (label, &(Point { x, y }, column, _)) in labels.into_iter().zip(&spots) {
            let names = if is_lattice { Names::Board } else { Names::Column(column) };
            placed.label_in(STEP + 4.0, Point { x, y: y + SQUARE * 0.48 }, label, names);
        }
        placed.lines = edges.iter().map(|&(a, b)| (spots[a].0, spots[b].0)).collect();
        Ok(placed)
    }

    fn label(&mut self, at: Point, text: String, names: Names) {
        let room = match names {
            Names::Column(_) => SQUARE - 2.0,
            Names::Row(_) => MARGIN * 1.4,
            Names::Board => f64::INFINITY,
        };
        self.label_in(room, at, text, names);
    }

    /// A label that is cut where it is wider than `room`.
    fn label_in(&mut self, room: f64, at: Point, text: String, names: Names) {
        let text = if width(&text) > room {
            let mut cut = text;
            while cut.chars().count() > 1 && width(&cut) + LETTER > room {
                cut.pop();
            }
            cut + "\u{2026}"
        } else {
            text
        };
        self.labels.push(Label { at, text, names });
    }

    /// How many names say which spot it is: the numbers that there are, the largest first.
    pub fn sizes(&self) -> Vec<usize> {
        let sizes: BTreeSet<usize> = self.keys.keys().map(Vec::len).collect();
        sizes.into_iter().rev().collect()
    }

    /// The spot of a thing in the hand of a role, if this is one.
    pub fn in_hand(&self, role: TermId, thing: TermId) -> Option<SpotId> {
        let (_, first) = self.holder.filter(|(holder, _)| *holder == role)?;
        let key = if first { vec![role, thing] } else { vec![thing, role] };
        self.keys.get(&key).copied()
    }

    /// Puts the fluents of a table onto the spots that these columns name, in the order of the keys.
    pub fn place(
        &mut self,
        evidence: &Evidence,
        table: usize,
        key: &[usize],
        content: &[usize],
        total: bool,
        places: &mut [Place],
    ) {
        let rows = &evidence.tables[table];
        if let [x, y] = *key {
            self.pairs.extend(evidence.pair(rows, x, y));
        }
        let of = |row: &Vec<TermId>| key.iter().map(|&column| row[column]).collect::<Vec<TermId>>();
        let own: HashSet<Vec<TermId>> = rows.rows.iter().map(of).collect();
        let board = Ground {
            own: own.len(),
            all: self.spots.len(),
            coordinates: self.keys.keys().flatten().copied().collect(),
        };
        let contents = Contents::of(evidence, table, content, &board);
        let ground = evidence.never_changes(rows);
        for (&item, row) in rows.items.iter().zip(&rows.rows) {
            let Some(&spot) = self.keys.get(&evidence.opened(&of(row))) else { continue };
            let mark = contents.mark(evidence, row, || evidence.show_fluent(item));
            places[item] = Place::Spot { spot, table, mark, ground };
        }
        let named: Vec<(usize, &str)> = key.iter().copied().zip(["x", "y", "z", "w"]).collect();
        self.title = format!("{} {}", self.title, evidence.title(table, &named)).trim().to_owned();
        self.legend.extend(contents.legend());
        // Without a value for an empty cell, cells that pieces leave have none, and that is no mistake.
        if total && contents.has_blank() {
            let spots = own.iter().filter_map(|names| self.keys.get(&evidence.opened(names)).copied());
            self.total = Some((table, spots.collect()));
        }
    }
}

/// The cells of a grid and of those that are laid over it.
pub fn cells(evidence: &Evidence, grid: &Grid, over: &[&Grid]) -> Vec<(usize, usize, usize)> {
    let of = |other: &Grid| {
        let rows = evidence.tables[other.table].rows.iter();
        rows.filter_map(|row| grid.cell(other, row)).collect::<Vec<_>>()
    };
    let mut cells = of(grid);
    over.iter().for_each(|other| cells.extend(of(other)));
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The names that say which cell it is, in the order of the columns.
pub fn key(grid: &Grid, (board, x, y): (usize, usize, usize)) -> Vec<TermId> {
    let mut key = vec![(grid.x, grid.columns.names[x]), (grid.y, grid.rows.names[y])];
    key.extend(grid.split.iter().copied().zip(grid.boards[board].iter().copied()));
    key.sort_unstable_by_key(|&(column, _)| column);
    key.into_iter().map(|(_, name)| name).collect()
}

/// Corners of the lattice in the picture, `step` from one to the next; and their columns and rows in text, where every other
/// column of a row is empty.
fn lattice_places(corners: &[Corner], step: f64) -> Vec<(Point, usize, usize)> {
    let along = |(q, r): Corner| 2 * q + r;
    let left = corners.iter().map(|&corner| along(corner)).min().unwrap_or(0);
    let low = corners.iter().map(|corner| corner.1).min().unwrap_or(0);
    let high = corners.iter().map(|corner| corner.1).max().unwrap_or(0);
    let edge = MARGIN + SQUARE / 2.0 + 4.0;
    let place = |&(q, r): &Corner| {
        let (column, row) = ((along((q, r)) - left) as usize, (r - low) as usize);
        let x = edge + column as f64 * step / 2.0;
        let y = edge + f64::from(high - r) * step * 3f64.sqrt() / 2.0;
        (Point { x, y }, column, row)
    };
    corners.iter().map(place).collect()
}

/// How wide a label is, roughly.
fn width(text: &str) -> f64 {
    text.chars().map(|letter| if letter.is_uppercase() { LETTER * 1.4 } else { LETTER }).sum()
}

/// The same picture turned so that it is rather wide than high, as pages are.
fn lying(places: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let (low, high) = places.iter().map(of).fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        high - low
    };
    if extent(|place| place.1) <= extent(|place| place.0) * 1.05 {
        return places;
    }
    places.into_iter().map(|(x, y)| (y, -x)).collect()
}

/// The neighbours as a list.
pub fn listed(edges: &Edges) -> Vec<(usize, usize)> {
    edges.iter().copied().collect()
}
