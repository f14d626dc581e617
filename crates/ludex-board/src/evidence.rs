//! What a game says of itself, gathered once: its fluents and moves as tables, its initial state, its facts.

use crate::axis::Axis;
use crate::joins::{Joins, Owner, Pair};
use crate::scene::Colour;
use crate::statics::{self, Facts};
use crate::table::Table;
use ludex_engine::budget::{Budget, Exceeded, Meter};
use ludex_engine::row;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::domains::Domains;
use ludex_gdl::rules::{Literal, RelationId, Term};
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
    /// Which places hold the same thing.
    joins: Joins,
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
        budget: &Budget,
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
        let facts = statics::facts(vocabulary, budget)?;
        let joins = Joins::of(vocabulary.rules(), meter)?;
        let domains = Domains::of(vocabulary.rules());
        let initial = initial.to_vec();
        Ok(Evidence { vocabulary, tables, moves, facts, initial, roles, domains, joins, made, pairs })
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

    /// The coordinates that a board of numbers has at first, in all that rules say of its cells, where the vocabulary has many
    /// more: those come from counting on, and nothing in the rules says where to stop.
    pub fn counted(&self, table: usize, x: usize, y: usize) -> Option<(Vec<TermId>, Vec<TermId>)> {
        const LONG: usize = 20;
        // Fewer than five names say nothing of where a board ends.
        const SHORT: usize = 4;
        let long = |column: usize| self.tables[table].columns[column].values.len() > LONG;
        if !long(x) || !long(y) {
            return None;
        }
        let class = self.class(&self.tables[table], x, y)?;
        let mut seen: HashSet<(TermId, TermId)> = HashSet::new();
        for (number, other) in self.tables.iter().enumerate() {
            for at in 1..other.width() {
                if self.class(other, at - 1, at) == Some(class) {
                    seen.extend(self.initially(number).iter().map(|row| (row[at - 1], row[at])));
                }
            }
        }
        for (facts, at) in self.facts_of(class) {
            seen.extend(facts.rows.iter().filter_map(|row| Some((*row.get(at)?, *row.get(at + 1)?))));
        }
        let range = |column: usize, of: fn(&(TermId, TermId)) -> TermId| {
            let axis = self.axis(&self.tables[table].columns[column].values);
            let places: Vec<usize> = seen.iter().filter_map(|pair| axis.place(of(pair))).collect();
            let (low, high) = (*places.iter().min()?, *places.iter().max()?);
            let half = (high - low + 1) * 2 <= axis.len() && high - low >= SHORT;
            (axis.trust >= crate::axis::Trust::Numbers && half).then(|| axis.names[low..=high].to_vec())
        };
        Some((range(x, |pair| pair.0)?, range(y, |pair| pair.1)?))
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

    /// True if the text lists the instances of the relation.
    pub fn is_listed(&self, relation: RelationId) -> bool {
        let rules = self.vocabulary.rules();
        rules.rules_for(relation).iter().any(|&rule| rules.rule(rule).body.is_empty())
    }

    /// The other relations that have the same columns with the same values: which of them holds is then the content.
    pub fn twins(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let table = &self.tables[number];
        let same = move |other: &Table| {
            let columns = other.columns.iter().zip(&table.columns);
            other.width() == table.width() && columns.into_iter().all(|(a, b)| a.values == b.values)
        };
        (0..self.tables.len()).filter(move |&other| other != number && same(&self.tables[other]))
    }

    /// Two neighbouring columns of a table of fluents, as the rules have them.
    pub fn pair(&self, table: &Table, x: usize, y: usize) -> Option<Pair> {
        let (x, y) = (x.min(y), x.max(y));
        let (first, second) = (&table.columns[x].path, &table.columns[y].path);
        let (last, before) = first.split_last()?;
        let beside = second.split_last().is_some_and(|(next, same)| same == before && *next == last + 1);
        beside.then(|| Some((Owner::Fluent(table.name, self.arity(table)?), first.clone())))?
    }

    /// The class of two neighbouring columns of a table of fluents: which other places of the rules hold the same.
    pub fn class(&self, table: &Table, x: usize, y: usize) -> Option<usize> {
        let (owner, path) = self.pair(table, x, y)?;
        self.joins.class(owner, &path)
    }

    /// Two neighbouring arguments of a move, as the rules have them.
    pub fn pair_of_move(&self, moves: &Table, first: usize) -> Option<Pair> {
        let arity = moves.columns.iter().map(|column| column.path[0] + 1).max()?;
        Some((Owner::Action(moves.name, arity), moves.columns.get(first)?.path.clone()))
    }

    /// True if rules name both pairs by the same variables.
    pub fn are_together(&self, one: &Pair, other: &Pair) -> bool {
        self.joins.are_together(one, other)
    }

    /// How many arguments the fluents of a table have.
    fn arity(&self, table: &Table) -> Option<usize> {
        let &item = table.items.first()?;
        Some(self.vocabulary.terms().arguments(self.vocabulary.fluent(FluentId(item as u32))).len())
    }

    /// The relations among the facts of which two neighbouring arguments are of the class, with where the first stands.
    pub fn facts_of(&self, class: usize) -> impl Iterator<Item = (&Facts, usize)> {
        let at = move |facts: &Facts| {
            self.joins
                .members(class)
                .filter_map(|(owner, path)| match (owner, path.as_slice()) {
                    (Owner::Relation(relation), [at]) if *relation == facts.relation => Some(*at),
                    _ => None,
                })
                .min()
        };
        self.facts.iter().filter_map(move |facts| Some((facts, at(facts)?)))
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

    /// True if an argument of a move names this value, and otherwise only others of them.
    pub fn chosen_by_moves(&self, values: &[TermId], value: TermId) -> bool {
        self.moves.iter().flat_map(|table| &table.columns).any(|column| {
            column.values.contains(&value) && column.values.iter().all(|name| values.contains(name))
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

    /// The names, with those that stand for two as two.
    pub fn opened(&self, names: &[TermId]) -> Vec<TermId> {
        let parts =
            |&name: &TermId| self.parts(name).map_or(vec![name], |(first, second)| vec![first, second]);
        names.iter().flat_map(parts).collect()
    }

    /// A fluent as an s-expression, by its number.
    pub fn show_fluent(&self, item: usize) -> String {
        self.vocabulary.show_fluent(FluentId(item as u32))
    }

    /// Whose the values of a column are, as far as anything says it: they are roles, or hold one; a fact names each with one
    /// role; only one role's moves bring it about; its letters are those of a role.
    pub fn owners(&self, table: usize, column: usize, values: &[TermId]) -> HashMap<TermId, Colour> {
        let terms = self.vocabulary.terms();
        let known = |term: TermId| term.index() < terms.len();
        let itself = |value: TermId| {
            let inside = if known(value) { terms.arguments(value) } else { &[] };
            self.role_of(value).or_else(|| inside.iter().find_map(|&part| self.role_of(part)))
        };
        let mut owners: HashMap<TermId, Colour> = HashMap::new();
        let mut put = |found: HashMap<TermId, RoleId>| {
            for (value, role) in found {
                owners.entry(value).or_insert(Colour::Role(role));
            }
        };
        put(values.iter().filter_map(|&value| Some((value, itself(value)?))).collect());
        put(self.facts.iter().find_map(|facts| self.owners_by(facts, values)).unwrap_or_default());
        put(self.owners_by_moves(table, column, values));
        put(self.owners_by_letters(values));
        owners
    }

    /// What facts say of owners, if each row has one role and each value has always the same.
    fn owners_by(&self, facts: &Facts, values: &[TermId]) -> Option<HashMap<TermId, RoleId>> {
        let width = facts.rows.first().map_or(0, Vec::len);
        (0..width).filter(|_| width <= 4).find_map(|at| {
            let mut found: HashMap<TermId, RoleId> = HashMap::new();
            for row in &facts.rows {
                let mut roles = row.iter().filter_map(|&term| self.role_of(term));
                let (role, None) = (roles.next()?, roles.next()) else { return None };
                if values.contains(&row[at]) && *found.entry(row[at]).or_insert(role) != role {
                    return None;
                }
            }
            let distinct: HashSet<RoleId> = found.values().copied().collect();
            (distinct.len() > 1 && found.len() * 2 >= values.len()).then_some(found)
        })
    }

    /// Values that rules write into new fluents only where one role moves.
    fn owners_by_moves(&self, table: usize, column: usize, values: &[TermId]) -> HashMap<TermId, RoleId> {
        let found = self.written(table, column).into_iter();
        found
            .filter(|(value, _)| values.contains(value))
            .filter_map(|(value, by)| Some((value, by?)))
            .collect()
    }

    /// Values that rules write into new fluents whoever moves.
    pub fn written_by_all(&self, table: usize, column: usize) -> HashSet<TermId> {
        self.written(table, column)
            .into_iter()
            .filter(|(_, by)| by.is_none())
            .map(|(value, _)| value)
            .collect()
    }

    /// The names that rules write into a column of new fluents where somebody moves, with the role if it is always the same.
    fn written(&self, table: usize, column: usize) -> HashMap<TermId, Option<RoleId>> {
        let table = &self.tables[table];
        let [argument] = table.columns[column].path[..] else { return HashMap::new() };
        let terms = self.vocabulary.terms();
        self.written_by_moves(table.name, |arguments| match arguments.get(argument) {
            Some(Term::Constant(name)) => terms.find(*name, &[]),
            _ => None,
        })
    }

    /// Whose all fluents of a table are, if only one role's moves bring them about.
    pub fn owner_of_table(&self, table: usize) -> Option<Colour> {
        let table = &self.tables[table];
        let found = self.written_by_moves(table.name, |_| Some(()));
        found.get(&()).copied().flatten().map(Colour::Role)
    }

    /// For each thing that `what` sees in a new fluent of that name, where a move brings it about, the role whose move it is,
    /// if it is only one's.
    fn written_by_moves<W: Copy + Eq + std::hash::Hash>(
        &self,
        name: Symbol,
        what: impl Fn(&[Term]) -> Option<W>,
    ) -> HashMap<W, Option<RoleId>> {
        if self.vocabulary.role_count() < 2 {
            return HashMap::new();
        }
        let rules = self.vocabulary.rules();
        let terms = self.vocabulary.terms();
        let does = rules.keyword(Keyword::Does);
        let mut found: HashMap<W, Option<RoleId>> = HashMap::new();
        for &id in rules.rules_for(rules.keyword(Keyword::Next)) {
            let rule = rules.rule(id);
            let Some(Term::Compound(head, arguments)) = rule.head.arguments.first() else { continue };
            let Some(seen) = what(arguments).filter(|_| *head == name) else { continue };
            let moves = rule.body.iter().filter_map(Literal::positive).filter(|atom| atom.relation == does);
            for atom in moves {
                let role = match atom.arguments.first() {
                    Some(Term::Constant(name)) => terms.find(*name, &[]).and_then(|term| self.role_of(term)),
                    _ => None,
                };
                let entry = found.entry(seen).or_insert(role);
                if *entry != role {
                    *entry = None;
                }
            }
        }
        found
    }

    /// Values whose first letter is that of one role: `wp` is white's, if no other role begins so and all values do.
    fn owners_by_letters(&self, values: &[TermId]) -> HashMap<TermId, RoleId> {
        let first = |name: &str| name.chars().next().map(|letter| letter.to_ascii_lowercase());
        let roles: Vec<(RoleId, String)> =
            self.vocabulary.roles().map(|role| (role, self.vocabulary.show_role(role))).collect();
        let letters: HashSet<Option<char>> = roles.iter().map(|(_, name)| first(name)).collect();
        let named = |value: TermId| {
            let name = self.show(value);
            roles.iter().find(|(_, role)| first(role) == first(&name)).map(|(role, _)| (value, *role))
        };
        if letters.len() < roles.len() || roles.len() < 2 {
            return HashMap::new();
        }
        let found: HashMap<TermId, RoleId> = values.iter().filter_map(|&value| named(value)).collect();
        let distinct: HashSet<RoleId> = found.values().copied().collect();
        if found.len() == values.len() && distinct.len() == roles.len() { found } else { HashMap::new() }
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
