//! The source of a game whose gates are a table (`table.rs`): the table as data, and the interpreter.

use super::error::CudaError;
use super::lut::Cover;
use super::source::{BEGIN_WORDS, Cost, GOALS, PRELUDE, Shape, Source, begin, goal_counters};
use super::table::{Step, Table};
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::propnet::{Net, Signal};
use std::fmt::Write;

const INTERPRETER: &str = include_str!("table.cu");

/// Shared memory of a multiprocessor that blocks can have, in bytes: what GPUs for computing have since 2022.
/// Less is found out when the kernel is loaded.
const SHARED: usize = 227 * 1024;

/// What the system keeps of it for each block.
const RESERVED: usize = 1024;

/// Words of 32 games of a block, at most.
const MOST_WORDS: usize = 32;

/// Words that a thread computes at a time: loads of 16 bytes.
const VECTOR: usize = 4;

/// Threads of a block that interprets a table.
const THREADS: u32 = 512;

/// So many tables of three inputs, over all phases, are written as straight-line code: the compiler takes about
/// a second for each two thousand, and more for each the more there are.
const STRAIGHT: usize = 6000;

/// Operations of a choice for each move (see `choose.rs`).
const CHOICE: usize = 5;

/// Appends a line. Strings take all that is written.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {{
        let _ = writeln!($text, $($arguments)*);
    }};
}

impl Source {
    /// Writes the game in the layout that its counted cost asks for: straight-line code if it is small
    /// enough to be compiled soon and to run from the instruction caches, else a table.
    pub fn fitting(lanes: &Lanes, general: bool, most: u64) -> Result<Source, CudaError> {
        let shape = Shape::bounded(most);
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
            return Ok(Source::new(lanes, general, shape));
        }
        // Two blocks of a multiprocessor hide each other's waiting.
        let table = |blocks| Source::interpreted(lanes, general, Shape { block: THREADS, blocks, ..shape });
        table(2).or_else(|_| table(1))
    }

    /// Writes the kernels `begin` and `play` as [`Source::new`] does, with the gates as a table. For large games:
    /// it takes no longer to compile than for small ones. `shape.blocks` blocks shall find room on a
    /// multiprocessor: the fewer, the more games each of them plays.
    pub fn interpreted(lanes: &Lanes, general: bool, shape: Shape) -> Result<Source, CudaError> {
        let whole = lanes.general_net();
        let nets: &[Net] = if general { std::slice::from_ref(whole) } else { lanes.nets() };
        let fluents = whole.next.len();
        let roles = whole.legal.len();
        let (goals, counters) = goal_counters(whole);
        let Some(table) = Table::new(nets, whole) else {
            return Err(CudaError::Large(format!(
                "{fluents} fluents and their gates need more than 65536 slots"
            )));
        };
        let block = shape.block as usize;
        let bytes = |words: usize| {
            let games = 32 * words;
            let counts = roles * games.max(block) * 2;
            table.slots * words * 4
                + table.steps.len() * 16
                + counters * 4
                + words * 48
                + games * 4
                + counts
                + RESERVED
        };
        let room = SHARED / shape.blocks.max(1) as usize;
        let sizes = (0..=MOST_WORDS.ilog2()).map(|power| 1usize << power);
        let Some(words) = sizes.rev().find(|words| bytes(*words) <= room) else {
            let message = format!("{} slots of 32 games do not fit into {room} bytes", table.slots);
            return Err(CudaError::Large(message));
        };
        let mut text = String::from(PRELUDE);
        let numbers = [
            ("W", words),
            ("VW", words.min(VECTOR)),
            ("THREADS", block),
            ("BLOCKS", shape.blocks.max(1) as usize),
            ("FLUENTS", fluents),
            ("SLOTS", table.slots),
            ("STEPS", table.steps.len()),
            ("ROLES", roles),
            ("PHASES", nets.len()),
            ("DIGITS", shape.digits as usize),
            ("COUNTERS", counters),
            ("GOALS", GOALS),
        ];
        for (name, number) in numbers {
            put!(text, "#define {name} {number}u");
        }
        let kept = table.aside.as_ref().map_or(0, |aside| aside.kept.len());
        // Plain numbers for the preprocessor.
        put!(text, "#define KEPT {kept}");
        if let Some(aside) = &table.aside {
            put!(text, "#define KEPT_HEAD {}u", aside.pass.heads[1]);
        }
        put!(text, "INSIDE u32 start[{}];", fluents.max(1));
        put!(text, "CONSTANT u32 most[{}];", shape.digits.max(1));
        begin(&mut text, fluents);
        write_table(&mut text, &table, whole);
        text.push_str(INTERPRETER);
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
            shared: (table.slots * words * 4 + table.steps.len() * 16) as u32,
            costs: costs.collect(),
            goals_aside: table.aside.is_some(),
        })
    }
}

