//! Proofs and refutations of properties.
//!
//! [`Prover::prove`] goes from cheap to thorough: the initial state, and induction by what the property itself
//! depends on; a few moves from the initial state; induction with *lemmas* (groups of fluents of which exactly
//! one holds, found by random play and proved; those that tell the turn first); random play, for what fails
//! late; induction over several states; and property-directed reachability until the time is over. Three
//! answers: the property holds, with a [`Certificate`] that a checker of its own has accepted; it fails, with a
//! [`Line`] of play that the reference engine has replayed; or it is unknown which, with the reason.

mod answer;
mod certificate;
mod goals;
mod hunt;
mod induction;
mod lemma;
mod measure;
mod part;
mod persistence;
mod reachability;
mod reference;
mod termination;
mod visit;
mod well_formed;

pub use answer::{Answer, Proof, Reason, Refutation};
pub use certificate::{Certificate, Flaw, check};
pub use lemma::Lemma;
pub use part::{part, prove_in_part, prove_relaxed, relaxed};
pub use reference::{Line, Moment, Reference, RoleWitness, Witness};
pub use termination::{Ranking, RankingKind};

use crate::discover::{self, Effort, Sample};
use crate::formula::Property;
use crate::solver::Outcome;
use crate::transition::System;
use crate::unroll::{Start, Unrolling};
use hunt::Survey;
use induction::{Base, Step, is_kept_at_first_sight};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::MoveId;
use reachability::{Found, Reachability};
use std::cell::OnceCell;
use std::fmt;
use std::time::Duration;

/// How much a proof may take.
#[derive(Clone, Debug)]
pub struct Options {
    /// What all questions together may take; bytes are those of clauses.
    pub budget: Budget,
    /// Time for one question.
    pub time: Duration,
    /// The most states in a row that induction uses before property-directed reachability takes over.
    pub depth: usize,
}

impl Default for Options {
    /// A minute, two gigabytes, three states.
    fn default() -> Options {
        Options { budget: Budget::default().with_bytes(2 << 30), time: Duration::from_secs(60), depth: 3 }
    }
}

/// Nodes of a network of which some frames more cost next to nothing.
const SMALL_NETWORK: usize = 5000;

/// Moves from the initial state that are looked at before play and induction over several states.
const SHALLOW: usize = 3;

/// Matches that are played at random in search of a counterexample: at first sight, and when induction fails.
const FEW_MATCHES: usize = 4;
const MATCHES: usize = 50;

/// Longest match of random play.
const LONGEST_MATCH: usize = 300;

/// Proves and refutes properties of one game. What it learns it keeps for the next property.
pub struct Prover<'s> {
    system: &'s System,
    options: Options,
    engine: OnceCell<Propnet>,
    samples: OnceCell<Vec<Sample>>,
    turns: OnceCell<Vec<Lemma>>,
    lemmas: OnceCell<Vec<Lemma>>,
    reference: OnceCell<Reference<'s>>,
    survey: OnceCell<Survey>,
}

