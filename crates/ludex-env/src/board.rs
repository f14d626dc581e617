//! Boards: channels x height x width, where what is proved of a game allows.
//!
//! Two arguments of a fluent are row and column if the fluents that agree in them make a group of which at
//! most one holds: `(cell 1 2 x)`, `(cell 1 2 o)`, `(cell 1 2 b)`. Every other argument together is what is
//! on the square, a channel each. Where exactly one of a square's group always holds, one channel says no
//! more than the others together, and the one that most squares have initially is dropped. Rows and columns
//! are in the order of the vocabulary, which is that of numbers and of letters; the first of the two
//! arguments is the row.

use crate::encode::Counter;
use ludex_engine::propnet::lanes::Column;
use ludex_engine::row::{self, Row};
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::Symbol;
use ludex_logic::facts::{Facts, Group, Turns};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Why a game has no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBoard {
    /// No fluent is proved to tell what is on the squares of a board.
    NoSquares,
    /// More than this number of fluents are neither on the board nor a turn nor a counter.
    TooMuchElse(usize),
}

impl fmt::Display for NoBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBoard::NoSquares => f.write_str(
                "no fluent is proved to tell what is on the squares of a board; take the flat observation",
            ),
            NoBoard::TooMuchElse(most) => {
                write!(f, "more than {most} fluents are not on the board; take the flat observation")
            }
        }
    }
}

impl std::error::Error for NoBoard {}

/// Fluents that are channels of their own, the same on every square.
const MOST_ELSE: usize = 64;

#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) channels: usize,
    pub(crate) height: usize,
    pub(crate) width: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) counters: Vec<Counter>,
    pub(crate) names: Vec<String>,
}

/// A name with its number of arguments, and where row and column are among them.
type Family = ((Symbol, usize), (usize, usize));

