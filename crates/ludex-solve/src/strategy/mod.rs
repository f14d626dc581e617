//! What a role can force, proved by search: games that are too large to visit.
//!
//! [`search`] answers whether a role can force a [`Wish`] whatever the others do, who know its moves as they make theirs: pure
//! strategies, the others as one. What it answers comes with a [`Certificate`]: a move for every state that can arise, or
//! what the others answer to every move. [`check()`] accepts those that are right; it shares nothing with the search but the
//! numbering of joint moves.
//!
//! | file | what |
//! |---|---|
//! | `aim.rs` | what is wished for |
//! | `search.rs`, `table.rs` | proof numbers and depth first, over one table in bounded memory |
//! | `visit.rs` | every state, where lines come back and all fit in memory |
//! | `collect.rs` | from what is known to a strategy |
//! | `certificate.rs`, `check.rs` | the file, and its checker |
//!
//! What it cannot do: mixed strategies; end-game databases are not asked.

mod aim;
mod certificate;
mod check;
mod collect;
mod others;
mod search;
mod table;
mod visit;

pub use aim::{Aim, FormulaAim, GoalAim, Wish};
pub use certificate::{Certificate, Claim, Entry, FOR_EVER};
pub use check::{Flaw, check};

use crate::error::{Error, Result};
use crate::plan::{Plan, Wanted};
use collect::{Order, collect};
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::engine::Engine;
use ludex_engine::prepared::Prepared;
use ludex_engine::vocabulary::RoleId;
use ludex_logic::endgame::file::RulesHash;
use ludex_logic::endgame::solve::{self, SolveError};
use search::{Break, Searcher, Shared, Way};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Known, Table};

/// Who wants what, within how many joint moves.
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// Who.
    pub role: RoleId,
    /// What, in words.
    pub wish: &'q Wish,
    /// The same as a question about states.
    pub aim: &'q dyn Aim,
    /// Within how many joint moves; `None` for any number.
    pub within: Option<u32>,
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Bytes, of which the table gets half.
    pub memory: usize,
    /// Threads to use; more than two make no difference.
    pub threads: usize,
    /// Entries of a certificate at most.
    pub entries: usize,
    /// States that are images of each other are one for the search.
    pub symmetry: bool,
    /// Visit every state where lines come back and the states fit in memory.
    pub visit: bool,
}

impl Default for Options {
    /// A gigabyte, all processors, fifty million entries.
    fn default() -> Options {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options { memory: 1 << 30, threads, entries: 50_000_000, symmetry: true, visit: true }
    }
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The claim of the certificate says which.
    Settled(Certificate),
    /// Not known, and why.
    Unknown(Why),
}

/// Why a question is not settled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// A limit of the work as a whole.
    Limit(Exceeded),
    /// Lines of play are longer than are followed.
    Deep,
    /// A state has more joint moves than are looked at.
    Wide,
    /// The answer is known, and a strategy takes more states than allowed.
    Entries(usize),
    /// The answer is known, and no strategy was put together from it.
    Lost,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Limit(limit) => write!(f, "it takes {limit}"),
            Why::Deep => {
                write!(f, "lines of more than {} joint moves would have to be followed", search::DEEPEST)
            }
            Why::Wide => f.write_str("a state has too many joint moves"),
            Why::Entries(most) => write!(f, "a strategy takes more than {most} states"),
            Why::Lost => f.write_str("no strategy was put together from what the search knew"),
        }
    }
}

/// How far a search has got, for another thread that watches.
#[derive(Debug, Default)]
pub struct Searched {
    states: AtomicU64,
}

impl Searched {
    /// States that were looked at, in thousands; a state counts as often as it was.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }
}

impl fmt::Display for Searched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} states looked at", self.states())
    }
}

/// States after which a search goes on with a larger table, or all states are visited, and the bytes of the table.
const STAGES: [(u64, usize); 3] = [(200_000, 16 << 20), (4_000_000, 256 << 20), (u64::MAX, usize::MAX)];

/// States of a first turn, where one thread searches both ways in turns.
const TURN: u64 = 20_000;

/// Bytes of a thread's stack: a line of play is followed by recursion.
const STACK: usize = 256 << 20;

