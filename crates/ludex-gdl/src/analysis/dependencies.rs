//! Which relations a relation is computed from.

use super::graph::components;
use crate::rules::{Literal, RelationId, Rules};
use crate::symbols::Keyword;

/// The dependency graph between relations.
#[derive(Clone, Debug)]
pub struct Dependencies {
    /// For each relation the relations that its rules read, ascending, without duplicates.
    direct: Vec<Vec<u32>>,
}

impl Dependencies {
    /// Reads the graph off the rules.
    pub fn of(rules: &Rules) -> Dependencies {
        let mut direct = vec![Vec::new(); rules.relations().count()];
        for rule in rules.rules() {
            let reads: &mut Vec<u32> = &mut direct[rule.head.relation.index()];
            for literal in &rule.body {
                if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                    reads.push(atom.relation.0);
                }
            }
        }
        for reads in &mut direct {
            reads.sort_unstable();
            reads.dedup();
        }
        Dependencies { direct }
    }

    /// The relations that rules for `relation` mention.
    pub fn direct(&self, relation: RelationId) -> impl Iterator<Item = RelationId> + '_ {
        self.direct[relation.index()].iter().map(|&r| RelationId(r))
    }

    /// For each relation whether it is computed from itself; indexed by relation.
    pub fn recursive(&self) -> Vec<bool> {
        let mut recursive = vec![false; self.direct.len()];
        for component in components(&self.direct) {
            let is_cycle = match component.as_slice() {
                &[only] => self.direct[only as usize].binary_search(&only).is_ok(),
                _ => true,
            };
            component.iter().for_each(|&relation| recursive[relation as usize] = is_cycle);
        }
        recursive
    }

    pub(crate) fn graph(&self) -> &[Vec<u32>] {
        &self.direct
    }

    /// Everything that `relations` are computed from, themselves included; indexed by relation.
    pub fn closure(&self, relations: impl IntoIterator<Item = RelationId>) -> Vec<bool> {
        let mut reached = vec![false; self.direct.len()];
        let mut open: Vec<u32> = relations.into_iter().map(|r| r.0).collect();
        while let Some(relation) = open.pop() {
            if !std::mem::replace(&mut reached[relation as usize], true) {
                open.extend(&self.direct[relation as usize]);
            }
        }
        reached
    }

    /// Everything that is computed from `relations`, themselves included; indexed by relation.
    pub fn dependents(&self, relations: impl IntoIterator<Item = RelationId>) -> Vec<bool> {
        let mut readers = vec![Vec::new(); self.direct.len()];
        for (reader, reads) in self.direct.iter().enumerate() {
            for &read in reads {
                readers[read as usize].push(reader as u32);
            }
        }
        Dependencies { direct: readers }.closure(relations)
    }
}

/// When the extension of a relation is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Once and for all.
    Static,
    /// When the state is given.
    State,
    /// When the moves are given, too.
    Move,
}

/// The phase of every relation, indexed by relation.
pub fn phases(rules: &Rules, dependencies: &Dependencies) -> Vec<Phase> {
    let on_state = dependencies.dependents([rules.keyword(Keyword::True)]);
    let on_moves = dependencies.dependents([rules.keyword(Keyword::Does)]);
    let phase = |(&state, &moves): (&bool, &bool)| match (state, moves) {
        (_, true) => Phase::Move,
        (true, false) => Phase::State,
        (false, false) => Phase::Static,
    };
    on_state.iter().zip(&on_moves).map(phase).collect()
}
