//! A place of a text, drawn with a caret below it, in plain characters: for errors that are printed where nobody has
//! set up colours and boxes. The command line draws its findings with `miette` instead.

use crate::syntax::{Span, line_column};
use std::fmt::Write;

/// Longer lines are shown around the place only.
const WIDTH: usize = 100;

/// The line that the span begins in, with its number, and the span marked below it. `source` is what the text is
/// called; an empty `label` marks the place without words.
pub fn draw(source: &str, text: &str, span: Span, label: &str) -> String {
    let (number, column) = line_column(text, span.start);
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let before = column - 1;
    // As many characters as the span has in this line; one where it is empty or lies behind the end.
    let marked = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let marked = marked.lines().next().map_or(0, |part| part.chars().count()).max(1);
    let start = if before + marked > WIDTH { before.saturating_sub(WIDTH / 3) } else { 0 };
    let shown: String = line.chars().skip(start).take(WIDTH).map(plain).collect();
    let marked = marked.min(WIDTH - (before - start).min(WIDTH - 1));
    let cut = if start > 0 { "..." } else { "" };
    let margin = number.to_string().len();
    let mut out = String::new();
    let _ = writeln!(out, "{:margin$}--> {source}:{number}:{column}", "");
    let _ = writeln!(out, "{:margin$} |", "");
    let _ = writeln!(out, "{number} | {cut}{}", shown.trim_end());
    let blank = cut.len() + before - start;
    let mark = "^".repeat(marked);
    let _ = writeln!(out, "{:margin$} | {:blank$}{}", "", "", format!("{mark} {label}").trim_end());
    out
}

/// Tabs and their like would move what follows away from the caret.
fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

#[cfg(test)]
mod tests {
    use super::draw;
    use crate::syntax::Span;

    #[test]
    fn the_caret_stands_below_the_place() {
        let text = "(role a)\n\t(<= (p ?x) q)\n";
        let drawn = draw("s.kif", text, Span::new(17, 19), "not bound");
        assert_eq!(drawn, " --> s.kif:2:9\n  |\n2 |  (<= (p ?x) q)\n  |         ^^ not bound\n");
    }

    #[test]
    fn places_at_the_edges_are_drawn_too() {
        for (text, start, end) in [("", 0, 0), ("ab", 2, 2), ("ab\n", 3, 3), ("ab", 7, 9), ("é\nü", 0, 5)] {
            let drawn = draw("s", text, Span::new(start, end), "");
            assert_eq!(drawn.matches('^').count(), 1, "{text:?}: {drawn}");
        }
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("{}HERE{}", "x".repeat(5000), "y".repeat(5000));
        let drawn = draw("s", &text, Span::new(5000, 5004), "this");
        let lines: Vec<&str> = drawn.lines().collect();
        assert!(lines.iter().all(|line| line.len() < 130), "{drawn}");
        assert_eq!(lines[2].find("HERE"), lines[3].find("^^^^"), "{drawn}");
        // A mark as long as the text itself ends with the line.
        let whole = draw("s", &text, Span::new(0, 10004), "");
        assert!(whole.lines().all(|line| line.len() < 130), "{whole}");
    }
}
