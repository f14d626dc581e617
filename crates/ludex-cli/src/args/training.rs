//! Arguments of train, and of the commands that play by what was trained.

use super::{Bounds, GameArgument, Json};
use crate::status::Misuse;
use anyhow::{Context, Result};
use clap::Args;
use ludex::gdl::rules::Rules;
use ludex::search::evaluation::Trained;
use std::path::PathBuf;
use std::sync::Arc;

/// Learn to judge the states of a game by playing it
///
/// Begins with what random games teach, then plays rounds of games against itself, fits what states are worth to
/// what came of them, and keeps a new evaluation if it beats the one before at equal numbers of states. FILE is
/// replaced after every round, as a whole, so what was learnt by then is never lost: --resume goes on from it, also
/// after a crash. Each round is a line: games, how well outcomes of other games are foretold, and the points
/// against what was known before the first round.
///
/// For games of two roles that have a network. `play`, `player`, `match` and `web` take FILE with --evaluation. The
/// same seed and number of rounds give the same evaluation, if --time does not end it before.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex train connectfour4x4 --rounds 2 --games 50 -o four.eval --plot curve.svg
  ludex train connectfour4x4 --resume --rounds 1 --time 1h -o four.eval
  ludex match connectfour4x4 ludex untrained --playclock 0.1 --evaluation four.eval")]
pub struct Train {
    #[command(flatten)]
    pub game: GameArgument,
    /// The file to keep what was learnt in
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Go on with the training in FILE; without it a file that is there is not touched
    #[arg(long)]
    pub resume: bool,
    /// Train for so long: seconds, or with a unit: 90s, 10m, 2h
    #[arg(long, value_name = "T", default_value = "10m", value_parser = span)]
    pub time: f64,
    /// End after so many rounds of this run, if the time is not over before
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: Option<u32>,
    /// Games of a round
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub games: u64,
    /// Draw the learning curve as an SVG picture
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Threads that play; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// The seed of all random choices; a training that goes on has the one it began with
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub bounds: Bounds,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Clone, Debug, Args)]
pub struct Evaluations {
    /// Judge states by what `ludex train` has learnt, if a trial shows that it plays better so; more than one file, for
    /// different games, with the option repeated
    #[arg(long = "evaluation", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

impl Evaluations {
    /// What is in the files. Where the rules of the only game to be played are given, they must be made for those.
    pub fn read(&self, rules: Option<&Rules>) -> Result<Vec<Arc<Trained>>> {
        let read = |path: &PathBuf| {
            let shown = path.display();
            let trained =
                Trained::read(path).map_err(|error| Misuse(format!("`{shown}` is not read: {error}")))?;
            if let Some(rules) = rules {
                trained.check(rules).with_context(|| format!("`{shown}` is of no use here"))?;
            }
            Ok(Arc::new(trained))
        };
        self.files.iter().map(read).collect()
    }
}

/// A span of time in seconds, minutes or hours.
fn span(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, text.as_bytes().last()),
        None => (text, None),
    };
    let factor = match unit {
        Some(b'h') => 3600.0,
        Some(b'm') => 60.0,
        _ => 1.0,
    };
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number * factor <= 1e7 => Ok(number * factor),
        _ => Err("a time above 0, such as 90, 90s, 10m or 2h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn times_have_units() {
        assert_eq!(["90", "90s", "1.5m", "2h"].map(span), [Ok(90.0), Ok(90.0), Ok(90.0), Ok(7200.0)]);
        assert!(
            ["", "m", "-1", "0", "nan", "1d", "1e300", "inf", "5 m"].iter().all(|text| span(text).is_err())
        );
    }
}
