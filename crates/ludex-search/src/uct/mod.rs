//! Decoupled UCT: Monte Carlo tree search (MCTS) for any game.
//!
//! Each role chooses its own move in each state, by its own statistics (UCB1), as if the others' choices
//! were part of the dice; so games with simultaneous moves, any number of roles and any goal values need
//! no special case. Where at most one role has a choice this is plain UCT.
//!
//! Six things are added to the textbook:
//!
//! - *Proofs* (`proof.rs`): what is certain, a finished game, a state that the end-game [`Oracle`] knows, or a
//!   move that wins whatever follows, is backed up as such and never sampled again.
//! - *Transpositions*: a state that is reached by several ways is one node, so the tree is a graph (`memory.rs`). A move
//!   is worth what its state is worth, once that has been visited by other ways more often than by this one.
//! - *Leaves in lanes* (`flight.rs`): where the network is compiled for lanes, hundreds of leaves are valued by one batch
//!   of random games, one from each; where it is compiled for a GPU, thousands by several from each.
//! - *How games ended* (`ends.rs`), where a trial has shown that it pays: what a move makes true is judged by the games
//!   that ended with it, before the move itself is tried often.
//! - *GoalHeuristic* ([`crate::goal_heuristic`]): without lanes the outcome of the one random game is mixed
//!   with how far the goals' conditions are met, as far as that is known to foretell anything.
//! - *Reuse*: [`Tree::advance`] keeps what was found out below the moves made (`memory.rs`).
//!
//! One tree belongs to one thread; several threads search with a tree each and add up their
//! [`Estimate`]s. With a seed and a number of iterations the result is always the same.
//!
//! What it cannot do: mix strategies. In a game like rock, paper, scissors it plays the move it has tried
//! most often, which an opponent who knows that can exploit.

mod ends;
mod flight;
mod memory;
mod proof;

use crate::clock::Clock;
use crate::estimate::{Candidate, Estimate, Verdict};
use crate::goal_heuristic::{Degrees, GoalHeuristic};
use ends::LookAhead;
use flight::Flights;
use hashbrown::{HashMap, HashTable};
use ludex_engine::engine::{PlayoutBuffer, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::lanes::Valuer;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use ludex_logic::endgame::Oracle;
use memory::{Arm, Kind, Node, NodeId, Proof, Step};

/// How a tree is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The weight of what has been tried little, for outcomes between 0 and 1.
    pub exploration: f64,
    /// States that are reached by several ways are searched once.
    pub transpositions: bool,
    /// Back up what is certain.
    pub proofs: bool,
    /// How games ended that had in their last state what a move makes true counts as so many visits of the move (`ends.rs`);
    /// 0 if it is not counted, and then all moves are tried before one is tried again.
    pub ends: f32,
    /// Random games are broken off after so many plies.
    pub plies: usize,
    /// Bytes that a tree may take. The fuller it is, the more often a leaf is visited before its moves are listed; a full
    /// tree is still searched, but no longer grows.
    pub memory: usize,
    /// The role that nobody plays: its moves are drawn at random.
    pub chance: Option<RoleId>,
    /// The role whose loss is all that the others are after, as is assumed; else each is after its own goal. What is certain
    /// is certain if all go by their own goals, so then nothing is.
    pub paranoid: Option<RoleId>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            exploration: 0.4,
            transpositions: true,
            proofs: true,
            ends: 0.0,
            plies: 1000,
            memory: 512 << 20,
            chance: None,
            paranoid: None,
        }
    }
}

impl Settings {
    /// The textbook: one random game a leaf, no proofs. The measuring stick.
    pub fn plain() -> Settings {
        Settings { proofs: false, transpositions: false, exploration: 0.7, ..Settings::default() }
    }
}

/// What a search computes with.
pub struct Tools<'a> {
    /// The engine.
    pub worker: &'a mut dyn Worker,
    /// Batches of random games, where there are lanes or a GPU.
    pub lanes: Option<&'a mut dyn Valuer>,
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
    /// The mean outcome of what went through each node, one a role.
    means: Vec<f32>,
    /// The nodes by their states.
    index: HashTable<NodeId>,
    /// The states of the nodes, one after the other.
    rows: Vec<u64>,
    /// The moves of the nodes that have been expanded: those of the first role, of the second, ...
    arms: Vec<Arm>,
    /// Where the arms of each role begin and the last role's end, for each expanded node.
    seats: Vec<u32>,
    /// The proved values, one a role for each proved node.
    values: Vec<i32>,
    /// How games ended that went through nodes that were visited often, by what held in their last states: for each such
    /// node and fluent the number of games and the sum of their outcomes for each role.
    figures: Vec<f32>,
    /// How many fluents there are.
    fluents: usize,
    ahead: LookAhead,
    /// The children of nodes in which several roles choose, by the number of the joint move.
    joint_children: HashMap<(NodeId, u64), NodeId>,
    random: Random,
    playouts: u64,
    /// In a game for one: the best outcome seen, and the moves that lead to it from the root.
    record: Option<(f64, Vec<MoveId>)>,
    flights: Flights,
    scratch: Scratch,
}

