//! An agent plays one role of one match.
//!
//! It is given the rules and nothing else, and makes the most of its time: *builders* (`builder.rs`) build
//! engines in the background, the first one within milliseconds for most games, and the search changes to
//! a faster one as soon as it is ready; *threads* (`thread.rs`) search all the time, also while others
//! think, each with its own tree, and publish what they have found. [`Agent::choose`] only waits and reads.
//! Where the first engine takes long, the legal moves are known before it (`firsthand.rs`). So a move is at hand
//! at any moment, and nothing that a search or an engine does can make it late.
//!
//! Moves come in and go out as text in the spelling of the rules, because the first moves of a match may
//! come before there is a numbering.
//!
//! Dropping an agent ends all its work; threads that are inside an engine's question end soon after.

mod builder;
mod firsthand;
mod learning;
mod thread;

pub use builder::{Builder, Equipment, endings, facts, interpreters, network, reference};

use crate::clock::Changes;
use crate::estimate::{Candidate, Estimate};
use crate::evaluation::Evaluation;
use crate::goal_heuristic::GoalHeuristic;
use crate::pvs;
use crate::uct;
use firsthand::Early;
use ludex_engine::budget::{Budget, Cancel};
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::fault::Fault;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_logic::endgame::Oracle;
use ludex_logic::facts::Facts;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How an agent works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Search threads.
    pub threads: usize,
    /// Bytes for all trees and tables together.
    pub memory: usize,
    /// How much each builder may take.
    pub budget: Budget,
    /// What is built, each on a thread of its own. The fastest engine is used, and what a later one gives is taken to
    /// be hard to beat: once it is the fastest, the earlier ones end.
    pub builders: Vec<Builder>,
    /// What is built after that, and nobody waits for.
    pub extras: Vec<Builder>,
    /// How trees are searched.
    pub tree: uct::Settings,
    /// How long it may learn before it plays: random games, an evaluation, and a trial of searches by it. A player's
    /// start clock, where there is one; `None` learns nothing.
    pub learning: Option<Duration>,
    /// Look for what is certain by exhaustive search, too.
    pub exact: bool,
    /// Where several roles choose at once and have few joint moves, draw from mixed strategies.
    pub mixed: bool,
    /// Think while others do.
    pub ponder: bool,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Settings {
    /// All cores, a gigabyte, everything switched on.
    fn default() -> Settings {
        Settings {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 1 << 30,
            // Bounded by rows and steps: what is late is still good for the moves to come.
            budget: Budget::default(),
            builders: vec![interpreters, network],
            extras: vec![facts, endings],
            tree: uct::Settings::default(),
            learning: Some(Duration::from_secs(2)),
            exact: true,
            mixed: true,
            ponder: true,
            seed: 1,
        }
    }
}

impl Settings {
    /// The same for a match with such a start clock, most of which may be spent on learning, if anything is learnt.
    #[must_use]
    pub fn for_start_clock(self, clock: Duration) -> Settings {
        const MOST: Duration = Duration::from_secs(20);
        Settings { learning: self.learning.map(|_| clock.mul_f64(0.9).min(MOST)), ..self }
    }

    /// Plain UCT on the reference engine, one thread, no thinking in the others' time: the measuring stick.
    pub fn plain() -> Settings {
        Settings {
            threads: 1,
            builders: vec![reference],
            extras: Vec::new(),
            tree: uct::Settings::plain(),
            learning: None,
            exact: false,
            mixed: false,
            ponder: false,
            ..Settings::default()
        }
    }
}

