//! Golden files: a text that must stay as it is until somebody decides otherwise.
//!
//! `UPDATE_EXPECT=1 cargo test` rewrites them; the change then shows in the diff of the commit.

use std::path::Path;

/// True if golden files are to be rewritten.
pub fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value != "0")
}

/// Compares `found` with the file at `path`, or writes it there when [`updating`].
pub fn compare(path: &Path, found: &str) -> Result<(), String> {
    let old = std::fs::read_to_string(path);
    if updating() {
        // Untouched where nothing changes, so that modification times stay.
        if old.is_ok_and(|old| old == found) {
            return Ok(());
        }
        return std::fs::write(path, found).map_err(|e| format!("cannot write {}: {e}", path.display()));
    }
    let old = old.map_err(|e| format!("no golden {}: {e}; UPDATE_EXPECT=1 makes it", path.display()))?;
    if old == found {
        return Ok(());
    }
    let pairs = old.lines().map(Some).chain(std::iter::repeat(None));
    let line = pairs.zip(found.lines().map(Some).chain([None])).position(|(a, b)| a != b).unwrap_or(0);
    let at = |text: &str| text.lines().nth(line).unwrap_or("(end of file)").to_owned();
    Err(format!(
        "{} differs at line {}:\n    expected {}\n    found    {}\n  (UPDATE_EXPECT=1 rewrites it)",
        path.display(),
        line + 1,
        at(&old),
        at(found)
    ))
}
