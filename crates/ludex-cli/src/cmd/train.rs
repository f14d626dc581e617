//! `ludex train`: an evaluation improved by self-play, kept in a file.

use crate::args::Train;
use crate::progress::{Progress, making};
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, plot};
use anyhow::{Context, Result, anyhow};
use ludex::search::evaluation::{Lesson, Trained};
use ludex::search::training::{Settings, Training};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(args: &Train, out: &mut dyn Write) -> Result<Status> {
    let started = Instant::now();
    let stop = interrupt::stop_token();
    let time = Duration::from_secs_f64(args.time);
    let is_over = || stop.is_cancelled() || started.elapsed() >= time;
    let known = match (args.resume, args.output.exists()) {
        (true, _) => Some(Trained::read(&args.output).map_err(|error| unusable(&args.output, &error))?),
        (false, true) => {
            let shown = args.output.display();
            return Err(
                Misuse(format!("`{shown}` is there: go on with it by --resume, or name another")).into()
            );
        }
        (false, false) => None,
    };
    let loaded = game::read(&args.game.game)?;
    let rules = &loaded.game()?.rules;
    if let Some(known) = &known {
        known.check(rules).map_err(|error| unusable(&args.output, &error))?;
    }
    let budget = args.bounds.budget().within(time).with_cancel(stop.clone());
    let prepared = loaded.prepared()?;
    let engine = making(format!("building {}", loaded.name), &budget, |budget| prepared.propnet(budget))
        .with_context(|| format!("{}: training needs the network", loaded.name))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        threads: args.threads.map_or(cores, usize::from),
        games: args.games,
        ..Settings::default()
    };
    let failed = |error| anyhow!("{}: {error}", loaded.name);
    let mut training = {
        let _progress = Progress::spinner(format!("{}: the first games", loaded.name));
        match known {
            Some(known) => Training::resume(&engine, rules, known, settings),
            None => Training::begin(&engine, rules, args.seed, settings, &is_over),
        }
        .map_err(failed)?
    };
    // Seconds are counted from where the last round ended.
    let mut counted = 0.0;
    let mut keep = |training: &mut Training<'_>, is_round: bool| {
        let now = started.elapsed().as_secs_f64();
        if !is_round {
            training.spend(now - counted);
        }
        counted = now;
        write(training.trained(), &args.output)
    };
    keep(&mut training, false)?;
    let mut rounds = 0;
    while args.rounds.is_none_or(|most| rounds < most) {
        let begun = Instant::now();
        let seconds = || begun.elapsed().as_secs_f64();
        let lesson = {
            let round = training.trained().rounds + 1;
            let _progress = Progress::spinner(format!("{}: round {round}", loaded.name));
            training.round(&seconds, &is_over).map_err(failed)?
        };
        let Some(lesson) = lesson else { break };
        rounds += 1;
        keep(&mut training, true)?;
        report(args, out, &loaded.name, &lesson)?;
    }
    let trained = training.trained();
    if let Some(path) = &args.plot {
        plot::lessons(path, &loaded.name, &trained.lessons)
            .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))?;
    }
    let told = training.evaluation().describe();
    if args.json.json {
        json::line(
            out,
            &json!({
                "game": loaded.name, "rounds": trained.rounds, "games": trained.games,
                "seconds": trained.seconds, "file": args.output, "learnt": told,
            }),
        )?;
    } else {
        let (rounds, seconds) = (trained.rounds, trained.seconds);
        writeln!(
            out,
            "{}: {rounds} rounds in {seconds:.0} s, kept in {}",
            loaded.name,
            args.output.display()
        )?;
        writeln!(out, "  {told}")?;
    }
    Ok(Status::Yes)
}

fn unusable(path: &Path, error: &dyn std::error::Error) -> Misuse {
    Misuse(format!("`{}` cannot be gone on with: {error}", path.display()))
}

fn write(trained: &Trained, path: &Path) -> Result<()> {
    Ok(trained
        .write(path)
        .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))?)
}

fn report(args: &Train, out: &mut dyn Write, name: &str, lesson: &Lesson) -> Result<()> {
    if args.json.json {
        json::line(out, &object(name, lesson))?;
    } else {
        let Lesson { round, seconds, games, correlation, points, confidence, is_better } = lesson;
        let word = if *is_better { "better" } else { "not better" };
        writeln!(
            out,
            "round {round}: {games} games, {seconds:.0} s; foretells outcomes by {correlation:.2}; {word} than before; \
             {points:.0} % ± {confidence:.0} of the points against the beginning"
        )?;
    }
    Ok(out.flush()?)
}

fn object(name: &str, lesson: &Lesson) -> Value {
    json!({
        "game": name, "round": lesson.round, "seconds": lesson.seconds, "games": lesson.games,
        "correlation": lesson.correlation, "points": lesson.points, "confidence": lesson.confidence,
        "better": lesson.is_better,
    })
}
