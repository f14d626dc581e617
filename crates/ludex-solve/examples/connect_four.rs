//! Prints the rules of connect four on a board of any size: `connect_four WIDTH HEIGHT`.

use std::fmt::Write;

fn main() {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    match numbers[..] {
        [width @ 1..=20, height @ 1..=20] => print!("{}", connect_four(width, height)),
        _ => eprintln!("connect_four WIDTH HEIGHT, both from 1 to 20"),
    }
}

/// Connect four on a board of any size: a win ends play.
pub fn connect_four(width: u32, height: u32) -> String {
    let mut text = String::from("(role red) (role yellow)\n");
    let chain = |name: &str, last: u32| -> String {
        let numbers = (1..=last).map(|at| format!("({name} {at}) "));
        numbers.collect()
    };
    text += &chain("column", width);
    text += &chain("row", height);
    for at in 1..width.max(height) {
        let _ = write!(text, "(succ {at} {}) ", at + 1);
    }
    text += "
        (<= (init (cell ?c ?r b)) (column ?c) (row ?r))
        (init (control red))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (landing ?c 1) (true (cell ?c 1 b)))
        (<= (landing ?c ?r) (true (cell ?c ?r b)) (succ ?below ?r) (not (true (cell ?c ?below b))))
        (<= (filled ?c ?r) (does ?p (drop ?c)) (landing ?c ?r))
        (<= (next (cell ?c ?r ?p)) (does ?p (drop ?c)) (landing ?c ?r))
        (<= (next (cell ?c ?r ?p)) (true (cell ?c ?r ?p)) (distinct ?p b))
        (<= (next (cell ?c ?r b)) (true (cell ?c ?r b)) (not (filled ?c ?r)))
        (<= (next (control yellow)) (true (control red)))
        (<= (next (control red)) (true (control yellow)))
        (<= anyfour (four ?p))
        (<= terminal anyfour)
        (<= terminal (not room))
        (<= (goal ?p 100) (four ?p))
        (<= (goal red 0) (four yellow))
        (<= (goal yellow 0) (four red))
        (<= (goal ?p 50) (role ?p) (not anyfour))\n";
    let _ = writeln!(text, "(<= (legal ?p (drop ?c)) (true (control ?p)) (true (cell ?c {height} b)))");
    let _ = writeln!(text, "(<= room (true (cell ?c {height} b)))");
    // Lines of four: by columns, by rows, and both diagonals.
    for (columns, rows) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        let mut body = String::from("(role ?p)");
        for at in 0..4 {
            let column = if columns == 0 { "?c0".to_owned() } else { format!("?c{at}") };
            let row = if rows == 0 { "?r0".to_owned() } else { format!("?r{at}") };
            if at > 0 && columns != 0 {
                let _ = write!(body, " (succ ?c{} ?c{at})", at - 1);
            }
            if at > 0 && rows == 1 {
                let _ = write!(body, " (succ ?r{} ?r{at})", at - 1);
            }
            if at > 0 && rows == -1 {
                let _ = write!(body, " (succ ?r{at} ?r{})", at - 1);
            }
            let _ = write!(body, " (true (cell {column} {row} ?p))");
        }
        let _ = writeln!(text, "(<= (four ?p) {body})");
    }
    text
}
