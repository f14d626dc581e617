//! What can be said of a node once the whole tree is there: which nodes need each other, whose answers nobody inside
//! reads, and how answers are kept distinct.

use super::Compiler;
use crate::tree::cell::Source;
use crate::tree::lookup::KeySpace;
use crate::tree::node::{And, Component, ComponentId, Duplicates, OrId, SiteId, Target};
use crate::tree::remodel::Slot;
use ludex_gdl::analysis::graph;

impl Compiler<'_> {
    pub(super) fn finish(&mut self) {
        self.components();
        self.targets();
        self.duplicates();
    }

    /// Finds the nodes that need each other.
    fn components(&mut self) {
        let tree = &mut self.tree;
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); tree.ors.len()];
        for site in &tree.sites {
            calls[tree.ands[site.and.index()].or.index()].push(site.or.0);
        }
        calls.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        for (number, members) in (0..).zip(graph::components(&calls)) {
            let recursive = members.len() > 1 || calls[members[0] as usize].contains(&members[0]);
            for &member in &members {
                tree.ors[member as usize].component = ComponentId(number);
                tree.ors[member as usize].recursive = recursive;
            }
            let members = members.into_iter().map(OrId).collect();
            tree.components.push(Component { members, sites: Vec::new() });
        }
        for (id, site) in (0..).map(SiteId).zip(&mut tree.sites) {
            let caller = tree.ors[tree.ands[site.and.index()].or.index()].component;
            let callee = &tree.ors[site.or.index()];
            site.waits = callee.recursive && caller == callee.component;
            if site.waits {
                tree.components[caller.index()].sites.push(id);
            }
        }
    }

    /// True if the rules of a node cannot derive an answer twice.
    fn cannot_repeat(&self, or: usize) -> bool {
        let or = &self.tree.ors[or];
        let ands: Vec<&And> = or.ands.iter().map(|and| &self.tree.ands[and.index()]).collect();
        let disjoint = |(at, and): (usize, &&And)| ands[..at].iter().all(|other| are_disjoint(other, and));
        !or.recursive
            && ands.len() <= 32
            && ands.iter().all(|and| and.distinct)
            && ands.iter().enumerate().all(disjoint)
    }

    /// Finds the roots whose answers nobody inside the tree reads.
    fn targets(&mut self) {
        let tree = &mut self.tree;
        let mut called = vec![false; tree.ors.len()];
        tree.sites.iter().for_each(|site| called[site.or.index()] = true);
        let mut aim = |or: OrId, target: Target| {
            if !called[or.index()] {
                tree.ors[or.index()].target = Some(target);
            }
        };
        for (role, roots) in tree.roots.legal.iter().enumerate() {
            roots.iter().enumerate().for_each(|(shape, &or)| aim(or, Target::Moves { role, shape }));
        }
        for &(shape, or) in &tree.roots.ends {
            aim(or, Target::Fluents { shape });
        }
        for roots in [&tree.roots.next, &tree.roots.init] {
            roots.iter().enumerate().for_each(|(shape, &or)| aim(or, Target::Fluents { shape }));
        }
    }

    /// Decides how each node keeps its answers distinct.
    fn duplicates(&mut self) {
        for at in 0..self.tree.ors.len() {
            if self.cannot_repeat(at) {
                self.tree.ors[at].duplicates = Duplicates::Impossible;
            }
            let or = &self.tree.ors[at];
            if or.inputs > 0 || or.outputs == 0 || matches!(or.duplicates, Duplicates::Impossible) {
                continue;
            }
            let relation = or.relation;
            let outputs: Vec<usize> =
                (0..self.questions[at].len()).filter(|&i| self.questions[at][i] == Slot::Output).collect();
            let columns = outputs.iter().map(|&column| self.column_values(relation, column)).collect();
            let space = KeySpace::new(columns);
            for and in &self.tree.ors[at].ands {
                let and = &mut self.tree.ands[and.index()];
                and.place = space.key(&and.answer);
            }
            self.tree.ors[at].duplicates = Duplicates::Checked(space);
        }
    }
}

/// True if no question can have an answer from both rules: a constant tells them apart.
fn are_disjoint(left: &And, right: &And) -> bool {
    let differ = |pair: (&Source, &Source)| match pair {
        (Source::Constant(a), Source::Constant(b)) => a != b,
        _ => false,
    };
    let asked = left
        .start
        .check
        .iter()
        .any(|(at, a)| right.start.check.iter().any(|(other, b)| at == other && differ((a, b))));
    asked || left.answer.iter().zip(&right.answer).any(differ)
}
