//! A search for a good move, in words.

use crate::error::Result;
use crate::play::{Match, PlayError, show_line};
use ludex_engine::RoleId;
use ludex_search::clock::Clock;
use ludex_search::estimate::{Estimate, Verdict};
use ludex_search::evaluation::Trained;
use ludex_search::pvs::{self, Pvs, Table};
use ludex_search::uct::{Settings, Tools, Tree};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A search to be made ([`Game::search`](crate::Game::search)): decoupled UCT with proofs, on one thread.
///
/// For a whole match against a clock there is [`ludex_search::agent`], which builds engines while it plays, uses all
/// processors and knows more kinds of search.
#[derive(Clone, Debug)]
#[must_use = "nothing is searched before `run`"]
pub struct Search<'m> {
    play: &'m Match,
    role: Option<String>,
    effort: Effort,
    settings: Settings,
    evaluation: Option<&'m Trained>,
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Effort {
    Time(Duration),
    Iterations(u64),
}

/// What a search has found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The role it was made for.
    pub role: String,
    /// The move to make; none if the role has no legal move.
    pub best: Option<String>,
    /// The legal moves, the best first.
    pub candidates: Vec<Candidate>,
    /// The joint moves that are expected.
    pub line: Vec<Vec<String>>,
    /// Random matches played on the way.
    pub playouts: u64,
    /// True if more time would not find out more.
    pub solved: bool,
}

/// A legal move and what is known of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The move.
    pub action: String,
    /// How often the search went through it.
    pub visits: u64,
    /// The mean outcome, 0 to 100.
    pub value: f64,
    /// The outcome, where it is certain.
    pub verdict: Option<Verdict>,
}

impl<'m> Search<'m> {
    pub(crate) fn new(play: &'m Match) -> Search<'m> {
        let effort = Effort::Time(Duration::from_secs(1));
        Search { play, role: None, effort, settings: Settings::default(), evaluation: None, seed: 1 }
    }

    /// For this role; the one that has a choice, and the first of several, if nothing is said.
    pub fn role(self, role: &str) -> Self {
        Search { role: Some(role.to_owned()), ..self }
    }

    /// For so long; a second if nothing is said.
    pub fn time(self, time: Duration) -> Self {
        Search { effort: Effort::Time(time), ..self }
    }

    /// So many iterations instead of a time: the result is then always the same.
    pub fn iterations(self, count: u64) -> Self {
        Search { effort: Effort::Iterations(count), ..self }
    }

    /// The seed of random choices; 1 if none is given.
    pub fn seed(self, seed: u64) -> Self {
        Search { seed, ..self }
    }

    /// How the tree is searched: exploration, memory, proofs.
    pub fn settings(self, settings: Settings) -> Self {
        Search { settings, ..self }
    }

    /// Principal variation search by what was trained for the game ([`ludex_search::training`]), instead of a tree: it knows
    /// the best move, and nothing of the others.
    pub fn evaluation(self, trained: &'m Trained) -> Self {
        Search { evaluation: Some(trained), ..self }
    }

    /// Searches.
    ///
    /// ```
    /// let game = ludex::Game::load("nim")?;
    /// let mut play = game.start()?;
    /// for action in ["take d 7", "take c 5", "take b 2"] {
    ///     play.play(action)?;
    /// }
    /// // Two heaps of one are left, and bob must take one of them.
    /// let found = game.search(&play).iterations(200).run()?;
    /// assert_eq!((found.role.as_str(), found.solved), ("bob", true));
    /// assert_eq!(found.candidates[0].verdict.map(|verdict| verdict.value), Some(0));
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Found> {
        let play = self.play;
        if play.is_over() {
            return Err(PlayError::Over.into());
        }
        let role = match &self.role {
            Some(name) => play.role(name)?,
            None => play.first_to_choose(),
        };
        let mut worker = play.engine().worker();
        let mut clock = match self.effort {
            Effort::Time(time) => Clock::until(Instant::now() + time),
            Effort::Iterations(count) => Clock::iterations(count),
        };
        if let Some(trained) = self.evaluation {
            let evaluation = trained.evaluation(&play.game().rules().rules, play.engine().vocabulary())?;
            let table = Arc::new(Table::new(self.settings.memory / 8));
            let search = Pvs::new(&*worker, pvs::Settings::default(), Arc::new(evaluation), table);
            let estimate = match search {
                Some(mut search) => search.search(&mut *worker, play.state(), role, &mut clock)?,
                None => None,
            };
            if let Some(estimate) = estimate {
                return Ok(found(play, role, &estimate));
            }
        }
        let mut tree = Tree::new(self.settings, &mut *worker, play.state(), self.seed)?;
        let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
        tree.search(&mut tools, &mut clock)?;
        Ok(found(play, role, &tree.estimate(role)))
    }
}

fn found(play: &Match, role: RoleId, estimate: &Estimate) -> Found {
    let vocabulary = play.engine().vocabulary();
    let best = estimate.best().map(|candidate| candidate.action);
    let mut list: Vec<_> = estimate.candidates.iter().collect();
    list.sort_by_key(|candidate| (Some(candidate.action) != best, std::cmp::Reverse(candidate.visits)));
    let candidates = list.into_iter().map(|candidate| Candidate {
        action: vocabulary.show_move(role, candidate.action),
        visits: candidate.visits,
        value: candidate.value,
        verdict: candidate.verdict,
    });
    Found {
        role: vocabulary.show_role(role),
        best: best.map(|action| vocabulary.show_move(role, action)),
        candidates: candidates.collect(),
        line: show_line(vocabulary, &estimate.line),
        playouts: estimate.playouts,
        solved: estimate.solved,
    }
}
