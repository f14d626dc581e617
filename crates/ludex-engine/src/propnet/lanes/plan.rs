//! Networks as levelized lists of gates.
//!
//! A [`Plan`] holds what one pass computes, in the order in which it is computed, each signal in a slot (a
//! [`Plane`](super::vector::Plane) of the runner's memory). Slots 0 and 1 are the constants, then come the
//! fluents, at the same place in all plans of a game, then the moves, then the gates.
//!
//! Gates are conjunctions of several signals: a tree of two-input gates of which nothing else reads the
//! inside is one gate here, which saves the stores and loads of the inside. Gates of equal shape (so many
//! plain and so many inverted inputs) follow each other in runs, so that the inner loop has no branches.

use super::super::net::{Net, Node, Signal, TICKS_A_GATE};
use super::memory::Distance;
use crate::budget::{Exceeded, Meter};
use crate::engine::Goal;
use crate::vocabulary::MoveId;
use hashbrown::HashMap;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Where a signal's plane lies.
pub(super) type Slot = u32;

pub(super) const FALSE: Slot = 0;
pub(super) const TRUE: Slot = 1;
/// The slot of fluent 0.
pub(super) const FLUENTS: Slot = 2;

/// Moves are chosen in groups of so many.
pub(super) const GROUP: usize = 8;

/// The most inputs of a gate; larger conjunctions are split.
///
/// PERF: `lanes_bench 1.5` on the public sheets, M states/s, two interleaved runs each on a busy machine:
///
/// | widest | tictactoe | connectfour | breakthrough | reversi |
/// |---|---|---|---|---|
/// | 2 | 1097, 1083 | 336, 320 | 191, 216 | 47.8, 42.4 |
/// | 4 | 1133, 845 | 431, 352 | 274, 206 | 57.1, 52.9 |
pub(super) const WIDEST: usize = 4;

/// Gates of equal shape with consecutive slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) plain: u32,
    pub(super) inverted: u32,
    pub(super) count: u32,
    /// The slot of the first gate.
    pub(super) to: Slot,
    /// Where the inputs of the first gate begin: for each gate the plain ones, then the inverted ones.
    pub(super) inputs: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Runs, by number.
    Gates(Range<u32>),
    /// Gates that feed back into themselves: the variables start false, and the runs are repeated until no
    /// variable changes.
    Block {
        runs: Range<u32>,
        /// Each variable, where its next value comes from, and whether that is inverted.
        feedback: Vec<(Slot, Slot, bool)>,
    },
}

/// A list of gates. Every slot in it is below the number of slots of its plan, which [`check`] has seen: the kernels rely
/// on that.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    pub(super) runs: Vec<Run>,
    /// Slots as distances: address arithmetic less in the inner loop.
    pub(super) inputs: Vec<Distance>,
}

impl Code {
    pub(super) fn gates(&self) -> usize {
        self.runs.iter().map(|run| run.count as usize).sum()
    }

    /// The variables of all blocks, as in [`Step::Block`].
    fn feedback(&self) -> impl Iterator<Item = &(Slot, Slot, bool)> {
        self.steps.iter().flat_map(|step| match step {
            Step::Gates(_) => &[][..],
            Step::Block { feedback, .. } => &feedback[..],
        })
    }
}

/// The moves from which a role chooses.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// The moves that may be legal.
    pub(super) moves: Vec<MoveId>,
    /// Where they are said to be legal, filled up to whole groups with `FALSE`.
    pub(super) legal: Vec<Slot>,
    /// The slot of the first move, the others following. One move only has no slot: it is always made.
    pub(super) does: Slot,
}

/// For each role the goal values and where they are said to hold.
pub(super) type Goals = Vec<Vec<(Option<Goal>, Slot)>>;

/// One pass.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Terminal, and with `refill_late` all that is legal.
    pub(super) head: Code,
    pub(super) terminal: Slot,
    /// True if finished lanes can only be filled before the next pass, because what is legal reads much of
    /// what terminal reads. Else they are filled after `head`, and no lane is idle for a pass.
    pub(super) refill_late: bool,
    /// What goals need beyond `head`.
    pub(super) goal: Code,
    pub(super) goals: Goals,
    pub(super) legal: Code,
    pub(super) choices: Vec<Choice>,
    pub(super) next: Code,
    /// Fluents that may change, each with the slot from which the new value comes.
    pub(super) copies: Vec<(Slot, Slot)>,
    /// The same where the new value is the inverse of the slot.
    pub(super) inverse_copies: Vec<(Slot, Slot)>,
    pub(super) slots: usize,
}

