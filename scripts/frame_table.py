#!/usr/bin/env python3
"""Records the rows of the frame paper's Table 1, and how long translation takes: records/frame-*.csv.

    cargo build --release
    python3 scripts/frame_table.py                  # all of it
    python3 scripts/frame_table.py --only counts    # one of: counts, times, bounds, translation
    python3 scripts/frame_table.py --only instructions    # original and relevant, printed, not recorded: slow

Reads $LUDEX_SHARED/papers/frame-problem-table1.tsv (else ../shared/...) and the sheets it names. Counts are of the
paper's depth, on the engine that `auto` takes. Times are processor seconds of the search of `ludex minimax
--ignore-terminal`, the best of three to twelve runs of each encoding, which take turns, at the greatest depth up to the
paper's with at most $STATES states (60000 by default) that the original searches within $CELL seconds (10) on that
engine: the table is about ratios, which hardly depend on the depth. What `auto` takes is asked once; it then searches as
that encoding does, so its time is that encoding's. Bounds are for the rows where the paper's pruned encoding gains 2x:
the part of the instructions of a search in the original encoding that computes successors (valgrind's callgrind, at most
2000 states), and the gain if successors cost nothing. ROWS names the games to measure, by
commas, all by default. LUDEX names the binary, if it is not target/release/ludex. Standard library only.
"""

import csv
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
ROWS = [name for name in os.environ.get("ROWS", "").split(",") if name]
STATES = int(os.environ.get("STATES", "60000"))
CELL = float(os.environ.get("CELL", "10"))
ENCODINGS = ["original", "direct", "pruned", "relevant"]
# Processor seconds of one command.
PATIENCE = int(os.environ.get("PATIENCE", "300"))
# Runs of each encoding: so many, and of short searches more, until an encoding has taken a second.
ROUNDS = 3
MOST_ROUNDS = 12


def run(arguments):
    """(standard output, processor seconds), or (None, why not)."""
    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 1))

    before = os.times()
    done = subprocess.run(
        [LUDEX, *arguments], capture_output=True, text=True, encoding="utf-8", errors="replace", preexec_fn=bounded
    )
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode == -signal.SIGXCPU:
        return None, f"more than {PATIENCE} s"
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"status {done.returncode}"
    return done.stdout, seconds


def minimax(sheet, depth, engine, encoding):
    """The answer of `ludex minimax`, or why there is none."""
    arguments = ["minimax", str(sheet), "--depth", str(depth), "--ignore-terminal", "--json"]
    text, why = run([*arguments, "--engine", engine, "--encoding", encoding])
    return why if text is None else json.loads(text)


def rows():
    path = SHARED / "papers/frame-problem-table1.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if not ROWS or row["game"] in ROWS]


def sheet_of(row):
    return None if row["sheet"] == "-" else SHARED / "games" / row["sheet"]


def rows_with_sheets():
    """The rows that there is a sheet for, with it and the gain of the paper's pruned encoding."""
    for row in rows():
        sheet = sheet_of(row)
        if sheet is not None:
            yield row, sheet, float(row["original_s"]) / float(row["pruned_s"])


def agrees(states, paper):
    """Whether the count is the paper's, which gives three digits of thousands; a half may be rounded either way."""
    unit = 10.0 ** (len(str(int(float(paper)))) - 3) if float(paper) >= 1 else 0.001
    return abs(states / 1000 - float(paper)) <= unit / 2 + 1e-9


def write(name, columns, found, about, part):
    """A record; the environment is part of the command."""
    set_ = "".join(f"{key}={os.environ[key]} " for key in ["ROWS", "STATES", "CELL", "PATIENCE"] if key in os.environ)
    records.write(name, columns, found, about, f"{set_}scripts/frame_table.py --only {part}")


def noted(found, row):
    found.append(row)
    print(*row, sep="\t", flush=True)


def counts():
    found = []
    for row in rows():
        sheet = sheet_of(row)
        cells = [row["game"], row["depth"], row["kilostates"]]
        if sheet is None:
            noted(found, [*cells, "no such sheet", ""])
            continue
        answer = minimax(sheet, row["depth"], "auto", "original")
        if isinstance(answer, str):
            noted(found, [*cells, answer, ""])
            continue
        same = agrees(answer["states"], row["kilostates"])
        noted(found, [*cells, answer["states"], "yes" if same else "no"])
    about = "Visited states of full-width search to the depth of the paper's Table 1, terminal states expanded"
    write("frame-counts", ["game", "depth", "paper_kilostates", "states", "agrees"], found, about, "counts")


def measured_depth(sheet, most, engine):
    """(the greatest depth up to `most` within STATES and CELL, None), or (1, why not even that)."""
    depth = 0
    while depth < most:
        answer = minimax(sheet, depth + 1, engine, "original")
        if isinstance(answer, str):
            return max(depth, 1), answer if depth == 0 else None
        if depth > 0 and (answer["states"] > STATES or answer["seconds"] > CELL):
            break
        depth += 1
    return depth, None