/// The part of the time that finding facts may take.
const PLANNING_SHARE: u32 = 8;

/// Answers a question about the initial state.
pub fn search(
    prepared: &Prepared,
    engine: &dyn Engine,
    question: Question<'_>,
    options: &Options,
    budget: &Budget,
    searched: &Searched,
) -> Result<Outcome> {
    match Work::new(prepared, engine, question, options, budget)?.run(searched) {
        Ok(certificate) => Ok(Outcome::Settled(certificate)),
        Err(Break::Limit(limit)) => Ok(Outcome::Unknown(Why::Limit(limit))),
        Err(Break::Deep) => Ok(Outcome::Unknown(Why::Deep)),
        Err(Break::Wide) => Ok(Outcome::Unknown(Why::Wide)),
        Err(Break::Entries(most)) => Ok(Outcome::Unknown(Why::Entries(most))),
        Err(Break::Lost | Break::Slice | Break::Stopped | Break::Cycle) => Ok(Outcome::Unknown(Why::Lost)),
        Err(Break::Other(error)) => Err(error),
    }
}

struct Work<'w> {
    engine: &'w dyn Engine,
    question: Question<'w>,
    options: Options,
    budget: Budget,
    plan: Plan,
    rules: RulesHash,
}

impl<'w> Work<'w> {
    fn new(
        prepared: &Prepared,
        engine: &'w dyn Engine,
        question: Question<'w>,
        options: &Options,
        budget: &Budget,
    ) -> Result<Work<'w>> {
        let symmetry = options.symmetry && question.aim.is_symmetric();
        let wanted = Wanted { symmetry, counter: true };
        let mut plan = match Plan::make(prepared, engine, wanted, &budget.share(PLANNING_SHARE)) {
            // What takes too long is done without.
            Err(Error::Limit(_)) => Plan::bare(prepared, engine),
            other => other?,
        };
        plan.symmetries.retain(|symmetry| symmetry.roles[question.role.index()] == question.role);
        let rules = RulesHash::of(&prepared.game().rules);
        Ok(Work { engine, question, options: *options, budget: budget.clone(), plan, rules })
    }

    fn run(&self, searched: &Searched) -> std::result::Result<Certificate, Break> {
        let packing = match self.plan.packing(self.engine) {
            Ok(packing) => Some(packing),
            // Hashes of whole rows do as well.
            Err(Error::Wide(_)) => None,
            Err(error) => return Err(Break::Other(error)),
        };
        let within = self.question.within;
        let mut shared = Shared {
            engine: self.engine,
            aim: self.question.aim,
            role: self.question.role,
            table: Table::new(0),
            packing,
            counter: self.plan.counter.clone(),
            acyclic: self.plan.counter.is_some() || within.is_some(),
            stop: AtomicBool::new(false),
            states: &searched.states,
        };
        let mut initial = vec![0; self.engine.vocabulary().words()];
        self.engine.worker().initial(&mut initial);
        if let Some(known) = Searcher::new(&shared, &self.budget).leaf(&initial, within)? {
            return Ok(self.certificate(known.is_proved(), Vec::new()));
        }
        let most_bytes = self.options.memory / 2;
        for (states, bytes) in STAGES {
            // Both tables are there for a moment. A table that stays small forgets more, and no less is true.
            if self.budget.has_room(bytes.min(most_bytes)).is_ok() {
                shared.table = shared.table.resized(bytes.min(most_bytes));
            }
            let mut result = self.race(&shared, &initial, states);
            if matches!(result, Err(Break::Cycle)) {
                // The counter was a guess of random play. A bound on the moves does as well.
                (shared.counter, shared.acyclic) = (None, within.is_some());
                result = self.race(&shared, &initial, states);
            }
            match result {
                Ok((can, entries)) => return Ok(self.certificate(can, entries)),
                Err(Break::Slice) => {}
                Err(other) => return Err(other),
            }
            if !shared.acyclic
                && self.options.visit
                && let Some((can, entries)) = self.visit(states)?
            {
                return Ok(self.certificate(can, entries));
            }
        }
        Err(Break::Lost)
    }

    fn certificate(&self, can: bool, entries: Vec<Entry>) -> Certificate {
        let Question { role, wish, within, .. } = self.question;
        let claim = Claim { role, wish: wish.clone(), within, can };
        let fluents = self.engine.vocabulary().fluent_count();
        Certificate { rules: self.rules, claim, fluents, entries }
    }

    /// Every state, if there are not many more than were searched.
    fn visit(&self, searched: u64) -> std::result::Result<Option<(bool, Vec<Entry>)>, Break> {
        let words = self.engine.vocabulary().words();
        // A state, its successors, and as much again for lists that double.
        let fit = self.options.memory / (2 * (words * 8 + 100));
        let options = solve::Options {
            states: fit.min(usize::try_from(searched).unwrap_or(usize::MAX)),
            transitions: self.options.memory / 8,
            threads: self.options.threads,
        };
        let budget = self.budget.share(2);
        match visit::visit(self.engine, self.question.aim, self.question.role, &options, &budget) {
            Ok(found) => Ok(Some(found)),
            Err(SolveError::Engine(fault)) => Err(fault.into()),
            Err(SolveError::Limit(_)) => self.budget.check().map(|()| None).map_err(Break::Limit),
            Err(_) => Ok(None),
        }
    }

    /// Searches both ways at once, or in turns; the first that is through puts the strategy together.
    fn race(
        &self,
        shared: &Shared<'_>,
        initial: &[u64],
        states: u64,
    ) -> std::result::Result<(bool, Vec<Entry>), Break> {
        shared.stop.store(false, Ordering::Relaxed);
        let ways: &[&[Way]] = match (shared.acyclic, self.options.threads) {
            (false, _) => &[&[Way::Numbers]],
            (true, 0 | 1) => &[&[Way::Numbers, Way::Depth]],
            (true, _) => &[&[Way::Numbers], &[Way::Depth]],
        };
        let run = |ways: &[Way]| {
            let found = self.turns(shared, initial, ways, states);
            if !matches!(found, Err(Break::Slice | Break::Stopped)) {
                shared.stop.store(true, Ordering::Relaxed);
            }
            found
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let spawn = |ways: &'static [Way]| {
                let builder = std::thread::Builder::new().stack_size(STACK);
                builder.spawn_scoped(scope, || run(ways))
            };
            let tasks: Vec<_> = ways.iter().map(|ways| spawn(ways)).collect();
            let wait = |task: std::io::Result<_>| match task {
                Ok(task) => crate::run::join(task),
                Err(error) => Err(Break::Other(Error::Io("a thread".into(), error))),
            };
            tasks.into_iter().map(wait).collect()
        });
        let rank = |result: &std::result::Result<_, Break>| match result {
            Ok(_) => 0,
            Err(Break::Cycle) => 1,
            Err(Break::Stopped) => 4,
            Err(Break::Slice) => 3,
            Err(_) => 2,
        };
        results.into_iter().min_by_key(rank).unwrap_or(Err(Break::Slice))
    }

    /// One thread: searches in these ways in turns that get longer.
    fn turns(
        &self,
        shared: &Shared<'_>,
        initial: &[u64],
        ways: &[Way],
        states: u64,
    ) -> std::result::Result<(bool, Vec<Entry>), Break> {
        let within = self.question.within;
        let mut searcher = Searcher::new(shared, &self.budget);
        let mut turn = if ways.len() > 1 { TURN } else { states };
        loop {
            for &way in ways {
                match searcher.settle(initial, within, way, turn) {
                    Ok((known, _)) => return self.put_together(&mut searcher, initial, known, way),
                    Err(Break::Slice) if searcher.expanded() < states => {}
                    Err(other) => return Err(other),
                }
            }
            turn = turn.saturating_mul(2);
        }
    }

    fn put_together(
        &self,
        searcher: &mut Searcher<'_>,
        initial: &[u64],
        known: Known,
        way: Way,
    ) -> std::result::Result<(bool, Vec<Entry>), Break> {
        let (role, within) = (self.question.role, self.question.within);
        let can = known.is_proved();
        searcher.alone();
        let order = Order { role, can, within, way, most: self.options.entries };
        let entries = collect(searcher, initial, order)?.ok_or(Break::Lost)?;
        Ok((can, entries))
    }
}
