//! The portfolio: builds what fits, measures for a moment on the game itself, and takes the fastest.
//!
//! Members are the network, one game at a time and 512 at a time, and the interpreters `tree` and `datalog` with the
//! rules as written and translated for the frame problem. All have the same vocabulary and give the same
//! answers, so the choice, which depends on the machine and the moment, decides nothing but speed.
//!
//! The network comes first. Where it plays `FAST` states a second no interpreter comes near and none is built;
//! else they are given as much time as the network took. Use an engine's own constructor instead where the same
//! engine is wanted every time, or where building must be as short as can be. What it does not do: build in the
//! background (`ludex-search` does, for a match), or choose again while a game is played.

use crate::budget::Budget;
use crate::datalog::Datalog;
use crate::engine::Engine;
use crate::error::BuildError;
use crate::fault::Fault;
use crate::measure::{batches, one_by_one};
use crate::propnet::Propnet;
use crate::propnet::lanes::Lanes;
use crate::random::Random;
use crate::tree::Tree;
use cpu_time::ThreadTime;
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::{Encoding, encode};
use std::fmt;
use std::time::{Duration, Instant};

/// States a second from which on the network is taken without a look at the interpreters: the fastest that was seen
/// of one is 0.77 million (`ludex bench nim`, the engine `tree`).
const FAST: f64 = 2_000_000.0;

/// Lanes go over the whole network at each ply, and are planned several times over when they are built. Beyond
/// this size that takes longer than it saves.
const MOST_GATES_FOR_LANES: usize = 200_000;

/// An interpreter gets at least this time to be built.
const LEAST_PATIENCE: Duration = Duration::from_millis(500);

/// How a member plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Execution {
    /// One game at a time: for search and for single questions.
    Scalar,
    /// 512 games at a time: for batches of playouts.
    Lanes,
}

/// One member of the portfolio and what became of it.
#[derive(Clone, Debug)]
pub struct Member {
    /// The engine's name.
    pub engine: &'static str,
    /// How the rules were written when it was built.
    pub encoding: Encoding,
    /// How it plays.
    pub execution: Execution,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was built and measured.
    Measured {
        /// Seconds that building took.
        build_seconds: f64,
        /// Joint moves a second of processor time.
        states_per_second: f64,
    },
    /// It could not be built.
    Declined(BuildError),
    /// It was built, and met a state from which more follows than it may derive.
    Faulted(Fault),
    /// It was not tried.
    PassedOver(Reason),
}

/// Why a member was not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The network is so fast that no interpreter comes near.
    NetworkIsFast,
    /// The network is too large to go over at each ply.
    TooManyGates,
    /// There is no network.
    NoNetwork,
    /// The rules have no frame rules that could be translated.
    NothingToTranslate,
    /// The engine has declined the rules as they are written; the translation derives no less.
    DeclinedAsWritten,
    /// Batches were not asked for.
    NotAskedFor,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Measured { build_seconds, states_per_second } => {
                write!(f, "{states_per_second:.0} states/s, built in {build_seconds:.3} s")
            }
            Outcome::Declined(error) => error.fmt(f),
            Outcome::Faulted(fault) => fault.fmt(f),
            Outcome::PassedOver(reason) => f.write_str(match reason {
                Reason::NetworkIsFast => "not built: the network is fast enough",
                Reason::TooManyGates => "not built: too many gates",
                Reason::NoNetwork => "not built: no network",
                Reason::NothingToTranslate => "not built: nothing to translate",
                Reason::DeclinedAsWritten => "not built: too large as written",
                Reason::NotAskedFor => "not built: no batches asked for",
            }),
        }
    }
}

/// All members, and which were chosen.
#[derive(Clone, Debug)]
pub struct Report {
    /// In the order in which they were tried.
    pub members: Vec<Member>,
    /// The position of the one chosen for single games.
    pub scalar: usize,
    /// The position of the fastest for batches: lanes, or the scalar choice in a loop.
    pub batch: usize,
}

