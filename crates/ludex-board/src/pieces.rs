//! Pictures for names that say what they are: chess pieces, men and kings of draughts, crosses and rings, discs, arrows.
//!
//! Names are looked at together: `wp` and `wk` are a man and a king of draughts, but chess pieces where `wr` stands beside
//! them. What is no such name has no picture.

use crate::scene::{Chess, Glyph};
use std::collections::HashMap;

/// The pictures of the names that have one.
pub fn pictures(names: &[String]) -> HashMap<String, Glyph> {
    let lower: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let mut found = HashMap::new();
    let chess: Vec<Option<Chess>> = chess(&lower);
    let is_draughts = {
        let kinds = |wanted: &[Chess]| chess.iter().flatten().any(|piece| wanted.contains(piece));
        let pieces = chess.iter().flatten().count();
        pieces > 0
            && !kinds(&[Chess::Queen, Chess::Rook, Chess::Bishop, Chess::Knight])
            && kinds(&[Chess::Pawn])
    };
    let has = |name: &str| lower.iter().any(|other| other == name);
    let letters = ["n", "e", "s", "w"].into_iter().filter(|name| has(name)).count() > 2;
    let both =
        [("x", "o"), ("xplayer", "oplayer"), ("xmarker", "omarker")].iter().any(|(x, o)| has(x) && has(o));
    for ((name, lower), chess) in names.iter().zip(&lower).zip(&chess) {
        let glyph = match (chess, lower.as_str()) {
            (Some(Chess::King), _) if is_draughts => Glyph::Crowned,
            (Some(_), _) if is_draughts => Glyph::Disc,
            (Some(piece), _) => Glyph::Chess(*piece),
            (None, "x" | "xplayer" | "xmarker") if both => Glyph::Cross,
            (None, "o" | "oplayer" | "omarker") if both => Glyph::Ring,
            (None, word) => match direction(word, letters).map(Glyph::Arrow).or_else(|| named(word)) {
                Some(glyph) => glyph,
                None => continue,
            },
        };
        found.insert(name.clone(), glyph);
    }
    found
}

/// Which chess piece each name is: by its words, or by one letter behind that of its colour, if all names are like that.
fn chess(names: &[String]) -> Vec<Option<Chess>> {
    const WORDS: [(&str, Chess); 6] = [
        ("king", Chess::King),
        ("queen", Chess::Queen),
        ("rook", Chess::Rook),
        ("bishop", Chess::Bishop),
        ("knight", Chess::Knight),
        ("pawn", Chess::Pawn),
    ];
    let by_word = |name: &String| WORDS.iter().find(|(word, _)| name.contains(word)).map(|&(_, piece)| piece);
    let by_letter = |name: &String| {
        let mut letters = name.chars();
        let (colour, piece) = (letters.next()?, letters.next()?);
        let is_short = letters.next().is_none() && "wb".contains(colour);
        let piece = match piece {
            'k' => Chess::King,
            'q' => Chess::Queen,
            'r' => Chess::Rook,
            'b' => Chess::Bishop,
            'n' => Chess::Knight,
            'p' => Chess::Pawn,
            _ => return None,
        };
        is_short.then_some(piece)
    };
    let two = |name: &&String| name.chars().count() == 2;
    let short: Vec<&String> = names.iter().filter(two).collect();
    let has_king = short.iter().any(|name| by_letter(name) == Some(Chess::King));
    let all_short = has_king && short.iter().all(|name| by_letter(name).is_some());
    names.iter().map(|name| by_word(name).or_else(|| by_letter(name).filter(|_| all_short))).collect()
}

/// Where a name points; single letters only where `letters` says that they are directions.
fn direction(name: &str, letters: bool) -> Option<u16> {
    Some(match name {
        "north" | "up" => 0,
        "northeast" => 45,
        "east" | "right" => 90,
        "southeast" => 135,
        "south" | "down" => 180,
        "southwest" => 225,
        "west" | "left" => 270,
        "northwest" => 315,
        "n" if letters => 0,
        "e" if letters => 90,
        "s" if letters => 180,
        "w" if letters => 270,
        _ => return None,
    })
}

/// Where a name points that ends with a direction, such as `blockedNorth`.
pub fn ending(name: &str) -> Option<Glyph> {
    const SIDES: [(&str, u16); 4] = [("north", 0), ("east", 90), ("south", 180), ("west", 270)];
    let lower = name.to_ascii_lowercase();
    SIDES.iter().find(|(side, _)| lower.ends_with(side)).map(|&(_, turn)| Glyph::Arrow(turn))
}

/// Names of what is round, and of what fills its cell.
fn named(name: &str) -> Option<Glyph> {
    match name {
        "disc" | "disk" | "stone" | "piece" | "man" | "peg" | "ball" | "token" | "marker" => {
            Some(Glyph::Disc)
        }
        _ if name.ends_with("checker") || name.starts_with("checker") => Some(Glyph::Disc),
        "wall" | "hole" | "rock" | "block" | "blocked" | "obstacle" => Some(Glyph::Fill),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(names: &[&str]) -> Vec<Option<Glyph>> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let found = pictures(&names);
        names.iter().map(|name| found.get(name).cloned()).collect()
    }

    #[test]
    fn chess_and_draughts_are_told_apart() {
        let [king, rook, pawn] =
            [Chess::King, Chess::Rook, Chess::Pawn].map(|piece| Some(Glyph::Chess(piece)));
        assert_eq!(glyphs(&["wk", "br", "wp"]), [king.clone(), rook.clone(), pawn.clone()]);
        assert_eq!(glyphs(&["white_king", "blackRook", "(pawn white)"]), [king, rook, pawn]);
        assert_eq!(glyphs(&["wk", "wp", "bp"]), [Some(Glyph::Crowned), Some(Glyph::Disc), Some(Glyph::Disc)]);
        assert_eq!(glyphs(&["bk", "wb", "zz"]), [None, None, None], "not all are pieces");
        assert_eq!(glyphs(&["wb", "wr", "br"]), [None, None, None], "sides of a cube: there is no king");
    }

    #[test]
    fn letters_are_directions_only_among_directions() {
        let [north, east, west] = [0, 90, 270].map(|turn| Some(Glyph::Arrow(turn)));
        assert_eq!(glyphs(&["n", "e", "w"]), [north, east, west]);
        assert_eq!(glyphs(&["s", "w"]), [None, None], "a sheep and a wolf");
        assert_eq!(glyphs(&["o", "w"]), [None, None], "open and wall");
        assert_eq!(
            glyphs(&["x", "o", "left"]),
            [Some(Glyph::Cross), Some(Glyph::Ring), Some(Glyph::Arrow(270))]
        );
    }
}
