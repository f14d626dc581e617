//! A game that somebody has opened: its rules, the engine that answers questions about positions, and its drawing.
//!
//! Legal moves are there as soon as an interpreter is; faster engines are built beside it and taken when they are
//! ready, so nothing waits for them. What is made is made once for everybody who plays the game.

use crate::refusal::Refusal;
use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Goal, Worker};
use ludex::engine::fault::Fault;
use ludex::engine::prepared::Prepared;
use ludex::engine::quick::Quick;
use ludex::engine::vocabulary::{MoveId, Vocabulary};
use ludex::gdl::Sheet;
use ludex_board::Drawing;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Time for one question about a position.
const QUESTION: Duration = Duration::from_secs(20);

/// Bytes that building an engine may take.
const BUILDING: usize = 1 << 30;

/// A game with what has been made for it.
pub struct Opened {
    /// By which the page asks for it.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// A line about it.
    pub title: String,
    /// Its rules as they were written.
    pub text: Arc<str>,
    game: ludex::Game,
    ready: OnceLock<Result<Ready, String>>,
    /// What the gallery shows, once it was worked out, and what is proved at first sight.
    pub card: OnceLock<Value>,
    pub known: OnceLock<Value>,
}

struct Ready {
    engine: Arc<Quick>,
    drawing: Drawing,
    initial: Vec<u64>,
}

/// What holds in a position.
#[derive(Clone, Debug, Default)]
pub struct Now {
    /// The game is over.
    pub over: bool,
    /// The legal moves of each role; none where the game is over.
    pub legal: Vec<Vec<MoveId>>,
    /// The goal of each role.
    pub goals: Vec<Option<Goal>>,
}

impl Opened {
    /// The game of these rules; an error names what is wrong with them.
    pub fn new(id: &str, name: &str, title: &str, text: &str) -> Result<Opened, Refusal> {
        let game = ludex::Game::read(name, text).map_err(|error| {
            let findings = Sheet::read(text).findings;
            let first = findings.iter().find(|finding| finding.is_error());
            let first = first.map(|finding| finding.message.clone()).unwrap_or_else(|| error.to_string());
            Refusal::bad(format!("the rules of {name} have errors; the first: {first}"))
        })?;
        Ok(Opened {
            id: id.to_owned(),
            name: name.to_owned(),
            title: title.to_owned(),
            text: text.into(),
            game,
            ready: OnceLock::new(),
            card: OnceLock::new(),
            known: OnceLock::new(),
        })
    }

    /// For questions that take the facade: proofs, statistics.
    pub fn game(&self) -> &ludex::Game {
        &self.game
    }

    /// What has been made for the rules.
    pub fn prepared(&self) -> &Arc<Prepared> {
        self.game.prepared()
    }

    fn ready(&self) -> Result<&Ready, Refusal> {
        let make = || {
            let budget = Budget::default().with_bytes(BUILDING);
            let engine = Quick::new(self.prepared(), &budget).map_err(|error| error.to_string())?;
            let mut initial = vec![0; engine.vocabulary().words()];
            engine.worker().initial(&mut initial);
            let found = Drawing::find(engine.vocabulary(), &initial, &budget.within(QUESTION));
            let drawing = found.unwrap_or_else(|_| Drawing::list(engine.vocabulary()));
            Ok(Ready { engine: Arc::new(engine), drawing, initial })
        };
        let declined = |why: &String| Refusal::bad(format!("no engine takes {}: {why}", self.name));
        self.ready.get_or_init(make).as_ref().map_err(declined)
    }

    /// The engine that answers at the moment.
    pub fn engine(&self) -> Result<&Arc<Quick>, Refusal> {
        Ok(&self.ready()?.engine)
    }

    /// The numbering of roles, fluents and moves.
    pub fn vocabulary(&self) -> Result<&Arc<Vocabulary>, Refusal> {
        Ok(self.ready()?.engine.vocabulary())
    }

    /// How positions are drawn.
    pub fn drawing(&self) -> Result<&Drawing, Refusal> {
        Ok(&self.ready()?.drawing)
    }

    /// The first position.
    pub fn initial(&self) -> Result<&[u64], Refusal> {
        Ok(&self.ready()?.initial)
    }

    /// The names of the roles.
    pub fn roles(&self) -> Result<Vec<String>, Refusal> {
        let vocabulary = self.vocabulary()?;
        Ok(vocabulary.roles().map(|role| vocabulary.show_role(role)).collect())
    }

    /// A worker that gives up in time.
    pub fn worker(&self) -> Result<Box<dyn Worker>, Refusal> {
        let mut worker = self.engine()?.worker();
        worker.obey(&Budget::default().within(QUESTION));
        Ok(worker)
    }

    /// What holds in a position.
    pub fn now(&self, state: &[u64]) -> Result<Now, Refusal> {
        let mut worker = self.worker()?;
        let vocabulary = self.vocabulary()?;
        let met = |fault| limit(&fault);
        let mut now = Now { over: worker.is_terminal(state).map_err(met)?, ..Now::default() };
        for role in vocabulary.roles() {
            let mut legal = Vec::new();
            if !now.over {
                worker.legal(state, role, &mut legal).map_err(met)?;
            }
            now.legal.push(legal);
            now.goals.push(worker.goal(state, role).map_err(met)?);
        }
        Ok(now)
    }

    /// The position after a joint move.
    pub fn next(&self, state: &[u64], joint: &[MoveId]) -> Result<Vec<u64>, Refusal> {
        let mut next = vec![0; state.len()];
        self.worker()?.next(state, joint, &mut next).map_err(|fault| limit(&fault))?;
        Ok(next)
    }

    /// A joint move in words, in the order of the roles.
    pub fn show(&self, joint: &[MoveId]) -> Result<Vec<String>, Refusal> {
        let vocabulary = self.vocabulary()?;
        Ok(vocabulary.roles().zip(joint).map(|(role, &action)| vocabulary.show_move(role, action)).collect())
    }

    /// A joint move from words, if it is legal where `now` holds.
    pub fn read(&self, now: &Now, texts: &[String]) -> Result<Vec<MoveId>, Refusal> {
        let vocabulary = self.vocabulary()?;
        if texts.len() != vocabulary.role_count() {
            return Err(Refusal::bad(format!("{} moves for {} roles", texts.len(), vocabulary.role_count())));
        }
        let pairs = vocabulary.roles().zip(texts).zip(&now.legal);
        let joint = pairs.map(|((role, text), legal)| {
            let found = vocabulary.read_term(text).and_then(|term| vocabulary.find_move(role, term));
            let found = found.filter(|action| legal.contains(action));
            found.ok_or_else(|| {
                Refusal::bad(format!("`{text}` is not legal for {}", vocabulary.show_role(role)))
            })
        });
        joint.collect()
    }
}

fn limit(fault: &Fault) -> Refusal {
    Refusal::full(format!("the engine met a limit in this position: {fault}"))
}
