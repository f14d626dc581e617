//! The conformance suite that every engine of Ludex runs, and the data it runs on. For tests only.
//!
//! An engine's whole test file is one [`Suite`] and one `#[test]` a part:
//!
//! ```no_run
//! use ludex_engine::{datalog::Datalog, budget::Budget};
//! use ludex_testkit::Suite;
//!
//! let suite = Suite::new("datalog", |game| Ok(Box::new(Datalog::new(game, &Budget::default())?)));
//! suite.rules();
//! suite.perft();
//! ```
//!
//! | part | where the expectation comes from |
//! |---|---|
//! | [`Suite::rules`] | derived by hand, `testdata/rules` |
//! | [`Suite::perft`], [`Suite::plays`] | simulators that know no GDL, `testdata/perft` |
//! | [`Suite::oracle`] | recorded from another implementation, `$LUDEX_SHARED/oracle` |
//! | [`Suite::playthroughs`] | golden: recorded from the reference engine |
//! | [`Suite::walks`], [`Suite::shared_walks`] | what must hold in every game |
//! | [`Suite::treatments`], [`Suite::generated`] | printing and reading again changes nothing |
//! | [`Suite::differential`] | another engine |
//!
//! Every part shows all its failures at once. Nothing is skipped in silence: data that is not on this
//! machine is named on the standard error stream, and what an engine declines is a golden list
//! ([`unsupported`]).

#![forbid(unsafe_code)]

pub mod connect_four;
pub mod corpus;
pub mod derived;
pub mod differential;
pub mod generate;
pub mod golden;
pub mod micro;
pub mod oracle;
pub mod playthrough;
pub mod report;
pub mod state;
pub mod suite;
pub mod treatment;
pub mod unsupported;
pub mod walk;

pub use suite::{Effort, Suite, run};
