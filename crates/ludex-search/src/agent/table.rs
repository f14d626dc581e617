//! What the threads of an agent share: the table on which builders lay what they have built and from which searches take
//! it, and the match so far, which is followed by whatever engine lies there.

use super::firsthand::Early;
use super::{AgentError, Settings};
use crate::clock::Changes;
use crate::estimate::Estimate;
use crate::evaluation::Evaluation;
use crate::goal_heuristic::GoalHeuristic;
use crate::pvs;
use crate::uct;
use ludex_engine::budget::{Budget, Cancel};
use ludex_engine::engine::Engine;
use ludex_engine::fault::Fault;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::lanes::{Lanes, Valuers};
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_logic::endgame::Oracle;
use ludex_logic::facts::Facts;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What the threads of an agent share.
pub(super) struct Shared {
    pub(super) prepared: Arc<Prepared>,
    pub(super) role: String,
    pub(super) settings: Settings,
    /// Ends everything.
    pub(super) stop: Cancel,
    /// Grows with everything that a searching thread must notice.
    pub(super) changes: Changes,
    pub(super) table: Mutex<Table>,
    /// Something on the table has changed.
    pub(super) changed: Condvar,
    /// What each searching thread has found, about the root of that number.
    pub(super) findings: Vec<Mutex<Option<(u64, Estimate)>>>,
}

/// What lies on the table between the threads.
pub(super) struct Table {
    pub(super) engine: Option<Arc<dyn Engine>>,
    /// How it was offered.
    pub(super) encoding: Encoding,
    pub(super) states_per_second: f64,
    pub(super) lanes: Option<Arc<Lanes>>,
    /// What values leaves in place of the lanes.
    pub(super) accelerated: Option<Arc<dyn Valuers>>,
    pub(super) oracle: Option<Arc<dyn Oracle>>,
    /// What is proved of the game, once somebody has tried.
    pub(super) facts: Option<Arc<Facts>>,
    pub(super) goal_heuristic: Option<Arc<GoalHeuristic>>,
    /// What states are worth, and a table for all threads, where a trial has shown that it is best to search so.
    pub(super) evaluation: Option<(Arc<Evaluation>, Arc<pvs::Table>)>,
    /// How trees are searched.
    pub(super) tree: uct::Settings,
    /// Something is being learnt, which searches wait for; and whether a move has been asked for, which ends the waiting.
    pub(super) learning: bool,
    pub(super) asked: bool,
    /// What is known before there is an engine, and the end of the search for that.
    pub(super) early: Early,
    pub(super) enough: Cancel,
    /// Notes of the builders that nobody has asked for yet, in the order in which they came.
    pub(super) notes: Vec<String>,
    /// Builders still at work, with their tokens; and the complaint of the last that failed.
    pub(super) building: Vec<Option<Cancel>>,
    pub(super) complaint: String,
    /// The joint moves made, as text and, once there is an engine, as numbers with the states after them.
    pub(super) moves: Vec<Vec<String>>,
    pub(super) play: Option<Play>,
    /// Why the engine could not follow the moves to the current state.
    pub(super) lost: Option<Fault>,
    /// Grows with every move made or taken back: what was found out belongs to one of these numbers.
    pub(super) root: u64,
    /// Whether the threads should search now.
    pub(super) searching: bool,
}

impl Table {
    pub(super) fn new(stop: &Cancel, tree: uct::Settings) -> Table {
        Table {
            engine: None,
            encoding: Encoding::Original,
            states_per_second: 0.0,
            lanes: None,
            accelerated: None,
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

    /// What values leaves.
    pub(super) fn valuers(&self) -> Option<Arc<dyn Valuers>> {
        let lanes = || self.lanes.clone().map(|lanes| lanes as Arc<dyn Valuers>);
        self.accelerated.clone().or_else(lanes)
    }
}

/// The match so far.
pub(super) struct Play {
    pub(super) role: RoleId,
    pub(super) chance: Option<RoleId>,
    /// The states from the first to the current one.
    pub(super) states: Vec<Vec<u64>>,
    pub(super) joints: Vec<Vec<MoveId>>,
}

impl Play {
    pub(super) fn state(&self) -> &[u64] {
        self.states.last().map_or(&[], Vec::as_slice)
    }
}

impl Shared {
    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        // What is on the table is replaced as a whole, so a thread that died has left nothing half done.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the questions of searching threads obey: they end when all does.
    pub(super) fn questions(&self) -> Budget {
        Budget::default().with_cancel(self.stop.clone())
    }

    /// Tells everybody that something on the table has changed.
    pub(super) fn announce(&self) {
        self.changes.add();
        self.changed.notify_all();
    }

    /// What the threads have found out about the current state.
    pub(super) fn estimate(&self, root: u64) -> Estimate {
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

/// Follows the moves on the table that have not been followed yet, and notes the limit if one is met.
pub(super) fn follow(table: &mut Table) -> Result<(), AgentError> {
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
