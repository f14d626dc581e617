//! Counting the ways to play: the classic check of a move generator.

use crate::engine::Worker;
use crate::fault::Fault;
use crate::vocabulary::{MoveId, RoleId};
use hashbrown::HashMap;

/// The number of joint-move paths of length `depth` from the initial state. Terminal states are not
/// expanded, nor are states in which somebody has no legal move. Depth 0 is one path.
pub fn perft(worker: &mut dyn Worker, depth: usize) -> Result<u64, Fault> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    Perft::default().count(worker, &state, depth)
}

/// Counts paths, and remembers the count of every state it has been through: paths that meet are counted
/// together, so trees of 10^13 paths over a few thousand states take no time.
#[derive(Debug, Default)]
pub struct Perft {
    /// By remaining depth, less two: the last two moves are as quickly counted as looked up.
    counts: Vec<HashMap<Box<[u64]>, u64>>,
    remembered: usize,
    levels: Vec<Level>,
}

/// The buffers of one remaining depth.
#[derive(Debug, Default)]
struct Level {
    legal: Vec<Vec<MoveId>>,
    joint: Vec<MoveId>,
    state: Vec<u64>,
}

/// Words of states that are remembered at most (256 MiB); beyond, counting goes on without.
const MOST_WORDS: usize = 32 << 20;

impl Perft {
    /// The number of joint-move paths of length `depth` from `state`; `u64::MAX` if that is not enough.
    /// All calls must be about the same game.
    pub fn count(&mut self, worker: &mut dyn Worker, state: &[u64], depth: usize) -> Result<u64, Fault> {
        if depth == 0 {
            return Ok(1);
        }
        if worker.is_terminal(state)? {
            return Ok(0);
        }
        if let Some(&known) = self.counts.get(depth.wrapping_sub(2)).and_then(|counts| counts.get(state)) {
            return Ok(known);
        }
        if self.levels.len() <= depth {
            self.levels.resize_with(depth + 1, Level::default);
            self.counts.resize_with(depth, HashMap::new);
        }
        let mut level = std::mem::take(&mut self.levels[depth]);
        let roles = worker.vocabulary().role_count();
        level.legal.resize(roles, Vec::new());
        for (role, list) in level.legal.iter_mut().enumerate() {
            worker.legal(state, RoleId(role as u32), list)?;
        }
        let mut total: u64 = 0;
        if depth == 1 {
            // The last move need not be made to be counted.
            total =
                level.legal.iter().fold(1, |product: u64, list| product.saturating_mul(list.len() as u64));
        } else {
            level.state.resize(state.len(), 0);
            each_joint_move(&level.legal, &mut level.joint, &mut |joint| {
                worker.next(state, joint, &mut level.state)?;
                total = total.saturating_add(self.count(worker, &level.state, depth - 1)?);
                Ok::<(), Fault>(())
            })?;
            if self.remembered < MOST_WORDS {
                self.remembered += state.len() + 4;
                self.counts[depth - 2].insert(state.into(), total);
            }
        }
        self.levels[depth] = level;
        Ok(total)
    }
}

/// Calls `visit` with every way to choose one move from each list, up to its first error. The lists are ascending and
/// without duplicates, as engines give them; the last role's moves change fastest.
pub fn each_joint_move<E>(
    legal: &[Vec<MoveId>],
    joint: &mut Vec<MoveId>,
    visit: &mut dyn FnMut(&[MoveId]) -> Result<(), E>,
) -> Result<(), E> {
    joint.clear();
    joint.extend(legal.iter().filter_map(|moves| moves.first()));
    if joint.len() < legal.len() {
        return Ok(());
    }
    loop {
        visit(joint)?;
        // The last role that has another move takes it, those behind it begin anew.
        let next = (0..legal.len()).rev().find_map(|role| {
            let at = legal[role].partition_point(|action| *action <= joint[role]);
            legal[role].get(at).map(|&action| (role, action))
        });
        let Some((role, action)) = next else { return Ok(()) };
        joint[role] = action;
        for later in role + 1..legal.len() {
            joint[later] = legal[later][0];
        }
    }
}
