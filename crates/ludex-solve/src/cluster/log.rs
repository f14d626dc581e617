//! What is finished of a run on a cluster: entries with numbers, each created if there is none of that number.
//!
//! An entry has the manifests of all workers. The last one counts. Whoever begins to work writes an entry with a new
//! epoch; one who was thought to be dead then finds the number of its next entry taken, and ends.

use crate::cluster::shared::Shared;
use crate::error::{Error, Result};
use crate::folder::{seal, unseal};
use crate::manifest::Manifest;
use std::path::Path;

/// The format of entries.
const FORMAT: &str = "ludex-cluster 1";

/// The folder of everything that is gone when the run is finished.
pub(crate) const WORK: &str = "cluster";

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub rules: String,
    pub symmetry: bool,
    pub counter: bool,
}

impl Asked {
    /// A line for each.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let yes = |yes: bool| if yes { "1" } else { "0" }.to_owned();
        vec![("rules", self.rules.clone()), ("symmetry", yes(self.symmetry)), ("counter", yes(self.counter))]
    }
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub number: u64,
    pub epoch: u64,
    pub asked: Asked,
    /// The checksum of the plan.
    pub plan: u64,
    /// One a worker.
    pub manifests: Vec<Manifest>,
}

fn name(number: u64) -> String {
    format!("log-{number:08}")
}

/// The greatest number of an entry that is there.
fn last_number(shared: &Shared) -> Result<Option<u64>> {
    let names = shared.list(WORK)?;
    Ok(names.iter().filter_map(|name| name.strip_prefix("log-")?.parse().ok()).max())
}

impl Entry {
    /// The last entry, if there is one.
    pub fn last(shared: &Shared) -> Result<Option<Entry>> {
        let Some(number) = last_number(shared)? else { return Ok(None) };
        let name = format!("{WORK}/{}", name(number));
        let damaged = |what| Error::Damaged(Path::new(shared.name()).join(&name), what);
        let bytes = shared.get(&name)?.ok_or_else(|| damaged("it is gone"))?;
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let format = text.lines().next().unwrap_or_default();
        if format != FORMAT && format.starts_with("ludex-cluster ") {
            return Err(Error::Version(Path::new(shared.name()).to_path_buf(), format.to_owned()));
        }
        let body = unseal(FORMAT, &text).ok_or_else(|| damaged("it does not match its checksum"))?;
        let entry = Entry::parse(number, body).ok_or_else(|| damaged("it does not read"))?;
        Ok(Some(entry))
    }

    /// Writes it as the one that counts from now on.
    pub fn append(&self, shared: &Shared) -> Result<()> {
        let superseded = || Error::Superseded(shared.name().to_owned());
        let text = seal(FORMAT, &self.text());
        if !shared.create(&format!("{WORK}/{}", name(self.number)), text.as_bytes())? {
            return Err(superseded());
        }
        // Entries are removed when a run is finished: an old number could be free again.
        let finished = shared.get(crate::folder::MANIFEST)?.is_some();
        if finished || last_number(shared)? != Some(self.number) { Err(superseded()) } else { Ok(()) }
    }

    fn text(&self) -> String {
        let mut text = format!("epoch {}\nplan {:x}\n", self.epoch, self.plan);
        for (what, is) in self.asked.lines() {
            text += &format!("{what} {is}\n");
        }
        for manifest in &self.manifests {
            text += "worker\n";
            text += &manifest.text();
        }
        text
    }

    fn parse(number: u64, text: &str) -> Option<Entry> {
        let mut parts = text.split("worker\n");
        let mut lines = parts.next()?.lines();
        let mut value = |what: &str| lines.next()?.strip_prefix(what)?.strip_prefix(' ').map(str::to_owned);
        let epoch = value("epoch")?.parse().ok()?;
        let plan = u64::from_str_radix(&value("plan")?, 16).ok()?;
        let rules = value("rules")?;
        let asked = Asked { rules, symmetry: value("symmetry")? == "1", counter: value("counter")? == "1" };
        let manifests = parts.map(Manifest::parse).collect::<Option<Vec<_>>>()?;
        if manifests.is_empty() {
            return None;
        }
        Some(Entry { number, epoch, asked, plan, manifests })
    }
}
