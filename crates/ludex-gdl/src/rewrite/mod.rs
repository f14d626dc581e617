//! Rules to rules: other rules with the same meaning.

pub mod demand;
pub(crate) mod unfold;
