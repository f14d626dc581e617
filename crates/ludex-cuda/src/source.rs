//! A game as CUDA source.
//!
//! One thread plays 32 games, a bit of each word a game. A *pass* moves all of them on by one ply: what is
//! legal and who has ended, then the goals of those who have, then random moves, then the next state, all
//! straight-line logic on the thread's own words. New games begin where old ones ended, in the phase of the
//! start (see the lanes of the CPU, which play the same phases by the same networks). Only tallies leave.
//!
//! Where each game begins in a state of its own (the leaves of a search), none is refilled: a game that is over keeps its
//! last state, and what it came to is told at the end, a plane for each goal value.
//!
//! The text is plain C but for what `prelude.cu` defines, so that the tests can play it without a GPU.

use super::choose;
use super::circuit::{Circuit, Plane, tables};
use super::error::CudaError;
use super::lut::Cover;
use hashbrown::HashMap;
use ludex_engine::engine::Goal;
use ludex_engine::propnet::lanes::{BatchResult, GoalCounts, Lanes};
use ludex_engine::propnet::{Net, Node, Signal};
use std::fmt::Write;

/// Threads of a block.
pub const BLOCK: u32 = 128;

/// Goals of more tables than this are not computed in every pass: the states are kept until they must be.
const CHEAP_GOALS: usize = 300;

/// More counters than this are kept in shared memory, not in registers.
const FEW_COUNTERS: usize = 24;

pub(crate) const PRELUDE: &str = include_str!("prelude.cu");

/// Puts states into games, and gets them back.
pub(crate) const LEAVES: &str = include_str!("leaves.cu");

/// What a thread is on a machine without a GPU: `prelude.cu` includes it as `host.h`.
pub const HOST: &str = include_str!("host.h");

/// The places of the tally.
pub(crate) const PLAYOUTS: usize = 0;
pub(crate) const TRANSITIONS: usize = 1;
pub(crate) const STUCK: usize = 2;
pub(crate) const CUT: usize = 3;
pub(crate) const STARTED: usize = 4;
pub(crate) const LIVE: usize = 5;
pub(crate) const GOALS: usize = 6;

/// Appends a line. Strings take all that is written.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {{
        let _ = writeln!($text, $($arguments)*);
    }};
}
pub(crate) use put;

/// The source of a game, and how its memory is laid out.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Fluents: the first words of a thread.
    pub fluents: usize,
    /// Words of a thread that outlast a launch.
    pub words: usize,
    /// Counters.
    pub counters: usize,
    /// For each role its goal values; the counters follow in this order, each role's with one more behind for
    /// playouts without a proper value.
    pub goals: Vec<Vec<Option<Goal>>>,
    /// The phases.
    pub period: usize,
    /// The binary digits of the bound on plies.
    pub digits: u32,
    /// Threads of a block.
    pub block: u32,
    /// Words of 32 games that a block plays.
    pub units: u32,
    /// Bytes of shared memory of a block, beyond what the text declares.
    pub shared: u32,
    /// Bytes of the device's memory that a block computes in.
    pub room: usize,
    /// What the kernel reads beside its text.
    pub data: Vec<u32>,
    /// What a pass costs.
    pub costs: Vec<Cost>,
    /// Whether goals are computed for many games at a time, from states that were kept.
    pub goals_aside: bool,
    /// What becomes of the games that end.
    pub ends: Ends,
}

/// Instructions of a pass, by what they are for. Loops count as one round of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Terminal and what is legal.
    pub legal: usize,
    /// Choosing moves.
    pub choice: usize,
    /// The next state.
    pub next: usize,
    /// Goals, ends and refilling.
    pub rest: usize,
}

impl Cost {
    /// All of it.
    pub fn total(&self) -> usize {
        self.legal + self.choice + self.next + self.rest
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The binary digits of the bound on plies; none without a bound.
    pub digits: u32,
    /// Threads of a block.
    pub block: u32,
    /// The least number of blocks that should share a multiprocessor; bounds the registers of a thread.
    pub blocks: u32,
    /// Whether all threads of a block begin a pass together, so that they read the same code at the same time.
    pub in_step: bool,
    /// What becomes of the games that end.
    pub ends: Ends,
}

/// What becomes of the games that end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// They are counted, and new ones begin.
    Counted,
    /// Each keeps its last state, and its goals are told.
    Kept,
}

