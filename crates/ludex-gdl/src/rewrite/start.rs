//! The same rules, begun in another state.
//!
//! Whatever is asked of the rules that come out, by whatever engine, solver or player, is asked of the game from that
//! state on: what cannot be reached from there is no part of its vocabulary, and what is proved holds from there on.

use crate::Game;
use crate::analysis::dependencies::Dependencies;
use crate::analysis::strata::stratify;
use crate::rules::{Atom, Places, Rule, Rules, Term};
use crate::symbols::Keyword;

/// The game whose initial state is `state`, a list of fluents without variables over the names of `rules`, which has
/// those of the game and perhaps more.
pub fn starting_in(game: &Game, rules: &Rules, state: impl IntoIterator<Item = Term>) -> Game {
    let init = rules.keyword(Keyword::Init);
    let kept = game.rules.rules().iter().filter(|rule| rule.head.relation != init).cloned();
    let facts = state.into_iter().map(|fluent| Rule {
        head: Atom { relation: init, arguments: vec![fluent] },
        body: Vec::new(),
        variables: Vec::new(),
        places: Places::default(),
    });
    let rules = rules.with_rules(kept.chain(facts));
    // Rules that had an order have one without some of them; facts stand at its beginning.
    let strata = stratify(&rules, &Dependencies::of(&rules)).unwrap_or_else(|_| game.strata.clone());
    Game { rules, strata, frame: game.frame }
}
