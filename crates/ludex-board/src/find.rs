//! Finding the boards of a game, and the place of each fluent.

use crate::axis::Trust;
use crate::content;
use crate::evidence::Evidence;
use crate::grid::{self, Grid};
use crate::hand;
use crate::lattice::{lined_up, turned};
use crate::line::{self, Line};
use crate::neighbours::Neighbours;
use crate::placed::{self, Place, Placed, Shape};
use crate::scene::{Colour, Glyph, Kind, Mark, SpotId};
use crate::stack;
use crate::strokes::{self, Strokes};
use crate::tuple;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::TermId;
use std::collections::{HashMap, HashSet};

/// A row of fewer spots shares its names with too much else.
const FEWEST: usize = 4;
/// So many things may have a value each beside the boards.
const MOST_THINGS: usize = 6;
/// How much speaks for a row that one fluent fills.
const ROW: f64 = 4.0;
/// How much speaks for towers.
const TOWERS: f64 = 8.0;
/// So many relations may fill cells of the ground.
const MOST_FILLS: usize = 2;

/// The boards, the main one first, and where each fluent goes.
pub fn boards(evidence: &Evidence, meter: &mut Meter) -> Result<(Vec<Placed>, Vec<Place>), Exceeded> {
    let mut finder = Finder {
        evidence,
        boards: Vec::new(),
        places: vec![Place::Rest; evidence.vocabulary.fluent_count()],
        spots: 0,
    };
    let tables = 0..evidence.tables.len();
    for table in tables.clone() {
        if let Some(strokes) = strokes::read(evidence, table, meter)? {
            finder.strokes(&strokes);
        }
    }
    for table in tables.clone() {
        if let Some(placed) = stack::of(evidence, table, finder.spots, &mut finder.places) {
            finder.add(TOWERS, placed);
        } else if let Some(placed) = tuple::of(evidence, table, finder.spots, &mut finder.places) {
            finder.add(ROW, placed);
        }
    }
    let mut grids: Vec<Grid> = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    for table in tables.clone().filter(|&table| !finder.is_drawn(table)) {
        let (grid, line) = (grid::best(evidence, table, meter)?, line::best(evidence, table, meter)?);
        match (grid, line) {
            (Some(grid), Some(line)) if is_rather_graph(&grid, &line) => lines.push(line),
            (Some(grid), _) => grids.push(grid),
            (None, Some(line)) => lines.push(line),
            (None, None) => {}
        }
    }
    finder.grids(grids, meter)?;
    finder.overlays();
    lines.retain(|line| !finder.is_drawn(line.table));
    finder.lines(lines, meter)?;
    // Stable: among equals grids first.
    finder.boards.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut boards: Vec<Placed> = finder.boards.drain(..).map(|(_, placed)| placed).collect();
    if let Some(main) = boards.first_mut() {
        ground(evidence, main);
    }
    if !boards.is_empty() {
        for table in tables.clone() {
            if finder.is_drawn(table) {
                continue;
            }
            let hands = hand::of(evidence, table, finder.spots, &mut finder.places);
            finder.spots += hands.iter().map(|hand| hand.spots.len() as u32).sum::<u32>();
            boards.extend(hands);
        }
    }
    let boards = renumbered(boards, &mut finder.places);
    for table in tables {
        if !finder.is_drawn(table) {
            aside(evidence, table, &mut finder.places);
        }
    }
    let mut places = finder.places;
    few_fills(evidence, &mut places);
    Ok((boards, places))
}

/// Where several relations that never change would fill cells, which is which has to be told.
fn few_fills(evidence: &Evidence, places: &mut [Place]) {
    let fills = |place: &Place| match place {
        Place::Spot { table, mark: Some(mark), ground: true, .. } => (mark.glyph == Glyph::Fill
            && mark.text == evidence.name(evidence.tables[*table].name))
        .then_some(*table),
        _ => None,
    };
    let tables: HashSet<usize> = places.iter().filter_map(fills).collect();
    if tables.len() <= MOST_FILLS {
        return;
    }
    for place in places {
        if fills(place).is_some()
            && let Place::Spot { mark: Some(mark), .. } = place
        {
            mark.glyph = Glyph::Text(content::initials(&mark.text));
        }
    }
}

