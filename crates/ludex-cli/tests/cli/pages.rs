//! The examples in `docs/cli.md` are run: what the page shows is what the binary prints.
//!
//! In a `console` block `$ ludex ...` is run, `$ cat FILE` shows a file that the test writes, `> FILE`
//! keeps an output, and `$ echo $?` shows the last status. `...` stands for any lines.

use std::path::Path;
use std::process::Command;

#[test]
fn the_examples_of_the_page_come_out_as_shown() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let folder = std::env::temp_dir().join(format!("ludex-cli-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    let mut commands = 0;
    for block in text.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default();
        let mut status = None;
        for example in block.split("$ ").skip(1) {
            let (command, shown) = example.split_once('\n').unwrap_or((example, ""));
            run(&folder, command, shown, &mut status);
            commands += 1;
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert!(commands >= 15, "{commands} examples");
}

fn run(folder: &Path, command: &str, shown: &str, status: &mut Option<i32>) {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words.as_slice() {
        ["cat", file] => std::fs::write(folder.join(file), shown).expect("it can be written"),
        ["echo", "$?"] => {
            assert_eq!(status.map(|s| s.to_string()).as_deref(), Some(shown.trim()), "{command}");
        }
        ["ludex", arguments @ ..] => {
            let (arguments, file) = match arguments {
                [arguments @ .., ">", file] => (arguments, Some(file)),
                arguments => (arguments, None),
            };
            let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
                .args(arguments)
                .current_dir(folder)
                .output()
                .expect("the binary starts");
            *status = output.status.code();
            let printed = String::from_utf8(output.stdout).expect("answers are UTF-8");
            match file {
                Some(file) => std::fs::write(folder.join(file), printed).expect("it can be written"),
                None => assert!(
                    matches(&printed, shown),
                    "docs/cli.md is out of date: `{command}` prints\n{printed}\nbut the page has\n{shown}"
                ),
            }
        }
        _ => panic!("the page has a command that the test does not know: {command}"),
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
