//! Plays a game at random and prints the moves and the outcome. A game is a bundled name or a file.
//!
//! ```text
//! cargo run --release --example play_random -- tictactoe 7
//! ```

use ludex::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let source = arguments.next().unwrap_or_else(|| "tictactoe".to_owned());
    let mut random = Random::new(arguments.next().map_or(Ok(1), |text| text.parse())?);

    let mut play = Game::load(&source)?.start()?;
    while play.play_random(&mut random)? {
        let last = play.history().pop().unwrap_or_default();
        println!("{:3}  {}", play.step(), last.join("   "));
    }
    print!("{}", play.draw());
    for (role, goal) in play.roles().iter().zip(play.goals()) {
        println!("{role} gets {}", goal.map_or("nothing".to_owned(), |goal| goal.to_string()));
    }
    Ok(())
}
