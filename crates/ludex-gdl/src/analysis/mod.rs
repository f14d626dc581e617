//! What can be read off the rules without playing: who depends on whom, in which order relations can be
//! computed, which terms each argument can hold.

pub mod actions;
pub mod dependencies;
pub mod domains;
pub mod frames;
pub mod graph;
pub mod strata;
pub mod turns;
