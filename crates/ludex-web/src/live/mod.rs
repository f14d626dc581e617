//! One match, which lives here and not in a page: two tabs see the same one, and a reload finds it where it was.
//!
//! Everybody who has a choice is asked; moves wait, unseen, until all are in. Who has no choice is not asked, unless
//! nobody has one and there is something to do. Going back and forth stops the players that would move at once.

mod clock;
mod seat;
mod shown;

pub use seat::Seat;

use crate::limits::Limits;
use crate::opened::{Now, Opened};
use crate::refusal::Refusal;
use crate::tree::Positions;
use clock::Times;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// A match under way.
pub struct Live {
    /// By which pages ask for it.
    pub id: String,
    /// What is played.
    pub game: Arc<Opened>,
    /// The names of the roles.
    pub roles: Vec<String>,
    inner: Mutex<Inner>,
    /// Grows with every change.
    pub changed: watch::Sender<u64>,
    /// What the engine thinks at the moment.
    pub thought: watch::Sender<Arc<Value>>,
    /// Streams that show it.
    pub watchers: AtomicUsize,
    /// Somebody watches the clock of those who are asked.
    timed: AtomicBool,
    limits: Limits,
}

struct Inner {
    seats: Vec<Seat>,
    /// Seconds for a move of a program.
    clock: f64,
    /// Seconds for a move of a person, if there is a limit.
    limit: Option<f64>,
    times: Times,
    /// Whether the engine's view is wanted.
    view: bool,
    /// Players wait until somebody says go on.
    paused: bool,
    positions: Positions,
    now: Now,
    /// The moves that are in.
    chosen: Vec<Option<MoveId>>,
    /// What could not be done, until the next move.
    problem: Option<String>,
    /// What somebody should know, until a person does something.
    note: Option<String>,
    version: u64,
    /// Somebody is thinking for this match.
    driven: bool,
    /// The position of which enough is known.
    viewed: Option<usize>,
    random: Random,
    used: Instant,
    /// Seconds since 1970.
    began: u64,
    removed: bool,
}

/// What is to be thought about.
#[derive(Clone, Debug)]
pub struct Task {
    /// The position.
    pub at: usize,
    /// For whom.
    pub role: usize,
    /// Who plays it.
    pub seat: Seat,
    /// For how long.
    pub time: Duration,
    /// True if a move is wanted, false if only the view.
    pub to_move: bool,
    /// Whether pages want to see what is thought.
    pub view: bool,
    /// The joint moves to the position, in words.
    pub path: Vec<Vec<String>>,
}

/// What was played up to a position.
#[derive(Clone, Debug)]
pub struct History {
    /// From the first to that one.
    pub states: Vec<Vec<u64>>,
    /// The joint moves between them.
    pub joints: Vec<Vec<MoveId>>,
    /// Who plays.
    pub seats: Vec<Seat>,
    /// Seconds since 1970.
    pub began: u64,
}

/// How a match is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// By role.
    pub seats: Vec<Seat>,
    /// Seconds for a move of a program.
    pub clock: f64,
    /// Seconds for a move of a person; none or zero for as long as it takes.
    pub limit: Option<f64>,
    /// Joint moves that have been made, with what each goes on from; 0 is the first position.
    pub played: Vec<(usize, Vec<String>)>,
    /// The position to look at.
    pub at: usize,
    /// Seconds since 1970.
    pub began: u64,
}

impl Setup {
    /// At the beginning, now.
    pub fn new(seats: Vec<Seat>, clock: f64) -> Setup {
        Setup { seats, clock, limit: None, played: Vec::new(), at: 0, began: seconds() }
    }
}

