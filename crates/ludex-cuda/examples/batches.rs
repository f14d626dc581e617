//! Steps batches on the GPU: `batches GAMES SECONDS FOLDER SHEET...`. Each sheet is first stepped beside the CPU, and
//! every array compared; then GAMES games are stepped for some seconds, with actions drawn on the GPU. FOLDER takes
//! `batches.csv`.

use ludex_cuda::batch::{
    ActionKind, Arrays, Batch, BatchSource, CellKind, Input, Machine, Plan, Wanted, network,
};
use ludex_cuda::{Device, Gpu};
use ludex_engine::budget::Budget;
use ludex_env::{Autoreset, Cells, Encoder, Forced, Illegal, Model, Options, Outputs, Start, Which};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// Games that are compared, and how often they are stepped.
const COMPARED: usize = 3000;
const STEPS: usize = 150;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, seconds, folder, sheets @ ..] = &arguments[..] else {
        return Err("batches GAMES SECONDS FOLDER SHEET...".into());
    };
    let (games, seconds): (usize, f64) = (games.parse()?, seconds.parse()?);
    let device = Device::open(0)?;
    let mut csv = String::from("game,form,operations,compile_s,cached_s,compared,games,output,steps_s\n");
    for sheet in sheets {
        if let Err(error) = measure(&device, games, seconds, Path::new(sheet), &mut csv) {
            println!("{sheet}: {error}");
            writeln!(csv, "{sheet},,,,,{},,,", error.to_string().replace([',', '\n'], ";"))?;
        }
        std::fs::write(Path::new(folder).join("batches.csv"), &csv)?;
    }
    Ok(())
}

fn measure(
    device: &Device,
    games: usize,
    seconds: f64,
    sheet: &Path,
    csv: &mut String,
) -> Result<(), Failure> {
    let name = sheet.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let game = ludex_gdl::Sheet::read(&std::fs::read_to_string(sheet)?).into_game();
    let game = game.map_err(|_| "the sheet has errors")?;
    let budget = Budget::default().within(Duration::from_secs(100));
    let model = Arc::new(Model::new(&game, &budget)?);
    let source = BatchSource::fitting(network(&model)?)?;
    let cache = std::env::var_os("LUDEX_CUDA_CACHE").map(PathBuf::from);
    let options = Options {
        autoreset: Autoreset::SameStep,
        illegal: Illegal::Lose,
        forced: Forced::Made,
        seed: 5,
        ..Options::default()
    };
    let encoder = Encoder::flat(&model, None);
    let plan = |games: usize, wanted: Wanted| {
        Plan::new(model.clone(), source.clone(), games, options, Some(&encoder), wanted)
    };
    let all = Wanted {
        legal: true,
        rewards: true,
        ends: true,
        turn: true,
        illegal: true,
        made: true,
        observation: Some(CellKind::Bytes),
        final_observation: Some(CellKind::Floats),
    };
    let compared = plan(COMPARED, all)?;
    let gpu = Gpu::new(device, &compared, cache.as_deref())?;
    let compile_s = gpu.compiled.as_secs_f64();
    let again = Gpu::new(device, &compared, cache.as_deref())?;
    let cached_s = if again.from_cache { again.compiled.as_secs_f64() } else { f64::NAN };
    let steps = compare(Batch::new(compared, gpu)?, &model, &encoder, options)?;
    let base = Wanted { legal: true, rewards: true, ends: true, turn: true, ..Wanted::default() };
    let kinds = [
        ("mask", None),
        ("mask and bytes", Some(CellKind::Bytes)),
        ("mask and floats", Some(CellKind::Floats)),
    ];
    for (output, kind) in kinds {
        let plan = plan(games, Wanted { observation: kind, ..base })?;
        let gpu = Gpu::new(device, &plan, cache.as_deref())?;
        let mut batch = Batch::new(plan, gpu)?;
        let actions = batch.machine().room(games * model.role_count() * 4)?;
        let round = |batch: &mut Batch<Gpu>, seed: u64| -> Result<(), Failure> {
            batch.sample(seed, actions)?;
            batch.step(ActionKind::I32, Input::There(actions))?;
            Ok(())
        };
        for seed in 0..50 {
            round(&mut batch, seed)?;
        }
        batch.machine().finish()?;
        let (started, mut rounds) = (Instant::now(), 0u64);
        while started.elapsed().as_secs_f64() < seconds {
            for _ in 0..20 {
                rounds += 1;
                round(&mut batch, rounds + 50)?;
            }
            batch.machine().finish()?;
        }
        let rate = (rounds * games as u64) as f64 / started.elapsed().as_secs_f64();
        let (form, operations) = (source.form, source.operations);
        println!(
            "{name:14} {form:?} {operations} ops, {compile_s:.2} s, {output}: {:.3} G steps/s",
            rate / 1e9
        );
        writeln!(
            csv,
            "{name},{form:?},{operations},{compile_s:.3},{cached_s:.3},{steps} steps of {COMPARED} games,{games},\
             {output},{rate:.0}"
        )?;
    }
    Ok(())
}

