//! From a file or a bundled name to a game, for programs that do not want to show findings.

use crate::games;
use ludex_gdl::{Diagnostic, Game, Sheet, syntax};
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// Why there is no game.
#[derive(Debug)]
pub enum LoadError {
    /// No bundled game has this name.
    Unknown(String),
    /// The file could not be read.
    Io(io::Error),
    /// The rules have errors; warnings are among the findings too.
    Rules(Vec<Diagnostic>),
}

/// The bundled game of that name.
pub fn load(name: &str) -> Result<Game, LoadError> {
    let bundled = games::find(name).ok_or_else(|| LoadError::Unknown(name.to_owned()))?;
    Sheet::read(bundled.text).into_game().map_err(LoadError::Rules)
}

/// The game whose rules are in a file. Warnings are passed over; read a [`Sheet`] to see them.
pub fn load_file(path: impl AsRef<Path>) -> Result<Game, LoadError> {
    let limits = syntax::TextLimits::default();
    let mut bytes = Vec::new();
    // One byte beyond the limit is enough for the sheet to be refused as too large.
    let file = std::fs::File::open(path).map_err(LoadError::Io)?;
    file.take(limits.bytes as u64 + 1).read_to_end(&mut bytes).map_err(LoadError::Io)?;
    Sheet::read_bytes(&bytes, &limits).into_game().map_err(LoadError::Rules)
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unknown(name) => write!(f, "there is no bundled game `{name}`"),
            LoadError::Io(error) => write!(f, "the rules cannot be read: {error}"),
            LoadError::Rules(findings) => {
                let errors: Vec<&Diagnostic> = findings.iter().filter(|f| f.is_error()).collect();
                let first = errors.first().map_or("", |finding| finding.message.as_str());
                write!(f, "the rules have {} errors, the first: {first}", errors.len())
            }
        }
    }
}

impl std::error::Error for LoadError {}
