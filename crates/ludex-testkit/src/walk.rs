//! Seeded random walks, and what must hold along them whatever the game.

use crate::report::told;
use ludex_engine::engine::{Engine, Goal, PlayoutBuffer, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, RoleId, Vocabulary};
use std::time::{Duration, Instant};

/// How long a walk may be.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// How many games are played.
    pub games: usize,
    /// How many joint moves a game takes at most.
    pub steps: usize,
    /// No new step is begun after this time.
    pub time: Duration,
}

/// Everything an engine says about one state, and where one joint move leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The state.
    pub state: Vec<u64>,
    /// Whether the game is over.
    pub terminal: bool,
    /// Each role's moves.
    pub legal: Vec<Vec<MoveId>>,
    /// Each role's goal value.
    pub goals: Vec<Option<Goal>>,
    /// A joint move and the state after it; none where the game cannot go on.
    pub step: Option<(Vec<MoveId>, Vec<u64>)>,
}

/// Walks from the initial state; an error if a question runs into a limit.
pub fn walk(engine: &dyn Engine, seed: u64, length: Length) -> Result<Vec<View>, Fault> {
    let (started, mut random) = (Instant::now(), Random::new(seed));
    let mut worker = engine.worker();
    let mut views = Vec::new();
    for _ in 0..length.games {
        let mut state = vec![u64::MAX; engine.vocabulary().words()];
        worker.initial(&mut state);
        for _ in 0..=length.steps {
            let mut view = look(&mut *worker, &state)?;
            if !view.terminal && view.legal.iter().all(|legal| !legal.is_empty()) {
                let joint: Vec<MoveId> = view.legal.iter().map(|l| l[random.below(l.len())]).collect();
                let after = successor(&mut *worker, &state, &joint)?;
                view.step = Some((joint, after));
            }
            let next = view.step.as_ref().map(|(_, after)| after.clone());
            views.push(view);
            match next {
                Some(next) if started.elapsed() < length.time => state = next,
                _ => break,
            }
        }
        if started.elapsed() >= length.time {
            break;
        }
    }
    Ok(views)
}

/// What the worker says about a state, without a step.
pub fn look(worker: &mut dyn Worker, state: &[u64]) -> Result<View, Fault> {
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    let legal = roles.iter().map(|&role| {
        // Not empty, so that an engine that only appends is found out.
        let mut out = vec![MoveId(u32::MAX)];
        worker.legal(state, role, &mut out)?;
        Ok(out)
    });
    let legal = legal.collect::<Result<_, Fault>>()?;
    let goals = roles.iter().map(|&role| worker.goal(state, role)).collect::<Result<_, Fault>>()?;
    let terminal = worker.is_terminal(state)?;
    Ok(View { state: state.to_vec(), terminal, legal, goals, step: None })
}

/// The state after a joint move.
pub fn successor(worker: &mut dyn Worker, state: &[u64], joint: &[MoveId]) -> Result<Vec<u64>, Fault> {
    let mut out = vec![u64::MAX; state.len()];
    worker.next(state, joint, &mut out)?;
    Ok(out)
}

/// What must hold in every view: lists ascending and unique, numbers in range, no bit behind the last.
pub fn check_shape(vocabulary: &Vocabulary, views: &[View]) -> Result<(), String> {
    let last_bits = match vocabulary.fluent_count() % 64 {
        0 => u64::MAX,
        bits => (1 << bits) - 1,
    };
    for (at, view) in views.iter().enumerate() {
        for state in [Some(&view.state), view.step.as_ref().map(|(_, after)| after)].into_iter().flatten() {
            if state.last().is_some_and(|word| word & !last_bits != 0) {
                return Err(format!("view {at}: bits are set behind the last fluent"));
            }
        }
        for (role, legal) in vocabulary.roles().zip(&view.legal) {
            if !legal.is_sorted_by(|a, b| a < b) {
                return Err(format!("view {at}: the moves of role {role:?} are not ascending: {legal:?}"));
            }
            if legal.last().is_some_and(|id| id.index() >= vocabulary.move_count(role)) {
                return Err(format!("view {at}: role {role:?} has a move without a name: {legal:?}"));
            }
        }
    }
    Ok(())
}