/// True for a graph that could be taken for a grid whose second side is the content, such as `(cell c4 red)`.
fn is_rather_graph(grid: &Grid, line: &Line) -> bool {
    let alike = grid.columns.names.len() == grid.rows.names.len();
    let ordered = grid.columns.trust >= Trust::Ring && grid.rows.trust >= Trust::Ring;
    line.kind == Kind::Graph && !alike && !ordered
}

struct Finder<'e, 'v> {
    evidence: &'e Evidence<'v>,
    /// The boards, with how much speaks for each.
    boards: Vec<(f64, Placed)>,
    places: Vec<Place>,
    spots: u32,
}

impl Finder<'_, '_> {
    /// True if fluents of the table are on boards.
    fn is_drawn(&self, table: usize) -> bool {
        let on_board = |item: &usize| !matches!(self.places[*item], Place::Aside { .. } | Place::Rest);
        self.evidence.tables[table].items.iter().any(on_board)
    }

    fn add(&mut self, score: f64, placed: Placed) {
        self.spots += placed.spots.len() as u32;
        self.boards.push((score, placed));
    }

    /// Lines between points, with what stands in the squares between them.
    fn strokes(&mut self, strokes: &Strokes) {
        let evidence = self.evidence;
        let inner = |names: &[TermId], values: &[TermId]| {
            values.len() + 1 == names.len() && names[..values.len()].iter().all(|name| values.contains(name))
        };
        let areas = (0..evidence.tables.len()).filter(|&table| {
            let columns = &evidence.tables[table].columns;
            (2..=3).contains(&columns.len())
                && inner(&strokes.columns.names, &columns[0].values)
                && inner(&strokes.rows.names, &columns[1].values)
        });
        let areas: Vec<usize> = areas.collect();
        let mut placed = Placed::of_strokes(evidence, strokes, !areas.is_empty(), self.spots);
        let key: Vec<usize> = (strokes.at..strokes.at + 4).collect();
        placed.place(evidence, strokes.table, &key, &strokes.content, false, &mut self.places);
        for table in areas {
            let content: Vec<usize> = (2..evidence.tables[table].width()).collect();
            placed.place(evidence, table, &[0, 1], &content, false, &mut self.places);
        }
        // A line is drawn or not, and a square that is somebody's is filled.
        for place in &mut self.places {
            if let Place::Spot { mark: Some(mark), .. } = place
                && (mark.glyph == Glyph::Disc || strokes.content.is_empty())
            {
                mark.glyph = Glyph::Fill;
            }
        }
        // Nothing else that a game draws names a place by four arguments.
        self.add(20.0, placed);
    }

    fn grids(&mut self, mut grids: Vec<Grid>, meter: &mut Meter) -> Result<(), Exceeded> {
        // Stable: among equals the one that the rules name first.
        grids.sort_by(|a, b| b.score.total_cmp(&a.score));
        while !grids.is_empty() {
            let main = grids.remove(0);
            if !self.boards.is_empty() && self.is_aside(&main) {
                continue;
            }
            let lies_over = |grid: &Grid| {
                self.is_ground(&main, grid) || (main.takes(grid) && !self.are_apart(&main, grid))
            };
            let (over, others): (Vec<Grid>, Vec<Grid>) = grids.into_iter().partition(lies_over);
            grids = others;
            let mut placed = self.shaped(&main, &over.iter().collect::<Vec<_>>(), meter)?;
            for (number, grid) in std::iter::once(&main).chain(&over).enumerate() {
                // The names in the order of the main board's key.
                let mut key: Vec<(usize, usize)> = vec![(main.x, grid.x), (main.y, grid.y)];
                key.extend(main.split.iter().copied().zip(grid.split.iter().copied()));
                key.sort_unstable();
                let key: Vec<usize> = key.into_iter().map(|(_, column)| column).collect();
                let content: Vec<usize> =
                    (0..self.evidence.tables[grid.table].width()).filter(|k| !key.contains(k)).collect();
                placed.place(
                    self.evidence,
                    grid.table,
                    &key,
                    &content,
                    grid.total && number == 0,
                    &mut self.places,
                );
            }
            self.add(main.score, placed);
        }
        Ok(())
    }

