//! The search: is it proved or refuted that a role reaches its aim from a state?
//!
//! The role chooses first, then all others together, who know what it chose: that is what pure strategies are worth.
//! A state is proved if for one of the role's moves all answers lead to proved states, and refuted if for each of its moves
//! some answer leads to a refuted one. Two searches share one table of what is known:
//!
//! - *Proof numbers* (df-pn): the state that seems to need the least work is next. Numbers of what has to be done
//!   together are not added: the largest counts, and one for each of the rest, since lines meet again. A child is
//!   left when it is a quarter worse than the next best.
//! - *Depth first*: moves whose new fluents have settled other states come first. Only where no line can go round in
//!   circles.
//!
//! A line that comes back to a state of its own does not reach the aim there. What is refuted for that reason may
//! depend on the states above: such refutations count as long as those are being looked at, and go into the table only when
//! they depend on nothing above. Proofs never do.

use super::aim::Aim;
use super::others;
use super::table::{INFINITE, Known, Signature, Table, mix};
use crate::counter::Counter;
use crate::error::Error;
use crate::packing::{Packing, Scratch};
use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded, Meter};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Lines are followed so far.
pub(super) const DEEPEST: usize = 4_000;

/// Successors of a state.
const MOST_CHILDREN: usize = 1 << 18;

/// Refutations that depend on the states above; when there are more they are forgotten.
const MOST_CONDITIONAL: usize = 1 << 20;

const TICKS_A_STATE: u64 = 256;
const TICKS_A_CHILD: u64 = 64;

/// What all threads of a search share.
pub(super) struct Shared<'s> {
    pub engine: &'s dyn Engine,
    pub aim: &'s dyn Aim,
    pub role: RoleId,
    pub table: Table,
    pub packing: Option<Packing>,
    /// What every move raises, as far as was seen.
    pub counter: Option<Counter>,
    /// No line can come back to a state.
    pub acyclic: bool,
    pub stop: AtomicBool,
    pub states: &'s AtomicU64,
}

/// Why a search came back without an answer.
#[derive(Debug)]
pub(super) enum Break {
    /// The states of this slice are used up.
    Slice,
    /// Somebody else has the answer.
    Stopped,
    /// A move does not raise the counter.
    Cycle,
    /// The answer may depend on lines that are too long.
    Deep,
    /// Too many joint moves in a state.
    Wide,
    /// A strategy takes more states than allowed.
    Entries(usize),
    /// What was settled is not any more.
    Lost,
    Limit(Exceeded),
    Other(Error),
}

impl From<Exceeded> for Break {
    fn from(limit: Exceeded) -> Break {
        Break::Limit(limit)
    }
}

impl From<Fault> for Break {
    fn from(fault: Fault) -> Break {
        match Error::from(fault) {
            Error::Limit(limit) => Break::Limit(limit),
            error => Break::Other(error),
        }
    }
}

/// Which search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Numbers,
    Depth,
}

/// On which states above a refutation depends: none, or at most those between two depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Depends {
    low: u32,
    high: u32,
}

impl Depends {
    const NOTHING: Depends = Depends { low: u32::MAX, high: 0 };
    /// On lines having been cut off: on what is above the first state.
    const CUT: Depends = Depends { low: 0, high: 0 };

    fn on(depth: u32) -> Depends {
        Depends { low: depth, high: depth }
    }

    fn and(self, other: Depends) -> Depends {
        Depends { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// A state that follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub signature: Signature,
    pub known: Known,
    /// Play ends there, or has reached its aim.
    pub is_leaf: bool,
    depends: Depends,
}

/// A state that was expanded, and the memory for it.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub legal: Vec<Vec<MoveId>>,
    /// The successors; all answers to the first move of the role, then those to the next one.
    pub children: Vec<Child>,
    rows: Vec<u64>,
    /// Answers to each move.
    pub answers: usize,
    joint: Vec<MoveId>,
    order: Vec<(i64, u32)>,
}

impl Level {
    /// The state of a child.
    pub fn row(&self, child: usize, words: usize) -> &Row {
        &self.rows[child * words..(child + 1) * words]
    }

