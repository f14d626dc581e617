//! `ludex games`: the bundled games.

use crate::args::Games;
use crate::json;
use crate::status::Status;
use anyhow::Result;
use ludex::games;
use serde_json::json;
use std::io::Write;

pub fn run(args: &Games, out: &mut dyn Write) -> Result<Status> {
    let width = games::ALL.iter().map(|game| game.name.len()).max().unwrap_or(0);
    for game in games::ALL {
        if args.json.json {
            json::line(out, &json!({ "game": game.name, "title": game.title() }))?;
        } else {
            writeln!(out, "{:width$}  {}", game.name, game.title())?;
        }
    }
    Ok(Status::Yes)
}
