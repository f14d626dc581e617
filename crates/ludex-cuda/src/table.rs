//! A pass as a table of gates.
//!
//! Straight-line code of a large game is slow to compile and no longer fits where instructions and registers
//! are kept. Here the gates of a pass are data: three slots, a function, and the slot of the result. A block of
//! threads plays the same few hundred games together, the values of all slots in its shared memory, and takes
//! the gates level by level: those of one level do not read each other, so any thread can take any of them.
//! `table.cu` is the interpreter; it is the same for all games, so that compiling it takes half a second. Where the
//! values do not fit into shared memory they lie in the device's, which takes several times as long.
//!
//! Slots are used again when what is in them is no longer read. Two are the constants, then come the fluents,
//! at the same place in all phases. A fluent's new value is written over the old one where all other readers of
//! the old one come in earlier levels; else it is computed aside and copied at the end of the pass.
//!
//! Cyclic components are loops of levels, repeated until no variable changes in any game of the block.

use super::lut::{Cover, Lut};
use hashbrown::HashMap;
use ludex_engine::propnet::{Net, Node, Signal};

/// The slots of the constants.
const FALSE: u32 = 0;
const TRUE: u32 = 1;

/// There are fewer slots than this.
pub(crate) const MOST_SLOTS: u32 = 1 << 24;

/// The slot of fluent 0.
const FLUENTS: usize = 2;

/// The function of three inputs that is the first of them.
const FIRST: u8 = super::circuit::tables::A;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    pub(crate) inputs: [u32; 3],
    pub(crate) to: u32,
    pub(crate) table: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Gates that do not read each other.
    Level { first: u32, count: u32 },
    /// The same; if a result differs from what was there, back to the step `to`.
    Again { first: u32, count: u32, to: u32 },
    /// The end of a section.
    End,
}

/// A slot, or its inverse: the number twice, and one more if inverted.
pub(crate) type Ref = u32;

/// The pass of one phase. Steps and gates are numbered through all phases.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    /// Where the sections begin: terminal and what is legal, goals, the next state.
    pub(crate) heads: [u32; 3],
    pub(crate) terminal: Ref,
    /// For each role the moves that may be legal: where it is said, and the slot that is set where it is made
    /// (a constant's if nobody reads that).
    pub(crate) moves: Vec<Vec<(Ref, u32)>>,
    /// In the order of the lists.
    pub(crate) goals: Vec<Ref>,
    /// Gates by section.
    pub(crate) sizes: [usize; 3],
}

/// The passes of all phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) gates: Vec<Gate>,
    pub(crate) steps: Vec<Step>,
    pub(crate) passes: Vec<Pass>,
    pub(crate) slots: usize,
    /// Goals of states that were kept, if they are computed so.
    pub(crate) aside: Option<Aside>,
}

/// Goals that are computed for many games at a time, when they must be.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    /// The fluents that they read, kept behind the fluents in this order.
    pub(crate) kept: Vec<u32>,
    pub(crate) pass: Pass,
}

/// Goals whose gates are more than one in so many of a pass are computed aside.
const DEAR_GOALS: usize = 10;

impl Table {
    /// The passes of the networks; `None` if they need too many slots. `whole` is the network of any state.
    pub(crate) fn new(nets: &[Net], whole: &Net) -> Option<Table> {
        let inside = Table::with_goals(nets)?;
        let sum = |section: usize| inside.passes.iter().map(|pass| pass.sizes[section]).sum::<usize>();
        let dear = sum(1) * DEAR_GOALS > sum(0) + sum(1) + sum(2);
        let aside = if dear { Table::without_goals(nets, whole, read_by_goals(whole)) } else { None };
        let aside = aside.filter(|table| table.aside.as_ref().is_some_and(|aside| !aside.kept.is_empty()));
        Some(aside.unwrap_or(inside))
    }

    /// The same for games whose last states are kept elsewhere: goals are computed once, of what lies where the fluents do.
    pub(crate) fn for_kept(nets: &[Net], whole: &Net) -> Option<Table> {
        Table::without_goals(nets, whole, Vec::new())
    }

    fn with_goals(nets: &[Net]) -> Option<Table> {
        let mut table = Table::default();
        for net in nets {
            let pass = Scheduler::new(net, Outputs::all(net), &[]).write(&mut table)?;
            table.passes.push(pass);
        }
        Some(table)
    }

