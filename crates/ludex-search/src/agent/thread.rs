//! A searching thread: one tree, whatever engine is best at the moment.

use super::table::Shared;
use crate::alphabeta::AlphaBeta;
use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate, Verdict};
use crate::evaluation::Evaluation;
use crate::goal_heuristic::GoalHeuristic;
use crate::pvs::{self, Pvs};
use crate::selection::Exhaustive;
use crate::simultaneous::{self, Mixed, is_joint};
use crate::solitaire::{Parts, Portfolio};
use crate::uct::{self, Tools, Tree};
use cpu_time::ThreadTime;
use ludex_engine::budget::Exceeded;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::lanes::{Valuer, Valuers};
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_gdl::Keyword;
use ludex_logic::endgame::Oracle;
use ludex_logic::facts::Facts;
use ludex_logic::transition::System;
use std::cell::OnceCell;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How often a thread says what it has found.
const BETWEEN_REPORTS: Duration = Duration::from_millis(10);

/// Iterations between two looks at the clock take about this long, and are no more than so many: leaves in lanes take a
/// moment by the hundred.
const A_MOMENT: Duration = Duration::from_micros(500);
const MOST_ITERATIONS: u64 = 1024;

/// Exhaustive search is looked after so often at least.
const LONGEST_SLICE: Duration = Duration::from_millis(400);

/// What a thread works with until the table changes.
struct Snapshot {
    changes: u64,
    root: u64,
    engine: Arc<dyn Engine>,
    valuers: Option<Arc<dyn Valuers>>,
    oracle: Option<Arc<dyn Oracle>>,
    facts: Option<Arc<Facts>>,
    goal_heuristic: Option<Arc<GoalHeuristic>>,
    evaluation: Option<(Arc<Evaluation>, Arc<pvs::Table>)>,
    /// How trees are searched.
    tree: uct::Settings,
    role: RoleId,
    chance: Option<RoleId>,
    state: Vec<u64>,
    joints: Vec<Vec<MoveId>>,
}

/// What a thread keeps from move to move.
#[derive(Default)]
struct Memory<'s> {
    tree: Option<Tree>,
    /// The joint moves that led to the root of the tree.
    joints: Vec<Vec<MoveId>>,
    /// A search by evaluation instead of the tree, where the trial has shown that it is better.
    pvs: Option<Pvs>,
    exact: Exact<'s>,
    rate: Rate,
}

/// Playouts and the time that they took, those before the last move counting half as much for each move since.
#[derive(Default)]
struct Rate {
    playouts: u64,
    time: Duration,
}

impl Rate {
    /// In less time than this there is no rate.
    const LEAST: Duration = Duration::from_millis(5);

    fn add(&mut self, playouts: u64, time: Duration) {
        self.playouts += playouts;
        self.time += time;
    }

    fn fade(&mut self) {
        self.playouts /= 2;
        self.time /= 2;
    }

    fn a_second(&self) -> f64 {
        if self.time < Rate::LEAST { 0.0 } else { self.playouts as f64 / self.time.as_secs_f64() }
    }
}

/// Exhaustive search beside the tree: one thread does it, for a part of its time.
#[derive(Default)]
struct Exact<'s> {
    alphabeta: Option<AlphaBeta>,
    /// A search of a game for one, and the number of moves at which it began.
    solitaire: Option<(Portfolio<'s>, usize)>,
    /// The rules as formulas, made when they are first asked for.
    system: Option<&'s OnceCell<Option<System>>>,
    begun: bool,
    /// Processor time: on a busy machine a thread waits more than it works.
    spent: Duration,
    /// What it has found out about the current root.
    found: Option<Estimate>,
    /// True once it has run into a limit there.
    faulted: bool,
}

/// Work on one root with one engine.
struct Shift {
    begun: ThreadTime,
    /// What exhaustive search had spent on this root before.
    exact_before: Duration,
}

