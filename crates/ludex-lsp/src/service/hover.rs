//! What a name is, in a few lines.

use super::names::{Thing, definitions};
use super::outline::{NodeId, NodeKind, Place};
use super::{Document, Sort};
use ludex_gdl::Keyword;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::syntax::token::TokenKind;
use ludex_gdl::syntax::{Notation, Span};
use std::fmt::Write;

/// Longer lists of values and clauses are cut, and say so.
const MOST_VALUES: usize = 12;
const MOST_CLAUSES: usize = 4;
const MOST_CHARACTERS: usize = 400;

/// What there is to know about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The name that was pointed at.
    pub span: Span,
    /// Sentences, the first of which says what it is.
    pub lines: Vec<String>,
    /// The comment above its first definition.
    pub comment: Option<String>,
    /// The clauses that define it, the first few, as they stand in the text.
    pub code: Vec<String>,
}

impl Hover {
    /// As Markdown. Text of the sheet stands in fenced blocks, and names in code spans.
    pub fn markdown(&self) -> String {
        let mut out = self.lines.join("  \n");
        if let Some(comment) = &self.comment {
            let _ = write!(out, "\n\n{}", fenced("text", comment));
        }
        if !self.code.is_empty() {
            let _ = write!(out, "\n\n{}", fenced("gdl", &self.code.join("\n")));
        }
        out
    }
}

