//! `ludex count`: how many states a game has, layer by layer, visited on disk.

use super::solve::watched;
use crate::args::Count;
use crate::status::Status;
use crate::{game, json};
use anyhow::{Result, anyhow};
use ludex_solve::Task;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A folder that is removed when the command is over.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn run(args: &Count, out: &mut dyn Write) -> Result<Status> {
    let loaded = game::read(&args.game.game)?;
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let engine = loaded.engine_within(loaded.game()?, args.engine.engine, &budget)?;
    let prepared = loaded.prepared()?;
    let options = args.disk.options(args.memory, args.threads);
    let temporary = match &args.store {
        Some(_) => None,
        None => Some(Temporary(std::env::temp_dir().join(format!("ludex-count-{}", std::process::id())))),
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