    /// True for what looks like a further board and is none: a side of two names that no move names; or three arguments of
    /// which two are cells of a board that there is, and few of them, which then lie over it.
    fn is_aside(&mut self, grid: &Grid) -> bool {
        let evidence = self.evidence;
        let table = &evidence.tables[grid.table];
        if table.width() == 3 && grid.split.is_empty() {
            for x in [0, 1] {
                let cells: HashSet<Vec<TermId>> =
                    table.rows.iter().map(|row| row[x..=x + 1].to_vec()).collect();
                let holds = |placed: &Placed| {
                    cells.len() * 4 <= placed.spots.len()
                        && cells.iter().all(|cell| placed.keys.contains_key(cell))
                };
                if let Some((_, placed)) = self.boards.iter_mut().find(|(_, placed)| holds(placed)) {
                    placed.place(evidence, grid.table, &[x, x + 1], &[2 - 2 * x], false, &mut self.places);
                    return true;
                }
            }
        }
        let narrow = grid.width().min(grid.height()) < 3;
        narrow && !evidence.named_by_moves(&grid.columns.names, &grid.rows.names)
    }

    /// True for what never changes and says several things of a cell of a board, such as on which sides walls are.
    fn is_ground(&self, main: &Grid, other: &Grid) -> bool {
        let evidence = self.evidence;
        main.boards.len() == 1
            && other.boards.len() > 1
            && evidence.never_changes(&evidence.tables[other.table])
            && main.covers(other)
    }

    /// True for two boards that only look like one: each says of every cell what is there, some cells are on both, and no
    /// rule speaks of the same cell of both.
    fn are_apart(&self, main: &Grid, other: &Grid) -> bool {
        let evidence = self.evidence;
        let pair = |grid: &Grid| evidence.pair(&evidence.tables[grid.table], grid.x, grid.y);
        let joined = pair(main).zip(pair(other)).is_none_or(|(one, two)| evidence.are_together(&one, &two));
        let alike = (main.width(), main.height()) == (other.width(), other.height());
        let changes = !evidence.never_changes(&evidence.tables[other.table]);
        if !main.total || !other.total || joined || !alike || !changes {
            return false;
        }
        let own: HashSet<(usize, usize, usize)> = placed::cells(evidence, main, &[]).into_iter().collect();
        let rows = evidence.tables[other.table].rows.iter();
        rows.filter_map(|row| main.cell(other, row)).any(|cell| own.contains(&cell))
    }

    /// The spots of a grid: hexagons where each has six neighbours, corners of a graph where neighbours are as on no grid
    /// and nothing orders its names, else squares.
    fn shaped(&self, main: &Grid, over: &[&Grid], meter: &mut Meter) -> Result<Placed, Exceeded> {
        let evidence = self.evidence;
        if main.boards.len() == 1 {
            let cells = placed::cells(evidence, main, over);
            let keys: Vec<Vec<TermId>> = cells.iter().map(|&cell| placed::key(main, cell)).collect();
            let spots: HashMap<Vec<TermId>, usize> = keys.iter().cloned().zip(0..).collect();
            let neighbours = Neighbours::of(evidence, &spots, meter)?;
            if let Some((corners, edges)) = neighbours.hexagons() {
                let cost = |seen: &[(i32, i32)]| hex_cost(&cells, &edges, seen);
                let corners = lined_up(turned(&corners, cost), &edges);
                return Ok(Placed::of_hexagons(evidence, main, &cells, &corners, self.spots));
            }
            let flat: Vec<(usize, usize)> = cells.iter().map(|&(_, x, y)| (x, y)).collect();
            let ordered = [&main.columns, &main.rows].iter().all(|axis| axis.trust >= Trust::Stems);
            if let Some(edges) = neighbours.graph().filter(|_| !ordered)
                && Neighbours::is_irregular(edges, &flat)
            {
                let edges = placed::listed(edges);
                let shape = rings(main, &flat, &edges).map_or(Shape::Free, Shape::Given);
                return Placed::of_graph(evidence, main.table, keys, &edges, shape, self.spots, meter);
            }
        }
        Ok(Placed::of_grid(evidence, main, over, self.spots))
    }