/// Searches until the agent is stopped.
pub(super) fn run(shared: &Shared, number: usize) {
    // Searches for one keep formulas over the rules.
    let system = OnceCell::new();
    let exact = Exact { system: Some(&system), ..Exact::default() };
    let mut memory = Memory { exact, ..Memory::default() };
    while let Some(snapshot) = wait(shared) {
        if let Err(fault) = work(shared, number, &snapshot, &mut memory) {
            give_up(shared, &fault);
            idle(shared, snapshot.changes);
        }
    }
}

/// Waits until there is something to search; `None` when all is over.
fn wait(shared: &Shared) -> Option<Snapshot> {
    let mut table = shared.table();
    loop {
        if shared.stop.is_cancelled() {
            return None;
        }
        if let (true, Some(engine), Some(play)) = (
            table.searching && table.lost.is_none() && (!table.learning || table.asked),
            &table.engine,
            &table.play,
        ) {
            return Some(Snapshot {
                changes: shared.changes.count(),
                root: table.root,
                engine: engine.clone(),
                valuers: table.valuers(),
                oracle: table.oracle.clone(),
                facts: table.facts.clone(),
                goal_heuristic: table.goal_heuristic.clone(),
                evaluation: table.evaluation.clone(),
                tree: table.tree.clone(),
                role: play.role,
                chance: play.chance,
                state: play.state().to_vec(),
                joints: play.joints.clone(),
            });
        }
        table = shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Says that a search has ended before its time. What is stopped has not.
fn give_up(shared: &Shared, fault: &Fault) {
    if fault.limit() != Exceeded::Cancelled {
        note(shared, format!("the search has ended: {fault}"));
    }
}

/// Tells those who watch.
fn note(shared: &Shared, note: String) {
    let mut table = shared.table();
    // Every thread meets the same limit.
    if !table.notes.contains(&note) {
        table.notes.push(note);
    }
}

/// Searches one root with one engine until something changes, all is known or a limit is met.
fn work(shared: &Shared, number: usize, snapshot: &Snapshot, memory: &mut Memory<'_>) -> Result<(), Fault> {
    let mut worker = snapshot.engine.worker();
    worker.obey(&shared.questions());
    // Ends when the table changes, in the middle of a random game too.
    let current = |iterations| {
        Clock::iterations(iterations)
            .or(shared.stop.clone())
            .while_unchanged(&shared.changes, snapshot.changes)
    };
    if snapshot.evaluation.is_some() && by_evaluation(shared, number, snapshot, memory, &mut *worker)? {
        return Ok(());
    }
    if shared.settings.mixed
        && is_joint(&mut *worker, &snapshot.state, snapshot.chance)?
        && by_lot(shared, number, snapshot, &mut *worker)?
    {
        return Ok(());
    }
    if let Err(fault) = move_root(shared, number, snapshot, memory, &mut *worker) {
        memory.tree = None;
        return Err(fault);
    }
    let Some(tree) = &mut memory.tree else { return Ok(()) };
    let shift = Shift { begun: ThreadTime::now(), exact_before: memory.exact.spent };
    let seed = shared.settings.seed ^ tree.playouts() ^ (number as u64) << 32;
    let mut valuer = snapshot.valuers.as_ref().map(|valuers| valuers.valuer(seed));
    // As many iterations between two looks at the clock as take a moment together; one, where engines are slow.
    let mut iterations = 1;
    while !current(1).is_over() {
        let slice = Instant::now() + BETWEEN_REPORTS;
        if number == 0 && shared.settings.exact {
            memory.exact.search(shared, snapshot, &mut *worker, &shift);
        }
        let mut tools = Tools {
            worker: &mut *worker,
            lanes: valuer.as_mut().map(|valuer| &mut **valuer as &mut dyn Valuer),
            oracle: snapshot.oracle.as_deref(),
            goal_heuristic: snapshot
                .goal_heuristic
                .as_deref()
                .filter(|goal_heuristic| goal_heuristic.is_trusted()),
        };
        // One iteration at least, so that slow engines get somewhere.
        let clock = Clock::until(slice);
        let (begun, before) = (Instant::now(), tree.playouts());
        let searched = loop {
            let mut few = current(iterations);
            let moment = Instant::now();
            let searched = tree.search(&mut tools, &mut few);
            iterations = match moment.elapsed() < A_MOMENT {
                true => (2 * iterations).min(MOST_ITERATIONS),
                false => (iterations / 2).max(1),
            };
            if searched.is_err() || few.is_over() || clock.is_over() || tree.is_solved() {
                break searched;
            }
        };
        let mut estimate = tree.estimate(snapshot.role);
        memory.rate.add(tree.playouts().saturating_sub(before), begun.elapsed());
        estimate.playouts_per_second = memory.rate.a_second();
        if let Some(found) = &memory.exact.found {
            estimate = estimate.with_certain(found);
        }
        let solved = publish(shared, number, snapshot, estimate);
        if let Some(complaint) = snapshot.valuers.as_ref().and_then(|valuers| valuers.complaint()) {
            note(shared, complaint);
        }
        searched?;
        if solved {
            idle(shared, snapshot.changes);
            return Ok(());
        }
    }
    Ok(())
}

/// Says what was found; true if nothing more can be.
fn publish(shared: &Shared, number: usize, snapshot: &Snapshot, estimate: Estimate) -> bool {
    let solved = estimate.solved;
    let finding = Some((snapshot.root, estimate));
    *shared.findings[number].lock().unwrap_or_else(PoisonError::into_inner) = finding;
    if solved {
        // Under the lock, or whoever is about to wait would miss it.
        let table = shared.table();
        shared.changed.notify_all();
        drop(table);
    }
    solved
}

/// Searches by evaluation until something changes; false if the game is not one for it.
fn by_evaluation(
    shared: &Shared,
    number: usize,
    snapshot: &Snapshot,
    memory: &mut Memory<'_>,
    worker: &mut dyn Worker,
) -> Result<bool, Fault> {
    let Some((evaluation, table)) = &snapshot.evaluation else { return Ok(false) };
    if memory.pvs.is_none() {
        memory.pvs = Pvs::new(worker, pvs::Settings::default(), evaluation.clone(), table.clone());
        // The table takes the tree's memory.
        memory.tree = None;
    }
    let Some(search) = memory.pvs.as_mut().filter(|search| search.applies()) else { return Ok(false) };
    if memory.joints != snapshot.joints {
        memory.exact.moved();
        memory.joints.clone_from(&snapshot.joints);
    }
    let shift = Shift { begun: ThreadTime::now(), exact_before: memory.exact.spent };
    let mut slice = BETWEEN_REPORTS;
    let is_current = || !shared.stop.is_cancelled() && shared.changes.count() == snapshot.changes;
    while is_current() {
        if number == 0 && shared.settings.exact {
            memory.exact.search(shared, snapshot, worker, &shift);
        }
        let mut clock = Clock::processor(slice)
            .or(shared.stop.clone())
            .while_unchanged(&shared.changes, snapshot.changes);
        let found = search.search(worker, &snapshot.state, snapshot.role, &mut clock)?;
        if !search.applies() {
            return Ok(false);
        }
        let mut estimate = found.unwrap_or_default();
        if let Some(exact) = &memory.exact.found {
            estimate = estimate.with_certain(exact);
        }
        let is_exact_over = memory.exact.is_over(number, shared);
        if publish(shared, number, snapshot, estimate) || search.is_done() && is_exact_over {
            idle(shared, snapshot.changes);
            return Ok(true);
        }
        // A depth that is broken off is begun again, so tries grow longer.
        slice = (slice + slice / 2).min(LONGEST_SLICE);
    }
    Ok(true)
}

/// Searches a state in which several roles choose for mixed strategies; false if there are too many joint moves for that.
fn by_lot(
    shared: &Shared,
    number: usize,
    snapshot: &Snapshot,
    worker: &mut dyn Worker,
) -> Result<bool, Fault> {
    let settings = simultaneous::Settings {
        memory: shared.settings.memory / 4 / shared.settings.threads.max(1),
        chance: snapshot.chance,
        ..simultaneous::Settings::default()
    };
    let seed = shared.settings.seed.wrapping_add(snapshot.root).wrapping_add((number as u64) << 32);
    let mut tree = Mixed::new(settings, worker, &snapshot.state, seed)?;
    if !tree.looks_at_all() {
        return Ok(false);
    }
    let begun = ThreadTime::now();
    loop {
        let mut clock = Clock::processor(BETWEEN_REPORTS)
            .or(shared.stop.clone())
            .while_unchanged(&shared.changes, snapshot.changes);
        tree.search(worker, &mut clock)?;
        let mut estimate = tree.estimate(snapshot.role);
        estimate.playouts_per_second = tree.playouts() as f64 / begun.elapsed().as_secs_f64().max(1e-3);
        publish(shared, number, snapshot, estimate);
        if shared.stop.is_cancelled() || shared.changes.count() != snapshot.changes {
            return Ok(true);
        }
    }
}

/// Waits for the next change.
fn idle(shared: &Shared, changes: u64) {
    let mut table = shared.table();
    while shared.changes.count() == changes && !shared.stop.is_cancelled() {
        table = shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Brings the tree to the current state, keeping what is below it.
fn move_root(
    shared: &Shared,
    number: usize,
    snapshot: &Snapshot,
    memory: &mut Memory<'_>,
    worker: &mut dyn Worker,
) -> Result<(), Fault> {
    let settings = uct::Settings {
        chance: snapshot.chance,
        // What is kept after a move is copied, and exhaustive search has a quarter.
        memory: shared.settings.memory / 3 / shared.settings.threads.max(1),
        ..snapshot.tree.clone()
    };
    let seed = shared.settings.seed.wrapping_add(number as u64);
    if memory.joints != snapshot.joints || memory.tree.is_none() {
        memory.exact.moved();
        memory.rate.fade();
    }
    // What the trial has found may be known after the tree was begun.
    let is_other = memory.tree.as_ref().is_some_and(|tree| *tree.settings() != settings);
    let goes_on = snapshot.joints.starts_with(&memory.joints) && !is_other;
    match &mut memory.tree {
        Some(tree) if goes_on => {
            let ahead = &snapshot.joints[memory.joints.len()..];
            match ahead {
                [] => {}
                [joint] => tree.advance(worker, joint, &snapshot.state)?,
                _ => *tree = Tree::new(settings, worker, &snapshot.state, seed)?,
            }
        }
        other => *other = Some(Tree::new(settings, worker, &snapshot.state, seed)?),
    }
    memory.joints.clone_from(&snapshot.joints);
    Ok(())
}

impl<'s> Exact<'s> {
    /// True if it has nothing more to find about the current root.
    fn is_over(&self, number: usize, shared: &Shared) -> bool {
        number != 0
            || !shared.settings.exact
            || self.faulted
            || self.found.as_ref().is_some_and(|found| found.solved)
            || self.alphabeta.as_ref().is_some_and(|search| !search.applies())
    }

    /// The root has moved on: what was found about it is no longer about it.
    fn moved(&mut self) {
        self.found = None;
        self.faulted = false;
        self.spent = Duration::ZERO;
    }

    /// Goes on for a moment if less than its share of the processor time of the shift was spent.
    fn search(&mut self, shared: &Shared, snapshot: &Snapshot, worker: &mut dyn Worker, shift: &Shift) {
        let kind = Exhaustive::of(worker.vocabulary().role_count(), snapshot.facts.as_deref());
        let share = if shared.settings.threads > 4 { 1 } else { kind.share() };
        if kind == Exhaustive::Unfit
            || self.faulted
            || self.found.as_ref().is_some_and(|found| found.solved)
            || (self.spent - shift.exact_before) * share > shift.begun.elapsed()
        {
            return;
        }
        if !self.begun && kind != Exhaustive::Solitaire {
            self.begun = true;
            self.alphabeta = AlphaBeta::new(worker, shared.settings.memory / 4);
        }
        let started = ThreadTime::now();
        // Each try begins at depth one again, and finds the way by its table; so tries grow longer.
        let time = (self.spent / 2).clamp(BETWEEN_REPORTS / 2, Duration::from_secs(2));
        let mut clock =
            Clock::processor(time).or(shared.stop.clone()).while_unchanged(&shared.changes, snapshot.changes);
        if let Some(search) = &mut self.alphabeta {
            if search.applies() {
                match search.search(worker, &snapshot.state, snapshot.role, &mut clock) {
                    Ok(found) => {
                        self.found = match (found, self.found.take()) {
                            // A try that ended early may know less than the one before; what is certain stays so.
                            (Some(new), Some(old)) if !new.solved => Some(new.with_certain(&old)),
                            (new, old) => new.or(old),
                        }
                    }
                    Err(fault) => self.give_up(shared, &fault),
                }
            }
        } else if let Err(fault) = self.solitary(shared, snapshot, worker, &mut clock) {
            self.give_up(shared, &fault);
        }
        self.spent += started.elapsed();
    }

    /// Leaves the rest of this root to the tree.
    fn give_up(&mut self, shared: &Shared, fault: &Fault) {
        self.faulted = true;
        give_up(shared, fault);
    }

    /// The rules as formulas; `None` where there is no network, of which they are read.
    fn formulas(&self, shared: &Shared, snapshot: &Snapshot) -> Option<&'s System> {
        snapshot.goal_heuristic.as_ref()?;
        let made = self.system?.get_or_init(|| {
            let goal = shared.prepared.game().rules.keyword(Keyword::Goal);
            System::new(&shared.prepared, &[goal], &shared.questions()).ok()
        });
        made.as_ref()
    }

    /// Looks for a plan in a game for one, and follows it as long as it is the best.
    fn solitary(
        &mut self,
        shared: &Shared,
        snapshot: &Snapshot,
        worker: &mut dyn Worker,
        clock: &mut Clock,
    ) -> Result<(), Fault> {
        let made = snapshot.joints.len();
        let planned = |search: &Portfolio<'_>, from: usize| {
            let plan = search.plan()?;
            let followed = &snapshot.joints[from..];
            let kept = plan.moves.iter().zip(followed).all(|(planned, joint)| Some(planned) == joint.first());
            (kept && plan.moves.len() > followed.len()).then_some(plan)
        };
        let goes_on = self.solitaire.as_ref().is_some_and(|(search, from)| {
            *from <= made && (*from == made || planned(search, *from).is_some())
        });
        if !goes_on {
            let memory = shared.settings.memory / 4;
            let seed = shared.settings.seed;
            let search = Portfolio::new(worker, &snapshot.state, Parts::default(), memory, seed);
            self.solitaire = search.map(|search| match self.formulas(shared, snapshot) {
                Some(system) => (search.with_system(system, memory / 2), made),
                None => (search, made),
            });
        }
        let Some((search, from)) = &mut self.solitaire else { return Ok(()) };
        let searched = search.search(worker, snapshot.goal_heuristic.as_deref(), clock).map(|_| ());
        let Some(plan) = planned(search, *from).filter(|plan| plan.value > 0) else { return searched };
        let mut legal = Vec::new();
        worker.legal(&snapshot.state, snapshot.role, &mut legal)?;
        let rest = &plan.moves[made - *from..];
        let verdict = Verdict { value: plan.value, plies: rest.len() as u32 };
        let candidates = legal.iter().map(|&action| Candidate {
            action,
            visits: 0,
            value: 0.0,
            verdict: (action == rest[0]).then_some(verdict),
        });
        let line = rest.iter().take(12).map(|&action| vec![action]).collect();
        self.found = Some(Estimate {
            candidates: candidates.collect(),
            solved: plan.is_best,
            line,
            ..Estimate::default()
        });
        searched
    }
}
