//! The OR-AND tree: what is to be proved, and from what.
//!
//! An *OR node* is a question that some condition asks of a relation: which arguments it knows, and which it
//! wants to know. An *AND node* is a rule remodelled for that question: operations that merge one condition after
//! the other into its RowSet. Each call of a condition is a *site*. Nodes with the same question are one
//! node, so what is a tree in the paper is a graph here, and identical conditions share their results.

use super::cell::Source;
use super::lookup::{Key, KeySpace};
use super::rulebook::{FactsId, RelationId};
use ludex_gdl::Symbol;
use ludex_gdl::analysis::dependencies::Phase;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(super) struct $name(pub(super) u32);

        impl $name {
            pub(super) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// An OR node.
    OrId,
    /// An AND node.
    AndId,
    /// A call of an OR node from an AND node.
    SiteId,
    /// OR nodes that need each other.
    ComponentId,
    /// A grouping of the answers of an OR node.
    GroupingId,
    /// An access path to facts.
    FactIndexId,
    /// An access path to the state.
    FluentIndexId,
}

/// A question.
#[derive(Clone, Debug)]
pub(super) struct Or {
    pub(super) relation: RelationId,
    /// Which arguments each question gives.
    pub(super) passed: Vec<bool>,
    /// How many values a question gives.
    pub(super) inputs: usize,
    /// How many an answer has.
    pub(super) outputs: usize,
    pub(super) phase: Phase,
    pub(super) ands: Vec<AndId>,
    pub(super) component: ComponentId,
    /// True if the node is needed for its own proof.
    pub(super) recursive: bool,
    /// How questions are numbered.
    pub(super) space: KeySpace,
    pub(super) duplicates: Duplicates,
    pub(super) groupings: Vec<GroupingId>,
    /// Where the answers go, if nobody inside the tree asks the question: they are not kept as rows.
    pub(super) target: Option<Target>,
}

/// What a root derives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Fluents { shape: usize },
    Moves { role: usize, shape: usize },
}

/// How an OR node keeps its answers distinct.
#[derive(Clone, Debug)]
pub(super) enum Duplicates {
    /// Its rules cannot derive an answer twice.
    Impossible,
    /// By the values of the answer, for nodes without inputs.
    Checked(KeySpace),
    /// By question and answer.
    Hashed,
}

/// A rule remodelled for a question.
#[derive(Clone, Debug)]
pub(super) struct And {
    pub(super) or: OrId,
    /// Columns of its RowSet.
    pub(super) width: usize,
    /// How the values of a question enter the row.
    pub(super) start: Take,
    pub(super) ops: Vec<Op>,
    /// The return query: where the values of an answer come from, and where it finds its place.
    pub(super) answer: Vec<Source>,
    pub(super) place: Key,
    /// True if no answer to a question can come from two rows.
    pub(super) distinct: bool,
}

/// OR nodes that need each other, or one alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    pub(super) members: Vec<OrId>,
    /// The calls from a member to a member.
    pub(super) sites: Vec<SiteId>,
}

/// The answers of an OR node by the values at some positions.
#[derive(Clone, Debug)]
pub(super) struct Grouping {
    pub(super) columns: Vec<u16>,
    pub(super) space: KeySpace,
    /// The key of an answer.
    pub(super) key: Key,
}

/// How the rows of a call find their group of answers.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) grouping: GroupingId,
    pub(super) values: Vec<Source>,
    pub(super) key: Key,
}

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) or: OrId,
    pub(super) and: AndId,
    /// Which arguments the row knows, passed on or not.
    pub(super) known: Vec<bool>,
    /// Set if the question is the same for all rows, and each has its own group of the answers.
    pub(super) group: Option<Group>,
    /// The position of its `Op::Merge`.
    pub(super) op: usize,
    /// The values of the question.
    pub(super) values: Vec<Source>,
    pub(super) key: Key,
    pub(super) merge: Merge,
    pub(super) take: Take,
    /// True if caller and callee need each other: rows wait here for answers.
    pub(super) waits: bool,
}

/// How a row takes over the values of a match: `check` compares after `bind` has written.
#[derive(Clone, Debug, Default)]
pub(super) struct Take {
    /// From a position of the match to a column.
    pub(super) bind: Vec<(u16, u16)>,
    pub(super) check: Vec<(u16, Source)>,
}

