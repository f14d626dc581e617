//! Drives the real binary: what it prints, and the status it ends with. One file a command.

mod bench;
mod check;
#[cfg(feature = "cluster")]
mod cluster;
mod debug;
mod draw;
mod endgame;
mod frame;
mod help;
mod hostile;
mod json;
mod limits;
mod lsp;
mod minimax;
mod misuse;
mod pages;
mod perft;
mod play;
mod position;
mod print;
mod prove;
mod replay;
mod simulate;
mod solve;
mod stats;
mod train;

use ludex_testkit::corpus::shared as shared_file;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a run ended.
struct Run {
    status: i32,
    out: String,
    err: String,
}

/// Runs `ludex` with these arguments and an empty standard input.
fn ludex(arguments: &[&str]) -> Run {
    ludex_with_input(arguments, b"")
}

/// Runs `ludex` with these arguments and bytes on standard input.
fn ludex_with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A command that does not read its input may close it first.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    let run = Run {
        status: output.status.code().expect("no signal ended it"),
        out: String::from_utf8(output.stdout).expect("answers are UTF-8"),
        err: String::from_utf8(output.stderr).expect("complaints are UTF-8"),
    };
    assert!(!run.err.contains("panicked"), "{arguments:?}: {}", run.err);
    run
}

impl Run {
    /// Asserts the status; shows the whole run where it is another.
    #[track_caller]
    fn ends_with(self, status: i32) -> Run {
        assert_eq!(self.status, status, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// The answer as JSON, one value a line.
    #[track_caller]
    fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

/// A file that lives as long as the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, content: impl AsRef<[u8]>) -> Scratch {
        let path = std::env::temp_dir().join(format!("ludex-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the folder for temporary files can be written");
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The path with the folder of the binary in front.
fn path() -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_ludex")).parent().expect("a folder").display().to_string();
    format!("{binary}:{}", std::env::var("PATH").unwrap_or_default())
}

/// A folder that lives as long as the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("ludex-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The names of the bundled games.
fn bundled() -> Vec<String> {
    let names: Vec<String> = ludex(&["games"])
        .ends_with(0)
        .out
        .lines()
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    assert!(names.len() >= 17, "{names:?}");
    names
}

/// The folder with public games and recorded matches, where it is at hand. Says so loudly where not.
fn shared(what: &str) -> Option<PathBuf> {
    shared_file("games", what)?;
    shared_file("oracle", what)?.parent().map(Path::to_owned)
}
