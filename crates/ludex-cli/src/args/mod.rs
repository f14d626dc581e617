//! What can be typed after `ludex`.

mod draw;
mod endgame;
mod engine;
mod frame;
mod playing;
mod position;
mod prove;
mod sheet;
mod shell;
mod stats;
mod training;
#[cfg(feature = "web")]
mod web;

pub use draw::Draw;
pub use endgame::{
    Cluster, ClusterAction, ClusterPlan, Count, Endgame, EndgameAction, EndgameBuild, EndgameInfo,
    EndgameQuery, Solve,
};
pub use engine::{Bench, Device, Perft, Replay, Simulate};
pub use frame::{Covering, EncodingChoice, Frame, Minimax};
pub use playing::{AgentArguments, Match, Play, Player};
pub use position::Position;
pub use prove::{Backend, Prove};
pub use sheet::{Check, Debug, Form, Games, Lsp, Notation, Print, Target};
pub use shell::{Completions, Man};
pub use stats::Stats;
pub use training::{Evaluations, Train};
#[cfg(feature = "web")]
pub use web::Web;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use ludex::engine::budget::Budget;
use ludex::engines::{self, Choice};
use ludex::gdl::rewrite::fnext::Encoding;
use std::path::PathBuf;
use std::time::Duration;

/// General Game Playing: give it the rules of any game.
///
/// Ludex reads games in the Game Description Language (GDL), in KIF or in infix notation, checks them,
/// and computes states, legal moves and outcomes. GAME is a file, `-` for standard input, or the name of
/// a bundled game (`ludex games`).
///
/// Exit status: 0 for yes or done, 1 for no or failed, 2 for misuse, 130 after Ctrl-C.
#[derive(Debug, Parser)]
#[command(
    name = "ludex",
    version,
    max_term_width = 100,
    after_help = "EXAMPLES:
  ludex simulate tictactoe
  ludex play connectfour
  ludex prove tictactoe --discover
  ludex print nim > mygame.kif && ludex check mygame.kif"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Check),
    Print(Print),
    Perft(Perft),
    Simulate(Simulate),
    Draw(Draw),
    Replay(Replay),
    Bench(Bench),
    Stats(Stats),
    Train(Train),
    Prove(Prove),
    Play(Play),
    Player(Player),
    Match(Match),
    #[cfg(feature = "web")]
    Web(Web),
    Frame(Frame),
    Minimax(Minimax),
    Endgame(Endgame),
    Solve(Solve),
    Count(Count),
    Cluster(Cluster),
    Debug(Debug),
    Games(Games),
    Lsp(Lsp),
    Completions(Completions),
    Man(Man),
}

#[derive(Debug, Args)]
pub struct GameArgument {
    /// The rule sheet: a file, `-` for standard input, or the name of a bundled game
    #[arg(value_name = "GAME")]
    pub game: PathBuf,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Json {
    /// Answer in JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Engine {
    /// The engine that computes
    #[arg(long, value_name = "E", default_value = engines::AUTO.name, value_parser = engine_names())]
    pub engine: Choice,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Bounds {
    /// Rows that an engine may try for one question about a state, or for one stage of its building;
    /// two billion by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub most_steps: Option<u64>,
}

impl Bounds {
    /// The budget of an engine.
    pub fn budget(self) -> Budget {
        let usual = Budget::default();
        let steps = self.most_steps.unwrap_or(usual.steps());
        usual.with_steps(steps)
    }
}

/// What a command may take in all.
#[derive(Clone, Copy, Debug, Args)]
pub struct Allowance {
    /// Give up after S seconds, with reading the sheet and building the engine; no limit by default
    #[arg(long, global = true, value_name = "S", value_parser = seconds)]
    pub time: Option<f64>,
    /// Give up where it takes more than so many megabytes; no limit by default
    #[arg(long, global = true, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: Option<u32>,
}

impl Allowance {
    /// The budget of a command that begins now, with the bounds of its engine.
    pub fn budget(self, bounds: Bounds) -> Budget {
        self.of(bounds.budget())
    }

    /// The budget of a command that begins now and has no other bounds.
    pub fn alone(self) -> Budget {
        self.of(Budget::default())
    }

    fn of(self, budget: Budget) -> Budget {
        let mut budget = budget;
        if let Some(time) = self.time {
            budget = budget.within(Duration::from_secs_f64(time));
        }
        if let Some(memory) = self.memory {
            budget = budget.with_resident(megabytes(memory));
        }
        budget
    }
}

/// Megabytes as bytes.
pub fn megabytes(count: u32) -> usize {
    (count as usize) << 20
}

fn engine_names() -> impl TypedValueParser<Value = Choice> {
    let names = engines::ALL.iter().map(|choice| PossibleValue::new(choice.name).help(choice.about));
    // The parser lets only known names through.
    PossibleValuesParser::new(names).map(|name| engines::find(&name).unwrap_or(engines::AUTO))
}

fn encoding_names() -> impl TypedValueParser<Value = Encoding> {
    let find = |name: String| Encoding::ALL.into_iter().find(|encoding| encoding.name() == name);
    // The parser lets only known names through.
    PossibleValuesParser::new(Encoding::ALL.map(Encoding::name))
        .map(move |name| find(name).unwrap_or(Encoding::Original))
}

pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("a number of seconds above 0, at most a million".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
