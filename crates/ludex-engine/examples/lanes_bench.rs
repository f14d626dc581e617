//! Random playouts in lanes: `lanes_bench SECONDS GAME...`, one thread, CPU time.

use ludex_engine::limits::Limits;
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::Lanes;
use std::time::{Duration, Instant};

/// CPU time of this thread.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|s| s.parse().ok()).expect("seconds, then games");
    for path in arguments {
        let bytes = std::fs::read(&path).expect("a rule sheet");
        let sheet = ludex_gdl::Sheet::read_bytes(&bytes, &ludex_gdl::syntax::Limits::default());
        let limits = Limits { time: Duration::from_secs(600), rows: 40_000_000 };
        let game = sheet.into_game().expect("a sound sheet");
        let compiled = compile(&game, limits).expect("a network");
        let start = compiled.initial.clone();
        let begun = Instant::now();
        let lanes = Lanes::new(&compiled.net, &start);
        let built = begun.elapsed().as_secs_f64();
        println!("{path}: {} gates, compiled in {built:.3} s", compiled.net.gate_count());
        for sizes in lanes.sizes() {
            println!("  {sizes:?}");
        }
        let mut runner = lanes.runner(1);
        let most = 1000;
        runner.run(&start, 200, most);
        let (mut playouts, mut transitions, mut passes) = (0, 0, 0);
        let from = cpu();
        let mut spent = 0.0;
        let mut last = None;
        while spent < seconds {
            let result =
                runner.run(&start, 2000.min(1 + 20_000_000 / compiled.net.gate_count() as u64), most);
            playouts += result.playouts;
            transitions += result.transitions;
            passes += result.passes;
            last = Some(result);
            spent = cpu() - from;
        }
        println!(
            "  {:.0} playouts/s {:.3} M states/s, length {:.3}, {:.0} ns a pass, {:.3} of the lanes busy",
            playouts as f64 / spent,
            transitions as f64 / spent * 1e-6,
            transitions as f64 / playouts as f64,
            spent / passes as f64 * 1e9,
            transitions as f64 / passes as f64 / 512.0
        );
        // Long enough for a clock that moves once in a few milliseconds.
        let repeats = (2e8 * passes as f64 / spent / 1e9) as u32 + 1;
        let each = 1e9 / f64::from(repeats) / lanes.period() as f64;
        let from = cpu();
        runner.repeat_gates(repeats);
        let gates = (cpu() - from) * each;
        let from = cpu();
        runner.repeat_choices(repeats);
        let choosing = (cpu() - from) * each;
        let rest = spent / passes as f64 * 1e9 - gates - choosing;
        println!("  gates {gates:.0} ns, choosing {choosing:.0} ns, refill, goals, states {rest:.0} ns");
        if let Some(result) = last {
            let means: Vec<_> = result.goals.iter().map(|g| g.mean()).collect();
            println!("  goals {means:?} stuck {} cut {}", result.stuck, result.cut);
        }
    }
}