impl Shape {
    /// Playouts of at most so many plies.
    pub fn bounded(most: u64) -> Shape {
        let digits = if most == u64::MAX { 0 } else { 64 - most.leading_zeros() };
        Shape { digits, block: BLOCK, blocks: 1, in_step: false, ends: Ends::Counted }
    }
}

impl Source {
    /// Writes the kernels `begin` and `play` for games that start in some phase of the lanes, or (`general`)
    /// anywhere.
    pub fn new(lanes: &Lanes, general: bool, shape: Shape) -> Source {
        let whole = lanes.general_net();
        let nets: &[Net] = if general { std::slice::from_ref(whole) } else { lanes.nets() };
        let fluents = whole.next.len();
        let (goals, counters) = goal_counters(whole, shape.ends);
        let goal_signals: Vec<Signal> = whole.goals.iter().flatten().map(|(_, signal)| *signal).collect();
        let goal_cover = Cover::new(whole, &goal_signals);
        let goals_aside = shape.ends == Ends::Counted && goal_cover.size() > CHEAP_GOALS;
        let in_registers = !goals_aside && counters <= FEW_COUNTERS;
        let mut writer = Writer { shape, goals_aside, in_registers, kept: Vec::new() };
        if goals_aside {
            let needed = whole.cone(goal_signals.iter().copied());
            let inputs = whole.nodes.iter().zip(&needed).filter(|(_, needed)| **needed);
            writer.kept = inputs
                .filter_map(|(node, _)| match node {
                    Node::Fluent(fluent) => Some(*fluent),
                    _ => None,
                })
                .collect();
        }
        let mut text = String::from(PRELUDE);
        let mut costs = Vec::new();
        writer.head(&mut text, whole, fluents, counters);
        for (phase, net) in nets.iter().enumerate() {
            costs.push(writer.pass(&mut text, phase, net));
        }
        writer.tail(&mut text, nets.len(), whole, counters);
        if shape.ends == Ends::Kept {
            text.push_str(LEAVES);
        }
        let words = fluents + BEGIN_WORDS + shape.digits as usize;
        Source {
            text,
            fluents,
            words,
            counters,
            goals,
            period: nets.len(),
            digits: shape.digits,
            block: shape.block,
            units: shape.block,
            shared: 0,
            room: 0,
            // Nothing; but memory of no bytes cannot be had.
            data: vec![0],
            costs,
            goals_aside,
            ends: shape.ends,
        }
    }
}

/// A kernel that answers all questions about given states, for those who choose the moves themselves.
///
/// `step(in, out, threads, phase)`: a thread reads, in words of 32 games, each fluent and then for each role
/// each move of the vocabulary, set where it is made. It writes whether the game is over, the moves that are legal
/// (as many words as it read), the goals in the order of their lists, and the fluents of the next state. Word w of
/// thread t lies at `w * threads + t`.
#[derive(Clone, Debug)]
pub struct StepSource {
    /// The text.
    pub text: String,
    /// Words read by a thread.
    pub inputs: usize,
    /// Words written by a thread.
    pub outputs: usize,
}

