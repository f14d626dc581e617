//! The examples on the pages are run: what a page shows is what the binary prints.
//!
//! In a `console` block a line `$ COMMAND` is given to a shell with `ludex` on its path, in a folder of the
//! page's own, and what it writes to standard output must be what follows; `...` stands for any lines.
//! `$ cat FILE` is the other way round: the file is made of what follows, for the commands after it.
//! `$ echo $?` shows the last status.

use crate::{Folder, ludex, path};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and every page of the book, by name.
fn pages() -> Vec<(String, String)> {
    let mut paths = vec![root().join("README.md")];
    let list = std::fs::read_dir(root().join("docs")).expect("the pages are there");
    paths.extend(list.map(|entry| entry.expect("it can be read").path()));
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    paths.iter().map(read).collect()
}

fn page(name: &str) -> String {
    let found = pages().into_iter().find(|(page, _)| page == name);
    found.unwrap_or_else(|| panic!("there is no page {name}")).1
}

#[cfg(unix)]
#[test]
fn the_examples_of_all_pages_come_out_as_shown() {
    let mut counts = Vec::new();
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        let folder = Folder::new(&format!("page-{page}"));
        let mut commands = 0;
        for block in text.split("```console\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            let mut status = None;
            // Each example ends before the next one's `$ `, with the end of its last line.
            let block = format!("\n{block}");
            for example in block.split("\n$ ").skip(1) {
                let example = format!("{example}\n");
                let (command, shown) = example.split_once('\n').unwrap_or_default();
                wrong.extend(run(&page, &folder.0, command, shown, &mut status));
                commands += 1;
            }
        }
        counts.push((page, commands));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A page that is run stays one.
    for (name, least) in [
        ("README.md", 6),
        ("cli.md", 40),
        ("proving.md", 4),
        ("first-game.md", 4),
        ("writing-a-game.md", 8),
        ("checking-and-proving.md", 4),
        ("playing-matches.md", 3),
        ("measuring.md", 2),
    ] {
        let count = counts.iter().find(|(page, _)| page == name).map_or(0, |(_, count)| *count);
        assert!(count >= least, "{name} has {count} examples, not {least}");
    }
}

/// Runs a command; what is wrong with what the page shows of it, if anything is.
fn run(page: &str, folder: &Path, command: &str, shown: &str, status: &mut Option<i32>) -> Option<String> {
    match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["cat", file] => {
            std::fs::write(folder.join(file), shown).expect("it can be written");
            None
        }
        ["echo", "$?"] => {
            let last = status.map(|status| status.to_string()).unwrap_or_default();
            (last != shown.trim()).then(|| format!("{page}: the status was {last}, not {shown}"))
        }
        _ => {
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(folder)
                .env("PATH", path())
                .stdin(Stdio::null())
                .output()
                .expect("a shell");
            *status = output.status.code();
            let printed = String::from_utf8(output.stdout).expect("answers are UTF-8");
            let complaints = String::from_utf8_lossy(&output.stderr);
            (!matches(&printed, shown)).then(|| {
                format!("{page}: `{command}` prints\n{printed}\nbut the page has\n{shown}\n{complaints}")
            })
        }
    }
}

/// True if `printed` is `shown`, with any lines where `shown` has `...`.
fn matches(printed: &str, shown: &str) -> bool {
    let mut pieces = format!("\n{shown}").split("\n...\n").map(str::to_owned).collect::<Vec<_>>();
    let whole = format!("\n{printed}");
    let Some(rest) = whole.strip_prefix(pieces.remove(0).as_str()) else { return false };
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in &pieces {
        let Some(at) = rest.find(piece.as_str()) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(&last)
}

#[test]
fn left_out_lines_are_understood() {
    for (printed, shown, expected) in [
        ("a\nb\n", "a\nb\n", true),
        ("a\nb\n", "a\n", false),
        ("a\nb\nc\n", "a\n...\nc\n", true),
        ("a\nb\nc\n", "...\nb\n...\n", true),
        ("a\nb\nc\n", "...\nc\n", true),
        ("a\nb\nc\n", "a\n...\n", true),
        ("a\nb\nc\n", "a\n...\nd\n", false),
        ("a\nb\nc\n", "...\nd\n...\n", false),
    ] {
        assert_eq!(matches(printed, shown), expected, "{printed:?} {shown:?}");
    }
}

/// Every command has a section in `docs/cli.md`, and every option of it is named there, or in the introduction if many
/// commands share it.
#[test]
fn the_page_of_the_command_line_is_complete() {
    let text = page("cli.md");
    let sections: Vec<&str> = text.split("\n## ").collect();
    let mut missing = Vec::new();
    for command in crate::help::commands() {
        let Some(section) =
            sections.iter().find(|section| section.lines().next() == Some(command[0].as_str()))
        else {
            missing.push(format!("a section on `{}`", command[0]));
            continue;
        };
        for word in &command {
            if !section.contains(word.as_str()) {
                missing.push(format!("`{}` in its section", command.join(" ")));
            }
        }
        let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = ludex(&arguments).ends_with(0).out;
        for option in options(&help) {
            if ![section, &sections[0]].iter().any(|text| text.contains(&option)) && option != "--help" {
                missing.push(format!("`{option}` of `{}`", command.join(" ")));
            }
        }
    }
    assert!(missing.is_empty(), "docs/cli.md lacks {missing:#?}");
}

/// The long options that a help text lists.
fn options(help: &str) -> Vec<String> {
    let listed = help.split("\nOptions:\n").nth(1).unwrap_or_default();
    let names = listed.lines().filter_map(|line| {
        let line = line.trim_start();
        let line = line.split_once(", ").filter(|(short, _)| short.len() == 2).map_or(line, |(_, long)| long);
        line.starts_with("--").then(|| line.split([' ', '<']).next()).flatten()
    });
    names.map(str::to_owned).collect()
}

#[test]
fn options_are_found_in_help_texts() {
    let help = "Usage: x\n\nOptions:\n      --depth <N>\n          Stop\n  -o, --output <FILE>\n  -v, --verbose\n  -h, --help\n";
    assert_eq!(options(help), ["--depth", "--output", "--verbose", "--help"]);
}
