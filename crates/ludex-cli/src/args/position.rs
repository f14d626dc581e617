//! Where play begins: what the commands that play, count, solve and prove share.

use clap::Args;

/// A position of a game. Without any of it a game begins where its rules say.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Position")]
pub struct Position {
    /// Begin in this state instead of the initial one: fluents in either notation one after the other, or a list of
    /// them in JSON as other commands print it; `-` reads it from standard input
    #[arg(long, value_name = "STATE", allow_hyphen_values = true)]
    pub state: Option<String>,
    /// Make these joint moves first, separated by `;`: each the move of the one role that has a choice, or a move for
    /// every role in the order of the roles; or a list in JSON of such moves or of lists of them
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub moves: Option<String>,
}

impl Position {
    /// True if the game begins where its rules say.
    pub fn is_initial(&self) -> bool {
        self.state.is_none() && self.moves.is_none()
    }
}