impl fmt::Debug for Prover<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prover").field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'s> Prover<'s> {
    /// A prover for the system's game.
    pub fn new(system: &'s System, options: Options) -> Prover<'s> {
        Prover {
            system,
            options,
            engine: OnceCell::new(),
            samples: OnceCell::new(),
            turns: OnceCell::new(),
            lemmas: OnceCell::new(),
            reference: OnceCell::new(),
            survey: OnceCell::new(),
        }
    }

    /// The limits.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The system.
    pub fn system(&self) -> &'s System {
        self.system
    }

    /// A budget with the limits of one question that begins now.
    pub fn budget(&self) -> Budget {
        self.options.budget.clone().within(self.options.time)
    }

    /// The engine that plays at random.
    pub fn engine(&self, budget: &Budget) -> Result<&Propnet, Exceeded> {
        if let Some(built) = self.engine.get() {
            return Ok(built);
        }
        let built = self.system.engine(budget)?;
        Ok(self.engine.get_or_init(|| built))
    }

    /// States of random play.
    pub fn samples(&self, budget: &Budget) -> Result<&[Sample], Exceeded> {
        if let Some(known) = self.samples.get() {
            return Ok(known);
        }
        let moment = budget.clone().within(Duration::from_millis(500));
        let effort = Effort { states: 400, ..Effort::default() };
        let seen = discover::play(self.system, self.engine(budget)?, effort, &moment);
        budget.check()?;
        Ok(self.samples.get_or_init(|| seen))
    }

    /// The groups without a key, proved: whose turn it is, a counter of steps, the stage of the game. They are
    /// few and cheap, and most of what needs a lemma needs one of them.
    pub fn turns(&self, budget: &Budget) -> &[Lemma] {
        if let Some(known) = self.turns.get() {
            return known;
        }
        match discover::turns(self.system, &budget.share(4)) {
            Ok(lemmas) => self.turns.get_or_init(|| lemmas),
            // Nothing is proved within this question's limits; the next one may try again.
            Err(_) => &[],
        }
    }

    /// All groups of fluents of which one holds at most, proved.
    fn lemmas(&self, budget: &Budget) -> &[Lemma] {
        if let Some(known) = self.lemmas.get() {
            return known;
        }
        let turns = self.turns(budget);
        let proved = self.samples(budget).and_then(|samples| {
            let mut candidates = discover::groups(self.system.vocabulary(), samples);
            candidates.retain(|lemma| !turns.contains(lemma));
            let more = discover::inductive(self.system, turns, candidates, budget)?;
            Ok([turns, &more].concat())
        });
        match proved {
            Ok(lemmas) => self.lemmas.get_or_init(|| lemmas),
            Err(_) => self.turns(budget),
        }
    }

    /// Uses lemmas that were proved elsewhere, by [`crate::discover`] say.
    pub fn know(&self, lemmas: Vec<Lemma>) {
        // Whoever came first proved its own.
        let _ = self.lemmas.set(lemmas);
    }

    /// Decides a property within the limits of one question.
    pub fn prove(&self, property: &Property) -> Answer {
        let budget = self.budget();
        self.decide(property, &budget).unwrap_or_else(Answer::Unknown)
    }

    /// As `prove`, within a budget that others share.
    pub fn prove_within(&self, property: &Property, budget: &Budget) -> Answer {
        self.decide(property, budget).unwrap_or_else(Answer::Unknown)
    }

    fn decide(&self, property: &Property, budget: &Budget) -> Result<Answer, Reason> {
        let system = self.system;
        let certified = |lemmas: &[Lemma], depth: usize| {
            self.certified(property, Certificate { lemmas: lemmas.to_vec(), depth }, budget)
        };
        let mut base = Base::new(system, property, budget);
        // A move ahead of the initial state takes less than any state at all, where the network is small.
        let looked = usize::from(property.degree > 0 && system.net().nodes.len() <= SMALL_NETWORK);
        for depth in 0..=looked {
            if let Some(line) = base.counterexample(depth)? {
                return self.refuted(property, line, budget);
            }
        }
        let mut step = Step::new(system, property, &[], budget);
        if step.is_proved_locally()? {
            return certified(&[], 0);
        }
        // What is said of moves is broken by one or kept by all more often than the turn explains it.
        if property.degree > 0
            && let Some(line) = self.early_counterexample(property, &mut base, looked, budget)?
        {
            return self.refuted(property, line, budget);
        }
        let turns = self.turns(budget);
        step.assume(turns);
        if !turns.is_empty() && step.is_proved_locally()? {
            return certified(turns, 0);
        }
        if property.degree == 0
            && let Some(line) = self.early_counterexample(property, &mut base, looked, budget)?
        {
            return self.refuted(property, line, budget);
        }
        if system.net().nodes.len() > SMALL_NETWORK
            && is_kept_at_first_sight(system, property, turns, budget)?
        {
            return certified(turns, 1);
        }
        step.deepen();
        if step.is_proved_locally()? {
            return certified(turns, 1);
        }
        if step.is_proved()? {
            return certified(turns, 1);
        }
        let lemmas = self.lemmas(&budget.share(2));
        step = Step::new(system, property, lemmas, budget);
        if step.is_proved()? {
            return certified(lemmas, 0);
        }
        step.deepen();
        if step.is_proved()? {
            return certified(lemmas, 1);
        }
        // Several moves of a large game are more clauses than all that came before.
        for depth in 2..=SHALLOW {
            if let Some(line) = base.counterexample(depth)? {
                return self.refuted(property, line, budget);
            }
        }
        if let Some(line) = self.random_counterexample(property, MATCHES, budget) {
            return self.refuted(property, line, budget);
        }
        let part = budget.share(4);
        while step.depth() < self.options.depth && part.check().is_ok() {
            step.deepen();
            if step.is_proved()? {
                return certified(lemmas, step.depth());
            }
        }
        drop(step);
        match Reachability::new(system, property, lemmas, budget).run()? {
            Found::Counterexample(line) => self.refuted(property, line, budget),
            Found::Invariant(clauses) => certified(&[lemmas, &clauses].concat(), 0),
        }
    }

    /// After one move, if that was not looked at, or in a few random matches.
    fn early_counterexample(
        &self,
        property: &Property,
        base: &mut Base<'_>,
        looked: usize,
        budget: &Budget,
    ) -> Result<Option<Line>, Reason> {
        for depth in looked + 1..=1 {
            if let Some(line) = base.counterexample(depth)? {
                return Ok(Some(line));
            }
        }
        Ok(self.random_counterexample(property, FEW_MATCHES, budget))
    }

    fn certified(
        &self,
        property: &Property,
        certificate: Certificate,
        budget: &Budget,
    ) -> Result<Answer, Reason> {
        match check(self.system, property, &certificate, budget) {
            Ok(()) => Ok(Answer::Holds(Proof::Induction(certificate))),
            Err(Flaw::Limit(limit)) => Err(Reason::Limit(limit)),
            Err(flaw) => Err(Reason::NotCertified(flaw)),
        }
    }

    fn refuted(&self, property: &Property, line: Line, budget: &Budget) -> Result<Answer, Reason> {
        let reference = self.reference(budget)?;
        match reference.replay(property, &line) {
            Some(_) => Ok(Answer::Fails(Refutation::Line(line))),
            None => Err(Reason::NotReplayed),
        }
    }

    /// The reference engine, built when first needed.
    pub fn reference(&self, budget: &Budget) -> Result<&Reference<'s>, Reason> {
        if let Some(built) = self.reference.get() {
            return Ok(built);
        }
        match Reference::new(self.system, budget) {
            Ok(built) => Ok(self.reference.get_or_init(|| built)),
            Err(error) => Err(match error.limit() {
                Some(limit) if limit.is_final() => Reason::Limit(limit),
                _ => Reason::TooLarge(error.to_string()),
            }),
        }
    }

    /// A line of random play that breaks the property. States are judged by writing them out: with the state and
    /// the moves given, the clauses fold to a constant.
    fn random_counterexample(&self, property: &Property, matches: usize, budget: &Budget) -> Option<Line> {
        let moment = budget.share(8);
        let mut worker = self.engine(budget).ok()?.worker();
        let mut random = Random::new(7);
        for _ in 0..matches {
            let (states, joints) = self.random_match(&mut *worker, &mut random);
            // A match that was cut short shows nothing where the property looks beyond the cut.
            let cut = if joints.len() < LONGEST_MATCH { 0 } else { property.degree };
            for at in 0..states.len().saturating_sub(cut) {
                moment.check().ok()?;
                let ahead = &joints[at..joints.len().min(at + property.degree)];
                if self.is_broken(property, &states[at], ahead, budget) {
                    let joints = joints[..at + ahead.len()].to_vec();
                    return Some(Line { joints, at });
                }
            }
        }
        None
    }

    fn random_match(
        &self,
        worker: &mut dyn Worker,
        random: &mut Random,
    ) -> (Vec<Vec<u64>>, Vec<Vec<MoveId>>) {
        let mut states = vec![self.system.initial().to_vec()];
        let mut joints = Vec::new();
        while joints.len() < LONGEST_MATCH
            && let Some(state) = states.last()
            && let Ok(Some((joint, next))) = discover::step(worker, state, random)
        {
            states.push(next);
            joints.push(joint);
        }
        (states, joints)
    }

    fn is_broken(&self, property: &Property, state: &[u64], joints: &[Vec<MoveId>], budget: &Budget) -> bool {
        let mut unrolling = Unrolling::new(self.system, Start::State(state), budget);
        for (time, joint) in joints.iter().enumerate() {
            unrolling.give_moves(time, joint);
        }
        let mut assumptions = Vec::new();
        for time in 0..property.degree {
            let ended = unrolling.ended(time);
            assumptions.push(if time < joints.len() { !ended } else { ended });
        }
        assumptions.push(!unrolling.property(0, property));
        unrolling.solve(&assumptions) == Ok(Outcome::Satisfiable)
    }
}
