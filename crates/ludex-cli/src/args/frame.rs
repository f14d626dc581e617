//! Arguments of the commands about the frame translation: frame, minimax.

use super::{Allowance, Bounds, Engine, GameArgument, Json, Notation, seconds};
use clap::{Args, ValueEnum};

/// Translate a game so that what does not change costs nothing
///
/// Frame rules (`next` rules that say what stays) are replaced by rules for a relation `fnext` of the fluents
/// that end. A last rule, `next(F) :- true(F), not fnext(F)`, ties both together, so that what is printed is
/// the same game in ordinary GDL, for any system; the engines of Ludex take what ends from the state instead
/// of applying that rule (`ludex minimax --encoding`). A game without frame rules is printed as it is.
///
/// A covering says which combinations of moves get a rule: all (direct), all that are not known to be
/// impossible (pruned), or those that the frame rules of each fluent speak of (relevant).
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex frame tictactoe
  ludex frame nim --covering relevant --as infix
  ludex frame connectfour --covering pruned --prove 10
  ludex frame tictactoe > translated.kif && ludex perft translated.kif --depth 3")]
pub struct Frame {
    #[command(flatten)]
    pub game: GameArgument,
    /// Which combinations of moves get a rule
    #[arg(long, value_name = "COVERING", default_value = "pruned")]
    pub covering: Covering,
    /// Let the prover look for S seconds for more impossible moves, in states before the end
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub prove: Option<f64>,
    /// The notation to write
    #[arg(long = "as", value_name = "NOTATION", default_value = "kif")]
    pub notation: Notation,
    #[command(flatten)]
    pub allowance: Allowance,
}

/// Which combinations of moves a translation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Covering {
    /// Every combination of the names of moves
    Direct,
    /// The same without those that are known to be impossible
    Pruned,
    /// Only the roles and moves that the frame rules of a fluent mention
    Relevant,
}

/// Search a game tree in full
///
/// Visits every state down to a depth, without memory and without cuts: the measuring stick for encodings and
/// engines. Prints the number of states from depth 0 on, each way to reach one counted, the seconds of
/// processor time that the search took, and the value for the first role if all others are against it, where
/// the depth decides it.
///
/// An encoding is the way in which the successor is computed: by the rules as they are, or by the rules that
/// `ludex frame` makes of them with one of its coverings; `auto` measures for a moment and takes the faster.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex minimax tictactoe --depth 9
  ludex minimax tictactoe --depth 9 --ignore-terminal --engine datalog --encoding pruned
  ludex minimax connectfour --depth 4 --encoding auto --json")]
pub struct Minimax {
    #[command(flatten)]
    pub game: GameArgument,
    /// How many joint moves deep
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub depth: u16,
    /// How successors are written down
    #[arg(long, value_name = "ENCODING", default_value = "original")]
    pub encoding: EncodingChoice,
    /// Expand terminal states like any other, as long as every role has a legal move there
    #[arg(long, conflicts_with = "prove")]
    pub ignore_terminal: bool,
    /// Let the prover look for S seconds for more impossible moves; what it proves holds before the end only
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub prove: Option<f64>,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub allowance: Allowance,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

/// An encoding, or the choice of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingChoice {
    /// The rules as they are
    Original,
    /// Translated, every combination of moves
    Direct,
    /// Translated, combinations known to be impossible left out
    Pruned,
    /// Translated, only the moves that matter to each fluent
    Relevant,
    /// The faster of original and translated, by measurement
    Auto,
}
