//! Two ways to search against each other at equal processor time, all in one thread.
//!
//! cargo run --release -p ludex-search --example duel -- SIDE SIDE [--matches N] [--milliseconds N | --iterations N]
//! [--learn SECONDS] [--opening N] GAME...
//!
//! GAME is a sheet or the name of a bundled game. A SIDE is words joined by commas: `tree`, or `counts`, `ranks`, `cells`, `pairs`
//! (principal variation search by an evaluation of that detail, learnt for so many seconds before the matches from random games,
//! with a `2` behind it from games of a second round for as long again, and so on), or `chosen` (what the agent finds best in so
//! many seconds), then what is changed of its settings: `exploration=X`, `transpositions=0`, `ends=X`, `lanes`, `quiescence=0`, `trees=N` (trees of
//! their own, each with the whole time, as threads have them), `effort=N` (so many times the time), `file=FILE` (principal
//! variation search by what `ludex train` has kept). Matches come in
//! pairs that begin with the same random moves and change roles. Told are the points of the first side, in parts of all
//! points where goals add up, else its mean goal, with a 95 % interval over the pairs; `tree tree` is the null match.

use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::{Propnet, lanes::Lanes};
use ludex::engine::random::Random;
use ludex::gdl::{Game, Sheet};
use ludex_search::clock::Clock;
use ludex_search::evaluation::{Detail, Evaluation, Experience, Trained};
use ludex_search::learning::{Time, learn};
use ludex_search::trial::{Effort, Match, Method, Side};
use std::sync::Arc;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

struct Options {
    matches: u64,
    effort: Effort,
    learn: f64,
    opening: usize,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let sides = [arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default()];
    let mut options =
        Options { matches: 20, effort: Effort::Processor(Duration::from_millis(25)), learn: 1.0, opening: 2 };
    let mut games = Vec::new();
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).ok_or("a number is missing");
        match word.as_str() {
            "--matches" => options.matches = number()?,
            "--iterations" => options.effort = Effort::Iterations(number()?),
            "--milliseconds" => options.effort = Effort::Processor(Duration::from_millis(number()?)),
            "--learn" => options.learn = arguments.next().ok_or("seconds are missing")?.parse()?,
            "--opening" => options.opening = number()? as usize,
            _ => games.push(word),
        }
    }
    if games.is_empty() {
        return Err("duel SIDE SIDE GAME...: the first lines of examples/duel.rs say what there is".into());
    }
    for name in games {
        let short = name.rsplit('/').next().unwrap_or(&name).trim_end_matches(".kif").to_owned();
        let game = load(&name)?;
        let engine = Propnet::new(&game, &Budget::default())?;
        println!("{short}: {}", duel(&game, &engine, &sides, &options)?);
    }
    Ok(())
}

fn load(name: &str) -> Result<Game, Failure> {
    if let Ok(game) = ludex::load(name) {
        return Ok(game);
    }
    let sheet = Sheet::read(&std::fs::read_to_string(name)?);
    sheet.into_game().map_err(|findings| format!("{name}: {} findings", findings.len()).into())
}