    /// Two passes for games whose moves come from outside: one that makes the next state, and one that says what
    /// it is like. `None` if they need too many slots.
    pub(crate) fn for_steps(whole: &Net) -> Option<Table> {
        let all = Outputs::all(whole);
        let nothing = vec![Vec::new(); whole.legal.len()];
        let next = Outputs { terminal: Signal::FALSE, legal: nothing, goals: Vec::new(), ..all.clone() };
        let look = Outputs { next: (0..whole.next.len()).map(|_| None).collect(), ..all };
        let mut table = Table::default();
        for outputs in [next, look] {
            let pass = Scheduler::new(whole, outputs, &[]).write(&mut table)?;
            table.passes.push(pass);
        }
        Some(table)
    }

    fn without_goals(nets: &[Net], whole: &Net, kept: Vec<u32>) -> Option<Table> {
        let mut table = Table::default();
        for net in nets {
            let outputs = Outputs { goals: Vec::new(), ..Outputs::all(net) };
            let pass = Scheduler::new(net, outputs, &kept).write(&mut table)?;
            table.passes.push(pass);
        }
        let nothing = vec![Vec::new(); whole.legal.len()];
        let same = (0..whole.next.len()).map(|_| None).collect();
        let possible = nothing.iter().map(|_: &Vec<Signal>| Vec::new()).collect();
        let outputs =
            Outputs { legal: nothing, possible, next: same, terminal: Signal::FALSE, ..Outputs::all(whole) };
        let mut goals = Scheduler::new(whole, outputs, &kept);
        goals.reads_kept = !kept.is_empty();
        let pass = goals.write(&mut table)?;
        table.aside = Some(Aside { kept, pass });
        Some(table)
    }
}

/// The fluents that goals read.
fn read_by_goals(whole: &Net) -> Vec<u32> {
    let needed = whole.cone(whole.goals.iter().flatten().map(|(_, signal)| *signal));
    let inputs = whole.nodes.iter().zip(&needed).filter(|(_, needed)| **needed);
    let fluent = |(node, _): (&Node, &bool)| match node {
        Node::Fluent(fluent) => Some(*fluent),
        _ => None,
    };
    inputs.filter_map(fluent).collect()
}

/// What a pass computes.
#[derive(Clone, Debug)]
struct Outputs {
    terminal: Signal,
    /// None of a role if nobody asks.
    legal: Vec<Vec<Signal>>,
    /// For each role the moves that can be legal.
    possible: Vec<Vec<u32>>,
    goals: Vec<Signal>,
    /// The next value of each fluent; `None` to leave it as it is.
    next: Vec<Option<Signal>>,
}

impl Outputs {
    fn all(net: &Net) -> Outputs {
        Outputs {
            terminal: net.terminal,
            legal: net.legal.clone(),
            possible: net.legal.iter().map(|list| possible_moves(list)).collect(),
            goals: net.goals.iter().flatten().map(|(_, signal)| *signal).collect(),
            next: net.next.iter().map(|signal| Some(*signal)).collect(),
        }
    }

    /// What is read before the moves are chosen.
    fn play(&self) -> impl Iterator<Item = Signal> {
        self.legal.iter().flatten().copied().chain([self.terminal])
    }

    fn next(&self) -> impl Iterator<Item = Signal> {
        self.next.iter().flatten().copied()
    }
}

/// The moves that can be legal.
pub(crate) fn possible_moves(legal: &[Signal]) -> Vec<u32> {
    (0u32..).zip(legal).filter(|(_, signal)| **signal != Signal::FALSE).map(|(action, _)| action).collect()
}

/// What a gate reads or writes before it has a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Value {
    Constant(bool),
    Fluent(u32),
    /// A move of a role that has several.
    Move(u32, u32),
    /// A node of the network: a gate or a variable.
    Node(u32),
    /// What a fluent was before it is written over.
    Before(u32),
}

/// A gate with its time.
#[derive(Clone, Copy, Debug)]
struct Timed {
    time: u32,
    inputs: [Value; 3],
    to: Value,
    table: u8,
}

/// The sections, in the order in which they are run. The moves are chosen before the last.
const SECTIONS: usize = 3;
const PLAY: u8 = 0;
const GOAL: u8 = 1;
const NEXT: u8 = 2;

