//! `ludex perft`: counts known from elsewhere.

use crate::{bundled, ludex, shared};

/// The numbers of paths of a game, by depth from 1.
fn counts(game: &str, depth: usize, engine: &str) -> Vec<u64> {
    let depth = depth.to_string();
    let run = ludex(&["perft", game, "--depth", &depth, "--engine", engine, "--json"]).ends_with(0);
    let lines = run.json();
    for (line, depth) in lines.iter().zip(1u64..) {
        assert_eq!(line["depth"].as_u64(), Some(depth), "{line}");
    }
    lines.iter().map(|line| line["nodes"].as_u64().expect("a count")).collect()
}

#[test]
fn tic_tac_toe_has_its_published_counts() {
    assert_eq!(counts("tictactoe", 4, "datalog"), [9, 72, 504, 3024]);
    assert_eq!(counts("tictactoe", 4, "auto"), [9, 72, 504, 3024]);
    let text = ludex(&["perft", "tictactoe", "--depth", "4"]).ends_with(0).out;
    let nodes: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(nodes, ["9", "72", "504", "3024"], "{text}");
}

#[test]
fn nothing_lies_below_an_exhausted_tree() {
    let all = counts("racetoten", 1000, "auto");
    assert_eq!(all.len(), 1000);
    let first_zero = all.iter().position(|&nodes| nodes == 0).expect("the race ends");
    assert!(all[first_zero..].iter().all(|&nodes| nodes == 0));
}

/// The counts in `testdata/perft` come from simulators that know nothing of GDL.
#[test]
fn bundled_games_have_the_counts_of_the_test_data() {
    const MOST: u64 = 5_000;
    for game in bundled() {
        let path = format!("{}/../../testdata/perft/{game}.perft", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).expect(&path);
        let expected: Vec<u64> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('\t')?.1.trim().parse().ok())
            .take_while(|&nodes| nodes <= MOST)
            .collect();
        assert!(!expected.is_empty(), "{path}");
        assert_eq!(counts(&game, expected.len(), "auto"), expected, "{game}");
    }
}

#[test]
fn divided_counts_add_up() {
    let run = ludex(&["perft", "tictactoe", "--depth", "3", "--divide", "--json"]).ends_with(0);
    let lines = run.json();
    let (total, parts) = lines.split_last().expect("lines");
    assert_eq!(total["nodes"], 504);
    assert_eq!(parts.len(), 9);
    assert!(parts.iter().all(|part| part["nodes"] == 56 && part["moves"][1] == "noop"), "{}", run.out);
    let text = ludex(&["perft", "tictactoe", "--depth", "3", "--divide"]).ends_with(0).out;
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.ends_with("504  in all at depth 3\n"), "{text}");
    let first = ludex(&["perft", "tictactoe", "--depth", "1", "--divide", "--json"]).ends_with(0).json();
    assert!(first[..9].iter().all(|part| part["nodes"] == 1), "{first:?}");
}

#[test]
fn public_games_have_the_counts_of_the_oracle() {
    let Some(shared) = shared("ludex perft on public sheets") else { return };
    let table = std::fs::read_to_string(shared.join("oracle/perft.tsv")).expect("the oracle has counts");
    for game in ["connect4", "checkerstiny", "biddingtictactoe", "2pttc"] {
        let expected: Vec<u64> = table
            .lines()
            .filter_map(|line| {
                let mut columns = line.split('\t');
                (columns.next()? == game).then_some(())?;
                columns.nth(1)?.parse().ok()
            })
            .take_while(|&nodes: &u64| nodes <= 5_000)
            .collect();
        assert!(!expected.is_empty(), "{game}");
        let path = shared.join(format!("games/{game}.kif"));
        assert_eq!(counts(path.to_str().expect("plain"), expected.len(), "auto"), expected, "{game}");
    }
}
