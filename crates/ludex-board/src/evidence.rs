//! What a game says of itself, gathered once: its fluents and moves as tables, its initial state, its facts.

use crate::axis::Axis;
use crate::statics::{self, Facts};
use crate::table::Table;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::Symbol;
use std::collections::HashSet;

/// What boards and clicks are found from.
#[derive(Debug)]
pub struct Evidence<'v> {
    /// The numbering.
    pub vocabulary: &'v Vocabulary,
    /// The fluents by relation.
    pub tables: Vec<Table>,
    /// The moves of all roles by relation; a row's item says whose it is no longer.
    pub moves: Vec<Table>,
    /// The facts of the rules.
    pub facts: Vec<Facts>,
    initial: Vec<u64>,
    roles: HashSet<TermId>,
    /// The values of neighbouring columns of moves.
    pairs: Vec<(Vec<TermId>, Vec<TermId>)>,
}

impl<'v> Evidence<'v> {
    /// Gathers it.
    pub fn of(
        vocabulary: &'v Vocabulary,
        initial: &[u64],
        meter: &mut Meter,
    ) -> Result<Evidence<'v>, Exceeded> {
        let fluents = vocabulary.fluents().map(|fluent| (fluent.index(), vocabulary.fluent(fluent)));
        let tables = Table::of_terms(vocabulary, fluents, meter)?;
        let mut seen = HashSet::new();
        let mut actions = Vec::new();
        for role in vocabulary.roles() {
            for number in 0..vocabulary.move_count(role) {
                let term = vocabulary.action(role, ludex_engine::vocabulary::MoveId(number as u32));
                if seen.insert(term) {
                    actions.push((number, term));
                }
            }
        }
        let moves = Table::of_terms(vocabulary, actions.into_iter(), meter)?;
        let pairs = moves.iter().flat_map(|table| {
            table.columns.windows(2).map(|pair| (pair[0].values.clone(), pair[1].values.clone()))
        });
        let pairs = pairs.collect();
        let roles = vocabulary.roles().map(|role| vocabulary.role(role)).collect();
        let facts = statics::facts(vocabulary);
        Ok(Evidence { vocabulary, tables, moves, facts, initial: initial.to_vec(), roles, pairs })
    }

    /// The rows of a table that hold initially.
    pub fn initially(&self, table: usize) -> Vec<&Vec<TermId>> {
        let table = &self.tables[table];
        let rows = table.items.iter().zip(&table.rows);
        rows.filter(|(item, _)| row::holds(&self.initial, FluentId(**item as u32)))
            .map(|(_, row)| row)
            .collect()
    }

    /// The order of the names.
    pub fn axis(&self, names: &[TermId]) -> Axis {
        Axis::of(self.vocabulary, &self.facts, names)
    }

    /// True if most of the names are roles.
    pub fn are_roles(&self, names: &[TermId]) -> bool {
        let roles = names.iter().filter(|name| self.roles.contains(name)).count();
        roles * 2 > names.len()
    }

    /// True if a move names a pair of these side by side.
    pub fn named_by_moves(&self, first: &[TermId], second: &[TermId]) -> bool {
        let within = |some: &[TermId], all: &[TermId]| {
            some.len() * 2 >= all.len() && some.iter().all(|name| all.contains(name))
        };
        self.pairs.iter().any(|(left, right)| within(left, first) && within(right, second))
    }

    /// The term as an s-expression.
    pub fn show(&self, term: TermId) -> String {
        self.vocabulary.terms().show(&self.vocabulary.rules().symbols, term)
    }

    /// The name.
    pub fn name(&self, symbol: Symbol) -> &'v str {
        self.vocabulary.rules().symbols.name(symbol)
    }

    /// The role that is this term.
    pub fn role_of(&self, term: TermId) -> Option<RoleId> {
        self.vocabulary.find_role(term)
    }

    /// The relation with some of its columns named and the others left open: `(cell x y _)`.
    pub fn title(&self, table: usize, named: &[(usize, &str)]) -> String {
        let table = &self.tables[table];
        let Some(&item) = table.items.first() else { return String::new() };
        let term = self.vocabulary.fluent(FluentId(item as u32));
        let mut out = String::new();
        let mut column = 0;
        self.write_title(term, &mut Vec::new(), table, named, &mut column, &mut out);
        out
    }

    fn write_title(
        &self,
        term: TermId,
        path: &mut Vec<usize>,
        table: &Table,
        named: &[(usize, &str)],
        column: &mut usize,
        out: &mut String,
    ) {
        if table.columns.get(*column).is_some_and(|next| next.path == *path) {
            let name = named.iter().find(|(number, _)| number == column).map_or("_", |(_, name)| name);
            out.push_str(name);
            *column += 1;
            return;
        }
        let terms = self.vocabulary.terms();
        out.push('(');
        out.push_str(self.name(terms.functor(term)));
        for (number, &argument) in terms.arguments(term).iter().enumerate() {
            out.push(' ');
            path.push(number);
            self.write_title(argument, path, table, named, column, out);
            path.pop();
        }
        out.push(')');
    }
}
