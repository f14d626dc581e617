//! Finding the boards of a game, and the place of each fluent.

use crate::evidence::Evidence;
use crate::grid::{self, Grid};
use crate::line::{self, Line};
use crate::placed::{Place, Placed};
use crate::scene::{Colour, SpotId};
use ludex_engine::budget::{Exceeded, Meter};
use std::collections::HashMap;

/// The boards, the main one first, and where each fluent goes.
pub fn boards(evidence: &Evidence, meter: &mut Meter) -> Result<(Vec<Placed>, Vec<Place>), Exceeded> {
    let mut grids: Vec<Grid> = Vec::new();
    for table in 0..evidence.tables.len() {
        grids.extend(grid::best(evidence, table, meter)?);
    }
    // Stable: among equals the one that the rules name first.
    grids.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut places = vec![Place::Rest; evidence.vocabulary.fluent_count()];
    let mut boards: Vec<(f64, Placed)> = Vec::new();
    let mut spots = 0;
    while !grids.is_empty() {
        let main = grids.remove(0);
        let (over, others): (Vec<Grid>, Vec<Grid>) = grids.into_iter().partition(|grid| main.takes(grid));
        grids = others;
        let mut placed = Placed::of_grid(evidence, &main, &over.iter().collect::<Vec<_>>(), spots);
        placed.place_grid(evidence, &main, &mut places);
        for grid in &over {
            placed.place_grid(evidence, grid, &mut places);
            let title = evidence.title(grid.table, &[(grid.x, "x"), (grid.y, "y")]);
            placed.title.push_str(&format!(" {title}"));
        }
        spots += placed.spots.len() as u32;
        boards.push((main.score, placed));
    }
    let mut lines: Vec<Line> = Vec::new();
    for table in 0..evidence.tables.len() {
        if !drawn(evidence, &places).contains(&table) {
            lines.extend(line::best(evidence, table, meter)?);
        }
    }
    lines.sort_by(|a, b| b.score.total_cmp(&a.score));
    while !lines.is_empty() {
        let main = lines.remove(0);
        let same = |line: &Line| line.names.names == main.names.names;
        let (over, others): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(same);
        lines = others;
        let mut placed = Placed::of_line(evidence, &main, spots, meter)?;
        for line in std::iter::once(&main).chain(&over) {
            placed.place_line(evidence, line, &mut places);
        }
        spots += placed.spots.len() as u32;
        boards.push((main.score, placed));
    }
    // Stable: among equals grids first.
    boards.sort_by(|a, b| b.0.total_cmp(&a.0));
    let boards = renumbered(boards.into_iter().map(|(_, placed)| placed).collect(), &mut places);
    let drawn: Vec<usize> = drawn(evidence, &places);
    for table in (0..evidence.tables.len()).filter(|table| !drawn.contains(table)) {
        aside(evidence, table, &mut places);
    }
    Ok((boards, places))
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
        board.keys.values_mut().for_each(|id| *id = new[id]);
    }
    for place in places {
        if let Place::Spot { spot, .. } = place {
            *spot = new[spot];
        }
    }
    boards
}

/// The tables of which fluents are on boards.
fn drawn(evidence: &Evidence, places: &[Place]) -> Vec<usize> {
    let on_board = |item: &usize| matches!(places[*item], Place::Spot { .. });
    (0..evidence.tables.len()).filter(|&table| evidence.tables[table].items.iter().any(on_board)).collect()
}

/// Relations of one argument stand beside the boards: counters, whose turn it is; and so do values by role.
fn aside(evidence: &Evidence, number: usize, places: &mut [Place]) {
    let table = &evidence.tables[number];
    let name = evidence.name(table.name);
    let by_role = table.width() == 2 && evidence.are_roles(&table.columns[0].values);
    if table.width() > 1 && !by_role {
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
