//! How many leaves a tree values a second of processor time, with and without lanes.
//!
//! cargo run --release -p ludex-search --example leaves -- [--seconds X] GAME...
//!
//! GAME is a sheet or the name of a bundled game; the search begins in its first state.

use ludex::engine::budget::Budget;
use ludex::engine::engine::Engine;
use ludex::engine::propnet::{
    Propnet,
    lanes::{Lanes, Valuer},
};
use ludex::gdl::{Game, Sheet};
use ludex_search::clock::Clock;
use ludex_search::uct::{Settings, Tools, Tree};
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (mut seconds, mut games) = (1.0, Vec::new());
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--seconds" => seconds = arguments.next().ok_or("seconds are missing")?.parse()?,
            _ => games.push(word),
        }
    }
    for name in games {
        let engine = Propnet::new(&load(&name)?, &Budget::default())?;
        let mut worker = engine.worker();
        let mut initial = vec![0; engine.vocabulary().words()];
        worker.initial(&mut initial);
        let lanes = Lanes::new(engine.net(), &initial, &Budget::default())?;
        let mut told = Vec::new();
        for lanes in [None, Some(&lanes)] {
            let mut tree = Tree::new(Settings::default(), &mut *worker, &initial, 1)?;
            let mut runner = lanes.map(|lanes| lanes.runner(1));
            let lanes = runner.as_mut().map(|runner| runner as &mut dyn Valuer);
            let mut tools = Tools { worker: &mut *worker, lanes, oracle: None, goal_heuristic: None };
            tree.search(&mut tools, &mut Clock::processor(Duration::from_secs_f64(seconds)))?;
            let nodes = tree.estimate(ludex::engine::vocabulary::RoleId(0)).nodes;
            told.push((tree.playouts() as f64 / seconds, nodes));
        }
        let short = name.rsplit('/').next().unwrap_or(&name).trim_end_matches(".kif");
        let [(alone, nodes), (flying, more)] = told[..] else { continue };
        println!(
            "{short}: {alone:.0} leaves a second one by one ({nodes} states), {flying:.0} in lanes ({more}), {:.1} times",
            flying / alone
        );
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
