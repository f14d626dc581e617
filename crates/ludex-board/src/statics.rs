//! The facts of the rules: what is neither state nor move, as tables of constants. Orders of coordinates and
//! neighbourhoods of cells are among them.

use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::Vocabulary;
use ludex_gdl::rules::Term;
use std::collections::BTreeMap;

/// The facts of one relation that is no keyword.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The rows, in the order of the text.
    pub rows: Vec<Vec<TermId>>,
}

/// Relations with more facts than this are left out.
const MOST_ROWS: usize = 50_000;

/// All facts about terms that the vocabulary has, in the order of the text.
pub fn facts(vocabulary: &Vocabulary) -> Vec<Facts> {
    let rules = vocabulary.rules();
    let terms = vocabulary.terms();
    let mut all: BTreeMap<usize, Facts> = BTreeMap::new();
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
        let facts = all.entry(rule.head.relation.index());
        let facts = facts.or_insert_with(|| Facts { rows: Vec::new() });
        if facts.rows.len() <= MOST_ROWS {
            facts.rows.push(row);
        }
    }
    all.into_values().filter(|facts| facts.rows.len() <= MOST_ROWS).collect()
}
