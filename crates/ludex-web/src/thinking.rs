//! Who thinks for the matches: agents, of which there are few, and threads that ask them slice by slice.
//!
//! Those that move learn, as players of matches do: an evaluation, in their first seconds, and search by it where that
//! plays better. A search by evaluation knows the best move, and of the others bounds only. So the engine's view, which
//! shows what every move is worth, has agents of its own, whose search is a tree.
//!
//! A match that wants to know something has one thread while it does. It borrows the agent of its role for a slice of
//! time, tells what was found, and gives it back, so that nobody waits long where more want to think than may. An agent
//! that nobody has used for longest makes room for another; the tree it had is lost, and nothing else.

use crate::limits::Limits;
use crate::live::{Live, Seat, Task};
use crate::remote::{Answered, Remotes};
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex::search::agent::{Agent, AgentError, Settings, Solved};
use ludex::search::estimate::{Candidate, Estimate};
use ludex::search::evaluation::Trained;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an agent is lent, and how often pages hear of it.
const SLICE: Duration = Duration::from_millis(150);

/// The first engine of an agent must be there after this.
const PREPARATION: Duration = Duration::from_secs(60);

/// Moves of the expected line that are told, and moves of the position.
const LINE: usize = 12;
const CANDIDATES: usize = 40;

/// All agents.
pub struct Agents {
    table: Mutex<Table>,
    changed: Condvar,
    limits: Limits,
    evaluations: Vec<Arc<Trained>>,
    /// Databases of games.
    solved: Vec<Solved>,
}

#[derive(Default)]
struct Table {
    /// Agents that nobody has borrowed, the one used last at the end.
    free: Vec<Held>,
    lent: usize,
    /// Who waits, in the order in which they came.
    queue: VecDeque<u64>,
    tickets: u64,
}

/// An agent, where it is, and for whom.
struct Held {
    of: String,
    role: usize,
    /// It moves, and does not only look.
    plays: bool,
    agent: Agent,
    path: Vec<Vec<String>>,
    used: Instant,
}

impl Agents {
    /// None yet.
    pub fn new(limits: &Limits, evaluations: Vec<Arc<Trained>>, solved: Vec<Solved>) -> Agents {
        let limits = limits.clone();
        Agents { table: Mutex::default(), changed: Condvar::new(), limits, evaluations, solved }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Borrows the agent of a role of a match, when it is one's turn.
    fn borrow(&self, live: &Live, role: usize, plays: bool) -> Held {
        let mut table = self.table();
        let ticket = table.tickets;
        table.tickets += 1;
        table.queue.push_back(ticket);
        while table.queue.front() != Some(&ticket) || table.lent >= self.limits.thinking {
            table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
        table.queue.pop_front();
        table.lent += 1;
        let found =
            table.free.iter().position(|held| (&held.of, held.role, held.plays) == (&live.id, role, plays));
        let held = found.map(|at| table.free.remove(at));
        let room = self.limits.agents.saturating_sub(table.lent);
        let surplus = (table.free.len() + usize::from(held.is_none())).saturating_sub(room.max(1));
        let surplus = surplus.min(table.free.len());
        let old: Vec<Held> = table.free.drain(..surplus).collect();
        drop(table);
        self.changed.notify_all();
        // Ending an agent may take a moment; nobody else waits for it.
        drop(old);
        held.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let usual = Settings::default();
            let settings = Settings {
                threads: (cores / self.limits.thinking.max(1)).max(1),
                memory: self.limits.agent_memory,
                ponder: false,
                solved: self.solved.clone(),
                learning: usual.learning.filter(|_| plays),
                evaluations: self.evaluations.clone(),
                seed: live
                    .id
                    .bytes()
                    .fold(role as u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))),
                ..usual
            };
            let agent = Agent::new(live.game.prepared().clone(), &live.roles[role], settings);
            agent.rest();
            Held { of: live.id.clone(), role, plays, agent, path: Vec::new(), used: Instant::now() }
        })
    }

    fn give_back(&self, mut held: Held) {
        held.used = Instant::now();
        let mut table = self.table();
        table.lent -= 1;
        table.free.push(held);
        drop(table);
        self.changed.notify_all();
    }

    /// Ends the agents that nobody has used for long, and those of a match that is gone.
    pub fn tidy(&self, is_gone: impl Fn(&str) -> bool) {
        let mut table = self.table();
        let idle = self.limits.idle;
        let all = std::mem::take(&mut table.free);
        let (old, kept) = all.into_iter().partition(|held| held.used.elapsed() > idle || is_gone(&held.of));
        table.free = kept;
        drop(table);
        let ended: Vec<Held> = old;
        drop(ended);
    }
}

