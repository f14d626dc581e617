//! The same question by visiting every state, for games in which lines come back and that fit in memory.

use super::aim::Aim;
use super::certificate::{Entry, FOR_EVER};
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::vocabulary::RoleId;
use ludex_logic::endgame::solve::{Options, Reached, SolveError, Space, explore};

/// Whether the role reaches its aim from the initial state, which is no leaf, and the entries that show it.
pub(super) fn visit(
    engine: &dyn Engine,
    aim: &dyn Aim,
    role: RoleId,
    options: &Options,
    budget: &Budget,
) -> Result<(bool, Vec<Entry>), SolveError> {
    let space = explore(engine, options, budget, &Reached::default())?;
    let words = engine.vocabulary().words();
    let mut worker = engine.worker();
    worker.obey(budget);
    let mut meter = budget.clock();
    // Joint moves to the aim.
    let mut ranks: Vec<Option<u32>> = vec![None; space.len()];
    for (at, rank) in ranks.iter_mut().enumerate() {
        meter.tick_by(512)?;
        let reached = aim.reached(&mut *worker, &space.state(at)[..words], space.is_end(at))?;
        *rank = reached.then_some(0);
    }
    let mut open: Vec<u32> = (0..space.len() as u32).filter(|at| ranks[*at as usize].is_none()).collect();
    for depth in 1.. {
        let mut found = Vec::new();
        for &at in &open {
            meter.tick_by(64)?;
            let forces = (0..own(&space, role, at)).any(|action| {
                answers(&space, role, at, action).all(|(_, next)| ranks[next as usize].is_some())
            });
            if forces {
                found.push(at);
            }
        }
        if found.is_empty() {
            break;
        }
        found.iter().for_each(|at| ranks[*at as usize] = Some(depth));
        open.retain(|at| ranks[*at as usize].is_none());
    }
    let can = ranks[0].is_some();
    let mut entries = Vec::new();
    let mut met = vec![false; space.len()];
    let mut next = vec![0u32];
    let mut legal = Vec::new();
    while let Some(at) = next.pop() {
        meter.tick_by(512)?;
        let here = at as usize;
        let rank = ranks[here];
        if std::mem::replace(&mut met[here], true) || rank == Some(0) || (!can && space.is_end(here)) {
            continue;
        }
        let state = &space.state(here)[..words];
        let mut choices: Vec<u32> = Vec::new();
        if can {
            worker.legal(state, role, &mut legal)?;
            let longest = |action: &usize| {
                let ranks = answers(&space, role, at, *action).map(|(_, next)| ranks[next as usize]);
                ranks.map(|rank| rank.unwrap_or(u32::MAX)).max()
            };
            let best = (0..own(&space, role, at)).min_by_key(longest).unwrap_or(0);
            choices.extend(legal.get(best).map(|action| action.0));
            next.extend(answers(&space, role, at, best).map(|(_, next)| next));
        } else {
            for action in 0..own(&space, role, at) {
                let safe =
                    answers(&space, role, at, action).find(|(_, next)| ranks[*next as usize].is_none());
                choices.extend(safe.map(|(answer, _)| answer));
                next.extend(safe.map(|(_, next)| next));
            }
        }
        entries.push(Entry {
            state: state.into(),
            measure: rank.unwrap_or(FOR_EVER),
            choices: choices.into(),
        });
    }
    entries.sort_unstable();
    Ok((can, entries))
}

/// Moves of the role in a state from which play goes on.
fn own(space: &Space, role: RoleId, at: u32) -> usize {
    let at = at as usize;
    if space.successors(at).is_empty() { 0 } else { space.move_counts(at)[role.index()] as usize }
}

/// The answers to a move of the role by number, and where they lead.
fn answers(space: &Space, role: RoleId, at: u32, action: usize) -> impl Iterator<Item = (u32, u32)> {
    let at = at as usize;
    let counts = space.move_counts(at);
    // The place of a successor is a number in mixed radix; this role's digit has weight `inner`.
    let inner: usize = counts[role.index() + 1..].iter().map(|&count| count as usize).product();
    let blocks = space.successors(at).chunks_exact((inner * counts[role.index()] as usize).max(1));
    (0..).zip(blocks.flat_map(move |block| &block[action * inner..(action + 1) * inner]).copied())
}
