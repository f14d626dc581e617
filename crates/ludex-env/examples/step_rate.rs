//! Steps a second of a batch with given random legal actions, on one core.
//!
//! ```text
//! cargo run --release -p ludex-env --example step_rate -- GAME [GAMES] [SECONDS]
//! ```
//!
//! GAME is a bundled name or a file. Games are played for a while, then the actions of some steps are written down and
//! these steps are played again and again: time is the processor's, for these steps alone. Beside it, in the same run, the random play of the
//! lanes, which choose moves themselves and tell statistics alone.

use cpu_time::ThreadTime;
use ludex_engine::budget::Budget;
use ludex_engine::propnet::{compile, lanes::Lanes};
use ludex_env::{Autoreset, Batch, Cells, Encoder, Illegal, Model, Options, Outputs, Start, Which};
use ludex_gdl::Sheet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Steps that are played before, and steps that are timed.
const WARM: u64 = 150;
const STEPS: usize = 64;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which game?")?;
    let games: usize = arguments.next().map_or(Ok(4096), |n| n.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(1.0), |n| n.parse())?;
    let bundled = format!("{}/../ludex/games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(if std::fs::exists(&name)? { &name } else { &bundled })?;
    let game = Sheet::read(&text).into_game().map_err(|_| "the sheet has errors")?;

    let started = Instant::now();
    let model = Arc::new(Model::new(&game, &Budget::default())?);
    println!("{name}: built in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let wait = Duration::from_secs_f64(seconds);
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        for what in [What::Nothing, What::Flags, What::Mask, What::MaskBits, What::Flat, What::FlatFloats] {
            let rate = rate(&model, games, autoreset, what, wait)?;
            println!("{autoreset:?} with {what:?}: {:.1} M steps/s", rate / 1e6);
        }
    }
    if model.has_network() {
        let compiled = compile(&game, &Budget::default())?;
        let lanes = Lanes::new(&compiled.net, &compiled.initial, &Budget::default())?;
        let mut runner = lanes.runner(1);
        runner.run(&compiled.initial, 200, u64::MAX);
        let (started, mut made) = (ThreadTime::now(), 0);
        while started.elapsed() < wait {
            made += runner.run(&compiled.initial, 200, u64::MAX).transitions;
        }
        let random = made as f64 / started.elapsed().as_secs_f64();
        println!("random play of the lanes: {:.1} M states/s", random / 1e6);
        let mask = rate(&model, games, Autoreset::SameStep, What::Mask, wait)?;
        println!("ratio (SameStep, mask): {:.2}", mask / random);
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Nothing,
    /// Rewards and ends.
    Flags,
    /// These, and legal moves.
    Mask,
    MaskBits,
    /// Rewards, ends, legal moves and the flat observation.
    Flat,
    FlatFloats,
}

fn rate(
    model: &Arc<Model>,
    games: usize,
    autoreset: Autoreset,
    what: What,
    wait: Duration,
) -> Result<f64, Box<dyn std::error::Error>> {
    let encoder = Arc::new(Encoder::flat(model, None));
    let options = Options { autoreset, illegal: Illegal::Lose, ..Options::default() };
    let mut batch = Batch::new(model.clone(), games, options)?.with_encoder(encoder.clone())?;
    let mut legal = vec![0; games * model.move_count()];
    let mut words = vec![0; games * model.move_count().div_ceil(64)];
    let mut rewards = vec![0.0; games * model.role_count()];
    let (mut terminated, mut truncated) = (vec![0; games], vec![0; games]);
    let mut bytes = vec![0; games * encoder.len()];
    let mut floats = vec![0.0; games * encoder.len()];
    let width = games * model.role_count();
    let mut actions = vec![0; STEPS * width];
    for seed in 0..WARM {
        batch.sample(seed, &mut actions[..width])?;
        batch.step(&actions[..width], Outputs::default())?;
    }
    let mut states = vec![0; games * model.words()];
    batch.states(&mut states)?;
    let again = |batch: &mut Batch| batch.reset(Which::All, Start::States(&states), Outputs::default());
    again(&mut batch)?;
    for (seed, actions) in (WARM..).zip(actions.chunks_exact_mut(width)) {
        batch.sample(seed, actions)?;
        batch.step(&*actions, Outputs::default())?;
    }
    let (mut steps, mut spent) = (0, Duration::ZERO);
    while spent < wait {
        again(&mut batch)?;
        let started = ThreadTime::now();
        for actions in actions.chunks_exact(width) {
            let mut outputs = Outputs::default();
            if what != What::Nothing {
                outputs.rewards = Some(&mut rewards);
                outputs.terminated = Some(&mut terminated);
                outputs.truncated = Some(&mut truncated);
            }
            match what {
                What::Mask | What::Flat | What::FlatFloats => outputs.legal = Some(&mut legal),
                What::MaskBits => outputs.legal_words = Some(&mut words),
                What::Nothing | What::Flags => {}
            }
            match what {
                What::Flat => outputs.observation = Some(Cells::Bytes(&mut bytes)),
                What::FlatFloats => outputs.observation = Some(Cells::Floats(&mut floats)),
                _ => {}
            }
            batch.step(actions, outputs)?;
        }
        spent += started.elapsed();
        steps += games * STEPS;
    }
    Ok(steps as f64 / spent.as_secs_f64())
}