impl Report {
    /// The rate of a member that was measured.
    pub fn rate(&self, member: usize) -> Option<f64> {
        rate(&self.members[member])
    }
}

fn rate(member: &Member) -> Option<f64> {
    match member.outcome {
        Outcome::Measured { states_per_second, .. } => Some(states_per_second),
        _ => None,
    }
}

/// What the portfolio has chosen.
#[derive(Debug)]
pub struct Chosen {
    /// The engine for single games.
    pub engine: Box<dyn Engine>,
    /// The lanes for batches, if they were asked for and built.
    pub lanes: Option<Lanes>,
    /// How it came to that.
    pub report: Report,
}

/// How to choose.
#[derive(Clone, Debug)]
pub struct Portfolio {
    /// Bounds on the building of each member.
    pub budget: Budget,
    /// Processor time for measuring each member.
    pub seconds: f64,
    /// Whether lanes are built and measured too.
    pub batch: bool,
}

impl Portfolio {
    /// A twentieth of a second of measuring for each member, for single games.
    pub fn new(budget: &Budget) -> Portfolio {
        Portfolio { budget: budget.clone(), seconds: 0.05, batch: false }
    }

    /// Builds and measures; an error if no member takes the game.
    pub fn choose(&self, game: &Game) -> Result<Chosen, BuildError> {
        let mut trial = Trial { portfolio: self, members: Vec::new(), built: Vec::new(), lanes: None };
        let started = Instant::now();
        let network = trial.network(game);
        let spent = started.elapsed();
        if network.is_some_and(|rate| rate >= FAST) {
            for (engine, encoding) in INTERPRETERS {
                trial.pass_over(engine, encoding, Execution::Scalar, Reason::NetworkIsFast);
            }
        } else {
            // Without a network there is nothing to compare the time with.
            let budget = match network {
                Some(_) => self.budget.clone().within(spent.max(LEAST_PATIENCE)),
                None => self.budget.clone(),
            };
            trial.interpreters(game, &budget);
        }
        trial.chosen()
    }
}

/// In the order in which they are tried.
const INTERPRETERS: [(&str, Encoding); 4] = [
    ("tree", Encoding::Original),
    ("tree", Encoding::Relevant),
    ("datalog", Encoding::Original),
    ("datalog", Encoding::Relevant),
];

/// A choice in the making.
struct Trial<'p> {
    portfolio: &'p Portfolio,
    members: Vec<Member>,
    /// The scalar members that were built, by position in `members`.
    built: Vec<(usize, Box<dyn Engine>)>,
    lanes: Option<Lanes>,
}

