#!/usr/bin/env python3
"""Kills `ludex solve --store` at random moments, again and again, and resumes it: the folder must end with the same bytes.

    scripts/kill-solve.py connectfour4x4 --kills 100
    scripts/kill-solve.py tictactoe --kills 20 --cycles
    scripts/kill-solve.py tictactoe --kills 20 --processes 2

A run that ends before its kill begins anew in another folder, until the number of kills is reached. With --processes one
process of a cluster is killed at a time, and those that supervise begin anew; this needs a build with that feature.
"""

import argparse
import hashlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


def digest(folder):
    """A hash of the files of a folder, but the lock."""
    hashed = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.name != "lock" and path.is_file():
            hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    return hashed.hexdigest()


def children(process):
    """The processes that a process has started."""
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def clusters(args, rng, place, expected, length, options):
    """Kills processes of clusters; returns how many, in how many runs."""
    kills = runs = 0
    while kills < args.kills:
        folder = place / f"run-{runs}"
        runs += 1
        listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(args.processes)]
        hosts = place / "hosts"
        hosts.write_text("".join(f"127.0.0.1:{listener.getsockname()[1]}\n" for listener in listeners))
        for listener in listeners:
            listener.close()
        command = [args.ludex, "solve", args.game, "--store", folder, "--workers", "1", "--hosts", hosts, "--supervise", "1000", "--memory", "64", *options]
        running = [subprocess.Popen([*command, "--process", str(number), "--scratch", place / f"scratch-{number}"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) for number in range(args.processes)]
        while any(process.poll() is None for process in running):
            time.sleep(rng.random() * length * 2)
            victims = [child for process in running if process.poll() is None for child in children(process.pid)]
            if victims and kills < args.kills:
                try:
                    os.kill(rng.choice(victims), signal.SIGKILL)
                    kills += 1
                except ProcessLookupError:
                    pass
        for process in running:
            _, errors = process.communicate()
            if process.returncode != 0:
                sys.exit(f"{args.game}: a cluster did not end: {errors}")
        if digest(folder) != expected:
            sys.exit(f"{args.game}: another result after {kills} kills, in {folder}")
        shutil.rmtree(folder)
    return kills, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", action="store_true", help="solve the game as one with cycles")
    parser.add_argument("--processes", type=int, help="solve by so many processes")
    parser.add_argument("--ludex", default="target/release/ludex")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    place = pathlib.Path(tempfile.mkdtemp(prefix="kill-solve-"))
    options = ["--no-counter"] if args.cycles else []
    common = ["--memory", "64", "--json"]
    try:
        whole = place / "whole"
        started = time.monotonic()
        subprocess.run([args.ludex, "solve", args.game, "--store", whole, *options, *common], check=True, stdout=subprocess.DEVNULL)
        length = time.monotonic() - started
        expected = digest(whole)
        kills = runs = 0
        if args.processes:
            kills, runs = clusters(args, rng, place, expected, length, options)
        while kills < args.kills:
            folder = place / f"run-{runs}"
            runs += 1
            begun = False
            while True:
                start = ["solve", "--resume", folder] if begun else ["solve", args.game, "--store", folder, *options]
                process = subprocess.Popen([args.ludex, *start, *common], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                try:
                    _, errors = process.communicate(timeout=rng.random() * length / 2 if kills < args.kills else None)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    kills += 1
                    begun = (folder / "manifest").exists()
                    continue
                if process.returncode != 0:
                    sys.exit(f"{args.game}: a run was not resumed: {errors}")
                break
            if digest(folder) != expected:
                sys.exit(f"{args.game}: another result after {kills} kills, in {folder}")
            shutil.rmtree(folder)
        print(f"{args.game}: {kills} kills in {runs} runs, the same bytes each time")
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
