//! How far the searches for one come on puzzles: the best goals found, and when.
//!
//! cargo run --release -p ludex-search --example puzzles -- [--seconds S] [--memory MB] [--only PART,...] [--without PART,...]
//!     SHEET...
//!
//! SHEET is a file or the name of a bundled game; sheets for more than one role are passed over. PART is `visit`, `deepening`,
//! `nested`, `beam` or `planner`. Time is processor time of the search alone, after the engine was made. Each line is a sheet
//! with its engine, the goals found with seconds and moves, whether the last is known to be the best, and the time spent.
//! `scripts/puzzles.py` makes the table of all sheets from them.

use cpu_time::ThreadTime;
use ludex::engine::budget::Budget;
use ludex::engine::engine::Engine;
use ludex::engine::prepared::{Interpreter, Prepared};
use ludex::gdl::rewrite::fnext::Encoding;
use ludex_logic::transition::System;
use ludex_search::clock::Clock;
use ludex_search::goal_heuristic::GoalHeuristic;
use ludex_search::solitaire::{Parts, Portfolio};
use std::sync::Arc;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

/// The engine must be made in so much time.
const BUILD: Duration = Duration::from_secs(60);

struct Options {
    seconds: f64,
    memory: usize,
    parts: Parts,
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options { seconds: 10.0, memory: 1 << 30, parts: Parts::default() };
    let mut sheets = Vec::new();
    while let Some(word) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match word.as_str() {
            "--seconds" => options.seconds = value()?.parse()?,
            "--memory" => options.memory = value()?.parse::<usize>()? << 20,
            "--only" => {
                options.parts = Parts::NONE;
                switch(&mut options.parts, &value()?, true)?;
            }
            "--without" => switch(&mut options.parts, &value()?, false)?,
            _ => sheets.push(word),
        }
    }
    for name in sheets {
        let short = name.rsplit('/').next().unwrap_or(&name).trim_end_matches(".kif").to_owned();
        match search(&name, &options) {
            Ok(Some(told)) => println!("{short}: {told}"),
            Ok(None) => {}
            Err(failure) => println!("{short}: {failure}"),
        }
    }
    Ok(())
}

fn switch(parts: &mut Parts, words: &str, is_on: bool) -> Result<(), Failure> {
    for word in words.split(',') {
        *match word {
            "visit" => &mut parts.visit,
            "deepening" => &mut parts.deepening,
            "nested" => &mut parts.nested,
            "beam" => &mut parts.beam,
            "planner" => &mut parts.planner,
            _ => return Err(format!("`{word}` is no part of the search").into()),
        } = is_on;
    }
    Ok(())
}

fn search(name: &str, options: &Options) -> Result<Option<String>, Failure> {
    let game = ludex::load(name).or_else(|_| ludex::load_file(name))?;
    let prepared = Prepared::new(game);
    let budget = Budget::default().within(BUILD);
    let (engine, goal_heuristic, system): (Arc<dyn Engine>, _, _) = match prepared.propnet(&budget) {
        Ok(network) => {
            let system =
                System::new(&prepared, &[prepared.game().rules.keyword(ludex::gdl::Keyword::Goal)], &budget);
            (network.clone(), GoalHeuristic::new(network.net()), system.ok())
        }
        Err(_) => (prepared.interpreter(Interpreter::Tree, Encoding::Relevant, &budget)?, None, None),
    };
    let mut worker = engine.worker();
    let mut state = vec![0; engine.vocabulary().words()];
    worker.initial(&mut state);
    let begun = ThreadTime::now();
    let Some(mut portfolio) = Portfolio::new(&*worker, &state, options.parts, options.memory, 1) else {
        return Ok(None);
    };
    if let Some(system) = &system {
        portfolio = portfolio.with_system(system, options.memory / 2);
    }
    let mut told = String::new();
    let mut known = None;
    let total = Duration::from_secs_f64(options.seconds);
    loop {
        let left = total.saturating_sub(begun.elapsed());
        let step = left.min(Duration::from_millis(100));
        let is_over = portfolio.search(&mut *worker, goal_heuristic.as_ref(), &mut Clock::processor(step))?;
        let plan = portfolio.plan();
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(plan) = &plan
            && known != Some(plan.value)
        {
            known = Some(plan.value);
            told += &format!(" {} after {seconds:.2} s in {} moves,", plan.value, plan.moves.len());
        }
        if is_over || left.is_zero() {
            let is_best = if plan.is_some_and(|plan| plan.is_best) { "best" } else { "open" };
            return Ok(Some(format!("{};{told} {is_best}; {seconds:.2} s", engine.name())));
        }
    }
}
