//! `ludex solve`: what each role can get, by visiting every state.

use crate::args::{Solve, megabytes};
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, limit};
use anyhow::{Result, anyhow};
use ludex::engine::engine::Engine;
use ludex::engine::vocabulary::RoleId;
use ludex::logic::endgame::query;
use ludex::logic::endgame::solve::{Nature, Options, Reached, Solution, SolveError, solve};
use ludex::logic::endgame::{Database, file};
use serde_json::json;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(args: &Solve, out: &mut dyn Write) -> Result<Status> {
    let budget = args.bounds.budget().with_resident(megabytes(args.memory));
    let budget = budget.within(Duration::from_secs_f64(args.time));
    let loaded = game::read_at(&args.game.game, &args.position, &budget)?;
    let engine = loaded.engine_within(loaded.game()?, args.engine.engine, &budget)?;
    let defaults = Options::default();
    let options = Options {
        states: args.states,
        threads: args.threads.map_or(defaults.threads, usize::from),
        ..defaults
    };
    let started = Instant::now();
    let solution = {
        let (name, reached) = (loaded.name.clone(), Arc::new(Reached::default()));
        let (shown, told) = (reached.clone(), reached.clone());
        let _progress = Progress::telling(move || format!("solving {name}: {shown}"));
        let _armed = interrupt::closing(move |_| writeln!(std::io::stderr(), "not solved: {told}"));
        solve(&*engine, &options, &budget, &reached).map_err(|error| match error {
            SolveError::Engine(fault) => limit::met(&loaded.name, "a reachable state", &fault),
            error => anyhow!("{} is not solved: {error}", loaded.name),
        })?
    };
    let seconds = started.elapsed().as_secs_f64();
    let bytes = solution.encode(loaded.game()?, &*engine);
    if let Some(path) = &args.output {
        file::write(path, &bytes)
            .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))?;
    }
    let database = Database::from_bytes(bytes)?;
    let mut worker = engine.worker();
    let initial = solution.space.state(0)[..engine.vocabulary().words()].to_vec();
    let best = query::best_moves(&database, &mut *worker, &initial)
        .map_err(|fault| limit::met(&loaded.name, "the initial state", &fault))?;
    report(args, out, &loaded.name, &*engine, &solution, &best, seconds)
}

fn report(
    args: &Solve,
    out: &mut dyn Write,
    name: &str,
    engine: &dyn Engine,
    solution: &Solution,
    best: &[Vec<ludex::engine::vocabulary::MoveId>],
    seconds: f64,
) -> Result<Status> {
    let vocabulary = engine.vocabulary();
    let space = &solution.space;
    let exact = !matches!(solution.nature, Nature::General);
    let shown = |role: RoleId| -> Vec<String> {
        best[role.index()].iter().map(|&action| vocabulary.show_move(role, action)).collect()
    };
    if args.json.json {
        let roles: serde_json::Map<String, serde_json::Value> = vocabulary
            .roles()
            .map(|role| {
                let verdict = solution.verdict(0, role);
                let entry = json!({
                    "value": verdict.value, "depth": verdict.depth, "reachable": verdict.reachable, "moves": shown(role),
                });
                (vocabulary.show_role(role), entry)
            })
            .collect();
        json::line(
            out,
            &json!({
                "game": name, "engine": engine.name(), "states": space.len(), "ends": space.end_count(),
                "transitions": space.transition_count(), "exact": exact, "roles": roles, "seconds": seconds,
            }),
        )?;
        return Ok(Status::Yes);
    }
    writeln!(
        out,
        "{name}: {} states, {} ends, {} transitions",
        space.len(),
        space.end_count(),
        space.transition_count()
    )?;
    for role in vocabulary.roles() {
        let verdict = solution.verdict(0, role);
        let shown_role = vocabulary.show_role(role);
        match (verdict.value, verdict.depth) {
            (Some(value), Some(depth)) => {
                let word = if exact { "gets" } else { "can force" };
                let moves = shown(role);
                let end =
                    if depth == 0 { "at once".to_owned() } else { format!("within {depth} joint moves") };
                writeln!(out, "  {shown_role} {word} {value} {end}: {}", moves.join(" or "))?;
            }
            _ => writeln!(out, "  {shown_role} cannot force an end")?,
        }
    }
    match solution.nature {
        Nature::Puzzle => {}
        Nature::ConstantSum(sum) => {
            writeln!(out, "  turn-taking, goals add up to {sum}: these are the values under best play")?;
        }
        Nature::General => writeln!(
            out,
            "  not two roles that take turns over a constant sum: what each role can force alone, no more is well defined here"
        )?,
    }
    Ok(Status::Yes)
}