fn duel(game: &Game, engine: &Propnet, words: &[String; 2], options: &Options) -> Result<String, Failure> {
    let mut worker = engine.worker();
    let mut initial = vec![0; engine.vocabulary().words()];
    worker.initial(&mut initial);
    let lanes = Arc::new(Lanes::new(engine.net(), &initial, &Budget::default())?);
    let mut school =
        School { game, engine, lanes: lanes.clone(), initial, learnt: Vec::new(), seconds: options.learn };
    let mut sides = Vec::new();
    for word in words {
        sides.push(school.side(word, &mut *worker)?);
    }
    let mut pairs = Vec::new();
    for pair in 0..options.matches.div_ceil(2) {
        let mut points = 0.0;
        for places in [[0, 1], [1, 0]] {
            let played = Match {
                effort: options.effort,
                opening: options.opening,
                seed: pair + 1,
                lanes: Some(&lanes),
            };
            let goals = played.play(&mut *worker, &sides, &places, &mut || false)?.unwrap_or_default();
            points += f64::from(goals[places[0]]) / 2.0;
        }
        pairs.push(points);
    }
    let n = pairs.len() as f64;
    let mean = pairs.iter().sum::<f64>() / n;
    let variance = pairs.iter().map(|points| (points - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let told = sides.iter().find_map(|side| match &side.method {
        Method::Pvs(evaluation) => Some(evaluation.describe()),
        Method::Tree => None,
    });
    let told = told.map_or(String::new(), |told| format!("\n    {told}"));
    Ok(format!("{mean:.1} +- {:.1} in {} matches{told}", 1.96 * (variance / n).sqrt(), 2.0 * n))
}

/// Where sides learn.
struct School<'e> {
    game: &'e Game,
    engine: &'e Propnet,
    lanes: Arc<Lanes>,
    initial: Vec<u64>,
    /// The games of each round.
    learnt: Vec<Experience>,
    seconds: f64,
}

impl School<'_> {
    /// What is learnt from games of a round, which go by what was learnt of ranks in the round before.
    fn evaluation(
        &mut self,
        worker: &mut dyn Worker,
        detail: Detail,
        round: usize,
    ) -> Result<Evaluation, Failure> {
        if self.learnt.len() < round {
            let guide = match round {
                1 => None,
                _ => Some(self.evaluation(worker, Detail::Ranks, round - 1)?),
            };
            let mut experience = Experience::default();
            let clock = Clock::processor(Duration::from_secs_f64(self.seconds));
            let mut random = Random::new(round as u64);
            experience.gather(worker, &self.initial, guide.as_ref(), 20_000, &mut random, &mut || {
                clock.is_over()
            })?;
            println!("    round {round}: {} games", experience.games());
            self.learnt.push(experience);
        }
        let learnt = Evaluation::learn(worker, &self.learnt[round - 1], detail, &mut || false);
        learnt.ok_or_else(|| "nothing was learnt".into())
    }

    /// The evaluation that a word names.
    fn evaluation_of(&mut self, word: &str, worker: &mut dyn Worker) -> Result<Arc<Evaluation>, Failure> {
        let (detail, round) = kind(word).ok_or_else(|| format!("`{word}` is no evaluation"))?;
        Ok(Arc::new(self.evaluation(worker, detail, round)?))
    }

    fn side(&mut self, words: &str, worker: &mut dyn Worker) -> Result<Side, Failure> {
        let mut side = Side::default();
        for word in words.split(',') {
            let (name, value) = word.split_once('=').unwrap_or((word, "1"));
            match name {
                _ if kind(name).is_some() => side.method = Method::Pvs(self.evaluation_of(name, worker)?),
                "tree" => {}
                "chosen" => {
                    let time = Time::processor(Duration::from_secs_f64(self.seconds));
                    let lanes = self.lanes.clone();
                    let found = learn(self.engine, &mut || Some(lanes.clone()), &side.tree, None, 1, &time)?;
                    if let Some((found, notes)) = found {
                        side = found;
                        notes.iter().for_each(|note| println!("    {note}"));
                    }
                }
                "lanes" => side.lanes = true,
                "transpositions" => side.tree.transpositions = value != "0",
                "exploration" => side.tree.exploration = value.parse()?,
                "ends" => side.tree.ends = value.parse()?,
                "trees" => side.more_trees = value.parse::<usize>()?.saturating_sub(1),
                "effort" => side.more_effort = value.parse::<u32>()?.saturating_sub(1),
                "file" => {
                    let trained = Trained::read(value.as_ref())?;
                    let evaluation = trained.evaluation(&self.game.rules, worker.vocabulary())?;
                    side.method = Method::Pvs(Arc::new(evaluation));
                }
                "quiescence" => side.pvs.quiescence = value != "0",
                _ => return Err(format!("`{word}` is no setting of a side").into()),
            }
        }
        Ok(side)
    }
}

/// The detail and the round of an evaluation.
fn kind(word: &str) -> Option<(Detail, usize)> {
    let (method, round) = match word.strip_suffix(|digit: char| digit.is_ascii_digit()) {
        Some(method) => (method, word[method.len()..].parse().ok()?),
        None => (word, 1),
    };
    let detail = Detail::read(method)?;
    Some((detail, round))
}
