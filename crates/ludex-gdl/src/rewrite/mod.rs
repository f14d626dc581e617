//! Rules to rules: other rules with the same meaning.

pub mod demand;
pub mod fnext;
mod simplify;
pub mod start;
pub mod trails;
pub(crate) mod unfold;
