//! Compares recorded playouts with an engine.
//!
//! Everything that a record says is compared: the initial state (unless the record is a tail), the
//! legal moves of each role as sets, whether the game is over, the goals, that the moves made were legal,
//! and the successor of each recorded state under the recorded joint move. The engine always starts from
//! the *recorded* state, so one wrong answer does not hide behind another. Names compare exactly.

mod difference;

pub use difference::{Difference, Kind, Sets};

use crate::record::{Playout, Step};
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use std::collections::HashMap;

/// Compares playouts with one engine.
pub struct Replayer<'e> {
    vocabulary: &'e Vocabulary,
    worker: Box<dyn Worker + 'e>,
    roles: Vec<String>,
    fluents: HashMap<String, FluentId>,
    /// For each role, its moves by their spelling.
    moves: Vec<HashMap<String, MoveId>>,
}

impl<'e> Replayer<'e> {
    /// Prepares the comparison with `engine`: spells out its vocabulary once.
    pub fn new(engine: &'e dyn Engine) -> Replayer<'e> {
        let vocabulary: &Vocabulary = engine.vocabulary();
        let moves_of = |role: RoleId| {
            (0..vocabulary.move_count(role) as u32)
                .map(|id| (vocabulary.show_move(role, MoveId(id)), MoveId(id)))
                .collect()
        };
        Replayer {
            vocabulary,
            worker: engine.worker(),
            roles: vocabulary.roles().map(|role| vocabulary.show_role(role)).collect(),
            fluents: vocabulary.fluents().map(|id| (vocabulary.show_fluent(id), id)).collect(),
            moves: vocabulary.roles().map(moves_of).collect(),
        }
    }

    /// The number of states compared if the engine agrees with all of `playout`; else the first difference.
    pub fn compare(&mut self, playout: &Playout) -> Result<usize, Box<Difference>> {
        let difference = |step: usize, kind: Kind| {
            let (record, playout) = (playout.record.clone(), playout.header.playout);
            Box::new(Difference { record, playout, step, kind })
        };
        if let Some(roles) = &playout.header.roles
            && *roles != self.roles
        {
            return Err(difference(0, Kind::Roles { record: roles.clone(), engine: self.roles.clone() }));
        }
        // What the engine expects the next state to be, and the joint move that leads there.
        let mut expected: Option<(Vec<u64>, Option<&[String]>)> = None;
        if !playout.header.tail {
            let mut initial = vec![0; self.vocabulary.words()];
            self.worker.initial(&mut initial);
            expected = Some((initial, None));
        }
        for (index, step) in playout.steps.iter().enumerate() {
            let state = self
                .state(step, expected.take())
                .and_then(|state| self.position(step, &state).map(|()| state))
                .map_err(|kind| difference(index, kind))?;
            if let Some(moves) = &step.moves {
                let joint = self.joint(&state, moves).map_err(|kind| difference(index, kind))?;
                let mut next = vec![0; state.len()];
                self.worker.next(&state, &joint, &mut next);
                expected = Some((next, Some(moves)));
            }
        }
        Ok(playout.steps.len())
    }

    /// The recorded state as a row, if it is the one that the engine expects.
    fn state(&self, step: &Step, expected: Option<(Vec<u64>, Option<&[String]>)>) -> Result<Vec<u64>, Kind> {
        let mut row = vec![0; self.vocabulary.words()];
        let mut unknown: Vec<String> = Vec::new();
        for text in &step.state {
            match self.fluents.get(text) {
                Some(&fluent) => row::set(&mut row, fluent),
                None => unknown.push(text.clone()),
            }
        }
        match expected {
            Some((wanted, moves)) if wanted != row || !unknown.is_empty() => {
                let minus = |left: &[u64], right: &[u64]| {
                    let rest: Vec<u64> = left.iter().zip(right).map(|(l, r)| l & !r).collect();
                    row::show(self.vocabulary, &rest)
                };
                let mut sets =
                    Sets { only_in_record: minus(&row, &wanted), only_in_engine: minus(&wanted, &row) };
                sets.only_in_record.extend(unknown);
                sets.only_in_record.sort_unstable();
                Err(match moves {
                    Some(moves) => Kind::Successor { moves: moves.to_vec(), sets },
                    None => Kind::InitialState(sets),
                })
            }
            None if !unknown.is_empty() => Err(Kind::UnknownFluents { fluents: unknown }),
            _ => Ok(row),
        }
    }

    /// Compares what the record says of one state.
    fn position(&mut self, step: &Step, state: &[u64]) -> Result<(), Kind> {
        if let Some(record) = step.terminal
            && self.worker.is_terminal(state) != record
        {
            return Err(Kind::Terminal { record });
        }
        if let Some(legals) = &step.legals {
            self.one_a_role(legals.len())?;
            for (role, recorded) in self.vocabulary.roles().zip(legals) {
                self.legal(role, recorded, state)?;
            }
        }
        if let Some(goals) = &step.goals {
            self.one_a_role(goals.len())?;
            for (role, &record) in self.vocabulary.roles().zip(goals) {
                let engine = self.worker.goal(state, role);
                if engine != record {
                    return Err(Kind::Goal { role: self.roles[role.index()].clone(), record, engine });
                }
            }
        }
        Ok(())
    }

    fn legal(&mut self, role: RoleId, recorded: &[String], state: &[u64]) -> Result<(), Kind> {
        let mut computed = Vec::new();
        self.worker.legal(state, role, &mut computed);
        let mut sets = Sets::default();
        let mut agreed = vec![false; computed.len()];
        for text in recorded {
            let known = self.moves[role.index()].get(text);
            match known.and_then(|id| computed.binary_search(id).ok()) {
                Some(position) => agreed[position] = true,
                None => sets.only_in_record.push(text.clone()),
            }
        }
        let missing = computed.iter().zip(&agreed).filter(|(_, agreed)| !**agreed);
        sets.only_in_engine = missing.map(|(&id, _)| self.vocabulary.show_move(role, id)).collect();
        if sets == Sets::default() {
            return Ok(());
        }
        sets.only_in_record.sort_unstable();
        sets.only_in_record.dedup();
        sets.only_in_engine.sort_unstable();
        Err(Kind::Legal { role: self.roles[role.index()].clone(), sets })
    }

    /// The recorded joint move, if each of its moves is legal.
    fn joint(&mut self, state: &[u64], moves: &[String]) -> Result<Vec<MoveId>, Kind> {
        self.one_a_role(moves.len())?;
        let mut legal = Vec::new();
        let mut joint = Vec::with_capacity(moves.len());
        for (role, text) in self.vocabulary.roles().zip(moves) {
            self.worker.legal(state, role, &mut legal);
            let known = self.moves[role.index()].get(text).copied();
            match known.filter(|id| legal.binary_search(id).is_ok()) {
                Some(id) => joint.push(id),
                None => {
                    let (role, action) = (self.roles[role.index()].clone(), text.clone());
                    return Err(Kind::IllegalMove { role, action });
                }
            }
        }
        Ok(joint)
    }

    fn one_a_role(&self, entries: usize) -> Result<(), Kind> {
        let engine = self.roles.len();
        if entries == engine { Ok(()) } else { Err(Kind::RoleCount { record: entries, engine }) }
    }
}
