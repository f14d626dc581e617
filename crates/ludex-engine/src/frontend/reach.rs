//! The fluents and moves that play can reach, and nothing else: what the vocabulary numbers.
//!
//! They are those of the superset that `Base::relaxed` computes, but most of that superset leads to them by ways that
//! need not be gone. So the rules are made smaller first, and fewer while they are applied:
//! - what is next is true and what is legal is done, so one table serves for both;
//! - a rule that something stays true adds nothing;
//! - relations are replaced by the conditions of their rules (chess: the threats, and the moves of rooks and
//!   bishops past a square, 1.9 million atoms);
//! - conditions do without arguments that they leave open (`project.rs`);
//! - a rule ends when its table is full, or when the one atom that it gives is there, and with it whatever only
//!   it read.
//!
//! Whoever wants to know what other relations can hold, as the grounding of a network does, asks `Base::relaxed`.

use super::base::{Overrun, estimates, fill, fitting, needed_tables, relaxed_rules};
use super::evaluate::Store;
use super::program::{Arg, FlatAtom, FlatLiteral, FlatRule, FlatStratum, Program, TableId};
use super::project::{capacity, project};
use crate::budget::Budget;
use crate::error::BuildError;
use crate::outputs::Outputs;
use crate::terms::Terms;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::Game;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::rewrite::trails::without_trails;

/// With a table larger than this it is tried first whether computing some relations on demand takes less. (In Merrills, 4
/// million ways to count pieces, of which 120,000 are asked for.) The largest that is worth listing are the 259,202 moves
/// of amazonstorus.
const LARGE_TABLE: usize = 300_000;

/// A table that could have more rows than this is avoided where that is possible.
const LARGE_CAPACITY: usize = 300_000;

/// A table that can have no more rows than this is small: it is filled before the large ones.
const SMALL_CAPACITY: usize = 20_000;

/// A relation is replaced by the conditions of its rules where it is read at most so many times,
const MOST_CALLS: usize = 8;

/// no body becomes longer than this,
const MOST_CONDITIONS: usize = 24;

/// and, if it has several, at most these, not too many rules come of it.
const MOST_UNITED: usize = 8;
const MOST_VARIANTS: usize = 64;

/// The tables of fluents and moves filled with what play can reach, and usually with some that it cannot.
pub(crate) fn reach(game: &Game, budget: &Budget) -> Result<(Program, Store), BuildError> {
    let game = without_trails(game, &[]);
    let attempt = |most_rows: usize| {
        let outputs = Outputs { goals: false, ..Outputs::default() };
        fitting(&game, &outputs, Vec::new(), &Terms::default(), budget, |program, _| {
            fixpoint(program, budget, most_rows)
        })
    };
    attempt(LARGE_TABLE).or_else(|error| match error.limit() {
        Some(limit) if limit.is_final() => Err(error),
        _ => attempt(usize::MAX),
    })
}

fn fixpoint(mut program: Program, budget: &Budget, most_rows: usize) -> Result<(Program, Store), Overrun> {
    let wanted = program.fluents_and_moves();
    let mut rules = relaxed_rules(&program);
    merge_time(&program, &mut rules);
    rules.retain(|rule| !rule.body.contains(&FlatLiteral::Positive(rule.head.clone())));
    unfold(&mut rules, &wanted, &capacities(&program));
    let needed = needed_tables(&rules, program.tables.len(), &wanted);
    rules.retain(|rule| needed[rule.head.table.index()]);
    project(&mut program, &mut rules);
    let capacities = capacities(&program);
    let count = program.tables.len();
    let of_static = program.strata.iter().filter(|stratum| stratum.phase == Phase::Static);
    let all: Vec<FlatRule> = of_static.flat_map(|stratum| &stratum.rules).chain(&rules).cloned().collect();
    let read = needed_tables(&all, count, &[wanted.as_slice(), &[program.role]].concat());
    let mut store = program.empty_store();
    store.most_rows = most_rows;
    fill(&program, &mut store, budget, |table| read[table.index()])?;
    let known = estimates(&program, &store);
    let mut meter = budget.meter();
    let prune = |store: &Store, rules: &mut Vec<FlatRule>| {
        let before = rules.len();
        rules.retain(|rule| !is_exhausted(rule, store, &capacities));
        if rules.len() == before {
            return false;
        }
        let needed = needed_tables(rules, count, &wanted);
        rules.retain(|rule| needed[rule.head.table.index()]);
        true
    };
    let mut apply = |store: &mut Store, rules: Vec<FlatRule>| {
        let stratum = FlatStratum { rules, recursive: true, phase: Phase::Move };
        let heads = stratum.heads();
        let filled = store.apply_while_useful(stratum, &mut known.clone(), &mut meter, prune);
        filled.map_err(|limit| Overrun::new(&program, store, &heads, limit))
    };
    // What is small first, where something is large: with it there the large may be of no use any more. (Small rules that
    // only large ones read may be given up on the way; so all rules are applied again.)
    let capacity = |rule: &FlatRule| capacities[rule.head.table.index()];
    let is_wanted: HashSet<TableId> = wanted.iter().copied().collect();
    if rules.iter().any(|rule| capacity(rule) > LARGE_CAPACITY && !is_wanted.contains(&rule.head.table)) {
        apply(&mut store, rules.iter().filter(|rule| capacity(rule) <= SMALL_CAPACITY).cloned().collect())?;
        prune(&store, &mut rules);
    }
    apply(&mut store, rules)?;
    Ok((program, store))
}

