//! The folder of a run: locked while somebody works in it, with one manifest that is replaced as a whole.
//!
//! What the manifest names was on disk before; what it does not name counts for nothing and is removed when the run
//! goes on. So a run that was killed is as it was after its last round.

use crate::error::{Error, Result};
use crate::table::checksum;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The format of manifests and tables.
pub const FORMAT: &str = "ludex-solve 1";

/// The file of the manifest.
pub(crate) const MANIFEST: &str = "manifest";
const LOCK: &str = "lock";

/// Bytes in a folder, and how many there may be.
#[derive(Debug)]
pub struct Disk {
    used: AtomicU64,
    peak: AtomicU64,
    most: u64,
}

impl Disk {
    /// Says that so many bytes are written.
    pub fn add(&self, bytes: u64) -> Result<()> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(used, Ordering::Relaxed);
        if used > self.most { Err(Error::Disk(self.most)) } else { Ok(()) }
    }

    /// Bytes that are there.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The most that were there at a time.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

/// A folder that this process works in.
#[derive(Debug)]
pub struct Folder {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub disk: Arc<Disk>,
    _lock: File,
}

impl Folder {
    /// A folder for a new run: not there, or empty.
    pub fn create(path: &Path, most: u64) -> Result<Folder> {
        fs::create_dir_all(path).map_err(Error::io(path))?;
        let folder = Folder::lock(path, most)?;
        let mut others = fs::read_dir(path).map_err(Error::io(path))?.flatten();
        // What a run leaves that was ended before its first round is no run.
        let is_ours =
            |name: &str| [LOCK, crate::plan::FILE, "start"].contains(&name) || name.ends_with(".tmp");
        if others.any(|entry| !is_ours(&entry.file_name().to_string_lossy())) {
            return Err(Error::Occupied(path.to_path_buf()));
        }
        Ok(folder)
    }

    /// The folder of a run to go on with.
    pub fn reopen(path: &Path, most: u64) -> Result<Folder> {
        if !path.join(MANIFEST).is_file() {
            return Err(Error::NoRun(path.to_path_buf()));
        }
        Folder::lock(path, most)
    }

    /// A folder for what another place has as well; what is in it may stay.
    #[cfg(feature = "cluster")]
    pub fn scratch(path: &Path, most: u64) -> Result<Folder> {
        fs::create_dir_all(path).map_err(Error::io(path))?;
        Folder::lock(path, most)
    }

    fn lock(path: &Path, most: u64) -> Result<Folder> {
        let name = path.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
        let lock = lock.map_err(Error::io(&name))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(Error::Locked(path.to_path_buf())),
            Err(fs::TryLockError::Error(error)) => return Err(Error::Io(name, error)),
        }
        let disk = Disk { used: AtomicU64::new(0), peak: AtomicU64::new(0), most };
        Ok(Folder { path: path.to_path_buf(), disk: Arc::new(disk), _lock: lock })
    }

    /// Puts a new manifest in place of the old one, in one step.
    pub fn commit(&self, text: &str) -> Result<()> {
        write_manifest(&self.path, text)
    }

    /// Removes what is not named, and counts what is.
    pub fn sweep(&self, keep: &dyn Fn(&str) -> bool) -> Result<()> {
        let mut used = 0;
        for entry in fs::read_dir(&self.path).map_err(Error::io(&self.path))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == LOCK || name == MANIFEST {
                continue;
            }
            if keep(&name) {
                used += entry.metadata().map_or(0, |data| data.len());
            } else {
                fs::remove_file(entry.path()).map_err(Error::io(&entry.path()))?;
            }
        }
        self.disk.used.store(used, Ordering::Relaxed);
        Ok(())
    }

    /// Removes a file that no manifest names any more.
    pub fn remove(&self, name: &str, bytes: u64) {
        // If it stays it is removed when the run goes on.
        if fs::remove_file(self.path.join(name)).is_ok() {
            self.disk.used.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

/// A text under the line of its format, with a checksum at the end.
pub(crate) fn seal(format: &str, text: &str) -> String {
    let text = format!("{format}\n{text}");
    format!("{text}end {:016x}\n", checksum(text.as_bytes()))
}

/// The text that was sealed, if it is whole.
pub(crate) fn unseal<'t>(format: &str, text: &'t str) -> Option<&'t str> {
    let (body, sum) = text.split_at(text.rfind("end ")?);
    let whole = sum == format!("end {:016x}\n", checksum(body.as_bytes()));
    body.strip_prefix(format)?.strip_prefix('\n').filter(|_| whole)
}

/// The manifest with these lines, as it is in a file.
pub(crate) fn manifest_text(text: &str) -> String {
    seal(FORMAT, text)
}

fn write_manifest(folder: &Path, text: &str) -> Result<()> {
    let path = folder.join(MANIFEST);
    let text = manifest_text(text);
    ludex_logic::endgame::file::write(&path, text.as_bytes()).map_err(Error::io(&path))?;
    // The renaming itself is on disk when the folder is.
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io(folder))?;
    Ok(())
}

/// The lines of a folder's manifest, if it is whole.
pub fn read_manifest(folder: &Path) -> Result<String> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Err(Error::NoRun(folder.to_path_buf()));
    }
    manifest_lines(&path, fs::read(&path).map_err(Error::io(&path))?)
}

/// The lines of a manifest's bytes, if it is whole; `path` says where they are from.
pub(crate) fn manifest_lines(path: &Path, bytes: Vec<u8>) -> Result<String> {
    let damaged = |what| Error::Damaged(path.to_path_buf(), what);
    let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
    let format = text.lines().next().unwrap_or_default();
    if format != FORMAT {
        return Err(match format.strip_prefix("ludex-solve ") {
            Some(_) => Error::Version(path.parent().unwrap_or(path).to_path_buf(), format.to_owned()),
            None => damaged("it is no manifest"),
        });
    }
    let lines = unseal(FORMAT, &text);
    lines.map(str::to_owned).ok_or_else(|| damaged("it is cut short, or does not match its checksum"))
}
