//! `ludex draw`: a position as text or as a picture, and what was found to draw it.

use crate::args::Draw;
use crate::status::{Misuse, Status};
use crate::{game, json, position};
use anyhow::Result;
use ludex::engine::row;
use ludex::engine::vocabulary::Vocabulary;
use ludex::engines;
use ludex::ggp::record::Records;
use ludex_board::{Drawing, Layout, Scene, animated};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// How long each state of a match is shown.
const SECONDS: f64 = 1.0;

pub fn run(args: &Draw, out: &mut dyn Write) -> Result<Status> {
    if args.json.json && !args.layout {
        return Err(Misuse("--json goes with --layout: drawings are text or pictures".to_owned()).into());
    }
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read(&args.game.game)?;
    let engine = loaded.quick(engines::AUTO, &budget)?;
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    worker.obey(&budget);
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    let drawing = Drawing::find(vocabulary, &initial, &budget)?;
    if args.layout {
        layout(&loaded.name, &drawing.layout(), args.json.json, out)?;
        return Ok(Status::Yes);
    }
    let states = match &args.record {
        Some(path) => recorded(vocabulary, path)?,
        None if args.position.is_initial() => vec![initial],
        None => {
            // By the rules as they are: a state of no match can be drawn, and the board is that of the game.
            let play = position::reach(&loaded.name, &loaded.sheet.text, &args.position, &budget)?;
            vec![read_state(vocabulary, &play.fluents())?]
        }
    };
    let scenes: Vec<Scene> = states.iter().map(|state| drawing.scene(state)).collect();
    let Some(path) = &args.output else {
        for (number, scene) in scenes.iter().enumerate() {
            if scenes.len() > 1 {
                writeln!(out, "Step {number}")?;
            }
            out.write_all(scene.text().as_bytes())?;
        }
        return Ok(Status::Yes);
    };
    let picture = match scenes.as_slice() {
        [scene] => scene.svg(),
        scenes => animated(scenes, SECONDS),
    };
    if path == Path::new("-") {
        out.write_all(picture.as_bytes())?;
    } else {
        let failed = |error| Misuse(format!("`{}` cannot be written: {error}", path.display()));
        std::fs::write(path, picture).map_err(failed)?;
    }
    Ok(Status::Yes)
}

fn layout(name: &str, layout: &Layout, as_json: bool, out: &mut dyn Write) -> Result<()> {
    if as_json {
        let boards: Vec<_> = layout.boards.iter().map(|board| {
            json!({ "relation": board.relation, "kind": board.kind, "width": board.width, "height": board.height })
        }).collect();
        let clicks: Vec<_> = layout
            .clicks
            .iter()
            .map(|click| json!({ "move": click.action, "from": click.from, "to": click.to }))
            .collect();
        json::line(out, &json!({ "game": name, "boards": boards, "clicks": clicks }))?;
        return Ok(());
    }
    for board in &layout.boards {
        writeln!(out, "{} {}: {} by {}", board.kind, board.relation, board.width, board.height)?;
    }
    let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    for click in &layout.clicks {
        let cells: Vec<String> =
            std::iter::once(&click.from).chain(&click.to).map(|cell| format!("({})", list(cell))).collect();
        writeln!(out, "move {}: click arguments {}", click.action, cells.join(", then "))?;
    }
    if layout.boards.is_empty() {
        writeln!(out, "no board: states are lists, moves are buttons")?;
    }
    Ok(())
}

fn read_state(vocabulary: &Vocabulary, fluents: &[String]) -> Result<Vec<u64>> {
    let mut state = vec![0; vocabulary.words()];
    for text in fluents {
        let found = vocabulary.read_term(text).and_then(|term| vocabulary.find_fluent(term));
        row::set(&mut state, found.ok_or_else(|| Misuse(format!("the game has no fluent `{text}`")))?);
    }
    Ok(state)
}

fn recorded(vocabulary: &Vocabulary, path: &Path) -> Result<Vec<Vec<u64>>> {
    let shown = path.display();
    let failed = |error| Misuse(format!("`{shown}` cannot be read: {error}"));
    let playout = Records::open(path).map_err(failed)?.next().transpose().map_err(failed)?;
    let playout = playout.ok_or_else(|| Misuse(format!("`{shown}` has no match")))?;
    playout.steps.iter().map(|step| read_state(vocabulary, &step.state)).collect()
}
