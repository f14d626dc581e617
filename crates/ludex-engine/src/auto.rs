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
use crate::engine::Engine;
use crate::error::BuildError;
use crate::fault::Fault;
use crate::measure::{batches, one_by_one};
use crate::prepared::{Interpreter, Prepared};
use crate::propnet::Propnet;
use crate::propnet::lanes::Lanes;
use crate::random::Random;
use cpu_time::ThreadTime;
use ludex_gdl::rewrite::fnext::Encoding;
use std::fmt;
use std::sync::Arc;
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

/// An engine, and how fast it plays.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The engine.
    pub engine: Arc<dyn Engine>,
    /// How the rules were written when it was built.
    pub encoding: Encoding,
    /// Joint moves a second of random play; 0 before it was measured, or if it met a limit then.
    pub states_per_second: f64,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:.0} states/s", self.engine.name(), self.encoding, self.states_per_second)
    }
}

/// What the portfolio has chosen.
#[derive(Debug)]
pub struct Chosen {
    /// The engine for single games.
    pub engine: Arc<dyn Engine>,
    /// The lanes for batches, if they were asked for and built.
    pub lanes: Option<Lanes>,
    /// How it came to that.
    pub report: Report,
}

/// How to choose.
#[derive(Clone, Debug)]
pub struct Portfolio {
    /// Bounds on the building of each member, and on all of it.
    pub budget: Budget,
    /// Processor time for measuring each member.
    pub seconds: f64,
    /// Whether lanes are built and measured too.
    pub batch: bool,
}

/// Hears of every engine twice: as soon as it can play, and when it is measured.
pub type Give<'g> = dyn FnMut(Candidate) + 'g;

impl Portfolio {
    /// A twentieth of a second of measuring for each member, for single games.
    pub fn new(budget: &Budget) -> Portfolio {
        Portfolio { budget: budget.clone(), seconds: 0.05, batch: false }
    }

    /// Builds and measures; an error if no member takes the game.
    pub fn choose(&self, prepared: &Prepared) -> Result<Chosen, BuildError> {
        self.choose_telling(prepared, &mut |_| {})
    }

    /// As `choose`, and tells `give` of every engine on the way.
    pub fn choose_telling(&self, prepared: &Prepared, give: &mut Give<'_>) -> Result<Chosen, BuildError> {
        let mut built: Vec<(usize, Candidate)> = Vec::new();
        let started = Instant::now();
        let (network, engine) = self.network(prepared, give);
        let spent = started.elapsed();
        built.extend(engine.iter().map(|(_, candidate)| (0, candidate.clone())));
        let rate = rate(&network);
        let mut members = vec![network];
        let (in_lanes, lanes) = self.lanes(engine.as_ref().map(|(engine, _)| &**engine));
        members.push(in_lanes);
        if rate.is_some_and(|rate| rate >= FAST) {
            let passed = |(kind, encoding): (Interpreter, Encoding)| {
                passed_over(kind.name(), encoding, Execution::Scalar, Reason::NetworkIsFast)
            };
            members.extend(INTERPRETERS.map(passed));
        } else {
            // Without a network there is nothing to compare the time with.
            let budget = match rate {
                Some(_) => self.budget.clone().within(spent.max(LEAST_PATIENCE)),
                None => self.budget.clone(),
            };
            for (member, candidate) in self.interpreters(prepared, &budget, give) {
                built.extend(candidate.map(|candidate| (members.len(), candidate)));
                members.push(member);
            }
        }
        chosen(members, built, lanes)
    }

    /// Tries the network. Of a limited time it gets a half, so that the interpreters get theirs.
    pub fn network(
        &self,
        prepared: &Prepared,
        give: &mut Give<'_>,
    ) -> (Member, Option<(Arc<Propnet>, Candidate)>) {
        let started = ThreadTime::now();
        match prepared.propnet(&self.budget.share(2)) {
            Ok(engine) => {
                let seconds = started.elapsed().as_secs_f64();
                let (outcome, candidate) = self.measured(engine.clone(), Encoding::Original, seconds, give);
                (member(NETWORK, Encoding::Original, Execution::Scalar, outcome), Some((engine, candidate)))
            }
            Err(error) => {
                let outcome = Outcome::Declined(error);
                (member(NETWORK, Encoding::Original, Execution::Scalar, outcome), None)
            }
        }
    }

