//! A game as a transition system: the network of its rules, and what formulas can ask of its states.
//!
//! [`System`] compiles the rules once for a set of questions. Rules that no question needs are left out: the
//! goals above all, unless a formula speaks of them. Relations that are no output of the network become one by
//! a helper rule for each (`ludex_engine::propnet::Asked`).

use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded};
use ludex_engine::error::BuildError;
use ludex_engine::propnet::{Asked, Compiled, Net, Node, Propnet, Signal, compile};
use ludex_engine::terms::{TermId, Terms};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::analysis::dependencies::Dependencies;
use ludex_gdl::analysis::strata::stratify;
use ludex_gdl::rules::{Atom, Literal, Places, RelationId, Rule, Term, Variable};
use ludex_gdl::{Game, Keyword, Rules, Symbol, Symbols};
use std::sync::Arc;

/// The transition system of a game.
#[derive(Debug)]
pub struct System {
    original: Game,
    /// The rules with helper rules for what is asked.
    helped: Game,
    compiled: Compiled,
    terms: Terms,
    /// The function that asks for each relation.
    asks: HashMap<RelationId, Symbol>,
    /// When each question holds, by its term.
    answers: HashMap<TermId, Signal>,
    /// The signal of each fluent as an input.
    inputs: Vec<Signal>,
}

impl System {
    /// Compiles the game for formulas that ask for these relations of its rules.
    pub fn new(game: &Game, asked: &[RelationId], budget: &Budget) -> Result<System, BuildError> {
        let (helped, asks) = with_questions(game, asked);
        let mut compiled = compile(&helped, budget)?;
        let Asked { terms: from, questions } = std::mem::take(&mut compiled.asked);
        let mut terms = compiled.vocabulary.terms().clone();
        let mut answers = HashMap::new();
        for (&question, &signal) in questions.iter().zip(&compiled.net.asked) {
            answers.insert(terms.copy(&from, question), signal);
        }
        let mut inputs = vec![Signal::FALSE; compiled.vocabulary.fluent_count()];
        for (node, kind) in (0u32..).zip(&compiled.net.nodes) {
            if let Node::Fluent(fluent) = kind {
                inputs[*fluent as usize] = Signal(node << 1);
            }
        }
        Ok(System { original: game.clone(), helped, compiled, terms, asks, answers, inputs })
    }

    /// The rules as they were given.
    pub fn original(&self) -> &Game {
        &self.original
    }

    /// The rules with the helper rules.
    pub fn helped(&self) -> &Game {
        &self.helped
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

    /// The names, those of helper rules among them.
    pub fn symbols(&self) -> &Symbols {
        &self.compiled.vocabulary.rules().symbols
    }

    /// The terms of the vocabulary and of the questions.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The relation of goals.
    pub fn goal(&self) -> RelationId {
        self.original.rules.keyword(Keyword::Goal)
    }

    /// True if formulas ask for relations of the rules.
    pub fn has_questions(&self) -> bool {
        !self.asks.is_empty()
    }

    /// An engine over the same network, for a few matches: compiling it for speed would take longer than
    /// most proofs.
    pub fn engine(&self, budget: &Budget) -> Result<Propnet, Exceeded> {
        Propnet::plain(self.compiled.clone(), budget)
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
    pub fn answer(&self, relation: RelationId, arguments: &[TermId], terms: &Terms) -> Signal {
        let question = self.asks.get(&relation).and_then(|&name| terms.find(name, arguments));
        question.and_then(|question| self.answers.get(&question)).copied().unwrap_or(Signal::FALSE)
    }

    /// The question that a term of the reference engine's answers is, for a relation and its arguments.
    pub fn question(&self, relation: RelationId, arguments: &[TermId], terms: &Terms) -> Option<TermId> {
        self.asks.get(&relation).and_then(|&name| terms.find(name, arguments))
    }

    /// The ground instances of a relation that can hold: their arguments, and when they do.
    pub fn instances(&self, relation: RelationId) -> Vec<(&[TermId], Signal)> {
        let Some(&name) = self.asks.get(&relation) else { return Vec::new() };
        let mut list: Vec<(&[TermId], Signal)> = self
            .answers
            .iter()
            .filter(|(question, _)| self.terms.functor(**question) == name)
            .map(|(&question, &signal)| (self.terms.arguments(question), signal))
            .collect();
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

/// The rules with `goal` under another name, and a rule `goal(ask(X, ...), 0) :- p(X, ...)` for each relation
/// asked: so the goals themselves are computed only if they are asked for.
fn with_questions(game: &Game, asked: &[RelationId]) -> (Game, HashMap<RelationId, Symbol>) {
    let mut rules = game.rules.clone();
    let goal = rules.keyword(Keyword::Goal);
    let renamed = rules.fresh_relation("ludex_goal", 2);
    let zero = rules.symbols.intern("0");
    let mut asks = HashMap::new();
    let mut helpers = Vec::new();
    for &relation in asked {
        let name = rules.symbols.fresh("ludex_ask");
        asks.insert(relation, name);
        let arity = rules.relation(relation).arity;
        let arguments: Vec<Term> = (0..arity as u32).map(|v| Term::Variable(Variable(v))).collect();
        let question =
            if arity == 0 { Term::Constant(name) } else { Term::Compound(name, arguments.clone()) };
        let relation = if relation == goal { renamed } else { relation };
        helpers.push(Rule {
            head: Atom { relation: goal, arguments: vec![question, Term::Constant(zero)] },
            body: vec![Literal::Positive(Atom { relation, arguments })],
            variables: vec![name; arity],
            places: Places::default(),
        });
    }
    let rename = |atom: &Atom| Atom {
        relation: if atom.relation == goal { renamed } else { atom.relation },
        arguments: atom.arguments.clone(),
    };
    let written: Vec<Rule> = rules
        .rules()
        .iter()
        .map(|rule| Rule {
            head: rename(&rule.head),
            body: rule
                .body
                .iter()
                .map(|literal| match literal {
                    Literal::Positive(atom) => Literal::Positive(rename(atom)),
                    Literal::Negative(atom) => Literal::Negative(rename(atom)),
                    Literal::Distinct(left, right) => Literal::Distinct(left.clone(), right.clone()),
                })
                .collect(),
            variables: rule.variables.clone(),
            places: rule.places.clone(),
        })
        .collect();
    let rules: Rules = rules.with_rules(written.into_iter().chain(helpers));
    // Renaming keeps the order of the strata, and nothing reads what the helpers derive.
    let strata = stratify(&rules, &Dependencies::of(&rules)).unwrap_or_else(|_| game.strata.clone());
    (Game { rules, strata, frame: game.frame }, asks)
}
