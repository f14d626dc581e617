//! How an agent works, for those who set it up.

use super::accelerator::Accelerator;
use super::builder::{Builder, endings, facts, interpreters, network, reference};
use crate::evaluation::Trained;
use crate::uct;
use ludex_engine::budget::Budget;
use ludex_logic::endgame::Oracle;
use ludex_logic::endgame::file::RulesHash;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What is known of the states of a game before a match.
#[derive(Clone)]
pub struct Solved {
    /// The rules that it is about.
    pub rules: RulesHash,
    /// Who is asked.
    pub oracle: Arc<dyn Oracle>,
}

impl fmt::Debug for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Solved({})", self.rules)
    }
}

/// How an agent works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Search threads.
    pub threads: usize,
    /// Bytes for all trees and tables together.
    pub memory: usize,
    /// How much each builder may take.
    pub budget: Budget,
    /// What is built, each on a thread of its own. The fastest engine is used, and what a later one gives is taken to
    /// be hard to beat: once it is the fastest, the earlier ones end.
    pub builders: Vec<Builder>,
    /// What is built after that, and nobody waits for.
    pub extras: Vec<Builder>,
    /// Databases of games; that of the game which is played is used instead of one that is built.
    pub solved: Vec<Solved>,
    /// How trees are searched.
    pub tree: uct::Settings,
    /// How long it may learn before it plays: random games, an evaluation, and a trial of searches by it. A player's
    /// start clock, where there is one; `None` learns nothing.
    pub learning: Option<Duration>,
    /// Evaluations that were trained before; the one for the game's rules takes the place of what is learnt.
    pub evaluations: Vec<Arc<Trained>>,
    /// Look for what is certain by exhaustive search, too.
    pub exact: bool,
    /// Where several roles choose at once and have few joint moves, draw from mixed strategies.
    pub mixed: bool,
    /// Think while others do.
    pub ponder: bool,
    /// Where leaves are valued, if not by the processor.
    pub accelerator: Option<Arc<dyn Accelerator>>,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Settings {
    /// All cores, a gigabyte, everything switched on.
    fn default() -> Settings {
        Settings {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 1 << 30,
            // Bounded by rows and steps: what is late is still good for the moves to come.
            budget: Budget::default(),
            builders: vec![interpreters, network],
            extras: vec![facts, endings],
            solved: Vec::new(),
            tree: uct::Settings::default(),
            learning: Some(Duration::from_secs(2)),
            evaluations: Vec::new(),
            exact: true,
            mixed: true,
            ponder: true,
            accelerator: None,
            seed: 1,
        }
    }
}

impl Settings {
    /// The same for a match with such a start clock, most of which may be spent on learning, if anything is learnt.
    #[must_use]
    pub fn for_start_clock(self, clock: Duration) -> Settings {
        const MOST: Duration = Duration::from_secs(20);
        Settings { learning: self.learning.map(|_| clock.mul_f64(0.9).min(MOST)), ..self }
    }

    /// Plain UCT on the reference engine, one thread, no thinking in the others' time: the measuring stick.
    pub fn plain() -> Settings {
        Settings {
            threads: 1,
            builders: vec![reference],
            extras: Vec::new(),
            tree: uct::Settings::plain(),
            learning: None,
            exact: false,
            mixed: false,
            ponder: false,
            ..Settings::default()
        }
    }
}
