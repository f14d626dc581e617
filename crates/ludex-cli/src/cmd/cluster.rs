//! `ludex solve --workers`: solving together with other processes, and beginning anew when one of them is lost.

use super::solve::{Shown, on_disk};
use crate::args::{Solve, megabytes};
use crate::status::{Misuse, Status};
use crate::{game, progress};
use anyhow::{Result, anyhow};
use ludex_solve::cluster::{self, Place, Shared};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The exit status of a supervised process that another one was lost to: it is to begin anew.
const LOST: i32 = 75;

/// The pause before that.
const PAUSE: Duration = Duration::from_millis(300);

pub fn run(args: &Solve, game: &Path, workers: u16, out: &mut dyn Write) -> Result<Status> {
    if let Some(times) = args.cluster.supervise.filter(|_| !args.cluster.supervised) {
        return supervise(game, times);
    }
    let lost = if args.cluster.supervised {
        end_with_supervisor();
        LOST
    } else {
        1
    };
    end_with_others(lost);
    let Some(folder) = &args.store else { return Err(Misuse("--store is missing".to_owned()).into()) };
    let name = folder.to_str().ok_or_else(|| Misuse("--store: the name is no text".to_owned()))?;
    let hosts = args.cluster.hosts.as_deref().map_or(Ok(Vec::new()), read_hosts)?;
    let process = args.cluster.process.unwrap_or(0);
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let loaded = game::read_at(game, &args.position, &budget)?;
    let budget = budget.with_resident(megabytes(args.memory));
    let engine = loaded.engine(args.engine.engine, &budget)?;
    let prepared = loaded.prepared()?;
    let place = Place {
        hosts,
        process,
        workers: usize::from(workers),
        wait: Duration::from_secs_f64(args.cluster.wait),
        scratch: args.cluster.scratch.clone().unwrap_or_else(|| scratch(name, process)),
    };
    let shared = Arc::new(Shared::open(name)?);
    let options = args.disk.options(args.memory, None);
    let mut told = None;
    let path = PathBuf::from(name.strip_prefix("file://").unwrap_or(name));
    let solved = |reached: &Arc<_>| {
        let outcome = cluster::run(prepared, &engine, &shared, &place, &options, &budget, reached)?;
        told = Some((outcome.epoch, outcome.traffic));
        Ok(outcome.manifest)
    };
    let shown = on_disk(args, &path, out, &loaded.name, solved)?;
    if let (Shown::Text, Some((epoch, traffic))) = (shown, told) {
        writeln!(
            out,
            "  by {} processes of {workers} workers, begun {epoch} times: this one sent {} messages of {} bytes",
            place.hosts.len().max(1),
            traffic.messages,
            traffic.bytes
        )?;
    }
    Ok(Status::Yes)
}

/// The addresses in a file.
fn read_hosts(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Misuse(format!("`{}` cannot be read: {error}", path.display())))?;
    let hosts: Vec<String> =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if hosts.is_empty() {
        return Err(Misuse(format!("`{}` names no process", path.display())).into());
    }
    Ok(hosts)
}

/// A folder of this process alone, the same one each time.
fn scratch(store: &str, process: usize) -> PathBuf {
    let store = std::path::absolute(store).unwrap_or_else(|_| PathBuf::from(store));
    let hash = ludex::logic::endgame::file::checksum(store.as_os_str().as_encoded_bytes(), 0);
    std::env::temp_dir().join(format!("ludex-cluster-{hash:016x}-{process}"))
}

/// A lost process shows as a panic of a thread of the dataflow; the others wait for ever then. So the process ends.
fn end_with_others(status: i32) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or_default();
        let dataflow = std::thread::current().name().is_some_and(|name| name.starts_with("timely:"));
        if !dataflow {
            return usual(panic);
        }
        progress::wipe();
        // The words of a connection that broke are those of the dataflow's own threads.
        if text.starts_with("timely communication error:") {
            let _ = writeln!(
                std::io::stderr(),
                "another process of the cluster is gone; finished rounds are in the store"
            );
        } else {
            usual(panic);
        }
        std::process::exit(status);
    }));
}

/// Ends this process when the one that supervises it is gone.
fn end_with_supervisor() {
    std::thread::spawn(|| {
        let mut nothing = [0];
        while std::io::stdin().read(&mut nothing).is_ok_and(|read| read > 0) {}
        std::process::exit(LOST);
    });
}

/// Runs the same command in a process of its own, again and again until it ends by itself.
fn supervise(game: &Path, times: u32) -> Result<Status> {
    if game == Path::new("-") {
        return Err(Misuse("--supervise: standard input can be read only once".to_owned()).into());
    }
    let program = std::env::current_exe()?;
    for left in (0..=times).rev() {
        let mut command = Command::new(&program);
        command.args(std::env::args_os().skip(1)).arg("--supervised").stdin(Stdio::piped());
        let mut child = command.spawn()?;
        // The pipe stays open as long as this process lives.
        let pipe = child.stdin.take();
        let status = child.wait()?;
        drop(pipe);
        match status.code() {
            Some(0) => return Ok(Status::Yes),
            // What is wrong was said, and would be again.
            Some(1) => return Ok(Status::No),
            Some(2) => return Ok(Status::Misused),
            Some(130) => std::process::exit(130),
            _ => {}
        }
        writeln!(std::io::stderr(), "a process was lost ({status}); {left} more times it begins anew")?;
        std::thread::sleep(PAUSE);
    }
    Err(anyhow!("a process was lost too often"))
}
