//! Match records as Ludex writes them: the spectator format of GGP.org servers.

use serde::Serialize;

/// A match in the format that GGP.org servers publish to spectators. Terms are spaced as those servers write
/// them. There is one more state than there are joint moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs)]
pub struct MatchRecord {
    pub match_id: String,
    pub random_token: String,
    /// In milliseconds since 1970.
    pub start_time: u64,
    #[serde(rename = "gameMetaURL")]
    pub game_meta_url: String,
    pub is_completed: bool,
    pub is_aborted: bool,
    /// Each as a list of its fluents: `( ( cell 1 1 b ) ( control x ) )`.
    pub states: Vec<String>,
    pub moves: Vec<Vec<String>>,
    /// In milliseconds since 1970.
    pub state_times: Vec<u64>,
    /// For each state and role what went wrong in the move that led to it: nothing, `IL <move>`, `TO` or `CE`.
    pub errors: Vec<Vec<String>>,
    /// Empty while the match goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goal_values: Vec<i32>,
    /// In seconds, as all clocks.
    pub preview_clock: u64,
    pub start_clock: u64,
    pub play_clock: u64,
    pub player_names_from_host: Vec<String>,
    pub is_player_human: Vec<bool>,
    pub scrambled: bool,
}

impl MatchRecord {
    /// The record as one line of JSON.
    pub fn line(&self) -> String {
        // Numbers, strings and lists of them always have a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}
