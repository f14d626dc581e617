//! Back from the ends, layer by layer, on several threads.
//!
//! Layer `n` is computed from the layers below it by looking at the successors of every state that is still
//! open. That costs a pass over the open states a layer, and no memory for predecessors.

use super::Reached;
use super::explore::{Space, join};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::Goal;

/// The depth of what never happens.
pub(super) const NEVER: u16 = u16::MAX;

/// A state is looked at with its successors, all over memory.
const TICKS_A_STATE: u64 = 32;

/// For each state the joint moves to the nearest state of `goal`, if all roles work together.
pub(super) fn distances(
    space: &Space,
    goal: impl Fn(usize) -> bool,
    threads: usize,
    budget: &Budget,
    reached: &Reached,
) -> Result<Vec<u16>, Exceeded> {
    layers(space, goal, threads, budget, reached, |at, below| {
        space.successors(at).iter().any(|&next| below(next))
    })
}

/// For each state the greatest of the values, ascending, that the role can force, and within how many joint moves.
pub(super) fn forced_values(
    space: &Space,
    role: usize,
    values: &[Goal],
    threads: usize,
    budget: &Budget,
    reached: &Reached,
) -> Result<Vec<(Option<Goal>, u16)>, Exceeded> {
    let mut best = vec![(None, NEVER); space.len()];
    for &value in values.iter().rev() {
        let goal = |at| space.goal(at, role).is_some_and(|goal| goal >= value);
        let depths =
            layers(space, goal, threads, budget, reached, |at, below| is_forced(space, role, at, below))?;
        for (best, depth) in best.iter_mut().zip(depths) {
            if best.0.is_none() && depth != NEVER {
                *best = (Some(value), depth);
            }
        }
    }
    Ok(best)
}

/// True if some move of the role leads below with every combination of the others' moves.
fn is_forced(space: &Space, role: usize, at: usize, below: &dyn Fn(u32) -> bool) -> bool {
    let successors = space.successors(at);
    if successors.is_empty() {
        return false;
    }
    let counts = space.move_counts(at);
    // The place of a successor is a number in mixed radix; this role's digit has weight `inner`.
    let inner: usize = counts[role + 1..].iter().map(|&count| count as usize).product();
    let own = counts[role] as usize;
    (0..own).any(|action| {
        successors
            .chunks_exact(inner * own)
            .all(|block| block[action * inner..(action + 1) * inner].iter().all(|&next| below(next)))
    })
}

/// Layer zero are the states of `goal`; a state is in layer `n` if `holds` of it and the layers below `n`,
/// and it is in none of them.
fn layers(
    space: &Space,
    goal: impl Fn(usize) -> bool,
    threads: usize,
    budget: &Budget,
    reached: &Reached,
    holds: impl Fn(usize, &dyn Fn(u32) -> bool) -> bool + Sync,
) -> Result<Vec<u16>, Exceeded> {
    let mut depths: Vec<u16> = (0..space.len()).map(|at| if goal(at) { 0 } else { NEVER }).collect();
    let mut open: Vec<u32> = (0..space.len() as u32)
        .filter(|&at| depths[at as usize] == NEVER && !space.is_end(at as usize))
        .collect();
    reached.begin_pass();
    for depth in 1..NEVER {
        reached.begin_layer(depth);
        let below = |next: u32| depths[next as usize] != NEVER;
        let pass = |part: &[u32]| -> Result<Vec<u32>, Exceeded> {
            let mut meter = budget.clock();
            let mut found = Vec::new();
            for &at in part {
                meter.tick_by(TICKS_A_STATE)?;
                if holds(at as usize, &below) {
                    found.push(at);
                }
            }
            Ok(found)
        };
        let share = open.len().div_ceil(threads.max(1)).max(1024);
        let found: Vec<u32> = if open.len() <= share {
            pass(&open)?
        } else {
            std::thread::scope(|scope| {
                let tasks: Vec<_> = open.chunks(share).map(|part| scope.spawn(|| pass(part))).collect();
                let parts: Result<Vec<_>, _> = tasks.into_iter().map(join).collect();
                parts.map(|parts| parts.concat())
            })?
        };
        if found.is_empty() {
            break;
        }
        for at in found {
            depths[at as usize] = depth;
        }
        open.retain(|&at| depths[at as usize] == NEVER);
    }
    Ok(depths)
}
