//! Arguments of the commands that play: play, player, match.

use super::{Bounds, Device, Engine, Evaluations, GameArgument, Json, Position, seconds};
use clap::Args;
use std::path::PathBuf;

/// Play against Ludex in the terminal
///
/// Draws the board, lists your legal moves, and plays all other roles. Type a move by its number, which stays
/// the same all game, or in words: `(drop 3)`, `drop 3` and `d 3` are the same where one move is meant. `hint`
/// asks the engine what it would do, `view` shows what it thinks, `history` lists the moves so far, `undo` and
/// `redo` go back and forward, `new` begins again, `save FILE` and `load FILE` keep a game and go on with one,
/// `help` says all this, `quit` ends. From a position that is given, `undo` and `new` go back as far as that.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex play tictactoe
  ludex play connectfour --role yellow --playclock 5
  ludex play nim --threads 1
  ludex play connectfour --moves 'drop 4; drop 4; drop 3'")]
pub struct Play {
    #[command(flatten)]
    pub game: GameArgument,
    /// The role that you play; the first one of the rules by default
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Seconds that the engine takes for a move
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    pub playclock: f64,
    /// A database of the game: a file of `endgame build` or a folder of `solve --store`
    #[arg(long, value_name = "PATH")]
    pub solved: Vec<PathBuf>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub agent: AgentArguments,
    #[command(flatten)]
    pub evaluations: Evaluations,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// Play matches for a General Game Playing manager
///
/// Listens for the messages of the GGP protocol (INFO, START, PLAY, STOP, ABORT, PREVIEW) and plays one
/// match at a time. Engines are built while the start clock runs; the search changes to a better one as
/// soon as it is ready. Runs until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex player
  ludex player --port 9148 --name red-ludex -v
  ludex player --bind 0.0.0.0 --threads 4 --memory 2000")]
pub struct Player {
    /// The port; 0 takes a free one, which is shown
    #[arg(long, value_name = "PORT", default_value_t = 9147)]
    pub port: u16,
    /// The address to listen at; the default is reached from this machine only
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: std::net::IpAddr,
    /// The name that managers see
    #[arg(long, value_name = "NAME", default_value = "ludex", value_parser = token)]
    pub name: String,
    /// Tell what it knows and does, on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Play plain UCT on the reference engine, one thread: the measuring stick
    #[arg(long)]
    pub plain: bool,
    /// A database of a game: a file of `endgame build` or a folder of `solve --store`; may be given again for other games
    #[arg(long, value_name = "PATH", conflicts_with = "plain")]
    pub solved: Vec<PathBuf>,
    #[command(flatten)]
    pub agent: AgentArguments,
    #[command(flatten)]
    pub evaluations: Evaluations,
    #[command(flatten)]
    pub bounds: Bounds,
}

/// Run matches between players
///
/// Each PLAYER is an address (`http://host:port`, `host:port`) of a player that speaks the GGP protocol, or
/// one of: `ludex` (this program), `untrained` (the same without --evaluation), `plain` (plain UCT on the reference engine, the measuring stick),
/// `random`, and `human` (moves are read from standard input). A role called `random` is played by chance
/// and takes no player.
///
/// Illegal moves (IL), late ones (TO) and broken connections (CE) are replaced by random legal moves; a player
/// that cannot be reached at the start ends it. With --matches everybody meets everybody so often, taking turns
/// at the roles, and a table closes the answer, also on Ctrl-C. Exit status 1 if a match did not come to its end.
///
/// From a position that is given, players get rules whose initial state it is: nobody needs to know of the moves before.
#[derive(Debug, Args)]
#[command(
    name = "match",
    after_help = "EXAMPLES:
  ludex match tictactoe ludex random
  ludex match connectfour http://localhost:9147 http://localhost:9148 --playclock 1
  ludex match tictactoe ludex plain --matches 4 --playclock 0.1 --threads 1
  ludex match tictactoe localhost:9147 random --scramble --playclock 1 --record matches.json"
)]
pub struct Match {
    #[command(flatten)]
    pub game: GameArgument,
    /// Who plays, in the order of the roles
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<String>,
    /// Seconds until the first move
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub startclock: f64,
    /// Seconds for each move; whole seconds for players at an address
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    pub playclock: f64,
    /// How often each group of players meets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub matches: Option<u32>,
    /// Break matches off after N joint moves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    /// Send the rules with every name replaced by a random word
    #[arg(long)]
    pub scramble: bool,
    /// Append the records of the matches to FILE, in the format of GGP.org servers, one a line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub agent: AgentArguments,
    #[command(flatten)]
    pub evaluations: Evaluations,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct AgentArguments {
    /// Threads that search; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Megabytes for what the search remembers
    #[arg(long, value_name = "MB", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    /// The seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Where the tree of `ludex` values its leaves: `cpu`, or a GPU as `cuda` or `cuda:1`; without one the CPU does
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: Device,
}

/// A name that is one token of the protocol.
fn token(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_graphic() && c != '(' && c != ')';
    if !text.is_empty() && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a name without blanks and parentheses".to_owned())
    }
}
