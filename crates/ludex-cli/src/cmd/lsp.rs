//! `ludex lsp`: the language server, for editors.

use crate::args::Lsp;
use crate::status::Status;
use anyhow::Result;
use ludex_lsp::server::{End, serve};
use std::io::{self, BufReader, Write};

pub fn run(_: &Lsp, out: &mut dyn Write) -> Result<Status> {
    let end = serve(BufReader::new(io::stdin()), out)?;
    Ok(Status::of(end == End::Orderly))
}
