//! The order of the names along one side of a board.
//!
//! In this order of trust: a relation of the rules that leads from each name to the next; numbers; letters; the order
//! in which the rules name them. An order changes looks only: which columns are sides of a board is decided without it.

use crate::statics::Facts;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::Vocabulary;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Where an order comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// The names stand as the rules mention them.
    Mentioned,
    /// Letters, from a on.
    Letters,
    /// A relation of the rules leads from each to the next, and from the last to the first: a ring.
    Ring,
    /// A common stem with numbers behind: `c1` to `c8`. Names again, which scrambling takes away.
    Stems,
    /// Whole numbers.
    Numbers,
    /// A relation of the rules leads from each to the next.
    Successors,
}

/// The names along one side, in order.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The names.
    pub names: Vec<TermId>,
    /// Why in this order.
    pub trust: Trust,
    /// True if the names are letters: those run across a board, whichever coordinate comes first.
    pub letters: bool,
    places: HashMap<TermId, usize>,
}

impl Axis {
    /// The order of the names.
    pub fn of(vocabulary: &Vocabulary, facts: &[Facts], names: &[TermId]) -> Axis {
        let text = |term: TermId| vocabulary.rules().symbols.name(vocabulary.terms().functor(term));
        let constant = names.iter().all(|&name| vocabulary.terms().is_constant(name));
        let letter = |name: &str| name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic();
        let letters = constant && names.len() > 2 && names.iter().all(|&name| letter(text(name)));
        let numbers = constant.then(|| by_number(names, text)).flatten();
        let (chain, ring) = match by_successors(facts, names) {
            Some((chain, false)) => (Some(chain), None),
            Some((ring, true)) => (None, Some(ring)),
            None => (None, None),
        };
        if let Some(mut chain) = chain {
            // Of a relation and its inverse, the one that counts upwards.
            let falls = |order: &[TermId], sorted: &[TermId]| order.first() != sorted.first();
            let sorted = if letters { Some(by_letter(names, text)) } else { numbers };
            if sorted.is_some_and(|sorted| falls(&chain, &sorted)) {
                chain.reverse();
            }
            return Axis::ordered(chain, Trust::Successors, letters);
        }
        match numbers {
            Some(order) => {
                let whole = order.iter().all(|&name| text(name).bytes().all(|byte| byte.is_ascii_digit()));
                Axis::ordered(order, if whole { Trust::Numbers } else { Trust::Stems }, false)
            }
            None if letters => {
                let trust = if ring.is_some() { Trust::Ring } else { Trust::Letters };
                Axis::ordered(by_letter(names, text), trust, true)
            }
            None if ring.is_some() => Axis::ordered(ring.unwrap_or_default(), Trust::Ring, false),
            None => Axis::ordered(names.to_vec(), Trust::Mentioned, false),
        }
    }

    /// The order of names that stand for two: by the first, then by the second.
    pub fn of_pairs(
        names: &[TermId],
        parts: impl Fn(TermId) -> Option<(TermId, TermId)>,
        axis: impl Fn(&[TermId]) -> Axis,
    ) -> Axis {
        let both: Vec<(TermId, TermId)> = names.iter().filter_map(|&name| parts(name)).collect();
        let distinct = |of: fn(&(TermId, TermId)) -> TermId| {
            let mut names: Vec<TermId> = both.iter().map(of).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let (first, second) = (axis(&distinct(|pair| pair.0)), axis(&distinct(|pair| pair.1)));
        let mut order = names.to_vec();
        order.sort_by_key(|&name| parts(name).map(|(a, b)| (first.place(a), second.place(b))));
        Axis::ordered(order, first.trust.min(second.trust), false)
    }

    fn ordered(names: Vec<TermId>, trust: Trust, letters: bool) -> Axis {
        let places = names.iter().enumerate().map(|(place, &name)| (name, place)).collect();
        Axis { names, trust, letters, places }
    }

    /// Where the name stands.
    pub fn place(&self, name: TermId) -> Option<usize> {
        self.places.get(&name).copied()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }
}

fn by_letter<'v>(names: &[TermId], text: impl Fn(TermId) -> &'v str) -> Vec<TermId> {
    let mut order = names.to_vec();
    order.sort_by_key(|&name| text(name));
    order
}