/// Steps a batch beside one of the CPU. Returns the number of steps, after each of which all arrays were equal.
fn compare(
    mut batch: Batch<Gpu>,
    model: &Arc<Model>,
    encoder: &Encoder,
    options: Options,
) -> Result<usize, Failure> {
    let mut cpu =
        ludex_env::Batch::new(model.clone(), COMPARED, options)?.with_encoder(Arc::new(encoder.clone()))?;
    let (roles, columns) = (model.role_count(), encoder.len());
    let mut legal = vec![0; COMPARED * model.move_count()];
    let [mut terminated, mut truncated, mut stuck] =
        [vec![0; COMPARED], vec![0; COMPARED], vec![0; COMPARED]];
    let (mut rewards, mut made) = (vec![0f32; COMPARED * roles], vec![0i32; COMPARED * roles]);
    let (mut illegal, mut turn) = (vec![0; COMPARED * roles], vec![0i8; COMPARED]);
    let (mut observation, mut last) = (vec![0; COMPARED * columns], vec![0f32; COMPARED * columns]);
    let mut actions = vec![0i32; COMPARED * roles];
    let to = batch.machine().room(COMPARED * roles * 4)?;
    let at: Arrays = *batch.arrays();
    for step in 0..STEPS {
        let out = Outputs {
            legal: Some(&mut legal),
            legal_words: None,
            rewards: Some(&mut rewards),
            terminated: Some(&mut terminated),
            truncated: Some(&mut truncated),
            stuck: Some(&mut stuck),
            turn: Some(&mut turn),
            illegal: Some(&mut illegal),
            made: Some(&mut made),
            observation: Some(Cells::Bytes(&mut observation)),
            final_observation: Some(Cells::Floats(&mut last)),
        };
        if step == 0 {
            cpu.reset(Which::All, Start::Initial, out)?;
        } else {
            cpu.step(&actions[..], out)?;
            batch.step(ActionKind::I32, Input::There(to))?;
        }
        let wide =
            |numbers: &[u32]| -> Vec<u8> { numbers.iter().flat_map(|number| number.to_le_bytes()).collect() };
        let floats =
            |numbers: &[f32]| wide(&numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>());
        let numbers =
            |numbers: &[i32]| wide(&numbers.iter().map(|number| *number as u32).collect::<Vec<_>>());
        batch.sample(step as u64, to)?;
        cpu.sample(step as u64, &mut actions)?;
        let arrays = [
            ("legal", at.legal, legal.clone()),
            ("rewards", at.rewards, floats(&rewards)),
            ("terminated", at.terminated, terminated.clone()),
            ("truncated", at.truncated, truncated.clone()),
            ("stuck", at.stuck, stuck.clone()),
            ("turn", at.turn, turn.iter().map(|number| *number as u8).collect()),
            ("illegal", at.illegal, illegal.clone()),
            ("made", at.made, numbers(&made)),
            ("observation", at.observation, observation.clone()),
            ("final observation", at.final_observation, floats(&last)),
            ("random actions", to, numbers(&actions)),
        ];
        for (name, at, expected) in arrays {
            let mut found = vec![7; expected.len()];
            batch.machine().get(at, &mut found)?;
            if let Some(place) = found.iter().zip(&expected).position(|(a, b)| a != b) {
                return Err(format!("step {step}: {name} differs from the CPU's at byte {place}").into());
            }
        }
        // Some actions that are not legal, on both sides.
        for (place, action) in actions.iter_mut().enumerate().filter(|(place, _)| (place + step) % 41 == 0) {
            *action = [-1, i32::MAX, 0][(place / 41) % 3];
        }
        batch.machine().put(to, &numbers(&actions))?;
    }
    Ok(STEPS)
}
