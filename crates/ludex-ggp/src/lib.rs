//! General Game Playing on the wire.
//!
//! [`player`] plays matches for any manager, [`manager`] runs matches between players; [`message`] is what they
//! say to each other and [`http`] how. [`record`] reads and writes what is written down about matches,
//! [`replay`] compares it with an engine, step by step. Nothing else in Ludex knows the protocol and the formats.
//!
//! ```
//! use ludex_engine::{datalog::Datalog, budget::Budget};
//! use ludex_ggp::{record::Records, replay::Replayer};
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init (at 0)) (succ 0 1)
//!     (<= (legal robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
//!     (<= terminal (true (at 1)))
//!     (<= (goal robot 100) (true (at 1)))").into_game().expect("a sound sheet");
//! let engine = Datalog::new(&game, &Budget::default())?;
//! let record = r#"{"game":"walk","roles":["robot"],"playout":0}
//! {"state":["(at 0)"],"terminal":false,"legals":{"robot":["step"]},"goals":{"robot":null},"moves":["step"]}
//! {"state":["(at 1)"],"terminal":true,"goals":{"robot":100}}
//! "#;
//! let mut replayer = Replayer::new(&engine);
//! for playout in Records::new("walk.jsonl", record.as_bytes())? {
//!     assert_eq!(replayer.compare(&playout?)?, 2);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Messages and records come from strangers: whatever they hold, nothing here panics, waits without end or
//! takes memory without bound. A broken or hostile file gives a
//! [`RecordError`](record::RecordError), never a panic, and costs bounded memory
//! ([`record::RecordLimits`]).

#![forbid(unsafe_code)]

pub mod http;
pub mod manager;
pub mod message;
pub mod player;
pub mod record;
pub mod replay;
pub mod scramble;
pub mod sexp;
