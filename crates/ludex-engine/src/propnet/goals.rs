//! Goals.
//!
//! A playout asks for goals once, at its end, so nothing is kept up to date for them. They are asked as
//! formulas; where these cannot be written (blocks) or are large (a count of all stones), what goals depend on
//! is computed from scratch, gate by gate.

use super::formula::{Findings, Formula, Formulas, Layout, View};
use super::levelized::{Levelized, read};
use super::net::{Net, Node, Signal};
use crate::budget::{Exceeded, Meter};
use crate::engine::Goal;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, RoleId};
use std::ops::Range;

/// For each role its goal values and when they are given. A value that is no number is `None`.
type GoalTable<S> = Vec<Vec<(Option<Goal>, S)>>;

/// How to find out about goals.
#[derive(Debug)]
pub(super) enum GoalCode {
    Asked { formulas: Formulas, goals: GoalTable<Formula> },
    Computed { cone: Cone, goals: GoalTable<u32> },
}

/// Beyond this many gates it is cheaper to compute them all than to find out which matter: a look at a part of a
/// formula costs two or three gates. In reversi (13,000 gates) asking made whole playouts four times slower.
const MOST_ASKED: usize = 2000;

impl GoalCode {
    pub(super) fn new(net: &Net, layout: &Layout, meter: &mut Meter) -> Result<GoalCode, Exceeded> {
        meter.tick_by(net.nodes.len() as u64)?;
        let signals: Vec<Signal> = net.goals.iter().flatten().map(|(_, signal)| *signal).collect();
        if net.cone_size(signals.iter().copied()) <= MOST_ASKED
            && let Some((mut formulas, list)) = Formulas::new(&net.nodes, &signals, layout, meter)?
        {
            formulas.assemble(list.iter().copied(), &[], meter)?;
            return Ok(GoalCode::Asked { formulas, goals: table(net, list) });
        }
        meter.tick_by(net.nodes.len() as u64)?;
        let (cone, numbers) = Cone::new(net, &signals);
        Ok(GoalCode::Computed { cone, goals: table(net, numbers) })
    }

    pub(super) fn memory_usage(&self) -> usize {
        match self {
            GoalCode::Asked { formulas, .. } => formulas.memory_usage(),
            GoalCode::Computed { cone, .. } => {
                cone.parts.iter().map(|part| std::mem::size_of_val(&*part.gates)).sum()
            }
        }
    }
}

/// The goals with what their signals, in order, have become.
fn table<S>(net: &Net, signals: Vec<S>) -> GoalTable<S> {
    let mut signals = signals.into_iter();
    let role = |goals: &Vec<(Option<Goal>, Signal)>| {
        goals.iter().map(|(value, _)| *value).zip(signals.by_ref()).collect()
    };
    net.goals.iter().map(role).collect()
}

/// The part of a network that some signals depend on, to be computed in order.
#[derive(Debug)]
pub(super) struct Cone {
    /// The fluents that are read: values one and following.
    fluents: Vec<FluentId>,
    /// A block must have settled before anything reads it, so it is a part of its own.
    parts: Vec<Levelized>,
    values: usize,
}

impl Cone {
    /// The cone, and the number that each signal has in it.
    fn new(net: &Net, signals: &[Signal]) -> (Cone, Vec<u32>) {
        let needed = net.cone(signals.iter().copied());
        let mut cone = Cone { fluents: Vec::new(), parts: Vec::new(), values: 1 };
        let mut numbers = vec![0u32; net.nodes.len()];
        let inputs = net.nodes.iter().enumerate().filter(|(node, _)| needed[*node]);
        for (node, what) in inputs.clone() {
            if let Node::Fluent(fluent) = *what {
                cone.fluents.push(FluentId(fluent));
                numbers[node] = cone.number();
            }
        }
        for (node, _) in inputs.filter(|(_, what)| matches!(what, Node::Feedback)) {
            numbers[node] = cone.number();
        }
        let mut at = 0;
        for block in &net.blocks {
            cone.part(net, at..block.nodes.start, &needed, &mut numbers, &[]);
            cone.part(net, block.nodes.clone(), &needed, &mut numbers, &block.feedback);
            at = block.nodes.end;
        }
        cone.part(net, at..net.nodes.len(), &needed, &mut numbers, &[]);
        (cone, signals.iter().map(|&signal| local(&numbers, signal)).collect())
    }

    fn part(
        &mut self,
        net: &Net,
        nodes: Range<usize>,
        needed: &[bool],
        numbers: &mut [u32],
        feedback: &[(usize, Signal)],
    ) {
        let mut part = Levelized { first: self.values, ..Levelized::default() };
        for node in nodes.filter(|&node| needed[node]) {
            if let Node::And(a, b) = net.nodes[node] {
                part.gates.push((local(numbers, a), local(numbers, b)));
                numbers[node] = self.number();
            }
        }
        part.feedback = feedback
            .iter()
            .filter(|(variable, _)| needed[*variable])
            .map(|&(variable, signal)| (numbers[variable], local(numbers, signal)))
            .collect();
        if !part.gates.is_empty() || !part.feedback.is_empty() {
            self.parts.push(part);
        }
    }

    /// The number of a new value.
    fn number(&mut self) -> u32 {
        self.values += 1;
        self.values as u32 - 1
    }

    fn compute(&self, state: &Row, values: &mut [u8]) {
        for (value, &fluent) in values[1..].iter_mut().zip(&self.fluents) {
            *value = u8::from(row::holds(state, fluent));
        }
        for part in &self.parts {
            part.compute(values);
        }
    }
}

fn local(numbers: &[u32], signal: Signal) -> u32 {
    numbers[signal.node()] << 1 | u32::from(signal.is_inverted())
}

/// The goals of one state.
#[derive(Debug)]
pub(super) struct Goals {
    /// What formulas have found, where goals are asked.
    findings: Findings,
    /// The values of the cone, where goals are computed, and the state that they belong to.
    values: Vec<u8>,
    state: Option<Vec<u64>>,
}

impl Goals {
    pub(super) fn new(code: &GoalCode) -> Goals {
        let (findings, values) = match code {
            GoalCode::Asked { formulas, .. } => (Findings::new(formulas), Vec::new()),
            GoalCode::Computed { cone, .. } => (Findings::new(&Formulas::default()), vec![0; cone.values]),
        };
        Goals { findings, values, state: None }
    }

    /// Forgets all times, when they begin again.
    pub(super) fn forget(&mut self) {
        self.findings.forget();
    }

    /// The role's goal value, or `None` where the rules give none, several, or one that is no number. `code` is what
    /// this was made with, `time` another one for each state.
    pub(super) fn goal(&mut self, code: &GoalCode, row: &Row, time: u32, role: RoleId) -> Option<Goal> {
        let Goals { findings, values, state } = self;
        match code {
            GoalCode::Asked { formulas, goals } => {
                let view = View { formulas, row, time };
                single(goals[role.index()].iter().filter(|(_, formula)| findings.holds(view, *formula)))
            }
            GoalCode::Computed { cone, goals } => {
                // Each role asks for its own.
                if state.as_deref() != Some(row) {
                    cone.compute(row, values);
                    state.get_or_insert_with(|| vec![0; row.len()]).copy_from_slice(row);
                }
                single(goals[role.index()].iter().filter(|(_, signal)| read(values, *signal) == 1))
            }
        }
    }
}

/// The value if there is just one.
fn single<'g, S: 'g>(mut given: impl Iterator<Item = &'g (Option<Goal>, S)>) -> Option<Goal> {
    let (value, _) = given.next()?;
    if given.next().is_some() { None } else { *value }
}
