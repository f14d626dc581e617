//! The strata that each question of the engine contract needs.

use super::program::{FlatLiteral, Program, Stay, TableId};
use ludex_gdl::analysis::dependencies::Phase;

/// The strata that each question needs, ascending.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) legal: Vec<usize>,
    pub(crate) terminal: Vec<usize>,
    pub(crate) goal: Vec<usize>,
    pub(crate) next: Vec<usize>,
    /// What the relations need that are asked for beside those of keywords.
    pub(crate) asked: Vec<usize>,
}

impl Questions {
    pub(crate) fn new(program: &Program) -> Questions {
        let dynamic: Vec<_> = program.strata.iter().filter(|s| s.phase != Phase::Static).collect();
        let mut writers: Vec<Vec<usize>> = vec![Vec::new(); program.tables.len()];
        for (position, stratum) in dynamic.iter().enumerate() {
            for rule in &stratum.rules {
                writers[rule.head.table.index()].push(position);
            }
        }
        let needed = |tables: &mut dyn Iterator<Item = TableId>| {
            let mut wanted = vec![false; dynamic.len()];
            let mut open: Vec<TableId> = tables.collect();
            let mut seen = vec![false; program.tables.len()];
            while let Some(table) = open.pop() {
                if std::mem::replace(&mut seen[table.index()], true) {
                    continue;
                }
                for &writer in &writers[table.index()] {
                    wanted[writer] = true;
                    for rule in &dynamic[writer].rules {
                        for literal in &rule.body {
                            if let FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) = literal {
                                open.push(atom.table);
                            }
                        }
                    }
                }
            }
            (0..dynamic.len()).filter(|&position| wanted[position]).collect()
        };
        Questions {
            legal: needed(&mut program.moves.iter().map(|m| m.legal)),
            terminal: needed(&mut [program.terminal].into_iter()),
            goal: needed(&mut [program.goal].into_iter()),
            asked: needed(&mut program.outputs.iter().map(|output| output.table)),
            next: needed(&mut program.fluents.iter().flat_map(|f| {
                let ends = match f.stay {
                    Stay::Unless(ends) => Some(ends),
                    Stay::Never => None,
                };
                ends.into_iter().chain([f.next])
            })),
        }
    }
}