impl StepSource {
    /// Writes the kernel, with a phase for each phase of the lanes and one more, the last, for any state.
    pub fn new(lanes: &Lanes) -> StepSource {
        let whole = lanes.general_net();
        let fluents = whole.next.len();
        let moves: usize = whole.legal.iter().map(Vec::len).sum();
        let goals: usize = whole.goals.iter().map(Vec::len).sum();
        let mut text = String::from(PRELUDE);
        put!(text, "KERNEL step(const u32 *in, u32 *out, u32 threads, u32 phase) {{");
        put!(text, "u32 me = blockIdx.x * blockDim.x + threadIdx.x;\nswitch (phase) {{");
        for (phase, net) in lanes.nets().iter().chain([whole]).enumerate() {
            let mut outputs = vec![net.terminal];
            outputs.extend(net.legal.iter().flatten());
            outputs.extend(net.goals.iter().flatten().map(|(_, signal)| *signal));
            outputs.extend(&net.next);
            let mut pass = Pass::new(net, Cover::new(net, &outputs));
            for fluent in 0..fluents {
                pass.circuit.line(&format!("u32 f{fluent} = in[{fluent}ull * threads + me];"));
                pass.fluents[fluent] = Plane::word(format!("f{fluent}"));
            }
            let mut at = fluents;
            for (role, list) in net.legal.iter().enumerate() {
                for (action, signal) in (0u32..).zip(list) {
                    if *signal != Signal::FALSE {
                        let name = format!("d{role}_{action}");
                        pass.circuit.line(&format!("u32 {name} = in[{at}ull * threads + me];"));
                        pass.does.insert((role as u32, action), (Plane::word(name), Plane::TRUE));
                    }
                    at += 1;
                }
            }
            put!(text, "case {phase}u: {{");
            for (at, signal) in outputs.iter().enumerate() {
                let value = pass.value(*signal).text();
                pass.circuit.line(&format!("out[{at}ull * threads + me] = {value};"));
            }
            text.push_str(&pass.circuit.text);
            put!(text, "}} break;");
        }
        put!(text, "}}\n}}");
        StepSource { text, inputs: fluents + moves, outputs: 1 + moves + goals + fluents }
    }
}

impl Source {
    /// The counters of `play` as a result, if they add up.
    pub fn summary(&self, tally: &[u64], passes: u64) -> Result<BatchResult, CudaError> {
        let mut at = GOALS;
        let mut goals = Vec::new();
        for (role, list) in self.goals.iter().enumerate() {
            let counts = &tally[at..at + list.len()];
            let none = tally[at + list.len()];
            at += list.len() + 1;
            let sum = counts.iter().sum::<u64>() + none;
            if sum != tally[PLAYOUTS] {
                let playouts = tally[PLAYOUTS];
                let message = format!("{playouts} playouts ended, but role {role} has {sum} goals");
                return Err(CudaError::Tally(message));
            }
            let mut values: Vec<(Goal, u64)> =
                list.iter().zip(counts).filter_map(|(value, n)| value.map(|value| (value, *n))).collect();
            values.sort_unstable();
            values.dedup_by(|b, a| {
                a.0 == b.0 && {
                    a.1 += b.1;
                    true
                }
            });
            goals.push(GoalCounts { values, none });
        }
        Ok(BatchResult {
            playouts: tally[PLAYOUTS],
            transitions: tally[TRANSITIONS],
            passes,
            stuck: tally[STUCK],
            cut: tally[CUT],
            unfinished: tally[LIVE],
            goals,
            winners: Default::default(),
            lengths: Vec::new(),
        })
    }
}

/// Words of a thread that are not fluents, and for how much of them `begin` cares: who is at play, three of
/// the random numbers, and how many playouts are still to be started.
pub(crate) const BEGIN_WORDS: usize = 5;

/// The kernel `begin`: random numbers, each thread others.
pub(crate) fn begin(text: &mut String, fluents: usize) {
    put!(
        text,
        "KERNEL begin(u32 *words, u32 threads, u64 seed) {{
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
u64 z = seed * 0xD1342543DE82EF95ull + me;
u32 r[4];
for (int i = 0; i < 4; i += 2) {{
z += 0x9E3779B97F4A7C15ull;
u64 x = z;
x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
x = x ^ (x >> 31);
r[i] = (u32)x; r[i + 1] = (u32)(x >> 32);
}}
words[({fluents}ull + 1) * threads + me] = r[0];
words[({fluents}ull + 2) * threads + me] = r[1];
words[({fluents}ull + 3) * threads + me] = r[2] % 4294954493u;
}}"
    );
}

