//! Golden traces of whole games, as text that a person can follow.
//!
//! Made by an engine, hence no proof of anything: they show when something changes. What is right is said
//! by the micro games, the derived counts and the oracle.

use crate::walk::{look, successor};
use ludex_engine::engine::Engine;
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::MoveId;
use std::fmt::Write;

/// Moves that a trace shows at most.
const STEPS: usize = 250;

/// Where lines are broken.
const WIDTH: usize = 100;

/// Plays one game by random moves and writes everything down.
pub fn trace(name: &str, engine: &dyn Engine, seed: u64) -> Result<String, Fault> {
    let vocabulary = engine.vocabulary();
    let mut random = Random::new(seed);
    let mut worker = engine.worker();
    let mut state = vec![0; vocabulary.words()];
    worker.initial(&mut state);
    let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    let mut text = format!("game {name}\nroles {}\nseed {seed}\n", roles.join(" "));
    for step in 0..=STEPS {
        let view = look(&mut *worker, &state)?;
        let _ = writeln!(text, "\nstep {step}");
        paragraph(&mut text, "state", row::show(vocabulary, &state));
        let _ = writeln!(text, "  terminal {}", if view.terminal { "yes" } else { "no" });
        for ((role, name), goal) in vocabulary.roles().zip(&roles).zip(&view.goals) {
            let goal = goal.map_or("-".to_owned(), |value| value.to_string());
            let _ = writeln!(text, "  goal {name} {goal}");
            let legal = view.legal[role.index()].iter().map(|&id| vocabulary.show_move(role, id));
            paragraph(&mut text, &format!("legal {name}"), legal.collect());
        }
        if view.terminal {
            return Ok(text);
        }
        if view.legal.iter().any(Vec::is_empty) {
            text.push_str("  somebody cannot move\n");
            return Ok(text);
        }
        if step == STEPS {
            break;
        }
        let joint: Vec<MoveId> = view.legal.iter().map(|l| l[random.below(l.len())]).collect();
        let moves = vocabulary.roles().zip(&joint).map(|(role, &id)| vocabulary.show_move(role, id));
        let _ = writeln!(text, "  play {}", moves.collect::<Vec<_>>().join(" | "));
        state = successor(&mut *worker, &state, &joint)?;
    }
    let _ = writeln!(text, "\nbroken off after {STEPS} steps");
    Ok(text)
}

/// A label and words, broken into lines.
fn paragraph(text: &mut String, label: &str, words: Vec<String>) {
    let mut line = format!("  {label}");
    for word in words {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = "    ".to_owned();
        }
        line.push(' ');
        line.push_str(&word);
    }
    text.push_str(&line);
    text.push('\n');
}
