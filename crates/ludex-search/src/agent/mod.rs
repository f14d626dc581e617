//! An agent plays one role of one match.
//!
//! It is given the rules and nothing else, and makes the most of its time: *builders* (`builder.rs`) build
//! engines in the background, the first one within milliseconds for most games, and the search changes to
//! a faster one as soon as it is ready; *threads* (`thread.rs`) search all the time, also while others
//! think, each with its own tree, and publish what they have found. What they share is in `table.rs`;
//! [`Agent::choose`] only waits and reads.
//! Where the first engine takes long, the legal moves are known before it (`firsthand.rs`). So a move is at hand
//! at any moment, and nothing that a search or an engine does can make it late.
//!
//! Moves come in and go out as text in the spelling of the rules, because the first moves of a match may
//! come before there is a numbering.
//!
//! Dropping an agent ends all its work; threads that are inside an engine's question end soon after.

mod accelerator;
mod builder;
mod error;
mod firsthand;
mod learning;
mod settings;
mod table;
mod thread;

pub use accelerator::Accelerator;
pub use builder::{Builder, Equipment, endings, facts, interpreters, network, reference};
pub use error::AgentError;
pub use settings::{Settings, Solved};

use crate::clock::Changes;
use crate::estimate::{Candidate, Estimate};
use firsthand::Early;
use ludex_engine::budget::Cancel;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::fault::Fault;
use ludex_engine::prepared::Prepared;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, Vocabulary};
use ludex_gdl::rewrite::fnext::Encoding;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use table::{Shared, Table, follow};

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

impl fmt::Display for Knowledge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(engine) = self.engine else { return f.write_str("no engine") };
        write!(f, "{engine}, rules {}", self.encoding)?;
        if self.lanes { f.write_str(", with lanes") } else { Ok(()) }
    }
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
        shared.know_solved();
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
            lanes: table.lanes.is_some() || table.accelerated.is_some(),
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
