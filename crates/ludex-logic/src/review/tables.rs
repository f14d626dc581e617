//! Tables of facts with a gap: nearly everything that a fluent can have in a place is listed, and one value is not.

use super::Suspicion;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::domains::{Domains, Functor};
use ludex_gdl::rules::{Literal, RelationId, Rules, Term, Variable};
use ludex_gdl::{Keyword, Symbol};

/// Smaller domains have no pattern.
const FEWEST_VALUES: usize = 4;

/// What looks like a fact that is missing.
pub(super) fn look(rules: &Rules) -> Vec<Suspicion> {
    let domains = Domains::of(rules);
    let mut found = Vec::new();
    let joined = joins(rules);
    for relation in rules.relations().filter(|&relation| rules.relation(relation).keyword.is_none()) {
        let Some(table) = table(rules, relation) else { continue };
        let columns = columns(&table);
        for (position, keys) in columns.iter().enumerate() {
            let Some(places) = joined.get(&(relation, position)) else { continue };
            let mut places: Vec<_> = places.iter().copied().collect();
            places.sort_unstable();
            for (functor, at) in places {
                let domain = &domains.inside(functor, at).constants;
                let missing: Vec<Symbol> =
                    domain.iter().copied().filter(|name| !keys.contains(name)).collect();
                let [missing] = missing.as_slice() else { continue };
                let names: Vec<&str> = domain.iter().map(|&name| rules.symbols.name(name)).collect();
                if domain.len() < FEWEST_VALUES || !are_numbered(&names) {
                    continue;
                }
                let (table, fluent) = (name(rules, relation), rules.symbols.name(functor.0));
                let missing = rules.symbols.name(*missing);
                found.push(Suspicion {
                    kind: "incomplete-table",
                    span: rules.rule(rules.rules_for(relation)[0]).places.clause,
                    message: format!(
                        "`{table}` has no fact for {missing}, which argument {} of `{fluent}` can have, and has one \
                         for all others",
                        at + 1
                    ),
                    hint: format!("is a fact for {missing} missing, or a number wrong in one?"),
                    moves: Vec::new(),
                    repair: None,
                });
            }
        }
    }
    found.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
    found.dedup_by_key(|suspicion| suspicion.span);
    found
}

fn name(rules: &Rules, relation: RelationId) -> &str {
    rules.symbols.name(rules.relation(relation).name)
}

/// The facts of a relation that has nothing but facts, and constants in them.
fn table(rules: &Rules, relation: RelationId) -> Option<Vec<Vec<Symbol>>> {
    let ids = rules.rules_for(relation);
    if ids.len() < FEWEST_VALUES - 2 || rules.relation(relation).arity == 0 {
        return None;
    }
    let row = |&id| {
        let rule = rules.rule(id);
        let constants = rule.head.arguments.iter().map(|term| match term {
            Term::Constant(name) => Some(*name),
            _ => None,
        });
        rule.body.is_empty().then(|| constants.collect::<Option<Vec<Symbol>>>())?
    };
    ids.iter().map(row).collect()
}

/// What stands in each column. In a table that leads from values to values of one kind the last leads nowhere, so both
/// columns count as one.
fn columns(table: &[Vec<Symbol>]) -> Vec<HashSet<Symbol>> {
    let width = table.first().map_or(0, Vec::len);
    let mut columns: Vec<HashSet<Symbol>> =
        (0..width).map(|at| table.iter().map(|row| row[at]).collect()).collect();
    for first in 0..width {
        for second in first + 1..width {
            let common = columns[first].intersection(&columns[second]).count();
            if common > 0 && 2 * common >= columns[first].len().min(columns[second].len()) {
                let union: HashSet<Symbol> = columns[first].union(&columns[second]).copied().collect();
                columns[first].clone_from(&union);
                columns[second] = union;
            }
        }
    }
    columns
}

/// Numbers, or names that are numbered: `c1`, `c2`.
fn are_numbered(names: &[&str]) -> bool {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let first = names.first().map(|name| &name[..stem(name)]);
    names.iter().all(|name| stem(name) < name.len() && Some(&name[..stem(name)]) == first)
}

/// For each argument of a relation the places of fluents that conditions share a variable with.
fn joins(rules: &Rules) -> HashMap<(RelationId, usize), HashSet<(Functor, usize)>> {
    let held = rules.keyword(Keyword::True);
    let mut joins: HashMap<(RelationId, usize), HashSet<(Functor, usize)>> = HashMap::new();
    for rule in rules.rules() {
        let mut places: HashMap<Variable, Vec<(Functor, usize)>> = HashMap::new();
        let atoms = || rule.body.iter().filter_map(Literal::positive);
        for atom in atoms().filter(|atom| atom.relation == held) {
            let Some(Term::Compound(name, arguments)) = atom.arguments.first() else { continue };
            for (at, term) in arguments.iter().enumerate() {
                if let Term::Variable(v) = term {
                    places.entry(*v).or_default().push(((*name, arguments.len()), at));
                }
            }
        }
        for atom in atoms() {
            for (position, term) in atom.arguments.iter().enumerate() {
                if let Term::Variable(v) = term
                    && let Some(places) = places.get(v)
                {
                    joins.entry((atom.relation, position)).or_default().extend(places);
                }
            }
        }
    }
    joins
}
