//! `ludex completions` and `ludex man`: both are made from the definition of the arguments.

use crate::args::{Arguments, Completions, Man};
use crate::status::{Misuse, Status};
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;

pub fn completions(args: &Completions, out: &mut dyn Write) -> Result<Status> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "ludex", &mut script);
    out.write_all(&script)?;
    Ok(Status::Yes)
}

pub fn man(args: &Man, out: &mut dyn Write) -> Result<Status> {
    let command = Arguments::command();
    match &args.folder {
        None => clap_mangen::Man::new(command).render(&mut &mut *out)?,
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", folder.display())))?,
    }
    Ok(Status::Yes)
}
