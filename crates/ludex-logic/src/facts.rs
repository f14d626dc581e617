//! What is proved of a game: plain data that the rest of Ludex can ask.
//!
//! Every entry holds in all reachable states of the game. The prover (`discover`) is the only part that
//! writes such a value; whoever reads one takes an empty value as "nothing known" and never the absence of an
//! entry as its negation. Numbers are those of the game's vocabulary, which its translations share.

use ludex_engine::engine::Goal;
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::{FluentId, RoleId, Vocabulary};
use ludex_gdl::analysis::actions::PartialJointMove;
use ludex_gdl::analysis::domains::Functor;

/// The proved knowledge of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Fluents that never change: the fluent, and whether it always holds or never does.
    pub constants: Vec<(FluentId, bool)>,
    /// Sets of fluents of which exactly one holds, or at most one.
    pub groups: Vec<Group>,
    /// Pairs of fluents that never hold together and are not in one group.
    pub mutexes: Vec<(FluentId, FluentId)>,
    /// Fluents that stay: the fluent, and the value that it keeps once it has it.
    pub persistent: Vec<(FluentId, bool)>,
    /// Moves of two roles that are never legal in the same state.
    pub impossible: Vec<ImpossibleMoves>,
    /// Who is to move.
    pub turns: Turns,
    /// In every reachable state that is not terminal each role has a legal move.
    pub playable: bool,
    /// In every reachable terminal state each role has exactly one goal value.
    pub unique_goals: bool,
    /// In every reachable terminal state each role has exactly one goal value, and this is their sum.
    pub goal_sum: Option<Goal>,
    /// Every match is over after at most so many joint moves.
    pub length: Option<usize>,
}

/// A set of fluents of which at most one holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The fluents, ascending.
    pub fluents: Vec<FluentId>,
    /// True if one of them always holds.
    pub exactly: bool,
}

/// No reachable state that is not terminal has a legal move of this name for the first role and one of that
/// name for the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImpossibleMoves {
    /// One role, and the name of its moves with their number of arguments (none for a constant).
    pub first: (RoleId, Functor),
    /// A later role and the name of its moves.
    pub second: (RoleId, Functor),
}

impl ImpossibleMoves {
    /// The same by names, as the frame translation takes it (`ludex_gdl::rewrite::fnext::encode`).
    pub fn by_name(&self, vocabulary: &Vocabulary) -> PartialJointMove {
        [self.first, self.second]
            .map(|(role, functor)| (vocabulary.terms().functor(vocabulary.role(role)), functor))
            .to_vec()
    }
}

/// Who is to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Turns {
    /// Nothing is known.
    #[default]
    Unknown,
    /// In every reachable state that is not terminal at most one role has more than one legal move.
    Alternate {
        /// Where the state says it: exactly one of these fluents holds, and while it does all other roles
        /// have one legal move at most. Empty where no such fluents were found.
        control: Vec<(FluentId, RoleId)>,
    },
}

impl Facts {
    /// True if nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Facts::default()
    }

    /// The role that a state is the turn of, where the turn structure tells.
    pub fn to_move(&self, state: &Row) -> Option<RoleId> {
        match &self.turns {
            Turns::Unknown => None,
            Turns::Alternate { control } => {
                control.iter().find(|(fluent, _)| row::holds(state, *fluent)).map(|&(_, role)| role)
            }
        }
    }

    /// True if moves of these names are known never to be legal together.
    pub fn is_impossible(&self, one: (RoleId, Functor), other: (RoleId, Functor)) -> bool {
        self.impossible.iter().any(|pair| {
            (pair.first == one && pair.second == other) || (pair.first == other && pair.second == one)
        })
    }

    /// The groups of which exactly one fluent holds in every reachable state.
    pub fn exactly_one(&self) -> impl Iterator<Item = &[FluentId]> {
        self.groups.iter().filter(|group| group.exactly).map(|group| group.fluents.as_slice())
    }

    /// The first entry that a state contradicts, in words, or `None`. Looks at what can be seen in a single
    /// state: constants, groups and mutexes.
    pub fn contradiction(&self, state: &Row) -> Option<String> {
        for &(fluent, value) in &self.constants {
            if row::holds(state, fluent) != value {
                return Some(format!("fluent {} is not constant", fluent.0));
            }
        }
        for group in &self.groups {
            let count = group.fluents.iter().filter(|&&fluent| row::holds(state, fluent)).count();
            if count > 1 || (group.exactly && count == 0) {
                return Some(format!("{count} fluents of the group {:?} hold", group.fluents));
            }
        }
        let broken = |(a, b): &&(FluentId, FluentId)| row::holds(state, *a) && row::holds(state, *b);
        self.mutexes.iter().find(broken).map(|(a, b)| format!("fluents {} and {} hold together", a.0, b.0))
    }
}
