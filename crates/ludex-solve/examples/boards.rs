//! Prints the rules of board games of any size, as in studies of solving by search: `boards GAME WIDTH HEIGHT [SHAPE]`.
//!
//! GAME is `breakthrough`, `dots` (dots and boxes) or `polyomino` (who first has the shape on his marks; SHAPE is I3, L3,
//! I4, L4, S4, T4 or O4).

use std::fmt::Write;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize| words.get(at).and_then(|word| word.parse().ok()).filter(|n| (1..=12).contains(n));
    let game = words.first().map(String::as_str);
    let text = match (game, number(1), number(2), words.get(3)) {
        (Some("breakthrough"), Some(width), Some(height), None) => Some(breakthrough(width, height)),
        (Some("dots"), Some(width), Some(height), None) => Some(dots_and_boxes(width, height)),
        (Some("polyomino"), Some(width), Some(height), Some(shape)) => polyomino(width, height, shape),
        _ => None,
    };
    match text {
        Some(text) => print!("{text}"),
        None => eprintln!("boards breakthrough|dots|polyomino WIDTH HEIGHT [I3|L3|I4|L4|S4|T4|O4]"),
    }
}

/// Breakthrough: two rows of men each; who reaches the other side, or takes the last man, wins.
pub fn breakthrough(width: u32, height: u32) -> String {
    let mut text = String::from("(role white) (role black)\n(init (control white))\n");
    for x in 1..=width {
        for y in 1..=2 {
            let _ = writeln!(text, "(init (man white {x} {y})) (init (man black {x} {}))", height + 1 - y);
        }
        for other in [x.wrapping_sub(1), x + 1] {
            if (1..=width).contains(&other) {
                let _ = writeln!(text, "(beside {x} {other})");
            }
        }
    }
    for y in 1..height {
        let _ = writeln!(text, "(ahead white {y} {}) (ahead black {} {y})", y + 1, y + 1);
    }
    let _ = writeln!(text, "(last white {height}) (last black 1)");
    text += "
        (other white black) (other black white)
        (<= (taken ?x ?y) (true (man ?p ?x ?y)))
        (<= (step ?p ?x ?y ?x ?z) (true (man ?p ?x ?y)) (ahead ?p ?y ?z) (not (taken ?x ?z)))
        (<= (step ?p ?x ?y ?u ?z) (true (man ?p ?x ?y)) (ahead ?p ?y ?z) (beside ?x ?u) (not (true (man ?p ?u ?z))))
        (<= (legal ?p (move ?x ?y ?u ?z)) (true (control ?p)) (step ?p ?x ?y ?u ?z))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (left ?x ?y) (does ?p (move ?x ?y ?u ?z)))
        (<= (entered ?u ?z) (does ?p (move ?x ?y ?u ?z)))
        (<= (next (man ?p ?u ?z)) (does ?p (move ?x ?y ?u ?z)))
        (<= (next (man ?p ?x ?y)) (true (man ?p ?x ?y)) (not (left ?x ?y)) (not (entered ?x ?y)))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= (through ?p) (true (man ?p ?x ?y)) (last ?p ?y))
        (<= (lives ?p) (true (man ?p ?x ?y)))
        (<= (won ?p) (through ?p))
        (<= (won ?p) (other ?p ?q) (not (lives ?q)))
        (<= terminal (won ?p))
        (<= (goal ?p 100) (won ?p))
        (<= (goal ?q 0) (won ?p) (other ?p ?q))
        (<= (goal ?p 50) (role ?p) (not terminal))\n";
    text
}

