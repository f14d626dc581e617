//! The tree as a graph, and leaves in lanes: nothing is searched twice, circles end, and what is under way is accounted for.

use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::{
    Propnet,
    lanes::{Ended, LANES, Lanes, LanesRunner, Valuer},
};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::RoleId;
use ludex::gdl::Sheet;
use ludex_search::clock::Clock;
use ludex_search::estimate::Estimate;
use ludex_search::uct::{Settings, Tools, Tree};

fn bundled(name: &str) -> Propnet {
    let game = ludex::load(name).expect("a bundled game");
    Propnet::new(&game, &Budget::default()).expect("the network takes it")
}

/// A token on a ring of six places, moved one place by each of two in turn. White, who moves from even places, wins where it
/// comes to place 3; black never has to let it.
fn ring(start: usize) -> Propnet {
    let steps: String =
        (0..6).map(|at| format!("(step {at} {}) (step {} {at})", (at + 1) % 6, (at + 1) % 6)).collect();
    let text = format!(
        "(role white) (role black) (init (at {start})) (init (turn white)) {steps}
        (<= (legal ?r (go ?b)) (true (turn ?r)) (true (at ?a)) (step ?a ?b))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (at ?b)) (does ?r (go ?b)))
        (<= (next (turn white)) (true (turn black))) (<= (next (turn black)) (true (turn white)))
        (<= terminal (true (at 3)))
        (<= (goal white 100) (true (at 3))) (<= (goal black 0) (true (at 3)))
        (<= (goal white 0) (not (true (at 3)))) (<= (goal black 100) (not (true (at 3))))"
    );
    let game = Sheet::read(&text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    Propnet::new(&game, &Budget::default()).expect("a small game")
}

fn start(worker: &mut dyn Worker) -> Vec<u64> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    state
}

fn searched(engine: &Propnet, settings: Settings, with_lanes: bool, iterations: u64) -> Estimate {
    let mut worker = engine.worker();
    let state = start(&mut *worker);
    let lanes = Lanes::new(engine.net(), &state, &Budget::default()).expect("no limit is met");
    let mut tree = Tree::new(settings, &mut *worker, &state, 3).expect("no limit is met");
    let mut runner = with_lanes.then(|| lanes.runner(3));
    let lanes = runner.as_mut().map(|runner| runner as &mut dyn Valuer);
    let mut tools = Tools { worker: &mut *worker, lanes, oracle: None, goal_heuristic: None };
    tree.search(&mut tools, &mut Clock::iterations(iterations)).expect("no limit is met");
    tree.estimate(RoleId(0))
}

#[test]
fn a_state_that_is_reached_by_several_ways_is_searched_once() {
    // Tic-tac-toe has 5478 states (without symmetries, as counted by many); its tree has 549,946 nodes.
    const STATES: usize = 5478;
    let engine = bundled("tictactoe");
    for with_lanes in [false, true] {
        let graph = searched(&engine, Settings::default(), with_lanes, 400_000);
        assert!(graph.solved && graph.nodes <= STATES, "{} nodes", graph.nodes);
        assert_eq!(graph.best().and_then(|best| best.verdict).map(|verdict| verdict.value), Some(50));
        let settings = Settings { transpositions: false, ..Settings::default() };
        let tree = searched(&engine, settings, with_lanes, 400_000);
        assert!(tree.nodes > STATES, "{} nodes", tree.nodes);
    }
}

#[test]
fn circles_end_and_prove_nothing() {
    for with_lanes in [false, true] {
        let settings = Settings { plies: 40, ..Settings::default() };
        let near = searched(&ring(2), settings.clone(), with_lanes, 2000);
        let best = near.best().and_then(|best| best.verdict).expect("a win in one");
        assert_eq!((best.value, best.plies), (100, 1));
        // Six states can be reached: white moves from three places, black from two, and one is the end.
        let far = searched(&ring(0), settings, with_lanes, 20_000);
        assert!(far.nodes <= 6 && !far.solved, "{far:?}");
        assert!(far.candidates.iter().all(|candidate| candidate.verdict.is_none()), "{far:?}");
    }
}

