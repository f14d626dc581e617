//! Another name for a thing, everywhere, without changing what the rules say.

use super::names::{Thing, thing};
use super::outline::Outline;
use super::{Document, Edit};
use ludex_gdl::Keyword;
use ludex_gdl::syntax::token::{is_bare_name, is_variable_name};
use ludex_gdl::syntax::{Notation, Span, print};
use std::fmt;

/// Longer names are refused: a thousand places of a long name would be a text beyond all measure.
const LONGEST: usize = 200;

/// Why a name cannot be changed, or not to that.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenameError {
    /// There is no name at the place.
    NoName,
    /// The name is reserved by the language.
    Reserved(String),
    /// A number, which goals and sums mean as it is written.
    Number(String),
    /// `_`, which is another variable each time.
    Anonymous,
    /// The new name cannot be written bare in this notation, or is not of the kind.
    Invalid {
        /// The new name.
        name: String,
        /// What it would have to be.
        wanted: &'static str,
    },
    /// The new name means something else already.
    Taken(String),
    /// A parenthesis or a clause does not end, so it is not certain which names are the same.
    Broken,
    /// With the new name the text would be read in the other notation.
    Notation,
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameError::NoName => f.write_str("there is no name at this place"),
            RenameError::Reserved(name) => write!(f, "`{name}` is a keyword of the language"),
            RenameError::Number(name) => write!(f, "`{name}` is a number; numbers keep their names"),
            RenameError::Anonymous => {
                f.write_str("each `_` is a variable of its own; write a name at this place")
            }
            RenameError::Invalid { name, wanted } => write!(f, "`{name}` is not {wanted}"),
            RenameError::Taken(what) => write!(f, "{what} is there already; choose another name"),
            RenameError::Broken => {
                f.write_str("a parenthesis or clause of the sheet does not end; mend it before renaming")
            }
            RenameError::Notation => {
                f.write_str("with this name at its beginning the sheet would be read in the other notation")
            }
        }
    }
}

impl std::error::Error for RenameError {}

impl Document {
    /// The name at the offset, if it can be changed.
    pub fn renameable(&self, offset: usize) -> Result<Span, RenameError> {
        let (span, _) = self.target(offset)?;
        Ok(span)
    }

    /// The changes that give the name at the offset another one. The rules say the same as before, or it is refused.
    pub fn rename(&self, offset: usize, name: &str) -> Result<Vec<Edit>, RenameError> {
        let (_, target) = self.target(offset)?;
        let name = name.trim();
        let name = self.checked(target, name)?;
        let written = match (target, self.notation()) {
            (Thing::Variable(..), Notation::Kif) => format!("?{name}"),
            _ => name.to_owned(),
        };
        let nodes = self.names.occurrences(target);
        let edits: Vec<Edit> = nodes
            .iter()
            .map(|&id| Edit { span: self.outline.node(id).name, text: written.clone() })
            .collect();
        if Notation::of(apply(&self.text, &edits).trim_start_matches('\u{FEFF}')) != self.notation() {
            return Err(RenameError::Notation);
        }
        Ok(edits)
    }

    fn target(&self, offset: usize) -> Result<(Span, Thing), RenameError> {
        let id = self.outline.named_at(offset as u32).ok_or(RenameError::NoName)?;
        let target = thing(&self.outline, id).ok_or(RenameError::NoName)?;
        let span = self.outline.node(id).name;
        match target {
            Thing::Keyword(keyword) => return Err(RenameError::Reserved(keyword.name().to_owned())),
            Thing::Anonymous(_) => return Err(RenameError::Anonymous),
            Thing::Term(symbol, 0) => {
                let name = self.outline.symbols.name(symbol);
                if name.parse::<i64>().is_ok() {
                    return Err(RenameError::Number(name.to_owned()));
                }
            }
            _ => {}
        }
        if self.outline.is_broken { Err(RenameError::Broken) } else { Ok((span, target)) }
    }

    /// The new name without its question mark, if it is one that the thing can have.
    fn checked<'n>(&self, target: Thing, name: &'n str) -> Result<&'n str, RenameError> {
        let kif = self.notation() == Notation::Kif;
        let invalid = |wanted| Err(RenameError::Invalid { name: name.to_owned(), wanted });
        if name.len() > LONGEST {
            return invalid("a name of at most 200 bytes");
        }
        if let Thing::Variable(_, clause) = target {
            let bare = if kif { name.strip_prefix('?').unwrap_or(name) } else { name };
            if kif && !is_kif_word(bare) {
                return invalid("the name of a variable: a word without blanks and parentheses");
            }
            if !kif && !is_variable_name(bare) {
                return invalid(
                    "the name of a variable: letters, digits and `_`, with a capital letter first",
                );
            }
            let same =
                |outline: &Outline| outline.symbols.get(bare).map(|symbol| Thing::Variable(symbol, clause));
            return match same(&self.outline) {
                Some(other) if other != target && !self.names.occurrences(other).is_empty() => {
                    Err(RenameError::Taken(format!("the variable `{name}`")))
                }
                _ => Ok(bare),
            };
        }
        if kif && !is_kif_word(name) {
            return invalid("a plain word: no blanks, parentheses, quotes or `;`, and no `?` in front");
        }
        if !kif && !is_bare_name(name) {
            return invalid("a plain name: letters, digits and `_`, with a small letter first");
        }
        if let Some(keyword) = Keyword::of(name) {
            return Err(RenameError::Reserved(keyword.name().to_owned()));
        }
        if matches!(target, Thing::Relation(..)) && name.parse::<i64>().is_ok() {
            return invalid("the name of a relation: it is a number");
        }
        let Some(symbol) = self.outline.symbols.get(name) else { return Ok(name) };
        let taken =
            self.names.things().map(|(other, _)| other).filter(|&other| other != target).find(|&other| {
                match (target, other) {
                    // Two relations of one name with different arguments would be warned of.
                    (Thing::Relation(own, _), Thing::Relation(theirs, _)) => {
                        theirs == symbol && own != symbol
                    }
                    (Thing::Term(_, arity), Thing::Term(theirs, other)) => theirs == symbol && arity == other,
                    _ => false,
                }
            });
        match taken {
            Some(Thing::Relation(_, arity)) => {
                Err(RenameError::Taken(format!("the relation `{name}` with {arity} arguments")))
            }
            Some(_) => Err(RenameError::Taken(format!("the term `{name}`"))),
            None => Ok(name),
        }
    }
}

/// True if the name can be written in KIF as it is.
fn is_kif_word(name: &str) -> bool {
    let mut written = String::new();
    print::kif_name(name, &mut written);
    !name.is_empty() && written == name
}

/// The text with the changes made. They are in the order of the text and do not overlap.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        out.push_str(&text[from..edit.span.start as usize]);
        out.push_str(&edit.text);
        from = edit.span.end as usize;
    }
    out.push_str(&text[from..]);
    out
}
