//! A real clingo, as a process.

use ludex_engine::budget::Budget;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The clingo program.
#[derive(Clone, Debug)]
pub struct Clingo {
    program: PathBuf,
}

/// The atoms that an answer set shows, as clingo writes them.
pub type Model = Vec<String>;

/// Why clingo gave no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClingoError {
    /// The program could not be started.
    Start(PathBuf, io::Error),
    /// It could not be fed or read.
    Talk(io::Error),
    /// It refused the program, with its complaint.
    Refused(String),
    /// The time was over.
    Time,
}

impl fmt::Display for ClingoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClingoError::Start(program, error) => {
                write!(
                    f,
                    "`{}` cannot be started ({error}); install clingo, or say where it is",
                    program.display()
                )
            }
            ClingoError::Talk(error) => write!(f, "clingo cannot be talked to: {error}"),
            ClingoError::Refused(complaint) => write!(f, "clingo refuses the program: {complaint}"),
            ClingoError::Time => f.write_str("the time is over"),
        }
    }
}

impl std::error::Error for ClingoError {}

const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

impl Clingo {
    /// The program at a path, or of a name that is looked up.
    pub fn new(program: impl Into<PathBuf>) -> Clingo {
        Clingo { program: program.into() }
    }

    /// An answer set of the program, or `None` if it has none.
    pub fn solve(&self, text: &str, budget: &Budget) -> Result<Option<Model>, ClingoError> {
        let mut child = Command::new(&self.program)
            .args(["--verbose=0", "--warn=none", "--models=1", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| ClingoError::Start(self.program.clone(), error))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let outcome = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A clingo that ends early closes the pipe; its status says why.
                let _ = stdin.map(|mut pipe| pipe.write_all(text.as_bytes()));
            });
            let read = |pipe: Option<Box<dyn Read + Send>>| {
                let mut bytes = Vec::new();
                let result = pipe.map_or(Ok(0), |mut pipe| pipe.read_to_end(&mut bytes));
                result.map(|_| String::from_utf8_lossy(&bytes).into_owned())
            };
            let output = scope.spawn(move || read(stdout.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)));
            let errors = scope.spawn(move || read(stderr.map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)));
            let status = loop {
                match child.try_wait().map_err(ClingoError::Talk)? {
                    Some(status) => break Some(status),
                    None if budget.check().is_err() => {
                        let _ = child.kill();
                        let _ = child.wait();
                        break None;
                    }
                    None => std::thread::sleep(BETWEEN_LOOKS),
                }
            };
            let text = |result: std::thread::Result<io::Result<String>>| match result {
                Ok(text) => text.map_err(ClingoError::Talk),
                Err(_) => Err(ClingoError::Talk(io::Error::other("a reader failed"))),
            };
            Ok((status, text(output.join())?, text(errors.join())?))
        });
        let (status, output, errors) = outcome?;
        status.ok_or(ClingoError::Time)?;
        // The word counts, not the exit status: the Python package ends with 0 whatever the answer is.
        let has = |word: &str| output.lines().any(|line| line == word);
        if has("UNSATISFIABLE") {
            return Ok(None);
        }
        if !has("SATISFIABLE") {
            return Err(ClingoError::Refused(errors.lines().take(3).collect::<Vec<_>>().join("; ")));
        }
        let first = output.lines().next().unwrap_or_default();
        Ok(Some(first.split_whitespace().map(str::to_owned).collect()))
    }
}
