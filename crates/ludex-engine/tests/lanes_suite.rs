//! The lanes against the conformance suite and the recorded games: an engine that asks one of them at a time.
//!
//! Batches have no questions, only games, so the suite sees the lanes through [`OneLane`]. How batches choose
//! moves and what they make of 512 different states is tested in `lanes.rs`.

use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::{Answers, Lanes};
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use ludex_testkit::report::runs_slow;
use ludex_testkit::{Effort, Suite};
use std::sync::Arc;

/// The lanes of a game as an engine.
#[derive(Debug)]
struct OneLane(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    vocabulary: Arc<Vocabulary>,
    lanes: Lanes,
    initial: Vec<u64>,
}

impl Engine for OneLane {
    fn name(&self) -> &'static str {
        "lanes"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.0.vocabulary
    }

    fn memory_usage(&self) -> usize {
        0
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(Asker { engine: self.0.clone(), about: None })
    }
}

struct Asker {
    engine: Arc<Shared>,
    /// The last state that was asked about, and what was said.
    about: Option<(Vec<u64>, Answers)>,
}

impl Asker {
    fn answers(&mut self, state: &Row) -> &Answers {
        let known = self.about.take().filter(|(row, _)| row == state);
        let ask = || (state.to_vec(), self.engine.lanes.runner(1).answers(None, &[state], &[]));
        &self.about.insert(known.unwrap_or_else(ask)).1
    }
}

impl Worker for Asker {
    fn vocabulary(&self) -> &Vocabulary {
        &self.engine.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.engine.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault> {
        Ok(self.answers(state).terminal[0])
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        out.clone_from(&self.answers(state).legal[0][role.index()]);
        Ok(())
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault> {
        let answers = self.engine.lanes.runner(1).answers(None, &[state], &[joint.to_vec()]);
        out.copy_from_slice(&answers.next[0]);
        Ok(())
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
        Ok(self.answers(state).goals[0][role.index()])
    }
}

fn suite() -> Suite<'static> {
    let (budget, playouts) = match std::env::var_os("LUDEX_SLOW") {
        Some(_) => (Budget::default(), usize::MAX),
        // As in `propnet.rs`: what the network declines there, the lanes do here.
        None => (Budget::default().with_rows(200_000).with_steps(30_000_000), 1),
    };
    let effort = Effort { nodes: 3_000, generated: 60, playouts, oracle_nodes: 200, ..Effort::default() };
    let build = move |game: &Game| -> Result<Box<dyn Engine>, _> {
        let compiled = compile(game, &budget)?;
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &budget)?;
        let shared = Shared { vocabulary: compiled.vocabulary, lanes, initial: compiled.initial };
        Ok(Box::new(OneLane(Arc::new(shared))))
    };
    Suite::new("propnet", build).with_effort(effort)
}

#[test]
fn rules() {
    suite().rules();
}

#[test]
fn perft() {
    suite().perft();
}

#[test]
fn plays() {
    suite().plays();
}

#[test]
fn generated() {
    suite().generated();
}

#[test]
fn oracle() {
    runs_slow("lanes on more than the first playout of each record, and on large games");
    suite().oracle();
}
