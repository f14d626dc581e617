//! `ludex minimax`: full-width search.

use crate::args::{EncodingChoice, Minimax};
use crate::game::Loaded;
use crate::progress::Progress;
use crate::status::Status;
use crate::{encoding, game, json, limit};
use anyhow::Result;
use cpu_time::ThreadTime;
use ludex::engine::budget::Budget;
use ludex::engine::engine::Engine;
use ludex::gdl::Game;
use ludex::gdl::analysis::actions::PartialJointMove;
use ludex::gdl::rewrite::fnext::{Encoding, encode};
use ludex::search::minimax::{Settings, fastest, search};
use serde_json::json;
use std::io::Write;
use std::sync::Arc;

pub fn run(args: &Minimax, out: &mut dyn Write) -> Result<Status> {
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read(&args.game.game)?;
    let settings =
        Settings { ignore_terminal: args.ignore_terminal, ..Settings::to_depth(usize::from(args.depth)) };
    let (encoding, engine) = choose(args, &loaded, &settings, &budget)?;
    let mut worker = engine.worker();
    worker.obey(&budget);
    let progress = Progress::spinner(format!("depth {}", args.depth));
    let started = ThreadTime::now();
    let outcome = search(&mut *worker, &settings);
    let seconds = started.elapsed().as_secs_f64();
    drop(progress);
    let outcome =
        outcome.map_err(|fault| limit::met(&loaded.name, format!("within depth {}", args.depth), &fault))?;
    if args.json.json {
        let answer = json!({
            "game": loaded.name,
            "engine": engine.name(),
            "encoding": encoding.name(),
            "depth": args.depth,
            "states": outcome.states,
            "seconds": seconds,
            "value": outcome.value,
        });
        json::line(out, &answer)?;
    } else {
        let value = outcome.value.map_or("not decided".to_owned(), |value| value.to_string());
        let first = engine.vocabulary().roles().next().map(|role| engine.vocabulary().show_role(role));
        writeln!(
            out,
            "{}, engine {}, encoding {encoding}, depth {}",
            loaded.name,
            engine.name(),
            args.depth
        )?;
        writeln!(out, "states  {}", outcome.states)?;
        writeln!(out, "seconds {seconds:.3}")?;
        writeln!(out, "value   {value}{}", first.map_or(String::new(), |role| format!(" for {role}")))?;
    }
    Ok(Status::Yes)
}

/// The encoding to search in and its engine.
fn choose(
    args: &Minimax,
    loaded: &Loaded,
    settings: &Settings,
    budget: &Budget,
) -> Result<(Encoding, Arc<dyn Engine>)> {
    let game = loaded.game()?;
    let build = |game: &Game| loaded.engine_anew(game, args.engine.engine, budget);
    let impossible = encoding::impossible(loaded, args.prove, budget)?;
    let encoding = match args.encoding {
        EncodingChoice::Original => Encoding::Original,
        EncodingChoice::Direct => Encoding::Direct,
        EncodingChoice::Pruned => Encoding::Pruned,
        EncodingChoice::Relevant => Encoding::Relevant,
        EncodingChoice::Auto => return measure(game, &impossible, &build, settings, budget),
    };
    let translated = encode(game, encoding, &impossible, budget);
    Ok((encoding, build(&translated)?))
}

/// The faster of original and translated.
fn measure(
    game: &Game,
    impossible: &[PartialJointMove],
    build: &dyn Fn(&Game) -> Result<Arc<dyn Engine>>,
    settings: &Settings,
    budget: &Budget,
) -> Result<(Encoding, Arc<dyn Engine>)> {
    let mut members = vec![(Encoding::Original, build(game)?)];
    let translated = encode(game, Encoding::Relevant, impossible, budget);
    // A translation that an engine declines is no reason to fail: there is the original.
    if translated.frame.is_some()
        && let Ok(engine) = build(&translated)
    {
        members.push((Encoding::Relevant, engine));
    }
    let engines: Vec<&dyn Engine> = members.iter().map(|(_, engine)| &**engine).collect();
    let clock = ThreadTime::now();
    let chosen = fastest(&engines, settings, &mut || clock.elapsed()).unwrap_or(0);
    Ok(members.swap_remove(chosen))
}
