//! What is built while a match goes on.

use super::firsthand::Early;
use super::table::{Play, Shared, follow};
use super::{AgentError, accelerator};
use crate::goal_heuristic::GoalHeuristic;
use crate::selection::Exhaustive;
use cpu_time::ThreadTime;
use ludex_engine::auto::{Candidate, Outcome, Portfolio};
use ludex_engine::budget::{Budget, Cancel};
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::error::BuildError;
use ludex_engine::measure::one_by_one;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Keyword;
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_logic::discover::{discover, statements};
use ludex_logic::endgame::file::RulesHash;
use ludex_logic::endgame::regress::{Options, Summary, regress};
use ludex_logic::endgame::{Database, Oracle};
use ludex_logic::facts::Facts;
use ludex_logic::prove::{Options as ProofOptions, Prover};
use ludex_logic::transition::System;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Builds something for a game, piece by piece, within a budget; each piece is used from the moment it is given.
/// What others have made for the game is taken from what is prepared.
pub type Builder = fn(&Prepared, &Budget, &mut dyn FnMut(Equipment)) -> Result<(), BuildError>;

/// A piece that a builder gives.
pub enum Equipment {
    /// An engine to search with.
    Engine(Candidate),
    /// Batches of random games, and whether they pay on the processor.
    Lanes {
        /// The lanes.
        lanes: Arc<Lanes>,
        /// The first state.
        initial: Vec<u64>,
        /// A leaf in a lane costs less than a random game of its own.
        pay: bool,
    },
    /// What is proved of the game.
    Facts(Arc<Facts>),
    /// How close states are to the goals.
    GoalHeuristic(Arc<GoalHeuristic>),
    /// What is known of the end of the game.
    Oracle(Arc<dyn Oracle>),
    /// Something worth telling those who watch.
    Note(String),
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Equipment::Engine(candidate) => f.debug_tuple("Engine").field(candidate).finish(),
            Equipment::Lanes { pay, .. } => f.debug_struct("Lanes").field("pay", pay).finish_non_exhaustive(),
            Equipment::Facts(_) => f.write_str("Facts"),
            Equipment::GoalHeuristic(_) => f.write_str("GoalHeuristic"),
            Equipment::Oracle(_) => f.write_str("Oracle"),
            Equipment::Note(note) => f.debug_tuple("Note").field(note).finish(),
        }
    }
}

/// The reference engine and nothing else: for the measuring stick.
pub fn reference(
    prepared: &Prepared,
    budget: &Budget,
    give: &mut dyn FnMut(Equipment),
) -> Result<(), BuildError> {
    Datalog::by_steps(prepared.game(), &prepared.vocabulary(budget)?, budget, &mut |engine| {
        let (engine, encoding) = (Arc::new(engine), Encoding::Original);
        give(Equipment::Engine(Candidate { engine, encoding, states_per_second: 0.0 }));
    })
}

/// The interpreters of the portfolio, with the rules as written and translated for the frame problem: ready first, for
/// most games within milliseconds. All that take the game are measured.
pub fn interpreters(
    prepared: &Prepared,
    budget: &Budget,
    give: &mut dyn FnMut(Equipment),
) -> Result<(), BuildError> {
    let mut offer = |candidate| give(Equipment::Engine(candidate));
    let tried = Portfolio::new(budget).interpreters(prepared, budget, &mut offer);
    // One of them is enough to play with.
    if tried.iter().any(|(_, candidate)| candidate.is_some()) {
        return Ok(());
    }
    tried.into_iter().try_for_each(|(member, _)| match member.outcome {
        Outcome::Declined(error) => Err(error),
        _ => Ok(()),
    })
}

/// Random games a batch.
const BATCH: u64 = 512;

/// A batch may take so long at most: what it values is that old.
const LONGEST_BATCH: Duration = Duration::from_millis(20);

/// Where a leaf in a lane costs more than this part of a single random game, the tree does without lanes.
const MOST_COST: f64 = 0.5;

