//! Finding the boards of a game.

use crate::axis::Axis;
use crate::content::{Writing, is_blank, prefix_length};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use std::collections::{BTreeMap, HashSet};

/// A grid, and how to speak of it.
#[derive(Debug)]
pub struct Board {
    /// The shape of its fluents, `x` and `y` where the coordinates stand.
    pub title: String,
    /// The names of the columns, left to right.
    pub columns: Vec<String>,
    /// The names of the rows, from the bottom up.
    pub rows: Vec<String>,
    /// Which cells play can ever use; row by row.
    pub exists: Vec<bool>,
    /// What the abbreviations mean: `b = black`.
    pub legend: Vec<String>,
}

impl Board {
    /// How many cells there are.
    pub fn cells(&self) -> usize {
        self.columns.len() * self.rows.len()
    }
}

/// Where a fluent is drawn.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which board.
    pub board: usize,
    /// Which cell, counted row by row.
    pub cell: usize,
    /// What to write there.
    pub content: String,
}

/// Fluents that differ in their constants only.
#[derive(Default)]
struct Group {
    fluents: Vec<FluentId>,
    /// For each fluent its constants, left to right.
    leaves: Vec<Vec<TermId>>,
}

/// A group with its coordinates chosen.
struct Grid {
    x: usize,
    y: usize,
    columns: Axis,
    rows: Axis,
}

/// At least so much of the grid must be in the vocabulary; a checkers board uses half.
const COVERED: f64 = 0.4;

/// The boards of the game, and for each fluent its place.
pub fn find(vocabulary: &Vocabulary, initial: &[u64]) -> (Vec<Board>, Vec<Option<Place>>) {
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for fluent in vocabulary.fluents() {
        let mut leaves = Vec::new();
        let mut shape = String::new();
        flatten(vocabulary, vocabulary.fluent(fluent), &mut shape, &mut leaves);
        let group = groups.entry(shape).or_default();
        group.fluents.push(fluent);
        group.leaves.push(leaves);
    }
    let mut boards = Vec::new();
    let mut places = vec![None; vocabulary.fluent_count()];
    for (shape, group) in &groups {
        if let Some(grid) = group.grid(vocabulary, initial) {
            boards.push(group.place(vocabulary, initial, shape, &grid, boards.len(), &mut places));
        }
    }
    for (shape, group) in &groups {
        group.lay_over(vocabulary, initial, shape, &mut boards, &mut places);
    }
    (boards, places)
}

/// Stands for a constant in a shape. No name can have it: `_` occurs in many.
const HOLE: char = '\0';

/// Writes the term with holes for its constants, and collects those.
fn flatten(vocabulary: &Vocabulary, term: TermId, shape: &mut String, leaves: &mut Vec<TermId>) {
    fn inner(vocabulary: &Vocabulary, term: TermId, shape: &mut String, leaves: &mut Vec<TermId>) {
        let terms = vocabulary.terms();
        if terms.is_constant(term) {
            shape.push(HOLE);
            leaves.push(term);
            return;
        }
        shape.push('(');
        shape.push_str(vocabulary.rules().symbols.name(terms.functor(term)));
        for &argument in terms.arguments(term) {
            shape.push(' ');
            inner(vocabulary, argument, shape, leaves);
        }
        shape.push(')');
    }
    if vocabulary.terms().is_constant(term) {
        // A fluent without arguments is a shape of its own.
        shape.push_str(name(vocabulary, term));
    } else {
        inner(vocabulary, term, shape, leaves);
    }
}

fn name(vocabulary: &Vocabulary, term: TermId) -> &str {
    vocabulary.rules().symbols.name(vocabulary.terms().functor(term))
}

impl Group {
    /// How many constants each fluent has; all have the same number.
    fn width(&self) -> usize {
        self.leaves.first().map_or(0, Vec::len)
    }

