//! The arguments of what is being typed.

use super::Document;
use super::names::Thing;
use super::outline::{Node, NodeId, NodeKind, Place};
use ludex_gdl::syntax::{Notation, Span};

/// A longer signature helps nobody.
const MOST_ARGUMENTS: u32 = 32;

/// How a name is used: what a definition calls its arguments, and which of them the place is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name with its arguments.
    pub label: String,
    /// Where each argument stands in the label.
    pub arguments: Vec<Span>,
    /// Which argument is at the offset, from zero.
    pub active: usize,
}

impl Document {
    /// The innermost relation, fluent, move or function around the offset.
    pub fn signature(&self, offset: usize) -> Option<Signature> {
        let offset = offset as u32;
        let mut at = self.outline.innermost(offset);
        while let Some(id) = at {
            let node = self.outline.node(id);
            let applied = node.kind != NodeKind::List && node.name != node.span && node.place != Place::Rule;
            if applied && node.name.end < offset {
                break;
            }
            at = node.parent;
        }
        let id = at?;
        let active = self.arguments_before(id, offset);
        let node = self.complete(id, active as u32);
        if node.arguments == 0 || node.arguments > MOST_ARGUMENTS || active >= node.arguments as usize {
            return None;
        }
        let words = self.words_of(&node, id);
        let name = self.slice(node.name);
        let (mut label, between, close) = match self.notation() {
            Notation::Kif => (format!("({name}"), " ", ")"),
            Notation::Infix => (format!("{name}("), ", ", ")"),
        };
        let mut arguments = Vec::new();
        for (number, word) in words.iter().enumerate() {
            if number > 0 || self.notation() == Notation::Kif {
                label.push_str(between);
            }
            arguments.push(Span::new(label.len(), label.len() + word.len()));
            label.push_str(word);
        }
        label.push_str(close);
        Some(Signature { label, arguments, active })
    }

    /// How many arguments of the node end before the offset.
    fn arguments_before(&self, id: NodeId, offset: u32) -> usize {
        let end = self.outline.nodes.partition_point(|node| node.span.start < offset) as NodeId;
        let inside = (id + 1..end).rev().map(|at| self.outline.node(at)).find(|node| node.parent == Some(id));
        inside.map_or(0, |last| last.position as usize + usize::from(last.span.end < offset))
    }

    /// A word for each argument: the variables of the definition or use that has the most of them.
    fn words_of(&self, node: &Node, except: NodeId) -> Vec<String> {
        let thing = match (node.symbol, node.place) {
            (Some(symbol), Place::Head | Place::Condition) => match self.outline.keyword(node) {
                Some(keyword) => Thing::Keyword(keyword),
                None => Thing::Relation(symbol, node.arguments),
            },
            (Some(symbol), _) => Thing::Term(symbol, node.arguments),
            (None, _) => return Vec::new(),
        };
        let mut best: Option<(usize, Vec<Option<String>>)> = None;
        // A few uses are enough to find names.
        for &id in self.names.occurrences(thing).iter().filter(|&&id| id != except).take(50) {
            let mut words = vec![None; node.arguments as usize];
            for argument in self.outline.nodes_of(self.outline.node(id).clause) {
                let is_argument = argument.parent == Some(id) && argument.kind == NodeKind::Variable;
                if let Some(word) = words.get_mut(argument.position as usize).filter(|_| is_argument) {
                    *word = Some(self.slice(argument.name).to_owned());
                }
            }
            let known = words.iter().flatten().count();
            if best.as_ref().is_none_or(|(most, _)| known > *most) {
                best = Some((known, words));
            }
        }
        let known = best.map(|(_, words)| words).unwrap_or_default();
        (0..node.arguments as usize)
            .map(|position| {
                let usual = || match self.notation() {
                    Notation::Kif => format!("?{}", position + 1),
                    Notation::Infix => format!("X{}", position + 1),
                };
                known.get(position).cloned().flatten().unwrap_or_else(usual)
            })
            .collect()
    }
}
