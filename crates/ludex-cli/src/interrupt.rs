//! Ctrl-C: a command says what is finished before it ends.
//!
//! Work is not asked to stop, it is left: the handler's own thread wipes the bar, says what the command has
//! to say ([`closing`]) and ends the process with status 130. A command that can stop by itself and keep what it
//! has, such as `endgame build`, works with a token instead ([`stop_token`]); the second Ctrl-C ends that one too.

use crate::progress;
use ludex::engine::budget::Cancel;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The status of what ended by Ctrl-C, as shells have it: 128 and the number of the signal.
pub const STATUS: u8 = 130;

type Closing = Box<dyn FnMut(&mut dyn Write) -> io::Result<()> + Send>;

static CLOSING: Mutex<Option<Closing>> = Mutex::new(None);
/// The token of a command that stops by itself.
static STOP: OnceLock<Cancel> = OnceLock::new();

/// From now on Ctrl-C is for us. Where the system does not let us it ends the process at once, as it always did.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if let Some(stop) = STOP.get().filter(|stop| !stop.is_cancelled()) {
            stop.cancel();
            return;
        }
        progress::wipe();
        if let Some(closing) = CLOSING.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // There is nobody left to tell.
            let _ = closing(&mut io::stdout().lock());
            let _ = io::stdout().flush();
        }
        let _ = writeln!(io::stderr(), "interrupted");
        std::process::exit(i32::from(STATUS));
    });
}

/// True after a Ctrl-C that a command answered by stopping.
pub fn happened() -> bool {
    STOP.get().is_some_and(Cancel::is_cancelled)
}

/// For a command that stops by itself, and keeps what it has, once this is cancelled.
pub fn stop_token() -> Cancel {
    STOP.get_or_init(Cancel::default).clone()
}

/// What to say on Ctrl-C, as long as the value returned lives. Everything else must have been flushed: what the
/// command still has in its buffer is lost.
pub fn closing(say: impl FnMut(&mut dyn Write) -> io::Result<()> + Send + 'static) -> Armed {
    *CLOSING.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(say));
    Armed
}

/// There is something to say on Ctrl-C.
pub struct Armed;

impl Drop for Armed {
    fn drop(&mut self) {
        *CLOSING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
