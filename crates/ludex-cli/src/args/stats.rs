//! Arguments of stats.

use super::{GameArgument, Json, Position, megabytes, seconds};
use clap::Args;
use ludex::engine::budget::Budget;
use std::path::PathBuf;

/// Say what play of a game is like
///
/// Plays at random and counts: who wins, with 95 % intervals, and whether it pays to move first; draws; how long
/// matches are; how much there is to choose, move by move; how many states and lines of play there are; where every
/// state can be visited, also how often the lead changes. Outcomes and lengths are of all games, the rest is of a
/// sample that is looked at state by state. With --skill Ludex plays itself at two strengths: does skill pay?
///
/// A game without a network is played one match at a time, with fewer matches; the number is told. docs/measuring.md
/// says what each figure means and which of Ludii's metrics it is.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex stats connectfour
  ludex stats tictactoe --games 10000 --json
  ludex stats nim --moves 'take d 7' --plot nim.svg
  ludex stats connectfour4x4 --games 10000 --skill 2")]
pub struct Stats {
    #[command(flatten)]
    pub game: GameArgument,
    /// Random games to play; fewer where the time is over before
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub games: u64,
    /// Games to look at state by state
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub sample: u64,
    /// Break games off after N joint moves
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub steps: u64,
    /// Let Ludex play itself for S seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub skill: Option<f64>,
    /// Iterations of the search for a move of the weak player
    #[arg(long, value_name = "N", default_value_t = 50, requires = "skill", value_parser = clap::value_parser!(u64).range(1..))]
    pub weak: u64,
    /// Iterations of the search for a move of the strong player
    #[arg(long, value_name = "N", default_value_t = 500, requires = "skill", value_parser = clap::value_parser!(u64).range(1..))]
    pub strong: u64,
    /// Draw lengths and branching as an SVG picture
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// The seed of the random moves
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads to use; all processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop playing at random after S seconds, with building the engines
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub time: f64,
    /// Give up where it takes more than so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub json: Json,
}

impl Stats {
    /// The budget without the time, which is that of each part.
    pub fn budget(&self) -> Budget {
        Budget::default().with_resident(megabytes(self.memory))
    }
}
