//! Compares recorded playouts with an engine.
//!
//! Everything that a record says is compared: the initial state (unless the record is a tail), the
//! legal moves of each role as sets, whether the game is over, the goals, that the moves made were legal,
//! and the successor of each recorded state under the recorded joint move. The engine always starts from
//! the *recorded* state, so one wrong answer does not hide behind another. Names compare exactly.
//!
//! A question that the engine cannot answer within its limits is no difference: the comparison ends there with
//! [`Stopped::Limit`].

mod difference;

pub use difference::{Difference, Kind, Limit, Sets, Stopped};

use crate::record::{Playout, Step};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use std::collections::HashMap;
use std::sync::Arc;

/// Compares playouts with one engine.
pub struct Replayer {
    vocabulary: Arc<Vocabulary>,
    worker: Box<dyn Worker>,
    roles: Vec<String>,
    fluents: HashMap<String, FluentId>,
    /// For each role, its moves by their spelling.
    moves: Vec<HashMap<String, MoveId>>,
}

/// Why one step could not be confirmed.
enum Cause {
    Differs(Kind),
    Fault(Fault),
}

impl From<Kind> for Cause {
    fn from(kind: Kind) -> Cause {
        Cause::Differs(kind)
    }
}

impl From<Fault> for Cause {
    fn from(fault: Fault) -> Cause {
        Cause::Fault(fault)
    }
}

impl Replayer {
    /// Prepares the comparison with `engine`: spells out its vocabulary once.
    pub fn new(engine: &dyn Engine) -> Replayer {
        let vocabulary = engine.vocabulary();
        let moves_of = |role: RoleId| {
            (0..vocabulary.move_count(role) as u32)
                .map(|id| (vocabulary.show_move(role, MoveId(id)), MoveId(id)))
                .collect()
        };
        Replayer {
            vocabulary: vocabulary.clone(),
            worker: engine.worker(),
            roles: vocabulary.roles().map(|role| vocabulary.show_role(role)).collect(),
            fluents: vocabulary.fluents().map(|id| (vocabulary.show_fluent(id), id)).collect(),
            moves: vocabulary.roles().map(moves_of).collect(),
        }
    }

    /// From now on comparing ends, as over a limit, where the budget does ([`Worker::obey`]).
    pub fn obey(&mut self, budget: &Budget) {
        self.worker.obey(budget);
    }

    /// The number of states compared if the engine agrees with all of `playout`; else the first difference,
    /// or the first question that it could not answer.
    pub fn compare(&mut self, playout: &Playout) -> Result<usize, Box<Stopped>> {
        let stopped = |step: usize, cause: Cause| {
            let (record, playout) = (playout.record.clone(), playout.header.playout);
            Box::new(match cause {
                Cause::Differs(kind) => Stopped::Difference(Difference { record, playout, step, kind }),
                Cause::Fault(fault) => Stopped::Limit(Limit { record, playout, step, fault }),
            })
        };
        if let Some(roles) = &playout.header.roles
            && *roles != self.roles
        {
            let kind = Kind::Roles { record: roles.clone(), engine: self.roles.clone() };
            return Err(stopped(0, kind.into()));
        }
        // What the engine expects the next state to be, and the joint move that leads there.
        let mut expected: Option<(Vec<u64>, Option<&[String]>)> = None;
        if !playout.header.tail {
            let mut initial = vec![0; self.vocabulary.words()];
            self.worker.initial(&mut initial);
            expected = Some((initial, None));
        }
        for (index, step) in playout.steps.iter().enumerate() {
            let next = self.step(step, expected.take()).map_err(|cause| stopped(index, cause))?;
            expected = next.zip(step.moves.as_deref()).map(|(next, moves)| (next, Some(moves)));
        }
        Ok(playout.steps.len())
    }

    /// Compares one step, with the state that the engine expects and the joint move that led there; gives the successor
    /// by the recorded joint move, if there is one.
    fn step(
        &mut self,
        step: &Step,
        expected: Option<(Vec<u64>, Option<&[String]>)>,
    ) -> Result<Option<Vec<u64>>, Cause> {
        let state = self.state(step, expected)?;
        self.position(step, &state)?;
        let Some(moves) = &step.moves else { return Ok(None) };
        let joint = self.joint(&state, moves)?;
        let mut next = vec![0; state.len()];
        self.worker.next(&state, &joint, &mut next)?;
        Ok(Some(next))
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
                    row::show(&self.vocabulary, &rest)
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
    fn position(&mut self, step: &Step, state: &[u64]) -> Result<(), Cause> {
        if let Some(record) = step.terminal
            && self.worker.is_terminal(state)? != record
        {
            return Err(Kind::Terminal { record }.into());
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
                let engine = self.worker.goal(state, role)?;
                if engine != record {
                    let role = self.roles[role.index()].clone();
                    return Err(Kind::Goal { role, record, engine }.into());
                }
            }
        }
        Ok(())
    }

    fn legal(&mut self, role: RoleId, recorded: &[String], state: &[u64]) -> Result<(), Cause> {
        let mut computed = Vec::new();
        self.worker.legal(state, role, &mut computed)?;
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
        Err(Kind::Legal { role: self.roles[role.index()].clone(), sets }.into())
    }

    /// The recorded joint move, if each of its moves is legal.
    fn joint(&mut self, state: &[u64], moves: &[String]) -> Result<Vec<MoveId>, Cause> {
        self.one_a_role(moves.len())?;
        let mut legal = Vec::new();
        let mut joint = Vec::with_capacity(moves.len());
        for (role, text) in self.vocabulary.roles().zip(moves) {
            self.worker.legal(state, role, &mut legal)?;
            let known = self.moves[role.index()].get(text).copied();
            match known.filter(|id| legal.binary_search(id).is_ok()) {
                Some(id) => joint.push(id),
                None => {
                    let (role, action) = (self.roles[role.index()].clone(), text.clone());
                    return Err(Kind::IllegalMove { role, action }.into());
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
