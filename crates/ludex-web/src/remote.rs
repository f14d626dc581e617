//! Players at an address, as opponents: each role of a match that one of them plays has a conversation in the protocol of
//! General Game Playing.
//!
//! The protocol knows no way back. So a conversation remembers which moves it has told: where the match goes on from there,
//! the player is told what is new, and its last answer is its move; where somebody went back, the player is told that the
//! match was aborted, and a new one is started and led to the position. What it answers on the way is not listened to.

use crate::limits::Limits;
use crate::live::{Live, Task};
use crate::opened::Opened;
use crate::refusal::Refusal;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex::gdl::Sheet;
use ludex::gdl::syntax::print;
use ludex::ggp::http::client::Address;
use ludex::ggp::manager::seat::{Briefing, Remote, Reply, Seat as _};
use ludex::ggp::scramble::Scrambler;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a player may prepare.
const START_CLOCK: Duration = Duration::from_secs(10);

/// All conversations that are open.
pub struct Remotes {
    open: Mutex<Vec<Conversation>>,
    /// Whether addresses may be named at all.
    allowed: bool,
    limits: Limits,
}

/// A conversation about one role of one match.
struct Conversation {
    of: String,
    role: usize,
    address: Address,
    seat: Remote,
    /// The joint moves that the player was told.
    path: Vec<Vec<String>>,
    /// It was asked for the move after them.
    is_asked: bool,
    used: Instant,
}

/// What a player answered.
pub enum Answered {
    /// A legal move.
    Move(MoveId),
    /// No legal move: it is replaced by a random one, and why.
    Nothing(String),
    /// Nobody wants to know any more.
    Moot,
}

impl Remotes {
    /// None yet. Where strangers can ask, addresses of theirs are refused: the server would write to places that only it
    /// can reach.
    pub fn new(allowed: bool, limits: &Limits) -> Remotes {
        Remotes { open: Mutex::default(), allowed, limits: limits.clone() }
    }

    /// An error if players at addresses are not served here.
    pub fn admit(&self, seats: &[crate::live::Seat]) -> Result<(), Refusal> {
        let named = seats.iter().any(|seat| matches!(seat, crate::live::Seat::Player(_)));
        if named && !self.allowed {
            let why = "a server that is open to a network calls no players by their address";
            return Err(Refusal::new(axum::http::StatusCode::FORBIDDEN, why));
        }
        Ok(())
    }

    fn open(&self) -> MutexGuard<'_, Vec<Conversation>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the player for the move of a task. The error says that it cannot be reached.
    pub fn ask(&self, live: &Live, task: &Task, address: &Address) -> Result<Answered, String> {
        let mut conversation = match self.resumed(live, task, address) {
            Some(conversation) => conversation,
            None => self.started(live, task, address)?,
        };
        let mut reply = Reply::Late;
        let told = conversation.path.len();
        for step in told..=task.path.len() {
            if !live.stands(task) {
                // What was told so far stays told.
                self.open().push(conversation);
                return Ok(Answered::Moot);
            }
            if step == told && conversation.is_asked {
                continue;
            }
            let last = step.checked_sub(1).map(|last| task.path[last].as_slice());
            conversation.path = task.path[..step].to_vec();
            conversation.is_asked = true;
            reply = conversation.seat.play(last, &[]);
            if let Reply::Unreachable(why) = reply {
                return Err(format!("the player at {address} does not answer: {why}"));
            }
        }
        conversation.used = Instant::now();
        self.open().push(conversation);
        Ok(judged(reply, live, task, address))
    }

    /// The conversation that has come to where the match is, or before it.
    fn resumed(&self, live: &Live, task: &Task, address: &Address) -> Option<Conversation> {
        let mut open = self.open();
        let at = open.iter().position(|other| other.of == live.id && other.role == task.role)?;
        let conversation = open.remove(at);
        drop(open);
        let goes_on = task.path.len() > conversation.path.len() || !conversation.is_asked;
        if conversation.address == *address && goes_on && task.path.starts_with(&conversation.path) {
            return Some(conversation);
        }
        ended(vec![conversation], None);
        None
    }

    fn started(&self, live: &Live, task: &Task, address: &Address) -> Result<Conversation, String> {
        let surplus: Vec<Conversation> = {
            let mut open = self.open();
            open.sort_by_key(|conversation| conversation.used);
            let surplus = (open.len() + 1).saturating_sub(self.limits.players);
            open.drain(..surplus).collect()
        };
        ended(surplus, None);
        let mut seat = Remote::new(address.clone());
        let briefing = Briefing {
            id: format!("ludex.{}", crate::random::word()),
            role: live.roles[task.role].clone(),
            prepared: live.game.prepared().clone(),
            rules: kif(&live.game),
            scrambler: Arc::new(Scrambler::default()),
            start_clock: START_CLOCK,
            // A whole number of seconds, as the protocol has it.
            play_clock: Duration::from_secs_f64(task.time.as_secs_f64().ceil().max(1.0)),
        };
        if let Reply::Unreachable(why) = seat.start(&briefing) {
            return Err(format!("there is no player at {address}: {why}"));
        }
        Ok(Conversation {
            of: live.id.clone(),
            role: task.role,
            address: address.clone(),
            seat,
            path: Vec::new(),
            is_asked: false,
            used: Instant::now(),
        })
    }

    /// Tells the players of a match that it is over, or that it was broken off.
    pub fn finish(&self, live: &Live) {
        let mine = self.taken(|conversation| conversation.of == live.id);
        if mine.is_empty() {
            return;
        }
        let last = live.history().joints.last().and_then(|joint| live.game.show(joint).ok());
        ended(mine, last.filter(|_| live.is_over()));
    }

    /// Ends the conversations that nobody has used for long, and those of matches that are gone.
    pub fn tidy(&self, is_gone: impl Fn(&str) -> bool) {
        let idle = self.limits.idle;
        ended(self.taken(|one| one.used.elapsed() > idle || is_gone(&one.of)), None);
    }

    fn taken(&self, is_it: impl Fn(&Conversation) -> bool) -> Vec<Conversation> {
        let mut open = self.open();
        let (taken, kept) = std::mem::take(&mut *open).into_iter().partition(is_it);
        *open = kept;
        taken
    }
}

/// Says good-bye, without making anybody wait.
fn ended(conversations: Vec<Conversation>, last: Option<Vec<String>>) {
    if conversations.is_empty() {
        return;
    }
    let say = move || {
        for mut conversation in conversations {
            conversation.seat.stop(last.as_deref());
        }
    };
    // Without a thread the player is not told, and ends the match by its own clock.
    let _ = std::thread::Builder::new().name("good-bye".to_owned()).spawn(say);
}

fn judged(reply: Reply, live: &Live, task: &Task, address: &Address) -> Answered {
    let role = &live.roles[task.role];
    let text = match reply {
        Reply::Move(text) => text,
        _ => return Answered::Nothing(format!("{role}, played at {address}, was late: a random move")),
    };
    let found = live.game.vocabulary().ok().and_then(|vocabulary| {
        vocabulary.read_term(&text).and_then(|term| vocabulary.find_move(RoleId(task.role as u32), term))
    });
    match found.filter(|&action| live.is_legal(task.at, task.role, action)) {
        Some(action) => Answered::Move(action),
        None => {
            let text: String = text.chars().take(60).collect();
            Answered::Nothing(format!(
                "{role}, played at {address}, wanted `{text}`, which is not legal: a random move"
            ))
        }
    }
}

/// The rules as players read them.
fn kif(game: &Opened) -> Arc<str> {
    print::kif(&Sheet::read(&game.text).tree).into()
}
