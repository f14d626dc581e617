//! States seen in random play: they propose what may hold everywhere.

use crate::transition::System;
use hashbrown::HashSet;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// How much is played.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Distinct states that are kept.
    pub states: usize,
    /// The seed of the random moves.
    pub seed: u64,
}

impl Default for Effort {
    /// A thousand states.
    fn default() -> Effort {
        Effort { states: 1000, seed: 1 }
    }
}

/// A state of random play, and what was played there.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The state.
    pub state: Vec<u64>,
    /// The state that followed, with the joint move; none at the end of a match.
    pub then: Option<(Vec<MoveId>, Vec<u64>)>,
}

/// Longest match that is played to its end.
const MOST_MOVES: usize = 1000;

/// Plays at random and keeps what was seen until the budget ends.
pub fn play(system: &System, engine: &dyn Engine, effort: Effort, budget: &Budget) -> Vec<Sample> {
    let mut worker = engine.worker();
    let mut random = Random::new(effort.seed);
    let mut seen = HashSet::new();
    let mut samples = Vec::new();
    // A game of few states is seen whole soon: matches that show nothing new end the play.
    let mut stale = 0;
    while samples.len() < effort.states && stale < 20 && budget.check().is_ok() {
        let before = samples.len();
        let mut state = system.initial().to_vec();
        for _ in 0..MOST_MOVES {
            // A state that runs into a limit is no sample: nothing is known of it.
            let Ok(then) = step(&mut *worker, &state, &mut random) else { break };
            if seen.insert(state.clone()) {
                samples.push(Sample { state: state.clone(), then: then.clone() });
            }
            match then {
                Some((_, next)) if samples.len() < effort.states && budget.check().is_ok() => state = next,
                _ => break,
            }
        }
        stale = if samples.len() == before { stale + 1 } else { 0 };
    }
    samples
}

/// A joint move and the state after it.
pub(crate) type Step = (Vec<MoveId>, Vec<u64>);

/// A random joint move and the state after it; none where the match is over.
pub(crate) fn step(
    worker: &mut dyn Worker,
    state: &[u64],
    random: &mut Random,
) -> Result<Option<Step>, Fault> {
    if worker.is_terminal(state)? {
        return Ok(None);
    }
    let roles = worker.vocabulary().role_count() as u32;
    let mut legal = Vec::new();
    let mut joint = Vec::new();
    for role in 0..roles {
        worker.legal(state, RoleId(role), &mut legal)?;
        if legal.is_empty() {
            return Ok(None);
        }
        joint.push(legal[random.below(legal.len())]);
    }
    let mut next = vec![0; state.len()];
    worker.next(state, &joint, &mut next)?;
    Ok(Some((joint, next)))
}