/// Why an agent cannot play.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentError {
    /// No engine is ready yet.
    NotReady,
    /// No engine takes the game; the reason of the last that declined.
    NoEngine(String),
    /// The rules have no such role.
    UnknownRole(String),
    /// A move that the rules do not have.
    UnknownMove(String),
    /// A move that is not legal in the current state.
    IllegalMove(String),
    /// A joint move without one move for each role.
    MoveCount {
        /// How many roles there are.
        roles: usize,
        /// How many moves came.
        moves: usize,
    },
    /// The role has no legal move.
    NoMove,
    /// The engine could not answer a question about the match.
    Limit(Fault),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentError::NotReady => f.write_str("no engine is ready yet"),
            AgentError::NoEngine(reason) => write!(f, "no engine takes the game: {reason}"),
            AgentError::UnknownRole(role) => write!(f, "the rules have no role `{role}`"),
            AgentError::UnknownMove(action) => write!(f, "the rules have no move `{action}`"),
            AgentError::IllegalMove(action) => write!(f, "the move `{action}` is not legal here"),
            AgentError::MoveCount { roles, moves } => write!(f, "{moves} moves for {roles} roles"),
            AgentError::NoMove => f.write_str("the role has no legal move"),
            AgentError::Limit(fault) => fault.fmt(f),
        }
    }
}

impl std::error::Error for AgentError {}

impl fmt::Display for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(engine) = self.engine else { return f.write_str("no engine") };
        write!(f, "{engine}, rules {}", self.encoding)?;
        if self.lanes { f.write_str(", with lanes") } else { Ok(()) }
    }
}

/// A move, and what led to it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The move in the spelling of the rules.
    pub action: String,
    /// Its number; none where no engine was ready, and it is any legal move.
    pub id: Option<MoveId>,
    /// How many legal moves there were.
    pub legal: usize,
    /// What is known of the state; empty where no search had time.
    pub estimate: Estimate,
}

/// What an agent searches with, for those who watch.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The engine in use.
    pub engine: Option<&'static str>,
    /// How the rules were written when it was built.
    pub encoding: Encoding,
    /// Joint moves a second of random play with it, as measured; 0 if it was not.
    pub states_per_second: f64,
    /// True if leaves are valued by batches.
    pub lanes: bool,
}

/// Plays one role of one match.
pub struct Agent {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    vocabulary: Option<Arc<Vocabulary>>,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent").field("role", &self.shared.role).finish_non_exhaustive()
    }
}

/// What the threads of an agent share.
struct Shared {
    prepared: Arc<Prepared>,
    role: String,
    settings: Settings,
    /// Ends everything.
    stop: Cancel,
    /// Grows with everything that a searching thread must notice.
    changes: Changes,
    table: Mutex<Table>,
    /// Something on the table has changed.
    changed: Condvar,
    /// What each searching thread has found, about the root of that number.
    findings: Vec<Mutex<Option<(u64, Estimate)>>>,
}

/// What lies on the table between the threads.
struct Table {
    engine: Option<Arc<dyn Engine>>,
    /// How it was offered.
    encoding: Encoding,
    states_per_second: f64,
    lanes: Option<Arc<Lanes>>,
    oracle: Option<Arc<dyn Oracle>>,
    /// What is proved of the game, once somebody has tried.
    facts: Option<Arc<Facts>>,
    goal_heuristic: Option<Arc<GoalHeuristic>>,
    /// What states are worth, and a table for all threads, where a trial has shown that it is best to search so.
    evaluation: Option<(Arc<Evaluation>, Arc<pvs::Table>)>,
    /// How trees are searched.
    tree: uct::Settings,
    /// Something is being learnt, which searches wait for; and whether a move has been asked for, which ends the waiting.
    learning: bool,
    asked: bool,
    /// What is known before there is an engine, and the end of the search for that.
    early: Early,
    enough: Cancel,
    /// Notes of the builders that nobody has asked for yet, in the order in which they came.
    notes: Vec<String>,
    /// Builders still at work, with their tokens; and the complaint of the last that failed.
    building: Vec<Option<Cancel>>,
    complaint: String,
    /// The joint moves made, as text and, once there is an engine, as numbers with the states after them.
    moves: Vec<Vec<String>>,
    play: Option<Play>,
    /// Why the engine could not follow the moves to the current state.
    lost: Option<Fault>,
    /// Grows with every move made or taken back: what was found out belongs to one of these numbers.
    root: u64,
    /// Whether the threads should search now.
    searching: bool,
}

