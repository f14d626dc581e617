//! Prints the CUDA source of a sheet: `source SHEET KIND [SHAPE]`. KIND is `playouts` or `leaves`, with a shape
//! `digits:block:blocks:in_step` (with `t` before it for a table, `r` for one that computes in the device's memory), or
//! `batch`, with `straight`, `table` or `room`. Without a shape the one that is chosen is printed. What it costs goes
//! to standard error.

use ludex_cuda::batch::{BatchSource, Form, Plan, Wanted};
use ludex_cuda::{Ends, Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::propnet::{compile, lanes::Lanes};
use ludex_env::{Model, Options};
use std::io::Write;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, kind, shape @ ..] = &arguments[..] else { return Err("source SHEET KIND [SHAPE]".into()) };
    let text = std::fs::read_to_string(path)?;
    let game = ludex_gdl::Sheet::read(&text).into_game().map_err(|_| "the sheet has errors")?;
    let compiled = compile(&game, &Budget::default())?;
    let shape = shape.first().map(String::as_str);
    if kind == "batch" {
        let source = match shape {
            None => BatchSource::fitting(&compiled.net)?,
            Some("straight") => BatchSource::new(&compiled.net, Form::Straight)?,
            Some("table") => BatchSource::new(&compiled.net, Form::Table)?,
            Some(_) => BatchSource::new(&compiled.net, Form::Room)?,
        };
        eprintln!("{:?}, {} operations", source.form, source.operations);
        let model = Arc::new(Model::of_network(&Arc::new(game), &Arc::new(compiled)));
        let plan = Plan::new(model, source, 1, Options::default(), None, Wanted::default())?;
        std::io::stdout().write_all(plan.text().as_bytes())?;
        return Ok(());
    }
    let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default())?;
    let ends = if kind == "leaves" { Ends::Kept } else { Ends::Counted };
    let source = match shape {
        None => Source::fitting(&lanes, false, Shape { ends, ..Shape::bounded(10_000) })?,
        Some(text) => {
            let numbers = text.trim_start_matches(['t', 'r']).split(':').map(str::parse);
            let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
            let [digits, block, blocks, in_step] = numbers[..] else {
                return Err("a shape is digits:block:blocks:in_step".into());
            };
            let shape = Shape { digits, block, blocks, in_step: in_step > 0, ends };
            match text.starts_with(['t', 'r']) {
                true => Source::interpreted(&lanes, false, shape, text.starts_with('r'))?,
                false => Source::new(&lanes, false, shape),
            }
        }
    };
    std::io::stdout().write_all(source.text.as_bytes())?;
    for cost in &source.costs {
        eprintln!("{} {cost:?}", cost.total());
    }
    let Source { units, shared, room, words, counters, goals_aside, .. } = source;
    eprintln!("{units} units, {shared} bytes shared, {room} bytes of room");
    eprintln!("{words} words, {counters} counters, aside {goals_aside}");
    Ok(())
}
