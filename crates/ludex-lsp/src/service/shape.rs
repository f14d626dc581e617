//! What an editor shows of a text beside its letters: an outline, colours, and what can be folded.

use super::names::{Thing, defines, thing};
use super::outline::{Clause, NodeId};
use super::{Document, Sort};
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::syntax::Span;
use ludex_gdl::syntax::token::TokenKind;

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The relation, or the head of the clause.
    pub name: String,
    /// Whether the head is a keyword or a relation of the sheet.
    pub sort: Sort,
    /// A few words on it.
    pub detail: String,
    /// All of it.
    pub span: Span,
    /// The name in it.
    pub name_span: Span,
    /// The clauses, where several of one relation follow each other.
    pub clauses: Vec<Symbol>,
}

/// What a token is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A comment.
    Comment,
    /// An arrow.
    Operator,
    /// A number.
    Number,
    /// A name, by what it is.
    Name(Sort),
}

/// A token with its colour. It stands in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColouredToken {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub colour: Colour,
    /// Its name is defined here.
    pub defines: bool,
    /// A relation that is the same in every state.
    pub is_static: bool,
}

/// What can be folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldKind {
    /// A clause.
    Clause,
    /// A comment.
    Comment,
}

/// Lines that can be folded into the first of them, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The line that stays.
    pub first: u32,
    /// The last line that goes.
    pub last: u32,
    /// What it is.
    pub kind: FoldKind,
}

/// A head in the outline is cut behind so many characters.
const MOST_CHARACTERS: usize = 80;

impl Document {
    /// The outline: the clauses, those of one relation that follow each other together.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut groups: Vec<(Option<Thing>, Symbol)> = Vec::new();
        for clause in &self.outline.clauses {
            let Some(head) = clause.head else { continue };
            let Some(what) = thing(&self.outline, head) else { continue };
            let symbol = self.clause_symbol(clause, head);
            match groups.last_mut() {
                Some((Some(last), group)) if *last == what => {
                    if group.clauses.is_empty() {
                        let first = group.clone();
                        group.clauses.push(first);
                    }
                    group.span = group.span.to(symbol.span);
                    group.clauses.push(symbol);
                }
                _ => groups.push((Some(what), symbol)),
            }
        }
        let named = |(what, mut group): (Option<Thing>, Symbol)| {
            if !group.clauses.is_empty() {
                group.detail = format!("{} clauses", group.clauses.len());
                group.name = match what {
                    Some(Thing::Relation(symbol, _)) => self.outline.symbols.name(symbol).to_owned(),
                    Some(Thing::Keyword(keyword)) => keyword.name().to_owned(),
                    _ => group.name,
                };
            }
            group
        };
        groups.into_iter().map(named).collect()
    }

    fn clause_symbol(&self, clause: &Clause, head: NodeId) -> Symbol {
        let node = self.outline.node(head);
        let words: Vec<&str> = self.slice(node.span).split_whitespace().take(MOST_CHARACTERS).collect();
        let name = words.join(" ");
        let end = name.char_indices().nth(MOST_CHARACTERS).map(|(end, _)| end);
        let name = end.map_or(name.clone(), |end| format!("{}...", &name[..end]));
        Symbol {
            name,
            sort: self.sort(head).unwrap_or(Sort::Relation),
            detail: if clause.is_rule { "rule" } else { "fact" }.to_owned(),
            span: clause.span,
            name_span: node.name,
            clauses: Vec::new(),
        }
    }

    /// The tokens that have a colour, in the order of the text; one that spans lines comes once a line.
    pub fn colours(&self) -> Vec<ColouredToken> {
        let mut result = Vec::with_capacity(self.tokens.len());
        // Names in the order of the text: a list stands before its name, and nothing but the name follows at once.
        let mut named: Vec<NodeId> = (0..self.outline.nodes.len() as NodeId).collect();
        named.retain(|&id| self.outline.node(id).symbol.is_some());
        let mut named = named.into_iter().peekable();
        for token in &self.tokens {
            let plain = |colour| ColouredToken { span: token.span, colour, defines: false, is_static: false };
            match token.kind {
                TokenKind::Comment => self.lines_of(token.span, plain(Colour::Comment), &mut result),
                TokenKind::Arrow => result.push(plain(Colour::Operator)),
                TokenKind::Name | TokenKind::Variable | TokenKind::Quoted | TokenKind::Unfinished { .. } => {
                    while named.next_if(|&id| self.outline.node(id).name.start < token.span.start).is_some() {
                    }
                    if let Some(id) =
                        named.next_if(|&id| self.outline.node(id).name.start == token.span.start)
                    {
                        result.extend(self.coloured(id));
                    }
                }
                _ => {}
            }
        }
        result
    }

    fn coloured(&self, id: NodeId) -> Option<ColouredToken> {
        let node = self.outline.node(id);
        let sort = self.sort(id)?;
        let what = thing(&self.outline, id)?;
        let is_number = sort == Sort::Constant
            && self.slice(node.name).bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
            && self.slice(node.name).parse::<i64>().is_ok();
        Some(ColouredToken {
            span: node.name,
            colour: if is_number { Colour::Number } else { Colour::Name(sort) },
            defines: sort != Sort::Keyword && sort != Sort::Variable && defines(&self.outline, id),
            is_static: sort == Sort::Relation && self.phase(what) == Some(Phase::Static),
        })
    }

    /// The token once for each line that it covers.
    fn lines_of(&self, span: Span, token: ColouredToken, out: &mut Vec<ColouredToken>) {
        let mut from = span.start as usize;
        let mut line = self.positions.line(from);
        loop {
            line += 1;
            let next = self.positions.lines().get(line).map_or(usize::MAX, |&start| start as usize);
            let to = next.min(span.end as usize);
            let shown = self.text[from..to].trim_end_matches(['\r', '\n']);
            if !shown.is_empty() {
                out.push(ColouredToken { span: Span::new(from, from + shown.len()), ..token });
            }
            if next >= span.end as usize {
                return;
            }
            from = next;
        }
    }

    /// Clauses over several lines, and comments of several lines.
    pub fn folds(&self) -> Vec<Fold> {
        let line = |offset: u32| self.positions.line(offset as usize) as u32;
        let mut folds: Vec<Fold> = Vec::new();
        for clause in &self.outline.clauses {
            let text = self.slice(clause.span).trim_end();
            let (first, last) = (line(clause.span.start), line(clause.span.start + text.len() as u32));
            if last > first {
                folds.push(Fold { first, last, kind: FoldKind::Clause });
            }
        }
        let mut open: Option<Fold> = None;
        let mut code_line = None;
        for token in &self.tokens {
            if token.kind != TokenKind::Comment {
                code_line = Some(line(token.span.end));
                continue;
            }
            let first = line(token.span.start);
            let last = line(token.span.end.saturating_sub(1).max(token.span.start));
            // A comment behind code is no part of a block.
            if code_line == Some(first) && last == first {
                continue;
            }
            match &mut open {
                Some(fold) if fold.last + 1 == first => fold.last = last,
                _ => {
                    folds.extend(open.filter(|fold| fold.last > fold.first));
                    open = Some(Fold { first, last, kind: FoldKind::Comment });
                }
            }
        }
        folds.extend(open.filter(|fold| fold.last > fold.first));
        folds.sort_unstable_by_key(|fold| (fold.first, fold.last));
        folds
    }
}
