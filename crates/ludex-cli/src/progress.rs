//! A bar on the terminal for work that takes more than a second.
//!
//! The work itself is not interrupted: a thread of its own draws, and only when standard error is a
//! terminal. The bar is wiped when [`Progress`] is dropped, so drop it before printing.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use ludex::engine::budget::{Budget, Progress as Stages};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_FRAMES: Duration = Duration::from_millis(100);

/// Shows that something is going on. Silent where nobody watches.
pub struct Progress {
    position: Arc<AtomicU64>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Work of unknown length.
    pub fn spinner(message: impl Into<String>) -> Progress {
        let message = message.into();
        Progress::start(move || message.clone(), None, PATIENCE)
    }

    /// Work of unknown length that says how far it has got.
    pub fn telling(message: impl Fn() -> String + Send + 'static) -> Progress {
        Progress::start(message, None, PATIENCE)
    }

    /// Somebody waits for this, so it shows from the first moment on.
    pub fn at_once(message: impl Fn() -> String + Send + 'static) -> Progress {
        Progress::start(message, None, Duration::ZERO)
    }

    /// Work of `length` parts.
    pub fn bar(message: impl Into<String>, length: u64) -> Progress {
        let message = message.into();
        Progress::start(move || message.clone(), Some(length), PATIENCE)
    }

    /// Says how many parts are done.
    pub fn set(&self, position: u64) {
        self.position.store(position, Ordering::Relaxed);
    }

    fn start(
        message: impl Fn() -> String + Send + 'static,
        length: Option<u64>,
        patience: Duration,
    ) -> Progress {
        let position = Arc::new(AtomicU64::new(0));
        let drawing = std::io::stderr().is_terminal().then(|| {
            let (stop, stopped) = channel();
            let shared = position.clone();
            (stop, std::thread::spawn(move || draw(&message, length, patience, &shared, &stopped)))
        });
        Progress { position, drawing }
    }
}

/// Makes an engine within a budget and shows how far that is.
pub fn making<T>(what: String, budget: &Budget, work: impl FnOnce(&Budget) -> T) -> T {
    let stages = Arc::new(Stages::default());
    let shown = stages.clone();
    let _progress = Progress::telling(move || format!("{what}: {shown}"));
    work(&budget.clone().with_progress(stages))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.drawing.take() {
            drop(stop);
            // A bar that could not be drawn is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// The bar on the terminal, if there is one.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Takes the bar off the terminal: the process ends.
pub fn wipe() {
    if let Some(bar) = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take() {
        bar.finish_and_clear();
    }
}

fn draw(
    message: &dyn Fn() -> String,
    length: Option<u64>,
    patience: Duration,
    position: &AtomicU64,
    stopped: &Receiver<()>,
) {
    if stopped.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr()).with_elapsed(patience);
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    let template = match length {
        Some(_) => "{msg} [{bar:30}] {percent}% {elapsed}",
        // What shows from the first moment on says itself how long it takes.
        None if patience.is_zero() => "{spinner} {msg}",
        None => "{spinner} {msg} {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    while stopped.recv_timeout(BETWEEN_FRAMES) == Err(RecvTimeoutError::Timeout) {
        bar.set_message(message());
        bar.set_position(position.load(Ordering::Relaxed));
        bar.tick();
    }
    bar.finish_and_clear();
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