/// Has what is next derived as true at once, and what is legal as done. What is true is more than what is next, so
/// the two stay apart where a rule reads what is next.
fn merge_time(program: &Program, rules: &mut Vec<FlatRule>) {
    let mut into: HashMap<TableId, TableId> = HashMap::new();
    // What is static is computed before the others, and copied.
    let is_static = |table: TableId| program.table(table).phase == Phase::Static;
    let moves = program.moves.iter().filter(|tables| !is_static(tables.legal));
    into.extend(moves.map(|tables| (tables.legal, tables.does)));
    let holds: HashMap<TableId, TableId> = program.fluents.iter().map(|f| (f.next, f.holds)).collect();
    let mut read: HashSet<TableId> = HashSet::new();
    for rule in rules.iter() {
        for table in called(rule) {
            if holds.get(&table).is_some_and(|&holds| rule.head.table != holds) {
                read.insert(table);
            }
        }
    }
    for tables in &program.fluents {
        if !read.contains(&tables.next) && !is_static(tables.next) {
            into.insert(tables.next, tables.holds);
        }
    }
    let rename = |atom: &mut FlatAtom| atom.table = *into.get(&atom.table).unwrap_or(&atom.table);
    for rule in rules {
        rename(&mut rule.head);
        for literal in &mut rule.body {
            if let FlatLiteral::Positive(atom) = literal {
                rename(atom);
            }
        }
    }
}

fn reads(rule: &FlatRule, table: TableId) -> bool {
    rule.body.iter().any(|literal| is_call(literal, table))
}

/// The tables that the positive conditions of a rule read.
fn called(rule: &FlatRule) -> impl Iterator<Item = TableId> {
    rule.body.iter().filter_map(|literal| match literal {
        FlatLiteral::Positive(atom) => Some(atom.table),
        _ => None,
    })
}

/// Replaces relations by the conditions of their rules, where that is worth while.
fn unfold(rules: &mut Vec<FlatRule>, wanted: &[TableId], capacities: &[usize]) {
    let wanted: HashSet<TableId> = wanted.iter().copied().collect();
    let mut heads: Vec<TableId> = rules.iter().map(|rule| rule.head.table).collect();
    heads.sort_unstable();
    heads.dedup();
    heads.retain(|table| !wanted.contains(table));
    let mut book = Rulebook::default();
    rules.drain(..).for_each(|rule| book.add(rule));
    // Twice, since a relation with one rule may have several once what it reads is replaced.
    for (table, most_rules) in
        heads.iter().map(|&table| (table, 1)).chain(heads.iter().map(|&table| (table, MOST_UNITED)))
    {
        let own = book.defining(table);
        let readers = book.reading(table);
        if own.len() > most_rules || readers.len() > MOST_VARIANTS {
            continue;
        }
        let others = readers.iter().filter_map(|&at| book.rules[at].as_ref()).collect::<Vec<_>>();
        let definitions: Vec<FlatRule> = own.iter().filter_map(|&at| book.rules[at].clone()).collect();
        let own_long = definitions.iter().filter(|rule| is_long(rule)).count();
        if book.long == own_long && is_worth_while(&definitions, &others, capacities[table.index()]) {
            own.into_iter().for_each(|at| drop(book.take(at)));
            let mut expanded = Vec::new();
            for rule in readers.into_iter().filter_map(|at| book.take(at)) {
                expand(rule, &definitions, &mut expanded);
            }
            expanded.into_iter().for_each(|rule| book.add(rule));
        }
    }
    // What is computed from others before them.
    rules.extend(book.rules.into_iter().flatten());
    rules.sort_by_key(|rule| match wanted.contains(&rule.head.table) {
        true => (true, None),
        false => (false, Some(std::cmp::Reverse(rule.head.table))),
    });
}

