//! Mixed strategies: how much an opponent who knows them can gain, by a solver of its own over the whole game.

use ludex::engine::budget::Budget;
use ludex::engine::datalog::Datalog;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex::gdl::{Game, Sheet};
use ludex_search::clock::Clock;
use ludex_search::simultaneous::{Mixed, Settings, is_joint, solve};
use std::collections::HashMap;

/// Rock, paper, scissors, where a win by rock counts 100, by paper 80 and by scissors 60.
const UNEVEN: &str = "(role a) (role b) (sign rock) (sign paper) (sign scissors) (init start)
    (<= (legal ?r ?s) (role ?r) (sign ?s) (true start))
    (<= (next (shown ?r ?s)) (does ?r ?s))
    (<= terminal (not (true start)))
    (pays rock scissors 100 0) (pays paper rock 80 20) (pays scissors paper 60 40)
    (<= (goal a ?x) (true (shown a ?s)) (true (shown b ?t)) (pays ?s ?t ?x ?y))
    (<= (goal b ?y) (true (shown a ?s)) (true (shown b ?t)) (pays ?s ?t ?x ?y))
    (<= (goal a ?y) (true (shown a ?s)) (true (shown b ?t)) (pays ?t ?s ?x ?y))
    (<= (goal b ?x) (true (shown a ?s)) (true (shown b ?t)) (pays ?t ?s ?x ?y))
    (<= (goal ?r 50) (role ?r) (true (shown a ?s)) (true (shown b ?s)))";

/// Four soldiers on three hills: who has more of them on more hills wins.
const HILLS: &str = "(role a) (role b) (init start) (n 0) (n 1) (n 2) (n 3) (n 4)
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
    (<= (plus 0 ?x ?x) (n ?x))
    (<= (plus ?y ?b ?z) (plus ?x ?b ?c) (succ ?x ?y) (succ ?c ?z))
    (<= (more ?x ?y) (succ ?y ?x)) (<= (more ?x ?z) (succ ?y ?x) (more ?y ?z))
    (<= (legal ?r (put ?x ?y ?z)) (role ?r) (plus ?x ?y ?s) (plus ?s ?z 4) (true start))
    (<= (next (on ?r 1 ?x)) (does ?r (put ?x ?y ?z)))
    (<= (next (on ?r 2 ?y)) (does ?r (put ?x ?y ?z)))
    (<= (next (on ?r 3 ?z)) (does ?r (put ?x ?y ?z)))
    (<= terminal (not (true start)))
    (hill 1) (hill 2) (hill 3) (other a b) (other b a)
    (<= (takes ?r ?h) (true (on ?r ?h ?x)) (true (on ?s ?h ?y)) (other ?r ?s) (more ?x ?y))
    (<= (two ?r) (takes ?r ?h) (takes ?r ?g) (distinct ?h ?g))
    (<= (lone ?r) (takes ?r ?h) (not (two ?r)))
    (<= (wins ?r) (two ?r) (other ?r ?s) (not (two ?s)))
    (<= (wins ?r) (lone ?r) (other ?r ?s) (not (two ?s)) (not (lone ?s)))
    (<= decided (wins ?r))
    (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (other ?r ?s) (wins ?s)) (<= (goal ?r 50) (role ?r) (not decided))";

/// Three prizes of 1, 2 and 3, bid for one after the other with cards 1 to 3, each of which can be played once; equal bids
/// win nothing, and who has the larger sum wins.
const BIDS: &str = "(role a) (role b) (init (round 1)) (succ 1 2) (succ 2 3) (succ 3 4)
    (card 1) (card 2) (card 3) (<= (init (holds ?r ?c)) (role ?r) (card ?c))
    (init (points a 0)) (init (points b 0)) (other a b) (other b a)
    (more 2 1) (more 3 1) (more 3 2)
    (<= (legal ?r (bid ?c)) (true (holds ?r ?c)))
    (<= (next (holds ?r ?c)) (true (holds ?r ?c)) (not (does ?r (bid ?c))))
    (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
    (<= (takes ?r) (does ?r (bid ?c)) (other ?r ?s) (does ?s (bid ?d)) (more ?c ?d))
    (<= (next (points ?r ?y)) (takes ?r) (true (round ?n)) (true (points ?r ?x)) (sum ?x ?n ?y))
    (<= (next (points ?r ?x)) (true (points ?r ?x)) (not (takes ?r)))
    (sum 0 1 1) (sum 0 2 2) (sum 0 3 3) (sum 1 2 3) (sum 1 3 4) (sum 2 3 5) (sum 3 3 6)
    (<= terminal (true (round 4)))
    (above 6 0) (above 5 0) (above 5 1) (above 4 0) (above 4 2) (above 3 0) (above 3 1) (above 3 2) (above 2 0)
    (above 2 1) (above 1 0)
    (<= (wins ?r) (true (points ?r ?x)) (other ?r ?s) (true (points ?s ?y)) (above ?x ?y))
    (<= decided (wins ?r))
    (<= (goal ?r 100) (wins ?r)) (<= (goal ?r 0) (other ?r ?s) (wins ?s)) (<= (goal ?r 50) (role ?r) (not decided))";

fn game(text: &str) -> Game {
    Sheet::read(text).into_game().expect("a sound sheet")
}

fn initial(worker: &mut dyn Worker) -> Vec<u64> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    state
}

