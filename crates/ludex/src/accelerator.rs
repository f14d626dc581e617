//! A GPU beside the searches of this process.

use ludex_cuda::{CudaError, Device, Leaves, cache};
use ludex_engine::propnet::lanes::{Lanes, Valuers};
use ludex_engine::row::Row;
use ludex_search::agent::Accelerator;
use std::sync::Arc;

/// Values the leaves of trees on a GPU: for [`Settings::accelerator`](ludex_search::agent::Settings::accelerator).
#[derive(Debug)]
pub struct GpuLeaves(Device);

impl GpuLeaves {
    /// Opens a GPU by its number.
    pub fn open(number: usize) -> Result<GpuLeaves, CudaError> {
        Device::open(number).map(GpuLeaves)
    }
}

impl Accelerator for GpuLeaves {
    fn load(
        &self,
        lanes: Arc<Lanes>,
        initial: &Row,
        most: u64,
    ) -> Result<(Arc<dyn Valuers>, String), String> {
        let leaves = Leaves::new(&self.0, lanes, initial, most, cache().as_deref());
        let leaves = leaves.map_err(|error| error.to_string())?;
        let note = leaves.to_string();
        Ok((Arc::new(leaves), note))
    }
}
