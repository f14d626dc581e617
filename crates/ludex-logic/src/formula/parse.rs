//! The reader for formulas.

use super::error::FormulaError;
use super::{Formula, Node, NodeKind, Quantifier, Term};
use ludex_gdl::syntax::{Span, quoted};
use std::sync::Arc;

/// Longest text and deepest nesting: the walks over formulas are recursive.
const MOST_BYTES: usize = 1 << 20;
const MOST_DEPTH: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Name(String),
    Variable(String),
    Sign(&'static str),
    End,
}

impl Token {
    fn describe(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Variable(name) => format!("the variable `{name}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the formula".to_owned(),
        }
    }
}

/// Longer signs first, so that `<=>` is not read as something shorter.
const SIGNS: [&str; 12] = ["<=>", "=>", "..", "!=", "=", "(", ")", "{", "}", ",", ":", "*"];

/// Words that cannot be relations in a formula.
const WORDS: [&str; 7] = ["not", "and", "or", "next", "forall", "exists", "in"];

/// Reads a formula.
pub(super) fn formula(text: &Arc<str>) -> Result<Formula, FormulaError> {
    let mut parser = Parser::new(text)?;
    let root = parser.iff()?;
    parser.end()?;
    Ok(Formula { text: text.clone(), root })
}

/// Reads what stands in the parentheses of a named property: a fluent, perhaps negated, and what follows is
/// nothing. `offset` is where it begins in the whole text.
pub(super) fn fluent(text: &Arc<str>, range: Span) -> Result<(bool, Term), FormulaError> {
    let mut parser = Parser::within(text, range)?;
    let negated = parser.take_word("not");
    let term = parser.term()?;
    parser.end()?;
    Ok((negated, term))
}

