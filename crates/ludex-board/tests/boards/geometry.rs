//! The same relation, size and clicks that people chose when they drew public games by hand.

use crate::drawing;
use ludex_board::Layout;
use ludex_testkit::corpus;
use std::collections::BTreeMap;

/// What is drawn of a sheet, in the form of the table: relation, width and height; arguments clicked first and then.
fn found(layout: &Layout) -> (String, Vec<(String, String)>) {
    let board = layout
        .boards
        .first()
        .map_or("- - -".to_owned(), |board| format!("{} {} {}", board.relation, board.width, board.height));
    let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let clicks = layout.clicks.iter().map(|click| {
        let to: Vec<String> = click.to.iter().map(|cell| list(cell)).collect();
        (list(&click.from), if to.is_empty() { "-".to_owned() } else { to.join(";") })
    });
    (board, clicks.collect())
}

/// True if what was found is what people drew; what they left open is not compared.
fn same_board(wanted: &[&str], found: &str) -> bool {
    wanted.iter().zip(found.split(' ')).all(|(wanted, found)| *wanted == "-" || *wanted == found)
}

/// True if some move is entered so; people wrote the targets of all moves of a game into one list.
fn same_clicks(from: &str, to: &str, found: &[(String, String)]) -> bool {
    let mut longest: Vec<&str> = Vec::new();
    for (_, then) in found.iter().filter(|(first, _)| first == from) {
        if then == "-" && !longest.is_empty() {
            continue;
        }
        let cells: Vec<&str> = then.split(';').collect();
        if cells.len() >= longest.len() {
            longest = cells;
        }
    }
    !longest.is_empty() && longest.join(";") == to
}

#[test]
fn people_drew_the_same() {
    let Some(path) = corpus::shared("boards/geometry.tsv", "boards as people drew them") else { return };
    let table = std::fs::read_to_string(path).expect("a table");
    let mut differences: BTreeMap<String, String> = BTreeMap::new();
    let (mut boards, mut clicks, mut sheets) = (0, 0, 0);
    let games: BTreeMap<String, corpus::Source> =
        corpus::shared_games("boards as people drew them").into_iter().map(|s| (s.name.clone(), s)).collect();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [sheet, relation, width, height, from, to] = fields.as_slice() else {
            panic!("six fields: {line}")
        };
        let game = games[*sheet].game().expect("a sound sheet");
        let (board, found) = found(&drawing(game).0.layout());
        sheets += 1;
        if same_board(&[relation, width, height], &board) {
            boards += 1;
        } else {
            differences.insert(format!("{sheet}\tboard"), format!("{relation} {width} {height}\t{board}"));
        }
        if *from == "-" {
            continue;
        }
        clicks += 1;
        if !same_clicks(from, to, &found) {
            let found: Vec<String> = found.iter().map(|(from, to)| format!("{from} > {to}")).collect();
            differences.insert(format!("{sheet}\tclick"), format!("{from} > {to}\t{}", found.join(" or ")));
        }
    }
    let shown: String = differences.iter().map(|(key, value)| format!("{key}\t{value}\n")).collect();
    let listed =
        std::fs::read_to_string(corpus::testdata("boards/differences.tsv")).expect("a list of differences");
    let listed: String = listed
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit_once('\t'))
        .map(|(difference, reason)| {
            assert!(reason.len() > 10, "each difference has its reason: {difference}");
            format!("{difference}\n")
        })
        .collect();
    assert_eq!(
        shown, listed,
        "{boards} of {sheets} boards are as people drew them; {clicks} sheets have clicks"
    );
}
