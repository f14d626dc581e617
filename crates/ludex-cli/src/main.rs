//! The command `ludex`: games in the Game Description Language, from the terminal.
//!
//! This is the only crate that prints. What it prints on standard output is the answer; complaints and
//! progress go to standard error. The exit status is 0 for *yes* or *done*, 1 for *no* or *failed*, 2 for
//! misuse (arguments that make no sense, files that are not there), and 130 after Ctrl-C.

#![forbid(unsafe_code)]

mod args;
mod cmd;
mod encoding;
mod game;
mod interrupt;
mod json;
mod limit;
mod patch;
mod plot;
mod position;
mod progress;
mod report;
mod status;

use clap::Parser;
use status::{Misuse, Status};
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    interrupt::listen();
    // Not locked: who is interrupted has something to say from another thread.
    let mut out = BufWriter::new(io::stdout());
    let result = cmd::run(&arguments.command, &mut out).and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    match result {
        Ok(_) if interrupt::happened() => ExitCode::from(interrupt::STATUS),
        Ok(Status::Yes) => ExitCode::SUCCESS,
        Ok(Status::No) => ExitCode::FAILURE,
        Ok(Status::Misused) => ExitCode::from(2),
        // Whoever closed the pipe has seen enough; that is not a failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // What was answered before the failure comes first. It may be unwritable too.
            let _ = out.flush();
            let _ = writeln!(io::stderr(), "error: {error:#}");
            match error {
                _ if interrupt::happened() => ExitCode::from(interrupt::STATUS),
                error if error.is::<Misuse>() => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
