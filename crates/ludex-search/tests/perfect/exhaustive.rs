//! The value of states by looking at everything that can follow, with a memory of states and nothing else.

use ludex::engine::datalog::Datalog;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::vocabulary::{MoveId, RoleId};
use std::collections::HashMap;

/// Values of a game of two who take turns.
pub struct Exhaustive<'e> {
    worker: Box<dyn Worker + 'e>,
    values: HashMap<Vec<u64>, [i32; 2]>,
}

impl<'e> Exhaustive<'e> {
    pub fn new(engine: &'e Datalog) -> Exhaustive<'e> {
        Exhaustive { worker: engine.worker(), values: HashMap::new() }
    }

    /// What each role gets from here if both play as well as possible.
    pub fn value(&mut self, state: &[u64]) -> [i32; 2] {
        if let Some(&known) = self.values.get(state) {
            return known;
        }
        let value = if self.worker.is_terminal(state).expect("no limit is met") {
            [0, 1].map(|role| {
                self.worker.goal(state, RoleId(role)).expect("no limit is met").expect("a goal at the end")
            })
        } else {
            let mover = if self.legal(state, 1).len() > 1 { 1 } else { 0 };
            let moves = self.legal(state, mover as u32);
            let values = moves.into_iter().map(|m| self.after(state, RoleId(mover as u32), m));
            values.max_by_key(|value| value[mover]).expect("a legal move")
        };
        self.values.insert(state.to_vec(), value);
        value
    }

    /// The value after a move of one role, where the other has only one.
    pub fn after(&mut self, state: &[u64], role: RoleId, action: MoveId) -> [i32; 2] {
        let others = self.legal(state, 1 - role.0);
        let mut joint = [action; 2];
        joint[1 - role.index()] = others[0];
        if others.len() > 1 {
            // The role waits: the value is the state's own.
            return self.value(state);
        }
        let mut next = state.to_vec();
        self.worker.next(state, &joint, &mut next).expect("no limit is met");
        self.value(&next)
    }

    fn legal(&mut self, state: &[u64], role: u32) -> Vec<MoveId> {
        let mut moves = Vec::new();
        self.worker.legal(state, RoleId(role), &mut moves).expect("no limit is met");
        moves
    }
}
