//! Matches looked at state by state, one after the other, and the states around the start visited level by level.

use super::interval::{Mean, Share};
use super::{Ends, States};
use crate::error::Result;
use ludex_engine::perft::each_joint_move;
use ludex_engine::{Budget, Engine, Fault, Goal, MoveId, Random, RoleId, Worker};
#[cfg(feature = "logic")]
use ludex_logic::endgame::solve::{Nature, Options, Reached, Solution, solve};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// States that are visited around the start, and states that are told apart in matches, at most.
const MOST_VISITED: usize = 50_000;
const MOST_SEEN: usize = 1 << 20;

/// Matches of which every state is kept.
const MOST_KEPT: usize = 1000;

/// What is known of the states after so many joint moves.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Ply {
    /// Joint moves made.
    pub ply: u64,
    /// Matches of the sample that came so far and went on.
    pub games: u64,
    /// Joint moves to choose from.
    pub branching: Mean,
    /// Matches in which somebody had a choice.
    pub decisions: Share,
    /// Different states that were seen.
    pub seen: u64,
    /// All states that can be reached by so many joint moves, where they could be visited.
    pub states: Option<u64>,
    /// An estimate of them.
    pub estimate: f64,
}

/// What exact values say of random matches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Values {
    /// What each role gets under best play, in the order of the roles.
    pub roles: Vec<(String, i32)>,
    /// Matches that were looked at.
    pub games: u64,
    /// Joint moves after which somebody else, or nobody, would win under best play: Ludii's LeadChange.
    pub lead_change: Share,
    /// The part of a match, from 0 to 1, that is played after its outcome under best play has become what it is at the
    /// end, and stays it.
    pub decisiveness: Mean,
}

/// A sample under way.
pub(super) struct Trace<'e> {
    engine: &'e dyn Engine,
    worker: Box<dyn Worker>,
    random: Random,
    longest: u64,
    pub(super) ends: Ends,
    plies: Vec<Level>,
    seen: usize,
    /// States by level, as far as levels are complete.
    levels: Vec<u64>,
    visited: Option<u64>,
    /// The logarithms of the weights of the lines that were played to their ends.
    lines: Vec<f64>,
    first: Mover,
    last: Share,
    kept: Vec<Vec<Vec<u64>>>,
}

#[derive(Default)]
struct Level {
    games: u64,
    branching: HashMap<u64, u64>,
    decisions: u64,
    states: HashMap<u64, u32>,
}

/// Who moves first in the matches so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Unknown,
    Always(RoleId),
    Various,
}

