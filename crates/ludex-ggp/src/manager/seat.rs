//! Who sits at a role: a player at an address, chance, or an agent in this process.

use crate::http::client::{self, Address, Failure};
use crate::message::{Message, Start};
use crate::scramble::Scrambler;
use crate::sexp;
use ludex_engine::prepared::Prepared;
use ludex_engine::random::Random;
use ludex_search::agent::{self, Agent, AgentError};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a seat is told at the start.
#[derive(Clone, Debug)]
pub struct Briefing {
    /// The match.
    pub id: String,
    /// The role.
    pub role: String,
    /// The game, for those in this process.
    pub prepared: Arc<Prepared>,
    /// The rules in KIF, for those outside.
    pub rules: Arc<str>,
    /// The words for those outside.
    pub scrambler: Arc<Scrambler>,
    /// Time until the first move.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
}

/// How a question was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move; whether it is legal is for the manager to see.
    Move(String),
    /// The time was up.
    Late,
    /// Nobody answered, and why.
    Unreachable(String),
    /// Leave it to the manager, which plays at random without an error.
    Pass,
}

/// Somebody who plays a role. Each seat is asked on its own thread.
pub trait Seat: Send {
    /// The name for records and tables.
    fn name(&self) -> String;

    /// True for people.
    fn is_human(&self) -> bool {
        false
    }

    /// The match begins; returns when the seat is ready or the start clock is over. What went wrong is told as
    /// a reply that is no move.
    fn start(&mut self, briefing: &Briefing) -> Reply;

    /// Asks for a move after the last joint move, with all legal moves at hand.
    fn play(&mut self, last: Option<&[String]>, legal: &[String]) -> Reply;

    /// What it thought of its last move, for those who watch; empty if it does not say.
    fn remark(&self) -> String {
        String::new()
    }

    /// The match is over, or broken off if there is no last joint move.
    fn stop(&mut self, last: Option<&[String]>);
}

/// A player at an address.
#[derive(Debug)]
pub struct Remote {
    address: Address,
    briefing: Option<Briefing>,
}

/// The clocks of GGP-Base, which are the stricter ones.
const CONNECT: Duration = Duration::from_secs(5);
const GRACE: Duration = Duration::from_secs(1);
const SHORT: Duration = Duration::from_secs(1);

impl Remote {
    /// The player that listens there.
    pub fn new(address: Address) -> Remote {
        Remote { address, briefing: None }
    }

    fn ask(&self, message: &Message, time: Duration) -> Result<String, Failure> {
        let text = message.to_string();
        client::post(&self.address, "player", &text, CONNECT, Instant::now() + time)
    }

    fn scrambled(&self, last: Option<&[String]>) -> Option<Vec<String>> {
        let scrambler = self.briefing.as_ref().map(|b| b.scrambler.clone()).unwrap_or_default();
        last.map(|moves| moves.iter().map(|text| scrambler.scramble(text)).collect())
    }
}

impl Seat for Remote {
    fn name(&self) -> String {
        self.address.to_string()
    }

    fn start(&mut self, briefing: &Briefing) -> Reply {
        self.briefing = Some(briefing.clone());
        let message = Message::Start(Start {
            id: briefing.id.clone(),
            role: briefing.scrambler.scramble(&briefing.role),
            rules: briefing.scrambler.scramble(&briefing.rules),
            start_clock: briefing.start_clock,
            play_clock: briefing.play_clock,
        });
        match self.ask(&message, briefing.start_clock) {
            Ok(answer) => Reply::Move(answer),
            Err(Failure::Late) => Reply::Late,
            Err(Failure::Connection(error)) => Reply::Unreachable(reason(&error)),
        }
    }