    fn lines(&mut self, mut lines: Vec<Line>, meter: &mut Meter) -> Result<(), Exceeded> {
        lines.sort_by(|a, b| b.score.total_cmp(&a.score));
        while !lines.is_empty() {
            let main = lines.remove(0);
            if main.names.names.len() < 3 && !self.boards.is_empty() {
                continue;
            }
            let same = |line: &Line| line.names.names == main.names.names;
            let (over, others): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(same);
            lines = others;
            let mut placed = if main.kind == Kind::Graph {
                let corners = main.corners.as_ref().map(|corners| {
                    lined_up(turned(corners, |seen| row_cost(&main.edges, seen)), &main.edges)
                });
                let keys = main.names.names.iter().map(|&name| vec![name]).collect();
                let (edges, first) = (&main.edges, self.spots);
                let shape = corners.map_or(Shape::Free, Shape::Lattice);
                Placed::of_graph(self.evidence, main.table, keys, edges, shape, first, meter)?
            } else {
                Placed::of_row(self.evidence, &main, self.spots)
            };
            for (number, line) in std::iter::once(&main).chain(&over).enumerate() {
                let total = line.total && number == 0;
                placed.place(self.evidence, line.table, &[line.key], &line.content, total, &mut self.places);
            }
            self.over(&main, &mut placed);
            lines.retain(|line| !self.is_drawn(line.table));
            self.add(main.score, placed);
        }
        Ok(())
    }

    /// What other relations say of just the spots of a row, in one of their arguments, lies over it.
    fn over(&mut self, main: &Line, placed: &mut Placed) {
        let names: HashSet<TermId> = main.names.names.iter().copied().collect();
        for number in 0..self.evidence.tables.len() {
            let table = &self.evidence.tables[number];
            let same = |k: &usize| {
                let values = &table.columns[*k].values;
                values.len() == names.len() && values.iter().all(|value| names.contains(value))
            };
            if names.len() < FEWEST || self.is_drawn(number) || !(1..=3).contains(&table.width()) {
                continue;
            }
            let mut keys = (0..table.width()).filter(same);
            if let (Some(key), None) = (keys.next(), keys.next()) {
                let content: Vec<usize> = (0..table.width()).filter(|&k| k != key).collect();
                placed.place(self.evidence, number, &[key], &content, false, &mut self.places);
            }
        }
    }

    /// Relations whose two neighbouring arguments are, by the rules, those of a board lie over it, however few they are.
    fn overlays(&mut self) {
        let evidence = self.evidence;
        for number in (0..evidence.tables.len()).filter(|&number| !self.is_drawn(number)).collect::<Vec<_>>()
        {
            let table = &evidence.tables[number];
            let mut pairs = (1..table.width()).map(|y| (y - 1, y));
            let over = pairs.find_map(|(x, y)| {
                let class = evidence.class(table, x, y)?;
                let on = self.boards.iter().position(|(_, placed)| placed.class == Some(class))?;
                let known = |row: &Vec<TermId>| self.boards[on].1.keys.contains_key(&vec![row[x], row[y]]);
                table.rows.iter().all(known).then_some((on, x, y))
            });
            if let Some((on, x, y)) = over {
                let content: Vec<usize> = (0..table.width()).filter(|&k| k != x && k != y).collect();
                // Which cells are one group, or what was moved where, is nothing that stands there.
                let is_side = |&k: &usize| {
                    [x, y].iter().any(|&side| table.columns[k].values == table.columns[side].values)
                };
                if content.len() > 1 && content.iter().all(is_side) {
                    continue;
                }
                self.boards[on].1.place(evidence, number, &[x, y], &content, false, &mut self.places);
            }
        }
    }
}