/// Memory that iterations reuse.
#[derive(Debug, Default)]
struct Scratch {
    /// From the root on; in `chosen` one arm a role for each.
    path: Vec<Step>,
    chosen: Vec<u32>,
    /// Where the way ends, if the tree has a node for it.
    leaf: Option<NodeId>,
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

/// What the end of a way is worth.
enum Worth {
    /// It is certain, and in `Scratch::outcome`.
    Certain,
    /// It is to be found by random play from `Scratch::next`.
    Open,
}

/// Between two looks at the clock a random game makes so many plies.
const PLIES_A_LOOK: usize = 32;

impl Tree {
    /// A tree of one node. Random choices come from the seed.
    pub fn new(settings: Settings, worker: &mut dyn Worker, state: &[u64], seed: u64) -> Result<Tree, Fault> {
        let mut tree = Tree {
            settings,
            roles: worker.vocabulary().role_count(),
            fluents: worker.vocabulary().fluent_count(),
            words: state.len(),
            nodes: Vec::new(),
            means: Vec::new(),
            index: HashTable::new(),
            rows: Vec::new(),
            arms: Vec::new(),
            seats: Vec::new(),
            values: Vec::new(),
            figures: Vec::new(),
            ahead: LookAhead::default(),
            joint_children: HashMap::new(),
            random: Random::new(seed),
            playouts: 0,
            record: None,
            flights: Flights::default(),
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

    /// How it is searched.
    pub fn settings(&self) -> &Settings {
        &self.settings
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
            mixture: Vec::new(),
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
                visits: u64::from(arm.valued()),
                value: if arm.valued() == 0 { 0.0 } else { 100.0 * f64::from(arm.mean) },
                verdict: self.verdict(root, role, arm),
            })
            .collect();
        estimate.candidates.sort_unstable_by_key(|candidate| candidate.action);
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
        let child = if root.kind == Kind::Forced { self.forced_child(ROOT) } else { arm.child() };
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
                let best = range.max_by_key(|&arm| self.arms[arm].valued());
                chosen.extend(best.map(|arm| arm as u32));
            }
            let arms = chosen.iter().map(|&arm| &self.arms[arm as usize]);
            if arms.clone().map(Arm::valued).min().unwrap_or(0) < LEAST_VISITS {
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
        scratch.leaf = None;
        let worth = self.descend(tools, &mut scratch);
        for step in &scratch.path {
            self.nodes[step.node.index()].on_way = false;
        }
        let valued = match (&worth, &mut tools.lanes) {
            (Ok(Worth::Certain), _) => Ok(true),
            // The moves of a game for one are recorded, which lanes cannot tell.
            (Ok(Worth::Open), Some(lanes)) if self.roles > 1 => {
                self.wait(&mut **lanes, &mut scratch);
                self.scratch = scratch;
                return Ok(());
            }
            (Ok(Worth::Open), _) => self.sample(tools, clock, &mut scratch),
            (Err(fault), _) => Err(fault.clone()),
        };
        let is_played = self.settings.ends > 0.0 && matches!(worth, Ok(Worth::Open));
        let Scratch { path, chosen, leaf, outcome, state, .. } = &mut scratch;
        match valued {
            Ok(true) => self.back_up(path, chosen, *leaf, outcome, is_played.then_some(&state[..])),
            _ => self.forget(path, chosen, *leaf),
        }
        self.scratch = scratch;
        valued.map(|_| ())
    }

