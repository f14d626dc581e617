//! Arguments of the commands that fit Ludex into a system: completions, man.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// Write the completions of a shell
///
/// Prints a script that teaches the shell the commands, options and values of `ludex`. Where it goes depends
/// on the shell: a folder of completions, or a line of its start file such as `source <(ludex completions bash)`.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex completions bash > ludex.bash
  ludex completions zsh > _ludex
  ludex completions fish > ludex.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Write the manual pages
///
/// With DIR, one page for each command goes there (`ludex.1`, `ludex-check.1`, ...); without, the page of `ludex`
/// itself is printed. DIR is made if it is not there.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex man > ludex.1
  ludex man man1")]
pub struct Man {
    /// The folder for the pages
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}