/// Goals alone, for states that were put aside.
#[derive(Clone, Debug)]
pub(super) struct GoalPlan {
    pub(super) code: Code,
    pub(super) goals: Goals,
    /// The fluents that are read.
    pub(super) fluents: Vec<Slot>,
    pub(super) slots: usize,
}

impl Plan {
    pub(super) fn new(net: &Net, meter: &mut Meter) -> Result<Plan, Exceeded> {
        let legal = net.legal.iter().flatten().copied();
        let play: Vec<bool> = net.cone(legal.chain(net.next.iter().copied()));
        let over = net.cone([net.terminal]);
        let is_gate = |node: usize| matches!(net.nodes[node], Node::And(..));
        let count = |f: &dyn Fn(usize) -> bool| (0..net.nodes.len()).filter(|&n| is_gate(n) && f(n)).count();
        let shared = count(&|n| play[n] && over[n]);
        let all = count(&|n| play[n] || over[n]);
        // An idle pass in a game of fifty plies is two percent.
        let refill_late = shared * 50 > all;
        Plan::with(net, refill_late, meter)
    }

    /// A plan with lanes refilled as said.
    pub(super) fn with(net: &Net, refill_late: bool, meter: &mut Meter) -> Result<Plan, Exceeded> {
        let mut compiler = Compiler::new(net);
        let legal: Vec<Signal> = net.legal.iter().flatten().copied().collect();
        let mut head = Code::default();
        compiler.cone(&mut head, &[net.terminal], meter)?;
        if refill_late {
            compiler.cone(&mut head, &legal, meter)?;
        }
        let terminal = compiler.plain(&mut head, net.terminal);
        let mut after_head = compiler.clone();
        let mut goal = Code::default();
        let goals = after_head.goals(&mut goal, meter)?;
        compiler.free = after_head.free;
        if !refill_late {
            compiler.forget();
        }
        let mut legal_code = Code::default();
        compiler.cone(&mut legal_code, &legal, meter)?;
        let choices = (0..net.legal.len()).map(|role| compiler.choice(&mut legal_code, role)).collect();
        let mut next = Code::default();
        compiler.cone(&mut next, &net.next, meter)?;
        let [copies, inverse_copies] = compiler.copies(&mut next);
        let slots = compiler.free as usize;
        Ok(Plan {
            head,
            terminal,
            refill_late,
            goal,
            goals,
            legal: legal_code,
            choices,
            next,
            copies,
            inverse_copies,
            slots,
        })
    }

    /// What `head` and `legal` have left behind and is read later: by `next`, or from outside as what is legal.
    pub(super) fn kept(&self) -> Vec<Slot> {
        let mut computed = vec![false; self.slots];
        for code in [&self.head, &self.legal] {
            for run in &code.runs {
                computed[run.to as usize..(run.to + run.count) as usize].fill(true);
            }
            for &(variable, ..) in code.feedback() {
                computed[variable as usize] = true;
            }
        }
        let mut read = self.read_by_next();
        let legal = self.choices.iter().flat_map(|choice| choice.legal.iter().copied());
        for slot in legal.chain([self.terminal]) {
            read[slot as usize] = true;
        }
        (0..self.slots).filter(|&slot| computed[slot] && read[slot]).map(|slot| slot as Slot).collect()
    }
}

impl Plan {
    /// Those of the kept slots that `next` reads.
    pub(super) fn needed<'k>(&self, kept: &'k [Slot]) -> impl Iterator<Item = Slot> + 'k {
        let read = self.read_by_next();
        kept.iter().copied().filter(move |&slot| read[slot as usize])
    }

    fn read_by_next(&self) -> Vec<bool> {
        let mut read = vec![false; self.slots];
        for &input in &self.next.inputs {
            read[input.slot().unwrap_or(FALSE) as usize] = true;
        }
        let fed = self.next.feedback().map(|&(_, from, _)| from);
        let copied = self.copies.iter().chain(&self.inverse_copies).map(|&(_, from)| from);
        for slot in fed.chain(copied) {
            read[slot as usize] = true;
        }
        read
    }
}