/// The goal values by role, and how many counters there are.
pub(crate) fn goal_counters(net: &Net, ends: Ends) -> (Vec<Vec<Option<Goal>>>, usize) {
    let goals: Vec<Vec<Option<Goal>>> =
        net.goals.iter().map(|list| list.iter().map(|(value, _)| *value).collect()).collect();
    let counters = match ends {
        Ends::Counted => GOALS + goals.iter().map(|list| list.len() + 1).sum::<usize>(),
        Ends::Kept => GOALS,
    };
    (goals, counters)
}

struct Writer {
    shape: Shape,
    goals_aside: bool,
    in_registers: bool,
    /// The fluents that goals read, if they are kept for later.
    kept: Vec<u32>,
}

impl Writer {
    fn head(&self, text: &mut String, whole: &Net, fluents: usize, counters: usize) {
        let Shape { digits, block, blocks, in_step, ends } = self.shape;
        let told = if ends == Ends::Kept { ", u32 *told" } else { "" };
        put!(text, "CONSTANT u32 start[{}];", fluents.max(1));
        put!(text, "CONSTANT u32 most[{}];", digits.max(1));
        begin(text, fluents);
        put!(text, "SHARED u32 counts[{counters}];");
        if self.goals_aside {
            self.count_kept(text, whole);
        }
        put!(
            text,
            "KERNEL __launch_bounds__({block}, {blocks}) play(u32 *words, u64 *tally, u32 threads, u32 passes, \
u32 phase, u32 start_phase, u32 counted, const u32 *data, u32 *room{told}) {{
u32 me = blockIdx.x * blockDim.x + threadIdx.x;
for (u32 i = threadIdx.x; i < {counters}u; i += blockDim.x) counts[i] = 0u;
__syncthreads();"
        );
        for fluent in 0..fluents {
            put!(text, "u32 f{fluent} = words[{fluent}ull * threads + me];");
        }
        let mut at = fluents;
        for name in ["live", "r0", "r1", "rc", "quota"] {
            put!(text, "u32 {name} = words[{at}ull * threads + me];");
            at += 1;
        }
        for digit in 0..digits {
            put!(text, "u32 age{digit} = words[{at}ull * threads + me];");
            at += 1;
        }
        put!(text, "u32 playouts = 0u, transitions = 0u, stuck = 0u, cut = 0u, started = 0u;");
        if self.in_registers {
            for at in GOALS..counters {
                put!(text, "u32 n{at} = 0u;");
            }
        }
        if self.goals_aside {
            put!(text, "u32 kept[{}]; u32 held = 0u;", self.kept.len().max(1));
            put!(text, "for (int i = 0; i < {}; i++) kept[i] = 0u;", self.kept.len());
        }
        put!(text, "for (u32 pass = 0u; pass < passes; pass++) {{");
        if in_step {
            // Where playouts are counted, warps leave one by one.
            put!(text, "if (!counted) __syncthreads();");
        }
        put!(text, "switch (phase) {{");
    }

    /// The goals of kept states, as a function of its own: it is seldom called.
    fn count_kept(&self, text: &mut String, whole: &Net) {
        put!(text, "INSIDE APART void count_kept(const u32 *kept, u32 over) {{");
        let signals: Vec<Signal> = whole.goals.iter().flatten().map(|(_, signal)| *signal).collect();
        let mut pass = Pass::new(whole, Cover::new(whole, &signals));
        for (at, fluent) in self.kept.iter().enumerate() {
            pass.fluents[*fluent as usize] = Plane::word(format!("kept[{at}]"));
        }
        self.count_goals(&mut pass);
        text.push_str(&pass.circuit.text);
        put!(text, "}}");
    }

    /// Tells which goals hold in the last states.
    fn tell(&self, text: &mut String, whole: &Net) {
        let signals: Vec<Signal> = whole.goals.iter().flatten().map(|(_, signal)| *signal).collect();
        let mut pass = Pass::new(whole, Cover::new(whole, &signals));
        for (fluent, plane) in pass.fluents.iter_mut().enumerate() {
            *plane = Plane::word(format!("f{fluent}"));
        }
        for (at, signal) in signals.iter().enumerate() {
            let value = pass.value(*signal).text();
            pass.circuit.line(&format!("told[{at}ull * (gridDim.x * blockDim.x) + me] = {value};"));
        }
        put!(text, "{{\n{}}}", pass.circuit.text);
    }

