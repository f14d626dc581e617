//! The source of a game whose gates are a table (`table.rs`): the table as data, and the interpreter.

use super::data::Data;
use super::error::CudaError;
use super::lut::Cover;
use super::source::{
    BEGIN_WORDS, Cost, Ends, GOALS, LEAVES, PRELUDE, Shape, Source, begin, goal_counters, put,
};
use super::table::{MOST_SLOTS, Step, Table};
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::propnet::{Net, Signal};
use std::fmt::Write;

/// Runs the gates.
pub(crate) const INTERPRETER: &str = include_str!("table.cu");

/// Plays by them.
const PLAY: &str = include_str!("play.cu");

/// Shared memory of a multiprocessor that blocks can have, in bytes: what GPUs for computing have since 2022.
/// Less is found out when the kernel is loaded.
const SHARED: usize = 227 * 1024;

/// What the system keeps of it for each block.
const RESERVED: usize = 1024;

/// What a block has of it without asking for more: where slots lie elsewhere, the rest has to fit.
const PLAIN_SHARED: usize = 48 * 1024;

/// Words of 32 games of a block, at most.
const MOST_WORDS: usize = 32;

/// Words that a thread computes at a time: loads of 16 bytes.
const VECTOR: usize = 4;

/// Threads of a block that interprets a table.
pub(crate) const THREADS: u32 = 512;

/// More tables of three inputs than this, over all phases, are not even tried as straight-line code.
const STRAIGHT: usize = 6000;

/// So many statements times words that they keep are straight-line code: the compiler looks for registers for all
/// of them, which took it some four seconds for a million (`records/gpu-sheets.csv`).
const MOST_WORK: usize = 1_000_000;

/// Whether straight-line code of a game with so many fluents is compiled soon.
pub(crate) fn is_soon_compiled(text: &str, fluents: usize) -> bool {
    text.lines().count() * fluents <= MOST_WORK
}

/// Operations of a choice for each move (see `choose.rs`).
const CHOICE: usize = 5;

/// Where the slots of a block lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Words of 32 games that a block plays.
    pub(crate) words: usize,
    /// Whether the slots lie in the device's memory, not in the block's shared memory.
    pub(crate) room: bool,
}

impl Layout {
    /// As many words as fit; `shared` says how many bytes of shared memory a block of so many words needs beside
    /// its slots and steps.
    pub(crate) fn new(
        table: &Table,
        blocks: u32,
        room: bool,
        shared: impl Fn(usize) -> usize,
    ) -> Result<Layout, CudaError> {
        let bytes = |words: usize| {
            let held = if room { 0 } else { table.slots * words * 4 + table.steps.len() * 16 };
            held + shared(words) + RESERVED
        };
        let most = if room { PLAIN_SHARED } else { SHARED / blocks.max(1) as usize };
        let sizes = (0..=MOST_WORDS.ilog2()).map(|power| 1usize << power);
        let Some(words) = sizes.rev().find(|words| bytes(*words) <= most) else {
            let message = format!("{} slots of 32 games do not fit into {most} bytes", table.slots);
            return Err(CudaError::Large(message));
        };
        Ok(Layout { words, room })
    }

    /// Bytes of shared memory of a block, beyond what the text declares.
    pub(crate) fn shared(&self, table: &Table) -> u32 {
        if self.room { 0 } else { (table.slots * self.words * 4 + table.steps.len() * 16) as u32 }
    }

    /// Bytes of the device's memory that a block has for its slots.
    pub(crate) fn bytes(&self, table: &Table) -> usize {
        if self.room { table.slots * self.words * 4 } else { 0 }
    }

