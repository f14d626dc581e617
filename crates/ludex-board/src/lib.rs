//! States drawn as boards.
//!
//! GDL has no boards, only fluents, so a board is a guess: fluents of one shape, such as
//! `(cell 1 2 x)` or `(cell (at 1 2) x)`, in which two places are coordinates and what remains is the
//! content. Whether a shape is one is decided once, from the whole vocabulary and the initial state
//! (`layout.rs`), so that all states of a match are drawn alike. What is on no board is listed below.
//! A wrong guess costs looks only: every coordinate and content is a name of the rules.
//!
//! ```
//! use ludex_board::Boards;
//! use ludex_engine::{Budget, Engine, datalog::Datalog};
//!
//! let game = ludex_gdl::Sheet::read("(role x) (index 1) (index 2)
//!     (<= (init (cell ?i ?j b)) (index ?i) (index ?j))
//!     (<= (legal x (mark ?i ?j)) (true (cell ?i ?j b)))
//!     (<= (next (cell ?i ?j x)) (does x (mark ?i ?j)))
//!     (<= (next (cell ?i ?j x)) (true (cell ?i ?j x)))
//!     (<= (next (cell ?i ?j b)) (true (cell ?i ?j b)) (not (does x (mark ?i ?j))))
//!     (<= terminal (true (cell 1 1 x)))
//!     (<= (goal x 100) (true (cell 1 1 x)))").into_game().expect("a sound sheet");
//! let engine = Datalog::new(&game, &Budget::default())?;
//! let mut state = vec![0; engine.vocabulary().words()];
//! engine.worker().initial(&mut state);
//! let boards = Boards::of(engine.vocabulary(), &state);
//! let drawn = boards.draw(engine.vocabulary(), &state);
//! assert_eq!(drawn.lines().collect::<Vec<_>>(), [" 2 | . .", " 1 | . .", "   +----", "     1 2"]);
//! # Ok::<(), ludex_engine::BuildError>(())
//! ```

#![forbid(unsafe_code)]

mod axis;
mod content;
mod layout;
mod svg;

use layout::{Board, Place};
use ludex_engine::row;
use ludex_engine::vocabulary::Vocabulary;

/// Lists of fluents are broken at this column.
const WIDTH: usize = 100;

/// How the states of one game are drawn.
#[derive(Debug)]
pub struct Boards {
    boards: Vec<Board>,
    /// Where each fluent goes, if it is on a board.
    places: Vec<Option<Place>>,
}

impl Boards {
    /// Looks for boards in a game whose initial state is given.
    pub fn of(vocabulary: &Vocabulary, initial: &[u64]) -> Boards {
        let (boards, places) = layout::find(vocabulary, initial);
        Boards { boards, places }
    }

    /// What the boards show and what their abbreviations mean, a line for each board.
    pub fn legend(&self) -> String {
        let lines = self.boards.iter().map(|board| {
            let mut parts = vec![format!("board {}", board.title)];
            parts.extend(board.legend.iter().cloned());
            parts.join(", ") + "\n"
        });
        lines.collect()
    }

    /// The state as text: the boards, then a list of everything else.
    pub fn draw(&self, vocabulary: &Vocabulary, state: &[u64]) -> String {
        let (contents, others) = self.contents(vocabulary, state);
        let mut out = String::new();
        for (board, contents) in self.boards.iter().zip(&contents) {
            if self.boards.len() > 1 {
                out.push_str(&format!("{}\n", board.title));
            }
            grid(board, contents, &mut out);
        }
        list(&others, &mut out);
        out
    }

    /// The state as a picture: the same as an SVG document.
    pub fn svg(&self, vocabulary: &Vocabulary, state: &[u64]) -> String {
        let (contents, others) = self.contents(vocabulary, state);
        let boards: Vec<_> = self.boards.iter().zip(contents.iter().map(Vec::as_slice)).collect();
        svg::picture(&boards, &others)
    }

    /// What is in each cell of each board, and the fluents that are on none.
    fn contents(&self, vocabulary: &Vocabulary, state: &[u64]) -> (Vec<Vec<String>>, Vec<String>) {
        let mut contents: Vec<Vec<String>> =
            self.boards.iter().map(|board| vec![String::new(); board.cells()]).collect();
        let mut others = Vec::new();
        for fluent in row::fluents(state) {
            match &self.places[fluent.index()] {
                Some(place) => {
                    let content = &mut contents[place.board][place.cell];
                    // Two things in one cell: the guess was not quite right, but nothing is lost.
                    if !content.is_empty() && *content != "." {
                        content.push('+');
                        content.push_str(&place.content);
                    } else {
                        content.clone_from(&place.content);
                    }
                }
                None => others.push(vocabulary.show_fluent(fluent)),
            }
        }
        (contents, others)
    }
}

/// The first coordinate runs to the right, the second upwards, as on a chess board.
fn grid(board: &Board, contents: &[String], out: &mut String) {
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let margin = widest(&board.rows);
    let width = widest(contents).max(widest(&board.columns));
    let columns = board.columns.len();
    for (y, label) in board.rows.iter().enumerate().rev() {
        let mut line = format!(" {label:>margin$} |");
        for x in 0..columns {
            let cell = y * columns + x;
            let shown = match contents[cell].as_str() {
                "" if board.exists[cell] => ".",
                other => other,
            };
            line.push_str(&format!(" {shown:>width$}"));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let line = "-".repeat(columns * (width + 1));
    out.push_str(&format!(" {:margin$} +{line}\n {:margin$}  ", "", ""));
    for label in &board.columns {
        out.push_str(&format!(" {label:>width$}"));
    }
    out.push('\n');
}

fn list(fluents: &[String], out: &mut String) {
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
