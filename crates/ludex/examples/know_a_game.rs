//! Tells what can be known of a game: what holds in it, how random matches end, and, if it is small, who wins.
//!
//! ```text
//! cargo run --release --example know_a_game -- nim
//! ```

use ludex::prelude::*;
use std::time::Duration;

fn main() -> ludex::Result<()> {
    let source = std::env::args().nth(1).unwrap_or_else(|| "nim".to_owned());
    let game = Game::load(&source)?;
    for statement in game.facts().time(Duration::from_secs(5)).run()?.statements {
        println!("{}", statement.text);
    }
    for property in ["terminates", "weakly-winnable"] {
        println!("{}", game.prove(property).time(Duration::from_secs(5)).run()?);
    }
    for outcome in game.playouts(10_000).run()?.roles {
        println!("{} gets {:.1} at random", outcome.role, outcome.mean().unwrap_or(f64::NAN));
    }
    match game.solve().states(1_000_000).run() {
        Ok(solved) => solved.roles.iter().for_each(|role| println!("{role}: {}", role.moves.join(" or "))),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
