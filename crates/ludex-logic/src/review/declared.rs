//! What `base` and `input` list: the fluents and moves that the author says there are. Nothing follows from them, but play
//! that goes beyond them shows a slip, there or here.

use super::watched::TRACE;
use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::outputs::Outputs;
use ludex_engine::vocabulary::Vocabulary;
use ludex_gdl::Game;
use std::sync::Arc;

/// What is listed, by number; nothing where the rules list nothing or more than can be looked at.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) fluents: Option<Vec<bool>>,
    /// For each role.
    pub(super) moves: Option<Vec<Vec<bool>>>,
}

impl Declared {
    /// Reads the lists in the initial state: they do not depend on the state where rules are as they should be.
    pub(super) fn of(game: &Game, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Declared {
        Declared::read(game, vocabulary, budget).unwrap_or_default()
    }

    fn read(game: &Game, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Option<Declared> {
        let rules = &game.rules;
        let find = |name, arity| {
            rules.find_relation(name, arity).filter(|&relation| !rules.rules_for(relation).is_empty())
        };
        let (base, input) = (find("base", 1), find("input", 2));
        let relations: Vec<_> = [base, input].into_iter().flatten().collect();
        if relations.is_empty() {
            return None;
        }
        let outputs = Outputs { goals: false, relations };
        let engine = Datalog::with_outputs(game, vocabulary, &outputs, budget).ok()?;
        let mut initial = vec![0; vocabulary.words()];
        engine.worker().initial(&mut initial);
        let mut terms = vocabulary.terms().clone();
        let listed = engine.asked(&initial, &mut terms).ok()?;
        let symbols = &vocabulary.rules().symbols;
        let is_trace = |fluent| symbols.name(vocabulary.terms().functor(vocabulary.fluent(fluent))) == TRACE;
        let mut fluents: Vec<bool> = vocabulary.fluents().map(is_trace).collect();
        let mut moves: Vec<Vec<bool>> =
            vocabulary.roles().map(|role| vec![false; vocabulary.move_count(role)]).collect();
        for instance in listed {
            if Some(instance.relation) == base {
                if let Some(fluent) = vocabulary.find_fluent(instance.arguments[0]) {
                    fluents[fluent.index()] = true;
                }
            } else if let Some(role) = vocabulary.find_role(instance.arguments[0])
                && let Some(action) = vocabulary.find_move(role, instance.arguments[1])
            {
                moves[role.index()][action.index()] = true;
            }
        }
        Some(Declared { fluents: base.map(|_| fluents), moves: input.map(|_| moves) })
    }
}
