//! How many moves of the player keep the value of the position, in Connect Four on seven columns of six.
//!
//! cargo run --release -p ludex-search --example judge -- [--positions N] [--seconds S] [--learn S] [--side WORDS]
//!     [--evaluation FILE] [--seed N] [--known]
//!
//! Positions are those of games that begin with up to ten random stones and go on by the player's moves; judged is every
//! move where a mistake is possible and where none is (both are told), by the solver of `ludex-testkit`, which knows nothing
//! of the player. Each move has so many seconds of processor time: a quarter for alpha-beta, as in a match, the rest for
//! the tree or the search by evaluation, whichever a trial of `--learn` seconds chooses (`--learn 0`: the tree; `--side pvs`: the
//! search by the evaluation in FILE). `--known` solves the first moves of the empty board instead, which takes minutes.

use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, Worker};
use ludex::engine::propnet::{Propnet, lanes::Lanes};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex_search::alphabeta::AlphaBeta;
use ludex_search::clock::Clock;
use ludex_search::estimate::Estimate;
use ludex_search::evaluation::Trained;
use ludex_search::learning::{Time, learn};
use ludex_search::pvs::{Pvs, Table};
use ludex_search::trial::{Method, Side};
use ludex_search::uct::{Tools, Tree};
use ludex_testkit::connect_four::{Board, Solver, WIDTH, last_ply};
use std::sync::Arc;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

struct Options {
    positions: usize,
    seconds: f64,
    learn: f64,
    by_evaluation: bool,
    evaluation: Option<String>,
    seed: u64,
}

fn main() -> Result<(), Failure> {
    let mut options =
        Options { positions: 100, seconds: 2.0, learn: 5.0, by_evaluation: false, evaluation: None, seed: 1 };
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        if word == "--known" {
            return known();
        }
        let value = arguments.next().ok_or("a value is missing")?;
        match word.as_str() {
            "--positions" => options.positions = value.parse()?,
            "--seconds" => options.seconds = value.parse()?,
            "--learn" => options.learn = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--evaluation" => options.evaluation = Some(value),
            "--side" => options.by_evaluation = value == "pvs",
            _ => return Err(format!("`{word}` is no option").into()),
        }
    }
    judge(&options)
}

/// The values of the first moves.
fn known() -> Result<(), Failure> {
    let mut solver = Solver::default();
    for column in 0..WIDTH {
        let score = -solver.score(Board::default().play(column));
        println!("column {}: score {score}, ends with stone {}", column + 1, last_ply(score, 0));
    }
    println!("{} positions visited", solver.visited());
    Ok(())
}