/// The value of a matrix for who chooses the row, by the simplex method on the other's side: the most that weights of
/// columns add up to while no row gets more than one. Entries must be positive.
fn matrix_value(matrix: &[Vec<f64>]) -> f64 {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let width = columns + rows + 1;
    let mut table: Vec<Vec<f64>> = matrix.to_vec();
    for (at, row) in table.iter_mut().enumerate() {
        row.extend((0..rows).map(|slack| f64::from(u8::from(slack == at))));
        row.push(1.0);
    }
    let mut costs = vec![0.0; width];
    costs[..columns].fill(-1.0);
    // The first column that helps enters, by which no tableau comes back.
    while let Some(enters) = costs[..width - 1].iter().position(|&cost| cost < -1e-9) {
        let bound = |row: &Vec<f64>| row[width - 1] / row[enters];
        let rows_that_bind = (0..rows).filter(|&row| table[row][enters] > 1e-9);
        let leaves = rows_that_bind.min_by(|&a, &b| bound(&table[a]).total_cmp(&bound(&table[b])));
        let leaves = leaves.expect("entries are positive, so the sum is bounded");
        let pivot = table[leaves][enters];
        table[leaves].iter_mut().for_each(|entry| *entry /= pivot);
        let pivot_row = table[leaves].clone();
        let others = table.iter_mut().enumerate().filter(|(row, _)| *row != leaves).map(|(_, row)| row);
        for row in others.chain([&mut costs]) {
            let factor = row[enters];
            row.iter_mut().zip(&pivot_row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    1.0 / costs[width - 1]
}

/// What the first role gets by perfect play of both, for every pair of moves of a state and so for the state.
struct Truth<'e> {
    worker: Box<dyn Worker + 'e>,
    known: HashMap<Vec<u64>, f64>,
}

impl<'e> Truth<'e> {
    fn new(engine: &'e Datalog) -> Truth<'e> {
        Truth { worker: engine.worker(), known: HashMap::new() }
    }

    fn legal(&mut self, state: &[u64], role: u32) -> Vec<MoveId> {
        let mut moves = Vec::new();
        self.worker.legal(state, RoleId(role), &mut moves).expect("no limit is met");
        moves
    }

    fn matrix(&mut self, state: &[u64]) -> Vec<Vec<f64>> {
        let (rows, columns) = (self.legal(state, 0), self.legal(state, 1));
        let mut next = state.to_vec();
        let mut entry = |&row: &MoveId, &column: &MoveId| {
            self.worker.next(state, &[row, column], &mut next).expect("no limit is met");
            self.value(&next.clone())
        };
        rows.iter().map(|row| columns.iter().map(|column| entry(row, column)).collect()).collect()
    }

    fn value(&mut self, state: &[u64]) -> f64 {
        if let Some(&known) = self.known.get(state) {
            return known;
        }
        let value = if self.worker.is_terminal(state).expect("no limit is met") {
            let goal = |truth: &mut Self, role| {
                let goal = truth.worker.goal(state, RoleId(role)).expect("no limit is met");
                f64::from(goal.expect("a goal at the end"))
            };
            assert_eq!(goal(self, 0) + goal(self, 1), 100.0);
            goal(self, 0)
        } else {
            let positive: Vec<Vec<f64>> =
                self.matrix(state).iter().map(|row| row.iter().map(|entry| entry + 1.0).collect()).collect();
            matrix_value(&positive) - 1.0
        };
        self.known.insert(state.to_vec(), value);
        value
    }
}

/// What an opponent who knows the mixture gains over perfect play, in points of the goal.
fn exploitability(matrix: &[Vec<f64>], value: f64, mixture: &[f64], role: usize) -> f64 {
    let (mine, theirs) =
        if role == 0 { (matrix.len(), matrix[0].len()) } else { (matrix[0].len(), matrix.len()) };
    assert_eq!(mixture.len(), mine);
    let entry = |mine: usize, other: usize| {
        if role == 0 { matrix[mine][other] } else { 100.0 - matrix[other][mine] }
    };
    let against =
        |other: usize| mixture.iter().enumerate().map(|(at, chance)| chance * entry(at, other)).sum();
    let worst = (0..theirs).map(against).fold(f64::INFINITY, f64::min);
    (if role == 0 { value } else { 100.0 - value }) - worst
}

#[test]
fn the_solver_of_matrices_gives_what_is_known_by_hand() {
    // Matching pennies of 100, 0 and a game with a saddle; rock, paper, scissors of 50, 100, 0.
    assert!((matrix_value(&[vec![101.0, 1.0], vec![1.0, 101.0]]) - 51.0).abs() < 1e-9);
    assert!((matrix_value(&[vec![3.0, 5.0], vec![2.0, 9.0]]) - 3.0).abs() < 1e-9);
    let even = [vec![51.0, 1.0, 101.0], vec![101.0, 51.0, 1.0], vec![1.0, 101.0, 51.0]];
    assert!((matrix_value(&even) - 51.0).abs() < 1e-9);
    // Of a game of two rows the first is played in 3 of 4 where 1, 4 stand against 3, -2 moved up by 3: by hand 5 / 8.
    let [row, _] = solve(&[vec![4.0, 7.0, 6.0, 1.0], vec![-4.0, -7.0, -6.0, -1.0]], 2, 2, 20_000);
    assert!((row[0] - 5.0 / 8.0).abs() < 0.01, "{row:?}");
}

#[test]
fn mixtures_leave_an_opponent_who_knows_them_next_to_nothing() {
    for (name, text, iterations, most) in
        [("uneven", UNEVEN, 3000, 0.5), ("hills", HILLS, 30_000, 2.0), ("bids", BIDS, 30_000, 2.0)]
    {
        let game = game(text);
        let engine = Datalog::new(&game, &Budget::default()).expect("the reference takes it");
        let network = Propnet::new(&game, &Budget::default()).expect("it is small");
        let mut worker = network.worker();
        let state = initial(&mut *worker);
        assert!(is_joint(&mut *worker, &state, None).expect("no limit is met"));
        let mut truth = Truth::new(&engine);
        let (matrix, value) = (truth.matrix(&state), truth.value(&state));
        let mut tree = Mixed::new(Settings::default(), &mut *worker, &state, 1).expect("no limit is met");
        tree.search(&mut *worker, &mut Clock::iterations(iterations)).expect("no limit is met");
        for role in 0..2 {
            let estimate = tree.estimate(RoleId(role as u32));
            let sum: f64 = estimate.mixture.iter().sum();
            assert!((sum - 1.0).abs() < 1e-9 && estimate.mixture.len() == estimate.candidates.len());
            let lost = exploitability(&matrix, value, &estimate.mixture, role);
            println!(
                "{name}: role {role}: value {value:.2}, exploitability {lost:.3}, {:.3?}",
                estimate.mixture
            );
            assert!((-1e-6..=most).contains(&lost), "{name}: role {role} can lose {lost:.2}");
            // One move, whichever, can be exploited: this is no game for pure strategies.
            let pure = (0..estimate.mixture.len()).map(|at| {
                let mut only = vec![0.0; estimate.mixture.len()];
                only[at] = 1.0;
                exploitability(&matrix, value, &only, role)
            });
            assert!(name == "bids" || pure.fold(f64::INFINITY, f64::min) > 5.0, "{name}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_mixtures() {
    let network = Propnet::new(&game(BIDS), &Budget::default()).expect("it is small");
    let run = || {
        let mut worker = network.worker();
        let state = initial(&mut *worker);
        let mut tree = Mixed::new(Settings::default(), &mut *worker, &state, 7).expect("no limit is met");
        tree.search(&mut *worker, &mut Clock::iterations(500)).expect("no limit is met");
        tree.estimate(RoleId(1))
    };
    assert_eq!(run(), run());
}

#[test]
fn states_of_games_of_turns_are_none_for_mixed_strategies() {
    for name in ["tictactoe", "connectfour", "nim", "breakthrough"] {
        let engine = Propnet::new(&ludex::load(name).expect("a bundled game"), &Budget::default());
        let engine = engine.expect("it is small");
        let mut worker = engine.worker();
        let mut random = Random::new(1);
        for plies in 0..12 {
            let mut state = initial(&mut *worker);
            worker.playout(&mut state, plies, &mut random, &mut Default::default()).expect("no limit is met");
            assert!(!is_joint(&mut *worker, &state, None).expect("no limit is met"), "{name}");
        }
    }
}

#[test]
fn a_small_memory_and_chance_are_kept_to() {
    let text =
        format!("{UNEVEN} (role random) (<= (legal random ?s) (sign ?s) (true start)) (goal random 0)");
    let network = Propnet::new(
        &game(
            &text
                .replace("(role ?r) (sign", "(player ?r) (sign")
                .replace("(init start)", "(init start) (player a) (player b)")
                .replace("(goal ?r 50) (role ?r)", "(goal ?r 50) (player ?r)"),
        ),
        &Budget::default(),
    );
    let network = network.expect("it is small");
    let mut worker = network.worker();
    let state = initial(&mut *worker);
    let settings = Settings { memory: 600, chance: Some(RoleId(2)), ..Settings::default() };
    let mut tree = Mixed::new(settings, &mut *worker, &state, 1).expect("no limit is met");
    tree.search(&mut *worker, &mut Clock::iterations(3000)).expect("no limit is met");
    let estimate = tree.estimate(RoleId(2));
    assert_eq!(estimate.mixture, [1.0 / 3.0; 3]);
    assert!(estimate.nodes < 10 && estimate.playouts > 2000, "{estimate:?}");
}
