//! Plays sheets on the GPU and on the CPU, and compares: `playouts SECONDS SHAPES FOLDER SHEET...`, where
//! SHAPES is `auto` or a list of `digits:block:blocks:in_step`, with a `t` before it for gates as a table (`r`: one that
//! computes in the device's memory), and FOLDER takes `playouts.csv`.

use ludex_cuda::{Device, Ends, Shape, Source};
use ludex_engine::budget::Budget;
use ludex_engine::propnet::compile;
use ludex_engine::propnet::lanes::{BatchResult, Lanes};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Sheets of larger networks are left out of the table of all sheets.
const MOST_GATES: usize = 2_000_000;

type Failure = Box<dyn std::error::Error>;

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
    let [seconds, shapes, folder, sheets @ ..] = &arguments[..] else {
        return Err("playouts SECONDS SHAPES FOLDER SHEET...".into());
    };
    let seconds: f64 = seconds.parse()?;
    let device = Device::open(0)?;
    println!("{}, {} multiprocessors", device.name(), device.multiprocessors());
    println!("game, shape, operations, words of a block, seconds to compile, registers, local bytes, words,");
    println!("G states/s, length, length on the CPU, worst difference in deviations, goals");
    let mut csv = String::from(
        "game,shape,gates,ops,units,block,network_s,lanes_s,source_s,compile_s,cached_s,registers,local,words,states_s,playouts,transitions,length,cpu_length,worst,why_not\n",
    );
    for sheet in sheets {
        for shape in shapes.split(',') {
            if let Err(error) = measure(&device, seconds, shape, Path::new(folder), sheet, &mut csv) {
                println!("{sheet} {shape}: {error}");
                let name = Path::new(sheet).file_stem().unwrap_or_default().to_string_lossy();
                let why = error.to_string().replace([',', '\n', '"'], ";");
                writeln!(csv, "{name},{shape}{}{why}", ",".repeat(19))?;
            }
        }
    }
    std::fs::write(Path::new(folder).join("playouts.csv"), csv)?;
    Ok(())
}