/// Seconds since 1970.
pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Live {
    /// A match that is set up so. Moves that are not legal are refused.
    pub fn new(id: String, game: Arc<Opened>, setup: Setup, limits: &Limits) -> Result<Live, Refusal> {
        let roles = game.roles()?;
        if setup.seats.len() != roles.len() {
            return Err(Refusal::bad(format!("{} seats for {} roles", setup.seats.len(), roles.len())));
        }
        let mut positions = Positions::new(game.initial()?.to_vec(), roles.len());
        for (parent, texts) in &setup.played {
            if positions.len() > limits.positions || !positions.go(*parent) {
                return Err(Refusal::bad("the moves do not make a match"));
            }
            let now = game.now(&positions.current().state)?;
            if now.over {
                return Err(Refusal::bad("there are moves after the end of the game"));
            }
            let joint = game.read(&now, texts)?;
            let next = game.next(&positions.current().state, &joint)?;
            let took = vec![0.0; roles.len()];
            positions.play(joint, next, took);
        }
        if !positions.go(setup.at) {
            return Err(Refusal::bad("there is no such position"));
        }
        let now = game.now(&positions.current().state)?;
        let inner = Inner {
            chosen: vec![None; roles.len()],
            seats: setup.seats,
            clock: clock::clock(setup.clock),
            limit: setup.limit.and_then(clock::limit),
            times: Times::new(roles.len()),
            view: false,
            paused: false,
            positions,
            now,
            problem: None,
            note: None,
            version: 1,
            driven: false,
            viewed: None,
            random: Random::new(setup.began ^ id.bytes().fold(0, |sum, byte| sum * 31 + u64::from(byte))),
            used: Instant::now(),
            began: setup.began,
            removed: false,
        };
        let live = Live {
            id,
            game,
            roles,
            inner: Mutex::new(inner),
            changed: watch::channel(1).0,
            thought: watch::channel(Arc::new(Value::Null)).0,
            watchers: AtomicUsize::new(0),
            timed: AtomicBool::new(false),
            limits: limits.clone(),
        };
        live.change(|inner| {
            // A match that was somewhere when it was left waits there for whoever comes back.
            inner.paused = !setup.played.is_empty() && !inner.asks_person();
            Ok(())
        })?;
        Ok(live)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Changes are made on a match that was looked at whole; one that died half way changed one field at most.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the match, lets those move who have no choice, and tells everybody.
    fn change(&self, change: impl FnOnce(&mut Inner) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut inner = self.inner();
        if inner.removed {
            return Err(Refusal::conflict("this match was put away in this moment; ask again"));
        }
        inner.used = Instant::now();
        inner.problem = None;
        let done = change(&mut inner);
        if done.is_ok()
            && let Err(refusal) = self.settle(&mut inner)
        {
            inner.problem = Some(refusal.why);
        }
        drop(inner);
        self.tell();
        done
    }

    /// A move of a role in the position of that number. It waits until all moves are in.
    pub fn choose(&self, at: usize, role: usize, action: MoveId, by: &Seat) -> Result<(), Refusal> {
        self.change(|inner| {
            if inner.positions.at() != at {
                return Err(Refusal::conflict("the match has gone on since; look again"));
            }
            let legal = inner.now.legal.get(role).ok_or_else(|| Refusal::bad("there is no such role"))?;
            if inner.seats[role] != *by {
                return Err(Refusal::conflict(format!("{} is played by somebody else", self.roles[role])));
            }
            if legal.binary_search(&action).is_err() {
                return Err(Refusal::bad(format!("that move is not legal for {}", self.roles[role])));
            }
            if inner.chosen[role].is_some() {
                return Err(Refusal::conflict(format!("the move of {} is in already", self.roles[role])));
            }
            inner.chosen[role] = Some(action);
            inner.times.took[role] = inner.times.since.elapsed().as_secs_f64();
            if *by == Seat::Person {
                inner.paused = false;
                inner.note = None;
            }
            Ok(())
        })
    }

    /// Looks at another position. Players that would move at once wait.
    pub fn go(&self, to: usize) -> Result<(), Refusal> {
        self.change(|inner| self.go_to(inner, to))
    }

    fn go_to(&self, inner: &mut Inner, to: usize) -> Result<(), Refusal> {
        let before = inner.positions.at();
        if !inner.positions.go(to) {
            return Err(Refusal::missing("there is no such position"));
        }
        match self.game.now(&inner.positions.current().state) {
            Ok(now) => inner.now = now,
            Err(refusal) => {
                inner.positions.go(before);
                return Err(refusal);
            }
        }
        inner.begin();
        inner.note = None;
        inner.paused = !inner.asks_person();
        Ok(())
    }

    /// Back to the last position in which a person was asked; without people one position back.
    pub fn undo(&self) -> Result<(), Refusal> {
        self.change(|inner| {
            let waits = |role: usize| {
                let has_choice = inner.now.legal[role].len() > 1;
                inner.seats[role] == Seat::Person && has_choice && inner.chosen[role].is_some()
            };
            if (0..inner.seats.len()).any(waits) {
                // A move that waits for others is taken back alone.
                inner.chosen.fill(None);
                return Ok(());
            }
            let path = inner.positions.path(inner.positions.at());
            let earlier = &path[..path.len() - 1];
            let Some(&parent) = earlier.last() else {
                return Err(Refusal::conflict("there is nothing to take back"));
            };
            let mut to = parent;
            if inner.seats.contains(&Seat::Person) {
                for &number in earlier.iter().rev() {
                    let state = inner
                        .positions
                        .get(number)
                        .map(|position| position.state.clone())
                        .unwrap_or_default();
                    let now = self.game.now(&state)?;
                    if asked(&now, &inner.seats, &self.game).iter().any(|&asked| asked) {
                        to = number;
                        break;
                    }
                }
            }
            self.go_to(inner, to)
        })
    }

    /// One position forward on the line that was looked at last.
    pub fn redo(&self) -> Result<(), Refusal> {
        self.change(|inner| {
            let next = inner.positions.current().forward;
            let next = next.ok_or_else(|| Refusal::conflict("there is nothing to go forward to"))?;
            self.go_to(inner, next)
        })
    }

    /// Lets players wait, or go on.
    pub fn pause(&self, paused: bool) -> Result<(), Refusal> {
        self.change(|inner| {
            inner.paused = paused;
            Ok(())
        })
    }

    /// Other seats, another clock, the view on or off.
    pub fn set(
        &self,
        seats: Option<Vec<Seat>>,
        seconds: Option<f64>,
        limit: Option<f64>,
        view: Option<bool>,
    ) -> Result<(), Refusal> {
        self.change(|inner| {
            if let Some(seats) = seats {
                if seats.len() != inner.seats.len() {
                    return Err(Refusal::bad(format!(
                        "{} seats for {} roles",
                        seats.len(),
                        inner.seats.len()
                    )));
                }
                inner.seats = seats;
                inner.begin();
            }
            if let Some(seconds) = seconds {
                inner.clock = clock::clock(seconds);
            }
            if let Some(seconds) = limit {
                inner.limit = clock::limit(seconds);
                inner.times.begin();
            }
            if let Some(view) = view {
                inner.view = view;
                inner.viewed = None;
            }
            Ok(())
        })
    }

    /// It is gone, or on disk only: what is thought for it ends, and nothing changes it any more.
    pub fn remove(&self) {
        self.inner().removed = true;
        self.tell();
    }

    /// The people who are asked in the current position.
    fn asked(&self, inner: &Inner) -> Vec<bool> {
        asked(&inner.now, &inner.seats, &self.game)
    }

    /// Makes the moves of those who have no choice and, when all are in, goes on.
    fn settle(&self, inner: &mut Inner) -> Result<(), Refusal> {
        loop {
            if inner.now.over || inner.is_stuck() {
                return Ok(());
            }
            let asked = self.asked(inner);
            for (role, &asked) in asked.iter().enumerate() {
                if inner.chosen[role].is_some() || asked {
                    continue;
                }
                let legal = &inner.now.legal[role];
                let chance = inner.seats[role] == Seat::Random && !inner.paused;
                inner.chosen[role] = match legal.as_slice() {
                    [only] => Some(*only),
                    several if chance => Some(several[inner.random.below(several.len())]),
                    _ => None,
                };
            }
            // Where nobody is asked the match would run on by itself: whoever stopped it wants to look.
            if inner.paused && !asked.contains(&true) {
                return Ok(());
            }
            let Some(joint) = inner.chosen.iter().copied().collect::<Option<Vec<MoveId>>>() else {
                return Ok(());
            };
            if inner.positions.len() >= self.limits.positions {
                return Err(Refusal::full(format!(
                    "a match has {} positions at most",
                    self.limits.positions
                )));
            }
            let made = self.game.next(&inner.positions.current().state, &joint);
            let after = made.and_then(|next| Ok((self.game.now(&next)?, next)));
            let took = std::mem::take(&mut inner.times.took);
            inner.times = Times::new(took.len());
            inner.begin();
            let (now, next) = after?;
            inner.positions.play(joint, next, took);
            inner.now = now;
        }
    }

    /// What is to be thought about next. Without anything the caller is no longer the one who thinks.
    pub fn task(&self) -> Option<Task> {
        let mut inner = self.inner();
        let wanted = self.wanted(&inner);
        inner.driven = wanted.is_some();
        let (role, time, to_move) = wanted?;
        let at = inner.positions.at();
        let path =
            inner.positions.joints(at).iter().map(|joint| self.game.show(joint)).collect::<Result<_, _>>();
        let Ok(path) = path else {
            inner.driven = false;
            return None;
        };
        let seat = inner.seats[role].clone();
        Some(Task { at, role, seat, time, to_move, view: inner.view, path })
    }

    /// True if the caller is to think for the match from now on: there is something to do, and nobody does it.
    pub fn claim(&self) -> bool {
        let mut inner = self.inner();
        let claimed = !inner.driven && self.wanted(&inner).is_some();
        inner.driven |= claimed;
        claimed
    }

    fn wanted(&self, inner: &Inner) -> Option<(usize, Duration, bool)> {
        if inner.removed || inner.now.over || inner.is_stuck() || inner.problem.is_some() {
            return None;
        }
        let open = |role: &usize| inner.chosen[*role].is_none() && inner.now.legal[*role].len() > 1;
        if !inner.paused
            && let Some(role) =
                (0..inner.seats.len()).find(|role| inner.seats[*role].is_asked_by_us() && open(role))
        {
            return Some((role, Duration::from_secs_f64(inner.clock), true));
        }
        let watched = self.watchers.load(Ordering::Relaxed) > 0;
        if inner.view && watched && inner.viewed != Some(inner.positions.at()) {
            let role = (0..inner.seats.len()).find(open)?;
            return Some((role, self.limits.view, false));
        }
        None
    }

    /// Whether a task is still what is wanted.
    pub fn stands(&self, task: &Task) -> bool {
        let inner = self.inner();
        let wanted = self.wanted(&inner);
        inner.positions.at() == task.at
            && wanted.is_some_and(|(role, _, to_move)| (role, to_move) == (task.role, task.to_move))
    }

    /// Whether a role may make a move in the position of that number, if that is still the current one.
    pub fn is_legal(&self, at: usize, role: usize, action: MoveId) -> bool {
        let inner = self.inner();
        let legal = inner.now.legal.get(role);
        inner.positions.at() == at && legal.is_some_and(|legal| legal.binary_search(&action).is_ok())
    }

    /// Enough is known of the position.
    pub fn is_viewed(&self, at: usize) {
        self.inner().viewed = Some(at);
    }

    /// What could not be done for the match, told until the next move.
    pub fn complain(&self, why: String) {
        self.inner().problem = Some(why);
        self.tell();
    }

    /// Tells everybody that something has changed.
    fn tell(&self) {
        let mut inner = self.inner();
        inner.version += 1;
        let version = inner.version;
        drop(inner);
        self.changed.send_replace(version);
    }

    /// Notes what the engine expects for a role in a position.
    pub fn value(&self, at: usize, role: usize, value: f64, certain: bool) {
        if let Some(position) = self.inner().positions.get_mut(at) {
            position.values[role] = Some((value, certain));
        }
    }

    /// True if nothing will be asked of players any more.
    pub fn is_over(&self) -> bool {
        let inner = self.inner();
        inner.removed || inner.now.over
    }

    /// How long nobody has done anything with it.
    pub fn idle(&self) -> Duration {
        let inner = self.inner();
        if inner.driven { Duration::ZERO } else { inner.used.elapsed() }
    }

    /// What was played from the first position to the current one.
    pub fn history(&self) -> History {
        let inner = self.inner();
        let at = inner.positions.at();
        let state = |&number: &usize| inner.positions.get(number).map(|position| position.state.clone());
        let states = inner.positions.path(at).iter().filter_map(state).collect();
        History { states, joints: inner.positions.joints(at), seats: inner.seats.clone(), began: inner.began }
    }
}

impl Inner {
    /// The position is new: no move is in.
    fn begin(&mut self) {
        self.chosen.fill(None);
        self.times.begin();
        self.viewed = None;
    }

    /// Somebody has no move, and the game is not over.
    fn is_stuck(&self) -> bool {
        !self.now.over && self.now.legal.iter().any(Vec::is_empty)
    }

    fn asks_person(&self) -> bool {
        let choice = |(seat, legal): (&Seat, &Vec<MoveId>)| *seat == Seat::Person && legal.len() > 1;
        self.seats.iter().zip(&self.now.legal).any(choice)
    }
}

/// The people who are asked: those who have a choice; where nobody has one, those who have something to do, which is a
/// move with arguments.
fn asked(now: &Now, seats: &[Seat], game: &Opened) -> Vec<bool> {
    let has_choice = now.legal.iter().any(|legal| legal.len() > 1);
    let person = |role: usize| seats[role] == Seat::Person;
    if has_choice {
        return (0..seats.len()).map(|role| person(role) && now.legal[role].len() > 1).collect();
    }
    let acts = |role: usize| {
        let vocabulary = game.vocabulary().ok()?;
        let &action = now.legal[role].first()?;
        Some(vocabulary.show_move(RoleId(role as u32), action).starts_with('('))
    };
    (0..seats.len()).map(|role| person(role) && acts(role) == Some(true)).collect()
}
