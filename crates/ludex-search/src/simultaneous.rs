//! Simultaneous moves: mixed strategies by regret matching in a tree.
//!
//! Where several roles choose at once, a move that is good because it cannot be foreseen is good only if it is drawn by lot.
//! [`crate::uct`] lets each role settle on one move; this search keeps for each role of such a state how much it regrets not
//! having played each of its moves, draws by that, and averages what it drew by. In constant-sum games of two these averages
//! go to strategies that no opponent can exploit. A state is worth what the averages give each role against each other; so
//! values do not suffer from moves that are tried only to learn about them. At the root the game of one move is solved once
//! more, from what is then known of each pair of moves.
//!
//! Where one role chooses this is plain UCT, so it is for games in which roles do choose at once; those of turns are not
//! affected by it. A role that is chance draws evenly. What it cannot do: prove anything, and use lanes. With more than two
//! roles, or goals that do not add up, averages are no more than play that does not regret much.
//!
//! Hart and Mas-Colell, *A simple adaptive procedure leading to correlated equilibrium* (2000); Bosansky et al.,
//! *Algorithms for computing strategies in two-player simultaneous move games* (2016).

use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate};
use hashbrown::HashMap;
use ludex_engine::engine::{PlayoutBuffer, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// How it searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The part of the moves that is drawn evenly where several choose, so that none is forgotten.
    pub exploration: f64,
    /// The weight of what has been tried little where one chooses, for outcomes between 0 and 1.
    pub curiosity: f64,
    /// Random games are broken off after so many plies.
    pub plies: usize,
    /// Bytes that the tree may take; a full one is still searched, but no longer grows.
    pub memory: usize,
    /// The role that nobody plays: its moves are drawn evenly.
    pub chance: Option<RoleId>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { exploration: 0.1, curiosity: 0.4, plies: 1000, memory: 256 << 20, chance: None }
    }
}

/// In states with more joint moves than this a value is the mean of what went through, since all pairs take too long.
const MOST_JOINTS: usize = 256;
/// Rounds of the last look at the root.
const ROUNDS: usize = 4000;
/// Beyond so many joint moves the root is not solved again.
const MOST_ROOT_JOINTS: usize = 10_000;

type NodeId = u32;
const ROOT: NodeId = 0;

#[derive(Clone, Copy, Debug)]
struct Node {
    visits: u32,
    /// Where its moves begin in `seats`; `None` until it is expanded.
    seats: Option<u32>,
    is_final: bool,
}

/// A move of a role in a state.
#[derive(Clone, Copy, Debug)]
struct Arm {
    action: MoveId,
    visits: u32,
    /// How much more it would have brought than what was played, all in all.
    regret: f64,
    /// The sum of the chances with which it was drawn.
    drawn: f64,
}

/// A tree of mixed strategies. One tree belongs to one thread.
#[derive(Debug)]
pub struct Mixed {
    settings: Settings,
    roles: usize,
    words: usize,
    nodes: Vec<Node>,
    /// What each node is worth to each role, 0 to 1.
    values: Vec<f64>,
    rows: Vec<u64>,
    arms: Vec<Arm>,
    /// For each expanded node where the arms of each role begin, and where the last one's end.
    seats: Vec<u32>,
    children: HashMap<(NodeId, u64), NodeId>,
    random: Random,
    playouts: u64,
    /// The way down: nodes, with one arm a role for each in `chosen`.
    path: Vec<NodeId>,
    chosen: Vec<u32>,
    chances: Vec<f64>,
    joint: Vec<MoveId>,
    legal: Vec<MoveId>,
    state: Vec<u64>,
    outcome: Vec<f64>,
    playout: PlayoutBuffer,
}

