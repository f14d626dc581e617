//! Decoupled UCT: Monte Carlo tree search (MCTS) for any game.
//!
//! Each role chooses its own move in each state, by its own statistics (UCB1), as if the others' choices
//! were part of the dice; so games with simultaneous moves, any number of roles and any goal values need
//! no special case. Where at most one role has a choice this is plain UCT.
//!
//! Four things are added to the textbook:
//!
//! - *Proofs* (`proof.rs`): what is certain, a finished game, a state that the end-game [`Oracle`] knows, or a
//!   move that wins whatever follows, is backed up as such and never sampled again.
//! - *Batches*: where the network is compiled for lanes, a new leaf is valued by 512 random games instead
//!   of one, which takes as long as one to a few dozen of them, as the game is.
//! - *GoalHeuristic* ([`crate::goal_heuristic`]): without lanes the outcome of the one random game is mixed
//!   with how far the goals' conditions are met, as far as that is known to foretell anything.
//! - *Reuse*: [`Tree::advance`] keeps what was found out below the moves made (`memory.rs`).
//!
//! One tree belongs to one thread; several threads search with a tree each and add up their
//! [`Estimate`]s. With a seed and a number of iterations the result is always the same.
//!
//! What it cannot do: mix strategies. In a game like rock, paper, scissors it plays the move it has tried
//! most often, which an opponent who knows that can exploit.

mod memory;
mod proof;

use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate, Verdict};
use crate::goal_heuristic::{Degrees, GoalHeuristic};
use hashbrown::HashMap;
use ludex_engine::engine::{PlayoutBuffer, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::lanes::LanesRunner;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_logic::endgame::Oracle;
use memory::{Arm, Kind, Node, NodeId, Proof};

/// How a tree is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The weight of what has been tried little, for outcomes between 0 and 1.
    pub exploration: f64,
    /// The same for leaves valued by a batch, whose values are nearly certain.
    pub batch_exploration: f64,
    /// Random games a leaf, where lanes are at hand.
    pub batch: u64,
    /// Back up what is certain.
    pub proofs: bool,
    /// Random games are broken off after so many plies.
    pub plies: usize,
    /// Bytes that a tree may take; a full tree is still searched, but no longer grows.
    pub memory: usize,
    /// The role that nobody plays: its moves are drawn at random.
    pub chance: Option<RoleId>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exploration: 0.4,
            batch_exploration: 0.4,
            batch: 512,
            proofs: true,
            plies: 1000,
            memory: 512 << 20,
            chance: None,
        }
    }
}

impl Settings {
    /// The textbook: one random game a leaf, no proofs. The measuring stick.
    pub fn plain() -> Settings {
        Settings { proofs: false, exploration: 0.7, ..Settings::default() }
    }
}

/// What a search computes with.
pub struct Tools<'a> {
    /// The engine.
    pub worker: &'a mut dyn Worker,
    /// Batches of random games, where there are lanes.
    pub lanes: Option<LanesRunner<'a>>,
    /// What is known of the end of the game.
    pub oracle: Option<&'a dyn Oracle>,
    /// A guess at the value of states, for leaves that are valued by a single random game.
    pub goal_heuristic: Option<&'a GoalHeuristic>,
}

/// A search tree over one game.
#[derive(Debug)]
pub struct Tree {
    settings: Settings,
    roles: usize,
    words: usize,
    nodes: Vec<Node>,
    /// The states of the nodes, one after the other.
    rows: Vec<u64>,
    /// The moves of the nodes that have been expanded: those of the first role, of the second, ...
    arms: Vec<Arm>,
    /// Where the arms of each role begin and the last role's end, for each expanded node.
    seats: Vec<u32>,
    /// The proved values, one a role for each proved node.
    values: Vec<i32>,
    /// The children of nodes in which several roles choose, by the number of the joint move.
    joint_children: HashMap<(NodeId, u64), NodeId>,
    random: Random,
    playouts: u64,
    /// In a game for one: the best outcome seen, and the moves that lead to it from the root.
    record: Option<(f64, Vec<MoveId>)>,
    scratch: Scratch,
}

/// Memory that iterations reuse.
#[derive(Debug, Default)]
struct Scratch {
    /// Node by node from the root; in `chosen` one arm a role for each.
    path: Vec<NodeId>,
    chosen: Vec<u32>,
    state: Vec<u64>,
    next: Vec<u64>,
    joint: Vec<MoveId>,
    legal: Vec<MoveId>,
    /// The outcome of the iteration for each role, 0 to 1.
    outcome: Vec<f64>,
    /// The moves of a random game that is recorded.
    moves: Vec<MoveId>,
    degrees: Degrees,
    close: Vec<f64>,
    playout: PlayoutBuffer,
}

