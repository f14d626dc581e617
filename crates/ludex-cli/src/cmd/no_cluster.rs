//! What a build without clusters has in place of `cluster.rs`.

use crate::args::Solve;
use crate::status::{Misuse, Status};
use anyhow::Result;
use std::io::Write;
use std::path::Path;

pub fn run(_: &Solve, _: &Path, _: u16, _: &mut dyn Write) -> Result<Status> {
    let why = "--workers: this build solves with threads only; `cargo build --release --features cluster` makes one \
               that shares the work among processes";
    Err(Misuse(why.to_owned()).into())
}
