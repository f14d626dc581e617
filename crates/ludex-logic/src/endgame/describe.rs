//! State descriptions as people read them: fluents with variables, each variable with the constants it stands
//! for.
//!
//! Covers hold descriptions without variables, because regression, subsumption and lookup are exact and cheap
//! on those. What the rules say with a variable (three in any row) comes out as several of them that differ
//! in one constant; here they are put together again: descriptions that become equal when a constant, at all
//! its places or at one argument place, is replaced by a variable are one description, and the constants are
//! the variable's domain. Repeated until nothing changes, this gives several variables a description. What it
//! cannot see: variables that depend on each other (`succ ?x ?y`); those stay apart.

use super::Database;
use super::cover::Cover;
use super::solve::Space;
use hashbrown::HashMap;
use ludex_engine::row::Row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::Symbol;
use std::collections::BTreeMap;
use std::fmt::Write;

/// An argument of a fluent in a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Argument {
    Constant(TermId),
    Variable(usize),
    /// The place of a constant that is being replaced.
    Hole,
}

/// A fluent that must hold, or must not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Condition {
    name: usize,
    arguments: Vec<Argument>,
    holds: bool,
}

/// A conjunction of conditions with variables. Variables are numbered in the order in which they were made;
/// conditions are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Description {
    conditions: Vec<Condition>,
    domains: Vec<Vec<TermId>>,
}

/// Which occurrences of a constant a variable replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Places {
    All,
    At { name: usize, argument: usize },
}

/// Descriptions gone through at most before variables are looked for.
const MOST: usize = 2_000;

/// The first descriptions of a cover, in KIF, with variables.
pub fn descriptions(database: &Database, vocabulary: &Vocabulary, cover: Cover, most: usize) -> Vec<String> {
    let mut names = Names::default();
    let mut ground = Vec::new();
    let groups = database.groups();
    database.each_description(cover, &mut |conditions| {
        ground.push(names.read(vocabulary, &canonical(conditions, &groups)));
        ground.len() < MOST
    });
    let lifted = lift(ground);
    lifted.iter().take(most).map(|description| names.show(vocabulary, description)).collect()
}

/// For each role and kind the description, without variables, that the state meets at its depth.
pub fn matching(database: &Database, vocabulary: &Vocabulary, state: &Row) -> Vec<String> {
    let mut texts = Vec::new();
    for list in database.lists() {
        let Some(depth) = database.depth(state, list.role, list.kind) else { continue };
        let cover = list.layers.get(depth as usize).map(|(cover, _)| *cover);
        let Some(conditions) = cover.and_then(|cover| database.matching(cover, state)) else { continue };
        let mut names = Names::default();
        let description = names.read(vocabulary, &canonical(&conditions, &database.groups()));
        let role = vocabulary.show_role(list.role);
        texts.push(format!("{role} {} {depth}: {}", list.kind.name(), names.show(vocabulary, &description)));
    }
    texts
}

/// How many descriptions no state of the space meets.
pub fn count_ghosts(database: &Database, space: &Space) -> u64 {
    let mut ghosts = 0;
    for (cover, _) in database.lists().iter().flat_map(|list| &list.layers) {
        database.each_description(*cover, &mut |conditions| {
            let meets = |state: &[u64]| {
                conditions.iter().all(|&(fluent, holds)| {
                    (state[fluent.index() / 64] >> (fluent.index() % 64) & 1 == 1) == holds
                })
            };
            ghosts += u64::from(!(0..space.len()).any(|at| meets(space.state(at))));
            true
        });
    }
    ghosts
}

/// The same conditions in one form: of a group of which exactly one fluent holds, what holds is said rather
/// than what does not. A description that leaves one fluent of a group says that one; one that names the
/// fluent that holds says nothing of the others.
fn canonical(conditions: &[(FluentId, bool)], groups: &[Vec<FluentId>]) -> Vec<(FluentId, bool)> {
    let mut known: BTreeMap<FluentId, bool> = conditions.iter().copied().collect();
    for group in groups {
        let holding = group.iter().copied().find(|fluent| known.get(fluent) == Some(&true));
        let mut left = group.iter().copied().filter(|fluent| !known.contains_key(fluent));
        let only = match (holding, left.next(), left.next()) {
            (Some(holding), _, _) => holding,
            (None, Some(only), None) => only,
            _ => continue,
        };
        known.retain(|fluent, holds| *holds || group.binary_search(fluent).is_err());
        known.insert(only, true);
    }
    known.into_iter().collect()
}

