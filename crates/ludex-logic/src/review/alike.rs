//! Patterns with one exception: rules that are alike for two roles but for one, and numbers that count but for one.

use super::Suspicion;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::rules::{Atom, Literal, RelationId, Rule, Term, Variable};
use ludex_gdl::syntax::Span;
use ludex_gdl::{Keyword, Rules, Symbol};

/// Fewer twins are no pattern.
const FEWEST_TWINS: usize = 6;

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
        for atom in atoms() {
            for (position, term) in atom.arguments.iter().enumerate() {
                let domain = domains.argument(atom.relation, position);
                if let Term::Variable(v) = term
                    && roles.iter().all(|role| domain.constants.contains(role))
                {
                    wide.insert(*v);
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
            if known > 0 && known < roles.len() && domain.constants.len() == known {
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

fn swapped(rule: &Rule, a: Symbol, b: Symbol) -> (Atom, Vec<Literal>) {
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

/// Facts `(next 1 2) (next 2 3) ...` and `(index 1) (index 2) ...` with one that is missing or goes the wrong way.
fn counting(rules: &Rules, found: &mut Vec<Suspicion>) {
    let number = |term: &Term| match term {
        Term::Constant(name) => rules.symbols.name(*name).parse::<i64>().ok(),
        _ => None,
    };
    for relation in rules.relations().filter(|&relation| rules.relation(relation).keyword.is_none()) {
        let ids = rules.rules_for(relation);
        let arity = rules.relation(relation).arity;
        if !(1..=2).contains(&arity) || ids.len() < 4 {
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
        if let [(_, span)] = odd.as_slice() {
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
