//! Offsets in bytes, and the places that editors speak of: lines and UTF-16 code units.
//!
//! A line ends with a line feed, a carriage return, or both, as the Language Server Protocol says. Any place that an
//! editor names is answered: beyond the end of a line it is the end of the line, beyond the text the end of the text,
//! inside a character its beginning.

/// A place as the protocol has it, both parts counted from zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// UTF-16 code units before it in the line.
    pub character: u32,
}

/// Code units are counted once in so many bytes, so that a place in a line of megabytes is found as fast as any.
const STEP: usize = 128;

/// The lines of a text and its length in code units up to regular marks.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    /// Where each line begins.
    lines: Vec<u32>,
    /// The code units of all characters that begin before each multiple of [`STEP`].
    marks: Vec<u32>,
}

impl Positions {
    pub(crate) fn of(text: &str) -> Positions {
        let mut positions = Positions { lines: vec![0], marks: Vec::with_capacity(text.len() / STEP + 1) };
        let bytes = text.as_bytes();
        let mut units = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if at % STEP == 0 {
                positions.marks.push(units);
            }
            units += units_of(byte);
            if byte == b'\n' || byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                positions.lines.push(at as u32 + 1);
            }
        }
        positions
    }

    /// Code units before the offset.
    pub(super) fn units(&self, text: &str, offset: usize) -> usize {
        let offset = floor(text, offset);
        let mark = (offset / STEP).min(self.marks.len().saturating_sub(1));
        let counted = self.marks.get(mark).copied().unwrap_or(0) as usize;
        counted
            + text.as_bytes()[mark * STEP..offset].iter().map(|&byte| units_of(byte) as usize).sum::<usize>()
    }

    /// The offset before which so many code units stand.
    pub(super) fn offset_of_units(&self, text: &str, units: usize) -> usize {
        let mark = self.marks.partition_point(|&counted| counted as usize <= units).saturating_sub(1);
        let mut counted = self.marks.get(mark).copied().unwrap_or(0) as usize;
        let mut at = mark * STEP;
        for &byte in &text.as_bytes()[at..] {
            let next = counted + units_of(byte) as usize;
            if next > units {
                break;
            }
            counted = next;
            at += 1;
        }
        floor(text, at)
    }

    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = floor(text, offset);
        let line = self.lines.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.lines[line] as usize;
        let character = self.units(text, offset) - self.units(text, start);
        Position { line: line as u32, character: character as u32 }
    }

    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let Some(&start) = self.lines.get(position.line as usize) else { return text.len() };
        let start = start as usize;
        let next = self.lines.get(position.line as usize + 1).map_or(text.len(), |&next| next as usize);
        let line = text[start..next].trim_end_matches(['\r', '\n']);
        let units = self.units(text, start) + position.character as usize;
        self.offset_of_units(text, units).min(start + line.len())
    }

    /// Where the lines begin.
    pub(super) fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// The line of an offset, from zero.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }
}

/// How many code units the character has that begins with this byte; none if none begins.
fn units_of(byte: u8) -> u32 {
    match byte {
        0x80..=0xBF => 0,
        0xF0..=0xFF => 2,
        _ => 1,
    }
}

/// The offset, or that of the character it lies in, or the end of the text.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::{Position, Positions, STEP};

    /// `ä` has two bytes and one unit, `𝄞` four bytes and two units.
    const TEXT: &str = "aä\r\n𝄞b\rc\n";

    #[test]
    fn lines_end_in_three_ways() {
        let positions = Positions::of(TEXT);
        assert_eq!(positions.lines(), [0, 5, 11, 13]);
        for (offset, line, character) in [
            (0, 0, 0),
            (1, 0, 1),
            (2, 0, 1),
            (3, 0, 2),
            (5, 1, 0),
            (7, 1, 0),
            (9, 1, 2),
            (10, 1, 3),
            (11, 2, 0),
            (13, 3, 0),
            (99, 3, 0),
        ] {
            assert_eq!(positions.position(TEXT, offset), Position { line, character }, "{offset}");
        }
    }

    #[test]
    fn every_place_has_an_offset() {
        let positions = Positions::of(TEXT);
        for (line, character, offset) in [
            (0, 0, 0),
            (0, 2, 3),
            (0, 9, 3),
            (1, 1, 5),
            (1, 2, 9),
            (1, u32::MAX, 10),
            (2, 1, 12),
            (3, 0, 13),
            (3, 5, 13),
            (4, 0, 13),
            (u32::MAX, u32::MAX, 13),
        ] {
            assert_eq!(positions.offset(TEXT, Position { line, character }), offset, "{line}:{character}");
        }
    }

    #[test]
    fn marks_count_as_a_plain_count_does() {
        let text: String = "xä𝄞\u{FFFD}".chars().cycle().take(5 * STEP).collect();
        let positions = Positions::of(&text);
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let units = text[..offset].encode_utf16().count();
            assert_eq!(positions.units(&text, offset), units);
            assert_eq!(positions.offset_of_units(&text, units), offset);
            let position = Position { line: 0, character: units as u32 };
            assert_eq!(positions.position(&text, offset), position);
            assert_eq!(positions.offset(&text, position), offset);
        }
    }

    #[test]
    fn an_empty_text_has_one_place() {
        let positions = Positions::of("");
        assert_eq!(positions.position("", 5), Position::default());
        assert_eq!(positions.offset("", Position { line: 3, character: 3 }), 0);
        assert_eq!(positions.offset_of_units("", 7), 0);
    }
}