/// Places in rings around one another, where one side of the board is a ring and the other says which: squares, if the ring
/// has four equal sides, with a corner where nothing leads to the next ring.
fn rings(main: &Grid, cells: &[(usize, usize)], edges: &[(usize, usize)]) -> Option<Vec<(f64, f64)>> {
    let (is_x, length) = match (main.columns.trust, main.rows.trust) {
        (Trust::Ring, _) => (true, main.columns.len()),
        (_, Trust::Ring) => (false, main.rows.len()),
        _ => return None,
    };
    let split = |(x, y): (usize, usize)| if is_x { (x, y) } else { (y, x) };
    let outward = |&(a, b): &(usize, usize)| {
        let ((place, ring), (_, other)) = (split(cells[a]), split(cells[b]));
        (ring != other).then_some(place)
    };
    let spokes: HashSet<usize> = edges.iter().filter_map(outward).collect();
    let corner = if spokes.contains(&0) { 0.5 } else { 0.0 };
    let place = |&cell: &(usize, usize)| {
        let (place, ring) = split(cell);
        let radius = (ring + 1) as f64;
        let part = place as f64 / length as f64;
        if length % 4 != 0 {
            let angle = part * std::f64::consts::TAU;
            return (radius * angle.sin(), -radius * angle.cos());
        }
        // From the upper left corner around, four sides of two radii each.
        let along = (part * 4.0 + corner).rem_euclid(4.0);
        let (side, rest) = (along.floor() as usize, along.fract() * 2.0 - 1.0);
        let (x, y) = [(rest, -1.0), (1.0, rest), (-rest, 1.0), (-1.0, -rest)][side % 4];
        (radius * x, radius * y)
    };
    Some(cells.iter().map(place).collect())
}

/// How little a view of a hex board looks like its names: rows are to run across, columns to the right, rows upwards.
fn hex_cost(cells: &[(usize, usize, usize)], edges: &[(usize, usize)], seen: &[(i32, i32)]) -> usize {
    let step = |&(a, b): &(usize, usize)| {
        let ((_, x, y), (_, z, w)) = (cells[a], cells[b]);
        let (along, up) = (2 * (seen[b].0 - seen[a].0) + seen[b].1 - seen[a].1, seen[b].1 - seen[a].1);
        let backwards = |names: std::cmp::Ordering, way: i32| usize::from(names as i32 * way.signum() < 0);
        let level = usize::from(y == w && up != 0) * 4;
        level + backwards(z.cmp(&x), along) + backwards(w.cmp(&y), up)
    };
    edges.iter().map(step).sum()
}

/// The same for spots with one name: they are to be read from the top, row by row.
fn row_cost(edges: &[(usize, usize)], seen: &[(i32, i32)]) -> usize {
    let step = |&(a, b): &(usize, usize)| {
        let (up, along) = (seen[b].1 - seen[a].1, 2 * (seen[b].0 - seen[a].0));
        let forwards = a < b;
        match up {
            0 => usize::from((along > 0) != forwards),
            _ => 2 * usize::from((up < 0) != forwards),
        }
    };
    edges.iter().map(step).sum()
}

