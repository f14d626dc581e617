//! Fluents and moves by relation: one table for each, with a column for each argument.
//!
//! An argument that is the same function everywhere, as in `(cell (at 1 2) x)`, gives a column for each argument of
//! that function; where it is not the same everywhere, as in `(cell 1 2 (pawn white))` beside `(cell 1 2 blank)`,
//! it is a column as it stands. Tables are ordered as the text of the rules first names them, and so are the values of a column, so
//! that nothing depends on what things are called.

use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::terms::{TermId, Terms};
use ludex_engine::vocabulary::Vocabulary;
use ludex_gdl::Symbol;
use std::collections::{BTreeMap, BTreeSet};

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// Which argument, and which argument within it.
    pub path: Vec<usize>,
    /// The distinct values, in the order in which the rules name them.
    pub values: Vec<TermId>,
}

/// All fluents, or all moves of all roles, of one relation.
#[derive(Clone, Debug)]
pub struct Table {
    /// The name of the relation.
    pub name: Symbol,
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// For each row which fluent or move it is, as the caller numbers them.
    pub items: Vec<usize>,
    /// For each row the values of its columns.
    pub rows: Vec<Vec<TermId>>,
}

/// A term is opened into columns no deeper than this.
const DEEPEST: usize = 4;

/// No table has more columns than this; what is beyond is left as it stands.
const MOST_COLUMNS: usize = 24;

impl Table {
    /// The tables of the terms.
    pub fn of_terms(
        vocabulary: &Vocabulary,
        items: impl Iterator<Item = (usize, TermId)>,
        meter: &mut Meter,
    ) -> Result<Vec<Table>, Exceeded> {
        let terms = vocabulary.terms();
        let mut groups: BTreeMap<(usize, usize), Vec<(usize, TermId)>> = BTreeMap::new();
        for (item, term) in items {
            meter.tick()?;
            let key = (terms.functor(term).index(), terms.arguments(term).len());
            groups.entry(key).or_default().push((item, term));
        }
        groups.into_values().map(|group| Table::of_group(terms, &group, meter)).collect()
    }

    fn of_group(terms: &Terms, group: &[(usize, TermId)], meter: &mut Meter) -> Result<Table, Exceeded> {
        let all: Vec<TermId> = group.iter().map(|&(_, term)| term).collect();
        let arity = terms.arguments(all[0]).len();
        let mut columns: Vec<(Vec<usize>, Vec<TermId>)> = Vec::new();
        for argument in 0..arity {
            let values = all.iter().map(|&term| terms.arguments(term)[argument]).collect();
            open(terms, vec![argument], values, &mut columns);
            meter.tick_by(all.len() as u64)?;
        }
        let mut rows = vec![Vec::with_capacity(columns.len()); all.len()];
        for (_, values) in &columns {
            rows.iter_mut().zip(values).for_each(|(row, &value)| row.push(value));
        }
        let columns = columns.into_iter().map(|(path, values)| {
            let distinct: BTreeSet<(usize, TermId)> =
                values.into_iter().map(|value| (terms.functor(value).index(), value)).collect();
            Column { path, values: distinct.into_iter().map(|(_, value)| value).collect() }
        });
        Ok(Table {
            name: terms.functor(all[0]),
            columns: columns.collect(),
            items: group.iter().map(|&(item, _)| item).collect(),
            rows,
        })
    }

    /// Makes one column of each of two pairs of columns; `paired` gives the name of a pair.
    pub fn pair_up(&mut self, mut paired: impl FnMut(TermId, TermId) -> TermId) {
        let mut merge = |left: usize, columns: &mut Vec<Column>, rows: &mut [Vec<TermId>]| {
            let mut values = BTreeSet::new();
            for row in rows.iter_mut() {
                let second = row.remove(left + 1);
                row[left] = paired(row[left], second);
                values.insert(row[left]);
            }
            columns.remove(left + 1);
            columns[left].values = values.into_iter().collect();
        };
        merge(0, &mut self.columns, &mut self.rows);
        merge(1, &mut self.columns, &mut self.rows);
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.columns.len()
    }
}

/// The columns that a column of terms gives.
fn open(terms: &Terms, path: Vec<usize>, values: Vec<TermId>, out: &mut Vec<(Vec<usize>, Vec<TermId>)>) {
    let head = |term: TermId| (terms.functor(term), terms.arguments(term).len());
    let first = head(values[0]);
    let same = first.1 > 0 && values.iter().all(|&value| head(value) == first);
    if !same || path.len() >= DEEPEST || out.len() + first.1 > MOST_COLUMNS {
        out.push((path, values));
        return;
    }
    for argument in 0..first.1 {
        let inner = values.iter().map(|&value| terms.arguments(value)[argument]).collect();
        let mut path = path.clone();
        path.push(argument);
        open(terms, path, inner, out);
    }
}
