//! What is built while a match goes on.

use super::{Play, Shared, follow};
use crate::clock::Stop;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::error::BuildError;
use ludex_engine::limits::{Limits, interruptible, stop_flag};
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Game;
use ludex_logic::endgame::regress::{self, Options, Summary, regress};
use ludex_logic::endgame::{Database, Oracle};
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Builds something for a game, piece by piece; each piece is used from the moment it is given. It runs
/// inside [`interruptible`], and ends early where its work asks for limits.
pub type Workshop = fn(&Game, Limits, &mut dyn FnMut(Equipment)) -> Result<(), BuildError>;

/// A piece that a workshop gives.
pub enum Equipment {
    /// An engine to search with.
    Engine(Arc<dyn Engine>),
    /// Batches of random games.
    Lanes(Arc<Lanes>),
    /// What is known of the end of the game.
    Oracle(Arc<dyn Oracle>),
    /// Something worth telling those who watch.
    Note(String),
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Equipment::Engine(engine) => f.debug_tuple("Engine").field(&engine.name()).finish(),
            Equipment::Lanes(_) => f.write_str("Lanes"),
            Equipment::Oracle(_) => f.write_str("Oracle"),
            Equipment::Note(note) => f.debug_tuple("Note").field(note).finish(),
        }
    }
}

/// The reference engine: ready first, for most games within milliseconds.
pub fn reference(game: &Game, limits: Limits, give: &mut dyn FnMut(Equipment)) -> Result<(), BuildError> {
    Datalog::by_steps(game, limits, &mut |engine| give(Equipment::Engine(Arc::new(engine))))
}

/// The network, then the lanes, where the network is not too large for them to be worth their building.
pub fn network(game: &Game, limits: Limits, give: &mut dyn FnMut(Equipment)) -> Result<(), BuildError> {
    /// Lanes go over the whole network at each ply, so beyond this size a leaf takes too long.
    const MOST_GATES: usize = 200_000;
    let engine = Arc::new(Propnet::new(game, limits)?);
    let gates = engine.net().gate_count();
    give(Equipment::Note(format!("a network of {gates} gates")));
    give(Equipment::Engine(engine.clone()));
    if gates <= MOST_GATES {
        let mut initial = vec![0; engine.vocabulary().words()];
        engine.worker().initial(&mut initial);
        give(Equipment::Lanes(Arc::new(Lanes::new(engine.net(), &initial))));
        give(Equipment::Note("lanes for batches of playouts".to_owned()));
    }
    Ok(())
}

/// A database of the last moves by regression, within bounds that leave the rest of the machine alone.
pub fn endings(game: &Game, _: Limits, give: &mut dyn FnMut(Equipment)) -> Result<(), BuildError> {
    let limits = regress::Limits {
        depth: 8,
        nodes: 2_000_000,
        joint_moves: 20_000,
        time: Duration::from_secs(60),
        ..regress::Limits::default()
    };
    let stop = stop_flag();
    let options = Options { limits, interrupt: stop.as_deref(), ..Options::default() };
    // Without a database of its end a game is played as well as without this workshop.
    let Ok(done) = regress(game, &options) else { return Ok(()) };
    let Summary { entries, depth, .. } = done.summary;
    if entries > 0
        && let Ok(database) = Database::from_bytes(done.bytes)
    {
        give(Equipment::Note(format!("{entries} end-game entries to depth {depth}")));
        give(Equipment::Oracle(Arc::new(database)));
    }
    Ok(())
}

/// Runs a workshop on its thread and puts what it gives on the table.
pub(super) fn run(shared: &Shared, rank: usize, workshop: Workshop, stop: &Stop) {
    /// Takes the workshop off the list of those at work, also if it panics: nobody waits for it then.
    struct Done<'s>(&'s Shared, usize);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.table().building[self.1] = None;
            self.0.announce();
        }
    }
    let _done = Done(shared, rank);
    // What nobody waits for must not keep from its work what everybody waits for.
    let awaited = shared.settings.workshops.len();
    if rank >= awaited {
        let mut table = shared.table();
        while table.building[..awaited].iter().any(Option::is_some) && !stop.is_set() {
            table = shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }
    let mut give = |piece: Equipment| put(shared, rank, piece);
    let result = interruptible(stop.flag(), || workshop(&shared.game, shared.settings.limits, &mut give));
    if let Err(error) = result {
        shared.table().complaint = error.to_string();
    }
}

fn put(shared: &Shared, rank: usize, piece: Equipment) {
    let mut table = shared.table();
    match piece {
        Equipment::Note(note) => table.notes.push(note),
        Equipment::Lanes(lanes) => table.lanes = Some(lanes),
        Equipment::Oracle(oracle) => table.oracle = Some(oracle),
        // A better engine was faster.
        Equipment::Engine(_) if table.engine.is_some() && rank < table.rank => return,
        Equipment::Engine(engine) => {
            // Whatever would give a worse one need not go on.
            for stop in table.building[..rank].iter().flatten() {
                stop.set();
            }
            if table.play.is_none() {
                table.play = begin(&*engine, &shared.role);
            }
            table.engine = Some(engine);
            table.rank = rank;
            if let Err(error) = follow(&mut table) {
                // The moves came before they could be understood: the match goes on without them.
                let followed = table.play.as_ref().map_or(0, |play| play.joints.len());
                table.moves.truncate(followed);
                table.notes.push(error.to_string());
            }
        }
    }
    drop(table);
    shared.announce();
}

/// The start of the match, if the rules have the role.
fn begin(engine: &dyn Engine, role: &str) -> Option<Play> {
    let vocabulary = engine.vocabulary();
    let named = |name: &str| vocabulary.roles().find(|&id| vocabulary.show_role(id) == name);
    let chance: Option<RoleId> =
        vocabulary.roles().find(|&id| vocabulary.show_role(id).eq_ignore_ascii_case("random"));
    let mut initial = vec![0; vocabulary.words()];
    engine.worker().initial(&mut initial);
    let role = named(role)?;
    let chance = chance.filter(|chance| *chance != role);
    Some(Play { role, chance, states: vec![initial], joints: Vec::new() })
}