#[test]
fn every_leaf_that_took_off_is_accounted_for() {
    let engine = bundled("connectfour");
    let mut worker = engine.worker();
    let mut state = start(&mut *worker);
    let lanes = Lanes::new(engine.net(), &state, &Budget::default()).expect("no limit is met");
    let mut run = |seed| {
        let mut tree = Tree::new(Settings::default(), &mut *worker, &state, seed).expect("no limit is met");
        let mut random = Random::new(seed);
        let mut told = Vec::new();
        let first = state.clone();
        while !worker.is_terminal(&state).expect("no limit is met") {
            let mut runner = lanes.runner(random.bits());
            let lanes: Option<&mut dyn Valuer> = Some(&mut runner);
            let mut tools = Tools { worker: &mut *worker, lanes, oracle: None, goal_heuristic: None };
            tree.search(&mut tools, &mut Clock::iterations(3000)).expect("no limit is met");
            let estimate = tree.estimate(RoleId(0));
            let visits: u64 = estimate.candidates.iter().map(|candidate| candidate.visits).sum();
            // All but what waits for a batch, of which there is one a phase at most.
            assert!(estimate.solved || visits + 2 * 512 >= 3000, "{visits} visits");
            assert!(estimate.candidates.iter().all(|c| (0.0..=100.0).contains(&c.value)), "{estimate:?}");
            told.push(estimate);
            let mut legal = Vec::new();
            let joint: Vec<_> = [RoleId(0), RoleId(1)]
                .map(|role| {
                    worker.legal(&state, role, &mut legal).expect("no limit is met");
                    legal[random.below(legal.len())]
                })
                .to_vec();
            let mut next = state.clone();
            worker.next(&state, &joint, &mut next).expect("no limit is met");
            tree.advance(&mut *worker, &joint, &next).expect("no limit is met");
            state = next;
        }
        state = first;
        told
    };
    let once = run(4);
    assert!(once.len() >= 7);
    assert_eq!(once, run(4));
}

/// States of a batch at most, and games of each.
const STATES: usize = 8 * LANES;
const GAMES: usize = 3;

/// Takes thousands of states and plays several games from each, as a GPU does, on the lanes of this machine.
struct Thousands<'l> {
    runner: LanesRunner<'l>,
    /// The largest batch so far.
    largest: usize,
}

impl Valuer for Thousands<'_> {
    fn lanes(&self) -> &Lanes {
        Valuer::lanes(&self.runner)
    }

    fn capacity(&self) -> usize {
        STATES
    }

    fn games_a_state(&self) -> usize {
        GAMES
    }

    fn value(&mut self, phase: Option<usize>, states: &[u64], most: u64, ended: &mut Ended) {
        let width = Valuer::lanes(&self.runner).general_net().next.len().div_ceil(64);
        self.largest = self.largest.max(states.len() / width);
        ended.goals.clear();
        for states in states.chunks(LANES * width) {
            let played: [Ended; GAMES] = std::array::from_fn(|_| {
                let mut part = Ended::default();
                self.runner.playouts_each(phase, states, most, &mut part);
                part
            });
            let roles = played[0].goals.len() / (states.len() / width);
            for row in 0..states.len() / width {
                played.iter().for_each(|part| ended.goals.extend(&part.goals[row * roles..][..roles]));
            }
        }
    }
}

#[test]
fn thousands_of_leaves_are_under_way_where_they_are_valued_together() {
    let engine = bundled("breakthrough");
    let mut worker = engine.worker();
    let state = start(&mut *worker);
    let lanes = Lanes::new(engine.net(), &state, &Budget::default()).expect("no limit is met");
    let mut tree = Tree::new(Settings::default(), &mut *worker, &state, 3).expect("no limit is met");
    let mut thousands = Thousands { runner: lanes.runner(3), largest: 0 };
    const ITERATIONS: u64 = 150_000;
    let mut tools =
        Tools { worker: &mut *worker, lanes: Some(&mut thousands), oracle: None, goal_heuristic: None };
    tree.search(&mut tools, &mut Clock::iterations(ITERATIONS)).expect("no limit is met");
    assert_eq!(thousands.largest, STATES);
    let estimate = tree.estimate(RoleId(0));
    let visits: u64 = estimate.candidates.iter().map(|candidate| candidate.visits).sum();
    let waiting = (lanes.period() + 1) * STATES;
    assert!(visits <= ITERATIONS && visits + waiting as u64 >= ITERATIONS, "{visits} visits");
    // Every game from a leaf counts, and so early in a long game hardly a way comes to an end.
    assert_eq!(tree.playouts() % GAMES as u64, 0);
    let all = visits * GAMES as u64;
    assert!(tree.playouts() <= all && tree.playouts() > all / 10 * 9, "{} playouts", tree.playouts());
    // White's first moves are about as good as one another, and none is lost or won.
    assert!(estimate.candidates.iter().all(|move_| (20.0..80.0).contains(&move_.value)), "{estimate:?}");
}

