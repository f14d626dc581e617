//! Ludex against itself: does skill pay?
//!
//! Every role is played by the tree search with a number of iterations, on one thread. Three contests: weak against
//! weak, strong against strong, and one strong role among weak ones, taking turns at the roles.

use super::interval::{Mean, Share};
use crate::error::Result;
use ludex_engine::{Budget, Engine, MoveId, RoleId};
use ludex_search::clock::Clock;
use ludex_search::uct::{Settings, Tools, Tree};
use std::sync::Arc;

/// Matches of Ludex against itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skill {
    /// The iterations a move of the weak and of the strong player.
    pub iterations: [u64; 2],
    /// All roles weak.
    pub weak: Contest,
    /// All roles strong.
    pub strong: Contest,
    /// One role strong, the others weak; the goals are those of the strong one. In games for one: the same as `strong`.
    pub mixed: Contest,
}

/// Matches between players of given strengths.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Contest {
    /// Matches that came to their end.
    pub games: u64,
    /// Matches that one role won, by role; in a mixed contest by whether it was the strong one: won and lost.
    pub wins: Vec<Share>,
    /// Matches that nobody won alone.
    pub draws: Share,
    /// The goals of the first role; in a mixed contest of the strong one.
    pub goal: Mean,
}

/// The most matches of a contest; beyond, the intervals are narrower than anybody needs.
const MOST: u64 = 400;

/// Bytes for a tree; there is one at a time.
const MEMORY: usize = 64 << 20;

/// Plays the three contests, each for a third of the time that is left. A match that is not finished in time does not
/// count.
pub(super) fn measure(
    engine: &Arc<dyn Engine>,
    iterations: [u64; 2],
    seed: u64,
    longest: u64,
    budget: &Budget,
) -> Result<Skill> {
    let roles = engine.vocabulary().role_count();
    let play = |budget: &Budget, strong: &dyn Fn(u64) -> Vec<bool>, is_mixed: bool| {
        let players = Players { engine, iterations, longest, budget };
        players.contest(seed, strong, is_mixed)
    };
    let weak = play(&budget.share(3), &|_| vec![false; roles], false)?;
    let strong = play(&budget.share(2), &|_| vec![true; roles], false)?;
    let turns = |number: u64| (0..roles).map(|role| role as u64 == number % roles as u64).collect();
    let mixed = if roles == 1 { strong.clone() } else { play(budget, &turns, true)? };
    Ok(Skill { iterations, weak, strong, mixed })
}

struct Players<'p> {
    engine: &'p Arc<dyn Engine>,
    iterations: [u64; 2],
    longest: u64,
    budget: &'p Budget,
}

impl Players<'_> {
    fn contest(&self, seed: u64, strong: &dyn Fn(u64) -> Vec<bool>, is_mixed: bool) -> Result<Contest> {
        let roles = self.engine.vocabulary().role_count();
        let places = if is_mixed { 2 } else { roles };
        let (mut wins, mut draws, mut goals) = (vec![0; places], 0, Vec::new());
        for number in 0..MOST {
            let strengths = strong(number);
            let Some(ended) = self.one(seed.wrapping_add(number.wrapping_mul(1 << 20)), &strengths)? else {
                break;
            };
            let own = if is_mixed { strengths.iter().position(|strong| *strong).unwrap_or(0) } else { 0 };
            let best = ended.iter().max().copied().unwrap_or(0);
            let winners: Vec<usize> = (0..roles).filter(|&role| ended[role] == best).collect();
            goals.push((f64::from(ended[own]), 1));
            match winners[..] {
                [winner] if is_mixed => wins[usize::from(winner != own)] += 1,
                [winner] => wins[winner] += 1,
                _ => draws += 1,
            }
        }
        let games = goals.len() as u64;
        let share = |count| Share { count, of: games };
        let wins = wins.into_iter().map(share).collect();
        Ok(Contest { games, wins, draws: share(draws), goal: Mean::of(goals.into_iter()) })
    }

    /// The goals at the end of a match; nothing if it does not come to one, or the time is over.
    fn one(&self, seed: u64, strengths: &[bool]) -> Result<Option<Vec<i32>>> {
        let vocabulary = self.engine.vocabulary();
        let mut worker = self.engine.worker();
        let mut state = vec![0; vocabulary.words()];
        worker.initial(&mut state);
        let mut next = state.clone();
        for ply in 0..self.longest {
            if worker.is_terminal(&state)? {
                let goals = vocabulary.roles().map(|role| worker.goal(&state, role));
                return Ok(goals.collect::<Result<Option<Vec<_>>, _>>()?);
            }
            let mut joint = Vec::new();
            for (role, &strong) in vocabulary.roles().zip(strengths) {
                if self.budget.check().is_err() {
                    return Ok(None);
                }
                let mut legal = Vec::new();
                worker.legal(&state, role, &mut legal)?;
                match legal[..] {
                    [] => return Ok(None),
                    [only] => joint.push(only),
                    _ => {
                        let seed = seed.wrapping_add(ply << 4);
                        joint.push(self.choose(&state, role, strong, seed, &legal)?);
                    }
                }
            }
            worker.next(&state, &joint, &mut next)?;
            std::mem::swap(&mut state, &mut next);
        }
        Ok(None)
    }

    fn choose(
        &self,
        state: &[u64],
        role: RoleId,
        strong: bool,
        seed: u64,
        legal: &[MoveId],
    ) -> Result<MoveId> {
        let mut worker = self.engine.worker();
        let settings = Settings { memory: MEMORY, ..Settings::default() };
        let mut tree = Tree::new(settings, &mut *worker, state, seed.wrapping_add(u64::from(role.0)))?;
        let mut clock = Clock::iterations(self.iterations[usize::from(strong)]);
        let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
        tree.search(&mut tools, &mut clock)?;
        Ok(tree.estimate(role).best().map_or(legal[0], |candidate| candidate.action))
    }
}