impl GoalPlan {
    pub(super) fn new(net: &Net, meter: &mut Meter) -> Result<GoalPlan, Exceeded> {
        let mut compiler = Compiler::new(net);
        let mut code = Code::default();
        let goals = compiler.goals(&mut code, meter)?;
        let needed = net.cone(net.goals.iter().flatten().map(|(_, signal)| *signal));
        let fluents = (0..net.nodes.len())
            .filter(|&node| needed[node])
            .filter_map(|node| match net.nodes[node] {
                Node::Fluent(fluent) => Some(FLUENTS + fluent),
                _ => None,
            })
            .collect();
        Ok(GoalPlan { code, goals, fluents, slots: compiler.free as usize })
    }
}

/// Sees that all slots of the plans of a game are in range, once, so that kernels need not look.
///
/// # Panics
/// If one is not, which would be a mistake of the compiler below; or if there are too many slots for [`Distance`].
pub(super) fn check(plans: &[Plan], goals: &GoalPlan, fluents: usize) {
    plans.iter().for_each(|plan| plan.check(fluents));
    let fluents = FLUENTS as usize + fluents;
    assert!((fluents..=Distance::MOST_SLOTS).contains(&goals.slots), "{} slots", goals.slots);
    goals.code.check(goals.slots);
    assert!(are_slots(&goals.goals, goals.slots));
    assert!(goals.fluents.iter().all(|&slot| (slot as usize) < fluents));
}

impl Plan {
    /// As [`check`], of one plan.
    pub(super) fn check(&self, fluents: usize) {
        let fluents = FLUENTS as usize + fluents;
        assert!((fluents..=Distance::MOST_SLOTS).contains(&self.slots), "{} slots", self.slots);
        for code in [&self.head, &self.goal, &self.legal, &self.next] {
            code.check(self.slots);
        }
        let is_slot = |slot: Slot| (slot as usize) < self.slots;
        assert!(is_slot(self.terminal) && are_slots(&self.goals, self.slots));
        for choice in &self.choices {
            let (moves, seats) = (choice.moves.len(), choice.legal.len());
            assert!(seats == moves.next_multiple_of(GROUP) && choice.legal.iter().all(|&slot| is_slot(slot)));
            assert!(choice.does as usize + seats <= self.slots, "room for the moves");
        }
        for &(to, from) in self.copies.iter().chain(&self.inverse_copies) {
            assert!((to as usize) < fluents && is_slot(from));
        }
    }
}

fn are_slots(goals: &Goals, slots: usize) -> bool {
    goals.iter().flatten().all(|&(_, slot)| (slot as usize) < slots)
}

impl Code {
    /// Sees that every run and every slot is there. Constants are never written.
    fn check(&self, slots: usize) {
        let is_slot = |slot: Slot| (slot as usize) < slots;
        for run in &self.runs {
            let wide = (run.plain + run.inverted) as usize;
            assert!((1..=WIDEST).contains(&wide), "{wide} inputs");
            let inputs = &self.inputs[run.inputs as usize..][..run.count as usize * wide];
            assert!(inputs.iter().all(|input| input.slot().is_some_and(is_slot)), "inputs in range");
            assert!(run.to >= FLUENTS && run.to as usize + run.count as usize <= slots, "gates in range");
        }
        for step in &self.steps {
            let runs = match step {
                Step::Gates(runs) => runs,
                Step::Block { runs, feedback } => {
                    let fits =
                        |&(to, from, _): &(Slot, Slot, bool)| to >= FLUENTS && is_slot(to) && is_slot(from);
                    assert!(feedback.iter().all(fits), "feedback in range");
                    runs
                }
            };
            assert!(runs.start <= runs.end && runs.end as usize <= self.runs.len(), "runs in range");
        }
    }
}

/// A conjunction that is not yet placed: nodes, plain and inverted.
#[derive(Debug, Default)]
struct Wide {
    plain: Vec<usize>,
    inverted: Vec<usize>,
}

