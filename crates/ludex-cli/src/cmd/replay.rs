//! `ludex replay`: an engine against recorded matches.

use crate::args::Replay;
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{encoding, game, json, report};
use anyhow::{Context, Result};
use ludex::gdl::rewrite::fnext::encode;
use ludex::ggp::record::{RecordError, Records};
use ludex::ggp::replay::{Difference, Replayer};
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
    let loaded = game::read(&args.game.game)?;
    let translated = encode(loaded.game()?, args.encoding, &encoding::impossible(&loaded, None)?);
    let engine = loaded.engine_for(&translated, args.engine.engine)?;
    let mut replayer = Replayer::new(&*engine);
    for path in &args.records {
        let outcome = compare(&mut replayer, path)
            .with_context(|| format!("the record `{}` cannot be compared", path.display()))?;
        if args.json.json {
            json::line(out, &answer(path, &outcome))?;
        } else {
            writeln!(out, "{}", outcome.text(path))?;
            out.flush()?;
        }
        if outcome.difference.is_some() {
            return Ok(Status::No);
        }
    }
    Ok(Status::Yes)
}

/// What the comparison with one record gave.
struct Outcome {
    playouts: usize,
    steps: usize,
    difference: Option<Box<Difference>>,
}

fn compare(replayer: &mut Replayer, path: &Path) -> Result<Outcome, RecordError> {
    let _progress = Progress::spinner(path.display().to_string());
    let mut outcome = Outcome { playouts: 0, steps: 0, difference: None };
    for playout in Records::open(path)? {
        outcome.playouts += 1;
        match replayer.compare(&playout?) {
            Ok(steps) => outcome.steps += steps,
            Err(difference) => {
                outcome.steps += difference.step;
                outcome.difference = Some(difference);
                break;
            }
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn text(&self, path: &Path) -> String {
        match &self.difference {
            Some(difference) => difference.to_string(),
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
    json!({
        "record": path.display().to_string(),
        "playouts": outcome.playouts,
        "steps": outcome.steps,
        "differences": usize::from(outcome.difference.is_some()),
        "first": outcome.difference,
    })
}
