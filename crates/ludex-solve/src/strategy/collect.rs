//! From what a search knows to a strategy: the states that can arise, and what to play there.
//!
//! Of states whose entry was lost in the table the search is asked again. Moves of a proof are chosen so that few new states
//! come in. Where lines can come back to a state, two moves that are both proved may lead to each other: then all
//! proved moves are taken in, and those kept by which the end comes nearer.

use super::certificate::{Entry, FOR_EVER};
use super::search::{Break, Level, Searcher, Way};
use hashbrown::{DefaultHashBuilder, HashTable};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::hash::BuildHasher;

/// States by number, each with the joint moves that are left.
struct States {
    words: usize,
    rows: Vec<u64>,
    left: Vec<Option<u32>>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl States {
    fn row(&self, at: usize) -> &Row {
        &self.rows[at * self.words..(at + 1) * self.words]
    }

    fn find(&self, row: &Row, left: Option<u32>) -> Option<u32> {
        let hash = self.hasher.hash_one((row, left));
        let same = |at: &u32| self.left[*at as usize] == left && self.row(*at as usize) == row;
        self.index.find(hash, same).copied()
    }

    fn number(&mut self, row: &Row, left: Option<u32>) -> u32 {
        if let Some(at) = self.find(row, left) {
            return at;
        }
        let at = self.left.len() as u32;
        self.rows.extend_from_slice(row);
        self.left.push(left);
        let (rows, lefts, words, hasher) = (&self.rows, &self.left, self.words, &self.hasher);
        let hash = |at: u32| {
            let start = at as usize * words;
            hasher.hash_one((&rows[start..start + words], lefts[at as usize]))
        };
        self.index.insert_unique(hash(at), at, |&at| hash(at));
        at
    }
}

/// A move that leads to these states, and to leaves.
struct Plan {
    state: u32,
    choices: Box<[u32]>,
    next: Box<[u32]>,
}

/// What to put together.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub role: RoleId,
    pub can: bool,
    pub within: Option<u32>,
    pub way: Way,
    /// Entries at most.
    pub most: usize,
}

/// The entries of a certificate for the state, which is settled as the order says. `None` if no measure was found.
pub(super) fn collect(
    searcher: &mut Searcher<'_>,
    initial: &Row,
    order: Order,
) -> Result<Option<Vec<Entry>>, Break> {
    let mut all_moves = false;
    loop {
        let (states, plans) = gather(searcher, initial, order, all_moves)?;
        let Some(measures) = measures(&states, &plans, order) else {
            if all_moves || !order.can {
                return Ok(None);
            }
            all_moves = true;
            continue;
        };
        return Ok(Some(entries(&states, &plans, &measures, order)));
    }
}

fn gather(
    searcher: &mut Searcher<'_>,
    initial: &Row,
    order: Order,
    all_moves: bool,
) -> Result<(States, Vec<Plan>), Break> {
    let words = initial.len();
    let mut states = States {
        words,
        rows: Vec::new(),
        left: Vec::new(),
        index: HashTable::new(),
        hasher: DefaultHashBuilder::default(),
    };
    let mut plans: Vec<Plan> = Vec::new();
    if searcher.leaf(initial, order.within)?.is_none() {
        states.number(initial, order.within);
    }
    let mut level = Level::default();
    let mut at = 0;
    while at < states.left.len() {
        if at >= order.most {
            return Err(Break::Entries(order.most));
        }
        let (row, left) = (states.row(at).to_vec(), states.left[at]);
        searcher.expand(&row, left, order.way, 1, &mut level)?;
        let mut found = choose(&states, &level, left, order, all_moves);
        if found.is_none() {
            let (known, again) = searcher.settle(&row, left, order.way, u64::MAX)?;
            if known.is_proved() == order.can {
                found = choose(&states, &again, left, order, all_moves);
                level = again;
            }
        }
        // What was settled before is settled again.
        let Some(found) = found else { return Err(Break::Lost) };
        for (choices, children) in found {
            let below = left.map(|left| left - 1);
            let next = children.into_iter().filter(|child| !level.children[*child].is_leaf);
            let next = next.map(|child| states.number(level.row(child, words), below)).collect();
            plans.push(Plan { state: at as u32, choices, next });
        }
        at += 1;
    }
    Ok((states, plans))
}

