//! Hostile sheets against every command: each ends by itself with a status of its own, says something where it says no,
//! and keeps to a bound of memory.
//!
//! What is tested is that there is an end, not what the answer is: a refusal is as good as a result. Every sheet meets
//! every cheap command; of the commands that take their time, each sheet meets one or two, by turns.
//! `LUDEX_SLOW=1` runs everything on everything, and then all cheap commands on the sheets as an attacker would send
//! them, ten to a hundred times larger.

mod sheets;

use super::Folder;
use sheets::{Hostile, Size, all};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Longer than any of the runs should take on a busy machine: the longest limit of a command here is two seconds. A
/// run that is not over by then would not end.
const PATIENCE: Duration = Duration::from_secs(300);

/// Address space that a run may take, in KiB.
const MOST_MEMORY: usize = 6 << 20;

/// Commands that should take no longer than reading the sheet and making an engine. `GAME` stands for the sheet.
const CHEAP: &[&[&str]] = &[
    &["check", "GAME"],
    &["print", "--as", "infix", "GAME"],
    &["simulate", "GAME", "--seed", "1", "--steps", "3", "--engine", "tree"],
    &["simulate", "GAME", "--seed", "1", "--steps", "3", "--engine", "datalog"],
];

/// Commands that look at a game from many sides.
const THOROUGH: &[&[&str]] = &[
    &["print", "--as", "kif", "GAME"],
    &["print", "--as", "asp", "GAME"],
    &["simulate", "GAME", "--seed", "1", "--steps", "3", "--engine", "propnet"],
    &["perft", "GAME", "--depth", "2"],
    &["bench", "GAME", "--seconds", "0.1", "--engine", "datalog"],
    &["bench", "GAME", "--seconds", "0.1", "--engine", "tree"],
    &["frame", "GAME", "--time", "1"],
    &["minimax", "GAME", "--depth", "2", "--engine", "tree"],
    &["prove", "GAME", "--time", "1", "--discover"],
    &["solve", "GAME", "--time", "1", "--engine", "tree"],
    &["endgame", "build", "GAME", "--time", "1", "-o", "OUT"],
    &["check", "GAME", "--deep", "--time", "1"],
    &["draw", "GAME", "--time", "1"],
    &["draw", "GAME", "--layout", "--json", "--time", "1"],
    &["stats", "GAME", "--games", "100", "--sample", "10", "--steps", "10", "--time", "1"],
    &["count", "GAME", "--time", "1"],
    &["solve", "GAME", "--time", "1", "--store", "STORE"],
    &["match", "GAME", "random", "--steps", "3", "--engine", "tree"],
    &["print", "--as", "aiger", "GAME", "--time", "1"],
    &["debug", "proofs", "GAME", "--time", "1"],
    &["debug", "propnet", "GAME", "--time", "1"],
    &["debug", "tree", "GAME"],
    &["debug", "rules", "GAME"],
    &["debug", "strata", "GAME"],
    &["debug", "domains", "GAME"],
];

fn is_slow_wanted() -> bool {
    std::env::var_os("LUDEX_SLOW").is_some()
}

#[test]
fn every_command_ends() {
    let slow = is_slow_wanted();
    let mut runs = Vec::new();
    let set = all(Size::Test);
    for (number, hostile) in set.iter().enumerate() {
        // Two of the thorough commands, others for each sheet; all of them meet sheets of every kind.
        let by_turns = [number, number * 7 + 3].map(|at| at % THOROUGH.len());
        let thorough = (0..THOROUGH.len()).filter(|at| slow || by_turns.contains(at)).map(|at| THOROUGH[at]);
        runs.extend(CHEAP.iter().copied().chain(thorough).map(|command| (hostile, command)));
    }
    survive("test", &set, &runs);
}

#[test]
fn every_cheap_command_ends_on_large_sheets() {
    if !is_slow_wanted() {
        eprintln!("NOT RUN: hostile sheets of megabytes (set LUDEX_SLOW=1)");
        return;
    }
    let set = all(Size::Attack);
    let runs: Vec<_> =
        set.iter().flat_map(|hostile| CHEAP.iter().map(move |&command| (hostile, command))).collect();
    survive("attack", &set, &runs);
}

/// Runs all, two at a time, and shows every run that ended badly.
fn survive(name: &str, set: &[Hostile], runs: &[(&Hostile, &[&str])]) {
    let folder = Folder::new(&format!("hostile-{name}"));
    for hostile in set {
        std::fs::write(folder.0.join(hostile.name), &hostile.text).expect("the folder can be written");
    }
    let (next, complaints) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (next, complaints, folder) = (&next, &complaints, &folder.0);
            scope.spawn(move || {
                while let Some((hostile, command)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(complaint) = run(folder, worker, hostile, command) {
                        let what = format!("{} on {}: {complaint}", command.join(" "), hostile.name);
                        complaints.lock().expect("no panic").push(what);
                    }
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no panic");
    assert!(complaints.is_empty(), "{} of {} runs:\n{}", complaints.len(), runs.len(), complaints.join("\n"));
}

/// One run; an error says how it ended badly.
fn run(folder: &Path, worker: usize, hostile: &Hostile, command: &[&str]) -> Result<(), String> {
    let file = |ending: &str| folder.join(format!("{worker}.{ending}"));
    let (out, err) = (file("out"), file("err"));
    let create = |path: &Path| File::create(path).expect("the folder can be written");
    let arguments = command.iter().map(|&word| match word {
        "GAME" => folder.join(hostile.name).into_os_string(),
        "OUT" => file("endgame").into_os_string(),
        "STORE" => file("store").into_os_string(),
        word => word.into(),
    });
    if command.contains(&"STORE") && file("store").exists() {
        std::fs::remove_dir_all(file("store")).map_err(|error| error.to_string())?;
    }
    // Where a system has no such limit, the run goes without.
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MOST_MEMORY} 2>/dev/null; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_ludex"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(create(&out))
        .stderr(create(&err))
        .spawn()
        .map_err(|error| error.to_string())?;
    let status = wait(&mut child).ok_or_else(|| format!("no end within {} s", PATIENCE.as_secs()))?;
    let said = std::fs::read(&err).unwrap_or_default();
    let said = String::from_utf8_lossy(&said[..said.len().min(2_000)]).into_owned();
    match status.code() {
        Some(0..=2) if said.contains("panicked") => Err(said),
        Some(1 | 2)
            if said.trim().is_empty() && std::fs::metadata(&out).is_ok_and(|file| file.len() == 0) =>
        {
            Err("a no without a word".to_owned())
        }
        Some(0..=2) => Ok(()),
        Some(status) => Err(format!("status {status}: {said}")),
        None => Err(format!("{status}: {said}")),
    }
}

/// How the child ended; `None` if it had to be ended.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if started.elapsed() < PATIENCE => {}
            _ => {
                // It may have ended in the meantime, which is as good.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
