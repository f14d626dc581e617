//! Trees of several kinds against each other in games of any number of roles, at equal processor time.
//!
//! cargo run --release -p ludex-search --example several -- SIDE SIDE [--matches N] [--milliseconds N] SHEET...
//!
//! A SIDE is `own` (each role is after its own goal, as in max^n), `paranoid` (the others are all after the loss of the one
//! that plays) or `mixed` (regret matching, in states in which several roles choose; `own` in others). SHEET is a file or
//! the name of a bundled game. In each round every role is played by the first side once, the others by the second, and once
//! the other way round; two random moves begin each match, the same in a round. Told is by how much the goal of a role is
//! higher if the first side plays it among the second than the other way round, the mean over roles and rounds, with a 95 %
//! interval over the rounds.

use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::prepared::Prepared;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex_search::clock::Clock;
use ludex_search::estimate::Estimate;
use ludex_search::simultaneous::{self, Mixed, is_joint};
use ludex_search::uct::{Settings, Tools, Tree};
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

/// Longer matches are broken off, and count what the goals are then.
const MOST_STEPS: usize = 300;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Own,
    Paranoid,
    Mixed,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut sides = [Side::Own; 2];
    for side in &mut sides {
        *side =
            match arguments.next().as_deref() {
                Some("own") => Side::Own,
                Some("paranoid") => Side::Paranoid,
                Some("mixed") => Side::Mixed,
                _ => return Err(
                    "several SIDE SIDE SHEET...: the first lines of examples/several.rs say what there is"
                        .into(),
                ),
            };
    }
    let (mut matches, mut milliseconds, mut sheets) = (20, 10, Vec::new());
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).ok_or("a number is missing");
        match word.as_str() {
            "--matches" => matches = number()?,
            "--milliseconds" => milliseconds = number()?,
            _ => sheets.push(word),
        }
    }
    for name in sheets {
        let short = name.rsplit('/').next().unwrap_or(&name).trim_end_matches(".kif").to_owned();
        let prepared = Prepared::new(ludex::load(&name).or_else(|_| ludex::load_file(&name))?);
        let engine = prepared.propnet(&Budget::default())?;
        let roles: Vec<RoleId> = engine.vocabulary().roles().collect();
        let chance = roles.iter().copied().find(|&role| engine.vocabulary().show_role(role) == "random");
        let players: Vec<RoleId> = roles.iter().copied().filter(|&role| chance != Some(role)).collect();
        let mut worker = engine.worker();
        let mut gains: Vec<f64> = Vec::new();
        let rounds = (matches / (2 * players.len() as u64)).max(2);
        for round in 0..rounds {
            let mut gain = 0.0;
            for &role in &players {
                for [one, others, sign] in [[0, 1, 1], [1, 0, -1]] {
                    let side = |at: RoleId| sides[if at == role { one as usize } else { others as usize }];
                    let time = Duration::from_millis(milliseconds);
                    let goals = play(&mut *worker, &side, chance, time, round + 1)?;
                    gain += f64::from(sign) * f64::from(goals[role.index()]);
                }
            }
            // In a game for two the second match of a role is the first of the other one.
            gains.push(gain / players.len() as f64);
        }
        let n = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / n;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        let played = rounds * 2 * players.len() as u64;
        println!(
            "{short}: {} roles, {mean:+.1} +- {:.1} in {played} matches",
            players.len(),
            1.96 * (variance / n).sqrt()
        );
    }
    Ok(())
}

/// One match; the goals of all roles.
fn play(
    worker: &mut dyn Worker,
    side: &dyn Fn(RoleId) -> Side,
    chance: Option<RoleId>,
    time: Duration,
    seed: u64,
) -> Result<Vec<i32>, Failure> {
    let mut random = Random::new(seed);
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    let mut trees = Vec::new();
    for &role in &roles {
        let is_paranoid = side(role) == Side::Paranoid;
        let paranoid = is_paranoid.then_some(role);
        let settings = Settings { chance, paranoid, proofs: !is_paranoid, ..Settings::default() };
        trees.push(Tree::new(settings, worker, &state, random.bits())?);
    }
    let (mut next, mut legal) = (state.clone(), Vec::new());
    for step in 0..MOST_STEPS {
        if worker.is_terminal(&state)? {
            break;
        }
        let is_joint = is_joint(worker, &state, chance)?;
        let mut joint: Vec<MoveId> = Vec::new();
        for (&role, tree) in roles.iter().zip(&mut trees) {
            worker.legal(&state, role, &mut legal)?;
            if legal.is_empty() {
                return goals(worker, &state);
            }
            let by_chance = legal[random.below(legal.len())];
            if step < 2 || legal.len() == 1 || chance == Some(role) {
                joint.push(by_chance);
                continue;
            }
            let clock = &mut Clock::processor(time);
            let estimate: Estimate = if is_joint && side(role) == Side::Mixed {
                let settings = simultaneous::Settings { chance, ..simultaneous::Settings::default() };
                let mut tree = Mixed::new(settings, worker, &state, random.bits())?;
                tree.search(worker, clock)?;
                tree.estimate(role)
            } else {
                tree.search(
                    &mut Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None },
                    clock,
                )?;
                tree.estimate(role)
            };
            joint.push(estimate.draw(&mut random).map_or(by_chance, |candidate| candidate.action));
        }
        worker.next(&state, &joint, &mut next)?;
        std::mem::swap(&mut state, &mut next);
        for tree in &mut trees {
            tree.advance(worker, &joint, &state)?;
        }
    }
    goals(worker, &state)
}

fn goals(worker: &mut dyn Worker, state: &[u64]) -> Result<Vec<i32>, Failure> {
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    roles.into_iter().map(|role| Ok(worker.goal(state, role)?.unwrap_or(0))).collect()
}
