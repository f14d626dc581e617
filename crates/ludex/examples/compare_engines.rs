//! Lets every engine count the paths of every bundled game and play it at random.
//!
//! ```text
//! cargo run --release --example compare_engines -- 3
//! ```

use ludex::prelude::*;
use ludex::{engines, games};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let depth: usize = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    println!("{:18} {:10} {:>12} {:>12}", "game", "engine", "paths", "states/s");
    for bundled in games::ALL {
        let mut counts = Vec::new();
        for choice in engines::ALL {
            let game = Game::load(bundled.name)?.with_engine(choice.name)?;
            let paths = match game.perft(depth) {
                Ok(paths) => paths,
                // An engine may decline a game; the others go on.
                Err(error) => {
                    println!("{:18} {:10} {error}", bundled.name, choice.name);
                    continue;
                }
            };
            let started = Instant::now();
            let outcomes = game.playouts(100).run()?;
            let speed = outcomes.moves as f64 / started.elapsed().as_secs_f64();
            println!("{:18} {:10} {paths:12} {speed:12.0}", bundled.name, choice.name);
            counts.push(paths);
        }
        if counts.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(format!("the engines disagree about {}: {counts:?}", bundled.name).into());
        }
    }
    Ok(())
}
