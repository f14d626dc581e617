//! What can be read off the rules without playing: who depends on whom, in which order relations can be
//! computed, which terms each argument can hold.

pub mod dependencies;
pub mod domains;
pub mod graph;
pub mod strata;
