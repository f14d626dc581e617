//! The GAME argument: a file, `-` for standard input, or the name of a bundled game.

use crate::args::Position;
use crate::position;
use crate::progress::making;
use crate::report;
use crate::status::Misuse;
use anyhow::{Context, Result, anyhow};
use ludex::engine::budget::Budget;
use ludex::engine::engine::Engine;
use ludex::engine::prepared::Prepared;
use ludex::engine::propnet::Compiled;
use ludex::engine::quick::Quick;
use ludex::engines::{self, Choice};
use ludex::games;
use ludex::gdl::spelling::did_you_mean;
use ludex::gdl::syntax::{self, Notation, print};
use ludex::gdl::{Game, Sheet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A sheet with the name it goes by.
pub struct Loaded {
    /// Short name, for answers: the file without folder and ending.
    pub name: String,
    /// Where the text came from, for findings: the path as it was given.
    pub source: String,
    /// The sheet, with all findings.
    pub sheet: Sheet,
    prepared: OnceLock<Arc<Prepared>>,
    /// The same game from another position, where one was given.
    elsewhere: Option<ludex::Game>,
}

/// As `read`, with the game begun in the position; engines on the way there are made within the budget.
pub fn read_at(argument: &Path, position: &Position, budget: &Budget) -> Result<Loaded> {
    if argument.as_os_str() == "-" && position.state.as_deref() == Some("-") {
        return Err(Misuse("standard input cannot be both GAME and --state".to_owned()).into());
    }
    let mut loaded = read(argument)?;
    if !position.is_initial() {
        loaded.game()?;
        let text = &loaded.sheet.text;
        let reach = |budget: &Budget| position::reach(&loaded.name, text, position, budget);
        let play = making(format!("playing {} to the position", loaded.name), budget, reach)?;
        loaded.elsewhere = Some(play.onward());
    }
    Ok(loaded)
}

/// Reads and checks the sheet that `argument` names, and warns of what is odd about it on standard error.
pub fn read(argument: &Path) -> Result<Loaded> {
    let loaded = read_quietly(argument)?;
    // Errors come with all findings, when the rules are asked for.
    if loaded.sheet.game().is_some() {
        let sheet = &loaded.sheet;
        let warnings = report::warnings(&loaded.source, &sheet.text, &sheet.findings);
        // A closed standard error is no reason to give up.
        let _ = io::stderr().write_all(warnings.as_bytes());
    }
    Ok(loaded)
}

/// Reads and checks the sheet that `argument` names. A file wins over a bundled game of the same name.
pub fn read_quietly(argument: &Path) -> Result<Loaded> {
    let shown = argument.display().to_string();
    if shown == "-" {
        let bytes = bounded(io::stdin().lock()).context("standard input cannot be read")?;
        return Ok(Loaded::new("stdin", "standard input", &bytes));
    }
    if let Some(bundled) = games::find(&shown).filter(|_| !argument.is_file()) {
        return Ok(Loaded::new(bundled.name, bundled.name, bundled.text.as_bytes()));
    }
    // Pipes and devices are no plain files, but can be read like one; folders cannot.
    if argument.exists() && !argument.is_dir() {
        let name = argument.file_stem().unwrap_or(argument.as_os_str()).to_string_lossy();
        let file = File::open(argument).and_then(bounded);
        let bytes = file.map_err(|error| Misuse(format!("`{shown}` cannot be read: {error}")))?;
        return Ok(Loaded::new(&name, &shown, &bytes));
    }
    Err(not_found(argument).into())
}

/// One byte beyond the limit is enough for the sheet to be refused as too large.
fn bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(syntax::TextLimits::default().bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_found(argument: &Path) -> Misuse {
    let shown = argument.display();
    let what =
        if argument.is_dir() { "is a folder, not a rule sheet" } else { "is no file and no bundled game" };
    let stem = argument.file_stem().unwrap_or_default().to_string_lossy();
    let advice = did_you_mean(&stem, games::ALL.iter().map(|game| game.name))
        .unwrap_or_else(|| "`ludex games` lists the bundled games".to_owned());
    Misuse(format!("`{shown}` {what}; {advice}"))
}

impl Loaded {
    fn new(name: &str, source: &str, bytes: &[u8]) -> Loaded {
        let sheet = Sheet::read_bytes(bytes, &syntax::TextLimits::default());
        let (prepared, elsewhere) = (OnceLock::new(), None);
        Loaded { name: name.to_owned(), source: source.to_owned(), sheet, prepared, elsewhere }
    }

    /// The rules, or their errors drawn.
    pub fn game(&self) -> Result<&Game> {
        if let Some(game) = &self.elsewhere {
            return Ok(game.rules());
        }
        self.sheet.game().ok_or_else(|| {
            let errors =
                report::draw(&self.source, &self.sheet.text, self.sheet.errors(), report::Target::Stderr);
            let count = report::count(self.sheet.errors().count(), "error");
            anyhow!("the rules of {} have {count}\n{errors}", self.name)
        })
    }

    /// The game with what has been made for it: all parts of a command share it.
    pub fn prepared(&self) -> Result<&Arc<Prepared>> {
        let game = self.game()?;
        let new = || Arc::new(Prepared::new(game.clone()));
        Ok(self.elsewhere.as_ref().map_or_else(|| self.prepared.get_or_init(new), ludex::Game::prepared))
    }

    /// The game as the library has it.
    pub fn for_people(&self) -> Result<ludex::Game> {
        self.game()?;
        let here = || Ok(ludex::Game::read(&self.name, &self.sheet.text)?);
        self.elsewhere.clone().map_or_else(here, Ok)
    }

    /// The rules in KIF, which players are sent.
    pub fn kif(&self) -> String {
        let here = || print::kif(&self.sheet.tree);
        self.elsewhere.as_ref().map_or_else(here, |game| game.text().to_owned())
    }

    /// The engine of that choice, from what has been made for the game and for all who ask for more of it.
    pub fn engine(&self, choice: Choice, budget: &Budget) -> Result<Arc<dyn Engine>> {
        self.engine_from(self.prepared()?, choice, budget)
    }

    /// An engine of that choice that answers soon: where the choice is left to us it begins with the one that is ready first,
    /// and changes over to faster ones as they are built.
    pub fn quick(&self, choice: Choice, budget: &Budget) -> Result<Arc<dyn Engine>> {
        let prepared = self.prepared()?;
        if choice.name != engines::AUTO.name {
            return self.engine_from(prepared, choice, budget);
        }
        let what = format!("building an engine for {}", self.name);
        let engine = making(what, budget, |budget| Quick::new(prepared, budget));
        Ok(Arc::new(engine.with_context(|| format!("no engine for {}", self.name))?))
    }

    /// The engine of that choice for other rules, such as those in some encoding, or made anew to be timed.
    pub fn engine_anew(&self, game: &Game, choice: Choice, budget: &Budget) -> Result<Arc<dyn Engine>> {
        self.engine_from(&Prepared::new(game.clone()), choice, budget)
    }

    fn engine_from(&self, prepared: &Prepared, choice: Choice, budget: &Budget) -> Result<Arc<dyn Engine>> {
        let what = format!("building an engine for {}", self.name);
        let engine = making(what, budget, |budget| choice.build_for(prepared, budget));
        engine.with_context(|| format!("no engine `{}` for {}", choice.name, self.name))
    }

    /// The propositional network of the rules.
    pub fn network(&self, budget: &Budget) -> Result<Arc<Compiled>> {
        let prepared = self.prepared()?;
        let what = format!("building a network for {}", self.name);
        let compiled = making(what, budget, |budget| prepared.network(budget));
        compiled.with_context(|| format!("no propositional network for {}", self.name))
    }

    /// The name of the sheet's notation.
    pub fn notation(&self) -> &'static str {
        match self.sheet.notation {
            Notation::Kif => "KIF",
            Notation::Infix => "infix",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{not_found, read};
    use ludex::engine::budget::Budget;
    use ludex::engines;
    use std::path::Path;

    #[test]
    fn all_parts_of_a_command_share_what_is_made_for_the_game() {
        let loaded = read(Path::new("tictactoe")).expect("a bundled game");
        let budget = Budget::default();
        loaded.engine(engines::AUTO, &budget).expect("a small game");
        loaded.network(&budget).expect("a small game");
        let prepared = loaded.prepared().expect("a sound sheet");
        assert_eq!((prepared.groundings(), prepared.fillings()), (1, 1));
        // Another engine of the same rules is made anew where somebody wants to time it.
        loaded.engine_anew(loaded.game().expect("sound"), engines::AUTO, &budget).expect("a small game");
        assert_eq!(prepared.groundings(), 1);
    }

    #[test]
    fn misspelt_names_get_a_suggestion() {
        assert!(not_found(Path::new("tictacto")).0.contains("did you mean `tictactoe`?"));
        assert!(not_found(Path::new("folder/Reversy.kif")).0.contains("`reversi`"));
        assert!(not_found(Path::new("zzzzzzzz")).0.contains("ludex games"));
    }
}
