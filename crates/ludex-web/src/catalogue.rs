//! The games that can be opened: the bundled ones, those in the folder that the server was started with, and those that
//! were pasted. Games go by identifiers of ours; nothing that comes from a page is ever part of a path.

use crate::limits::Limits;
use crate::opened::Opened;
use crate::random;
use crate::refusal::Refusal;
use ludex::games;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Sheets in a folder beyond this number are not listed.
const MOST_FILES: usize = 2000;

/// A game that can be opened.
#[derive(Clone, Debug)]
pub struct Entry {
    /// By which pages ask for it.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// A line about it.
    pub title: String,
    /// `bundled`, `folder` or `pasted`.
    pub from: &'static str,
    text: Text,
}

#[derive(Clone, Debug)]
enum Text {
    Static(&'static str),
    File(PathBuf),
}

/// All games, and those that are open.
pub struct Catalogue {
    fixed: Vec<Entry>,
    pasted: Mutex<Vec<Entry>>,
    /// Open games, the one used last at the end.
    open: Mutex<Vec<Arc<Opened>>>,
    /// Where pasted sheets are kept.
    folder: PathBuf,
    limits: Limits,
}

impl Catalogue {
    /// The bundled games, those in `games`, and those pasted earlier.
    pub fn new(games: Option<&Path>, keep: &Path, limits: &Limits) -> std::io::Result<Catalogue> {
        let mut fixed: Vec<Entry> = games::ALL
            .iter()
            .map(|game| Entry {
                id: format!("bundled.{}", game.name),
                name: game.name.to_owned(),
                title: game.title().to_owned(),
                from: "bundled",
                text: Text::Static(game.text),
            })
            .collect();
        if let Some(games) = games {
            fixed.extend(sheets(games, MOST_FILES)?.into_iter().enumerate().map(|(number, path)| {
                let name = stem(&path);
                Entry {
                    id: format!("folder.{number}"),
                    title: name.clone(),
                    name,
                    from: "folder",
                    text: Text::File(path),
                }
            }));
        }
        let folder = keep.join("sheets");
        fs::create_dir_all(&folder)?;
        let pasted = sheets(&folder, limits.sheets)?.into_iter().map(|path| {
            let id = format!("pasted.{}", stem(&path));
            let title =
                head(&path).lines().next().unwrap_or_default().trim_start_matches([';', '%', ' ']).to_owned();
            Entry { id, name: "pasted".to_owned(), title, from: "pasted", text: Text::File(path) }
        });
        let pasted = Mutex::new(pasted.collect());
        Ok(Catalogue { fixed, pasted, open: Mutex::default(), folder, limits: limits.clone() })
    }

    /// Everything that can be opened.
    pub fn list(&self) -> Vec<Entry> {
        let mut all = self.fixed.clone();
        all.extend(self.pasted.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        all
    }

    /// The game of that identifier.
    pub fn open(&self, id: &str) -> Result<Arc<Opened>, Refusal> {
        if let Some(opened) = self.used(|opened| opened.id == id) {
            return Ok(opened);
        }
        let entry = self.list().into_iter().find(|entry| entry.id == id);
        let entry = entry
            .ok_or_else(|| Refusal::missing("there is no such game; the gallery lists those there are"))?;
        let text = match &entry.text {
            Text::Static(text) => (*text).to_owned(),
            Text::File(path) => read(path, self.limits.body).ok_or_else(|| {
                Refusal::missing(format!("the sheet of {} cannot be read any more", entry.name))
            })?,
        };
        self.keep(Opened::new(&entry.id, &entry.name, &entry.title, &text)?)
    }

    /// The game of a saved match, whose rules may have changed or gone since.
    pub fn restore(&self, id: &str, name: &str, text: &str) -> Result<Arc<Opened>, Refusal> {
        if let Ok(opened) = self.open(id)
            && &*opened.text == text
        {
            return Ok(opened);
        }
        match self.used(|opened| &*opened.text == text) {
            Some(opened) => Ok(opened),
            None => self.keep(Opened::new("", name, name, text)?),
        }
    }

    /// Keeps a pasted sheet, and opens it.
    pub fn paste(&self, text: &str) -> Result<Arc<Opened>, Refusal> {
        if text.len() > self.limits.sheet {
            return Err(Refusal::full(format!("a sheet may have {} bytes at most", self.limits.sheet)));
        }
        if let Some(opened) = self.used(|opened| !opened.id.is_empty() && &*opened.text == text) {
            return Ok(opened);
        }
        let stem = random::word();
        let id = format!("pasted.{stem}");
        let first = text.lines().next().unwrap_or_default();
        let comment = first.trim_start().starts_with([';', '%']);
        let title = if comment { first.trim_start_matches([';', '%', ' ']) } else { "" };
        let title: String = title.chars().take(80).collect();
        let opened = Opened::new(&id, "pasted", &title, text)?;
        let path = self.folder.join(format!("{stem}.kif"));
        let mut pasted = self.pasted.lock().unwrap_or_else(PoisonError::into_inner);
        if pasted.len() >= self.limits.sheets {
            return Err(Refusal::full(format!("{} pasted sheets are kept, and no more", self.limits.sheets)));
        }
        fs::write(&path, text)
            .map_err(|error| Refusal::full(format!("the sheet cannot be kept: {error}")))?;
        pasted.push(Entry { id, name: "pasted".to_owned(), title, from: "pasted", text: Text::File(path) });
        drop(pasted);
        self.keep(opened)
    }

    fn used(&self, is_it: impl Fn(&Opened) -> bool) -> Option<Arc<Opened>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|opened| is_it(opened))?;
        let opened = open.remove(at);
        open.push(opened.clone());
        Some(opened)
    }

    fn keep(&self, opened: Opened) -> Result<Arc<Opened>, Refusal> {
        let opened = Arc::new(opened);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= self.limits.games {
            // Whoever still plays it holds it.
            open.remove(0);
        }
        open.push(opened.clone());
        Ok(opened)
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The rule sheets of a folder, by name.
fn sheets(folder: &Path, most: usize) -> std::io::Result<Vec<PathBuf>> {
    let is_sheet = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        matches!(ending, Some("kif" | "gdl")) && path.is_file()
    };
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).filter(is_sheet).collect();
    paths.sort();
    paths.truncate(most);
    Ok(paths)
}

/// A file, if it is no longer than so many bytes.
fn read(path: &Path, most: usize) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn head(path: &Path) -> String {
    let mut bytes = Vec::new();
    let file = fs::File::open(path);
    // What cannot be read has no title.
    let _ = file.and_then(|file| file.take(200).read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
