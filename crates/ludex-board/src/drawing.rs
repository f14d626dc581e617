//! How the states of one game are drawn and its moves are entered: found once, then only looked up.

use crate::clicks::{self, Click};
use crate::evidence::Evidence;
use crate::find;
use crate::placed::{Place, Placed};
use crate::scene::{Aside, Board, Colour, Fault, Point, Scene, SpotId};
use crate::{stack, tuple};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How the states of one game are drawn and its moves are entered.
#[derive(Clone, Debug)]
pub struct Drawing {
    vocabulary: Arc<Vocabulary>,
    boards: Vec<Placed>,
    /// Where each fluent goes.
    places: Vec<Place>,
    clicks: Vec<Click>,
    spots: usize,
}

/// One click, or one press of a button.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// A spot is clicked.
    Spot(SpotId),
    /// One of these spots is clicked, whichever: a column.
    Spots(Vec<SpotId>),
    /// A button with this text is pressed.
    Button(String),
}

/// What was found of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The boards, the main one first.
    pub boards: Vec<BoardLayout>,
    /// How the moves that are not mere buttons are entered.
    pub clicks: Vec<ClickLayout>,
}

/// One board of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardLayout {
    /// The name of the relation that it shows.
    pub relation: String,
    /// What kind it is: a word of [`crate::scene::Kind::name`].
    pub kind: &'static str,
    /// Its columns.
    pub width: usize,
    /// Its rows.
    pub height: usize,
}

/// How the moves of one name are entered. Arguments are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClickLayout {
    /// The name of the move.
    pub action: String,
    /// The arguments that are the cell clicked first; one for a column.
    pub from: Vec<usize>,
    /// The arguments of the cells clicked then.
    pub to: Vec<Vec<usize>>,
}

/// So many ways to break rows are looked at.
const MOST_WIDTHS: usize = 200;
/// The room between boards, and around the picture.
const GAP: f64 = 12.0;

impl Drawing {
    /// Finds the boards of a game whose initial state is given.
    pub fn find(vocabulary: &Arc<Vocabulary>, initial: &[u64], budget: &Budget) -> Result<Drawing, Exceeded> {
        let mut meter = budget.meter();
        let evidence = Evidence::of(vocabulary, initial, budget, &mut meter)?;
        let (mut boards, places) = find::boards(&evidence, &mut meter)?;
        let clicks = clicks::of_moves(&evidence, &boards, &mut meter)?;
        let named = clicks::named(&evidence, &boards, &clicks);
        ignore_unused(&mut boards, &places, initial, &named);
        let spots = boards.iter().map(|board| board.spots.len()).sum();
        Ok(Drawing { vocabulary: vocabulary.clone(), boards, places, clicks, spots })
    }

    /// A drawing without boards: every state is a list. For when there is no time to look for boards.
    pub fn list(vocabulary: &Arc<Vocabulary>) -> Drawing {
        let places = vec![Place::Rest; vocabulary.fluent_count()];
        Drawing { vocabulary: vocabulary.clone(), boards: Vec::new(), places, clicks: Vec::new(), spots: 0 }
    }

    /// How many spots there are on all boards; they are numbered from zero.
    pub fn spot_count(&self) -> usize {
        self.spots
    }

    /// Where a fluent is drawn, if that is on a board; also one that means that nothing is there.
    pub fn spot_of(&self, fluent: FluentId) -> Option<SpotId> {
        match self.places.get(fluent.index())? {
            Place::Spot { spot, .. } | Place::Row(spot) | Place::On { thing: spot, .. } => Some(*spot),
            Place::Aside { .. } | Place::Rest => None,
        }
    }