    /// Defines what the interpreter reads, and adds the gates to the data.
    pub(crate) fn write(&self, text: &mut String, data: &mut Data, table: &Table, shape: &Shape) {
        let wide = table.slots > usize::from(u16::MAX);
        let numbers = [
            ("W", self.words),
            ("VW", self.words.min(VECTOR)),
            ("THREADS", shape.block as usize),
            ("BLOCKS", shape.blocks.max(1) as usize),
            ("SLOTS", table.slots),
            ("STEPS", table.steps.len()),
        ];
        for (name, number) in numbers {
            put!(text, "#define {name} {number}u");
        }
        // Plain numbers for the preprocessor.
        put!(text, "#define ROOM {}\n#define WIDE {}", u8::from(self.room), u8::from(wide));
        if wide {
            let gates = table.gates.iter().flat_map(|gate| {
                let [a, b, c] = gate.inputs;
                [a, b, c, gate.to | u32::from(gate.table) << 24]
            });
            data.list(text, "GATES", gates);
        } else {
            let gates = table.gates.iter().flat_map(|gate| {
                let [a, b, c] = gate.inputs;
                [a | b << 16, c | gate.to << 16]
            });
            data.list(text, "GATES", gates);
            let four = |four: &[super::table::Gate]| {
                four.iter().rev().fold(0, |word, gate| word << 8 | u32::from(gate.table))
            };
            data.list(text, "FUNCTIONS", table.gates.chunks(4).map(four));
        }
        let steps = table.steps.iter().flat_map(|step| match *step {
            Step::Level { first, count } => [0, first, count, 0],
            Step::Again { first, count, to } => [1, first, count, to],
            Step::End => [2, 0, 0, 0],
        });
        data.list(text, "ALL_STEPS", steps);
    }
}

impl Source {
    /// Writes the game in the layout that its counted cost asks for: straight-line code if it is small
    /// enough to be compiled soon and to run from the instruction caches, else a table.
    pub fn fitting(lanes: &Lanes, general: bool, shape: Shape) -> Result<Source, CudaError> {
        let nets = if general { std::slice::from_ref(lanes.general_net()) } else { lanes.nets() };
        let mut cost = 0;
        for net in nets {
            // A table of three inputs takes the place of at most two gates in the mean, so many gates are too many.
            let legal = net.legal.iter().flatten().copied();
            let outputs: Vec<Signal> = legal.chain(net.next.iter().copied()).chain([net.terminal]).collect();
            if net.cone_size(outputs.iter().copied()) > 4 * STRAIGHT {
                cost = usize::MAX;
                break;
            }
            let moves = net.legal.iter().flatten().filter(|signal| **signal != Signal::FALSE).count();
            cost += Cover::new(net, &outputs).size() + CHOICE * moves;
        }
        if cost <= STRAIGHT {
            let source = Source::new(lanes, general, shape);
            if is_soon_compiled(&source.text, source.fluents) {
                return Ok(source);
            }
        }
        // Two blocks of a multiprocessor hide each other's waiting.
        let table = |blocks, room| {
            Source::interpreted(lanes, general, Shape { block: THREADS, blocks, ..shape }, room)
        };
        table(2, false).or_else(|_| table(1, false)).or_else(|_| table(2, true))
    }

