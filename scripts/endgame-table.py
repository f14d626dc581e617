#!/usr/bin/env python3
"""Regresses the goals of every sheet in a folder, prints one line a sheet, tab-separated, and records them: records/endgame-sheets.csv.

    scripts/endgame-table.py FOLDER [--seconds S] [--depth N] [--memory M] [--ludex PROGRAM] [--only PART] [--order FILE]

--order names a file with sheets in the order in which to run them, one a line; the others come last.

Columns: sheet, depth that all roles and kinds reached, whether nothing lies beyond, entries, seconds, exactly-one
groups, joint moves, whether all of them add and delete fixed fluents, and why it stopped. A closing line on
standard error counts the sheets that reached depth 3, or everything there is. With --only nothing is recorded.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import records

COLUMNS = ["sheet", "depth", "complete", "entries", "seconds", "groups", "joint_moves", "add_and_delete", "stopped_by"]


def regress(program, sheet, arguments, output):
    command = [program, "endgame", "build", str(sheet), "--depth", str(arguments.depth), "--json",
               "--time", str(arguments.seconds), "--memory", str(arguments.memory), "-o", output]
    try:
        # Reading the rules has limits of its own; a sheet that takes far longer than asked is a fault to see.
        run = subprocess.run(command, capture_output=True, text=True, timeout=60 + 5 * arguments.seconds)
    except subprocess.TimeoutExpired:
        return {"limit": "did not end in time"}
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines()
        return {"limit": lines[0].removeprefix("error: ") if lines else f"status {run.returncode}"}
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--memory", type=int, default=20)
    parser.add_argument("--ludex", default="target/release/ludex")
    parser.add_argument("--only", default="")
    parser.add_argument("--order", type=pathlib.Path)
    arguments = parser.parse_args()
    sheets = sorted(path for path in arguments.folder.iterdir()
                    if path.suffix in (".kif", ".gdl") and arguments.only in path.name)
    if arguments.order:
        place = {name: at for at, name in enumerate(arguments.order.read_text().split())}
        sheets.sort(key=lambda path: place.get(path.stem, len(place)))
    reached = 0
    rows = []
    print("\t".join(COLUMNS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for sheet in sheets:
            found = regress(arguments.ludex, sheet, arguments, f"{folder}/out.end")
            depth, complete = found.get("depth"), found.get("complete", False)
            reached += complete or (depth is not None and depth >= 3)
            row = [sheet.stem, "" if depth is None else depth, "yes" if complete else "no",
                   found.get("entries", ""), f"{found['seconds']:.2f}" if "seconds" in found else "",
                   found.get("groups", ""), found.get("joint_moves", ""),
                   {True: "yes", False: "no"}.get(found.get("strips"), ""), found.get("limit") or ""]
            rows.append(row)
            print("\t".join(str(value) for value in row), flush=True)
    print(f"{reached} of {len(sheets)} sheets reached depth 3 or everything there is", file=sys.stderr)
    if not arguments.only:
        about = (f"Goal regression on every public sheet: depth {arguments.depth} asked for, {arguments.seconds:g} seconds of "
                 f"the clock, {arguments.memory} million diagram nodes")
        command = f"scripts/endgame-table.py FOLDER --seconds {arguments.seconds:g} --depth {arguments.depth} --memory {arguments.memory}"
        records.write("endgame-sheets", COLUMNS, rows, about, command)


if __name__ == "__main__":
    main()
