//! The games an engine declines, as a golden list: `testdata/unsupported-<engine>.txt`.
//!
//! One line a game, `group/name`, a tab, the reason. What an engine cannot do is thereby visible, and a
//! change of it is a visible diff. An engine that declines nothing has an empty list.

use crate::corpus::testdata;
use crate::golden;
use std::path::PathBuf;
use std::sync::Mutex;

/// Parts of a suite run in parallel and may rewrite their lines of one file.
static REWRITING: Mutex<()> = Mutex::new(());

fn path(engine: &str) -> PathBuf {
    // `propnet/lanes` is a configuration of an engine, not a folder.
    testdata(&format!("unsupported-{}.txt", engine.replace('/', "-")))
}

/// The lines of a group; an error if there is no list.
fn lines(engine: &str) -> Result<Vec<String>, String> {
    let path = path(engine);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(_) if golden::updating() => Ok(Vec::new()),
        Err(e) => Err(format!("no golden {}: {e}; UPDATE_EXPECT=1 makes it", path.display())),
    }
}

/// Compares the games of `group` that the engine declined with its list, both ways. What the list says of
/// games that were not tried is left alone.
pub fn compare(
    engine: &str,
    group: &str,
    declined: &[(String, String)],
    not_tried: &[String],
) -> Result<(), String> {
    let _guard = REWRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let prefix = format!("{group}/");
    let (old, others): (Vec<String>, Vec<String>) = lines(engine)?.into_iter().partition(|line| {
        let name = line.strip_prefix(&prefix).and_then(|rest| rest.split('\t').next());
        name.is_some_and(|name| not_tried.iter().all(|other| other != name))
    });
    let mut new: Vec<String> =
        declined.iter().map(|(name, reason)| format!("{prefix}{name}\t{reason}")).collect();
    new.sort();
    if golden::updating() {
        let mut all: Vec<String> = others.into_iter().chain(new).map(|line| line + "\n").collect();
        all.sort();
        return golden::compare(&path(engine), &all.concat());
    }
    if old == new {
        return Ok(());
    }
    let only = |these: &[String], those: &[String]| {
        these.iter().filter(|line| !those.contains(line)).cloned().collect::<Vec<_>>().join("\n      ")
    };
    Err(format!(
        "the engine declines other games than {} says\n    listed only:\n      {}\n    found only:\n      {}",
        path(engine).display(),
        only(&old, &new),
        only(&new, &old)
    ))
}
