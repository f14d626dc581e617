#!/usr/bin/env python3
"""Compares what `auto` takes with its members, sheet by sheet.

    scripts/auto-table.py [--seconds=S] [--games=NAME,...] [--every=N]

For every public sheet ($LUDEX_SHARED/games, ../shared/games), or every Nth, runs `ludex bench` for S seconds (0.3) with each
engine and without `--engine`, and prints a line where auto played less than 0.9 of the fastest member's states a second of
processor time, even in the best of three further runs of each, in turns and of three times the length; at the end how many
sheets there were and the lowest ratio.
LUDEX names the binary, target/release/ludex unless said. Python 3, standard library only.
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
GAMES = pathlib.Path(os.environ.get("LUDEX_SHARED", str(ROOT / "../shared"))) / "games"
PATIENCE = 120
ENGINES = ["datalog", "tree", "propnet"]
AIM = 0.9


def speed(sheet, seconds, engine=None):
    """The engine's name and states a second, or None if it declines or takes too long."""
    chosen = ["--engine", engine] if engine else []
    command = [LUDEX, "bench", str(sheet), *chosen, "--seconds", str(seconds), "--json"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode != 0:
        return None
    figures = json.loads(run.stdout)
    return figures["engine"], figures["transitions"] / max(figures["cpu_seconds"], 1e-9)


def compare(sheet, seconds, runs=1, engines=ENGINES):
    """What auto took, its ratio to the best member, and the members by speed; None if nothing runs."""
    fastest = {}
    for _ in range(runs):
        for name in [*engines, None]:
            measured = speed(sheet, seconds, name)
            if measured and measured[1] > fastest.get(name, ("", -1.0))[1]:
                fastest[name] = measured
    chosen = fastest.pop(None, None)
    if not chosen or not fastest:
        return None
    members = sorted(((name, rate) for name, (_, rate) in fastest.items()), key=lambda member: -member[1])
    return chosen[0], chosen[1] / max(members[0][1], 1e-9), members


def main():
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:])
    seconds = float(options.get("seconds", 0.3))
    sheets = sorted(GAMES.glob("*.kif"))[:: int(options.get("every", 1))]
    if "games" in options:
        sheets = [GAMES / f"{name}.kif" for name in options["games"].split(",")]
    ratios = []
    for sheet in sheets:
        found = compare(sheet, seconds)
        if found and found[1] < AIM:
            # Who is far behind need not run again.
            near = [name for name, rate in found[2] if 2 * rate > found[2][0][1]]
            found = compare(sheet, 3 * seconds, 3, near)
        if not found:
            print(f"{sheet.stem}: nothing to compare", flush=True)
            continue
        chosen, ratio, [(best, rate), *_] = found
        ratios.append((ratio, sheet.stem))
        if ratio < AIM:
            print(f"{sheet.stem}: {chosen} at {ratio:.2f} of {best} ({rate:.3g} states/s)", flush=True)
    below = sum(ratio < AIM for ratio, _ in ratios)
    print(f"{len(ratios)} sheets, {below} below {AIM}; lowest {min(ratios)[0]:.2f} ({min(ratios)[1]})")


if __name__ == "__main__":
    main()
