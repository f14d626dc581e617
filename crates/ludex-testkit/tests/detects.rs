//! The suite finds engines out: each defect here must fail the part that is there for it.

use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::error::BuildError;
use ludex_engine::fault::{Fault, Question};
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use ludex_testkit::derived::check_perft;
use ludex_testkit::walk::Length;
use ludex_testkit::{Effort, Suite, golden};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
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
    /// Every successor runs into a limit.
    GivesUp,
}

#[derive(Debug)]
struct Defective {
    inner: Datalog,
    defect: Defect,
}

struct DefectiveWorker {
    inner: Box<dyn Worker>,
    defect: Defect,
    moved: bool,
}

impl DefectiveWorker {
    fn fault(&self, question: Question) -> Fault {
        Fault::new("defective", Exceeded::Steps(1), question, self.inner.vocabulary())
    }
}

impl Engine for Defective {
    fn name(&self) -> &'static str {
        "defective"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        self.inner.vocabulary()
    }

    fn memory_usage(&self) -> usize {
        self.inner.memory_usage()
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(DefectiveWorker { inner: self.inner.worker(), defect: self.defect, moved: false })
    }
}

impl Worker for DefectiveWorker {
    fn vocabulary(&self) -> &Vocabulary {
        self.inner.vocabulary()
    }

    fn initial(&mut self, out: &mut [u64]) {
        self.inner.initial(out);
    }

    fn is_terminal(&mut self, state: &[u64]) -> Result<bool, Fault> {
        Ok(self.defect != Defect::NeverEnds && self.inner.is_terminal(state)?)
    }

    fn legal(&mut self, state: &[u64], role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        let old = std::mem::take(out);
        self.inner.legal(state, role, out)?;
        match self.defect {
            Defect::Descending => out.reverse(),
            Defect::MissesMove if out.len() > 1 => drop(out.pop()),
            Defect::Appends => drop(out.splice(..0, old)),
            _ => {}
        }
        Ok(())
    }

    fn next(&mut self, state: &[u64], joint: &[MoveId], out: &mut [u64]) -> Result<(), Fault> {
        let old = out.to_vec();
        self.inner.next(state, joint, out)?;
        self.moved = true;
        match self.defect {
            Defect::StrayBit if !self.vocabulary().fluent_count().is_multiple_of(64) => {
                out[state.len() - 1] |= 1 << 63;
            }
            Defect::LosesFluent => {
                if let Some(word) = out.iter_mut().find(|word| **word != 0) {
                    *word &= *word - 1;
                }
            }
            Defect::KeepsOldBits => out.iter_mut().zip(old).for_each(|(new, old)| *new |= old),
            Defect::GivesUp => return Err(self.fault(Question::Next)),
            _ => {}
        }
        Ok(())
    }

    fn goal(&mut self, state: &[u64], role: RoleId) -> Result<Option<Goal>, Fault> {
        let goal = self.inner.goal(state, role)?;
        let moved = std::mem::take(&mut self.moved);
        Ok(match self.defect {
            Defect::WrongGoal => goal.map(|value| value + 1),
            Defect::InventsGoal => goal.or(Some(0)),
            Defect::Remembers if moved => Some(goal.unwrap_or(0) + 1),
            _ => goal,
        })
    }
}

fn build(game: &Game, defect: Defect) -> Result<Box<dyn Engine>, BuildError> {
    Ok(Box::new(Defective { inner: Datalog::new(game, &Budget::default())?, defect }))
}

fn suite(defect: Defect) -> Suite<'static> {
    let length = Length { games: 1, steps: 5, time: Duration::from_secs(1) };
    let effort = Effort {
        nodes: 300,
        walk: length,
        shared_walk: Length { games: 0, ..length },
        generated_walk: length,
        generated: 5,
        ..Effort::default()
    };
    Suite::new("datalog", move |game| build(game, defect)).with_effort(effort)
}

