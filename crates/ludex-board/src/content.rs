//! What stands on a spot: blanks as nothing, pieces as pictures where names say which, else long names cut short.
//!
//! Whose something is does not hang on names alone: a fact of the rules that names each content with one role says it, or
//! that only one role's moves bring it onto the board.

use crate::evidence::Evidence;
use crate::pieces;
use crate::scene::{Colour, Glyph, Hue, Mark};
use ludex_engine::terms::TermId;
use std::collections::{HashMap, HashSet};

/// The board on which contents stand.
#[derive(Debug)]
pub struct Ground {
    /// How many spots the relation speaks of.
    pub own: usize,
    /// How many spots there are.
    pub all: usize,
    /// The names that say which spot it is.
    pub coordinates: HashSet<TermId>,
}

/// How the contents of one relation are written.
#[derive(Debug)]
pub struct Contents {
    /// The columns that are content.
    columns: Vec<usize>,
    /// For each column the name that stands for *nothing here*.
    blanks: Vec<Option<TermId>>,
    /// The columns that name places of the board once more, such as between which cells a wall is.
    places: Vec<bool>,
    /// The name of the relation, where that is the content, and whose it is.
    relation: (String, Colour),
    /// What stands for the relation, where that is the content.
    whole: Glyph,
    /// It says of spots that they are there, or gives each a name of its own: nothing to see.
    names_spots: bool,
    /// How many letters tell all names apart; none if many are needed.
    length: Option<usize>,
    /// Names that are cut, in order.
    names: Vec<String>,
    /// How each name looks, if not as text.
    pictures: HashMap<String, Glyph>,
    /// Whose each name is.
    owners: HashMap<TermId, Colour>,
}

impl Contents {
    /// The contents of a table in these columns. What most spots hold at first counts as nothing if most hold something.
    pub fn of(evidence: &Evidence, table: usize, columns: &[usize], ground: &Ground) -> Contents {
        let rows = evidence.initially(table);
        let spots = ground.own;
        let is_total = rows.len() == spots;
        // A property that all have at first, such as not being promoted, is told where it is another.
        let usual = |column: usize| {
            let first = rows.first().map(|row| row[column])?;
            let changes = evidence.tables[table].columns[column].values.len() > 1;
            let all = changes && columns.len() > 1 && rows.iter().all(|row| row[column] == first);
            (all && rows.len() > 1 && evidence.role_of(first).is_none()).then_some(first)
        };
        let usual: Vec<Option<TermId>> = columns.iter().map(|&column| usual(column)).collect();
        let rows = if rows.len() * 5 >= spots * 3 { rows } else { Vec::new() };
        let blanks: Vec<Option<TermId>> = columns
            .iter()
            .map(|&column| {
                let values = &evidence.tables[table].columns[column].values;
                let written = || evidence.written_by_all(table, column);
                blank(evidence, values, rows.iter().map(|row| row[column]), is_total, written)
            })
            .zip(usual)
            .map(|(blank, usual)| blank.or(usual))
            .collect();
        let is_place = |&column: &usize| {
            let values = &evidence.tables[table].columns[column].values;
            values.len() > 2 && values.iter().all(|value| ground.coordinates.contains(value))
        };
        let places = columns.iter().map(is_place).collect();
        let mut names = Vec::new();
        let mut owners = HashMap::new();
        for (&column, blank) in columns.iter().zip(&blanks) {
            let values = evidence.tables[table].columns[column].values.iter();
            let values: Vec<TermId> = values.copied().filter(|&value| Some(value) != *blank).collect();
            names.extend(values.iter().map(|&value| evidence.show(value)));
            owners.extend(evidence.owners(table, column, &values));
        }
        names.sort_unstable();
        names.dedup();
        let pictures = pieces::pictures(&names);
        let length = prefix_length(&names);
        let name = evidence.name(evidence.tables[table].name).to_owned();
        let owner = evidence.owner_of_table(table).unwrap_or(Colour::Neutral);
        let changes = !evidence.never_changes(&evidence.tables[table]);
        let alone = evidence.twins(table).next().is_none();
        let few = evidence.tables[table].rows.len() * 3 <= ground.all;
        let picture = pieces::pictures(std::slice::from_ref(&name)).remove(&name);
        let whole = picture.unwrap_or_else(|| match pieces::ending(&name).filter(|_| !changes) {
            Some(side) => side,
            None if changes && alone => Glyph::Disc,
            // Few cells of their own kind, such as holes.
            None if !changes && few => Glyph::Fill,
            None => Glyph::Text(initials(&name)),
        });
        let values = |&column: &usize| evidence.tables[table].columns[column].values.len();
        let each = spots > 1 && spots == ground.all;
        let is_everywhere = columns.is_empty() && ground.own * 3 > ground.all * 2;
        let names_spots =
            !changes && (is_everywhere || (each && columns.iter().any(|column| values(column) == spots)));
        Contents {
            columns: columns.to_vec(),
            blanks,
            places,
            relation: (name, owner),
            whole,
            names_spots,
            length,
            names,
            pictures,
            owners,
        }
    }

