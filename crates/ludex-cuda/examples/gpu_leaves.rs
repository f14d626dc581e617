//! Values leaves on the GPU and on the CPU, and compares: `gpu_leaves SECONDS FOLDER SHEET...`. The states are those of one
//! phase that random play comes through. The goals of a game from each are compared with what the rules say of its last
//! state; of more games, how often each outcome came, with the CPU lanes. FOLDER takes `leaves.csv`.

use ludex_cuda::{Device, Leaves};
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::propnet::Propnet;
use ludex_engine::propnet::lanes::{Ended, LANES, Lanes, Valuer, Valuers};
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// Games are broken off after so many plies, as a tree does.
const MOST: u64 = 1000;

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
    let [seconds, folder, sheets @ ..] = &arguments[..] else {
        return Err("gpu_leaves SECONDS FOLDER SHEET...".into());
    };
    let seconds: f64 = seconds.parse()?;
    let device = Device::open(0)?;
    let mut csv = String::from(
        "game,states,games_a_state,batch_ms,gpu_states_s,gpu_games_s,cpu_states_s,compared,worst,why_not\n",
    );
    for sheet in sheets {
        let name = Path::new(sheet).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match measure(&device, seconds, Path::new(sheet)) {
            Ok(row) => {
                println!("{name:14} {row}");
                writeln!(csv, "{name},{row},")?;
            }
            Err(error) => {
                println!("{name}: {error}");
                writeln!(csv, "{name}{}{}", ",".repeat(9), error.to_string().replace([',', '\n', '"'], ";"))?;
            }
        }
        // Kept as it grows: a run that is cut short leaves what it has.
        std::fs::write(Path::new(folder).join("leaves.csv"), &csv)?;
    }
    Ok(())
}

fn measure(device: &Device, seconds: f64, sheet: &Path) -> Result<String, Failure> {
    let game = ludex_gdl::Sheet::read(&std::fs::read_to_string(sheet)?).into_game();
    let game = game.map_err(|_| "the sheet has errors")?;
    let budget = Budget::default().within(Duration::from_secs(60));
    let engine = Propnet::new(&game, &budget)?;
    let mut worker = engine.worker();
    let mut initial = vec![0; engine.vocabulary().words()];
    worker.initial(&mut initial);
    let lanes = Arc::new(Lanes::new(engine.net(), &initial, &budget)?);
    let cache = std::env::var_os("LUDEX_CUDA_CACHE").map(PathBuf::from);
    let leaves = Leaves::new(device, lanes.clone(), &initial, MOST, cache.as_deref())?;
    let trials = leaves.trials().iter().map(|(rows, games, took)| format!("{rows}x{games} {took:.1?}"));
    eprintln!("{}: {leaves}; {}", sheet.display(), trials.collect::<Vec<_>>().join(", "));
    let (phase, rows) = states(&lanes, &mut *worker, &initial, leaves.capacity())?;
    let mut valuer = leaves.valuer(3);
    let mut ended = Ended { states: Some(Vec::new()), ..Ended::default() };
    valuer.value(Some(phase), &rows, MOST, &mut ended);
    if let Some(complaint) = leaves.complaint() {
        return Err(complaint.into());
    }
    let (roles, width) = (worker.vocabulary().role_count(), initial.len());
    let last = ended.states.take().ok_or("no last states")?;
    for (row, state) in last.chunks(width).enumerate() {
        for role in 0..roles {
            let (found, goal) = (ended.goals[row * roles + role], worker.goal(state, RoleId(role as u32))?);
            if found != goal {
                return Err(format!("row {row}, role {role}: {found:?}, but the rules say {goal:?}").into());
            }
        }
    }
    // Without last states there may be several games from each.
    valuer.value(Some(phase), &rows, MOST, &mut ended);
    let each = valuer.games_a_state();
    // As many games on the CPU, if it plays them in a few seconds.
    let few = &rows[..rows.len().min(2048 * width)];
    let theirs = outcomes(&ended.goals[..few.len() / width * each * roles], roles);
    let mut all = Vec::new();
    let mut runner = lanes.runner(4);
    let mut part = Ended::default();
    for _ in 0..each {
        for states in few.chunks(LANES * width) {
            runner.playouts_each(Some(phase), states, MOST, &mut part);
            all.append(&mut part.goals);
        }
    }
    let mine = outcomes(&all, roles);
    let count = |of: &BTreeMap<_, f64>, key| of.get(key).copied().unwrap_or(0.0);
    let worst = mine.keys().chain(theirs.keys()).fold(0f64, |worst, key| {
        let (n, m) = (count(&mine, key), count(&theirs, key));
        worst.max((n - m).abs() / (n + m).sqrt())
    });
    // Then as fast as it goes.
    let mut rate = |valuer: &mut dyn Valuer| {
        let most = valuer.capacity() * width;
        let (begun, mut done) = (Instant::now(), 0);
        while begun.elapsed().as_secs_f64() < seconds {
            for states in rows.chunks(most) {
                valuer.value(Some(phase), states, MOST, &mut part);
                done += states.len() / width;
                if begun.elapsed().as_secs_f64() > seconds {
                    break;
                }
            }
        }
        done as f64 / begun.elapsed().as_secs_f64()
    };
    let on_gpu = rate(&mut *valuer);
    let on_cpu = rate(&mut runner);
    if let Some(complaint) = leaves.complaint() {
        return Err(complaint.into());
    }
    let batch = leaves.capacity() as f64 / on_gpu * 1e3;
    let (capacity, compared, games) = (leaves.capacity(), last.len() / width, on_gpu * each as f64);
    Ok(format!("{capacity},{each},{batch:.3},{on_gpu:.0},{games:.0},{on_cpu:.0},{compared},{worst:.2}"))
}

/// So many states of one phase that random play comes through.
fn states(
    lanes: &Lanes,
    worker: &mut dyn Worker,
    initial: &[u64],
    count: usize,
) -> Result<(usize, Vec<u64>), Failure> {
    let mut random = Random::new(9);
    let roles = worker.vocabulary().role_count() as u32;
    let phase = lanes.phase_of(initial).ok_or("the first state is of no phase")?;
    let (mut rows, mut legal) = (Vec::new(), Vec::new());
    loop {
        let mut state = initial.to_vec();
        for _ in 0..MOST {
            if lanes.phase_of(&state) == Some(phase) {
                rows.extend_from_slice(&state);
                if rows.len() == count * initial.len() {
                    return Ok((phase, rows));
                }
            }
            if worker.is_terminal(&state)? {
                break;
            }
            let mut joint: Vec<MoveId> = Vec::new();
            for role in (0..roles).map(RoleId) {
                worker.legal(&state, role, &mut legal)?;
                joint.extend((!legal.is_empty()).then(|| legal[random.below(legal.len())]));
            }
            if joint.len() < roles as usize {
                break;
            }
            let mut next = vec![0; state.len()];
            worker.next(&state, &joint, &mut next)?;
            state = next;
        }
    }
}

/// How often each outcome came.
fn outcomes(goals: &[Option<Goal>], roles: usize) -> BTreeMap<Vec<Option<Goal>>, f64> {
    let mut counts = BTreeMap::new();
    goals.chunks(roles).for_each(|goals| *counts.entry(goals.to_vec()).or_default() += 1.0);
    counts
}
