//! `ludex bench`.

use crate::{Scratch, ludex, ludex_with_input};

#[test]
fn json_has_the_promised_keys_and_nothing_else() {
    let run =
        ludex(&["bench", "nim", "maze", "--seconds", "0.05", "--engine", "datalog", "--json"]).ends_with(0);
    let lines = run.json();
    assert_eq!(lines.len(), 2);
    for (line, game) in lines.iter().zip(["nim", "maze"]) {
        let keys: Vec<&String> = line.as_object().expect("an object").keys().collect();
        let expected = ["game", "engine", "mode", "playouts", "transitions", "cpu_seconds", "build_seconds"];
        assert_eq!(keys, expected);
        assert_eq!(line["game"], game);
        assert_eq!(line["engine"], "datalog");
        assert_eq!(line["mode"], "scalar");
        let number = |key: &str| line[key].as_f64().expect(key);
        assert!(number("playouts") >= 1.0 && number("transitions") >= number("playouts"), "{line}");
        assert!((0.05..5.0).contains(&number("cpu_seconds")), "{line}");
        assert!(number("build_seconds") > 0.0, "{line}");
    }
}

#[test]
fn batches_are_told_apart_by_their_mode() {
    let run = ludex(&["bench", "tictactoe", "--seconds", "0.05", "--batch", "--json"]).ends_with(0);
    let line = &run.json()[0];
    assert_eq!((&line["engine"], &line["mode"]), (&"propnet".into(), &"batch".into()));
    let number = |key: &str| line[key].as_f64().expect(key);
    // A game of Tic-Tac-Toe takes five to nine moves.
    let length = number("transitions") / number("playouts");
    assert!((5.0..9.5).contains(&length), "{line}");
    ludex(&["bench", "tictactoe", "--batch", "--engine", "datalog"]).ends_with(2);
}

#[test]
fn leaves_of_a_tree_are_counted() {
    let bench = |more: &[&str]| {
        let args = [&["bench", "breakthrough", "--seconds", "0.05", "--leaves", "--json"], more].concat();
        ludex(&args).ends_with(0).json().remove(0)
    };
    let line = bench(&[]);
    assert_eq!((&line["engine"], &line["mode"]), (&"propnet".into(), &"leaves".into()));
    let number = |key: &str| line[key].as_f64().expect(key);
    // A game from each leaf; what is certain needs none.
    assert!(number("playouts") >= 32.0 && number("transitions") >= number("playouts"), "{line}");
    // A tree has its own engine; and without batches there is nothing to play elsewhere.
    ludex(&["bench", "nim", "--leaves", "--engine", "datalog"]).ends_with(2);
    ludex(&["bench", "nim", "--leaves", "--batch"]).ends_with(2);
    ludex(&["bench", "nim", "--device", "cpu"]).ends_with(2);
    assert_eq!(bench(&["--device", "cpu"])["mode"], "leaves");
}

#[test]
fn the_table_has_a_line_for_each_game() {
    let out = ludex(&["bench", "nim", "maze", "--seconds", "0.02", "--engine", "tree"]).ends_with(0).out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].contains("playouts/s") && lines[0].contains("states/s"), "{out}");
    assert!(lines[1].starts_with("nim ") && lines[2].starts_with("maze "), "{out}");
}

#[test]
fn without_an_engine_the_portfolio_explains_its_choice() {
    let out = ludex(&["bench", "nim", "--seconds", "0.02"]).ends_with(0).out;
    let members: Vec<&str> = out.lines().filter(|line| line.starts_with("  ")).collect();
    for engine in ["propnet", "lanes", "tree", "datalog"] {
        assert!(members.iter().any(|line| line.trim_start().starts_with(engine)), "{engine}: {out}");
    }
    let chosen: Vec<&&str> = members.iter().filter(|line| line.contains("<- chosen")).collect();
    // One for single games and batches, or one for each.
    assert!((1..=2).contains(&chosen.len()), "{out}");
    assert!(chosen.iter().all(|line| line.contains("states/s")), "{out}");
    // Programs get the choice alone.
    assert_eq!(ludex(&["bench", "nim", "--seconds", "0.02", "--json"]).ends_with(0).json().len(), 1);
}

#[test]
fn the_picture_has_a_name_for_each_game_and_engine() {
    let picture = Scratch::new("bench.svg", "");
    let run = ludex(&["bench", "nim", "maze", "--seconds", "0.02", "--json", "--plot", picture.path()]);
    let lines = run.ends_with(0).json();
    // Each engine one by one, and the lanes.
    assert_eq!(lines.len(), 2 * 4);
    let svg = std::fs::read_to_string(picture.path()).expect("the picture");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    for word in ["nim", "maze", "datalog", "tree", "propnet", "lanes", "states a second"] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(svg.matches("<circle").count() >= 8, "a dot for each measurement");
    ludex(&["bench", "nim", "--seconds", "0.02", "--plot", "/no/such/folder/bench.svg"]).ends_with(2);
}

#[test]
fn a_broken_sheet_does_not_cost_the_figures_of_the_others() {
    let broken = Scratch::new("bench-broken.kif", "(role");
    let run = ludex(&["bench", broken.path(), "nim", "--seconds", "0.02", "--json"]).ends_with(1);
    assert_eq!(run.json().len(), 1, "{}", run.out);
    assert!(run.err.contains("unclosed-parenthesis"), "{}", run.err);
}

#[test]
fn endless_games_and_games_over_at_once_are_measured() {
    let endless = "(role x) (init a) (legal x go) (next a)";
    let run =
        ludex_with_input(&["bench", "-", "--seconds", "0.02", "--json"], endless.as_bytes()).ends_with(0);
    assert_eq!(run.json()[0]["playouts"], 0);
    assert!(run.json()[0]["transitions"].as_u64().is_some_and(|count| count > 0));
    let over = "(role x) (init a) (legal x go) (<= terminal (true a))";
    let run = ludex_with_input(&["bench", "-", "--seconds", "0.02", "--json"], over.as_bytes()).ends_with(0);
    assert_eq!(run.json()[0]["transitions"], 0);
    assert!(run.json()[0]["playouts"].as_u64().is_some_and(|count| count > 0));
}
