//! `ludex replay`: an engine against recorded matches.

use crate::args::Replay;
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{encoding, game, json, limit, report};
use anyhow::{Context, Result};
use ludex::gdl::rewrite::fnext::encode;
use ludex::ggp::record::{RecordError, Records};
use ludex::ggp::replay::{Limit, Replayer, Stopped};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

pub fn run(args: &Replay, out: &mut dyn Write) -> Result<Status> {
    // A missing file is a mistake of the caller, and should not show after minutes of comparing.
    for path in &args.records {
        if !path.exists() || path.is_dir() {
            return Err(Misuse(format!("there is no record `{}`", path.display())).into());
        }
    }
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read(&args.game.game)?;
    let impossible = encoding::impossible(&loaded, None, &budget)?;
    let translated = encode(loaded.game()?, args.encoding, &impossible, &budget);
    let engine = loaded.engine_anew(&translated, args.engine.engine, &budget)?;
    let mut replayer = Replayer::new(&*engine);
    replayer.obey(&budget);
    for path in &args.records {
        let outcome = compare(&mut replayer, path)
            .with_context(|| format!("the record `{}` cannot be compared", path.display()))?;
        if args.json.json {
            json::line(out, &answer(path, &outcome))?;
        } else if !matches!(outcome.stopped, Some(Stopped::Limit(_))) {
            writeln!(out, "{}", outcome.text(path))?;
            out.flush()?;
        }
        match outcome.stopped {
            None => {}
            Some(Stopped::Difference(_)) => return Ok(Status::No),
            Some(Stopped::Limit(Limit { playout, step, fault, .. })) => {
                let place = format!("{}, playout {playout}, step {step}", path.display());
                return Err(limit::met(&loaded.name, place, &fault));
            }
        }
    }
    Ok(Status::Yes)
}

/// What the comparison with one record gave.
struct Outcome {
    playouts: usize,
    steps: usize,
    stopped: Option<Stopped>,
}

fn compare(replayer: &mut Replayer, path: &Path) -> Result<Outcome, RecordError> {
    let _progress = Progress::spinner(path.display().to_string());
    let mut outcome = Outcome { playouts: 0, steps: 0, stopped: None };
    for playout in Records::open(path)? {
        outcome.playouts += 1;
        match replayer.compare(&playout?) {
            Ok(steps) => outcome.steps += steps,
            Err(stopped) => {
                outcome.steps += stopped.step();
                outcome.stopped = Some(*stopped);
                break;
            }
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn text(&self, path: &Path) -> String {
        match &self.stopped {
            Some(stopped) => stopped.to_string(),
            None => format!(
                "{}: {}, {}, no difference",
                path.display(),
                report::count(self.playouts, "playout"),
                report::count(self.steps, "step")
            ),
        }
    }
}

fn answer(path: &Path, outcome: &Outcome) -> Value {
    let (difference, limit) = match &outcome.stopped {
        Some(Stopped::Difference(difference)) => (Some(difference), None),
        Some(Stopped::Limit(limit)) => (None, Some(limit.to_string())),
        None => (None, None),
    };
    json!({
        "record": path.display().to_string(),
        "playouts": outcome.playouts,
        "steps": outcome.steps,
        "differences": usize::from(difference.is_some()),
        "first": difference,
        "limit": limit,
    })
}
