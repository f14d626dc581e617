//! The checker of strategies: looks at every entry by itself, with an engine that the search has nothing to do with.
//!
//! It knows nothing of how a strategy was found: no symmetries, no facts, no table. For every entry it makes the states
//! that follow and asks whether they are where they have to be.

use super::aim::Aim;
use super::certificate::{Certificate, Entry, FOR_EVER};
use super::others;
use crate::run::join;
use ludex_engine::budget::{Budget, Exceeded, Meter};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::fmt;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is of a game with other fluents or roles.
    Foreign,
    /// The initial state is not among its states, or its measure is too large.
    Start,
    /// In the state of this number, the reason.
    Entry(usize, &'static str),
    /// The work came to a limit.
    Limit(Exceeded),
    /// The engine could not answer.
    Engine(Fault),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Foreign => f.write_str("it is for another game"),
            Flaw::Start => f.write_str("the initial state is not covered as it should be"),
            Flaw::Entry(at, why) => write!(f, "state number {at}: {why}"),
            Flaw::Limit(limit) => write!(f, "it takes {limit}"),
            Flaw::Engine(fault) => write!(f, "in one of its states {fault}"),
        }
    }
}

impl std::error::Error for Flaw {}

impl From<Exceeded> for Flaw {
    fn from(limit: Exceeded) -> Flaw {
        Flaw::Limit(limit)
    }
}

impl From<Fault> for Flaw {
    fn from(fault: Fault) -> Flaw {
        match fault.limit() {
            limit if limit.is_final() => Flaw::Limit(limit),
            _ => Flaw::Engine(fault),
        }
    }
}

/// Checks that the certificate shows what it claims.
pub fn check(
    certificate: &Certificate,
    engine: &dyn Engine,
    aim: &dyn Aim,
    threads: usize,
    budget: &Budget,
) -> Result<(), Flaw> {
    let vocabulary = engine.vocabulary();
    let claim = &certificate.claim;
    if vocabulary.fluent_count() != certificate.fluents || claim.role.index() >= vocabulary.role_count() {
        return Err(Flaw::Foreign);
    }
    let mut checker = Checker::new(certificate, engine, aim, budget);
    let mut initial = vec![0; vocabulary.words()];
    checker.worker.initial(&mut initial);
    let end = checker.worker.is_terminal(&initial)?;
    let reached = aim.reached(&mut *checker.worker, &initial, end)?;
    let measure = certificate.find(&initial).map(|entry| entry.measure);
    let fine = match (claim.can, measure) {
        (true, Some(measure)) => reached || claim.within.is_none_or(|within| measure <= within),
        (true, None) => reached,
        (false, Some(measure)) => !reached && measure >= claim.within.unwrap_or(FOR_EVER),
        (false, None) => !reached && (end || claim.within == Some(0)),
    };
    if !fine {
        return Err(Flaw::Start);
    }
    let threads = threads.clamp(1, certificate.entries.len().div_ceil(1000).max(1));
    let share = certificate.entries.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let tasks: Vec<_> = (certificate.entries.chunks(share).enumerate())
            .map(|(part, entries)| {
                let mut checker = Checker::new(certificate, engine, aim, budget);
                scope.spawn(move || {
                    (part * share..).zip(entries).try_for_each(|(at, entry)| checker.entry(at, entry))
                })
            })
            .collect();
        tasks.into_iter().try_for_each(join)
    })
}

/// Ticks for a state: the reference engine takes its time.
const TICKS_A_STATE: u64 = 4096;

struct Checker<'c> {
    certificate: &'c Certificate,
    aim: &'c dyn Aim,
    worker: Box<dyn Worker>,
    meter: Meter,
    legal: Vec<Vec<MoveId>>,
    joint: Vec<MoveId>,
    next: Vec<u64>,
}

impl<'c> Checker<'c> {
    fn new(
        certificate: &'c Certificate,
        engine: &dyn Engine,
        aim: &'c dyn Aim,
        budget: &Budget,
    ) -> Checker<'c> {
        let mut worker = engine.worker();
        worker.obey(budget);
        let roles = engine.vocabulary().role_count();
        let next = vec![0; engine.vocabulary().words()];
        let (legal, joint) = (vec![Vec::new(); roles], vec![MoveId(0); roles]);
        Checker { certificate, aim, worker, meter: budget.clock(), legal, joint, next }
    }

    fn entry(&mut self, at: usize, entry: &Entry) -> Result<(), Flaw> {
        self.meter.tick_by(TICKS_A_STATE)?;
        let flaw = |why| Err(Flaw::Entry(at, why));
        let end = self.worker.is_terminal(&entry.state)?;
        for (role, list) in (0..).map(RoleId).zip(&mut self.legal) {
            self.worker.legal(&entry.state, role, list)?;
        }
        let stuck = end || self.legal.iter().any(Vec::is_empty);
        let role = self.certificate.claim.role;
        let answers = others::count(&self.legal, role);
        if self.certificate.claim.can {
            let [action] = *entry.choices else { return flaw("it names not one move") };
            if self.aim.reached(&mut *self.worker, &entry.state, end)? {
                return Ok(());
            }
            if stuck {
                return flaw("play ends there, and the wish has not come true");
            }
            if !self.legal[role.index()].contains(&MoveId(action)) {
                return flaw("its move is not legal");
            }
            for answer in 0..answers.unwrap_or(usize::MAX) {
                self.meter.tick_by(TICKS_A_STATE)?;
                if !self.leads_on(entry, MoveId(action), answer)? {
                    return flaw("an answer to its move leads where nothing is known, or round in a circle");
                }
            }
            return Ok(());
        }
        if self.aim.reached(&mut *self.worker, &entry.state, end)? {
            return flaw("the wish has come true there");
        }
        if stuck || entry.measure == 0 {
            return Ok(());
        }
        let own = self.legal[role.index()].clone();
        if own.len() != entry.choices.len() {
            return flaw("there is not one answer for each move");
        }
        for (action, &answer) in own.into_iter().zip(&entry.choices) {
            self.meter.tick_by(TICKS_A_STATE)?;
            if answers.is_some_and(|answers| answer as usize >= answers) {
                return flaw("an answer is none of the legal ones");
            }
            if !self.stays_out(entry, action, answer as usize)? {
                return flaw("an answer leads where the wish comes true, or nothing is known");
            }
        }
        Ok(())
    }

    fn follow(&mut self, entry: &Entry, action: MoveId, answer: usize) -> Result<(bool, bool), Flaw> {
        others::joint(&self.legal, self.certificate.claim.role, action, answer, &mut self.joint);
        self.worker.next(&entry.state, &self.joint, &mut self.next)?;
        let end = self.worker.is_terminal(&self.next)?;
        Ok((self.aim.reached(&mut *self.worker, &self.next, end)?, end))
    }

    fn leads_on(&mut self, entry: &Entry, action: MoveId, answer: usize) -> Result<bool, Flaw> {
        let (reached, _) = self.follow(entry, action, answer)?;
        let next = self.certificate.find(&self.next);
        // Where it has come true nothing is left to do; that takes one joint move.
        Ok(if reached { entry.measure >= 1 } else { next.is_some_and(|next| next.measure < entry.measure) })
    }

    fn stays_out(&mut self, entry: &Entry, action: MoveId, answer: usize) -> Result<bool, Flaw> {
        let (reached, end) = self.follow(entry, action, answer)?;
        let least = if entry.measure == FOR_EVER { FOR_EVER } else { entry.measure - 1 };
        let next = self.certificate.find(&self.next);
        Ok(!reached && (end || least == 0 || next.is_some_and(|next| next.measure >= least)))
    }
}
