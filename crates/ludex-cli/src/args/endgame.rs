//! Arguments of the commands about the ends of games: endgame, solve, count.

use super::{Bounds, Engine, GameArgument, Json, Position, megabytes, seconds};
use clap::{Args, Subcommand};
use ludex_solve::Options;
use std::path::PathBuf;

/// Build, ask and inspect end-game databases
///
/// A database knows for each state how many joint moves it is from a role's best goal: *reachable* if all
/// roles help, *forced* whatever the others do. It is made by regression from the goals, and is one file that
/// carries the rules of its game.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build tictactoe --depth 4 -o tictactoe.end
  ludex endgame query tictactoe.end --state initial
  ludex endgame info tictactoe.end")]
pub struct Endgame {
    #[command(subcommand)]
    pub action: EndgameAction,
}

/// What to do with an end-game database.
#[derive(Debug, Subcommand)]
pub enum EndgameAction {
    Build(EndgameBuild),
    Query(EndgameQuery),
    Info(EndgameInfo),
}

/// Regress the goals of a game
///
/// Goes back from the best goals of all roles, one joint move at a time, until depth N, the end, or a limit.
/// What is finished when a limit is met, or on Ctrl-C, is written, and the limit is named. The file is written
/// under another name and renamed, so it is there whole or not at all.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build tictactoe --depth 4 -o tictactoe.end
  ludex endgame build connectfour4x4 --time 2 -o connectfour4x4.end --json
  ludex endgame build nim --no-invariants -o nim.end")]
pub struct EndgameBuild {
    #[command(flatten)]
    pub game: GameArgument,
    /// Stop at depth N; without it, where nothing more is to be found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60_000))]
    pub depth: Option<u32>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Stop after S seconds, with building the network and with --prove
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub time: f64,
    /// Stop where it takes more than so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    /// Stop at N entries
    #[arg(long, value_name = "N")]
    pub entries: Option<u64>,
    /// Assume nothing about reachable states
    #[arg(long)]
    pub no_invariants: bool,
    /// Spend up to S seconds on finding and proving facts first, beside those that are found on the way
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "no_invariants")]
    pub prove: Option<f64>,
    /// Regress moves that add and delete fixed fluents like all others
    #[arg(long)]
    pub no_strips: bool,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Look up a state
///
/// Prints the state's entries with their plans, what it is for each role (winning: only this role has an
/// entry; cooperative: others have one too; losing: only others have one; unknown, and why), and the moves to play.
/// STATE is a list of fluents in KIF, `-` for standard input; `initial` is the initial state.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build maze -o maze.end
  ludex endgame query maze.end --state '(cell d) (gold i) (step 5)'
  ludex endgame query maze.end --state initial --json
  echo '(cell d) (gold i) (step 10)' | ludex endgame query maze.end --state -")]
pub struct EndgameQuery {
    /// An end-game database, or the folder of `ludex solve --store`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The state
    #[arg(long, value_name = "STATE")]
    pub state: String,
    /// The role that `class` is about; the first one if not given
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Say what a database holds
///
/// Checks the file, and prints its size and the number of entries of each role, kind and depth; with
/// --descriptions also the entries, with --ghosts how many of them no reachable state meets (every reachable
/// state is visited for that).
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build tictactoe --depth 2 -o tictactoe.end
  ludex endgame info tictactoe.end
  ludex endgame info tictactoe.end --descriptions 5
  ludex endgame info tictactoe.end --ghosts --json")]
pub struct EndgameInfo {
    /// An end-game database
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Show N descriptions of each layer
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub descriptions: usize,
    /// Time N lookups in states of random play, and the opening of the file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub lookups: Option<u64>,
    /// Count the entries that no reachable state meets
    #[arg(long)]
    pub ghosts: bool,
    #[command(flatten)]
    pub json: Json,
}

/// How states are kept on disk.
#[derive(Clone, Copy, Debug, Args)]
pub struct DiskArguments {
    /// Megabytes that the folder may take; no limit by default
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..1 << 40))]
    pub disk: Option<u64>,
    /// Keep all states on disk, also those that are images of each other
    #[arg(long)]
    pub no_symmetry: bool,
    /// Look for no counter that every move raises: the method for games with cycles
    #[arg(long)]
    pub no_counter: bool,
}