/// Puts descriptions together that differ in one constant, until there are none.
fn lift(mut list: Vec<Description>) -> Vec<Description> {
    loop {
        // What each description becomes when one constant is taken out, and the constant.
        let mut alike: HashMap<Description, Vec<(usize, TermId)>> = HashMap::new();
        let mut order = Vec::new();
        for (at, description) in list.iter().enumerate() {
            for (constant, places) in description.replaceable() {
                let key = description.with_hole(constant, places);
                let group = alike.entry(key.clone()).or_default();
                if group.is_empty() {
                    order.push(key);
                }
                group.push((at, constant));
            }
        }
        // The largest families first; ties in the order in which they were met.
        order.sort_by_key(|key| std::cmp::Reverse(alike[key].len()));
        let mut used = vec![false; list.len()];
        let mut lifted = Vec::new();
        for key in order {
            let members: Vec<(usize, TermId)> =
                alike[&key].iter().copied().filter(|(at, _)| !used[*at]).collect();
            let mut domain: Vec<TermId> = members.iter().map(|(_, constant)| *constant).collect();
            domain.sort_unstable();
            domain.dedup();
            if domain.len() > 1 {
                members.iter().for_each(|(at, _)| used[*at] = true);
                lifted.push(key.filled(domain));
            }
        }
        if lifted.is_empty() {
            return list;
        }
        lifted
            .extend(list.into_iter().zip(used).filter(|(_, used)| !used).map(|(description, _)| description));
        list = lifted;
    }
}

impl Description {
    fn replaceable(&self) -> Vec<(TermId, Places)> {
        let mut all = Vec::new();
        for condition in &self.conditions {
            for (at, argument) in condition.arguments.iter().enumerate() {
                if let Argument::Constant(constant) = argument {
                    all.push((*constant, Places::All));
                    all.push((*constant, Places::At { name: condition.name, argument: at }));
                }
            }
        }
        let mut seen = hashbrown::HashSet::new();
        all.retain(|&pair| seen.insert(pair));
        all
    }

    fn with_hole(&self, constant: TermId, places: Places) -> Description {
        let mut description = self.clone();
        for condition in &mut description.conditions {
            let name = condition.name;
            for (at, argument) in condition.arguments.iter_mut().enumerate() {
                let meant = match places {
                    Places::All => true,
                    Places::At { name: of, argument } => of == name && argument == at,
                };
                if meant && *argument == Argument::Constant(constant) {
                    *argument = Argument::Hole;
                }
            }
        }
        description.conditions.sort_unstable();
        description
    }

    fn filled(&self, domain: Vec<TermId>) -> Description {
        let mut description = self.clone();
        let variable = description.domains.len();
        description.domains.push(domain);
        for argument in description.conditions.iter_mut().flat_map(|condition| &mut condition.arguments) {
            if *argument == Argument::Hole {
                *argument = Argument::Variable(variable);
            }
        }
        description
    }
}

/// The names of fluents, numbered.
#[derive(Debug, Default)]
struct Names {
    list: Vec<(Symbol, usize)>,
}

impl Names {
    fn number(&mut self, name: (Symbol, usize)) -> usize {
        self.list.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.list.push(name);
            self.list.len() - 1
        })
    }

    fn read(&mut self, vocabulary: &Vocabulary, conditions: &[(FluentId, bool)]) -> Description {
        let terms = vocabulary.terms();
        let mut conditions: Vec<Condition> = conditions
            .iter()
            .map(|&(fluent, holds)| {
                let term = vocabulary.fluent(fluent);
                let arguments = terms.arguments(term);
                Condition {
                    name: self.number((terms.functor(term), arguments.len())),
                    arguments: arguments.iter().map(|&argument| Argument::Constant(argument)).collect(),
                    holds,
                }
            })
            .collect();
        conditions.sort_unstable();
        Description { conditions, domains: Vec::new() }
    }

    fn show(&self, vocabulary: &Vocabulary, description: &Description) -> String {
        let symbols = &vocabulary.rules().symbols;
        let term = |id| vocabulary.terms().show(symbols, id);
        let mut text = String::new();
        for condition in &description.conditions {
            let separator = if text.is_empty() { "" } else { " " };
            let (name, _) = self.list[condition.name];
            let arguments: Vec<String> = condition
                .arguments
                .iter()
                .map(|argument| match argument {
                    Argument::Constant(constant) => term(*constant),
                    Argument::Variable(variable) => format!("?{}", variable + 1),
                    Argument::Hole => "?".to_owned(),
                })
                .collect();
            let name = symbols.name(name);
            let fluent = if arguments.is_empty() {
                name.to_owned()
            } else {
                format!("({name} {})", arguments.join(" "))
            };
            let shown = if condition.holds { fluent } else { format!("(not {fluent})") };
            // Writing into a string does not fail.
            let _ = write!(text, "{separator}{shown}");
        }
        if text.is_empty() {
            text.push_str("(any state)");
        }
        for (at, domain) in description.domains.iter().enumerate() {
            let constants: Vec<String> = domain.iter().map(|&constant| term(constant)).collect();
            let _ = write!(text, ", ?{} in {}", at + 1, constants.join(" "));
        }
        text
    }
}
