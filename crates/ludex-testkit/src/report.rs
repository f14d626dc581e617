//! Collects what went wrong in many cases, so that one run shows all of it.

use crate::corpus::root;
use ludex_engine::fault::Fault;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// How many failing cases are shown in full.
const SHOWN: usize = 40;

/// The cases of one part of a suite, and those of them that failed.
#[derive(Debug)]
pub struct Report {
    what: String,
    cases: usize,
    failures: Vec<String>,
}

impl Report {
    /// No case yet of `what`.
    pub fn new(what: impl Into<String>) -> Report {
        Report { what: what.into(), cases: 0, failures: Vec::new() }
    }

    /// Runs one case. What it returns as an error, and any panic in it, is a failure of that case.
    /// With `LUDEX_VERBOSE` set, says when it begins and how long it took.
    pub fn case(&mut self, name: &str, run: impl FnOnce() -> Result<(), String>) {
        self.cases += 1;
        let verbose = std::env::var_os("LUDEX_VERBOSE").is_some();
        if verbose {
            note(&format!("{}: {name} ...", self.what));
        }
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("panicked: {}", text.unwrap_or("(no message)")))
        });
        if verbose {
            note(&format!("{}: {name}: {:.3} s", self.what, started.elapsed().as_secs_f64()));
        }
        if let Err(message) = outcome {
            self.failures.push(format!("{name}: {message}"));
        }
    }

    /// How many cases were run so far.
    pub fn cases(&self) -> usize {
        self.cases
    }

    /// The end of the part.
    ///
    /// # Panics
    /// If a case failed, with all of them in the message; or if there was no case at all, since a run that
    /// looks at nothing must not look like a success.
    pub fn finish(self) {
        assert!(self.cases > 0, "{}: there was nothing to run", self.what);
        if self.failures.is_empty() {
            return;
        }
        let mut text = format!("{}: {} of {} cases failed\n", self.what, self.failures.len(), self.cases);
        for failure in self.failures.iter().take(SHOWN) {
            let _ = writeln!(text, "- {failure}");
        }
        if self.failures.len() > SHOWN {
            let _ = writeln!(text, "... and {} more", self.failures.len() - SHOWN);
        }
        panic!("{text}");
    }
}

/// The file with a line for everything that the tests left out, which `.ci/run` empties before and shows after them.
const NOT_RUN: &str = "target/not-run.txt";

/// Says loudly that `what` is not run, and why: on standard error, and in a file that outlives the test run.
pub fn not_run(what: &str, why: &str) {
    let line = format!("NOT RUN: {what} ({why})");
    note(&line);
    let path = root().join(NOT_RUN);
    let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
    // One write a line, so that those of several programs do not mix.
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    if let Err(error) = written {
        note(&format!("{}: {error}", path.display()));
    }
}

/// Whether what takes long is run too: `LUDEX_SLOW` is set. Otherwise it is said that `what` is not run.
pub fn runs_slow(what: &str) -> bool {
    let slow = std::env::var_os("LUDEX_SLOW").is_some();
    if !slow {
        not_run(what, "it takes long; set LUDEX_SLOW=1");
    }
    slow
}

/// A line for whoever watches the test run. It goes to the standard error stream itself: what a passing test prints by
/// macro is not shown.
pub fn note(line: &str) {
    let _ = std::io::stderr().write_all(format!("ludex-testkit: {line}\n").as_bytes());
}

/// Says how `found` differs from `expected`, both sorted.
pub fn compare_sets(what: &str, expected: &[String], found: &[String]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let only = |these: &[String], others: &[String]| {
        these.iter().filter(|s| !others.contains(s)).cloned().collect::<Vec<_>>().join(" ")
    };
    Err(format!(
        "{what}: expected [{}], found [{}]; missing [{}], too many [{}]",
        expected.join(" "),
        found.join(" "),
        only(expected, found),
        only(found, expected)
    ))
}

/// A question that ran into a limit, in words.
pub fn told<T>(answer: Result<T, Fault>) -> Result<T, String> {
    answer.map_err(|fault| fault.to_string())
}