impl Board {
    /// `constants` are the fluents that never change: those that never hold are no part of a board, and the others nothing to tell.
    pub(crate) fn find(
        vocabulary: &Vocabulary,
        facts: &Facts,
        initial: &Row,
        constants: &BTreeSet<FluentId>,
    ) -> Result<Board, NoBoard> {
        let never = |fluent: FluentId| constants.contains(&fluent) && !row::holds(initial, fluent);
        let terms = vocabulary.terms();
        let functor = |fluent: FluentId| {
            let term = vocabulary.fluent(fluent);
            (terms.functor(term), terms.arguments(term).len())
        };
        let arguments = |fluent: FluentId| terms.arguments(vocabulary.fluent(fluent));

        // Which arguments are row and column, by which groups.
        let mut families: BTreeMap<Family, Vec<&Group>> = BTreeMap::new();
        for group in &facts.groups {
            if let Some(key) = key_of(group, functor, arguments) {
                families.entry((functor(group.fluents[0]), key)).or_default().push(group);
            }
        }
        let covered = |family: &Vec<&Group>| family.iter().map(|group| group.fluents.len()).sum::<usize>();
        let main =
            families.iter().max_by_key(|(family, groups)| (covered(groups), std::cmp::Reverse(**family)));
        let Some((&(main, key), _)) = main else { return Err(NoBoard::NoSquares) };
        // In the order of the vocabulary a place is known by where it first occurs.
        let axis = |position: usize| {
            let mut order: Vec<TermId> = Vec::new();
            let of_main = vocabulary.fluents().filter(|&fluent| functor(fluent) == main);
            for fluent in of_main.filter(|&fluent| !never(fluent)) {
                let value = arguments(fluent)[position];
                if !order.contains(&value) {
                    order.push(value);
                }
            }
            let rank = |value: &TermId| {
                let name = terms.show(&vocabulary.rules().symbols, *value);
                (name.parse::<i64>().is_err(), name.parse::<i64>().unwrap_or(0), name)
            };
            order.sort_by_key(rank);
            order
        };
        let (rows, columns) = (axis(key.0), axis(key.1));
        if rows.len() < 2 || columns.len() < 2 {
            return Err(NoBoard::NoSquares);
        }
        let square = |fluent: FluentId, key: (usize, usize)| {
            let arguments = arguments(fluent);
            let row = rows.iter().position(|value| *value == arguments[key.0])?;
            let column = columns.iter().position(|value| *value == arguments[key.1])?;
            Some(row * columns.len() + column)
        };

        let mut board = Board {
            channels: 0,
            height: rows.len(),
            width: columns.len(),
            columns: Vec::new(),
            counters: Vec::new(),
            names: Vec::new(),
        };
        let mut done = vec![false; vocabulary.fluent_count()];
        constants.iter().for_each(|fluent| done[fluent.index()] = true);
        let mut names: Vec<(Symbol, usize)> = vocabulary.fluents().map(functor).collect();
        names.sort_unstable();
        names.dedup();
        // The main board first.
        names.sort_by_key(|name| *name != main);
        for name in names {
            let of_name = vocabulary.fluents().filter(|&fluent| functor(fluent) == name);
            let of_name: Vec<FluentId> = of_name.filter(|&fluent| !never(fluent)).collect();
            let family =
                families.iter().find(|((functor, at), _)| *functor == name && (name != main || *at == key));
            let (at, groups): ((usize, usize), &[&Group]) = match family {
                Some(((_, at), groups)) => (*at, groups),
                None if name.1 == 2 => ((0, 1), &[]),
                None => continue,
            };
            let squares: Option<Vec<usize>> = of_name.iter().map(|&fluent| square(fluent, at)).collect();
            let Some(squares) = squares else { continue };
            let content = |fluent: FluentId| -> Vec<TermId> {
                let all = arguments(fluent).iter().enumerate();
                all.filter(|(position, _)| *position != at.0 && *position != at.1)
                    .map(|(_, term)| *term)
                    .collect()
            };
            let contents: BTreeSet<Vec<TermId>> = of_name.iter().map(|&fluent| content(fluent)).collect();
            let dropped = complement(&of_name, groups, &contents, content, initial);
            for what in contents.iter().filter(|what| dropped.as_ref() != Some(what)) {
                let mut channel = vec![Column::Zero; board.height * board.width];
                let mut changes = false;
                let here = of_name.iter().zip(&squares).filter(|(fluent, _)| content(**fluent) == *what);
                let mut shown = String::new();
                for (&fluent, &square) in here {
                    channel[square] = Column::Fluent(fluent);
                    changes |= !constants.contains(&fluent);
                    shown = with_stars(vocabulary, fluent, at);
                }
                if changes {
                    board.add(channel, shown);
                }
            }
            of_name.iter().for_each(|fluent| done[fluent.index()] = true);
        }
        if let Turns::Alternate { control } = &facts.turns {
            // Exactly one of them holds: the last says nothing new.
            for &(fluent, _) in control.iter().take(control.len().saturating_sub(1)) {
                board.everywhere(fluent, vocabulary.show_fluent(fluent));
            }
            control.iter().for_each(|(fluent, _)| done[fluent.index()] = true);
        }
        for group in facts.groups.iter().filter(|group| group.exactly) {
            if group.fluents.iter().any(|fluent| done[fluent.index()]) {
                continue;
            }
            if let Some(values) = numbers(vocabulary, group, functor, arguments) {
                let (name, _) = functor(group.fluents[0]);
                let most = values.iter().map(|(_, value)| *value).max().unwrap_or(1).max(1);
                let first = board.columns.len();
                board.add(
                    vec![Column::Zero; board.height * board.width],
                    format!("({} *) / {most}", vocabulary.rules().symbols.name(name)),
                );
                let values =
                    values.iter().map(|&(fluent, value)| (fluent, value as f32 / most as f32)).collect();
                board.counters.push(Counter { columns: first..board.columns.len(), values });
                group.fluents.iter().for_each(|fluent| done[fluent.index()] = true);
            }
        }
        let rest: Vec<FluentId> = vocabulary.fluents().filter(|fluent| !done[fluent.index()]).collect();
        if rest.len() > MOST_ELSE {
            return Err(NoBoard::TooMuchElse(MOST_ELSE));
        }
        for fluent in rest {
            board.everywhere(fluent, vocabulary.show_fluent(fluent));
        }
        Ok(board)
    }

