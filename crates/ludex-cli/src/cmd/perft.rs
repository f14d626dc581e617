//! `ludex perft`: how many ways there are to play.

use super::solve::watched;
use crate::args::{Perft, megabytes};
use crate::game::Loaded;
use crate::progress::Progress;
use crate::status::Status;
use crate::{game, json, limit};
use anyhow::{Result, anyhow};
use ludex::engine::budget::Budget;
use ludex::engine::engine::Worker;
use ludex::engine::fault::Fault;
use ludex::engine::perft::{Perft as Counter, each_joint_move};
use ludex::engine::vocabulary::MoveId;
use ludex_solve::{Options, Task};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

pub fn run(args: &Perft, out: &mut dyn Write) -> Result<Status> {
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read_at(&args.game.game, &args.position, &budget)?;
    if let Some(folder) = &args.store {
        return on_disk(args, &loaded, folder, &budget, out);
    }
    let engine = loaded.quick(args.engine.engine, &budget)?;
    let mut worker = engine.worker();
    worker.obey(&budget);
    if args.divide {
        // All of it is one depth.
        let met = |fault| limit::met(&loaded.name, format!("depth {}", args.depth), &fault);
        let counts = divided(args, &mut *worker).map_err(met)?;
        divide(args, &*worker, &counts, out)
    } else {
        by_depth(args, &loaded.name, &mut *worker, out)
    }
}

/// Counts in a folder.
fn on_disk(
    args: &Perft,
    loaded: &Loaded,
    folder: &Path,
    budget: &Budget,
    out: &mut dyn Write,
) -> Result<Status> {
    let engine = loaded.engine(args.engine.engine, budget)?;
    let (prepared, options) = (loaded.prepared()?, Options::default());
    let options = match args.allowance.memory {
        // Sorting takes what is left beside the engine.
        Some(memory) => Options { memory: megabytes(memory) / 2, ..options },
        None => options,
    };
    let task = Task::Perft(u64::from(args.depth));
    let manifest = watched(&format!("counting {}", loaded.name), |reached| {
        ludex_solve::start(prepared, &*engine, task, folder, &options, budget, reached)
    })
    .map_err(|error| anyhow!("{} is not counted: {error}", loaded.name))?;
    writeln!(out, "{:>5} {:>40} {:>16}", "depth", "nodes", "representatives")?;
    for depth in 1..=i64::from(args.depth) {
        let layer = manifest.layers.get(&depth);
        let (lines, states) = layer.map_or((0, 0), |layer| (layer.lines, layer.representatives));
        writeln!(out, "{depth:>5} {lines:>40} {states:>16}")?;
    }
    Ok(Status::Yes)
}

fn by_depth(args: &Perft, name: &str, worker: &mut dyn Worker, out: &mut dyn Write) -> Result<Status> {
    if !args.json.json {
        writeln!(out, "{:>5} {:>16} {:>10}", "depth", "nodes", "seconds")?;
    }
    let mut exhausted = false;
    // One counter for all depths: what it remembers of a state serves the deeper ones too.
    let mut counter = Counter::default();
    let mut initial = vec![0; worker.vocabulary().words()];
    worker.initial(&mut initial);
    for depth in 1..=usize::from(args.depth) {
        let started = Instant::now();
        // Nothing lies below a level without nodes.
        let nodes = if exhausted {
            0
        } else {
            let _progress = Progress::spinner(format!("depth {depth}"));
            let counted = counter.count(worker, &initial, depth);
            counted.map_err(|fault| limit::met(name, format!("depth {depth}"), &fault))?
        };
        exhausted = nodes == 0;
        let seconds = started.elapsed().as_secs_f64();
        if args.json.json {
            json::line(out, &json!({ "depth": depth, "nodes": nodes, "seconds": seconds }))?;
        } else {
            writeln!(out, "{depth:>5} {nodes:>16} {seconds:>10.3}")?;
            out.flush()?;
        }
    }
    Ok(Status::Yes)
}

/// The first joint moves, each with the nodes at the greatest depth below it.
fn divided(args: &Perft, worker: &mut dyn Worker) -> Result<Vec<(Vec<MoveId>, u64)>, Fault> {
    let depth = usize::from(args.depth);
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    let first = first_moves(worker, &state)?;
    let progress = Progress::bar(format!("depth {depth}"), first.len() as u64);
    let mut next = state.clone();
    let mut counter = Counter::default();
    let mut counts = Vec::with_capacity(first.len());
    for (done, joint) in first.into_iter().enumerate() {
        progress.set(done as u64);
        worker.next(&state, &joint, &mut next)?;
        let count = counter.count(worker, &next, depth - 1)?;
        counts.push((joint, count));
    }
    Ok(counts)
}

fn divide(
    args: &Perft,
    worker: &dyn Worker,
    counts: &[(Vec<MoveId>, u64)],
    out: &mut dyn Write,
) -> Result<Status> {
    let depth = args.depth;
    let vocabulary = worker.vocabulary();
    for (joint, nodes) in counts {
        let moves: Vec<String> =
            vocabulary.roles().zip(joint).map(|(role, &id)| vocabulary.show_move(role, id)).collect();
        if args.json.json {
            json::line(out, &json!({ "depth": depth, "moves": moves, "nodes": nodes }))?;
        } else {
            writeln!(out, "{nodes:>16}  {}", moves.join("  "))?;
        }
    }
    let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
    if args.json.json {
        json::line(out, &json!({ "depth": depth, "nodes": total }))?;
    } else {
        writeln!(out, "{total:>16}  in all at depth {depth}")?;
    }
    Ok(Status::Yes)
}

/// All joint moves from `state`; none if the game is over there.
fn first_moves(worker: &mut dyn Worker, state: &[u64]) -> Result<Vec<Vec<MoveId>>, Fault> {
    let mut all = Vec::new();
    if worker.is_terminal(state)? {
        return Ok(all);
    }
    let mut legal = Vec::new();
    for role in worker.vocabulary().roles() {
        let mut moves = Vec::new();
        worker.legal(state, role, &mut moves)?;
        legal.push(moves);
    }
    each_joint_move(&legal, &mut Vec::new(), &mut |joint| {
        all.push(joint.to_vec());
        Ok::<(), Fault>(())
    })?;
    Ok(all)
}