/// Names that are numbers, or numbers behind a common stem (`c1` to `c8`).
fn by_number<'v>(names: &[TermId], text: impl Fn(TermId) -> &'v str) -> Option<Vec<TermId>> {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let first = text(*names.first()?);
    let number = |&term: &TermId| {
        let name = text(term);
        let same = name[..stem(name)] == first[..stem(first)];
        same.then(|| name[stem(name)..].parse::<u64>().ok()).flatten().map(|number| (number, term))
    };
    let mut keyed = names.iter().map(number).collect::<Option<Vec<_>>>()?;
    keyed.sort_unstable();
    Some(keyed.into_iter().map(|(_, name)| name).collect())
}

/// The order that a relation of the facts gives, if one leads from each name to the next; and whether the last leads to
/// the first again. The relation may have more arguments: then those with the same other arguments are a relation of
/// their own, such as `(step north 1 2)`.
fn by_successors(facts: &[Facts], names: &[TermId]) -> Option<(Vec<TermId>, bool)> {
    if names.len() < 2 {
        return None;
    }
    // What relates two names alone says more than what relates them among others.
    let (pairs, wider): (Vec<&Facts>, Vec<&Facts>) = facts.iter().partition(|facts| width(facts) == 2);
    let among: HashSet<TermId> = names.iter().copied().collect();
    let chains = |facts: &[&Facts]| {
        let mut ring = None;
        for facts in facts.iter().filter(|facts| (2..=4).contains(&width(facts))) {
            for pairs in relations(facts, &among) {
                match chain(names, &pairs) {
                    Some((order, false)) => return Some((order, false)),
                    Some((order, true)) => ring = ring.or(Some((order, true))),
                    None => {}
                }
            }
        }
        ring
    };
    chains(&pairs).or_else(|| chains(&wider))
}

fn width(facts: &Facts) -> usize {
    facts.rows.first().map_or(0, Vec::len)
}

/// Every two arguments as a relation of these names, one for each choice of the others.
fn relations(facts: &Facts, among: &HashSet<TermId>) -> Vec<Vec<(TermId, TermId)>> {
    let width = width(facts);
    let mut found = Vec::new();
    for from in 0..width {
        for to in from + 1..width {
            let mut groups: BTreeMap<Vec<TermId>, Vec<(TermId, TermId)>> = BTreeMap::new();
            let both = |row: &&Vec<TermId>| among.contains(&row[from]) && among.contains(&row[to]);
            for row in facts.rows.iter().filter(both) {
                let others = (0..width).filter(|&i| i != from && i != to).map(|i| row[i]).collect();
                groups.entry(others).or_default().push((row[from], row[to]));
            }
            found.extend(groups.into_values());
        }
    }
    found
}

/// The names as a path through the pairs, each led to once; and whether the last leads to the first again. A total
/// order that lists all pairs is one as well.
fn chain(names: &[TermId], pairs: &[(TermId, TermId)]) -> Option<(Vec<TermId>, bool)> {
    let count = names.len();
    let mut leads: HashMap<TermId, Vec<TermId>> = HashMap::new();
    for &(from, to) in pairs.iter().filter(|(from, to)| from != to) {
        leads.entry(from).or_default().push(to);
    }
    if count > 2 && pairs.len() >= count * (count - 1) / 2 {
        // Each leads to all behind it.
        let mut order = names.to_vec();
        order.sort_by_key(|name| std::cmp::Reverse(leads.get(name).map_or(0, Vec::len)));
        let place: HashMap<TermId, usize> = order.iter().enumerate().map(|(i, &name)| (name, i)).collect();
        let total = leads.values().map(Vec::len).sum::<usize>() == count * (count - 1) / 2;
        let upwards = pairs.iter().all(|(from, to)| from == to || place[from] < place[to]);
        return (total && upwards).then_some((order, false));
    }
    if leads.values().any(|to| to.len() > 1) || leads.len() + 1 < count {
        return None;
    }
    let reached: HashSet<TermId> = leads.values().map(|to| to[0]).collect();
    if reached.len() != leads.len() {
        return None;
    }
    let starts: Vec<TermId> = names.iter().copied().filter(|name| !reached.contains(name)).collect();
    let (start, cyclic) = match starts.as_slice() {
        [start] => (*start, false),
        [] => (*names.first()?, true),
        _ => return None,
    };
    let mut order = vec![start];
    let mut at = start;
    while let Some(&next) = leads.get(&at).and_then(|to| to.first()).filter(|&&next| next != start) {
        order.push(next);
        at = next;
        if order.len() > count {
            return None;
        }
    }
    (order.len() == count).then_some((order, cyclic))
}
