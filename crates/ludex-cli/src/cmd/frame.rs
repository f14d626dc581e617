//! `ludex frame`: the rules with what ends instead of what stays.

use crate::args::{Covering, Frame, Notation};
use crate::status::Status;
use crate::{encoding, game};
use anyhow::{Result, anyhow};
use ludex::gdl::rewrite::fnext::{Encoding, encode, explicit};
use ludex::gdl::syntax::print;
use std::io::Write;

pub fn run(args: &Frame, out: &mut dyn Write) -> Result<Status> {
    let budget = args.allowance.alone();
    let loaded = game::read(&args.game.game)?;
    let game = loaded.game()?;
    let covering = match args.covering {
        Covering::Direct => Encoding::Direct,
        Covering::Pruned => Encoding::Pruned,
        Covering::Relevant => Encoding::Relevant,
    };
    let impossible = encoding::impossible(&loaded, args.prove, &budget)?;
    let translated = explicit(&encode(game, covering, &impossible, &budget));
    // What could not be translated in time is as it was, which is no answer.
    budget.check().map_err(|limit| anyhow!("{} is not translated: it takes {limit}", loaded.name))?;
    let rules = &translated.rules;
    let text = match args.notation {
        Notation::Kif => print::kif(&rules.to_tree()),
        Notation::Infix => print::infix(&rules.to_tree()),
        Notation::Asp => print::asp(rules),
    };
    out.write_all(text.as_bytes())?;
    Ok(Status::Yes)
}
