//! Where leaves are valued, if not by the processor.
//!
//! A search asks for nothing but batches of random games ([`Valuers`]), so whoever builds the program may have them played
//! elsewhere. The lanes of the processor come first and stay: they are used until a game is compiled for the other place,
//! and where it cannot be.

use super::table::Shared;
use ludex_engine::propnet::lanes::{Lanes, Valuers};
use ludex_engine::row::Row;
use std::fmt;
use std::sync::Arc;

/// A place to play random games beside the processor: a GPU.
pub trait Accelerator: fmt::Debug + Send + Sync {
    /// Compiles a game for it; random games are broken off after `most` plies, and a trial may begin
    /// in the initial state. Also a sentence on what came of it for those
    /// who watch; the error is one on why nothing did.
    fn load(&self, lanes: Arc<Lanes>, initial: &Row, most: u64)
    -> Result<(Arc<dyn Valuers>, String), String>;
}

/// Puts lanes on the table, and what becomes of them elsewhere. Whether they `pay` is said of the processor's.
pub(super) fn put(shared: &Shared, lanes: Arc<Lanes>, initial: &Row, pay: bool) {
    if pay {
        shared.table().lanes = Some(lanes.clone());
        shared.announce();
    }
    let Some(accelerator) = &shared.settings.accelerator else { return };
    // Compiling takes seconds, in which nobody should wait for the table.
    let loaded = accelerator.load(lanes, initial, shared.settings.tree.plies as u64);
    let mut table = shared.table();
    match loaded {
        Ok((valuers, note)) => {
            table.accelerated = Some(valuers);
            table.notes.push(note);
        }
        Err(why) => table.notes.push(format!("leaves are valued by the processor: {why}")),
    }
    drop(table);
    shared.announce();
}
