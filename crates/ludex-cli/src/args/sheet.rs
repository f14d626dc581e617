//! Arguments of the commands about sheets: check, print, debug, games, lsp.

use super::{Allowance, Device, GameArgument, Json, seconds};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Find out whether the rules of a game have a meaning
///
/// Draws every finding with its place and a hint, and closes with a summary line for each game. Errors
/// are findings that leave the rules without a meaning; warnings break the letter of the specification, or say what can
/// hardly be meant. With --deep the game is also played at random, and what is likely wrong with its meaning is told:
/// guesses, each with the rule and the moves that show it. Exit status 1 if there is an error; 2 if a sheet is not
/// there, after all others.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex check tictactoe
  ludex print nim > mygame.kif && ludex check mygame.kif --json
  ludex check mygame.kif tictactoe reversi
  ludex check nim --deep --time 1
  ludex check mygame.kif --deep --fix
  ludex print nim --as infix | ludex check -")]
pub struct Check {
    /// Rule sheets: files, `-`, or names of bundled games
    #[arg(value_name = "GAME", required = true)]
    pub games: Vec<PathBuf>,
    /// Play at random, and tell what is likely wrong with the meaning
    #[arg(long)]
    pub deep: bool,
    /// The most seconds for --deep, for each game
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds, requires = "deep")]
    pub time: f64,
    /// Show the suggested repairs as a patch
    #[arg(long, conflicts_with = "json")]
    pub fix: bool,
    /// Write what --fix shows into the files
    #[arg(long, requires = "fix")]
    pub write: bool,
    #[command(flatten)]
    pub json: Json,
}

/// Write the rules of a game in another notation
///
/// KIF and infix keep the shape of the sheet (clauses, `or`, `not`, names), not its comments and layout.
/// What is printed reads back as the same rules. ASP is for answer-set solvers such as clingo: the rules
/// with disjunctions split, without a state or moves. AIGER is for model checkers and circuit tools: the
/// propositional network, with an input for each move, a latch for each fluent, and a symbol table.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex print tictactoe --as infix
  ludex print nim --as asp > nim.lp
  ludex print nim --as aiger > nim.aag
  ludex print connectfour --as kif --rules")]
pub struct Print {
    #[command(flatten)]
    pub game: GameArgument,
    /// The notation to write
    #[arg(long = "as", value_name = "NOTATION", default_value = "kif")]
    pub target: Target,
    /// Print the rules as the engines see them: disjunctions split, negation in front of atoms only
    #[arg(long)]
    pub rules: bool,
    #[command(flatten)]
    pub allowance: Allowance,
}

/// What to print a game as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Prefix notation with parentheses
    Kif,
    /// Prolog-like notation
    Infix,
    /// A program for answer-set solvers
    Asp,
    /// The network as an and-inverter graph, ASCII
    Aiger,
}

/// A notation to print rules in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// Prefix notation with parentheses
    Kif,
    /// Prolog-like notation
    Infix,
    /// A program for answer-set solvers
    Asp,
}

/// Show what Ludex makes of a sheet on the way to an engine
///
/// The forms are for reading, not for programs: they may change from version to version.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex debug tree tictactoe
  ludex debug strata tictactoe
  ludex debug domains tictactoe --full")]
pub struct Debug {
    #[command(subcommand)]
    pub form: Form,
    #[command(flatten)]
    pub allowance: Allowance,
}

/// A form on the way.
#[derive(Debug, Subcommand)]
pub enum Form {
    /// The syntax tree with the place of every node; also for sheets with errors
    #[command(after_help = "EXAMPLES:\n  ludex debug tree tictactoe")]
    Tree(GameArgument),
    /// The interned rules, numbered, with the clause that each comes from
    #[command(after_help = "EXAMPLES:\n  ludex debug rules tictactoe")]
    Rules(GameArgument),
    /// The order in which the rules are applied, and which of them are recursive
    #[command(after_help = "EXAMPLES:\n  ludex debug strata tictactoe")]
    Strata(GameArgument),
    /// What each argument can hold, and the vocabulary of fluents and moves
    #[command(after_help = "EXAMPLES:
  ludex debug domains tictactoe
  ludex debug domains tictactoe --full")]
    Domains {
        #[command(flatten)]
        game: GameArgument,
        /// List all fluents and moves
        #[arg(long)]
        full: bool,
    },
    /// The size of the propositional network after each step of its making, and of its parts
    #[command(after_help = "EXAMPLES:
  ludex debug propnet tictactoe
  ludex debug propnet breakthrough
  ludex debug propnet tictactoe --dot > tictactoe.dot")]
    Propnet {
        #[command(flatten)]
        game: GameArgument,
        /// Write the network as a graph for Graphviz instead; for small games
        #[arg(long)]
        dot: bool,
    },
    /// Where the time of a batch of 512 games goes: gates, choice of moves, the rest
    #[command(after_help = "EXAMPLES:
  ludex debug lanes tictactoe
  ludex debug lanes breakthrough")]
    Lanes {
        #[command(flatten)]
        game: GameArgument,
        /// For a GPU (`cuda`): how the game is written for it, and what a pass costs
        #[arg(long, value_name = "DEVICE", default_value = "cpu")]
        device: Device,
    },
    /// The OR-AND tree of the engine `tree`, with what each node was asked in a few moves of play
    #[command(after_help = "EXAMPLES:\n  ludex debug proofs tictactoe")]
    Proofs(GameArgument),
}

/// List the bundled games
///
/// Their names can stand wherever a command asks for a GAME.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex games
  ludex games --json
  ludex print tictactoe --as kif")]
pub struct Games {
    #[command(flatten)]
    pub json: Json,
}

/// Help an editor with rule sheets: a language server over standard input and output
///
/// An editor starts it and speaks the Language Server Protocol with it: the findings of `ludex check` while typing,
/// what a name is, where it is defined and used, renaming, completion, outline, colours, folding and
/// formatting. docs/editors.md has the settings of some editors. Ends with the stream, or when the editor
/// says so: exit status 0 after an orderly end, else 1.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex lsp < /dev/null || echo the editor went away")]
pub struct Lsp {}