    /// Adds the goals of the games of `over` to the counters.
    fn count_goals(&self, pass: &mut Pass<'_>) {
        let over = Plane::word("over");
        let net = pass.net;
        let mut at = GOALS;
        for list in &net.goals {
            let planes: Vec<Plane> = list.iter().map(|(_, signal)| pass.value(*signal)).collect();
            let circuit = &mut pass.circuit;
            let (mut once, mut twice) = (Plane::FALSE, Plane::FALSE);
            for plane in &planes {
                twice = circuit.table(tables::OR_AND, &[&twice, &once, plane]);
                once = circuit.or(&once, plane);
            }
            let proper = circuit.table(tables::A & tables::B & !tables::C, &[&over, &once, &twice]);
            let mut improper = circuit.and(&over, &proper.inverse());
            for ((value, _), plane) in list.iter().zip(&planes) {
                let here = circuit.and(plane, &proper);
                if value.is_none() {
                    improper = circuit.or(&improper, &here);
                } else {
                    self.tally(circuit, at, &here);
                }
                at += 1;
            }
            self.tally(circuit, at, &improper);
            at += 1;
        }
    }

    fn tally(&self, circuit: &mut Circuit, at: usize, plane: &Plane) {
        if *plane != Plane::FALSE {
            let text = plane.text();
            if self.in_registers {
                circuit.line(&format!("n{at} += COUNT({text});"));
                // Counting the bits of a word takes four times as long as logic.
                circuit.operations += 5;
            } else {
                circuit.line(&format!("TALLY(counts[{at}], {text})"));
                circuit.operations += 8;
            }
        }
    }

    fn pass(&self, text: &mut String, phase: usize, net: &Net) -> Cost {
        let mut outputs: Vec<Signal> = vec![net.terminal];
        outputs.extend(net.legal.iter().flatten());
        outputs.extend(&net.next);
        if !self.goals_aside && self.shape.ends == Ends::Counted {
            outputs.extend(net.goals.iter().flatten().map(|(_, signal)| *signal));
        }
        let mut pass = Pass::new(net, Cover::new(net, &outputs));
        for fluent in 0..net.next.len() {
            pass.fluents[fluent] = Plane::word(format!("f{fluent}"));
        }
        put!(text, "case {phase}u: {{");
        self.refill(text, phase, net.next.len());

        let mut cost = Cost::default();
        let terminal = pass.value(net.terminal);
        let mut choices = Vec::new();
        for (role, list) in net.legal.iter().enumerate() {
            let possible = (0u32..).zip(list).filter(|(_, signal)| **signal != Signal::FALSE);
            let (moves, planes): (Vec<u32>, Vec<Plane>) =
                possible.map(|(action, signal)| (action, pass.value(*signal))).unzip();
            choices.push((role as u32, moves, planes));
        }
        cost.legal = pass.circuit.operations;
        let counted: Vec<choose::Counted> =
            choices.iter().map(|(_, _, planes)| choose::count(&mut pass.circuit, planes)).collect();
        cost.choice = pass.circuit.operations - cost.legal;

        let before = pass.circuit.operations;
        let mut able = Plane::TRUE;
        for counted in &counted {
            able = pass.circuit.and(&able, &counted.some);
        }
        self.ends(&mut pass, &terminal, &able);
        cost.rest = pass.circuit.operations - before + net.next.len();

        let before = pass.circuit.operations;
        for ((role, moves, planes), counted) in choices.iter().zip(&counted) {
            if let [only] = moves[..] {
                pass.does.insert((*role, only), (Plane::TRUE, Plane::TRUE));
            } else if !moves.is_empty() {
                let chosen = choose::choose(&mut pass.circuit, planes, counted);
                for (action, does) in moves.iter().zip(chosen.does) {
                    pass.does.insert((*role, *action), does);
                }
            }
        }
        cost.choice += pass.circuit.operations - before;

        let before = pass.circuit.operations;
        let mut next: Vec<Plane> = net.next.iter().map(|signal| pass.value(*signal)).collect();
        if self.shape.ends == Ends::Kept {
            let live = Plane::word("live");
            for (next, old) in next.iter_mut().zip(pass.fluents.clone()) {
                *next = pass.circuit.table(tables::BLEND, &[&live, next, &old]);
            }
        }
        // All are computed before any is changed: those that are other fluents, or inverses, need a word.
        let next: Vec<String> = next
            .iter()
            .enumerate()
            .map(|(fluent, plane)| match plane {
                Plane::Word { name, inverted: false } if **name == *format!("f{fluent}") => name.to_string(),
                Plane::Constant(_) => plane.text(),
                Plane::Word { name, .. } if name.starts_with('f') => {
                    let copy = pass.circuit.name();
                    pass.circuit.line(&format!("u32 {copy} = {};", plane.text()));
                    copy.to_string()
                }
                _ => plane.text(),
            })
            .collect();
        for (fluent, plane) in next.iter().enumerate() {
            if *plane != format!("f{fluent}") {
                pass.circuit.line(&format!("f{fluent} = {plane};"));
            }
        }
        cost.next = pass.circuit.operations - before;
        text.push_str(&pass.circuit.text);
        put!(text, "}} break;");
        cost
    }

