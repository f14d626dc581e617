//! What is drawn of a state, as plain data: boards with their spots and what stands on them, what stands beside, and
//! what is not drawn. [`Scene::svg`] and [`Scene::text`] draw it; a page may draw it in its own way.

use ludex_engine::vocabulary::RoleId;

/// A spot of a drawing: the same number in every scene of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpotId(pub u32);

impl SpotId {
    /// The number as an array index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in a picture, in pixels from the left and from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// What kind of board it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Squares in columns and rows.
    Grid,
    /// Hexagons in slanted rows: each has six neighbours.
    Hex,
    /// Spots in a row.
    Track,
    /// Spots that hold numbers: piles, pits.
    Pits,
    /// Spots with lines between neighbours.
    Graph,
    /// What a role holds.
    Hand,
}

impl Kind {
    /// The word for it in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Grid => "grid",
            Kind::Hex => "hex",
            Kind::Track => "track",
            Kind::Pits => "pits",
            Kind::Graph => "graph",
            Kind::Hand => "hand",
        }
    }
}

/// What is drawn of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The width of the picture.
    pub width: f64,
    /// The height of the picture.
    pub height: f64,
    /// The names of the roles, in order.
    pub roles: Vec<String>,
    /// The boards, the main one first.
    pub boards: Vec<Board>,
    /// Counters, scores, whose turn it is.
    pub asides: Vec<Aside>,
    /// The fluents that are not drawn, as s-expressions.
    pub rest: Vec<String>,
}

/// One board.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// What kind it is.
    pub kind: Kind,
    /// Which fluents it shows: `(cell x y _)`.
    pub title: String,
    /// The upper left corner.
    pub at: Point,
    /// How wide it is, labels included.
    pub width: f64,
    /// How high it is, labels included.
    pub height: f64,
    /// Its spots. In text a spot stands at `column` and `row`.
    pub spots: Vec<Spot>,
    /// Names of columns and rows.
    pub labels: Vec<Label>,
    /// Lines between neighbours.
    pub lines: Vec<(Point, Point)>,
}

/// A word beside a board.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Where its middle is.
    pub at: Point,
    /// The word.
    pub text: String,
    /// What it is the name of.
    pub names: Names,
}

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// The column of that number, from the left.
    Column(usize),
    /// The row of that number, from the bottom.
    Row(usize),
    /// The board.
    Board,
}

/// A cell, a pit, a corner of a graph: what can be clicked.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Its number.
    pub id: SpotId,
    /// What a screen reader calls it: `cell 3 2`.
    pub name: String,
    /// Its middle.
    pub centre: Point,
    /// Its border.
    pub outline: Outline,
    /// Every other square is dark.
    pub dark: bool,
    /// Its column, counted from the left; which of the boards side by side counts as well.
    pub column: usize,
    /// Its row, counted from the bottom.
    pub row: usize,
    /// What stands on it. Nothing for a blank.
    pub marks: Vec<Mark>,
    /// The rules let it have no value, or two, where every spot begins with one.
    pub fault: Option<Fault>,
}

/// The border of a spot, around its centre.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A rectangle of this width and height.
    Rectangle(f64, f64),
    /// A circle of this radius.
    Circle(f64),
    /// A polygon with these corners.
    Polygon(Vec<Point>),
}

/// A mistake of the rules that a board shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The spot has no value.
    NoValue,
    /// The spot has several values.
    Several,
}

/// A piece, a number, a word on a spot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// How it looks.
    pub glyph: Glyph,
    /// A short text for it: what it is in a drawing as text.
    pub text: String,
    /// Whose it is.
    pub colour: Colour,
    /// The fluent in full.
    pub tooltip: String,
}

/// Whose something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// A role's.
    Role(RoleId),
    /// Nobody's.
    Neutral,
}

/// How a mark looks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Glyph {
    /// Letters or digits.
    Text(String),
}

/// Something that stands beside the boards.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    /// What it is: `turn`, `score`, or the name of the fluent.
    pub label: String,
    /// Its value.
    pub value: String,
    /// Whose it is.
    pub colour: Colour,
    /// The fluent in full.
    pub tooltip: String,
}
