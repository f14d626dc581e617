//! Help and versions: every command explains itself, and its examples work as typed.

use crate::{Folder, bundled, ludex, path};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Every command and subcommand, found by asking for help from the top down.
pub fn commands() -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(command) = open.pop() {
        for name in subcommands(&help(&command, "--help")) {
            let longer = [command.as_slice(), &[name]].concat();
            open.push(longer.clone());
            found.push(longer);
        }
    }
    found.sort();
    assert!(found.len() >= 28, "{found:?}");
    found
}

fn help(command: &[String], flag: &str) -> String {
    let arguments: Vec<&str> = command.iter().map(String::as_str).chain([flag]).collect();
    ludex(&arguments).ends_with(0).out
}

/// The names below `Commands:`, but for `help` itself.
fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let names = list.lines().take_while(|line| line.starts_with("  ")).filter_map(|line| {
        // Longer indents continue the description of the line before.
        let name = line.strip_prefix("  ")?;
        (!name.starts_with(' ')).then(|| name.split_whitespace().next()).flatten()
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_explains_itself_with_examples() {
    for command in [vec![Vec::new()], commands()].concat() {
        for flag in ["--help", "-h"] {
            let help = help(&command, flag);
            assert!(help.contains("Usage:"), "{command:?}: {help}");
            assert!(help.contains("EXAMPLES:"), "{command:?}: {help}");
            let called = format!("ludex {}", command.join(" "));
            assert!(help.contains(called.trim_end()), "{command:?}: {help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{command:?}: {help}");
        }
    }
}

/// Each example is given to a shell as it stands, in an empty folder of its command's own, and ends with 0.
/// Only ports are replaced by free ones: somebody may be using those of the examples.
#[cfg(unix)]
#[test]
fn the_examples_of_all_help_texts_work_as_typed() {
    let examples: Vec<(String, Vec<String>)> = [vec![Vec::new()], commands()]
        .concat()
        .iter()
        .map(|command| {
            let help = help(command, "--help");
            let (_, examples) = help.split_once("EXAMPLES:\n").expect("there are examples");
            (command.join(" "), examples.lines().map(|line| line.trim().to_owned()).collect())
        })
        .collect();
    let count: usize = examples.iter().map(|(_, lines)| lines.len()).sum();
    assert!(count >= 70, "{count} examples");
    for (command, lines) in &examples {
        let folder = Folder::new(&format!("help-{}", command.replace(' ', "-")));
        for line in lines {
            assert!(!line.is_empty(), "{command}: an empty example");
            run_example(line, &folder.0);
        }
    }
}

fn run_example(line: &str, folder: &Path) {
    let ports = [free_port(), free_port()];
    let replaced = line.replace("9147", &ports[0]).replace("9148", &ports[1]);
    let serves = ["player", "web"].into_iter().find(|name| line.split(' ').nth(1) == Some(name));
    // Whom a match is to reach must be there.
    let served = replaced.contains("match ") && replaced.contains("localhost:");
    let players: Vec<Child> = if served {
        ports.iter().map(|port| server("player", &["--port", port], folder)).collect()
    } else {
        Vec::new()
    };
    if let Some(name) = serves {
        let mut words: Vec<&str> = replaced.split_whitespace().skip(2).collect();
        if !words.contains(&"--port") {
            words.extend(["--port", &ports[0]]);
        }
        end(server(name, &words, folder));
        return;
    }
    let output = Command::new("sh")
        .args(["-c", &replaced])
        .current_dir(folder)
        .env("PATH", path())
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    players.into_iter().for_each(end);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{line}\n{out}\n{err}");
}

/// A player or a page that says where it listens. What it keeps it keeps in the folder.
fn server(name: &str, arguments: &[&str], folder: &Path) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .arg(name)
        .args(arguments)
        .current_dir(folder)
        .env("XDG_STATE_HOME", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut line = String::new();
    let out = child.stdout.as_mut().expect("piped");
    BufReader::new(out).read_line(&mut line).expect("it says where it listens");
    assert!(line.contains(" listens at http://"), "{arguments:?}: {line}");
    child
}

fn end(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("it has one").port().to_string()
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ludex(&["completions", shell]).ends_with(0).out;
        assert!(script.contains("simulate") && script.contains("endgame"), "{shell}: {script}");
    }
    ludex(&["completions", "abacus"]).ends_with(2);
    let page = ludex(&["man"]).ends_with(0).out;
    assert!(page.starts_with(".ie") && page.contains(".TH ludex 1"), "{page}");
    let folder = Folder::new("man");
    let inside = folder.0.join("man1");
    ludex(&["man", inside.to_str().expect("a plain path")]).ends_with(0);
    for command in commands() {
        let page = inside.join(format!("ludex-{}.1", command.join("-")));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|_| panic!("no {}", page.display()));
        assert!(text.contains("EXAMPLES"), "{text}");
    }
    ludex(&["man", "/dev/null/man"]).ends_with(2);
}

#[test]
fn the_version_is_the_package_s() {
    let expected = format!("ludex {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ludex(&["--version"]).ends_with(0).out, expected);
}

#[test]
fn the_bundled_games_are_listed() {
    assert!(bundled().contains(&"tictactoe".to_owned()));
    let run = ludex(&["games"]).ends_with(0);
    assert!(run.out.lines().any(|line| line.starts_with("tictactoe ") && line.ends_with(" Tic-Tac-Toe")));
    let listed = ludex(&["games", "--json"]).ends_with(0).json();
    assert_eq!(listed.len(), bundled().len());
    assert!(listed.iter().all(|game| game["game"].is_string() && game["title"].is_string()));
}
