//! `ludex print`: the rules in another notation.

use crate::args::{Notation, Print};
use crate::game;
use crate::status::Status;
use anyhow::Result;
use ludex::gdl::syntax::print;
use std::io::Write;

pub fn run(args: &Print, out: &mut dyn Write) -> Result<Status> {
    let loaded = game::read(&args.game.game)?;
    let rules = &loaded.game()?.rules;
    let split;
    let tree = if args.rules {
        split = rules.to_tree();
        &split
    } else {
        &loaded.sheet.tree
    };
    let text = match args.notation {
        Notation::Kif => print::kif(tree),
        Notation::Infix => print::infix(tree),
        // Answer-set programs have no nested disjunction: they are always made from the split rules.
        Notation::Asp => print::asp(rules),
    };
    out.write_all(text.as_bytes())?;
    Ok(Status::Yes)
}
