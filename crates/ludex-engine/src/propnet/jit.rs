//! Just-in-time compilation (JIT): formulas and effects as machine code.
//!
//! The interpreter of formulas (`formula.rs`) spends most of its time on finding out what to do next: where the tests of a
//! conjunction begin and end, whether it has parts, whether one is inverted. Once the formulas of a phase are known
//! all that is fixed, so they are written as instructions of the processor: a test is a comparison and a jump, what
//! a move does is a function that marks bits. The answers are the same, and so is what is remembered, so
//! both can be used side by side.
//!
//! For x86-64; elsewhere (`not_executable.rs`), where native code is switched off (`crate::native`), where the system gives no
//! memory for code, and for formulas that would be too large, the interpreter serves. `docs/performance.md` has what it
//! brings.

#![cfg_attr(
    not(all(feature = "native", target_arch = "x86_64")),
    allow(
        dead_code,
        reason = "code is written where it can run; what is kept to run it is read nowhere else"
    )
)]

mod assembler;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod executable;
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
#[path = "jit/not_executable.rs"]
mod executable;
mod writer;

use super::effects::Effects;
use super::formula::{Finding, Formula, Formulas};
use crate::budget::{Exceeded, Meter};
use crate::native;
use crate::row::Row;
use assembler::Label;
use executable::Executable;
use std::num::NonZeroU32;
use writer::Writer;

/// The most code that is written for one phase, in bytes. Much more than fits the caches is not worth its making.
const MOST_CODE: usize = 64 << 20;

/// The most conjunctions, and words of a row: they are found by offsets of 31 bits.
const MOST_CONJUNCTIONS: usize = 1 << 27;
const MOST_WORDS: usize = 1 << 27;

/// Code, and where it can be entered.
#[derive(Debug)]
pub(super) struct Jit {
    code: Executable,
    /// For each conjunction its function, if it is asked.
    conjunctions: Vec<Option<Question>>,
    /// For each list of effects: the function that marks, or if only one role acts, the one that makes all changes.
    lists: Vec<Action>,
}

/// Where a function begins that tells whether a conjunction holds, plus one. It changes nothing but findings.
#[derive(Clone, Copy, Debug)]
struct Question(NonZeroU32);

impl Question {
    fn at(place: u32) -> Option<Question> {
        place.checked_add(1).and_then(NonZeroU32::new).map(Question)
    }

    fn place(self) -> u32 {
        self.0.get() - 1
    }
}

/// Where a function begins that marks or makes the changes of a list.
#[derive(Clone, Copy, Debug)]
struct Action(u32);

/// How much memory the functions touch: words of the row and of the flips, and findings.
#[derive(Clone, Copy, Debug)]
struct Reach {
    row_words: usize,
    flip_words: usize,
    findings: usize,
}

/// Writes the functions of all lists; `None` if they are too large.
fn write_lists(
    writer: &mut Writer<'_>,
    effects: &Effects,
    meter: &mut Meter,
) -> Result<Option<Vec<Label>>, Exceeded> {
    let common = writer.write_list(effects, effects.common());
    let mut lists = Vec::with_capacity(effects.count());
    for list in 0..effects.count() {
        let before = writer.code.len();
        lists.push(match effects.sole_actor() {
            Some(_) => writer.write_whole(effects, list, common),
            None => writer.write_list(effects, list),
        });
        meter.tick_by((writer.code.len() - before) as u64)?;
        if writer.code.len() > MOST_CODE {
            return Ok(None);
        }
    }
    Ok(Some(lists))
}

impl Jit {
    /// Writes code for the formulas that will be asked, and for the effects. `None` where there can be none.
    pub(super) fn new(
        formulas: &Formulas,
        asked: impl IntoIterator<Item = Formula>,
        effects: &[&Effects],
        meter: &mut Meter,
    ) -> Result<Option<Jit>, Exceeded> {
        let findings = formulas.count();
        let flip_words = effects.iter().map(|effects| effects.words()).max().unwrap_or(0);
        let row_words = formulas.words().max(flip_words);
        if !native::is_enabled() || findings > MOST_CONJUNCTIONS || row_words > MOST_WORDS {
            return Ok(None);
        }
        let mut writer = Writer::new(formulas, effects, MOST_CODE);
        let mut lists = Vec::new();
        for effects in effects {
            let Some(written) = write_lists(&mut writer, effects, meter)? else { return Ok(None) };
            lists.extend(written);
        }
        let asked: Vec<_> = asked.into_iter().map(|f| (f.number(), writer.function(f.number()))).collect();
        if !writer.write_functions(meter)? {
            return Ok(None);
        }
        writer.code.shorten(meter)?;
        Ok(Jit::of(writer, asked, lists, Reach { row_words, flip_words, findings }))
    }