/// The root is always the first node.
const ROOT: NodeId = NodeId(0);

/// Between two looks at the clock a random game makes so many plies.
const PLIES_A_LOOK: usize = 32;

impl Tree {
    /// A tree of one node. Random choices come from the seed.
    pub fn new(settings: Settings, worker: &mut dyn Worker, state: &[u64], seed: u64) -> Result<Tree, Fault> {
        let mut tree = Tree {
            settings,
            roles: worker.vocabulary().role_count(),
            words: state.len(),
            nodes: Vec::new(),
            rows: Vec::new(),
            arms: Vec::new(),
            seats: Vec::new(),
            values: Vec::new(),
            joint_children: HashMap::new(),
            random: Random::new(seed),
            playouts: 0,
            record: None,
            scratch: Scratch::default(),
        };
        tree.scratch.next.resize(state.len(), 0);
        tree.restart(worker, state)?;
        Ok(tree)
    }

    /// Searches until the clock ends or the value of the root is proved. A question that runs into a limit
    /// ends the search too; the way down to it is forgotten, and what was found before stays.
    pub fn search(&mut self, tools: &mut Tools<'_>, clock: &mut Clock) -> Result<(), Fault> {
        // Even a search without time lists the moves.
        if self.nodes[ROOT.index()].kind == Kind::Leaf && self.nodes[ROOT.index()].proof.is_none() {
            let mut legal = std::mem::take(&mut self.scratch.legal);
            let expanded = self.expand(tools.worker, ROOT, &mut legal);
            self.scratch.legal = legal;
            expanded?;
        }
        while !self.is_solved() && !clock.tick() {
            self.iterate(tools, clock)?;
        }
        Ok(())
    }

    /// True if the value of the root is proved, the game is over there, or, in a game for one, a way to
    /// the best outcome is known.
    pub fn is_solved(&self) -> bool {
        let proved = self.settings.proofs && self.nodes[ROOT.index()].proof.is_some();
        proved || self.record.as_ref().is_some_and(|(outcome, _)| *outcome >= 1.0)
    }

    /// Random games played since the tree was made.
    pub fn playouts(&self) -> u64 {
        self.playouts
    }

    /// What has been found out about the moves of a role at the root.
    pub fn estimate(&self, role: RoleId) -> Estimate {
        let root = &self.nodes[ROOT.index()];
        let mut estimate = Estimate {
            candidates: Vec::new(),
            playouts: self.playouts,
            playouts_per_second: 0.0,
            nodes: self.nodes.len(),
            line: self.line(),
            solved: self.is_solved(),
        };
        if root.kind == Kind::Leaf {
            return estimate;
        }
        let range = self.seat(ROOT, role.index());
        estimate.candidates = self.arms[range]
            .iter()
            .map(|arm| Candidate {
                action: arm.action,
                visits: u64::from(arm.visits),
                value: if arm.visits == 0 { 0.0 } else { 100.0 * arm.total / f64::from(arm.visits) },
                verdict: self.verdict(root, role, arm),
            })
            .collect();
        if let Some((outcome, moves)) = &self.record
            && *outcome > 0.0
        {
            let value = 100.0 * outcome;
            let seen = estimate.candidates.iter_mut().find(|c| Some(&c.action) == moves.first());
            // What was once reached with nobody to disturb it can be reached again.
            if let Some(candidate) = seen
                && candidate.verdict.is_none()
            {
                candidate.verdict = Some(Verdict { value: value as i32, plies: moves.len() as u32 });
            }
        }
        estimate
    }

    /// What is certain of a move at the root: its child's value, if the move alone decides which child.
    fn verdict(&self, root: &Node, role: RoleId, arm: &Arm) -> Option<Verdict> {
        if !self.settings.proofs || root.kind != Kind::Turn(role) && root.kind != Kind::Forced {
            return None;
        }
        let child = if root.kind == Kind::Forced { self.forced_child(ROOT) } else { arm.child };
        let proof = self.nodes[child?.index()].proof?;
        Some(Verdict { value: self.values[proof.values as usize + role.index()], plies: proof.plies + 1 })
    }