    /// True if a value stands for *nothing here*.
    pub fn has_blank(&self) -> bool {
        self.blanks.iter().any(Option::is_some)
    }

    /// What a row of the table shows; nothing for a blank.
    pub fn mark(&self, evidence: &Evidence, row: &[TermId], tooltip: impl Fn() -> String) -> Option<Mark> {
        if self.names_spots {
            return None;
        }
        if self.columns.is_empty() {
            let (name, colour) = &self.relation;
            let glyph = self.whole.clone();
            let mark = Mark { glyph, text: name.clone(), colour: *colour, tooltip: tooltip() };
            return (!is_blank(name)).then_some(mark);
        }
        let shown: Vec<TermId> = self
            .columns
            .iter()
            .zip(&self.blanks)
            .filter(|(column, blank)| Some(row[**column]) != **blank)
            .map(|(&column, _)| row[column])
            .collect();
        // Of a place of which the rest says that nothing is there, nothing is to be seen.
        let mut each = self.columns.iter().zip(&self.blanks).zip(&self.places);
        let is_nothing = shown.len() < self.columns.len()
            && each.all(|((column, blank), is_place)| *is_place || Some(row[*column]) == *blank);
        if shown.is_empty() || is_nothing {
            return None;
        }
        let short = |value: TermId| {
            let name = evidence.show(value);
            self.length.map_or(name.clone(), |length| prefix(&name, length).to_owned())
        };
        let parts: Vec<String> = shown.iter().map(|&value| short(value)).collect();
        // Single letters can be read side by side; longer parts need something between.
        let text = parts.join(if self.length == Some(1) { "" } else { "/" });
        let owner = shown.iter().find_map(|value| self.owners.get(value).copied());
        let hue = || shown.iter().find_map(|&value| Hue::of(&evidence.show(value))).map(Colour::Named);
        let colour = owner.or_else(hue).unwrap_or(Colour::Neutral);
        // The colour says which role it is; what is left of the parts says what stands there.
        let is_said = |value: TermId| evidence.role_of(value).is_some() || is_colour(&evidence.show(value));
        let rest: Vec<TermId> = shown.iter().copied().filter(|&value| !is_said(value)).collect();
        let glyph = match rest.as_slice() {
            [] => match shown.as_slice() {
                // A role may be called left or right, and is no arrow.
                [only] => match self.picture(evidence, *only) {
                    Some(picture @ (Glyph::Cross | Glyph::Ring)) => picture,
                    _ => Glyph::Disc,
                },
                _ => Glyph::Disc,
            },
            [only] => self.picture(evidence, *only).unwrap_or_else(|| Glyph::Text(initials(&short(*only)))),
            several => match several.iter().filter_map(|&value| self.picture(evidence, value)).next() {
                // A piece with a property, such as promoted.
                Some(Glyph::Chess(piece)) => Glyph::Chess(piece),
                _ => {
                    let words: Vec<String> = several.iter().map(|&value| initials(&short(value))).collect();
                    Glyph::Text(words.join(" "))
                }
            },
        };
        Some(Mark { glyph, text, colour, tooltip: tooltip() })
    }

