#!/usr/bin/env python3
"""How far the searches for one come on every sheet for one role: records/puzzles.csv.

    scripts/puzzles.py FOLDER [--seconds S] [--binary FILE] [SHEET...]

FOLDER holds .kif sheets; those with one role are searched for S seconds of processor time each (10 by default), by the
example `puzzles` of ludex-search, which is compiled first unless FILE is given. With SHEET only those are searched, and the
others keep their rows. A sheet whose engine is not made in a minute, or that needs more than three times its time, is
recorded as such. Python 3, standard library only.
"""

import argparse
import csv
import pathlib
import re
import subprocess

import records

COLUMNS = ["sheet", "seconds", "engine", "goal", "after", "moves", "known to be the best"]


def roles(text):
    """How many roles a sheet names."""
    text = re.sub(r";.*", "", text)
    return len(set(re.findall(r"\(\s*role\s+([^\s()?]+)\s*\)", text, re.I)))


def search(binary, sheet, seconds):
    """The row of a sheet."""
    command = [binary, "--seconds", str(seconds), str(sheet)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300 + 6 * seconds, check=False)
    except subprocess.TimeoutExpired:
        return [sheet.stem, seconds, "not in time", "", "", "", ""]
    told = done.stdout.strip().partition(": ")[2]
    engine, _, rest = told.partition(";")
    if ";" not in rest:
        return [sheet.stem, seconds, (told or done.stderr.strip().splitlines()[-1])[:60], "", "", "", ""]
    found = re.findall(r"(-?\d+) after ([\d.]+) s in (\d+) moves", rest)
    goal, after, moves = found[-1] if found else ("", "", "")
    return [sheet.stem, seconds, engine, goal, after, moves, "yes" if " best;" in rest else ""]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("sheets", nargs="*")
    arguments.add_argument("--seconds", type=int, default=10)
    arguments.add_argument("--binary")
    given = arguments.parse_args()
    binary = given.binary
    if not binary:
        build = ["cargo", "build", "--release", "--locked", "-p", "ludex-search", "--example", "puzzles"]
        subprocess.run(build, cwd=records.ROOT, check=True)
        binary = records.ROOT / "target/release/examples/puzzles"
    rows = {}
    known = records.RECORDS / "puzzles.csv"
    if given.sheets and known.exists():
        with open(known, encoding="utf-8", newline="") as file:
            rows = {row[0]: row for row in list(csv.reader(file))[1:]}
    for sheet in sorted(given.folder.glob("*.kif")):
        if given.sheets and sheet.stem not in given.sheets:
            continue
        if roles(sheet.read_text(encoding="utf-8", errors="replace")) != 1:
            continue
        rows[sheet.stem] = search(binary, sheet, given.seconds)
        print(*rows[sheet.stem], sep=",", flush=True)
    about = "Games for one: the best goal that the searches in turns found within so many seconds of processor time, " \
        "when, and in how many moves; one thread, 1 GiB"
    records.write("puzzles", COLUMNS, sorted(rows.values()), about, "scripts/puzzles.py FOLDER --seconds 10")


if __name__ == "__main__":
    main()