/// Every fluent and move reads back from what is shown of it; so every row decodes and encodes.
pub fn check_names(vocabulary: &Vocabulary) -> Result<(), String> {
    for fluent in vocabulary.fluents() {
        let text = vocabulary.show_fluent(fluent);
        let found = vocabulary.read_term(&text).and_then(|term| vocabulary.find_fluent(term));
        if found != Some(fluent) {
            return Err(format!("the fluent {text} reads back as {found:?}, not {fluent:?}"));
        }
    }
    for role in vocabulary.roles() {
        for id in (0..vocabulary.move_count(role) as u32).map(MoveId) {
            let text = vocabulary.show_move(role, id);
            let found = vocabulary.read_term(&text).and_then(|term| vocabulary.find_move(role, term));
            if found != Some(id) {
                return Err(format!("the move {text} of {role:?} reads back as {found:?}, not {id:?}"));
            }
        }
    }
    Ok(())
}

/// The answers depend on nothing but the question: other workers, asked in another order and one kind of
/// question at a time, say the same.
pub fn check_function(engine: &dyn Engine, views: &[View], seed: u64) -> Result<(), String> {
    let mut random = Random::new(seed);
    let mut questions: Vec<(usize, usize)> =
        (0..views.len()).flat_map(|at| (0..4).map(move |q| (at, q))).collect();
    let initial = views.first().map(|view| view.state.clone()).unwrap_or_default();
    let mut legal = Vec::new();
    let mut worker = engine.worker();
    for round in 0..2 {
        for last in (1..questions.len()).rev() {
            questions.swap(last, random.below(last + 1));
        }
        for &(at, question) in &questions {
            let view = &views[at];
            let wrong =
                |what: &str| Err(format!("view {at}, round {round}: {what} depends on earlier questions"));
            match question {
                0 if told(worker.is_terminal(&view.state))? != view.terminal => return wrong("terminal"),
                1 => {
                    for (role, expected) in engine.vocabulary().roles().zip(&view.legal) {
                        told(worker.legal(&view.state, role, &mut legal))?;
                        if legal != *expected {
                            return wrong("legal");
                        }
                    }
                }
                2 => {
                    for (role, expected) in engine.vocabulary().roles().zip(&view.goals) {
                        if told(worker.goal(&view.state, role))? != *expected {
                            return wrong("goal");
                        }
                    }
                }
                3 => {
                    if let Some((joint, after)) = &view.step
                        && told(successor(&mut *worker, &view.state, joint))? != *after
                    {
                        return wrong("next");
                    }
                }
                _ => {}
            }
        }
        let mut again = vec![u64::MAX; initial.len()];
        worker.initial(&mut again);
        if again != initial {
            return Err("the initial state depends on earlier questions".to_owned());
        }
    }
    Ok(())
}

/// A random playout ends where it may: at a terminal state, at one where somebody cannot move, or after
/// `most` steps. Returns whether the game was over.
pub fn check_playout(engine: &dyn Engine, seed: u64, most: usize) -> Result<bool, String> {
    let mut worker = engine.worker();
    let (mut random, mut buffer) = (Random::new(seed), PlayoutBuffer::default());
    let mut state = vec![0; engine.vocabulary().words()];
    worker.initial(&mut state);
    let made = told(worker.playout(&mut state, most, &mut random, &mut buffer))?;
    let end = told(look(&mut *worker, &state))?;
    check_shape(engine.vocabulary(), std::slice::from_ref(&end))?;
    let stuck = end.legal.iter().any(Vec::is_empty);
    match (made.cmp(&most), end.terminal || stuck) {
        (std::cmp::Ordering::Greater, _) => Err(format!("a playout of at most {most} moves made {made}")),
        (std::cmp::Ordering::Less, false) => {
            let state = row::show(engine.vocabulary(), &state).join(" ");
            Err(format!("a playout stopped after {made} moves in a state that can go on: {state}"))
        }
        _ => Ok(end.terminal),
    }
}