/// A cyclic component in a section: its place in time.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    epoch: u32,
    /// The step that makes its variables false.
    start: u32,
    /// The step that gives them new values.
    end: u32,
}

struct Scheduler<'n> {
    net: &'n Net,
    outputs: Outputs,
    /// The fluents that goals read, if they are computed aside.
    kept: &'n [u32],
    /// Whether the kept ones are read in place of the state.
    reads_kept: bool,
    cover: Cover,
    /// The section of each node that is needed.
    section: Vec<Option<u8>>,
    /// The component that a variable or gate is part of.
    block: Vec<Option<u32>>,
    /// How many loops of its section come before a node, one behind the other.
    epoch: Vec<u32>,
    /// The place of a gate in its epoch, or in its loop.
    level: Vec<u32>,
    loops: HashMap<(u32, u8), Loop>,
    /// For each step the section, and the loop that it is in.
    times: Vec<(u8, Option<(u32, u8)>)>,
    /// The first step of the last section: what is read for the choice is kept until then.
    choice: u32,
    /// The last time at which a value is read.
    last: HashMap<Value, u32>,
    gates: Vec<Timed>,
}

impl<'n> Scheduler<'n> {
    fn new(net: &'n Net, outputs: Outputs, kept: &'n [u32]) -> Scheduler<'n> {
        let read: Vec<Signal> =
            outputs.play().chain(outputs.goals.iter().copied()).chain(outputs.next()).collect();
        let cover = Cover::new(net, &read);
        let nodes = net.nodes.len();
        let mut scheduler = Scheduler {
            net,
            outputs,
            kept,
            reads_kept: false,
            cover,
            section: vec![None; nodes],
            block: vec![None; nodes],
            epoch: vec![0; nodes],
            level: vec![0; nodes],
            loops: HashMap::new(),
            times: Vec::new(),
            choice: 0,
            last: HashMap::new(),
            gates: Vec::new(),
        };
        let feedback: HashMap<usize, Signal> =
            net.blocks.iter().flat_map(|block| block.feedback.iter().copied()).collect();
        let play = scheduler.closure(&feedback, scheduler.outputs.play());
        let goal = scheduler.closure(&feedback, scheduler.outputs.goals.iter().copied());
        let next = scheduler.closure(&feedback, scheduler.outputs.next());
        for node in 0..nodes {
            scheduler.section[node] = if play[node] || (goal[node] && next[node]) {
                Some(PLAY)
            } else if goal[node] {
                Some(GOAL)
            } else {
                next[node].then_some(NEXT)
            };
        }
        scheduler.find_components(&feedback);
        scheduler.find_levels(&feedback);
        scheduler
    }

    fn lut(&self, node: usize) -> Option<Lut> {
        self.cover.luts[node]
    }

    fn leaves(&self, node: usize) -> impl Iterator<Item = usize> + use<> {
        self.lut(node).into_iter().flat_map(|lut| lut.leaves).map(|leaf| leaf as usize)
    }

    /// What the signals read, through tables and variables.
    fn closure(&self, feedback: &HashMap<usize, Signal>, roots: impl Iterator<Item = Signal>) -> Vec<bool> {
        let mut found = vec![false; self.net.nodes.len()];
        let mut open: Vec<usize> = roots.map(Signal::node).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut found[node], true) {
                open.extend(self.leaves(node));
                open.extend(feedback.get(&node).map(|signal| signal.node()));
            }
        }
        found
    }

    /// The variables of each component, and the gates between them.
    fn find_components(&mut self, feedback: &HashMap<usize, Signal>) {
        for (number, block) in (0u32..).zip(&self.net.blocks) {
            let variables: Vec<usize> = block
                .feedback
                .iter()
                .map(|(variable, _)| *variable)
                .filter(|variable| self.section[*variable].is_some())
                .collect();
            let mut moving = vec![false; self.net.nodes.len()];
            variables.iter().for_each(|variable| moving[*variable] = true);
            for node in 0..self.net.nodes.len() {
                moving[node] |= self.leaves(node).any(|leaf| moving[leaf]);
            }
            let mut open: Vec<usize> = variables.clone();
            while let Some(node) = open.pop() {
                if moving[node] && self.block[node] != Some(number) {
                    self.block[node] = Some(number);
                    open.extend(self.leaves(node));
                    open.extend(feedback.get(&node).map(|signal| signal.node()));
                }
            }
        }
    }

    /// Epochs and levels: gates as early as what they read allows.
    fn find_levels(&mut self, feedback: &HashMap<usize, Signal>) {
        let nodes = self.net.nodes.len();
        loop {
            let mut changed = false;
            for node in 0..nodes {
                let Some(section) = self.section[node] else { continue };
                let mut epoch = 0;
                let source = feedback.get(&node).map(|signal| signal.node());
                for leaf in self.leaves(node).chain(source) {
                    if self.section[leaf] != Some(section) {
                        continue;
                    }
                    match self.block[leaf] {
                        Some(block) if self.block[node] == Some(block) => {}
                        Some(block) => {
                            let other = self.loops.get(&(block, section)).map_or(0, |other| other.epoch);
                            epoch = epoch.max(other + 1);
                        }
                        None => epoch = epoch.max(self.epoch[leaf]),
                    }
                }
                if let Some(block) = self.block[node] {
                    let here = self.loops.entry((block, section)).or_insert_with(|| {
                        changed = true;
                        Loop::default()
                    });
                    changed |= epoch > here.epoch;
                    here.epoch = here.epoch.max(epoch);
                } else if epoch > self.epoch[node] {
                    self.epoch[node] = epoch;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for node in 0..nodes {
            if self.section[node].is_none() || self.lut(node).is_none() {
                continue;
            }
            let place = |node: usize| (self.section[node], self.block[node], self.epoch[node]);
            let before = self
                .leaves(node)
                .filter(|leaf| self.lut(*leaf).is_some() && place(*leaf) == place(node))
                .map(|leaf| self.level[leaf] + 1);
            self.level[node] = before.max().unwrap_or(0);
        }
    }

    /// The steps of a pass in time, and for each node its own.
    fn lay_out(&mut self) -> Vec<u32> {
        let mut time = vec![0; self.net.nodes.len()];
        for section in 0..SECTIONS as u8 {
            if section == NEXT {
                // Before it the games end and the moves are chosen.
                self.choice = self.times.len() as u32;
                self.times.push((NEXT, None));
            }
            let here: Vec<usize> =
                (0..time.len()).filter(|node| self.section[*node] == Some(section)).collect();
            let gates: Vec<usize> = here.iter().copied().filter(|node| self.lut(*node).is_some()).collect();
            let loops: Vec<((u32, u8), u32)> = {
                let mut list: Vec<_> = self
                    .loops
                    .iter()
                    .filter(|((_, of), _)| *of == section)
                    .map(|(key, found)| (*key, found.epoch))
                    .collect();
                list.sort_unstable();
                list
            };
            let of_gates = gates.iter().map(|node| self.epoch[*node]);
            let epochs = of_gates.chain(loops.iter().map(|(_, epoch)| *epoch)).max().map_or(0, |e| e + 1);
            for epoch in 0..epochs {
                let plain = gates.iter().filter(|n| self.block[**n].is_none() && self.epoch[**n] == epoch);
                let base = self.times.len() as u32;
                let mut levels = 0;
                for &node in plain {
                    time[node] = base + self.level[node];
                    levels = levels.max(self.level[node] + 1);
                }
                self.times.extend((0..levels).map(|_| (section, None)));
                for &(key, _) in loops.iter().filter(|(_, of)| *of == epoch) {
                    let base = self.times.len() as u32;
                    let mut levels = 0;
                    for &node in gates.iter().filter(|n| self.block[**n] == Some(key.0)) {
                        time[node] = base + 1 + self.level[node];
                        levels = levels.max(self.level[node] + 1);
                    }
                    self.times.extend((0..levels + 2).map(|_| (section, Some(key))));
                    let end = base + levels + 1;
                    self.loops.insert(key, Loop { epoch, start: base, end });
                    for &node in here.iter().filter(|n| self.block[**n] == Some(key.0)) {
                        if self.lut(node).is_none() {
                            time[node] = base;
                        }
                    }
                }
            }
        }
        time
    }

    fn value(&self, node: usize, constant_moves: &HashMap<(u32, u32), bool>) -> Value {
        match self.net.nodes[node] {
            Node::False => Value::Constant(false),
            Node::Fluent(fluent) => Value::Fluent(fluent),
            Node::Move(role, action) => match constant_moves.get(&(role, action)) {
                Some(made) => Value::Constant(*made),
                None => Value::Move(role, action),
            },
            Node::Feedback | Node::And(..) => Value::Node(node as u32),
        }
    }

    /// Whether the inverse of the node is what is kept.
    fn kept_inverted(&self, node: usize) -> bool {
        self.lut(node).is_some() && self.cover.inverted[node]
    }

    /// A value is read: it must last until the loop is over if it comes from before it.
    fn read(&mut self, value: Value, time: u32, made_inside: bool) {
        let until = match self.times.get(time as usize).and_then(|(_, inside)| *inside) {
            Some(key) if !made_inside => self.loops[&key].end,
            _ => time,
        };
        let last = self.last.entry(value).or_insert(until);
        *last = until.max(*last);
    }

    fn write(mut self, table: &mut Table) -> Option<Pass> {
        let net = self.net;
        let time = self.lay_out();
        let choice = self.choice;
        // Moves: of several, each has a plane if somebody reads it.
        let mut constant_moves = HashMap::new();
        let possible = self.outputs.possible.clone();
        for (role, (moves, list)) in (0u32..).zip(possible.iter().zip(&net.legal)) {
            // A move that is never legal is never made; the only one is always made.
            for action in 0..list.len() as u32 {
                let can_be = moves.binary_search(&action).is_ok();
                if !can_be || moves.len() == 1 {
                    constant_moves.insert((role, action), can_be);
                }
            }
        }
        for (node, &time) in time.iter().enumerate() {
            let (Some(_), Some(lut)) = (self.section[node], self.lut(node)) else { continue };
            let mut function = lut.table;
            for (place, leaf) in lut.leaves.iter().enumerate() {
                if self.kept_inverted(*leaf as usize) {
                    function = with_inverted(function, place);
                }
            }
            if self.kept_inverted(node) {
                function = !function;
            }
            let inputs = lut.leaves.map(|leaf| self.value(leaf as usize, &constant_moves));
            self.gates.push(Timed { time, inputs, to: Value::Node(node as u32), table: function });
            for leaf in lut.leaves {
                let value = self.value(leaf as usize, &constant_moves);
                let inside = self.block[node].is_some()
                    && self.block[leaf as usize] == self.block[node]
                    && self.section[leaf as usize] == self.section[node];
                self.read(value, time, inside);
            }
        }
        // Variables: false at first, a new value in each round.
        for (number, block) in (0u32..).zip(&net.blocks) {
            for (variable, signal) in &block.feedback {
                let Some(section) = self.section[*variable] else { continue };
                let Loop { start, end, .. } = self.loops[&(number, section)];
                let to = Value::Node(*variable as u32);
                let nothing = [Value::Constant(false); 3];
                self.gates.push(Timed { time: start, inputs: nothing, to, table: 0 });
                let source = signal.node();
                let invert = signal.is_inverted() ^ self.kept_inverted(source);
                let mut inputs = nothing;
                inputs[0] = self.value(source, &constant_moves);
                let table = if invert { !FIRST } else { FIRST };
                self.gates.push(Timed { time: end, inputs, to, table });
                self.read(inputs[0], end, true);
                self.read(to, end, true);
            }
        }
        // What is read when the moves are chosen.
        let read: Vec<Signal> = self.outputs.play().chain(self.outputs.goals.iter().copied()).collect();
        for signal in &read {
            let value = self.value(signal.node(), &constant_moves);
            self.read(value, choice, true);
        }
        self.next_state(&constant_moves, &time);
        let slots = self.slots(&possible, table)?;

        let slot = |value: Value| slots.get(&value).copied();
        let reference = |signal: Signal, this: &Scheduler<'_>| -> Ref {
            let node = signal.node();
            let value = this.value(node, &constant_moves);
            let inverted = signal.is_inverted() ^ this.kept_inverted(node);
            slot(value).unwrap_or(FALSE) << 1 | u32::from(inverted)
        };
        let mut heads = [0; SECTIONS];
        let mut sizes = [0; SECTIONS];
        let mut at_step = HashMap::new();
        self.gates.sort_by_key(|gate| gate.time);
        let mut gates = self.gates.iter().peekable();
        let steps = self.gates.last().map_or(0, |gate| gate.time + 1).max(self.times.len() as u32);
        for section in 0..SECTIONS as u8 {
            heads[section as usize] = table.steps.len() as u32;
            for time in 0..steps {
                // The copies at the end come after all steps that were laid out.
                let (of, inside) = self.times.get(time as usize).copied().unwrap_or((NEXT, None));
                if of != section {
                    continue;
                }
                at_step.insert(time, table.steps.len() as u32);
                let first = table.gates.len() as u32;
                while let Some(gate) = gates.next_if(|gate| gate.time == time) {
                    let inputs = gate.inputs.map(|value| slot(value).unwrap_or(FALSE));
                    let to = slot(gate.to).unwrap_or(FALSE);
                    debug_assert!(to > TRUE, "{gate:?} has a place");
                    table.gates.push(Gate { inputs, to, table: gate.table });
                }
                let count = table.gates.len() as u32 - first;
                sizes[section as usize] += count as usize;
                match inside.map(|key| self.loops[&key]) {
                    Some(found) if found.end == time => {
                        let to = at_step[&(found.start + 1)];
                        table.steps.push(Step::Again { first, count, to });
                    }
                    _ if count > 0 || inside.is_some() => table.steps.push(Step::Level { first, count }),
                    _ => {}
                }
            }
            table.steps.push(Step::End);
        }
        let moves = (0u32..).zip(possible.iter().zip(&self.outputs.legal)).map(|(role, (moves, list))| {
            let one = |action: &u32| {
                let legal = list.get(*action as usize).map_or(0, |signal| reference(*signal, &self));
                let made = if moves.len() > 1 { slot(Value::Move(role, *action)) } else { None };
                (legal, made.unwrap_or(FALSE))
            };
            moves.iter().map(one).collect()
        });
        Some(Pass {
            heads,
            terminal: reference(self.outputs.terminal, &self),
            moves: moves.collect(),
            goals: self.outputs.goals.iter().map(|signal| reference(*signal, &self)).collect(),
            sizes,
        })
    }

    /// Decides where each fluent's new value is written.
    fn next_state(&mut self, constant_moves: &HashMap<(u32, u32), bool>, time: &[u32]) {
        let choice = self.choice;
        // Gates that nothing reads but one fluent.
        let mut wanted: HashMap<usize, u32> = HashMap::new();
        for signal in self.outputs.next() {
            *wanted.entry(signal.node()).or_insert(0) += 1;
        }
        let place: HashMap<Value, usize> =
            self.gates.iter().enumerate().map(|(at, gate)| (gate.to, at)).collect();
        // Times at which others than the writer read a fluent, the last two with who reads.
        let mut readers: HashMap<u32, Vec<(u32, usize)>> = HashMap::new();
        for (at, gate) in self.gates.iter().enumerate() {
            for input in gate.inputs {
                if let Value::Fluent(fluent) = input {
                    let until = match self.times[gate.time as usize].1 {
                        Some(key) => self.loops[&key].end,
                        None => gate.time,
                    };
                    readers.entry(fluent).or_default().push((until, at));
                }
            }
        }
        let mut written: HashMap<u32, u32> = HashMap::new();
        let mut copies = Vec::new();
        let mut order: Vec<(u32, u32, Signal)> = (0u32..)
            .zip(&self.outputs.next)
            .filter_map(|(fluent, signal)| signal.map(|signal| (time[signal.node()], fluent, signal)))
            .collect();
        order.sort_unstable();
        for (_, fluent, signal) in order {
            let node = signal.node();
            let value = self.value(node, constant_moves);
            if value == Value::Fluent(fluent) && !signal.is_inverted() {
                continue;
            }
            let inverted = signal.is_inverted() ^ self.kept_inverted(node);
            let alone = self.section[node] == Some(NEXT)
                && self.lut(node).is_some()
                && self.block[node].is_none()
                && !inverted
                && wanted[&node] == 1
                && !self.last.contains_key(&value);
            if alone {
                let at = place[&value];
                let others = readers.get(&fluent).into_iter().flatten().filter(|(_, reader)| *reader != at);
                let after = others.map(|(until, _)| until + 1).max().unwrap_or(0);
                let when = self.gates[at].time.max(after).max(choice + 1);
                let in_level = self.times.get(when as usize).is_none_or(|(_, inside)| inside.is_none());
                let moved = when > self.gates[at].time;
                let reads: Vec<u32> = self.gates[at]
                    .inputs
                    .iter()
                    .filter_map(|input| match input {
                        Value::Fluent(other) if *other != fluent => Some(*other),
                        _ => None,
                    })
                    .collect();
                let too_late = reads.iter().any(|other| written.get(other).is_some_and(|at| *at <= when));
                if in_level && !(moved && too_late) && when <= self.times.len() as u32 {
                    self.gates[at].time = when;
                    self.gates[at].to = Value::Fluent(fluent);
                    for other in reads {
                        if let Some(list) = readers.get_mut(&other) {
                            list.push((when, at));
                        }
                    }
                    for input in self.gates[at].inputs {
                        self.read(input, when, true);
                    }
                    written.insert(fluent, when);
                    continue;
                }
            }
            copies.push((fluent, value, inverted));
        }
        // The rest is copied when all is computed. Old values of fluents are first put aside.
        let end = self.times.len() as u32 + 1;
        for (fluent, value, inverted) in copies {
            let mut inputs = [Value::Constant(false); 3];
            inputs[0] = value;
            if let Value::Fluent(other) = value {
                // In the step of the choice, which no fluent is written in.
                let to = Value::Before(other);
                if !self.last.contains_key(&to) {
                    self.gates.push(Timed { time: choice, inputs, to, table: FIRST });
                }
                inputs[0] = to;
            }
            let table = if inverted { !FIRST } else { FIRST };
            self.gates.push(Timed { time: end, inputs, to: Value::Fluent(fluent), table });
            self.read(inputs[0], end, true);
        }
    }

    /// Gives every value a slot.
    fn slots(&self, possible: &[Vec<u32>], table: &mut Table) -> Option<HashMap<Value, u32>> {
        let fluents = self.net.next.len();
        let mut slots = HashMap::new();
        slots.insert(Value::Constant(false), FALSE);
        slots.insert(Value::Constant(true), TRUE);
        for fluent in 0..fluents {
            slots.insert(Value::Fluent(fluent as u32), numbered(FLUENTS + fluent)?);
        }
        if self.reads_kept {
            for (at, fluent) in self.kept.iter().enumerate() {
                slots.insert(Value::Fluent(*fluent), numbered(FLUENTS + fluents + at)?);
            }
        }
        let mut made: Vec<(u32, Value)> = Vec::new();
        for gate in &self.gates {
            if !matches!(gate.to, Value::Fluent(_)) {
                made.push((gate.time, gate.to));
            }
        }
        for (role, moves) in (0u32..).zip(possible) {
            if moves.len() > 1 {
                let read = moves.iter().map(|action| Value::Move(role, *action));
                made.extend(
                    read.filter(|value| self.last.contains_key(value)).map(|value| (self.choice, value)),
                );
            }
        }
        made.sort_by_key(|(time, _)| *time);
        let mut free: Vec<u32> = Vec::new();
        let mut held: std::collections::BinaryHeap<std::cmp::Reverse<(u32, u32)>> = Default::default();
        let mut used = FLUENTS + fluents + self.kept.len();
        for (time, value) in made {
            if slots.contains_key(&value) {
                continue;
            }
            while let Some(std::cmp::Reverse((until, slot))) = held.peek().copied()
                && until < time
            {
                held.pop();
                free.push(slot);
            }
            let slot = match free.pop() {
                Some(slot) => slot,
                None => {
                    used += 1;
                    numbered(used - 1)?
                }
            };
            slots.insert(value, slot);
            let until = self.last.get(&value).copied().unwrap_or(time).max(time);
            held.push(std::cmp::Reverse((until, slot)));
        }
        table.slots = table.slots.max(used);
        Some(slots)
    }
}

/// The number of a slot, if there may be so many: one shares a word with a function.
fn numbered(slot: usize) -> Option<u32> {
    u32::try_from(slot).ok().filter(|slot| *slot < MOST_SLOTS)
}

/// The function with one input inverted.
fn with_inverted(table: u8, place: usize) -> u8 {
    let (mask, shift) = [(0xF0u8, 4), (0xCC, 2), (0xAA, 1)][place];
    (table & mask) >> shift | (table & !mask) << shift
}
