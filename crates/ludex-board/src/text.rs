//! A scene as text: grids as letters in columns, then a list of everything else.

use crate::scene::{Board, Fault, Names, Scene, Spot};
use std::collections::{BTreeMap, HashMap};

/// Lists of fluents are broken at this column.
const WIDTH: usize = 100;

impl Scene {
    /// The scene as text: the boards, then a list of everything else.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for board in &self.boards {
            if self.boards.len() > 1 {
                out.push_str(&format!("{}\n", board.title));
            }
            grid(board, &mut out);
        }
        let asides = self.asides.iter().map(|aside| aside.tooltip.as_str());
        list(asides.chain(self.rest.iter().map(String::as_str)), &mut out);
        out
    }
}

fn content(spot: &Spot) -> String {
    let marks: Vec<&str> = spot.marks.iter().map(|mark| mark.text.as_str()).collect();
    match (marks.is_empty(), spot.fault) {
        (true, Some(Fault::NoValue)) => "?".to_owned(),
        (true, _) => ".".to_owned(),
        (false, _) => marks.join("+"),
    }
}

/// The first coordinate runs to the right, the second upwards, as on a chess board.
fn grid(board: &Board, out: &mut String) {
    let contents: HashMap<(usize, usize), String> =
        board.spots.iter().map(|spot| ((spot.column, spot.row), content(spot))).collect();
    let mut columns = BTreeMap::new();
    let mut rows = BTreeMap::new();
    for label in &board.labels {
        match label.names {
            Names::Column(column) => columns.insert(column, label.text.as_str()),
            Names::Row(row) => rows.insert(row, label.text.as_str()),
            Names::Board => None,
        };
    }
    let last = |map: &BTreeMap<usize, &str>| map.keys().next_back().map_or(0, |last| last + 1);
    let across = board.spots.iter().map(|spot| spot.column + 1).max().unwrap_or(0).max(last(&columns));
    let up = board.spots.iter().map(|spot| spot.row + 1).max().unwrap_or(0).max(last(&rows));
    let letters = |text: &str| text.chars().count();
    let margin = rows.values().map(|text| letters(text)).max().unwrap_or(0);
    let names = columns.values().map(|text| letters(text));
    let width = contents.values().map(|text| letters(text)).chain(names).max().unwrap_or(1);
    for row in (0..up).rev() {
        let mut line = format!(" {:>margin$} |", rows.get(&row).unwrap_or(&""));
        for column in 0..across {
            let shown = contents.get(&(column, row)).map_or("", String::as_str);
            line.push_str(&format!(" {shown:>width$}"));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let line = "-".repeat(across * (width + 1));
    out.push_str(&format!(" {:margin$} +{line}\n", ""));
    let mut line = format!(" {:margin$}  ", "");
    for column in 0..across {
        line.push_str(&format!(" {:>width$}", columns.get(&column).unwrap_or(&"")));
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

fn list<'t>(fluents: impl Iterator<Item = &'t str>, out: &mut String) {
    let mut column = 0;
    for fluent in fluents {
        let length = fluent.chars().count();
        if column > 0 && column + 2 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push_str("  ");
            column += 2;
        }
        out.push_str(fluent);
        column += length;
    }
    if column > 0 {
        out.push('\n');
    }
}
