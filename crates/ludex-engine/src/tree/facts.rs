//! Rows that conditions read without a proof: facts, the state, and what the vocabulary numbers.
//!
//! Every combination of columns by which some condition looks rows up has an index. The state is never copied
//! into tables: an index of fluents gives, for the values of some columns, which words of the state
//! may hold matching bits, and under which mask. So a new state costs nothing, and a condition with all
//! arguments known is the test of one bit.

use super::cell::{Cell, Lexicon, Source};
use super::lookup::{Key, KeySpace, Lookup, Values};
use super::node::{FactPath, FluentPath, Op, OrAndTree, Paths, Target};
use super::rulebook::{Atom, Condition, Place, Rulebook};
use crate::engine::Goal;
use crate::frontend::{Arg, Shape, Stay, Table};
use crate::row::Row;
use crate::terms::{TermId, Terms};
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use hashbrown::HashMap;

/// Facts by the values of some columns.
#[derive(Clone, Debug)]
pub(super) struct FactIndex<C> {
    lookup: Lookup<C>,
    /// For each key its range of matches.
    ranges: Vec<(u32, u32)>,
    width: usize,
    matches: Vec<C>,
}

impl<C: Cell> FactIndex<C> {
    fn new(path: &FactPath, table: &Table, number: &mut impl FnMut(TermId) -> u32) -> FactIndex<C> {
        let mut rows: Vec<(Vec<u32>, Vec<u32>)> = table
            .rows()
            .map(|row| {
                let key = path.key.iter().map(|&column| number(row[column])).collect();
                (key, path.values.iter().map(|&column| number(row[column])).collect())
            })
            .collect();
        rows.sort_unstable();
        rows.dedup();
        let mut lookup = Lookup::new(space(path.key.len(), rows.iter().map(|row| &row.0)), path.key.len());
        let (mut ranges, mut matches): (Vec<(u32, u32)>, Vec<C>) = (Vec::new(), Vec::new());
        for (at, (key, values)) in (0u32..).zip(&rows) {
            let key: Vec<C> = key.iter().map(|&n| C::of(n)).collect();
            let entry = lookup.add(&key) as usize;
            if entry == ranges.len() {
                ranges.push((at, at));
            }
            ranges[entry].1 = at + 1;
            matches.extend(values.iter().map(|&n| C::of(n)));
        }
        FactIndex { lookup, ranges, width: path.values.len(), matches }
    }

    /// How rows give keys.
    pub(super) fn key(&self, sources: &[Source]) -> Key {
        self.lookup.key(sources)
    }

    /// The range of the matches of a key.
    #[inline]
    pub(super) fn select(&self, key: &Key, row: &[C]) -> (u32, u32) {
        self.lookup.find(key, row).map_or((0, 0), |entry| self.ranges[entry as usize])
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> &[C] {
        let start = at as usize * self.width;
        &self.matches[start..start + self.width]
    }
}

/// Fluents by the values of some columns.
#[derive(Clone, Debug)]
pub(super) struct FluentIndex<C> {
    lookup: Lookup<C>,
    /// For each key its range of spans; empty if each key has one.
    ranges: Vec<(u32, u32)>,
    spans: Vec<Span>,
}

/// Bits of one word of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) word: u32,
    pub(super) mask: u64,
}

impl<C: Cell> FluentIndex<C> {
    fn new(path: &FluentPath, fluents: &Fluents<C>) -> FluentIndex<C> {
        let of_shape = &fluents.of_shape[path.shape];
        let key = |fluent: u32| -> Vec<u32> {
            let row = fluents.row(fluent);
            path.key.iter().map(|&column| row[column].number()).collect()
        };
        let mut keyed: Vec<(Vec<u32>, u32)> = of_shape.iter().map(|&fluent| (key(fluent), fluent)).collect();
        keyed.sort_unstable();
        let mut lookup = Lookup::new(space(path.key.len(), keyed.iter().map(|row| &row.0)), path.key.len());
        let (mut ranges, mut spans): (Vec<(u32, u32)>, Vec<Span>) = (Vec::new(), Vec::new());
        for (key, fluent) in &keyed {
            let key: Vec<C> = key.iter().map(|&n| C::of(n)).collect();
            let entry = lookup.add(&key) as usize;
            let (word, bit) = (fluent / 64, 1u64 << (fluent % 64));
            if entry == ranges.len() {
                ranges.push((spans.len() as u32, spans.len() as u32));
            }
            match spans.last_mut() {
                Some(span) if ranges[entry].1 > ranges[entry].0 && span.word == word => span.mask |= bit,
                _ => spans.push(Span { word, mask: bit }),
            }
            ranges[entry].1 = spans.len() as u32;
        }
        if ranges.len() == spans.len() {
            ranges.clear();
        }
        FluentIndex { lookup, ranges, spans }
    }