/// True if at least two roles other than chance have a choice in the state.
pub fn is_joint(worker: &mut dyn Worker, state: &[u64], chance: Option<RoleId>) -> Result<bool, Fault> {
    if worker.is_terminal(state)? {
        return Ok(false);
    }
    let (mut choosers, mut legal) = (0, Vec::new());
    for role in (0..worker.vocabulary().role_count() as u32).map(RoleId) {
        worker.legal(state, role, &mut legal)?;
        choosers += usize::from(legal.len() > 1 && chance != Some(role));
    }
    Ok(choosers > 1)
}

impl Mixed {
    /// A tree of one node.
    pub fn new(
        settings: Settings,
        worker: &mut dyn Worker,
        state: &[u64],
        seed: u64,
    ) -> Result<Mixed, Fault> {
        let mut tree = Mixed {
            settings,
            roles: worker.vocabulary().role_count(),
            words: state.len(),
            nodes: Vec::new(),
            values: Vec::new(),
            rows: Vec::new(),
            arms: Vec::new(),
            seats: Vec::new(),
            children: HashMap::new(),
            random: Random::new(seed),
            playouts: 0,
            path: Vec::new(),
            chosen: Vec::new(),
            chances: Vec::new(),
            joint: Vec::new(),
            legal: Vec::new(),
            state: state.to_vec(),
            outcome: Vec::new(),
            playout: PlayoutBuffer::default(),
        };
        tree.add_node(worker)?;
        tree.expand(worker, ROOT)?;
        Ok(tree)
    }

    /// True if the root has so few joint moves that its value comes from all of them; with more this search learns slowly.
    pub fn looks_at_all(&self) -> bool {
        let joints = |product: usize, role| product.saturating_mul(self.seat(ROOT, role).len());
        self.nodes[ROOT as usize].seats.is_some() && (0..self.roles).fold(1, joints) <= MOST_JOINTS
    }

    /// Random games played.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// Searches until the clock ends. A question that runs into a limit ends the search too.
    pub fn search(&mut self, worker: &mut dyn Worker, clock: &mut Clock) -> Result<(), Fault> {
        while !self.nodes[ROOT as usize].is_final && !clock.tick() {
            self.iterate(worker, clock)?;
        }
        Ok(())
    }

    /// One way down, a new leaf with its value, and the way back up.
    fn iterate(&mut self, worker: &mut dyn Worker, clock: &Clock) -> Result<(), Fault> {
        self.path.clear();
        self.chosen.clear();
        let mut node = ROOT;
        let leaf = loop {
            if self.nodes[node as usize].is_final {
                break Some(node);
            }
            if self.nodes[node as usize].seats.is_none() {
                if self.nodes[node as usize].visits == 0 || self.bytes() >= self.settings.memory {
                    break Some(node);
                }
                self.expand(worker, node)?;
                if self.nodes[node as usize].is_final {
                    break Some(node);
                }
            }
            self.select(node);
            let chosen = &self.chosen[self.chosen.len() - self.roles..];
            self.path.push(node);
            let place = (node, self.place(node, chosen));
            if let Some(&child) = self.children.get(&place) {
                node = child;
                continue;
            }
            self.joint.clear();
            self.joint.extend(chosen.iter().map(|&arm| self.arms[arm as usize].action));
            let from = &self.rows[node as usize * self.words..][..self.words];
            worker.next(from, &self.joint, &mut self.state)?;
            if self.bytes() >= self.settings.memory {
                break None;
            }
            let child = self.add_node(worker)?;
            self.children.insert(place, child);
            break Some(child);
        };
        match leaf {
            Some(leaf) if self.nodes[leaf as usize].is_final => {
                let at = leaf as usize * self.roles;
                self.outcome.clear();
                self.outcome.extend_from_slice(&self.values[at..at + self.roles]);
            }
            _ => {
                if let Some(leaf) = leaf {
                    self.state.copy_from_slice(&self.rows[leaf as usize * self.words..][..self.words]);
                }
                if !self.sample(worker, clock)? {
                    return Ok(());
                }
                if let Some(leaf) = leaf {
                    self.learn(leaf);
                }
            }
        }
        for at in (0..self.path.len()).rev() {
            self.back_up(self.path[at], at);
        }
        Ok(())
    }

