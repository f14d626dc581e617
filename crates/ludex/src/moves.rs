//! Moves as people give them: words, for one role, for some, or for all.

/// The moves of one step. Made from
///
/// - one text: the move of the one role that has a choice;
/// - a list of texts: one for each role, in the order of the roles;
/// - pairs of a role and a text: roles that are not named make their only move.
///
/// A move is spelt as in the rules: `(mark 1 1)`, `mark(1,1)` or `mark 1 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Moves {
    /// The move of the one role that has a choice.
    One(String),
    /// A move for each role, in the order of the roles.
    All(Vec<String>),
    /// Roles with their moves.
    ByRole(Vec<(String, String)>),
}

impl From<&str> for Moves {
    fn from(text: &str) -> Moves {
        Moves::One(text.to_owned())
    }
}

impl From<&String> for Moves {
    fn from(text: &String) -> Moves {
        Moves::One(text.clone())
    }
}

impl From<String> for Moves {
    fn from(text: String) -> Moves {
        Moves::One(text)
    }
}

impl<const N: usize> From<[&str; N]> for Moves {
    fn from(texts: [&str; N]) -> Moves {
        Moves::from(texts.as_slice())
    }
}

impl From<&[&str]> for Moves {
    fn from(texts: &[&str]) -> Moves {
        Moves::All(texts.iter().map(|&text| text.to_owned()).collect())
    }
}

impl From<&[String]> for Moves {
    fn from(texts: &[String]) -> Moves {
        Moves::All(texts.to_vec())
    }
}

impl From<&Vec<String>> for Moves {
    fn from(texts: &Vec<String>) -> Moves {
        Moves::All(texts.clone())
    }
}

impl From<Vec<String>> for Moves {
    fn from(texts: Vec<String>) -> Moves {
        Moves::All(texts)
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Moves {
    fn from(pairs: [(&str, &str); N]) -> Moves {
        Moves::from(pairs.as_slice())
    }
}

impl From<&[(&str, &str)]> for Moves {
    fn from(pairs: &[(&str, &str)]) -> Moves {
        Moves::ByRole(pairs.iter().map(|&(role, text)| (role.to_owned(), text.to_owned())).collect())
    }
}

impl From<Vec<(String, String)>> for Moves {
    fn from(pairs: Vec<(String, String)>) -> Moves {
        Moves::ByRole(pairs)
    }
}
