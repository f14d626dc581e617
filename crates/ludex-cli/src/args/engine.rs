//! Arguments of the commands that run an engine: perft, simulate, replay, bench.

use super::{Allowance, Bounds, Engine, GameArgument, Json, Position, encoding_names, seconds};
use clap::Args;
use ludex::gdl::rewrite::fnext::Encoding;
use std::path::PathBuf;

/// Count the ways to play a game
///
/// Prints for each depth up to N the number of sequences of joint moves of that length, the classic
/// check of a move generator. Terminal states are not expanded, nor are states in which somebody has no
/// legal move. Sequences count one by one, also where they lead to the same state.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex perft tictactoe --depth 5
  ludex perft connectfour --depth 4 --divide
  ludex perft tictactoe --depth 9 --store tictactoe.lines
  ludex perft nim --depth 3 --engine datalog --json
  ludex perft connectfour --depth 4 --moves 'drop 1; drop 1; drop 2'")]
pub struct Perft {
    #[command(flatten)]
    pub game: GameArgument,
    /// The greatest depth to count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub depth: u16,
    /// Count depth N only, separately for each first joint move
    #[arg(long)]
    pub divide: bool,
    /// Count on disk, in this folder, which must be empty or not there: states in which lines meet are counted once,
    /// up to symmetry, in numbers of 128 bits
    #[arg(long, value_name = "DIR", conflicts_with_all = ["divide", "json"])]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Play one match at random and show it
///
/// Draws each state, as a board where the game has one, with the moves that were made, and closes with
/// the goals. With --json it writes a record that `ludex replay` reads.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex simulate tictactoe
  ludex simulate reversi --seed 7 --steps 5
  ludex simulate nim --state 'heap(a,1), heap(b,3), heap(c,0), heap(d,0), control(bob)'
  ludex simulate nim --json > nim.jsonl && ludex replay nim nim.jsonl")]
pub struct Simulate {
    #[command(flatten)]
    pub game: GameArgument,
    /// The seed of the random moves; without it another one is chosen each time, and shown
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Stop after N joint moves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Compare an engine with recorded matches
///
/// Compares everything that the records say with what the engine computes: initial state, legal moves,
/// end, goals, and the successor under each recorded joint move. Stops at the first difference, prints
/// it in full, and ends with exit status 1.
///
/// Two formats are read, plain or compressed with gzip: lines of JSON as `ludex simulate --json` writes
/// them, and match records of GGP.org servers.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex simulate tictactoe --json > match.jsonl
  ludex replay tictactoe match.jsonl
  ludex replay tictactoe match.jsonl --engine datalog --json
  ludex replay tictactoe match.jsonl --engine tree --encoding relevant")]
pub struct Replay {
    #[command(flatten)]
    pub game: GameArgument,
    /// Recorded matches
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    /// How successors are written down, as for `ludex minimax`
    #[arg(long, value_name = "ENCODING", default_value = Encoding::Original.name(), value_parser = encoding_names())]
    pub encoding: Encoding,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Measure random play
///
/// Plays from the initial state to the end at random, again and again, on one thread, until S seconds of
/// processor time are spent. A playout that is not finished by then counts for its states only. The
/// time to build (from the text to an engine ready to play) is wall-clock time.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex bench connectfour
  ludex bench tictactoe nim reversi --seconds 0.5
  ludex bench breakthrough --batch
  ludex bench connectfour --engine tree --json
  ludex bench tictactoe nim --seconds 0.5 --plot speed.svg
  ludex bench --gdl-perf tictactoe result.txt 2")]
pub struct Bench {
    /// Rule sheets: files, `-`, or names of bundled games
    #[arg(value_name = "GAME", required_unless_present = "gdl_perf")]
    pub games: Vec<PathBuf>,
    /// The contract of the gdl-perf speed contest: play GAME at random for SECONDS, write the counts to
    /// RESULT
    #[arg(long, num_args = 3, value_names = ["GAME", "RESULT", "SECONDS"],
          conflicts_with_all = ["games", "seconds", "batch", "json", "state", "moves"])]
    pub gdl_perf: Option<Vec<String>>,
    /// Processor time to spend on each game
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    pub seconds: f64,
    /// The seed of the random moves
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Play 512 games at a time on the propositional network, one bit a game, instead of one by one
    #[arg(long, conflicts_with = "engine", group = "many")]
    pub batch: bool,
    /// Search from the initial state by a tree that values its leaves by batches of random games: playouts are those
    /// games, states the leaves
    #[arg(long, conflicts_with_all = ["engine", "plot"], group = "many")]
    pub leaves: bool,
    /// Where batches are played: `cpu`, or a GPU as `cuda` or `cuda:1`, whose time is wall-clock time; without
    /// one the CPU plays
    #[arg(long, value_name = "DEVICE", default_value = "cpu", requires = "many")]
    pub device: Device,
    /// Draw states a second as an SVG picture; without --engine and --batch, of every engine
    #[arg(long, value_name = "FILE", conflicts_with = "gdl_perf")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Where batches of games are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Cpu,
    /// A GPU by its number.
    Cuda(usize),
}

impl std::str::FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        let device = match text.split_once(':') {
            None if text == "cpu" => Some(Device::Cpu),
            None if text == "cuda" => Some(Device::Cuda(0)),
            Some(("cuda", number)) => number.parse().ok().map(Device::Cuda),
            _ => None,
        };
        let device = device.ok_or("a device is `cpu`, `cuda` or `cuda:NUMBER`")?;
        if device != Device::Cpu && !cfg!(feature = "cuda") {
            return Err(
                "this build plays on the CPU only; `cargo build --release --features cuda` makes one \
that also plays on NVIDIA GPUs"
                    .to_owned(),
            );
        }
        Ok(device)
    }
}
