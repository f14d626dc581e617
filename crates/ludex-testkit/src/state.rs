//! Questions to an engine in terms of canonical s-expressions, as expectations are written.

use crate::report::told;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId};
use std::collections::HashMap;

/// One worker, asked by name instead of by number. A question that runs into a limit is an error in words.
///
/// Names are found through what the vocabulary shows, not through its reader of terms: the reader is
/// tested on its own, by the walks.
pub struct Asker {
    worker: Box<dyn Worker>,
    words: usize,
    fluents: HashMap<String, FluentId>,
    moves: Vec<HashMap<String, MoveId>>,
    buffer: Vec<MoveId>,
}

impl Asker {
    /// A worker of `engine` with the names of its vocabulary.
    pub fn new(engine: &dyn Engine) -> Asker {
        let vocabulary = engine.vocabulary();
        let moves = vocabulary.roles().map(|role| {
            let ids = (0..vocabulary.move_count(role) as u32).map(MoveId);
            ids.map(|id| (vocabulary.show_move(role, id), id)).collect()
        });
        Asker {
            worker: engine.worker(),
            words: vocabulary.words(),
            fluents: vocabulary.fluents().map(|id| (vocabulary.show_fluent(id), id)).collect(),
            moves: moves.collect(),
            buffer: Vec::new(),
        }
    }

    /// The names of the roles.
    pub fn roles(&self) -> Vec<String> {
        let vocabulary = self.worker.vocabulary();
        vocabulary.roles().map(|role| vocabulary.show_role(role)).collect()
    }

    /// The initial state.
    pub fn initial(&mut self) -> Vec<u64> {
        // Not zero, so that an engine that only sets bits is found out.
        let mut row = vec![u64::MAX; self.words];
        self.worker.initial(&mut row);
        row
    }

    /// The state in which exactly these fluents hold.
    pub fn state(&self, fluents: &[String]) -> Result<Vec<u64>, String> {
        let mut row = vec![0; self.words];
        for name in fluents {
            let id =
                self.fluents.get(name).ok_or_else(|| format!("the vocabulary lacks the fluent {name}"))?;
            row::set(&mut row, *id);
        }
        Ok(row)
    }

    /// The fluents of a state, sorted.
    pub fn show(&self, state: &[u64]) -> Vec<String> {
        row::show(self.worker.vocabulary(), state)
    }

    /// Whether the game is over.
    pub fn is_terminal(&mut self, state: &[u64]) -> Result<bool, String> {
        told(self.worker.is_terminal(state))
    }

    /// A role's moves, sorted by character.
    pub fn legal(&mut self, state: &[u64], role: usize) -> Result<Vec<String>, String> {
        let role = RoleId(role as u32);
        told(self.worker.legal(state, role, &mut self.buffer))?;
        let vocabulary = self.worker.vocabulary();
        let mut names: Vec<String> = self.buffer.iter().map(|&id| vocabulary.show_move(role, id)).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// How many moves a role has.
    pub fn legal_count(&mut self, state: &[u64], role: usize) -> Result<usize, String> {
        told(self.worker.legal(state, RoleId(role as u32), &mut self.buffer))?;
        Ok(self.buffer.len())
    }

    /// A role's goal value.
    pub fn goal(&mut self, state: &[u64], role: usize) -> Result<Option<Goal>, String> {
        told(self.worker.goal(state, RoleId(role as u32)))
    }

    /// The successor by a joint move, or which of the moves is unknown or not legal.
    pub fn next(&mut self, state: &[u64], moves: &[impl AsRef<str>]) -> Result<Vec<u64>, String> {
        if moves.len() != self.moves.len() {
            return Err(format!("{} moves for {} roles", moves.len(), self.moves.len()));
        }
        let mut joint = Vec::with_capacity(moves.len());
        for (role, name) in moves.iter().enumerate() {
            let name = name.as_ref();
            let known = self.moves[role].get(name).copied();
            let id = known.ok_or_else(|| format!("the vocabulary lacks the move {name} of role {role}"))?;
            told(self.worker.legal(state, RoleId(role as u32), &mut self.buffer))?;
            if !self.buffer.contains(&id) {
                return Err(format!("the move {name} of role {role} is not legal"));
            }
            joint.push(id);
        }
        let mut out = vec![u64::MAX; self.words];
        told(self.worker.next(state, &joint, &mut out))?;
        Ok(out)
    }
}