/// Choices, each with the children that it leads to.
type Choices = Vec<(Box<[u32]>, Vec<usize>)>;

/// What to play in a state, as far as its children are known; `None` if they are not known well enough.
fn choose(
    states: &States,
    level: &Level,
    left: Option<u32>,
    order: Order,
    all_moves: bool,
) -> Option<Choices> {
    let answers = level.answers;
    let below = left.map(|left| left.saturating_sub(1));
    let is_new = |child: usize| {
        !level.children[child].is_leaf && states.find(level.row(child, states.words), below).is_none()
    };
    if !order.can {
        // An answer to each move.
        let mut choices = Vec::new();
        let mut next = Vec::new();
        for (action, children) in level.actions().enumerate() {
            let refuted = (0..children.len()).filter(|answer| children[*answer].known.is_refuted());
            let answer = refuted
                .min_by_key(|answer| (is_new(action * answers + answer), children[*answer].is_leaf))?;
            choices.push(answer as u32);
            next.push(action * answers + answer);
        }
        return Some(vec![(choices.into(), next)]);
    }
    let mut moves: Vec<((usize, u32), usize)> = Vec::new();
    for (action, children) in level.actions().enumerate() {
        if children.iter().all(|child| child.known.is_proved()) {
            let fresh = (0..children.len()).filter(|answer| is_new(action * answers + answer)).count();
            let longest = children.iter().map(|child| child.known.rank).max().unwrap_or(0);
            moves.push(((fresh, longest), action));
        }
    }
    moves.sort_unstable();
    moves.truncate(if all_moves { usize::MAX } else { 1 });
    let legal = &level.legal[order.role.index()];
    let plans = moves.into_iter().map(|(_, action)| {
        let MoveId(number) = legal[action];
        (Box::from([number]), (action * answers..(action + 1) * answers).collect())
    });
    Some(plans.collect()).filter(|plans: &Choices| !plans.is_empty())
}

/// For each state its measure and its plan. `None` if the first has none.
fn measures(states: &States, plans: &[Plan], order: Order) -> Option<Vec<Option<(u32, usize)>>> {
    let count = states.left.len();
    let mut measures: Vec<Option<(u32, usize)>> = vec![None; count];
    if !order.can {
        for (at, plan) in plans.iter().enumerate() {
            let state = plan.state as usize;
            measures[state] = Some((states.left[state].unwrap_or(FOR_EVER), at));
        }
        return Some(measures);
    }
    // Later states are mostly further on, so few passes are enough.
    loop {
        let mut changed = false;
        for (at, plan) in plans.iter().enumerate().rev() {
            let state = plan.state as usize;
            if measures[state].is_some() {
                continue;
            }
            let longest = plan.next.iter().try_fold(0, |longest: u32, next| {
                measures[*next as usize].map(|(measure, _)| longest.max(measure))
            });
            if let Some(longest) = longest {
                measures[state] = Some((longest + 1, at));
                changed = true;
            }
        }
        if !changed {
            return (count == 0 || measures[0].is_some()).then_some(measures);
        }
    }
}

/// The entries of the states that can arise.
fn entries(states: &States, plans: &[Plan], measures: &[Option<(u32, usize)>], order: Order) -> Vec<Entry> {
    let mut met = vec![false; states.left.len()];
    let mut open: Vec<u32> = if met.is_empty() { Vec::new() } else { vec![0] };
    let mut entries = Vec::new();
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut met[at as usize], true) {
            continue;
        }
        let Some((measure, plan)) = measures[at as usize] else { continue };
        let plan = &plans[plan];
        open.extend(&plan.next);
        entries.push(Entry { state: states.row(at as usize).into(), measure, choices: plan.choices.clone() });
    }
    // Of a state with several numbers of joint moves left what says most: sooner, or not for longer.
    entries.sort_unstable_by(|a, b| {
        let better = if order.can { a.measure.cmp(&b.measure) } else { b.measure.cmp(&a.measure) };
        a.state.cmp(&b.state).then(better)
    });
    entries.dedup_by(|later, kept| later.state == kept.state);
    entries
}
