//! `ludex count`: how many states a game has, layer by layer, visited on disk.

use super::solve::watched;
use crate::args::{Count, megabytes};
use crate::status::Status;
use crate::{game, interrupt, json};
use anyhow::{Result, anyhow};
use ludex_solve::Task;
use serde_json::json;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A folder that is removed when the command is over.
struct Temporary(PathBuf);

impl Temporary {
    /// One that was not there before: nobody else's is ever used or removed.
    fn new() -> Result<Temporary> {
        const TRIES: u32 = 1000;
        for number in 0..TRIES {
            let path = std::env::temp_dir().join(format!("ludex-count-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(anyhow!(
                        "`{}` cannot be made: {error}; --store names another",
                        path.display()
                    ));
                }
            }
        }
        Err(anyhow!("there is no free name for a folder in `{}`", std::env::temp_dir().display()))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run(args: &Count, out: &mut dyn Write) -> Result<Status> {
    // It stops by itself on Ctrl-C, so that the folder is removed.
    let budget =
        args.bounds.budget().within(Duration::from_secs_f64(args.time)).with_cancel(interrupt::stop_token());
    let budget = budget.with_resident(megabytes(args.memory));
    let loaded = game::read(&args.game.game)?;
    let engine = loaded.engine(args.engine.engine, &budget)?;
    let prepared = loaded.prepared()?;
    let options = args.disk.options(args.memory, args.threads);
    let temporary = match &args.store {
        Some(_) => None,
        None => Some(Temporary::new()?),
    };
    let folder = temporary.as_ref().map(|folder| &folder.0).or(args.store.as_ref());
    let Some(folder) = folder else { return Err(anyhow!("there is no folder to work in")) };
    let started = Instant::now();
    let manifest = watched(&format!("counting {}", loaded.name), |reached| {
        ludex_solve::start(prepared, &*engine, Task::Count, folder, &options, &budget, reached)
    })
    .map_err(|error| anyhow!("{} is not counted: {error}", loaded.name))?;
    let seconds = started.elapsed().as_secs_f64();
    let (states, ends) = (manifest.total(|layer| layer.states), manifest.total(|layer| layer.ends));
    let representatives = manifest.total(|layer| layer.representatives);
    if args.json.json {
        let layers: Vec<u64> = manifest.layers.values().map(|layer| layer.states).collect();
        let line = json!({
            "game": loaded.name, "states": states, "ends": ends, "representatives": representatives,
            "ranked": manifest.ranked, "layers": layers, "seconds": seconds,
        });
        json::line(out, &line)?;
        return Ok(Status::Yes);
    }
    writeln!(out, "{}: {states} states, {ends} ends, {representatives} up to symmetry", loaded.name)?;
    for (at, layer) in manifest.layers.values().enumerate() {
        writeln!(out, "{at:>5} {:>16}", layer.states)?;
    }
    Ok(Status::Yes)
}
