//! `ludex simulate`: one random match, drawn or recorded.

use crate::args::Simulate;
use crate::status::Status;
use crate::{game, limit};
use anyhow::Result;
use ludex::engine::engine::Worker;
use ludex::engine::fault::Fault;
use ludex::engine::random::Random;
use ludex::engine::row;
use ludex::engine::vocabulary::MoveId;
use ludex::ggp::record::{Header, Step, header_line, step_line};
use ludex_board::Drawing;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(args: &Simulate, out: &mut dyn Write) -> Result<Status> {
    let budget = args.allowance.budget(args.bounds);
    let loaded = game::read_at(&args.game.game, &args.position, &budget)?;
    let engine = loaded.quick(args.engine.engine, &budget)?;
    let vocabulary = engine.vocabulary();
    let mut worker = engine.worker();
    worker.obey(&budget);
    let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    let seed = args.seed.unwrap_or_else(seed_of_the_moment);
    let mut state = vec![0; vocabulary.words()];
    worker.initial(&mut state);
    let mut show: Box<dyn Show> = if args.json.json {
        let header = Header {
            game: Some(loaded.name.clone()),
            roles: Some(roles.clone()),
            seed: Some(seed),
            engine: Some(engine.name().to_owned()),
            ..Header::default()
        };
        writeln!(out, "{}", header_line(&header))?;
        Box::new(Recorded { roles })
    } else {
        writeln!(out, "{}, engine {}, seed {seed}", loaded.name, engine.name())?;
        let drawing = Drawing::find(vocabulary, &state, &budget)?;
        out.write_all(drawing.legend().as_bytes())?;
        Box::new(Drawn { drawing, roles, number: 0 })
    };
    let mut random = Random::new(seed);
    let mut next = state.clone();
    for number in 0.. {
        let met = |fault| limit::met(&loaded.name, format!("step {number}"), &fault);
        let (step, joint) = play(&mut *worker, &state, &mut random, number >= args.steps).map_err(met)?;
        show.step(&step, &state, out)?;
        // Who breaks off a slow match has seen what was played.
        out.flush()?;
        let Some(joint) = joint else {
            // Stopping after the steps that were asked for is success; being stuck is the rules' fault.
            return Ok(Status::of(step.cut.as_deref() != Some(STUCK)));
        };
        worker.next(&state, &joint, &mut next).map_err(met)?;
        std::mem::swap(&mut state, &mut next);
    }
    Ok(Status::Yes)
}

/// The `cut` of a match in which somebody has no legal move.
const STUCK: &str = "no legal move";

/// All that there is to say about a state, and a random joint move if the match goes on.
fn play(
    worker: &mut dyn Worker,
    state: &[u64],
    random: &mut Random,
    last: bool,
) -> Result<(Step, Option<Vec<MoveId>>), Fault> {
    let terminal = worker.is_terminal(state)?;
    let roles: Vec<_> = worker.vocabulary().roles().collect();
    let goals = roles.iter().map(|&role| worker.goal(state, role)).collect::<Result<_, _>>()?;
    let legal = roles.iter().map(|&role| {
        let mut moves = Vec::new();
        worker.legal(state, role, &mut moves)?;
        Ok(moves)
    });
    let legal: Vec<Vec<MoveId>> = legal.collect::<Result<_, Fault>>()?;
    let vocabulary = worker.vocabulary();
    let mut step = Step {
        state: row::show(vocabulary, state),
        terminal: Some(terminal),
        goals: Some(goals),
        ..Step::default()
    };
    if terminal {
        return Ok((step, None));
    }
    let spelt = |(role, list): (_, &Vec<MoveId>)| {
        let mut moves: Vec<String> = list.iter().map(|&id| vocabulary.show_move(role, id)).collect();
        moves.sort_unstable();
        moves
    };
    step.legals = Some(vocabulary.roles().zip(&legal).map(spelt).collect());
    if legal.iter().any(Vec::is_empty) {
        step.cut = Some(STUCK.to_owned());
        return Ok((step, None));
    }
    if last {
        step.cut = Some("steps".to_owned());
        return Ok((step, None));
    }
    let joint: Vec<MoveId> = legal.iter().map(|moves| moves[random.below(moves.len())]).collect();
    let moves = vocabulary.roles().zip(&joint).map(|(role, &id)| vocabulary.show_move(role, id));
    step.moves = Some(moves.collect());
    Ok((step, Some(joint)))
}

/// Short enough to be typed again.
fn seed_of_the_moment() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ (since.as_secs() & 0xFFFF)
}

/// A way to show the steps of a match.
trait Show {
    fn step(&mut self, step: &Step, state: &[u64], out: &mut dyn Write) -> io::Result<()>;
}

/// Lines of a record.
struct Recorded {
    roles: Vec<String>,
}

impl Show for Recorded {
    fn step(&mut self, step: &Step, _: &[u64], out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", step_line(step, &self.roles))
    }
}

/// Boards and sentences.
struct Drawn {
    drawing: Drawing,
    roles: Vec<String>,
    number: usize,
}

impl Show for Drawn {
    fn step(&mut self, step: &Step, state: &[u64], out: &mut dyn Write) -> io::Result<()> {
        let over = step.terminal == Some(true);
        writeln!(out, "\nStep {}{}", self.number, if over { ": the game is over" } else { "" })?;
        self.number += 1;
        out.write_all(self.drawing.scene(state).text().as_bytes())?;
        if let Some(legals) = &step.legals {
            writeln!(
                out,
                "legal moves: {}",
                self.by_role(legals.iter().map(|moves| moves.len().to_string()))
            )?;
        }
        if let Some(moves) = &step.moves {
            writeln!(out, "played: {}", self.by_role(moves.iter().cloned()))?;
        }
        match step.cut.as_deref() {
            Some(STUCK) => writeln!(out, "Somebody has no legal move: the rules do not let the game go on.")?,
            Some(_) => writeln!(out, "Stopped after the number of steps asked for.")?,
            None => {}
        }
        let Some(goals) = step.goals.as_ref().filter(|_| over) else { return Ok(()) };
        let shown = goals.iter().map(|goal| goal.map_or("none".to_owned(), |value| value.to_string()));
        writeln!(out, "goals: {}", self.by_role(shown))?;
        if goals.contains(&None) {
            writeln!(out, "Somebody has no goal value, or several: that is a mistake in the rules.")?;
        }
        Ok(())
    }
}

impl Drawn {
    fn by_role(&self, values: impl Iterator<Item = String>) -> String {
        let pairs: Vec<String> =
            self.roles.iter().zip(values).map(|(role, value)| format!("{role} {value}")).collect();
        pairs.join(", ")
    }
}
