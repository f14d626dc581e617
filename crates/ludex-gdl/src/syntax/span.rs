//! Places in a source text.

/// A half-open range of byte offsets into the source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Span {
        Span { start: offset(start), end: offset(end) }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Inputs are limited far below 4 GiB before anything is read (`TextLimits::bytes`), so this never saturates.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The offset, or that of the character it lies in, or the end of the text.
pub(crate) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The lines of a text, for those who ask for many places: [`line_column`] reads from the beginning each time.
#[derive(Clone, Debug)]
pub struct Lines<'t> {
    text: &'t str,
    /// The offset of each line's first byte.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// Finds the lines.
    pub fn of(text: &'t str) -> Lines<'t> {
        let behind = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Lines { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    /// As [`line_column`]; takes time in the length of the line only.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.starts[line - 1];
        let (_, column) = line_column(&self.text[start..], offset.saturating_sub(start as u32));
        (line, column)
    }

    /// The line alone, one-based; takes time in the logarithm of the lines.
    pub fn line(&self, offset: u32) -> usize {
        self.starts.partition_point(|&start| start <= offset as usize)
    }
}

/// One-based line and column (in characters) of a byte offset, as an editor shows them.
pub fn line_column(text: &str, offset: u32) -> (usize, usize) {
    let before = &text[..floor(text, offset as usize)];
    let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (line, before[line_start..].chars().count() + 1)
}