    fn picture(&self, evidence: &Evidence, value: TermId) -> Option<Glyph> {
        self.pictures.get(&evidence.show(value)).cloned()
    }

    /// `b = black`, for every name that is cut.
    pub fn legend(&self) -> Vec<String> {
        let Some(length) = self.length else { return Vec::new() };
        let cut = self.names.iter().filter(|name| prefix(name, length) != name.as_str());
        cut.map(|name| format!("{} = {name}", prefix(name, length))).collect()
    }
}

/// The value that stands for *nothing here*: by its name, else the one that most cells have initially and that is no
/// role's. Where every cell has a value, half of them will do, and fewer if the rules write it whoever moves, as into the
/// cell that a piece leaves; where some have none, that already means nothing.
fn blank(
    evidence: &Evidence,
    values: &[TermId],
    initially: impl Iterator<Item = TermId>,
    is_total: bool,
    written: impl Fn() -> HashSet<TermId>,
) -> Option<TermId> {
    if let Some(&named) = values.iter().find(|&&value| is_blank(&evidence.show(value))) {
        return Some(named);
    }
    // One name among numbers: the hole of a sliding puzzle, a field without a number.
    let is_number = |value: TermId| evidence.show(value).bytes().all(|byte| byte.is_ascii_digit());
    let mut others = values.iter().copied().filter(|&value| !is_number(value));
    if let (Some(only), None) = (others.next(), others.next())
        && values.len() > 3
    {
        return Some(only);
    }
    // Of counts none is nothing, however many spots have it.
    if values.iter().all(|&value| is_number(value)) {
        return None;
    }
    let mut counts: HashMap<TermId, usize> = HashMap::new();
    initially.for_each(|value| *counts.entry(value).or_default() += 1);
    let all: usize = counts.values().sum();
    let (&most, &count) = counts.iter().max_by_key(|&(value, count)| (count, std::cmp::Reverse(value)))?;
    let is_alone = counts.values().filter(|&&other| other == count).count() == 1;
    let many = if is_total { count * 2 >= all } else { count * 3 >= all * 2 };
    let is_blank = many || (is_total && written().contains(&most));
    // What moves choose is something, such as the peg on which all discs lie.
    if evidence.chosen_by_moves(values, most) {
        return None;
    }
    (values.len() > 1 && is_alone && is_blank && all > 1 && evidence.role_of(most).is_none()).then_some(most)
}

/// True for a name that says a colour and nothing else.
fn is_colour(name: &str) -> bool {
    Hue::ALL.iter().any(|hue| hue.name().eq_ignore_ascii_case(name))
}

/// A name that fits on a spot: as it is, else the letters with which its words begin, as far as capitals, digits and
/// strokes tell words apart.
pub fn initials(name: &str) -> String {
    const FITTING: usize = 5;
    if name.chars().count() <= FITTING {
        return name.to_owned();
    }
    let mut out = String::new();
    let mut begins = true;
    for letter in name.chars() {
        let is_word = letter.is_alphanumeric();
        if is_word && (begins || letter.is_uppercase() || letter.is_ascii_digit()) {
            out.push(letter);
        }
        begins = !is_word;
    }
    if out.chars().count() < 2 {
        name.chars().take(FITTING - 1).collect()
    } else {
        out.chars().take(FITTING).collect()
    }
}

/// How many letters tell all names apart.
fn prefix_length(names: &[String]) -> Option<usize> {
    (1..=2).find(|&length| {
        let mut seen = HashSet::new();
        names.iter().all(|name| name != "." && seen.insert(prefix(name, length)))
    })
}

fn prefix(name: &str, length: usize) -> &str {
    let end = name.char_indices().nth(length).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// Names that mean *nothing here* in any game.
pub fn is_blank(name: &str) -> bool {
    ["blank", "empty", "nil", "none", "null"].iter().any(|word| word.eq_ignore_ascii_case(name))
}
