//! What is counted in a state: fluents by pattern, read off the states of play and never off names.
//!
//! Of each function that fluents are made with, the arguments that tell its fluents apart in every state seen are the
//! *places* (column and row of `cell c r piece`), and what stands there, the rest and whatever names a role, are the *kinds*. A *pattern* is a
//! function with its kinds: `cell * * white queen`. How many fluents of a pattern hold is one feature; where the rules
//! order an argument by a chain of facts (`succ 1 2`, `succ 2 3`, ...), or it is a number, the sum of its ranks is
//! another: how far the pieces of that pattern have advanced. A kind that is ordered and takes many values (a score)
//! is a rank too. Every feature is linear in the fluents, so whatever is learnt of features becomes one weight a fluent.
//!
//! What it cannot see: mobility. Pairs of fluents are added where they are asked for (`pairs.rs`).

use hashbrown::HashMap;
use ludex_engine::row::{self, Row};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::Symbol;
use ludex_gdl::rules::{Rules, Term};
use std::fmt;

/// How fine the features are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// How many of each pattern.
    Counts,
    /// And how far along each ordered argument, and how near its middle.
    Ranks,
    /// And each fluent by itself.
    Cells,
    /// And pairs of fluents, as far as they say more than the fluents do.
    Pairs,
}

impl Detail {
    const ALL: [Detail; 4] = [Detail::Counts, Detail::Ranks, Detail::Cells, Detail::Pairs];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Counts => "counts",
            Detail::Ranks => "ranks",
            Detail::Cells => "cells",
            Detail::Pairs => "pairs",
        }
    }

    /// By that word.
    pub fn read(word: &str) -> Option<Detail> {
        Detail::ALL.into_iter().find(|detail| detail.name() == word)
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Detail::Counts => "how many there are of each kind",
            Detail::Ranks => "how many there are of each kind and how far along",
            Detail::Cells => "what stands where",
            Detail::Pairs => "what stands where and what stands together",
        })
    }
}

/// A feature and how much of it a fluent is.
pub(super) type Share = (u32, f32);

/// What each fluent adds to which features.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// The shares of the fluents, one after the other; those of each fluent end where `ends` says.
    shares: Vec<Share>,
    ends: Vec<u32>,
    /// In words.
    pub(super) names: Vec<String>,
    /// Whether it is the number of a pattern's pieces.
    pub(super) material: Vec<bool>,
    /// Whether it is a fluent by itself.
    pub(super) single: Vec<bool>,
}

/// More features than this would take longer to learn than a start clock lasts.
const MOST_FEATURES: usize = 20_000;
/// A function with more arguments is told apart by all of them.
const MOST_ARGUMENTS: usize = 6;
/// A kind with more values, if they are ordered, is a rank and no kind.
const MOST_KINDS: usize = 6;

impl Features {
    /// Features of the fluents by the states that were seen in play.
    pub(super) fn new(vocabulary: &Vocabulary, seen: &[Vec<u64>], detail: Detail) -> Features {
        let orders = orders(vocabulary.rules());
        let mut functions: HashMap<(Symbol, usize), Vec<FluentId>> = HashMap::new();
        for fluent in vocabulary.fluents() {
            let term = vocabulary.fluent(fluent);
            let key = (vocabulary.terms().functor(term), vocabulary.terms().arguments(term).len());
            functions.entry(key).or_default().push(fluent);
        }
        let mut lists: Vec<((Symbol, usize), Vec<FluentId>)> = functions.into_iter().collect();
        lists.sort_unstable_by_key(|(_, fluents)| fluents[0]);
        let mut draft = Draft {
            vocabulary,
            numbers: HashMap::new(),
            names: Vec::new(),
            material: Vec::new(),
            single: Vec::new(),
        };
        let mut shares: Vec<Vec<Share>> = vec![Vec::new(); vocabulary.fluent_count()];
        for ((_, arity), fluents) in &lists {
            draft.function(*arity, fluents, seen, &orders, detail, &mut shares);
        }
        let Draft { names, material, single, .. } = draft;
        let mut features = Features { names, material, single, ..Features::default() };
        for list in shares {
            features.shares.extend(list);
            features.ends.push(features.shares.len() as u32);
        }
        features
    }

