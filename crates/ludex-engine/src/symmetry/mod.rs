//! Symmetries of a game: permutations of roles, fluents and moves under which the rules are the same.
//!
//! A [`Symmetry`] `s` of a game means: what holds next in `s(state)` after `s(moves)` is `s` of what holds next in
//! the state after the moves, and the same goes for what is legal, when it is over, and what the goals are. The
//! rotations and reflections of a board are symmetries, and the exchange of two players where the rules treat them
//! alike.
//!
//! They are found as automorphisms of the ground rules, seen as a graph (`graph.rs`): colours that are the same for
//! whatever a symmetry could exchange, refined until nothing changes, then a search over what the colours leave
//! open (`search.rs`). Counts that are derived item by item are told without the order of the items, where that
//! makes no difference (`counts.rs`). Nothing is guessed from names or coordinates, and each permutation found is
//! compared with the rules, rule by rule, before it is told. What is not found: symmetries of what the rules mean
//! that are not symmetries of how they say it, and any of a game whose ground rules do not fit the budget. The
//! initial state need not be symmetric; [`Symmetry::keeps_initial`] says whether it is.

mod counts;
mod graph;
mod search;

use crate::budget::Budget;
use crate::error::BuildError;
use crate::frontend::{Base, Overrun};
use crate::outputs::Outputs;
use crate::prepared::Prepared;
use crate::propnet::ground::Ground;
use crate::row::{self, Row};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use graph::RuleGraph;
use hashbrown::HashSet;
use ludex_gdl::Game;
use std::sync::Arc;

/// A permutation of the roles, fluents and moves of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// What each role becomes.
    pub roles: Vec<RoleId>,
    /// What each fluent becomes.
    pub fluents: Vec<FluentId>,
    /// For each role what its moves become: moves of the role that it becomes.
    pub moves: Vec<Vec<MoveId>>,
}

impl Symmetry {
    /// The one that changes nothing.
    pub fn identity(vocabulary: &Vocabulary) -> Symmetry {
        Symmetry {
            roles: vocabulary.roles().collect(),
            fluents: vocabulary.fluents().collect(),
            moves: vocabulary
                .roles()
                .map(|role| (0..vocabulary.move_count(role) as u32).map(MoveId).collect())
                .collect(),
        }
    }

    /// First this, then the other.
    #[must_use]
    pub fn then(&self, other: &Symmetry) -> Symmetry {
        let moves = |(role, moves): (&RoleId, &Vec<MoveId>)| {
            moves.iter().map(|action| other.moves[role.index()][action.index()]).collect()
        };
        Symmetry {
            roles: self.roles.iter().map(|role| other.roles[role.index()]).collect(),
            fluents: self.fluents.iter().map(|fluent| other.fluents[fluent.index()]).collect(),
            moves: self.roles.iter().zip(&self.moves).map(moves).collect(),
        }
    }

    /// What a state becomes.
    pub fn state(&self, state: &Row, out: &mut Row) {
        out.fill(0);
        row::fluents(state).for_each(|fluent| row::set(out, self.fluents[fluent.index()]));
    }

    /// What a joint move becomes.
    pub fn joint(&self, joint: &[MoveId]) -> Vec<MoveId> {
        let mut moved = joint.to_vec();
        for (role, action) in joint.iter().enumerate() {
            moved[self.roles[role].index()] = self.moves[role][action.index()];
        }
        moved
    }

    /// True if every role stays itself: a symmetry of the board.
    pub fn keeps_roles(&self) -> bool {
        self.roles.iter().enumerate().all(|(at, role)| role.index() == at)
    }

    /// True if the initial state becomes itself.
    pub fn keeps_initial(&self, initial: &Row) -> bool {
        let mut moved = vec![0; initial.len()];
        self.state(initial, &mut moved);
        moved == initial
    }
}

fn graph(base: &Base, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Result<RuleGraph, Overrun> {
    // Rules are not taken apart: the parts would be in the way of symmetries.
    let ground = Ground::new(base, budget, f64::INFINITY)?;
    Ok(RuleGraph::new(base, &ground, vocabulary, budget)?)
}

/// The symmetries of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetries {
    /// All others are made of these, one after the other.
    pub generators: Vec<Symmetry>,
    /// True if the search came to its end: the generators give every symmetry of the ground rules.
    pub complete: bool,
    identity: Symmetry,
}

impl Symmetries {
    /// Finds the symmetries of a game over its vocabulary. The search takes as many steps as the budget gives; what
    /// it has found by then is told.
    pub fn new(game: &Game, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Result<Symmetries, BuildError> {
        let outputs = Outputs::default();
        let graph = Base::build_on_demand(game, &outputs, Vec::new(), vocabulary.terms(), budget, |base| {
            graph(base, vocabulary, budget)
        })?;
        Ok(Symmetries::of_graph(&graph, vocabulary, budget))
    }

    /// As `new`, from what has been made for the game.
    pub fn of(prepared: &Prepared, budget: &Budget) -> Result<Symmetries, BuildError> {
        let (vocabulary, base) = (prepared.vocabulary(budget)?, prepared.base(budget)?);
        let (game, outputs) = (prepared.game(), Outputs::usual(prepared.game()));
        let graph = base.build_over(game, &outputs, vocabulary.terms(), budget, |base| {
            graph(base, &vocabulary, budget)
        })?;
        Ok(Symmetries::of_graph(&graph, &vocabulary, budget))
    }

    fn of_graph(graph: &RuleGraph, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Symmetries {
        let (generators, complete) = search::generators(graph, budget);
        let identity = Symmetry::identity(vocabulary);
        // What exchanges derived atoms alone changes nothing that anybody sees.
        let generators =
            generators.iter().map(|map| graph.symmetry(map)).filter(|symmetry| *symmetry != identity);
        let complete = complete && graph.all_counts;
        Symmetries { generators: generators.collect(), complete, identity }
    }

    /// All symmetries, the identity first; `None` if there are more than `most`.
    pub fn all(&self, most: usize) -> Option<Vec<Symmetry>> {
        let mut list = vec![self.identity.clone()];
        let mut known: HashSet<Symmetry> = list.iter().cloned().collect();
        let mut at = 0;
        while at < list.len() {
            for generator in &self.generators {
                let new = list[at].then(generator);
                if known.insert(new.clone()) {
                    if list.len() == most {
                        return None;
                    }
                    list.push(new);
                }
            }
            at += 1;
        }
        Some(list)
    }
}
