//! How games ended that had in their last state what a move makes true: what is known of a move before it is tried often.
//!
//! It is what others call rapid action values (RAVE, GRAVE), where moves put things down that stay. Lanes do not tell which
//! moves a game was made of, but its last state says what lies there. A move is known by the fluent that it makes true and
//! that the fewest other moves of its state make true; the games through a node that end with that fluent say what the
//! move may be worth. A node has such figures once it was visited often; those below it go by the figures of the last
//! node above that has some.
//!
//! What is known so counts as a number of visits ([`Settings::ends`](super::Settings::ends)), so it fades as a move is
//! tried, and a move that promises nothing need not be tried at all. Where what lies there at the end says little of when
//! it was put down, or by whom, it misleads: whether it is used is for a trial to say ([`crate::learning`]).

use super::Tree;
use super::memory::{Arm, Kind, NodeId};
use ludex_engine::engine::Worker;
use ludex_engine::fault::Fault;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// Games through a node after which it has figures of its own.
const OFTEN: u32 = 64;
/// Games that a move's figures must have to count as much as what its state is worth.
const FEW: f32 = 10.0;
/// The number of no fluent.
pub(super) const NOTHING: u32 = u32::MAX;

/// Memory that is used again.
#[derive(Debug, Default)]
pub(super) struct LookAhead {
    state: Vec<u64>,
    next: Vec<u64>,
    joint: Vec<MoveId>,
    /// The fluents that each move makes true, one after the other, and where those of each move end.
    made: Vec<u32>,
    ends: Vec<u32>,
    /// How many moves make each fluent true.
    makers: Vec<u32>,
}

/// What is known beforehand of the arms of one node and role.
pub(super) struct Known<'t> {
    /// The visits that it counts as.
    trust: f32,
    /// What the node is worth to the role.
    mean: f32,
    role: usize,
    roles: usize,
    figures: Option<&'t [f32]>,
}

impl Known<'_> {
    /// What an arm is worth, by what is known beforehand and by what was tried.
    pub(super) fn worth(&self, arm: &Arm) -> f32 {
        if arm.is_proved {
            return arm.mean;
        }
        let before = match self.figures {
            Some(figures) if arm.makes != NOTHING => {
                let of = &figures[arm.makes as usize * (self.roles + 1)..][..=self.roles];
                (of[1 + self.role] + FEW * self.mean) / (of[0] + FEW)
            }
            _ => self.mean,
        };
        let valued = arm.valued() as f32;
        (valued * arm.mean + self.trust * before) / (valued + self.trust)
    }
}

impl Tree {
    /// What is known beforehand, if anything is to be.
    pub(super) fn known(&self, node: NodeId, role: usize, figures: Option<u32>) -> Option<Known<'_>> {
        let trust = self.settings.ends;
        (trust > 0.0).then(|| Known {
            trust,
            mean: self.means[node.index() * self.roles + role],
            role,
            roles: self.roles,
            figures: figures.map(|at| &self.figures[at as usize..][..self.fluents * (self.roles + 1)]),
        })
    }

    /// Finds out what the moves of a node make true, once they have been listed.
    pub(super) fn look_ahead(&mut self, worker: &mut dyn Worker, node: NodeId) -> Result<(), Fault> {
        let Kind::Turn(role) = self.nodes[node.index()].kind else { return Ok(()) };
        if self.settings.ends <= 0.0 || self.settings.chance == Some(role) {
            return Ok(());
        }
        let mut look = std::mem::take(&mut self.ahead);
        let looked = self.look(worker, node, role, &mut look);
        self.ahead = look;
        looked
    }

    fn look(
        &mut self,
        worker: &mut dyn Worker,
        node: NodeId,
        role: RoleId,
        look: &mut LookAhead,
    ) -> Result<(), Fault> {
        let LookAhead { state, next, joint, made, ends, makers } = look;
        state.clear();
        state.extend_from_slice(self.row(node));
        next.clone_from(state);
        joint.clear();
        joint.extend((0..self.roles).map(|role| self.arms[self.seat(node, role).start].action));
        made.clear();
        ends.clear();
        makers.clear();
        makers.resize(self.fluents, 0);
        let arms = self.seat(node, role.index());
        for at in arms.clone() {
            joint[role.index()] = self.arms[at].action;
            worker.next(state, joint, next)?;
            for (word, (&old, &new)) in state.iter().zip(&*next).enumerate() {
                let mut added = new & !old;
                while added != 0 {
                    let fluent = word * 64 + added.trailing_zeros() as usize;
                    added &= added - 1;
                    made.push(fluent as u32);
                    makers[fluent] += 1;
                }
            }
            ends.push(made.len() as u32);
        }
        let mut from = 0;
        for (at, &end) in arms.clone().zip(&*ends) {
            let mine = made[from as usize..end as usize].iter().copied();
            let rarest = mine.min_by_key(|&fluent| (makers[fluent as usize], fluent));
            // What every move makes true says nothing of one.
            let rarest = rarest.filter(|&fluent| (makers[fluent as usize] as usize) < arms.len());
            self.arms[at].makes = rarest.unwrap_or(NOTHING);
            from = end;
        }
        Ok(())
    }

    /// Tells the figures of a node how a game through it ended.
    pub(super) fn count_end(&mut self, node: NodeId, outcomes: &[f64], end: &[u64]) {
        let stride = self.roles + 1;
        let size = self.fluents * stride;
        let at = match self.nodes[node.index()].figures {
            Some(at) => at as usize,
            None => {
                let is_often = self.nodes[node.index()].valued >= OFTEN;
                if !is_often || self.bytes() + size * size_of::<f32>() > self.settings.memory {
                    return;
                }
                let at = self.figures.len();
                let Ok(place) = u32::try_from(at) else { return };
                self.nodes[node.index()].figures = Some(place);
                self.figures.resize(at + size, 0.0);
                at
            }
        };
        let figures = &mut self.figures[at..at + size];
        for fluent in row::fluents(end) {
            let of = &mut figures[fluent.index() * stride..][..stride];
            of[0] += 1.0;
            for (sum, &outcome) in of[1..].iter_mut().zip(outcomes) {
                *sum += outcome as f32;
            }
        }
    }
}
