//! Text to tree and back.
//!
//! Two notations, chosen by content ([`Notation::of`]): KIF, `(<= (legal ?p (mark ?x)) ...)`, in which
//! nearly all games are published, and the infix notation of the papers,
//! `legal(P, mark(X)) :- ... .`. Parsing never fails: it returns what could be read and a list of
//! findings. [`mod@print`] writes a tree in either notation, and as a program for answer-set solvers.

mod infix;
mod kif;
pub mod print;
mod span;
pub mod token;
pub mod tree;

pub use kif::quoted;
pub(crate) use span::floor;
pub use span::{Lines, Span, line_column};

use crate::diagnostic::{Code, Diagnostic};
use std::sync::Arc;
use tree::Tree;

/// How a sheet is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// Prefix notation with parentheses, variables with a question mark.
    Kif,
    /// Prolog-like notation, variables with a capital letter.
    Infix,
}

/// What a text may cost. Rules come from strangers; these bounds keep a hostile text cheap.
#[derive(Clone, Copy, Debug)]
pub struct TextLimits {
    /// Longest text, in bytes.
    pub bytes: usize,
    /// Deepest nesting of parentheses. The walks over trees are recursive, so this bounds their stack.
    pub depth: usize,
    /// Most findings that are kept.
    pub findings: usize,
    /// Most literals after the disjunctions of all clauses are split.
    pub literals: usize,
    /// Most conditions of one rule, after disjunctions are split. What orders, compiles and tries conditions takes
    /// more than linear time in their number, and this keeps it cheap.
    pub conditions: usize,
    /// Most names and variables in one rule, counted as often as they stand there.
    pub words: usize,
    /// Most arguments of a relation or function.
    pub arguments: usize,
}

impl Default for TextLimits {
    /// Forty times the longest known sheet (417 KB); the deepest known nesting is 28, the longest known rule has
    /// 102 conditions (statespacelarge), and no known relation more than 50 arguments (ruledepthlinear).
    fn default() -> TextLimits {
        TextLimits {
            bytes: 16 << 20,
            depth: 200,
            findings: 200,
            literals: 2_000_000,
            conditions: 1_000,
            words: 10_000,
            arguments: 400,
        }
    }
}

/// A text that was read: the tree and what was found on the way.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The text itself, which the spans point into.
    pub text: Arc<str>,
    /// In which notation it was read.
    pub notation: Notation,
    /// Everything that could be understood.
    pub tree: Tree,
    /// What could not, or only with a frown.
    pub findings: Vec<Diagnostic>,
}

/// Reads a sheet. Bytes that are not UTF-8 (an old comment in Latin-1, say) are replaced and reported.
pub fn parse_bytes(bytes: &[u8], limits: &TextLimits) -> Parsed {
    if bytes.len() > limits.bytes {
        return too_large(bytes.len(), limits);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, limits),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            // Replacement does not move what stands before the first bad byte.
            let at = error.valid_up_to();
            let mut parsed = parse(&text, limits);
            let finding = Diagnostic::new(
                Code::NotUtf8,
                Span::new(at, at + '\u{FFFD}'.len_utf8()),
                "the text is not UTF-8",
                "the first byte that is not",
            );
            parsed.findings.push(finding.hint("save the file as UTF-8; the bad bytes were replaced"));
            parsed
        }
    }
}

/// Reads a sheet in whichever notation its content shows.
pub fn parse(text: &str, limits: &TextLimits) -> Parsed {
    if text.len() > limits.bytes {
        return too_large(text.len(), limits);
    }
    let text: Arc<str> = text.into();
    let mut findings = Findings::new(limits);
    let mut start = 0;
    if text.starts_with('\u{FEFF}') {
        start = '\u{FEFF}'.len_utf8();
        findings.push(
            Diagnostic::new(
                Code::ByteOrderMark,
                Span::new(0, start),
                "the text begins with a byte-order mark",
                "here",
            )
            .hint("save the file without one; it is ignored"),
        );
    }
    let notation = Notation::of(&text[start..]);
    let tree = match notation {
        Notation::Kif => kif::parse(&text, limits, &mut findings),
        Notation::Infix => infix::parse(&text, limits, &mut findings),
    };
    Parsed { text, notation, tree, findings: findings.list }
}

fn too_large(length: usize, limits: &TextLimits) -> Parsed {
    let message = format!("the text has {length} bytes, more than the limit of {}", limits.bytes);
    let finding = Diagnostic::new(Code::InputTooLarge, Span::default(), message, "not read");
    let finding = finding.hint("split the sheet, or raise the limit if it is really one game");
    Parsed { text: "".into(), notation: Notation::Kif, tree: Tree::default(), findings: vec![finding] }
}

impl Notation {
    /// Tells the notation from the first thing that is not a comment: a KIF sheet opens with a
    /// parenthesis, an infix clause with a name that `(`, `.`, `:-` or `<=` follows.
    pub fn of(text: &str) -> Notation {
        let mut rest = text.trim_start();
        while rest.starts_with([';', '%']) || rest.starts_with("/*") {
            let end = if rest.starts_with("/*") {
                rest.find("*/").map(|i| i + 2)
            } else {
                rest.find('\n').map(|i| i + 1)
            };
            rest = end.map_or("", |i| &rest[i..]).trim_start();
        }
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let opens_infix = if rest.starts_with('\'') {
            true
        } else {
            let after = name.trim_start();
            let joined = after.len() == name.len();
            name.len() < rest.len()
                && ((joined && (after.starts_with('(') || ends_clause(after)))
                    || after.starts_with(":-")
                    || after.starts_with("<=")
                    || after.starts_with('\u{21D0}'))
        };
        if opens_infix { Notation::Infix } else { Notation::Kif }
    }
}

/// True at a full stop that blanks or the end of the text follow.
fn ends_clause(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Collects findings up to the limit; one last finding says that there were more.
pub(crate) struct Findings {
    pub(crate) list: Vec<Diagnostic>,
    limit: usize,
}

impl Findings {
    pub(crate) fn new(limits: &TextLimits) -> Findings {
        Findings { list: Vec::new(), limit: limits.findings }
    }

    /// Adds a remark, as long as there is room: too many remarks are no error.
    pub(crate) fn push_remark(&mut self, remark: Diagnostic) {
        if self.list.len() < self.limit {
            self.list.push(remark);
        }
    }

    pub(crate) fn push(&mut self, finding: Diagnostic) {
        match self.list.len().cmp(&self.limit) {
            std::cmp::Ordering::Less => self.list.push(finding),
            std::cmp::Ordering::Equal => self.list.push(
                Diagnostic::new(
                    Code::TooManyFindings,
                    finding.span,
                    format!("more than {} findings; the rest is left out", self.limit),
                    "reading went on from here",
                )
                .hint("mend the first ones and check again"),
            ),
            std::cmp::Ordering::Greater => {}
        }
    }
}
