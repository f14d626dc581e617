//! `ludex print`: the rules in another notation.

use crate::args::{Print, Target};
use crate::game;
use crate::status::Status;
use anyhow::{Context, Result, anyhow};
use ludex::engine::propnet::aiger;
use ludex::gdl::syntax::print;
use std::io::Write;

pub fn run(args: &Print, out: &mut dyn Write) -> Result<Status> {
    let budget = args.allowance.alone();
    let loaded = game::read(&args.game.game)?;
    let rules = &loaded.game()?.rules;
    let split;
    let tree = if args.rules {
        split = rules.to_tree();
        &split
    } else {
        &loaded.sheet.tree
    };
    let text = match args.target {
        Target::Kif => print::kif(tree),
        Target::Infix => print::infix(tree),
        // Answer-set programs have no nested disjunction: they are always made from the split rules.
        Target::Asp => print::asp(rules),
        Target::Aiger => {
            aiger(&*loaded.network(&budget)?).with_context(|| format!("no AIGER text for {}", loaded.name))?
        }
    };
    budget.check().map_err(|limit| anyhow!("{} is not written: it takes {limit}", loaded.name))?;
    out.write_all(text.as_bytes())?;
    Ok(Status::Yes)
}
