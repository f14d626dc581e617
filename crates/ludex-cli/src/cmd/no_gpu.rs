//! What a build without GPUs has in place of `gpu.rs`. The command line does not accept a GPU there.

use crate::game::Loaded;
use anyhow::Result;
use ludex::engine::budget::Budget;
use ludex::engine::measure::Measured;
use ludex::engine::propnet::lanes::Lanes;
use ludex::engine::row::Row;
use ludex::search::agent::Accelerator;
use std::io::Write;
use std::sync::Arc;

const WITHOUT: &str = "this build plays on the CPU only";

pub fn measure(_: usize, _: &Lanes, _: &Row, _: f64, _: u64) -> Result<(f64, Measured)> {
    anyhow::bail!(WITHOUT)
}

pub fn accelerator(_: usize) -> Option<Arc<dyn Accelerator>> {
    None
}

pub fn explain(_: &Loaded, _: &Budget, _: &mut dyn Write) -> Result<()> {
    anyhow::bail!(WITHOUT)
}
