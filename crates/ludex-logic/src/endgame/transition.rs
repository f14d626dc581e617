//! The rules of a game as functions of states: when a joint move can be made, and what it changes.
//!
//! Read off the propositional network, which is the rules written out without variables; so there is no
//! second reading of the rules here, only the network computed over sets of states instead of over one state.
//! Rules that feed back into themselves are computed until they no longer change, as the engine does.
//!
//! A joint move lists only the fluents it changes. The network is computed once with all moves off, and for
//! each joint move only what hangs on its moves is computed again.

use super::bdd::{Bdd, Bdds, Stop, Substitute};
use hashbrown::HashMap;
use ludex_engine::engine::Goal;
use ludex_engine::propnet::{Net, Node, Signal};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};

/// One move of each role, made together.
#[derive(Clone, Debug)]
pub(crate) struct JointMove {
    pub(crate) moves: Vec<MoveId>,
    /// The states in which the game goes on and all the moves are legal.
    pub(crate) guard: Bdd,
    /// What is different afterwards, ascending by level. Right in the states of the guard.
    pub(crate) changes: Vec<Substitute>,
}

impl JointMove {
    /// True if the move adds and deletes fluents whatever the state is, like a STRIPS operator.
    pub(crate) fn is_strips(&self) -> bool {
        self.changes.iter().all(|change| change.by <= Bdd::TRUE)
    }
}

/// A game over sets of states.
#[derive(Debug)]
pub(crate) struct Transition<'n> {
    net: &'n Net,
    /// The level of each fluent in the order of the diagrams.
    levels: &'n [u32],
    /// The only states that matter: everything here is right in them, and anything elsewhere.
    care: Bdd,
    /// Each node with all moves off.
    values: Vec<Bdd>,
    /// For each role and move the nodes that hang on it, ascending, and the fluents whose next value does.
    reached: Vec<Vec<Reached>>,
    /// Fluents that change even with all moves off.
    restless: Vec<FluentId>,
    block_at: HashMap<usize, usize>,
    /// The states in which the game is over.
    pub(crate) terminal: Bdd,
    /// For each role and move the states in which it is legal.
    pub(crate) legal: Vec<Vec<Bdd>>,
    /// For each role its goal values, and where they are given. A value that is no number is `None`.
    pub(crate) goals: Vec<Vec<(Option<Goal>, Bdd)>>,
}

#[derive(Clone, Debug, Default)]
struct Reached {
    nodes: Vec<u32>,
    fluents: Vec<FluentId>,
}

