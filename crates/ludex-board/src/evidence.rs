//! What a game says of itself, gathered once: its fluents and moves as tables, its initial state, its facts.

use crate::axis::Axis;
use crate::statics::{self, Facts};
use crate::table::Table;
use ludex_engine::budget::{Exceeded, Meter};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::rules::{Literal, Term};
use ludex_gdl::{Keyword, Symbol};
use std::collections::{HashMap, HashSet};

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
    /// What the rules let stand in each place.
    domains: Domains,
    /// Names that stand for two: the coordinates of a board of boards. They are numbered behind the terms.
    made: Vec<(TermId, TermId)>,
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
        let mut tables = Table::of_terms(vocabulary, fluents, meter)?;
        let made = pair_up(vocabulary, initial, &mut tables);
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
        let domains = Domains::of(vocabulary.rules());
        let initial = initial.to_vec();
        Ok(Evidence { vocabulary, tables, moves, facts, initial, roles, domains, made, pairs })
    }

    /// The rows of a table that hold initially.
    pub fn initially(&self, table: usize) -> Vec<&Vec<TermId>> {
        let table = &self.tables[table];
        let rows = table.items.iter().zip(&table.rows);
        rows.filter(|(item, _)| row::holds(&self.initial, FluentId(**item as u32)))
            .map(|(_, row)| row)
            .collect()
    }

    /// The coordinates of a board that is closed in by cells filled from the start: it ends there, whatever the vocabulary
    /// has outside.
    pub fn walled(&self, table: usize, x: usize, y: usize) -> Option<(Vec<TermId>, Vec<TermId>)> {
        let rows = self.initially(table);
        let filled: HashSet<(TermId, TermId)> = rows.iter().map(|row| (row[x], row[y])).collect();
        let inner = |column: usize| {
            let names: HashSet<TermId> = rows.iter().map(|row| row[column]).collect();
            let all = &self.tables[table].columns[column].values;
            let smaller = names.len() > 2 && names.len() < all.len();
            smaller.then(|| all.iter().copied().filter(|name| names.contains(name)).collect::<Vec<_>>())
        };
        let (across, up) = (inner(x)?, inner(y)?);
        let (columns, lines) = (self.axis(&across).names, self.axis(&up).names);
        let ends = |names: &[TermId]| Some((*names.first()?, *names.last()?));
        let ((left, right), (bottom, top)) = (ends(&columns)?, ends(&lines)?);
        let sides = columns
            .iter()
            .all(|&name| filled.contains(&(name, bottom)) && filled.contains(&(name, top)))
            && lines.iter().all(|&name| filled.contains(&(left, name)) && filled.contains(&(right, name)));
        sides.then_some((across, up))
    }

    /// The names along one side, or those along the other where the rules let the same stand in both places.
    pub fn squared(&self, table: usize, own: (usize, &[TermId]), other: (usize, &[TermId])) -> Vec<TermId> {
        let table = &self.tables[table];
        let within = own.1.len() < other.1.len() && own.1.iter().all(|name| other.1.contains(name));
        let [argument] = table.columns[own.0].path[..] else { return own.1.to_vec() };
        if !within || own.1.iter().chain(other.1).any(|&name| self.parts(name).is_some()) {
            return own.1.to_vec();
        }
        let terms = self.vocabulary.terms();
        let arity = terms.arguments(self.vocabulary.fluent(FluentId(table.items[0] as u32))).len();
        let domain = self.domains.inside((table.name, arity), argument);
        let same = domain.functors.is_empty()
            && domain.constants.len() == other.1.len()
            && other.1.iter().all(|&name| domain.constants.contains(&terms.functor(name)));
        if same { other.1.to_vec() } else { own.1.to_vec() }
    }

    /// True if the fluents of the table stay as they are: walls, for one.
    pub fn never_changes(&self, table: &Table) -> bool {
        let rules = self.vocabulary.rules();
        let relation = |keyword| rules.rules_for(rules.keyword(keyword));
        let head = |term: &Term| match term {
            Term::Compound(name, _) | Term::Constant(name) => Some(*name),
            Term::Variable(_) => None,
        };
        let truth = rules.keyword(Keyword::True);
        relation(Keyword::Next).iter().map(|&id| rules.rule(id)).all(|rule| {
            let Some(next) = rule.head.arguments.first() else { return true };
            let kept = |literal: &Literal| {
                literal
                    .positive()
                    .is_some_and(|atom| atom.relation == truth && atom.arguments.first() == Some(next))
            };
            match head(next) {
                Some(name) if name != table.name => true,
                Some(_) => rule.body.len() == 1 && rule.body.iter().all(kept),
                None => rule.body.iter().any(kept),
            }
        })
    }

    /// The order of the names.
    pub fn axis(&self, names: &[TermId]) -> Axis {
        if names.iter().any(|&name| self.parts(name).is_some()) {
            return Axis::of_pairs(names, |name| self.parts(name), |names| self.axis(names));
        }
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

    /// True if a move names what these columns of the table hold, side by side.
    pub fn named_together(&self, table: &Table, first: usize, last: usize) -> bool {
        let wanted = &table.columns[first..=last];
        self.moves.iter().any(|moves| {
            moves.columns.windows(wanted.len()).any(|columns| {
                columns.iter().zip(wanted).all(|(column, wanted)| column.values == wanted.values)
            })
        })
    }

    /// True if an argument of a move names these.
    pub fn named_by_move(&self, names: &[TermId]) -> bool {
        self.moves.iter().flat_map(|table| &table.columns).any(|column| {
            column.values.len() * 2 >= names.len() && column.values.iter().all(|name| names.contains(name))
        })
    }

    /// The two names that a name stands for, if it does.
    pub fn parts(&self, name: TermId) -> Option<(TermId, TermId)> {
        self.made.get(name.index().checked_sub(self.vocabulary.terms().len())?).copied()
    }

    /// The term as an s-expression.
    pub fn show(&self, term: TermId) -> String {
        if let Some((first, second)) = self.parts(term) {
            return format!("{} {}", self.show(first), self.show(second));
        }
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
        if terms.is_constant(term) && !path.is_empty() {
            // The second of a pair.
            out.push('_');
            return;
        }
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

/// Boards of boards, such as `(cell 1 1 2 3 blank)` for the square 2 3 of the block 1 1: where four arguments, and no fewer, say
/// which cell it is, and every cell has a content from the start, the first two are one coordinate and the next two the
/// other.
fn pair_up(vocabulary: &Vocabulary, initial: &[u64], tables: &mut [Table]) -> Vec<(TermId, TermId)> {
    let mut made: Vec<(TermId, TermId)> = Vec::new();
    let mut known: HashMap<(TermId, TermId), TermId> = HashMap::new();
    let first = vocabulary.terms().len() as u32;
    for table in tables.iter_mut().filter(|table| table.width() == 5) {
        let holds = |item: &usize| row::holds(initial, FluentId(*item as u32));
        let rows: Vec<&Vec<TermId>> =
            table.items.iter().zip(&table.rows).filter(|(item, _)| holds(item)).map(|(_, row)| row).collect();
        let count = |columns: &[usize]| {
            rows.iter()
                .map(|row| columns.iter().map(|&k| row[k]).collect())
                .collect::<HashSet<Vec<TermId>>>()
                .len()
        };
        let cells: HashSet<&[TermId]> = table.rows.iter().map(|row| &row[..4]).collect();
        let fewer = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].iter().any(|key| count(key) == rows.len());
        if rows.len() < 16 || rows.len() != cells.len() || count(&[0, 1, 2, 3]) != rows.len() || fewer {
            continue;
        }
        table.pair_up(|left, right| {
            *known.entry((left, right)).or_insert_with(|| {
                made.push((left, right));
                TermId(first + made.len() as u32 - 1)
            })
        });
    }
    made
}
