//! A game in an encoding of its transitions: what `frame`, `minimax` and `replay` have in common.

use crate::game::Loaded;
use crate::progress::Progress;
use anyhow::Result;
use ludex::engine::budget::Budget;
use ludex::gdl::analysis::actions::PartialJointMove;
use ludex::gdl::analysis::turns::impossible_joint_moves;
use ludex::logic::discover::impossible_moves;
use ludex::logic::prove::{Options, Prover};
use ludex::logic::transition::System;
use std::time::{Duration, Instant};

/// Moves that are never made together: what the control structure shows, in every state, and, where the prover is given some
/// seconds, what it proves of the states before the end.
pub fn impossible(loaded: &Loaded, seconds: Option<f64>, budget: &Budget) -> Result<Vec<PartialJointMove>> {
    let game = loaded.game()?;
    let mut moves = impossible_joint_moves(game);
    let Some(seconds) = seconds else { return Ok(moves) };
    let _progress = Progress::spinner(format!("proving what is impossible in {}", loaded.name));
    let started = Instant::now();
    let time = Duration::from_secs_f64(seconds);
    let system = match System::new(loaded.prepared()?, &[], &budget.clone().within(time)) {
        Ok(system) => system,
        Err(error) => {
            eprintln!("ludex: nothing could be proved of {}: {error}", loaded.name);
            return Ok(moves);
        }
    };
    let time = time.saturating_sub(started.elapsed());
    let options = Options { budget: budget.clone(), time, ..Options::default() };
    for pair in impossible_moves(&Prover::new(&system, options)) {
        let pair = pair.by_name(system.vocabulary());
        // A set of moves contains every larger one.
        if !moves.iter().any(|known| known.iter().all(|part| pair.contains(part))) {
            moves.push(pair);
        }
    }
    Ok(moves)
}