    /// Builds and measures lanes over the network, if they are asked for.
    fn lanes(&self, engine: Option<&Propnet>) -> (Member, Option<Lanes>) {
        let passed = |reason| (passed_over(NETWORK, Encoding::Original, Execution::Lanes, reason), None);
        let Some(engine) = engine else { return passed(Reason::NoNetwork) };
        if !self.batch {
            return passed(Reason::NotAskedFor);
        }
        if engine.net().gate_count() > MOST_GATES_FOR_LANES {
            return passed(Reason::TooManyGates);
        }
        let mut initial = vec![0; engine.vocabulary().words()];
        engine.worker().initial(&mut initial);
        let started = ThreadTime::now();
        let (outcome, lanes) = match Lanes::new(engine.net(), &initial, &self.budget) {
            Ok(lanes) => {
                let build_seconds = started.elapsed().as_secs_f64();
                let measured = batches(&lanes, &initial, self.seconds, SEED, &mut |_| {});
                let states_per_second = measured.states_per_second();
                (Outcome::Measured { build_seconds, states_per_second }, Some(lanes))
            }
            Err(limit) => (Outcome::Declined(limit.into()), None),
        };
        (member(NETWORK, Encoding::Original, Execution::Lanes, outcome), lanes)
    }

    /// Tries the interpreters, one after the other.
    pub fn interpreters(
        &self,
        prepared: &Prepared,
        budget: &Budget,
        give: &mut Give<'_>,
    ) -> Vec<(Member, Option<Candidate>)> {
        let mut tried: Vec<(Member, Option<Candidate>)> = Vec::new();
        for (kind, encoding) in INTERPRETERS {
            let name = kind.name();
            let is_declined = |(member, _): &(Member, Option<Candidate>)| {
                member.engine == name && matches!(member.outcome, Outcome::Declined(_))
            };
            let reason = match encoding {
                Encoding::Original => None,
                _ if tried.iter().any(is_declined) => Some(Reason::DeclinedAsWritten),
                _ => prepared.translated(budget).is_none().then_some(Reason::NothingToTranslate),
            };
            if let Some(reason) = reason {
                tried.push((passed_over(name, encoding, Execution::Scalar, reason), None));
                continue;
            }
            let started = ThreadTime::now();
            let (outcome, candidate) = match prepared.interpreter(kind, encoding, budget) {
                Ok(engine) => {
                    let seconds = started.elapsed().as_secs_f64();
                    let (outcome, candidate) = self.measured(engine, encoding, seconds, give);
                    (outcome, Some(candidate))
                }
                Err(error) => (Outcome::Declined(error), None),
            };
            tried.push((member(name, encoding, Execution::Scalar, outcome), candidate));
        }
        tried
    }

    /// Lets an engine play for a moment.
    fn measured(
        &self,
        engine: Arc<dyn Engine>,
        encoding: Encoding,
        build_seconds: f64,
        give: &mut Give<'_>,
    ) -> (Outcome, Candidate) {
        let candidate = Candidate { engine, encoding, states_per_second: 0.0 };
        give(candidate.clone());
        let mut worker = candidate.engine.worker();
        let played = one_by_one(&mut *worker, self.seconds, &mut Random::new(SEED), &mut |_| {});
        match played {
            // It stays unmeasured: any other is better.
            Err(fault) => (Outcome::Faulted(fault), candidate),
            Ok(played) => {
                let states_per_second = played.states_per_second();
                let candidate = Candidate { states_per_second, ..candidate };
                give(candidate.clone());
                (Outcome::Measured { build_seconds, states_per_second }, candidate)
            }
        }
    }
}

/// In the order in which they are tried.
const INTERPRETERS: [(Interpreter, Encoding); 4] = [
    (Interpreter::Tree, Encoding::Original),
    (Interpreter::Tree, Encoding::Relevant),
    (Interpreter::Datalog, Encoding::Original),
    (Interpreter::Datalog, Encoding::Relevant),
];

/// The name of the network.
const NETWORK: &str = "propnet";

fn member(engine: &'static str, encoding: Encoding, execution: Execution, outcome: Outcome) -> Member {
    Member { engine, encoding, execution, outcome }
}

fn passed_over(engine: &'static str, encoding: Encoding, execution: Execution, reason: Reason) -> Member {
    member(engine, encoding, execution, Outcome::PassedOver(reason))
}

/// The fastest of those that were built, by position in `members`.
fn chosen(
    members: Vec<Member>,
    built: Vec<(usize, Candidate)>,
    lanes: Option<Lanes>,
) -> Result<Chosen, BuildError> {
    let speed = |member: usize| rate(&members[member]).unwrap_or(0.0);
    let fastest =
        built.into_iter().max_by(|(_, a), (_, b)| a.states_per_second.total_cmp(&b.states_per_second));
    let Some((scalar, Candidate { engine, .. })) = fastest else {
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

/// Every member plays the same random numbers.
const SEED: u64 = 1;
