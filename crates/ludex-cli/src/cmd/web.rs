//! `ludex web`: games on a page.

use crate::args::Web;
use crate::game;
use crate::status::{Misuse, Status};
use anyhow::Result;
use ludex_web::{Limits, Options, SHORTEST_TOKEN};
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;

pub fn run(args: &Web, out: &mut dyn Write) -> Result<Status> {
    if !args.bind.is_loopback() && args.token.is_none() {
        let why = "--bind lets others on the network in: choose a --token that you give to those you mean";
        return Err(Misuse(format!("{why} (16 or more letters, digits and dashes)")).into());
    }
    if args.token.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
        return Err(Misuse(format!("a token has {SHORTEST_TOKEN} or more letters, digits and dashes")).into());
    }
    if let Some(folder) = args.games.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Misuse(format!("`{}` is no folder", folder.display())).into());
    }
    let first = match &args.game {
        None => None,
        Some(path) => {
            let loaded = game::read(path)?;
            loaded.game()?;
            Some((loaded.name.clone(), loaded.sheet.text.to_string()))
        }
    };
    let options = Options {
        address: SocketAddr::new(args.bind, args.port),
        token: args.token.clone(),
        games: args.games.clone(),
        keep: args.keep.clone().map_or_else(usual_folder, Ok)?,
        first,
        evaluations: args.evaluations.read(None)?,
        solved: super::player::solved(&args.solved)?,
        limits: Limits::default(),
    };
    let served = ludex_web::serve(&options, |address| {
        writeln!(out, "ludex listens at {address}")?;
        out.flush()
    });
    let failed = |error| Misuse(format!("cannot serve at {}: {error}", options.address));
    Ok(served.map(|()| Status::Yes).map_err(failed)?)
}

/// Where programs keep what should be there the next time, as the XDG base directories have it.
fn usual_folder() -> Result<PathBuf, Misuse> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local").join("state")));
    let state = state.or_else(|| folder("LOCALAPPDATA"));
    let nowhere = || Misuse("there is no home folder to keep matches in: name one with --keep".to_owned());
    Ok(state.ok_or_else(nowhere)?.join("ludex").join("web"))
}