    /// Makes a node of the present state.
    fn add_node(&mut self, worker: &mut dyn Worker) -> Result<NodeId, Fault> {
        let is_final = worker.is_terminal(&self.state)?;
        for role in (0..self.roles as u32).map(RoleId) {
            let goal = if is_final { worker.goal(&self.state, role)?.unwrap_or(0) } else { 50 };
            self.values.push(f64::from(goal.clamp(0, 100)) / 100.0);
        }
        let node = self.nodes.len() as NodeId;
        self.rows.extend_from_slice(&self.state);
        self.nodes.push(Node { visits: 0, seats: None, is_final });
        Ok(node)
    }

    /// Lists the moves of a state. Where somebody has none the game is over, with the goals as they are.
    fn expand(&mut self, worker: &mut dyn Worker, node: NodeId) -> Result<(), Fault> {
        let seats = self.seats.len() as u32;
        let row = node as usize * self.words..(node as usize + 1) * self.words;
        for role in (0..self.roles as u32).map(RoleId) {
            worker.legal(&self.rows[row.clone()], role, &mut self.legal)?;
            if self.legal.is_empty() {
                self.seats.truncate(seats as usize);
                for role in 0..self.roles {
                    let goal = worker.goal(&self.rows[row.clone()], RoleId(role as u32))?.unwrap_or(0);
                    self.values[node as usize * self.roles + role] = f64::from(goal.clamp(0, 100)) / 100.0;
                }
                self.nodes[node as usize].is_final = true;
                return Ok(());
            }
            self.seats.push(self.arms.len() as u32);
            let arm = |&action: &MoveId| Arm { action, visits: 0, regret: 0.0, drawn: 0.0 };
            self.arms.extend(self.legal.iter().map(arm));
        }
        self.seats.push(self.arms.len() as u32);
        self.nodes[node as usize].seats = Some(seats);
        Ok(())
    }

    fn bytes(&self) -> usize {
        let node = size_of::<Node>() + 8 * (self.words + self.roles) + 32;
        self.nodes.len() * node + self.arms.len() * size_of::<Arm>() + 4 * self.seats.len()
    }

    /// The arms of a role.
    fn seat(&self, node: NodeId, role: usize) -> std::ops::Range<usize> {
        let first = self.nodes[node as usize].seats.map_or(0, |seats| seats as usize);
        self.seats[first + role] as usize..self.seats[first + role + 1] as usize
    }

    /// The number of a joint move.
    fn place(&self, node: NodeId, chosen: &[u32]) -> u64 {
        (0..self.roles).fold(0, |number: u64, role| {
            let seat = self.seat(node, role);
            let at = u64::from(chosen[role]) - seat.start as u64;
            // Numbers that do not fit may coincide; no list of moves is as long.
            number.wrapping_mul(seat.len() as u64).wrapping_add(at)
        })
    }

    fn is_chance(&self, role: usize) -> bool {
        self.settings.chance == Some(RoleId(role as u32))
    }

    /// The role that chooses alone, if it is one and there is no chance to wait for.
    fn only_chooser(&self, node: NodeId) -> Option<usize> {
        let mut choosers = (0..self.roles).filter(|&role| self.seat(node, role).len() > 1);
        let first = choosers.next().filter(|&role| !self.is_chance(role))?;
        choosers.next().is_none().then_some(first)
    }

    /// Chooses an arm for each role.
    fn select(&mut self, node: NodeId) {
        let only = self.only_chooser(node);
        for role in 0..self.roles {
            let seat = self.seat(node, role);
            let arm = if seat.len() == 1 {
                seat.start
            } else if self.is_chance(role) {
                seat.start + self.random.below(seat.len())
            } else if only == Some(role) {
                self.most_promising(node, role)
            } else {
                self.by_regret(seat)
            };
            self.chosen.push(arm as u32);
        }
    }

