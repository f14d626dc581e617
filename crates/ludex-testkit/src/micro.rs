//! The micro games of `testdata/rules`: tiny games with expectations derived by hand.

use crate::corpus::testdata;
use crate::report::compare_sets;
use crate::state::Asker;
use ludex_engine::engine::{Engine, Goal};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    game: Vec<MicroGame>,
}

/// A game with what must hold in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MicroGame {
    /// Unique over all files.
    pub name: String,
    /// What meaning it exercises.
    pub about: String,
    /// Why the expectations are right.
    pub derivation: String,
    /// The sheet.
    pub rules: String,
    /// The roles, in the order of the sheet.
    pub roles: Vec<String>,
    /// The initial state.
    pub init: Vec<String>,
    /// What holds in some states.
    #[serde(default)]
    pub state: Vec<StateCase>,
}

/// What must hold in one state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCase {
    /// The state.
    #[serde(rename = "true")]
    pub fluents: Vec<String>,
    /// Whether the game is over.
    pub terminal: bool,
    /// Every role's moves.
    pub legal: BTreeMap<String, Vec<String>>,
    /// The goal values of the roles that have exactly one.
    pub goals: BTreeMap<String, Goal>,
    /// Some successors.
    #[serde(default)]
    pub next: Vec<NextCase>,
}

/// A successor.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextCase {
    /// The joint move, in the order of the roles.
    pub moves: Vec<String>,
    /// The state after it.
    pub gives: Vec<String>,
}

/// All micro games, in the order of the files' names.
///
/// # Panics
/// If a file cannot be read, a name stands twice, or there is none.
pub fn load() -> Vec<MicroGame> {
    let folder = testdata("rules");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("cannot list {}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let mut games: Vec<MicroGame> = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for game in file.game {
            assert!(games.iter().all(|other| other.name != game.name), "two games are called {}", game.name);
            games.push(game);
        }
    }
    assert!(!games.is_empty(), "{} holds no game", folder.display());
    games
}

impl MicroGame {
    /// Compares everything that is expected with what the engine says; all differences at once.
    pub fn check(&self, engine: &dyn Engine) -> Result<(), String> {
        let mut asker = Asker::new(engine);
        let roles = asker.roles();
        if roles != self.roles {
            // Everything else is by role, so it would only echo.
            return Err(format!("roles: expected {:?}, found {roles:?}", self.roles));
        }
        let mut wrong = Vec::new();
        let mut note = |result: Result<(), String>| wrong.extend(result.err());
        let initial = asker.initial();
        note(compare_sets("init", &self.init, &asker.show(&initial)));
        for case in &self.state {
            let place = format!("state [{}]", case.fluents.join(" "));
            let state = match asker.state(&case.fluents) {
                Ok(state) => state,
                Err(message) => {
                    note(Err(format!("{place}: {message}")));
                    continue;
                }
            };
            let terminal = asker.is_terminal(&state);
            if terminal != Ok(case.terminal) {
                note(Err(format!("{place}: terminal: expected {}, found {terminal:?}", case.terminal)));
            }
            for (index, role) in roles.iter().enumerate() {
                let what = format!("{place}: legal {role}");
                match case.legal.get(role) {
                    Some(expected) => {
                        let found = asker.legal(&state, index);
                        note(found.and_then(|found| compare_sets(&what, expected, &found)));
                    }
                    None => note(Err(format!("{what}: the expectation does not say"))),
                }
                let (expected, found) = (case.goals.get(role).copied(), asker.goal(&state, index));
                if found != Ok(expected) {
                    note(Err(format!("{place}: goal {role}: expected {expected:?}, found {found:?}")));
                }
            }
            for next in &case.next {
                let what = format!("{place}: after {:?}", next.moves);
                match asker.next(&state, &next.moves) {
                    Ok(after) => note(compare_sets(&what, &next.gives, &asker.show(&after))),
                    Err(message) => note(Err(format!("{what}: {message}"))),
                }
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("\n    {}", wrong.join("\n    "))) }
    }
}
