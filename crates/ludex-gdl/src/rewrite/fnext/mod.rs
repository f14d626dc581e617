//! The frame problem solved in the rules: what ends instead of what stays.
//!
//! A game says by frame rules which fluents stay: `next(f) if true(f) and ...`. Computing them costs as much
//! as the state is large. This rewriting (Romero, Saffidine and Thielscher 2014) replaces them by rules for
//! a relation of the fluents that *end*, usually called `fnext`; the successor is what the other `next`
//! rules give together with the state less what ends ([`Game::frame`]).
//!
//! For each fluent name and each general joint move of a covering there is a first-order rule: the fluent
//! ends if it is true, the joint move is made, and no frame rule lets it stay. Simplification makes it a
//! rule, or a few, or none; see `refute.rs` and `../simplify.rs`. Three coverings:
//!
//! - [`Encoding::Direct`]: every combination of the names of moves, for all roles;
//! - [`Encoding::Pruned`]: the same without those that are known to be impossible;
//! - [`Encoding::Relevant`]: only the roles and moves that the frame rules of that fluent mention, decided one
//!   after the other, so that many roles do not multiply.
//!
//! A fluent whose rules would become too many keeps its frame rules. What comes out is right in every state
//! for `Direct`, and for the others where nothing is declared impossible; with a list of impossible joint moves,
//! in the states in which they are impossible. What it costs to translate is bounded ([`encode`] takes
//! milliseconds on ordinary sheets); where the bound is hit the game comes back as it was.
//!
//! [`explicit`] writes the frame relation back into the rules, for other systems and for printing.

mod covering;
mod helpers;
mod refute;
mod translate;

use super::simplify::Knowledge;
use crate::Game;
use crate::analysis::actions::{PartialJointMove, actions, functors};
use crate::analysis::dependencies::Dependencies;
use crate::analysis::domains::Functor;
use crate::analysis::frames::{FrameRule, NextRule, has_frames, next_rules};
use crate::analysis::strata::stratify;
use crate::budget::Budget;
use crate::rules::{Atom, Literal, Places, RelationId, Rule, RuleId, Rules, Term, Variable};
use crate::symbols::Keyword;
use hashbrown::{HashMap, HashSet};
use helpers::{Helpers, generic};
use std::fmt;
use translate::Translator;

/// How a game's transitions are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As the rules have it.
    Original,
    /// Translated, with every combination of moves.
    Direct,
    /// Translated, with every combination of moves that is not known to be impossible.
    Pruned,
    /// Translated, with the combinations that matter to each fluent.
    Relevant,
}

impl Encoding {
    /// All of them.
    pub const ALL: [Encoding; 4] =
        [Encoding::Original, Encoding::Direct, Encoding::Pruned, Encoding::Relevant];