    fn by_regret(&mut self, seat: std::ops::Range<usize>) -> usize {
        matching(&self.arms[seat.clone()], &mut self.chances);
        for (arm, chance) in self.arms[seat.clone()].iter_mut().zip(&self.chances) {
            arm.drawn += chance;
        }
        let unit = |random: &mut Random| (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
        if unit(&mut self.random) < self.settings.exploration {
            return seat.start + self.random.below(seat.len());
        }
        let mut left = unit(&mut self.random);
        for (at, chance) in self.chances.iter().enumerate() {
            left -= chance;
            if left < 0.0 {
                return seat.start + at;
            }
        }
        seat.end - 1
    }

    /// By UCB1, where one role chooses.
    fn most_promising(&self, node: NodeId, role: usize) -> usize {
        let seat = self.seat(node, role);
        let visits = f64::from(self.nodes[node as usize].visits.max(1));
        let spread = self.settings.curiosity * visits.ln().sqrt();
        let mut first: Vec<u32> = (0..self.roles).map(|role| self.seat(node, role).start as u32).collect();
        let (mut best, mut best_score) = (seat.start, f64::NEG_INFINITY);
        for at in seat {
            first[role] = at as u32;
            let tried = f64::from(self.arms[at].visits);
            let score = match self.children.get(&(node, self.place(node, &first))) {
                Some(&child) if tried > 0.0 => {
                    self.values[child as usize * self.roles + role] + spread / tried.sqrt()
                }
                _ => f64::INFINITY,
            };
            if score > best_score {
                (best, best_score) = (at, score);
            }
        }
        best
    }

    /// Values the present state by random play; false if the clock ended first.
    fn sample(&mut self, worker: &mut dyn Worker, clock: &Clock) -> Result<bool, Fault> {
        /// Between two looks at the clock a random game makes so many plies.
        const PLIES_A_LOOK: usize = 32;
        let mut left = self.settings.plies;
        while left > 0 {
            let most = left.min(PLIES_A_LOOK);
            let made = worker.playout(&mut self.state, most, &mut self.random, &mut self.playout)?;
            if made < most {
                break;
            }
            if clock.is_over() {
                return Ok(false);
            }
            left -= made;
        }
        self.playouts += 1;
        self.outcome.clear();
        for role in (0..self.roles as u32).map(RoleId) {
            let goal = worker.goal(&self.state, role)?.unwrap_or(0);
            self.outcome.push(f64::from(goal.clamp(0, 100)) / 100.0);
        }
        Ok(true)
    }

    /// A node goes by the mean of what went through it.
    fn learn(&mut self, node: NodeId) {
        let visits = &mut self.nodes[node as usize].visits;
        *visits += 1;
        let share = 1.0 / f64::from(*visits);
        for (value, outcome) in self.values[node as usize * self.roles..].iter_mut().zip(&self.outcome) {
            *value += (outcome - *value) * share;
        }
    }

    /// Tells the node that was left with the arms at that place of the way what came of it.
    fn back_up(&mut self, node: NodeId, at: usize) {
        let chosen: Vec<u32> = self.chosen[at * self.roles..][..self.roles].to_vec();
        for &arm in &chosen {
            self.arms[arm as usize].visits += 1;
        }
        self.learn(node);
        // Where one chooses, the mean goes to the best move by itself, since that is gone most.
        if self.only_chooser(node).is_none() {
            self.regret(node, &chosen);
            if self.average(node) {
                // Those above go by what this node is worth, not by what was drawn below.
                let at = node as usize * self.roles;
                self.outcome.copy_from_slice(&self.values[at..at + self.roles]);
            }
        }
    }

    /// What each role would have got by each other move, by what is known of the states behind them.
    fn regret(&mut self, node: NodeId, chosen: &[u32]) {
        let mut other = chosen.to_vec();
        for role in 0..self.roles {
            let seat = self.seat(node, role);
            if seat.len() == 1 || self.is_chance(role) {
                continue;
            }
            let played = self.worth(node, chosen, role);
            for arm in seat {
                other[role] = arm as u32;
                let gain = self.worth(node, &other, role) - played;
                // Regret that was made up for long ago does not count (regret matching plus).
                let arm = &mut self.arms[arm];
                arm.regret = (arm.regret + gain).max(0.0);
            }
            other[role] = chosen[role];
        }
    }

    /// What a joint move is worth to a role: what its state is, or as long as it has none what the node is.
    fn worth(&self, node: NodeId, chosen: &[u32], role: usize) -> f64 {
        let child = self.children.get(&(node, self.place(node, chosen)));
        self.values[child.map_or(node, |&child| child) as usize * self.roles + role]
    }

    /// A node is worth what its averages give each role. False where there are too many joint moves to look at, or too few
    /// are known.
    fn average(&mut self, node: NodeId) -> bool {
        let seats: Vec<std::ops::Range<usize>> = (0..self.roles).map(|role| self.seat(node, role)).collect();
        let joints: usize = seats.iter().fold(1, |product: usize, seat| product.saturating_mul(seat.len()));
        if joints > MOST_JOINTS {
            return false;
        }
        let mixtures: Vec<Vec<f64>> = (0..self.roles).map(|role| self.mixture(node, role)).collect();
        let mut sums = vec![0.0; self.roles];
        let mut known = 0.0;
        let mut chosen: Vec<u32> = seats.iter().map(|seat| seat.start as u32).collect();
        for number in 0..joints {
            let mut rest = number;
            let mut chance = 1.0;
            for role in (0..self.roles).rev() {
                let at = rest % seats[role].len();
                rest /= seats[role].len();
                chosen[role] = (seats[role].start + at) as u32;
                chance *= mixtures[role][at];
            }
            if chance <= 0.0 {
                continue;
            }
            if let Some(&child) = self.children.get(&(node, number as u64)) {
                known += chance;
                for (sum, value) in sums.iter_mut().zip(&self.values[child as usize * self.roles..]) {
                    *sum += chance * value;
                }
            }
        }
        // What has not been seen at all is taken to be as what has been.
        let is_known = known > 0.5;
        if is_known {
            for (value, sum) in self.values[node as usize * self.roles..].iter_mut().zip(sums) {
                *value = sum / known;
            }
        }
        is_known
    }

    /// How a role plays in a node: by the average of what it drew by.
    fn mixture(&self, node: NodeId, role: usize) -> Vec<f64> {
        let seat = self.seat(node, role);
        let even = 1.0 / seat.len() as f64;
        let arms = &self.arms[seat];
        let sum: f64 = arms.iter().map(|arm| arm.drawn).sum();
        if self.is_chance(role) || sum <= 0.0 {
            return vec![even; arms.len()];
        }
        arms.iter().map(|arm| arm.drawn / sum).collect()
    }

    /// The game of one move at the root, solved for the values that the joint moves have now: one mixture a role.
    fn solve_root(&self) -> Vec<Vec<f64>> {
        let averages = (0..self.roles).map(|role| self.mixture(ROOT, role));
        let choosers: Vec<usize> = (0..self.roles)
            .filter(|&role| self.seat(ROOT, role).len() > 1 && !self.is_chance(role))
            .collect();
        let [a, b] = choosers[..] else { return averages.collect() };
        let (rows, columns) = (self.seat(ROOT, a), self.seat(ROOT, b));
        let others: usize =
            (0..self.roles).filter(|role| ![a, b].contains(role)).map(|r| self.seat(ROOT, r).len()).product();
        if rows.len() * columns.len() > MOST_ROOT_JOINTS || others > 1 {
            return averages.collect();
        }
        let mut chosen: Vec<u32> = (0..self.roles).map(|role| self.seat(ROOT, role).start as u32).collect();
        let mut payoffs = [Vec::new(), Vec::new()];
        for row in rows.clone() {
            for column in columns.clone() {
                (chosen[a], chosen[b]) = (row as u32, column as u32);
                payoffs[0].push(self.worth(ROOT, &chosen, a));
                payoffs[1].push(self.worth(ROOT, &chosen, b));
            }
        }
        let solved = solve(&payoffs, rows.len(), columns.len(), ROUNDS);
        let mut mixtures: Vec<Vec<f64>> = averages.collect();
        let [first, second] = solved;
        (mixtures[a], mixtures[b]) = (first, second);
        mixtures
    }

    /// What has been found out about the moves of a role at the root. Its mixture says how likely each is to be played.
    pub fn estimate(&self, role: RoleId) -> Estimate {
        let mut estimate =
            Estimate { playouts: self.playouts, nodes: self.nodes.len(), ..Estimate::default() };
        if self.nodes[ROOT as usize].seats.is_none() {
            return estimate;
        }
        let mixtures = self.solve_root();
        let seat = self.seat(ROOT, role.index());
        for (arm, chance) in self.arms[seat].iter().zip(&mixtures[role.index()]) {
            estimate.candidates.push(Candidate {
                action: arm.action,
                visits: u64::from(arm.visits),
                value: 100.0 * self.values[ROOT as usize * self.roles + role.index()],
                verdict: None,
            });
            estimate.mixture.push(*chance);
        }
        estimate
    }
}

/// Chances in proportion to what is regretted; even ones if nothing is.
fn matching(arms: &[Arm], chances: &mut Vec<f64>) {
    let sum: f64 = arms.iter().map(|arm| arm.regret.max(0.0)).sum();
    chances.clear();
    let even = 1.0 / arms.len() as f64;
    chances.extend(arms.iter().map(|arm| if sum > 0.0 { arm.regret.max(0.0) / sum } else { even }));
}

/// Mixtures of the game of two matrices, what the first and what the second gets for each row and column: both play by
/// regret matching, in turns, and later rounds count for more.
pub fn solve(payoffs: &[Vec<f64>; 2], rows: usize, columns: usize, rounds: usize) -> [Vec<f64>; 2] {
    let mut regrets = [vec![0.0; rows], vec![0.0; columns]];
    let mut plays = [vec![1.0 / rows as f64; rows], vec![1.0 / columns as f64; columns]];
    let mut sums = [vec![0.0; rows], vec![0.0; columns]];
    let mut gains = Vec::new();
    for round in 0..rounds {
        for side in 0..2 {
            let other = &plays[1 - side];
            gains.clear();
            for mine in 0..plays[side].len() {
                let payoff = |(at, chance): (usize, &f64)| {
                    let cell = if side == 0 { mine * columns + at } else { at * columns + mine };
                    chance * payoffs[side][cell]
                };
                gains.push(other.iter().enumerate().map(payoff).sum::<f64>());
            }
            let mean: f64 = gains.iter().zip(&plays[side]).map(|(gain, chance)| gain * chance).sum();
            let mut total = 0.0;
            for (regret, gain) in regrets[side].iter_mut().zip(&gains) {
                *regret = f64::max(*regret + gain - mean, 0.0);
                total += *regret;
            }
            let even = 1.0 / regrets[side].len() as f64;
            for (at, regret) in regrets[side].iter().enumerate() {
                plays[side][at] = if total > 0.0 { regret / total } else { even };
                sums[side][at] += (round + 1) as f64 * plays[side][at];
            }
        }
    }
    sums.map(|list| {
        let total: f64 = list.iter().sum();
        let even = 1.0 / list.len() as f64;
        list.iter().map(|sum| if total > 0.0 { sum / total } else { even }).collect()
    })
}
