//! The GGP player: answers messages, one match at a time.
//!
//! Each message comes on its own thread ([`crate::http::server`]). What a match needs is behind two locks: who
//! is playing (held for a moment only, so INFO, ABORT and a second START are answered while the player
//! thinks) and the agent itself (held while a move is being chosen). STOP and ABORT end the work at once: they
//! stop the agent without waiting for its lock, and whoever waits for a move gets an answer.
//!
//! Managers disappear: a player that hears nothing of its match for long stops thinking, then forgets the
//! match ([`Player::tidy`]).

use crate::http::server::Answer;
use crate::message::{Message, Start};
use ludex_engine::prepared::Prepared;
use ludex_gdl::syntax::TextLimits;
use ludex_gdl::{Diagnostic, Sheet};
use ludex_search::agent::{self, Agent, AgentError, Stopper};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How a player behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name that INFO gives: one token.
    pub name: String,
    /// How it thinks.
    pub agent: agent::Settings,
    /// Limits on the text of rules.
    pub rules: TextLimits,
    /// What is kept back of every clock for the way of the answer: a tenth of the clock, but within these.
    pub margin: (Duration, Duration),
    /// The longest that a match is kept without a message, beyond twice its clocks.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            name: "ludex".to_owned(),
            agent: agent::Settings::default(),
            rules: TextLimits::default(),
            margin: (Duration::from_millis(100), Duration::from_secs(1)),
            patience: Duration::from_secs(60),
        }
    }
}

/// Where a player tells what it does, a line at a time.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// A player in the sense of the protocol.
pub struct Player {
    settings: Settings,
    log: Log,
    current: Mutex<Option<Arc<Match>>>,
}

/// A match under way.
struct Match {
    id: String,
    start_clock: Duration,
    play_clock: Duration,
    stopper: Stopper,
    agent: Mutex<Agent>,
    /// When the last message came.
    heard: Mutex<Instant>,
}

/// When the engine is late, the grace of a second that all managers give beyond the play clock is used so far.
const GRACE: Duration = Duration::from_millis(800);

impl Player {
    /// A player without a match.
    pub fn new(settings: Settings, log: Log) -> Player {
        Player { settings, log, current: Mutex::new(None) }
    }

    /// Answers a message as it came over the wire.
    pub fn answer(&self, text: &str) -> Answer {
        let received = Instant::now();
        let message = match Message::read(text) {
            Ok(message) => message,
            Err(reason) => {
                self.say(&format!("refused a message: {reason}"));
                return Answer::Bad(reason.to_string());
            }
        };
        Answer::Good(match message {
            Message::Info => self.info(),
            Message::Start(start) => match self.start(&start, received) {
                Ok(answer) => answer.to_owned(),
                Err(reason) => return Answer::Bad(reason),
            },
            Message::Play { id, moves } => self.play(&id, moves.as_deref(), received),
            Message::Stop { id, moves } => self.end(&id, moves.as_deref(), "done"),
            Message::Abort { id } => self.end(&id, None, "aborted"),
            // A preview commits to nothing, and rules that will be sent again need not be kept.
            Message::Preview { .. } => "ready".to_owned(),
        })
    }

    /// Ends the work for a match that nobody speaks of any more. To be called now and then.
    pub fn tidy(&self) {
        let Some(current) = self.current().clone() else { return };
        let silent = current.heard.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
        let clocks = 2 * (current.start_clock + current.play_clock);
        if silent > clocks + self.settings.patience {
            self.say(&format!("{}: nothing heard for {} s, given up", current.id, silent.as_secs()));
            self.forget(&current);
        } else if silent > clocks + Duration::from_secs(10)
            && let Ok(agent) = current.agent.try_lock()
        {
            agent.rest();
        }
    }

    /// True during a match.
    pub fn is_busy(&self) -> bool {
        self.current().is_some()
    }

    fn info(&self) -> String {
        let status = if self.is_busy() { "busy" } else { "available" };
        format!("( ( name {} ) ( status {status} ) )", self.settings.name)
    }