impl DiskArguments {
    /// How a run works.
    pub fn options(self, memory: u32, threads: Option<u16>) -> Options {
        let usual = Options::default();
        Options {
            memory: megabytes(memory),
            disk: self.disk.map_or(u64::MAX, |disk| disk << 20),
            threads: threads.map_or(usual.threads, usize::from),
            symmetry: !self.no_symmetry,
            counter: !self.no_counter,
        }
    }
}

/// Solving on several processes and machines.
#[derive(Clone, Debug, Args)]
pub struct ClusterArguments {
    /// Solve with N workers in this process, on timely dataflow; in builds with `--features cluster`
    #[arg(long, value_name = "N", requires = "store", conflicts_with_all = ["threads", "resume"],
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub workers: Option<u16>,
    /// The processes that solve together: a file with their addresses, `host:port`, one a line
    #[arg(long, value_name = "FILE", requires = "workers", requires = "process")]
    pub hosts: Option<PathBuf>,
    /// Which of them this one is, from 0
    #[arg(long, value_name = "I", requires = "hosts")]
    pub process: Option<usize>,
    /// Wait S seconds for the others
    #[arg(long, value_name = "S", default_value = "120", requires = "workers", value_parser = seconds)]
    pub wait: f64,
    /// Begin anew from the last finished round, up to N times, when a process is lost
    #[arg(long, value_name = "N", requires = "workers", value_parser = clap::value_parser!(u32).range(1..))]
    pub supervise: Option<u32>,
    /// This process is supervised by another one.
    #[arg(long, hide = true, requires = "workers")]
    pub supervised: bool,
    /// The folder for what this process works on; without it one among the temporary files
    #[arg(long, value_name = "DIR", requires = "workers")]
    pub scratch: Option<PathBuf>,
}

/// Plan to solve a game on several machines
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex cluster plan tictactoe --machines 2
  ludex cluster plan nim --machines 64 --cores 32 --price 1.5")]
pub struct Cluster {
    #[command(subcommand)]
    pub action: ClusterAction,
}

#[derive(Debug, Subcommand)]
pub enum ClusterAction {
    Plan(ClusterPlan),
}

/// Estimate the states of a game, and what it takes to solve it
///
/// Samples tell how many states there are, with an interval that is right but for one case in a hundred. Bytes, hours and cost
/// follow from it on paper, by the assumptions that are printed with them; nothing is solved.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex cluster plan tictactoe --machines 2
  ludex cluster plan nim --machines 64 --cores 32 --price 1.5")]
pub struct ClusterPlan {
    #[command(flatten)]
    pub game: GameArgument,
    /// Machines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub machines: u32,
    /// Cores of each, with a worker on each core
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub cores: u32,
    /// States up to symmetry that a core expands and values in a second
    #[arg(long, value_name = "R", default_value = "400000", value_parser = positive)]
    pub rate: f64,
    /// Megabytes that a machine sends in a second
    #[arg(long, value_name = "MB", default_value = "1000", value_parser = positive)]
    pub network: f64,
    /// What a machine costs in an hour
    #[arg(long, value_name = "P", default_value = "1", value_parser = positive)]
    pub price: f64,
    /// Samples, each from the beginning to the end of the game
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(2..=1000))]
    pub samples: u16,
    /// States of a sample that stand for a layer
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub states: u32,
    /// The seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Keep all states, also those that are images of each other
    #[arg(long)]
    pub no_symmetry: bool,
    /// Give up after S seconds, with building the engine
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    pub time: f64,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// A number above zero.
fn positive(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "it is not a number above zero".to_owned())
}

