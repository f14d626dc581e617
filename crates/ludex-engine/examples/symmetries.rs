//! How many symmetries sheets have, with all roles exchanged or kept, and what it costs to find them.
//!
//! cargo run --release -p ludex-engine --example symmetries -- SHEET...

use cpu_time::ProcessTime;
use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_engine::symmetry::Symmetries;
use ludex_gdl::Sheet;
use std::time::Duration;

const MOST: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let Ok(game) = Sheet::read(&std::fs::read_to_string(&path)?).into_game() else {
            println!("{path}: the sheet has errors");
            continue;
        };
        let vocabulary = Prepared::new(game.clone()).vocabulary(&Budget::default().within(PATIENCE));
        let started = ProcessTime::now();
        let budget = Budget::default().with_steps(100_000_000).within(PATIENCE);
        match vocabulary
            .map_err(|e| e.to_string())
            .and_then(|v| Symmetries::new(&game, &v, &budget).map_err(|e| e.to_string()))
        {
            Err(error) => println!("{path}: {error}"),
            Ok(found) => {
                let seconds = started.elapsed().as_secs_f64();
                let (number, kept) = match found.all(MOST) {
                    None => (format!("more than {MOST}"), String::from("-")),
                    Some(all) => {
                        let kept = all.iter().filter(|symmetry| symmetry.keeps_roles()).count();
                        (all.len().to_string(), kept.to_string())
                    }
                };
                let generators = found.generators.len();
                let end = if found.complete { "" } else { ", not complete" };
                println!("{path}: {number}, {kept} keep roles, {generators} generators, {seconds:.2} s{end}");
            }
        }
    }
    Ok(())
}
