//! `ludex solve --workers` with real processes on this machine.

use super::*;
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::Duration;

/// The files of a folder but its lock.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten().filter(|entry| entry.path().is_file());
    let named = files.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let read = named.filter(|(name, _)| name != "lock");
    read.map(|(name, path)| (name, std::fs::read(path).expect("it is there"))).collect()
}

/// A file with addresses that are free.
fn hosts(folder: &Path, processes: usize) -> String {
    let listeners: Vec<TcpListener> =
        (0..processes).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    let lines = listeners.iter().map(|one| format!("{}\n", one.local_addr().expect("it is bound")));
    let path = folder.join("hosts");
    std::fs::write(&path, lines.collect::<String>()).expect("written");
    path.to_str().expect("a plain name").to_owned()
}

fn process(game: &str, folder: &Path, hosts: &str, number: usize, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(["solve", game, "--workers", "1", "--hosts", hosts, "--memory", "200", "--wait", "60"]);
    command.arg("--store").arg(folder.join("store")).arg("--process").arg(number.to_string());
    command.arg("--scratch").arg(folder.join(format!("scratch-{number}"))).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// How a process ended, and what it printed.
fn ended(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn one_two_and_four_processes_give_the_bytes_of_one_without_a_cluster() {
    let folder = Folder::new("cluster-alone");
    let alone = folder.0.join("alone");
    ludex(&["solve", "nim", "--store", alone.to_str().expect("a plain name")]).ends_with(0);
    for processes in [1, 2, 4] {
        let folder = Folder::new(&format!("cluster-{processes}"));
        let hosts = hosts(&folder.0, processes);
        let running: Vec<Child> =
            (0..processes).map(|number| process("nim", &folder.0, &hosts, number, &[])).collect();
        for child in running {
            let (status, out, err) = ended(child);
            assert_eq!(status, Some(0), "{out}{err}");
            assert!(out.contains("  bob gets 100 within 16 joint moves: noop"), "{out}");
            assert!(out.contains(&format!("by {processes} processes of 1 workers, begun 1 times")), "{out}");
        }
        assert!(contents(&alone) == contents(&folder.0.join("store")), "{processes} processes");
    }
}

#[test]
fn a_process_of_another_game_is_refused_and_disturbs_nobody() {
    let folder = Folder::new("cluster-foreign");
    let hosts = hosts(&folder.0, 2);
    let first = process("nim", &folder.0, &hosts, 0, &[]);
    // Somebody who speaks another language; it waits for the process that listens.
    let address = std::fs::read_to_string(&hosts).expect("it is there");
    let address = address.lines().next().expect("two lines");
    let mut stranger = loop {
        match std::net::TcpStream::connect(address) {
            Ok(stream) => break stream,
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("sent");
    let (status, _, err) = ended(process("tictactoe", &folder.0, &hosts, 1, &[]));
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("process 0 refuses this one: rules"), "{err}");
    let (status, _, err) = ended(process("nim", &folder.0, &hosts, 1, &["--no-symmetry"]));
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("refuses this one: symmetry"), "{err}");
    let (status, out, err) = ended(process("nim", &folder.0, &hosts, 1, &[]));
    assert_eq!(status, Some(0), "{out}{err}");
    assert_eq!(ended(first).0, Some(0));
}

#[test]
fn a_process_that_is_killed_is_begun_anew_to_the_same_bytes() {
    let folder = Folder::new("cluster-killed");
    let alone = folder.0.join("alone");
    ludex(&["solve", "tictactoe", "--store", alone.to_str().expect("a plain name")]).ends_with(0);
    let hosts = hosts(&folder.0, 2);
    let running: Vec<Child> = (0..2)
        .map(|number| process("tictactoe", &folder.0, &hosts, number, &["--supervise", "20"]))
        .collect();
    // Killed as soon as there is something to go on with, twice if it is not finished by then.
    let work = folder.0.join("store/cluster");
    let mut kills = 0;
    for entry in ["log-00000003", "log-00000008"] {
        while !work.join(entry).exists() && !folder.0.join("store/manifest").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let supervisor = running[1].id();
        let children = std::fs::read_to_string(format!("/proc/{supervisor}/task/{supervisor}/children"));
        let Some(child) = children.ok().and_then(|all| all.split(' ').next()?.parse::<u32>().ok()) else {
            continue;
        };
        let killed =
            Command::new("kill").args(["-9", &child.to_string()]).status().expect("a shell's command");
        kills += i32::from(killed.success());
    }
    for child in running {
        let (status, out, err) = ended(child);
        assert_eq!(status, Some(0), "{out}{err}");
    }
    assert!(kills > 0, "nothing was killed");
    assert!(contents(&alone) == contents(&folder.0.join("store")));
    // A finished run is told again.
    let again = process("tictactoe", &folder.0, &hosts, 0, &[]);
    assert_eq!(ended(again).0, Some(0));
}
