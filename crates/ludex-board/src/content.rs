//! What stands in a cell: blanks as dots, long names cut short where that leaves them distinct.

use std::collections::HashSet;

/// The names at one place of a shape, which are written into cells.
#[derive(Debug)]
pub struct Writing {
    /// All names but the blank one.
    names: Vec<String>,
    /// The name that stands for *nothing here*.
    blank: Option<String>,
}

impl Writing {
    /// `full` says that no cell is without a content initially, so that a name must stand for *nothing*.
    pub fn of(names: &[&str], full: bool) -> Writing {
        let blank = names.iter().find(|name| is_blank(name)).copied();
        // `b` is blank in many sheets, and black or blue in others.
        let letter = ["b", "e", "-"].into_iter().find(|letter| names.contains(letter));
        let letter = letter.filter(|_| full && !names.contains(&"w") && !names.contains(&"r"));
        let blank = blank.or(letter);
        let names =
            names.iter().filter(|name| Some(**name) != blank).map(|name| (*name).to_owned()).collect();
        Writing { names, blank: blank.map(str::to_owned) }
    }

    /// What a cell shows for the name; `length` cuts it.
    pub fn write(&self, name: &str, length: Option<usize>) -> String {
        match length {
            _ if self.blank.as_deref() == Some(name) => ".".to_owned(),
            Some(length) => prefix(name, length).to_owned(),
            None => name.to_owned(),
        }
    }

    /// `b = black`, for every name that `length` cuts.
    pub fn legend(&self, length: Option<usize>) -> Vec<String> {
        let Some(length) = length else { return Vec::new() };
        let cut = self.names.iter().filter(|name| prefix(name, length) != name.as_str());
        cut.map(|name| format!("{} = {name}", prefix(name, length))).collect()
    }
}

/// How many letters tell all names apart, across the places of the content; `None` if many are needed.
pub fn prefix_length(writings: &[Writing]) -> Option<usize> {
    (1..=2).find(|&length| {
        let mut seen = HashSet::new();
        let mut names = writings.iter().flat_map(|writing| &writing.names);
        names.all(|name| name != "." && seen.insert(prefix(name, length)))
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