    /// Goes down to a leaf. What it passes counts as visited.
    fn descend(&mut self, tools: &mut Tools<'_>, scratch: &mut Scratch) -> Result<Worth, Fault> {
        let ripe = self.ripe();
        let mut node = ROOT;
        let mut figures = None;
        loop {
            figures = self.nodes[node.index()].figures.or(figures);
            if let Some(proof) = self.nodes[node.index()].proof {
                let values = &self.values[proof.values as usize..][..self.roles];
                scratch.outcome.clear();
                scratch.outcome.extend(values.iter().map(|&value| outcome(value)));
                if self.roles == 1 && proof.plies == 0 {
                    scratch.moves.clear();
                    self.keep_record(scratch);
                }
                return Ok(self.arrive(node, Worth::Certain, scratch));
            }
            if self.nodes[node.index()].on_way {
                // Round in a circle: what is there to know is found by play from here.
                scratch.next.clear();
                scratch.next.extend_from_slice(self.row(node));
                return Ok(Worth::Open);
            }
            if self.nodes[node.index()].kind == Kind::Leaf {
                if self.nodes[node.index()].visits < ripe {
                    scratch.next.clear();
                    scratch.next.extend_from_slice(self.row(node));
                    return Ok(self.arrive(node, Worth::Open, scratch));
                }
                self.expand(tools.worker, node, &mut scratch.legal)?;
                if self.nodes[node.index()].proof.is_some() {
                    continue;
                }
            }
            let settled = self.select(node, figures, &mut scratch.chosen);
            scratch.path.push(Step { node, settled });
            let chosen = &scratch.chosen[scratch.chosen.len() - self.roles..];
            self.depart(node, chosen);
            if let Some(child) = self.child(node, chosen) {
                node = child;
                continue;
            }
            scratch.joint.clear();
            scratch.joint.extend(chosen.iter().map(|&arm| self.arms[arm as usize].action));
            let from = &self.rows[node.index() * self.words..][..self.words];
            tools.worker.next(from, &scratch.joint, &mut scratch.next)?;
            let state = &scratch.next;
            if self.shares_states()
                && let Some(child) = self.lookup(state)
            {
                self.set_child(node, chosen, child);
                node = child;
                continue;
            }
            if self.bytes() >= self.settings.memory {
                return Ok(Worth::Open);
            }
            let child = self.add_node(tools.worker, state)?;
            self.set_child(node, chosen, child);
            if let Some(oracle) = tools.oracle {
                self.consult(oracle, child);
            }
            if self.nodes[child.index()].proof.is_none() {
                return Ok(self.arrive(child, Worth::Open, scratch));
            }
            node = child;
        }
    }

    /// In a game for one the way counts, not what its states are worth on average: there every way has nodes of its own.
    fn shares_states(&self) -> bool {
        self.settings.transpositions && self.roles > 1
    }

    /// Visits before the moves of a leaf are listed: one, until the memory is half full; when it is full none are listed.
    fn ripe(&self) -> u32 {
        const DOUBLINGS: f64 = 16.0;
        let beyond_half = self.bytes() as f64 / self.settings.memory.max(1) as f64 - 0.5;
        if beyond_half >= 0.5 {
            return u32::MAX;
        }
        1 << (DOUBLINGS * beyond_half.max(0.0)) as u32
    }

    /// The way ends at a node.
    fn arrive(&mut self, node: NodeId, worth: Worth, scratch: &mut Scratch) -> Worth {
        self.nodes[node.index()].visits += 1;
        scratch.leaf = Some(node);
        worth
    }

    /// The way goes on from a node.
    fn depart(&mut self, node: NodeId, chosen: &[u32]) {
        let here = &mut self.nodes[node.index()];
        here.visits += 1;
        here.on_way = true;
        let is_new = here.valued == 0;
        for (role, &arm) in chosen.iter().enumerate() {
            let arm = &mut self.arms[arm as usize];
            if arm.visits == 0 {
                // Until it is valued it is taken to be worth what its state is.
                arm.mean = if is_new { 0.5 } else { self.means[node.index() * self.roles + role] };
            }
            arm.visits += 1;
            arm.under_way += 1;
            arm.weigh(self.settings.ends);
        }
    }

