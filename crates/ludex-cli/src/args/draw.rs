//! The arguments of `ludex draw`.

use super::{Allowance, Bounds, GameArgument, Json, Position};
use clap::Args;
use std::path::PathBuf;

/// Draw a position of a game, as text or as a picture
///
/// Boards are found from the rules alone. Without -o the position is written as text; with it an SVG file
/// is made, which follows light and dark. A record gives an animated picture of its first match.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex draw tictactoe
  ludex draw tictactoe --moves 'mark 2 2; mark 1 1' -o board.svg
  ludex draw tictactoe --state \"(cell 1 1 x) (control o)\"
  ludex simulate nim --json > nim.jsonl && ludex draw nim --record nim.jsonl -o nim.svg
  ludex draw reversi --layout --json")]
pub struct Draw {
    #[command(flatten)]
    pub game: GameArgument,
    /// Draw the first match of a record, state by state
    #[arg(long, value_name = "FILE", conflicts_with_all = ["state", "moves", "layout"])]
    pub record: Option<PathBuf>,
    /// Say which boards were found, and how moves are entered by clicks
    #[arg(long, conflicts_with_all = ["output", "state", "moves"])]
    pub layout: bool,
    /// Write a picture (SVG) to this file, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}
