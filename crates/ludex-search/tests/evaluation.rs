//! The learnt evaluation and the search by it, on games whose values are known without them.

use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::engine::row;
use ludex::engine::vocabulary::RoleId;
use ludex::gdl::Sheet;
use ludex_search::clock::Clock;
use ludex_search::evaluation::{Detail, Evaluation, Experience, UNIT};
use ludex_search::pvs::{Pvs, Settings, Table};
use ludex_search::trial::{Effort, Match, Method, Side};
use std::sync::Arc;

/// Each of two roles takes one of three stones, six times; a gold stone counts three, a silver one counts one, a clay one
/// nothing, and who has more wins. Whoever is not on the move waits.
fn stones() -> Propnet {
    let steps: String = (0..12).map(|k| format!("(after {k} {})", k + 1)).collect();
    let mut sums = String::new();
    for k in 0..18 {
        for (kind, worth) in [("gold", 3), ("silver", 1), ("clay", 0)] {
            sums += &format!("(adds {k} {kind} {})", k + worth);
        }
    }
    let more: String = (0..=18).flat_map(|a| (0..a).map(move |b| format!("(more {a} {b})"))).collect();
    let text = format!(
        "(role white) (role black) (init (step 0)) (init (holds white 0)) (init (holds black 0)) (init (turn white))
        (kind gold) (kind silver) (kind clay) {steps} {sums} {more}
        (<= (legal ?r (take ?k)) (true (turn ?r)) (kind ?k))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
        (<= (next (turn white)) (true (turn black))) (<= (next (turn black)) (true (turn white)))
        (<= (next (took ?r ?m ?k)) (does ?r (take ?k)) (true (step ?m)))
        (<= (next (took ?r ?m ?k)) (true (took ?r ?m ?k)))
        (<= (next (holds ?r ?n)) (does ?r (take ?k)) (true (holds ?r ?m)) (adds ?m ?k ?n))
        (<= (next (holds ?r ?m)) (does ?r wait) (true (holds ?r ?m)))
        (<= terminal (true (step 12)))
        (<= (goal ?r 100) (true (holds ?r ?a)) (true (holds ?s ?b)) (distinct ?r ?s) (more ?a ?b))
        (<= (goal ?r 0) (true (holds ?r ?a)) (true (holds ?s ?b)) (distinct ?r ?s) (more ?b ?a))
        (<= (goal ?r 50) (true (holds ?r ?a)) (true (holds ?s ?a)) (distinct ?r ?s))"
    );
    let game = Sheet::read(&text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    Propnet::new(&game, &Default::default()).expect("a small game")
}

fn start(worker: &mut dyn Worker) -> Vec<u64> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    state
}

fn experience(engine: &Propnet, games: u64, seed: u64) -> Experience {
    let mut worker = engine.worker();
    let initial = start(&mut *worker);
    let mut experience = Experience::default();
    let gathered =
        experience.gather(&mut *worker, &initial, None, games, &mut Random::new(seed), &mut || false);
    gathered.expect("the network has no limits");
    experience
}

/// What a fluent changes of the score.
fn worth(engine: &Propnet, evaluation: &Evaluation, fluent: &str) -> i32 {
    let vocabulary = engine.vocabulary();
    let id = vocabulary.fluents().find(|&id| vocabulary.show_fluent(id) == fluent);
    let mut state = vec![0; vocabulary.words()];
    let nothing = evaluation.score(&state);
    row::set(&mut state, id.unwrap_or_else(|| panic!("no fluent {fluent}")));
    evaluation.score(&state) - nothing
}

#[test]
fn what_counts_for_the_goal_is_learnt_in_its_proportion() {
    let engine = stones();
    let experience = experience(&engine, 6000, 1);
    assert_eq!(experience.games(), 6000);
    assert_eq!(experience.mean_plies(), 12.0);
    let learnt = Evaluation::learn(&*engine.worker(), &experience, Detail::Counts, &mut || false);
    let learnt = learnt.expect("outcomes depend on what was taken");
    assert!(learnt.correlation() > 0.4, "{}", learnt.describe());
    // What a stone adds: that it was taken, and that more is held.
    let stone = |role: &str, kind: &str, sum: u32| {
        let taken = worth(&engine, &learnt, &format!("(took {role} 5 {kind})"));
        f64::from(taken + worth(&engine, &learnt, &format!("(holds {role} {sum})")))
    };
    for (role, sign) in [("white", 1.0), ("black", -1.0)] {
        let [gold, silver, clay] =
            [("gold", 3), ("silver", 1), ("clay", 0)].map(|(k, sum)| sign * stone(role, k, sum));
        assert!(gold - clay > UNIT, "{role}: {gold} {clay}");
        let proportion = (gold - clay) / (silver - clay);
        assert!((2.4..3.75).contains(&proportion), "{role}: 3 to 1 are {proportion}");
    }
}