    /// The children by move of the role.
    pub fn actions(&self) -> impl Iterator<Item = &[Child]> {
        self.children.chunks_exact(self.answers.max(1))
    }
}

/// The numbers of a state from those of its children, and where to go on.
struct View {
    known: Known,
    depends: Depends,
    child: usize,
    /// Numbers of the next best ways, and how many others have to be settled beside.
    second: (u32, u32),
    beside: (u32, u32),
}

/// One thread's search.
pub(super) struct Searcher<'s> {
    shared: &'s Shared<'s>,
    pub worker: Box<dyn Worker>,
    meter: Meter,
    scratch: Scratch,
    words: usize,
    levels: Vec<Level>,
    /// The states of the present line by signature, with their depths, and a number for each that is given once.
    path: HashMap<Signature, u32>,
    stamps: Vec<u64>,
    stamp: u64,
    conditional: HashMap<Signature, (Depends, u64)>,
    /// How often a fluent that a move brought has settled a state, more or less.
    history: Vec<i32>,
    moves: Vec<MoveId>,
    expanded: u64,
    most: u64,
    /// Ends when somebody else has the answer.
    stops: bool,
}

impl<'s> Searcher<'s> {
    pub fn new(shared: &'s Shared<'s>, budget: &Budget) -> Searcher<'s> {
        let mut worker = shared.engine.worker();
        worker.obey(budget);
        let vocabulary = shared.engine.vocabulary();
        Searcher {
            shared,
            worker,
            meter: budget.clock(),
            scratch: Scratch::default(),
            words: vocabulary.words(),
            levels: Vec::new(),
            path: HashMap::new(),
            stamps: vec![0; DEEPEST + 2],
            stamp: 0,
            conditional: HashMap::new(),
            history: vec![0; vocabulary.fluent_count()],
            moves: Vec::new(),
            expanded: 0,
            most: u64::MAX,
            stops: true,
        }
    }

    /// Settles a state that is not a leaf, or comes back after so many states. The level is that of the state.
    pub fn settle(
        &mut self,
        state: &Row,
        left: Option<u32>,
        way: Way,
        most: u64,
    ) -> Result<(Known, Level), Break> {
        self.most = self.expanded.saturating_add(most);
        self.begin();
        let signature = self.signature(state, left)?;
        let mut level = Level::default();
        // Above the first state is depth zero.
        let known = match way {
            Way::Numbers => {
                self.enter(signature, 1);
                let all = (INFINITE, INFINITE);
                let (known, depends) = self.numbers(state, signature, left, 1, all, &mut level)?;
                if known.is_refuted() && depends.low == 0 {
                    return Err(Break::Deep);
                }
                known
            }
            Way::Depth => self.depth_first(state, signature, left, 1, &mut level)?,
        };
        self.begin();
        Ok((known, level))
    }

    /// No line is being looked at.
    fn begin(&mut self) {
        self.path.clear();
        self.conditional.clear();
    }

    /// True if play is over in the state or the aim reached: what it is worth then.
    pub fn leaf(&mut self, state: &Row, left: Option<u32>) -> Result<Option<Known>, Break> {
        let end = self.worker.is_terminal(state)?;
        if self.shared.aim.reached(&mut *self.worker, state, end)? {
            return Ok(Some(Known::proved(0)));
        }
        Ok((end || left == Some(0)).then_some(Known::REFUTED))
    }

    fn signature(&mut self, state: &Row, left: Option<u32>) -> Result<Signature, Break> {
        let packed = match &self.shared.packing {
            Some(packing) => packing.signature(state, &mut self.scratch).map_err(Break::Other)?,
            None => state.iter().fold(0, |hash, word| mix(hash ^ word).wrapping_add(hash << 1)),
        };
        Ok(Signature(match left {
            None => mix(packed),
            // Not the sum of two mixed numbers: a small key and a small number of moves could change places.
            Some(left) => mix(mix(packed).wrapping_add(u64::from(left) + 1)),
        }))
    }

    fn count(&mut self) -> Result<(), Break> {
        self.meter.tick_by(TICKS_A_STATE)?;
        self.expanded += 1;
        if self.expanded.is_multiple_of(1024) {
            self.shared.states.fetch_add(1024, Ordering::Relaxed);
            if self.stops && self.shared.stop.load(Ordering::Relaxed) {
                return Err(Break::Stopped);
            }
        }
        if self.expanded > self.most { Err(Break::Slice) } else { Ok(()) }
    }

    /// From now on this is the only search: the others have been told to stop.
    pub fn alone(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.stops = false;
        self.most = u64::MAX;
    }

    /// States that were expanded.
    pub fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Makes the successors of a state and looks up what is known of them. None if somebody cannot move.
    pub fn expand(
        &mut self,
        state: &Row,
        left: Option<u32>,
        way: Way,
        depth: usize,
        level: &mut Level,
    ) -> Result<(), Break> {
        self.count()?;
        let (shared, words) = (self.shared, self.words);
        let Level { legal, children, rows, answers, joint, .. } = level;
        legal.resize(shared.engine.vocabulary().role_count(), Vec::new());
        children.clear();
        for (role, list) in (0..).map(RoleId).zip(legal.iter_mut()) {
            self.worker.legal(state, role, list)?;
        }
        if legal.iter().any(Vec::is_empty) {
            *answers = 0;
            return Ok(());
        }
        *answers = others::count(legal, shared.role).ok_or(Break::Wide)?;
        let own = legal[shared.role.index()].len();
        let all = own.checked_mul(*answers).filter(|all| *all <= MOST_CHILDREN).ok_or(Break::Wide)?;
        self.meter.tick_by(TICKS_A_CHILD * all as u64)?;
        rows.clear();
        rows.resize(all * words, 0);
        let left = left.map(|left| left - 1);
        let before = shared.counter.as_ref().map(|counter| counter.count(state));
        for child in 0..all {
            let action = legal[shared.role.index()][child / *answers];
            others::joint(legal, shared.role, action, child % *answers, joint);
            let next = &mut rows[child * words..(child + 1) * words];
            self.worker.next(state, joint, next)?;
            if let (Some(counter), Some(before)) = (&shared.counter, before)
                && counter.count(next) <= before
            {
                return Err(Break::Cycle);
            }
            let next = &rows[child * words..(child + 1) * words];
            let judged = self.judge(next, left, way, depth)?;
            children.push(judged);
        }
        Ok(())
    }

    fn judge(&mut self, state: &Row, left: Option<u32>, way: Way, depth: usize) -> Result<Child, Break> {
        let depends = Depends::NOTHING;
        if let Some(known) = self.leaf(state, left)? {
            return Ok(Child { signature: Signature(0), known, is_leaf: true, depends });
        }
        let signature = self.signature(state, left)?;
        let child = |known, depends| Ok(Child { signature, known, is_leaf: false, depends });
        let known = self.shared.table.get(signature);
        if let Some(known) = known.filter(|known| known.is_settled()) {
            return child(known, depends);
        }
        if !self.shared.acyclic {
            if let Some(&above) = self.path.get(&signature) {
                return child(Known::REFUTED, Depends::on(above));
            }
            if let Some((depends, stamp)) = self.conditional.get(&signature)
                && self.stamps[depends.high as usize] == *stamp
                && depends.high as usize <= depth
            {
                return child(Known::REFUTED, *depends);
            }
        }
        match (known, way) {
            (Some(known), _) => child(known, depends),
            (None, Way::Depth) => child(Known::open(1, 1), depends),
            (None, Way::Numbers) => {
                let (mut own, mut answers) = (1u32, 1u32);
                let role = self.shared.role;
                let mut list = std::mem::take(&mut self.moves);
                for other in (0..self.shared.engine.vocabulary().role_count() as u32).map(RoleId) {
                    self.worker.legal(state, other, &mut list)?;
                    let count = list.len().min(1 << 12) as u32;
                    if other == role { own = count } else { answers = answers.saturating_mul(count) }
                }
                self.moves = list;
                child(Known::open(answers.min(1 << 12), own), depends)
            }
        }
    }

    /// A state is on the line from now on.
    fn enter(&mut self, signature: Signature, depth: usize) {
        if !self.shared.acyclic {
            self.stamp += 1;
            self.stamps[depth] = self.stamp;
            self.path.insert(signature, depth as u32);
        }
    }

    fn leave(&mut self, signature: Signature) {
        if !self.shared.acyclic {
            self.path.remove(&signature);
        }
    }

    /// Proof numbers: goes on below a state until one of its numbers has reached its bound.
    fn numbers(
        &mut self,
        state: &Row,
        signature: Signature,
        left: Option<u32>,
        depth: usize,
        most: (u32, u32),
        level: &mut Level,
    ) -> Result<(Known, Depends), Break> {
        let before = self.expanded;
        // Another line may have come here since.
        if depth > 1
            && let Some(known) = self.shared.table.get(signature).filter(|known| known.is_settled())
        {
            return Ok((known, Depends::NOTHING));
        }
        self.expand(state, left, Way::Numbers, depth, level)?;
        let (known, depends) = loop {
            let view = view(level);
            let Known { proof, refutation, .. } = view.known;
            if view.known.is_settled() || proof >= most.0 || refutation >= most.1 {
                break (view.known, view.depends);
            }
            if depth == DEEPEST {
                break (Known::REFUTED, Depends::CUT);
            }
            // A child may become so much worse than the next best, and not more than this state may.
            let child = level.children[view.child];
            let bound = |most: u32, second: u32, beside: u32, own: u32| {
                let patience = second.saturating_add(second / 4).saturating_add(1);
                most.min(patience).min(INFINITE).saturating_sub(beside).max(own.saturating_add(1))
            };
            let bounds = (
                bound(most.0, view.second.0, view.beside.0, child.known.proof),
                bound(most.1.saturating_sub(view.beside.1), view.second.1, 0, child.known.refutation),
            );
            let mut below = self.levels.pop().unwrap_or_default();
            self.enter(child.signature, depth + 1);
            let row = level.row(view.child, self.words);
            let left = left.map(|left| left - 1);
            let found = self.numbers(row, child.signature, left, depth + 1, bounds, &mut below);
            self.leave(child.signature);
            self.levels.push(below);
            let (known, depends) = found?;
            let child = &mut level.children[view.child];
            (child.known, child.depends) = (known, depends);
        };
        let work = self.expanded - before;
        if !known.is_refuted() || depends.low as usize >= depth {
            self.shared.table.put(signature, known, work);
            return Ok((known, Depends::NOTHING));
        }
        // The line above is the last that it can depend on.
        let depends = Depends { low: depends.low, high: depends.high.min(depth as u32 - 1) };
        if depends.low > 0 {
            if self.conditional.len() >= MOST_CONDITIONAL {
                self.conditional.clear();
            }
            self.conditional.insert(signature, (depends, self.stamps[depends.high as usize]));
        }
        Ok((known, depends))
    }

    /// Depth first: settles a state.
    fn depth_first(
        &mut self,
        state: &Row,
        signature: Signature,
        left: Option<u32>,
        depth: usize,
        level: &mut Level,
    ) -> Result<Known, Break> {
        let before = self.expanded;
        if depth > 1
            && let Some(known) = self.shared.table.get(signature).filter(|known| known.is_settled())
        {
            return Ok(known);
        }
        self.expand(state, left, Way::Depth, depth, level)?;
        if depth == DEEPEST {
            return Err(Break::Deep);
        }
        let mut known = view(level).known;
        if !known.is_settled() {
            let answers = level.answers.max(1);
            let own = level.children.len() / answers;
            // The role's moves in order, and for each one the answers.
            level.order.clear();
            for action in 0..own {
                let score =
                    if own > 1 { self.score(state, level.row(action * answers, self.words)) } else { 0 };
                level.order.push((-score, action as u32));
            }
            level.order.sort_unstable();
            'moves: for tried in 0..own {
                let action = level.order[tried].1 as usize;
                let range = action * answers..(action + 1) * answers;
                if level.children[range.clone()].iter().any(|child| child.known.is_refuted()) {
                    continue;
                }
                let mut failed: Vec<usize> = Vec::new();
                loop {
                    // The open answer that promises most.
                    let open = range.clone().filter(|child| !level.children[*child].known.is_settled());
                    let score = |child: &usize| {
                        if answers > 1 { self.score(state, level.row(*child, self.words)) } else { 0 }
                    };
                    let Some(next) = open.max_by_key(|child| (score(child), std::cmp::Reverse(*child)))
                    else {
                        // All answers are proved.
                        if own > 1 {
                            self.learn(state, level, action * answers, level_tried(level, tried, answers));
                        }
                        break 'moves;
                    };
                    let mut below = self.levels.pop().unwrap_or_default();
                    let signature = level.children[next].signature;
                    let row = level.row(next, self.words);
                    let left = left.map(|left| left - 1);
                    let found = self.depth_first(row, signature, left, depth + 1, &mut below);
                    self.levels.push(below);
                    let found = found?;
                    level.children[next].known = found;
                    if found.is_refuted() {
                        if answers > 1 {
                            self.learn(state, level, next, failed);
                        }
                        break;
                    }
                    failed.push(next);
                }
            }
            known = view(level).known;
        }
        self.shared.table.put(signature, known, self.expanded - before);
        Ok(known)
    }

    /// How much the fluents that a move brings promise.
    fn score(&self, state: &Row, next: &Row) -> i64 {
        let mut sum = 0;
        for (at, (new, old)) in next.iter().zip(state).enumerate() {
            let mut bits = new & !old;
            while bits != 0 {
                sum += i64::from(self.history[at * 64 + bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
        sum
    }

    /// The move to this child has settled a state where those to others had not.
    fn learn(&mut self, state: &Row, level: &Level, good: usize, others: Vec<usize>) {
        let mut change = |child: usize, by: i32| {
            let next = level.row(child, self.words);
            for (at, (new, old)) in next.iter().zip(state).enumerate() {
                let mut bits = new & !old;
                while bits != 0 {
                    let history = &mut self.history[at * 64 + bits.trailing_zeros() as usize];
                    *history = history.saturating_add(by);
                    bits &= bits - 1;
                }
            }
        };
        change(good, others.len() as i32);
        others.into_iter().for_each(|child| change(child, -1));
    }
}

/// The first children of the moves that were tried before.
fn level_tried(level: &Level, tried: usize, answers: usize) -> Vec<usize> {
    level.order[..tried].iter().map(|(_, action)| *action as usize * answers).collect()
}

/// What follows for a state from what is known of its children.
fn view(level: &Level) -> View {
    let mut best: Option<(u32, usize, u32, u32)> = None;
    let (mut second_proof, mut most_refutation, mut open) = (INFINITE, 0, 0u32);
    let mut depends = Depends::NOTHING;
    let mut rank = None;
    let nothing = View { known: Known::REFUTED, depends, child: 0, second: (0, 0), beside: (0, 0) };
    for (action, children) in level.actions().enumerate() {
        let (mut proof, mut undecided, mut longest) = (0, 0u32, 0);
        let (mut least, mut second, mut at) = (INFINITE, INFINITE, 0);
        let mut refuted: Option<Depends> = None;
        for (answer, child) in children.iter().enumerate() {
            if child.known.is_refuted() {
                // One that depends on nothing, if there is one.
                let better = refuted.is_none_or(|known| child.depends.low > known.low);
                refuted = if better { Some(child.depends) } else { refuted };
            } else if child.known.is_proved() {
                longest = longest.max(child.known.rank);
            } else {
                undecided += 1;
                proof = proof.max(child.known.proof);
                if child.known.refutation < least {
                    (second, least, at) = (least, child.known.refutation, answer);
                } else {
                    second = second.min(child.known.refutation);
                }
            }
        }
        if let Some(of) = refuted {
            depends = depends.and(of);
            continue;
        }
        if undecided == 0 {
            rank = Some(rank.map_or(longest + 1, |rank: u32| rank.min(longest + 1)));
            continue;
        }
        open += 1;
        most_refutation = most_refutation.max(least);
        let proof = proof.saturating_add(undecided - 1).min(INFINITE - 1);
        let place = action * level.answers + at;
        match best {
            Some((known, ..)) if known <= proof => second_proof = second_proof.min(proof),
            _ => {
                second_proof = best.map_or(second_proof, |(known, ..)| known.min(second_proof));
                best = Some((proof, place, second, undecided - 1));
            }
        }
    }
    if let Some(rank) = rank {
        return View { known: Known::proved(rank), depends: Depends::NOTHING, ..nothing };
    }
    let Some((proof, child, second, beside)) = best else { return View { depends, ..nothing } };
    let refutation = most_refutation.saturating_add(open - 1).min(INFINITE - 1);
    View {
        known: Known::open(proof, refutation),
        depends: Depends::NOTHING,
        child,
        second: (second_proof, second),
        beside: (beside, open - 1),
    }
}