struct Parser<'t> {
    text: &'t Arc<str>,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    anonymous: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t Arc<str>) -> Result<Parser<'t>, FormulaError> {
        Parser::within(text, Span::new(0, text.len()))
    }

    fn within(text: &'t Arc<str>, range: Span) -> Result<Parser<'t>, FormulaError> {
        if text.len() > MOST_BYTES {
            let message =
                format!("the formula has {} bytes, more than the limit of {MOST_BYTES}", text.len());
            return Err(FormulaError::new(text, Span::new(0, 0), message, "not read"));
        }
        Ok(Parser { text, tokens: lex(text, range)?, at: 0, depth: 0, anonymous: 0 })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn take(&mut self, sign: &'static str) -> bool {
        let found = *self.peek() == Token::Sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Name(name) if name == word);
        if found {
            self.advance();
        }
        found
    }

    fn unexpected<T>(&self, wanted: &str, hint: &str) -> Result<T, FormulaError> {
        let message = format!("expected {wanted}, found {}", self.peek().describe());
        Err(FormulaError::new(self.text, self.span(), message, "unexpected").hint(hint))
    }

    fn expect(&mut self, sign: &'static str, hint: &str) -> Result<(), FormulaError> {
        if self.take(sign) { Ok(()) } else { self.unexpected(&format!("`{sign}`"), hint) }
    }

    fn end(&self) -> Result<(), FormulaError> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign(")") => {
                let message = "a closing parenthesis without an opening one";
                Err(FormulaError::new(self.text, self.span(), message, "closes nothing").hint("remove it"))
            }
            _ => self.unexpected(
                "a connective or the end of the formula",
                "connectives are `and`, `or`, `=>` and `<=>`",
            ),
        }
    }

    fn iff(&mut self) -> Result<Node, FormulaError> {
        let mut left = self.implies()?;
        while self.take("<=>") {
            let right = self.implies()?;
            let span = left.span.to(right.span);
            left = Node { kind: NodeKind::Iff(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn implies(&mut self) -> Result<Node, FormulaError> {
        let left = self.or()?;
        if !self.take("=>") {
            return Ok(left);
        }
        let right = self.nested(Parser::implies)?;
        let span = left.span.to(right.span);
        Ok(Node { kind: NodeKind::Implies(Box::new(left), Box::new(right)), span })
    }

    fn or(&mut self) -> Result<Node, FormulaError> {
        let mut parts = vec![self.and()?];
        while self.take_word("or") {
            parts.push(self.and()?);
        }
        Ok(joined(parts, NodeKind::Or))
    }

    fn and(&mut self) -> Result<Node, FormulaError> {
        let mut parts = vec![self.simple()?];
        while self.take_word("and") || self.take(",") {
            parts.push(self.simple()?);
        }
        Ok(joined(parts, NodeKind::And))
    }

    fn simple(&mut self) -> Result<Node, FormulaError> {
        self.nested(|parser| {
            let start = parser.span();
            let wrapped = |parser: &mut Self, kind: fn(Box<Node>) -> NodeKind| {
                let inner = parser.simple()?;
                let span = start.to(inner.span);
                Ok(Node { kind: kind(Box::new(inner)), span })
            };
            if parser.take_word("not") {
                return wrapped(parser, NodeKind::Not);
            }
            if parser.take_word("next") {
                return wrapped(parser, NodeKind::Next);
            }
            if parser.take_word("forall") {
                return parser.quantifier(start, Quantifier::Forall);
            }
            if parser.take_word("exists") {
                let kind = parser.bounds()?;
                return parser.quantifier(start, kind);
            }
            if parser.take("(") {
                let inner = parser.iff()?;
                if !parser.take(")") {
                    if *parser.peek() == Token::End {
                        let message = "a parenthesis is never closed";
                        let error = FormulaError::new(parser.text, start, message, "opened here");
                        return Err(error.hint("add the missing `)`"));
                    }
                    return parser
                        .unexpected("`)` or a connective", "connectives are `and`, `or`, `=>`, `<=>`");
                }
                return Ok(Node { kind: inner.kind, span: start.to(parser.last_span()) });
            }
            parser.atom()
        })
    }

    fn atom(&mut self) -> Result<Node, FormulaError> {
        let start = self.span();
        match self.peek() {
            Token::Name(name) if WORDS.contains(&name.as_str()) => {
                return self.unexpected("a condition", "connectives stand between two conditions");
            }
            Token::Name(_) | Token::Variable(_) => {}
            _ => {
                return self
                    .unexpected("a condition", "such as `true(cell(1,1,b))`, `legal(P,M)` or `terminal`");
            }
        }
        let left = self.term()?;
        for (sign, equal) in [("=", true), ("!=", false)] {
            if self.take(sign) {
                let right = self.term()?;
                return Ok(comparison(left, right, equal, start.to(self.last_span())));
            }
        }
        let span = left.span;
        if left.is_variable {
            let message = "a variable is no condition";
            let error = FormulaError::new(self.text, span, message, "a variable");
            return Err(error.hint("write the relation that should hold, such as `true(F)`"));
        }
        if left.name == "distinct" && left.arguments.len() == 2 {
            let mut arguments = left.arguments.into_iter();
            if let (Some(a), Some(b)) = (arguments.next(), arguments.next()) {
                return Ok(comparison(a, b, false, span));
            }
            return self.unexpected("two terms", "`distinct` takes two terms");
        }
        Ok(Node { kind: NodeKind::Atom(left), span })
    }

    /// `m..n` behind `exists`.
    fn bounds(&mut self) -> Result<Quantifier, FormulaError> {
        let Token::Name(word) = self.peek().clone() else { return Ok(Quantifier::Exists(1, None)) };
        let Ok(least) = word.parse::<usize>() else { return Ok(Quantifier::Exists(1, None)) };
        let start = self.span();
        self.advance();
        self.expect("..", "write `exists m..n X: ...`, with `*` for no upper bound")?;
        if self.take("*") {
            return Ok(Quantifier::Exists(least, None));
        }
        if let Token::Name(word) = self.peek().clone()
            && let Ok(most) = word.parse::<usize>()
        {
            self.advance();
            if most < least {
                let span = start.to(self.last_span());
                let message = format!("no number is at least {least} and at most {most}");
                return Err(
                    FormulaError::new(self.text, span, message, "empty").hint("the smaller number first")
                );
            }
            return Ok(Quantifier::Exists(least, Some(most)));
        }
        self.unexpected("a number or `*`", "write `exists 0..1 X: ...` or `exists 2..* X: ...`")
    }

    fn quantifier(&mut self, start: Span, kind: Quantifier) -> Result<Node, FormulaError> {
        let mut variables: Vec<(String, Span)> = Vec::new();
        loop {
            let span = self.span();
            let Token::Variable(name) = self.peek().clone() else {
                return self
                    .unexpected("a variable", "variables begin with a capital letter: `forall X, Y: ...`");
            };
            if name == "_" || variables.iter().any(|(other, _)| *other == name) {
                let message = "each variable of a quantifier needs a name of its own";
                return Err(FormulaError::new(self.text, span, message, "not a new name").hint("rename it"));
            }
            self.advance();
            variables.push((name, span));
            if !self.take(",") {
                break;
            }
        }
        let values = if self.take_word("in") {
            self.expect("{", "the values are listed in braces: `in {1, 2, 3}`")?;
            let mut values = vec![self.term()?];
            while self.take(",") {
                values.push(self.term()?);
            }
            self.expect("}", "the list of values ends with `}`")?;
            Some(values)
        } else {
            None
        };
        self.expect(":", "a colon stands between the variables and what is said of them")?;
        let body = Box::new(self.iff()?);
        let span = start.to(body.span);
        Ok(Node { kind: NodeKind::Quantifier { kind, variables, values, body }, span })
    }

    fn term(&mut self) -> Result<Term, FormulaError> {
        self.nested(|parser| {
            let start = parser.span();
            let (name, is_variable) = match parser.peek().clone() {
                Token::Name(name) => (name, false),
                Token::Variable(name) if name == "_" => {
                    parser.anonymous += 1;
                    (format!("_{}", parser.anonymous), true)
                }
                Token::Variable(name) => (name, true),
                _ => return parser.unexpected("a term", "terms are names, variables, or name(term, ...)"),
            };
            parser.advance();
            let mut arguments = Vec::new();
            let open = parser.span();
            if !is_variable && parser.take("(") {
                arguments.push(parser.term()?);
                while parser.take(",") {
                    arguments.push(parser.term()?);
                }
                if !parser.take(")") {
                    if *parser.peek() == Token::End {
                        let message = "a parenthesis is never closed";
                        let error = FormulaError::new(parser.text, open, message, "opened here");
                        return Err(error.hint("add the missing `)`"));
                    }
                    return parser.unexpected("`,` or `)`", "arguments are separated by commas");
                }
            }
            Ok(Term { name, is_variable, arguments, span: start.to(parser.last_span()) })
        })
    }

    fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        if self.depth == MOST_DEPTH {
            let message = format!("the formula is nested deeper than {MOST_DEPTH}");
            return Err(FormulaError::new(self.text, self.span(), message, "too deep"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}

fn comparison(left: Term, right: Term, equal: bool, span: Span) -> Node {
    let kind = NodeKind::Equal(left, right);
    if equal {
        Node { kind, span }
    } else {
        Node { kind: NodeKind::Not(Box::new(Node { kind, span })), span }
    }
}

fn joined(mut parts: Vec<Node>, kind: fn(Vec<Node>) -> NodeKind) -> Node {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let span = parts[0].span.to(parts[parts.len() - 1].span);
    Node { kind: kind(parts), span }
}

fn lex(text: &Arc<str>, range: Span) -> Result<Vec<(Token, Span)>, FormulaError> {
    let mut tokens = Vec::new();
    let (mut at, end) = (range.start as usize, range.end as usize);
    while let Some(c) = text[at..end].chars().next() {
        let rest = &text[at..end];
        let from = at;
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let token = if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            Token::Sign(sign)
        } else if c == '\'' {
            let (name, behind) = quoted(&text[..end], from, b'\'');
            let Some(name) = name else {
                let message = "a quoted name that does not end";
                return Err(FormulaError::new(text, Span::new(from, end), message, "begins here")
                    .hint("close the quote"));
            };
            at = behind;
            Token::Name(name)
        } else if c.is_alphanumeric() || c == '_' || is_negative_number(rest) {
            let sign = usize::from(c == '-');
            let length = rest[sign..].find(|c: char| !c.is_alphanumeric() && c != '_');
            at += length.map_or(rest.len(), |length| length + sign);
            let word = text[from..at].to_owned();
            if c == '_' || c.is_uppercase() { Token::Variable(word) } else { Token::Name(word) }
        } else {
            let span = Span::new(from, from + c.len_utf8());
            let message = format!("the character {c:?} has no use here");
            return Err(FormulaError::new(text, span, message, "this one")
                .hint("names with other characters go in single quotes: 'less-than'"));
        };
        tokens.push((token, Span::new(from, at)));
    }
    tokens.push((Token::End, Span::new(end, end)));
    Ok(tokens)
}

fn is_negative_number(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
}
