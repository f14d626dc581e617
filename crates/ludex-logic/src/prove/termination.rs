//! Whether every match ends, and after how many moves at most.
//!
//! Three kinds of ranking are sought: *counters*, groups of fluents of which exactly one holds, in an order in which
//! no move turns one back and every move advances one; *settling*, a set of values that fluents keep once they
//! have them, of which one more is reached within every one or two moves; and a *measure*, weights of fluents whose sum
//! every move lowers (`measure.rs`). That no match is endless is refuted by a state that comes back.

use super::answer::{Answer, Proof, Reason, Refutation};
use super::lemma::Lemma;
use super::reference::Line;
use super::{Certificate, Prover};
use crate::discover;
use crate::formula::{Arg, Atom, Expression, Property, Question};
use hashbrown::HashMap;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, Vocabulary};

/// Why every match ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// What is used up.
    pub kind: RankingKind,
    /// The most joint moves of any match.
    pub bound: usize,
    /// The proof that every move uses some of it.
    pub certificate: Certificate,
}

/// What is used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankingKind {
    /// Of each list exactly one fluent holds; no move goes back in one, and every move goes on in one.
    Counters(Vec<Vec<FluentId>>),
    /// Within so many moves another one of these values is reached for good.
    Settling(Vec<(FluentId, bool)>, usize),
    /// Every move lowers what those of these fluents that hold weigh together.
    Measure(Vec<(FluentId, u32)>),
}

/// The most moves within which something must settle.
const LONGEST_WINDOW: usize = 2;

/// Matches that are played in search of a state that comes back, and their longest.
const MATCHES: usize = 40;
const LONGEST_MATCH: usize = 2000;

impl Prover<'_> {
    /// Decides whether every match ends.
    pub fn terminates(&self, budget: &Budget) -> Answer {
        if let Some(line) = self.repetition(budget) {
            return self.endless(line, budget);
        }
        // A single counter is cheap and sharp. Of the others the smallest bound comes first.
        let mut counters = self.counters(&budget.share(3));
        let several =
            counters.pop_if(|(kind, ..)| matches!(kind, RankingKind::Counters(all) if all.len() > 1));
        let others = std::iter::once_with(|| {
            let mut others = self.settling(&budget.share(3));
            others.extend(several);
            others.sort_by_key(|(_, _, bound)| *bound);
            others
        });
        for (kind, property, bound) in std::iter::once(counters).chain(others).flatten() {
            let part = budget.share(6);
            if let Answer::Holds(Proof::Induction(certificate)) = self.prove_within(&property, &part) {
                return Answer::Holds(Proof::Ranking(Ranking { kind, bound, certificate }));
            }
        }
        if let Some(line) = self.retrace(&budget.share(4)) {
            return self.endless(line, budget);
        }
        if let Some(ranking) = self.measure(budget) {
            return Answer::Holds(Proof::Ranking(ranking));
        }
        Answer::Unknown(match budget.check() {
            Err(limit) => Reason::Limit(limit),
            Ok(()) => Reason::NothingFound("no counter and nothing else that is used up was found"),
        })
    }

    /// That a match can go on for ever, once the reference has seen a state come back.
    pub(super) fn endless(&self, line: Line, budget: &Budget) -> Answer {
        match self.reference(budget) {
            Ok(reference) if reference.repeats(&line) => Answer::Fails(Refutation::Repetition(line)),
            Ok(_) => Answer::Unknown(Reason::NotReplayed),
            Err(why) => Answer::Unknown(why),
        }
    }

    /// A line of random play that comes back to a state.
    fn repetition(&self, budget: &Budget) -> Option<Line> {
        let moment = budget.share(8);
        let mut worker = self.engine(budget).ok()?.worker();
        let mut random = Random::new(11);
        for _ in 0..MATCHES {
            let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
            let mut state = self.system().initial().to_vec();
            let mut joints: Vec<Vec<MoveId>> = Vec::new();
            while joints.len() < LONGEST_MATCH && moment.check().is_ok() {
                if let Some(&at) = seen.get(&state) {
                    return Some(Line { joints, at });
                }
                seen.insert(state.clone(), joints.len());
                let Ok(Some((joint, next))) = discover::step(&mut *worker, &state, &mut random) else {
                    break;
                };
                state = next;
                joints.push(joint);
            }
        }
        None
    }

    /// Groups in which random play never went back: each that always went on alone, and all of them together.
    fn counters(&self, budget: &Budget) -> Vec<(RankingKind, Property, usize)> {
        let Ok(samples) = self.samples(budget) else { return Vec::new() };
        let transitions: Vec<(&[u64], &[u64])> = samples
            .iter()
            .filter_map(|sample| Some((sample.state.as_slice(), sample.then.as_ref()?.1.as_slice())))
            .collect();
        let mut sets: Vec<Vec<Vec<FluentId>>> = Vec::new();
        let mut together: Vec<Vec<FluentId>> = Vec::new();
        for lemma in self.lemmas(budget) {
            let Lemma::ExactlyOne(fluents) = lemma else { continue };
            let mut reversed = fluents.clone();
            reversed.reverse();
            let played = in_order_of_play(fluents, &transitions);
            for order in [fluents.clone(), reversed].into_iter().chain(played) {
                let at = |state: &[u64]| order.iter().position(|&fluent| row::holds(state, fluent));
                if transitions.iter().all(|(now, next)| at(now) <= at(next)) {
                    if transitions.iter().all(|(now, next)| at(now) < at(next)) {
                        sets.push(vec![order.clone()]);
                    }
                    together.push(order);
                    break;
                }
            }
        }
        if together.len() > 1 {
            sets.push(together);
        }
        let initial = self.system().initial();
        let left = |order: &Vec<FluentId>| {
            let first = order.iter().position(|&fluent| row::holds(initial, fluent));
            order.len() - 1 - first.unwrap_or(0)
        };
        let described = |set: Vec<Vec<FluentId>>| {
            let bound = set.iter().map(left).sum();
            let property = self.counts(&set);
            (RankingKind::Counters(set), property, bound)
        };
        sets.into_iter().map(described).collect()
    }

    /// No move goes back in one of the orders, and every move goes on in one.
    fn counts(&self, orders: &[Vec<FluentId>]) -> Property {
        let vocabulary = self.system().vocabulary();
        let later = |order: &[FluentId]| {
            let any = order.iter().map(|&fluent| holds(vocabulary, fluent, true)).collect();
            Expression::Next(Box::new(Expression::Or(any)))
        };
        let mut kept = Vec::new();
        // Nothing need go on where nothing follows.
        let mut advances = vec![Expression::Next(Box::new(Expression::Or(Vec::new())))];
        for order in orders {
            for (now, &fluent) in order.iter().enumerate() {
                kept.push(Expression::Or(vec![holds(vocabulary, fluent, false), later(&order[now..])]));
                advances
                    .push(Expression::And(vec![holds(vocabulary, fluent, true), later(&order[now + 1..])]));
            }
        }
        kept.push(Expression::Or(advances));
        Property::made("counters that go on", Expression::And(kept), self.system())
    }

    /// Values that stay: those of fluents that end for good, those that begin for good, all of them. Fewer values
    /// make a sharper bound, so the small sets come first.
    fn settling(&self, budget: &Budget) -> Vec<(RankingKind, Property, usize)> {
        let stays = self.persistent(budget);
        let initial = self.system().initial();
        let open: Vec<(FluentId, bool)> =
            stays.into_iter().filter(|&(fluent, value)| row::holds(initial, fluent) != value).collect();
        let of = |wanted: bool| open.iter().copied().filter(|(_, value)| *value == wanted).collect();
        let mut sets: Vec<Vec<(FluentId, bool)>> = vec![of(false), of(true), open.clone()];
        sets.retain(|set| !set.is_empty());
        sets.sort_by_key(Vec::len);
        sets.dedup();
        let windows = (1..=LONGEST_WINDOW).flat_map(|window| sets.iter().map(move |set| (window, set)));
        windows
            .map(|(window, set)| {
                let property = self.settles(set, window);
                let bound = window * set.len() + window - 1;
                (RankingKind::Settling(set.clone(), window), property, bound)
            })
            .collect()
    }

    /// Within so many moves one more of the values is reached, and they stay.
    fn settles(&self, values: &[(FluentId, bool)], window: usize) -> Property {
        let vocabulary = self.system().vocabulary();
        let ahead = |inner: Expression| (0..window).fold(inner, |inner, _| Expression::Next(Box::new(inner)));
        let settles = values.iter().map(|&(fluent, value)| {
            let now = holds(vocabulary, fluent, !value);
            Expression::And(vec![now, ahead(holds(vocabulary, fluent, value))])
        });
        // Nothing need settle where the game ends within the window.
        let ends = ahead(Expression::Or(Vec::new()));
        let progress = Expression::Or(settles.chain([ends]).collect());
        let root = Expression::And(vec![progress, stay(vocabulary, values)]);
        Property::made("something settles for good", root, self.system())
    }
}