    /// How rows give keys.
    pub(super) fn key(&self, sources: &[Source]) -> Key {
        self.lookup.key(sources)
    }

    /// The words in which matching fluents stand.
    #[inline]
    pub(super) fn select(&self, key: &Key, row: &[C]) -> &[Span] {
        match self.lookup.find(key, row) {
            Some(entry) if self.ranges.is_empty() => &self.spans[entry as usize..=entry as usize],
            Some(entry) => {
                let (from, to) = self.ranges[entry as usize];
                &self.spans[from as usize..to as usize]
            }
            None => &[],
        }
    }
}

/// The slots of keys that are all known here.
#[allow(clippy::needless_pass_by_value, reason = "iterators are cheap to copy and awkward to borrow")]
fn space<'k>(width: usize, keys: impl Iterator<Item = &'k Vec<u32>> + Clone) -> KeySpace {
    let columns = (0..width)
        .map(|column| {
            let mut values: Vec<u32> = keys.clone().map(|key| key[column]).collect();
            values.sort_unstable();
            values.dedup();
            Values::new(&values)
        })
        .collect();
    KeySpace::new(columns)
}

/// The fluents of the vocabulary as rows.
#[derive(Clone, Debug)]
pub(super) struct Fluents<C> {
    /// For each fluent its shape, by position in `Program::fluents`.
    shapes: Vec<usize>,
    /// For each shape its fluents, ascending,
    of_shape: Vec<Vec<u32>>,
    /// and as bits: the words of a state that have some.
    pub(super) bits: Vec<Vec<Span>>,
    /// For each fluent where its cells begin.
    starts: Vec<u32>,
    cells: Vec<C>,
}

impl<C: Cell> Fluents<C> {
    pub(super) fn shape(&self, fluent: u32) -> usize {
        self.shapes[fluent as usize]
    }

    #[inline]
    pub(super) fn row(&self, fluent: u32) -> &[C] {
        let (from, to) = (self.starts[fluent as usize], self.starts[fluent as usize + 1]);
        &self.cells[from as usize..to as usize]
    }
}

/// Numbers every term that can stand in a column, so that the width of cells can be chosen.
pub(super) fn number_all(book: &Rulebook, lexicon: &mut Lexicon, vocabulary: &Vocabulary) {
    let mut number = |term: TermId| lexicon.number(&book.terms, term);
    rows_of_fluents::<u32>(book, vocabulary, &mut number);
    let shapes = move_shapes(book);
    for role in vocabulary.roles() {
        rows_of_moves::<u32>(&shapes, vocabulary, role, &mut number);
    }
    let mut read = vec![false; book.facts.len()];
    for rule in book.relations.iter().flat_map(|relation| &relation.rules) {
        let mut args = rule.head.clone();
        for condition in &rule.body {
            condition.each_arg(&mut |arg| args.push(arg));
            if let Condition::Atom(Atom { place: Place::Facts(facts), .. }) = condition {
                read[facts.index()] = true;
            }
        }
        for arg in args {
            if let Arg::Term(term) = arg {
                number(term);
            }
        }
    }
    // Roots can be facts that no rule reads.
    let program = &book.program;
    let roots = program.fluents.iter().flat_map(|f| [f.init, f.next]);
    let ends = program.fluents.iter().filter_map(|f| match f.stay {
        Stay::Unless(table) => Some(table),
        Stay::Never => None,
    });
    let roots = roots
        .chain(ends)
        .chain(program.moves.iter().map(|m| m.legal))
        .chain([program.goal, program.terminal]);
    roots.for_each(|table| read[table.index()] = true);
    for (table, _) in book.facts.iter().zip(&read).filter(|(_, read)| **read) {
        table.rows().flatten().for_each(|&term| {
            number(term);
        });
    }
}

/// A move as a row, the role first.
#[derive(Clone, Debug)]
pub(super) struct Move<C> {
    /// Its shape, by position in `Program::moves`.
    pub(super) shape: usize,
    pub(super) cells: Vec<C>,
}

/// What fluents or moves of one shape are numbered, by all their columns.
#[derive(Clone, Debug)]
pub(super) struct Numbers<C> {
    lookup: Lookup<C>,
    ids: Vec<u32>,
    /// The key of a row that has these columns and no others.
    whole: Key,
}

