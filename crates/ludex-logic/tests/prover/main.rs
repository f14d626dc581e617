//! The prover against answers that come from elsewhere: from paper, from clingo, from exhaustive search.

mod agree;
mod clingo;
mod designer;
mod discovered;
mod explored;
mod figure2;
mod properties;
