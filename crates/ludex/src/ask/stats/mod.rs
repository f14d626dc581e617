//! What play of a game is like: who wins, how long it takes, how much there is to choose.
//!
//! Outcomes and lengths are counted over as many random matches as were asked for, 512 at a time where the game has a
//! network. What needs every state of a match (`trace.rs`) is counted over a smaller sample, one match at a time.
//! `skill.rs` lets Ludex play itself. Names are those of Ludii's evaluation where they mean the same; docs/measuring.md
//! has each with its meaning.

mod interval;
#[cfg(feature = "search")]
mod skill;
mod trace;

pub use interval::{Mean, Share};
#[cfg(feature = "search")]
pub use skill::{Contest, Skill};
pub use trace::{Ply, Values};

use crate::error::Result;
use crate::game::Game;
use ludex_engine::prepared::Interpreter;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::{Budget, Engine, Random, RoleId};
use ludex_gdl::rewrite::fnext::Encoding;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace::Trace;

/// Statistics to be taken ([`Game::stats`]).
#[derive(Clone, Debug)]
#[must_use = "nothing is played before `run`"]
pub struct Stats<'g> {
    game: &'g Game,
    games: u64,
    sample: u64,
    seed: u64,
    longest: u64,
    threads: usize,
    time: Duration,
    budget: Budget,
    #[cfg(feature = "search")]
    skill: Option<(Duration, [u64; 2])>,
}

/// What play of a game is like.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Random matches whose ends were counted.
    pub games: u64,
    /// How they were played: `lanes`, or the name of an engine.
    pub engine: &'static str,
    /// Matches that the rules ended (*completion* is those with a winner, as in Ludii).
    pub ended: Share,
    /// Matches that were broken off for their length.
    pub timeouts: Share,
    /// Matches in which somebody had no legal move before the end.
    pub stuck: Share,
    /// What each role got, in the order of the roles.
    pub roles: Vec<RoleStatistics>,
    /// Matches that ended with the highest goal for several roles; nothing in games for one.
    pub drawishness: Option<Share>,
    /// Matches that ended with one winner; nothing in games for one.
    pub completion: Option<Share>,
    /// One less the greatest difference between two roles' shares of wins; nothing in games for one.
    pub balance: Option<f64>,
    /// Who moves first, where it is always the same role, and how that went.
    pub first_mover: Option<FirstMover>,
    /// Joint moves of a match.
    pub duration: Lengths,
    /// Matches that were looked at state by state.
    pub sample: u64,
    /// Joint moves to choose from, in the mean over the states of the sample.
    pub branching_factor: Mean,
    /// States of the sample in which somebody had a choice.
    pub decision_moves: Share,
    /// By the number of joint moves made.
    pub plies: Vec<Ply>,
    /// The decimal logarithm of the number of lines of play: the branching factor to the power of the length.
    pub game_tree_complexity: f64,
    /// The decimal logarithm of the number of lines of play as random matches estimate it without a bias (Knuth 1975).
    pub lines_estimate: Option<f64>,
    /// Reachable states.
    pub states: States,
    /// Of the matches of the sample with one winner, those in which the winner was the last to have a choice.
    pub last_mover: Option<Share>,
    /// What exact values say of the matches of the sample, where every state could be visited.
    pub values: Option<Values>,
    /// Ludex against itself, where it was asked for.
    #[cfg(feature = "search")]
    pub skill: Option<Skill>,
}

/// What a role got in random matches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RoleStatistics {
    /// The role.
    pub role: String,
    /// Matches that it won: it alone had the highest goal. In games for one: its best goal that was seen.
    pub wins: Share,
    /// The goals in the mean.
    pub goal: Option<f64>,
    /// Each goal value with its number of matches, ascending.
    pub goals: Vec<(i32, u64)>,
}

/// How it went for the role that moves first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FirstMover {
    /// The role.
    pub role: String,
    /// Matches that it won.
    pub wins: Share,
    /// Wins and half of the draws, as a part of all that ended: Ludii's AdvantageP1.
    pub advantage: f64,
}

/// Lengths of matches in joint moves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lengths {
    /// Mean and deviation.
    pub turns: Mean,
    /// The shortest.
    pub shortest: u64,
    /// The longest.
    pub longest: u64,
    /// Each length with its number of matches, ascending.
    pub histogram: Vec<(u64, u64)>,
}

/// How many states can be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct States {
    /// All of them, where they could be visited.
    pub exact: Option<u64>,
    /// Different states that were seen: there are at least so many.
    pub seen: u64,
    /// An estimate, which leans to the low side: by ply, from how many states were seen once and twice (Chao 1984).
    pub estimate: f64,
}

