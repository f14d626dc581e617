//! A sheet in KIF, laid out anew.
//!
//! A rule has its head beside the arrow and each condition in a line of its own; whatever else fits into a line
//! stands in one. Comments stay where they are, before a clause or behind something; of several blank lines one is kept.
//! Words are never changed: the result has the same words, parentheses and comments in the same order, which is
//! verified before it is handed out. Laying out twice is laying out once.
//!
//! The infix notation is not laid out.

use super::Document;
use ludex_gdl::syntax::token::{Token, TokenKind, tokens};
use ludex_gdl::syntax::{Notation, TextLimits};
use std::fmt;

/// Lists that would go beyond this column are broken into lines.
const WIDTH: usize = 100;

/// Arguments are aligned behind names up to this length; those of longer names go four columns in.
const LONGEST_ALIGNED: usize = 12;

/// Why a text is not laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// A parenthesis or a quote has no end, or is nested beyond the limit of the reader.
    Broken,
    /// It is not written in KIF.
    Infix,
    /// The text is longer than the limit of the reader.
    TooLong,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FormatError::Broken => {
                "a parenthesis or quote has no counterpart, or nesting is too deep; mend it first"
            }
            FormatError::Infix => "only sheets in KIF are laid out",
            FormatError::TooLong => "the sheet is longer than what is read",
        })
    }
}

impl std::error::Error for FormatError {}

impl Document {
    /// The text laid out anew, with the same meaning and comments.
    pub fn format(&self) -> Result<String, FormatError> {
        if self.notation() != Notation::Kif {
            return Err(FormatError::Infix);
        }
        if self.text.len() > TextLimits::default().bytes {
            return Err(FormatError::TooLong);
        }
        let items = items(&self.text, &self.tokens).ok_or(FormatError::Broken)?;
        let mut layout = Layout { out: String::with_capacity(self.text.len()), behind_comment: false };
        if self.text.starts_with('\u{FEFF}') {
            layout.out.push('\u{FEFF}');
        }
        layout.sheet(&items);
        let same = Notation::of(layout.out.trim_start_matches('\u{FEFF}')) == Notation::Kif
            && words(&self.text, self.tokens.iter().copied())
                .eq(words(&layout.out, tokens(&layout.out, Notation::Kif)));
        if same { Ok(layout.out) } else { Err(FormatError::Broken) }
    }
}

/// Everything that counts in a text, in its order.
fn words<'t>(
    text: &'t str,
    tokens: impl Iterator<Item = Token> + 't,
) -> impl Iterator<Item = (bool, &'t str)> {
    tokens.map(|token| {
        let word = &text[token.span.start as usize..token.span.end as usize];
        (token.kind == TokenKind::Comment, word.trim_end())
    })
}

enum Item<'t> {
    Word(&'t str),
    List {
        items: Vec<Item<'t>>,
        /// Its width in one line; `None` if a comment keeps it from standing in one.
        width: Option<usize>,
        /// A blank line stands before it.
        apart: bool,
    },
    Comment {
        text: &'t str,
        /// It begins its line.
        alone: bool,
        apart: bool,
    },
}

impl Item<'_> {
    fn width(&self) -> Option<usize> {
        match self {
            Item::Word(word) => Some(word.chars().count()),
            Item::List { width, .. } => *width,
            Item::Comment { .. } => None,
        }
    }

    fn apart(&self) -> bool {
        matches!(self, Item::List { apart: true, .. } | Item::Comment { apart: true, .. })
    }
}

