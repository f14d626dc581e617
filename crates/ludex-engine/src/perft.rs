//! Counting the ways to play: the classic check of a move generator.

use crate::engine::Worker;
use crate::vocabulary::{MoveId, RoleId};

/// The number of joint-move paths of length `depth` from the initial state. Terminal states are not
/// expanded, nor are states in which somebody has no legal move. Depth 0 is one path.
pub fn perft(worker: &mut dyn Worker, depth: usize) -> u64 {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    perft_from(worker, &state, depth)
}

/// As [`perft`], from a given state.
pub fn perft_from(worker: &mut dyn Worker, state: &[u64], depth: usize) -> u64 {
    let levels = (0..depth).map(|_| Level::default()).collect::<Vec<_>>();
    Counter { worker, levels }.count(state, 0)
}

/// The buffers of one depth.
#[derive(Default)]
struct Level {
    legal: Vec<Vec<MoveId>>,
    joint: Vec<MoveId>,
    state: Vec<u64>,
}

struct Counter<'w> {
    worker: &'w mut dyn Worker,
    levels: Vec<Level>,
}

impl Counter<'_> {
    fn count(&mut self, state: &[u64], depth: usize) -> u64 {
        if depth == self.levels.len() {
            return 1;
        }
        if self.worker.is_terminal(state) {
            return 0;
        }
        let mut level = std::mem::take(&mut self.levels[depth]);
        let roles = self.worker.vocabulary().role_count();
        level.legal.resize(roles, Vec::new());
        for (role, list) in level.legal.iter_mut().enumerate() {
            self.worker.legal(state, RoleId(role as u32), list);
        }
        let mut total = 0;
        if depth + 1 == self.levels.len() {
            // The last move need not be made to be counted.
            total = level.legal.iter().map(|list| list.len() as u64).product();
        } else {
            level.state.resize(state.len(), 0);
            each_joint_move(&level.legal, &mut level.joint, &mut |joint| {
                self.worker.next(state, joint, &mut level.state);
                total += self.count(&level.state, depth + 1);
            });
        }
        self.levels[depth] = level;
        total
    }
}

/// Calls `visit` with every way to choose one move from each list.
pub fn each_joint_move(legal: &[Vec<MoveId>], joint: &mut Vec<MoveId>, visit: &mut dyn FnMut(&[MoveId])) {
    joint.clear();
    extend(legal, joint, visit);
}

fn extend(legal: &[Vec<MoveId>], joint: &mut Vec<MoveId>, visit: &mut dyn FnMut(&[MoveId])) {
    let Some(moves) = legal.get(joint.len()) else { return visit(joint) };
    for &movement in moves {
        joint.push(movement);
        extend(legal, joint, visit);
        joint.pop();
    }
}