    /// The joint moves that were tried most, from the root on.
    fn line(&self) -> Vec<Vec<MoveId>> {
        const LONGEST: usize = 12;
        /// Less often tried moves are no expectation.
        const LEAST_VISITS: u32 = 4;
        let mut line = Vec::new();
        let mut node = ROOT;
        while line.len() < LONGEST && self.nodes[node.index()].kind != Kind::Leaf {
            let mut chosen = Vec::with_capacity(self.roles);
            for role in 0..self.roles {
                let range = self.seat(node, role);
                let best = range.max_by_key(|&arm| self.arms[arm].visits);
                chosen.extend(best.map(|arm| arm as u32));
            }
            let arms = chosen.iter().map(|&arm| &self.arms[arm as usize]);
            if arms.clone().map(|arm| arm.visits).min().unwrap_or(0) < LEAST_VISITS {
                break;
            }
            line.push(arms.map(|arm| arm.action).collect());
            match self.child(node, &chosen) {
                Some(child) => node = child,
                None => break,
            }
        }
        line
    }

    /// One way down the tree, a new leaf with its value, and the way back up.
    fn iterate(&mut self, tools: &mut Tools<'_>, clock: &Clock) -> Result<(), Fault> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.path.clear();
        scratch.chosen.clear();
        let valued = self.descend(tools, clock, &mut scratch);
        if let Ok(true) = valued {
            self.back_up(&scratch);
        }
        self.scratch = scratch;
        valued.map(|_| ())
    }

    /// Goes down to a leaf and writes its value into `scratch.outcome`; false if the clock ended on the way.
    fn descend(
        &mut self,
        tools: &mut Tools<'_>,
        clock: &Clock,
        scratch: &mut Scratch,
    ) -> Result<bool, Fault> {
        let exploration = match tools.lanes {
            Some(_) => self.settings.batch_exploration,
            None => self.settings.exploration,
        };
        let mut node = ROOT;
        loop {
            if let Some(proof) = self.nodes[node.index()].proof {
                let values = &self.values[proof.values as usize..][..self.roles];
                scratch.outcome.clear();
                scratch.outcome.extend(values.iter().map(|&value| outcome(value)));
                if self.roles == 1 && proof.plies == 0 {
                    scratch.moves.clear();
                    self.keep_record(scratch);
                }
                return Ok(true);
            }
            if self.nodes[node.index()].kind == Kind::Leaf {
                self.expand(tools.worker, node, &mut scratch.legal)?;
                if self.nodes[node.index()].proof.is_some() {
                    continue;
                }
            }
            self.select(node, exploration, &mut scratch.chosen);
            scratch.path.push(node);
            let chosen = &scratch.chosen[scratch.chosen.len() - self.roles..];
            if let Some(child) = self.child(node, chosen) {
                node = child;
                continue;
            }
            scratch.joint.clear();
            scratch.joint.extend(chosen.iter().map(|&arm| self.arms[arm as usize].action));
            let from = &self.rows[node.index() * self.words..][..self.words];
            tools.worker.next(from, &scratch.joint, &mut scratch.next)?;
            let state = &scratch.next;
            if self.bytes() < self.settings.memory {
                let child = self.add_node(tools.worker, state)?;
                self.set_child(node, chosen, child);
                if let Some(oracle) = tools.oracle {
                    self.consult(oracle, child);
                }
                if self.nodes[child.index()].proof.is_some() {
                    node = child;
                    continue;
                }
            }
            return self.sample(tools, clock, scratch);
        }
    }

    /// Values `scratch.next` by random play; false if the clock ended first.
    fn sample(&mut self, tools: &mut Tools<'_>, clock: &Clock, scratch: &mut Scratch) -> Result<bool, Fault> {
        if let Some(lanes) = &mut tools.lanes {
            let result = lanes.playouts(&scratch.next, self.settings.batch, self.settings.plies as u64);
            self.playouts += result.playouts;
            scratch.outcome.clear();
            scratch.outcome.extend(result.goals.iter().map(|counts| {
                let valued: u64 = counts.values.iter().map(|(_, count)| count).sum();
                let total: f64 =
                    counts.values.iter().map(|&(value, count)| outcome(value) * count as f64).sum();
                total / (valued + counts.none).max(1) as f64
            }));
            return Ok(true);
        }
        scratch.state.clone_from(&scratch.next);
        scratch.moves.clear();
        let recorded = self.roles == 1;
        let mut left = self.settings.plies;
        while left > 0 {
            let most = left.min(PLIES_A_LOOK);
            let made = if recorded {
                recorded_playout(tools.worker, most, &mut self.random, scratch)?
            } else {
                tools.worker.playout(&mut scratch.state, most, &mut self.random, &mut scratch.playout)?
            };
            if made < most {
                break;
            }
            if clock.is_over() {
                return Ok(false);
            }
            left -= made;
        }
        self.playouts += 1;
        scratch.outcome.clear();
        for role in 0..self.roles as u32 {
            let goal = tools.worker.goal(&scratch.state, RoleId(role))?;
            scratch.outcome.push(goal.map_or(0.0, outcome));
        }
        if recorded && tools.worker.is_terminal(&scratch.state)? {
            self.keep_record(scratch);
        }
        // In a game for one the search beside this goes by goal heuristic.
        if let (Some(goal_heuristic), false) = (tools.goal_heuristic, recorded) {
            let Scratch { next, degrees, close, outcome, .. } = scratch;
            goal_heuristic.mix(next, degrees, close, outcome);
        }
        Ok(true)
    }

