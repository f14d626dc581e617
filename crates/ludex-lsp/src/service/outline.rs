//! The shape of a text that may be broken: every name with the place it has in its clause.
//!
//! The reader of `ludex-gdl` keeps whole clauses only. An editor asks about the clause that is being typed, so this keeps
//! every name, and where a clause has no end the next one begins at the next parenthesis in the first column
//! (KIF) or behind the next full stop (infix). In a text without errors both see the same.
//!
//! Nodes lie in one list in the order of the text, each with its parent: nesting costs no stack.

use ludex_gdl::syntax::token::{Token, TokenKind};
use ludex_gdl::syntax::{Notation, Span, quoted};
use ludex_gdl::{Keyword, Symbol, Symbols};

/// A node of the outline, by its position.
pub(super) type NodeId = u32;

/// What stands in a place, by the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// A whole rule: its parts are a head and conditions.
    Rule,
    /// The atom that a clause defines.
    Head,
    /// A condition.
    Condition,
    /// What holds in a state: the argument of `true`, `next`, `init`, `base`.
    Fluent,
    /// A player: the first argument of `does`, `legal`, `input`, `goal`, and that of `role`.
    Role,
    /// The second argument of `does`, `legal` and `input`.
    Move,
    /// Any other argument.
    Term,
}

/// One name with what it stands in front of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// All of it, with arguments and parentheses.
    pub(super) span: Span,
    /// The name in front; empty if there is none.
    pub(super) name: Span,
    /// The name without quotes and question mark.
    pub(super) symbol: Option<Symbol>,
    pub(super) kind: NodeKind,
    pub(super) place: Place,
    pub(super) parent: Option<NodeId>,
    /// Which argument of its parent it is.
    pub(super) position: u32,
    /// How many arguments it has.
    pub(super) arguments: u32,
    pub(super) clause: u32,
    /// False if its parenthesis or full stop is missing.
    pub(super) is_closed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A name, with or without arguments.
    Name,
    /// A name in quotes.
    Quoted,
    Variable,
    /// A rule, or a list without a name in front.
    List,
}

/// A fact or rule, whole or not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clause {
    pub(super) span: Span,
    /// Its first node.
    pub(super) first: NodeId,
    /// The node of its head, if it has one.
    pub(super) head: Option<NodeId>,
    pub(super) is_rule: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    pub(super) symbols: Symbols,
    pub(super) nodes: Vec<Node>,
    pub(super) clauses: Vec<Clause>,
    /// Parentheses without their counterpart, or clauses without their end, were found.
    pub(super) is_broken: bool,
}

impl Outline {
    pub(super) fn of(text: &str, notation: Notation, tokens: &[Token]) -> Outline {
        let mut builder = Builder { text, outline: Outline::default(), open: Vec::new() };
        match notation {
            Notation::Kif => builder.kif(tokens, unclosed(tokens)),
            Notation::Infix => builder.infix(tokens),
        }
        builder.outline
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The nodes of a clause.
    pub(super) fn nodes_of(&self, clause: u32) -> &[Node] {
        let first = self.clauses[clause as usize].first as usize;
        let end = self.clauses.get(clause as usize + 1).map_or(self.nodes.len(), |next| next.first as usize);
        &self.nodes[first..end]
    }

    /// The innermost node around the offset; what has no end goes on where it seems to end.
    pub(super) fn innermost(&self, offset: u32) -> Option<NodeId> {
        let behind = self.nodes.partition_point(|node| node.span.start <= offset) as NodeId;
        let mut at = behind.checked_sub(1);
        while let Some(id) = at {
            let node = self.node(id);
            if offset < node.span.end || !node.is_closed && offset == node.span.end {
                break;
            }
            at = node.parent;
        }
        at
    }

    /// The node whose name the offset lies in, or stands behind.
    pub(super) fn named_at(&self, offset: u32) -> Option<NodeId> {
        let touched = |node: &Node| {
            node.name.start < node.name.end && node.name.start <= offset && offset <= node.name.end
        };
        // The name of a list begins behind its parenthesis, so a node with this name may be one of the last two that
        // begin here; where two names touch, the one that begins here is meant.
        let behind = self.nodes.partition_point(|node| node.span.start <= offset);
        (behind.saturating_sub(2)..behind).rev().find(|&id| touched(&self.nodes[id])).map(|id| id as NodeId)
    }

    /// The keyword that the node is, where it stands as a relation or connective.
    pub(super) fn keyword(&self, node: &Node) -> Option<Keyword> {
        if !matches!(node.place, Place::Head | Place::Condition) {
            return None;
        }
        let keyword = Keyword::of(self.symbols.name(node.symbol?))?;
        // A quoted name is never a connective.
        (node.kind == NodeKind::Name || Keyword::RELATIONS.contains(&keyword)).then_some(keyword)
    }
}

/// The first parenthesis that is never closed in KIF.
fn unclosed(tokens: &[Token]) -> Option<u32> {
    let mut open = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Open => open.push(token.span.start),
            TokenKind::Close => {
                open.pop();
            }
            _ => {}
        }
    }
    open.first().copied()
}

