//! GoalHeuristic: degrees worked out by hand, what is reached has degree one, and searches that go by it.

use super::{budget, initial, network};
use ludex::engine::engine::Engine;
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::RoleId;
use ludex::gdl::Sheet;
use ludex_search::clock::Clock;
use ludex_search::goal_heuristic::{Degrees, GoalHeuristic};
use ludex_search::solitaire::Solitaire;
use ludex_search::uct::{Settings, Tools, Tree};

/// Four lamps, of which `a` is on at first; every move switches one on or off. The best goal is all four, a lesser
/// one is `a` without `b` or `c` with `d`.
const LAMPS: &str = "(role r) (lamp a) (lamp b) (lamp c) (lamp d) (init (on a)) (init (left 3))
    (<= (legal r (switch ?x)) (lamp ?x))
    (<= (next (on ?x)) (does r (switch ?x)) (not (true (on ?x))))
    (<= (next (on ?x)) (true (on ?x)) (not (does r (switch ?x))))
    (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
    (less 3 2) (less 2 1) (less 1 0)
    (<= terminal (true (left 0)))
    (<= all (true (on a)) (true (on b)) (true (on c)) (true (on d)))
    (<= some (true (on a)) (not (true (on b))))
    (<= some (true (on c)) (true (on d)))
    (<= (goal r 100) all)
    (<= (goal r 40) some)";

#[test]
fn degrees_are_the_mean_of_conditions_and_the_best_of_alternatives() {
    let game = Sheet::read(LAMPS).into_game().expect("a sound sheet");
    let engine = Propnet::new(&game, &budget()).expect("it is small");
    let goal_heuristic = GoalHeuristic::new(engine.net()).expect("it is small");
    let (vocabulary, mut scratch) = (engine.vocabulary(), Degrees::default());
    let mut degrees = |fluents: &[&str]| {
        let mut state = vec![0; vocabulary.words()];
        for text in fluents {
            let term = vocabulary.read_term(text).expect("a term");
            ludex::engine::row::set(&mut state, vocabulary.find_fluent(term).expect("a fluent"));
        }
        let mut goals = goal_heuristic.goals(&state, RoleId(0), &mut scratch);
        goals.sort_by(|a, b| b.0.total_cmp(&a.0));
        goals.into_iter().map(|(_, degree)| degree).collect::<Vec<f32>>()
    };
    // All four: the mean of the lamps. Some: of the two pairs the better one; what is missing from 1 is made good by
    // the mean of their fourth powers, (1/16 + 0) / 2 where half of one pair is met: 1/2 + 1/2 * 1/32.
    assert_eq!(degrees(&["(on a)"]), [0.25, 1.0]);
    assert_eq!(degrees(&["(on b)"]), [0.25, 0.0]);
    assert_eq!(degrees(&["(on b)", "(on c)"]), [0.5, 0.515625]);
    assert_eq!(degrees(&["(on b)", "(on c)", "(on d)"]), [0.75, 1.0]);
    assert_eq!(degrees(&["(on a)", "(on b)", "(on c)", "(on d)"]), [1.0, 1.0]);
}

/// What is not reached has a degree below one. Goals that count stones (reversi) are formulas so deep that the
/// difference is less than a number can hold; they are not asked about here.
#[test]
fn a_goal_that_is_reached_has_degree_one_and_no_other() {
    let (mut looked, mut scratch) = (0, Degrees::default());
    for name in ["tictactoe", "connectfour", "nim", "eightpuzzle", "breakthrough", "hanoi"] {
        let engine = network(name);
        let Some(goal_heuristic) = GoalHeuristic::new(engine.net()) else { continue };
        let mut worker = engine.worker();
        let mut random = Random::new(3);
        for _ in 0..20 {
            let mut state = initial(&mut *worker);
            worker.playout(&mut state, 400, &mut random, &mut Default::default()).expect("no limit is met");
            for role in engine.vocabulary().roles() {
                let Some(goal) = worker.goal(&state, role).expect("no limit is met") else { continue };
                for (value, degree) in goal_heuristic.goals(&state, role, &mut scratch) {
                    let is_reached = (100.0 * value).round() as i32 == goal;
                    assert_eq!(is_reached, degree == 1.0, "{name}: {goal}, {value} has degree {degree}");
                    looked += 1;
                }
            }
        }
    }
    assert!(looked > 300, "{looked}");
}

#[test]
fn the_goal_heuristic_finds_the_same_goal_with_fewer_states() {
    let engine = network("eightpuzzle");
    let goal_heuristic = GoalHeuristic::new(engine.net()).expect("small goals");
    let mut worker = engine.worker();
    let start = initial(&mut *worker);
    let mut states = Vec::new();
    for guide in [None, Some(&goal_heuristic)] {
        let mut search = Solitaire::new(&*worker, &start, 256 << 20).expect("one role");
        assert!(
            search.search(&mut *worker, guide, &mut Clock::iterations(u64::MAX)).expect("no limit is met")
        );
        let plan = search.plan().expect("there is an end");
        assert_eq!((plan.value, plan.is_best), (100, true));
        let mut state = start.clone();
        for &action in &plan.moves {
            let mut next = state.clone();
            worker.next(&state, &[action], &mut next).expect("no limit is met");
            state = next;
        }
        assert_eq!(worker.goal(&state, RoleId(0)).expect("no limit is met"), Some(100));
        states.push(search.states());
    }
    assert!(states[1] < states[0], "{states:?}");
}

#[test]
fn a_guided_tree_is_deterministic_and_knows_how_far_to_trust_its_guide() {
    let engine = network("connectfour");
    let run = || {
        let mut worker = engine.worker();
        let mut goal_heuristic = GoalHeuristic::new(engine.net()).expect("small goals");
        goal_heuristic.calibrate(&mut *worker, 200, &mut Random::new(1), &mut || false);
        let trust = goal_heuristic.trust().to_vec();
        let state = initial(&mut *worker);
        let mut tree = Tree::new(Settings::default(), &mut *worker, &state, 1).expect("no limit is met");
        let mut tools =
            Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: Some(&goal_heuristic) };
        tree.search(&mut tools, &mut Clock::iterations(500)).expect("no limit is met");
        (trust, tree.estimate(RoleId(0)))
    };
    let (trust, estimate) = run();
    assert!(trust.iter().all(|trust| (0.0..=1.0).contains(&trust.correlation)), "{trust:?}");
    assert_eq!(estimate.playouts, 500);
    assert_eq!((trust, estimate), run());
}
