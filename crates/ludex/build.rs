//! Makes a table of the rule sheets in `games/`, so that a new sheet is bundled by being there.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("games");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut sheets: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let is_sheet = path.extension().is_some_and(|ending| ending == "kif" || ending == "gdl");
        if let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()).filter(|_| is_sheet) {
            sheets.push((stem.to_owned(), path.clone()));
        }
    }
    sheets.sort();
    let mut table = String::from("&[\n");
    for (name, path) in &sheets {
        let path = path.to_string_lossy();
        writeln!(table, "    Bundled {{ name: {name:?}, text: include_str!({path:?}) }},")
            .map_err(io::Error::other)?;
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("bundled.rs"), table)
}