impl<C: Cell> Numbers<C> {
    fn new<'r>(width: usize, rows: impl Iterator<Item = (u32, &'r [C])> + Clone) -> Numbers<C> {
        let keys: Vec<Vec<u32>> =
            rows.clone().map(|(_, row)| row.iter().map(|cell| cell.number()).collect()).collect();
        let mut lookup = Lookup::new(space(width, keys.iter()), width);
        let mut ids = Vec::new();
        for (id, row) in rows {
            lookup.add(row);
            ids.push(id);
        }
        let sources: Vec<Source> = (0..width as u16).map(Source::Column).collect();
        Numbers { whole: lookup.key(&sources), lookup, ids }
    }

    /// How rows give keys.
    pub(super) fn key(&self, sources: &[Source]) -> Key {
        self.lookup.key(sources)
    }

    #[inline]
    pub(super) fn find(&self, key: &Key, row: &[C]) -> Option<u32> {
        self.lookup.find(key, row).map(|entry| self.ids[entry as usize])
    }

    /// The number of a row of all columns.
    pub(super) fn find_whole(&self, row: &[C]) -> Option<u32> {
        self.find(&self.whole, row)
    }
}

/// All that can be looked up.
#[derive(Clone, Debug)]
pub(super) struct Facts<C> {
    /// What is indexed, or will be by [`Facts::extend`].
    pub(super) paths: Paths,
    pub(super) fact_indexes: Vec<FactIndex<C>>,
    pub(super) fluent_indexes: Vec<FluentIndex<C>>,
    pub(super) fluents: Fluents<C>,
    /// The numbers of fluents, by shape.
    fluent_of: Vec<Numbers<C>>,
    /// For each role its moves.
    pub(super) moves: Vec<Vec<Move<C>>>,
    /// For each role and shape the numbers of its moves, by all columns but the role.
    move_of: Vec<Vec<Numbers<C>>>,
    /// The goal value that a term is, for terms that are numbers.
    pub(super) goals: HashMap<u32, Goal>,
}

impl<C: Cell> Facts<C> {
    pub(super) fn new(book: &Rulebook, lexicon: &mut Lexicon, vocabulary: &Vocabulary) -> Facts<C> {
        let terms = &book.terms;
        let mut number = |term: TermId| lexicon.number(terms, term);
        let fluents = rows_of_fluents(book, vocabulary, &mut number);
        let shapes = move_shapes(book);
        let moves: Vec<Vec<Move<C>>> =
            vocabulary.roles().map(|role| rows_of_moves(&shapes, vocabulary, role, &mut number)).collect();
        let fluent_of = (0..book.program.fluents.len())
            .map(|shape| {
                let width = book.program.table(book.program.fluents[shape].holds).width;
                let of_shape = fluents.of_shape[shape].iter();
                Numbers::new(width, of_shape.map(|&fluent| (fluent, fluents.row(fluent))))
            })
            .collect();
        let numbers_of = |moves: &Vec<Move<C>>| {
            let mut by_shape = vec![Vec::new(); book.program.moves.len()];
            for (id, action) in (0..).zip(moves) {
                by_shape[action.shape].push((id, &action.cells[1..]));
            }
            let of_shape = |(shape, rows): (usize, Vec<(u32, &[C])>)| {
                let width = book.program.table(book.program.moves[shape].does).width - 1;
                Numbers::new(width, rows.iter().copied())
            };
            by_shape.into_iter().enumerate().map(of_shape).collect()
        };
        let move_of = moves.iter().map(numbers_of).collect();
        let goals = goal_values(book, &lexicon.terms);
        let (fact_indexes, fluent_indexes) = (Vec::new(), Vec::new());
        let paths = Paths::default();
        Facts { paths, fact_indexes, fluent_indexes, fluents, fluent_of, moves, move_of, goals }
    }

    /// Makes the indexes of paths that came since the last time.
    pub(super) fn extend(&mut self, book: &Rulebook, lexicon: &mut Lexicon) {
        let mut number = |term: TermId| lexicon.number(&book.terms, term);
        for path in &self.paths.facts[self.fact_indexes.len()..] {
            self.fact_indexes.push(FactIndex::new(path, &book.facts[path.facts.index()], &mut number));
        }
        for path in &self.paths.fluents[self.fluent_indexes.len()..] {
            self.fluent_indexes.push(FluentIndex::new(path, &self.fluents));
        }
    }

    /// Makes the keys of operations fit the indexes, which were not there when they were written.
    pub(super) fn resolve_keys(&self, tree: &mut OrAndTree) {
        let ors = &tree.ors;
        for and in &mut tree.ands {
            if let Some(target) = ors[and.or.index()].target {
                and.place = self.numbers(target).key(&and.answer);
            }
            for op in &mut and.ops {
                match op {
                    Op::Fluents { index, key: key @ Key::Hashed(_), .. } => {
                        *key = self.fluent_indexes[index.index()].key(key.sources());
                    }
                    Op::Facts { index, key: key @ Key::Hashed(_), .. } => {
                        *key = self.fact_indexes[index.index()].key(key.sources());
                    }
                    _ => {}
                }
            }
        }
    }

