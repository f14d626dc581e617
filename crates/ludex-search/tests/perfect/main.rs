//! Perfect play where it can be known: what the searches prove and choose is compared with exhaustive
//! search, which is written here without any of their code and runs on the reference engine.

mod exhaustive;
mod guided;
mod values;

use exhaustive::Exhaustive;
use ludex::engine::budget::Budget;
use ludex::engine::datalog::Datalog;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::prepared::Prepared;
use ludex::engine::propnet::{
    Propnet,
    lanes::{Lanes, Valuer},
};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex_logic::endgame::regress::{Options, regress};
use ludex_logic::endgame::{Database, Oracle};
use ludex_search::alphabeta::AlphaBeta;
use ludex_search::clock::Clock;
use ludex_search::solitaire::Solitaire;
use ludex_search::uct::{Settings, Tools, Tree};

/// No time limit: what the tests decide must not depend on the machine.
fn budget() -> Budget {
    Budget::default()
}

fn reference(name: &str) -> Datalog {
    let game = ludex::load(name).expect("a bundled game");
    Datalog::new(&game, &budget()).expect("the reference takes it")
}

fn network(name: &str) -> Propnet {
    let game = ludex::load(name).expect("a bundled game");
    Propnet::new(&game, &budget()).expect("the network takes it")
}

fn initial(worker: &mut dyn Worker) -> Vec<u64> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    state
}

/// A joint move by chance.
fn random_joint(worker: &mut dyn Worker, state: &[u64], random: &mut Random) -> Vec<MoveId> {
    let mut legal = Vec::new();
    let roles = worker.vocabulary().roles();
    roles
        .map(|role| {
            worker.legal(state, role, &mut legal).expect("no limit is met");
            legal[random.below(legal.len())]
        })
        .collect()
}

/// Games of two who take turns for a constant sum, small enough to be searched whole.
const TURNS: [&str; 4] = ["tictactoe", "nim", "racetoten", "tileflip"];

#[test]
fn alpha_beta_finds_the_value_of_every_state_on_random_ways() {
    for name in TURNS {
        let (engine, truth) = (network(name), reference(name));
        let (mut worker, mut truth) = (engine.worker(), Exhaustive::new(&truth));
        let mut search = AlphaBeta::new(&*worker, 16 << 20).expect("two roles");
        for seed in 0..8 {
            let mut random = Random::new(seed);
            let mut state = initial(&mut *worker);
            while !worker.is_terminal(&state).expect("no limit is met") {
                for role in [RoleId(0), RoleId(1)] {
                    let clock = &mut Clock::iterations(u64::MAX);
                    if let Some(found) =
                        search.search(&mut *worker, &state, role, clock).expect("no limit is met")
                    {
                        let best = found.best().expect("a move");
                        let value = best.verdict.expect("the whole game was searched").value;
                        assert!(found.solved, "{name}");
                        assert_eq!(value, truth.value(&state)[role.index()], "{name}: seed {seed}");
                        assert_eq!(truth.after(&state, role, best.action)[role.index()], value, "{name}");
                    }
                }
                let joint = random_joint(&mut *worker, &state, &mut random);
                let mut next = state.clone();
                worker.next(&state, &joint, &mut next).expect("no limit is met");
                state = next;
            }
        }
        assert!(search.applies(), "{name}");
    }
}

#[test]
fn alpha_beta_leaves_other_games_alone() {
    for name in ["rockpaperscissors", "pursuit"] {
        let engine = network(name);
        let mut worker = engine.worker();
        let state = initial(&mut *worker);
        let mut search = AlphaBeta::new(&*worker, 1 << 20).expect("two roles");
        let found = search
            .search(&mut *worker, &state, RoleId(0), &mut Clock::iterations(1000))
            .expect("no limit is met");
        assert_eq!(found, None, "{name}");
    }
    for name in ["threeway", "hanoi"] {
        assert!(AlphaBeta::new(&*network(name).worker(), 1 << 20).is_none(), "{name}");
    }
}

#[test]
fn a_small_table_costs_time_and_no_truth() {
    let (engine, truth) = (network("tictactoe"), reference("tictactoe"));
    let (mut worker, mut truth) = (engine.worker(), Exhaustive::new(&truth));
    let state = initial(&mut *worker);
    let mut search = AlphaBeta::new(&*worker, 2000).expect("two roles");
    let found = search
        .search(&mut *worker, &state, RoleId(0), &mut Clock::iterations(u64::MAX))
        .expect("no limit is met");
    let value = found.and_then(|found| found.best().and_then(|best| best.verdict)).expect("solved").value;
    assert_eq!(value, truth.value(&state)[0]);
}