#[test]
fn a_tree_keeps_to_its_memory_in_lanes_too() {
    let engine = bundled("breakthrough");
    let settings = Settings { memory: 1 << 20, ..Settings::default() };
    let estimate = searched(&engine, settings, true, 60_000);
    // A node has a state of four words beside its own figures.
    assert!(estimate.nodes * 64 < 1 << 20, "{} nodes", estimate.nodes);
    let visits: u64 = estimate.candidates.iter().map(|candidate| candidate.visits).sum();
    assert!(visits + 1024 >= 60_000, "{visits} visits");
}

/// Two put stones on 24 cells by turns; who holds two of the cells 5, 7 and 11 at the end has won. So a first stone on one
/// of these wins three random games of four, any other one of two; and random games that end with such a cell say so,
/// whenever it was taken.
fn prizes() -> Propnet {
    let cells: String = (1..=24).map(|n| format!("(init (free {n}))")).collect();
    let text = format!(
        "(role white) (role black) {cells} (init (turn white))
        (<= (legal ?r (put ?n)) (true (turn ?r)) (true (free ?n)))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (holds ?r ?n)) (does ?r (put ?n))) (<= (next (holds ?r ?n)) (true (holds ?r ?n)))
        (<= (next (free ?n)) (true (free ?n)) (not (gone ?n)))
        (<= (gone ?n) (does ?r (put ?n))) (<= some (true (free ?n)))
        (<= (next (turn white)) (true (turn black))) (<= (next (turn black)) (true (turn white)))
        (<= terminal (not some))
        (<= (most ?r) (true (holds ?r 5)) (true (holds ?r 7))) (<= (most ?r) (true (holds ?r 5)) (true (holds ?r 11)))
        (<= (most ?r) (true (holds ?r 7)) (true (holds ?r 11)))
        (<= (goal ?r 100) (most ?r)) (<= (goal ?r 0) (role ?r) (not (most ?r)))"
    );
    let game = Sheet::read(&text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    Propnet::new(&game, &Budget::default()).expect("a small game")
}

#[test]
fn how_games_ended_says_what_to_try() {
    let engine = prizes();
    let on_prizes = |estimate: &Estimate| -> u64 {
        let shown = |action| engine.vocabulary().show_move(RoleId(0), action);
        let is_prize = |action| ["(put 5)", "(put 7)", "(put 11)"].contains(&shown(action).as_str());
        estimate.candidates.iter().filter(|candidate| is_prize(candidate.action)).map(|c| c.visits).sum()
    };
    for with_lanes in [false, true] {
        let visits =
            |ends| on_prizes(&searched(&engine, Settings { ends, ..Settings::default() }, with_lanes, 1500));
        let [plain, guided] = [visits(0.0), visits(20.0)];
        assert_eq!(guided, visits(20.0), "the same seed, the same search");
        assert!(guided > 900 && guided > plain, "{guided} and {plain}");
    }
    // It guides, and proves nothing: tic-tac-toe stays a draw.
    let settings = Settings { ends: 20.0, ..Settings::default() };
    let solved = searched(&bundled("tictactoe"), settings, false, 400_000);
    assert_eq!(solved.best().and_then(|best| best.verdict).map(|verdict| verdict.value), Some(50));
}

#[test]
fn a_full_tree_lists_no_more_moves() {
    let engine = bundled("breakthrough");
    let mut worker = engine.worker();
    let state = start(&mut *worker);
    let lanes = Lanes::new(engine.net(), &state, &Budget::default()).expect("no limit is met");
    for ends in [0.0, 20.0] {
        let memory = 300 << 10;
        let settings = Settings { memory, ends, ..Settings::default() };
        let mut tree = Tree::new(settings, &mut *worker, &state, 3).expect("no limit is met");
        for _ in 0..4 {
            let mut runner = lanes.runner(3);
            let lanes: Option<&mut dyn Valuer> = Some(&mut runner);
            let mut tools = Tools { worker: &mut *worker, lanes, oracle: None, goal_heuristic: None };
            tree.search(&mut tools, &mut Clock::iterations(50_000)).expect("no limit is met");
            // The last node and its moves may go beyond.
            assert!(tree.bytes() <= memory + 4096, "{} bytes", tree.bytes());
        }
        assert!(tree.bytes() > memory / 2);
    }
}