    /// Begins a match, and answers when everything is prepared or the start clock is nearly over.
    fn start(&self, start: &Start, received: Instant) -> Result<&'static str, String> {
        if self.is_busy() {
            return Ok("busy");
        }
        let sheet = Sheet::read_bytes(start.rules.as_bytes(), &self.settings.rules);
        let game = sheet.into_game().map_err(|findings| {
            let errors: Vec<&Diagnostic> = findings.iter().filter(|f| f.is_error()).collect();
            let first = errors.first().map_or("", |finding| finding.message.as_str());
            self.say(&format!("{}: the rules have {} errors: {first}", start.id, errors.len()));
            format!("the rules have errors: {first}")
        })?;
        let begun = {
            let mut current = self.current();
            // Reading the rules took a moment, in which another manager may have been faster.
            if current.is_some() {
                return Ok("busy");
            }
            let clock = start.start_clock.saturating_sub(self.margin(start.start_clock));
            let settings = self.settings.agent.clone().for_start_clock(clock);
            let agent = Agent::new(Arc::new(Prepared::new(game)), &start.role, settings);
            let begun = Arc::new(Match {
                id: start.id.clone(),
                start_clock: start.start_clock,
                play_clock: start.play_clock,
                stopper: agent.stop(),
                agent: Mutex::new(agent),
                heard: Mutex::new(received),
            });
            *current = Some(begun.clone());
            begun
        };
        let clocks = [start.start_clock, start.play_clock].map(|clock| clock.as_secs_f64());
        self.say(&format!("{}: role {}, clocks {} and {} s", start.id, start.role, clocks[0], clocks[1]));
        let deadline = received + start.start_clock.saturating_sub(self.margin(start.start_clock));
        let mut agent = begun.agent.lock().unwrap_or_else(PoisonError::into_inner);
        agent.prepare(deadline);
        match agent.ready(deadline) {
            Err(error @ (AgentError::UnknownRole(_) | AgentError::NoEngine(_))) => {
                self.say(&format!("{}: {error}", start.id));
                drop(agent);
                self.forget(&begun);
                return Err(error.to_string());
            }
            Err(error) => self.say(&format!("{}: {error}", start.id)),
            Ok(()) => {
                let seconds = received.elapsed().as_secs_f64();
                self.say(&format!("{}: ready after {seconds:.3} s: {}", start.id, agent.knowledge()));
            }
        }
        self.tell_news(&start.id, &mut agent);
        Ok("ready")
    }

    fn tell_news(&self, id: &str, agent: &mut Agent) {
        for line in agent.news() {
            self.say(&format!("{id}: {line}"));
        }
    }

    fn play(&self, id: &str, moves: Option<&[String]>, received: Instant) -> String {
        let Some(current) = self.find(id, received) else { return "busy".to_owned() };
        let deadline = received + current.play_clock.saturating_sub(self.margin(current.play_clock));
        let mut agent = current.agent.lock().unwrap_or_else(PoisonError::into_inner);
        self.advance(&current, &mut agent, moves);
        let started = Instant::now();
        let decision = match agent.choose(deadline) {
            Err(AgentError::NotReady) => agent.choose(received + current.play_clock + GRACE),
            other => other,
        };
        match decision {
            Ok(decision) => {
                let spent = started.elapsed().as_secs_f64();
                self.tell_news(id, &mut agent);
                let (thoughts, means) = (agent.describe(&decision), agent.knowledge());
                self.say(&format!("{id}: {thoughts}; in {spent:.2} s; {means}"));
                decision.action
            }
            Err(error) => {
                self.say(&format!("{id}: no move: {error}"));
                "nil".to_owned()
            }
        }
    }

    /// Follows the last joint move. What cannot be followed is told and passed over: there is still a match.
    fn advance(&self, current: &Match, agent: &mut Agent, moves: Option<&[String]>) {
        if let Some(moves) = moves
            && let Err(error) = agent.advance(moves)
        {
            self.say(&format!("{}: {error}", current.id));
        }
    }

    fn end(&self, id: &str, moves: Option<&[String]>, answer: &str) -> String {
        let Some(current) = self.find(id, Instant::now()) else { return "busy".to_owned() };
        self.forget(&current);
        // Whoever still chooses a move lets go of the agent at once, since it is stopped.
        let mut agent = current.agent.lock().unwrap_or_else(PoisonError::into_inner);
        self.advance(&current, &mut agent, moves);
        if answer == "done" {
            let goal = agent.goal().map_or("none".to_owned(), |goal| goal.to_string());
            self.say(&format!("{id}: over, goal {goal}"));
        } else {
            self.say(&format!("{id}: aborted"));
        }
        answer.to_owned()
    }

    /// Stops the work for a match and is free again.
    fn forget(&self, ended: &Arc<Match>) {
        let mut current = self.current();
        if current.as_ref().is_some_and(|other| Arc::ptr_eq(other, ended)) {
            *current = None;
        }
        drop(current);
        ended.stopper.stop();
    }

    /// The match of that id, if it is the one that is played.
    fn find(&self, id: &str, now: Instant) -> Option<Arc<Match>> {
        let found = self.current().clone().filter(|current| current.id == id)?;
        *found.heard.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Some(found)
    }

    fn margin(&self, clock: Duration) -> Duration {
        let (least, most) = self.settings.margin;
        (clock / 10).clamp(least, most)
    }

    fn current(&self) -> MutexGuard<'_, Option<Arc<Match>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, line: &str) {
        (self.log)(line);
    }
}