    /// The numbers of what a root derives.
    pub(super) fn numbers(&self, target: Target) -> &Numbers<C> {
        match target {
            Target::Fluents { shape } => &self.fluent_of[shape],
            Target::Moves { role, shape } => &self.move_of[role][shape],
        }
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        let facts = self.fact_indexes.iter().map(|i| i.lookup.memory() + size_of_val(i.matches.as_slice()));
        let fluents = self.fluent_indexes.iter().map(|i| i.lookup.memory() + size_of_val(i.spans.as_slice()));
        let moves = self.move_of.iter().flatten().map(|n| n.lookup.memory() + n.ids.len() * 4);
        facts.sum::<usize>() + fluents.sum::<usize>() + moves.sum::<usize>()
    }
}

/// The shape of a fluent or move and its columns.
fn columns(terms: &Terms, term: TermId) -> (Shape, Vec<TermId>) {
    let arguments = terms.arguments(term);
    match arguments.len() {
        0 => (Shape::Constant, vec![term]),
        count => (Shape::Function((terms.functor(term), count)), arguments.to_vec()),
    }
}

fn rows_of_fluents<C: Cell>(
    book: &Rulebook,
    vocabulary: &Vocabulary,
    number: &mut impl FnMut(TermId) -> u32,
) -> Fluents<C> {
    let by_shape: HashMap<Shape, usize> = book.program.fluents.iter().map(|f| f.shape).zip(0..).collect();
    let of_shape = vec![Vec::new(); book.program.fluents.len()];
    let bits: Vec<Vec<Span>> = vec![Vec::new(); of_shape.len()];
    let mut fluents = Fluents { shapes: Vec::new(), of_shape, bits, starts: vec![0], cells: Vec::new() };
    for fluent in vocabulary.fluents() {
        let (shape, columns) = columns(vocabulary.terms(), vocabulary.fluent(fluent));
        fluents.shapes.push(by_shape[&shape]);
        fluents.of_shape[by_shape[&shape]].push(fluent.0);
        let (word, mask) = (fluent.0 / 64, 1 << (fluent.0 % 64));
        match fluents.bits[by_shape[&shape]].last_mut() {
            Some(span) if span.word == word => span.mask |= mask,
            _ => fluents.bits[by_shape[&shape]].push(Span { word, mask }),
        }
        fluents.cells.extend(columns.iter().map(|&term| C::of(number(term))));
        fluents.starts.push(fluents.cells.len() as u32);
    }
    fluents
}

/// The position of each shape in `Program::moves`.
fn move_shapes(book: &Rulebook) -> HashMap<Shape, usize> {
    book.program.moves.iter().map(|m| m.shape).zip(0..).collect()
}

fn rows_of_moves<C: Cell>(
    by_shape: &HashMap<Shape, usize>,
    vocabulary: &Vocabulary,
    role: RoleId,
    number: &mut impl FnMut(TermId) -> u32,
) -> Vec<Move<C>> {
    let name = C::of(number(vocabulary.role(role)));
    let mut cells_of = |action: u32| {
        let (shape, columns) = columns(vocabulary.terms(), vocabulary.action(role, MoveId(action)));
        let mut cells = vec![name];
        cells.extend(columns.iter().map(|&term| C::of(number(term))));
        Move { shape: by_shape[&shape], cells }
    };
    (0..vocabulary.move_count(role) as u32).map(&mut cells_of).collect()
}

fn goal_values(book: &Rulebook, terms: &Terms) -> HashMap<u32, Goal> {
    let symbols = &book.program.rules.symbols;
    (0..terms.len() as u32)
        .filter(|&id| terms.is_constant(TermId(id)))
        .filter_map(|id| Some((id, symbols.name(terms.functor(TermId(id))).parse::<Goal>().ok()?)))
        .collect()
}

/// Calls `found` with the number of every fluent of the spans that holds.
#[inline]
pub(super) fn each_holding(state: &Row, spans: &[Span], mut found: impl FnMut(u32)) {
    for span in spans {
        let mut bits = state[span.word as usize] & span.mask;
        while bits != 0 {
            found(span.word * 64 + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

/// True if one of the fluents of the spans holds.
#[inline]
pub(super) fn any_holds(state: &Row, spans: &[Span]) -> bool {
    spans.iter().any(|span| state[span.word as usize] & span.mask != 0)
}
