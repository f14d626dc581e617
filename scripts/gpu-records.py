#!/usr/bin/env python3
"""What scripts/gpu-suite.sh has written, as records.

    scripts/gpu-records.py FOLDER MACHINE

Tables that are not in FOLDER leave their records as they are; so do games of which the run has no figure.
"""

import csv
import json
import pathlib
import sys

import records

COMMAND = "scripts/gpu-suite.sh FOLDER"


def layout(shape):
    """In words; a shape that was asked for by its numbers begins with a letter for it."""
    return "table in the device's memory" if shape.startswith("r") else shape


def read(folder, name):
    """The rows of a table of the run, none if it was not made."""
    path = folder / name
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def about(name):
    """What the record has been about."""
    return next(record["about"] for record in records.read_index() if record["name"] == name)


def games(folder, machine):
    """Random play in the games of the page. What others reach stands in the record and stays."""
    measured = {row["game"]: row for row in read(folder, "games.csv") if row["states_s"]}
    if not measured:
        return
    rows = records.read("gpu")
    columns = list(rows[0])
    for row in rows:
        found = measured.get(row["game"])
        if found and layout(found["shape"]) == row["layout"]:
            row["giga_states_per_second"] = f"{float(found['states_s']) / 1e9:.3g}"
            row["compile_seconds"] = found["compile_s"]
            row["cached_seconds"] = found["cached_s"]
            row["worst_deviation"] = found["worst"]
    records.write("gpu", columns, [list(row.values()) for row in rows], about("gpu"), COMMAND, machine)


def sheets(folder, machine):
    """Every sheet: how fast, or why not. One that was left out for want of time keeps what was known of it."""
    found = read(folder, "sheets.csv")
    if not found:
        return
    known = {row["sheet"]: list(row.values()) for row in records.read("gpu-sheets")}
    for row in found:
        if row["why_not"].startswith(("left out", "LEFT OUT")) and row["game"] in known:
            continue
        played = [layout(row["shape"]), row["gates"], row["ops"], row["compile_s"], row["states_s"], row["worst"], ""]
        why = ["", "", "", "", "", "", row["why_not"]]
        known[row["game"]] = [row["game"], *(played if row["states_s"] else why)]
    columns = list(records.read("gpu-sheets")[0])
    about_sheets = "Every public sheet on one GPU: compiled, compared with the CPU lanes, measured for a moment"
    rows = [known[sheet] for sheet in sorted(known)]
    records.write("gpu-sheets", columns, rows, about_sheets, COMMAND, machine)


def leaves(folder, machine):
    """Leaves of a search: a batch by itself, and a tree on either."""
    batches = read(folder, "leaves.csv")
    if not batches:
        return
    trees = {}
    if (folder / "trees.txt").exists():
        for line in (folder / "trees.txt").read_text(encoding="utf-8").splitlines():
            device, answer = line.split(" ", 1)
            answer = json.loads(answer)
            if (answer["mode"] == "leaves-cuda") == (device == "cuda"):
                trees[answer["game"], device] = answer["transitions"] / answer["cpu_seconds"]
    columns = ["game", "states", "games_a_state", "batch_ms", "states_a_second", "on_one_core",
               "of_a_tree", "of_a_tree_on_one_core", "worst_deviation", "why_not"]
    rows = []
    for row in batches:
        of_trees = [trees.get((row["game"], device)) for device in ("cuda", "cpu")]
        rows.append([
            row["game"], row["states"], row["games_a_state"], row["batch_ms"], row["gpu_states_s"],
            row["cpu_states_s"], *(f"{rate:.0f}" if rate else "" for rate in of_trees), row["worst"], row["why_not"],
        ])
    text = "Leaves of a search valued a second, by a GPU and by the lanes of one core, alone and in a tree of one thread"
    records.write("gpu-leaves", columns, rows, text, COMMAND, machine)


def main():
    folder, machine = pathlib.Path(sys.argv[1]), sys.argv[2]
    games(folder, machine)
    sheets(folder, machine)
    leaves(folder, machine)


main()