    /// Code that is written, with the places of what is asked and of the lists.
    fn of(writer: Writer<'_>, asked: Vec<(usize, Label)>, lists: Vec<Label>, reach: Reach) -> Option<Jit> {
        let mut conjunctions = vec![None; reach.findings];
        for (number, label) in asked {
            conjunctions[number] = Some(Question::at(writer.code.place(label)?)?);
        }
        let lists = lists.into_iter().map(|label| writer.code.place(label).map(Action));
        let lists = lists.collect::<Option<_>>()?;
        let code = Executable::new(&writer.code.finish()?, reach)?;
        Some(Jit { code, conjunctions, lists })
    }

    /// Whether the formula holds; `None` if there is no code for it. There is a finding for each conjunction.
    #[inline]
    pub(super) fn holds(
        &self,
        row: &Row,
        findings: &mut [Finding],
        time: u32,
        formula: Formula,
    ) -> Option<bool> {
        let question = (*self.conjunctions.get(formula.number())?)?;
        Some(self.code.ask(question, row, findings, time) != formula.is_inverted())
    }

    /// Marks in `flips` what the list changes, or if only one role acts ([`Effects::sole_actor`]) makes all changes
    /// and marks nothing.
    #[inline]
    pub(super) fn act(
        &self,
        list: usize,
        row: &mut Row,
        findings: &mut [Finding],
        time: u32,
        flips: &mut [u64],
    ) {
        self.code.act(self.lists[list], row, findings, time, flips);
    }

    pub(super) fn memory_usage(&self) -> usize {
        self.code.size() + (self.conjunctions.len() + self.lists.len()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::{Findings, Formulas, Layout, View};
    use super::super::net::{NetBuilder, Node, Signal};
    use crate::budget::Budget;
    use crate::native;
    use crate::random::Random;

    const FLUENTS: usize = 150;

    /// Conjunctions and disjunctions of fluents and of each other, short and long, some of fluents that seldom hold.
    fn random_network(random: &mut Random) -> (Vec<Node>, Vec<Signal>) {
        let mut builder = NetBuilder::new();
        let mut signals: Vec<Signal> = (0..FLUENTS as u32).map(|f| builder.input(Node::Fluent(f))).collect();
        for _ in 0..120 {
            let wide = if random.below(4) == 0 { 30 } else { 4 };
            let mut inputs: Vec<Signal> = (0..2 + random.below(wide))
                .map(|_| signals[random.below(signals.len())].inverse_if(random.below(3) == 0))
                .collect();
            let made = match random.below(2) {
                0 => builder.and_all(&mut inputs),
                _ => builder.or_all(&mut inputs),
            };
            signals.push(made);
        }
        (builder.nodes, signals.split_off(FLUENTS))
    }

    fn values(nodes: &[Node], row: &[u64]) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::new();
        for node in nodes {
            let value = |signal: Signal| values[signal.node()] != signal.is_inverted();
            values.push(match *node {
                Node::Fluent(fluent) => row[fluent as usize / 64] >> (fluent % 64) & 1 == 1,
                Node::And(a, b) => value(a) && value(b),
                Node::False | Node::Feedback | Node::Move(..) => false,
            });
        }
        values
    }

    /// Code, interpreter and the network itself agree, whatever was asked before and whatever of it is
    /// remembered.
    #[test]
    fn code_gives_the_answers_of_the_network() {
        let mut random = Random::new(5);
        for round in 0..30 {
            let (nodes, signals) = random_network(&mut random);
            let odds: Vec<f32> = (0..FLUENTS).map(|f| if f % 3 == 0 { 0.5 } else { 0.02 }).collect();
            let layout = Layout::new(odds.clone(), [], 0);
            let mut meter = Budget::default().clock();
            let mut make = || {
                let made = Formulas::new(&nodes, &signals, &layout, &mut meter).expect("no limit");
                made.expect("no blocks, and not deep")
            };
            let (interpreted, list) = make();
            let (mut assembled, _) = make();
            assembled.assemble(list.iter().copied(), &[], &mut meter).expect("no limit");
            assert_eq!(assembled.jit().is_some(), native::is_enabled(), "where there can be code");
            let mut findings = [Findings::new(&interpreted), Findings::new(&assembled)];
            for time in (2..200).step_by(2) {
                let mut row = vec![0u64; layout.words()];
                for (fluent, odds) in odds.iter().enumerate() {
                    let on = (random.below(1000) as f32) < odds * 1000.0;
                    row[fluent / 64] |= u64::from(on) << (fluent % 64);
                }
                let values = values(&nodes, &row);
                for _ in 0..60 {
                    let at = random.below(list.len());
                    let expected = values[signals[at].node()] != signals[at].is_inverted();
                    for (formulas, findings) in [&interpreted, &assembled].into_iter().zip(&mut findings) {
                        let view = View { formulas, row: &row, time };
                        assert_eq!(findings.holds(view, list[at]), expected, "round {round}, formula {at}");
                    }
                }
            }
        }
    }
}
