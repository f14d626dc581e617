//! Patterns with one exception: rules that are alike for two roles but for one, and numbers that count but for one.

use super::Suspicion;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::domains::{Domain, Domains, Functor};
use ludex_gdl::rules::{Atom, Literal, RelationId, Rule, Term, Variable};
use ludex_gdl::syntax::Span;
use ludex_gdl::{Keyword, Rules, Symbol};

/// Fewer twins are no pattern.
const FEWEST_TWINS: usize = 6;

/// Fewer numbers do not count.
const FEWEST_NUMBERS: usize = 3;

/// More exceptions are a pattern of their own.
const MOST_EXCEPTIONS: usize = 2;

/// What looks like a slip in the text alone.
pub(super) fn look(rules: &Rules) -> Vec<Suspicion> {
    let mut found = Vec::new();
    let roles: Vec<Symbol> = rules
        .rules_for(rules.keyword(Keyword::Role))
        .iter()
        .filter_map(|&id| match rules.rule(id).head.arguments.first() {
            Some(Term::Constant(role)) => Some(*role),
            _ => None,
        })
        .collect();
    if let [a, b] = roles.as_slice() {
        twins(rules, *a, *b, &mut found);
    }
    counting(rules, &mut found);
    grids(rules, &mut found);
    one_sided(rules, &roles, &mut found);
    crossed(rules, &mut found);
    beginnings(rules, &mut found);
    found
}

/// The facts of one name, and where the first stands.
type Table<'r> = (Vec<&'r [Term]>, Span);

/// Facts of the initial state that fill a grid of all combinations, but for one. Other facts may leave out one on
/// purpose, such as the direction that leads nowhere.
fn grids(rules: &Rules, found: &mut Vec<Suspicion>) {
    let init = rules.keyword(Keyword::Init);
    let mut tables: HashMap<(Symbol, usize), Table<'_>> = HashMap::new();
    for rule in rules.rules().iter().filter(|rule| rule.body.is_empty() && rule.head.relation == init) {
        let Some(Term::Compound(name, arguments)) = rule.head.arguments.first() else { continue };
        if arguments.len() > 1 && arguments.iter().all(|a| matches!(a, Term::Constant(_))) {
            let table = tables.entry((*name, arguments.len())).or_insert((Vec::new(), rule.places.clause));
            table.0.push(arguments);
        }
    }
    let mut tables: Vec<_> = tables.into_iter().collect();
    tables.sort_by_key(|(_, (_, span))| *span);
    for ((name, arity), (rows, span)) in tables {
        // The last argument may be the value of the place that the others are.
        for width in [arity, arity - 1].into_iter().filter(|&width| width > 1) {
            let keys: HashSet<&[Term]> = rows.iter().map(|row| &row[..width]).collect();
            let values = |at: usize| rows.iter().map(|row| &row[at]).collect::<HashSet<&Term>>().len();
            let size = (0..width).map(values).fold(1usize, usize::saturating_mul);
            if keys.len() == rows.len() && size >= 6 && size - keys.len() == 1 {
                let name = rules.symbols.name(name);
                found.push(Suspicion {
                    kind: "incomplete-grid",
                    span,
                    message: format!(
                        "the initial facts for `{name}` have {} of {size} combinations of their values",
                        keys.len()
                    ),
                    hint: "is the last one left out on purpose?".to_owned(),
                    moves: Vec::new(),
                    repair: None,
                });
                break;
            }
        }
    }
}

