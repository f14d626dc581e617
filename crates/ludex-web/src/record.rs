//! Matches as records of the kind that GGP servers publish, and back.

use crate::live::{History, Live, Seat};
use crate::opened::Opened;
use crate::refusal::Refusal;
use ludex::engine::row;
use ludex::ggp::record::{MatchRecord, RecordLimits, Records};
use ludex::ggp::sexp;
use std::io::Cursor;

/// The match up to the position that is looked at.
pub fn write(live: &Live) -> Result<String, Refusal> {
    let History { states, joints, seats, began } = live.history();
    let vocabulary = live.game.vocabulary()?;
    let last = states.last().map(Vec::as_slice).unwrap_or_default();
    let now = live.game.now(last)?;
    let spaced = |text: &String| sexp::spaced(text, |_| None);
    let state = |state: &Vec<u64>| {
        let fluents: Vec<String> = row::show(vocabulary, state).iter().map(spaced).collect();
        if fluents.is_empty() { "( )".to_owned() } else { format!("( {} )", fluents.join(" ")) }
    };
    let moves = joints.iter().map(|joint| Ok(live.game.show(joint)?.iter().map(spaced).collect()));
    let record = MatchRecord {
        match_id: format!("ludex.{}.{}", live.game.name, live.id),
        random_token: live.id.clone(),
        start_time: began * 1000,
        game_meta_url: live.game.name.clone(),
        is_completed: now.over,
        is_aborted: false,
        states: states.iter().map(state).collect(),
        moves: moves.collect::<Result<_, Refusal>>()?,
        state_times: states.iter().map(|_| began * 1000).collect(),
        errors: states.iter().map(|_| vec![String::new(); seats.len()]).collect(),
        // A server's record has a number for everybody; no single value is the rules' fault.
        goal_values: if now.over {
            now.goals.iter().map(|goal| goal.unwrap_or(0)).collect()
        } else {
            Vec::new()
        },
        player_names_from_host: seats.iter().cloned().map(String::from).collect(),
        is_player_human: seats.iter().map(|seat| *seat == Seat::Person).collect(),
        ..MatchRecord::default()
    };
    Ok(record.line() + "\n")
}

/// The joint moves of the first match in a record of this game.
pub fn read(game: &Opened, text: &str) -> Result<Vec<Vec<String>>, Refusal> {
    let unreadable = |why: String| Refusal::bad(format!("the record of {} cannot be read: {why}", game.name));
    let limits = RecordLimits { line: text.len() + 1, playout: 4 * text.len() + 1, total: 64 << 20 };
    let records = Records::with_limits("the record", Cursor::new(text.as_bytes().to_vec()), limits);
    let playout = records.and_then(|mut records| records.next().transpose());
    let playout = playout.map_err(|error| unreadable(error.to_string()))?;
    let playout = playout.ok_or_else(|| unreadable("it holds no match".to_owned()))?;
    Ok(playout.steps.into_iter().map_while(|step| step.moves).collect())
}
