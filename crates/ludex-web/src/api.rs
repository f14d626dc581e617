//! What a page can ask for: one command in a POST, one JSON object as the answer.

use crate::live::{Live, Seat, Setup};
use crate::opened::Opened;
use crate::refusal::Refusal;
use crate::{Server, graph, record, stream, understand, write};
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use ludex::engine::budget::Budget;
use ludex::engine::vocabulary::MoveId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A command.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
enum Command {
    /// The games and the matches that there are.
    Gallery,
    /// What the gallery shows of a game.
    Card { game: String },
    /// What is proved of a game at first sight.
    Known { game: String },
    /// The rules of a game.
    Rules { game: String },
    /// Keeps a pasted sheet.
    Paste { text: String },
    /// A new match; with moves that have been made, and the number of them to begin after.
    New {
        game: String,
        seats: Option<Vec<Seat>>,
        clock: Option<f64>,
        limit: Option<f64>,
        #[serde(default)]
        line: Vec<Vec<String>>,
        at: Option<usize>,
    },
    /// A new match from a record.
    Load { game: String, record: String },
    /// A move of a role.
    Move { id: String, at: usize, role: usize, action: u32 },
    /// Back to the last choice.
    Undo { id: String },
    /// Forward again.
    Redo { id: String },
    /// To a position.
    Go { id: String, to: usize },
    /// Players wait, or go on.
    Pause { id: String, paused: bool },
    /// Other seats, other clocks, the engine's view.
    Set { id: String, seats: Option<Vec<Seat>>, clock: Option<f64>, limit: Option<f64>, view: Option<bool> },
    /// The match as a record.
    Record { id: String },
    /// The position as a picture.
    Picture { id: String },
    /// Removes a match.
    Remove { id: String },
    /// What is proved of a game.
    Facts(Source),
    /// The answer to a formula.
    Prove {
        formula: String,
        #[serde(flatten)]
        source: Source,
    },
    /// Random play.
    Statistics {
        count: Option<u64>,
        #[serde(flatten)]
        source: Source,
    },
    /// Play of Ludex against itself, weak and strong.
    Skill(Source),
    /// Best play.
    Solve(Source),
    /// What is known of its ends.
    Endings(Source),
    /// Which relation is computed from which.
    Graph(Source),
    /// Sizes and speeds.
    Engines(Source),
    /// The findings in a text.
    Check { text: String },
    /// What is at a place of a text, and what could be written there.
    Hover { text: String, at: usize },
    /// What could be written at a place of a text.
    Complete { text: String, at: usize },
    /// A text laid out anew.
    Format { text: String },
    /// The positions along a line of play of a text.
    Line { text: String, line: Vec<Vec<String>> },
    /// The first position of a text.
    Draw { text: String },
    /// A random match of a text.
    Playtest { text: String, seed: u64 },
}

/// A game by its identifier, or a text that is being written.
#[derive(Debug, Deserialize)]
struct Source {
    game: Option<String>,
    text: Option<String>,
}

/// Random matches that may be asked for.
const MOST_PLAYOUTS: u64 = 4_000_000;

/// Characters of a formula.
const LONGEST_FORMULA: usize = 4000;

/// Answers a command.
pub async fn command(State(server): State<Arc<Server>>, body: Bytes) -> Result<Response, Refusal> {
    let command: Command = serde_json::from_slice(&body)
        .map_err(|error| Refusal::bad(format!("this is no command: {error}")))?;
    Ok(Json(answer(server, command).await?).into_response())
}

/// Opens a stream.
pub async fn events(State(server): State<Arc<Server>>, body: Bytes) -> Result<Response, Refusal> {
    #[derive(Deserialize)]
    struct Wanted {
        matches: Vec<String>,
    }
    let wanted: Wanted = serde_json::from_slice(&body)
        .map_err(|error| Refusal::bad(format!("this names no matches: {error}")))?;
    stream::open(server, wanted.matches).await
}

async fn answer(server: Arc<Server>, command: Command) -> Result<Value, Refusal> {
    match command {
        Command::Card { game } => {
            job(&server, Source { game: Some(game), text: None }, understand::card).await
        }
        Command::Known { game } => {
            job(&server, Source { game: Some(game), text: None }, understand::known).await
        }
        Command::Facts(source) => job(&server, source, understand::facts).await,
        Command::Prove { formula, source } => {
            if formula.len() > LONGEST_FORMULA {
                return Err(Refusal::full(format!(
                    "a formula may have {LONGEST_FORMULA} characters at most"
                )));
            }
            job(&server, source, move |game, budget| understand::prove(game, budget, &formula)).await
        }
        Command::Statistics { count, source } => {
            let count = count.unwrap_or(1_000_000).clamp(1, MOST_PLAYOUTS);
            job(&server, source, move |game, budget| understand::statistics(game, budget, count)).await
        }
        Command::Skill(source) => job(&server, source, understand::skill).await,
        Command::Endings(source) => job(&server, source, understand::endings).await,
        Command::Graph(source) => job(&server, source, |game, _| Ok(graph::json(game))).await,
        Command::Solve(source) => job(&server, source, understand::solved).await,
        Command::Engines(source) => job(&server, source, understand::engines).await,
        Command::Draw { text } => job(&server, Source { game: None, text: Some(text) }, write::draw).await,
        Command::Line { text, line } => {
            let source = Source { game: None, text: Some(text) };
            job(&server, source, move |game, budget| write::line(game, budget, &line)).await
        }
        Command::Playtest { text, seed } => {
            let source = Source { game: None, text: Some(text) };
            job(&server, source, move |game, budget| write::playtest(game, budget, seed)).await
        }
        quick => {
            let done = tokio::task::spawn_blocking(move || at_once(&server, quick)).await;
            done.unwrap_or_else(|_| Err(Refusal::bad("this broke the server's work; please report it")))
        }
    }
}

