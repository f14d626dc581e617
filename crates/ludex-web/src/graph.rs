//! Which relation is computed from which, laid out in columns: what a relation reads stands to its left.

use crate::opened::Opened;
use ludex::gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex::gdl::analysis::graph::components;
use ludex::gdl::rules::{Literal, RelationId, Rules};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Relations that are shown; a graph of more is a thicket.
const MOST: usize = 160;

/// How often the rows are put in order, from left to right and back.
const SWEEPS: usize = 8;

/// The graph of a game, without its text: relations with their places, and who reads whom.
pub fn json(game: &Opened) -> Value {
    let rules = &game.game().rules().rules;
    let dependencies = Dependencies::of(rules);
    let phases = phases(rules, &dependencies);
    let recursive = dependencies.recursive();
    let edges = edges(rules);
    let is_read = |relation: RelationId| edges.keys().any(|&(read, _)| read == relation.index());
    let shown = |relation: &RelationId| !rules.rules_for(*relation).is_empty() || is_read(*relation);
    let relations: Vec<RelationId> = rules.relations().filter(shown).collect();
    if relations.len() > MOST {
        return json!({ "relations": relations.len(), "nodes": [], "edges": [] });
    }
    let place: BTreeMap<usize, usize> =
        relations.iter().enumerate().map(|(place, relation)| (relation.index(), place)).collect();
    let edges: Vec<(usize, usize, bool)> =
        edges.iter().map(|(&(read, reader), &negative)| (place[&read], place[&reader], negative)).collect();
    let columns = columns(relations.len(), &edges);
    let rows = rows(&columns, &edges);
    let nodes = relations.iter().enumerate().map(|(at, &relation)| {
        let known = rules.relation(relation);
        let phase = match phases[relation.index()] {
            Phase::Static => "static",
            Phase::State => "state",
            Phase::Move => "move",
        };
        json!({
            "name": rules.symbols.name(known.name), "arity": known.arity, "keyword": known.keyword.is_some(),
            "rules": rules.rules_for(relation).len(), "phase": phase, "recursive": recursive[relation.index()],
            "column": columns[at], "row": rows[at],
        })
    });
    json!({ "relations": relations.len(), "nodes": nodes.collect::<Vec<_>>(), "edges": edges })
}

/// Who is read by whom, and whether only under a negation.
fn edges(rules: &Rules) -> BTreeMap<(usize, usize), bool> {
    let mut edges = BTreeMap::new();
    for rule in rules.rules() {
        for literal in &rule.body {
            let (atom, negative) = match literal {
                Literal::Positive(atom) => (atom, false),
                Literal::Negative(atom) => (atom, true),
                Literal::Distinct(..) => continue,
            };
            let both = (atom.relation.index(), rule.head.relation.index());
            edges.entry(both).and_modify(|known| *known &= negative).or_insert(negative);
        }
    }
    edges
}

/// One column further right than everything that is read, except within a cycle, whose relations share a column.
fn columns(count: usize, edges: &[(usize, usize, bool)]) -> Vec<usize> {
    let mut reads = vec![Vec::new(); count];
    for &(read, reader, _) in edges {
        reads[reader].push(read as u32);
    }
    let mut columns = vec![0; count];
    // Each component comes after all that it reads.
    for component in components(&reads) {
        let inside = |relation: &u32| component.contains(relation);
        let read = component.iter().flat_map(|&member| &reads[member as usize]).filter(|read| !inside(read));
        let column = read.map(|&read| columns[read as usize] + 1).max().unwrap_or(0);
        component.iter().for_each(|&member| columns[member as usize] = column);
    }
    columns
}

/// The place in its column: each relation near the middle of its neighbours (the heuristic of Sugiyama and others).
fn rows(columns: &[usize], edges: &[(usize, usize, bool)]) -> Vec<usize> {
    let width = columns.iter().max().map_or(0, |most| most + 1);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); width];
    for (node, &column) in columns.iter().enumerate() {
        order[column].push(node);
    }
    let mut rows = vec![0; columns.len()];
    let settle = |column: &[usize], rows: &mut [usize]| {
        column.iter().enumerate().for_each(|(row, &node)| rows[node] = row);
    };
    order.iter().for_each(|column| settle(column, &mut rows));
    for sweep in 0..SWEEPS {
        for step in 0..width {
            let column = if sweep % 2 == 0 { step } else { width - 1 - step };
            let middle = |node: usize| {
                let near =
                    edges.iter().filter_map(|&(read, reader, _)| match (read == node, reader == node) {
                        (true, false) => Some(reader),
                        (false, true) => Some(read),
                        _ => None,
                    });
                let heights: Vec<f64> = near.map(|other| rows[other] as f64).collect();
                let sum: f64 = heights.iter().sum();
                if heights.is_empty() { rows[node] as f64 } else { sum / heights.len() as f64 }
            };
            let mut placed: Vec<(f64, usize)> =
                order[column].iter().map(|&node| (middle(node), node)).collect();
            placed.sort_by(|one, other| one.0.total_cmp(&other.0));
            order[column] = placed.into_iter().map(|(_, node)| node).collect();
            settle(&order[column], &mut rows);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{columns, rows};

    #[test]
    fn what_is_read_stands_to_the_left_and_cycles_share_a_column() {
        // 0 is read by 1 and 2, which read each other; 3 reads 2; 4 stands alone.
        let edges = [(0, 1, false), (1, 2, false), (2, 1, true), (2, 3, false)];
        let columns = columns(5, &edges);
        assert_eq!(columns, [0, 1, 1, 2, 0]);
        let rows = rows(&columns, &edges);
        assert_ne!(rows[1], rows[2]);
        assert_ne!(rows[0], rows[4]);
        assert_eq!(rows[3], 0);
    }
}
