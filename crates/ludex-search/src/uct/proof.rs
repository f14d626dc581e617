//! What is certain: ends of games, and what follows from them whatever is played.
//!
//! A state in which one role decides is settled when a move of that role is known to give 100, or when all
//! its moves are settled; the role then takes the best for itself. For two roles with a constant sum that
//! is the exact value; for more roles it takes the others to look after themselves too, as the search
//! does anyway. Where nobody or only chance decides, or several at once, a state is settled when every child
//! is and all agree.

use super::memory::{Kind, NodeId, Proof};
use super::{Tree, proof};
use ludex_engine::vocabulary::RoleId;
use ludex_logic::endgame::{Knowledge, Oracle};

/// The best that a role can hope for.
const CEILING: i32 = 100;

/// Joint moves that are looked through at most to see whether all agree.
const MOST_JOINT: u64 = 64;

impl Tree {
    /// Settles a new leaf, if the oracle knows what it is worth to everybody.
    pub(super) fn consult(&mut self, oracle: &dyn Oracle, leaf: NodeId) {
        if !self.settings.proofs || self.nodes[leaf.index()].proof.is_some() {
            return;
        }
        let mut plies = 0;
        let at = self.values.len();
        for role in 0..self.roles as u32 {
            match oracle.lookup(self.row(leaf), RoleId(role)) {
                Knowledge::Exact { value, depth } => {
                    self.values.push(value);
                    plies = plies.max(depth);
                }
                Knowledge::Hint { .. } | Knowledge::Unknown => {
                    self.values.truncate(at);
                    return;
                }
            }
        }
        self.nodes[leaf.index()].proof = Some(Proof { values: at as u32, plies });
    }

    /// Settles a node, if the child under `chosen` was the last thing that was missing.
    pub(super) fn settle(&mut self, node: NodeId, chosen: &[u32]) {
        let Some(child) = self.child(node, chosen) else { return };
        let Some(news) = self.nodes[child.index()].proof else { return };
        let settled = match self.nodes[node.index()].kind {
            Kind::Leaf => None,
            Kind::Forced => Some(child),
            Kind::Turn(role) if self.settings.chance == Some(role) => self.agreed(node),
            Kind::Turn(role) => {
                if self.values[news.values as usize + role.index()] >= CEILING {
                    Some(child)
                } else {
                    self.best_of_all(node, role)
                }
            }
            Kind::Joint => self.agreed(node),
        };
        let Some(child) = settled else { return };
        // Filtered above: what settles a node is settled itself.
        if let Some(known) = self.nodes[child.index()].proof {
            let from = known.values as usize;
            let copied: Vec<i32> = self.values[from..from + self.roles].to_vec();
            self.nodes[node.index()].proof =
                Some(proof(&mut self.values, copied.into_iter(), known.plies + 1));
        }
    }

    /// The child that the role would choose, if all are settled.
    fn best_of_all(&self, node: NodeId, role: RoleId) -> Option<NodeId> {
        let mut best: Option<(NodeId, (i32, i32, i64))> = None;
        for arm in self.seat(node, role.index()) {
            let child = self.arms[arm].child()?;
            let known = self.nodes[child.index()].proof?;
            let values = &self.values[known.values as usize..][..self.roles];
            let own = values[role.index()];
            // Of equal values the one that leaves the others least; then a near success or a far failure.
            let others: i32 = values.iter().sum::<i32>() - own;
            let plies = i64::from(known.plies);
            let rank = (own, -others, if own > 50 { -plies } else { plies });
            if best.is_none_or(|(_, other)| rank > other) {
                best = Some((child, rank));
            }
        }
        best.map(|(child, _)| child)
    }

    /// Any child, if all are settled and worth the same to everybody.
    fn agreed(&self, node: NodeId) -> Option<NodeId> {
        let children: Vec<NodeId> = match self.nodes[node.index()].kind {
            Kind::Turn(role) => {
                self.seat(node, role.index()).map(|arm| self.arms[arm].child()).collect::<Option<_>>()?
            }
            _ => {
                let product = (0..self.roles).try_fold(1u64, |product, role| {
                    product.checked_mul(self.seat(node, role).len() as u64).filter(|p| *p <= MOST_JOINT)
                })?;
                (0..product)
                    .map(|number| self.joint_children.get(&(node, number)).copied())
                    .collect::<Option<_>>()?
            }
        };
        let values = |child: &NodeId| {
            let known = self.nodes[child.index()].proof?;
            Some(&self.values[known.values as usize..][..self.roles])
        };
        let first = values(children.first()?)?;
        children.iter().all(|child| values(child) == Some(first)).then(|| children[0])
    }
}
