//! `ludex cluster plan`: what it takes to solve a game on several machines, on paper.

use crate::args::{Cluster, ClusterAction, ClusterPlan};
use crate::game;
use crate::status::Status;
use anyhow::{Result, anyhow};
use ludex_solve::estimate::{Effort, Estimate, estimate};
use ludex_solve::plan::{Plan, Wanted};
use std::io::Write;
use std::time::Duration;

/// Bits that a byte of a difference holds.
const BITS_A_BYTE: f64 = 7.0;

/// Successors in one batch, of which each worker has its part: by them follows how far keys in a message are apart.
const BATCH: f64 = 1e5;

pub fn run(args: &Cluster, out: &mut dyn Write) -> Result<Status> {
    let ClusterAction::Plan(args) = &args.action;
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let loaded = game::read(&args.game.game)?;
    let engine = loaded.engine(args.engine.engine, &budget)?;
    let prepared = loaded.prepared()?;
    let wanted = Wanted { symmetry: !args.no_symmetry, counter: true };
    let plan = Plan::make(prepared, &*engine, wanted, &budget)?;
    let packing = plan.packing(&*engine)?;
    let effort = Effort {
        samples: usize::from(args.samples),
        states: args.states as usize,
        seed: args.seed,
        ..Effort::default()
    };
    let found = estimate(&*engine, &effort, &budget)
        .map_err(|error| anyhow!("the states of {} are not estimated: {error}", loaded.name))?;
    told(args, out, &loaded.name, &found, packing.bits(), packing.symmetry_count(), plan.counter.is_some())?;
    Ok(Status::Yes)
}

fn told(
    args: &ClusterPlan,
    out: &mut dyn Write,
    name: &str,
    found: &Estimate,
    bits: f64,
    symmetries: usize,
    ranked: bool,
) -> Result<()> {
    let (least, most) = found.interval();
    if found.exact {
        writeln!(out, "{name}: {:.0} states, all of them visited", found.mean())?;
    } else {
        writeln!(out, "{name}: {:.3e} states, between {least:.3e} and {most:.3e}", found.mean())?;
        let known = 100.0 * found.known as f64 / found.changes.max(1) as f64;
        writeln!(
            out,
            "  by {} samples of {} states a layer; {known:.2} % of the changes that moves make were known",
            found.samples.len(),
            args.states
        )?;
        if found.known < found.changes {
            writeln!(out, "  moves whose changes are not known cannot be undone: it is rather too many")?;
        }
        if found.given_up > 0 {
            writeln!(out, "  {} ways back were given up: it may be too few", found.given_up)?;
        }
    }
    let kept = found.mean() / symmetries as f64;
    let widest = (found.widest / symmetries as f64).max(1.0);
    // A table has for each key the difference to the one before, and a number of a byte.
    let apart = |keys: f64| ((bits - keys.log2()) / BITS_A_BYTE + 0.5).max(1.0);
    let table = kept * (apart(if ranked { widest } else { kept }) + 1.0);
    writeln!(
        out,
        "  up to {symmetries} symmetries {kept:.3e} are kept, of {bits:.1} bits, {widest:.3e} in the largest layer: {} in the store",
        bytes(table)
    )?;
    let machines = f64::from(args.machines);
    let cores = machines * f64::from(args.cores);
    // Forward each successor once, backward a question and an answer of a byte.
    let message = apart(BATCH / cores);
    let away = 1.0 - 1.0 / cores;
    let traffic = kept * found.branching * away * (2.0 * message + 1.0);
    let working = kept / (args.rate * cores) / 3600.0;
    let sending = traffic / (args.network * 1e6 * machines) / 3600.0;
    let hours = working.max(sending);
    writeln!(
        out,
        "  {} machines of {} cores: {hours:.3} hours at {}, {} on the disk of each; {} of messages, {sending:.3} hours for them alone",
        args.machines,
        args.cores,
        cost(hours * machines * args.price),
        bytes(table / machines),
        bytes(traffic)
    )?;
    writeln!(
        out,
        "  assumed: {} states a second a core, forward and backward together; {} MB a second from each machine; {} for a machine and hour; {:.1} moves from a state",
        args.rate, args.network, args.price, found.branching
    )?;
    writeln!(
        out,
        "  not counted: putting the tables of all workers together at the end, and rounds that begin anew"
    )?;
    Ok(())
}

fn cost(amount: f64) -> String {
    format!("a cost of {amount:.2}")
}

fn bytes(number: f64) -> String {
    let (mut number, mut unit) = (number, 0);
    const UNITS: [&str; 6] = ["bytes", "KB", "MB", "GB", "TB", "PB"];
    while number >= 1000.0 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    format!("{number:.1} {}", UNITS[unit])
}
