//! Arguments of prove.

use super::{Bounds, GameArgument, Json, Position, seconds};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Prove or refute what should hold in every state of a game
///
/// FORMULA is a formula in infix notation, or a named property: turn-taking, control, playable, unique-goals,
/// constant-sum, terminates, weakly-winnable, well-formed, persistence(FLUENT), functional(FLUENT),
/// can-force(ROLE, goal >= VALUE), can-force(ROLE, FORMULA), both perhaps `within N`, and fair. What holds
/// comes with a certificate that was checked; what fails comes with a line of play that was replayed.
/// --discover finds by itself what is worth knowing, and proves it.
///
/// --repair looks for changes of one rule that make a property hold which fails.
///
/// From a position that is given, the question is what holds in every state that play can reach from there.
///
/// Exit status 0 if all properties hold, 1 if one fails or is not decided within the limits.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex prove tictactoe turn-taking control 'persistence(not cell(_,_,b))'
  ludex prove connectfour4x4 well-formed
  ludex prove tictactoe 'forall X, Y: true(cell(X,Y,x)) => next true(cell(X,Y,x))' --time 10
  ludex prove tictactoe --discover
  ludex prove tictactoe fair 'can-force(x, true(cell(2,2,x))) within 1' 'can-force(o, goal >= 50)'
  ludex prove tictactoe 'not true(cell(1,1,b))' --moves 'mark 1 1'
  ludex prove tictactoe playable --emit asp")]
pub struct Prove {
    #[command(flatten)]
    pub game: GameArgument,
    /// Formulas and named properties
    #[arg(value_name = "FORMULA", required_unless_present = "discover")]
    pub formulas: Vec<String>,
    /// Find what is worth knowing, and prove it
    #[arg(long)]
    pub discover: bool,
    /// What decides: the built-in SAT procedures, or clingo on the programs that --emit asp prints
    #[arg(long, value_name = "B", default_value = "sat", conflicts_with = "discover")]
    pub backend: Backend,
    /// Print the programs of base case and induction step instead of deciding
    #[arg(long, value_name = "NOTATION", conflicts_with = "discover")]
    pub emit: Option<Emit>,
    /// The clingo program; by default the one on the path
    #[arg(long, value_name = "FILE", default_value = "clingo")]
    pub clingo: PathBuf,
    /// Write the strategy of `can-force`, or what the others play against it, to this file; of several the last
    #[arg(long, value_name = "FILE")]
    pub strategy: Option<PathBuf>,
    /// Where a property fails, search for changes of one rule after which it holds, each proved before it is shown
    #[arg(long, conflicts_with_all = ["discover", "emit", "state", "moves"])]
    pub repair: bool,
    /// Time for each property, and for the whole of --discover, with compiling the game, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub time: f64,
    /// Memory that it may take in all, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Induction and property-directed reachability on the propositional network
    Sat,
    /// Induction by an answer-set solver
    Asp,
}

/// A notation for the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// Programs for clingo
    Asp,
}
