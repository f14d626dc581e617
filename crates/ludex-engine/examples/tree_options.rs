//! What passing bindings on, dropping some of them again, and sharing results bring in the interpreter, game
//! by game, in one run.
//!
//! ```text
//! cargo run --release -p ludex-engine --example tree_options -- 2 ../shared/games/checkers.kif ../shared/games/chess.kif
//! ```
//!
//! The first argument is the processor time for each game and configuration, in seconds; the others are
//! sheets. The configurations take turns, so that what else the machine does meets all of them alike. Prints
//! states a second, what the configurations without lose, and the processor time of preparation, as a table
//! in Markdown. With 0 seconds only preparation is measured.

use cpu_time::ThreadTime;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, PlayoutBuffer, Worker};
use ludex_engine::random::Random;
use ludex_engine::tree::{Options, Tree};
use ludex_engine::vocabulary::Vocabulary;
use std::error::Error;
use std::path::Path;

/// Moves of one playout: a game without end is cut.
const MOST_MOVES: usize = 2000;

/// Moves between two looks at the clock: a slow configuration must not keep its turn for a whole match.
const MOVES_AT_A_TIME: usize = 10;

/// How often the configurations take turns.
const TURNS: u32 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().ok_or("seconds, then sheets")?.parse()?;
    println!(
        "| game | s to prepare | of it vocabulary | states/s | without filters | filters bring | none dropped | dropping brings | without sharing | sharing brings |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for path in arguments {
        let game = ludex_gdl::Sheet::read(&std::fs::read_to_string(&path)?)
            .into_game()
            .map_err(|_| format!("{path}: not a sound sheet"))?;
        let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let started = ThreadTime::now();
        Vocabulary::new(&game, &Budget::default())?;
        let vocabulary = started.elapsed().as_secs_f64();
        let started = ThreadTime::now();
        Tree::new(&game, &Budget::default())?;
        let prepared = started.elapsed().as_secs_f64();
        if seconds == 0.0 {
            println!("| {name} | {prepared:.2} | {vocabulary:.2} | | | | | | | |");
            continue;
        }
        let configurations = [
            Options::default(),
            Options { filters: false, ..Options::default() },
            Options { trials: 0, ..Options::default() },
            Options { sharing: false, ..Options::default() },
        ];
        let engines: Vec<Tree> = configurations
            .iter()
            .map(|options| Tree::with_options(&game, *options, &Budget::default()))
            .collect::<Result<_, _>>()?;
        let mut played: Vec<Played> = engines.iter().map(Played::new).collect();
        for _ in 0..TURNS {
            played.iter_mut().for_each(|played| played.play(seconds / f64::from(TURNS)));
        }
        let all = played[0].speed();
        let mut line = format!("| {name} | {prepared:.2} | {vocabulary:.2} | {}", show(all));
        for without in &played[1..] {
            let without = without.speed();
            let gain = match (all, without) {
                (Some(all), Some(without)) => format!("{:+.0} %", (all / without - 1.0) * 100.0),
                _ => String::new(),
            };
            line += &format!(" | {} | {gain}", show(without));
        }
        println!("{line} |");
    }
    Ok(())
}

fn show(speed: Option<f64>) -> String {
    speed.map_or("too large".to_owned(), |speed| format!("{speed:.0}"))
}

/// One configuration at play.
struct Played {
    worker: Box<dyn Worker>,
    random: Random,
    buffer: PlayoutBuffer,
    state: Vec<u64>,
    /// Moves that may still be made before the next match begins.
    left: usize,
    moves: usize,
    seconds: f64,
    /// True once a question was beyond the limits.
    failed: bool,
}

impl Played {
    fn new(engine: &Tree) -> Played {
        Played {
            worker: engine.worker(),
            random: Random::new(1),
            buffer: PlayoutBuffer::default(),
            state: vec![0; engine.vocabulary().words()],
            left: 0,
            moves: 0,
            seconds: 0.0,
            failed: false,
        }
    }

    fn play(&mut self, seconds: f64) {
        let started = ThreadTime::now();
        while started.elapsed().as_secs_f64() < seconds && !self.failed {
            if self.left == 0 {
                self.worker.initial(&mut self.state);
                self.left = MOST_MOVES;
            }
            let most = MOVES_AT_A_TIME.min(self.left);
            let played = self.worker.playout(&mut self.state, most, &mut self.random, &mut self.buffer);
            let Ok(made) = played else {
                self.failed = true;
                break;
            };
            self.moves += made;
            self.left = if made < most { 0 } else { self.left - made };
        }
        self.seconds += started.elapsed().as_secs_f64();
    }

    /// States a second; `None` if a question was beyond the limits.
    fn speed(&self) -> Option<f64> {
        (!self.failed).then(|| self.moves as f64 / self.seconds)
    }
}
