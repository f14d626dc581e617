//! Groups of fluents of which exactly one holds at first: all of one name, or those that agree in all arguments but one.

use super::watched::TRACE;
use hashbrown::{HashMap, HashSet};
use ludex_engine::row::{self, Row};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::rules::Term;
use ludex_gdl::{Keyword, Rules};

/// A fluent name with more instances is not looked at.
const MOST_FLUENTS: usize = 20_000;

/// Groups of one fluent name, each of which has exactly one value at first.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// The name of the fluent and how many arguments it has.
    pub(super) name: String,
    pub(super) arguments: usize,
    /// The argument that is the value; `None` if the fluent holds for one tuple of arguments at a time.
    pub(super) value: Option<usize>,
    /// The group of each fluent of the vocabulary.
    group: Vec<Option<u32>>,
    /// The first fluent of each group, for its name.
    example: Vec<FluentId>,
    /// True if two groups have the same value at first: they are places rather than things.
    pub(super) is_board: bool,
    /// Groups without a value at first, where nearly all have one.
    pub(super) holes: Vec<u32>,
}

/// A group that no longer has exactly one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Break {
    pub(super) group: u32,
    pub(super) values: usize,
    /// How many groups of the family broke with it.
    pub(super) together: usize,
}

/// The arguments of fluents of that name that are constants wherever the rules bring one about: they say what kind of
/// fluent it is, as a name does.
fn tags(rules: &Rules, name: &str, arguments: usize) -> Vec<usize> {
    let heads = [Keyword::Init, Keyword::Next].into_iter().flat_map(|k| rules.rules_for(rules.keyword(k)));
    let mut is_tag = vec![true; arguments];
    let mut all = vec![Vec::new(); arguments];
    for &id in heads {
        let Some(Term::Compound(symbol, terms)) = rules.rule(id).head.arguments.first() else { continue };
        if rules.symbols.name(*symbol) == name && terms.len() == arguments {
            for (at, term) in terms.iter().enumerate() {
                is_tag[at] &= matches!(term, Term::Constant(_));
                all[at].push(term);
            }
        }
    }
    // With one value only it says nothing.
    (0..arguments).filter(|&at| is_tag[at] && all[at].iter().any(|term| *term != all[at][0])).collect()
}

/// The families of the initial state.
pub(super) fn families(rules: &Rules, vocabulary: &Vocabulary, initial: &Row) -> Vec<Family> {
    let terms = vocabulary.terms();
    let symbols = &vocabulary.rules().symbols;
    let mut by_name: HashMap<(&str, usize), Vec<FluentId>> = HashMap::new();
    for fluent in vocabulary.fluents() {
        let term = vocabulary.fluent(fluent);
        let name = (symbols.name(terms.functor(term)), terms.arguments(term).len());
        by_name.entry(name).or_default().push(fluent);
    }
    let mut names: Vec<_> = by_name
        .into_iter()
        .filter(|((name, count), list)| *count > 0 && list.len() <= MOST_FLUENTS && *name != TRACE)
        .collect();
    names.sort_unstable();
    let mut result = Vec::new();
    for ((name, arguments), fluents) in names {
        // Of fluents of several kinds only the kind that there is at first is one group.
        let tags = if arguments > 1 { tags(rules, name, arguments) } else { Vec::new() };
        let argument = |fluent: FluentId, at: usize| terms.arguments(vocabulary.fluent(fluent))[at];
        let first = fluents.iter().copied().find(|&fluent| row::holds(initial, fluent));
        let kind: Vec<FluentId> = match first {
            Some(first) => {
                let is_alike =
                    |&fluent: &FluentId| tags.iter().all(|&at| argument(fluent, at) == argument(first, at));
                fluents.iter().copied().filter(is_alike).collect()
            }
            None => fluents.clone(),
        };
        let whole = family(vocabulary, initial, name, arguments, None, &kind);
        match whole {
            Some(whole) => result.push(whole),
            None => result.extend(
                (0..arguments)
                    .rev()
                    .filter_map(|value| family(vocabulary, initial, name, arguments, Some(value), &fluents)),
            ),
        }
    }
    result
}

