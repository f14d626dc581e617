//! A game as a transition system: the network of its rules, and what formulas can ask of its states.
//!
//! [`System`] takes the network of a game, or compiles one for a set of questions: relations of the rules that formulas
//! speak of are outputs of it (`ludex_engine::outputs`). Rules that no question needs are left out: the goals above
//! all, unless a formula speaks of them or the network is there already.

use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::error::BuildError;
use ludex_engine::outputs::Outputs;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::{Compiled, Net, Node, Propnet, Signal};
use ludex_engine::terms::{TermId, Terms};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::rules::RelationId;
use ludex_gdl::{Game, Keyword, Symbol, Symbols};
use std::sync::Arc;

/// The transition system of a game.
#[derive(Debug)]
pub struct System {
    game: Arc<Game>,
    compiled: Arc<Compiled>,
    terms: Terms,
    /// What formulas may ask for.
    outputs: Outputs,
    /// When each instance of each relation asked holds, by its arguments.
    answers: HashMap<RelationId, HashMap<Vec<TermId>, Signal>>,
    /// The signal of each fluent as an input.
    inputs: Vec<Signal>,
}

impl System {
    /// The system of the game for formulas that ask for these relations of its rules.
    pub fn new(prepared: &Prepared, asked: &[RelationId], budget: &Budget) -> Result<System, BuildError> {
        let outputs = Outputs { goals: false, relations: asked.to_vec() };
        let compiled = prepared.network_for(&outputs, budget)?;
        let mut terms = compiled.vocabulary.terms().clone();
        let mut answers: HashMap<RelationId, HashMap<Vec<TermId>, Signal>> = HashMap::new();
        for (instance, signal) in &compiled.asked.instances {
            if asked.contains(&instance.relation) {
                let arguments = instance.arguments.iter();
                let arguments = arguments.map(|&term| terms.copy(&compiled.asked.terms, term)).collect();
                answers.entry(instance.relation).or_default().insert(arguments, *signal);
            }
        }
        let mut inputs = vec![Signal::FALSE; compiled.vocabulary.fluent_count()];
        for (node, kind) in compiled.net.nodes.iter().enumerate() {
            if let Node::Fluent(fluent) = kind {
                inputs[*fluent as usize] = compiled.net.signal(node);
            }
        }
        Ok(System { game: prepared.game().clone(), compiled, terms, outputs, answers, inputs })
    }

    /// The rules as they were given.
    pub fn original(&self) -> &Game {
        &self.game
    }

    /// What formulas may ask for.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// The network.
    pub fn net(&self) -> &Net {
        &self.compiled.net
    }

    /// The signal of a fluent of the state itself.
    pub fn input(&self, fluent: FluentId) -> Signal {
        self.inputs[fluent.index()]
    }

    /// The numbering of roles, fluents and moves.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.compiled.vocabulary
    }

    /// The initial state.
    pub fn initial(&self) -> &[u64] {
        &self.compiled.initial
    }

    /// The names.
    pub fn symbols(&self) -> &Symbols {
        &self.compiled.vocabulary.rules().symbols
    }

    /// The terms of the vocabulary and of the questions.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The relation of goals.
    pub fn goal(&self) -> RelationId {
        self.game.rules.keyword(Keyword::Goal)
    }

    /// True if formulas ask for relations of the rules.
    pub fn has_questions(&self) -> bool {
        !self.outputs.relations.is_empty()
    }

    /// An engine over the same network, for a few matches: compiling it for speed would take longer than
    /// most proofs.
    pub fn engine(&self, budget: &Budget) -> Result<Propnet, Exceeded> {
        Propnet::plain((*self.compiled).clone(), budget)
    }

    /// The moves of a role.
    pub fn moves(&self, role: RoleId) -> impl Iterator<Item = MoveId> + use<> {
        (0..self.vocabulary().move_count(role) as u32).map(MoveId)
    }

    /// The fluents, or their negations, that a move's legality demands before anything else: the parts of a conjunction
    /// that are fluents. In most games whose turn it is, and what stands where the move begins.
    pub fn demands(&self, role: RoleId, action: MoveId) -> Vec<Signal> {
        let net = self.net();
        let mut fluents = Vec::new();
        let mut open = vec![net.legal[role.index()][action.index()]];
        while let Some(signal) = open.pop() {
            match net.nodes[signal.node()] {
                Node::And(a, b) if !signal.is_inverted() => open.extend([a, b]),
                Node::Fluent(_) => fluents.push(signal),
                _ => {}
            }
        }
        fluents
    }

    /// When a relation holds of arguments that are terms of a table which begins with [`System::terms`].
    pub fn answer(&self, relation: RelationId, arguments: &[TermId]) -> Signal {
        let answers = self.answers.get(&relation);
        answers.and_then(|answers| answers.get(arguments)).copied().unwrap_or(Signal::FALSE)
    }

    /// The ground instances of a relation that can hold: their arguments, and when they do.
    pub fn instances(&self, relation: RelationId) -> Vec<(&[TermId], Signal)> {
        let answers = self.answers.get(&relation).into_iter().flatten();
        let mut list: Vec<(&[TermId], Signal)> =
            answers.map(|(arguments, &signal)| (arguments.as_slice(), signal)).collect();
        list.sort_unstable_by_key(|(arguments, _)| *arguments);
        list
    }

    /// True if there is a fluent of this name with so many arguments.
    pub fn has_fluent(&self, name: &str, arity: usize) -> bool {
        let symbols = self.symbols();
        self.fluent_shapes().iter().any(|&(found, count)| symbols.name(found) == name && count == arity)
    }

    /// The names of fluents with their numbers of arguments.
    pub fn fluent_shapes(&self) -> Vec<(Symbol, usize)> {
        let vocabulary = self.vocabulary();
        shapes(vocabulary.terms(), vocabulary.fluents().map(|fluent| vocabulary.fluent(fluent)))
    }

    /// The names of moves with their numbers of arguments.
    pub fn move_shapes(&self) -> Vec<(Symbol, usize)> {
        let vocabulary = self.vocabulary();
        let all = vocabulary
            .roles()
            .flat_map(|role| self.moves(role).map(move |action| vocabulary.action(role, action)));
        shapes(vocabulary.terms(), all)
    }
}

fn shapes(terms: &Terms, list: impl Iterator<Item = TermId>) -> Vec<(Symbol, usize)> {
    let mut shapes: Vec<_> = list.map(|term| (terms.functor(term), terms.arguments(term).len())).collect();
    shapes.sort_unstable();
    shapes.dedup();
    shapes
}
