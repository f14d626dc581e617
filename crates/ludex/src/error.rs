//! What can go wrong, as one type with the words for it.

use crate::load::LoadError;
use crate::play::PlayError;
use ludex_engine::BuildError;
use ludex_engine::fault::Fault;
use std::fmt;

/// What an answer of this crate's own types is.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done.
///
/// `Debug` writes the same as `Display`, places in the text drawn with a caret, because that is what a `main` that
/// returns an error prints.
#[non_exhaustive]
pub enum Error {
    /// There is no game: no such name or file, or rules with errors.
    Load(LoadError),
    /// There is no engine of that name; the names that there are.
    UnknownEngine(String),
    /// No engine takes the game, or the one that was asked for does not.
    Build(BuildError),
    /// An engine met a limit in a state.
    Fault(Fault),
    /// A move that cannot be made, or a role that is none.
    Play(PlayError),
    /// A formula that means nothing in the game.
    #[cfg(feature = "logic")]
    Formula(ludex_logic::formula::FormulaError),
    /// A game that has too many states to visit all.
    #[cfg(feature = "logic")]
    Solve(ludex_logic::endgame::solve::SolveError),
    /// A file of a trained evaluation that is none, or was learnt for another game.
    #[cfg(feature = "search")]
    Evaluation(ludex_search::evaluation::FileError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Load(error) => error.fmt(f),
            Error::UnknownEngine(name) => {
                let names: Vec<&str> = crate::engines::ALL.iter().map(|choice| choice.name).collect();
                write!(f, "there is no engine `{name}`; the engines are {}", names.join(", "))
            }
            Error::Build(error) => error.fmt(f),
            Error::Fault(fault) => fault.fmt(f),
            Error::Play(error) => error.fmt(f),
            #[cfg(feature = "logic")]
            Error::Formula(error) => f.write_str(error.drawn().trim_end()),
            #[cfg(feature = "logic")]
            Error::Solve(error) => write!(f, "the game is not solved: {error}"),
            #[cfg(feature = "search")]
            Error::Evaluation(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

macro_rules! from {
    ($($(#[$attribute:meta])* $type:ty => $variant:ident,)*) => {$(
        $(#[$attribute])*
        impl From<$type> for Error {
            fn from(error: $type) -> Error {
                Error::$variant(error)
            }
        }
    )*};
}

from! {
    LoadError => Load,
    BuildError => Build,
    Fault => Fault,
    PlayError => Play,
    #[cfg(feature = "logic")]
    ludex_logic::formula::FormulaError => Formula,
    #[cfg(feature = "logic")]
    ludex_logic::endgame::solve::SolveError => Solve,
    #[cfg(feature = "search")]
    ludex_search::evaluation::FileError => Evaluation,
}