def turns(sheet, depth, engine):
    """The best answer in each encoding and the encoding that `auto` takes, or why there is none."""
    best = {}
    rounds, spent = 0, 0.0
    while rounds < ROUNDS or (rounds < MOST_ROUNDS and spent < 1.0):
        rounds += 1
        for encoding in ENCODINGS:
            answer = minimax(sheet, depth, engine, encoding)
            if isinstance(answer, str):
                return f"{encoding}: {answer}"
            spent += answer["seconds"] / len(ENCODINGS)
            if encoding not in best or answer["seconds"] < best[encoding]["seconds"]:
                best[encoding] = answer
    auto = minimax(sheet, depth, engine, "auto")
    if isinstance(auto, str):
        return f"auto: {auto}"
    for answer in [*best.values(), auto]:
        same = all(answer[key] == best["original"][key] for key in ["states", "value"])
        assert same, f"{sheet}: {answer} {best['original']}"
    return best, auto["encoding"]


def times():
    found = []
    for engine in ["datalog", "tree"]:
        for row, sheet, paper in rows_with_sheets():
            depth, why = measured_depth(sheet, int(row["depth"]), engine)
            answers = why or turns(sheet, depth, engine)
            if isinstance(answers, str):
                print(f"{engine} {row['game']}: {answers}", file=sys.stderr)
                continue
            best, auto = answers
            seconds = [f"{best[encoding]['seconds']:.4f}" for encoding in ENCODINGS]
            noted(found, [engine, row["game"], depth, best["original"]["states"], *seconds, auto, f"{paper:.2f}"])
    columns = ["engine", "game", "depth", "states", *ENCODINGS, "auto_takes", "paper_gain"]
    about = "Processor seconds of full-width search in each encoding, the best of three to twelve runs in turns"
    write("frame-times", columns, found, about, "times")


def counted(sheet, depth, engine, encoding):
    """Instructions of the whole search, and of its successors."""
    with tempfile.TemporaryDirectory() as folder:
        profile = f"{folder}/profile"
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", f"--log-file={folder}/log"]
        search = [LUDEX, "minimax", str(sheet), "--depth", str(depth), "--ignore-terminal", "--engine", engine]
        search += ["--encoding", encoding]
        subprocess.run([*tool, *search, "--json"], check=True, stdout=subprocess.DEVNULL)
        annotate = ["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile]
        text = subprocess.run(annotate, capture_output=True, text=True, check=True).stdout
    # A function that calls itself, or is known by two files, has several lines; the largest is the whole.
    def most(pattern):
        found = [line.split()[0] for line in text.splitlines() if re.search(pattern, line)]
        return max((int(number.replace(",", "")) for number in found), default=0)

    return most(r"ludex_search::minimax::search( |$)"), most(r"as ludex_engine::engine::Worker>::next( |$)")


def shallow(row, sheet, engine):
    """The greatest depth up to the paper's with at most 2000 states, and at least 1."""
    depth = 1
    while depth < int(row["depth"]):
        answer = minimax(sheet, depth + 1, engine, "original")
        if isinstance(answer, str) or answer["states"] > 2000:
            break
        depth += 1
    return depth


def instructions():
    print("### Instructions\n")
    print("| game | engine | depth | original | relevant | relevant/original |\n|---|---|---:|---:|---:|---:|")
    for row, sheet, _ in rows_with_sheets():
        for engine in ["datalog", "tree"]:
            depth = shallow(row, sheet, engine)
            original, relevant = (counted(sheet, depth, engine, name)[0] for name in ["original", "relevant"])
            cells = [row["game"], engine, depth, f"{original:,}", f"{relevant:,}", f"{relevant / original:.2f}"]
            print("|", " | ".join(map(str, cells)), "|", flush=True)
    print()


def bounds():
    found = []
    for row, sheet, paper in rows_with_sheets():
        if paper < 2:
            continue
        for engine in ["datalog", "tree"]:
            depth = shallow(row, sheet, engine)
            whole, successors = counted(sheet, depth, engine, "original")
            share = successors / whole
            noted(found, [row["game"], engine, depth, whole, f"{100 * share:.0f}", f"{1 / (1 - share):.2f}", f"{paper:.2f}"])
    columns = ["game", "engine", "depth", "instructions", "successors_percent", "gain_at_most", "paper_gain"]
    about = ("The part of the instructions of a search in the original encoding that computes successors, and the gain if "
             "successors cost nothing (valgrind's callgrind)")
    write("frame-bounds", columns, found, about, "bounds")


def translation():
    worst, number = [], 0
    for sheet in sorted((SHARED / "games").glob("*.kif")):
        for covering in ENCODINGS[1:]:
            text, seconds = run(["frame", str(sheet), "--covering", covering])
            number += 1
            if text is None:
                print(f"{sheet.stem}, {covering}: {seconds}", file=sys.stderr)
                continue
            worst.append((seconds, sheet.stem, covering, sheet.stat().st_size))
    found = [[name, covering, size, f"{seconds:.2f}"] for seconds, name, covering, size in sorted(worst, reverse=True)[:10]]
    about = (f"Processor seconds of `ludex frame`, from the text to the printed translation: the ten longest of {number} runs, "
             "all public sheets in three coverings")
    write("frame-translation", ["sheet", "covering", "bytes", "seconds"], found, about, "translation")


def main():
    parts = {"counts": counts, "times": times, "bounds": bounds, "translation": translation}
    arguments = sys.argv[1:]
    if arguments[:1] == ["--only"] and len(arguments) == 2:
        return (parts | {"instructions": instructions})[arguments[1]]()
    if arguments:
        sys.exit(__doc__)
    for part in parts.values():
        part()


if __name__ == "__main__":
    main()
