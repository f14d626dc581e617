//! Prints the CUDA source of a sheet: `source SHEET [DIGITS [BLOCK [BLOCKS [IN_STEP [TABLE]]]]]`. What it
//! costs goes to standard error.

use ludex_cuda::{Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::propnet::{compile, lanes::Lanes};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("source SHEET [DIGITS [BLOCK [BLOCKS [IN_STEP]]]]")?;
    let mut number = |default: u32| arguments.next().map_or(Ok(default), |text| text.parse::<u32>());
    let shape =
        Shape { digits: number(14)?, block: number(128)?, blocks: number(1)?, in_step: number(0)? > 0 };
    let text = std::fs::read_to_string(path)?;
    let game = ludex_gdl::Sheet::read(&text).into_game().map_err(|_| "the sheet has errors")?;
    let compiled = compile(&game, &Budget::default())?;
    let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default())?;
    let table = std::env::args().nth(6).is_some();
    let source =
        if table { Source::interpreted(&lanes, false, shape)? } else { Source::new(&lanes, false, shape) };
    std::io::stdout().write_all(source.text.as_bytes())?;
    for cost in &source.costs {
        eprintln!("{} {cost:?}", cost.total());
    }
    eprintln!("{} units, {} bytes shared", source.units, source.shared);
    eprintln!("{} words, {} counters, aside {}", source.words, source.counters, source.goals_aside);
    Ok(())
}
