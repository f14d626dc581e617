//! Facts in words that a game designer understands, each with the formula that says the same (`formulas.rs`).

use super::formulas::{Formulas, TURN_TAKING, all};
use crate::facts::{Facts, Turns};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Functor;
use std::collections::BTreeMap;

/// A fact, or several of one shape, as a sentence and as a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// What kind of fact: a stable word for programs.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
    /// The same for the prover ([`Request::read`](crate::formula::Request::read)): a formula, or the name of
    /// a property. Of `length` it says that every match ends, not how soon.
    pub formula: String,
    /// How many facts it stands for.
    pub count: usize,
    /// The fluents that it speaks of, ascending; none where it is about matches as a whole.
    pub fluents: Vec<FluentId>,
}

/// The facts as sentences, the most telling first.
pub fn statements(facts: &Facts, vocabulary: &Vocabulary) -> Vec<Statement> {
    let formulas = Formulas(vocabulary);
    let mut list = Vec::new();
    let mut say = |kind, text: String, formula: String, count, mut fluents: Vec<FluentId>| {
        fluents.sort_unstable();
        fluents.dedup();
        list.push(Statement { kind, text, formula, count, fluents });
    };
    if let Turns::Alternate { control } = &facts.turns {
        let text = "the players take turns: at most one has a choice at any time";
        say("turn-taking", text.to_owned(), TURN_TAKING.to_owned(), 1, Vec::new());
        if !control.is_empty() {
            let parts: Vec<String> = control
                .iter()
                .map(|&(f, role)| {
                    format!("{} means {}", vocabulary.show_fluent(f), vocabulary.show_role(role))
                })
                .collect();
            let text = format!("the state says whose turn it is: {}", parts.join(", "));
            let fluents = control.iter().map(|&(fluent, _)| fluent).collect();
            say("control", text, formulas.control(control), 1, fluents);
        }
    }
    if facts.playable {
        let text = "every player always has a move until the game ends";
        say("playable", text.to_owned(), "playable".to_owned(), 1, Vec::new());
    }
    if let Some(length) = facts.length {
        let text = format!("every match ends, after at most {length} moves");
        say("length", text, "terminates".to_owned(), 1, Vec::new());
    }
    if facts.unique_goals {
        let text = "at the end every player has exactly one result";
        say("unique-goals", text.to_owned(), "unique-goals".to_owned(), 1, Vec::new());
    }
    if let Some(sum) = facts.goal_sum {
        let text = format!("the results of all players add up to {sum}");
        say("constant-sum", text, "constant-sum".to_owned(), 1, Vec::new());
    }
    for exactly in [true, false] {
        let groups = facts.groups.iter().filter(|group| group.exactly == exactly);
        let (kind, number) =
            if exactly { ("exactly-one", "exactly one") } else { ("at-most-one", "at most one") };
        for (shape, groups) in by_text(groups, |group| shape(vocabulary, &group.fluents)) {
            let count = groups.len();
            let each =
                if count > 1 { format!(" for each of the {count} values of `*`") } else { String::new() };
            let formula = all(groups.iter().map(|group| formulas.group(exactly, &group.fluents)));
            let fluents = groups.iter().flat_map(|group| group.fluents.iter().copied()).collect();
            say(kind, format!("{number} of {shape} holds{each}"), formula, count, fluents);
        }
    }
    for value in [true, false] {
        let of_value = |list: &[(FluentId, bool)]| -> Vec<FluentId> {
            list.iter().filter(|(_, other)| *other == value).map(|(fluent, _)| *fluent).collect()
        };
        let word = if value { "always" } else { "never" };
        for (name, fluents) in by_text(of_value(&facts.constants), |&fluent| name(vocabulary, fluent)) {
            let count = fluents.len();
            let formula = formulas.constant(value, &fluents);
            say("constant", format!("{name} {word} holds ({count} of them)"), formula, count, fluents);
        }
        let word = if value { "once it holds, holds" } else { "once it no longer holds, does not hold" };
        for (name, fluents) in by_text(of_value(&facts.persistent), |&fluent| name(vocabulary, fluent)) {
            let count = fluents.len();
            let formula = formulas.persistent(value, &fluents);
            say("persistence", format!("{name} {word} for good ({count} of them)"), formula, count, fluents);
        }
    }
    let names =
        |&(a, b): &(FluentId, FluentId)| format!("{} and {}", name(vocabulary, a), name(vocabulary, b));
    for (names, pairs) in by_text(facts.mutexes.iter().copied(), names) {
        let count = pairs.len();
        let fluents = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
        let text = format!("{names}: {count} pairs never hold together");
        say("mutex", text, formulas.mutexes(&pairs), count, fluents);
    }
    for pair in &facts.impossible {
        let side = |(role, functor): (RoleId, Functor)| {
            format!("{} by {}", show(vocabulary, functor), vocabulary.show_role(role))
        };
        let text = format!("{} and {} never go together", side(pair.first), side(pair.second));
        say("impossible-moves", text, formulas.impossible(pair), 1, Vec::new());
    }
    list
}

/// What goes under the same text, in the order of the texts.
fn by_text<T>(items: impl IntoIterator<Item = T>, text: impl Fn(&T) -> String) -> BTreeMap<String, Vec<T>> {
    let mut lists: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for item in items {
        lists.entry(text(&item)).or_default().push(item);
    }
    lists
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
