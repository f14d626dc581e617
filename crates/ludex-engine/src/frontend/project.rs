//! Conditions without the arguments that they leave open.
//!
//! A rule that asks who has moved to a square, wherever from, is tried with every move that goes there. With a table
//! of the squares that are moved to, filled from that of the moves, it is tried once: in chess 7,622 moves lead to
//! 128 different pairs of role and square. Meaning does not change, since one way through the conditions is enough.
//!
//! It pays where tables are filled once and are large, as in [`super::reach`], which is a third of its time there and
//! half of it for chess. It does not pay in play, where tables are small and every further one is filled in every
//! state. [`super::split`] is the same for several conditions together, by estimated sizes.

use super::plan::Estimate;
use super::program::{Arg, FlatAtom, FlatLiteral, FlatRule, Program, TableId, TableInfo};
use hashbrown::HashMap;
use ludex_gdl::analysis::domains::Domain;
use std::sync::Arc;

/// What is left out must have at least so many values.
const LEAST_SAVED: usize = 4;

/// Has conditions on tables that `rules` fill read tables without the open arguments, where those can be much smaller.
/// The new tables come behind the others of `program`, their rules behind the others of `rules`.
pub(super) fn project(program: &mut Program, rules: &mut Vec<FlatRule>) {
    let mut is_filled = vec![false; program.tables.len()];
    rules.iter().for_each(|rule| is_filled[rule.head.table.index()] = true);
    let mut projections: HashMap<(TableId, Vec<usize>), TableId> = HashMap::new();
    let mut fillers = Vec::new();
    for rule in rules.iter_mut() {
        let uses = uses(rule);
        for literal in &mut rule.body {
            let FlatLiteral::Positive(atom) = literal else { continue };
            let is_used = |&column: &usize| atom.args[column].variable().is_none_or(|v| uses[v as usize] > 1);
            let (used, open): (Vec<usize>, Vec<usize>) = (0..atom.args.len()).partition(is_used);
            let columns = &program.columns[atom.table.index()];
            let saved = capacity(open.iter().map(|&column| &columns[column]));
            if is_filled[atom.table.index()] && saved >= LEAST_SAVED {
                let of = (atom.table, used.clone());
                let add = || {
                    let table = add_table(program, atom.table, &used);
                    fillers.push(filler(atom, table, &used));
                    table
                };
                *atom = FlatAtom {
                    table: *projections.entry(of).or_insert_with(add),
                    args: used.iter().map(|&column| atom.args[column]).collect(),
                };
            }
        }
    }
    rules.extend(fillers);
}

/// How many rows there are with values of these domains; as many as there are numbers where functions can stand.
pub(super) fn capacity<'d>(columns: impl Iterator<Item = &'d Arc<Domain>>) -> usize {
    columns.fold(1usize, |product, domain| match domain.functors.is_empty() {
        true => product.saturating_mul(domain.constants.len()),
        false => usize::MAX,
    })
}

/// How often each variable of a rule stands in it.
fn uses(rule: &FlatRule) -> Vec<usize> {
    let mut uses = vec![0; rule.variables];
    let mut count = |variable: u32| uses[variable as usize] += 1;
    rule.head.args.iter().filter_map(Arg::variable).for_each(&mut count);
    rule.body.iter().for_each(|literal| literal.variables(&mut count));
    uses
}

/// A table with some columns of another.
fn add_table(program: &mut Program, of: TableId, columns: &[usize]) -> TableId {
    let table = TableId(program.tables.len() as u32);
    let (domains, guess) = (&program.columns[of.index()], &program.guesses[of.index()]);
    let distinct: Vec<f64> = columns.iter().map(|&column| guess.distinct[column]).collect();
    let guess = Estimate { rows: distinct.iter().product::<f64>().min(guess.rows), distinct };
    let domains = columns.iter().map(|&column| domains[column].clone()).collect();
    program.tables.push(TableInfo { width: columns.len(), ..program.tables[of.index()] });
    program.columns.push(domains);
    program.guesses.push(guess);
    table
}

/// The rule that fills `table` with these columns of what `atom` reads.
fn filler(atom: &FlatAtom, table: TableId, columns: &[usize]) -> FlatRule {
    let args: Vec<Arg> = (0..atom.args.len() as u32).map(Arg::Variable).collect();
    FlatRule {
        head: FlatAtom { table, args: columns.iter().map(|&column| args[column]).collect() },
        variables: args.len(),
        body: vec![FlatLiteral::Positive(FlatAtom { table: atom.table, args })],
    }
}