/// A fenced block whose fence is longer than any row of backticks in it.
fn fenced(language: &str, text: &str) -> String {
    let mut longest = 0;
    let mut row = 0;
    for c in text.chars() {
        row = if c == '`' { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

impl Document {
    /// What the name at the offset is.
    pub fn hover(&self, offset: usize) -> Option<Hover> {
        let id = self.outline.named_at(offset as u32)?;
        let thing = super::names::thing(&self.outline, id)?;
        let sort = self.sort(id)?;
        let node = self.outline.node(id);
        let mut lines = Vec::new();
        let mut defined = Vec::new();
        match thing {
            Thing::Keyword(keyword) => {
                lines.push(format!("keyword: {}", explain(keyword)));
                if Keyword::RELATIONS.contains(&keyword) {
                    lines.push(self.counted(thing));
                }
            }
            Thing::Variable(symbol, clause) => {
                let name = self.outline.symbols.name(symbol);
                lines
                    .push(format!("variable, {} in this clause", times(self.names.occurrences(thing).len())));
                lines.extend(self.values(&self.variable_domain(name, clause)).map(|v| format!("can be {v}")));
            }
            Thing::Anonymous(_) => lines.push("variable without a name: each `_` is another one".to_owned()),
            Thing::Relation(..) => {
                let mut line = format!("relation with {}", arguments(node.arguments));
                match self.phase(thing) {
                    Some(Phase::Static) => line += ", static: the same in every state",
                    Some(Phase::State) => line += ", depends on the state",
                    Some(Phase::Move) => line += ", depends on the moves",
                    None => {}
                }
                lines.push(line);
                lines.push(self.counted(thing));
                lines.extend(self.argument_lines(id));
                defined = definitions(&self.outline, &self.names, thing);
            }
            Thing::Term(..) => {
                lines.push(match sort {
                    Sort::Role => self.role_line(thing),
                    _ if node.arguments > 0 => format!("{sort} with {}", arguments(node.arguments)),
                    _ => sort.name().to_owned(),
                });
                let others = self.other_sorts(thing, sort);
                if !others.is_empty() {
                    lines.push(format!("elsewhere {}", others.join(", ")));
                }
                lines.push(format!("stands {} in the sheet", times(self.names.occurrences(thing).len())));
                lines.extend(self.argument_lines(id));
                if matches!(sort, Sort::Fluent | Sort::Move | Sort::Role) {
                    defined = definitions(&self.outline, &self.names, thing);
                    // The first occurrence of what nothing defines is no definition.
                    defined.retain(|&id| super::names::defines(&self.outline, id));
                    if defined.is_empty() {
                        lines.push("no clause gives it: it never holds or is never legal".to_owned());
                    }
                }
            }
        }
        let comment = defined.first().and_then(|&first| self.comment_above(first));
        Some(Hover { span: node.name, lines, comment, code: self.clauses_of(&defined) })
    }

    /// How many facts and rules define a relation, and how often it is read.
    fn counted(&self, thing: Thing) -> String {
        let nodes = self.names.occurrences(thing);
        let heads = nodes.iter().filter(|&&id| self.outline.node(id).place == Place::Head);
        let (mut facts, mut rules) = (0, 0);
        for &id in heads {
            let clause = self.outline.clauses[self.outline.node(id).clause as usize];
            if clause.is_rule { rules += 1 } else { facts += 1 }
        }
        let read = nodes.len() - facts - rules;
        let recursive = if self.is_recursive(thing) { ", recursive" } else { "" };
        let given = matches!(thing, Thing::Keyword(Keyword::True | Keyword::Does));
        let defined = match (facts, rules) {
            (0, 0) if given => "given by the play".to_owned(),
            (0, 0) => "nothing defines it: it is false everywhere".to_owned(),
            (facts, 0) => format!("defined by {}", count(facts, "fact")),
            (0, rules) => format!("defined by {}", count(rules, "rule")),
            (facts, rules) => format!("defined by {} and {}", count(facts, "fact"), count(rules, "rule")),
        };
        format!("{defined}{recursive}; read {}", times(read))
    }

    fn argument_lines(&self, id: NodeId) -> Vec<String> {
        let node = self.outline.node(id);
        (0..node.arguments)
            .take(MOST_VALUES)
            .filter_map(|position| {
                let values = self.values(&self.argument_domain(node, position))?;
                Some(format!("argument {}: {values}", position + 1))
            })
            .collect()
    }

    /// Values as a list, the first few; `None` if there are none.
    fn values(&self, values: &[(String, usize)]) -> Option<String> {
        if values.is_empty() {
            return None;
        }
        let shown: Vec<String> = values
            .iter()
            .take(MOST_VALUES)
            .map(|(name, arity)| {
                let dots = vec!["..."; (*arity).min(1)];
                let name = cut(name, 40);
                match (self.notation(), dots.is_empty()) {
                    (_, true) => format!("`{name}`"),
                    (Notation::Kif, false) => format!("`({name} ...)`"),
                    (Notation::Infix, false) => format!("`{name}(...)`"),
                }
            })
            .collect();
        let more = values.len() - shown.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        Some(format!("{}{rest}", shown.join(", ")))
    }

    /// Which player it is.
    fn role_line(&self, thing: Thing) -> String {
        let roles = self.roles();
        let name = match thing {
            Thing::Term(symbol, _) => self.outline.symbols.name(symbol),
            _ => "",
        };
        match roles.iter().position(|role| role == name) {
            Some(position) => format!("role {} of {}", position + 1, roles.len()),
            None => "role".to_owned(),
        }
    }

    /// The names of the roles that facts give, in their order.
    pub(super) fn roles(&self) -> Vec<String> {
        let mut roles: Vec<String> = Vec::new();
        let mut seen = hashbrown::HashSet::new();
        for &id in self.names.occurrences(Thing::Keyword(Keyword::Role)) {
            // The argument is the next node.
            let argument = self.outline.nodes.get(id as usize + 1).filter(|next| next.parent == Some(id));
            if let (Place::Head, Some(role)) = (self.outline.node(id).place, argument)
                && role.kind != NodeKind::Variable
                && let Some(symbol) = role.symbol
                && seen.insert(symbol)
            {
                roles.push(self.outline.symbols.name(symbol).to_owned());
            }
        }
        roles
    }

    /// In which other ways the same term is used.
    fn other_sorts(&self, thing: Thing, sort: Sort) -> Vec<&'static str> {
        let mut sorts: Vec<Sort> =
            self.names.occurrences(thing).iter().filter_map(|&id| self.sort(id)).collect();
        sorts.sort_unstable();
        sorts.dedup();
        sorts.retain(|&other| other != sort);
        sorts.into_iter().map(Sort::name).collect()
    }

    /// The clauses around these nodes, the first few, each cut where it is long.
    fn clauses_of(&self, nodes: &[NodeId]) -> Vec<String> {
        let mut clauses: Vec<u32> = nodes.iter().map(|&id| self.outline.node(id).clause).collect();
        clauses.dedup();
        let mut code: Vec<String> = clauses
            .iter()
            .take(MOST_CLAUSES)
            .map(|&clause| {
                let text = self.slice(self.outline.clauses[clause as usize].span).trim_end();
                let shown = cut(text, MOST_CHARACTERS);
                if shown.len() < text.len() { format!("{shown} ...") } else { shown.to_owned() }
            })
            .collect();
        if clauses.len() > MOST_CLAUSES {
            let mark = if self.notation() == Notation::Kif { ";" } else { "%" };
            code.push(format!("{mark} and {} more", clauses.len() - MOST_CLAUSES));
        }
        code
    }

    /// The comment that ends in the line above the clause of a node.
    fn comment_above(&self, id: NodeId) -> Option<String> {
        let clause = self.outline.clauses[self.outline.node(id).clause as usize];
        let mut line = self.positions.line(clause.span.start as usize);
        let mut at = self.tokens.partition_point(|token| token.span.start < clause.span.start);
        let mut lines = Vec::new();
        while at > 0 && lines.len() < MOST_VALUES {
            let token = self.tokens[at - 1];
            let starts = self.positions.line(token.span.start as usize);
            let ends = self.positions.line((token.span.end as usize).saturating_sub(1));
            // A comment behind a clause belongs to that clause.
            let before = at.checked_sub(2).map(|before| self.tokens[before]);
            let behind = before.is_some_and(|before| {
                before.kind != TokenKind::Comment && self.positions.line(before.span.end as usize) == starts
            });
            if token.kind != TokenKind::Comment || ends + 1 != line || behind {
                break;
            }
            let text = self.slice(token.span).trim_start_matches("/*").trim_end_matches("*/");
            lines.push(cut(text.trim_start_matches([';', '%']).trim(), MOST_CHARACTERS).to_owned());
            line = starts;
            at -= 1;
        }
        lines.reverse();
        let is_ruler = |line: &String| !line.contains(|c: char| c.is_alphanumeric());
        lines.retain(|line| !is_ruler(line));
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

fn cut(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        number => format!("{number} times"),
    }
}

fn arguments(number: u32) -> String {
    if number == 0 { "no arguments".to_owned() } else { count(number as usize, "argument") }
}

/// A sentence for each reserved name.
pub(super) fn explain(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Role => "lists the players, as facts",
        Keyword::Base => "lists what can hold in a state",
        Keyword::Input => "lists what players can ever do",
        Keyword::Init => "what holds in the first state",
        Keyword::True => "what holds in the present state",
        Keyword::Does => "what a player does in this step",
        Keyword::Legal => "what a player may do in the present state",
        Keyword::Next => "what holds in the next state",
        Keyword::Terminal => "the match is over",
        Keyword::Goal => "what a player gets, from 0 to 100",
        Keyword::Distinct => "the two terms differ",
        Keyword::Not => "the condition does not hold",
        Keyword::Or => "at least one of the conditions holds",
        Keyword::And => "all of the conditions hold; GDL lists them without a word",
    }
}
