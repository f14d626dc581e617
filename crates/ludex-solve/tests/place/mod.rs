//! Folders of tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is gone when the test is over.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new() -> Place {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("ludex-solve-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Place(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of a folder but its lock, with their bytes.
pub fn contents(place: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(place).expect("a folder").flatten().filter(|entry| entry.path().is_file());
    let mut all: Vec<(String, Vec<u8>)> = files
        .map(|entry| {
            (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("a file"))
        })
        .filter(|(name, _)| name != "lock")
        .collect();
    all.sort();
    all
}