/// Count the states of a game
///
/// Visits every reachable state, on disk and up to the symmetries of the game, and prints how many there are in each layer:
/// those of one value of a counter that every move raises, or, in a game without one, those so many joint
/// moves from the beginning. A state counts once, also where its images under symmetries were not visited.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex count tictactoe
  ludex count connectfour4x4 --json
  ludex count nim --no-symmetry --memory 100")]
pub struct Count {
    #[command(flatten)]
    pub game: GameArgument,
    /// Work in this folder, which must be empty or not there; without it in one that is removed again
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub disk: DiskArguments,
    /// Give up after S seconds, with building the engine
    #[arg(long, value_name = "S", default_value = "100000", value_parser = seconds)]
    pub time: f64,
    /// Give up where it takes more than so many megabytes; sorting makes use of half of them
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(8..))]
    pub memory: u32,
    /// Threads to use; all processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// Solve a game by visiting every state
///
/// Visits every reachable state on several threads and works back from the ends: the value of the game for
/// each role, how soon, the best first moves, and how many states there are. In two-player turn-taking games
/// whose goals add up to a constant these are the values under best play; elsewhere what each role can force
/// by itself. Exit status 1 if the game does not fit the limits.
///
/// With --store the states are kept in a folder instead of memory, packed and sorted, up to the symmetries of the game;
/// --memory is then what sorting has to make do with, and --states is not looked at. A run that was ended goes on with --resume.
///
/// With --workers the work is shared, by several processes with --hosts: --store is then a folder that all of them see, and
/// the same command goes on with what was begun there.
///
/// With --strategy not all states are visited: a search proves that ROLE can force a goal of at least VALUE whatever the
/// others do, who know its moves as they make theirs, or that it cannot. -o then writes the strategy, or what the others
/// play against it, and --check goes through such a file with the reference engine. Exit status 1 if the role cannot, or
/// nothing was proved within the limits.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex solve tictactoe
  ludex solve nim --store nim.solved && ludex endgame query nim.solved --state initial
  ludex solve --resume nim.solved
  ludex solve nim -o nim.end && ludex endgame query nim.end --state initial
  ludex solve tictactoe --moves 'mark 1 1; mark 1 2'
  ludex solve connectfour4x4 --states 200000 --time 60 --json
  ludex solve tictactoe --strategy o 50 -o o.strategy && ludex solve tictactoe --check o.strategy
  ludex solve nim --strategy bob 100 --within 16")]
pub struct Solve {
    /// The rule sheet: a file, `-` for standard input, or the name of a bundled game
    #[arg(value_name = "GAME", required_unless_present = "resume")]
    pub game: Option<PathBuf>,
    /// Keep the states in this folder, which must be empty or not there, or hold a run of a cluster
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub store: Option<PathBuf>,
    #[command(flatten)]
    pub cluster: ClusterArguments,
    /// Go on with the run in this folder, which has its rules
    #[arg(long, value_name = "DIR", conflicts_with_all = ["game", "store", "output", "no_symmetry", "no_counter"])]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub disk: DiskArguments,
    /// Prove by search whether ROLE can force a goal of at least VALUE
    #[arg(long, num_args = 2, value_names = ["ROLE", "VALUE"], allow_hyphen_values = true,
          conflicts_with_all = ["store", "resume"])]
    pub strategy: Option<Vec<String>>,
    /// Within so many joint moves
    #[arg(long, value_name = "N", requires = "strategy", value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub within: Option<u32>,
    /// Check the strategy in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["store", "resume", "strategy", "output"])]
    pub check: Option<PathBuf>,
    /// Write a database of all states, or with --strategy the strategy
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Give up at N states
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub states: usize,
    /// Give up after S seconds, with building the engine
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    pub time: f64,
    /// Give up where it takes more than so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    /// Threads to use; all processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}