    /// The distinct names at one place.
    fn names<'v>(&self, vocabulary: &'v Vocabulary, place: usize) -> Vec<&'v str> {
        let terms: HashSet<TermId> = self.leaves.iter().map(|leaves| leaves[place]).collect();
        let mut names: Vec<&str> = terms.into_iter().map(|term| name(vocabulary, term)).collect();
        names.sort_unstable();
        names
    }

    /// The first pair of places that can be coordinates, with something left to be the content.
    fn grid(&self, vocabulary: &Vocabulary, initial: &[u64]) -> Option<Grid> {
        if !(3..=6).contains(&self.width()) {
            return None;
        }
        self.pairs(vocabulary).into_iter().find(|grid| self.unique(initial, grid))
    }

    /// All pairs of places with names like coordinates that fill a grid.
    fn pairs(&self, vocabulary: &Vocabulary) -> Vec<Grid> {
        let axes: Vec<Option<Axis>> =
            (0..self.width()).map(|place| Axis::of(self.names(vocabulary, place))).collect();
        let mut pairs = Vec::new();
        for first in 0..self.width() {
            for second in first + 1..self.width() {
                let (Some(left), Some(right)) = (&axes[first], &axes[second]) else { continue };
                let cells: HashSet<_> =
                    self.leaves.iter().map(|leaves| (leaves[first], leaves[second])).collect();
                let size = left.labels.len() * right.labels.len();
                if (cells.len() as f64) < COVERED * size as f64 {
                    continue;
                }
                // Letters run across the board, as in chess.
                let turned = right.letters && !left.letters;
                let (x, y) = if turned { (second, first) } else { (first, second) };
                let (columns, rows) = if turned { (right, left) } else { (left, right) };
                pairs.push(Grid { x, y, columns: columns.clone(), rows: rows.clone() });
            }
        }
        pairs
    }

    /// True if no cell holds two things initially.
    fn unique(&self, initial: &[u64], grid: &Grid) -> bool {
        let mut seen = HashSet::new();
        self.holding(initial).all(|leaves| seen.insert((leaves[grid.x], leaves[grid.y])))
    }

    fn holding<'g>(&'g self, state: &'g [u64]) -> impl Iterator<Item = &'g Vec<TermId>> {
        let pairs = self.fluents.iter().zip(&self.leaves);
        pairs.filter(|(fluent, _)| row::holds(state, **fluent)).map(|(_, leaves)| leaves)
    }

    /// Gives each fluent of the group its place on a new board.
    fn place(
        &self,
        vocabulary: &Vocabulary,
        initial: &[u64],
        shape: &str,
        grid: &Grid,
        board: usize,
        places: &mut [Option<Place>],
    ) -> Board {
        let contents: Vec<usize> = (0..self.width()).filter(|&i| i != grid.x && i != grid.y).collect();
        let mut exists = vec![false; grid.columns.labels.len() * grid.rows.labels.len()];
        let cells: Vec<usize> = self.leaves.iter().map(|leaves| grid.cell(vocabulary, leaves)).collect();
        cells.iter().for_each(|&cell| exists[cell] = true);
        let full = self.holding(initial).count() == exists.iter().filter(|exists| **exists).count();
        let writings: Vec<Writing> =
            contents.iter().map(|&place| Writing::of(&self.names(vocabulary, place), full)).collect();
        let length = prefix_length(&writings);
        for ((fluent, leaves), &cell) in self.fluents.iter().zip(&self.leaves).zip(&cells) {
            let parts: Vec<String> = contents
                .iter()
                .zip(&writings)
                .map(|(&place, writing)| writing.write(name(vocabulary, leaves[place]), length))
                .collect();
            // Single letters can be read side by side; longer parts need something between.
            let content = parts.join(if length == Some(1) { "" } else { "/" });
            places[fluent.index()] = Some(Place { board, cell, content });
        }
        let legend = writings.iter().flat_map(|writing| writing.legend(length)).collect();
        Board {
            title: grid.title(shape),
            columns: grid.columns.labels.clone(),
            rows: grid.rows.labels.clone(),
            exists,
            legend,
        }
    }

    /// Fluents of two coordinates and no content, such as `(empty 1 2)`, go onto a board with the same
    /// coordinates if they hold initially, in cells that nothing else is in; their name is the content.
    fn lay_over(
        &self,
        vocabulary: &Vocabulary,
        initial: &[u64],
        shape: &str,
        boards: &mut [Board],
        places: &mut [Option<Place>],
    ) {
        if self.width() != 2 {
            return;
        }
        let Some(grid) = self.pairs(vocabulary).into_iter().next() else { return };
        let fits = |board: &Board| board.columns == grid.columns.labels && board.rows == grid.rows.labels;
        let Some(board) = boards.iter().position(fits) else { return };
        let mut taken: HashSet<usize> = HashSet::new();
        for fluent in row::fluents(initial) {
            if let Some(place) = places[fluent.index()].as_ref().filter(|place| place.board == board) {
                taken.insert(place.cell);
            }
        }
        let mut own = self.holding(initial).map(|leaves| grid.cell(vocabulary, leaves)).peekable();
        if own.peek().is_none() || own.any(|cell| taken.contains(&cell)) {
            return;
        }
        let named = shape.trim_start_matches('(').split(' ').next().unwrap_or_default();
        let content = if is_blank(named) { "." } else { named };
        for (fluent, leaves) in self.fluents.iter().zip(&self.leaves) {
            let cell = grid.cell(vocabulary, leaves);
            boards[board].exists[cell] = true;
            places[fluent.index()] = Some(Place { board, cell, content: content.to_owned() });
        }
        let title = grid.title(shape);
        boards[board].title.push_str(&format!(" {title}"));
    }
}

impl Grid {
    fn cell(&self, vocabulary: &Vocabulary, leaves: &[TermId]) -> usize {
        let position =
            |axis: &Axis, place: usize| axis.position(name(vocabulary, leaves[place])).unwrap_or(0);
        position(&self.rows, self.y) * self.columns.labels.len() + position(&self.columns, self.x)
    }

    /// The shape with the coordinates named.
    fn title(&self, shape: &str) -> String {
        let mut place = 0;
        let marked = shape.chars().map(|c| {
            if c != HOLE {
                return c;
            }
            place += 1;
            match place - 1 {
                p if p == self.x => 'x',
                p if p == self.y => 'y',
                _ => '_',
            }
        });
        marked.collect()
    }
}
