//! The suite finds engines out: each fault here must fail the part that is there for it.

use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::error::BuildError;
use ludex_engine::limits::Limits;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use ludex_testkit::walk::Length;
use ludex_testkit::{Effort, Suite, golden};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Sets a bit behind the last fluent.
    StrayBit,
    /// The successor lacks its first fluent.
    LosesFluent,
    /// Bits that were set in the buffer stay.
    KeepsOldBits,
    /// The list of moves is descending.
    Descending,
    /// The last of several moves is missing.
    MissesMove,
    /// Moves are added to what the list held.
    Appends,
    /// Every goal is one too high.
    WrongGoal,
    /// A role without a single goal value gets 0.
    InventsGoal,
    /// No state is terminal.
    NeverEnds,
    /// After a successor was computed, the next goal is wrong.
    Remembers,
}

#[derive(Debug)]
struct Faulty {
    inner: Datalog,
    fault: Fault,
}

struct FaultyWorker<'e> {
    inner: Box<dyn Worker + 'e>,
    fault: Fault,
    moved: bool,
}

impl Engine for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.inner.vocabulary()
    }

    fn memory_usage(&self) -> usize {
        self.inner.memory_usage()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(FaultyWorker { inner: self.inner.worker(), fault: self.fault, moved: false })
    }
}

impl Worker for FaultyWorker<'_> {
    fn vocabulary(&self) -> &Vocabulary {
        self.inner.vocabulary()
    }

    fn initial(&mut self, out: &mut [u64]) {
        self.inner.initial(out);
    }

    fn is_terminal(&mut self, state: &[u64]) -> bool {
        self.fault != Fault::NeverEnds && self.inner.is_terminal(state)
    }

    fn legal(&mut self, state: &[u64], role: RoleId, out: &mut Vec<MoveId>) {
        let old = std::mem::take(out);
        self.inner.legal(state, role, out);
        match self.fault {
            Fault::Descending => out.reverse(),
            Fault::MissesMove if out.len() > 1 => drop(out.pop()),
            Fault::Appends => drop(out.splice(..0, old)),
            _ => {}
        }
    }

    fn next(&mut self, state: &[u64], joint: &[MoveId], out: &mut [u64]) {
        let old = out.to_vec();
        self.inner.next(state, joint, out);
        self.moved = true;
        match self.fault {
            Fault::StrayBit if !self.vocabulary().fluent_count().is_multiple_of(64) => {
                out[state.len() - 1] |= 1 << 63;
            }
            Fault::LosesFluent => {
                if let Some(word) = out.iter_mut().find(|word| **word != 0) {
                    *word &= *word - 1;
                }
            }
            Fault::KeepsOldBits => out.iter_mut().zip(old).for_each(|(new, old)| *new |= old),
            _ => {}
        }
    }

    fn goal(&mut self, state: &[u64], role: RoleId) -> Option<Goal> {
        let goal = self.inner.goal(state, role);
        let moved = std::mem::take(&mut self.moved);
        match self.fault {
            Fault::WrongGoal => goal.map(|value| value + 1),
            Fault::InventsGoal => goal.or(Some(0)),
            Fault::Remembers if moved => Some(goal.unwrap_or(0) + 1),
            _ => goal,
        }
    }
}

fn build(game: &Game, fault: Fault) -> Result<Box<dyn Engine>, BuildError> {
    Ok(Box::new(Faulty { inner: Datalog::new(game, Limits::default())?, fault }))
}

fn suite(fault: Fault) -> Suite<'static> {
    let length = Length { games: 1, steps: 5, time: Duration::from_secs(1) };
    let effort = Effort {
        nodes: 300,
        walk: length,
        shared_walk: Length { games: 0, ..length },
        generated_walk: length,
        generated: 5,
        ..Effort::default()
    };
    Suite::new("datalog", move |game| build(game, fault)).with_effort(effort)
}

type Part = fn(&Suite<'static>);

fn fails(part: impl FnOnce()) -> bool {
    // A part of a faulty engine must never write a golden file.
    assert!(!golden::updating(), "this test cannot run while golden files are rewritten");
    catch_unwind(AssertUnwindSafe(part)).is_err()
}

#[test]
fn the_wrapper_without_a_fault_passes() {
    if golden::updating() {
        return;
    }
    let suite = suite(Fault::None);
    suite.rules();
    suite.perft();
    suite.plays();
    suite.walks();
    suite.generated();
}

#[test]
fn every_fault_is_found_by_the_part_that_is_there_for_it() {
    if golden::updating() {
        return;
    }
    let parts: [(&str, Part); 4] =
        [("rules", Suite::rules), ("perft", Suite::perft), ("plays", Suite::plays), ("walks", Suite::walks)];
    for (fault, finders) in [
        (Fault::StrayBit, &["walks"][..]),
        (Fault::LosesFluent, &["rules", "perft", "plays"]),
        (Fault::KeepsOldBits, &["rules", "plays", "walks"]),
        (Fault::Descending, &["walks"]),
        (Fault::MissesMove, &["rules", "perft", "plays"]),
        (Fault::Appends, &["walks"]),
        (Fault::WrongGoal, &["rules", "plays"]),
        (Fault::InventsGoal, &["rules"]),
        (Fault::NeverEnds, &["rules", "perft", "plays"]),
        (Fault::Remembers, &["walks"]),
    ] {
        for (name, part) in parts {
            if finders.contains(&name) {
                assert!(fails(|| part(&suite(fault))), "{name} lets {fault:?} pass");
            }
        }
    }
}

#[test]
fn the_comparison_with_the_reference_finds_every_fault() {
    if golden::updating() {
        return;
    }
    let length = Length { games: 2, steps: 30, time: Duration::from_secs(5) };
    let game = ludex_testkit::corpus::games().into_iter().find(|source| source.name == "tictactoe");
    let game = game.and_then(|source| source.game().ok()).expect("a bundled game");
    let reference = build(&game, Fault::None).expect("a small game");
    let compare = |fault| {
        let other = build(&game, fault).expect("a small game");
        ludex_testkit::differential::compare(&*reference, &*other, 1, length)
    };
    assert_eq!(compare(Fault::None), Ok(()));
    for fault in [
        Fault::StrayBit,
        Fault::LosesFluent,
        Fault::KeepsOldBits,
        Fault::Descending,
        Fault::MissesMove,
        Fault::Appends,
        Fault::WrongGoal,
        Fault::NeverEnds,
    ] {
        assert!(compare(fault).is_err(), "{fault:?} passes");
    }
}

/// An engine that declines games without saying so in its list fails.
#[test]
fn declined_games_are_listed_or_it_is_a_failure() {
    if golden::updating() {
        return;
    }
    let suite = Suite::new("datalog", |game| {
        Ok(Box::new(Datalog::new(game, Limits { rows: 1, ..Limits::default() })?) as Box<dyn Engine>)
    });
    assert!(fails(|| suite.rules()));
    assert!(fails(|| suite.perft()));
}
