//! Networks to formulas.
//!
//! Conjunctions inside conjunctions are taken in, single tests inlined, parts ordered so that what decides
//! most often for the least cost comes first, and long disjunctions of which few parts can be true in one state
//! get guards.

use super::{Conjunction, Formula, Formulas, Layout, Test, bits};
use crate::budget::{Exceeded, Meter};
use crate::propnet::guards::Guards;
use crate::propnet::net::{Node, Signal, TICKS_A_GATE};
use hashbrown::HashMap;

/// Formulas nested deeper than this are not compiled: questions are answered recursively.
const DEEPEST: usize = 1000;

/// What a test costs, what it costs to look for the guards that are on in a word, and what to look at a part whose
/// guard is on: in looks at a conjunction.
const TEST_COST: f32 = 0.12;
const GUARD_COST: f32 = 0.7;
const OPEN_COST: f32 = 1.2;

/// A conjunction of at most so many parts is copied into each that contains it: a few more bits in masks are
/// cheaper than a detour. With formulas among the parts that may repeat work, so fewer are allowed.
fn most_copied(depth: usize) -> usize {
    if depth == 1 { 24 } else { 4 }
}

impl Formulas {
    /// Compiles the signals; gives the formulas, and the one of each signal, in order. `None` if they read
    /// blocks or are nested too deep.
    pub(in crate::propnet) fn new(
        nodes: &[Node],
        signals: &[Signal],
        layout: &Layout,
        meter: &mut Meter,
    ) -> Result<Option<(Formulas, Vec<Formula>)>, Exceeded> {
        let nothing = Formulas {
            conjunctions: vec![Conjunction { tests: 0, parts: 0, guarded: 0, guards: 0 }],
            tests: Vec::new(),
            parts: Vec::new(),
            guards: Guards::default(),
            reads_moves: false,
            jit: None,
        };
        let Some(conjuncts) = Conjuncts::new(nodes, signals, meter)? else { return Ok(None) };
        let mut writer = Writer {
            conjuncts,
            nodes,
            layout,
            numbers: HashMap::new(),
            formulas: nothing,
            estimates: vec![Estimate::all([])],
        };
        let mut list = Vec::with_capacity(signals.len());
        for &signal in signals {
            list.push(match signal.known() {
                Some(true) => Formula::ALWAYS,
                Some(false) => Formula::NEVER,
                None => writer.formula(signal, meter)?,
            });
        }
        let mut formulas = writer.formulas;
        formulas.conjunctions.push(formulas.end());
        Ok(Some((formulas, list)))
    }

    /// Whether the signals can be compiled.
    pub(in crate::propnet) fn can_express(
        nodes: &[Node],
        signals: &[Signal],
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        Ok(Conjuncts::new(nodes, signals, meter)?.is_some())
    }
}

/// Each conjunction of two with the conjunctions inside it that can be taken in.
struct Conjuncts {
    lists: Vec<Vec<Signal>>,
}

impl Conjuncts {
    /// `None` if the signals read blocks or are nested too deep.
    fn new(nodes: &[Node], signals: &[Signal], meter: &mut Meter) -> Result<Option<Conjuncts>, Exceeded> {
        let mut readers = vec![0u32; nodes.len()];
        let mut needed = vec![false; nodes.len()];
        let mut open: Vec<usize> = signals.iter().map(|signal| signal.node()).collect();
        open.iter().for_each(|&node| readers[node] += 2);
        while let Some(node) = open.pop() {
            meter.tick()?;
            if std::mem::replace(&mut needed[node], true) {
                continue;
            }
            match nodes[node] {
                Node::And(a, b) => {
                    for signal in [a, b] {
                        // One that is read inverted cannot be taken in.
                        readers[signal.node()] += 1 + u32::from(signal.is_inverted());
                        open.push(signal.node());
                    }
                }
                Node::Feedback => return Ok(None),
                Node::False | Node::Fluent(_) | Node::Move(..) => {}
            }
        }
        let mut lists: Vec<Vec<Signal>> = vec![Vec::new(); nodes.len()];
        let mut depths = vec![0usize; nodes.len()];
        for node in 0..nodes.len() {
            let Node::And(a, b) = nodes[node] else { continue };
            if !needed[node] {
                continue;
            }
            let mut list = Vec::new();
            for signal in [a, b] {
                let inner = signal.node();
                let taken_in = !signal.is_inverted() && matches!(nodes[inner], Node::And(..));
                if taken_in && readers[inner] == 1 {
                    list.append(&mut lists[inner]);
                } else if taken_in && lists[inner].len() <= most_copied(depths[inner]) {
                    list.extend_from_slice(&lists[inner]);
                } else {
                    list.push(signal);
                }
            }
            meter.tick_by(list.len() as u64)?;
            list.sort_unstable();
            list.dedup();
            depths[node] = 1 + list.iter().map(|signal| depths[signal.node()]).max().unwrap_or(0);
            if depths[node] > DEEPEST {
                return Ok(None);
            }
            lists[node] = list;
        }
        Ok(Some(Conjuncts { lists }))
    }
}

