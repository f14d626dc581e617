//! Work that is called off ends, whatever stage it is in.

use ludex_engine::budget::{Budget, Cancel, Exceeded, Progress, Stage};
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::Engine;
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::Lanes;
use ludex_engine::tree::Tree;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::{Game, Sheet};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// Two players exchange what lies on any two cells of a square board: moves by the fourth power of its side, and for each
/// cell a frame rule over all of them.
fn exchange(side: usize) -> Game {
    let numbers: String = (1..=side).map(|n| format!("(index {n}) ")).collect();
    let start: String = (1..=side)
        .flat_map(|x| (1..=side).map(move |y| (x, y)))
        .map(|(x, y)| format!("(init (cell {x} {y} {})) ", ["a", "b", "c"][(x * y) % 3]))
        .collect();
    let text = format!(
        "(role one) (role two) (init (control one)) (piece a) (piece b) (piece c) {numbers} {start}
        (<= (other ?x ?y ?u ?v) (index ?x) (index ?y) (index ?u) (index ?v) (distinct ?x ?u))
        (<= (other ?x ?y ?u ?v) (index ?x) (index ?y) (index ?u) (index ?v) (distinct ?y ?v))
        (<= (legal ?r (swap ?x ?y ?u ?v)) (true (control ?r)) (other ?x ?y ?u ?v)
            (true (cell ?x ?y ?p)) (true (cell ?u ?v ?q)) (distinct ?p ?q))
        (<= (legal one noop) (true (control two))) (<= (legal two noop) (true (control one)))
        (<= (next (control two)) (true (control one))) (<= (next (control one)) (true (control two)))
        (<= (next (cell ?x ?y ?p)) (does ?r (swap ?x ?y ?u ?v)) (true (cell ?u ?v ?p)))
        (<= (next (cell ?x ?y ?p)) (does ?r (swap ?u ?v ?x ?y)) (true (cell ?u ?v ?p)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (does ?r (swap ?u ?v ?w ?z))
            (other ?x ?y ?u ?v) (other ?x ?y ?w ?z))
        (<= line (true (cell ?x 1 ?p)) (true (cell ?x 2 ?p)) (true (cell ?x 3 ?p)) (true (cell ?x 4 ?p)))
        (<= terminal line) (<= (goal ?r 100) (role ?r) line) (<= (goal ?r 0) (role ?r) (not line))"
    );
    Sheet::read(&text).into_game().expect("a sound sheet")
}

/// A hang is what does not end in this time.
const HANG: Duration = Duration::from_secs(60);

/// Cancels work once it has come to a stage, and gives what it ended with.
fn cancelled<T: Send + 'static>(
    stage: Stage,
    work: impl FnOnce(&Budget) -> Result<T, Exceeded> + Send + 'static,
) -> Option<Exceeded> {
    let (cancel, progress) = (Cancel::default(), Arc::new(Progress::default()));
    let budget = Budget::default().with_cancel(cancel.clone()).with_progress(progress.clone());
    let (done, ended) = channel();
    std::thread::spawn(move || {
        // Nobody listens any more where the test has failed.
        let _ = done.send(work(&budget).err());
    });
    while (progress.stage() as u8) < stage as u8 {
        if let Ok(end) = ended.try_recv() {
            panic!("{stage} was never seen: {end:?}");
        }
        std::thread::yield_now();
    }
    cancel.cancel();
    ended.recv_timeout(HANG).unwrap_or_else(|_| panic!("{stage} does not end"))
}

fn network(game: Game) -> impl FnOnce(&Budget) -> Result<Propnet, Exceeded> {
    move |budget| Propnet::new(&game, budget).map_err(|error| error.limit().expect("a limit"))
}

#[test]
fn the_building_of_a_network_ends_in_every_stage() {
    for stage in [Stage::Vocabulary, Stage::Grounding, Stage::Gates, Stage::Phases, Stage::Code] {
        assert_eq!(cancelled(stage, network(exchange(10))), Some(Exceeded::Cancelled), "{stage}");
    }
}

#[test]
fn the_building_of_an_interpreter_ends() {
    let game = exchange(9);
    let tree =
        move |budget: &Budget| Tree::new(&game, budget).map_err(|error| error.limit().expect("a limit"));
    assert_eq!(cancelled(Stage::Tree, tree), Some(Exceeded::Cancelled));
}

#[test]
fn what_is_cancelled_before_it_begins_does_nothing() {
    let cancel = Cancel::default();
    cancel.cancel();
    let budget = Budget::default().with_cancel(cancel);
    let game = exchange(4);
    assert_eq!(Datalog::new(&game, &budget).err().and_then(|e| e.limit()), Some(Exceeded::Cancelled));
    let plain = Propnet::new(&game, &Budget::default()).expect("a small game");
    let mut initial = vec![0; plain.vocabulary().words()];
    plain.worker().initial(&mut initial);
    assert_eq!(Lanes::new(plain.net(), &initial, &budget).err(), Some(Exceeded::Cancelled));
}

/// Questions end with their caller's budget, in every engine, and only while they obey it.
#[test]
fn questions_end_with_the_budget_that_they_obey() {
    let game = exchange(4);
    let plain = Budget::default();
    let engines: [Box<dyn Engine>; 3] = [
        Box::new(Datalog::new(&game, &plain).expect("a small game")),
        Box::new(Tree::new(&game, &plain).expect("a small game")),
        Box::new(Propnet::new(&game, &plain).expect("a small game")),
    ];
    for engine in engines {
        let mut worker = engine.worker();
        let mut state = vec![0; engine.vocabulary().words()];
        worker.initial(&mut state);
        let mut moves = Vec::new();
        worker.obey(&plain.clone().within(Duration::ZERO));
        // Small questions look at the clock now and then, so a few of them may still be answered.
        // What was asked last is known; so two states, of which one has a cell less.
        let mut other = state.clone();
        other[0] &= other[0] - 1;
        let fault = (0..10_000).find_map(|round| {
            let state = if round % 2 == 0 { &state } else { &other };
            worker.legal(state, RoleId(0), &mut moves).err()
        });
        let limit = fault.map(|fault| fault.limit());
        assert_eq!(limit, Some(Exceeded::Time(Duration::ZERO)), "{}", engine.name());
        worker.obey(&plain);
        assert!(worker.legal(&state, RoleId(0), &mut moves).is_ok(), "{}", engine.name());
    }
}