    /// A feature more for each pair, which is that of a fluent more.
    pub(super) fn add_pairs(&mut self, pairs: impl Iterator<Item = String>) {
        for name in pairs {
            self.shares.push((self.names.len() as u32, 1.0));
            self.ends.push(self.shares.len() as u32);
            self.names.push(name);
            self.material.push(false);
            self.single.push(true);
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The shares of a fluent.
    pub(super) fn of(&self, fluent: usize) -> &[Share] {
        let from = fluent.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.shares[from..self.ends[fluent] as usize]
    }
}

struct Draft<'v> {
    vocabulary: &'v Vocabulary,
    numbers: HashMap<String, u32>,
    names: Vec<String>,
    material: Vec<bool>,
    single: Vec<bool>,
}

impl Draft<'_> {
    fn feature(&mut self, name: String) -> Option<u32> {
        if let Some(&number) = self.numbers.get(&name) {
            return Some(number);
        }
        if self.names.len() >= MOST_FEATURES {
            return None;
        }
        let number = self.names.len() as u32;
        self.names.push(name.clone());
        self.material.push(false);
        self.single.push(false);
        self.numbers.insert(name, number);
        Some(number)
    }

    /// The features of the fluents of one function.
    fn function(
        &mut self,
        arity: usize,
        fluents: &[FluentId],
        seen: &[Vec<u64>],
        orders: &[Vec<Symbol>],
        detail: Detail,
        shares: &mut [Vec<Share>],
    ) {
        let places = places(self.vocabulary, arity, fluents, seen);
        // One of many, one at a time: a counter of moves, which says nothing about who is ahead.
        if places == 0 && fluents.len() > MOST_KINDS {
            return;
        }
        // Whose a fluent is matters, also where it tells two of them apart.
        let owners = owners(self.vocabulary, arity, fluents);
        let ranks: Vec<Option<HashMap<TermId, f32>>> =
            (0..arity).map(|at| ranks(self.vocabulary, fluents, at, orders)).collect();
        for &fluent in fluents {
            let term = self.vocabulary.fluent(fluent);
            let terms = self.vocabulary.terms();
            let arguments = terms.arguments(term).to_vec();
            let symbols = &self.vocabulary.rules().symbols;
            let is_place = |at: usize| (places & !owners) >> at & 1 == 1;
            let is_score =
                |at: usize| !is_place(at) && ranks[at].as_ref().is_some_and(|ranks| ranks.len() > MOST_KINDS);
            let mut pattern = symbols.name(terms.functor(term)).to_owned();
            for (at, &argument) in arguments.iter().enumerate() {
                pattern.push(' ');
                if is_place(at) || is_score(at) {
                    pattern.push('*');
                } else {
                    pattern.push_str(&terms.show(symbols, argument));
                }
            }
            let mut mine = Vec::new();
            if let Some(feature) = self.feature(pattern.clone()) {
                self.material[feature as usize] = places != 0;
                mine.push((feature, 1.0));
            }
            for (at, argument) in arguments.iter().enumerate() {
                let rank = ranks[at].as_ref().and_then(|ranks| ranks.get(argument));
                let Some(&rank) = rank else { continue };
                if is_score(at) || is_place(at) && detail != Detail::Counts {
                    let name = format!("{pattern}, along argument {}", at + 1);
                    mine.extend(self.feature(name).map(|feature| (feature, rank)));
                }
                if is_place(at) && detail != Detail::Counts {
                    let name = format!("{pattern}, near the middle of argument {}", at + 1);
                    mine.extend(self.feature(name).map(|feature| (feature, 1.0 - 2.0 * rank.abs())));
                }
            }
            if matches!(detail, Detail::Cells | Detail::Pairs) && places != 0 {
                let name = self.vocabulary.show_fluent(fluent);
                if let Some(feature) = self.feature(name) {
                    self.single[feature as usize] = true;
                    mine.push((feature, 1.0));
                }
            }
            shares[fluent.index()] = mine;
        }
    }
}

