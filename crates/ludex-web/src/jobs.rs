//! Questions that take a while: a few at a time, a few more that wait, each within its budget, and ended when whoever
//! asked has gone.

use crate::limits::Limits;
use crate::refusal::Refusal;
use ludex::engine::budget::{Budget, Cancel};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Who may work at the moment.
pub struct Jobs {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    limits: Limits,
}

/// Cancels when it goes out of scope: the request was answered, or nobody waits for it any more.
struct Leash(Cancel);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Jobs {
    /// Nobody works yet.
    pub fn new(limits: &Limits) -> Jobs {
        let places = Arc::new(Semaphore::new(limits.jobs));
        Jobs { places, waiting: AtomicUsize::new(0), limits: limits.clone() }
    }

    /// Does a piece of work when it is its turn.
    pub async fn run<F>(&self, work: F) -> Result<Value, Refusal>
    where
        F: FnOnce(&Budget) -> Result<Value, Refusal> + Send + 'static,
    {
        let waits = Counted::new(&self.waiting);
        if waits.before >= self.limits.waiting {
            return Err(Refusal::full("too many questions wait already; ask again in a moment"));
        }
        let place =
            self.places.clone().acquire_owned().await.map_err(|_| Refusal::full("the server ends"))?;
        drop(waits);
        let cancel = Cancel::default();
        let leash = Leash(cancel.clone());
        let budget =
            Budget::default().with_bytes(self.limits.job_memory).within(self.limits.job).with_cancel(cancel);
        let done = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&budget)
        });
        let answer = done.await;
        drop(leash);
        answer.unwrap_or_else(|_| Err(Refusal::bad("this question broke the engine; please report it")))
    }
}

/// Counts itself as long as it lives.
struct Counted<'c> {
    count: &'c AtomicUsize,
    before: usize,
}

impl<'c> Counted<'c> {
    fn new(count: &'c AtomicUsize) -> Counted<'c> {
        Counted { count, before: count.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