/// The network, then the lanes, where the network is not too large for them to be worth their building.
pub fn network(
    prepared: &Prepared,
    budget: &Budget,
    give: &mut dyn FnMut(Equipment),
) -> Result<(), BuildError> {
    /// Lanes go over the whole network at each ply, so beyond this size a leaf takes too long.
    const MOST_GATES: usize = 200_000;
    /// Random games, and the processor time that they may take.
    const SAMPLES: usize = 400;
    const CALIBRATION: Duration = Duration::from_millis(100);
    let engine = prepared.propnet(budget)?;
    let gates = engine.net().gate_count();
    give(Equipment::Note(format!("a network of {gates} gates")));
    Portfolio::new(budget).network(prepared, &mut |candidate| give(Equipment::Engine(candidate)));
    if let Some(mut goal_heuristic) = GoalHeuristic::new(engine.net()) {
        let started = ThreadTime::now();
        let mut is_over = || started.elapsed() > CALIBRATION;
        goal_heuristic.calibrate(&mut *engine.worker(), SAMPLES, &mut Random::new(1), &mut is_over);
        give(Equipment::Note(told(&goal_heuristic)));
        give(Equipment::GoalHeuristic(Arc::new(goal_heuristic)));
    }
    if gates <= MOST_GATES {
        let mut initial = vec![0; engine.vocabulary().words()];
        engine.worker().initial(&mut initial);
        let lanes = Lanes::new(engine.net(), &initial, budget)?;
        let (cost, time) = cost_of_batch(&engine, &lanes, &initial);
        give(Equipment::Note(format!("lanes: a batch of {BATCH} random games costs {cost:.1} single ones")));
        let pay = cost <= MOST_COST * BATCH as f64 && time <= LONGEST_BATCH;
        give(Equipment::Lanes { lanes: Arc::new(lanes), initial, pay });
    }
    Ok(())
}

/// How many single random games a batch from the first state takes the time of, and its processor time.
fn cost_of_batch(engine: &Propnet, lanes: &Lanes, initial: &[u64]) -> (f64, Duration) {
    const SECONDS: f64 = 0.02;
    const MOST_PLIES: u64 = 1000;
    let single = one_by_one(&mut *engine.worker(), SECONDS, &mut Random::new(1), &mut |_| {});
    let playouts_per_second = single.map_or(0.0, |single| single.playouts_per_second());
    let mut runner = lanes.runner(1);
    let (mut batches, started) = (0, ThreadTime::now());
    while batches == 0 || started.elapsed().as_secs_f64() < SECONDS {
        runner.playouts(initial, BATCH, MOST_PLIES);
        batches += 1;
    }
    let time = started.elapsed() / batches;
    (time.as_secs_f64() * playouts_per_second, time)
}

/// How far goal heuristic is trusted, in words.
fn told(goal_heuristic: &GoalHeuristic) -> String {
    let each: Vec<String> = goal_heuristic.trust().iter().map(|t| format!("{:.2}", t.correlation)).collect();
    format!("the goal heuristic foretells the outcome by {}", each.join(", "))
}

/// What can be proved in a few seconds: turns, sums, groups, the length of a match.
pub fn facts(
    prepared: &Prepared,
    budget: &Budget,
    give: &mut dyn FnMut(Equipment),
) -> Result<(), BuildError> {
    const TIME: Duration = Duration::from_secs(5);
    const MEMORY: usize = 256 << 20;
    /// Statements that are told: the most telling come first.
    const TOLD: usize = 6;
    // Without a network nothing is proved, and the game is played all the same.
    let goals = prepared.game().rules.keyword(Keyword::Goal);
    let Ok(system) = System::new(prepared, &[goals], &budget.clone().within(2 * TIME)) else {
        return Ok(());
    };
    let options =
        ProofOptions { budget: budget.clone().with_bytes(MEMORY), time: TIME, ..ProofOptions::default() };
    let facts = discover(&Prover::new(&system, options));
    let told = statements(&facts, system.vocabulary());
    let told: Vec<&str> = told.iter().take(TOLD).map(|statement| statement.text.as_str()).collect();
    let told = if told.is_empty() { "nothing".to_owned() } else { told.join("; ") };
    let exhaustive = Exhaustive::of(system.vocabulary().role_count(), Some(&facts));
    give(Equipment::Note(format!("proved: {told}")));
    give(Equipment::Note(format!("beside the tree: {exhaustive}")));
    give(Equipment::Facts(Arc::new(facts)));
    Ok(())
}

