//! The same relation, size and clicks that people chose when they drew public games by hand.

use crate::drawing;
use ludex_board::Layout;
use ludex_engine::vocabulary::{MoveId, Vocabulary};
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

/// True if some move is entered so; people wrote the targets of all moves of a game into one list, and one target for moves
/// that have none: what the moves have no arguments for is not compared.
fn same_clicks(from: &str, to: &str, found: &[(String, String)], widest: usize) -> bool {
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
    let is_there = |cell: &&str| {
        cell.split(',').all(|number| number.parse::<usize>().is_ok_and(|number| number <= widest))
    };
    let wanted: Vec<&str> = to.split(';').filter(is_there).collect();
    let wanted = if wanted.is_empty() { vec!["-"] } else { wanted };
    !longest.is_empty() && longest == wanted
}

/// How many arguments the longest move has.
fn widest(vocabulary: &Vocabulary) -> usize {
    let terms = vocabulary.terms();
    let moves = vocabulary.roles().flat_map(|role| {
        (0..vocabulary.move_count(role)).map(move |number| vocabulary.action(role, MoveId(number as u32)))
    });
    moves.map(|action| terms.arguments(action).len()).max().unwrap_or(0)
}

/// The lines of a table, without its first, as so many fields.
fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            fields.try_into().unwrap_or_else(|_| panic!("{N} fields: {line}"))
        })
        .collect()
}

fn games(what: &str) -> BTreeMap<String, corpus::Source> {
    corpus::shared_games(what).into_iter().map(|source| (source.name.clone(), source)).collect()
}

#[test]
fn people_drew_the_same() {
    let Some(path) = corpus::shared("boards/geometry.tsv", "boards as people drew them") else { return };
    let table = std::fs::read_to_string(path).expect("a table");
    let mut differences: BTreeMap<String, String> = BTreeMap::new();
    let (mut boards, mut clicks, mut same) = (0, 0, 0);
    let games = games("boards as people drew them");
    let sheets = rows::<6>(&table);
    for [sheet, relation, width, height, from, to] in &sheets {
        let game = games[*sheet].game().expect("a sound sheet");
        let (drawing, vocabulary, _) = drawing(game);
        let (board, found) = found(&drawing.layout());
        if same_board(&[relation, width, height], &board) {
            boards += 1;
        } else {
            differences.insert(format!("{sheet}\tboard"), format!("{relation} {width} {height}\t{board}"));
        }
        if *from == "-" {
            continue;
        }
        clicks += 1;
        if same_clicks(from, to, &found, widest(&vocabulary)) {
            same += 1;
        } else {
            let found: Vec<String> = found.iter().map(|(from, to)| format!("{from} > {to}")).collect();
            differences.insert(format!("{sheet}\tclick"), format!("{from} > {to}\t{}", found.join(" or ")));
        }
    }
    let shown: String = differences.iter().map(|(key, value)| format!("{key}\t{value}\n")).collect();
    let listed =
        std::fs::read_to_string(corpus::testdata("boards/differences.tsv")).expect("a list of differences");
    let listed: String = rows::<5>(&listed)
        .into_iter()
        .map(|[sheet, what, people, ludex, reason]| {
            assert!(reason.len() > 10, "each difference has its reason: {sheet}");
            format!("{sheet}\t{what}\t{people}\t{ludex}\n")
        })
        .collect();
    let count = sheets.len();
    assert_eq!(
        shown, listed,
        "{boards} of {count} boards are as people drew them, {same} of {clicks} clicks"
    );
}

#[test]
fn other_sheets_are_drawn_as_we_judge() {
    let games = games("boards as we judge them");
    if games.is_empty() {
        return;
    }
    let table = std::fs::read_to_string(corpus::testdata("boards/judged.tsv")).expect("a table");
    let mut wrong = Vec::new();
    for [sheet, relation, width, height, from, to, difference] in rows::<7>(&table) {
        let game = games[sheet].game().expect("a sound sheet");
        let (drawing, vocabulary, _) = drawing(game);
        let (board, found) = found(&drawing.layout());
        let is_same = same_board(&[relation, width, height], &board)
            && (from == "-" || same_clicks(from, to, &found, widest(&vocabulary)));
        if is_same != difference.is_empty() {
            wrong.push(format!("{sheet}: {board} {found:?} {difference}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "as judged, or with what is different");
}