    /// What is drawn of a state.
    pub fn scene(&self, state: &[u64]) -> Scene {
        let (corners, width, height) = arranged(&self.boards);
        let mut boards: Vec<Board> =
            self.boards.iter().zip(&corners).map(|(placed, &corner)| moved(placed, corner)).collect();
        let mut of: Vec<(usize, usize)> = vec![(0, 0); self.spots];
        for (number, board) in boards.iter().enumerate() {
            for (at, spot) in board.spots.iter().enumerate() {
                of[spot.id.index()] = (number, at);
            }
        }
        let mut values = vec![0u32; self.spots];
        let mut standing = HashMap::new();
        let mut asides = Vec::new();
        let mut rest = Vec::new();
        for fluent in row::fluents(state) {
            let tooltip = || self.vocabulary.show_fluent(fluent);
            match &self.places[fluent.index()] {
                Place::Spot { spot, table, mark, ground } => {
                    let (board, at) = of[spot.index()];
                    if self.boards[board].total.as_ref().is_some_and(|(of, _)| of == table) {
                        values[spot.index()] += 1;
                    }
                    if let Some(mark) = mark {
                        let spot = &mut boards[board].spots[at];
                        let on = if *ground { &mut spot.ground } else { &mut spot.marks };
                        on.push(mark.clone());
                    }
                }
                Place::On { thing, below } => {
                    standing.extend(below.map(|below| (*thing, below)));
                }
                Place::Row(first) => {
                    let (board, at) = of[first.index()];
                    let spots = boards[board].spots[at..].iter_mut();
                    spots
                        .zip(tuple::marks(&self.vocabulary, fluent))
                        .for_each(|(spot, mark)| spot.marks.push(mark));
                }
                Place::Aside { label, value, colour } => asides.push(Aside {
                    label: label.clone(),
                    value: value.clone(),
                    colour: *colour,
                    tooltip: tooltip(),
                }),
                Place::Rest => rest.push(tooltip()),
            }
        }
        for (placed, board) in self.boards.iter().zip(&mut boards) {
            if let Some(towers) = &placed.towers {
                stack::arrange(towers, board, &standing);
            }
            let Some((_, spots)) = &placed.total else { continue };
            // A board that is gone as a whole, when a game goes on with another one, is no mistake.
            if spots.iter().all(|spot| values[spot.index()] == 0) {
                continue;
            }
            for spot in board.spots.iter_mut().filter(|spot| spots.contains(&spot.id)) {
                spot.fault = match values[spot.id.index()] {
                    0 => Some(Fault::NoValue),
                    1 => None,
                    _ => Some(Fault::Several),
                };
            }
        }
        let roles = self.vocabulary.roles().map(|role| self.vocabulary.show_role(role)).collect();
        Scene { width: width.max(320.0), height, roles, boards, asides, rest }
    }

    /// How a move is entered. Several moves may begin alike; moves with the same steps are told apart by a menu.
    pub fn clicks(&self, role: RoleId, action: MoveId) -> Vec<Step> {
        let term = self.vocabulary.action(role, action);
        let terms = self.vocabulary.terms();
        let head = (terms.functor(term), terms.arguments(term).len());
        let click = self.clicks.iter().find(|click| (click.name, click.arity) == head);
        let role_name = self.vocabulary.role(role);
        let steps = click.map(|click| self.steps(click, term, role_name)).unwrap_or_default();
        if steps.is_empty() { vec![Step::Button(self.vocabulary.show_move(role, action))] } else { steps }
    }

