//! Boards of real games: against what people drew, with scrambled names, and against rules that are up to no good.

mod geometry;
mod kinds;
mod scenes;
mod scrambled;

use ludex_board::Drawing;
use ludex_engine::budget::Budget;
use ludex_engine::prepared::{Interpreter, Prepared};
use ludex_engine::vocabulary::Vocabulary;
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::Encoding;
use std::sync::Arc;

/// The drawing of a game, its vocabulary and its initial state.
fn drawing(game: Game) -> (Drawing, Arc<Vocabulary>, Vec<u64>) {
    let budget = Budget::default();
    let prepared = Prepared::new(game);
    let engine =
        prepared.interpreter(Interpreter::Tree, Encoding::Original, &budget).expect("an interpreter");
    let vocabulary = engine.vocabulary().clone();
    let mut state = vec![0; vocabulary.words()];
    engine.worker().initial(&mut state);
    let drawing = Drawing::find(&vocabulary, &state, &budget).expect("within the default budget");
    (drawing, vocabulary, state)
}
