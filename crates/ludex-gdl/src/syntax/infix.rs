//! The reader for the infix notation of the papers.
//!
//! ```text
//! clause  = term [ (":-" | "<=") body ] "."
//! body    = conj { "or" conj }            `or` binds weaker than the comma
//! conj    = literal { "," literal }
//! literal = "not" literal | "(" body ")" | "distinct" "(" term "," term ")" | term
//! term    = name [ "(" term { "," term } ")" ] | Variable
//! ```
//!
//! Names begin with a small letter or a digit (`-3` is a name too); anything else is written in single
//! quotes. Variables begin with a capital letter or an underscore; each lone `_` is a variable of its own.

use super::token::{self, TokenKind};
use super::tree::{Clause, Formula, FormulaKind, Term, TermKind, Tree};
use super::{Findings, Notation, Span, TextLimits, quoted};
use crate::diagnostic::{Code, Diagnostic};
use crate::symbols::{Keyword, Symbols};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Quoted(String),
    Variable(String),
    Arrow,
    Comma,
    Stop,
    Open,
    Close,
    End,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Quoted(name) => format!("`'{name}'`"),
            Token::Variable(name) => format!("the variable `{name}`"),
            Token::Arrow => "`:-`".to_owned(),
            Token::Comma => "`,`".to_owned(),
            Token::Stop => "`.`".to_owned(),
            Token::Open => "`(`".to_owned(),
            Token::Close => "`)`".to_owned(),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

pub(super) fn parse(text: &str, limits: &TextLimits, findings: &mut Findings) -> Tree {
    let tokens = lex(text, findings);
    let depth = limits.depth;
    let mut parser = Parser { tokens, at: 0, depth, symbols: Symbols::default(), findings, anonymous: 0 };
    let mut clauses = Vec::new();
    while parser.peek() != &Token::End {
        match parser.clause() {
            Some(clause) => clauses.push(clause),
            None => parser.skip_clause(),
        }
    }
    Tree { symbols: parser.symbols, clauses }
}

/// The tokens without comments and strays, which are reported. At least one: the end.
fn lex(text: &str, findings: &mut Findings) -> Vec<(Token, Span)> {
    let mut result = Vec::new();
    for token::Token { kind, span } in token::tokens(text, Notation::Infix) {
        let word = &text[span.start as usize..span.end as usize];
        let token = match kind {
            TokenKind::Comment => continue,
            TokenKind::Open => Token::Open,
            TokenKind::Close => Token::Close,
            TokenKind::Comma => Token::Comma,
            TokenKind::Stop => Token::Stop,
            TokenKind::Arrow => Token::Arrow,
            TokenKind::Name => Token::Name(word.to_owned()),
            TokenKind::Variable => Token::Variable(word.to_owned()),
            TokenKind::Quoted => Token::Quoted(quoted(word, 0, b'\'').0.unwrap_or_default()),
            TokenKind::Unfinished { line_end } => {
                let message = "a quoted name that does not end on its line";
                let place = Span { start: span.start, end: line_end };
                let finding = Diagnostic::new(Code::UnterminatedQuote, place, message, "begins here");
                findings.push(finding.hint("close the quote, or remove it"));
                // What would be a bare word is taken for the name.
                Token::Quoted(word[1..].to_owned())
            }
            TokenKind::Stray => {
                let message =
                    format!("the character {:?} has no use here", word.chars().next().unwrap_or(' '));
                let finding = Diagnostic::new(Code::UnexpectedToken, span, message, "this one");
                findings.push(finding.hint("names with other characters go in single quotes: 'less-than'"));
                continue;
            }
        };
        result.push((token, span));
    }
    result.push((Token::End, Span::new(text.len(), text.len())));
    result
}