/// What facts of the rules say of the cells of the main board, such as where walls are: relations of two arguments, or three,
/// that rules join with its coordinates, and that do not say it of all cells alike.
fn ground(evidence: &Evidence, main: &mut Placed) {
    let Some(class) = main.class else { return };
    let mut found: Vec<(SpotId, Mark)> = Vec::new();
    let mut fills = 0;
    for (facts, at) in evidence.facts_of(class) {
        let width = facts.rows.first().map_or(0, Vec::len);
        let listed = evidence.is_listed(facts.relation);
        let few = facts.rows.len() * 3 <= main.spots.len();
        if !listed || !(2..=3).contains(&width) || at + 1 >= width || (width == 2 && !few) {
            continue;
        }
        let named: HashSet<TermId> = facts
            .rows
            .iter()
            .flat_map(|row| (0..width).filter(|&k| k != at && k != at + 1).map(|k| row[k]))
            .collect();
        if width == 3 && named.len() == main.spots.len() {
            // Each spot has a name of its own: nothing to see.
            continue;
        }
        fills += usize::from(width == 2);
        let name = evidence.name(evidence.vocabulary.rules().relation(facts.relation).name);
        let cell = |row: &Vec<TermId>| main.keys.get(&vec![row[at], row[at + 1]]).copied();
        if !facts.rows.iter().all(|row| cell(row).is_some()) {
            continue;
        }
        for row in &facts.rows {
            let Some(spot) = cell(row) else { continue };
            let other = (0..width).find(|&k| k != at && k != at + 1).map(|k| evidence.show(row[k]));
            let words: Vec<String> = row.iter().map(|&term| evidence.show(term)).collect();
            let glyph = other.clone().map_or(Glyph::Fill, |name| {
                let picture = crate::pieces::pictures(std::slice::from_ref(&name)).remove(&name);
                // What looks like a piece would be taken for one.
                let picture = picture.filter(|glyph| matches!(glyph, Glyph::Arrow(_) | Glyph::Fill));
                picture.unwrap_or_else(|| Glyph::Text(content::initials(&name)))
            });
            let tooltip = format!("({name} {})", words.join(" "));
            let text = other.unwrap_or_else(|| name.to_owned());
            found.push((spot, Mark { glyph, text, colour: Colour::Neutral, tooltip }));
        }
    }
    // One or two kinds of cells are marked; more say something of most cells, which no picture shows.
    if fills > MOST_FILLS {
        found.retain(|(_, mark)| mark.glyph != Glyph::Fill);
    }
    let by_id: HashMap<SpotId, usize> =
        main.spots.iter().enumerate().map(|(at, spot)| (spot.id, at)).collect();
    for (id, mark) in found {
        main.spots[by_id[&id]].ground.push(mark);
    }
}

/// Spots are numbered board by board.
fn renumbered(mut boards: Vec<Placed>, places: &mut [Place]) -> Vec<Placed> {
    let mut new: HashMap<SpotId, SpotId> = HashMap::new();
    for board in &mut boards {
        for spot in &mut board.spots {
            let id = SpotId(new.len() as u32);
            new.insert(spot.id, id);
            spot.id = id;
        }
        if let Some((_, spots)) = &mut board.total {
            *spots = spots.iter().map(|id| new[id]).collect();
        }
        board.keys.values_mut().chain(board.sides.values_mut().flatten()).for_each(|id| *id = new[id]);
    }
    for place in places {
        match place {
            Place::Spot { spot, .. } => *spot = new[spot],
            Place::Row(first) => *first = new[first],
            Place::On { thing, below } => {
                *thing = new[thing];
                *below = below.map(|below| new[&below]);
            }
            Place::Aside { .. } | Place::Rest => {}
        }
    }
    boards
}

/// Relations of one argument stand beside the boards: counters, whose turn it is; and so do values by role, and those of few
/// other things that have one each.
fn aside(evidence: &Evidence, number: usize, places: &mut [Place]) {
    let table = &evidence.tables[number];
    let name = evidence.name(table.name);
    let by_role = table.width() == 2 && evidence.are_roles(&table.columns[0].values);
    let by_thing = || {
        let first: Vec<TermId> = evidence.initially(number).iter().map(|row| row[0]).collect();
        let distinct: HashSet<TermId> = first.iter().copied().collect();
        table.width() == 2 && (1..=MOST_THINGS).contains(&first.len()) && distinct.len() == first.len()
    };
    if table.width() > 1 && !by_role && !by_thing() {
        return;
    }
    for (item, row) in table.items.iter().zip(&table.rows) {
        let role = row.first().and_then(|&value| evidence.role_of(value));
        let words: Vec<String> = row.iter().map(|&value| evidence.show(value)).collect();
        let (label, value) = match words.as_slice() {
            [role, value] => (format!("{name} {role}"), value.clone()),
            [value] => (name.to_owned(), value.clone()),
            _ => (name.to_owned(), String::new()),
        };
        places[*item] = Place::Aside { label, value, colour: role.map_or(Colour::Neutral, Colour::Role) };
    }
}
