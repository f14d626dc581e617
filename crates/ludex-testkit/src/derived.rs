//! The derived counts and recorded games of `testdata/perft`: files made by simulators that know the games
//! and no GDL.

use crate::corpus::testdata;
use crate::report::told;
use crate::state::Asker;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::perft::perft;

/// The rows of `NAME.perft`: depth and number of paths.
pub fn perft_rows(game: &str) -> Result<Vec<(usize, u64)>, String> {
    let text = read(game, "perft")?;
    let rows = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let rows: Vec<(usize, u64)> = rows
        .map(|line| {
            let fields = line.split_once('\t').and_then(|(d, n)| Some((d.parse().ok()?, n.parse().ok()?)));
            fields.ok_or_else(|| format!("{game}.perft: not a row: {line:?}"))
        })
        .collect::<Result<_, _>>()?;
    if rows.is_empty() { Err(format!("{game}.perft holds no row")) } else { Ok(rows) }
}

/// Compares the counts of every depth until their sum exceeds `most` nodes, and that of the first depth in
/// any case: what compares nothing must not pass.
pub fn check_perft(engine: &dyn Engine, rows: &[(usize, u64)], most: u64) -> Result<(), String> {
    if rows.is_empty() {
        return Err("there is no count to compare with".to_owned());
    }
    let mut worker = engine.worker();
    let mut sum: u64 = 0;
    for (at, &(depth, expected)) in rows.iter().enumerate() {
        sum = sum.saturating_add(expected);
        if sum > most && at > 0 {
            break;
        }
        let found = told(perft(&mut *worker, depth))?;
        if found != expected {
            return Err(format!("perft at depth {depth}: expected {expected}, found {found}"));
        }
    }
    Ok(())
}

/// A game that was played to its end.
#[derive(Clone, Debug, Default)]
pub struct Play {
    /// For each step the number of legal moves of each role, then the joint move.
    pub steps: Vec<(Vec<usize>, Vec<String>)>,
    /// The goal values at the end.
    pub values: Vec<Goal>,
}

/// The games of `NAME.plays`.
pub fn plays(game: &str) -> Result<Vec<Play>, String> {
    let text = read(game, "plays")?;
    let mut plays = Vec::new();
    let mut current: Option<Play> = None;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let bad = || format!("{game}.plays: unexpected line {line:?}");
        let mut fields = line.split('\t');
        let first = fields.next().ok_or_else(bad)?;
        match (first, &mut current) {
            ("game", None) => current = Some(Play::default()),
            ("end", Some(play)) => {
                play.values = fields.map(|f| f.parse().map_err(|_| bad())).collect::<Result<_, _>>()?;
                plays.extend(current.take());
            }
            (counts, Some(play)) => {
                let counts: Result<Vec<usize>, String> =
                    counts.split(' ').map(|f| f.parse().map_err(|_| bad())).collect();
                play.steps.push((counts?, fields.map(str::to_owned).collect()));
            }
            _ => return Err(bad()),
        }
    }
    if plays.is_empty() || current.is_some() {
        return Err(format!("{game}.plays holds no complete game"));
    }
    Ok(plays)
}

/// Plays a recorded game again.
pub fn check_play(asker: &mut Asker, play: &Play) -> Result<(), String> {
    let mut state = asker.initial();
    for (step, (counts, moves)) in play.steps.iter().enumerate() {
        if asker.is_terminal(&state)? {
            return Err(format!("step {step}: the game is over too early"));
        }
        let found = (0..counts.len()).map(|role| asker.legal_count(&state, role));
        let found: Vec<usize> = found.collect::<Result<_, _>>()?;
        if found != *counts {
            let legal = (0..counts.len()).map(|role| asker.legal(&state, role));
            let legal: Vec<_> = legal.collect::<Result<_, _>>()?;
            return Err(format!("step {step}: expected {counts:?} legal moves, found {found:?}: {legal:?}"));
        }
        state = asker.next(&state, moves).map_err(|e| format!("step {step}: {e}"))?;
    }
    if !asker.is_terminal(&state)? {
        return Err("the game is not over at the end".to_owned());
    }
    let expected: Vec<Option<Goal>> = play.values.iter().map(|&v| Some(v)).collect();
    let found = (0..expected.len()).map(|role| asker.goal(&state, role));
    let found: Vec<Option<Goal>> = found.collect::<Result<_, _>>()?;
    if found == expected {
        Ok(())
    } else {
        Err(format!("at the end: expected {expected:?}, found {found:?}"))
    }
}

fn read(game: &str, ending: &str) -> Result<String, String> {
    let path = testdata("perft").join(format!("{game}.{ending}"));
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}
