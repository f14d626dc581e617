//! Kernels as C: compiled by the C compiler of this machine, one thread a word of 32 games.

use ludex_cuda::{HOST, Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::propnet::compile as network;
use ludex_engine::propnet::lanes::Lanes;
use ludex_gdl::Game;
use ludex_testkit::report::note;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a text with the definitions, and returns the program.
pub fn program(name: &str, text: &str, main: &str, definitions: &[(&str, usize)]) -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).map_err(|e| e.to_string());
    write("host.h", HOST)?;
    write("game.c", &format!("{text}\n{main}"))?;
    let program = folder.join("game");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-O0", "-w", "-o"]).arg(&program).arg(folder.join("game.c"));
    for (name, value) in definitions {
        cc.arg(format!("-D{name}={value}"));
    }
    let output = cc.output().map_err(|e| format!("the C compiler cannot be run: {e}"))?;
    if output.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
}

/// Whether there is a C compiler. Without one nothing can be compared, which is said loudly.
pub fn can_compile(what: &str) -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        note(&format!("NOT RUN: {what} (no C compiler `cc` on this machine)"));
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Straight,
    Table,
    /// A table whose values do not lie in the block's memory.
    Room,
}

pub struct Compiled {
    pub lanes: Lanes,
    pub initial: Vec<u64>,
}

pub fn compiled(game: &Game) -> Result<Compiled, String> {
    let budget = Budget::default();
    let compiled = network(game, &budget).map_err(|e| e.to_string())?;
    let lanes = Lanes::new(&compiled.net, &compiled.initial, &budget).map_err(|e| e.to_string())?;
    Ok(Compiled { lanes, initial: compiled.initial })
}

impl Layout {
    /// The source of a game in this layout.
    pub fn source(self, lanes: &Lanes, general: bool, shape: Shape) -> Result<Source, String> {
        match self {
            Layout::Straight => Ok(Source::new(lanes, general, shape)),
            Layout::Table | Layout::Room => {
                let room = self == Layout::Room;
                Source::interpreted(lanes, general, shape, room).map_err(|e| e.to_string())
            }
        }
    }
}

/// What a program defines to play a source; one thread of C is a block of its own.
pub fn definitions(source: &Source, layout: Layout) -> Vec<(&'static str, usize)> {
    let units = if layout == Layout::Straight { 1 } else { source.units as usize };
    let mut all =
        vec![("UNITS", units), ("WORDS", source.words), ("ROOM_BYTES", source.room.next_multiple_of(64))];
    if layout == Layout::Straight {
        // The table's text defines these itself.
        all.extend([
            ("FLUENTS", source.fluents),
            ("DIGITS", source.digits as usize),
            ("COUNTERS", source.counters),
        ]);
    }
    all
}

/// The lists that a source reads, as C.
pub fn lists(source: &Source) -> String {
    let numbers: Vec<String> = source.data.iter().map(u32::to_string).collect();
    format!("static const u32 lists[] ALIGNED(16) = {{{}}};\n", numbers.join(","))
}
