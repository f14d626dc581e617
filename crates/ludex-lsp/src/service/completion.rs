//! What could be typed at a place.

use super::hover::explain;
use super::names::Thing;
use super::outline::{NodeId, NodeKind, Place, place_of_argument};
use super::{Document, Edit, Sort};
use ludex_gdl::syntax::token::TokenKind;
use ludex_gdl::syntax::{Notation, Span, print};
use ludex_gdl::{Keyword, Symbol};

/// More proposals than this are no help, and a sheet can have millions of names.
const MOST: usize = 500;

/// A name that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The name, as it is shown.
    pub label: String,
    /// What it is.
    pub sort: Sort,
    /// How many arguments it takes.
    pub arguments: usize,
    /// A few words on it.
    pub detail: String,
    /// What replaces what was typed of it.
    pub edit: Edit,
}

/// Names wanted in a place.
struct Wanted {
    place: Place,
    /// The node around the place, and which of its arguments the place is.
    around: Option<(NodeId, u32)>,
    /// In KIF, a name stands behind a parenthesis: the parenthesis is there already.
    behind_parenthesis: bool,
    /// The word that is being typed.
    typed: Span,
}

impl Document {
    /// The names that fit at the offset: keywords and relations as heads and conditions, fluents in `true`, `next`,
    /// `init` and `base`, moves in `does`, `legal` and `input`, roles where players stand, variables of the
    /// clause, and what else can stand there. All of them, whatever was typed so far: editors filter.
    pub fn completions(&self, offset: usize) -> Vec<Completion> {
        let offset = super::position::floor(&self.text, offset);
        let Some(wanted) = self.wanted(offset as u32) else { return Vec::new() };
        let mut list = Vec::new();
        match wanted.place {
            Place::Rule | Place::Head => self.relations(&wanted, true, &mut list),
            Place::Condition => self.relations(&wanted, false, &mut list),
            Place::Fluent | Place::Move | Place::Role | Place::Term => self.terms(&wanted, &mut list),
        }
        list.sort_by(|a: &Completion, b| {
            let rank = |c: &Completion| (c.sort != Sort::Variable, c.sort == Sort::Keyword, c.sort);
            rank(a).cmp(&rank(b)).then_with(|| a.label.cmp(&b.label)).then(a.arguments.cmp(&b.arguments))
        });
        list.dedup_by(|a, b| a.label == b.label && a.arguments == b.arguments);
        list.truncate(MOST);
        list
    }

    /// What is wanted at the offset; nothing in comments and quotes.
    fn wanted(&self, offset: u32) -> Option<Wanted> {
        let behind = self.tokens.partition_point(|token| token.span.start < offset);
        let before = behind.checked_sub(1).map(|at| self.tokens[at]);
        let mut typed = Span { start: offset, end: offset };
        if let Some(token) = before {
            let inside = offset < token.span.end;
            match token.kind {
                // A comment to the end of the line goes on where the cursor stands behind it.
                TokenKind::Comment
                    if inside || offset == token.span.end && !self.slice(token.span).ends_with("*/") =>
                {
                    return None;
                }
                TokenKind::Quoted if inside => return None,
                TokenKind::Unfinished { line_end } if offset <= line_end => return None,
                TokenKind::Name | TokenKind::Variable if offset <= token.span.end => typed = token.span,
                _ => {}
            }
        }
        let kif = self.notation() == Notation::Kif;
        let previous = self.tokens.partition_point(|token| token.span.start < typed.start).checked_sub(1);
        let behind_parenthesis = kif && previous.is_some_and(|at| self.tokens[at].kind == TokenKind::Open);
        let around = if behind_parenthesis {
            // The name of the list that the parenthesis opened.
            let open = self.tokens[previous?].span.start;
            self.outline.nodes.partition_point(|node| node.span.start < open) as NodeId
        } else {
            let mut around = self.outline.innermost(typed.start);
            // The word that is being typed is a node itself.
            if let Some(id) = around
                && self.outline.node(id).span.start == typed.start
                && typed.start < typed.end
                && self.outline.node(id).name == typed
            {
                around = self.outline.node(id).parent;
            }
            let Some(around) = around else {
                let place = Place::Head;
                return Some(Wanted { place, around: None, behind_parenthesis, typed });
            };
            around
        };
        let node = self.outline.nodes.get(around as usize)?;
        if behind_parenthesis {
            let place = if node.place == Place::Rule { Place::Head } else { node.place };
            let around = node.parent.map(|parent| (parent, node.position));
            return Some(Wanted { place, around, behind_parenthesis, typed });
        }
        // How many arguments end before the place.
        let first = around + 1;
        let end = self.outline.nodes.partition_point(|other| other.span.start < typed.start) as NodeId;
        let mut position = 0;
        let mut at = end;
        while at > first {
            at -= 1;
            if self.outline.node(at).parent == Some(around) {
                position = self.outline.node(at).position + 1;
                break;
            }
        }
        let place = place_of_argument(&self.outline, node, position);
        Some(Wanted { place, around: Some((around, position)), behind_parenthesis, typed })
    }

