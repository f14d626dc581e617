//! Two engines on the same game.

use crate::report::told;
use crate::walk::{Length, View, check_shape, look, successor, walk};
use ludex_engine::engine::Engine;
use ludex_engine::row;
use ludex_engine::vocabulary::{MoveId, Vocabulary};

/// Compares what two engines say, along random walks of the first. They must also share the numbering of
/// roles, fluents and moves.
pub fn compare(reference: &dyn Engine, other: &dyn Engine, seed: u64, length: Length) -> Result<(), String> {
    compare_names(reference.vocabulary(), other.vocabulary())?;
    let mut worker = other.worker();
    let mut initial = vec![u64::MAX; other.vocabulary().words()];
    worker.initial(&mut initial);
    for (at, expected) in told(walk(reference, seed, length))?.iter().enumerate() {
        if at == 0 && initial != expected.state {
            return Err(describe(reference.vocabulary(), "initial", &expected.state, &initial));
        }
        let mut found = told(look(&mut *worker, &expected.state))?;
        if let Some((joint, _)) = &expected.step {
            found.step = Some((joint.clone(), told(successor(&mut *worker, &expected.state, joint))?));
        }
        // Only what is in shape has names that a message can give.
        check_shape(other.vocabulary(), std::slice::from_ref(&found))?;
        if found != *expected {
            let state = row::show(reference.vocabulary(), &expected.state).join(" ");
            let difference = first_difference(reference.vocabulary(), expected, &found);
            return Err(format!("{difference}\n    in the state [{state}]"));
        }
    }
    Ok(())
}

fn compare_names(left: &Vocabulary, right: &Vocabulary) -> Result<(), String> {
    let names = |vocabulary: &Vocabulary| {
        let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
        let fluents: Vec<String> =
            vocabulary.fluents().map(|fluent| vocabulary.show_fluent(fluent)).collect();
        let moves = vocabulary.roles().map(|role| {
            let ids = (0..vocabulary.move_count(role) as u32).map(MoveId);
            ids.map(|id| vocabulary.show_move(role, id)).collect::<Vec<_>>()
        });
        (roles, fluents, moves.collect::<Vec<_>>())
    };
    let (left, right) = (names(left), names(right));
    if left == right { Ok(()) } else { Err(format!("the vocabularies differ:\n    {left:?}\n    {right:?}")) }
}

fn describe(vocabulary: &Vocabulary, what: &str, expected: &[u64], found: &[u64]) -> String {
    let only = |these: &[u64], others: &[u64]| {
        let bits: Vec<u64> = these.iter().zip(others).map(|(a, b)| a & !b).collect();
        row::show(vocabulary, &bits).join(" ")
    };
    format!("{what}: missing [{}], too many [{}]", only(expected, found), only(found, expected))
}

fn first_difference(vocabulary: &Vocabulary, expected: &View, found: &View) -> String {
    if expected.terminal != found.terminal {
        return format!("terminal: expected {}, found {}", expected.terminal, found.terminal);
    }
    for role in vocabulary.roles() {
        let show = |list: &[MoveId]| {
            list.iter().map(|&id| vocabulary.show_move(role, id)).collect::<Vec<_>>().join(" ")
        };
        let (left, right) = (&expected.legal[role.index()], &found.legal[role.index()]);
        if left != right {
            let name = vocabulary.show_role(role);
            return format!("legal {name}: expected [{}], found [{}]", show(left), show(right));
        }
    }
    if expected.goals != found.goals {
        return format!("goals: expected {:?}, found {:?}", expected.goals, found.goals);
    }
    match (&expected.step, &found.step) {
        (Some((joint, left)), Some((_, right))) => {
            let moves = vocabulary.roles().zip(joint).map(|(role, &id)| vocabulary.show_move(role, id));
            let what = format!("next after [{}]", moves.collect::<Vec<_>>().join(" "));
            describe(vocabulary, &what, left, right)
        }
        _ => "one of the two cannot go on".to_owned(),
    }
}