impl<'e> Trace<'e> {
    pub(super) fn new(engine: &'e dyn Engine, longest: u64, seed: u64) -> Trace<'e> {
        let goals = vec![Default::default(); engine.vocabulary().role_count()];
        Trace {
            engine,
            worker: engine.worker(),
            random: Random::new(seed),
            longest,
            ends: Ends { goals, ..Ends::default() },
            plies: Vec::new(),
            seen: 0,
            levels: Vec::new(),
            visited: None,
            lines: Vec::new(),
            first: Mover::Unknown,
            last: Share::default(),
            kept: Vec::new(),
        }
    }

    /// Visits the states around the start, level by level, as far as the budget goes.
    pub(super) fn visit(&mut self, budget: &Budget) -> Result<()> {
        self.worker.obey(budget);
        let mut start = vec![0; self.engine.vocabulary().words()];
        self.worker.initial(&mut start);
        let mut all: HashSet<Vec<u64>> = HashSet::from([start.clone()]);
        let mut level = HashSet::from([start]);
        let mut work = 0;
        loop {
            self.levels.push(level.len() as u64);
            let mut next = HashSet::new();
            let mut fresh = false;
            for state in &level {
                match self.successors(state, &mut next) {
                    Ok(()) => {}
                    Err(fault) if fault.limit().is_final() => return Ok(()),
                    Err(fault) => return Err(fault.into()),
                }
                work += 1;
                if work > MOST_VISITED || next.len() > MOST_VISITED || budget.check().is_err() {
                    return Ok(());
                }
            }
            for state in &next {
                fresh |= all.insert(state.clone());
            }
            // Whatever follows a level without a new state follows one that was there before.
            if !fresh {
                self.visited = Some(all.len() as u64);
                return Ok(());
            }
            level = next;
        }
    }

    fn successors(&mut self, state: &[u64], out: &mut HashSet<Vec<u64>>) -> Result<(), Fault> {
        if self.worker.is_terminal(state)? {
            return Ok(());
        }
        let mut legal = Vec::new();
        for role in self.engine.vocabulary().roles() {
            let mut moves = Vec::new();
            self.worker.legal(state, role, &mut moves)?;
            legal.push(moves);
        }
        let mut next = vec![0; state.len()];
        each_joint_move(&legal, &mut Vec::new(), &mut |joint| {
            self.worker.next(state, joint, &mut next)?;
            if !out.contains(&next) && out.len() <= MOST_VISITED {
                out.insert(next.clone());
            }
            Ok(())
        })
    }

    /// Plays until there are so many matches, or the budget is over and there is one at least.
    pub(super) fn play(&mut self, games: u64, budget: &Budget) -> Result<()> {
        self.worker.obey(budget);
        while self.ends.games < games {
            match self.one() {
                Ok(()) => {}
                Err(fault) if fault.limit().is_final() && self.ends.games > 0 => return Ok(()),
                Err(fault) => return Err(fault.into()),
            }
            if budget.check().is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Plays a match. Nothing is counted of one that meets a limit.
    fn one(&mut self) -> Result<(), Fault> {
        let vocabulary = self.engine.vocabulary();
        let mut state = vec![0; vocabulary.words()];
        self.worker.initial(&mut state);
        let mut next = state.clone();
        let (mut counts, mut states) = (Vec::new(), Vec::new());
        let mut joint: Vec<MoveId> = Vec::new();
        let mut legal = Vec::new();
        let (mut first, mut last, mut stuck) = (None, None, false);
        let mut terminal;
        loop {
            terminal = self.worker.is_terminal(&state)?;
            if terminal || counts.len() as u64 >= self.longest {
                break;
            }
            joint.clear();
            let (mut product, mut choosing, mut several) = (1u64, None, false);
            for role in vocabulary.roles() {
                self.worker.legal(&state, role, &mut legal)?;
                if legal.is_empty() {
                    stuck = true;
                    break;
                }
                product = product.saturating_mul(legal.len() as u64);
                if legal.len() > 1 {
                    several = choosing.is_some();
                    choosing = Some(role);
                }
                joint.push(legal[self.random.below(legal.len())]);
            }
            if stuck {
                break;
            }
            if choosing.is_some() {
                let mover = choosing.filter(|_| !several);
                first = first.or(Some(mover));
                last = mover;
            }
            counts.push(product);
            states.push(state.clone());
            self.worker.next(&state, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        let mut goals = Vec::new();
        if terminal {
            for role in vocabulary.roles() {
                goals.push(self.worker.goal(&state, role)?);
            }
        }
        states.push(state);
        let winner = self.count(&counts, &states, terminal.then_some(&goals), stuck);
        self.first = match (self.first, first.flatten()) {
            (Mover::Unknown, Some(role)) => Mover::Always(role),
            (Mover::Always(role), Some(other)) if role == other => Mover::Always(role),
            _ => Mover::Various,
        };
        if let (Some(winner), Some(mover)) = (winner, last) {
            self.last.of += 1;
            self.last.count += u64::from(winner == mover);
        }
        self.keep(states, terminal);
        Ok(())
    }

    /// Counts a match and says who won it alone.
    fn count(
        &mut self,
        counts: &[u64],
        states: &[Vec<u64>],
        goals: Option<&Vec<Option<Goal>>>,
        stuck: bool,
    ) -> Option<RoleId> {
        let ends = &mut self.ends;
        ends.games += 1;
        *ends.lengths.entry(counts.len() as u64).or_default() += 1;
        self.plies.resize_with(self.plies.len().max(states.len()), Level::default);
        for (state, level) in states.iter().zip(&mut self.plies) {
            let mut hasher = DefaultHasher::new();
            state.hash(&mut hasher);
            let hash = hasher.finish();
            if self.seen < MOST_SEEN || level.states.contains_key(&hash) {
                let times = level.states.entry(hash).or_default();
                self.seen += usize::from(*times == 0);
                *times += 1;
            }
        }
        for (&count, level) in counts.iter().zip(&mut self.plies) {
            level.games += 1;
            level.decisions += u64::from(count > 1);
            *level.branching.entry(count).or_default() += 1;
        }
        let Some(goals) = goals else {
            *if stuck { &mut ends.stuck } else { &mut ends.timeouts } += 1;
            return None;
        };
        if self.lines.len() < MOST_SEEN {
            self.lines.push(counts.iter().map(|&count| (count as f64).log10()).sum());
        }
        for (goal, counts) in goals.iter().zip(&mut ends.goals) {
            if let Some(goal) = goal {
                *counts.entry(*goal).or_default() += 1;
            }
        }
        let best = goals.iter().max().copied().flatten().filter(|_| !goals.contains(&None));
        let winners = goals.iter().zip(0..64).filter(|(goal, _)| goal.is_some() && **goal == best);
        let winners: u64 = winners.map(|(_, role)| 1 << role).sum();
        *ends.winners.entry(winners).or_default() += 1;
        (winners.count_ones() == 1 && goals.len() > 1).then(|| RoleId(winners.trailing_zeros()))
    }

    /// Keeps the states of matches that ended, as long as their values can be asked for.
    fn keep(&mut self, states: Vec<Vec<u64>>, terminal: bool) {
        if terminal && self.visited.is_some() && self.kept.len() < MOST_KEPT {
            self.kept.push(states);
        }
    }

    pub(super) fn games(&self) -> u64 {
        self.ends.games
    }

    /// Who moves first in every match.
    pub(super) fn first_mover(&self) -> Option<RoleId> {
        match self.first {
            Mover::Always(role) => Some(role),
            Mover::Unknown | Mover::Various => None,
        }
    }

    pub(super) fn last_mover(&self) -> Option<Share> {
        (self.last.of > 0).then_some(self.last)
    }

    pub(super) fn branching(&self) -> Mean {
        Mean::of(self.plies.iter().flat_map(|level| level.branching()))
    }

    pub(super) fn decisions(&self) -> Share {
        let [count, of] = [|level: &Level| level.decisions, |level: &Level| level.games]
            .map(|of| self.plies.iter().map(of).sum());
        Share { count, of }
    }

    pub(super) fn plies(&self) -> Vec<Ply> {
        let ply = |(ply, level): (usize, &Level)| Ply {
            ply: ply as u64,
            games: level.games,
            branching: Mean::of(level.branching()),
            decisions: Share { count: level.decisions, of: level.games },
            seen: level.states.len() as u64,
            states: self.levels.get(ply).copied(),
            estimate: self.levels.get(ply).map_or_else(|| level.estimate(), |&exact| exact as f64),
        };
        self.plies.iter().enumerate().map(ply).collect()
    }

    /// The mean of the weights of lines, as a logarithm; nothing if some match did not come to its end.
    pub(super) fn lines(&self) -> Option<f64> {
        if self.ends.timeouts > 0 || self.lines.is_empty() {
            return None;
        }
        let highest = self.lines.iter().copied().fold(0.0, f64::max);
        let sum: f64 = self.lines.iter().map(|line| 10f64.powf(line - highest)).sum();
        Some(highest + (sum / self.lines.len() as f64).log10())
    }

    pub(super) fn states(&self) -> States {
        let seen: HashSet<u64> = self.plies.iter().flat_map(|level| level.states.keys().copied()).collect();
        let seen = (seen.len() as u64).max(self.levels.iter().copied().max().unwrap_or(0));
        // States of different plies differ where something counts them; elsewhere they are counted more than once.
        let estimate: f64 = self.plies().iter().map(|ply| ply.estimate).sum();
        let exact = self.visited;
        let estimate = exact.map_or(estimate.max(seen as f64), |exact| exact as f64);
        States { exact, seen: exact.unwrap_or(seen), estimate }
    }

    /// What exact values say, where every state was visited and values are those of best play.
    #[cfg(feature = "logic")]
    pub(super) fn values(&self, budget: &Budget) -> Result<Option<Values>> {
        if self.visited.is_none() {
            return Ok(None);
        }
        let options = Options { states: MOST_VISITED, ..Options::default() };
        let Ok(solution) = solve(self.engine, &options, budget, &Reached::default()) else { return Ok(None) };
        let Nature::ConstantSum(sum) = solution.nature else { return Ok(None) };
        let vocabulary = self.engine.vocabulary();
        // Who is ahead for the first role: -1, 0 or 1.
        let lead = |solution: &Solution, state: &[u64]| {
            let value = solution.verdict(solution.space.find(state)?, RoleId(0)).value?;
            Some((2 * value - sum).signum())
        };
        let (mut lead_change, mut settled, mut games) = (Share::default(), Vec::new(), 0);
        for states in &self.kept {
            let Some(leads) = states.iter().map(|state| lead(&solution, state)).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            games += 1;
            lead_change.of += leads.len() as u64 - 1;
            lead_change.count += leads.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
            let since = leads.iter().rposition(|lead| Some(lead) != leads.last()).map_or(0, |at| at + 1);
            let moves = (leads.len() - 1) as f64;
            settled.push(((moves - since as f64) / moves.max(1.0), 1));
        }
        let value = |role| Some((vocabulary.show_role(role), solution.verdict(0, role).value?));
        let Some(roles) = vocabulary.roles().map(value).collect() else { return Ok(None) };
        Ok(Some(Values { roles, games, lead_change, decisiveness: Mean::of(settled.into_iter()) }))
    }

    /// Values take the solver.
    #[cfg(not(feature = "logic"))]
    pub(super) fn values(&self, _: &Budget) -> Result<Option<Values>> {
        Ok(None)
    }
}

impl Level {
    fn branching(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        self.branching.iter().map(|(&count, &times)| (count as f64, times))
    }

    /// How many states there are, from how many were seen once and twice (Chao 1984, in the form without a bias).
    fn estimate(&self) -> f64 {
        let [once, twice] = [1, 2].map(|n| self.states.values().filter(|times| **times == n).count() as f64);
        self.states.len() as f64 + once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0))
    }
}