/// The merge operations, by what a condition brings (paper, Table I).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// New variables, and none before.
    New,
    /// New variables, and some in common.
    True,
    /// New variables, none in common with those before: the product.
    Combine,
    /// Known variables only.
    Verify,
    /// No variables.
    Check,
    /// As `Verify`, negated.
    VerifyNot,
    /// As `Check`, negated.
    CheckNot,
}

impl Merge {
    /// The operation for a condition that binds `new` variables, shares `common` with the row, and comes when
    /// `before` are bound.
    pub(super) fn of(negated: bool, new: usize, common: usize, before: usize) -> Merge {
        match (negated, new > 0, common > 0, before > 0) {
            (true, _, true, _) => Merge::VerifyNot,
            (true, _, false, _) => Merge::CheckNot,
            (false, true, true, _) => Merge::True,
            (false, true, false, true) => Merge::Combine,
            (false, true, false, false) => Merge::New,
            (false, false, true, _) => Merge::Verify,
            (false, false, false, _) => Merge::Check,
        }
    }
}

/// What is done to the RowSet of an AND node.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// Fluents of the state.
    Fluents {
        index: FluentIndexId,
        key: Key,
        merge: Merge,
        take: Take,
    },
    /// Facts.
    Facts {
        index: FactIndexId,
        key: Key,
        merge: Merge,
        take: Take,
    },
    /// Moves that are made, of the shape at that position of `Program::moves`.
    Does {
        shape: usize,
        merge: Merge,
        take: Take,
    },
    /// Puts the questions of a call.
    Ask(SiteId),
    /// Merges its answers.
    Merge(SiteId),
    Distinct(Source, Source),
    TakeApart {
        whole: Source,
        functor: Symbol,
        count: usize,
        take: Take,
    },
    PutTogether {
        functor: Symbol,
        args: Vec<Source>,
        to: u16,
    },
    Equals {
        whole: Source,
        functor: Symbol,
        args: Vec<Source>,
    },
    Constant(Source),
}

/// An access path to facts: rows by the values of some columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FactPath {
    pub(super) facts: FactsId,
    pub(super) key: Vec<usize>,
    /// The columns that a match gives.
    pub(super) values: Vec<usize>,
}

/// An access path to the state: fluents of one shape by the values of some columns. A match gives them all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FluentPath {
    pub(super) shape: usize,
    pub(super) key: Vec<usize>,
}

/// All access paths that some tree of the game uses, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    pub(super) facts: Vec<FactPath>,
    pub(super) fluents: Vec<FluentPath>,
}

impl Paths {
    pub(super) fn fact(&mut self, path: FactPath) -> FactIndexId {
        FactIndexId(position_of(&mut self.facts, path))
    }

    pub(super) fn fluent(&mut self, path: FluentPath) -> FluentIndexId {
        FluentIndexId(position_of(&mut self.fluents, path))
    }
}

/// Where an item stands in a list of different ones; it is added if it is new.
fn position_of<T: PartialEq>(list: &mut Vec<T>, item: T) -> u32 {
    let found = list.iter().position(|other| *other == item);
    found.unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    }) as u32
}

/// Where the questions of the engine contract begin.
#[derive(Clone, Debug, Default)]
pub(super) struct Roots {
    /// For each role and shape of moves.
    pub(super) legal: Vec<Vec<OrId>>,
    /// For each shape of fluents.
    pub(super) next: Vec<OrId>,
    /// For each shape of fluents that hold on unless they end: what ends.
    pub(super) ends: Vec<(usize, OrId)>,
    pub(super) init: Vec<OrId>,
    pub(super) terminal: Option<OrId>,
    /// For each role.
    pub(super) goal: Vec<OrId>,
}

/// The whole tree.
#[derive(Clone, Debug, Default)]
pub(super) struct OrAndTree {
    pub(super) ors: Vec<Or>,
    pub(super) ands: Vec<And>,
    pub(super) sites: Vec<Site>,
    pub(super) groupings: Vec<Grouping>,
    pub(super) components: Vec<Component>,
    pub(super) roots: Roots,
    /// The names of relations.
    pub(super) names: Vec<String>,
    /// The relations from this one on are parts of bodies, made anew with each tree.
    pub(super) first_part: u32,
}

impl OrAndTree {
    /// True for a relation that is a part of a body.
    pub(super) fn is_part(&self, relation: RelationId) -> bool {
        relation.0 >= self.first_part
    }
}