/// The fewest arguments, as bits, by which the fluents that hold together are told apart in every state seen.
fn places(vocabulary: &Vocabulary, arity: usize, fluents: &[FluentId], seen: &[Vec<u64>]) -> u32 {
    let all = (1u32 << arity.min(31)) - 1;
    if arity > MOST_ARGUMENTS {
        return all;
    }
    let mut sets: Vec<u32> = (0..=all).collect();
    sets.sort_by_key(|set| (set.count_ones(), *set));
    let mut key = Vec::new();
    let tells_apart = |set: u32, state: &Row, met: &mut hashbrown::HashSet<Vec<TermId>>| {
        met.clear();
        fluents.iter().filter(|fluent| row::holds(state, **fluent)).all(|&fluent| {
            let arguments = vocabulary.terms().arguments(vocabulary.fluent(fluent));
            key.clear();
            key.extend((0..arity).filter(|at| set >> at & 1 == 1).map(|at| arguments[at]));
            met.insert(key.clone())
        })
    };
    let mut tells_apart = tells_apart;
    let mut met = hashbrown::HashSet::new();
    sets.into_iter().find(|&set| seen.iter().all(|state| tells_apart(set, state, &mut met))).unwrap_or(all)
}

/// The arguments, as bits, that name roles.
fn owners(vocabulary: &Vocabulary, arity: usize, fluents: &[FluentId]) -> u32 {
    let terms = vocabulary.terms();
    let is_role = |term: TermId| vocabulary.find_role(term).is_some();
    let names_roles =
        |at: &usize| fluents.iter().any(|&fluent| is_role(terms.arguments(vocabulary.fluent(fluent))[*at]));
    (0..arity.min(31)).filter(names_roles).fold(0, |set, at| set | 1 << at)
}

/// The ranks of the values of an argument, from -1 to 1; `None` if the rules do not order them.
fn ranks(
    vocabulary: &Vocabulary,
    fluents: &[FluentId],
    at: usize,
    orders: &[Vec<Symbol>],
) -> Option<HashMap<TermId, f32>> {
    let terms = vocabulary.terms();
    let values: hashbrown::HashSet<TermId> =
        fluents.iter().map(|&fluent| terms.arguments(vocabulary.fluent(fluent))[at]).collect();
    if values.len() < 3 || !values.iter().all(|&value| terms.is_constant(value)) {
        return None;
    }
    let symbols = &vocabulary.rules().symbols;
    let by_chain = orders.iter().find_map(|order| {
        let place: HashMap<Symbol, i64> = order.iter().copied().zip(0..).collect();
        values
            .iter()
            .map(|&value| Some((value, *place.get(&terms.functor(value))?)))
            .collect::<Option<Vec<_>>>()
    });
    let by_number = || {
        let number = |value: TermId| symbols.name(terms.functor(value)).parse::<i32>().ok().map(i64::from);
        values.iter().map(|&value| Some((value, number(value)?))).collect::<Option<Vec<_>>>()
    };
    let numbered = by_chain.or_else(by_number)?;
    let least = numbered.iter().map(|(_, n)| *n).min()?;
    let most = numbered.iter().map(|(_, n)| *n).max()?;
    let scale = |n: i64| (2.0 * (n - least) as f64 / (most - least).max(1) as f64 - 1.0) as f32;
    Some(numbered.into_iter().map(|(value, n)| (value, scale(n))).collect())
}

/// The chains that facts of two constants make, longest first: orders that the rules are written with.
fn orders(rules: &Rules) -> Vec<Vec<Symbol>> {
    let mut chains = Vec::new();
    for relation in rules.relations() {
        let of = rules.relation(relation);
        if of.arity != 2 || of.keyword.is_some() {
            continue;
        }
        let mut next: HashMap<Symbol, Symbol> = HashMap::new();
        let mut later: hashbrown::HashSet<Symbol> = hashbrown::HashSet::new();
        let is_chain = rules.rules_for(relation).iter().all(|&id| {
            let rule = rules.rule(id);
            let [Term::Constant(from), Term::Constant(to)] = rule.head.arguments[..] else { return false };
            rule.body.is_empty() && from != to && next.insert(from, to).is_none() && later.insert(to)
        });
        let mut starts: Vec<Symbol> = next.keys().copied().filter(|from| !later.contains(from)).collect();
        starts.sort_unstable_by_key(|start| start.index());
        if !is_chain {
            continue;
        }
        for start in starts {
            let chain = std::iter::successors(Some(start), |at| next.get(at).copied());
            chains.push(chain.collect::<Vec<_>>());
        }
    }
    chains.sort_by_key(|chain| std::cmp::Reverse(chain.len()));
    chains
}
