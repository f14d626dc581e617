//! Facts in words that a game designer understands.

use crate::facts::{Facts, Turns};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Functor;
use std::collections::BTreeMap;

/// A fact, or several of one shape, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What kind of fact: a stable word for programs.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
    /// How many facts it stands for.
    pub count: usize,
}

/// The facts as sentences, the most telling first.
pub fn statements(facts: &Facts, vocabulary: &Vocabulary) -> Vec<Statement> {
    let mut list = Vec::new();
    let mut say = |kind, text: String, count| list.push(Statement { kind, text, count });
    if let Turns::Alternate { control } = &facts.turns {
        say("turn-taking", "the players take turns: at most one has a choice at any time".to_owned(), 1);
        if !control.is_empty() {
            let parts: Vec<String> = control
                .iter()
                .map(|&(f, role)| {
                    format!("{} means {}", vocabulary.show_fluent(f), vocabulary.show_role(role))
                })
                .collect();
            say("control", format!("the state says whose turn it is: {}", parts.join(", ")), 1);
        }
    }
    if facts.playable {
        say("playable", "every player always has a move until the game ends".to_owned(), 1);
    }
    if let Some(length) = facts.length {
        say("length", format!("every match ends, after at most {length} moves"), 1);
    }
    if facts.unique_goals {
        say("unique-goals", "at the end every player has exactly one result".to_owned(), 1);
    }
    if let Some(sum) = facts.goal_sum {
        say("constant-sum", format!("the results of all players add up to {sum}"), 1);
    }
    for exactly in [true, false] {
        let groups = facts.groups.iter().filter(|group| group.exactly == exactly);
        let (kind, number) =
            if exactly { ("exactly-one", "exactly one") } else { ("at-most-one", "at most one") };
        for (shape, count) in counted(groups.map(|group| shape(vocabulary, &group.fluents))) {
            let each =
                if count > 1 { format!(" for each of the {count} values of `*`") } else { String::new() };
            say(kind, format!("{number} of {shape} holds{each}"), count);
        }
    }
    for value in [true, false] {
        let fluents = facts.constants.iter().filter(|(_, constant)| *constant == value);
        let word = if value { "always" } else { "never" };
        for (name, count) in counted(fluents.map(|&(fluent, _)| name(vocabulary, fluent))) {
            say("constant", format!("{name} {word} holds ({count} of them)"), count);
        }
        let fluents = facts.persistent.iter().filter(|(_, stays)| *stays == value);
        let word = if value { "once it holds, holds" } else { "once it no longer holds, does not hold" };
        for (name, count) in counted(fluents.map(|&(fluent, _)| name(vocabulary, fluent))) {
            say("persistence", format!("{name} {word} for good ({count} of them)"), count);
        }
    }
    let pairs =
        facts.mutexes.iter().map(|&(a, b)| format!("{} and {}", name(vocabulary, a), name(vocabulary, b)));
    for (names, count) in counted(pairs) {
        say("mutex", format!("{names}: {count} pairs never hold together"), count);
    }
    for pair in &facts.impossible {
        let side = |(role, functor): (RoleId, Functor)| {
            format!("{} by {}", show(vocabulary, functor), vocabulary.show_role(role))
        };
        say(
            "impossible-moves",
            format!("{} and {} never go together", side(pair.first), side(pair.second)),
            1,
        );
    }
    list
}

/// Equal texts counted, in their order.
fn counted(texts: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// The name of a fluent with a place for each argument.
fn name(vocabulary: &Vocabulary, fluent: FluentId) -> String {
    let terms = vocabulary.terms();
    let term = vocabulary.fluent(fluent);
    show(vocabulary, (terms.functor(term), terms.arguments(term).len()))
}

fn show(vocabulary: &Vocabulary, (name, arity): Functor) -> String {
    let name = vocabulary.rules().symbols.name(name);
    if arity == 0 { name.to_owned() } else { format!("({name}{})", " _".repeat(arity)) }
}

/// A group: `*` where all its fluents agree, `_` where they differ.
fn shape(vocabulary: &Vocabulary, fluents: &[FluentId]) -> String {
    let terms = vocabulary.terms();
    let arguments: Vec<&[TermId]> =
        fluents.iter().map(|&fluent| terms.arguments(vocabulary.fluent(fluent))).collect();
    let functor = |fluent: &FluentId| {
        let term = vocabulary.fluent(*fluent);
        (terms.functor(term), terms.arguments(term).len())
    };
    let mut functors: Vec<Functor> = fluents.iter().map(functor).collect();
    functors.sort_unstable();
    functors.dedup();
    let [(name, arity)] = functors.as_slice() else {
        let parts: Vec<String> = functors.iter().map(|&functor| show(vocabulary, functor)).collect();
        return parts.join(" and ");
    };
    let places = (0..*arity)
        .map(|at| if arguments.iter().all(|list| list[at] == arguments[0][at]) { " *" } else { " _" });
    format!("({}{})", vocabulary.rules().symbols.name(*name), places.collect::<String>())
}