/// Rules that come and go, found by their heads and by what they read.
#[derive(Default)]
struct Rulebook {
    rules: Vec<Option<FlatRule>>,
    /// Some of these are gone.
    by_head: HashMap<TableId, Vec<usize>>,
    by_call: HashMap<TableId, Vec<usize>>,
    /// How many have so many conditions that none may be replaced.
    long: usize,
}

impl Rulebook {
    fn add(&mut self, rule: FlatRule) {
        let at = self.rules.len();
        self.long += usize::from(is_long(&rule));
        self.by_head.entry(rule.head.table).or_default().push(at);
        for table in called(&rule) {
            let list = self.by_call.entry(table).or_default();
            if list.last() != Some(&at) {
                list.push(at);
            }
        }
        self.rules.push(Some(rule));
    }

    fn take(&mut self, at: usize) -> Option<FlatRule> {
        let rule = self.rules[at].take()?;
        self.long -= usize::from(is_long(&rule));
        Some(rule)
    }

    fn defining(&self, table: TableId) -> Vec<usize> {
        let list = self.by_head.get(&table).into_iter().flatten().copied();
        list.filter(|&at| self.rules[at].is_some()).collect()
    }

    /// The rules of other relations that read the table.
    fn reading(&self, table: TableId) -> Vec<usize> {
        let list = self.by_call.get(&table).into_iter().flatten().copied();
        list.filter(|&at| self.rules[at].as_ref().is_some_and(|rule| rule.head.table != table)).collect()
    }
}

fn is_long(rule: &FlatRule) -> bool {
    rule.body.len() > MOST_CONDITIONS
}

/// A relation with one rule is replaced if its table would hold every way through the rule, if one condition reads it and
/// it need not be small, or if it could be large; one with several only if it is large and no more than all of some
/// others together. The rest are tables with good reason: they leave out what their readers need not know. (The 17
/// pairs of steps of a mummy in mummymaze1p sum up twelve conditions.)
fn is_worth_while(definitions: &[FlatRule], others: &[&FlatRule], capacity: usize) -> bool {
    let Some(table) = definitions.first().map(|rule| rule.head.table) else { return false };
    if definitions.iter().any(|rule| reads(rule, table) || !is_plain(rule)) {
        return false;
    }
    let is_large = capacity > LARGE_CAPACITY;
    let calls = |rule: &FlatRule| rule.body.iter().filter(|literal| is_call(literal, table)).count();
    let longest = definitions.iter().map(|rule| rule.body.len()).max().unwrap_or(0);
    let count: usize = others.iter().map(|rule| calls(rule)).sum();
    let fits = others.iter().all(|rule| rule.body.len() + calls(rule) * longest <= MOST_CONDITIONS);
    fits && match definitions {
        [single] if count == 1 => capacity > SMALL_CAPACITY || keeps_all(single),
        [single] => count <= MOST_CALLS && (is_large || keeps_all(single)),
        several => {
            count * several.len() <= MOST_VARIANTS
                && is_large
                && longest == 1
                && others.iter().all(|rule| calls(rule) <= 1)
        }
    }
}

fn is_call(literal: &FlatLiteral, table: TableId) -> bool {
    matches!(literal, FlatLiteral::Positive(atom) if atom.table == table)
}

/// Adds the rule to `out`, in all variants that come of replacing what it reads of the relation that is defined.
fn expand(rule: FlatRule, definitions: &[FlatRule], out: &mut Vec<FlatRule>) {
    let Some(call) = rule.body.iter().position(|literal| is_call(literal, definitions[0].head.table)) else {
        out.push(rule);
        return;
    };
    for definition in definitions {
        let mut variant = rule.clone();
        replace(&mut variant, call, definition);
        expand(variant, definitions, out);
    }
}

/// True if the head has all variables of the body.
fn keeps_all(rule: &FlatRule) -> bool {
    let mut all = true;
    let mut visit = |variable| all &= rule.head.args.contains(&Arg::Variable(variable));
    rule.body.iter().for_each(|literal| literal.variables(&mut visit));
    all
}

