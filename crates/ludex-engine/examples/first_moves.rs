//! How long it takes until the legal moves of the first state are known, in words and without a vocabulary.
//!
//! cargo run --release -p ludex-engine --example first_moves -- SHEET...

use cpu_time::ProcessTime;
use ludex_engine::budget::Budget;
use ludex_engine::datalog::Firsthand;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Sheet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let started = ProcessTime::now();
        let sheet = Sheet::read(&std::fs::read_to_string(&path)?);
        let game = sheet.into_game().map_err(|findings| format!("{path}: {} findings", findings.len()))?;
        let read = started.elapsed().as_secs_f64();
        match Firsthand::new(&game, &Budget::default()) {
            Ok(first) => {
                let counts: Vec<usize> =
                    (0..first.roles().count() as u32).map(|role| first.legal(RoleId(role)).count()).collect();
                let seconds = started.elapsed().as_secs_f64();
                println!(
                    "{path}: {seconds:.3} s, of which reading {read:.3}; legal moves a role: {counts:?}"
                );
            }
            Err(error) => println!("{path}: {error}"),
        }
    }
    Ok(())
}