impl Wide {
    fn shape(&self) -> (usize, usize) {
        (self.plain.len(), self.inverted.len())
    }

    fn inputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.plain.iter().chain(&self.inverted).copied()
    }
}

#[derive(Clone)]
struct Compiler<'n> {
    net: &'n Net,
    /// The slot of each node that is computed. Nodes behind those of the network are parts of conjunctions
    /// that were split.
    slots: Vec<Option<Slot>>,
    /// How often each node is read, outputs included.
    readers: Vec<u32>,
    free: Slot,
}

impl<'n> Compiler<'n> {
    fn new(net: &'n Net) -> Compiler<'n> {
        let mut slots = vec![None; net.nodes.len()];
        let mut readers = vec![0; net.nodes.len()];
        let mut free = FLUENTS + net.next.len() as Slot;
        let mut does = Vec::new();
        for legal in &net.legal {
            let mut seats = HashMap::new();
            let possible = (0u32..).zip(legal).filter(|(_, signal)| **signal != Signal::FALSE);
            for (seat, (action, _)) in (0..).zip(possible) {
                seats.insert(action, free + seat);
            }
            // Whole groups are stored, so the last one needs room.
            free += (seats.len() as Slot).next_multiple_of(GROUP as Slot);
            does.push(seats);
        }
        let feedback = net.blocks.iter().flat_map(|block| block.feedback.iter().map(|(_, signal)| *signal));
        for signal in net.outputs().chain(feedback) {
            readers[signal.node()] += 1;
        }
        for (node, kind) in net.nodes.iter().enumerate() {
            match *kind {
                Node::False => slots[node] = Some(FALSE),
                Node::Fluent(fluent) => slots[node] = Some(FLUENTS + fluent),
                // A move that is never legal is never made.
                Node::Move(role, m) => {
                    slots[node] = Some(does[role as usize].get(&m).copied().unwrap_or(FALSE));
                }
                Node::Feedback => {}
                Node::And(a, b) => {
                    readers[a.node()] += 1;
                    readers[b.node()] += 1;
                }
            }
        }
        Compiler { net, slots, readers, free }
    }

    /// Forgets all gates, so that they are computed again.
    fn forget(&mut self) {
        for (slot, node) in self.slots.iter_mut().zip(&self.net.nodes) {
            if matches!(node, Node::And(..) | Node::Feedback) {
                *slot = None;
            }
        }
    }

    /// Adds what the signals need and is not computed yet.
    fn cone(&mut self, code: &mut Code, signals: &[Signal], meter: &mut Meter) -> Result<(), Exceeded> {
        let net = self.net;
        meter.tick_by(net.nodes.len() as u64)?;
        let mut needed = net.cone(signals.iter().copied());
        for (needed, slot) in needed.iter_mut().zip(&self.slots) {
            *needed &= slot.is_none();
        }
        let mut done = 0;
        for block in &net.blocks {
            let feedback: Vec<(usize, Signal)> =
                block.feedback.iter().filter(|(variable, _)| needed[*variable]).copied().collect();
            if feedback.is_empty() {
                continue;
            }
            let gates: Vec<usize> = block.nodes.clone().filter(|&n| needed[n] && !self.is_input(n)).collect();
            // Only what depends on a variable and what a variable depends on is repeated: the rest comes
            // before or after.
            let mut moving = vec![false; block.nodes.len()];
            let at = |node: usize| node.wrapping_sub(block.nodes.start);
            for (variable, _) in &feedback {
                moving[at(*variable)] = true;
            }
            let reads = |node: usize| match net.nodes[node] {
                Node::And(a, b) => [a.node(), b.node()],
                _ => [node, node],
            };
            for &gate in &gates {
                moving[at(gate)] |= reads(gate).iter().any(|&n| moving.get(at(n)) == Some(&true));
            }
            let mut feeding = vec![false; block.nodes.len()];
            let mut open: Vec<usize> = feedback.iter().map(|(_, signal)| signal.node()).collect();
            while let Some(node) = open.pop() {
                if needed[node] && feeding.get(at(node)) == Some(&false) {
                    feeding[at(node)] = true;
                    open.extend(reads(node));
                }
            }
            let before = gates.iter().copied().filter(|&n| !moving[at(n)]);
            let first: Vec<usize> = (done..block.nodes.start).filter(|&n| needed[n]).chain(before).collect();
            self.segment(code, &first, meter)?;
            for (variable, _) in &feedback {
                self.slots[*variable] = Some(self.free);
                self.free += 1;
            }
            let inside: Vec<usize> =
                gates.iter().copied().filter(|&n| moving[at(n)] && feeding[at(n)]).collect();
            let start = code.runs.len() as u32;
            let steps = code.steps.len();
            self.segment(code, &inside, meter)?;
            code.steps.truncate(steps);
            let feedback = feedback
                .iter()
                .map(|&(variable, signal)| {
                    let slot = |node: usize| self.slots[node].unwrap_or(FALSE);
                    (slot(variable), slot(signal.node()), signal.is_inverted())
                })
                .collect();
            code.steps.push(Step::Block { runs: start..code.runs.len() as u32, feedback });
            let after: Vec<usize> =
                gates.iter().copied().filter(|&n| moving[at(n)] && !feeding[at(n)]).collect();
            self.segment(code, &after, meter)?;
            done = block.nodes.end;
        }
        let rest: Vec<usize> = (done..net.nodes.len()).filter(|&n| needed[n]).collect();
        self.segment(code, &rest, meter)
    }

    fn is_input(&self, node: usize) -> bool {
        !matches!(self.net.nodes[node], Node::And(..))
    }

    /// Adds gates that read computed nodes and each other only.
    fn segment(&mut self, code: &mut Code, gates: &[usize], meter: &mut Meter) -> Result<(), Exceeded> {
        meter.tick_by(TICKS_A_GATE * gates.len() as u64)?;
        let mut inside: HashMap<usize, bool> = HashMap::new();
        for &gate in gates {
            if !self.is_input(gate) && self.slots[gate].is_none() {
                inside.insert(gate, false);
            }
        }
        // A gate that only one other reads, plainly, is absorbed by it.
        for &gate in gates {
            if let Node::And(a, b) = self.net.nodes[gate]
                && inside.contains_key(&gate)
            {
                for input in [a, b] {
                    if !input.is_inverted() && self.readers[input.node()] == 1 {
                        inside.entry(input.node()).and_modify(|absorbed| *absorbed = true);
                    }
                }
            }
        }
        let mut wide: Vec<(usize, Wide)> = Vec::new();
        for &gate in gates {
            meter.tick_by(TICKS_A_GATE)?;
            if inside.get(&gate) == Some(&false) {
                let whole = self.flattened(gate, &inside);
                self.split(gate, whole, &mut wide);
            }
        }
        self.schedule(code, &wide, meter)
    }

    fn flattened(&self, gate: usize, inside: &HashMap<usize, bool>) -> Wide {
        let mut wide = Wide::default();
        let mut open = vec![gate];
        while let Some(node) = open.pop() {
            if let Node::And(a, b) = self.net.nodes[node] {
                for input in [b, a] {
                    if input.is_inverted() {
                        wide.inverted.push(input.node());
                    } else if inside.get(&input.node()) == Some(&true) {
                        open.push(input.node());
                    } else {
                        wide.plain.push(input.node());
                    }
                }
            }
        }
        wide
    }

    /// Splits a conjunction until no part has too many inputs.
    fn split(&mut self, gate: usize, mut wide: Wide, out: &mut Vec<(usize, Wide)>) {
        while wide.plain.len() + wide.inverted.len() > WIDEST {
            let mut part = Wide::default();
            for _ in 0..WIDEST {
                if let Some(node) = wide.inverted.pop() {
                    part.inverted.push(node);
                } else if let Some(node) = wide.plain.pop() {
                    part.plain.push(node);
                }
            }
            let node = self.slots.len();
            self.slots.push(None);
            out.push((node, part));
            // In front, so that the parts make a tree and not a chain.
            wide.plain.insert(0, node);
        }
        out.push((gate, wide));
    }

    /// Puts gates in an order in which each reads earlier ones only, those of equal shape together.
    fn schedule(
        &mut self,
        code: &mut Code,
        gates: &[(usize, Wide)],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        if gates.is_empty() {
            return Ok(());
        }
        meter.tick_by(TICKS_A_GATE * gates.len() as u64)?;
        let place: HashMap<usize, usize> =
            gates.iter().enumerate().map(|(i, (node, _))| (*node, i)).collect();
        let mut waiting = vec![0u32; gates.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); gates.len()];
        let mut ready: BTreeMap<(usize, usize), VecDeque<usize>> = BTreeMap::new();
        for (i, (_, wide)) in gates.iter().enumerate() {
            meter.tick_by(TICKS_A_GATE)?;
            for input in wide.inputs() {
                if let Some(&from) = place.get(&input) {
                    readers[from].push(i);
                    waiting[i] += 1;
                }
            }
            if waiting[i] == 0 {
                ready.entry(wide.shape()).or_default().push_back(i);
            }
        }
        let first = code.runs.len() as u32;
        while let Some((&shape, _)) = ready.iter().max_by_key(|(_, queue)| queue.len()) {
            let mut run = Run {
                plain: shape.0 as u32,
                inverted: shape.1 as u32,
                count: 0,
                to: self.free,
                inputs: code.inputs.len() as u32,
            };
            while let Some(i) = ready.get_mut(&shape).and_then(VecDeque::pop_front) {
                meter.tick_by(TICKS_A_GATE)?;
                let (node, wide) = &gates[i];
                let inputs = wide.inputs().map(|input| Distance::of(self.slots[input].unwrap_or(FALSE)));
                code.inputs.extend(inputs);
                self.slots[*node] = Some(self.free);
                self.free += 1;
                run.count += 1;
                for &reader in &readers[i] {
                    waiting[reader] -= 1;
                    if waiting[reader] == 0 {
                        ready.entry(gates[reader].1.shape()).or_default().push_back(reader);
                    }
                }
            }
            ready.remove(&shape);
            code.runs.push(run);
        }
        code.steps.push(Step::Gates(first..code.runs.len() as u32));
        Ok(())
    }

