//! From a name, a path or a text to checked rules.

use crate::games;
use ludex_gdl::spelling::did_you_mean;
use ludex_gdl::{Diagnostic, Sheet, syntax};
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why there is no game.
#[non_exhaustive]
pub enum LoadError {
    /// No bundled game has this name, and no file.
    Unknown(String),
    /// The file could not be read.
    Io(PathBuf, io::Error),
    /// The rules have errors.
    Rules {
        /// What the sheet is called.
        source: String,
        /// Its text.
        text: Arc<str>,
        /// All findings, warnings too.
        findings: Vec<Diagnostic>,
    },
}

/// The sheet in a file.
pub(crate) fn from_file(path: &Path) -> Result<Sheet, LoadError> {
    let limits = syntax::TextLimits::default();
    let mut bytes = Vec::new();
    let failed = |error| LoadError::Io(path.to_owned(), error);
    let file = std::fs::File::open(path).map_err(failed)?;
    // One byte beyond the limit is enough for the sheet to be refused as too large.
    file.take(limits.bytes as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Sheet::read_bytes(&bytes, &limits))
}

/// The checked rules of the bundled game of that name, without the rest of [`Game`](crate::Game).
pub fn load(name: &str) -> Result<ludex_gdl::Game, LoadError> {
    let bundled = games::find(name).ok_or_else(|| LoadError::Unknown(name.to_owned()))?;
    let sheet = Sheet::read(bundled.text);
    sheet.game().cloned().ok_or_else(|| LoadError::rules(name, &sheet))
}

/// The checked rules in a file, without the rest of [`Game`](crate::Game).
pub fn load_file(path: impl AsRef<Path>) -> Result<ludex_gdl::Game, LoadError> {
    let sheet = from_file(path.as_ref())?;
    sheet.game().cloned().ok_or_else(|| LoadError::rules(&path.as_ref().display().to_string(), &sheet))
}

impl LoadError {
    pub(crate) fn rules(source: &str, sheet: &Sheet) -> LoadError {
        LoadError::Rules {
            source: source.to_owned(),
            text: sheet.text.clone(),
            findings: sheet.findings.clone(),
        }
    }
}

/// Errors beyond this number are counted, not drawn.
const MOST_DRAWN: usize = 5;

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Unknown(name) => {
                write!(f, "there is no file and no bundled game `{name}`")?;
                let near = did_you_mean(name, games::ALL.iter().map(|game| game.name));
                near.map_or(Ok(()), |near| write!(f, "; {near}"))
            }
            LoadError::Io(path, error) => write!(f, "`{}` cannot be read: {error}", path.display()),
            LoadError::Rules { source, text, findings } => {
                let errors: Vec<&Diagnostic> = findings.iter().filter(|finding| finding.is_error()).collect();
                let ending = if errors.len() == 1 { "" } else { "s" };
                write!(f, "the rules of {source} have {} error{ending}", errors.len())?;
                for error in errors.iter().take(MOST_DRAWN) {
                    write!(f, "\n{}", error.drawn(source, text).trim_end())?;
                }
                match errors.len().saturating_sub(MOST_DRAWN) {
                    0 => Ok(()),
                    more => write!(f, "\nand {more} more"),
                }
            }
        }
    }
}

/// As `Display`: it is what a `main` that returns an error prints.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LoadError {}
