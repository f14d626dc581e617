//! The store that all processes share: named objects, written whole or not at all.
//!
//! A step that fails is tried again a few times; what a creation that seemed to fail has left is looked at before it is.

use crate::error::{Error, Result};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Name;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use std::cell::OnceCell;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often a step is tried.
const ATTEMPTS: u32 = 6;

/// The pause after the first failure; it doubles.
const PAUSE: Duration = Duration::from_millis(20);

/// Bytes that are sent or fetched at a time.
const PART: usize = 8 << 20;

thread_local! {
    /// What waits for steps. Each thread has its own: threads that share one can wait for each other.
    static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
}

/// Waits for a step.
fn wait<T>(step: impl Future<Output = object_store::Result<T>>) -> Result<object_store::Result<T>> {
    RUNTIME.with(|runtime| {
        if runtime.get().is_none() {
            let built = tokio::runtime::Builder::new_current_thread().build();
            let _ = runtime.set(built.map_err(|error| Error::Shared(error.to_string()))?);
        }
        let runtime = runtime.get().ok_or_else(|| Error::Shared("nothing waits for it".to_owned()))?;
        Ok(runtime.block_on(step))
    })
}

/// A store.
#[derive(Debug)]
pub struct Shared {
    store: Arc<dyn ObjectStore>,
    name: String,
}

impl Shared {
    /// The store at a folder's path, or at a URL that begins with `file://`.
    pub fn open(place: &str) -> Result<Shared> {
        let path = match place.split_once("://") {
            Some(("file", path)) => path,
            Some((scheme, _)) => {
                return Err(Error::Shared(format!("stores at `{scheme}://` are not supported; a folder is")));
            }
            None => place,
        };
        std::fs::create_dir_all(path).map_err(Error::io(Path::new(path)))?;
        let store =
            LocalFileSystem::new_with_prefix(path).map_err(|error| Error::Shared(error.to_string()))?;
        Ok(Shared::over(Arc::new(store.with_fsync(true).with_automatic_cleanup(true)), place))
    }

    /// Any store.
    pub fn over(store: Arc<dyn ObjectStore>, name: &str) -> Shared {
        Shared { store, name: name.to_owned() }
    }

    /// Where it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Tries a step until it succeeds, or too often; nothing if what it needs is not there.
    fn attempt<T>(&self, mut step: impl AsyncFnMut() -> object_store::Result<T>) -> Result<Option<T>> {
        let mut pause = PAUSE;
        for attempt in 1.. {
            match wait(step())? {
                Ok(done) => return Ok(Some(done)),
                Err(object_store::Error::NotFound { .. }) => return Ok(None),
                Err(error) if attempt == ATTEMPTS => {
                    return Err(Error::Shared(format!("`{}`: {error}", self.name)));
                }
                Err(_) => std::thread::sleep(pause),
            }
            pause *= 2;
        }
        Ok(None)
    }

    fn must<T>(&self, name: &str, done: Option<T>) -> Result<T> {
        done.ok_or_else(|| Error::Shared(format!("`{}`: `{name}` is not there", self.name)))
    }

    /// Creates an object; false if another one was there.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        let at = Name::from(name);
        let done = self.attempt(async || {
            let payload = PutPayload::from(bytes.to_vec());
            match self.store.put_opts(&at, payload, PutMode::Create.into()).await {
                Ok(_) => Ok(true),
                // It may be ours, of an attempt that seemed to fail.
                Err(object_store::Error::AlreadyExists { .. }) => {
                    Ok(self.store.get(&at).await?.bytes().await? == bytes)
                }
                Err(error) => Err(error),
            }
        })?;
        self.must(name, done)
    }

    /// Writes an object, in place of an old one.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let at = Name::from(name);
        let done =
            self.attempt(async || self.store.put(&at, PutPayload::from(bytes.to_vec())).await.map(|_| ()))?;
        self.must(name, done)
    }

    /// Reads an object that is small.
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let at = Name::from(name);
        self.attempt(async || Ok(self.store.get(&at).await?.bytes().await?.to_vec()))
    }

    /// Copies a file there.
    pub fn up(&self, path: &Path, name: &str) -> Result<()> {
        let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
        if length <= PART as u64 {
            return self.put(name, &std::fs::read(path).map_err(Error::io(path))?);
        }
        let at = Name::from(name);
        let mut broken = None;
        let done = self.attempt(async || {
            let mut file = match File::open(path) {
                Ok(file) => file,
                Err(error) => {
                    broken = Some(error);
                    return Ok(());
                }
            };
            let mut upload = self.store.put_multipart(&at).await?;
            let all = async {
                loop {
                    let mut part = Vec::with_capacity(PART);
                    if let Err(error) = (&mut file).take(PART as u64).read_to_end(&mut part) {
                        broken = Some(error);
                        return Ok(());
                    }
                    if part.is_empty() {
                        return upload.complete().await.map(|_| ());
                    }
                    upload.put_part(part.into()).await?;
                }
            };
            all.await
        })?;
        match broken {
            Some(error) => Err(Error::Io(path.to_path_buf(), error)),
            None => self.must(name, done),
        }
    }

    /// Copies an object of so many bytes to a file.
    pub fn down(&self, name: &str, path: &Path, bytes: u64) -> Result<()> {
        let at = Name::from(name);
        let mut file = File::create(path).map_err(Error::io(path))?;
        let mut place = 0;
        while place < bytes {
            let end = bytes.min(place + PART as u64);
            let part = self.attempt(async || self.store.get_range(&at, place..end).await)?;
            let part = self.must(name, part)?;
            if part.len() as u64 != end - place {
                return Err(Error::Damaged(path.to_path_buf(), "it is cut short"));
            }
            file.write_all(&part).map_err(Error::io(path))?;
            place = end;
        }
        file.sync_all().map_err(Error::io(path))
    }

    /// The names of the objects of a folder, without its own.
    pub fn list(&self, folder: &str) -> Result<Vec<String>> {
        let at = Name::from(folder);
        let found = self.attempt(async || self.store.list_with_delimiter(Some(&at)).await)?;
        let objects = found.map_or_else(Vec::new, |found| found.objects);
        Ok(objects.iter().filter_map(|object| object.location.filename().map(str::to_owned)).collect())
    }

    /// Removes an object, if it is there.
    pub fn remove(&self, name: &str) -> Result<()> {
        let at = Name::from(name);
        self.attempt(async || self.store.delete(&at).await).map(|_| ())
    }
}
