//! Nested rollout policy adaptation: random games by a policy that goes after the best game seen.
//!
//! A policy is a weight for each kind of move. A search of level 1 plays games by a policy and after each moves the policy
//! towards its best game; a search of level `n` does the same with the best games of searches of level `n - 1`, which begin
//! with its policy. What a kind of move is changes from run to run: the move, the move after the one before it, the move at
//! this point of the game. Levels and lengths grow from run to run.
//!
//! Rosin, *Nested rollout policy adaptation for Monte Carlo tree search* (2011).

use super::{Desk, Guide, LONGEST, Member};
use crate::clock::Clock;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// How far a policy is moved by a game.
const STEP: f32 = 1.0;
const MOST_KINDS: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct Nested {
    start: Vec<u64>,
    random: Random,
    /// A power of two.
    kinds: usize,
    most_kinds: usize,
    moves: usize,
    run: usize,
    /// From the one that plays games to the one on top.
    levels: Vec<Level>,
    game: Game,
    state: Vec<u64>,
    next: Vec<u64>,
    legal: Vec<MoveId>,
    gains: Vec<f32>,
    guide: Guide,
}

#[derive(Debug, Default)]
struct Level {
    policy: Vec<f32>,
    best: Game,
    /// Games, or searches of the level below, that are left.
    left: usize,
}

/// A game with what could have been played instead.
#[derive(Clone, Debug, Default)]
struct Game {
    score: f64,
    moves: Vec<MoveId>,
    /// For each move where the kinds of all legal ones begin in `kinds`, and which of them was played.
    choices: Vec<(u32, u32)>,
    kinds: Vec<u32>,
}

impl Game {
    fn clear(&mut self) {
        self.score = f64::NEG_INFINITY;
        self.moves.clear();
        self.choices.clear();
        self.kinds.clear();
    }
}

impl Nested {
    pub(super) fn new(start: &[u64], moves: usize, memory: usize, seed: u64) -> Nested {
        // Five levels of policies at most.
        let most_kinds = (memory / 20).clamp(16, MOST_KINDS);
        Nested {
            start: start.to_vec(),
            random: Random::new(seed ^ 0x9E),
            kinds: 0,
            most_kinds,
            moves: moves.max(1),
            run: 0,
            levels: Vec::new(),
            game: Game::default(),
            state: vec![0; start.len()],
            next: vec![0; start.len()],
            legal: Vec::new(),
            gains: Vec::new(),
            guide: Guide::default(),
        }
    }

    /// How many games or searches a level has in this run.
    fn width(&self) -> usize {
        30 + 10 * self.run.min(17)
    }

    fn begin_run(&mut self) {
        self.run += 1;
        let kinds = if self.run % 3 == 1 { self.moves } else { 64 * self.moves };
        self.kinds = kinds.next_power_of_two();
        while self.kinds > self.most_kinds {
            self.kinds /= 2;
        }
        let height = 1 + self.run.min(7).div_ceil(2);
        self.levels.clear();
        for _ in 0..height {
            let mut level = Level { policy: vec![0.0; self.kinds], left: self.width(), ..Level::default() };
            level.best.clear();
            self.levels.push(level);
        }
    }

