//! Legal moves before there is an engine: they are all that an agent can answer with then.
//!
//! Some sheets take longer to number than a start clock lasts. The state at hand needs no numbers
//! ([`Firsthand`]), so one thread follows the match in words and publishes the role's legal moves, until the first
//! engine is there.

use super::table::{Shared, Table};
use ludex_engine::budget::Budget;
use ludex_engine::datalog::{Firsthand, Lost};
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Game;
use std::sync::PoisonError;

/// What is known before there is an engine.
pub(super) enum Early {
    /// Nothing yet.
    Sought,
    /// The legal moves of the agent's role at one root.
    Known { root: u64, legal: Vec<String> },
    /// Nothing, and nobody is looking.
    Over,
}

/// Follows the match until there is an engine.
pub(super) fn run(shared: &Shared) {
    /// Nobody waits for what has ended, also if it panicked.
    struct Done<'s>(&'s Shared);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.table().early = Early::Over;
            self.0.announce();
        }
    }
    let _done = Done(shared);
    let budget = shared.settings.budget.clone().with_cancel(shared.table().enough.clone());
    let Ok(mut play) = Firsthand::new(shared.prepared.game(), &budget) else { return };
    let Some(role) = play.roles().position(|role| role == shared.role) else { return };
    let role = RoleId(role as u32);
    let mut followed: Vec<Vec<String>> = Vec::new();
    let mut root = None;
    while let Some((now, moves)) = wait(shared, root) {
        if catch_up(&mut play, &mut followed, moves).is_err() {
            break;
        }
        root = Some(now);
        let mut table = shared.table();
        if table.root == now && table.engine.is_none() {
            let legal = play.legal(role).map(str::to_owned).collect();
            table.early = Early::Known { root: now, legal };
            shared.changed.notify_all();
        }
    }
}

/// The role's legal moves after some joint moves; `None` beyond the limits.
pub(super) fn legal_after(
    game: &Game,
    role: &str,
    moves: &[Vec<String>],
    budget: &Budget,
) -> Option<Vec<String>> {
    let mut play = Firsthand::new(game, budget).ok()?;
    let role = RoleId(play.roles().position(|name| name == role)? as u32);
    catch_up(&mut play, &mut Vec::new(), moves.to_vec()).ok()?;
    Some(play.legal(role).map(str::to_owned).collect())
}

/// Waits for a root other than `last`; `None` once there is an engine, or an end.
fn wait(shared: &Shared, last: Option<u64>) -> Option<(u64, Vec<Vec<String>>)> {
    let mut table = shared.table();
    loop {
        let Table { engine, enough, root, moves, .. } = &*table;
        if engine.is_some() || enough.is_cancelled() {
            return None;
        }
        if last != Some(*root) {
            return Some((*root, moves.clone()));
        }
        table = shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Goes to the state after `moves`. A joint move that makes no sense is passed over, as with an engine.
fn catch_up(
    play: &mut Firsthand,
    followed: &mut Vec<Vec<String>>,
    moves: Vec<Vec<String>>,
) -> Result<(), Lost> {
    if !moves.starts_with(followed) {
        play.restart()?;
        followed.clear();
    }
    for joint in &moves[followed.len()..] {
        match play.advance(joint) {
            Err(limit @ Lost::Limit(_)) => return Err(limit),
            Ok(()) | Err(Lost::Count(_) | Lost::Illegal(_)) => {}
        }
    }
    *followed = moves;
    Ok(())
}
