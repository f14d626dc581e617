//! What a run stands on, found once and written down: the facts by which states are packed, the symmetries, the counter.
//!
//! It is stored with the rules, so that a run that goes on packs as it began, however much was proved this time.

use crate::counter::Counter;
use crate::error::{Error, Result};
use crate::packing::Packing;
use crate::table::checksum;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::prepared::Prepared;
use ludex_engine::symmetry::{Symmetries, Symmetry};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use ludex_gdl::{Game, Sheet};
use ludex_logic::discover;
use ludex_logic::endgame::file::RulesHash;
use ludex_logic::facts::{Facts, Group};
use ludex_logic::prove::{Options as ProverOptions, Prover};
use ludex_logic::transition::System;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The file of the plan in the folder of a run.
pub const FILE: &str = "plan";

/// Symmetries that are used: each costs a sum for every state.
const MOST_SYMMETRIES: usize = 256;

/// States of random play from which a counter is sought.
const SAMPLES: usize = 2_000;

/// Time for proofs; what is not proved by then takes more bits.
const PROVING: Duration = Duration::from_secs(20);

/// What a run stands on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The rules.
    pub game: Game,
    /// What is proved of every state.
    pub facts: Facts,
    /// Symmetries that keep the initial state, the identity first; their moves are left out.
    pub symmetries: Vec<Symmetry>,
    /// The counter, if the game has one.
    pub counter: Option<Counter>,
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Symmetries.
    pub symmetry: bool,
    /// A counter.
    pub counter: bool,
}

impl Plan {
    /// Finds out what helps.
    pub fn make(prepared: &Prepared, engine: &dyn Engine, wanted: Wanted, budget: &Budget) -> Result<Plan> {
        let vocabulary = engine.vocabulary();
        let fluents = vocabulary.fluent_count();
        let mut initial = vec![0; vocabulary.words()];
        engine.worker().initial(&mut initial);
        let mut symmetries = vec![Symmetry::identity(vocabulary)];
        if wanted.symmetry {
            // A game that is too large for it has none that are known.
            let found = Symmetries::of(prepared, &budget.clone().within(PROVING));
            budget.check()?;
            if let Some(all) = found.ok().and_then(|found| found.all(MOST_SYMMETRIES)) {
                symmetries = all;
                symmetries.retain(|symmetry| symmetry.keeps_initial(&initial));
            }
        }
        let mut facts = Facts::default();
        let mut counter = None;
        let proving = budget.clone().within(PROVING);
        // Without a network nothing is proved, and every fluent takes a bit.
        if let Ok(system) = System::new(prepared, &[], &proving) {
            let options =
                ProverOptions { budget: proving.clone(), time: Duration::MAX, ..Default::default() };
            facts = discover::state_facts(&Prover::new(&system, options));
            let effort = discover::Effort { states: SAMPLES, ..Default::default() };
            if wanted.counter {
                let samples = discover::play(&system, engine, effort, &proving);
                let steps = samples.iter().filter_map(|sample| {
                    sample.then.as_ref().map(|(_, next)| (sample.state.as_slice(), next.as_slice()))
                });
                let steps: Vec<_> = steps.collect();
                counter = Counter::find(fluents, &steps, &symmetries);
            }
        }
        budget.check()?;
        Ok(Plan { game: Game::clone(prepared.game()), facts, symmetries, counter })
    }

    /// Without anything that helps.
    pub fn bare(prepared: &Prepared, engine: &dyn Engine) -> Plan {
        let symmetries = vec![Symmetry::identity(engine.vocabulary())];
        let game = Game::clone(prepared.game());
        Plan { game, facts: Facts::default(), symmetries, counter: None }
    }

    /// How states are packed.
    pub fn packing(&self, engine: &dyn Engine) -> Result<Packing> {
        let vocabulary = engine.vocabulary();
        Packing::new(vocabulary.fluent_count(), vocabulary.words(), &self.facts, &self.symmetries)
    }

    /// The hash of the rules.
    pub fn hash(&self) -> RulesHash {
        RulesHash::of(&self.game.rules)
    }

    /// Writes it down; returns its checksum.
    pub fn write(&self, folder: &Path) -> Result<u64> {
        let text = self.text();
        let path = folder.join(FILE);
        ludex_logic::endgame::file::write(&path, text.as_bytes()).map_err(Error::io(&path))?;
        Ok(checksum(text.as_bytes()))
    }