    /// A slot that holds the signal itself: a computed inverse gets one of its own.
    fn plain(&mut self, code: &mut Code, signal: Signal) -> Slot {
        match (self.slots[signal.node()], signal.is_inverted()) {
            (Some(FALSE), true) => TRUE,
            (Some(slot), false) => slot,
            (Some(slot), true) => self.copy(code, slot, true),
            (None, _) => FALSE,
        }
    }

    fn copy(&mut self, code: &mut Code, slot: Slot, inverted: bool) -> Slot {
        let to = self.free;
        self.free += 1;
        let inputs = code.inputs.len() as u32;
        code.inputs.push(Distance::of(slot));
        let (plain, inverted) = if inverted { (0, 1) } else { (1, 0) };
        // Several copies in a row are one run.
        match code.runs.last_mut() {
            Some(run) if (run.plain, run.inverted) == (plain, inverted) && run.to + run.count == to => {
                run.count += 1;
            }
            _ => {
                let at = code.runs.len() as u32;
                code.runs.push(Run { plain, inverted, count: 1, to, inputs });
                code.steps.push(Step::Gates(at..at + 1));
            }
        }
        to
    }

    fn goals(&mut self, code: &mut Code, meter: &mut Meter) -> Result<Goals, Exceeded> {
        let net = self.net;
        let signals: Vec<Signal> = net.goals.iter().flatten().map(|(_, signal)| *signal).collect();
        self.cone(code, &signals, meter)?;
        let goals = net
            .goals
            .iter()
            .map(|list| list.iter().map(|&(goal, signal)| (goal, self.plain(code, signal))).collect());
        Ok(goals.collect())
    }

