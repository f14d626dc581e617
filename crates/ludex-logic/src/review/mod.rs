//! What is likely wrong with the meaning of a game: rules that play never uses, groups of fluents that lose their value
//! or have two, players who are stuck, ends without a goal, one rule in a set of twins that differs.
//!
//! Findings of the front end are true of the rules; those here are guesses, made from random play and from what looks
//! like a pattern with one exception. Each says what was seen, with the moves that lead there, and points to a rule.
//! Nothing is proved: [`crate::prove`] does that. What play does not reach within the budget is not reviewed, and
//! the answer says how much was played.

mod alike;
mod declared;
mod groups;
mod judge;
mod play;
mod repair;
mod tables;
mod watched;

use declared::Declared;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::error::BuildError;
use ludex_engine::prepared::Prepared;
use ludex_engine::quick::Quick;
use ludex_gdl::rules::{Rule, Term};
use ludex_gdl::syntax::{Notation, Span};
use ludex_gdl::{Keyword, Rules, Sheet};
use std::sync::Arc;

pub(crate) use alike::swapped;

/// What would keep each group of fluents that has one value at first, in the notation of the sheet.
pub(crate) fn frames(rules: &Rules, notation: Notation, engine: &dyn Engine) -> Vec<String> {
    let vocabulary = engine.vocabulary();
    let mut initial = vec![0; vocabulary.words()];
    engine.worker().initial(&mut initial);
    let next = rules.rules_for(rules.keyword(Keyword::Next)).iter().map(|&id| rules.rule(id));
    let next: Vec<&Rule> = next.collect();
    let families = groups::families(rules, vocabulary, &initial);
    let frame = |family: &groups::Family| {
        let own = next.iter().copied().filter(|rule| match rule.head.arguments.first() {
            Some(Term::Compound(name, list)) => {
                list.len() == family.arguments && rules.symbols.name(*name) == family.name
            }
            _ => false,
        });
        repair::frame_rule(rules, notation, family, &own.collect::<Vec<_>>())
    };
    families.iter().filter_map(frame).collect()
}

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
    suspicions.extend(tables::look(rules));
    // A game whose rules cannot all be watched is played as it is.
    let watched = watched::watched(rules).unwrap_or_else(|| game.clone());
    let prepared = Arc::new(Prepared::new(watched));
    let engine = Quick::new(&prepared, budget)?;
    let declared = Declared::of(prepared.game(), engine.vocabulary(), &budget.share(4));
    let record = play::play(&engine, rules, &declared, budget);
    suspicions.extend(judge::judge(sheet, rules, &record));
    suspicions.sort_by_key(|suspicion| (suspicion.span, suspicion.kind));
    suspicions.dedup();
    Ok(Review { suspicions, matches: record.matches, moves: record.moves })
}