    /// Reads it back.
    pub fn read(folder: &Path, expected: u64) -> Result<Plan> {
        let path = folder.join(FILE);
        let bytes = std::fs::read(&path).map_err(Error::io(&path))?;
        if checksum(&bytes) != expected {
            return Err(Error::Damaged(path, "it does not match its checksum"));
        }
        let text = String::from_utf8(bytes).ok();
        text.and_then(|text| Plan::parse(&text)).ok_or(Error::Damaged(path, "it does not read"))
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let list = |fluents: &[FluentId]| {
            let words: Vec<String> = fluents.iter().map(|fluent| fluent.0.to_string()).collect();
            words.join(" ")
        };
        for (fluent, value) in &self.facts.constants {
            let _ = writeln!(text, "constant {} {}", fluent.0, u8::from(*value));
        }
        for group in &self.facts.groups {
            let _ = writeln!(text, "group {} {}", u8::from(group.exactly), list(&group.fluents));
        }
        for (a, b) in &self.facts.mutexes {
            let _ = writeln!(text, "mutex {} {}", a.0, b.0);
        }
        for symmetry in &self.symmetries {
            let roles: Vec<String> = symmetry.roles.iter().map(|role| role.0.to_string()).collect();
            let _ =
                writeln!(text, "symmetry {} {} {}", roles.len(), roles.join(" "), list(&symmetry.fluents));
        }
        if let Some(counter) = &self.counter {
            let weights: Vec<String> = counter.weights().iter().map(i64::to_string).collect();
            let _ = writeln!(text, "counter {}", weights.join(" "));
        }
        let _ = writeln!(text, "rules");
        text + &ludex_gdl::syntax::print::kif(&self.game.rules.to_tree())
    }

    fn parse(text: &str) -> Option<Plan> {
        let (head, rules) = text.split_once("rules\n")?;
        let game = Sheet::read(rules).into_game().ok()?;
        let mut plan = Plan { game, facts: Facts::default(), symmetries: Vec::new(), counter: None };
        for line in head.lines() {
            let mut words = line.split(' ');
            let what = words.next()?;
            let numbers: Vec<i64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
            let fluent = |number: &i64| u32::try_from(*number).ok().map(FluentId);
            let fluents = |numbers: &[i64]| numbers.iter().map(fluent).collect::<Option<Vec<FluentId>>>();
            match (what, numbers.as_slice()) {
                ("constant", [id, value]) => plan.facts.constants.push((fluent(id)?, *value == 1)),
                ("group", [exactly, rest @ ..]) => {
                    plan.facts.groups.push(Group { fluents: fluents(rest)?, exactly: *exactly == 1 });
                }
                ("mutex", [a, b]) => plan.facts.mutexes.push((fluent(a)?, fluent(b)?)),
                ("symmetry", [roles, rest @ ..]) => {
                    let (roles, fluent_images) = rest.split_at_checked(usize::try_from(*roles).ok()?)?;
                    let roles = roles.iter().map(|role| u32::try_from(*role).ok().map(RoleId));
                    plan.symmetries.push(Symmetry {
                        roles: roles.collect::<Option<_>>()?,
                        fluents: fluents(fluent_images)?,
                        moves: Vec::<Vec<MoveId>>::new(),
                    });
                }
                ("counter", weights) => plan.counter = Some(Counter::new(weights.to_vec())),
                _ => return None,
            }
        }
        Some(plan)
    }

    /// True if all numbers are those of a game with so many fluents and roles.
    pub fn fits(&self, engine: &Arc<dyn Engine>) -> bool {
        let vocabulary = engine.vocabulary();
        let (fluents, roles) = (vocabulary.fluent_count(), vocabulary.role_count());
        let known = |fluent: &FluentId| fluent.index() < fluents;
        let whole = |symmetry: &Symmetry| {
            symmetry.fluents.len() == fluents
                && symmetry.fluents.iter().all(known)
                && symmetry.roles.len() == roles
                && symmetry.roles.iter().all(|role| role.index() < roles)
        };
        self.facts.constants.iter().all(|(fluent, _)| known(fluent))
            && self.facts.groups.iter().all(|group| group.fluents.iter().all(known))
            && self.facts.mutexes.iter().all(|(a, b)| known(a) && known(b))
            && !self.symmetries.is_empty()
            && self.symmetries.iter().all(whole)
            && self.counter.as_ref().is_none_or(|counter| counter.weights().len() == fluents)
    }
}
