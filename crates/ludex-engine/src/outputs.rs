//! What the rules are compiled for.
//!
//! Legal moves, successors and the end of the game are always computed. Goals and other relations of the rules are
//! outputs that a caller chooses: what no output needs is left out when the rules are flattened.

use crate::terms::TermId;
use ludex_gdl::rules::RelationId;
use ludex_gdl::{Game, Keyword};

/// What is computed beside legal moves, successors and the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// The goals of the roles.
    pub goals: bool,
    /// Relations of the rules, of which every ground instance is an output.
    pub relations: Vec<RelationId>,
}

impl Outputs {
    /// What everybody shares ([`crate::prepared::Prepared`]): what play needs, and the instances of `goal` for proofs.
    pub fn usual(game: &Game) -> Outputs {
        Outputs { goals: true, relations: vec![game.rules.keyword(Keyword::Goal)] }
    }
}

impl Default for Outputs {
    /// What play needs: the goals.
    fn default() -> Outputs {
        Outputs { goals: true, relations: Vec::new() }
    }
}

/// A ground instance of a relation. In which table the terms are numbered is said by whoever hands it out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// The relation.
    pub relation: RelationId,
    /// Its arguments.
    pub arguments: Vec<TermId>,
}
