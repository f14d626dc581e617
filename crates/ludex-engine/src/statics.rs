//! What the rules say of relations that depend on neither state nor moves: successors, neighbours, walls.
//!
//! Engines compute these tables for themselves; here they are for whoever wants to look at a game, such as a drawing.
//! A relation that takes too much work is left out, and with it what is derived from it: nothing here is a limit on play.

use crate::budget::{Budget, Exceeded};
use crate::frontend::{Estimate, FlatLiteral, Program, TableId};
use crate::outputs::Outputs;
use crate::terms::TermId;
use crate::vocabulary::Vocabulary;
use hashbrown::HashSet;
use ludex_gdl::Game;
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::analysis::strata::stratify;
use ludex_gdl::rules::RelationId;

/// All instances of one static relation over the terms of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticRelation {
    /// The relation.
    pub relation: RelationId,
    /// Its instances; those with terms that no fluent, move or role has are left out.
    pub rows: Vec<Vec<TermId>>,
}

/// The static relations of at most `widest` arguments and at most `most_rows` instances, in the order of the rules. All of
/// them together take no more than `most_steps` steps.
pub fn relations(
    vocabulary: &Vocabulary,
    widest: usize,
    most_rows: usize,
    most_steps: u64,
    budget: &Budget,
) -> Result<Vec<StaticRelation>, Exceeded> {
    let rules = vocabulary.rules();
    let dependencies = Dependencies::of(rules);
    let phases = phases(rules, &dependencies);
    let is_wanted = |&id: &RelationId| {
        let relation = rules.relation(id);
        relation.keyword.is_none()
            && (1..=widest).contains(&relation.arity)
            && phases[id.index()] == Phase::Static
    };
    let outputs = Outputs { goals: false, relations: rules.relations().filter(is_wanted).collect() };
    // The rules of a vocabulary have been played by: they have an order.
    let Ok(strata) = stratify(rules, &dependencies) else { return Ok(Vec::new()) };
    let game = Game { rules: (**rules).clone(), strata, frame: None };
    let program = match Program::new(&game, &outputs, vocabulary.terms().clone(), budget) {
        Ok(program) => program,
        Err(error) => match error.limit() {
            Some(limit) if limit.is_final() => return Err(limit),
            _ => return Ok(Vec::new()),
        },
    };
    let mut store = program.empty_store();
    let mut estimates = program.guesses.clone();
    let mut failed: HashSet<TableId> = HashSet::new();
    let mut left = most_steps;
    for stratum in program.strata.iter().filter(|stratum| stratum.phase == Phase::Static) {
        let heads = stratum.heads();
        let reads_failed = stratum.rules.iter().flat_map(|rule| &rule.body).any(|literal| match literal {
            FlatLiteral::Positive(atom) | FlatLiteral::Negative(atom) => failed.contains(&atom.table),
            _ => false,
        });
        if reads_failed {
            failed.extend(heads);
            continue;
        }
        let bounded =
            budget.clone().with_rows(budget.rows().min(most_rows)).with_steps(left.min(budget.steps()));
        let mut meter = bounded.meter();
        match store.apply_unseen(stratum, &mut estimates, &mut meter) {
            Ok(()) => {
                heads.iter().for_each(|&head| estimates[head.index()] = Estimate::of(store.table(head)));
            }
            Err(limit) if limit.is_final() => return Err(limit),
            Err(_) => failed.extend(heads),
        }
        left = left.saturating_sub(meter.ticks());
    }
    let known = vocabulary.terms().len();
    let mut found: Vec<StaticRelation> = Vec::new();
    for output in program.outputs.iter().filter(|output| !failed.contains(&output.table)) {
        let shape = program.table(output.table).shape;
        let rows: Vec<Vec<TermId>> = store.table(output.table).rows().map(<[TermId]>::to_vec).collect();
        let rows = rows.into_iter().map(|row| output.arguments(shape, &mut store.terms, &row));
        let rows = rows.filter(|row| row.iter().all(|term| term.index() < known));
        match found.iter_mut().find(|other| other.relation == output.relation) {
            Some(other) => other.rows.extend(rows),
            None => found.push(StaticRelation { relation: output.relation, rows: rows.collect() }),
        }
    }
    // A table of a relation that was too large takes the others of it along.
    found.retain(|of| !failed.iter().any(|&table| program.table(table).relation == of.relation));
    found.sort_by_key(|of| of.relation);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation_sizes(text: &str, most_rows: usize) -> Vec<(String, usize)> {
        let game = ludex_gdl::Sheet::read(text).into_game().expect("a sound sheet");
        let vocabulary = Vocabulary::new(&game, &Budget::default()).expect("a small game");
        let found =
            relations(&vocabulary, 4, most_rows, 1_000_000, &Budget::default()).expect("within limits");
        let rules = vocabulary.rules();
        let name = |id| rules.symbols.name(rules.relation(id).name).to_owned();
        found.into_iter().map(|of| (name(of.relation), of.rows.len())).collect()
    }

    const WALK: &str = "(role r) (index 1) (index 2) (index 3) (succ 1 2) (succ 2 3) (init (at 1 1))
        (<= (near ?x ?y ?z ?y) (succ ?x ?z) (index ?y)) (<= (near ?x ?y ?x ?z) (index ?x) (succ ?y ?z))
        (<= (next (at ?z ?w)) (does r (go ?x ?y)) (near ?x ?y ?z ?w))
        (<= (legal r (go ?x ?y)) (true (at ?x ?y)))
        (<= full (true (at 3 3))) (<= terminal full) (<= (goal r 100) full) (<= (pair ?x ?y) (near ?x ?a ?b ?y))";

    #[test]
    fn what_follows_from_facts_alone_is_listed() {
        // Three rows of two steps across, and three columns of two steps up.
        let found = relation_sizes(WALK, 100);
        assert!(found.contains(&("near".to_owned(), 12)), "{found:?}");
        assert!(found.contains(&("succ".to_owned(), 2)) && found.contains(&("index".to_owned(), 3)));
        assert!(found.iter().all(|(name, _)| name != "full"), "it depends on the state: {found:?}");
    }

    #[test]
    fn what_is_too_large_is_left_out_with_what_follows_from_it() {
        let found = relation_sizes(WALK, 5);
        assert!(found.iter().all(|(name, _)| name != "near" && name != "pair"), "{found:?}");
        assert!(found.contains(&("index".to_owned(), 3)), "{found:?}");
    }
}