impl Table {
    fn new(stop: &Cancel, tree: uct::Settings) -> Table {
        Table {
            engine: None,
            encoding: Encoding::Original,
            states_per_second: 0.0,
            lanes: None,
            oracle: None,
            facts: None,
            goal_heuristic: None,
            evaluation: None,
            tree,
            learning: false,
            asked: false,
            early: Early::Sought,
            enough: stop.child(),
            notes: Vec::new(),
            building: Vec::new(),
            complaint: String::new(),
            moves: Vec::new(),
            play: None,
            lost: None,
            root: 0,
            searching: true,
        }
    }
}

/// The match so far.
struct Play {
    role: RoleId,
    chance: Option<RoleId>,
    /// The states from the first to the current one.
    states: Vec<Vec<u64>>,
    joints: Vec<Vec<MoveId>>,
}

impl Play {
    fn state(&self) -> &[u64] {
        self.states.last().map_or(&[], Vec::as_slice)
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table> {
        // What is on the table is replaced as a whole, so a thread that died has left nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the questions of searching threads obey: they end when all does.
    fn questions(&self) -> Budget {
        Budget::default().with_cancel(self.stop.clone())
    }

    /// Tells everybody that something on the table has changed.
    fn announce(&self) {
        self.changes.add();
        self.changed.notify_all();
    }

    /// What the threads have found out about the current state.
    fn estimate(&self, root: u64) -> Estimate {
        let mut sum = Estimate::default();
        for finding in &self.findings {
            let finding = finding.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((number, estimate)) = &*finding
                && *number == root
            {
                sum.add(estimate);
            }
        }
        sum
    }
}

impl Agent {
    /// Begins to prepare for the role of a game, and returns at once. What is made for the game is shared with all
    /// others who have the same `prepared`.
    pub fn new(prepared: Arc<Prepared>, role: &str, settings: Settings) -> Agent {
        let threads = settings.threads.max(1);
        let builders = [settings.builders.as_slice(), &settings.extras].concat();
        let stop = Cancel::default();
        let shared = Arc::new(Shared {
            table: Mutex::new(Table::new(&stop, settings.tree.clone())),
            prepared,
            role: role.to_owned(),
            settings,
            stop,
            changes: Changes::default(),
            changed: Condvar::new(),
            findings: (0..threads).map(|_| Mutex::new(None)).collect(),
        });
        let mut handles = Vec::new();
        if shared.settings.learning.is_some() {
            shared.table().learning = true;
            let shared = shared.clone();
            handles.push(std::thread::spawn(move || learning::run(&shared)));
        }
        let stops: Vec<Cancel> = builders.iter().map(|_| shared.stop.child()).collect();
        shared.table().building = stops.iter().cloned().map(Some).collect();
        let early = shared.clone();
        handles.push(std::thread::spawn(move || firsthand::run(&early)));
        for (rank, (builder, stop)) in builders.into_iter().zip(stops).enumerate() {
            let shared = shared.clone();
            handles.push(std::thread::spawn(move || builder::run(&shared, rank, builder, &stop)));
        }
        for number in 0..threads {
            let shared = shared.clone();
            handles.push(std::thread::spawn(move || thread::run(&shared, number)));
        }
        Agent { shared, threads: handles, vocabulary: None }
    }

    /// Waits for the first engine, but not beyond `deadline`.
    pub fn ready(&mut self, deadline: Instant) -> Result<(), AgentError> {
        let mut table = self.shared.table();
        loop {
            if let Some(fault) = &table.lost {
                return Err(AgentError::Limit(fault.clone()));
            }
            if let Some(play) = &table.play {
                debug_assert!(!play.states.is_empty());
                self.vocabulary = table.engine.as_ref().map(|engine| engine.vocabulary().clone());
                return Ok(());
            }
            if table.engine.is_some() {
                return Err(AgentError::UnknownRole(self.shared.role.clone()));
            }
            if table.building[..self.shared.settings.builders.len()].iter().all(Option::is_none) {
                // There will be none; whoever knows the legal moves can still play.
                match table.early {
                    Early::Sought => {}
                    Early::Known { .. } => return Err(AgentError::NotReady),
                    Early::Over => return Err(AgentError::NoEngine(table.complaint.clone())),
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.shared.stop.is_cancelled() {
                return Err(AgentError::NotReady);
            }
            table = self.shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until every builder is done but the extra ones, and not beyond `deadline`: the use of a start
    /// clock.
    pub fn prepare(&mut self, deadline: Instant) {
        let awaited = self.shared.settings.builders.len();
        let mut table = self.shared.table();
        let is_busy = |table: &Table| table.learning || table.building[..awaited].iter().any(Option::is_some);
        while is_busy(&table) && !self.shared.stop.is_cancelled() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            table = self.shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Goes on to the state after a joint move, given in the order of the roles. It is followed at once if
    /// there is an engine, else when there is one. A move that the engine cannot follow within its limits
    /// ([`AgentError::Limit`]) counts as made: another engine may follow it.
    pub fn advance(&mut self, moves: &[String]) -> Result<(), AgentError> {
        let mut table = self.shared.table();
        table.moves.push(moves.to_vec());
        table.root += 1;
        let followed = follow(&mut table);
        if followed.as_ref().is_err_and(|error| !matches!(error, AgentError::Limit(_))) {
            table.moves.pop();
        }
        drop(table);
        self.shared.announce();
        followed
    }

    /// How many joint moves have been made.
    pub fn step(&self) -> usize {
        self.shared.table().moves.len()
    }

    /// Goes back to the state before the last `count` joint moves.
    pub fn take_back(&mut self, count: usize) {
        let mut table = self.shared.table();
        let left = table.moves.len().saturating_sub(count);
        table.moves.truncate(left);
        if let Some(play) = &mut table.play {
            play.joints.truncate(left);
            play.states.truncate(left + 1);
        }
        if table.lost.is_some() {
            // What is left of the moves may still be too much; then the reason stays on the table.
            let _ = follow(&mut table);
        }
        table.root += 1;
        drop(table);
        self.shared.announce();
    }

    /// The current state, once there is an engine that has come to it.
    pub fn state(&self) -> Option<Vec<u64>> {
        let table = self.shared.table();
        table.play.as_ref().filter(|_| table.lost.is_none()).map(|play| play.state().to_vec())
    }

    /// The engine in use.
    pub fn engine(&self) -> Option<Arc<dyn Engine>> {
        self.shared.table().engine.clone()
    }

    /// The move for the current state. Returns at once if there is one legal move or the best one is certain, else
    /// when the time is used up. Where no engine was ready in time it is any legal move, if those are known.
    pub fn choose(&mut self, deadline: Instant) -> Result<Decision, AgentError> {
        match self.ready(deadline) {
            Err(AgentError::NotReady) => return self.any_legal_move().ok_or(AgentError::NotReady),
            Err(AgentError::Limit(fault)) => return self.without_engine(fault, deadline),
            other => other?,
        }
        let (engine, role, state, root) = {
            let table = self.shared.table();
            let Some((engine, play)) = table.engine.as_ref().zip(table.play.as_ref()) else {
                return Err(AgentError::NotReady);
            };
            (engine.clone(), play.role, play.state().to_vec(), table.root)
        };
        let mut legal = Vec::new();
        let mut worker = engine.worker();
        worker.obey(&self.shared.questions());
        if let Err(fault) = worker.legal(&state, role, &mut legal) {
            return self.without_engine(fault, deadline);
        }
        let estimate = match legal.as_slice() {
            [] => return Err(AgentError::NoMove),
            [_] => self.shared.estimate(root),
            _ => self.think(root, deadline),
        };
        // What is drawn by lot must be foreseen by nobody, who may know the seed.
        let lot = RandomState::new().build_hasher().finish();
        let best = estimate.draw(&mut Random::new(lot)).map(|candidate| candidate.action);
        // A search answers with legal moves only; what is not in the list would be a mistake of ours.
        let id = best.filter(|id| legal.binary_search(id).is_ok()).unwrap_or_else(|| {
            let seed = self.shared.settings.seed ^ root;
            legal[Random::new(seed).below(legal.len())]
        });
        let action = engine.vocabulary().show_move(role, id);
        Ok(Decision { action, id: Some(id), legal: legal.len(), estimate })
    }

    /// A legal move where the engine ran into a limit: the match is followed in words from its beginning.
    fn without_engine(&self, fault: Fault, deadline: Instant) -> Result<Decision, AgentError> {
        let (moves, root) = {
            let mut table = self.shared.table();
            table.notes.push(fault.to_string());
            (table.moves.clone(), table.root)
        };
        let budget =
            self.shared.settings.budget.clone().with_cancel(self.shared.stop.clone()).until(deadline);
        let legal = firsthand::legal_after(self.shared.prepared.game(), &self.shared.role, &moves, &budget);
        let legal = legal.filter(|legal| !legal.is_empty()).ok_or(AgentError::Limit(fault))?;
        let choice = Random::new(self.shared.settings.seed ^ root).below(legal.len());
        Ok(Decision {
            action: legal[choice].clone(),
            id: None,
            legal: legal.len(),
            estimate: Estimate::default(),
        })
    }

    /// A legal move found without an engine.
    fn any_legal_move(&self) -> Option<Decision> {
        let table = self.shared.table();
        let Early::Known { root, legal } = &table.early else { return None };
        if *root != table.root || legal.is_empty() {
            return None;
        }
        let choice = Random::new(self.shared.settings.seed ^ root).below(legal.len());
        Some(Decision {
            action: legal[choice].clone(),
            id: None,
            legal: legal.len(),
            estimate: Estimate::default(),
        })
    }

    /// Lets the threads search until the deadline, or until they are sure.
    fn think(&self, root: u64, deadline: Instant) -> Estimate {
        let waited = !std::mem::replace(&mut self.shared.table().asked, true);
        if waited {
            self.shared.announce();
        }
        self.set_searching(true);
        let mut table = self.shared.table();
        let estimate = loop {
            let estimate = self.shared.estimate(root);
            let left = deadline.saturating_duration_since(Instant::now());
            if estimate.solved || left.is_zero() || self.shared.stop.is_cancelled() {
                break estimate;
            }
            table = self.shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(table);
        if !self.shared.settings.ponder {
            self.set_searching(false);
        }
        estimate
    }

    /// Thinks about the current state without a move to be made: what `choose` would know.
    pub fn consider(&mut self, time: Duration) -> Estimate {
        let root = self.shared.table().root;
        self.think(root, Instant::now() + time)
    }

    /// Stops searching until the next question: others need the processor.
    pub fn rest(&self) {
        self.set_searching(false);
    }

    fn set_searching(&self, searching: bool) {
        let mut table = self.shared.table();
        if table.searching != searching {
            table.searching = searching;
            drop(table);
            self.shared.announce();
        }
    }

    /// The role's goal in the current state; `None` if the rules give no single one, or no engine can tell.
    pub fn goal(&self) -> Option<Goal> {
        let (engine, role, state) = {
            let table = self.shared.table();
            let play = table.play.as_ref().filter(|_| table.lost.is_none())?;
            (table.engine.clone()?, play.role, play.state().to_vec())
        };
        engine.worker().goal(&state, role).ok()?
    }

    /// What it searches with, for those who watch.
    pub fn knowledge(&self) -> Knowledge {
        let table = self.shared.table();
        Knowledge {
            engine: table.engine.as_ref().map(|engine| engine.name()),
            encoding: table.encoding,
            states_per_second: table.states_per_second,
            lanes: table.lanes.is_some(),
        }
    }

    /// What the builders have had to say since it was last asked.
    pub fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.shared.table().notes)
    }

    /// A handle that ends all work from another thread.
    pub fn stop(&self) -> Stopper {
        Stopper(self.shared.clone())
    }

    /// A decision with its figures, in words.
    pub fn describe(&self, decision: &Decision) -> String {
        let estimate = &decision.estimate;
        let Some(id) = decision.id else {
            return format!("{}: no engine answers, any legal move", decision.action);
        };
        let candidate = estimate.candidates.iter().find(|c| c.action == id);
        let value = candidate.map_or_else(|| "no search".to_owned(), describe_value);
        if decision.legal < 2 {
            return format!("{}, the only move", decision.action);
        }
        let Estimate { playouts, playouts_per_second: rate, nodes, .. } = estimate;
        // Of what took no time there is no rate.
        let rate = if *rate > 0.0 { format!(", {rate:.0} a second") } else { String::new() };
        format!("{}: {value}; {playouts} playouts{rate}, {nodes} nodes", decision.action)
    }
}

fn describe_value(candidate: &Candidate) -> String {
    match candidate.verdict {
        Some(verdict) => format!("certain {} in {} plies", verdict.value, verdict.plies),
        None => format!("value {:.1}, {} visits", candidate.value, candidate.visits),
    }
}

/// Ends all work of an agent.
#[derive(Clone)]
pub struct Stopper(Arc<Shared>);

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stopper").finish()
    }
}

impl Stopper {
    /// Ends it. Whoever waits for the agent gets an answer at once.
    pub fn stop(&self) {
        self.0.stop.cancel();
        // Under the lock, or whoever is about to wait would miss it.
        let table = self.0.table();
        self.0.announce();
        drop(table);
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.stop().stop();
        for thread in self.threads.drain(..) {
            // Threads end at the next look at the stop. A question to an engine in between can take a while,
            // and whoever drops an agent should not wait for it.
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}

/// Follows the moves on the table that have not been followed yet, and notes the limit if one is met.
fn follow(table: &mut Table) -> Result<(), AgentError> {
    let followed = catch_up(table);
    table.lost = match &followed {
        Err(AgentError::Limit(fault)) => Some(fault.clone()),
        _ => None,
    };
    followed
}

fn catch_up(table: &mut Table) -> Result<(), AgentError> {
    let Table { engine: Some(engine), play: Some(play), moves, .. } = table else { return Ok(()) };
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    let mut legal = Vec::new();
    while play.joints.len() < moves.len() {
        let texts = &moves[play.joints.len()];
        if texts.len() != vocabulary.role_count() {
            return Err(AgentError::MoveCount { roles: vocabulary.role_count(), moves: texts.len() });
        }
        let joint = vocabulary
            .roles()
            .zip(texts)
            .map(|(role, text)| {
                let found = vocabulary.read_term(text).and_then(|term| vocabulary.find_move(role, term));
                found.ok_or_else(|| AgentError::UnknownMove(text.clone()))
            })
            .collect::<Result<Vec<MoveId>, _>>()?;
        // A message that came twice would lead somewhere else.
        for ((role, id), text) in vocabulary.roles().zip(&joint).zip(texts) {
            worker.legal(play.state(), role, &mut legal).map_err(AgentError::Limit)?;
            if legal.binary_search(id).is_err() {
                return Err(AgentError::IllegalMove(text.clone()));
            }
        }
        let mut next = vec![0; vocabulary.words()];
        worker.next(play.state(), &joint, &mut next).map_err(AgentError::Limit)?;
        play.states.push(next);
        play.joints.push(joint);
    }
    Ok(())
}
