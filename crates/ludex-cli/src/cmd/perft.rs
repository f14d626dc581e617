//! `ludex perft`: how many ways there are to play.

use crate::args::Perft;
use crate::game;
use crate::json;
use crate::progress::Progress;
use crate::status::Status;
use anyhow::Result;
use ludex::engine::engine::Worker;
use ludex::engine::perft::{Perft as Counter, each_joint_move};
use ludex::engine::vocabulary::MoveId;
use serde_json::json;
use std::io::Write;
use std::time::Instant;

pub fn run(args: &Perft, out: &mut dyn Write) -> Result<Status> {
    let loaded = game::read(&args.game.game)?;
    let engine = loaded.engine(args.engine.engine)?;
    let mut worker = engine.worker();
    if args.divide { divide(args, &mut *worker, out) } else { by_depth(args, &mut *worker, out) }
}

fn by_depth(args: &Perft, worker: &mut dyn Worker, out: &mut dyn Write) -> Result<Status> {
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
            counter.count(worker, &initial, depth)
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

/// The nodes at the greatest depth, counted separately below each first joint move.
fn divide(args: &Perft, worker: &mut dyn Worker, out: &mut dyn Write) -> Result<Status> {
    let depth = usize::from(args.depth);
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    let first = first_moves(worker, &state);
    let progress = Progress::bar(format!("depth {depth}"), first.len() as u64);
    let mut next = state.clone();
    let mut counter = Counter::default();
    let mut counts = Vec::with_capacity(first.len());
    for (done, joint) in first.iter().enumerate() {
        progress.set(done as u64);
        worker.next(&state, joint, &mut next);
        counts.push(counter.count(worker, &next, depth - 1));
    }
    drop(progress);
    let vocabulary = worker.vocabulary();
    for (joint, nodes) in first.iter().zip(&counts) {
        let moves: Vec<String> =
            vocabulary.roles().zip(joint).map(|(role, &id)| vocabulary.show_move(role, id)).collect();
        if args.json.json {
            json::line(out, &json!({ "depth": depth, "moves": moves, "nodes": nodes }))?;
        } else {
            writeln!(out, "{nodes:>16}  {}", moves.join("  "))?;
        }
    }
    let total: u64 = counts.iter().sum();
    if args.json.json {
        json::line(out, &json!({ "depth": depth, "nodes": total }))?;
    } else {
        writeln!(out, "{total:>16}  in all at depth {depth}")?;
    }
    Ok(Status::Yes)
}

/// All joint moves from `state`; none if the game is over there.
fn first_moves(worker: &mut dyn Worker, state: &[u64]) -> Vec<Vec<MoveId>> {
    let mut all = Vec::new();
    if worker.is_terminal(state) {
        return all;
    }
    let mut legal = Vec::new();
    for role in worker.vocabulary().roles() {
        let mut moves = Vec::new();
        worker.legal(state, role, &mut moves);
        legal.push(moves);
    }
    each_joint_move(&legal, &mut Vec::new(), &mut |joint| all.push(joint.to_vec()));
    all
}
