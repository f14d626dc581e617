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
    /// Dots where lines can begin and end.
    pub dots: Vec<Point>,
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
    /// What belongs to it in every state: walls, colours, numbers of the rules.
    pub ground: Vec<Mark>,
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
    /// A polygon with these corners, seen from the centre.
    Polygon(Vec<Point>),
}

impl Outline {
    /// How far it reaches from its middle, to the right and down.
    pub fn reach(&self) -> Point {
        match self {
            Outline::Rectangle(width, height) => Point { x: width / 2.0, y: height / 2.0 },
            Outline::Circle(radius) => Point { x: *radius, y: *radius },
            Outline::Polygon(corners) => Point {
                x: corners.iter().map(|corner| corner.x).fold(0.0, f64::max),
                y: corners.iter().map(|corner| corner.y).fold(0.0, f64::max),
            },
        }
    }
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
    /// Nobody's, but what it is called is a colour.
    Named(Hue),
    /// Nobody's.
    Neutral,
}

/// A colour that names can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// White.
    White,
    /// Black.
    Black,
    /// Red.
    Red,
    /// Blue.
    Blue,
    /// Green.
    Green,
    /// Yellow.
    Yellow,
    /// Purple.
    Purple,
    /// Orange.
    Orange,
}

impl Hue {
    /// All of them, in the order in which roles take them.
    pub const ALL: [Hue; 8] =
        [Hue::White, Hue::Black, Hue::Red, Hue::Blue, Hue::Green, Hue::Yellow, Hue::Purple, Hue::Orange];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Hue::White => "white",
            Hue::Black => "black",
            Hue::Red => "red",
            Hue::Blue => "blue",
            Hue::Green => "green",
            Hue::Yellow => "yellow",
            Hue::Purple => "purple",
            Hue::Orange => "orange",
        }
    }

    /// The colour that a name is or has among its words: `red`, `red_player`.
    pub fn of(name: &str) -> Option<Hue> {
        let name = name.to_ascii_lowercase();
        let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
        words.find_map(|word| Hue::ALL.into_iter().find(|hue| hue.name() == word))
    }
}

/// How a mark looks.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Glyph {
    /// Letters or digits.
    Text(String),
    /// A chess piece.
    Chess(Chess),
    /// A disc: a stone, a man.
    Disc,
    /// A disc with a crown: a king in draughts.
    Crowned,
    /// A cross, as in tic-tac-toe.
    Cross,
    /// A ring, as in tic-tac-toe.
    Ring,
    /// An arrow that points so many degrees clockwise from upwards.
    Arrow(u16),
    /// The whole spot is filled: a wall, a line that is drawn.
    Fill,
}

/// A chess piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chess {
    /// A king.
    King,
    /// A queen.
    Queen,
    /// A rook.
    Rook,
    /// A bishop.
    Bishop,
    /// A knight.
    Knight,
    /// A pawn.
    Pawn,
}

impl Chess {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Chess::King => "king",
            Chess::Queen => "queen",
            Chess::Rook => "rook",
            Chess::Bishop => "bishop",
            Chess::Knight => "knight",
            Chess::Pawn => "pawn",
        }
    }

    /// Its outline as the path of a picture (SVG) around its middle, from -14 to 14 both ways.
    pub fn path(self) -> &'static str {
        match self {
            Chess::King => {
                "M-9 13H9L11 0C11 -6 4 -6 1.5 -2V-6H4.5V-9H1.5V-13H-1.5V-9H-4.5V-6H-1.5V-2C-4 -6 -11 -6 -11 0Z"
            }
            Chess::Queen => "M-9 13H9L12.5 -8L6.5 1L4.5 -11L0 0L-4.5 -11L-6.5 1L-12.5 -8Z",
            Chess::Rook => "M-9 13H9V9H6V-3H9V-11H5V-8H2V-11H-2V-8H-5V-11H-9V-3H-6V9H-9Z",
            Chess::Bishop => "M-9 13H9V10H4.5C9 3 6 -4 1.5 -9.5A2 2 0 1 0 -1.5 -9.5C-6 -4 -9 3 -4.5 10H-9Z",
            Chess::Knight => {
                "M-8 13H10C10 3 9 -5 4 -9.5L3 -13L-0.5 -10C-6 -9 -8 -4 -11 0.5L-9 4.5L-3.5 2.5C-3 5 -7 7 -8 13Z"
            }
            Chess::Pawn => "M-8 13H8V10C4 7 3 4 3.5 0.5A6 6 0 1 0 -3.5 0.5C-3 4 -4 7 -8 10Z",
        }
    }
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