fn family(
    vocabulary: &Vocabulary,
    initial: &Row,
    name: &str,
    arguments: usize,
    value: Option<usize>,
    fluents: &[FluentId],
) -> Option<Family> {
    let terms = vocabulary.terms();
    let mut numbers: HashMap<Vec<TermId>, u32> = HashMap::new();
    let mut group = vec![None; vocabulary.fluent_count()];
    let mut example = Vec::new();
    let mut counts: Vec<usize> = Vec::new();
    let mut values: HashSet<TermId> = HashSet::new();
    let mut is_board = false;
    for &fluent in fluents {
        let all = terms.arguments(vocabulary.fluent(fluent));
        let key: Vec<TermId> = match value {
            None => Vec::new(),
            Some(value) => all.iter().enumerate().filter(|(at, _)| *at != value).map(|(_, &t)| t).collect(),
        };
        let number = *numbers.entry(key).or_insert_with(|| {
            example.push(fluent);
            counts.push(0);
            example.len() as u32 - 1
        });
        group[fluent.index()] = Some(number);
        if row::holds(initial, fluent) {
            counts[number as usize] += 1;
            if let Some(value) = value {
                is_board |= !values.insert(all[value]);
            }
        }
    }
    let holes: Vec<u32> = (0..counts.len() as u32).filter(|&g| counts[g as usize] == 0).collect();
    let full = counts.iter().all(|&count| count <= 1) && counts.contains(&1);
    // One hole in six groups is an exception, more are a pattern.
    let sound = full && (holes.is_empty() || (holes.len() == 1 && counts.len() >= 6 && is_board));
    // Values that never change are no groups, but a table.
    let varies = value.is_none() || fluents.len() > example.len();
    (sound && varies).then(|| Family {
        name: name.to_owned(),
        arguments,
        value,
        group,
        example,
        is_board,
        holes,
    })
}

impl Family {
    /// The first group that is broken in the state, and how many are.
    pub(super) fn broken(&self, state: &Row, counts: &mut Vec<usize>) -> Option<Break> {
        counts.clear();
        counts.resize(self.example.len(), 0);
        for fluent in row::fluents(state) {
            if let Some(Some(group)) = self.group.get(fluent.index()) {
                counts[*group as usize] += 1;
            }
        }
        let broken = |(at, &values): (usize, &usize)| {
            (values != 1 && !self.holes.contains(&(at as u32))).then_some((at as u32, values))
        };
        let all: Vec<(u32, usize)> = counts.iter().enumerate().filter_map(broken).collect();
        // Two values say more than none.
        let &(group, values) = all.iter().max_by_key(|(_, values)| *values)?;
        Some(Break { group, values, together: all.len() })
    }

    /// The fluent that holds, of those that are one group.
    pub(super) fn held(&self, state: &Row) -> Option<FluentId> {
        row::fluents(state).find(|fluent| self.group.get(fluent.index()).is_some_and(Option::is_some))
    }

    /// The group in words, with `?` for the value.
    pub(super) fn show(&self, vocabulary: &Vocabulary, group: u32) -> String {
        let term = vocabulary.fluent(self.example[group as usize]);
        let terms = vocabulary.terms();
        let symbols = &vocabulary.rules().symbols;
        let shown = terms.arguments(term).iter().enumerate().map(|(at, &argument)| {
            let is_key = self.value.is_some_and(|value| value != at);
            if is_key { terms.show(symbols, argument) } else { "?".to_owned() }
        });
        format!("({} {})", self.name, shown.collect::<Vec<_>>().join(" "))
    }

    /// How many groups there are.
    pub(super) fn len(&self) -> usize {
        self.example.len()
    }
}