    /// Keywords and the relations of the sheet.
    fn relations(&self, wanted: &Wanted, head: bool, list: &mut Vec<Completion>) {
        let keywords: &[Keyword] = if head {
            &[
                Keyword::Role,
                Keyword::Base,
                Keyword::Input,
                Keyword::Init,
                Keyword::Legal,
                Keyword::Next,
                Keyword::Terminal,
                Keyword::Goal,
            ]
        } else {
            &[
                Keyword::Role,
                Keyword::True,
                Keyword::Does,
                Keyword::Legal,
                Keyword::Terminal,
                Keyword::Goal,
                Keyword::Distinct,
                Keyword::Not,
                Keyword::Or,
            ]
        };
        for &keyword in keywords {
            let arguments = match keyword.arity() {
                // In infix notation these stand before and between conditions.
                _ if self.notation() == Notation::Infix && matches!(keyword, Keyword::Not | Keyword::Or) => 0,
                Some(arity) => arity,
                None => 2,
            };
            let detail = explain(keyword).to_owned();
            list.push(self.completion(wanted, keyword.name(), Sort::Keyword, arguments, detail));
        }
        for (thing, nodes) in self.names.things() {
            if let Thing::Relation(symbol, arity) = thing
                && !self.is_being_typed(nodes, wanted)
            {
                self.proposal(wanted, symbol, Sort::Relation, arity, list);
            }
        }
    }

    /// Terms that the place is known for, the variables of the clause, and what the analyses say of the place.
    fn terms(&self, wanted: &Wanted, list: &mut Vec<Completion>) {
        if !wanted.behind_parenthesis
            && let Some((around, _)) = wanted.around
        {
            let clause = self.outline.node(around).clause;
            for node in self.outline.nodes_of(clause).iter().filter(|node| node.name != wanted.typed) {
                if let (NodeKind::Variable, Some(_)) = (node.kind, node.symbol)
                    && !matches!(self.slice(node.name), "_" | "?")
                {
                    let detail = "variable of this clause".to_owned();
                    list.push(self.completion(wanted, self.slice(node.name), Sort::Variable, 0, detail));
                }
            }
        }
        let sort = match wanted.place {
            Place::Fluent => Some(Sort::Fluent),
            Place::Move => Some(Sort::Move),
            Place::Role => Some(Sort::Role),
            _ => None,
        };
        if let Some(sort) = sort {
            for (thing, nodes) in self.names.things() {
                if let Thing::Term(symbol, arity) = thing
                    && !self.is_being_typed(nodes, wanted)
                    && nodes.iter().any(|&id| self.outline.node(id).place == wanted.place)
                {
                    self.proposal(wanted, symbol, sort, arity, list);
                }
            }
        } else if let Some((around, position)) = wanted.around {
            // A node that lacks its last arguments is looked up as it is used elsewhere.
            let node = self.complete(around, position);
            for (name, arity) in self.argument_domain(&node, position).into_iter().take(MOST) {
                let sort = if arity > 0 { Sort::Function } else { Sort::Constant };
                let detail = "can stand here".to_owned();
                list.push(self.completion(wanted, &name, sort, arity, detail));
            }
        }
    }

    /// The node with as many arguments as its name has elsewhere, if it has too few for the position.
    pub(super) fn complete(&self, id: NodeId, position: u32) -> super::outline::Node {
        let mut node = *self.outline.node(id);
        let is_relation = matches!(node.place, Place::Head | Place::Condition);
        let arities = self.names.things().filter_map(|(thing, nodes)| match thing {
            Thing::Relation(symbol, arity) if is_relation && Some(symbol) == node.symbol => {
                Some((arity, nodes))
            }
            Thing::Term(symbol, arity) if !is_relation && Some(symbol) == node.symbol => Some((arity, nodes)),
            _ => None,
        });
        let keyword = self.outline.keyword(&node).and_then(Keyword::arity).map(|arity| arity as u32);
        // The most used of those that are long enough; the node itself does not count.
        let usual = arities
            .filter(|&(arity, nodes)| arity > position && (nodes.len() > 1 || nodes[0] != id))
            .max_by_key(|&(arity, nodes)| (nodes.len(), std::cmp::Reverse(arity)));
        if let Some(arity) = keyword.or(usual.map(|(arity, _)| arity)) {
            node.arguments = arity;
        }
        node
    }

    /// True of a name that stands nowhere but under the cursor.
    fn is_being_typed(&self, nodes: &[NodeId], wanted: &Wanted) -> bool {
        matches!(nodes, &[only] if self.outline.node(only).name == wanted.typed)
    }

    fn proposal(&self, wanted: &Wanted, symbol: Symbol, sort: Sort, arity: u32, list: &mut Vec<Completion>) {
        let detail = match arity {
            0 => sort.name().to_owned(),
            1 => format!("{sort}, 1 argument"),
            arity => format!("{sort}, {arity} arguments"),
        };
        list.push(self.completion(wanted, self.outline.symbols.name(symbol), sort, arity as usize, detail));
    }

    fn completion(
        &self,
        wanted: &Wanted,
        name: &str,
        sort: Sort,
        arguments: usize,
        detail: String,
    ) -> Completion {
        let mut text = String::new();
        match self.notation() {
            _ if sort == Sort::Variable => text.push_str(name),
            Notation::Kif => {
                if arguments > 0 && !wanted.behind_parenthesis {
                    text.push('(');
                }
                print::kif_name(name, &mut text);
            }
            Notation::Infix if sort == Sort::Keyword => text.push_str(name),
            Notation::Infix => print::infix_name(name, &mut text),
        }
        if self.notation() == Notation::Infix && arguments > 0 {
            // A parenthesis that stands there already is not written twice.
            let follows = self.text[wanted.typed.end as usize..].starts_with('(');
            text.push_str(if follows { "" } else { "(" });
        }
        let edit = Edit { span: wanted.typed, text };
        Completion { label: name.to_owned(), sort, arguments, detail, edit }
    }
}