impl Held {
    /// Brings the agent to a position.
    fn follow(&mut self, path: &[Vec<String>]) -> Result<(), AgentError> {
        let common = self.path.iter().zip(path).take_while(|(own, other)| own == other).count();
        if common < self.path.len() {
            self.agent.take_back(self.path.len() - common);
            self.path.truncate(common);
        }
        for joint in &path[common..] {
            match self.agent.advance(joint) {
                // An agent that meets a limit still answers, with any legal move.
                Ok(()) | Err(AgentError::Limit(_)) => self.path.push(joint.clone()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Begins to think for a match, if there is something to do and nobody does it. `moved` is called after each move.
pub fn begin(
    live: &Arc<Live>,
    agents: &Arc<Agents>,
    remotes: &Arc<Remotes>,
    moved: Arc<dyn Fn(&Live) + Send + Sync>,
) {
    if !live.claim() {
        return;
    }
    let (match_, agents, remotes) = (live.clone(), agents.clone(), remotes.clone());
    let drive = move || {
        while let Some(task) = match_.task() {
            let answered = match &task.seat {
                Seat::Player(address) if task.to_move => remotes.ask(&match_, &task, address),
                _ => think(&match_, &agents, &task)
                    .map_err(|error| format!("{} cannot think: {error}", match_.roles[task.role])),
            };
            // Somebody may have gone back in between; then another task stands, and the move is refused.
            let done = match answered {
                Ok(Answered::Move(action)) => match_.choose(task.at, task.role, action, &task.seat),
                Ok(Answered::Nothing(why)) => match_.substitute(task.at, task.role, &task.seat, why),
                Ok(Answered::Moot) => continue,
                Err(why) => {
                    match_.complain(why);
                    continue;
                }
            };
            if done.is_ok() {
                moved(&match_);
            }
        }
    };
    if std::thread::Builder::new().name("thinking".to_owned()).spawn(drive).is_err() {
        live.complain("there is no thread to think with".to_owned());
    }
}

/// Thinks as long as the task stands and its time lasts; the move, if one is wanted.
fn think(live: &Arc<Live>, agents: &Agents, task: &Task) -> Result<Answered, AgentError> {
    let mut spent = Duration::ZERO;
    loop {
        let mut held = agents.borrow(live, task.role, task.to_move);
        let began = Instant::now();
        let outcome = slice(&mut held, live, task, spent);
        agents.give_back(held);
        spent += began.elapsed();
        match outcome? {
            Slice::Done(Some(action)) => return Ok(Answered::Move(action)),
            Slice::Done(None) => return Ok(Answered::Moot),
            Slice::More if !live.stands(task) => return Ok(Answered::Moot),
            Slice::More => {}
        }
    }
}

enum Slice {
    More,
    Done(Option<MoveId>),
}

fn slice(held: &mut Held, live: &Live, task: &Task, spent: Duration) -> Result<Slice, AgentError> {
    held.follow(&task.path)?;
    let left = task.time.saturating_sub(spent);
    let estimate = held.agent.consider(SLICE.min(left.max(Duration::from_millis(10))));
    if let Some(best) = estimate.best() {
        let (value, certain) = match best.verdict {
            Some(verdict) => (f64::from(verdict.value), true),
            None => (best.value, false),
        };
        live.value(task.at, task.role, value, certain);
    }
    if task.view {
        live.thought.send_replace(Arc::new(told(held, live, task, &estimate)));
    }
    let ready = !estimate.candidates.is_empty();
    if !(estimate.solved && ready) && left > SLICE {
        return Ok(Slice::More);
    }
    if !task.to_move {
        live.is_viewed(task.at);
        return Ok(Slice::Done(None));
    }
    match estimate.best() {
        Some(best) => Ok(Slice::Done(Some(best.action))),
        // No engine was ready in that time.
        None => match held.agent.choose(Instant::now() + SLICE) {
            Ok(decision) => Ok(Slice::Done(Some(number(live, task.role, &decision.action, decision.id)?))),
            Err(AgentError::NotReady) if spent < PREPARATION => Ok(Slice::More),
            Err(error) => Err(error),
        },
    }
}

fn number(live: &Live, role: usize, text: &str, id: Option<MoveId>) -> Result<MoveId, AgentError> {
    let named = || {
        let vocabulary = live.game.vocabulary().ok()?;
        vocabulary.read_term(text).and_then(|term| vocabulary.find_move(RoleId(role as u32), term))
    };
    id.or_else(named).ok_or_else(|| AgentError::UnknownMove(text.to_owned()))
}

/// What the engine thinks, for the page: the moves that were looked at most, with how they are entered, so that they can
/// be shown on the board.
fn told(held: &Held, live: &Live, task: &Task, estimate: &Estimate) -> Value {
    let knowledge = held.agent.knowledge();
    let best = estimate.best().map(|best| best.action);
    let role = RoleId(task.role as u32);
    let mut candidates: Vec<&Candidate> = estimate.candidates.iter().collect();
    candidates.sort_by_key(|candidate| (Some(candidate.action) != best, std::cmp::Reverse(candidate.visits)));
    candidates.truncate(CANDIDATES);
    let drawn = live.game.vocabulary().ok().zip(live.game.drawing().ok());
    let candidates = candidates.into_iter().map(|candidate| {
        let is_best = Some(candidate.action) == best;
        // Once the best move is certain, the search knows of the others only that they are no better.
        let is_bound = estimate.solved && !is_best;
        let certain = candidate.verdict.filter(|_| !is_bound);
        let most = estimate.best().and_then(|best| best.verdict).filter(|_| is_bound);
        // What was never looked at has no value, whatever it is set to.
        let value = (candidate.visits > 0 && !is_bound).then(|| (candidate.value * 10.0).round() / 10.0);
        let words = drawn.map(|(vocabulary, _)| vocabulary.show_move(role, candidate.action));
        let steps = drawn.map(|(_, drawing)| crate::scene::steps(drawing, role, candidate.action));
        json!({
            "move": candidate.action.index(), "words": words, "steps": steps, "visits": candidate.visits,
            "value": value, "most": most.map(|verdict| verdict.value),
            "certain": certain.map(|verdict| json!({ "value": verdict.value, "plies": verdict.plies })),
        })
    });
    let line = estimate.line.iter().take(LINE).map(|joint| live.game.show(joint).unwrap_or_default());
    json!({
        "at": task.at, "role": task.role, "best": best.map(|best| best.index()),
        "candidates": candidates.collect::<Vec<_>>(), "moves": estimate.candidates.len(),
        "line": line.collect::<Vec<_>>(), "playouts": estimate.playouts,
        "rate": estimate.playouts_per_second.round(), "nodes": estimate.nodes,
        "solved": estimate.solved, "engine": knowledge.engine, "lanes": knowledge.lanes,
        "speed": knowledge.states_per_second.round(),
    })
}