struct Writer<'n> {
    conjuncts: Conjuncts,
    nodes: &'n [Node],
    layout: &'n Layout,
    numbers: HashMap<usize, u32>,
    formulas: Formulas,
    /// What to expect of each conjunction.
    estimates: Vec<Estimate>,
}

/// How often something holds, and how many looks it takes to find out.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    odds: f32,
    cost: f32,
}

impl Estimate {
    /// Of a conjunction, whose parts are looked at in this order until one fails.
    fn all(parts: impl IntoIterator<Item = Estimate>) -> Estimate {
        let start = Estimate { odds: 1.0, cost: 1.0 };
        parts.into_iter().fold(start, |so_far, part| Estimate {
            odds: so_far.odds * part.odds,
            cost: so_far.cost + so_far.odds * part.cost,
        })
    }

    /// The lower, the sooner a part should be looked at: cost by the chance that it decides.
    fn rank(self) -> f32 {
        self.cost / (1.0 - self.odds).max(1e-6)
    }
}

impl Writer<'_> {
    fn formula(&mut self, signal: Signal, meter: &mut Meter) -> Result<Formula, Exceeded> {
        let node = signal.node();
        let number = match self.numbers.get(&node) {
            Some(&number) => number,
            None => {
                let number = self.write(node, meter)?;
                self.numbers.insert(node, number);
                number
            }
        };
        Ok(Formula(number << 1 | u32::from(signal.is_inverted())))
    }

    fn write(&mut self, node: usize, meter: &mut Meter) -> Result<u32, Exceeded> {
        let itself = [Signal::plain(node)];
        let list = std::mem::take(&mut self.conjuncts.lists[node]);
        let conjuncts = if list.is_empty() { &itself[..] } else { &list };
        meter.tick_by(TICKS_A_GATE * conjuncts.len() as u64)?;
        let mut literals = Vec::new();
        let mut parts = Vec::new();
        for &signal in conjuncts {
            match self.layout.bit(self.nodes[signal.node()]) {
                Some(bit) => literals.push((bit, !signal.is_inverted())),
                None => parts.push(self.formula(signal, meter)?),
            }
        }
        // No bits cannot have a value.
        let never = Test { word: 0, inverted: false, mask: 0, want: 1 };
        let mut tests = Test::all(&literals).unwrap_or_else(|| vec![never]);
        let mut guarded = self.worth_guarding(&parts);
        if !guarded.is_empty() {
            parts.retain(|part| self.formulas.guard(part.inverse(), self.layout).is_none());
        }
        // A part that is a test or a few becomes part of this conjunction, and so saves a detour.
        parts.retain(|&part| match self.as_tests(part) {
            Some(inlined) => {
                tests.extend(inlined);
                false
            }
            None => true,
        });
        // Odds are not negative, so their bits are in their order.
        tests.sort_by_cached_key(|test| self.test_odds(*test).to_bits());
        let rank = |part: &Formula| self.estimate(*part).rank();
        parts.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        let estimates = tests.iter().map(|&test| Estimate { odds: self.test_odds(test), cost: TEST_COST });
        let estimates = estimates.chain(parts.iter().map(|&part| self.estimate(part)));
        let estimates = estimates.chain(guarded.iter().map(|&(bit, part)| {
            let Estimate { odds, cost } = self.estimate(part);
            Estimate { odds, cost: cost * self.layout.odds(bit) }
        }));
        self.estimates.push(Estimate::all(estimates));
        let formulas = &mut self.formulas;
        formulas.reads_moves |= tests.iter().any(|test| test.word as usize >= self.layout.state_words);
        let start = formulas.end();
        formulas.tests.extend(tests);
        formulas.parts.extend(parts);
        let first = formulas.parts.len() as u32;
        formulas.conjunctions.push(Conjunction { guarded: first, ..start });
        guarded.sort_by_key(|(bit, _)| *bit);
        formulas.parts.extend(guarded.iter().map(|(_, part)| *part));
        formulas.guards.add(first, guarded.iter().map(|(bit, _)| *bit));
        Ok(formulas.conjunctions.len() as u32 - 1)
    }

    /// The parts that have a guard, and the guards, if they are better found by them: disjuncts of which few can
    /// be true.
    fn worth_guarding(&self, parts: &[Formula]) -> Vec<(u32, Formula)> {
        let mut guarded: Vec<(u32, Formula)> = Vec::new();
        let (mut plain_cost, mut cost) = (0.0, 0.0);
        for &part in parts {
            let Some(bit) = self.formulas.guard(part.inverse(), self.layout) else { continue };
            let part_cost = if self.as_tests(part).is_some() { TEST_COST } else { 1.0 };
            plain_cost += part_cost;
            cost += OPEN_COST * self.layout.odds(bit);
            guarded.push((bit, part));
        }
        let mut words: Vec<u32> = guarded.iter().map(|(bit, _)| bit / 64).collect();
        words.sort_unstable();
        words.dedup();
        if cost + GUARD_COST * words.len() as f32 >= plain_cost {
            guarded.clear();
        }
        guarded
    }

    /// The formula as a conjunction of tests, if it is a single test, or the inverse of one that is combined with
    /// a disjunction of others on the same word: *not (a and (b or c))* is *not (a and b)* and *not (a and c)*.
    fn as_tests(&self, formula: Formula) -> Option<Vec<Test>> {
        let inverted = formula.is_inverted();
        let [test] = *self.formulas.tests_of(formula) else { return None };
        match *self.formulas.parts_of(formula) {
            [] => Some(vec![Test { inverted: test.inverted != inverted, ..test }]),
            [part] if inverted && !test.inverted && part.is_inverted() => {
                if !self.formulas.parts_of(part).is_empty() {
                    return None;
                }
                let possible = |test: &Test| test.want & !test.mask == 0;
                let fits = |other: &Test| {
                    let same_word = other.inverted && other.word == test.word;
                    let agree = (test.want ^ other.want) & test.mask & other.mask == 0;
                    same_word && agree && possible(&test) && possible(other)
                };
                let disjuncts = self.formulas.tests_of(part);
                disjuncts.iter().all(fits).then(|| {
                    let combined = |other: &Test| Test {
                        mask: test.mask | other.mask,
                        want: test.want | other.want,
                        inverted: true,
                        word: test.word,
                    };
                    disjuncts.iter().map(combined).collect()
                })
            }
            _ => None,
        }
    }

    fn estimate(&self, formula: Formula) -> Estimate {
        let Estimate { odds, cost } = self.estimates[formula.number()];
        Estimate { odds: if formula.is_inverted() { 1.0 - odds } else { odds }, cost }
    }

    fn test_odds(&self, test: Test) -> f32 {
        let odds = |on: u64| bits(test.word, on).map(|bit| self.layout.odds(bit));
        odds(test.want).product::<f32>()
            * odds(test.mask & !test.want).map(|odds| 1.0 - odds).product::<f32>()
    }
}
