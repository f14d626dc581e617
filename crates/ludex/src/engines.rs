//! The engines by the names that users type.
//!
//! A new engine becomes known to the command line and to the examples by one line in [`ALL`].

use ludex_engine::auto::Portfolio;
use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::error::BuildError;
use ludex_engine::prepared::{Interpreter, Prepared};
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::Encoding;
use std::sync::Arc;

/// A way to build an engine.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// What users type.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    build: Builder,
}

type Builder = fn(&Prepared, &Budget) -> Result<Arc<dyn Engine>, BuildError>;

/// Whichever engine is fastest on the game, by trial.
pub const AUTO: Choice = Choice { name: "auto", about: "the best engine for the game", build: auto };

/// Every choice, [`AUTO`] first.
pub const ALL: &[Choice] = &[
    AUTO,
    Choice { name: "datalog", about: "the reference: plain and slow, bottom-up", build: datalog },
    Choice { name: "tree", about: "proofs from the question down, a set of rows at a time", build: tree },
    Choice { name: "propnet", about: "the rules as a circuit, followed change by change", build: propnet },
];

/// The choice of that name.
pub fn find(name: &str) -> Option<Choice> {
    ALL.iter().copied().find(|choice| choice.name == name)
}

impl Choice {
    /// Builds the engine for a game, or says why it declines.
    pub fn build(&self, game: &Game, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
        self.build_for(&Prepared::new(game.clone()), budget)
    }

    /// As `build`, from what has been made for the game already; what is made now is there for others.
    pub fn build_for(&self, prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
        (self.build)(prepared, budget)
    }
}

fn auto(prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
    Ok(Portfolio::new(budget).choose(prepared)?.engine)
}

fn propnet(prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
    Ok(prepared.propnet(budget)?)
}

fn datalog(prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
    prepared.interpreter(Interpreter::Datalog, Encoding::Original, budget)
}

fn tree(prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
    prepared.interpreter(Interpreter::Tree, Encoding::Original, budget)
}