struct Builder<'t> {
    text: &'t str,
    outline: Outline,
    /// The lists that are open, the innermost last.
    open: Vec<NodeId>,
}

impl Builder<'_> {
    fn kif(&mut self, tokens: &[Token], unclosed: Option<u32>) {
        // True behind a parenthesis that a name may follow.
        let mut at_front = false;
        for token in tokens {
            let Span { start, end } = token.span;
            match token.kind {
                TokenKind::Comment => continue,
                TokenKind::Open => {
                    let at_margin = start == 0 || self.text.as_bytes()[start as usize - 1] == b'\n';
                    if at_margin && unclosed.is_some_and(|first| start > first) {
                        self.give_up(start);
                    }
                    let id = self.push(token.span, NodeKind::List);
                    self.open.push(id);
                    at_front = true;
                    continue;
                }
                TokenKind::Close => match self.open.pop() {
                    Some(id) => self.finish(id, end),
                    None => self.outline.is_broken = true,
                },
                _ if at_front && token.kind != TokenKind::Variable => {
                    let id = *self.open.last().expect("a parenthesis was opened");
                    self.name_list(id, token);
                }
                _ => {
                    let id = self.push_word(token);
                    self.finish(id, end);
                }
            }
            at_front = false;
        }
        self.give_up(self.text.len() as u32);
    }

    /// Gives the list its name, and with it a rule its kind.
    fn name_list(&mut self, id: NodeId, token: &Token) {
        let symbol = self.symbol(token);
        let node = &mut self.outline.nodes[id as usize];
        node.name = token.span;
        if token.kind == TokenKind::Arrow {
            if node.parent.is_none() {
                node.place = Place::Rule;
                let clause = &mut self.outline.clauses[node.clause as usize];
                (clause.is_rule, clause.head) = (true, None);
            }
        } else {
            node.symbol = symbol;
            node.kind = kind_of(token.kind);
        }
    }

    fn infix(&mut self, tokens: &[Token]) {
        let mut tokens = tokens.iter().filter(|token| token.kind != TokenKind::Comment).peekable();
        while let Some(token) = tokens.next() {
            let Span { start, end } = token.span;
            // The node of the clause itself, which the first token opens.
            if self.open.is_empty() && token.kind != TokenKind::Stop {
                let id = self.push(Span { start, end }, NodeKind::List);
                let node = &mut self.outline.nodes[id as usize];
                node.place = Place::Rule;
                self.outline.clauses[node.clause as usize].head = None;
                self.open.push(id);
            }
            match token.kind {
                TokenKind::Stop => {
                    self.outline.is_broken |= self.open.len() != 1;
                    self.close_all(end);
                }
                TokenKind::Arrow => {
                    // What the head left open is not closed by a condition.
                    self.outline.is_broken |= self.open.len() != 1;
                    while self.open.len() > 1 {
                        let id = self.open.pop().expect("more than one");
                        self.finish(id, start);
                    }
                    let clause = self.outline.clauses.last_mut().expect("a clause is open");
                    clause.is_rule = true;
                }
                TokenKind::Open => {
                    let id = self.push(token.span, NodeKind::List);
                    self.open.push(id);
                }
                TokenKind::Close if self.open.len() > 1 => {
                    let id = self.open.pop().expect("more than one");
                    self.finish(id, end);
                }
                TokenKind::Close => self.outline.is_broken = true,
                TokenKind::Comma | TokenKind::Stray | TokenKind::Comment => {}
                TokenKind::Name | TokenKind::Variable | TokenKind::Quoted | TokenKind::Unfinished { .. } => {
                    let id = self.push_word(token);
                    let word = &self.text[start as usize..end as usize];
                    let joins =
                        self.outline.node(id).place == Place::Condition && matches!(word, "not" | "or");
                    let applied = token.kind != TokenKind::Variable && !joins;
                    if applied && tokens.next_if(|next| next.kind == TokenKind::Open).is_some() {
                        self.open.push(id);
                    } else {
                        self.finish(id, end);
                    }
                }
            }
        }
        self.give_up(self.text.len() as u32);
    }

    fn close_all(&mut self, end: u32) {
        while let Some(id) = self.open.pop() {
            self.finish(id, end);
        }
    }

    /// Ends what is open: the next clause begins at `end`.
    fn give_up(&mut self, end: u32) {
        self.outline.is_broken |= !self.open.is_empty();
        for &id in &self.open {
            self.outline.nodes[id as usize].is_closed = false;
        }
        self.close_all(end);
    }

    fn finish(&mut self, id: NodeId, end: u32) {
        let node = &mut self.outline.nodes[id as usize];
        node.span.end = end;
        let (clause, is_top) = (node.clause as usize, node.parent.is_none());
        if is_top {
            self.outline.clauses[clause].span.end = end;
        }
    }

    fn push_word(&mut self, token: &Token) -> NodeId {
        let symbol = self.symbol(token);
        let id = self.push(token.span, kind_of(token.kind));
        let node = &mut self.outline.nodes[id as usize];
        (node.name, node.symbol) = (token.span, symbol);
        id
    }

    /// A new node inside what is open, or a new clause.
    fn push(&mut self, span: Span, kind: NodeKind) -> NodeId {
        let id = self.outline.nodes.len() as NodeId;
        let parent = self.open.last().copied();
        let (place, position) = match parent {
            None => (Place::Head, 0),
            Some(parent) => {
                let above = &self.outline.nodes[parent as usize];
                (self.place_in(above), above.arguments)
            }
        };
        match parent {
            None => {
                self.outline.clauses.push(Clause { span, first: id, head: Some(id), is_rule: false });
            }
            Some(parent) => {
                self.outline.nodes[parent as usize].arguments += 1;
                if place == Place::Head {
                    let clause = self.outline.clauses.last_mut().expect("a clause is open");
                    clause.head = clause.head.or(Some(id));
                }
            }
        }
        let clause = self.outline.clauses.len() as u32 - 1;
        let name = Span { start: span.start, end: span.start };
        self.outline.nodes.push(Node {
            span,
            name,
            symbol: None,
            kind,
            place,
            parent,
            position,
            arguments: 0,
            clause,
            is_closed: true,
        });
        id
    }

    /// The place of the next argument of a node.
    fn place_in(&self, above: &Node) -> Place {
        place_of_argument(&self.outline, above, above.arguments)
    }

    fn symbol(&mut self, token: &Token) -> Option<Symbol> {
        let word = &self.text[token.span.start as usize..token.span.end as usize];
        let name = match token.kind {
            TokenKind::Quoted => {
                return quoted(word, 0, word.as_bytes()[0]).0.map(|n| self.outline.symbols.intern(&n));
            }
            TokenKind::Unfinished { .. } => &word[1..],
            TokenKind::Variable => word.strip_prefix('?').unwrap_or(word),
            TokenKind::Name => word,
            _ => return None,
        };
        Some(self.outline.symbols.intern(name))
    }
}

