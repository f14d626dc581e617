//! Steps a second of a batch with given random legal actions, on one core.
//!
//! ```text
//! cargo run --release -p ludex-env --example step_rate -- GAME [GAMES] [SECONDS] [ROUNDS] [WHAT]
//! ```
//!
//! GAME is a bundled name or a file. Games are played for a while, then the actions of some steps are written down
//! and these steps are played again and again: time is the processor's, for these steps alone. Beside it, in the
//! same run, the random play of the lanes, which choose moves themselves and tell statistics alone. With rounds
//! each is measured so often, by turns, and the best is told; WHAT (`Nothing`, `Flags`, ...) is what the steps are
//! asked to write, all of them one after the other if it is not given.

use cpu_time::ThreadTime;
use ludex_engine::budget::Budget;
use ludex_engine::propnet::{compile, lanes::Lanes};
use ludex_env::{Autoreset, Batch, Cells, Encoder, Illegal, Model, Options, Outputs, Start, Which};
use ludex_gdl::Sheet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Steps that are played before, and steps that are timed: so few that their actions stay in the cache, as do those
/// of a caller who has just chosen them.
const WARM: u64 = 150;
const STEPS: usize = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().ok_or("which game?")?;
    let games: usize = arguments.next().map_or(Ok(4096), |n| n.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(1.0), |n| n.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(1), |n| n.parse())?;
    let only = arguments.next();
    let bundled = format!("{}/../ludex/games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(if std::fs::exists(&name)? { &name } else { &bundled })?;
    let game = Sheet::read(&text).into_game().map_err(|_| "the sheet has errors")?;

    let started = Instant::now();
    let model = Model::new(&game, &Budget::default())?;
    println!("{name}: built in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let started = Instant::now();
    let model = Arc::new(model.turned(&Budget::default().with_steps(100_000_000)));
    let (found, wait) = (model.is_turned(), started.elapsed().as_secs_f64() * 1e3);
    println!("kept as the mover sees it: {found}, in {wait:.1} ms");
    let wait = Duration::from_secs_f64(seconds);
    let mut timed = Vec::new();
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        for what in [What::Nothing, What::Flags, What::Mask, What::MaskBits, What::Flat, What::FlatFloats] {
            if only.as_ref().is_none_or(|only| *only == format!("{what:?}")) {
                timed.push((autoreset, what, Timed::new(&model, games, autoreset, what)?));
            }
        }
    }
    let compiled = compile(&game, &Budget::default());
    let lanes = match &compiled {
        Ok(compiled) if model.has_network() => {
            Some((Lanes::new(&compiled.net, &compiled.initial, &Budget::default())?, &compiled.initial))
        }
        _ => None,
    };
    let mut runner = lanes.as_ref().map(|(lanes, initial)| (lanes.runner(1), *initial));
    // Rounds of all by turns, and the best of each: what else the machine does is left out as far as may be.
    let (mut random, mut rates) = (0.0f64, vec![0.0f64; timed.len()]);
    for _ in 0..rounds {
        if let Some((runner, initial)) = &mut runner {
            let (started, mut made) = (ThreadTime::now(), 0);
            while started.elapsed() < wait {
                made += runner.run(initial, 200, u64::MAX).transitions;
            }
            random = random.max(made as f64 / started.elapsed().as_secs_f64());
        }
        for ((_, _, timed), rate) in timed.iter_mut().zip(&mut rates) {
            *rate = rate.max(timed.rate(wait)?);
        }
    }
    if runner.is_some() {
        println!("random play of the lanes: {:.1} M states/s", random / 1e6);
    }
    for ((autoreset, what, _), rate) in timed.iter().zip(&rates) {
        let ratio = if runner.is_some() { format!(", {:.2} of that", rate / random) } else { String::new() };
        println!("{autoreset:?} with {what:?}: {:.1} M steps/s{ratio}", rate / 1e6);
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

/// A batch with the actions of some steps, and arrays for what they say.
struct Timed {
    what: What,
    games: usize,
    batch: Batch,
    states: Vec<u64>,
    actions: Vec<i32>,
    legal: Vec<u8>,
    words: Vec<u64>,
    rewards: Vec<f32>,
    ends: [Vec<u8>; 2],
    bytes: Vec<u8>,
    floats: Vec<f32>,
}

impl Timed {
    fn new(
        model: &Arc<Model>,
        games: usize,
        autoreset: Autoreset,
        what: What,
    ) -> Result<Timed, Box<dyn std::error::Error>> {
        let encoder = Arc::new(Encoder::flat(model, None));
        let options = Options { autoreset, illegal: Illegal::Lose, ..Options::default() };
        let mut batch = Batch::new(model.clone(), games, options)?.with_encoder(encoder.clone())?;
        let width = games * model.role_count();
        let mut actions = vec![0; STEPS * width];
        for seed in 0..WARM {
            batch.sample(seed, &mut actions[..width])?;
            batch.step(&actions[..width], Outputs::default())?;
        }
        let mut states = vec![0; games * model.words()];
        batch.states(&mut states)?;
        batch.reset(Which::All, Start::States(&states), Outputs::default())?;
        for (seed, actions) in (WARM..).zip(actions.chunks_exact_mut(width)) {
            batch.sample(seed, actions)?;
            batch.step(&*actions, Outputs::default())?;
        }
        Ok(Timed {
            what,
            games,
            batch,
            states,
            actions,
            legal: vec![0; games * model.move_count()],
            words: vec![0; games * model.move_count().div_ceil(64)],
            rewards: vec![0.0; width],
            ends: [vec![0; games], vec![0; games]],
            bytes: vec![0; games * encoder.len()],
            floats: vec![0.0; games * encoder.len()],
        })
    }

    /// Steps a second, from playing the same steps for a while.
    fn rate(&mut self, wait: Duration) -> Result<f64, Box<dyn std::error::Error>> {
        let what = self.what;
        let width = self.actions.len() / STEPS;
        let (mut steps, mut spent) = (0, Duration::ZERO);
        while spent < wait {
            self.batch.reset(Which::All, Start::States(&self.states), Outputs::default())?;
            let started = ThreadTime::now();
            for actions in self.actions.chunks_exact(width) {
                let mut outputs = Outputs::default();
                if what != What::Nothing {
                    let [terminated, truncated] = &mut self.ends;
                    outputs.rewards = Some(&mut self.rewards);
                    outputs.terminated = Some(terminated);
                    outputs.truncated = Some(truncated);
                }
                match what {
                    What::Mask | What::Flat | What::FlatFloats => outputs.legal = Some(&mut self.legal),
                    What::MaskBits => outputs.legal_words = Some(&mut self.words),
                    What::Nothing | What::Flags => {}
                }
                match what {
                    What::Flat => outputs.observation = Some(Cells::Bytes(&mut self.bytes)),
                    What::FlatFloats => outputs.observation = Some(Cells::Floats(&mut self.floats)),
                    _ => {}
                }
                self.batch.step(actions, outputs)?;
            }
            spent += started.elapsed();
            steps += self.games * STEPS;
        }
        Ok(steps as f64 / spent.as_secs_f64())
    }
}