    /// Writes the kernels `begin` and `play` as [`Source::new`] does, with the gates as a table. For large games:
    /// it takes no longer to compile than for small ones. `shape.blocks` blocks shall find room on a
    /// multiprocessor: the fewer, the more games each of them plays. With `room` what is computed lies in the
    /// device's memory, for games that do not fit into that of a block.
    pub fn interpreted(lanes: &Lanes, general: bool, shape: Shape, room: bool) -> Result<Source, CudaError> {
        let whole = lanes.general_net();
        let nets: &[Net] = if general { std::slice::from_ref(whole) } else { lanes.nets() };
        let fluents = whole.next.len();
        let roles = whole.legal.len();
        let (goals, counters) = goal_counters(whole, shape.ends);
        let is_kept = shape.ends == Ends::Kept;
        let table = if is_kept { Table::for_kept(nets, whole) } else { Table::new(nets, whole) };
        let Some(table) = table else {
            return Err(CudaError::Large(format!(
                "{fluents} fluents and their gates need more than {MOST_SLOTS} slots"
            )));
        };
        let block = shape.block as usize;
        let layout = Layout::new(&table, shape.blocks, room, |words| {
            let games = 32 * words;
            counters * 4 + words * 48 + games * 4 + roles * games.max(block) * 2
        })?;
        let words = layout.words;
        let mut text = String::from(PRELUDE);
        let numbers = [
            ("FLUENTS", fluents),
            ("ROLES", roles),
            ("PHASES", nets.len()),
            ("DIGITS", shape.digits as usize),
            ("COUNTERS", counters),
            ("GOALS", GOALS),
        ];
        for (name, number) in numbers {
            put!(text, "#define {name} {number}u");
        }
        let mut data = Data::default();
        layout.write(&mut text, &mut data, &table, &shape);
        let kept = table.aside.as_ref().map_or(0, |aside| aside.kept.len());
        // Plain numbers for the preprocessor.
        put!(text, "#define KEPT {kept}\n#define KEEPS_ENDS {}", u8::from(is_kept));
        if let Some(aside) = &table.aside {
            put!(
                text,
                "#define KEPT_HEAD {}u\n#define ALL_GOALS {}u",
                aside.pass.heads[1],
                aside.pass.goals.len()
            );
        }
        put!(text, "INSIDE u32 start[{}];", fluents.max(1));
        put!(text, "CONSTANT u32 most[{}];", shape.digits.max(1));
        begin(&mut text, fluents);
        write_lists(&mut text, &mut data, &table, whole);
        text.push_str(INTERPRETER);
        text.push_str(PLAY);
        if is_kept {
            text.push_str(LEAVES);
        }
        let costs = table.passes.iter().map(|pass| Cost {
            legal: pass.sizes[0],
            choice: pass.moves.iter().map(Vec::len).sum(),
            next: pass.sizes[2],
            rest: pass.sizes[1] + fluents,
        });
        Ok(Source {
            text,
            fluents,
            words: fluents + BEGIN_WORDS + 32,
            counters,
            goals,
            period: nets.len(),
            digits: shape.digits,
            block: shape.block,
            units: words as u32,
            shared: layout.shared(&table),
            room: layout.bytes(&table),
            data: data.words,
            costs: costs.collect(),
            goals_aside: table.aside.is_some(),
            ends: shape.ends,
        })
    }
}

/// What is read beside the gates.
fn write_lists(text: &mut String, data: &mut Data, table: &Table, whole: &Net) {
    let passes = &table.passes;
    data.list(text, "HEADS", passes.iter().flat_map(|pass| pass.heads));
    data.list(text, "TERMINAL", passes.iter().map(|pass| pass.terminal));
    let mut from = Vec::new();
    let mut so_far = 0;
    for pass in passes {
        from.push(so_far);
        for moves in &pass.moves {
            so_far += moves.len() as u32;
            from.push(so_far);
        }
    }
    data.list(text, "MOVES_FROM", from);
    let moves = || passes.iter().flat_map(|pass| pass.moves.iter().flatten());
    data.list(text, "LEGAL", moves().map(|(legal, _)| *legal));
    data.list(text, "DOES", moves().map(|(_, does)| *does));
    let with_goals = table.aside.as_ref().map_or(&passes[..], |aside| std::slice::from_ref(&aside.pass));
    let goals = with_goals.first().map_or(0, |pass| pass.goals.len()) as u32;
    data.list(text, "GOALS_FROM", (0..passes.len() as u32).map(|phase| phase * goals));
    data.list(text, "GOALS", with_goals.iter().flat_map(|pass| pass.goals.iter().copied()));
    data.list(text, "KEPT", table.aside.iter().flat_map(|aside| aside.kept.iter().copied()));
    data.list(text, "GOAL_COUNTS", whole.goals.iter().map(|list| list.len() as u32));
    // As the counters are laid out: one more behind each role's.
    let numbers = whole.goals.iter();
    let numbers =
        numbers.flat_map(|list| list.iter().map(|(value, _)| u32::from(value.is_some())).chain([0]));
    data.list(text, "GOAL_IS_NUMBER", numbers);
}
