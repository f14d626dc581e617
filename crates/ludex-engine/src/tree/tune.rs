//! Choosing by trial: a few moves are played, and what they show decides.
//!
//! Two things are learnt. How many rows each condition leaves, for the order of conditions. And which bindings
//! a call should pass on: usually all, but where that makes many questions of which most have no answer,
//! it is cheaper to ask for more at once and let each row look up its part (`groups.rs`). Work is counted in
//! steps, not seconds, so what is chosen does not depend on the machine.

use super::cell::{Cell, Lexicon};
use super::engine::{Compiled, Seen};
use super::node::OrAndTree;
use super::order::{Flow, FluentSize, Sizes};
use super::rulebook::{RelationId, Rulebook};
use crate::budget::{Budget, Exceeded};
use crate::error::BuildError;
use crate::frontend::Estimate;
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// A trial is a playout of at most so many moves, cut short when it has taken so many steps of work.
const MOST_MOVES: usize = 100;
const ENOUGH_WORK: u64 = 300_000;

/// How many orders of conditions are tried: each shows calls that those before did not make.
const MOST_ROUNDS: usize = 8;

/// How many levels of calls count when the work of a call is added up.
const WORK_ROUNDS: usize = 16;

/// A relation that is asked less often than this in a trial, on average for each move, is left as it is.
const MANY_QUESTIONS: u64 = 25;

/// How many steps of work all trials of other ways to call relations may take together.
const MOST_WORK: u64 = 3_000_000;

/// Trials of all trees together may build so many rules: a tree of more than a few thousand is not tried often.
const MOST_RULES: usize = 12_000;

pub(super) struct Tuner<'b, C> {
    pub(super) book: Rulebook,
    pub(super) lexicon: Lexicon,
    pub(super) compiled: Compiled<C>,
    pub(super) budget: &'b Budget,
}

/// A tree that was tried.
struct Trial {
    tree: OrAndTree,
    sizes: Sizes,
    seen: Seen,
}

impl<C: Cell> Tuner<'_, C> {
    /// The best tree that was found.
    pub(super) fn best(mut self) -> Result<Compiled<C>, BuildError> {
        let program = &self.book.program;
        let sizes = Sizes {
            facts: self.book.facts.iter().map(|table| Estimate::of(table)).collect(),
            fluents: program
                .fluents
                .iter()
                .map(|f| FluentSize::guess(program.guesses[f.holds.index()].clone()))
                .collect(),
            roles: self.compiled.vocabulary.role_count() as f64,
            calls: BTreeMap::new(),
            passes: HashMap::new(),
        };
        // The first order is a guess; the next ones know what was seen in play with those before.
        let mut best = self.try_out(sizes, MOST_MOVES, ENOUGH_WORK)?;
        let mut rules = best.tree.ands.len();
        let mut known = best.sizes.clone();
        let mut news = known.learn(&best);
        for round in 1..MOST_ROUNDS {
            if round > 2 && (!news || rules > MOST_RULES) {
                break;
            }
            // A guess can be so bad that the first question goes beyond the limit.
            let (moves, most) = match best.seen.failed {
                true => (MOST_MOVES, ENOUGH_WORK),
                // An order that takes twice the work will not do, and has shown enough.
                false => (best.seen.moves, 2 * best.seen.work),
            };
            let trial = self.try_out(known.clone(), moves, most)?;
            rules += trial.tree.ands.len();
            if round == 1 {
                // What calls cost that were ordered by guesses says little of what they would cost now.
                known.calls.clear();
            }
            news = known.learn(&trial);
            if trial.seen.work < best.seen.work {
                news = true;
                best = trial;
            }
        }
        if self.compiled.options.filters {
            best = self.choose_passes(best)?;
        }
        self.compiled.tree = best.tree;
        Ok(self.compiled)
    }

    fn try_out(&mut self, sizes: Sizes, moves: usize, most: u64) -> Result<Trial, BuildError> {
        self.compiled.rebuild(&mut self.book, &mut self.lexicon, &sizes, self.budget)?;
        let seen = self.compiled.try_out(moves, most, self.budget);
        // A trial that failed for want of time says nothing of the tree.
        self.budget.check()?;
        Ok(Trial { tree: std::mem::take(&mut self.compiled.tree), sizes, seen })
    }

    /// Lets relations that are asked much be asked with fewer bindings, where that saves a tenth of the work.
    fn choose_passes(&mut self, mut best: Trial) -> Result<Trial, BuildError> {
        let (mut trials, mut work, mut rules) = (0, 0, 0);
        let mut tried: Vec<RelationId> = Vec::new();
        while let Some((relation, passed)) = busiest(&best, &tried) {
            tried.push(relation);
            let positions: Vec<usize> = (0..passed.len()).filter(|&i| passed[i]).collect();
            let mut choices = vec![vec![false; passed.len()]];
            if positions.len() > 1 {
                choices.extend(positions.iter().map(|&left_out| {
                    let mut choice = passed.clone();
                    choice[left_out] = false;
                    choice
                }));
            }
            for choice in choices {
                trials += 1;
                rules += best.tree.ands.len();
                if trials > self.compiled.options.trials || work > MOST_WORK || rules > MOST_RULES {
                    return Ok(best);
                }
                let mut sizes = best.sizes.clone();
                sizes.learn(&best);
                sizes.passes.insert(relation, choice);
                let most = best.seen.work.min(MOST_WORK);
                let trial = match self.try_out(sizes, best.seen.moves, most) {
                    Err(error) if error.limit().is_some_and(Exceeded::is_final) => return Err(error),
                    Err(_) => continue,
                    Ok(trial) => trial,
                };
                work += trial.seen.work.min(most);
                if trial.seen.work < best.seen.work / 10 * 9 {
                    best = trial;
                }
            }
        }
        Ok(best)
    }
}