/// A database of the last moves by regression, within bounds that leave the rest of the machine alone.
pub fn endings(
    prepared: &Prepared,
    budget: &Budget,
    give: &mut dyn FnMut(Equipment),
) -> Result<(), BuildError> {
    let options = Options {
        budget: budget.clone().within(Duration::from_secs(60)),
        depth: 8,
        nodes: 2_000_000,
        joint_moves: 20_000,
        ..Options::default()
    };
    // Without a database of its end a game is played as well as without this builder.
    let Ok(done) = regress(prepared, &options) else { return Ok(()) };
    let Summary { entries, depth, .. } = done.summary;
    if entries > 0
        && let Ok(database) = Database::from_bytes(done.bytes)
    {
        give(Equipment::Note(format!("{entries} end-game entries to depth {depth}")));
        give(Equipment::Oracle(Arc::new(database)));
    }
    Ok(())
}

impl Shared {
    /// Uses a database of this game, if there is one.
    pub(super) fn know_solved(&self) {
        if self.settings.solved.is_empty() {
            return;
        }
        let rules = RulesHash::of(&self.prepared.game().rules);
        if let Some(solved) = self.settings.solved.iter().find(|solved| solved.rules == rules) {
            put(self, 0, Equipment::Note("a database of this game was given".to_owned()));
            put(self, 0, Equipment::Oracle(solved.oracle.clone()));
        }
    }
}

/// Runs a builder on its thread and puts what it gives on the table.
pub(super) fn run(shared: &Shared, rank: usize, builder: Builder, stop: &Cancel) {
    /// Takes the builder off the list of those at work, also if it panics: nobody waits for it then.
    struct Done<'s>(&'s Shared, usize);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.table().building[self.1] = None;
            self.0.announce();
        }
    }
    let _done = Done(shared, rank);
    head_start(shared, stop);
    // What nobody waits for must not keep from its work what everybody waits for, and comes in its order.
    if rank >= shared.settings.builders.len() {
        let mut table = shared.table();
        while (table.learning || table.building[..rank].iter().any(Option::is_some)) && !stop.is_cancelled() {
            table = shared.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }
    let mut give = |piece: Equipment| put(shared, rank, piece);
    let mut budget = shared.settings.budget.clone().with_cancel(stop.clone());
    // Beside a single searching thread it takes half of the processor.
    if rank >= shared.settings.builders.len() && shared.settings.threads == 1 {
        budget = budget.within(Duration::from_secs(5));
    }
    if let Err(error) = builder(&shared.prepared, &budget, &mut give) {
        shared.table().complaint = error.to_string();
    }
}

/// Waits until the first legal moves are known, for a moment at most: on a busy machine they would come late.
fn head_start(shared: &Shared, stop: &Cancel) {
    const MOMENT: Duration = Duration::from_secs(1);
    let until = Instant::now() + MOMENT;
    let mut table = shared.table();
    while matches!(table.early, Early::Sought) && !stop.is_cancelled() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        table = shared.changed.wait_timeout(table, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}

fn put(shared: &Shared, rank: usize, piece: Equipment) {
    if let Equipment::Lanes { lanes, initial, pay } = piece {
        return accelerator::put(shared, lanes, &initial, pay);
    }
    let mut table = shared.table();
    match piece {
        Equipment::Lanes { .. } => {}
        Equipment::Note(note) => table.notes.push(note),
        // What was there before the match knows more.
        Equipment::Oracle(oracle) => drop(table.oracle.get_or_insert(oracle)),
        Equipment::Facts(facts) => table.facts = Some(facts),
        Equipment::GoalHeuristic(goal_heuristic) => table.goal_heuristic = Some(goal_heuristic),
        Equipment::Engine(candidate) => {
            if candidate.states_per_second > 0.0 {
                table.notes.push(candidate.to_string());
            }
            // A better engine was faster.
            if table.engine.is_some() && candidate.states_per_second < table.states_per_second {
                return;
            }
            // What comes from further on in the list is hard to beat once it is the fastest.
            if candidate.states_per_second > 0.0 {
                table.building[..rank].iter().flatten().for_each(Cancel::cancel);
            }
            table.enough.cancel();
            if table.play.is_none() {
                table.play = begin(&*candidate.engine, &shared.role);
            }
            table.encoding = candidate.encoding;
            table.states_per_second = candidate.states_per_second;
            table.engine = Some(candidate.engine);
            match follow(&mut table) {
                // An engine that cannot come to the current state waits for a better one.
                Ok(()) | Err(AgentError::Limit(_)) => {}
                Err(error) => {
                    // The moves came before they could be understood: the match goes on without them.
                    let followed = table.play.as_ref().map_or(0, |play| play.joints.len());
                    table.moves.truncate(followed);
                    table.notes.push(error.to_string());
                }
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
