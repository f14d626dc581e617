//! Plays a bundled game, or the game in a file, at random and prints the moves and the outcome.
//!
//! ```text
//! cargo run --example play_random -- tictactoe 7
//! ```

use ludex::engine::budget::Budget;
use ludex::engine::random::Random;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "tictactoe".to_owned());
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;

    let game = if Path::new(&name).is_file() { ludex::load_file(&name)? } else { ludex::load(&name)? };
    let engine = ludex::engines::AUTO.build(&game, &Budget::default())?;
    let vocabulary = engine.vocabulary().clone();
    let mut worker = engine.worker();
    let mut random = Random::new(seed);

    // A state is a row of bits, one for each fluent that the game can have.
    let mut state = vec![0; vocabulary.words()];
    let mut next = state.clone();
    let mut legal = Vec::new();
    worker.initial(&mut state);
    for step in 1.. {
        if worker.is_terminal(&state)? {
            break;
        }
        let mut joint = Vec::new();
        let mut shown = Vec::new();
        for role in vocabulary.roles() {
            worker.legal(&state, role, &mut legal)?;
            if legal.is_empty() {
                return Err(format!("{} cannot move", vocabulary.show_role(role)).into());
            }
            let chosen = legal[random.below(legal.len())];
            shown.push(format!("{}: {}", vocabulary.show_role(role), vocabulary.show_move(role, chosen)));
            joint.push(chosen);
        }
        println!("{step:3}  {}", shown.join("   "));
        worker.next(&state, &joint, &mut next)?;
        std::mem::swap(&mut state, &mut next);
    }
    for role in vocabulary.roles() {
        println!("{} gets {:?}", vocabulary.show_role(role), worker.goal(&state, role)?);
    }
    Ok(())
}