/// What a tree is given beside the engine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Aids {
    Nothing,
    Lanes,
    Endings,
}

/// The tree plays one role, chance the other: the tree must never get less than the state is worth.
fn never_less_than_its_due(name: &str, seeds: std::ops::Range<u64>, iterations: u64, aids: Aids) {
    let (engine, truth) = (network(name), reference(name));
    let (mut worker, mut truth) = (engine.worker(), Exhaustive::new(&truth));
    let start = initial(&mut *worker);
    let lanes = (aids == Aids::Lanes).then(|| Lanes::new(engine.net(), &start, &budget()).expect("no limit"));
    let endings = (aids == Aids::Endings).then(|| {
        let game = ludex::load(name).expect("a bundled game");
        let done = regress(&Prepared::new(game), &Options { depth: 3, ..Options::default() })
            .expect("it can be regressed");
        assert!(done.summary.entries > 0, "{name}");
        Database::from_bytes(done.bytes).expect("its own file")
    });
    for seed in seeds {
        let role = RoleId((seed % 2) as u32);
        let due = truth.value(&start)[role.index()];
        let mut random = Random::new(seed);
        let mut state = start.clone();
        let settings = Settings::default();
        let mut tree = Tree::new(settings, &mut *worker, &state, seed).expect("no limit is met");
        while !worker.is_terminal(&state).expect("no limit is met") {
            let mut runner = lanes.as_ref().map(|lanes| lanes.runner(seed));
            let mut tools = Tools {
                worker: &mut *worker,
                lanes: runner.as_mut().map(|runner| runner as &mut dyn Valuer),
                oracle: endings.as_ref().map(|database| database as &dyn Oracle),
                goal_heuristic: None,
            };
            tree.search(&mut tools, &mut Clock::iterations(iterations)).expect("no limit is met");
            let estimate = tree.estimate(role);
            for candidate in &estimate.candidates {
                if let Some(verdict) = candidate.verdict {
                    let exact = truth.after(&state, role, candidate.action)[role.index()];
                    assert_eq!(verdict.value, exact, "{name}: seed {seed}: a wrong proof");
                }
            }
            let mut joint = random_joint(&mut *worker, &state, &mut random);
            joint[role.index()] = estimate.best().expect("a move").action;
            let mut next = state.clone();
            worker.next(&state, &joint, &mut next).expect("no limit is met");
            tree.advance(&mut *worker, &joint, &next).expect("no limit is met");
            state = next;
        }
        let reached = worker.goal(&state, role).expect("no limit is met").expect("a goal");
        assert!(reached >= due, "{name}: seed {seed}: {reached} of {due}");
    }
}

#[test]
fn the_tree_never_loses_what_it_can_hold() {
    never_less_than_its_due("tictactoe", 0..30, 2000, Aids::Nothing);
    never_less_than_its_due("racetoten", 0..30, 1000, Aids::Nothing);
    never_less_than_its_due("nim", 0..6, 20_000, Aids::Nothing);
    never_less_than_its_due("tileflip", 0..6, 10_000, Aids::Nothing);
}

#[test]
fn the_tree_with_lanes_never_loses_what_it_can_hold() {
    never_less_than_its_due("tictactoe", 0..10, 1000, Aids::Lanes);
    never_less_than_its_due("racetoten", 0..10, 500, Aids::Lanes);
}

#[test]
fn the_tree_with_endings_never_loses_what_it_can_hold_and_proves_nothing_wrong() {
    never_less_than_its_due("tictactoe", 0..20, 200, Aids::Endings);
    never_less_than_its_due("racetoten", 0..20, 200, Aids::Endings);
}