    fn steps(&self, click: &Click, term: TermId, role: TermId) -> Vec<Step> {
        let value = |column: &usize| {
            click.paths[*column].iter().try_fold(term, |term, &argument| {
                self.vocabulary.terms().arguments(term).get(argument).copied()
            })
        };
        let mut steps = Vec::new();
        for cell in &click.cells {
            let Some(key) = cell.columns.iter().map(value).collect::<Option<Vec<TermId>>>() else { continue };
            let board = &self.boards[cell.board];
            if cell.side {
                if let Some(spots) = board.sides.get(&key[0]) {
                    steps.push(Step::Spots(spots.clone()));
                }
            } else if let Some(&spot) = board.keys.get(&key) {
                steps.push(Step::Spot(spot));
            } else if let Some(spot) =
                cell.hands.iter().find_map(|&hand| self.boards[hand].in_hand(role, key[0]))
            {
                steps.push(Step::Spot(spot));
            }
        }
        steps
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

    /// What was found: for programs.
    pub fn layout(&self) -> Layout {
        let name = |symbol| self.vocabulary.rules().symbols.name(symbol).to_owned();
        let boards = self.boards.iter().map(|board| BoardLayout {
            relation: name(board.relation),
            kind: board.kind.name(),
            width: board.columns,
            height: board.rows,
        });
        let clicks = self.clicks.iter().filter_map(|click| {
            let mut cells =
                click.cells.iter().map(|cell| cell.columns.iter().map(|column| column + 1).collect());
            Some(ClickLayout { action: name(click.name), from: cells.next()?, to: cells.collect() })
        });
        Layout { boards: boards.collect(), clicks: clicks.collect() }
    }

    /// The colour of a role is its own in every picture; this is for whoever draws a legend.
    pub fn roles(&self) -> impl Iterator<Item = (Colour, String)> + '_ {
        self.vocabulary.roles().map(|role| (Colour::Role(role), self.vocabulary.show_role(role)))
    }
}

/// Cells that are empty at first and that no move names, where moves name others, may lose their value without anybody
/// missing it: the white squares of draughts.
fn ignore_unused(boards: &mut [Placed], places: &[Place], initial: &[u64], named: &HashSet<SpotId>) {
    let holds = |fluent: FluentId| match &places[fluent.index()] {
        Place::Spot { spot, mark: Some(_), .. } => Some(*spot),
        _ => None,
    };
    let held: HashSet<SpotId> = row::fluents(initial).filter_map(holds).collect();
    for (_, spots) in boards.iter_mut().filter_map(|board| board.total.as_mut()) {
        if spots.iter().any(|spot| named.contains(spot)) {
            spots.retain(|spot| named.contains(spot) || held.contains(spot));
        }
    }
}

/// Where the boards stand, in order, in rows from the left, and how large the picture is: rows are broken so that it fits
/// best into a frame a little wider than high.
fn arranged(boards: &[Placed]) -> (Vec<Point>, f64, f64) {
    const FRAME: f64 = 1.3;
    let rows = |most: f64| {
        let (mut corners, mut width, mut height) = (Vec::new(), 0.0f64, 0.0f64);
        let mut corner = Point { x: GAP, y: GAP };
        for board in boards {
            if corner.x > GAP && corner.x + board.width > most {
                corner = Point { x: GAP, y: height + GAP };
            }
            corners.push(corner);
            corner.x += board.width + GAP;
            (width, height) = (width.max(corner.x), height.max(corner.y + board.height));
        }
        (corners, width, height)
    };
    let size = |(_, width, height): &(Vec<Point>, f64, f64)| (width / FRAME).max(*height);
    // A row is as wide as some of the boards that follow one another.
    let widths = boards.iter().enumerate().flat_map(|(first, _)| {
        boards[first..].iter().scan(GAP, |right, board| {
            *right += board.width + GAP;
            Some(*right)
        })
    });
    let arrangements = widths.take(MOST_WIDTHS).map(rows);
    arrangements.min_by(|one, other| size(one).total_cmp(&size(other))).unwrap_or_else(|| rows(0.0))
}

/// The board at its place in the picture.
fn moved(placed: &Placed, at: Point) -> Board {
    let shift = |point: Point| Point { x: point.x + at.x, y: point.y + at.y };
    let mut spots = placed.spots.clone();
    for spot in &mut spots {
        spot.centre = shift(spot.centre);
    }
    let mut labels = placed.labels.clone();
    labels.iter_mut().for_each(|label| label.at = shift(label.at));
    Board {
        kind: placed.kind,
        title: placed.title.clone(),
        at,
        width: placed.width,
        height: placed.height,
        spots,
        labels,
        dots: placed.dots.iter().copied().map(shift).collect(),
        lines: placed.lines.iter().map(|&(from, to)| (shift(from), shift(to))).collect(),
    }
}