fn write_table(text: &mut String, table: &Table, whole: &Net) {
    let gates = table.gates.iter().map(|gate| {
        let [a, b, c] = gate.inputs.map(u64::from);
        a | b << 16 | c << 32 | u64::from(gate.to) << 48
    });
    list(text, "u64", "gates", gates);
    let functions = table.gates.chunks(8).map(|eight| {
        eight.iter().enumerate().fold(0u64, |word, (at, gate)| word | u64::from(gate.table) << (8 * at))
    });
    list(text, "u64", "gate_tables", functions);
    let steps = table.steps.iter().flat_map(|step| match *step {
        Step::Level { first, count } => [0, first, count, 0],
        Step::Again { first, count, to } => [1, first, count, to],
        Step::End => [2, 0, 0, 0],
    });
    list(text, "u32", "all_steps", steps.map(u64::from));
    let passes = &table.passes;
    list(text, "u32", "heads", passes.iter().flat_map(|pass| pass.heads).map(u64::from));
    list(text, "u32", "terminal", passes.iter().map(|pass| u64::from(pass.terminal)));
    let mut from = Vec::new();
    let mut so_far = 0u64;
    for pass in passes {
        from.push(so_far);
        for moves in &pass.moves {
            so_far += moves.len() as u64;
            from.push(so_far);
        }
    }
    list(text, "u32", "moves_from", from.into_iter());
    let moves = || passes.iter().flat_map(|pass| pass.moves.iter().flatten());
    list(text, "u32", "legal", moves().map(|(legal, _)| u64::from(*legal)));
    list(text, "u32", "does", moves().map(|(_, does)| u64::from(*does)));
    let with_goals = table.aside.as_ref().map_or(&passes[..], |aside| std::slice::from_ref(&aside.pass));
    let goals = with_goals.first().map_or(0, |pass| pass.goals.len()) as u64;
    list(text, "u32", "goals_from", (0..passes.len() as u64).map(|phase| phase * goals));
    list(text, "u32", "goals", with_goals.iter().flat_map(|pass| &pass.goals).map(|goal| u64::from(*goal)));
    let kept = table.aside.iter().flat_map(|aside| &aside.kept);
    list(text, "u32", "kept", kept.map(|fluent| u64::from(*fluent)));
    list(text, "u32", "goal_counts", whole.goals.iter().map(|list| list.len() as u64));
    // As the counters are laid out: one more behind each role's.
    let numbers = whole
        .goals
        .iter()
        .flat_map(|list| list.iter().map(|(value, _)| u64::from(value.is_some())).chain([0]));
    list(text, "u32", "goal_is_number", numbers);
}

/// A constant array. None is empty, which C does not allow.
fn list(text: &mut String, kind: &str, name: &str, numbers: impl Iterator<Item = u64>) {
    let _ = write!(text, "INSIDE const {kind} {name}[] = {{");
    for number in numbers.chain([0]) {
        let _ = write!(text, "{number:#x}u{},", if kind == "u64" { "ll" } else { "" });
    }
    put!(text, "}};");
}
