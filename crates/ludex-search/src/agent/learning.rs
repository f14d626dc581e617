//! Learning in the start clock ([`crate::learning`]).
//!
//! Until it is done, or a move is asked for, the searching threads wait: the trial needs the processor more than they do.
//! With [`Settings::learning`] `None` nothing is learnt, and all searches are trees.
//!
//! [`Settings::learning`]: super::Settings::learning

use super::table::Shared;
use crate::evaluation::{Evaluation, FileError};
use crate::learning::{Time, learn};
use crate::pvs;
use crate::trial::{Method, Side};
use ludex_engine::engine::Engine;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::vocabulary::Vocabulary;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of the table that all threads share: it is written to when it is made, so a larger one takes time.
const MOST_TABLE: usize = 256 << 20;
/// The part of the time until which the trial waits for lanes that are being made.
const LANES_IN_TIME: f64 = 0.6;

/// Learns, and puts what came of it on the table.
pub(super) fn run(shared: &Shared) {
    /// Nobody waits for it any longer, also if it panics.
    struct Done<'s>(&'s Shared);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.table().learning = false;
            self.0.announce();
        }
    }
    let done = Done(shared);
    if let Some(time) = shared.settings.learning
        && let Some((side, notes)) = found_out(shared, time)
    {
        let mut table = shared.table();
        table.notes.extend(notes);
        table.tree = side.tree;
        if let Method::Pvs(evaluation) = side.method {
            let positions = Arc::new(pvs::Table::new(MOST_TABLE.min(shared.settings.memory / 2)));
            table.evaluation = Some((evaluation, positions));
        }
    }
    drop(done);
}

fn found_out(shared: &Shared, total: Duration) -> Option<(Side, Vec<String>)> {
    let until = Instant::now().checked_add(total)?;
    let budget = shared.settings.budget.clone().with_cancel(shared.stop.child()).until(until);
    let engine = shared.prepared.propnet(&budget).ok()?;
    // The parts of the time are parts of what the network has left of it.
    let left = until.saturating_duration_since(Instant::now());
    let time = Time::from_now(left, shared.stop.clone());
    let in_time = Instant::now() + left.mul_f64(LANES_IN_TIME);
    let mut lanes = || lanes(shared, in_time);
    let trained = trained(shared, engine.vocabulary());
    // A limit that is met leaves the game to the tree.
    learn(&engine, &mut lanes, &shared.settings.tree, trained, shared.settings.seed, &time).ok()?
}

/// The evaluation that was trained for these rules, if somebody gave one.
fn trained(shared: &Shared, vocabulary: &Vocabulary) -> Option<Evaluation> {
    let rules = &shared.prepared.game().rules;
    shared.settings.evaluations.iter().find_map(|trained| match trained.evaluation(rules, vocabulary) {
        Ok(evaluation) => Some(evaluation),
        Err(FileError::Foreign) => None,
        Err(error) => {
            shared.table().notes.push(error.to_string());
            None
        }
    })
}

/// The lanes on the table, once those who build what matches need are done.
fn lanes(shared: &Shared, until: Instant) -> Option<Arc<Lanes>> {
    let builders = shared.settings.builders.len();
    let mut table = shared.table();
    while table.lanes.is_none() && table.building[..builders].iter().any(Option::is_some) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || shared.stop.is_cancelled() {
            break;
        }
        table = shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
    }
    table.lanes.clone()
}