impl Trial<'_> {
    /// Tries the network; its rate if it was built. Of a limited time it gets a half, so that the interpreters get theirs.
    fn network(&mut self, game: &Game) -> Option<f64> {
        let name = "propnet";
        let started = ThreadTime::now();
        let engine = match Propnet::new(game, &self.portfolio.budget.share(2)) {
            Ok(engine) => engine,
            Err(error) => {
                self.add(name, Encoding::Original, Execution::Scalar, Outcome::Declined(error));
                self.pass_over(name, Encoding::Original, Execution::Lanes, Reason::NoNetwork);
                return None;
            }
        };
        let build_seconds = started.elapsed().as_secs_f64();
        let outcome = self.measure(&engine, build_seconds);
        let member = self.add(name, Encoding::Original, Execution::Scalar, outcome);
        if !self.portfolio.batch {
            self.pass_over(name, Encoding::Original, Execution::Lanes, Reason::NotAskedFor);
        } else if engine.net().gate_count() > MOST_GATES_FOR_LANES {
            self.pass_over(name, Encoding::Original, Execution::Lanes, Reason::TooManyGates);
        } else {
            let mut initial = vec![0; engine.vocabulary().words()];
            engine.worker().initial(&mut initial);
            let started = ThreadTime::now();
            let outcome = match Lanes::new(engine.net(), &initial, &self.portfolio.budget) {
                Ok(lanes) => {
                    let build_seconds = build_seconds + started.elapsed().as_secs_f64();
                    let measured = batches(&lanes, &initial, self.portfolio.seconds, SEED, &mut |_| {});
                    let states_per_second = measured.states_per_second();
                    self.lanes = Some(lanes);
                    Outcome::Measured { build_seconds, states_per_second }
                }
                Err(limit) => Outcome::Declined(limit.into()),
            };
            self.add(name, Encoding::Original, Execution::Lanes, outcome);
        }
        self.built.push((member, Box::new(engine)));
        rate(&self.members[member])
    }

    fn interpreters(&mut self, game: &Game, budget: &Budget) {
        let translated = encode(game, Encoding::Relevant, &[], budget);
        for (name, encoding) in INTERPRETERS {
            let is_declined =
                |member: &Member| member.engine == name && matches!(member.outcome, Outcome::Declined(_));
            let reason = match encoding {
                Encoding::Original => None,
                _ if translated.frame.is_none() => Some(Reason::NothingToTranslate),
                _ => self.members.iter().any(is_declined).then_some(Reason::DeclinedAsWritten),
            };
            if let Some(reason) = reason {
                self.pass_over(name, encoding, Execution::Scalar, reason);
                continue;
            }
            let rules = if encoding == Encoding::Original { game } else { &translated };
            let started = ThreadTime::now();
            let engine: Result<Box<dyn Engine>, BuildError> = match name {
                "tree" => Tree::new(rules, budget).map(|engine| Box::new(engine) as Box<dyn Engine>),
                _ => Datalog::new(rules, budget).map(|engine| Box::new(engine) as Box<dyn Engine>),
            };
            match engine {
                Ok(engine) => {
                    let outcome = self.measure(&*engine, started.elapsed().as_secs_f64());
                    let member = self.add(name, encoding, Execution::Scalar, outcome);
                    self.built.push((member, engine));
                }
                Err(error) => {
                    self.add(name, encoding, Execution::Scalar, Outcome::Declined(error));
                }
            }
        }
    }

    fn measure(&self, engine: &dyn Engine, build_seconds: f64) -> Outcome {
        let mut worker = engine.worker();
        match one_by_one(&mut *worker, self.portfolio.seconds, &mut Random::new(SEED), &mut |_| {}) {
            Err(fault) => Outcome::Faulted(fault),
            Ok(measured) => {
                Outcome::Measured { build_seconds, states_per_second: measured.states_per_second() }
            }
        }
    }

    fn add(
        &mut self,
        engine: &'static str,
        encoding: Encoding,
        execution: Execution,
        outcome: Outcome,
    ) -> usize {
        self.members.push(Member { engine, encoding, execution, outcome });
        self.members.len() - 1
    }

    fn pass_over(&mut self, engine: &'static str, encoding: Encoding, execution: Execution, reason: Reason) {
        self.add(engine, encoding, execution, Outcome::PassedOver(reason));
    }

    fn chosen(self) -> Result<Chosen, BuildError> {
        let Trial { members, built, lanes, .. } = self;
        let speed = |member: usize| rate(&members[member]).unwrap_or(0.0);
        let Some((scalar, engine)) = built.into_iter().max_by(|a, b| speed(a.0).total_cmp(&speed(b.0)))
        else {
            let error = members.iter().rev().find_map(|member| match &member.outcome {
                Outcome::Declined(error) => Some(error.clone()),
                _ => None,
            });
            return Err(error.expect("a member that was tried and not built was declined"));
        };
        let in_lanes = members.iter().position(|member| member.execution == Execution::Lanes);
        let batch = in_lanes.filter(|&lanes| speed(lanes) > speed(scalar)).unwrap_or(scalar);
        Ok(Chosen { engine, lanes, report: Report { members, scalar, batch } })
    }
}

/// Every member plays the same random numbers.
const SEED: u64 = 1;
