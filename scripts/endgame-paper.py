#!/usr/bin/env python3
"""Records end-game databases beside the paper's figures, and what invariants are worth: records/endgame-*.csv.

    scripts/endgame-paper.py [--ludex PROGRAM]

Times are processor seconds of the whole build, from the text of the rules to the finished file, the least of five runs;
a build that takes a second or more is run once. A build without invariants is stopped after 20 seconds of the clock.
"""

import argparse
import json
import subprocess
import tempfile

import records

# From the paper: seconds by depth (tables 4, 5, 6), and by number of lookups (tables 2, 3).
BUILD = {"tictactoe": {"paper": [0.125, 0.37, 34.78, 68.47]}, "maze": {"paper": [0.0, 0.1, 3.49, None]}}
MAZE_STRIPS = [0.0, 0.2, 0.2525, 1.36875]
LOOKUPS = {"tictactoe": {500: 6.13, 1000: 12.11, 5000: 61.08, 10000: 122.93},
           "maze": {500: 0.08, 1000: 0.12, 5000: 0.44, 10000: 0.84}}


def ludex(program, *arguments):
    run = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def build(program, path, game, *options, seconds=1000):
    """The quickest of some builds."""
    command = ["endgame", "build", game, "-o", path, "--time", str(seconds), *options]
    runs = [ludex(program, *command)]
    while runs[0]["cpu_seconds"] < 1 and len(runs) < 5:
        runs.append(ludex(program, *command))
    return min(runs, key=lambda run: run["cpu_seconds"])


def ghosts(program, path, entries):
    if not 0 < entries <= 300_000:
        return ""
    return f"{100 * ludex(program, 'endgame', 'info', path, '--ghosts')['ghosts'] / entries:.0f}"


def write(name, columns, rows, about):
    records.write(name, columns, rows, about, "scripts/endgame-paper.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ludex", default="target/release/ludex")
    program = parser.parse_args().ludex
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/out.end"
        rows = []
        for game, table in BUILD.items():
            for depth in ["1", "2", "3", "4", None]:
                options = ["--depth", depth] if depth else []
                ours = build(program, path, game, *options)
                plain = build(program, path, game, "--no-strips", *options)
                at = int(depth) - 1 if depth else None
                paper = table["paper"][at] if at is not None else None
                strips = MAZE_STRIPS[at] if game == "maze" and at is not None else None
                rows.append([game, depth or "all", "" if paper is None else paper, "" if strips is None else strips,
                             f"{ours['cpu_seconds']:.4f}", f"{plain['cpu_seconds']:.4f}", ours["entries"]])
        write("endgame-build", ["game", "depth", "paper_seconds", "paper_seconds_strips_aware", "seconds",
                                "seconds_without_strips", "entries"], rows,
              "Building end-game databases beside the paper's tables 4 to 6: processor seconds from the text of the rules to "
              "the file, least of five runs; both kinds of entry and both roles are in ours, reachable entries in the paper's")
        rows = []
        times = {}
        for game in LOOKUPS:
            build(program, path, game, "--depth", "3")
            times[game] = {n: ludex(program, "endgame", "info", path, "--lookups", str(n))["lookup_microseconds"] * n / 1e6
                           for n in LOOKUPS[game]}
            opened = ludex(program, "endgame", "info", path, "--lookups", "1000000")
            print(f"{game}: a lookup {opened['lookup_microseconds']:.3f} microseconds over a million, "
                  f"opening {opened['open_microseconds']:.0f} microseconds, {opened['bytes']} bytes\n")
        for n in LOOKUPS["maze"]:
            rows.append([n, LOOKUPS["tictactoe"][n], f"{times['tictactoe'][n]:.6f}", LOOKUPS["maze"][n],
                         f"{times['maze'][n]:.6f}"])
        write("endgame-lookups", ["lookups", "tictactoe_paper_seconds", "tictactoe_seconds", "maze_paper_seconds",
                                  "maze_seconds"], rows,
              "Lookups in a database of depth 3 beside the paper's tables 2 and 3")
        rows = []
        assumed = [("none", ["--no-invariants"]), ("found on the way", []), ("and proved", ["--prove", "20"])]
        for game, depth in [("maze", None), ("nim", None), ("racetoten", None), ("threeway", "3"), ("hanoi", None),
                            ("tictactoe", "1"), ("tictactoe", "3")]:
            for name, options in assumed:
                asked = ["--depth", depth] if depth else []
                try:
                    run = build(program, path, game, *asked, *options, seconds=20)
                except subprocess.CalledProcessError as error:
                    rows.append([game, depth or "all", name, "", "", "", "", "", error.stderr.splitlines()[0]])
                    continue
                remark = f"stopped at depth {run['depth']}" if run["limit"] else ""
                rows.append([game, depth or "all", name, run["groups"], run["joint_moves"], run["entries"],
                             ghosts(program, path, run["entries"]), f"{run['cpu_seconds']:.4f}", remark])
        write("endgame-invariants", ["game", "depth", "assumed", "groups", "joint_moves", "entries", "ghosts_percent",
                                     "cpu_seconds", "remark"], rows,
              "What invariants are worth to regression. Ghosts are entries that no reachable state meets; builds are stopped "
              "after 20 seconds of the clock; the proving itself is not in the seconds")


if __name__ == "__main__":
    main()