/// Methods return `None` after they have reported why.
struct Parser<'f> {
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// How many more levels of nesting are allowed.
    depth: usize,
    symbols: Symbols,
    findings: &'f mut Findings,
    anonymous: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The span of the token that was taken last.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn is_name(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Name(name) if name == word)
    }

    fn unexpected<T>(&mut self, wanted: &str, hint: &str) -> Option<T> {
        let message = format!("expected {wanted}, found {}", self.peek().describe());
        let finding = Diagnostic::new(Code::UnexpectedToken, self.span(), message, "unexpected");
        self.findings.push(finding.hint(hint));
        None
    }

    fn close(&mut self, open: Span) -> Option<()> {
        if self.take(&Token::Close) {
            return Some(());
        }
        if matches!(self.peek(), Token::Stop | Token::End | Token::Arrow) {
            let message = "a parenthesis is never closed";
            let finding = Diagnostic::new(Code::UnclosedParenthesis, open, message, "opened here");
            let finding = finding.related(self.span(), "expected `)` before this");
            self.findings.push(finding.hint("add the missing `)`"));
            return None;
        }
        self.unexpected("`,` or `)`", "arguments and conditions are separated by commas")
    }

    /// Goes behind the next full stop.
    fn skip_clause(&mut self) {
        while !matches!(self.peek(), Token::Stop | Token::End) {
            self.advance();
        }
        self.take(&Token::Stop);
    }

    fn clause(&mut self) -> Option<Clause> {
        let start = self.span();
        let head = match self.peek() {
            Token::Close => {
                let message = "a closing parenthesis without an opening one";
                let finding = Diagnostic::new(Code::UnexpectedClosing, start, message, "closes nothing");
                self.findings.push(finding.hint("remove it"));
                return None;
            }
            Token::Variable(_) => {
                let message = "the head of a clause must be a relation";
                let finding = Diagnostic::new(Code::BadHead, start, message, "a variable");
                self.findings.push(finding.hint("names begin with a small letter"));
                return None;
            }
            Token::Name(name) if name.parse::<i64>().is_ok() && self.tokens[self.at + 1].0 != Token::Open => {
                let message = "this is no clause";
                let finding = Diagnostic::new(Code::NotAClause, start, message, "a number");
                self.findings.push(finding.hint("a clause begins with the name of a relation"));
                return None;
            }
            Token::Name(name) if connective(name) => {
                let message = "the head of a clause must be a relation";
                let finding = Diagnostic::new(Code::BadHead, start, message, "not a relation");
                self.findings.push(finding.hint("conditions go into the body"));
                return None;
            }
            _ => self.term()?,
        };
        let body = if self.take(&Token::Arrow) {
            if self.peek() == &Token::Stop { Some(Vec::new()) } else { Some(conjuncts(self.body()?)) }
        } else {
            None
        };
        match self.peek() {
            Token::Stop => self.advance(),
            Token::Close => {
                let message = "a closing parenthesis without an opening one";
                let finding =
                    Diagnostic::new(Code::UnexpectedClosing, self.span(), message, "closes nothing");
                self.findings.push(finding.hint("remove it"));
                return None;
            }
            _ => return self.unexpected("`.`", "every clause ends with a full stop"),
        }
        Some(Clause { head, body, span: start.to(self.last_span()) })
    }

    fn body(&mut self) -> Option<Formula> {
        let first = self.conjunction()?;
        if !self.is_name("or") {
            return Some(first);
        }
        let mut arms = vec![first];
        while self.is_name("or") {
            self.advance();
            arms.push(self.conjunction()?);
        }
        let span = arms[0].span.to(self.last_span());
        Some(Formula { kind: FormulaKind::Or(arms), span })
    }

    fn conjunction(&mut self) -> Option<Formula> {
        let first = self.literal()?;
        if self.peek() != &Token::Comma {
            return Some(first);
        }
        let mut parts = vec![first];
        while self.take(&Token::Comma) {
            parts.push(self.literal()?);
        }
        let span = parts[0].span.to(self.last_span());
        Some(Formula { kind: FormulaKind::And(parts), span })
    }

    fn literal(&mut self) -> Option<Formula> {
        self.nested(|parser| {
            let start = parser.span();
            if parser.is_name("not") {
                parser.advance();
                let inner = parser.literal()?;
                let span = start.to(inner.span);
                return Some(Formula { kind: FormulaKind::Not(Box::new(inner)), span });
            }
            if parser.take(&Token::Open) {
                let inner = parser.body()?;
                parser.close(start)?;
                let span = start.to(parser.last_span());
                return Some(Formula { kind: inner.kind, span });
            }
            if matches!(parser.peek(), Token::Variable(_)) {
                return parser
                    .unexpected("a condition", "write the relation that should hold, such as `true(F)`");
            }
            if parser.is_name("or") || parser.is_name("and") {
                return parser.unexpected("a condition", "`or` stands between two conditions");
            }
            let distinct = parser.is_name("distinct");
            let term = parser.term()?;
            let span = term.span;
            let kind = match term.kind {
                TermKind::Compound(_, mut arguments) if distinct && arguments.len() == 2 => {
                    let right = arguments.remove(1);
                    FormulaKind::Distinct(arguments.remove(0), right)
                }
                kind if distinct => {
                    let message = "`distinct` takes two terms";
                    let given = format!("{} given", Term { kind, span }.arguments().len());
                    let finding = Diagnostic::new(Code::KeywordArity, span, message, given);
                    parser.findings.push(finding.hint("complete the condition"));
                    return None;
                }
                kind => FormulaKind::Atom(Term { kind, span }),
            };
            Some(Formula { kind, span })
        })
    }

    fn term(&mut self) -> Option<Term> {
        self.nested(|parser| {
            let start = parser.span();
            let name = match parser.peek().clone() {
                Token::Variable(name) => {
                    parser.advance();
                    let name = if name == "_" { parser.anonymous_name() } else { name };
                    return Some(Term {
                        kind: TermKind::Variable(parser.symbols.intern(&name)),
                        span: start,
                    });
                }
                Token::Name(name) | Token::Quoted(name) => parser.symbols.intern(&name),
                _ => return parser.unexpected("a term", "terms are names, variables, or name(term, ...)"),
            };
            parser.advance();
            let open = parser.span();
            if !parser.take(&Token::Open) {
                return Some(Term { kind: TermKind::Constant(name), span: start });
            }
            let mut arguments = Vec::new();
            if parser.peek() != &Token::Close {
                arguments.push(parser.term()?);
                while parser.take(&Token::Comma) {
                    arguments.push(parser.term()?);
                }
            }
            parser.close(open)?;
            let span = start.to(parser.last_span());
            Some(Term { kind: TermKind::Compound(name, arguments), span })
        })
    }

    /// A name that no text can contain, so that two anonymous variables never meet.
    fn anonymous_name(&mut self) -> String {
        self.anonymous += 1;
        format!("_#{}", self.anonymous)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == 0 {
            let message = "terms or conditions are nested too deep";
            let finding = Diagnostic::new(Code::NestingTooDeep, self.span(), message, "too deep");
            self.findings.push(finding.hint("no known game nests deeper than 30"));
            return None;
        }
        self.depth -= 1;
        let result = parse(self);
        self.depth += 1;
        result
    }
}

fn connective(name: &str) -> bool {
    matches!(Keyword::of(name), Some(Keyword::Not | Keyword::Or | Keyword::And | Keyword::Distinct))
}

/// A body's top-level conjunction as a list.
fn conjuncts(body: Formula) -> Vec<Formula> {
    match body.kind {
        FormulaKind::And(parts) => parts,
        _ => vec![body],
    }
}
