//! The sources of two small games, as files: what changes in the text that a GPU gets is seen in the review.

use ludex_cuda::batch::{BatchSource, Form, Plan, Wanted};
use ludex_cuda::{Ends, Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::propnet::{compile, lanes::Lanes};
use ludex_env::{Model, Options};
use ludex_gdl::{Game, Sheet};
use ludex_testkit::golden;
use std::path::Path;
use std::sync::Arc;

/// One robot, one lamp; the game is over when it is lit.
const LAMP: &str = "(role robot) (legal robot light) (legal robot wait) (init dark)
    (<= (next lit) (does robot light)) (<= (next dark) (does robot wait))
    (<= terminal (true lit)) (<= (goal robot 100) (true lit)) (<= (goal robot 0) (true dark))";

/// Two who choose at the same time: heads win for the one, tails for the other. Nobody may choose again.
const COINS: &str = "(role even) (role odd) (side head) (side tail) (init begun)
    (<= (legal ?r (show ?s)) (role ?r) (side ?s) (true begun))
    (<= (next (shown ?r ?s)) (does ?r (show ?s)))
    (<= done (true (shown even ?s))) (<= terminal done)
    (<= same (true (shown even ?s)) (true (shown odd ?s)))
    (<= (goal even 100) same) (<= (goal odd 0) same)
    (<= (goal even 0) (not same)) (<= (goal odd 100) (not same))";

/// Compares with the file of this name.
fn agrees(name: &str, text: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    golden::compare(&place, text).unwrap_or_else(|difference| panic!("{difference}"));
}

/// The kernels without what is the same for all games.
fn own_part(text: &str) -> String {
    let own = |line: &&str| {
        let begins =
            ["#define P_", "#define I_", "u32 f", "f", "u32 t", "PLANE(", "u32 d", "case", "if (ANY", "L3("];
        begins.iter().any(|start| line.starts_with(start))
    };
    let lines: Vec<&str> = text.lines().filter(own).collect();
    lines.join("\n") + "\n"
}

#[test]
fn sources_of_small_games() {
    for (name, rules) in [("lamp", LAMP), ("coins", COINS)] {
        let game: Game = Sheet::read(rules).into_game().expect("a sound sheet");
        let compiled = compile(&game, &Budget::default()).expect("a small game");
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default()).expect("a small game");
        agrees(&format!("{name}.playouts.cu"), &Source::new(&lanes, false, Shape::bounded(100)).text);
        let kept = Shape { ends: Ends::Kept, ..Shape::bounded(100) };
        agrees(&format!("{name}.leaves.cu"), &Source::new(&lanes, false, kept).text);
        let table = Source::interpreted(&lanes, false, Shape::bounded(100), false).expect("it fits");
        let numbers: Vec<String> = table.data.chunks(8).map(|eight| format!("{eight:?}")).collect();
        agrees(&format!("{name}.table.txt"), &(numbers.join("\n") + "\n"));
        let source = BatchSource::new(&compiled.net, Form::Straight).expect("it fits");
        let model = Arc::new(Model::of_network(&Arc::new(game), &Arc::new(compiled)));
        let plan = Plan::new(model, source, 1, Options::default(), None, Wanted::default()).expect("it fits");
        agrees(&format!("{name}.batch.cu"), &own_part(plan.text()));
    }
}
