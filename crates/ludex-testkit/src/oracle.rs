//! Records of an independent implementation: `$LUDEX_SHARED/oracle`, described in its README.

use crate::corpus::shared;
use ludex_engine::engine::Engine;
use ludex_ggp::record::Records;
use ludex_ggp::replay::Replayer;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is recorded about one game.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// The records, each of several playouts.
    pub records: Vec<PathBuf>,
    /// Depths and numbers of paths.
    pub perft: Vec<(usize, u64)>,
}

/// All recorded games by name, or nothing after a loud line.
pub fn load(what: &str) -> Option<BTreeMap<String, Oracle>> {
    let folder = shared("oracle", what)?;
    let mut games: BTreeMap<String, Oracle> = BTreeMap::new();
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()));
    for path in entries.map(|entry| entry.expect("a readable folder").path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".jsonl.gz") {
            let game = stem.strip_suffix(".tail").unwrap_or(stem);
            games.entry(game.to_owned()).or_default().records.push(path);
        }
    }
    games.values_mut().for_each(|oracle| oracle.records.sort());
    for (game, depth, nodes) in perft_rows(&folder.join("perft.tsv")) {
        games.entry(game).or_default().perft.push((depth, nodes));
    }
    Some(games)
}

fn perft_rows(path: &Path) -> Vec<(String, usize, u64)> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let row = (fields.next()?.to_owned(), fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        fields.next().is_none().then_some(row)
    };
    let rows =
        text.lines().skip(1).map(|line| row(line).unwrap_or_else(|| panic!("perft.tsv: bad row {line:?}")));
    rows.collect()
}

/// Replays up to `playouts` playouts of each record. Returns the number of states compared, of which each
/// record has some.
pub fn check_records(engine: &dyn Engine, records: &[PathBuf], playouts: usize) -> Result<usize, String> {
    let mut replayer = Replayer::new(engine);
    let mut states = 0;
    for path in records {
        let show = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let before = states;
        for playout in Records::open(path).map_err(|e| show(&e))?.take(playouts) {
            let playout = playout.map_err(|e| show(&e))?;
            states += replayer.compare(&playout).map_err(|difference| difference.to_string())?;
        }
        if states == before {
            return Err(show(&"the record holds no state to compare with"));
        }
    }
    Ok(states)
}