impl<'n> Transition<'n> {
    /// Computes the network with all moves off.
    pub(crate) fn new(
        net: &'n Net,
        levels: &'n [u32],
        care: Bdd,
        bdds: &mut Bdds,
    ) -> Result<Transition<'n>, Stop> {
        let block_at = net.blocks.iter().enumerate().map(|(at, block)| (block.nodes.start, at)).collect();
        let mut transition = Transition {
            net,
            levels,
            care,
            values: vec![Bdd::FALSE; net.nodes.len()],
            reached: Vec::new(),
            restless: Vec::new(),
            block_at,
            terminal: Bdd::FALSE,
            legal: Vec::new(),
            goals: Vec::new(),
        };
        let all: Vec<u32> = (0..net.nodes.len() as u32).collect();
        transition.compute(bdds, &all, &[], &mut Vec::new())?;
        transition.terminal = transition.signal(bdds, net.terminal)?;
        for list in &net.legal {
            let legal =
                list.iter().map(|&signal| transition.signal(bdds, signal)).collect::<Result<_, _>>()?;
            transition.legal.push(legal);
        }
        for list in &net.goals {
            let goals = list
                .iter()
                .map(|&(value, signal)| Ok((value, transition.signal(bdds, signal)?)))
                .collect::<Result<_, Stop>>()?;
            transition.goals.push(goals);
        }
        for (fluent, &signal) in (0u32..).map(FluentId).zip(&net.next) {
            let next = transition.signal(bdds, signal)?;
            if next != bdds.fluent(transition.levels[fluent.index()])? {
                transition.restless.push(fluent);
            }
        }
        transition.reached = reached(net)?;
        Ok(transition)
    }

    /// Computes the listed nodes (ascending, blocks whole) again with `on` the moves that are made; what was
    /// there before goes to `undo`.
    fn compute(
        &mut self,
        bdds: &mut Bdds,
        nodes: &[u32],
        on: &[MoveId],
        undo: &mut Vec<(u32, Bdd)>,
    ) -> Result<(), Stop> {
        let mut at = 0;
        while at < nodes.len() {
            let node = nodes[at] as usize;
            if let Some(&block) = self.block_at.get(&node) {
                let net = self.net;
                let block = &net.blocks[block];
                for node in block.nodes.clone() {
                    undo.push((node as u32, self.values[node]));
                }
                for &(variable, _) in &block.feedback {
                    self.values[variable] = Bdd::FALSE;
                }
                // Monotone in its variables over finitely many states, so it settles.
                loop {
                    for node in block.nodes.clone() {
                        if net.nodes[node] != Node::Feedback {
                            self.values[node] = self.node(bdds, node, on)?;
                        }
                    }
                    let mut settled = true;
                    for &(variable, signal) in &block.feedback {
                        // Cut to what matters: equal there is then equal.
                        let value = self.signal(bdds, signal)?;
                        let value = bdds.and(value, self.care)?;
                        settled &= value == self.values[variable];
                        self.values[variable] = value;
                    }
                    if settled {
                        break;
                    }
                    bdds.step()?;
                }
                at += block.nodes.len();
            } else {
                undo.push((node as u32, self.values[node]));
                self.values[node] = self.node(bdds, node, on)?;
                at += 1;
            }
        }
        Ok(())
    }

    fn node(&self, bdds: &mut Bdds, node: usize, on: &[MoveId]) -> Result<Bdd, Stop> {
        Ok(match self.net.nodes[node] {
            Node::False => Bdd::FALSE,
            Node::Fluent(fluent) => bdds.fluent(self.levels[fluent as usize])?,
            Node::Move(role, action) => {
                let made = on.get(role as usize).is_some_and(|made| made.0 == action);
                if made { Bdd::TRUE } else { Bdd::FALSE }
            }
            Node::Feedback => self.values[node],
            Node::And(a, b) => {
                let a = self.signal(bdds, a)?;
                let b = self.signal(bdds, b)?;
                let both = bdds.and(a, b)?;
                bdds.simplified(both, self.care)?
            }
        })
    }

    fn signal(&self, bdds: &mut Bdds, signal: Signal) -> Result<Bdd, Stop> {
        let value = self.values[signal.node()];
        if signal.is_inverted() { bdds.not(value) } else { Ok(value) }
    }

    /// Every joint move that can be made in some state in which the game goes on, without those whose last
    /// move is known to be impossible with an earlier one.
    pub(crate) fn joint_moves(
        &mut self,
        bdds: &mut Bdds,
        is_impossible: &dyn Fn(&[MoveId]) -> bool,
        most: usize,
    ) -> Result<Vec<JointMove>, Stop> {
        let going_on = bdds.not(self.terminal)?;
        let mut partial = vec![(Vec::new(), going_on)];
        for role in 0..self.legal.len() {
            let mut longer = Vec::new();
            for (moves, guard) in &partial {
                for (action, legal) in (0u32..).map(MoveId).zip(self.legal[role].clone()) {
                    bdds.step()?;
                    let guard = bdds.and(*guard, legal)?;
                    if guard == Bdd::FALSE || bdds.and(guard, self.care)? == Bdd::FALSE {
                        continue;
                    }
                    let mut moves: Vec<MoveId> = moves.clone();
                    moves.push(action);
                    if is_impossible(&moves) {
                        continue;
                    }
                    if longer.len() == most {
                        return Err(Stop::JointMoves(most));
                    }
                    longer.push((moves, guard));
                }
            }
            partial = longer;
        }
        let mut all = Vec::with_capacity(partial.len());
        for (moves, guard) in partial {
            let changes = self.changes(bdds, &moves, guard)?;
            all.push(JointMove { moves, guard, changes });
        }
        Ok(all)
    }

    /// What a joint move changes in the states of `guard`.
    fn changes(&mut self, bdds: &mut Bdds, moves: &[MoveId], guard: Bdd) -> Result<Vec<Substitute>, Stop> {
        let mut nodes = Vec::new();
        let mut fluents = self.restless.clone();
        for (role, action) in (0u32..).map(RoleId).zip(moves) {
            let reached = &self.reached[role.index()][action.index()];
            nodes.extend_from_slice(&reached.nodes);
            fluents.extend_from_slice(&reached.fluents);
        }
        nodes.sort_unstable();
        nodes.dedup();
        fluents.sort_unstable();
        fluents.dedup();
        let mut undo = Vec::with_capacity(nodes.len());
        let computed = self.compute(bdds, &nodes, moves, &mut undo);
        let changes = computed.and_then(|()| {
            let within = bdds.and(guard, self.care)?;
            self.differences(bdds, &fluents, within)
        });
        for (node, value) in undo.into_iter().rev() {
            self.values[node as usize] = value;
        }
        changes
    }

    /// The listed fluents whose next value differs from the present one in some state of `within`.
    fn differences(
        &self,
        bdds: &mut Bdds,
        fluents: &[FluentId],
        within: Bdd,
    ) -> Result<Vec<Substitute>, Stop> {
        let mut changes = Vec::new();
        for fluent in fluents {
            let level = self.levels[fluent.index()];
            let next = self.signal(bdds, self.net.next[fluent.index()])?;
            let now = bdds.fluent(level)?;
            let not_next = bdds.not(next)?;
            let differs = bdds.if_then_else(now, not_next, next)?;
            if bdds.and(differs, within)? != Bdd::FALSE {
                let by = bdds.simplified(next, within)?;
                changes.push(Substitute { level, by });
            }
        }
        changes.sort_unstable_by_key(|change| change.level);
        Ok(changes)
    }

    /// Every diagram that is still needed.
    pub(crate) fn bdds_mut(&mut self) -> impl Iterator<Item = &mut Bdd> {
        let goals = self.goals.iter_mut().flatten().map(|(_, bdd)| bdd);
        self.values
            .iter_mut()
            .chain(self.legal.iter_mut().flatten())
            .chain(goals)
            .chain([&mut self.terminal, &mut self.care])
    }

    /// Forgets the values of single nodes: no more joint moves can be asked for.
    pub(crate) fn forget_nodes(&mut self) {
        self.values = Vec::new();
    }
}

