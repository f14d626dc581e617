//! What is likely wrong with the meaning of a game: rules that play never uses, groups of fluents that lose their value
//! or have two, players who are stuck, ends without a goal, one rule in a set of twins that differs.
//!
//! Findings of the front end are true of the rules; those here are guesses, made from random play and from what looks
//! like a pattern with one exception. Each says what was seen, with the moves that lead there, and points to a rule.
//! Nothing is proved: [`crate::prove`] does that. What play does not reach within the budget is not reviewed, and
//! the answer says how much was played.

mod alike;
mod groups;
mod judge;
mod play;
mod repair;
mod watched;

use ludex_engine::budget::Budget;
use ludex_engine::error::BuildError;
use ludex_engine::prepared::Prepared;
use ludex_engine::quick::Quick;
use ludex_gdl::Sheet;
use ludex_gdl::syntax::Span;
use std::sync::Arc;

/// Something that is likely a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// What kind: a stable name in kebab case.
    pub kind: &'static str,
    /// The rule that is likely at fault.
    pub span: Span,
    /// What was seen, in one sentence without a full stop.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// The joint moves that lead there from the initial state, where it takes any.
    pub moves: Vec<String>,
    /// Clauses, in the notation of the sheet, that would mend it.
    pub repair: Option<String>,
}

/// What a review found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// What is likely wrong, in the order of the text.
    pub suspicions: Vec<Suspicion>,
    /// Random matches that were played,
    pub matches: usize,
    /// and joint moves in them.
    pub moves: usize,
}

/// Reviews a sheet without errors.
///
/// # Errors
/// If no engine takes the game within the budget.
pub fn review(sheet: &Sheet, budget: &Budget) -> Result<Review, BuildError> {
    let Some(game) = sheet.game() else { return Ok(Review::default()) };
    let rules = &game.rules;
    let mut suspicions = alike::look(rules);
    // A game whose rules cannot all be watched is played as it is.
    let watched = watched::watched(rules).unwrap_or_else(|| game.clone());
    let prepared = Arc::new(Prepared::new(watched));
    let engine = Quick::new(&prepared, budget)?;
    let record = play::play(&engine, rules, budget);
    suspicions.extend(judge::judge(sheet, rules, &record));
    suspicions.sort_by_key(|suspicion| (suspicion.span, suspicion.kind));
    suspicions.dedup();
    Ok(Review { suspicions, matches: record.matches, moves: record.moves })
}