/// True if the arguments of the head are different variables, and the body has no functions.
fn is_plain(rule: &FlatRule) -> bool {
    let args = &rule.head.args;
    let takes_apart =
        |literal: &FlatLiteral| matches!(literal, FlatLiteral::Function { .. } | FlatLiteral::Constant(_));
    !rule.body.iter().any(takes_apart)
        && args.iter().enumerate().all(|(at, arg)| arg.variable().is_some() && !args[..at].contains(arg))
}

/// Puts the conditions of a plain `definition` in the place of a condition that reads it.
fn replace(rule: &mut FlatRule, call: usize, definition: &FlatRule) {
    let FlatLiteral::Positive(call) = rule.body.remove(call) else { return };
    // Every argument of the call stands for a variable of the head; the other variables become new ones.
    let mut values: Vec<Option<Arg>> = vec![None; definition.variables];
    for (parameter, arg) in definition.head.args.iter().zip(&call.args) {
        if let Some(variable) = parameter.variable() {
            values[variable as usize] = Some(*arg);
        }
    }
    let variables = &mut rule.variables;
    let mut value = |arg: &Arg| match arg {
        Arg::Term(_) => *arg,
        Arg::Variable(variable) => *values[*variable as usize].get_or_insert_with(|| {
            *variables += 1;
            Arg::Variable(*variables as u32 - 1)
        }),
    };
    for literal in &definition.body {
        let mut atom = |atom: &FlatAtom| FlatAtom {
            table: atom.table,
            args: atom.args.iter().map(&mut value).collect(),
        };
        let literal = match literal {
            FlatLiteral::Positive(a) => FlatLiteral::Positive(atom(a)),
            FlatLiteral::Negative(a) => FlatLiteral::Negative(atom(a)),
            FlatLiteral::Distinct(left, right) => FlatLiteral::Distinct(value(left), value(right)),
            FlatLiteral::Function { .. } | FlatLiteral::Constant(_) => continue,
        };
        if !rule.body.contains(&literal) {
            rule.body.push(literal);
        }
    }
}

/// How many rows each table can have, by what can stand in its columns.
fn capacities(program: &Program) -> Vec<usize> {
    program.columns.iter().map(|columns| capacity(columns.iter())).collect()
}

/// True if the rule can add nothing to its table.
fn is_exhausted(rule: &FlatRule, store: &Store, capacities: &[usize]) -> bool {
    let table = store.table(rule.head.table);
    let ground: Option<Vec<_>> = rule.head.args.iter().map(Arg::term).collect();
    table.len() >= capacities[rule.head.table.index()] || ground.is_some_and(|row| table.contains(&row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::{Base, Extent};
    use ludex_testkit::{corpus, report};

    /// The fluents and moves of a store in words, in order.
    fn words(program: &Program, store: &Store) -> Vec<String> {
        let mut terms = store.terms.clone();
        let symbols = &program.rules.symbols;
        let mut words = Vec::new();
        for tables in &program.fluents {
            for row in store.table(tables.holds).rows() {
                let fluent = tables.shape.intern(&mut terms, row);
                words.push(terms.show(symbols, fluent));
            }
        }
        for tables in &program.moves {
            for row in store.table(tables.does).rows() {
                let action = tables.shape.intern(&mut terms, &row[1..]);
                words.push(format!("{} {}", terms.show(symbols, row[0]), terms.show(symbols, action)));
            }
        }
        words.sort_unstable();
        words
    }

    /// Sheets whose whole superset takes long are compared with `LUDEX_SLOW=1` only.
    #[test]
    fn the_short_way_reaches_what_the_whole_superset_has() {
        let mut budget = Budget::default();
        if std::env::var_os("LUDEX_SLOW").is_none() {
            budget = budget.with_steps(1_000_000);
        }
        let public = corpus::shared_games("datalog: vocabularies against the whole superset");
        let (mut compared, mut too_large) = (0, 0);
        for source in corpus::games().into_iter().chain(public) {
            let Ok(game) = source.game() else { continue };
            let whole = Base::build(&game, &budget, |base| {
                Ok(words(&base.program, &base.relaxed(Extent::Vocabulary, &budget)?))
            });
            let Ok(whole) = whole else {
                too_large += 1;
                continue;
            };
            let (program, store) = reach(&game, &Budget::default()).expect("less than the whole");
            assert!(words(&program, &store) == whole, "{}", source.name);
            compared += 1;
        }
        report::note(&format!(
            "datalog: {compared} vocabularies compared, {too_large} are too large for that"
        ));
        assert!(compared > 0);
    }
}
