//! The reader for KIF.
//!
//! In two steps: text to nested lists ([`read`]), lists to clauses. Both go on behind a mistake, at the
//! next list and the next clause.

use super::token::{Token, TokenKind, tokens};
use super::tree::{Clause, Formula, FormulaKind, Term, TermKind, Tree};
use super::{Findings, Notation, Span, TextLimits};
use crate::diagnostic::{Code, Diagnostic};
use crate::symbols::{Keyword, Symbols};

/// A nested list, the only structure that KIF itself has.
struct Node<'a> {
    kind: NodeKind<'a>,
    span: Span,
}

enum NodeKind<'a> {
    /// A bare word; it may be a variable or an arrow.
    Word(&'a str),
    /// A quoted name, never anything but a constant.
    Quoted(String),
    List(Vec<Node<'a>>),
}

pub(super) fn parse(text: &str, limits: &TextLimits, findings: &mut Findings) -> Tree {
    let nodes = read(text, limits, findings);
    let mut builder = Builder { symbols: Symbols::default(), findings };
    let clauses = nodes.iter().filter_map(|node| builder.clause(node)).collect();
    Tree { symbols: builder.symbols, clauses }
}

/// Text to nested lists. An explicit stack, so nesting cannot exhaust the program's own.
fn read<'a>(text: &'a str, limits: &TextLimits, findings: &mut Findings) -> Vec<Node<'a>> {
    let mut top = Vec::new();
    let mut open: Vec<(usize, Vec<Node<'a>>)> = Vec::new();
    // Lists below the depth limit are skipped; this counts how far below we are.
    let mut too_deep = 0usize;
    // The first parenthesis in column one inside an unclosed clause: where the next clause seems to begin.
    let mut suspect: Option<usize> = None;
    for Token { kind, span } in tokens(text, Notation::Kif) {
        let (at, end) = (span.start as usize, span.end as usize);
        let node = match kind {
            TokenKind::Comment => continue,
            TokenKind::Open => {
                if open.len() == limits.depth {
                    if too_deep == 0 {
                        let message = format!("parentheses are nested deeper than {}", limits.depth);
                        let finding = Diagnostic::new(Code::NestingTooDeep, span, message, "too deep");
                        findings.push(finding.hint("no known game nests deeper than 30"));
                    }
                    too_deep += 1;
                } else {
                    let at_margin = at == 0 || text.as_bytes()[at - 1] == b'\n';
                    match open.len() {
                        0 => suspect = None,
                        _ if at_margin && suspect.is_none() => suspect = Some(at),
                        _ => {}
                    }
                    open.push((at, Vec::new()));
                }
                continue;
            }
            TokenKind::Close => {
                if too_deep > 0 {
                    too_deep -= 1;
                    continue;
                }
                let Some((from, items)) = open.pop() else {
                    let message = "a closing parenthesis without an opening one";
                    let finding = Diagnostic::new(Code::UnexpectedClosing, span, message, "closes nothing");
                    findings.push(finding.hint("remove it, or open the clause it should close"));
                    continue;
                };
                Node { kind: NodeKind::List(items), span: Span::new(from, end) }
            }
            TokenKind::Quoted => {
                let message = "a quoted name; GDL has none, and other systems may not read it";
                let finding = Diagnostic::new(Code::QuotedSymbol, span, message, "quoted");
                findings.push(finding.hint("use a plain word without blanks"));
                let (name, _) = quoted(text, at, text.as_bytes()[at]);
                Node { kind: NodeKind::Quoted(name.unwrap_or_default()), span }
            }
            TokenKind::Unfinished { line_end } => {
                let span = Span { start: span.start, end: line_end };
                let message = "a quoted name that does not end on its line";
                let finding = Diagnostic::new(Code::UnterminatedQuote, span, message, "begins here");
                findings.push(finding.hint("close the quote, or remove it"));
                // What would be a bare word is taken for the name.
                Node { kind: NodeKind::Quoted(text[at + 1..end].to_owned()), span }
            }
            // All that is left is a bare word.
            _ => Node { kind: NodeKind::Word(&text[at..end]), span },
        };
        if too_deep == 0 {
            match open.last_mut() {
                Some((_, items)) => items.push(node),
                None => top.push(node),
            }
        }
    }
    if let Some((from, _)) = open.first() {
        let span = Span::new(*from, from + 1);
        let count = open.len() + too_deep;
        let message = match count {
            1 => "a parenthesis is never closed".to_owned(),
            n => format!("{n} parentheses are never closed"),
        };
        let finding = Diagnostic::new(Code::UnclosedParenthesis, span, message, "this clause has no end")
            .hint("add the missing `)` at the end of this clause");
        findings.push(match suspect {
            Some(next) => finding.related(Span::new(next, next + 1), "the next clause seems to begin here"),
            None => finding,
        });
    }
    top
}

