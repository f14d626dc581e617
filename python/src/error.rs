//! Errors as exceptions, with the words that the library has for them.

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::{PyErr, create_exception};

create_exception!(
    ludex,
    LudexError,
    PyException,
    "Something that Ludex could not do; the text says what and why."
);
create_exception!(
    ludex,
    RulesError,
    LudexError,
    "Rules with errors, or no rules; the text shows the places."
);
create_exception!(ludex, LimitError, LudexError, "A limit on time, memory or work was met.");
create_exception!(
    ludex,
    IllegalMoveError,
    LudexError,
    "A move that cannot be made; the text says which can."
);

/// What went wrong in the library.
pub(crate) fn raised(error: ludex::Error) -> PyErr {
    let text = error.to_string();
    match error {
        ludex::Error::Load(_) => RulesError::new_err(text),
        ludex::Error::Build(_) | ludex::Error::Fault(_) | ludex::Error::Solve(_) => LimitError::new_err(text),
        ludex::Error::Play(_) => IllegalMoveError::new_err(text),
        ludex::Error::Formula(_) | ludex::Error::UnknownEngine(_) => PyValueError::new_err(text),
        _ => LudexError::new_err(text),
    }
}

/// The same for a batch.
pub(crate) fn raised_in_batch(error: &ludex_env::EnvError) -> PyErr {
    let text = error.to_string();
    match error {
        ludex_env::EnvError::Illegal { .. } => IllegalMoveError::new_err(text),
        ludex_env::EnvError::Fault(_) => LimitError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}