impl Sizes {
    /// Adds what play with a tree has shown; true if there were calls that nothing was known of.
    fn learn(&mut self, trial: &Trial) -> bool {
        self.fluents.clone_from(&trial.seen.fluents);
        let tree = &trial.tree;
        let work = work_for_rows(trial);
        let mut calls: HashMap<(RelationId, Vec<bool>), (u64, u64, f64)> = HashMap::new();
        for (site, (came, went)) in tree.sites.iter().zip(&trial.seen.flows) {
            let relation = tree.ors[site.or.index()].relation;
            if tree.is_part(relation) {
                continue;
            }
            let (all_came, all_went, all_work) = calls.entry((relation, site.known.clone())).or_default();
            *all_came += came;
            *all_went += went;
            *all_work += work[site.or.index()] * *came as f64;
        }
        let mut news = false;
        for (key, (came, went, work)) in calls {
            if came > 0 {
                let came = came as f64;
                let flow = Flow { rows: went as f64 / came, work: work / came };
                news |= self.calls.insert(key, flow).is_none();
            }
        }
        news
    }
}

/// For each node the steps of work that a row costs which is merged with its answers, those of the nodes that it calls
/// included: what a node took in all is shared out by the rows of its callers.
fn work_for_rows(trial: &Trial) -> Vec<f64> {
    let Trial { tree, seen, .. } = trial;
    let mut came = vec![0.0; tree.ors.len()];
    for (site, flow) in tree.sites.iter().zip(&seen.flows) {
        came[site.or.index()] += flow.0 as f64;
    }
    let mut own = vec![0.0; tree.ors.len()];
    for (and, steps) in tree.ands.iter().zip(&seen.steps) {
        own[and.or.index()] += *steps as f64;
    }
    let mut for_row = vec![0.0; tree.ors.len()];
    // As many rounds as calls are nested, roughly; nodes that need each other approach their limit.
    for _ in 0..WORK_ROUNDS {
        let mut total = own.clone();
        for (site, flow) in tree.sites.iter().zip(&seen.flows) {
            total[tree.ands[site.and.index()].or.index()] += flow.0 as f64 * for_row[site.or.index()];
        }
        for ((for_row, total), came) in for_row.iter_mut().zip(total).zip(&came) {
            *for_row = if *came > 0.0 { total / came } else { 0.0 };
        }
    }
    for_row
}

/// The relation that is asked most among those that were not tried, and which arguments it is asked with.
fn busiest(trial: &Trial, tried: &[RelationId]) -> Option<(RelationId, Vec<bool>)> {
    let tree = &trial.tree;
    let mut asked: HashMap<RelationId, (u64, Vec<bool>)> = HashMap::new();
    for (or, (questions, _)) in tree.ors.iter().zip(&trial.seen.counts) {
        if or.inputs == 0 || tried.contains(&or.relation) || tree.is_part(or.relation) {
            continue;
        }
        let entry = asked.entry(or.relation).or_insert_with(|| (0, vec![false; or.passed.len()]));
        entry.0 += questions;
        entry.1.iter_mut().zip(&or.passed).for_each(|(all, one)| *all |= one);
    }
    asked
        .into_iter()
        .filter(|(_, (questions, _))| *questions >= MANY_QUESTIONS * trial.seen.moves as u64)
        .max_by_key(|(relation, (questions, _))| (*questions, *relation))
        .map(|(relation, (_, passed))| (relation, passed))
}