    fn choice(&mut self, code: &mut Code, role: usize) -> Choice {
        let net = self.net;
        let possible: Vec<(u32, Signal)> =
            (0u32..).zip(net.legal[role].iter().copied()).filter(|(_, s)| *s != Signal::FALSE).collect();
        let mut legal: Vec<Slot> = possible.iter().map(|(_, signal)| self.plain(code, *signal)).collect();
        legal.resize(legal.len().next_multiple_of(GROUP), FALSE);
        let before: usize = net.legal[..role]
            .iter()
            .map(|list| list.iter().filter(|s| **s != Signal::FALSE).count().next_multiple_of(GROUP))
            .sum();
        Choice {
            moves: possible.iter().map(|(m, _)| MoveId(*m)).collect(),
            legal,
            does: FLUENTS + (net.next.len() + before) as Slot,
        }
    }

    fn copies(&mut self, code: &mut Code) -> [Vec<(Slot, Slot)>; 2] {
        let mut copies = [Vec::new(), Vec::new()];
        let fluents = FLUENTS..FLUENTS + self.net.next.len() as Slot;
        for (fluent, &signal) in fluents.clone().zip(&self.net.next) {
            let from = self.slots[signal.node()].unwrap_or(FALSE);
            let inverted = signal.is_inverted();
            if from == fluent && !inverted {
                continue;
            }
            if fluents.contains(&from) && from != fluent {
                // Another fluent, which may have its new value by then.
                copies[0].push((fluent, self.copy(code, from, inverted)));
            } else {
                copies[usize::from(inverted)].push((fluent, from));
            }
        }
        copies
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Distance;
    use super::{Code, FLUENTS, GoalPlan, Plan, Step, check};
    use crate::budget::Budget;
    use std::panic::catch_unwind;

    /// Two lamps that are switched; the rule for `even` feeds back into itself.
    const RULES: &str =
        "(role a) (init (lamp 1)) (legal a (press 1)) (legal a (press 2)) (next1 1 2) (next1 2 1)
        (<= (next (lamp ?x)) (does a (press ?x)) (not (true (lamp ?x))))
        (<= (next (lamp ?x)) (true (lamp ?x)) (not (does a (press ?x))))
        (<= (even ?x) (true (lamp ?x))) (<= (even ?x) (next1 ?x ?y) (even ?y) (not (true (lamp ?x))))
        (<= terminal (even 1) (even 2) (true (lamp 2))) (<= (goal a 100) (even 1))";

    fn plans() -> (Plan, GoalPlan, usize) {
        let game = ludex_gdl::Sheet::read(RULES).into_game().expect("a sound sheet");
        let net = crate::propnet::compile(&game, &Budget::default()).expect("small").net;
        let meter = &mut crate::budget::Budget::default().clock();
        let goals = GoalPlan::new(&net, meter).expect("no limit");
        (Plan::new(&net, meter).expect("no limit"), goals, net.next.len())
    }

    /// Every kind of number that a kernel trusts, one too large: no plan with one passes.
    #[test]
    fn no_slot_out_of_range_passes() {
        let (plan, goals, fluents) = plans();
        check(std::slice::from_ref(&plan), &goals, fluents);
        let outside = plan.slots as u32;
        let codes = |plan: &mut Plan, change: &dyn Fn(&mut Code)| {
            [&mut plan.head, &mut plan.goal, &mut plan.legal, &mut plan.next].into_iter().for_each(change);
        };
        type Change<'a> = &'a dyn Fn(&mut Plan);
        let changes: [(&str, Change<'_>); 9] = [
            ("terminal", &|plan| plan.terminal = outside),
            ("slots", &|plan| plan.slots -= 1),
            ("legal", &|plan| plan.choices[0].legal[0] = outside),
            ("does", &|plan| plan.choices[0].does = outside - 1),
            ("copy from", &|plan| plan.copies.push((FLUENTS, outside))),
            ("copy to", &|plan| plan.inverse_copies.push((outside, 0))),
            ("inputs", &|plan| {
                codes(plan, &|code| code.inputs.iter_mut().for_each(|to| *to = Distance::of(outside)));
            }),
            ("gates", &|plan| codes(plan, &|code| code.runs.iter_mut().for_each(|run| run.to = outside))),
            ("runs", &|plan| {
                codes(plan, &|code| code.steps.push(Step::Gates(0..code.runs.len() as u32 + 1)));
            }),
        ];
        for (what, change) in changes {
            let mut changed = plan.clone();
            change(&mut changed);
            let passed = catch_unwind(|| check(&[changed], &goals, fluents));
            assert!(passed.is_err(), "{what}");
        }
        let mut goals = goals;
        goals.fluents.push(outside);
        assert!(catch_unwind(|| check(&[plan], &goals, fluents)).is_err(), "the fluents of goals");
    }
}