/// The fluents in an order in which play goes through them, if it never goes round; those that were not seen come last.
fn in_order_of_play(fluents: &[FluentId], transitions: &[(&[u64], &[u64])]) -> Option<Vec<FluentId>> {
    let at = |state: &[u64]| fluents.iter().position(|&fluent| row::holds(state, fluent));
    let mut follows: Vec<Vec<usize>> = vec![Vec::new(); fluents.len()];
    let mut open = vec![0usize; fluents.len()];
    for (now, next) in transitions {
        let (Some(now), Some(next)) = (at(now), at(next)) else { continue };
        if now != next && !follows[now].contains(&next) {
            follows[now].push(next);
            open[next] += 1;
        }
    }
    let is_seen = |at: usize| open[at] > 0 || !follows[at].is_empty();
    let (seen, unseen): (Vec<usize>, Vec<usize>) = (0..fluents.len()).partition(|&at| is_seen(at));
    let mut ready: Vec<usize> = seen.iter().copied().filter(|&at| open[at] == 0).collect();
    let mut order = Vec::new();
    while let Some(at) = ready.pop() {
        order.push(at);
        for &next in &follows[at] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(next);
            }
        }
    }
    let is_line = order.len() == seen.len() && !seen.is_empty();
    is_line.then(|| order.into_iter().chain(unseen).map(|at| fluents[at]).collect())
}

/// The values stay.
pub(super) fn stay(vocabulary: &Vocabulary, values: &[(FluentId, bool)]) -> Expression {
    let stays = |&(fluent, value): &(FluentId, bool)| {
        let then = Expression::Next(Box::new(holds(vocabulary, fluent, value)));
        Expression::Or(vec![holds(vocabulary, fluent, !value), then])
    };
    Expression::And(values.iter().map(stays).collect())
}

/// The atom that a fluent holds, or does not.
pub(super) fn holds(vocabulary: &Vocabulary, fluent: FluentId, value: bool) -> Expression {
    let arguments = vec![Arg::Ground(vocabulary.fluent(fluent))];
    let atom = Expression::Atom(Atom { question: Question::True, arguments });
    if value { atom } else { Expression::Not(Box::new(atom)) }
}