/// What stands as argument `position` of a node.
pub(super) fn place_of_argument(outline: &Outline, above: &Node, position: u32) -> Place {
    match above.place {
        Place::Rule if position == 0 => Place::Head,
        Place::Rule => Place::Condition,
        Place::Head | Place::Condition => match (outline.keyword(above), position) {
            (Some(Keyword::True | Keyword::Next | Keyword::Init | Keyword::Base), 0) => Place::Fluent,
            (Some(Keyword::Role | Keyword::Does | Keyword::Legal | Keyword::Input | Keyword::Goal), 0) => {
                Place::Role
            }
            (Some(Keyword::Does | Keyword::Legal | Keyword::Input), 1) => Place::Move,
            (Some(Keyword::Not | Keyword::Or | Keyword::And), _) => Place::Condition,
            // Conditions in parentheses, or a list whose name is not typed yet.
            (None, _) if above.kind == NodeKind::List => above.place,
            _ => Place::Term,
        },
        Place::Fluent | Place::Role | Place::Move | Place::Term => Place::Term,
    }
}

fn kind_of(kind: TokenKind) -> NodeKind {
    match kind {
        TokenKind::Variable => NodeKind::Variable,
        TokenKind::Quoted | TokenKind::Unfinished { .. } => NodeKind::Quoted,
        _ => NodeKind::Name,
    }
}
