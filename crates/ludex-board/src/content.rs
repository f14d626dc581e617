//! What stands on a spot: blanks as nothing, long names cut short where that leaves them distinct.

use crate::evidence::Evidence;
use crate::scene::{Colour, Glyph};
use ludex_engine::terms::TermId;
use std::collections::{HashMap, HashSet};

/// How the contents of one relation are written.
#[derive(Debug)]
pub struct Contents {
    /// The columns that are content.
    columns: Vec<usize>,
    /// For each column the name that stands for *nothing here*.
    blanks: Vec<Option<TermId>>,
    /// The name of the relation, where that is the content.
    relation: String,
    /// How many letters tell all names apart; none if many are needed.
    length: Option<usize>,
    /// Names that are cut, in order.
    names: Vec<String>,
}

impl Contents {
    /// The contents of a table in these columns. What most cells hold at first counts as nothing if `total`: if
    /// every cell holds something.
    pub fn of(evidence: &Evidence, table: usize, columns: &[usize], total: bool) -> Contents {
        let rows = if total { evidence.initially(table) } else { Vec::new() };
        let blanks: Vec<Option<TermId>> = columns
            .iter()
            .map(|&column| {
                let values = &evidence.tables[table].columns[column].values;
                blank(evidence, values, rows.iter().map(|row| row[column]))
            })
            .collect();
        let mut names = Vec::new();
        for (&column, blank) in columns.iter().zip(&blanks) {
            let values = evidence.tables[table].columns[column].values.iter();
            names.extend(values.filter(|&value| Some(*value) != *blank).map(|&value| evidence.show(value)));
        }
        names.sort_unstable();
        let length = prefix_length(&names);
        let relation = evidence.name(evidence.tables[table].name).to_owned();
        Contents { columns: columns.to_vec(), blanks, relation, length, names }
    }

    /// True if a value stands for *nothing here*.
    pub fn has_blank(&self) -> bool {
        self.blanks.iter().any(Option::is_some)
    }

    /// What a row of the table shows; nothing for a blank.
    pub fn mark(&self, evidence: &Evidence, row: &[TermId]) -> Option<(Glyph, String, Colour)> {
        if self.columns.is_empty() {
            let blank = is_blank(&self.relation);
            let mark = (Glyph::Text(initials(&self.relation)), self.relation.clone(), Colour::Neutral);
            return (!blank).then_some(mark);
        }
        let shown: Vec<TermId> = self
            .columns
            .iter()
            .zip(&self.blanks)
            .filter(|(column, blank)| Some(row[**column]) != **blank)
            .map(|(&column, _)| row[column])
            .collect();
        if shown.is_empty() {
            return None;
        }
        let parts: Vec<String> = shown
            .iter()
            .map(|&value| {
                let name = evidence.show(value);
                self.length.map_or(name.clone(), |length| prefix(&name, length).to_owned())
            })
            .collect();
        // Single letters can be read side by side; longer parts need something between.
        let text = parts.join(if self.length == Some(1) { "" } else { "/" });
        let role = shown.iter().find_map(|&value| evidence.role_of(value));
        let glyph = parts.iter().map(|part| initials(part)).collect::<Vec<_>>().join(" ");
        Some((Glyph::Text(glyph), text, role.map_or(Colour::Neutral, Colour::Role)))
    }

    /// `b = black`, for every name that is cut.
    pub fn legend(&self) -> Vec<String> {
        let Some(length) = self.length else { return Vec::new() };
        let cut = self.names.iter().filter(|name| prefix(name, length) != name.as_str());
        cut.map(|name| format!("{} = {name}", prefix(name, length))).collect()
    }
}

/// The value that stands for *nothing here*: by its name, else the one that most cells have initially, if it is
/// half of them or more, and no role's.
fn blank(evidence: &Evidence, values: &[TermId], initially: impl Iterator<Item = TermId>) -> Option<TermId> {
    if let Some(&named) = values.iter().find(|&&value| is_blank(&evidence.show(value))) {
        return Some(named);
    }
    let mut counts: HashMap<TermId, usize> = HashMap::new();
    initially.for_each(|value| *counts.entry(value).or_default() += 1);
    let all: usize = counts.values().sum();
    let (most, count) = counts.into_iter().max_by_key(|&(value, count)| (count, std::cmp::Reverse(value)))?;
    (values.len() > 1 && count * 2 >= all && all > 1 && evidence.role_of(most).is_none()).then_some(most)
}

/// A name that fits on a spot: as it is, else the letters with which its words begin, as far as capitals, digits and
/// strokes tell words apart.
fn initials(name: &str) -> String {
    const FITTING: usize = 4;
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
