//! Which search plays a game best: matches of one method against another, at equal processor time.
//!
//! A match begins with a few random moves, the same for two matches in which the sides change roles, so that searches
//! without chance do not play one match again and again. The agent holds a short trial in the start clock and
//! plays by the winner; `cargo run --release -p ludex-search --example duel` holds long ones.

use crate::clock::Clock;
use crate::estimate::Estimate;
use crate::evaluation::Evaluation;
use crate::pvs::{self, Pvs, Table};
use crate::uct::{self, Tools, Tree};
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A way to search.
#[derive(Clone, Debug, Default)]
pub enum Method {
    /// Monte Carlo tree search.
    #[default]
    Tree,
    /// Principal variation search by an evaluation.
    Pvs(Arc<Evaluation>),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Tree => f.write_str("tree search"),
            Method::Pvs(evaluation) => write!(f, "principal variation search by {}", evaluation.detail()),
        }
    }
}

/// One side of a match: a method with its settings.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// How it searches.
    pub method: Method,
    /// How, if by a tree.
    pub tree: uct::Settings,
    /// How, if by principal variation search.
    pub pvs: pvs::Settings,
    /// Whether a tree uses lanes, where there are any.
    pub lanes: bool,
}

/// The effort of each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Iterations of a tree, or states of another search.
    Iterations(u64),
    /// Processor time.
    Processor(Duration),
}

impl Effort {
    fn clock(self) -> Clock {
        match self {
            Effort::Iterations(count) => Clock::iterations(count),
            Effort::Processor(time) => Clock::processor(time),
        }
    }
}

/// Longer matches are broken off, and count what the goals are then.
const MOST_STEPS: usize = 400;
/// Bytes for the table of a search in a match.
const TABLE: usize = 4 << 20;

/// How a match is played.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The effort of each move.
    pub effort: Effort,
    /// Random moves at the beginning.
    pub opening: usize,
    /// Draws the opening and all else: the same seed, the same match, if the effort is a count.
    pub seed: u64,
    /// Batches of random games.
    pub lanes: Option<&'a Lanes>,
}

enum Searcher {
    Tree(Box<Tree>),
    Pvs(Box<Pvs>),
}

impl Searcher {
    fn new(worker: &mut dyn Worker, state: &[u64], side: &Side, seed: u64) -> Result<Searcher, Fault> {
        if let Method::Pvs(evaluation) = &side.method
            && let Some(pvs) = Pvs::new(worker, side.pvs, evaluation.clone(), Arc::new(Table::new(TABLE)))
        {
            return Ok(Searcher::Pvs(Box::new(pvs)));
        }
        Ok(Searcher::Tree(Box::new(Tree::new(side.tree.clone(), worker, state, seed)?)))
    }

    fn search(
        &mut self,
        worker: &mut dyn Worker,
        lanes: Option<&Lanes>,
        state: &[u64],
        role: RoleId,
        (clock, seed): (&mut Clock, u64),
    ) -> Result<Option<Estimate>, Fault> {
        match self {
            Searcher::Pvs(pvs) => pvs.search(worker, state, role, clock),
            Searcher::Tree(tree) => {
                let lanes = lanes.map(|lanes| lanes.runner(seed));
                let mut tools = Tools { worker, lanes, oracle: None, goal_heuristic: None };
                tree.search(&mut tools, clock)?;
                Ok(Some(tree.estimate(role)))
            }
        }
    }
}

impl Match<'_> {
    /// Plays it; `places` says which side plays each role. The goals of the roles at its end, or `None` if `is_over`
    /// broke it off. Only the side that has a choice spends its time; where all have one, all do.
    pub fn play(
        &self,
        worker: &mut dyn Worker,
        sides: &[Side],
        places: &[usize],
        is_over: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<i32>>, Fault> {
        let mut random = Random::new(self.seed);
        let mut state = vec![0; worker.vocabulary().words()];
        worker.initial(&mut state);
        let mut searchers = Vec::new();
        for &side in places {
            searchers.push(Searcher::new(worker, &state, &sides[side], random.bits())?);
        }
        let mut next = state.clone();
        let mut legal = Vec::new();
        for step in 0..MOST_STEPS {
            if worker.is_terminal(&state)? {
                break;
            }
            if is_over() {
                return Ok(None);
            }
            let mut joint: Vec<MoveId> = Vec::new();
            for (role, searcher) in (0..).map(RoleId).zip(&mut searchers) {
                worker.legal(&state, role, &mut legal)?;
                let Some(&only) = legal.first() else { return goals(worker, &state).map(Some) };
                let choice = if step < self.opening {
                    legal[random.below(legal.len())]
                } else if legal.len() == 1 {
                    only
                } else {
                    let lanes = self.lanes.filter(|_| sides[places[role.index()]].lanes);
                    let clock = (&mut self.effort.clock(), random.bits());
                    let estimate = searcher.search(worker, lanes, &state, role, clock)?;
                    let best = estimate.as_ref().and_then(Estimate::best).map(|candidate| candidate.action);
                    best.unwrap_or_else(|| legal[random.below(legal.len())])
                };
                joint.push(choice);
            }
            worker.next(&state, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
            for searcher in &mut searchers {
                if let Searcher::Tree(tree) = searcher {
                    tree.advance(worker, &joint, &state)?;
                }
            }
        }
        goals(worker, &state).map(Some)
    }
}

fn goals(worker: &mut dyn Worker, state: &[u64]) -> Result<Vec<i32>, Fault> {
    let roles = worker.vocabulary().role_count() as u32;
    (0..roles).map(|role| Ok(worker.goal(state, RoleId(role))?.unwrap_or(0))).collect()
}