    /// Values `scratch.next` by random play; false if the clock ended first.
    fn sample(&mut self, tools: &mut Tools<'_>, clock: &Clock, scratch: &mut Scratch) -> Result<bool, Fault> {
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

    /// Chooses an arm for each role, and appends them to `chosen`. Where the best one is certain there is nothing to find out
    /// below it: the best of the others is tried, and the state of the certain one returned, by which the node goes.
    fn select(&mut self, node: NodeId, figures: Option<u32>, chosen: &mut Vec<u32>) -> Option<NodeId> {
        let visits = self.nodes[node.index()].visits.max(1) as f32;
        let spread = self.settings.exploration as f32 * visits.ln().sqrt();
        let mut settled = None;
        for role in 0..self.roles {
            let range = self.seat(node, role);
            let first = range.start as u32;
            if range.len() == 1 {
                chosen.push(first);
                continue;
            }
            if self.settings.chance == Some(RoleId(role as u32)) {
                chosen.push(first + self.random.below(range.len()) as u32);
                continue;
            }
            let arms = (first..).zip(&self.arms[range]);
            let known = self.known(node, role, figures);
            let score = |arm: &Arm| match &known {
                None => arm.mean + spread * arm.weight,
                Some(known) => known.worth(arm) + spread * arm.weight,
            };
            let best = highest(arms.clone(), score).unwrap_or(first);
            let certain = &self.arms[best as usize];
            if certain.is_proved
                && let Some(other) = highest(arms.filter(|(_, arm)| !arm.is_proved), score)
            {
                settled = certain.child();
                chosen.push(other);
                continue;
            }
            chosen.push(best);
        }
        settled
    }

    /// Tells the nodes of a way what came of it.
    /// `end` is the last state of the game that was played.
    fn back_up(
        &mut self,
        path: &[Step],
        chosen: &[u32],
        leaf: Option<NodeId>,
        outcomes: &mut [f64],
        end: Option<&[u64]>,
    ) {
        if let Some(feared) = self.settings.paranoid {
            let mine = outcomes[feared.index()];
            for (role, outcome) in outcomes.iter_mut().enumerate() {
                *outcome = if role == feared.index() { mine } else { 1.0 - mine };
            }
        }
        if let Some(leaf) = leaf {
            self.learn(leaf, outcomes);
        }
        for (step, chosen) in path.iter().zip(chosen.chunks_exact(self.roles)).rev() {
            let node = step.node;
            for (&arm, &outcome) in chosen.iter().zip(&*outcomes) {
                let arm = &mut self.arms[arm as usize];
                arm.under_way -= 1;
                if !arm.is_proved {
                    arm.mean += (outcome as f32 - arm.mean) / arm.valued() as f32;
                }
            }
            if let Some(proof) = step.settled.and_then(|child| self.nodes[child.index()].proof) {
                for (held, &value) in outcomes.iter_mut().zip(&self.values[proof.values as usize..]) {
                    *held = outcome(value);
                }
            }
            self.learn(node, outcomes);
            if let Some(end) = end {
                self.count_end(node, outcomes, end);
            }
            if let Kind::Turn(role) = self.nodes[node.index()].kind {
                self.look_after(chosen[role.index()] as usize, role);
            }
            if self.settings.proofs && self.nodes[node.index()].proof.is_none() {
                self.settle(node, chosen);
            }
        }
    }

    /// A node has been valued once more.
    fn learn(&mut self, node: NodeId, outcome: &[f64]) {
        let here = &mut self.nodes[node.index()];
        here.valued += 1;
        let share = 1.0 / here.valued as f32;
        for (mean, &outcome) in self.means[node.index() * self.roles..].iter_mut().zip(outcome) {
            *mean += (outcome as f32 - *mean) * share;
        }
    }

    /// What the state after a move says of the move, where the move alone decides it.
    fn look_after(&mut self, arm: usize, role: RoleId) {
        let arm = &mut self.arms[arm];
        let Some(child) = arm.child() else { return };
        let below = &self.nodes[child.index()];
        match below.proof {
            Some(proof) if self.settings.proofs => {
                arm.is_proved = true;
                arm.mean = outcome(self.values[proof.values as usize + role.index()]) as f32;
                arm.weight = 0.0;
            }
            _ if below.valued > arm.valued() => {
                arm.mean = self.means[child.index() * self.roles + role.index()];
            }
            _ => {}
        }
    }

    /// A way that was begun is not valued after all.
    fn forget(&mut self, path: &[Step], chosen: &[u32], leaf: Option<NodeId>) {
        if let Some(leaf) = leaf {
            self.nodes[leaf.index()].visits -= 1;
        }
        for (step, chosen) in path.iter().zip(chosen.chunks_exact(self.roles)) {
            self.nodes[step.node.index()].visits -= 1;
            for &arm in chosen {
                let arm = &mut self.arms[arm as usize];
                arm.under_way -= 1;
                arm.visits -= 1;
                arm.weigh(self.settings.ends);
            }
        }
    }
}

/// The arm of the highest score.
#[inline(always)]
fn highest<'a>(arms: impl Iterator<Item = (u32, &'a Arm)>, score: impl Fn(&Arm) -> f32) -> Option<u32> {
    let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
    for (at, arm) in arms {
        let score = score(arm);
        if score > best_score {
            (best, best_score) = (Some(at), score);
        }
    }
    best
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