    fn play(&mut self, last: Option<&[String]>, _: &[String]) -> Reply {
        let Some(briefing) = &self.briefing else { return Reply::Unreachable("not started".to_owned()) };
        let message = Message::Play { id: briefing.id.clone(), moves: self.scrambled(last) };
        match self.ask(&message, briefing.play_clock + GRACE) {
            Ok(answer) => {
                let words = briefing.scrambler.unscramble(&answer);
                let canonical = sexp::canonical(&words).map(|terms| terms.join(" "));
                Reply::Move(canonical.unwrap_or(answer))
            }
            Err(Failure::Late) => Reply::Late,
            Err(Failure::Connection(error)) => Reply::Unreachable(reason(&error)),
        }
    }

    fn stop(&mut self, last: Option<&[String]>) {
        let Some(briefing) = &self.briefing else { return };
        let id = briefing.id.clone();
        let (message, time) = match self.scrambled(last) {
            Some(moves) => (Message::Stop { id, moves: Some(moves) }, briefing.play_clock.max(SHORT)),
            None => (Message::Abort { id }, SHORT),
        };
        // The match is over, whatever the player says to that.
        let _ = self.ask(&message, time);
    }
}

/// Why a connection failed, in the same words on every system where it is the common case.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => "connection reset".to_owned(),
        io::ErrorKind::UnexpectedEof => "the connection was closed without an answer".to_owned(),
        _ => error.to_string(),
    }
}

/// Chance: every legal move is equally likely.
#[derive(Debug)]
pub struct Chance;

impl Seat for Chance {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn start(&mut self, _: &Briefing) -> Reply {
        Reply::Pass
    }

    fn play(&mut self, _: Option<&[String]>, _: &[String]) -> Reply {
        Reply::Pass
    }

    fn stop(&mut self, _: Option<&[String]>) {}
}

/// An agent in this process. It thinks in its own time only, and builds nothing beside: two of them on one
/// machine have equal time.
#[derive(Debug)]
pub struct Local {
    name: String,
    settings: agent::Settings,
    agent: Option<Agent>,
    play_clock: Duration,
    seeds: Random,
    remark: String,
}

impl Local {
    /// An agent with these settings; its seed changes from match to match.
    pub fn new(name: &str, settings: agent::Settings) -> Local {
        let seeds = Random::new(settings.seed);
        let settings = agent::Settings { ponder: false, extras: Vec::new(), ..settings };
        Local {
            name: name.to_owned(),
            settings,
            agent: None,
            play_clock: Duration::ZERO,
            seeds,
            remark: String::new(),
        }
    }
}

impl Seat for Local {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn start(&mut self, briefing: &Briefing) -> Reply {
        self.settings.seed = self.seeds.bits();
        self.play_clock = briefing.play_clock;
        let settings = self.settings.clone().for_start_clock(briefing.start_clock);
        let mut agent = Agent::new(briefing.prepared.clone(), &briefing.role, settings);
        let deadline = Instant::now() + briefing.start_clock;
        agent.prepare(deadline);
        let ready = agent.ready(deadline);
        agent.rest();
        self.agent = Some(agent);
        if ready.is_ok() { Reply::Pass } else { Reply::Late }
    }

    fn play(&mut self, last: Option<&[String]>, _: &[String]) -> Reply {
        let Some(agent) = &mut self.agent else { return Reply::Unreachable("not started".to_owned()) };
        // The joint moves are the manager's own, so they can be followed, unless a limit is met on the way.
        match last.map(|moves| agent.advance(moves)) {
            None | Some(Ok(()) | Err(AgentError::Limit(_))) => {}
            Some(Err(error)) => return Reply::Unreachable(error.to_string()),
        }
        match agent.choose(Instant::now() + self.play_clock) {
            Ok(decision) => {
                self.remark = agent.describe(&decision);
                Reply::Move(decision.action)
            }
            Err(AgentError::NotReady) => Reply::Late,
            Err(error) => Reply::Unreachable(error.to_string()),
        }
    }

    fn remark(&self) -> String {
        self.remark.clone()
    }

    fn stop(&mut self, _: Option<&[String]>) {
        self.agent = None;
    }
}
