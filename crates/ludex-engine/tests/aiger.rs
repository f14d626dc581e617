//! What the AIGER text says, read by a reader that knows nothing of networks, against the reference engine.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::propnet::{aiger, compile};
use ludex_engine::random::Random;
use ludex_engine::row;
use std::collections::HashMap;

/// An AIGER circuit as the format defines it.
struct Circuit {
    inputs: Vec<u32>,
    /// Literal, next, first value.
    latches: Vec<(u32, u32, bool)>,
    outputs: Vec<u32>,
    gates: Vec<[u32; 3]>,
    names: HashMap<String, usize>,
}

fn read(text: &str) -> Circuit {
    let mut lines = text.lines();
    let numbers = |line: &str| -> Vec<u32> {
        line.split(' ').map(|n| n.parse().unwrap_or_else(|_| panic!("a number in {line:?}"))).collect()
    };
    let header = lines.next().and_then(|line| line.strip_prefix("aag ")).expect("the header");
    let [most, inputs, latches, outputs, gates] = numbers(header)[..] else { panic!("five numbers") };
    assert_eq!(most, inputs + latches + gates, "every variable is one of the three");
    let mut take =
        |count: u32| -> Vec<Vec<u32>> { lines.by_ref().take(count as usize).map(numbers).collect() };
    let circuit = Circuit {
        inputs: take(inputs).iter().map(|line| line[0]).collect(),
        latches: take(latches).iter().map(|line| (line[0], line[1], line[2] == 1)).collect(),
        outputs: take(outputs).iter().map(|line| line[0]).collect(),
        gates: take(gates).iter().map(|line| [line[0], line[1], line[2]]).collect(),
        names: HashMap::new(),
    };
    let symbols = lines.by_ref().take_while(|line| *line != "c");
    let names = symbols.map(|line| {
        let (place, name) = line.split_once(' ').expect("a symbol has a name");
        let position: usize = place[1..].parse().expect("a position");
        (format!("{} {name}", &place[..1]), position)
    });
    Circuit { names: names.collect(), ..circuit }
}

impl Circuit {
    /// The value of every variable.
    fn values(&self, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
        let mut values = vec![false; 1 + inputs.len() + latches.len() + self.gates.len()];
        for (literal, value) in self.inputs.iter().zip(inputs) {
            values[(literal / 2) as usize] = *value;
        }
        for ((literal, ..), value) in self.latches.iter().zip(latches) {
            values[(literal / 2) as usize] = *value;
        }
        for [gate, a, b] in &self.gates {
            assert!(gate > a && a >= b, "gates in the order of the binary form");
            values[(gate / 2) as usize] = value(&values, *a) && value(&values, *b);
        }
        values
    }

    fn output(&self, values: &[bool], name: &str) -> Option<bool> {
        self.names.get(&format!("o {name}")).map(|&at| value(values, self.outputs[at]))
    }
}

fn value(values: &[bool], literal: u32) -> bool {
    values[(literal / 2) as usize] != (literal % 2 == 1)
}

/// Plays at random and compares every latch and output.
fn compare(name: &str, text: &str) {
    let game = ludex_gdl::Sheet::read(text).into_game().expect("a sound sheet");
    let limits = &Budget::default();
    let circuit = read(&aiger(&compile(&game, limits).expect("it fits")).expect("it can be written"));
    let engine = Datalog::new(&game, limits).expect("it fits");
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    let (mut state, mut next) = (vec![0; vocabulary.words()], vec![0; vocabulary.words()]);
    let mut random = Random::new(7);
    worker.initial(&mut state);
    let mut latches: Vec<bool> = circuit.latches.iter().map(|latch| latch.2).collect();
    for _ in 0..40 {
        let known = vocabulary.fluents().map(|f| (f, format!("l (true {})", vocabulary.show_fluent(f))));
        for (fluent, symbol) in known {
            assert_eq!(latches[circuit.names[&symbol]], row::holds(&state, fluent), "{name}: {symbol}");
        }
        let mut inputs = vec![false; circuit.inputs.len()];
        let mut joint = Vec::new();
        let mut legal = vec![Vec::new(); vocabulary.role_count()];
        for role in vocabulary.roles() {
            worker.legal(&state, role, &mut legal[role.index()]).expect("no limit is met");
            let moves = &legal[role.index()];
            let Some(&action) = moves.get(random.below(moves.len().max(1))) else { continue };
            let shown = (vocabulary.show_role(role), vocabulary.show_move(role, action));
            inputs[circuit.names[&format!("i (does {} {})", shown.0, shown.1)]] = true;
            joint.push(action);
        }
        let values = circuit.values(&inputs, &latches);
        let terminal = worker.is_terminal(&state).expect("no limit is met");
        assert_eq!(circuit.output(&values, "terminal"), Some(terminal), "{name}");
        let all_move = joint.len() == vocabulary.role_count();
        assert_eq!(circuit.output(&values, "step"), Some(all_move && !terminal), "{name}");
        for role in vocabulary.roles() {
            let shown = vocabulary.show_role(role);
            for at in 0..vocabulary.move_count(role) as u32 {
                let action = ludex_engine::vocabulary::MoveId(at);
                let output = format!("(legal {shown} {})", vocabulary.show_move(role, action));
                let expected = legal[role.index()].contains(&action);
                assert_eq!(circuit.output(&values, &output), Some(expected), "{name}: {output}");
            }
            if let Some(goal) = worker.goal(&state, role).expect("no limit is met") {
                let output = format!("(goal {shown} {goal})");
                assert_eq!(circuit.output(&values, &output), Some(true), "{name}: {output}");
            }
        }
        if terminal || !all_move {
            break;
        }
        worker.next(&state, &joint, &mut next).expect("no limit is met");
        std::mem::swap(&mut state, &mut next);
        latches = circuit.latches.iter().map(|latch| value(&values, latch.1)).collect();
    }
}

#[test]
fn the_text_says_what_the_rules_say() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../ludex/games");
    // hex has a block with feedback, which is written out.
    for name in ["tictactoe", "hex", "nim", "rockpaperscissors", "eightpuzzle", "reversi"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.kif")).expect("a bundled game");
        compare(name, &text);
    }
}

#[test]
fn a_step_needs_one_legal_move_of_each_role() {
    let game = ludex_gdl::Sheet::read(
        "(role a) (init on) (legal a stay) (<= (legal a go) (true on)) (<= (next on) (does a stay) (true on))
         (<= terminal (not (true on))) (<= (goal a 100) (not (true on)))",
    );
    let game = game.into_game().expect("a sound sheet");
    let circuit = read(&aiger(&compile(&game, &Budget::default()).expect("it fits")).expect("it is small"));
    let [go, stay] = ["i (does a go)", "i (does a stay)"].map(|name| circuit.names[name]);
    for (moves, on, expected) in [
        (vec![], true, false),
        (vec![go], true, true),
        (vec![stay], true, true),
        (vec![go, stay], true, false),
        (vec![stay], false, false),
    ] {
        let inputs: Vec<bool> = (0..2).map(|at| moves.contains(&at)).collect();
        let values = circuit.values(&inputs, &[on]);
        assert_eq!(circuit.output(&values, "step"), Some(expected), "{moves:?} {on}");
    }
}