/// Network nodes that are listed for all moves together, four bytes each.
const MOST_REACHED: usize = 100_000_000;

/// For each role and move the nodes and next values that hang on it.
fn reached(net: &Net) -> Result<Vec<Vec<Reached>>, Stop> {
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); net.nodes.len()];
    let mut inputs: HashMap<(u32, u32), usize> = HashMap::new();
    let mut block_of: Vec<Option<usize>> = vec![None; net.nodes.len()];
    for (index, node) in net.nodes.iter().enumerate() {
        match *node {
            Node::And(a, b) => {
                readers[a.node()].push(index as u32);
                readers[b.node()].push(index as u32);
            }
            Node::Move(role, action) => {
                inputs.insert((role, action), index);
            }
            Node::False | Node::Fluent(_) | Node::Feedback => {}
        }
    }
    for (at, block) in net.blocks.iter().enumerate() {
        block_of[block.nodes.clone()].fill(Some(at));
    }
    let mut fluents_of: HashMap<usize, Vec<FluentId>> = HashMap::new();
    for (fluent, signal) in (0u32..).map(FluentId).zip(&net.next) {
        fluents_of.entry(signal.node()).or_default().push(fluent);
    }
    let mut seen = vec![false; net.nodes.len()];
    let mut total = 0;
    let mut from = |start: usize| {
        let mut found = Reached::default();
        let mut open = vec![start as u32];
        while let Some(node) = open.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            found.nodes.push(node);
            if let Some(fluents) = fluents_of.get(&(node as usize)) {
                found.fluents.extend_from_slice(fluents);
            }
            open.extend_from_slice(&readers[node as usize]);
            // A block is computed whole.
            if let Some(block) = block_of[node as usize] {
                open.extend(net.blocks[block].nodes.clone().map(|node| node as u32));
            }
        }
        for &node in &found.nodes {
            seen[node as usize] = false;
        }
        found.nodes.sort_unstable();
        total += found.nodes.len();
        if total > MOST_REACHED { Err(Stop::Nodes(MOST_REACHED)) } else { Ok(found) }
    };
    (0u32..)
        .zip(&net.legal)
        .map(|(role, legal)| {
            (0..legal.len() as u32)
                .map(|action| {
                    inputs.get(&(role, action)).map_or_else(|| Ok(Reached::default()), |&at| from(at))
                })
                .collect()
        })
        .collect()
}