/// A question about a game, when it is its turn.
async fn job<F>(server: &Arc<Server>, source: Source, ask: F) -> Result<Value, Refusal>
where
    F: FnOnce(&Opened, &Budget) -> Result<Value, Refusal> + Send + 'static,
{
    let asked = server.clone();
    let work = move |budget: &Budget| {
        let game = match source {
            Source { game: Some(id), .. } => asked.catalogue.open(&id)?,
            Source { text: Some(text), .. } => Arc::new(Opened::new("", "sheet", "", &text)?),
            Source { .. } => return Err(Refusal::bad("a game or a text is needed")),
        };
        ask(&game, budget)
    };
    server.jobs.run(work).await
}

fn at_once(server: &Arc<Server>, command: Command) -> Result<Value, Refusal> {
    let change = |id: &str, change: &dyn Fn(&Live) -> Result<(), Refusal>| {
        let live = server.matches.get(id, &server.catalogue)?;
        change(&live)?;
        server.matches.save(&live)?;
        server.think(&live);
        Ok(json!({ "id": live.id }))
    };
    match command {
        Command::Gallery => {
            let games = server.catalogue.list();
            let games = games.iter().map(|entry| {
                json!({ "id": entry.id, "name": entry.name, "title": entry.title, "from": entry.from })
            });
            Ok(
                json!({ "games": games.collect::<Vec<_>>(), "matches": server.matches.list(), "first": server.first }),
            )
        }
        Command::Rules { game } => {
            let game = server.catalogue.open(&game)?;
            Ok(
                json!({ "id": game.id, "name": game.name, "title": game.title, "text": &*game.text, "roles": game.roles()? }),
            )
        }
        Command::Paste { text } => {
            let game = server.catalogue.paste(&text)?;
            Ok(json!({ "id": game.id, "name": game.name, "title": game.title }))
        }
        Command::New { game, seats, clock, limit, line, at } => {
            let game = server.catalogue.open(&game)?;
            let roles = game.roles()?;
            let mut setup = Setup::new(seats.unwrap_or_else(|| usual(&roles)), clock.unwrap_or(1.0));
            setup.limit = limit;
            setup.at = at.unwrap_or(line.len());
            setup.played = line.into_iter().enumerate().collect();
            new(server, &game, setup)
        }
        Command::Load { game, record } => {
            let game = server.catalogue.open(&game)?;
            let line = record::read(&game, &record)?;
            let mut setup = Setup::new(vec![Seat::Person; game.roles()?.len()], 1.0);
            setup.at = line.len();
            setup.played = line.into_iter().enumerate().collect();
            new(server, &game, setup)
        }
        Command::Move { id, at, role, action } => {
            change(&id, &|live| live.choose(at, role, MoveId(action), &Seat::Person))
        }
        Command::Undo { id } => change(&id, &Live::undo),
        Command::Redo { id } => change(&id, &Live::redo),
        Command::Go { id, to } => change(&id, &|live| live.go(to)),
        Command::Pause { id, paused } => change(&id, &|live| live.pause(paused)),
        Command::Set { id, seats, clock, limit, view } => {
            server.remotes.admit(seats.as_deref().unwrap_or_default())?;
            change(&id, &|live| live.set(seats.clone(), clock, limit, view))
        }
        Command::Record { id } => {
            let live = server.matches.get(&id, &server.catalogue)?;
            Ok(json!({ "name": format!("{}.json", live.game.name), "record": record::write(&live)? }))
        }
        Command::Picture { id } => {
            let live = server.matches.get(&id, &server.catalogue)?;
            let svg = live.picture()?;
            Ok(json!({ "name": format!("{}.svg", live.game.name), "svg": svg }))
        }
        Command::Remove { id } => {
            server.matches.remove(&id)?;
            Ok(json!({}))
        }
        Command::Check { text } => write::check(&text),
        Command::Hover { text, at } => write::hover(&text, at),
        Command::Complete { text, at } => write::complete(&text, at),
        Command::Format { text } => write::format(&text),
        _ => Err(Refusal::bad("this is answered elsewhere")),
    }
}

fn new(server: &Arc<Server>, game: &Arc<Opened>, setup: Setup) -> Result<Value, Refusal> {
    server.remotes.admit(&setup.seats)?;
    let live = server.matches.add(game, setup)?;
    server.think(&live);
    Ok(json!({ "id": live.id }))
}

/// Chance plays its own role; the first of the others is for whoever opens the page.
fn usual(roles: &[String]) -> Vec<Seat> {
    let mut seats: Vec<Seat> =
        roles.iter().map(|role| if role == "random" { Seat::Random } else { Seat::Ludex }).collect();
    if let Some(first) = seats.iter_mut().find(|seat| **seat == Seat::Ludex) {
        *first = Seat::Person;
    }
    seats
}
