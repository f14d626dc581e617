//! All matches: in memory while somebody looks at them, on disk always, so that a server that was killed has lost nothing.

use crate::catalogue::Catalogue;
use crate::limits::Limits;
use crate::live::{Live, Seat, Setup};
use crate::random;
use crate::refusal::Refusal;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The matches of a server.
pub struct Matches {
    folder: PathBuf,
    limits: Limits,
    /// Those in memory, and those that are only on disk.
    all: Mutex<BTreeMap<String, Kept>>,
}

#[derive(Clone)]
enum Kept {
    Awake(Arc<Live>),
    Asleep(Value),
}

/// A match as it is on disk.
#[derive(Deserialize)]
struct Saved {
    id: String,
    game: String,
    name: String,
    rules: String,
    seats: Vec<Seat>,
    clock: f64,
    #[serde(default)]
    limit: Option<f64>,
    began: u64,
    at: usize,
    #[serde(default)]
    over: bool,
    played: Vec<(usize, Vec<String>)>,
}

/// Bytes of a saved match that are read.
const LONGEST_FILE: u64 = 16 << 20;

impl Matches {
    /// Those that are kept in the folder. A file that is no match of ours is left alone.
    pub fn new(keep: &Path, limits: &Limits) -> std::io::Result<Matches> {
        let folder = keep.join("matches");
        fs::create_dir_all(&folder)?;
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&folder)?.filter_map(Result::ok).take(2 * limits.matches) {
            if let Some(saved) = read(&entry.path()).filter(|saved| file(&folder, &saved.id) == entry.path())
            {
                let summary = json!({
                    "id": saved.id, "game": saved.game, "name": saved.name, "title": saved.name,
                    "step": saved.played.len(), "over": saved.over, "began": saved.began, "seats": saved.seats,
                    "goals": Value::Null,
                });
                all.insert(saved.id, Kept::Asleep(summary));
            }
        }
        Ok(Matches { folder, limits: limits.clone(), all: Mutex::new(all) })
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line for each, the newest first.
    pub fn list(&self) -> Vec<Value> {
        let kept: Vec<Kept> = self.all().values().cloned().collect();
        let mut list: Vec<Value> = kept
            .iter()
            .map(|kept| match kept {
                Kept::Awake(live) => live.summary(),
                Kept::Asleep(summary) => summary.clone(),
            })
            .collect();
        list.sort_by_key(|summary| std::cmp::Reverse(summary["began"].as_u64()));
        list
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// A new match.
    pub fn add(&self, game: &Arc<crate::opened::Opened>, setup: Setup) -> Result<Arc<Live>, Refusal> {
        let full = || {
            Refusal::full(format!(
                "{} matches are kept, and no more: remove some in the gallery",
                self.limits.matches
            ))
        };
        if self.count() >= self.limits.matches {
            return Err(full());
        }
        let live = Arc::new(Live::new(random::word(), game.clone(), setup, &self.limits)?);
        let mut all = self.all();
        if all.len() >= self.limits.matches {
            return Err(full());
        }
        all.insert(live.id.clone(), Kept::Awake(live.clone()));
        drop(all);
        self.save(&live)?;
        self.make_room();
        Ok(live)
    }

    /// The match of that name, from the disk if it is not in memory.
    pub fn get(&self, id: &str, catalogue: &Catalogue) -> Result<Arc<Live>, Refusal> {
        let missing = || Refusal::missing("there is no such match; it may have been removed");
        match self.all().get(id).cloned().ok_or_else(missing)? {
            Kept::Awake(live) => return Ok(live),
            Kept::Asleep(_) => {}
        }
        let saved = read(&file(&self.folder, id)).ok_or_else(missing)?;
        let game = catalogue.restore(&saved.game, &saved.name, &saved.rules)?;
        let Saved { seats, clock, limit, played, at, began, .. } = saved;
        let setup = Setup { seats, clock, limit, played, at, began };
        let live = Arc::new(Live::new(id.to_owned(), game, setup, &self.limits)?);
        let mut all = self.all();
        // Somebody else may have been as quick.
        if let Some(Kept::Awake(other)) = all.get(id) {
            return Ok(other.clone());
        }
        all.insert(id.to_owned(), Kept::Awake(live.clone()));
        drop(all);
        self.make_room();
        Ok(live)
    }

    /// Removes a match for good.
    pub fn remove(&self, id: &str) -> Result<(), Refusal> {
        match self.all().remove(id) {
            None => Err(Refusal::missing("there is no such match")),
            Some(kept) => {
                if let Kept::Awake(live) = kept {
                    live.remove();
                }
                // A file that is gone already is as good.
                let _ = fs::remove_file(file(&self.folder, id));
                Ok(())
            }
        }
    }

    /// True if a match is not in memory.
    pub fn is_asleep(&self, id: &str) -> bool {
        !matches!(self.all().get(id), Some(Kept::Awake(_)))
    }

    /// Writes a match down; nothing is there half.
    pub fn save(&self, live: &Live) -> Result<(), Refusal> {
        let path = file(&self.folder, &live.id);
        // One writer at a time, or an older state could come last.
        let all = self.all();
        if !all.contains_key(&live.id) {
            return Ok(());
        }
        let new = path.with_extension("new");
        let written = fs::write(&new, live.saved().to_string()).and_then(|()| fs::rename(&new, &path));
        drop(all);
        written.map_err(|error| Refusal::full(format!("the match cannot be saved: {error}")))
    }

    /// Matches that nobody looks at leave memory: those that were left long ago, and the oldest where there are too many.
    pub fn tidy(&self) {
        let mut all = self.all();
        let asleep: Vec<(String, Value)> = all
            .iter()
            .filter_map(|(id, kept)| match kept {
                Kept::Awake(live) if unwatched(live) && live.idle() > self.limits.idle => {
                    Some((id.clone(), live.summary()))
                }
                _ => None,
            })
            .collect();
        for (id, summary) in asleep {
            if let Some(Kept::Awake(live)) = all.insert(id, Kept::Asleep(summary)) {
                live.remove();
            }
        }
    }

    fn make_room(&self) {
        let mut all = self.all();
        let awake =
            || all.values().filter_map(|kept| if let Kept::Awake(live) = kept { Some(live) } else { None });
        let surplus = awake().count().saturating_sub(self.limits.awake);
        let mut idle: Vec<Arc<Live>> = awake().filter(|live| unwatched(live)).cloned().collect();
        idle.sort_by_key(|live| std::cmp::Reverse(live.idle()));
        // The one that was just made is the last of them.
        idle.truncate(surplus.min(idle.len().saturating_sub(1)));
        for live in idle {
            live.remove();
            all.insert(live.id.clone(), Kept::Asleep(live.summary()));
        }
    }
}

fn unwatched(live: &Live) -> bool {
    live.watchers.load(Ordering::Relaxed) == 0
}

/// Where a match is kept. Names are ours, and of letters and digits; anything else leads nowhere.
fn file(folder: &Path, id: &str) -> PathBuf {
    let plain: String = id.chars().filter(char::is_ascii_alphanumeric).collect();
    folder.join(format!("{plain}.json"))
}

fn read(path: &Path) -> Option<Saved> {
    if fs::metadata(path).ok()?.len() > LONGEST_FILE {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
