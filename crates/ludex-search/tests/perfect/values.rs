//! The whole agent on every bundled game that can be solved: against chance and against an opponent who plays by the
//! solution, none of its moves gives away what the state is worth.
//!
//! There is no clock: an agent answers when it is certain of its move. In the small games that is at once; the others take
//! minutes, and are played with `LUDEX_SLOW=1` only. `LUDEX_CLOCK=2` gives the agent two seconds a move in all of them, and only
//! counts what it gives away: how well it plays then depends on the machine.

use super::{budget, initial, random_joint};
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::prepared::Prepared;
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex_logic::endgame::Database;
use ludex_logic::endgame::query::best_moves;
use ludex_logic::endgame::solve::{self, Nature, solve};
use ludex_search::agent::{Agent, Settings};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Out of reach.
const LONG: Duration = Duration::from_secs(600);

/// Games that are solved at once.
const SMALL: [&str; 7] = ["tictactoe", "nim", "racetoten", "tileflip", "hanoi", "maze", "buttonsandlights"];

/// Games that take a while.
const LARGE: [&str; 5] = ["eightpuzzle", "connectfour4x4", "krkendgame5x5", "connectfour5x4", "krkendgame"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opponent {
    Chance,
    Perfect,
}

/// Plays every role against both opponents; the number of moves that gave something away, and of all.
fn given_away(name: &str, clock: Duration) -> (usize, usize) {
    let game = Arc::new(ludex::load(name).expect("a bundled game"));
    let engine = Propnet::new(&game, &budget()).expect("the network takes it");
    let solution = solve(&engine, &solve::Options::default(), &budget(), &solve::Reached::default())
        .expect("it can be solved");
    assert!(!matches!(solution.nature, Nature::General), "{name}: values are not exact");
    let database = Database::from_bytes(solution.encode(&game, &engine)).expect("its own file");
    let prepared = Arc::new(Prepared::new(game));
    let mut counts = (0, 0);
    for role in engine.vocabulary().roles() {
        for opponent in [Opponent::Chance, Opponent::Perfect] {
            let settings =
                Settings { threads: 1, memory: 256 << 20, extras: Vec::new(), ..Settings::default() };
            let agent = Agent::new(prepared.clone(), &engine.vocabulary().show_role(role), settings);
            let (given, all) = play(name, agent, (role, opponent), &engine, &database, clock);
            counts = (counts.0 + given, counts.1 + all);
        }
    }
    counts
}

fn play(
    name: &str,
    mut agent: Agent,
    (role, opponent): (RoleId, Opponent),
    engine: &Propnet,
    database: &Database,
    clock: Duration,
) -> (usize, usize) {
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    let mut state = initial(&mut *worker);
    let mut random = Random::new(11);
    let value = |state: &[u64]| database.verdict(state, role).expect("every state is solved").value;
    let (mut given, mut all) = (0, 0);
    agent.prepare(Instant::now() + LONG);
    while !worker.is_terminal(&state).expect("no limit is met") {
        let mut joint = opponents(&mut *worker, &state, opponent, database, &mut random);
        let decision = agent.choose(Instant::now() + clock).expect("a move");
        joint[role.index()] = decision.id.expect("there is an engine");
        let mut next = state.clone();
        worker.next(&state, &joint, &mut next).expect("no limit is met");
        all += 1;
        if value(&next) < value(&state) {
            given += 1;
            eprintln!(
                "{name}, {opponent:?}: {} gives away {:?} for {:?}",
                decision.action,
                value(&state),
                value(&next)
            );
        }
        let texts: Vec<String> =
            vocabulary.roles().zip(&joint).map(|(role, &id)| vocabulary.show_move(role, id)).collect();
        agent.advance(&texts).expect("legal moves");
        state = next;
    }
    (given, all)
}

fn opponents(
    worker: &mut dyn Worker,
    state: &[u64],
    opponent: Opponent,
    database: &Database,
    random: &mut Random,
) -> Vec<MoveId> {
    match opponent {
        Opponent::Chance => random_joint(worker, state, random),
        Opponent::Perfect => {
            let best = best_moves(database, worker, state).expect("no limit is met");
            best.iter().map(|moves| moves[random.below(moves.len())]).collect()
        }
    }
}

/// Plays the games and compares, or only counts where there is a clock.
fn play_all(names: &[&str]) {
    let clock: Option<f64> = std::env::var("LUDEX_CLOCK").ok().and_then(|text| text.parse().ok());
    for name in names {
        let (given, all) = given_away(name, clock.map_or(LONG, Duration::from_secs_f64));
        eprintln!("{name}: {given} of {all} moves give something away");
        assert!(all > 0, "{name}");
        assert!(given == 0 || clock.is_some(), "{name}: {given} of {all} moves");
    }
}

#[test]
fn small_games_are_played_perfectly() {
    play_all(&SMALL);
}

#[test]
fn larger_games_are_played_perfectly() {
    if !ludex_testkit::report::runs_slow(&format!("perfect play on {}", LARGE.join(", "))) {
        return;
    }
    play_all(&LARGE);
}
