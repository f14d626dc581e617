//! Any game on a page: see it, play it, understand it, write it.
//!
//! A [`Server`] listens at one address and serves a page that is part of the program (`page/`: plain modules, SVG and
//! CSS, without a build step). Matches live here, not in the page: two tabs see the same match, a reload resumes it, and
//! every move is written to disk as it is made.
//!
//! Nobody is trusted: `guard` decides who may ask, [`Limits`] how much everybody together may have, and nothing that comes
//! from a page is a path or becomes markup. What it cannot do: serve people who should not see each other's matches.
//! Whoever has the token has all of them.

#![forbid(unsafe_code)]

mod api;
mod assets;
mod catalogue;
mod connections;
mod graph;
mod guard;
mod jobs;
mod limits;
mod live;
mod matches;
mod opened;
mod random;
mod record;
mod refusal;
mod remote;
mod scene;
mod stream;
mod thinking;
mod tree;
mod understand;
mod write;

pub use guard::SHORTEST_TOKEN;
pub use limits::Limits;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use catalogue::Catalogue;
use guard::Guard;
use jobs::Jobs;
use live::Live;
use ludex::search::evaluation::Trained;
use matches::Matches;
use remote::Remotes;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thinking::Agents;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// How often what nobody uses is looked for.
const TIDYING: Duration = Duration::from_secs(5);

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// The token; a random one if none is given.
    pub token: Option<String>,
    /// A folder of rule sheets to offer.
    pub games: Option<PathBuf>,
    /// The folder in which matches and pasted sheets are kept.
    pub keep: PathBuf,
    /// The name and the rules of the game to open first.
    pub first: Option<(String, String)>,
    /// Evaluations that were trained before, for agents that move.
    pub evaluations: Vec<Arc<Trained>>,
    /// Databases of games, for those who play them.
    pub solved: Vec<ludex::search::agent::Solved>,
    /// How much everybody together may have.
    pub limits: Limits,
}

/// A server, with everything that its visitors share.
pub struct Server {
    catalogue: Catalogue,
    matches: Matches,
    agents: Arc<Agents>,
    remotes: Arc<Remotes>,
    jobs: Jobs,
    streams: Arc<Semaphore>,
    limits: Limits,
    /// The game to open first.
    first: Option<String>,
}

impl Server {
    fn new(options: &Options) -> io::Result<Arc<Server>> {
        let limits = options.limits.clone();
        let catalogue = Catalogue::new(options.games.as_deref(), &options.keep, &limits)?;
        let first = match &options.first {
            None => None,
            Some((name, text)) => {
                let bundled = ludex::games::find(name).filter(|game| game.text == text);
                let id = bundled.map(|game| Ok(format!("bundled.{}", game.name)));
                let id = id.unwrap_or_else(|| catalogue.paste(text).map(|game| game.id.clone()));
                Some(id.map_err(|refusal| io::Error::other(refusal.why))?)
            }
        };
        Ok(Arc::new(Server {
            matches: Matches::new(&options.keep, &limits)?,
            agents: Arc::new(Agents::new(&limits, options.evaluations.clone(), options.solved.clone())),
            remotes: Arc::new(Remotes::new(options.address.ip().is_loopback(), &limits)),
            jobs: Jobs::new(&limits),
            streams: Arc::new(Semaphore::new(limits.streams)),
            catalogue,
            limits,
            first,
        }))
    }

    /// Lets somebody think for a match, if there is something to think about, and somebody watch its clock.
    fn think(self: &Arc<Server>, live: &Arc<Live>) {
        let server = self.clone();
        let moved = move |live: &Live| {
            // The next move is another chance to save; the match is in memory.
            let _ = server.matches.save(live);
            server.finish(live);
        };
        self.finish(live);
        thinking::begin(live, &self.agents, &self.remotes, Arc::new(moved));
        self.watch_clock(live);
    }

    /// Players at addresses are told of the end.
    fn finish(&self, live: &Live) {
        if live.is_over() {
            self.remotes.finish(live);
        }
    }

    /// Looks, as long as somebody is asked against the clock, whether the time is over.
    fn watch_clock(self: &Arc<Server>, live: &Arc<Live>) {
        const LONGEST_LOOK: Duration = Duration::from_millis(500);
        if live.until_late().is_none() || !live.claim_clock() {
            return;
        }
        let (server, live) = (self.clone(), live.clone());
        tokio::spawn(async move {
            while let Some(left) = live.until_late() {
                tokio::time::sleep(left.clamp(Duration::from_millis(5), LONGEST_LOOK)).await;
                if !live.until_late().is_some_and(|left| left.is_zero()) {
                    continue;
                }
                let (server, live) = (server.clone(), live.clone());
                let move_ = move || {
                    if live.move_for_the_late().is_ok() {
                        let _ = server.matches.save(&live);
                        server.think(&live);
                    }
                };
                // What failed now is tried again at once.
                let _ = tokio::task::spawn_blocking(move_).await;
            }
            live.leave_clock();
            // Somebody may have been asked just now who found the clock still watched.
            server.watch_clock(&live);
        });
    }

    fn router(self: &Arc<Server>, guard: Guard) -> Router {
        Router::new()
            .route("/api", post(api::command))
            .route("/api/events", post(api::events))
            .fallback(get(assets::file))
            .layer(DefaultBodyLimit::max(self.limits.body))
            .layer(axum::middleware::from_fn_with_state(Arc::new(guard), guard::guard))
            .with_state(self.clone())
    }
}

/// Listens and serves until the process ends. `ready` is told the address to open, token included.
pub fn serve(options: &Options, ready: impl FnOnce(&str) -> io::Result<()>) -> io::Result<()> {
    let token = options.token.clone().unwrap_or_else(random::word);
    if token.len() < SHORTEST_TOKEN || !token.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        let why = format!("a token has {SHORTEST_TOKEN} or more letters, digits and dashes");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let server = Server::new(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .enable_io()
        .enable_time()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let router = server.router(Guard::new(address, token.clone(), &options.limits));
        let keeper = server.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(TIDYING).await;
                let keeper = keeper.clone();
                let tidy = move || {
                    keeper.matches.tidy();
                    keeper.agents.tidy(|id| keeper.matches.is_asleep(id));
                    keeper.remotes.tidy(|id| keeper.matches.is_asleep(id));
                };
                // What failed now is done in five seconds.
                let _ = tokio::task::spawn_blocking(tidy).await;
            }
        });
        ready(&format!("http://{address}/?token={token}"))?;
        connections::serve(listener, router, &options.limits).await
    })
}
