//! Arguments of `ludex web`.

use super::Evaluations;
use clap::Args;
use std::net::IpAddr;
use std::path::PathBuf;

/// See, play, understand and write games in a browser
///
/// Serves a page and prints its address, which has a token in it: open it once, and a cookie lets this browser in.
/// Bundled games, those of a folder, and sheets that are pasted or dropped can be played against Ludex, by several
/// people at one page, or watched; asked about; and written, with the board beside the rules.
///
/// Matches live in the server, so that tabs share them and a reload resumes; they are kept in a folder, and are there
/// again when the server is started again. It is reached from this machine only, unless --bind says otherwise. Runs
/// until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex web
  ludex web connectfour --port 9148
  ludex web --games . --keep matches")]
pub struct Web {
    /// The game to open first: a file, or the name of a bundled game
    #[arg(value_name = "GAME")]
    pub game: Option<PathBuf>,
    /// The port; 0 takes a free one, which is shown
    #[arg(long, value_name = "PORT", default_value_t = 9080)]
    pub port: u16,
    /// A folder of rule sheets (.kif, .gdl) to offer beside the bundled games
    #[arg(long, value_name = "FOLDER")]
    pub games: Option<PathBuf>,
    /// The folder in which matches and pasted sheets are kept; by default ludex/web in the folder that the system has
    /// for the state of programs
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// A database of a game for those who play it: a file of `endgame build` or a folder of `solve --store`; may be given
    /// again for other games
    #[arg(long, value_name = "PATH")]
    pub solved: Vec<PathBuf>,
    /// The token, 16 or more letters, digits and dashes; a random one each time by default
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// The address to listen at; others than the default can be reached by whoever is on the network, without
    /// encryption, so they need --token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    #[command(flatten)]
    pub evaluations: Evaluations,
}