/// Dots and boxes: who closes a box has it and moves again; most boxes win.
pub fn dots_and_boxes(width: u32, height: u32) -> String {
    let mut text = String::from("(role one) (role two)\n(init (control one)) (init (lead 0))\n");
    let flat = |x: u32, y: u32| format!("(flat {x} {y})");
    let upright = |x: u32, y: u32| format!("(upright {x} {y})");
    let mut edges = Vec::new();
    for x in 1..=width {
        edges.extend((1..=height + 1).map(|y| flat(x, y)));
    }
    for y in 1..=height {
        edges.extend((1..=width + 1).map(|x| upright(x, y)));
    }
    for edge in &edges {
        let _ = writeln!(text, "(init (open {edge}))");
    }
    for x in 1..=width {
        for y in 1..=height {
            let sides = [flat(x, y), flat(x, y + 1), upright(x, y), upright(x + 1, y)];
            for (at, side) in sides.iter().enumerate() {
                let others = sides.iter().enumerate().filter(|(other, _)| *other != at);
                let closed: String = others.map(|(_, side)| format!(" (not (true (open {side})))")).collect();
                let _ = writeln!(text, "(<= (closes {side} (box {x} {y})) (true (open {side})){closed})");
            }
        }
    }
    let boxes = i64::from(width * height);
    for lead in -boxes..boxes {
        let _ = writeln!(text, "(more {lead} {})", lead + 1);
    }
    for lead in 1..=boxes {
        let _ = writeln!(text, "(ahead one {lead}) (ahead two -{lead})");
    }
    text += "
        (other one two) (other two one)
        (<= (legal ?p (draw ?e)) (true (control ?p)) (true (open ?e)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (drawn ?e) (does ?p (draw ?e)))
        (<= (next (open ?e)) (true (open ?e)) (not (drawn ?e)))
        (<= one-closed (drawn ?e) (closes ?e ?b))
        (<= two-closed (drawn ?e) (closes ?e ?b) (closes ?e ?c) (distinct ?b ?c))
        (<= (next (control ?p)) (true (control ?p)) one-closed)
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q) (not one-closed))
        (<= (next (lead ?n)) (true (lead ?n)) (not one-closed))
        (<= (after one ?n ?m) (more ?n ?m))
        (<= (after two ?n ?m) (more ?m ?n))
        (<= (next (lead ?m)) (true (lead ?n)) (true (control ?p)) (after ?p ?n ?m) one-closed (not two-closed))
        (<= (next (lead ?k)) (true (lead ?n)) (true (control ?p)) (after ?p ?n ?m) (after ?p ?m ?k) two-closed)
        (<= room (true (open ?e)))
        (<= terminal (not room))
        (<= (goal ?p 100) (role ?p) (true (lead ?n)) (ahead ?p ?n))
        (<= (goal ?q 0) (true (lead ?n)) (ahead ?p ?n) (other ?p ?q))
        (<= (goal ?p 50) (role ?p) (true (lead 0)))\n";
    text
}

/// Players mark cells in turns; who first has the shape, turned and mirrored as he likes, wins.
pub fn polyomino(width: u32, height: u32, shape: &str) -> Option<String> {
    let cells: &[(i32, i32)] = match shape {
        "I3" => &[(0, 0), (1, 0), (2, 0)],
        "L3" => &[(0, 0), (1, 0), (0, 1)],
        "I4" => &[(0, 0), (1, 0), (2, 0), (3, 0)],
        "L4" => &[(0, 0), (1, 0), (2, 0), (0, 1)],
        "S4" => &[(0, 0), (1, 0), (1, 1), (2, 1)],
        "T4" => &[(0, 0), (1, 0), (2, 0), (1, 1)],
        "O4" => &[(0, 0), (1, 0), (0, 1), (1, 1)],
        _ => return None,
    };
    let mut placed: Vec<Vec<(i32, i32)>> = Vec::new();
    for turn in 0..8 {
        let turned = cells.iter().map(|&(x, y)| {
            let (x, y) = if turn & 1 == 0 { (x, y) } else { (y, x) };
            (if turn & 2 == 0 { x } else { -x }, if turn & 4 == 0 { y } else { -y })
        });
        let turned: Vec<(i32, i32)> = turned.collect();
        for dx in -4..=width as i32 + 4 {
            for dy in -4..=height as i32 + 4 {
                let mut moved: Vec<_> = turned.iter().map(|(x, y)| (x + dx, y + dy)).collect();
                moved.sort_unstable();
                let inside =
                    |(x, y): &(i32, i32)| (1..=width as i32).contains(x) && (1..=height as i32).contains(y);
                if moved.iter().all(inside) {
                    placed.push(moved);
                }
            }
        }
    }
    placed.sort_unstable();
    placed.dedup();
    let mut text = String::from("(role first) (role second)\n(init (control first))\n");
    for x in 1..=width {
        for y in 1..=height {
            let _ = writeln!(text, "(init (cell {x} {y} b))");
        }
    }
    for cells in placed {
        let body: String = cells.iter().map(|(x, y)| format!(" (true (cell {x} {y} ?p))")).collect();
        let _ = writeln!(text, "(<= (has ?p) (role ?p){body})");
    }
    text += "
        (other first second) (other second first)
        (<= (legal ?p (mark ?x ?y)) (true (control ?p)) (true (cell ?x ?y b)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (marked ?x ?y) (does ?p (mark ?x ?y)))
        (<= (next (cell ?x ?y ?p)) (does ?p (mark ?x ?y)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (marked ?x ?y)))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= over (has ?p))
        (<= room (true (cell ?x ?y b)))
        (<= terminal over)
        (<= terminal (not room))
        (<= (goal ?p 100) (has ?p))
        (<= (goal ?q 0) (has ?p) (other ?p ?q))
        (<= (goal ?p 50) (role ?p) (not over))\n";
    Some(text)
}
