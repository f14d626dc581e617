//! `ludex player`: a GGP player.

use super::gpu;
use crate::args::{AgentArguments, Bounds, Device, Player as Arguments};
use crate::status::{Misuse, Status};
use anyhow::{Context, Result};
use ludex::engine::budget::Budget;
use ludex::ggp::http::server::{Handler, Server, ServerLimits};
use ludex::ggp::player::{Log, Player, Settings};
use ludex::search::agent::{self, Solved};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(args: &Arguments, out: &mut dyn Write) -> Result<Status> {
    let server = Server::bind((args.bind, args.port), ServerLimits::default())
        .map_err(|error| Misuse(format!("cannot listen at {}:{}: {error}", args.bind, args.port)))?;
    let address = server.address().context("the address is not known")?;
    let agent = if args.plain {
        plain(args.agent, args.bounds)
    } else {
        let evaluations = args.evaluations.read(None)?;
        agent::Settings { evaluations, ..settings(args.agent, args.bounds) }
    };
    let agent = agent::Settings { solved: solved(&args.solved)?, ..agent };
    let settings = Settings { name: args.name.clone(), agent, ..Settings::default() };
    let player = Arc::new(Player::new(settings, log(args.verbose)));
    writeln!(out, "{} listens at http://{address}", args.name)?;
    out.flush()?;
    let keeper = player.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            keeper.tidy();
        }
    });
    let handler: Arc<Handler> = Arc::new(move |text: &str| player.answer(text));
    server.serve(&handler);
    Ok(Status::Yes)
}

/// Lines on standard error, with the seconds since the start, if somebody wants them.
fn log(verbose: bool) -> Log {
    let started = Instant::now();
    Arc::new(move |line: &str| {
        if verbose {
            // Nobody reads: the match is more important.
            let _ = writeln!(std::io::stderr(), "{:9.3} {line}", started.elapsed().as_secs_f64());
        }
    })
}

/// The databases at these places: files, or folders of solved games.
pub fn solved(paths: &[PathBuf]) -> Result<Vec<Solved>> {
    let open = |path: &PathBuf| -> Result<Solved> {
        if path.is_dir() {
            let (store, _) = super::solve::open(path, &Budget::default())?;
            return Ok(Solved { rules: store.plan().hash(), oracle: Arc::new(store) });
        }
        let database = super::endgame::open(path)?;
        Ok(Solved { rules: database.hash(), oracle: Arc::new(database) })
    };
    paths.iter().map(open).collect()
}

/// How an agent works that is set up by these arguments.
pub fn settings(args: AgentArguments, bounds: Bounds) -> agent::Settings {
    let usual = agent::Settings::default();
    agent::Settings {
        threads: args.threads.map_or(usual.threads, usize::from),
        memory: megabytes(args),
        seed: args.seed,
        budget: bounds.budget(),
        accelerator: match args.device {
            Device::Cpu => None,
            Device::Cuda(number) => gpu::accelerator(number),
        },
        ..usual
    }
}

/// How the measuring stick works.
pub fn plain(args: AgentArguments, bounds: Bounds) -> agent::Settings {
    let usual = agent::Settings::plain();
    agent::Settings { memory: megabytes(args), seed: args.seed, budget: bounds.budget(), ..usual }
}

fn megabytes(args: AgentArguments) -> usize {
    args.memory as usize * 1_000_000
}