    /// Remembers the moves of the best game for one that was seen.
    fn keep_record(&mut self, scratch: &Scratch) {
        let reached = scratch.outcome[0];
        if self.record.as_ref().is_some_and(|(best, _)| *best >= reached) {
            return;
        }
        // A random game follows its arms, one a node; the leaf itself has none yet.
        let way = scratch.chosen.iter().map(|&arm| self.arms[arm as usize].action);
        self.record = Some((reached, way.chain(scratch.moves.iter().copied()).collect()));
    }

    /// Chooses an arm for each role, and appends them to `chosen`.
    fn select(&mut self, node: NodeId, exploration: f64, chosen: &mut Vec<u32>) {
        let visits = self.nodes[node.index()].visits;
        let spread = exploration * f64::from(visits.max(1)).ln().sqrt();
        let decides = match self.nodes[node.index()].kind {
            Kind::Turn(role) => Some(role),
            _ => None,
        };
        for role in 0..self.roles {
            let range = self.seat(node, role);
            if range.len() == 1 {
                chosen.push(range.start as u32);
                continue;
            }
            if self.settings.chance == Some(RoleId(role as u32)) {
                chosen.push((range.start + self.random.below(range.len())) as u32);
                continue;
            }
            // Untried moves come first, in random order: the search begins anywhere and goes round.
            let offset = self.random.below(range.len());
            let (mut best, mut best_score) = (range.start, f64::NEG_INFINITY);
            for step in 0..range.len() {
                let at = range.start + (step + offset) % range.len();
                let arm = &self.arms[at];
                let proved =
                    if decides == Some(RoleId(role as u32)) { self.proved_outcome(arm, role) } else { None };
                let score = match proved {
                    Some(value) => value,
                    None if arm.visits == 0 => f64::INFINITY,
                    None => {
                        let visits = f64::from(arm.visits);
                        arm.total / visits + spread / visits.sqrt()
                    }
                };
                if score > best_score {
                    (best, best_score) = (at, score);
                }
            }
            chosen.push(best as u32);
        }
    }

    fn proved_outcome(&self, arm: &Arm, role: usize) -> Option<f64> {
        let proof = self.nodes[arm.child?.index()].proof?;
        self.settings.proofs.then(|| outcome(self.values[proof.values as usize + role]))
    }

    fn back_up(&mut self, scratch: &Scratch) {
        for (&node, chosen) in scratch.path.iter().zip(scratch.chosen.chunks_exact(self.roles)).rev() {
            self.nodes[node.index()].visits += 1;
            for (role, &arm) in chosen.iter().enumerate() {
                let arm = &mut self.arms[arm as usize];
                arm.visits += 1;
                arm.total += scratch.outcome[role];
            }
            if self.settings.proofs && self.nodes[node.index()].proof.is_none() {
                self.settle(node, chosen);
            }
        }
    }
}

/// Random play with its moves written down: for games for one, where a lucky line is a plan.
fn recorded_playout(
    worker: &mut dyn Worker,
    most: usize,
    random: &mut Random,
    scratch: &mut Scratch,
) -> Result<usize, Fault> {
    for made in 0..most {
        if worker.is_terminal(&scratch.state)? {
            return Ok(made);
        }
        worker.legal(&scratch.state, RoleId(0), &mut scratch.legal)?;
        if scratch.legal.is_empty() {
            return Ok(made);
        }
        let action = scratch.legal[random.below(scratch.legal.len())];
        scratch.moves.push(action);
        worker.next(&scratch.state, &[action], &mut scratch.next)?;
        std::mem::swap(&mut scratch.state, &mut scratch.next);
    }
    Ok(most)
}

/// A goal value as a number between 0 and 1.
fn outcome(value: i32) -> f64 {
    f64::from(value.clamp(0, 100)) / 100.0
}

/// A proof that the state is worth these values, found `plies` plies above the end.
fn proof(values: &mut Vec<i32>, of: impl Iterator<Item = i32>, plies: u32) -> Proof {
    let at = values.len() as u32;
    values.extend(of);
    Proof { values: at, plies }
}
