//! What the rules say that is neither state nor move, as tables: orders of coordinates and neighbourhoods of cells are
//! among them, whether they are listed or follow from other facts.

use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::statics::relations;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::Vocabulary;
use ludex_gdl::rules::{RelationId, Term};
use std::collections::{BTreeMap, HashSet};

/// The facts of one relation that is no keyword.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The relation.
    pub relation: RelationId,
    /// The rows: those that the text lists in its order, then what follows.
    pub rows: Vec<Vec<TermId>>,
}

/// Relations with more facts than this are left out.
const MOST_ROWS: usize = 50_000;

/// Relations of more arguments than this are left out: two cells and a direction take five.
const WIDEST: usize = 6;

/// Steps for all that follows from facts: some milliseconds.
const MOST_STEPS: u64 = 4_000_000;

/// All facts about terms that the vocabulary has: first the relations that the text lists, in its order, then those that
/// follow.
pub fn facts(vocabulary: &Vocabulary, budget: &Budget) -> Result<Vec<Facts>, Exceeded> {
    let rules = vocabulary.rules();
    let terms = vocabulary.terms();
    let mut listed: BTreeMap<RelationId, Vec<Vec<TermId>>> = BTreeMap::new();
    for rule in rules.rules().iter().filter(|rule| rule.body.is_empty()) {
        let relation = rules.relation(rule.head.relation);
        if relation.keyword.is_some() || relation.arity == 0 {
            continue;
        }
        let constant = |term: &Term| match term {
            Term::Constant(name) => terms.find(*name, &[]),
            _ => None,
        };
        let Some(row) = rule.head.arguments.iter().map(constant).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let rows = listed.entry(rule.head.relation).or_default();
        if rows.len() <= MOST_ROWS {
            rows.push(row);
        }
    }
    let mut derived = Vec::new();
    for found in relations(vocabulary, WIDEST, MOST_ROWS, MOST_STEPS, budget)? {
        match listed.get_mut(&found.relation) {
            Some(rows) => {
                let known: HashSet<Vec<TermId>> = rows.iter().cloned().collect();
                rows.extend(found.rows.into_iter().filter(|row| !known.contains(row)));
            }
            None => derived.push(Facts { relation: found.relation, rows: found.rows }),
        }
    }
    let listed = listed.into_iter().map(|(relation, rows)| Facts { relation, rows });
    let mut all: Vec<Facts> = listed.chain(derived).collect();
    all.retain(|facts| !facts.rows.is_empty() && facts.rows.len() <= MOST_ROWS);
    Ok(all)
}