    /// Starts games where there is none.
    fn refill(&self, text: &mut String, phase: usize, fluents: usize) {
        if self.shape.ends == Ends::Kept {
            put!(text, "if (!ANY(live)) goto done;");
            return;
        }
        put!(
            text,
            "if (start_phase == {phase}u) {{
u32 vacant = ~live;
if (counted) {{
if (COUNT(vacant) > quota) {{ u32 left = vacant; vacant = 0u; while (quota > COUNT(vacant)) {{ \
vacant |= left & (0u - left); left &= left - 1u; }} }}
quota -= COUNT(vacant);
if (!ANY(vacant | live)) goto done;
}}
started += COUNT(vacant);
live |= vacant;"
        );
        for fluent in 0..fluents {
            put!(text, "f{fluent} = (f{fluent} & ~vacant) | (start[{fluent}] & vacant);");
        }
        for digit in 0..self.shape.digits {
            put!(text, "age{digit} &= ~vacant;");
        }
        put!(text, "}}");
    }

    /// Ends games: those that are over, that have reached the bound, or in which somebody cannot move.
    fn ends(&self, pass: &mut Pass<'_>, terminal: &Plane, able: &Plane) {
        let digits = self.shape.digits;
        let live = Plane::word("live");
        let mut over = pass.circuit.and(&live, terminal);
        if digits > 0 {
            let mut old = pass.circuit.and(&live, &terminal.inverse());
            for digit in 0..digits {
                let [age, most] = [format!("age{digit}"), format!("most[{digit}]")].map(Plane::word);
                let table = tables::A & !(tables::B ^ tables::C);
                old = pass.circuit.table(table, &[&old, &age, &most]);
            }
            pass.circuit.line(&format!("cut += COUNT({});", old.text()));
            over = pass.circuit.or(&over, &old);
        }
        if *able != Plane::TRUE {
            let table = tables::A & !tables::B & !tables::C;
            let unable = pass.circuit.table(table, &[&live, &over, able]);
            pass.circuit.line(&format!("stuck += COUNT({});", unable.text()));
            over = pass.circuit.or(&over, &unable);
        }
        pass.circuit.line(&format!("u32 over = {};", over.text()));
        pass.circuit.line("if (ANY(over)) {\nlive &= ~over;\nplayouts += COUNT(over);");
        if self.goals_aside {
            let circuit = &mut pass.circuit;
            circuit.line("if (ANY(held & over)) { count_kept(kept, held); held = 0u; }\nheld |= over;");
            for (at, fluent) in self.kept.iter().enumerate() {
                circuit.line(&format!("kept[{at}] = (kept[{at}] & ~over) | (f{fluent} & over);"));
            }
            circuit.operations += self.kept.len();
        } else if self.shape.ends == Ends::Counted {
            // What is computed for goals alone stays inside.
            let values = pass.values.clone();
            self.count_goals(pass);
            pass.values = values;
        }
        pass.circuit.line("}");
        pass.circuit.line("transitions += COUNT(live);");
        for digit in 0..digits {
            if digit == 0 {
                pass.circuit.line("u32 carry = age0; age0 = ~age0;");
            } else {
                let step = format!("{{ u32 old = age{digit}; age{digit} = old ^ carry; carry &= old; }}");
                pass.circuit.line(&step);
            }
        }
        pass.circuit.operations += 3 * digits as usize + 10;
    }

