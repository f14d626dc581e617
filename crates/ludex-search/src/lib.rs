//! Search on top of engines: Monte Carlo trees, alpha-beta, games for one, and agents that play.
//!
//! | module | what it is | choose it |
//! |---|---|---|
//! | [`uct`] | decoupled UCT with proofs, transpositions and leaves in lanes | for any game |
//! | [`alphabeta`] | exact bounds by iterative deepening | two roles who take turns for a constant sum |
//! | [`pvs`] | principal variation search with a learnt [`evaluation`] | two roles who take turns, where a [`trial`] shows that it plays better |
//! | [`simultaneous`] | mixed strategies by regret matching | states in which several roles choose at once |
//! | [`solitaire`] | several searches in turns, which keep the best line | games for one |
//! | [`minimax`] | full width, nothing clever | to measure encodings and engines |
//! | [`goal_heuristic`] | how far the conditions of the goals are met, and whether that tells anything | to guide `uct` and `solitaire` |
//! | [`selection`] | which exhaustive search a game suits, by what is proved of it | to choose among those |
//! | [`learning`] | which of these plays a game of two best, by an evaluation that is learnt and a trial | before a match |
//! | [`training`] | an evaluation improved by self-play, kept in a file | for as long as one likes, before any match |
//! | [`agent`] | one role of one match: engines, threads, time | to play |
//!
//! All but `minimax` end by a [`clock::Clock`]; `uct` and `alphabeta` answer with an [`estimate::Estimate`].
//!
//! ```
//! use ludex_engine::{Engine, RoleId, propnet::Propnet};
//! use ludex_search::clock::Clock;
//! use ludex_search::uct::{Settings, Tools, Tree};
//!
//! let game = ludex_gdl::Sheet::read("(role robot) (init here)
//!     (<= (legal robot left) (true here))
//!     (<= (legal robot right) (true here))
//!     (<= (next (went ?way)) (does robot ?way))
//!     (<= terminal (true (went ?way)))
//!     (<= (goal robot 0) (true (went left)))
//!     (<= (goal robot 100) (true (went right)))").into_game().expect("a sound sheet");
//! let engine = Propnet::new(&game, &Default::default())?;
//! let mut worker = engine.worker();
//! let mut state = vec![0; engine.vocabulary().words()];
//! worker.initial(&mut state);
//! let mut tree = Tree::new(Settings::default(), &mut *worker, &state, 1)?;
//! let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
//! tree.search(&mut tools, &mut Clock::iterations(100))?;
//! let best = tree.estimate(RoleId(0)).best().map(|best| engine.vocabulary().show_move(RoleId(0), best.action));
//! assert_eq!(best.as_deref(), Some("right"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod agent;
pub mod alphabeta;
pub mod clock;
pub mod estimate;
pub mod evaluation;
pub mod goal_heuristic;
pub mod learning;
pub mod minimax;
pub mod pvs;
pub mod selection;
pub mod simultaneous;
pub mod solitaire;
pub mod training;
pub mod trial;
pub mod uct;
