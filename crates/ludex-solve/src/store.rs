//! A finished run, open for questions.
//!
//! Only the indexes of its tables are in memory; a lookup reads one block by position and checks it. A block that does
//! not match its checksum is never an answer: [`Store::verdict`] says so, and a search that asks as
//! an [`Oracle`] is told that nothing is known.

use crate::backward::{Form, NEVER, Records};
use crate::error::{Error, Result};
use crate::manifest::{Kind, Manifest};
use crate::packing::{Packing, Scratch};
use crate::plan::Plan;
use crate::run;
use crate::table::Table;
use hashbrown::HashMap;
use ludex_engine::engine::Engine;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::RoleId;
use ludex_logic::endgame::file::Verdict;
use ludex_logic::endgame::solve::Nature;
use ludex_logic::endgame::{Knowledge, Oracle};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

/// A solved game in a folder.
#[derive(Debug)]
pub struct Store {
    plan: Plan,
    manifest: Manifest,
    packing: Packing,
    form: Form,
    words: usize,
    layers: Box<dyn Layers>,
}

/// Tables with keys of some width.
trait Layers: std::fmt::Debug + Send + Sync {
    /// The part of a role in the record of a state; nothing if the state is not there.
    fn part(&self, store: &Store, state: &Row, role: RoleId, use_part: &mut dyn FnMut(&[u16])) -> Result<()>;

    /// Bytes in memory.
    fn memory(&self) -> usize;
}

#[derive(Debug)]
struct Tables<const N: usize> {
    /// By count; one where layers are not ranked.
    by_layer: HashMap<i64, (Table<N>, Records)>,
}

thread_local! {
    static ROOM: RefCell<(Scratch, Vec<u8>)> = RefCell::default();
}

impl<const N: usize> Layers for Tables<N> {
    fn part(&self, store: &Store, state: &Row, role: RoleId, use_part: &mut dyn FnMut(&[u16])) -> Result<()> {
        let layer = store
            .plan
            .counter
            .as_ref()
            .filter(|_| store.manifest.ranked)
            .map_or(0, |counter| counter.count(state));
        let Some((table, records)) = self.by_layer.get(&layer) else { return Ok(()) };
        ROOM.with_borrow_mut(|(scratch, bytes)| {
            // A state that does not fit what is proved of all reachable ones is none of them.
            let Ok((key, symmetry)) = store.packing.representative::<N>(state, scratch) else {
                return Ok(());
            };
            let Some(number) = table.find(&key, bytes)? else { return Ok(()) };
            let role = store.packing.roles(symmetry)[role.index()];
            let length = store.form.length;
            let start = store.form.starts[role.index()];
            let record = usize::try_from(number).ok().and_then(|number| {
                records
                    .numbers
                    .get(number.checked_mul(length)? + start..)?
                    .get(..store.form.goals[role.index()].len() + 1)
            });
            use_part(record.ok_or(Error::TooMany("records"))?);
            Ok(())
        })
    }

    fn memory(&self) -> usize {
        self.by_layer.values().map(|(table, records)| table.memory() + records.numbers.len() * 2).sum()
    }
}

impl Store {
    /// Opens the solution in a folder. The engine is made for the rules that the folder carries.
    pub fn open(
        folder: &Path,
        build: impl FnOnce(&Plan) -> Result<Arc<dyn Engine>>,
    ) -> Result<(Store, Arc<dyn Engine>)> {
        let (plan, manifest) = run::read(folder)?;
        if manifest.kind != Kind::Solve {
            return Err(Error::Kind(folder.to_path_buf(), manifest.kind.name(), Kind::Solve.name()));
        }
        if !manifest.done {
            return Err(Error::Unfinished(folder.to_path_buf()));
        }
        let engine = build(&plan)?;
        if !plan.fits(&engine) || manifest.goals.len() != engine.vocabulary().role_count() {
            return Err(Error::Foreign(folder.to_path_buf()));
        }
        let packing = plan.packing(&*engine)?;
        let form = Form::of(&manifest);
        macro_rules! with_words {
            ($($words:literal)*) => {
                match packing.key_words() {
                    $($words => tables::<$words>(folder, &manifest, &form)?,)*
                    _ => return Err(Error::Wide(packing.bits() as usize)),
                }
            };
        }
        let layers = with_words!(1 2 4 8 16);
        let words = engine.vocabulary().words();
        Ok((Store { plan, manifest, packing, form, words, layers }, engine))
    }

    /// What the run stands on.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What is in the folder.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How states are packed.
    pub fn packing(&self) -> &Packing {
        &self.packing
    }

    /// Bytes of indexes in memory.
    pub fn memory(&self) -> usize {
        self.layers.memory()
    }

    /// What is known of a state from one role's side; `None` if play does not reach it.
    pub fn verdict(&self, state: &Row, role: RoleId) -> Result<Option<Verdict>> {
        if state.len() != self.words || role.index() >= self.form.goals.len() {
            return Ok(None);
        }
        let mut verdict = None;
        let known = |depth: u16| (depth != NEVER).then_some(u32::from(depth));
        self.layers.part(self, state, role, &mut |part| {
            let goals = &self.form.goals[role.index()];
            let best = goals.iter().zip(&part[1..]).rev().find(|(_, depth)| **depth != NEVER);
            verdict = Some(Verdict {
                value: best.map(|(goal, _)| *goal),
                depth: best.and_then(|(_, depth)| known(*depth)),
                reachable: known(part[0]),
            });
        })?;
        Ok(verdict)
    }

    /// The greatest goal of a role in any end.
    pub fn best_goal(&self, role: RoleId) -> Option<ludex_engine::engine::Goal> {
        self.form.goals.get(role.index())?.last().copied()
    }
}

fn tables<const N: usize>(folder: &Path, manifest: &Manifest, form: &Form) -> Result<Box<dyn Layers>> {
    let mut by_layer = HashMap::new();
    for (at, values) in &manifest.values {
        let table = Table::<N>::open_named(folder, &values.table)?;
        let records = Records::read(folder, values, form.length)?;
        by_layer.insert(if manifest.ranked { *at } else { 0 }, (table, records));
    }
    Ok(Box::new(Tables { by_layer }))
}

impl Oracle for Store {
    fn lookup(&self, state: &Row, role: RoleId) -> Knowledge {
        let Ok(Some(verdict)) = self.verdict(state, role) else { return Knowledge::Unknown };
        let exact = !matches!(self.manifest.nature(), Nature::General);
        match (verdict.value, verdict.depth) {
            (Some(value), Some(depth)) if exact => Knowledge::Exact { value, depth },
            _ => verdict.reachable.map_or(Knowledge::Unknown, |depth| Knowledge::Hint { depth }),
        }
    }
}