    fn tail(&self, text: &mut String, period: usize, whole: &Net, counters: usize) {
        let fluents = whole.next.len();
        let digits = self.shape.digits;
        put!(text, "}}\nphase = phase + 1u == {period}u ? 0u : phase + 1u;\n}}\ndone:");
        if self.goals_aside {
            put!(text, "count_kept(kept, held);");
        }
        for fluent in 0..fluents {
            put!(text, "words[{fluent}ull * threads + me] = f{fluent};");
        }
        let mut at = fluents;
        for name in ["live", "r0", "r1", "rc", "quota"] {
            put!(text, "words[{at}ull * threads + me] = {name};");
            at += 1;
        }
        for digit in 0..digits {
            put!(text, "words[{at}ull * threads + me] = age{digit};");
            at += 1;
        }
        if self.shape.ends == Ends::Kept {
            self.tell(text, whole);
        }
        let totals = [
            (PLAYOUTS, "playouts"),
            (TRANSITIONS, "transitions"),
            (STUCK, "stuck"),
            (CUT, "cut"),
            (STARTED, "started"),
            (LIVE, "COUNT(live)"),
        ];
        for (at, name) in totals {
            put!(text, "ADD(&tally[{at}], {name})");
        }
        if self.in_registers {
            for at in GOALS..counters {
                put!(text, "ADD(&tally[{at}], n{at})");
            }
        } else {
            put!(
                text,
                "__syncthreads();
for (u32 i = {GOALS}u + threadIdx.x; i < {counters}u; i += blockDim.x) atomicAdd(&tally[i], (u64)counts[i]);"
            );
        }
        put!(text, "}}");
    }
}

/// The logic of one pass: values of nodes, written when they are first asked for.
pub(crate) struct Pass<'n> {
    net: &'n Net,
    cover: Cover,
    pub(crate) circuit: Circuit,
    values: Vec<Option<Plane>>,
    pub(crate) fluents: Vec<Plane>,
    /// Where each move is made: where both planes are set.
    pub(crate) does: HashMap<(u32, u32), (Plane, Plane)>,
    /// The block of each variable.
    blocks: HashMap<usize, usize>,
}