/// The name behind the quote at `at` and the offset behind it; no name if the line ends first.
/// A backslash takes the next character as it is.
pub fn quoted(text: &str, at: usize, quote: u8) -> (Option<String>, usize) {
    let mut name = String::new();
    let mut chars = text[at + 1..].char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '\n' => return (None, at + 1 + offset),
            '\\' => name.extend(chars.next().map(|(_, c)| c)),
            c if c == char::from(quote) => return (Some(name), at + 2 + offset),
            c => name.push(c),
        }
    }
    (None, text.len())
}

/// Nested lists to clauses. Every method returns `None` after it has reported why.
struct Builder<'f> {
    symbols: Symbols,
    findings: &'f mut Findings,
}

impl Builder<'_> {
    fn report<T>(&mut self, code: Code, span: Span, message: &str, label: &str, hint: &str) -> Option<T> {
        self.findings.push(Diagnostic::new(code, span, message, label).hint(hint));
        None
    }

    fn clause(&mut self, node: &Node<'_>) -> Option<Clause> {
        let span = node.span;
        if let NodeKind::List(items) = &node.kind
            && let Some(Node { kind: NodeKind::Word("<="), .. }) = items.first()
        {
            let Some(head) = items.get(1) else {
                let hint = "write `(<= head condition ...)`";
                return self.report(Code::NotAClause, span, "a rule without a head", "empty rule", hint);
            };
            let head = self.head(head);
            // Read the body even when the head is bad: all findings at once.
            let body: Vec<Option<Formula>> = items[2..].iter().map(|item| self.formula(item)).collect();
            return Some(Clause { head: head?, body: Some(body.into_iter().collect::<Option<_>>()?), span });
        }
        let is_fact = match &node.kind {
            NodeKind::Word("<=") => {
                let hint = "a rule is one list: `(<= head condition ...)`";
                return self.report(Code::UnexpectedToken, span, "an arrow outside a rule", "here", hint);
            }
            NodeKind::Word(word) => !word.starts_with('?') && !is_number(word),
            _ => true,
        };
        if !is_fact {
            let hint = "at top level stand facts `(role x)` and rules `(<= head condition ...)`";
            return self.report(Code::NotAClause, span, "this is no clause", "neither fact nor rule", hint);
        }
        Some(Clause { head: self.head(node)?, body: None, span })
    }

    fn head(&mut self, node: &Node<'_>) -> Option<Term> {
        let word = match &node.kind {
            NodeKind::Word(word) => Some(*word),
            NodeKind::List(items) => match items.first() {
                Some(Node { kind: NodeKind::Word(word), .. }) => Some(*word),
                _ => None,
            },
            NodeKind::Quoted(_) => None,
        };
        let connective = word.is_some_and(|word| {
            word == "<="
                || matches!(
                    Keyword::of(word),
                    Some(Keyword::Not | Keyword::Or | Keyword::And | Keyword::Distinct)
                )
        });
        let variable = matches!(&node.kind, NodeKind::Word(word) if word.starts_with('?'));
        if connective || variable {
            let message = "the head of a clause must be a relation";
            let hint =
                "a clause defines one relation, such as `(legal ?p (mark ?x))`; conditions go into the body";
            return self.report(Code::BadHead, node.span, message, "not a relation", hint);
        }
        self.term(node)
    }

    fn formula(&mut self, node: &Node<'_>) -> Option<Formula> {
        let span = node.span;
        if let NodeKind::List(items) = &node.kind
            && let Some(Node { kind: NodeKind::Word(word), .. }) = items.first()
            && let Some(keyword) = Keyword::of(word)
        {
            let rest = &items[1..];
            let wrong = match keyword {
                Keyword::Not if rest.len() != 1 => Some("`not` takes one condition"),
                Keyword::Or if rest.is_empty() => Some("`or` takes at least one condition"),
                Keyword::And if rest.is_empty() => Some("`and` takes at least one condition"),
                Keyword::Distinct if rest.len() != 2 => Some("`distinct` takes two terms"),
                _ => None,
            };
            if let Some(message) = wrong {
                let label = format!("{} given", rest.len());
                return self.report(Code::KeywordArity, span, message, &label, "complete the condition");
            }
            let kind = match keyword {
                Keyword::Not => FormulaKind::Not(Box::new(self.formula(&rest[0])?)),
                Keyword::Or => FormulaKind::Or(self.formulas(rest)?),
                Keyword::And => FormulaKind::And(self.formulas(rest)?),
                Keyword::Distinct => {
                    let (left, right) = (self.term(&rest[0]), self.term(&rest[1]));
                    FormulaKind::Distinct(left?, right?)
                }
                _ => FormulaKind::Atom(self.term(node)?),
            };
            return Some(Formula { kind, span });
        }
        if let NodeKind::Word(word) = &node.kind
            && word.starts_with('?')
        {
            let hint = "write the relation that should hold, such as `(true ?f)`";
            let message = "a variable cannot be a condition";
            return self.report(Code::UnexpectedToken, span, message, "not a condition", hint);
        }
        Some(Formula { kind: FormulaKind::Atom(self.term(node)?), span })
    }

    fn formulas(&mut self, nodes: &[Node<'_>]) -> Option<Vec<Formula>> {
        let all: Vec<Option<Formula>> = nodes.iter().map(|node| self.formula(node)).collect();
        all.into_iter().collect()
    }

    fn term(&mut self, node: &Node<'_>) -> Option<Term> {
        let span = node.span;
        let kind = match &node.kind {
            NodeKind::Quoted(name) => TermKind::Constant(self.symbols.intern(name)),
            NodeKind::Word("<=") => {
                let hint = "an arrow stands first in a clause: close the clause before it";
                return self.report(Code::UnexpectedToken, span, "an arrow inside a clause", "here", hint);
            }
            NodeKind::Word("?") => {
                let hint = "give the variable a name: `?x`";
                return self.report(Code::UnexpectedToken, span, "a variable without a name", "here", hint);
            }
            NodeKind::Word(word) => match word.strip_prefix('?') {
                Some(name) => TermKind::Variable(self.symbols.intern(name)),
                None => TermKind::Constant(self.symbols.intern(word)),
            },
            NodeKind::List(items) => {
                let Some((first, rest)) = items.split_first() else {
                    let hint = "remove it, or write the term that is missing";
                    return self.report(Code::EmptyList, span, "an empty pair of parentheses", "empty", hint);
                };
                let name = match &first.kind {
                    NodeKind::Quoted(name) => self.symbols.intern(name),
                    NodeKind::Word(word) if *word != "<=" && !word.starts_with('?') => {
                        self.symbols.intern(word)
                    }
                    _ => {
                        let hint = "a list begins with the name of a relation or function";
                        let message = "a list must begin with a name";
                        return self.report(Code::UnexpectedToken, first.span, message, "not a name", hint);
                    }
                };
                let arguments: Vec<Option<Term>> = rest.iter().map(|item| self.term(item)).collect();
                TermKind::Compound(name, arguments.into_iter().collect::<Option<_>>()?)
            }
        };
        Some(Term { kind, span })
    }
}

fn is_number(word: &str) -> bool {
    word.parse::<i64>().is_ok()
}