    /// What users type.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Original => "original",
            Encoding::Direct => "direct",
            Encoding::Pruned => "pruned",
            Encoding::Relevant => "relevant",
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Steps of simplification for one game: some tenths of a second. Ordinary sheets take a hundredth.
const MOST_STEPS: usize = 2_000_000;

/// More names of fluents than this are not written out one by one.
const MOST_FLUENTS: usize = 4096;

/// The game in that encoding. `impossible` are moves that are never made together in a state that the game
/// will be asked about ([`crate::analysis::turns`] finds some); it may be empty, and does not
/// matter to `Original` and `Direct`.
///
/// A game without frame rules, one that is translated already, and one that is too large to translate come
/// back as they are, with [`Game::frame`] `None`, as from `Original`; so does one whose translation the budget does not
/// allow to be finished.
pub fn encode(game: &Game, encoding: Encoding, impossible: &[PartialJointMove], budget: &Budget) -> Game {
    if encoding == Encoding::Original || game.frame.is_some() || !has_frames(&game.rules) {
        return game.clone();
    }
    translated(game, encoding, impossible, budget).unwrap_or_else(|| game.clone())
}

fn translated(
    game: &Game,
    encoding: Encoding,
    impossible: &[PartialJointMove],
    budget: &Budget,
) -> Option<Game> {
    let known = Knowledge::new(&game.rules, MOST_STEPS, budget);
    let roles = actions(&game.rules, &known.domains)?;
    let holds = game.rules.keyword(Keyword::True);
    let fluents = functors(known.domains.argument(holds, 0));
    if fluents.len() > MOST_FLUENTS {
        return None;
    }
    let next = next_rules(&game.rules, &known.domains);
    let mut helpers = Helpers::new(game.rules.with_rules([]));
    let frame = helpers.rules.fresh_relation("fnext", 1);
    let mut ends: Vec<Rule> = Vec::new();
    let mut kept: HashSet<Functor> = HashSet::new();
    let mut is_any_translated = false;
    let mut frames_of: HashMap<Functor, Vec<&FrameRule>> = HashMap::new();
    for rule in &next {
        frames_of.entry(rule.fluent).or_default().extend(&rule.frames);
    }
    for &fluent in &fluents {
        let frames = frames_of.remove(&fluent).unwrap_or_default();
        let rules = if frames.is_empty() {
            None
        } else {
            Translator { known: &known, roles: &roles, impossible, helpers: &mut helpers, frame, fluent }
                .rules(&frames, encoding)
        };
        if known.is_exhausted() {
            return None;
        }
        match rules {
            Some(rules) => {
                is_any_translated = true;
                ends.extend(rules);
            }
            None => {
                kept.insert(fluent);
                ends.push(ends_always(&mut helpers, frame, fluent));
            }
        }
    }
    if !is_any_translated {
        return None;
    }
    let mut list: Vec<Rule> = Vec::new();
    for (id, rule) in (0..).map(RuleId).zip(game.rules.rules()) {
        if rule.head.relation == game.rules.keyword(Keyword::Next) {
            list.extend(remaining(game, id, &next, &kept, &mut helpers));
        } else {
            list.push(rule.clone());
        }
    }
    // Helpers that simplification has made superfluous are dropped.
    let all = helpers.rules.rules().iter().cloned().chain(ends.iter().cloned());
    let read = Dependencies::of(&helpers.rules.with_rules(all)).closure([frame]);
    list.extend(helpers.rules.rules().iter().filter(|rule| read[rule.head.relation.index()]).cloned());
    list.extend(ends);
    finished(helpers.rules.with_rules(list), Some(frame))
}

/// The `next` rule of that number as it stands in the translated game: itself, or those of its instances
/// that are no frame rules of translated fluents.
fn remaining(
    game: &Game,
    id: RuleId,
    next: &[NextRule],
    kept: &HashSet<Functor>,
    helpers: &mut Helpers,
) -> Vec<Rule> {
    // They come in the order of the rules.
    let from = next.partition_point(|rule| rule.source < id);
    let to = next.partition_point(|rule| rule.source <= id);
    let stays = |rule: &&NextRule| rule.frames.is_empty() || kept.contains(&rule.fluent);
    if next[from..to].iter().all(|rule| stays(&rule)) {
        return vec![game.rules.rule(id).clone()];
    }
    let staying = next[from..to].iter().filter(stays).map(|instance| instance.rule.clone());
    staying.map(|rule| helpers.rule(rule.head, rule.body, rule.variables.len())).collect()
}

/// The fluent ends whatever is done.
fn ends_always(helpers: &mut Helpers, frame: RelationId, fluent: Functor) -> Rule {
    let (term, variables) = generic(fluent.0, fluent.1, 0);
    let holds = helpers.rules.keyword(Keyword::True);
    let condition = Atom { relation: holds, arguments: vec![term.clone()] };
    helpers.rule(
        Atom { relation: frame, arguments: vec![term] },
        vec![Literal::Positive(condition)],
        variables,
    )
}

fn finished(rules: Rules, frame: Option<RelationId>) -> Option<Game> {
    let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
    Some(Game { rules, strata, frame })
}

/// The game with its frame relation written into the rules: `next(f) if true(f) and not fnext(f)`. That is an
/// ordinary game again, for any system that reads GDL. A game that is not translated comes back as it is.
pub fn explicit(game: &Game) -> Game {
    let Some(frame) = game.frame else { return game.clone() };
    let mut rules = game.rules.clone();
    let name = rules.symbols.intern("f");
    let [next, holds] = [Keyword::Next, Keyword::True].map(|keyword| rules.keyword(keyword));
    let of = |relation: RelationId| Atom { relation, arguments: vec![Term::Variable(Variable(0))] };
    rules.push(Rule {
        head: of(next),
        body: vec![Literal::Positive(of(holds)), Literal::Negative(of(frame))],
        variables: vec![name],
        places: Places::default(),
    });
    // Nothing reads `next`, so the strata of a translated game can always be completed.
    finished(rules, None).unwrap_or_else(|| game.clone())
}

/// The opposite of [`explicit`]: a game with that rule, and no other frame rule in the way, runs as a
/// translated one.
pub fn implicit(game: &Game) -> Option<Game> {
    let rules = &game.rules;
    let [next, holds] = [Keyword::Next, Keyword::True].map(|keyword| rules.keyword(keyword));
    let whole = [Term::Variable(Variable(0))];
    let axiom = |id: &RuleId| {
        let rule = rules.rule(*id);
        match rule.body.as_slice() {
            [Literal::Positive(given), Literal::Negative(ends)] => {
                let fits = rule.head.arguments == whole
                    && given.relation == holds
                    && given.arguments == whole
                    && ends.arguments == whole
                    && rules.relation(ends.relation).keyword.is_none();
                fits.then_some((*id, ends.relation))
            }
            _ => None,
        }
    };
    let (id, frame) = rules.rules_for(next).iter().find_map(axiom)?;
    let others = rules.rules().iter().enumerate().filter(|(at, _)| *at != id.index());
    finished(rules.with_rules(others.map(|(_, rule)| rule.clone())), Some(frame))
}
