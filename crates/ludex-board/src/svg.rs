//! A state as a picture (SVG): the same boards as in text, squares side by side, and the list of the rest below.

use crate::layout::Board;
use std::fmt::Write;

/// The side of a square, and the room for labels, in pixels.
const SQUARE: usize = 40;
const MARGIN: usize = 28;
const LINE: usize = 18;

/// The width of a letter of the lists, roughly: what is longer is broken.
const LETTER: usize = 8;

/// Boards from left to right with what is on them, and everything else.
pub(crate) fn picture(boards: &[(&Board, &[String])], others: &[String]) -> String {
    let width_of = |board: &Board| MARGIN * 2 + board.columns.len() * SQUARE;
    let height_of = |board: &Board| MARGIN * 2 + board.rows.len() * SQUARE;
    let across: usize = boards.iter().map(|(board, _)| width_of(board)).sum();
    let down = boards.iter().map(|(board, _)| height_of(board)).max().unwrap_or(0);
    let width = across.max(320);
    let lines = broken(others, (width - MARGIN) / LETTER);
    let height = down + MARGIN / 2 + lines.len() * LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let mut left = 0;
    for (board, contents) in boards {
        squares(board, contents, left, &mut out);
        left += width_of(board);
    }
    for (number, line) in lines.iter().enumerate() {
        text(&mut out, MARGIN / 2, down + (number + 1) * LINE, "start", "#333", line);
    }
    out.push_str("</svg>\n");
    out
}

/// The first coordinate runs to the right, the second upwards.
fn squares(board: &Board, contents: &[String], left: usize, out: &mut String) {
    let columns = board.columns.len();
    let rows = board.rows.len();
    for y in 0..rows {
        for x in 0..columns {
            let cell = y * columns + x;
            if !board.exists[cell] {
                continue;
            }
            let (px, py) = (left + MARGIN + x * SQUARE, MARGIN + (rows - 1 - y) * SQUARE);
            let fill = if (x + y) % 2 == 0 { "#e8d9b5" } else { "#f4ecd8" };
            let _ = writeln!(
                out,
                "<rect x=\"{px}\" y=\"{py}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\" stroke=\"#a89a78\"/>"
            );
            let content = contents[cell].as_str();
            if !content.is_empty() && content != "." {
                text(out, px + SQUARE / 2, py + SQUARE / 2 + 5, "middle", "#111", content);
            }
        }
    }
    for (x, label) in board.columns.iter().enumerate() {
        let px = left + MARGIN + x * SQUARE + SQUARE / 2;
        text(out, px, MARGIN + rows * SQUARE + LINE, "middle", "#777", label);
    }
    for (y, label) in board.rows.iter().enumerate() {
        let py = MARGIN + (rows - 1 - y) * SQUARE + SQUARE / 2 + 5;
        text(out, left + MARGIN - 8, py, "end", "#777", label);
    }
}

fn text(out: &mut String, x: usize, y: usize, anchor: &str, fill: &str, words: &str) {
    let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" fill=\"{fill}\">");
    for letter in words.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // What XML cannot hold is shown as what it is: unreadable.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            letter => out.push(letter),
        }
    }
    out.push_str("</text>\n");
}

/// The words in lines of at most so many letters; a longer word has a line of its own.
fn broken(words: &[String], letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + word.chars().count() <= letters => {
                line.push_str("  ");
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::picture;
    use crate::layout::Board;

    #[test]
    fn squares_pieces_and_the_rest_are_drawn_and_names_are_escaped() {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let board = Board {
            title: "(cell x y _)".to_owned(),
            columns: names(&["1", "2"]),
            rows: names(&["a"]),
            exists: vec![true, false],
            legend: Vec::new(),
        };
        let drawn = picture(&[(&board, &names(&["<&>", ""]))], &names(&["(control x)"]));
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
        // The ground, and the one square that exists.
        assert_eq!(drawn.matches("<rect").count(), 2);
        assert!(drawn.contains("&lt;&amp;&gt;") && drawn.contains("(control x)"));
        // The piece, two columns, a row, the list.
        assert_eq!(drawn.matches("<text").count(), 5);
    }
}