impl<'g> Stats<'g> {
    pub(crate) fn new(game: &'g Game) -> Stats<'g> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Stats {
            game,
            games: 1_000_000,
            sample: 2000,
            seed: 1,
            longest: 1000,
            threads,
            time: Duration::from_secs(10),
            budget: Budget::default(),
            #[cfg(feature = "search")]
            skill: None,
        }
    }

    /// So many random matches, a million if nothing is said; fewer where the time is over before.
    pub fn games(self, games: u64) -> Self {
        Stats { games: games.max(1), ..self }
    }

    /// So many of them looked at state by state, 2000 if nothing is said; fewer where the time is over before.
    pub fn sample(self, sample: u64) -> Self {
        Stats { sample: sample.max(1), ..self }
    }

    /// The seed of the random moves; 1 if none is given.
    pub fn seed(self, seed: u64) -> Self {
        Stats { seed, ..self }
    }

    /// Matches are broken off after so many joint moves; 1000 if nothing is said.
    pub fn longest(self, longest: u64) -> Self {
        Stats { longest: longest.max(1), ..self }
    }

    /// How many threads play; all processors if nothing is said.
    pub fn threads(self, threads: usize) -> Self {
        Stats { threads: threads.max(1), ..self }
    }

    /// For so long, with making the engines; ten seconds if nothing is said. Skill has a time of its own.
    pub fn time(self, time: Duration) -> Self {
        Stats { time, ..self }
    }

    /// Within this budget, too: its memory, its token, its deadline.
    pub fn budget(self, budget: &Budget) -> Self {
        Stats { budget: budget.clone(), ..self }
    }

    /// Lets Ludex play itself for so long, with two numbers of iterations of its search.
    #[cfg(feature = "search")]
    pub fn skill(self, time: Duration, weak: u64, strong: u64) -> Self {
        Stats { skill: Some((time, [weak.max(1), strong.max(1)])), ..self }
    }

    /// Plays and counts. An error if there is no engine for the game, or not one match was finished in time.
    ///
    /// ```
    /// let stats = ludex::Game::load("tictactoe")?.stats().games(100_000).run()?;
    /// let first = stats.first_mover.expect("x begins");
    /// // 131,184 of 255,168 lines of play are won by x, but lines are not equally likely: 58.5 % of random matches.
    /// assert!((first.wins.value() - 0.585).abs() < 0.01, "{:?}", first.wins);
    /// assert_eq!(stats.states.exact, Some(5478));
    /// # Ok::<(), ludex::Error>(())
    /// ```
    pub fn run(self) -> Result<Statistics> {
        let budget = self.budget.clone().within(self.time);
        let prepared = self.game.prepared();
        // A network that takes most of the time to make leaves none to play.
        let third = budget.share(3);
        let network = prepared.propnet(&third).ok();
        let lanes = network.as_ref().and_then(|_| {
            let compiled = prepared.network(&third).ok()?;
            Lanes::new(&compiled.net, &compiled.initial, &third).ok()
        });
        let engine: Arc<dyn Engine> = match network {
            Some(network) => network,
            None => prepared.interpreter(Interpreter::Tree, Encoding::Original, &budget)?,
        };
        let mut trace = Trace::new(&*engine, self.longest, self.seed);
        trace.visit(&budget.share(4))?;
        trace.play(self.sample.min(self.games), &budget.share(2))?;
        let surveyed = lanes.as_ref().and_then(|lanes| self.survey(lanes, &*engine, &budget));
        let (name, ends) = match surveyed {
            Some(ends) => ("lanes", ends),
            None => {
                trace.play(self.games, &budget)?;
                (engine.name(), trace.ends.clone())
            }
        };
        let mut statistics = ends.summary(&*engine, name, &trace);
        statistics.values = trace.values(&budget)?;
        #[cfg(feature = "search")]
        if let Some((time, strengths)) = self.skill {
            let budget = self.budget.clone().within(time);
            statistics.skill = Some(skill::measure(&engine, strengths, self.seed, self.longest, &budget)?);
        }
        Ok(statistics)
    }