type Part = fn(&Suite<'static>);

fn fails(part: impl FnOnce()) -> bool {
    // A part of a defective engine must never write a golden file.
    assert!(!golden::updating(), "this test cannot run while golden files are rewritten");
    catch_unwind(AssertUnwindSafe(part)).is_err()
}

#[test]
fn the_wrapper_without_a_defect_passes() {
    if golden::updating() {
        return;
    }
    let suite = suite(Defect::None);
    suite.rules();
    suite.perft();
    suite.plays();
    suite.walks();
    suite.generated();
}

#[test]
fn every_defect_is_found_by_the_part_that_is_there_for_it() {
    if golden::updating() {
        return;
    }
    let parts: [(&str, Part); 4] =
        [("rules", Suite::rules), ("perft", Suite::perft), ("plays", Suite::plays), ("walks", Suite::walks)];
    for (defect, finders) in [
        (Defect::StrayBit, &["walks"][..]),
        (Defect::LosesFluent, &["rules", "perft", "plays"]),
        (Defect::KeepsOldBits, &["rules", "plays", "walks"]),
        (Defect::Descending, &["walks"]),
        (Defect::MissesMove, &["rules", "perft", "plays"]),
        (Defect::Appends, &["walks"]),
        (Defect::WrongGoal, &["rules", "plays"]),
        (Defect::InventsGoal, &["rules"]),
        (Defect::NeverEnds, &["rules", "perft", "plays"]),
        (Defect::Remembers, &["walks"]),
        (Defect::GivesUp, &["rules", "perft", "plays", "walks"]),
    ] {
        for (name, part) in parts {
            if finders.contains(&name) {
                assert!(fails(|| part(&suite(defect))), "{name} lets {defect:?} pass");
            }
        }
    }
}

#[test]
fn the_comparison_with_the_reference_finds_every_defect() {
    if golden::updating() {
        return;
    }
    let length = Length { games: 2, steps: 30, time: Duration::from_secs(5) };
    let game = ludex_testkit::corpus::games().into_iter().find(|source| source.name == "tictactoe");
    let game = game.and_then(|source| source.game().ok()).expect("a bundled game");
    let reference = build(&game, Defect::None).expect("a small game");
    let compare = |defect| {
        let other = build(&game, defect).expect("a small game");
        ludex_testkit::differential::compare(&*reference, &*other, 1, length)
    };
    assert_eq!(compare(Defect::None), Ok(()));
    for defect in [
        Defect::StrayBit,
        Defect::LosesFluent,
        Defect::KeepsOldBits,
        Defect::Descending,
        Defect::MissesMove,
        Defect::Appends,
        Defect::WrongGoal,
        Defect::NeverEnds,
        Defect::GivesUp,
    ] {
        assert!(compare(defect).is_err(), "{defect:?} passes");
    }
}

/// An engine that declines games without saying so in its list fails.
#[test]
fn declined_games_are_listed_or_it_is_a_failure() {
    if golden::updating() {
        return;
    }
    let suite = Suite::new("datalog", |game| {
        Ok(Box::new(Datalog::new(game, &Budget::default().with_rows(1))?) as Box<dyn Engine>)
    });
    assert!(fails(|| suite.rules()));
    assert!(fails(|| suite.treatments()));
    assert!(fails(|| suite.perft()));
}

/// Counts of which none is compared, and an engine that would fail the first one.
#[test]
fn counts_are_compared_or_it_is_a_failure() {
    let game = ludex_testkit::corpus::games().into_iter().find(|source| source.name == "tictactoe");
    let game = game.and_then(|source| source.game().ok()).expect("a bundled game");
    let engine = build(&game, Defect::None).expect("a small game");
    assert!(check_perft(&*engine, &[], 1000).is_err());
    assert!(check_perft(&*engine, &[(1, 9), (2, 72)], 1).is_ok());
    assert!(check_perft(&*engine, &[(1, 8), (2, 72)], 1).is_err(), "the first depth is always counted");
}
