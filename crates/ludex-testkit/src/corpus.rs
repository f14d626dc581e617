//! Where the sheets are.
//!
//! `crates/ludex/games/` and `testdata/` belong to the repository. The folder of public rule sheets does not: it is
//! looked for at `$LUDEX_SHARED`, else at `../shared` beside the repository, and tests that need it say
//! loudly when it is absent ([`crate::report::not_run`]).

use crate::report::not_run;
use ludex_gdl::syntax::{TextLimits, line_column};
use ludex_gdl::{Game, Sheet};
use std::path::{Path, PathBuf};

/// A sheet on disk.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file name without its ending.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// What it holds, which need not be UTF-8.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Reads and checks the sheet.
    pub fn sheet(&self) -> Sheet {
        Sheet::read_bytes(&self.bytes, &TextLimits::default())
    }

    /// The game, or its errors as text.
    pub fn game(&self) -> Result<Game, String> {
        into_game(self.sheet())
    }
}

/// The game of a sheet, or its errors as text.
pub fn into_game(sheet: Sheet) -> Result<Game, String> {
    let text = sheet.text.clone();
    sheet.into_game().map_err(|findings| {
        let errors = findings.iter().filter(|f| f.is_error()).map(|f| {
            let (line, column) = line_column(&text, f.span.start);
            format!("{line}:{column} {} {}", f.code, f.message)
        });
        format!("the sheet has errors: {}", errors.collect::<Vec<_>>().join("; "))
    })
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate lies in crates/").to_owned()
}

/// A file or folder of `testdata/`.
pub fn testdata(name: &str) -> PathBuf {
    root().join("testdata").join(name)
}

/// The bundled games.
pub fn games() -> Vec<Source> {
    let games = sheets_in(&root().join("crates/ludex/games"));
    assert!(!games.is_empty(), "crates/ludex/games holds no rule sheet");
    games
}

/// A file or folder of the shared data, or `None` after saying that `what` is not run.
pub fn shared(name: &str, what: &str) -> Option<PathBuf> {
    let base = match std::env::var_os("LUDEX_SHARED") {
        Some(path) => PathBuf::from(path),
        None => root().parent().map(|parent| parent.join("shared")).unwrap_or_default(),
    };
    let path = base.join(name);
    if path.exists() {
        return Some(path);
    }
    not_run(what, &format!("{} not found; set LUDEX_SHARED", path.display()));
    None
}

/// The public rule sheets; none, and a loud line, where they are not there.
pub fn shared_games(what: &str) -> Vec<Source> {
    shared("games", what).map(|path| sheets_in(&path)).unwrap_or_default()
}

/// The public sheets on which `engine` takes long, by its list `testdata/slow-<engine>.txt`: one name a
/// line, then anything. They are left out unless `LUDEX_SLOW` is set, and a loud line says so.
pub fn slow_sheets(engine: &str, what: &str) -> Vec<String> {
    if std::env::var_os("LUDEX_SLOW").is_some() {
        return Vec::new();
    }
    let path = testdata(&format!("slow-{}.txt", engine.replace('/', "-")));
    // An engine without a list is fast everywhere.
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<String> =
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    if !names.is_empty() {
        let what = format!("{what} on {} slow sheets", names.len());
        not_run(
            &what,
            &format!("{}; set LUDEX_SLOW=1", path.strip_prefix(root()).unwrap_or(&path).display()),
        );
    }
    names
}

/// Every sheet in a folder, by name.
pub fn sheets_in(folder: &Path) -> Vec<Source> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()));
    let mut sources: Vec<Source> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "kif" || ending == "gdl"))
        .map(|path| Source {
            name: path.file_stem().expect("a file name").to_string_lossy().into_owned(),
            bytes: std::fs::read(&path).unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display())),
            path,
        })
        .collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}
