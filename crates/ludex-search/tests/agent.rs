//! The agent: engines that come one after the other, moves at any time, work that ends when told to.

use ludex::engine::budget::Budget;
use ludex::engine::error::BuildError;
use ludex::engine::prepared::Prepared;
use ludex::engine::propnet::lanes::{Lanes, Valuers};
use ludex::engine::row::Row;
use ludex::gdl::{Game, Sheet};
use ludex_search::agent::{
    Accelerator, Agent, AgentError, Builder, Equipment, Settings, endings, facts, interpreters, network,
    reference,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Out of reach: nothing here is decided by the clock.
const LONG: Duration = Duration::from_secs(600);

fn game(name: &str) -> Arc<Game> {
    Arc::new(ludex::load(name).expect("a bundled game"))
}

fn agent(name: &str, role: &str, builders: Vec<Builder>) -> Agent {
    Agent::new(
        Arc::new(Prepared::new(game(name))),
        role,
        Settings { threads: 2, memory: 64 << 20, builders, extras: Vec::new(), ..Settings::default() },
    )
}

fn later() -> Instant {
    Instant::now() + LONG
}

#[test]
fn two_minds_draw_at_tic_tac_toe_however_they_think() {
    let all: [Vec<Builder>; 3] =
        [vec![reference], vec![network], vec![interpreters, network, facts, endings]];
    for builders in all {
        let mut players = [agent("tictactoe", "x", builders.clone()), agent("tictactoe", "o", builders)];
        for step in 0..9 {
            // Tic-Tac-Toe is solved from the start, so no deadline is ever used up.
            let joint: Vec<String> =
                players.iter_mut().map(|p| p.choose(later()).expect("a move").action).collect();
            assert_eq!(joint.iter().filter(|m| *m == "noop").count(), 1, "step {step}: {joint:?}");
            for player in &mut players {
                player.advance(&joint).expect("a joint move of the rules");
                assert_eq!(player.step(), step + 1);
            }
        }
        assert_eq!(players[0].goal(), Some(50));
        assert_eq!(players[1].goal(), Some(50));
    }
}

#[test]
fn games_for_one_are_played_to_the_best_end() {
    for name in ["buttonsandlights", "hanoi", "maze"] {
        let engine = ludex::engines::AUTO.build(&game(name), &Budget::default()).expect("an engine");
        let role = engine.vocabulary().show_role(engine.vocabulary().roles().next().expect("a role"));
        let mut player = agent(name, &role, vec![interpreters, network]);
        let mut worker = engine.worker();
        loop {
            let decision = player.choose(later()).expect("a move");
            player.advance(&[decision.action]).expect("its own move");
            if worker.is_terminal(&player.state().expect("an engine")).expect("no limit is met") {
                break;
            }
        }
        assert_eq!(player.goal(), Some(100), "{name}");
    }
}

/// A builder that never gives anything, but can be told to end.
fn endless(prepared: &Prepared, budget: &Budget, _: &mut dyn FnMut(Equipment)) -> Result<(), BuildError> {
    loop {
        ludex::engine::datalog::Datalog::new(prepared.game(), budget)?;
    }
}

/// Four steps along a line, with a relation of 65,536 rows that takes the builder through the look at its stop. In the
/// second state there is another move than in the first.
fn line_with_ballast() -> Arc<Prepared> {
    let text = "(role r) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (big ?a ?b ?c ?d ?e ?f ?g ?h) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f) (n ?g) (n ?h))
        (n 0) (n 1) (n 2) (n 3)
        (<= (legal r (go ?x)) (true (at ?x))) (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
        (<= terminal (true (at 3)) (big 0 0 0 0 0 0 0 0)) (<= (goal r 100) (true (at 3)))";
    Arc::new(Prepared::new(Sheet::read(text).into_game().expect("a sound sheet")))
}

fn without_engine(role: &str) -> Agent {
    let settings =
        Settings { threads: 1, builders: vec![endless], extras: Vec::new(), ..Settings::default() };
    Agent::new(line_with_ballast(), role, settings)
}

#[test]
fn a_mind_without_an_engine_says_so_and_ends_when_told() {
    let mut player = without_engine("nobody");
    let soon = Instant::now() + Duration::from_millis(20);
    assert_eq!(player.choose(soon).map(|d| d.action), Err(AgentError::NotReady));
    let stop = player.stop();
    let other = std::thread::spawn(move || player.choose(later()).map(|d| d.action));
    stop.stop();
    let answer = other.join().expect("no panic");
    assert!(matches!(answer, Err(AgentError::NotReady | AgentError::NoEngine(_))), "{answer:?}");
}

#[test]
fn a_mind_without_an_engine_plays_legal_moves_all_the_same() {
    let mut player = without_engine("r");
    // The legal moves come from another thread, some time after the root that they are about.
    let wait = |player: &mut Agent| {
        for _ in 0..60_000 {
            if let Ok(decision) = player.choose(Instant::now() + Duration::from_millis(1)) {
                assert_eq!((decision.id, decision.estimate.candidates.len()), (None, 0));
                return decision.action;
            }
        }
        panic!("no legal move within a minute");
    };
    assert_eq!(wait(&mut player), "(go 0)");
    player.advance(&["(go 0)".to_owned()]).expect("it is not looked at without an engine");
    assert_eq!(wait(&mut player), "(go 1)");
    player.take_back(1);
    assert_eq!(wait(&mut player), "(go 0)");
}

#[test]
fn moves_that_come_before_the_engine_are_followed_when_it_is_there() {
    let mut player = agent("tictactoe", "x", vec![reference]);
    player.advance(&["(mark 1 1)".to_owned(), "noop".to_owned()]).expect("not looked at yet, or right");
    player.ready(later()).expect("an engine");
    let shown = ludex::engine::row::show(
        player.engine().expect("ready").vocabulary(),
        &player.state().expect("ready"),
    );
    assert!(shown.contains(&"(cell 1 1 x)".to_owned()), "{shown:?}");
    assert!(shown.contains(&"(control o)".to_owned()), "{shown:?}");
    player.take_back(1);
    assert_eq!(player.step(), 0);
    assert_ne!(player.choose(later()).expect("a move").action, "noop");
}

#[test]
fn what_makes_no_sense_is_an_error_and_harms_nothing() {
    let mut player = agent("tictactoe", "x", vec![reference]);
    player.ready(later()).expect("an engine");
    let moves = |list: &[&str]| list.iter().map(|m| (*m).to_owned()).collect::<Vec<_>>();
    let unknown = player.advance(&moves(&["(mark 7 7)", "noop"]));
    assert_eq!(unknown, Err(AgentError::UnknownMove("(mark 7 7)".to_owned())));
    let illegal = player.advance(&moves(&["noop", "noop"]));
    assert_eq!(illegal, Err(AgentError::IllegalMove("noop".to_owned())));
    assert_eq!(player.advance(&moves(&["noop"])), Err(AgentError::MoveCount { roles: 2, moves: 1 }));
    assert_eq!(player.step(), 0);
    assert!(player.choose(later()).is_ok());
    let mut stranger = agent("tictactoe", "nobody", vec![reference]);
    assert_eq!(stranger.ready(later()), Err(AgentError::UnknownRole("nobody".to_owned())));
}

/// A place beside the processor, which takes a game or says why not. What it has is the processor's lanes.
#[derive(Debug)]
struct Elsewhere {
    takes: bool,
}

impl Accelerator for Elsewhere {
    fn load(
        &self,
        lanes: Arc<Lanes>,
        initial: &Row,
        most: u64,
    ) -> Result<(Arc<dyn Valuers>, String), String> {
        assert!(lanes.phase_of(initial).is_some() && most == 1000);
        if self.takes {
            Ok((lanes, "leaves go elsewhere".to_owned()))
        } else {
            Err("it is too far".to_owned())
        }
    }
}

#[test]
fn leaves_are_valued_elsewhere_where_somebody_takes_the_game() {
    for (takes, note) in
        [(true, "leaves go elsewhere"), (false, "leaves are valued by the processor: it is too far")]
    {
        let settings = Settings {
            threads: 1,
            memory: 64 << 20,
            builders: vec![network],
            extras: Vec::new(),
            learning: None,
            accelerator: Some(Arc::new(Elsewhere { takes })),
            ..Settings::default()
        };
        let mut player = Agent::new(Arc::new(Prepared::new(game("breakthrough"))), "white", settings);
        player.ready(later()).expect("an engine");
        let mut news = Vec::new();
        while !news.iter().any(|line: &String| line == note) {
            assert!(player.consider(Duration::from_millis(20)).candidates.len() > 1);
            news.append(&mut player.news());
        }
        while player.consider(Duration::from_millis(20)).playouts < 1000 {}
        assert!(player.knowledge().lanes || !takes, "{}", player.knowledge());
    }
}

#[test]
fn agents_without_time_still_move() {
    for name in ["connectfour", "reversi", "threeway", "pursuit"] {
        let engine = ludex::engines::AUTO.build(&game(name), &Budget::default()).expect("an engine");
        let vocabulary = engine.vocabulary();
        let role = vocabulary.roles().next().expect("a role");
        let mut player = agent(name, &vocabulary.show_role(role), vec![reference]);
        player.ready(later()).expect("an engine");
        let decision = player.choose(Instant::now()).expect("a move");
        let mut legal = Vec::new();
        engine.worker().legal(&player.state().expect("ready"), role, &mut legal).expect("no limit is met");
        assert!(decision.id.is_some_and(|id| legal.contains(&id)), "{name}");
    }
}