    fn add(&mut self, channel: Vec<Column>, name: String) {
        self.columns.extend(channel);
        self.names.push(name);
        self.channels += 1;
    }

    fn everywhere(&mut self, fluent: FluentId, name: String) {
        self.add(vec![Column::Fluent(fluent); self.height * self.width], name);
    }
}

/// The two arguments that all fluents of a group share, if these are two and all others differ somewhere.
fn key_of<'t>(
    group: &Group,
    functor: impl Fn(FluentId) -> (Symbol, usize),
    arguments: impl Fn(FluentId) -> &'t [TermId],
) -> Option<(usize, usize)> {
    let (first, others) = group.fluents.split_first()?;
    if others.is_empty() || others.iter().any(|&fluent| functor(fluent) != functor(*first)) {
        return None;
    }
    let shared = |position: &usize| {
        others.iter().all(|&fluent| arguments(fluent)[*position] == arguments(*first)[*position])
    };
    let shared: Vec<usize> = (0..arguments(*first).len()).filter(shared).collect();
    match shared[..] {
        [row, column] => Some((row, column)),
        _ => None,
    }
}

/// What need not be told: each fluent is in a group of which exactly one holds, and each group has one with
/// this content.
fn complement(
    fluents: &[FluentId],
    groups: &[&Group],
    contents: &BTreeSet<Vec<TermId>>,
    content: impl Fn(FluentId) -> Vec<TermId>,
    initial: &Row,
) -> Option<Vec<TermId>> {
    let grouped: BTreeSet<FluentId> = groups.iter().flat_map(|group| group.fluents.iter().copied()).collect();
    if groups.iter().any(|group| !group.exactly) || fluents.iter().any(|fluent| !grouped.contains(fluent)) {
        return None;
    }
    let everywhere = |what: &&Vec<TermId>| {
        groups.iter().all(|group| group.fluents.iter().any(|&fluent| content(fluent) == **what))
    };
    let at_first = |what: &&Vec<TermId>| {
        fluents.iter().filter(|&&fluent| content(fluent) == **what && row::holds(initial, fluent)).count()
    };
    contents.iter().filter(everywhere).max_by_key(at_first).cloned()
}

/// The numbers for which the fluents of a group stand: all of one name with one argument, and at least three.
fn numbers<'t>(
    vocabulary: &Vocabulary,
    group: &Group,
    functor: impl Fn(FluentId) -> (Symbol, usize),
    arguments: impl Fn(FluentId) -> &'t [TermId],
) -> Option<Vec<(FluentId, i64)>> {
    let name = functor(group.fluents[0]);
    if name.1 != 1 || group.fluents.len() < 3 {
        return None;
    }
    let number = |&fluent: &FluentId| {
        let value = vocabulary.terms().show(&vocabulary.rules().symbols, arguments(fluent)[0]);
        (functor(fluent) == name).then_some(())?;
        Some((fluent, value.parse::<i64>().ok().filter(|value| *value >= 0)?))
    };
    group.fluents.iter().map(number).collect()
}

/// The fluent with stars for row and column.
fn with_stars(vocabulary: &Vocabulary, fluent: FluentId, at: (usize, usize)) -> String {
    let terms = vocabulary.terms();
    let symbols = &vocabulary.rules().symbols;
    let term = vocabulary.fluent(fluent);
    let mut shown = format!("({}", symbols.name(terms.functor(term)));
    for (position, &argument) in terms.arguments(term).iter().enumerate() {
        shown.push(' ');
        match position == at.0 || position == at.1 {
            true => shown.push('*'),
            false => shown.push_str(&terms.show(symbols, argument)),
        }
    }
    shown + ")"
}