/// Helpers that speak of one role only, while a variable that may be any role reads them.
fn one_sided(rules: &Rules, roles: &[Symbol], found: &mut Vec<Suspicion>) {
    if roles.len() < 2 {
        return;
    }
    let domains = Domains::of(rules);
    // Which arguments are read with a variable that stands for all roles.
    let mut read: HashSet<(RelationId, usize)> = HashSet::new();
    for rule in rules.rules() {
        let mut wide: HashSet<Variable> = HashSet::new();
        let atoms = || rule.body.iter().filter_map(Literal::positive);
        let has_all = |domain: &Domain| roles.iter().all(|role| domain.constants.contains(role));
        for atom in atoms() {
            for (position, term) in atom.arguments.iter().enumerate() {
                match term {
                    Term::Variable(v) if has_all(domains.argument(atom.relation, position)) => {
                        wide.insert(*v);
                    }
                    Term::Compound(name, inside) => {
                        for (at, term) in inside.iter().enumerate() {
                            if let Term::Variable(v) = term
                                && has_all(domains.inside((*name, inside.len()), at))
                            {
                                wide.insert(*v);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        for atom in atoms() {
            for (position, term) in atom.arguments.iter().enumerate() {
                if matches!(term, Term::Variable(v) if wide.contains(v)) {
                    read.insert((atom.relation, position));
                }
            }
        }
    }
    for relation in rules.relations().filter(|&relation| rules.relation(relation).keyword.is_none()) {
        let Some(&first) = rules.rules_for(relation).first() else { continue };
        for position in (0..rules.relation(relation).arity).filter(|&at| read.contains(&(relation, at))) {
            let domain = domains.argument(relation, position);
            let known = roles.iter().filter(|role| domain.constants.contains(role)).count();
            let are_facts = rules.rules_for(relation).iter().all(|&id| rules.rule(id).body.is_empty());
            if known > 0 && known < roles.len() && (domain.constants.len() == known || are_facts) {
                let missing = roles.iter().find(|role| !domain.constants.contains(role));
                let missing = missing.map_or("", |role| rules.symbols.name(*role));
                let name = rules.symbols.name(rules.relation(relation).name);
                found.push(Suspicion {
                    kind: "one-sided",
                    span: rules.rule(first).places.clause,
                    message: format!(
                        "`{name}` says nothing of `{missing}`, though it is asked for all roles"
                    ),
                    hint: format!("is a rule for `{missing}` missing, or is its name wrong in one?"),
                    moves: Vec::new(),
                    repair: None,
                });
            }
        }
    }
}

/// The fact that leads from the last number to the first again, or stays there.
fn goes_round(fact: &[i64], facts: &[(Vec<i64>, Span)]) -> bool {
    let others = || facts.iter().map(|(other, _)| other.as_slice()).filter(|other| *other != fact);
    let least = others().filter_map(|other| other.first()).min();
    let most = others().filter_map(|other| other.last()).max();
    matches!(fact, [from, to] if most == Some(from) && (least == Some(to) || from == to))
}

/// A rule with two names exchanged.
pub(crate) fn swapped(rule: &Rule, a: Symbol, b: Symbol) -> (Atom, Vec<Literal>) {
    fn term(from: &Term, a: Symbol, b: Symbol) -> Term {
        match from {
            Term::Constant(name) if *name == a => Term::Constant(b),
            Term::Constant(name) if *name == b => Term::Constant(a),
            Term::Compound(name, list) => Term::Compound(*name, list.iter().map(|t| term(t, a, b)).collect()),
            other => other.clone(),
        }
    }
    let atom = |from: &Atom| Atom {
        relation: from.relation,
        arguments: from.arguments.iter().map(|t| term(t, a, b)).collect(),
    };
    let body = rule.body.iter().map(|literal| match literal {
        Literal::Positive(p) => Literal::Positive(atom(p)),
        Literal::Negative(n) => Literal::Negative(atom(n)),
        Literal::Distinct(l, r) => Literal::Distinct(term(l, a, b), term(r, a, b)),
    });
    (atom(&rule.head), body.collect())
}

/// Rules that have no twin for the other role, where nearly all have one.
fn twins(rules: &Rules, a: Symbol, b: Symbol, found: &mut Vec<Suspicion>) {
    // The order of the conditions does not count.
    let sorted = |(head, mut body): (Atom, Vec<Literal>)| {
        body.sort_unstable();
        (head, body)
    };
    let all: HashSet<(Atom, Vec<Literal>)> =
        rules.rules().iter().map(|rule| sorted((rule.head.clone(), rule.body.clone()))).collect();
    let (mut twins, mut single) = (0, Vec::new());
    for rule in rules.rules().iter().filter(|rule| !rule.body.is_empty()) {
        let image = swapped(rule, a, b);
        if (&image.0, &image.1) == (&rule.head, &rule.body) {
            continue;
        }
        if all.contains(&sorted(image)) {
            twins += 1;
        } else {
            single.push(rule);
        }
    }
    if twins < FEWEST_TWINS || single.is_empty() || single.len() > MOST_EXCEPTIONS {
        return;
    }
    let (a, b) = (rules.symbols.name(a), rules.symbols.name(b));
    for rule in single {
        found.push(Suspicion {
            kind: "no-twin",
            span: rule.places.clause,
            message: format!("{twins} rules have a twin with `{a}` and `{b}` exchanged, this one has none"),
            hint: "is a name wrong here or in its twin, a condition missing, or the twin itself?".to_owned(),
            moves: Vec::new(),
            repair: None,
        });
    }
}

/// Fluents that come about only where one of the same name holds already, or of another that never begins, with none at
/// first: they never hold.
fn beginnings(rules: &Rules, found: &mut Vec<Suspicion>) {
    let functor = |term: Option<&Term>| match term {
        Some(Term::Constant(name)) => Some((*name, 0)),
        Some(Term::Compound(name, arguments)) => Some((*name, arguments.len())),
        _ => None,
    };
    let heads = |keyword: Keyword| {
        let ids = rules.rules_for(rules.keyword(keyword)).iter();
        ids.map(|&id| rules.rule(id)).map(move |rule| (functor(rule.head.arguments.first()), rule))
    };
    let held = rules.keyword(Keyword::True);
    if heads(Keyword::Init).chain(heads(Keyword::Next)).any(|(name, _)| name.is_none()) {
        return;
    }
    let mut begun: HashSet<Functor> = heads(Keyword::Init).filter_map(|(name, _)| name).collect();
    loop {
        let before = begun.len();
        for (name, rule) in heads(Keyword::Next) {
            let mut conditions = rule.body.iter().filter_map(Literal::positive);
            let is_possible = |atom: &Atom| {
                atom.relation != held
                    || functor(atom.arguments.first()).is_none_or(|name| begun.contains(&name))
            };
            if conditions.all(is_possible) {
                begun.extend(name);
            }
        }
        if begun.len() == before {
            break;
        }
    }
    let mut told: HashSet<Functor> = HashSet::new();
    for (name, rule) in heads(Keyword::Next) {
        let Some(name) = name.filter(|name| !begun.contains(name)) else { continue };
        if told.insert(name) {
            let name = rules.symbols.name(name.0);
            found.push(Suspicion {
                kind: "never-begins",
                span: rule.places.clause,
                message: format!(
                    "`{name}` never holds: nothing brings it about but what does not hold either"
                ),
                hint: format!("is a fact `(init ({name} ...))` missing?"),
                moves: Vec::new(),
                repair: None,
            });
        }
    }
}

/// Clauses that speak of a fluent with several variables, of which one exchanges two of them.
const FEWEST_CLAUSES: usize = 5;

/// A variable that stands in one place of a fluent and, in the same clause, in another place of another fluent of that
/// name, where no other clause mixes the two: rows and columns exchanged.
fn crossed(rules: &Rules, found: &mut Vec<Suspicion>) {
    let held = [Keyword::True, Keyword::Next, Keyword::Init].map(|keyword| rules.keyword(keyword));
    // For each pair of places the clauses that use both, and those that mix them.
    let mut uses: HashMap<(Functor, usize, usize), (usize, Vec<Span>)> = HashMap::new();
    for rule in rules.rules() {
        let conditions = rule.body.iter().filter_map(|l| l.positive().or(l.negative()));
        let atoms = conditions.chain([&rule.head]).filter(|atom| held.contains(&atom.relation));
        let mut terms: HashMap<Functor, Vec<&[Term]>> = HashMap::new();
        for atom in atoms {
            if let Some(Term::Compound(name, arguments)) = atom.arguments.first() {
                terms.entry((*name, arguments.len())).or_default().push(arguments);
            }
        }
        for (functor, list) in terms {
            for first in 0..functor.1 {
                for second in first + 1..functor.1 {
                    let all_variables = list.iter().all(|arguments| {
                        [first, second].iter().all(|&at| matches!(arguments[at], Term::Variable(_)))
                    });
                    if !all_variables || list.len() < 2 {
                        continue;
                    }
                    let is_mixed = list.iter().enumerate().any(|(at, one)| {
                        let others = list.iter().enumerate().filter(|(other, _)| *other != at);
                        others.clone().any(|(_, other)| one[first] == other[second])
                            && one[first] != one[second]
                    });
                    let entry = uses.entry((functor, first, second)).or_default();
                    entry.0 += 1;
                    // A clause with `or` is several rules.
                    if is_mixed && !entry.1.contains(&rule.places.clause) {
                        entry.1.push(rule.places.clause);
                    }
                }
            }
        }
    }
    let is_odd = |(clauses, mixed): &(usize, Vec<Span>)| mixed.len() == 1 && *clauses >= FEWEST_CLAUSES;
    // Whoever mixes several pairs of places means to.
    let mut odd: HashMap<Functor, usize> = HashMap::new();
    for ((functor, ..), found) in &uses {
        *odd.entry(*functor).or_default() += usize::from(is_odd(found));
    }
    for ((functor, first, second), found_in) in uses {
        if odd.get(&functor) == Some(&1) && is_odd(&found_in) {
            let span = &found_in.1[0];
            let name = rules.symbols.name(functor.0);
            found.push(Suspicion {
                kind: "crossed-arguments",
                span: *span,
                message: format!(
                    "a variable stands in argument {} of `{name}` and in argument {} of another one, which no other \
                     clause does",
                    first + 1,
                    second + 1
                ),
                hint: "are two arguments exchanged?".to_owned(),
                moves: Vec::new(),
                repair: None,
            });
        }
    }
}

/// Facts `(next 1 2) (next 2 3) ...` and `(index 1) (index 2) ...` with one that is missing or goes the wrong way.
fn counting(rules: &Rules, found: &mut Vec<Suspicion>) {
    let number = |term: &Term| match term {
        Term::Constant(name) => rules.symbols.name(*name).parse::<i64>().ok(),
        _ => None,
    };
    for relation in rules.relations().filter(|&relation| rules.relation(relation).keyword.is_none()) {
        let ids = rules.rules_for(relation);
        let arity = rules.relation(relation).arity;
        if !(1..=2).contains(&arity) || ids.len() < FEWEST_NUMBERS {
            continue;
        }
        let facts: Option<Vec<(Vec<i64>, Span)>> = ids
            .iter()
            .map(|&id| {
                let rule = rules.rule(id);
                let numbers: Option<Vec<i64>> = rule.head.arguments.iter().map(number).collect();
                Some((numbers.filter(|_| rule.body.is_empty())?, rule.places.clause))
            })
            .collect();
        let Some(facts) = facts else { continue };
        let name = rules.symbols.name(rules.relation(relation).name);
        let mut tell = |span: Span, message: String| {
            let hint = "all other facts of the relation count up by one; is it meant?".to_owned();
            found.push(Suspicion { kind: "counting", span, message, hint, moves: Vec::new(), repair: None });
        };
        let step = |fact: &[i64]| if let [from, to] = fact { to - from } else { 1 };
        let odd: Vec<&(Vec<i64>, Span)> = facts.iter().filter(|(fact, _)| step(fact) != 1).collect();
        if let [(fact, span)] = odd.as_slice()
            && !goes_round(fact, &facts)
        {
            tell(*span, format!("this fact of `{name}` does not count up by one"));
        }
        if !odd.is_empty() {
            continue;
        }
        let first: HashSet<i64> = facts.iter().map(|(fact, _)| fact[0]).collect();
        let (Some(&least), Some(&most)) = (first.iter().min(), first.iter().max()) else { continue };
        if most - least == first.len() as i64
            && let Some(gap) = (least..most).find(|n| !first.contains(n))
            && let Some((_, span)) = facts.iter().find(|(fact, _)| fact[0] == gap - 1)
        {
            tell(*span, format!("`{name}` counts from {least} to {most}, but for {gap}"));
        }
    }
}
