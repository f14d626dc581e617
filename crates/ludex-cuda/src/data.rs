//! What a kernel reads and does not change: lists of numbers, one behind the other in the device's memory.
//!
//! The text of a kernel only says where each list begins, so it stays short however large the game is, and is
//! compiled in the same time.

use std::fmt::Write;

/// Lists begin at multiples of so many words: 16 bytes, which a thread loads at once.
const ALIGNED: usize = 4;

/// Lists of 32-bit words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub(crate) words: Vec<u32>,
}

impl Data {
    /// Adds a list. Returns where it begins.
    pub(crate) fn add(&mut self, numbers: impl IntoIterator<Item = u32>) -> usize {
        let at = self.words.len().next_multiple_of(ALIGNED);
        self.words.resize(at, 0);
        self.words.extend(numbers);
        at
    }

    /// Adds a list, and defines `NAME_AT` as where it begins.
    pub(crate) fn list(&mut self, text: &mut String, name: &str, numbers: impl IntoIterator<Item = u32>) {
        let at = self.add(numbers);
        let written = writeln!(text, "#define {name}_AT {at}u");
        debug_assert!(written.is_ok(), "a string takes all that is written");
    }
}
