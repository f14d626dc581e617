//! Which names of a text are the same, and which place defines them.
//!
//! Relations are told apart by name and number of arguments. Fluents, moves, roles and constants are all *terms*: a
//! variable can carry any of them anywhere, so a term is the same wherever it stands, and renaming one renames all
//! of its occurrences. A variable belongs to its clause.

use super::outline::{NodeId, NodeKind, Outline, Place};
use hashbrown::HashMap;
use ludex_gdl::{Keyword, Symbol};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    /// A reserved name, as a relation or connective.
    Keyword(Keyword),
    /// A relation with its number of arguments.
    Relation(Symbol, u32),
    /// A function or, without arguments, a constant.
    Term(Symbol, u32),
    /// A variable of a clause.
    Variable(Symbol, u32),
    /// `_`, another one each time.
    Anonymous(NodeId),
}

/// All names of a text with their occurrences.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    occurrences: HashMap<Thing, Vec<NodeId>>,
}

impl Names {
    pub(super) fn of(outline: &Outline) -> Names {
        let mut names = Names::default();
        for id in 0..outline.nodes.len() as NodeId {
            if let Some(thing) = thing(outline, id) {
                names.occurrences.entry(thing).or_default().push(id);
            }
        }
        names
    }

    /// The nodes with this name, in the order of the text.
    pub(super) fn occurrences(&self, thing: Thing) -> &[NodeId] {
        self.occurrences.get(&thing).map_or(&[], Vec::as_slice)
    }

    /// Everything that has a name, in no order.
    pub(super) fn things(&self) -> impl Iterator<Item = (Thing, &[NodeId])> {
        self.occurrences.iter().map(|(thing, nodes)| (*thing, nodes.as_slice()))
    }
}

/// What the name of a node stands for.
pub(super) fn thing(outline: &Outline, id: NodeId) -> Option<Thing> {
    let node = outline.node(id);
    let symbol = node.symbol?;
    if node.kind == NodeKind::Variable {
        return Some(match outline.symbols.name(symbol) {
            "_" => Thing::Anonymous(id),
            _ => Thing::Variable(symbol, node.clause),
        });
    }
    Some(match node.place {
        Place::Rule => return None,
        Place::Head | Place::Condition => match outline.keyword(node) {
            Some(keyword) => Thing::Keyword(keyword),
            None => Thing::Relation(symbol, node.arguments),
        },
        Place::Fluent | Place::Role | Place::Move | Place::Term => Thing::Term(symbol, node.arguments),
    })
}

/// True where the node says what its name means: a relation in a head; a fluent, move or role in the head of a keyword
/// that lists them.
pub(super) fn defines(outline: &Outline, id: NodeId) -> bool {
    let node = outline.node(id);
    let in_head = |keywords: &[Keyword]| {
        node.parent.map(|parent| outline.node(parent)).is_some_and(|above| {
            above.place == Place::Head
                && outline.keyword(above).is_some_and(|keyword| keywords.contains(&keyword))
        })
    };
    match node.place {
        Place::Head => true,
        Place::Fluent => in_head(&[Keyword::Base, Keyword::Init, Keyword::Next]),
        Place::Move => in_head(&[Keyword::Input, Keyword::Legal]),
        Place::Role => in_head(&[Keyword::Role]),
        Place::Rule | Place::Condition | Place::Term => false,
    }
}

/// The places that say what a thing means; the first occurrence if none does.
pub(super) fn definitions(outline: &Outline, names: &Names, thing: Thing) -> Vec<NodeId> {
    let of = |thing: Thing| names.occurrences(thing).iter().copied().filter(|&id| defines(outline, id));
    let found: Vec<NodeId> = match thing {
        // What is true was initial or next, and what is done was legal.
        Thing::Keyword(Keyword::True) => {
            let mut found: Vec<NodeId> =
                of(Thing::Keyword(Keyword::Init)).chain(of(Thing::Keyword(Keyword::Next))).collect();
            found.sort_unstable();
            found
        }
        Thing::Keyword(Keyword::Does) => of(Thing::Keyword(Keyword::Legal)).collect(),
        _ => of(thing).collect(),
    };
    if found.is_empty() && !matches!(thing, Thing::Keyword(_) | Thing::Relation(..)) {
        return names.occurrences(thing).first().copied().into_iter().collect();
    }
    found
}
