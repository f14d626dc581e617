//! Things that stand on one another, such as blocks and the discs of Hanoi: a relation of two names of which one is on the
//! other, and one that says on which of them nothing is. They are drawn as towers, which grow and shrink as they are moved.

use crate::axis::Trust;
use crate::evidence::Evidence;
use crate::placed::{Place, Placed};
use crate::scene::{Board, SpotId};
use ludex_engine::terms::TermId;
use std::collections::{HashMap, HashSet};

/// More things than this are no towers.
const MOST: usize = 24;

/// How the towers of a board stand.
#[derive(Clone, Debug)]
pub struct Towers {
    /// How many of the spots, the first ones, stand on the ground for good: the pegs.
    pub bases: usize,
    /// How wide a column is and how high a thing.
    pub step: (f64, f64),
    /// Where the lowest thing of the first column stands in the board.
    pub corner: (f64, f64),
}

/// The towers of a relation, numbered from `first`.
pub fn of(evidence: &Evidence, number: usize, first: u32, places: &mut [Place]) -> Option<Placed> {
    let table = &evidence.tables[number];
    let initially = evidence.initially(number);
    if table.width() != 2 || initially.is_empty() || evidence.never_changes(table) {
        return None;
    }
    let (things, others) = (&table.columns[0].values, &table.columns[1].values);
    let on: HashMap<TermId, TermId> = initially.iter().map(|row| (row[0], row[1])).collect();
    let mut above: HashMap<TermId, usize> = HashMap::new();
    initially.iter().for_each(|row| *above.entry(row[1]).or_default() += 1);
    // What several things stand on is the ground.
    let is_ground = |name: &TermId| above.get(name).is_some_and(|&count| count > 1);
    let bases: Vec<TermId> =
        others.iter().copied().filter(|name| !things.contains(name) && !is_ground(name)).collect();
    let spots: Vec<TermId> =
        evidence.axis(&bases).names.into_iter().chain(evidence.axis(things).names).collect();
    let free: HashSet<TermId> = spots.iter().copied().filter(|name| !above.contains_key(name)).collect();
    // Where several things can be, room is left anyhow.
    let is_free = |held: &HashSet<TermId>| {
        held.iter().all(|name| free.contains(name) || is_ground(name))
            && free.iter().all(|name| held.contains(name))
    };
    let says_free = |other: &usize| unary(evidence, *other).is_some_and(|(_, held)| is_free(&held));
    let both = others.iter().filter(|name| things.contains(name)).count();
    let is_tower = on.len() == initially.len()
        && both > 1
        && (3..=MOST).contains(&spots.len())
        && !things.iter().any(is_ground)
        && !evidence.are_roles(things)
        && ends(&on)
        && (0..evidence.tables.len()).any(|other| says_free(&other));
    if !is_tower {
        return None;
    }
    // Names in whose order the towers stand at first are sizes: what is below is wider.
    let place: HashMap<TermId, usize> = spots.iter().copied().zip(0..).collect();
    let pairs: Vec<bool> = on
        .iter()
        .filter(|(_, below)| things.contains(below))
        .map(|(above, below)| place[above] < place[below])
        .collect();
    let ordered = evidence.axis(things).trust >= Trust::Stems;
    let sizes = match pairs.as_slice() {
        [first, rest @ ..] if ordered && !rest.is_empty() && rest.iter().all(|other| other == first) => {
            Some(*first)
        }
        _ => None,
    };
    let columns = if bases.is_empty() || on.len() < things.len() { spots.len() } else { bases.len() };
    let mut placed = Placed::of_towers(evidence, number, (&spots, bases.len()), columns, sizes, first);
    for (&item, row) in table.items.iter().zip(&table.rows) {
        let spot = |name: TermId| placed.keys.get(&vec![name]).copied();
        if let Some(thing) = spot(row[0]) {
            places[item] = Place::On { thing, below: spot(row[1]) };
        }
    }
    // That nothing is on it, or it on nothing, is to be seen.
    let stands = |name: &TermId| on.get(name).is_some_and(|below| place.contains_key(below));
    let on_ground: HashSet<TermId> = things.iter().copied().filter(|name| !stands(name)).collect();
    for other in 0..evidence.tables.len() {
        let Some((items, held)) = unary(evidence, other) else { continue };
        let is_said = !held.is_empty() && (is_free(&held) || held == on_ground);
        for (item, name) in items.into_iter().filter(|_| is_said) {
            if let Some(&spot) = placed.keys.get(&vec![name]) {
                places[item] = Place::Spot { spot, table: other, mark: None, ground: false };
            }
        }
    }
    placed.title = evidence.title(number, &[(0, "x"), (1, "y")]);
    Some(placed)
}

/// The fluents of a relation of one argument with their names, and the names for which it holds initially.
type Unary = (Vec<(usize, TermId)>, HashSet<TermId>);

fn unary(evidence: &Evidence, number: usize) -> Option<Unary> {
    let table = &evidence.tables[number];
    let items = table.items.iter().zip(&table.rows).filter_map(|(&item, row)| Some((item, *row.first()?)));
    let held = evidence.initially(number).into_iter().filter_map(|row| row.first().copied()).collect();
    (table.width() == 1).then(|| (items.collect(), held))
}

/// True if every way down ends.
fn ends(on: &HashMap<TermId, TermId>) -> bool {
    on.keys().all(|&start| {
        let mut at = start;
        (0..=on.len()).any(|_| match on.get(&at) {
            Some(&below) => {
                at = below;
                false
            }
            None => true,
        })
    })
}

/// Moves the spots of a board to where they stand in a state, in which `below` says what each stands on.
pub fn arrange(towers: &Towers, board: &mut Board, below: &HashMap<SpotId, SpotId>) {
    let numbers: HashMap<SpotId, usize> =
        board.spots.iter().enumerate().map(|(number, spot)| (spot.id, number)).collect();
    let under = |number: usize| below.get(&board.spots[number].id).and_then(|id| numbers.get(id)).copied();
    // A way down that does not end is cut: the state is a mistake, and still drawn.
    let depth = |start: usize| {
        let mut at = (start, 0);
        while let Some(next) = under(at.0).filter(|_| at.1 < board.spots.len()) {
            at = (next, at.1 + 1);
        }
        at
    };
    let places: Vec<(usize, usize)> = (0..board.spots.len()).map(depth).collect();
    let mut roots: Vec<usize> = places.iter().map(|&(root, _)| root).collect();
    roots.sort_unstable();
    roots.dedup();
    let bases = towers.bases;
    for (number, &(root, height)) in places.iter().enumerate() {
        let column = roots.binary_search(&root).unwrap_or(0);
        let spot = &mut board.spots[number];
        spot.centre.x = board.at.x + towers.corner.0 + column as f64 * towers.step.0;
        // A base is thin, and what stands on it begins just above.
        let lift = if bases > 0 && root < bases && height > 0 { height as f64 - 0.4 } else { height as f64 };
        spot.centre.y = board.at.y + towers.corner.1 - lift * towers.step.1;
        (spot.column, spot.row) = (column, height);
    }
}
