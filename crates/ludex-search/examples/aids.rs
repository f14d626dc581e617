//! Where the goal heuristic helps, and where it does not.
//!
//! cargo run --release -p ludex-search --example aids -- [--matches N] [--iterations N | --milliseconds N] GAME...
//!
//! GAME is a sheet or the name of a bundled game. In games for one: the states that are listed until the best plan is
//! known, without and with the heuristic. Else two trees play against each other, one with it, and as many iterations a
//! move or as much processor time; all roles take turns. What else a search can have the example `duel` compares.

use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::Propnet;
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex::gdl::{Game, Sheet};
use ludex_search::clock::Clock;
use ludex_search::goal_heuristic::GoalHeuristic;
use ludex_search::solitaire::Solitaire;
use ludex_search::uct::{Settings, Tools, Tree};
use std::time::Duration;

/// Longer matches are broken off, and count what the goals are then.
const MOST_STEPS: usize = 300;
/// States of a game for one that are looked at before it is given up.
const MOST_STATES: u64 = 300_000;

/// What each move may take.
#[derive(Clone, Copy)]
enum Effort {
    Iterations(u64),
    Processor(Duration),
}

impl Effort {
    fn clock(self) -> Clock {
        match self {
            Effort::Iterations(count) => Clock::iterations(count),
            Effort::Processor(time) => Clock::processor(time),
        }
    }
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (mut matches, mut effort, mut games) = (20, Effort::Iterations(400), Vec::new());
    while let Some(word) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse().ok()).ok_or("a number is missing");
        match word.as_str() {
            "--matches" => matches = number()?,
            "--iterations" => effort = Effort::Iterations(number()?),
            "--milliseconds" => effort = Effort::Processor(Duration::from_millis(number()?)),
            _ => games.push(word),
        }
    }
    for name in games {
        let short = name.rsplit('/').next().unwrap_or(&name);
        let told = match Propnet::new(&load(&name)?, &Budget::default()) {
            Err(error) => error.to_string(),
            Ok(engine) => goal_heuristic(&engine, matches, effort),
        };
        println!("{short}: {told}");
    }
    Ok(())
}

fn load(name: &str) -> Result<Game, Failure> {
    if let Ok(game) = ludex::load(name) {
        return Ok(game);
    }
    let sheet = Sheet::read(&std::fs::read_to_string(name)?);
    sheet.into_game().map_err(|findings| format!("{name}: {} findings", findings.len()).into())
}

fn initial(worker: &mut dyn Worker) -> Vec<u64> {
    let mut state = vec![0; worker.vocabulary().words()];
    worker.initial(&mut state);
    state
}

fn goal_heuristic(engine: &Propnet, matches: u64, effort: Effort) -> String {
    let Some(mut goal_heuristic) = GoalHeuristic::new(engine.net()) else {
        return "the goals are too large".to_owned();
    };
    goal_heuristic.calibrate(&mut *engine.worker(), 400, &mut Random::new(1), &mut || false);
    let trust: Vec<String> =
        goal_heuristic.trust().iter().map(|trust| format!("{:.2}", trust.correlation)).collect();
    let effect = if engine.vocabulary().role_count() == 1 {
        let [without, with] = [None, Some(&goal_heuristic)].map(|guide| plan(engine, guide));
        format!("without {without}, with {with}")
    } else if goal_heuristic.is_trusted() {
        duel(engine, &goal_heuristic, matches, effort)
    } else {
        "not used".to_owned()
    };
    format!("foretells {}; {effect}", trust.join(", "))
}

/// What became of the search of a game for one.
fn plan(engine: &Propnet, guide: Option<&GoalHeuristic>) -> String {
    let mut worker = engine.worker();
    let state = initial(&mut *worker);
    let Some(mut search) = Solitaire::new(&*worker, &state, 1 << 30) else { return String::new() };
    search.search(&mut *worker, guide, &mut Clock::iterations(MOST_STATES)).expect("no limit is met");
    let found = search.plan().map_or("nothing".to_owned(), |plan| plan.value.to_string());
    format!("{found} after {} states", search.states())
}

fn duel(engine: &Propnet, aid: &GoalHeuristic, matches: u64, effort: Effort) -> String {
    let goals: Vec<f64> = (0..matches).map(|seed| play(engine, aid, seed, effort)).collect();
    let n = goals.len() as f64;
    let mean = goals.iter().sum::<f64>() / n;
    let variance = goals.iter().map(|goal| (goal - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    format!("with it {mean:.1} +- {:.1} in {n} matches", 1.96 * (variance / n).sqrt())
}

/// One match; the goal of the side with the heuristic.
fn play(engine: &Propnet, aid: &GoalHeuristic, seed: u64, effort: Effort) -> f64 {
    let roles = engine.vocabulary().role_count();
    let aided = RoleId((seed % roles as u64) as u32);
    let mut worker = engine.worker();
    let mut state = initial(&mut *worker);
    let mut new = |seed| Tree::new(Settings::default(), &mut *worker, &state, seed).expect("no limit is met");
    let mut trees = [new(2 * seed), new(2 * seed + 1)];
    for _ in 0..MOST_STEPS {
        if worker.is_terminal(&state).expect("no limit is met") {
            break;
        }
        for (tree, aid) in trees.iter_mut().zip([None, Some(aid)]) {
            let mut tools = Tools { worker: &mut *worker, lanes: None, oracle: None, goal_heuristic: aid };
            tree.search(&mut tools, &mut effort.clock()).expect("no limit is met");
        }
        let choice = |role: RoleId| {
            let estimate = trees[usize::from(role == aided)].estimate(role);
            estimate.best().map(|candidate| candidate.action)
        };
        let Some(joint) = engine.vocabulary().roles().map(choice).collect::<Option<Vec<MoveId>>>() else {
            break;
        };
        let mut next = state.clone();
        worker.next(&state, &joint, &mut next).expect("no limit is met");
        for tree in &mut trees {
            tree.advance(&mut *worker, &joint, &next).expect("no limit is met");
        }
        state = next;
    }
    f64::from(worker.goal(&state, aided).expect("no limit is met").unwrap_or(0))
}
