#!/usr/bin/env python3
"""Prints the tables of docs/endgames.md: the paper's measurements beside ours, and what invariants are worth.

    scripts/endgame-paper.py [--ludex PROGRAM]

Times are processor seconds of the whole build, from the text of the rules to the finished file, the least of five runs.
"""

import argparse
import json
import subprocess
import tempfile

# From the paper: seconds by depth (tables 4, 5, 6), and by number of lookups (tables 2, 3).
BUILD = {"tictactoe": {"paper": [0.125, 0.37, 34.78, 68.47]}, "maze": {"paper": [0.0, 0.1, 3.49, None]}}
MAZE_STRIPS = [0.0, 0.2, 0.2525, 1.36875]
LOOKUPS = {"tictactoe": {500: 6.13, 1000: 12.11, 5000: 61.08, 10000: 122.93},
           "maze": {500: 0.08, 1000: 0.12, 5000: 0.44, 10000: 0.84}}


def ludex(program, *arguments):
    run = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout.splitlines()[-1])


def build(program, path, game, *options):
    runs = [ludex(program, "endgame", "build", game, "-o", path, "--time", "1000", *options) for _ in range(5)]
    return min(runs, key=lambda run: run["cpu_seconds"])


def show(rows):
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ludex", default="target/release/ludex")
    program = parser.parse_args().ludex
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/out.end"
        for game, table in BUILD.items():
            rows = [[game, "paper s", "add/delete lists, paper s" if game == "maze" else "-", "ours s",
                     "without the short way s", "entries"], ["---"] * 6]
            for depth in ["1", "2", "3", "4", None]:
                options = ["--depth", depth] if depth else []
                ours = build(program, path, game, *options)
                plain = build(program, path, game, "--no-strips", *options)
                at = int(depth) - 1 if depth else None
                paper = table["paper"][at] if at is not None else None
                strips = MAZE_STRIPS[at] if game == "maze" and at is not None else None
                rows.append([depth or f"{ours['depth']} (all)", "-" if paper is None else paper,
                             "-" if strips is None else strips, f"{ours['cpu_seconds']:.4f}",
                             f"{plain['cpu_seconds']:.4f}", ours["entries"]])
            show(rows)
        rows = [["lookups", "tictactoe, paper s", "ours s", "maze, paper s", "ours s"], ["---"] * 5]
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
        show(rows)
        rows = [["game", "depth", "groups", "joint moves", "entries", "ghosts", "CPU s"], ["---"] * 7]
        for game, depth in [("maze", "8"), ("nim", "16"), ("tictactoe", "1"), ("tictactoe", "2"), ("tictactoe", "3"),
                            ("racetoten", "5"), ("threeway", "3"), ("hanoi", "15")]:
            for options in [[], ["--no-invariants"]]:
                run = build(program, path, game, "--depth", depth, *options)
                ghosts = "-"
                if run["entries"] <= 300_000:
                    info = ludex(program, "endgame", "info", path, "--ghosts")
                    ghosts = f"{100 * info['ghosts'] / max(1, run['entries']):.1f}%"
                rows.append([game + (" without" if options else ""), depth, run["groups"], run["joint_moves"],
                             run["entries"], ghosts, f"{run['cpu_seconds']:.4f}"])
        show(rows)


if __name__ == "__main__":
    main()