/// The text as nested lists with its comments; `None` if parentheses or quotes do not fit.
fn items<'t>(text: &'t str, tokens: &[Token]) -> Option<Vec<Item<'t>>> {
    let depth = TextLimits::default().depth;
    let mut open: Vec<(Vec<Item<'t>>, bool)> = vec![(Vec::new(), false)];
    let mut end = 0;
    for token in tokens {
        let (start, stop) = (token.span.start as usize, token.span.end as usize);
        let lines = text[end..start].bytes().filter(|&byte| byte == b'\n').count();
        let apart = lines > 1;
        let word = &text[start..stop];
        let item = match token.kind {
            TokenKind::Comment => {
                let alone = lines > 0 || end == 0;
                Item::Comment { text: word.trim_end(), alone, apart }
            }
            TokenKind::Open => {
                if open.len() > depth {
                    return None;
                }
                open.push((Vec::new(), apart));
                end = stop;
                continue;
            }
            TokenKind::Close => {
                let (items, apart) = open.pop()?;
                let inside = items.iter().map(Item::width).try_fold(0, |sum, width| Some(sum + width? + 1));
                // Both parentheses, and a blank less than there are items.
                let width = inside.map(|inside: usize| (inside + 1).max(2));
                Item::List { items, width, apart }
            }
            TokenKind::Unfinished { .. } => return None,
            _ => Item::Word(word),
        };
        end = stop;
        open.last_mut()?.0.push(item);
    }
    let (items, _) = open.pop()?;
    open.is_empty().then_some(items)
}

struct Layout {
    out: String,
    /// What follows needs a new line.
    behind_comment: bool,
}

impl Layout {
    fn sheet(&mut self, items: &[Item<'_>]) {
        for (number, item) in items.iter().enumerate() {
            let beside = matches!(item, Item::Comment { alone: false, .. });
            if number > 0 {
                match beside {
                    true => self.out.push(' '),
                    false => self.out.push('\n'),
                }
                if item.apart() && !beside {
                    self.out.push('\n');
                }
            }
            self.behind_comment = false;
            match item {
                Item::Comment { text, .. } => self.out.push_str(text),
                item => self.item(item, 0, 0),
            }
        }
        if !items.is_empty() {
            self.out.push('\n');
        }
    }

    /// An item at the column; `behind` is what has to stand after it in the same line.
    fn item(&mut self, item: &Item<'_>, column: usize, behind: usize) {
        let items = match item {
            Item::Word(word) => return self.out.push_str(word),
            Item::Comment { text, .. } => return self.out.push_str(text),
            Item::List { items, .. } => items,
        };
        let is_rule = matches!(items.first(), Some(Item::Word("<="))) && items.len() > 2;
        match item.width() {
            Some(width) if !is_rule && column + width + behind <= WIDTH => self.in_one_line(items),
            _ => self.in_lines(items, column, behind),
        }
    }

    /// A list without comments.
    fn in_one_line(&mut self, items: &[Item<'_>]) {
        self.out.push('(');
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                self.out.push(' ');
            }
            match item {
                Item::Word(word) | Item::Comment { text: word, .. } => self.out.push_str(word),
                Item::List { items, .. } => self.in_one_line(items),
            }
        }
        self.out.push(')');
    }

    /// A list with its second item beside the first, and each further one below the second.
    fn in_lines(&mut self, items: &[Item<'_>], column: usize, behind: usize) {
        let aligned = match items.first() {
            Some(Item::Word(word)) if word.chars().count() <= LONGEST_ALIGNED => {
                column + word.chars().count() + 2
            }
            Some(Item::Word(_)) => column + 4,
            _ => column + 1,
        };
        let beside_first =
            matches!(items.first(), Some(Item::Word(word)) if column + word.chars().count() + 2 == aligned);
        self.out.push('(');
        self.behind_comment = false;
        for (number, item) in items.iter().enumerate() {
            let last = number + 1 == items.len();
            if let Item::Comment { text, alone, .. } = item {
                if *alone || self.behind_comment {
                    self.line(aligned);
                } else {
                    self.out.push(' ');
                }
                self.out.push_str(text);
                self.behind_comment = true;
                continue;
            }
            let mut at = aligned;
            if self.behind_comment || number > 1 || number == 1 && !beside_first {
                self.line(aligned);
            } else if number == 1 {
                self.out.push(' ');
            } else {
                at = column + 1;
            }
            self.behind_comment = false;
            self.item(item, at, if last { behind + 1 } else { 0 });
            self.behind_comment = false;
        }
        if self.behind_comment {
            self.line(aligned);
            self.behind_comment = false;
        }
        self.out.push(')');
    }

    fn line(&mut self, column: usize) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', column));
    }
}