fn judge(options: &Options) -> Result<(), Failure> {
    let game = ludex::load("connectfour")?;
    let engine = Propnet::new(&game, &Budget::default())?;
    let mut worker = engine.worker();
    let worker = &mut *worker;
    let vocabulary = engine.vocabulary().clone();
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    let lanes = Arc::new(Lanes::new(engine.net(), &initial, &Budget::default())?);
    let trained = match &options.evaluation {
        None => None,
        Some(path) => Some(Trained::read(path.as_ref())?.evaluation(&game.rules, &vocabulary)?),
    };
    let mut side = Side { lanes: true, ..Side::default() };
    if options.by_evaluation {
        side.method = Method::Pvs(Arc::new(trained.ok_or("--side pvs needs --evaluation")?));
    } else if options.learn > 0.0 {
        let time = Time::processor(Duration::from_secs_f64(options.learn));
        let found = learn(&engine, &mut || Some(lanes.clone()), &side.tree, trained, options.seed, &time)?;
        if let Some((found, notes)) = found {
            side = found;
            notes.iter().for_each(|note| println!("{note}"));
        }
    }
    println!("plays by {side}");
    let mut solver = Solver::default();
    let mut random = Random::new(options.seed);
    let column_of = |role: RoleId, action: MoveId| {
        let name = vocabulary.show_move(role, action);
        (0..WIDTH).find(|column| name == format!("(drop {})", column + 1))
    };
    let (mut judged, mut kept, mut choices, mut kept_choices) = (0, 0, 0, 0);
    while judged < options.positions {
        let opening = random.below(11);
        let mut player = Player::new(worker, &side, &initial, random.bits())?;
        let (mut state, mut board) = (initial.clone(), Board::default());
        for ply in 0.. {
            if worker.is_terminal(&state)? || judged >= options.positions {
                break;
            }
            let role = RoleId(board.plies() % 2);
            let mut legal = [Vec::new(), Vec::new()];
            for (of, legal) in [RoleId(0), RoleId(1)].into_iter().zip(&mut legal) {
                worker.legal(&state, of, legal)?;
            }
            let own = legal[role.index()].clone();
            let action = if ply < opening {
                own[random.below(own.len())]
            } else {
                let lanes = lanes.clone();
                let action = player.choose(worker, &lanes, &state, role, options.seconds, random.bits())?;
                let values: Vec<i32> = own
                    .iter()
                    .filter_map(|&action| Some(solver.sign_after(board, column_of(role, action)?)))
                    .collect();
                let best = values.iter().copied().max().unwrap_or(0);
                let is_choice = values.iter().any(|&value| value < best) && own.len() > 1;
                let own_value = column_of(role, action).map(|column| solver.sign_after(board, column));
                let is_kept = own_value == Some(best);
                judged += 1;
                kept += usize::from(is_kept);
                choices += usize::from(is_choice);
                kept_choices += usize::from(is_choice && is_kept);
                if !is_kept {
                    let shown = vocabulary.show_move(role, action);
                    println!(
                        "ply {}: {shown} is worth {own_value:?} of {best}, {}",
                        board.plies(),
                        player.told
                    );
                }
                action
            };
            let column = column_of(role, action).ok_or("a move without a column")?;
            let mut joint = [legal[0][0], legal[1][0]];
            joint[role.index()] = action;
            let mut next = state.clone();
            worker.next(&state, &joint, &mut next)?;
            player.advance(worker, &joint, &next)?;
            (state, board) = (next, board.play(column));
        }
        let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        println!(
            "{kept} of {judged} moves keep the value ({:.1} %); of {choices} that could lose some {kept_choices} ({:.1} %)",
            percent(kept, judged),
            percent(kept_choices, choices)
        );
    }
    Ok(())
}

/// What an agent with one thread does, by processor time.
struct Player {
    exact: Option<AlphaBeta>,
    tree: Tree,
    pvs: Option<Pvs>,
    told: String,
}

impl Player {
    fn new(worker: &mut dyn Worker, side: &Side, state: &[u64], seed: u64) -> Result<Player, Failure> {
        let pvs = match &side.method {
            Method::Pvs(evaluation) => {
                Pvs::new(worker, side.pvs, evaluation.clone(), Arc::new(Table::new(64 << 20)))
            }
            Method::Tree => None,
        };
        let exact = AlphaBeta::new(worker, 250 << 20);
        let tree = Tree::new(side.tree.clone(), worker, state, seed)?;
        Ok(Player { exact, tree, pvs, told: String::new() })
    }

    fn choose(
        &mut self,
        worker: &mut dyn Worker,
        lanes: &Lanes,
        state: &[u64],
        role: RoleId,
        seconds: f64,
        seed: u64,
    ) -> Result<MoveId, Failure> {
        let time = |part: f64| Clock::processor(Duration::from_secs_f64(seconds * part));
        let certain = match &mut self.exact {
            Some(exact) => exact.search(worker, state, role, &mut time(0.25))?,
            None => None,
        };
        let found: Estimate = match (&certain, &mut self.pvs) {
            (Some(certain), _) if certain.solved => Estimate::default(),
            (_, Some(pvs)) => pvs.search(worker, state, role, &mut time(0.75))?.unwrap_or_default(),
            (_, None) => {
                let mut lanes = lanes.runner(seed);
                let mut tools = Tools { worker, lanes: Some(&mut lanes), oracle: None, goal_heuristic: None };
                self.tree.search(&mut tools, &mut time(0.75))?;
                self.tree.estimate(role)
            }
        };
        let estimate = match &certain {
            Some(certain) => found.with_certain(certain),
            None => found,
        };
        let best = estimate.best().ok_or("no move")?;
        let depth = self.pvs.as_ref().map_or(String::new(), |pvs| format!(", depth {}", pvs.depth()));
        self.told = format!("value {:.0}, {} playouts{depth}", best.value, estimate.playouts);
        Ok(best.action)
    }

    fn advance(&mut self, worker: &mut dyn Worker, joint: &[MoveId], next: &[u64]) -> Result<(), Failure> {
        Ok(self.tree.advance(worker, joint, next)?)
    }
}