/// Three lorries, three bikes and a stone each are lost one by one or kept, and whoever has more wheels left after twelve
/// moves has won: a lorry has six wheels, a bike two, a stone none.
fn wheels() -> Propnet {
    let things = ["lorry", "lorry", "lorry", "bike", "bike", "bike", "stone"];
    let wheels = |thing: &str| ["stone", "", "bike", "", "", "", "lorry"].iter().position(|t| *t == thing);
    let (mut text, mut worth) = (String::new(), String::new());
    for role in ["white", "black"] {
        for (place, thing) in things.iter().enumerate() {
            text += &format!("(init (has {role} {place} {thing}))");
        }
    }
    for (place, thing) in things.iter().enumerate() {
        let count = wheels(thing).expect("a thing with wheels");
        for sum in 0..=24 {
            worth += &format!(
                "(<= (sum ?r {} {}) (sum ?r {place} {sum}) (true (has ?r {place} {thing})))",
                place + 1,
                sum + count
            );
        }
    }
    let more: String = (0..=24).flat_map(|a| (0..a).map(move |b| format!("(more {a} {b})"))).collect();
    let next: String = (0..7).map(|n| format!("(next_place {n} {})", n + 1)).collect();
    let steps: String = (0..12).map(|k| format!("(after {k} {})", k + 1)).collect();
    let text = format!(
        "(role white) (role black) (init (step 0)) {text} {more} {next} {steps}
        (<= (legal ?r (drop ?p)) (true (has ?r ?p ?t)) (true (step ?n)) (turn ?r ?n))
        (<= (legal ?r (keep ?p)) (next_place ?p ?q) (true (step ?n)) (turn ?r ?n))
        (<= (legal ?r wait) (role ?r) (true (step ?n)) (not (turn ?r ?n)))
        (turn white 0) (turn black 1) (turn white 2) (turn black 3) (turn white 4) (turn black 5)
        (turn white 6) (turn black 7) (turn white 8) (turn black 9) (turn white 10) (turn black 11)
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
        (<= (next (has ?r ?p ?t)) (true (has ?r ?p ?t)) (not (does ?r (drop ?p))))
        (<= (there ?r ?p) (true (has ?r ?p ?t)))
        (<= (sum ?r 0 0) (role ?r)) {worth}
        (<= (sum ?r ?q ?s) (next_place ?p ?q) (sum ?r ?p ?s) (not (there ?r ?p)))
        (<= terminal (true (step 12)))
        (<= (goal ?r 100) (sum ?r 7 ?a) (sum ?s 7 ?b) (distinct ?r ?s) (more ?a ?b))
        (<= (goal ?r 0) (sum ?r 7 ?a) (sum ?s 7 ?b) (distinct ?r ?s) (more ?b ?a))
        (<= (goal ?r 50) (sum ?r 7 ?a) (sum ?s 7 ?a) (distinct ?r ?s))"
    );
    let game = Sheet::read(&text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    Propnet::new(&game, &Default::default()).expect("a small game")
}

#[test]
fn what_a_piece_is_worth_is_told_in_pieces() {
    let engine = wheels();
    let experience = experience(&engine, 8000, 3);
    let learnt = Evaluation::learn(&*engine.worker(), &experience, Detail::Counts, &mut || false);
    let told = learnt.expect("outcomes depend on what is left").describe();
    // There are as many lorries as bikes, so either may be the unit.
    let ratio = |text: &str| -> Option<f64> {
        text.split("is worth ").nth(1)?.split([',', ' ']).next()?.parse().ok()
    };
    let lorries = match told.find("counted in `has white * lorry`, ") {
        Some(at) => 1.0 / ratio(&told[at..]).expect("bikes are worth something"),
        None => {
            ratio(&told[told.find("counted in `has white * bike`, ").expect(&told)..]).expect("lorries, too")
        }
    };
    assert!((2.0..4.5).contains(&lorries), "three bikes have the wheels of a lorry: {told}");
}

#[test]
fn the_same_games_teach_the_same_and_too_few_teach_nothing() {
    let engine = stones();
    let learn = |games| {
        let experience = experience(&engine, games, 7);
        Evaluation::learn(&*engine.worker(), &experience, Detail::Counts, &mut || false)
    };
    let once = learn(1000);
    assert!(once.is_some());
    assert_eq!(once, learn(1000));
    assert_eq!(learn(10), None);
    let experience = experience(&engine, 1000, 7);
    assert_eq!(Evaluation::learn(&*engine.worker(), &experience, Detail::Counts, &mut || true), None);
}

#[test]
fn the_search_takes_gold_and_says_nothing_is_certain() {
    let engine = stones();
    let learnt =
        Evaluation::learn(&*engine.worker(), &experience(&engine, 3000, 1), Detail::Ranks, &mut || false);
    let learnt = Arc::new(learnt.expect("something"));
    let mut worker = engine.worker();
    let initial = start(&mut *worker);
    let search = |worker: &mut dyn Worker, states: u64| {
        let table = Arc::new(Table::new(1 << 20));
        let mut search = Pvs::new(worker, Settings::default(), learnt.clone(), table).expect("two roles");
        let found = search.search(worker, &initial, RoleId(0), &mut Clock::iterations(states));
        assert!(search.applies() && search.states() <= states);
        found.expect("the network has no limits").expect("a turn")
    };
    let found = search(&mut *worker, 5000);
    let best = found.best().expect("a move");
    assert_eq!(engine.vocabulary().show_move(RoleId(0), best.action), "(take gold)");
    assert_eq!(found.candidates.len(), 3);
    assert!(found.candidates.iter().all(|candidate| candidate.verdict.is_none()) && !found.solved);
    assert_eq!(found, search(&mut *worker, 5000), "the same states, the same answer");
}

#[test]
fn both_choosing_at_once_is_not_for_it() {
    let text = "(role a) (role b) (init (step 0))
        (<= (legal ?r left) (role ?r)) (<= (legal ?r right) (role ?r))
        (<= (next (step 1)) (true (step 0))) (<= terminal (true (step 1)))
        (goal a 50) (goal b 50)";
    let game = Sheet::read(text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    let engine = Propnet::new(&game, &Default::default()).expect("a small game");
    let stones = stones();
    let learnt =
        Evaluation::learn(&*stones.worker(), &experience(&stones, 1000, 1), Detail::Counts, &mut || false);
    let mut worker = engine.worker();
    let initial = start(&mut *worker);
    let table = Arc::new(Table::new(1 << 16));
    // An evaluation of another game is worth nothing here, and does no harm.
    let mut search = Pvs::new(&*worker, Settings::default(), Arc::new(learnt.expect("something")), table)
        .expect("two roles");
    let found = search.search(&mut *worker, &initial, RoleId(0), &mut Clock::iterations(100));
    assert_eq!(found, Ok(None));
    assert!(!search.applies());
}

#[test]
fn matches_are_the_same_again_and_can_be_broken_off() {
    let engine = stones();
    let learnt =
        Evaluation::learn(&*engine.worker(), &experience(&engine, 3000, 1), Detail::Ranks, &mut || false);
    let sides = [
        Side { method: Method::Pvs(Arc::new(learnt.expect("something"))), ..Side::default() },
        Side::default(),
    ];
    let mut worker = engine.worker();
    let mut play = |places: &[usize]| {
        let played = Match { effort: Effort::Iterations(300), opening: 2, seed: 3, lanes: None };
        played.play(&mut *worker, &sides, places, &mut || false).expect("no limits")
    };
    let goals = play(&[0, 1]).expect("not broken off");
    assert_eq!(goals.iter().sum::<i32>(), 100);
    assert_eq!(play(&[0, 1]), Some(goals));
    let played = Match { effort: Effort::Iterations(300), opening: 0, seed: 3, lanes: None };
    assert_eq!(played.play(&mut *engine.worker(), &sides, &[0, 1], &mut || true), Ok(None));
}