fn measure(
    device: &Device,
    seconds: f64,
    shape_text: &str,
    folder: &Path,
    sheet: &str,
    csv: &mut String,
) -> Result<(), Failure> {
    // Few playouts of bounded length where many sheets are to be compared.
    let auto = shape_text == "auto";
    let numbers: Vec<u32> = match auto {
        true => vec![10, 0, 0, 0],
        false => {
            shape_text.trim_start_matches(['t', 'r']).split(':').map(str::parse).collect::<Result<_, _>>()?
        }
    };
    let [digits, block, blocks, in_step] = numbers[..] else {
        return Err("a shape is digits:block:blocks:in_step".into());
    };
    let shape = Shape { digits, block, blocks, in_step: in_step > 0, ends: Ends::Counted };
    let most = if digits == 0 { u64::MAX } else { (1 << digits) - 1 };
    let name = Path::new(sheet).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(sheet)?;
    let game = ludex_gdl::Sheet::read(&text).into_game().map_err(|_| "the sheet has errors")?;
    let started = Instant::now();
    let budget = Budget::default().within(Duration::from_secs(100));
    let compiled = compile(&game, &budget)?;
    let network_s = started.elapsed().as_secs_f64();
    let gates = compiled.net.gate_count();
    // What the CPU plays in a few seconds.
    let count = match gates {
        100_000.. => 4096,
        50_000.. => 16_384,
        _ if auto => 16_384,
        _ => 65_536,
    };
    if auto && gates > MOST_GATES {
        return Err(format!("{gates} gates").into());
    }
    let started = Instant::now();
    let lanes = Lanes::new(&compiled.net, &compiled.initial, &budget)?;
    let lanes_s = started.elapsed().as_secs_f64();
    eprintln!(
        "{name}: {gates} gates, network {network_s:.2} s, lanes {lanes_s:.2} s, {} phases",
        lanes.period()
    );
    let started = Instant::now();
    let source = if auto {
        Source::fitting(&lanes, false, Shape::bounded(most))?
    } else if shape_text.starts_with(['t', 'r']) {
        Source::interpreted(&lanes, false, shape, shape_text.starts_with('r'))?
    } else {
        Source::new(&lanes, false, shape)
    };
    let source_s = started.elapsed().as_secs_f64();
    let layout = match (source.room, source.shared) {
        (0, 0) => "straight",
        (0, _) => "table",
        _ => "room",
    };
    let shape_text = if auto { layout } else { shape_text };
    let (units, block) = (source.units, source.block);
    let ops = source.costs.iter().map(|cost| cost.total()).sum::<usize>() / source.period;
    let start: Vec<bool> =
        (0..source.fluents).map(|fluent| compiled.initial[fluent / 64] >> (fluent % 64) & 1 == 1).collect();
    let phase = lanes.phase_of(&compiled.initial).unwrap_or(0) as u32;
    let on_cpu = lanes.runner(11).playouts(&compiled.initial, count, most);
    let cache = std::env::var_os("LUDEX_CUDA_CACHE").map(PathBuf::from);
    let kernel = device.load(source.clone(), cache.as_deref())?;
    let compile_s = kernel.compiled.as_secs_f64();
    // Another program on the GPU would be measured too.
    let lock = std::fs::File::create(folder.join("gpu.lock"))?;
    lock.lock()?;
    let started = Instant::now();
    let again = device.load(source, cache.as_deref())?;
    let cached_s = if again.from_cache { started.elapsed().as_secs_f64() } else { f64::NAN };
    let (registers, local) = kernel.registers();
    let words = kernel.full()?;
    let on_gpu = kernel.playing(words.min(8192), 7, &start, phase, most)?.playouts(count)?;
    let (length, cpu_length) = (mean_length(&on_gpu), mean_length(&on_cpu));
    let worst = worst(&on_gpu, &on_cpu);
    // Then as fast as it goes.
    let mut playing = kernel.playing(words, 1, &start, phase, most)?;
    let mut passes = 16;
    let (mut states, mut playouts, mut spent) = (0u64, 0u64, 0.0);
    playing.run(passes)?;
    let started = Instant::now();
    while spent < seconds {
        let before = spent;
        let result = playing.run(passes)?;
        spent = started.elapsed().as_secs_f64();
        states += result.transitions;
        playouts += result.playouts;
        if spent - before < seconds / 10.0 {
            passes *= 2;
        }
    }
    let rate = states as f64 / spent;
    let goals: Vec<String> =
        on_gpu.goals.iter().map(|g| format!("{:.2}", g.mean().unwrap_or(-1.0))).collect();
    println!(
        "{name:14} {shape_text:>10} {ops:>6} {units:>3} {compile_s:>7.2} {registers:>4} {local:>5} {words:>8} {:>9.3} {length:>8.3} {cpu_length:>7.3} {worst:>6.2}  {}",
        rate / 1e9,
        goals.join(" ")
    );
    writeln!(
        csv,
        "{name},{shape_text},{gates},{ops},{units},{block},{network_s:.3},{lanes_s:.3},{source_s:.3},{compile_s:.3},{cached_s:.3},{registers},{local},{words},{rate:.0},{playouts},{states},{length:.3},{cpu_length:.3},{worst:.2},"
    )?;
    // Kept as it grows: a run that is cut short leaves what it has.
    std::fs::write(folder.join("playouts.csv"), &*csv)?;
    Ok(())
}

fn mean_length(result: &BatchResult) -> f64 {
    result.transitions as f64 / result.playouts.max(1) as f64
}

/// The largest difference of two counts of a goal, in standard deviations.
fn worst(a: &BatchResult, b: &BatchResult) -> f64 {
    let mut worst = 0f64;
    for (x, y) in a.goals.iter().zip(&b.goals) {
        for ((_, n), (_, m)) in x.values.iter().zip(&y.values) {
            let (n, m) = (*n as f64, *m as f64);
            worst = worst.max((n - m).abs() / (n + m).max(1.0).sqrt());
        }
    }
    worst
}
