//! A game under way as a record, so that `ludex replay` can check it and `load` go on with it.

use anyhow::{Context, Result, anyhow, bail};
use ludex::engine::engine::Worker;
use ludex::engine::row;
use ludex::engine::vocabulary::MoveId;
use ludex::ggp::record::{Header, Records, Step, header_line, step_line};
use std::fmt::Write as _;
use std::path::Path;

/// Writes the states and joint moves; nothing is there half.
pub fn save(
    path: &Path,
    game: &str,
    worker: &mut dyn Worker,
    states: &[Vec<u64>],
    joints: &[Vec<MoveId>],
) -> Result<()> {
    let roles: Vec<String> =
        worker.vocabulary().roles().map(|role| worker.vocabulary().show_role(role)).collect();
    let header = Header { game: Some(game.to_owned()), roles: Some(roles.clone()), ..Header::default() };
    let mut text = header_line(&header) + "\n";
    for (number, state) in states.iter().enumerate() {
        let terminal = worker.is_terminal(state)?;
        let roles_of = worker.vocabulary().roles();
        let goals = roles_of.map(|role| worker.goal(state, role)).collect::<Result<_, _>>()?;
        let step = Step {
            state: row::show(worker.vocabulary(), state),
            terminal: Some(terminal),
            goals: Some(goals),
            moves: joints.get(number).map(|joint| show(worker, joint)),
            cut: (number == joints.len() && !terminal).then(|| "saved".to_owned()),
            ..Step::default()
        };
        writeln!(text, "{}", step_line(&step, &roles))?;
    }
    std::fs::write(path, text).with_context(|| format!("`{}` cannot be written", path.display()))
}

/// The joint moves of the first playout of a record, checked one by one to be legal.
pub fn load(path: &Path, worker: &mut dyn Worker, initial: &[u64]) -> Result<Vec<Vec<MoveId>>> {
    let shown = path.display();
    let playout = Records::open(path)
        .and_then(|mut records| records.next().transpose())
        .with_context(|| format!("`{shown}` cannot be read"))?
        .ok_or_else(|| anyhow!("`{shown}` holds no game"))?;
    let mut state = initial.to_vec();
    let mut next = state.clone();
    let mut joints = Vec::new();
    for moves in playout.steps.iter().map_while(|step| step.moves.as_ref()) {
        let step = joints.len();
        let roles: Vec<_> = worker.vocabulary().roles().collect();
        if moves.len() != roles.len() || worker.is_terminal(&state)? {
            bail!("`{shown}` is a record of another game: it does not fit at step {step}");
        }
        let mut joint = Vec::new();
        for (&role, text) in roles.iter().zip(moves) {
            let mut legal = Vec::new();
            worker.legal(&state, role, &mut legal)?;
            let vocabulary = worker.vocabulary();
            let found = vocabulary.read_term(text).and_then(|term| vocabulary.find_move(role, term));
            let Some(action) = found.filter(|action| legal.contains(action)) else {
                bail!("`{shown}` is a record of another game: {text} is not legal at step {step}");
            };
            joint.push(action);
        }
        worker.next(&state, &joint, &mut next)?;
        std::mem::swap(&mut state, &mut next);
        joints.push(joint);
    }
    Ok(joints)
}

fn show(worker: &dyn Worker, joint: &[MoveId]) -> Vec<String> {
    let vocabulary = worker.vocabulary();
    vocabulary.roles().zip(joint).map(|(role, &id)| vocabulary.show_move(role, id)).collect()
}