    fn kind(&self, action: MoveId) -> u32 {
        let before = match self.run % 3 {
            1 => 0,
            2 => self.game.moves.last().map_or(0, |last| u64::from(last.0) + 1),
            _ => self.game.moves.len() as u64,
        };
        let mixed = u64::from(action.0).wrapping_add(before.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        // Without a context each move has a weight of its own.
        let spread = if before == 0 { mixed } else { mixed.wrapping_mul(0xD134_2543_DE82_EF95) >> 32 };
        (spread as usize & (self.kinds - 1)) as u32
    }

    /// Plays a game by the lowest policy.
    fn play(&mut self, desk: &mut Desk<'_>) -> Result<(), Fault> {
        self.game.clear();
        self.state.copy_from_slice(&self.start);
        let mut ending = desk.ending(&self.state)?;
        while ending.is_none() && self.game.moves.len() < LONGEST {
            desk.worker.legal(&self.state, RoleId(0), &mut self.legal)?;
            if self.legal.is_empty() {
                break;
            }
            let from = self.game.kinds.len();
            let policy = &self.levels[0].policy;
            self.gains.clear();
            let mut sum = 0.0;
            for &action in &self.legal {
                let kind = self.kind(action);
                let gain = policy[kind as usize].exp();
                sum += gain;
                self.gains.push(gain);
                self.game.kinds.push(kind);
            }
            let mut at = 0;
            if self.legal.len() > 1 {
                let mut drawn = sum * (self.random.bits() >> 40) as f32 / (1 << 24) as f32;
                while at + 1 < self.gains.len() && drawn >= self.gains[at] {
                    drawn -= self.gains[at];
                    at += 1;
                }
            }
            self.game.moves.push(self.legal[at]);
            self.game.choices.push((from as u32, at as u32));
            desk.next(&self.state, self.legal[at], &mut self.next)?;
            std::mem::swap(&mut self.state, &mut self.next);
            ending = desk.ending(&self.state)?;
        }
        desk.record.longest = desk.record.longest.max(self.game.moves.len());
        let worth = self.guide.of(desk.goal_heuristic, &self.state);
        // What has no end is worth less than the worst end.
        self.game.score = ending.map_or(-1.0, f64::from) + worth;
        if let Some(value) = ending {
            let game = &self.game;
            desk.record.offer(value, || game.moves.clone());
        }
        Ok(())
    }

    /// The lowest level has a new game; those above hear of it when their time has come.
    fn report(&mut self) {
        let width = self.width();
        if self.game.score >= self.levels[0].best.score {
            std::mem::swap(&mut self.levels[0].best, &mut self.game);
        }
        for at in 0..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(at + 1);
            let level = &mut below[at];
            adapt(&mut level.policy, &level.best, &mut self.gains);
            level.left -= 1;
            if level.left > 0 {
                // Those below begin again with this policy.
                for lower in (0..at).rev() {
                    let (low, high) = self.levels.split_at_mut(lower + 1);
                    low[lower].policy.copy_from_slice(&high[0].policy);
                    low[lower].best.clear();
                    low[lower].left = width;
                }
                return;
            }
            if let Some(above) = above.first_mut()
                && level.best.score >= above.best.score
            {
                above.best.clone_from(&level.best);
            }
        }
        self.levels.clear();
    }
}

/// Moves a policy towards a game.
fn adapt(policy: &mut [f32], game: &Game, gains: &mut Vec<f32>) {
    let ends = game.choices.iter().skip(1).map(|&(from, _)| from as usize).chain([game.kinds.len()]);
    // All by the policy as it was: what one move changes must not count for the next.
    let mut changes: Vec<(u32, f32)> = Vec::with_capacity(game.kinds.len() + game.choices.len());
    for (&(from, played), end) in game.choices.iter().zip(ends) {
        let kinds = &game.kinds[from as usize..end];
        if kinds.len() < 2 {
            continue;
        }
        gains.clear();
        gains.extend(kinds.iter().map(|&kind| policy[kind as usize].exp()));
        let sum: f32 = gains.iter().sum();
        changes.push((kinds[played as usize], STEP));
        changes.extend(kinds.iter().zip(&*gains).map(|(&kind, gain)| (kind, -STEP * gain / sum)));
    }
    for (kind, change) in changes {
        let weight = &mut policy[kind as usize];
        // Beyond this a move is as good as certain; larger numbers have no exponential.
        *weight = (*weight + change).clamp(-40.0, 40.0);
    }
}

impl Member for Nested {
    fn turn(&mut self, desk: &mut Desk<'_>, clock: &mut Clock) -> Result<bool, Fault> {
        while !desk.record.is_ceiling() {
            // A game may take long: the time is looked at after each.
            if clock.tick() || clock.is_over() {
                return Ok(false);
            }
            if self.levels.is_empty() {
                self.begin_run();
            }
            self.play(desk)?;
            self.report();
        }
        Ok(false)
    }
}