#[test]
fn games_for_one_are_solved_and_the_plan_is_carried_out() {
    for name in ["buttonsandlights", "hanoi", "maze", "eightpuzzle"] {
        let engine = network(name);
        let mut worker = engine.worker();
        let mut state = initial(&mut *worker);
        let mut search = Solitaire::new(&*worker, &state, 256 << 20).expect("one role");
        assert!(
            search.search(&mut *worker, None, &mut Clock::iterations(u64::MAX)).expect("no limit is met"),
            "{name}"
        );
        let plan = search.plan().expect("there is an end");
        assert!(plan.is_best && plan.value == 100, "{name}: {plan:?}");
        let reference = reference(name);
        let mut judge = reference.worker();
        let mut legal = Vec::new();
        for &action in &plan.moves {
            assert!(!judge.is_terminal(&state).expect("no limit is met"), "{name}");
            judge.legal(&state, RoleId(0), &mut legal).expect("no limit is met");
            assert!(legal.contains(&action), "{name}");
            let mut next = state.clone();
            judge.next(&state, &[action], &mut next).expect("no limit is met");
            state = next;
        }
        assert!(judge.is_terminal(&state).expect("no limit is met"), "{name}");
        assert_eq!(judge.goal(&state, RoleId(0)).expect("no limit is met"), Some(100), "{name}");
    }
    assert!(Solitaire::new(&*network("nim").worker(), &[], 1).is_none());
}

#[test]
fn a_full_memory_ends_the_search_of_games_for_one() {
    let engine = network("eightpuzzle");
    let mut worker = engine.worker();
    let state = initial(&mut *worker);
    let mut search = Solitaire::new(&*worker, &state, 10_000).expect("one role");
    assert!(search.search(&mut *worker, None, &mut Clock::iterations(u64::MAX)).expect("no limit is met"));
    assert!(search.plan().is_none_or(|plan| !plan.is_best));
}

#[test]
fn the_tree_finds_and_keeps_plans_in_games_for_one() {
    for (name, iterations) in [("buttonsandlights", 3000), ("maze", 20_000), ("hanoi", 30_000)] {
        let engine = network(name);
        let mut worker = engine.worker();
        let mut state = initial(&mut *worker);
        let mut tree = Tree::new(Settings::default(), &mut *worker, &state, 1).expect("no limit is met");
        while !worker.is_terminal(&state).expect("no limit is met") {
            let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
            tree.search(&mut tools, &mut Clock::iterations(iterations)).expect("no limit is met");
            let action = tree.estimate(RoleId(0)).best().expect("a move").action;
            let mut next = state.clone();
            worker.next(&state, &[action], &mut next).expect("no limit is met");
            tree.advance(&mut *worker, &[action], &next).expect("no limit is met");
            state = next;
        }
        assert_eq!(worker.goal(&state, RoleId(0)).expect("no limit is met"), Some(100), "{name}");
    }
}

#[test]
fn the_same_seed_gives_the_same_search_and_a_kept_tree_is_a_tree() {
    let run = || {
        let engine = network("threeway");
        let mut worker = engine.worker();
        let mut state = initial(&mut *worker);
        // Wide enough that a move drawn at random has been tried.
        let settings = Settings { exploration: 0.7, ..Settings::default() };
        let mut tree = Tree::new(settings, &mut *worker, &state, 5).expect("no limit is met");
        let mut random = Random::new(5);
        let mut estimates = Vec::new();
        while !worker.is_terminal(&state).expect("no limit is met") {
            let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
            tree.search(&mut tools, &mut Clock::iterations(300)).expect("no limit is met");
            let estimate = tree.estimate(RoleId(1));
            let before: u64 = estimate.candidates.iter().map(|c| c.visits).sum();
            assert!(before >= 300 || estimate.solved, "{estimate:?}");
            estimates.push(estimate);
            let joint = random_joint(&mut *worker, &state, &mut random);
            let mut next = state.clone();
            worker.next(&state, &joint, &mut next).expect("no limit is met");
            tree.advance(&mut *worker, &joint, &next).expect("no limit is met");
            state = next;
        }
        estimates
    };
    let first = run();
    assert!(first.len() >= 3);
    // What was seen below the moves made is still there: more visits than the second search made.
    let visits: u64 = first[1].candidates.iter().map(|c| c.visits).sum();
    assert!(visits > 300, "{visits}");
    assert_eq!(first, run());
}

#[test]
fn a_tree_without_room_still_answers() {
    let engine = network("connectfour");
    let mut worker = engine.worker();
    let state = initial(&mut *worker);
    let settings = Settings { memory: 4000, ..Settings::default() };
    let mut tree = Tree::new(settings, &mut *worker, &state, 1).expect("no limit is met");
    let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: None };
    tree.search(&mut tools, &mut Clock::iterations(500)).expect("no limit is met");
    let estimate = tree.estimate(RoleId(0));
    assert!(estimate.nodes < 100 && estimate.playouts > 400, "{estimate:?}");
    assert!(estimate.best().is_some());
}
