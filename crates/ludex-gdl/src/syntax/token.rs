//! Text to tokens, in both notations: what the readers read, and what an editor colours.
//!
//! Every character that is not a blank belongs to a token, comments included, and no text stops it: a quote that
//! does not end and a character that has no use are tokens too. Whether the tokens make clauses is the readers' business.

use super::{Notation, Span, quoted};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// From `;` or `%` to the end of the line, or from `/*` to `*/`.
    Comment,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// `,` of the infix notation.
    Comma,
    /// `.` of the infix notation.
    Stop,
    /// `<=`, in infix notation also `:-`.
    Arrow,
    /// A bare word that is not a variable.
    Name,
    /// A variable; in KIF with its question mark, and maybe nothing behind it.
    Variable,
    /// A name in quotes.
    Quoted,
    /// A quote that does not end on its line, with what would be a bare word behind it.
    Unfinished {
        /// Where the line ends.
        line_end: u32,
    },
    /// A character that the infix notation has no use for.
    Stray,
}

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands.
    pub span: Span,
}

/// The tokens of a text, in its order. Takes time in the length of the text.
pub fn tokens(text: &str, notation: Notation) -> Tokens<'_> {
    let at = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
    Tokens { text, notation, at, endless: at }
}

/// The iterator of [`tokens`].
#[derive(Clone, Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    notation: Notation,
    at: usize,
    /// No quote before this offset ends: one that was tried has found no end up to here, and a later one reads the
    /// same characters.
    endless: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let token = match self.notation {
            Notation::Kif => self.kif(),
            Notation::Infix => self.infix(),
        };
        if let Some(token) = &token {
            self.at = token.span.end as usize;
        }
        token
    }
}

impl Tokens<'_> {
    fn kif(&self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0C);
        let from = self.at + bytes[self.at..].iter().position(|byte| !blank(byte))?;
        Some(match bytes[from] {
            b';' => token(TokenKind::Comment, from, self.line_end(from)),
            b'(' => token(TokenKind::Open, from, from + 1),
            b')' => token(TokenKind::Close, from, from + 1),
            quote @ (b'"' | b'\'') => match quoted(self.text, from, quote) {
                (Some(_), end) => token(TokenKind::Quoted, from, end),
                (None, line_end) => {
                    let kind = TokenKind::Unfinished { line_end: line_end as u32 };
                    token(kind, from, self.kif_word_end(from + 1))
                }
            },
            first => {
                let end = self.kif_word_end(from);
                let kind = match first {
                    b'?' => TokenKind::Variable,
                    _ if &self.text[from..end] == "<=" => TokenKind::Arrow,
                    _ => TokenKind::Name,
                };
                token(kind, from, end)
            }
        })
    }

    fn infix(&mut self) -> Option<Token> {
        let blanks = self.text[self.at..].find(|c: char| !c.is_whitespace())?;
        let from = self.at + blanks;
        let rest = &self.text[from..];
        let c = rest.chars().next()?;
        let single = |kind| token(kind, from, from + c.len_utf8());
        Some(match c {
            '%' => token(TokenKind::Comment, from, self.line_end(from)),
            '/' if rest.starts_with("/*") => {
                let end = rest.find("*/").map_or(self.text.len(), |length| from + length + 2);
                token(TokenKind::Comment, from, end)
            }
            '(' => single(TokenKind::Open),
            ')' => single(TokenKind::Close),
            ',' => single(TokenKind::Comma),
            '.' => single(TokenKind::Stop),
            _ if rest.starts_with(":-") || rest.starts_with("<=") => token(TokenKind::Arrow, from, from + 2),
            '\u{21D0}' => single(TokenKind::Arrow),
            '\'' => {
                let (name, end) =
                    if from < self.endless { (None, self.endless) } else { quoted(self.text, from, b'\'') };
                if name.is_some() {
                    return Some(token(TokenKind::Quoted, from, end));
                }
                self.endless = end;
                let kind = TokenKind::Unfinished { line_end: end as u32 };
                token(kind, from, from + 1 + word_length(&rest[1..]))
            }
            c if c == '_' || c.is_alphanumeric() || is_negative_number(rest) => {
                let kind = if c == '_' || c.is_uppercase() { TokenKind::Variable } else { TokenKind::Name };
                token(kind, from, from + word_length(rest))
            }
            _ => single(TokenKind::Stray),
        })
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..].find('\n').map_or(self.text.len(), |length| from + length)
    }

    /// Where the bare word ends that begins at `from`.
    fn kif_word_end(&self, from: usize) -> usize {
        let delimiter = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0C | b'(' | b')' | b';');
        self.text.as_bytes()[from..]
            .iter()
            .position(delimiter)
            .map_or(self.text.len(), |length| from + length)
    }
}

fn token(kind: TokenKind, from: usize, to: usize) -> Token {
    Token { kind, span: Span::new(from, to) }
}

fn is_negative_number(rest: &str) -> bool {
    rest.strip_prefix('-').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
}

/// Length of the bare word at the start of `rest`, in infix notation. Printing relies on it to decide what needs quotes.
fn word_length(rest: &str) -> usize {
    let sign = usize::from(rest.starts_with('-'));
    sign + rest[sign..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - sign)
}

/// True if `name` reads back as a bare name of the infix notation.
pub fn is_bare_name(name: &str) -> bool {
    let starts =
        name.starts_with(|c: char| c.is_alphanumeric() && !c.is_uppercase()) || is_negative_number(name);
    starts && word_length(name) == name.len()
}

/// True if `name` reads back as a variable of the infix notation that is not anonymous.
pub fn is_variable_name(name: &str) -> bool {
    name != "_" && name.starts_with(|c: char| c == '_' || c.is_uppercase()) && word_length(name) == name.len()
}