    /// The ends of all matches, 512 at a time; nothing where some do not come to an end, which lanes do not tell from
    /// the others when they count winners.
    fn survey(&self, lanes: &Lanes, engine: &dyn Engine, budget: &Budget) -> Option<Ends> {
        let vocabulary = engine.vocabulary();
        let mut start = vec![0; vocabulary.words()];
        engine.worker().initial(&mut start);
        let (mut total, mut played, mut share) = (None, 0, 1 << 12);
        // Shares draw seeds of their own from the one they get, so theirs must not be neighbours in one sequence.
        let mut seeds = Random::new(!self.seed);
        while played < self.games && (total.is_none() || budget.check().is_ok()) {
            let count = share.min(self.games - played);
            let began = Instant::now();
            let result = lanes.survey(self.threads, seeds.bits(), &start, count, self.longest);
            played += count;
            match &mut total {
                None => total = Some(result),
                Some(total) => total.add(&result),
            }
            if began.elapsed() < Duration::from_millis(50) {
                share *= 4;
            }
        }
        let total = total.filter(|total| total.stuck + total.cut == 0)?;
        Some(Ends {
            games: total.playouts,
            timeouts: 0,
            stuck: 0,
            winners: total.winners,
            goals: total.goals.into_iter().map(|counts| counts.values.into_iter().collect()).collect(),
            lengths: (0..).zip(total.lengths).filter(|(_, count)| *count > 0).collect(),
        })
    }
}

/// How matches ended.
#[derive(Clone, Debug, Default)]
struct Ends {
    games: u64,
    timeouts: u64,
    stuck: u64,
    /// Of those that ended: who had the highest goal, a bit a role.
    winners: BTreeMap<u64, u64>,
    /// By role, of those that ended.
    goals: Vec<BTreeMap<i32, u64>>,
    lengths: BTreeMap<u64, u64>,
}

impl Ends {
    fn summary(&self, engine: &dyn Engine, name: &'static str, trace: &Trace<'_>) -> Statistics {
        let vocabulary = engine.vocabulary();
        let ended = self.games - self.timeouts - self.stuck;
        let alone = vocabulary.role_count() == 1;
        let won = |role: RoleId| self.winners.get(&(1 << role.index())).copied().unwrap_or(0);
        let roles: Vec<RoleStatistics> = vocabulary
            .roles()
            .map(|role| {
                let goals = &self.goals[role.index()];
                let count: u64 = goals.values().sum();
                let sum: f64 = goals.iter().map(|(&goal, &count)| f64::from(goal) * count as f64).sum();
                let best = goals.iter().rfind(|(_, count)| **count > 0).map_or(0, |(_, count)| *count);
                RoleStatistics {
                    role: vocabulary.show_role(role),
                    wins: Share { count: if alone { best } else { won(role) }, of: ended },
                    goal: (count > 0).then(|| sum / count as f64),
                    goals: goals
                        .iter()
                        .map(|(&goal, &count)| (goal, count))
                        .filter(|(_, n)| *n > 0)
                        .collect(),
                }
            })
            .collect();
        let decided: u64 = self.winners.iter().filter(|(who, _)| who.count_ones() == 1).map(|(_, n)| n).sum();
        let drawn: u64 = self.winners.iter().filter(|(who, _)| who.count_ones() > 1).map(|(_, n)| n).sum();
        let shares: Vec<f64> = roles.iter().map(|role| role.wins.value()).collect();
        let spread = |list: &[f64]| {
            let highest = list.iter().copied().fold(0.0, f64::max);
            highest - list.iter().copied().fold(1.0, f64::min)
        };
        let first_mover = trace.first_mover().filter(|_| !alone).map(|role| FirstMover {
            role: vocabulary.show_role(role),
            wins: Share { count: won(role), of: ended },
            advantage: (won(role) as f64 + drawn as f64 / 2.0) / (ended as f64).max(1.0),
        });
        let turns = Mean::of(self.lengths.iter().map(|(&length, &count)| (length as f64, count)));
        let branching_factor = trace.branching();
        Statistics {
            games: self.games,
            engine: name,
            ended: Share { count: ended, of: self.games },
            timeouts: Share { count: self.timeouts, of: self.games },
            stuck: Share { count: self.stuck, of: self.games },
            drawishness: (!alone).then_some(Share { count: drawn, of: ended }),
            completion: (!alone).then_some(Share { count: decided, of: self.games }),
            balance: (!alone && ended > 0).then(|| 1.0 - spread(&shares)),
            first_mover,
            duration: Lengths {
                turns,
                shortest: self.lengths.keys().next().copied().unwrap_or(0),
                longest: self.lengths.keys().next_back().copied().unwrap_or(0),
                histogram: self.lengths.iter().map(|(&length, &count)| (length, count)).collect(),
            },
            roles,
            sample: trace.games(),
            branching_factor,
            decision_moves: trace.decisions(),
            plies: trace.plies(),
            game_tree_complexity: turns.mean * branching_factor.mean.max(1.0).log10(),
            lines_estimate: trace.lines(),
            states: trace.states(),
            last_mover: trace.last_mover(),
            values: None,
            #[cfg(feature = "search")]
            skill: None,
        }
    }
}
