//! Lets every engine count the paths of every bundled game and measure its random play.
//!
//! ```text
//! cargo run --release --example compare_engines -- 3
//! ```

use ludex::engine::budget::Budget;
use ludex::engine::engine::PlayoutBuffer;
use ludex::engine::perft::perft;
use ludex::engine::random::Random;
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let depth: usize = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    println!("{:18} {:10} {:>12} {:>12}", "game", "engine", "paths", "states/s");
    for bundled in ludex::games::ALL {
        let game = ludex::load(bundled.name)?;
        let mut counts = Vec::new();
        for choice in ludex::engines::ALL {
            let engine = match choice.build(&game, &Budget::default()) {
                Ok(engine) => engine,
                // An engine may decline a game; the others go on.
                Err(error) => {
                    println!("{:18} {:10} {error}", bundled.name, choice.name);
                    continue;
                }
            };
            let mut worker = engine.worker();
            let paths = perft(&mut *worker, depth)?;

            let (mut random, mut buffer) = (Random::new(1), PlayoutBuffer::default());
            let mut state = vec![0; engine.vocabulary().words()];
            let mut made = 0;
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(100) {
                worker.initial(&mut state);
                made += worker.playout(&mut state, 1000, &mut random, &mut buffer)?;
            }
            let speed = made as f64 / started.elapsed().as_secs_f64();
            println!("{:18} {:10} {paths:12} {speed:12.0}", bundled.name, choice.name);
            counts.push(paths);
        }
        if counts.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(format!("the engines disagree about {}: {counts:?}", bundled.name).into());
        }
    }
    Ok(())
}
