//! Relations of which one fluent holds at a time that says all at once: the order of pancakes, from the first to the last.

use crate::content::initials;
use crate::evidence::Evidence;
use crate::placed::{Place, Placed};
use crate::scene::{Colour, Glyph, Mark};
use ludex_engine::vocabulary::{FluentId, Vocabulary};

/// Rows of spots that one fluent fills are no shorter and no longer.
const SIZES: std::ops::RangeInclusive<usize> = 3..=12;

/// A row of spots, numbered from `first`, one for each argument, if these are what stands there: just one fluent holds
/// initially, and all its arguments are among the same names.
pub fn of(evidence: &Evidence, number: usize, first: u32, places: &mut [Place]) -> Option<Placed> {
    let table = &evidence.tables[number];
    let names = &table.columns.first()?.values;
    let is_row = SIZES.contains(&table.width())
        && names.len() >= table.width()
        && table.columns.iter().all(|column| column.values == *names && column.path.len() == 1)
        && evidence.initially(number).len() == 1
        && !evidence.are_roles(names)
        && !evidence.never_changes(table);
    if !is_row {
        return None;
    }
    let mut placed = Placed::of_tuple(evidence, number, table.width(), first);
    let begin = placed.spots.first()?.id;
    table.items.iter().for_each(|&item| places[item] = Place::Row(begin));
    placed.title = evidence.title(number, &[]);
    Some(placed)
}

/// What such a fluent shows, spot by spot: found when it is asked for, since there can be as many of them as orders.
pub fn marks(vocabulary: &Vocabulary, fluent: FluentId) -> impl Iterator<Item = Mark> + '_ {
    let terms = vocabulary.terms();
    terms.arguments(vocabulary.fluent(fluent)).iter().map(move |&value| {
        let text = terms.show(&vocabulary.rules().symbols, value);
        let tooltip = vocabulary.show_fluent(fluent);
        Mark { glyph: Glyph::Text(initials(&text)), text, colour: Colour::Neutral, tooltip }
    })
}
