//! The rule sheets that are bundled with Ludex: everything in the folder `games/` of this crate.

/// A bundled rule sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundled {
    /// The name of its file without the ending.
    pub name: &'static str,
    /// The sheet itself.
    pub text: &'static str,
}

/// All bundled sheets, by name.
pub const ALL: &[Bundled] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The bundled sheet of that name.
pub fn find(name: &str) -> Option<&'static Bundled> {
    ALL.binary_search_by(|game| game.name.cmp(name)).ok().map(|position| &ALL[position])
}

impl Bundled {
    /// The title of the game: the first line of the comment that opens the sheet.
    pub fn title(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches([';', '%']).trim()
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL, find};

    #[test]
    fn every_sheet_is_found_by_its_name_and_has_a_title() {
        assert!(ALL.len() >= 17, "{} sheets", ALL.len());
        for game in ALL {
            assert_eq!(find(game.name), Some(game));
            assert!(!game.title().is_empty(), "{} opens without a comment", game.name);
        }
        assert_eq!(find("tictactoe").map(super::Bundled::title), Some("Tic-Tac-Toe"));
        assert_eq!(find("tictactoe.kif"), None);
    }
}
