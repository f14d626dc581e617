//! Questions about a text, without a protocol.
//!
//! A [`Document`] is made anew for each version of a text: reading the largest known sheet (417 KB) takes some tens of
//! milliseconds, and so there is nothing to keep in step. It takes any text, broken and hostile ones too, within the
//! limits of the reader ([`TextLimits`]); of a longer one it only says that it is too long. Places are offsets in
//! bytes; [`Document::position`] and its kin translate them for editors.
//!
//! What it cannot do: it knows one text at a time, since GDL has no imports; and what a variable can be is the superset
//! of [`ludex_gdl::analysis::domains`], not what play reaches.

mod completion;
mod format;
mod hover;
mod meaning;
mod names;
mod outline;
pub(crate) mod position;
mod rename;
mod shape;
mod signature;

pub use completion::Completion;
pub use format::FormatError;
pub use hover::Hover;
pub use position::Position;
pub use rename::RenameError;
pub use shape::{Colour, ColouredToken, Fold, FoldKind, Symbol};
pub use signature::Signature;

use ludex_gdl::syntax::token::{Token, tokens};
use ludex_gdl::syntax::{Notation, Span, TextLimits};
use ludex_gdl::{Diagnostic, Sheet};
use meaning::Meaning;
use names::Names;
use outline::{NodeId, Outline, Place};
use position::Positions;
use std::fmt;
use std::sync::OnceLock;

/// What a name is, by where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A reserved name: `legal`, `true`, `distinct`.
    Keyword,
    /// A relation of the sheet.
    Relation,
    /// What holds in a state.
    Fluent,
    /// What a player does.
    Move,
    /// A player.
    Role,
    /// A variable of a clause.
    Variable,
    /// A function in any other place.
    Function,
    /// A constant in any other place.
    Constant,
}

impl Sort {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Keyword => "keyword",
            Sort::Relation => "relation",
            Sort::Fluent => "fluent",
            Sort::Move => "move",
            Sort::Role => "role",
            Sort::Variable => "variable",
            Sort::Function => "function",
            Sort::Constant => "constant",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A change of a text: what stands at the span becomes the new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What goes.
    pub span: Span,
    /// What comes.
    pub text: String,
}

/// One version of a text.
#[derive(Debug)]
pub struct Document {
    text: String,
    sheet: Sheet,
    tokens: Vec<Token>,
    outline: Outline,
    names: Names,
    positions: Positions,
    meaning: OnceLock<Meaning>,
}

impl Document {
    /// Reads a text.
    pub fn new(text: impl Into<String>) -> Document {
        let text = text.into();
        let limits = TextLimits::default();
        let sheet = Sheet::read_bytes(text.as_bytes(), &limits);
        let is_read = text.len() <= limits.bytes;
        let tokens: Vec<Token> = if is_read { tokens(&text, sheet.notation).collect() } else { Vec::new() };
        let outline = if is_read { Outline::of(&text, sheet.notation, &tokens) } else { Outline::default() };
        let names = Names::of(&outline);
        let positions = Positions::of(&text);
        Document { text, sheet, tokens, outline, names, positions, meaning: OnceLock::new() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How it is written.
    pub fn notation(&self) -> Notation {
        self.sheet.notation
    }

    /// The text as it was read and checked.
    pub fn sheet(&self) -> &Sheet {
        &self.sheet
    }

    /// Everything that is wrong with it: what `ludex check` draws, at the same places.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.sheet.findings
    }

    /// The line and the UTF-16 code units of an offset, from zero.
    pub fn position(&self, offset: usize) -> Position {
        self.positions.position(&self.text, offset)
    }

    /// The offset of a line and its code units; the nearest that there is.
    pub fn offset(&self, position: Position) -> usize {
        self.positions.offset(&self.text, position)
    }

    /// How many UTF-16 code units stand before an offset, in the whole text.
    pub fn utf16(&self, offset: usize) -> usize {
        self.positions.units(&self.text, offset)
    }

    /// The offset before which so many UTF-16 code units stand.
    pub fn offset_of_utf16(&self, units: usize) -> usize {
        self.positions.offset_of_units(&self.text, units)
    }

    /// Where the name at the offset is defined: the heads of a relation's clauses; for a fluent those of `base`, `init`
    /// and `next`, for a move `input` and `legal`, for a role `role`; for all else the first place.
    pub fn definitions(&self, offset: usize) -> Vec<Span> {
        let Some(thing) = self.thing_at(offset) else { return Vec::new() };
        self.spans(&names::definitions(&self.outline, &self.names, thing))
    }

    /// Every place of the name at the offset, definitions included.
    pub fn references(&self, offset: usize) -> Vec<Span> {
        self.thing_at(offset).map_or_else(Vec::new, |thing| self.spans(self.names.occurrences(thing)))
    }

    /// The name at the offset and what it is there.
    pub fn name_at(&self, offset: usize) -> Option<(Span, Sort)> {
        let id = self.outline.named_at(offset as u32)?;
        Some((self.outline.node(id).name, self.sort(id)?))
    }

    fn thing_at(&self, offset: usize) -> Option<names::Thing> {
        names::thing(&self.outline, self.outline.named_at(offset as u32)?)
    }

    fn spans(&self, nodes: &[NodeId]) -> Vec<Span> {
        nodes.iter().map(|&id| self.outline.node(id).name).collect()
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// What the name of a node is in its place.
    fn sort(&self, id: NodeId) -> Option<Sort> {
        let node = self.outline.node(id);
        Some(match names::thing(&self.outline, id)? {
            names::Thing::Keyword(_) => Sort::Keyword,
            names::Thing::Relation(..) => Sort::Relation,
            names::Thing::Variable(..) | names::Thing::Anonymous(_) => Sort::Variable,
            names::Thing::Term(..) => match node.place {
                Place::Fluent => Sort::Fluent,
                Place::Move => Sort::Move,
                Place::Role => Sort::Role,
                _ if node.arguments > 0 => Sort::Function,
                _ => Sort::Constant,
            },
        })
    }

    /// What the analyses say, made when first asked for.
    fn meaning(&self) -> &Meaning {
        self.meaning.get_or_init(|| Meaning::of(self.sheet.rules()))
    }
}