impl<'n> Pass<'n> {
    pub(crate) fn new(net: &'n Net, cover: Cover) -> Pass<'n> {
        let mut blocks = HashMap::new();
        for (number, block) in net.blocks.iter().enumerate() {
            blocks.extend(block.feedback.iter().map(|(variable, _)| (*variable, number)));
        }
        Pass {
            net,
            cover,
            circuit: Circuit::default(),
            values: vec![None; net.nodes.len()],
            fluents: vec![Plane::FALSE; net.next.len()],
            does: HashMap::new(),
            blocks,
        }
    }

    pub(crate) fn value(&mut self, signal: Signal) -> Plane {
        self.compute(signal.node());
        self.known(signal.node()).inverse_if(signal.is_inverted())
    }

    fn known(&self, node: usize) -> Plane {
        self.values[node].clone().unwrap_or(Plane::FALSE)
    }

    /// Writes a node and all that it needs, depth first: what is computed is soon read.
    fn compute(&mut self, node: usize) {
        let mut open = vec![node];
        while let Some(&node) = open.last() {
            if self.values[node].is_some() {
                open.pop();
                continue;
            }
            let value = match self.net.nodes[node] {
                Node::False => Plane::FALSE,
                Node::Fluent(fluent) => self.fluents[fluent as usize].clone(),
                Node::Move(role, action) => match self.does.get(&(role, action)) {
                    // A move that is never legal is never made.
                    None => Plane::FALSE,
                    Some((at, entered)) => self.circuit.and(at, entered),
                },
                Node::Feedback => {
                    self.settle(self.blocks[&node]);
                    continue;
                }
                Node::And(..) => {
                    let Some(lut) = self.cover.luts[node] else {
                        unreachable!("what is asked for is covered")
                    };
                    let before = open.len();
                    open.extend(
                        lut.leaves
                            .iter()
                            .map(|&leaf| leaf as usize)
                            .filter(|&leaf| self.values[leaf].is_none()),
                    );
                    if open.len() > before {
                        continue;
                    }
                    let [a, b, c] = lut.leaves.map(|leaf| self.known(leaf as usize));
                    let inverted = self.cover.inverted[node];
                    let table = if inverted { !lut.table } else { lut.table };
                    self.circuit.table(table, &[&a, &b, &c]).inverse_if(inverted)
                }
            };
            self.values[node] = Some(value);
            open.pop();
        }
    }

    /// Writes a block: a loop that ends when nothing changes in any game of the warp. A variable takes its new
    /// value at once, not at the end of the round: values only grow towards the least fixpoint, so it is the
    /// same one, found sooner.
    fn settle(&mut self, number: usize) {
        let block = &self.net.blocks[number];
        let needed: Vec<(usize, Signal)> =
            block.feedback.iter().copied().filter(|(_, signal)| self.is_covered(signal.node())).collect();
        // What the loop reads and does not change comes before it.
        let mut moving: HashMap<usize, bool> = needed.iter().map(|(variable, _)| (*variable, true)).collect();
        let mut outside = Vec::new();
        for (_, signal) in &needed {
            self.mark(signal.node(), &mut moving, &mut outside);
        }
        for node in outside {
            self.compute(node);
        }
        for (variable, _) in &needed {
            let name = format!("v{variable}_{}", self.circuit.name());
            self.circuit.line(&format!("u32 {name} = 0u;"));
            self.values[*variable] = Some(Plane::word(name));
        }
        let values = self.values.clone();
        self.circuit.line("for (;;) {\nu32 changed = 0u;");
        for backward in [false, true] {
            self.values.clone_from(&values);
            let sweep: Vec<(usize, Signal)> =
                if backward { needed.iter().rev().copied().collect() } else { needed.clone() };
            self.circuit.line("{");
            for (variable, signal) in sweep {
                let new = self.value(signal).text();
                let old = self.known(variable).text();
                self.circuit.line(&format!("changed |= {new} ^ {old}; {old} = {new};"));
                self.circuit.operations += 1;
            }
            self.circuit.line("}");
            if !backward {
                self.circuit.line("if (!ANY(changed)) break;\nchanged = 0u;");
            }
        }
        self.circuit.line("if (!ANY(changed)) break;\n}");
        self.values = values;
    }

    fn is_covered(&self, node: usize) -> bool {
        !matches!(self.net.nodes[node], Node::And(..)) || self.cover.luts[node].is_some()
    }

    /// Finds which nodes depend on the variables that are marked, and those that are read and do not.
    fn mark(&self, root: usize, moving: &mut HashMap<usize, bool>, outside: &mut Vec<usize>) {
        let mut open = vec![root];
        while let Some(&node) = open.last() {
            if moving.contains_key(&node) {
                open.pop();
                continue;
            }
            let leaves: Vec<usize> = match (self.values[node].is_some(), self.cover.luts[node]) {
                (false, Some(lut)) => lut.leaves.iter().map(|&leaf| leaf as usize).collect(),
                _ => Vec::new(),
            };
            let waiting: Vec<usize> =
                leaves.iter().copied().filter(|leaf| !moving.contains_key(leaf)).collect();
            if !waiting.is_empty() {
                open.extend(waiting);
                continue;
            }
            let moves = leaves.iter().any(|leaf| moving[leaf]);
            moving.insert(node, moves);
            if moves {
                outside.extend(leaves.iter().copied().filter(|leaf| !moving[leaf]));
            } else if leaves.is_empty() {
                // A root that is an input.
                outside.push(node);
            }
            open.pop();
        }
    }
}
