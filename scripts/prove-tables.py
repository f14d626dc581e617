#!/usr/bin/env python3
"""Measures the prover: records/prove-figure2.csv, records/prove-discover.csv and records/prove-well-formed.csv.

    scripts/prove-tables.py figure2 [--clingo PROGRAM] [GAME...]
                                                           seven games, three properties, SAT against clingo
    scripts/prove-tables.py discover [--time S] [--minutes M] [GAME...]
                                                           what discovery proves on the public sheets, small ones first
    scripts/prove-tables.py well-formed [--time S] [--every N] [--minutes M] [GAME...]
                                                           whether the public sheets are well-formed, or every N-th

Run from the root of the repository after `cargo build --release`. The sheets are looked for at $LUDEX_SHARED, else
at ../shared. Times are processor time, user and system, of whole programs, the least of three runs or, of short ones, up to nine. Where
clingo is the Python package, most of its time on a small game is starting; "inside" is what reading, grounding and solving alone
take in a fresh process. Programs are those of `--emit asp`: base case, lemmas, induction step.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent
LUDEX = ROOT / "target/release/ludex"
SHARED = pathlib.Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))

# Table C of the public sheets: the sheet, and the fluent of the persistence column.
GAMES = [
    ("3pttc", "cell(_,_,blue)", "yes no yes"),
    ("biddingtictactoe", "not cell(_,_,b)", "no yes no"),
    ("connect4", "cell(_,_,r)", "yes yes yes"),
    ("endgame", "not cell(_,_,wk)", "yes no yes"),
    ("othello-comp2007", "cell(_,_,red)", "yes no yes"),
    ("tictactoe", "not cell(_,_,b)", "yes yes yes"),
    ("tttcc4", "cell(_,_,redpawn)", "yes no yes"),
]


def cpu(command, text=None, timeout=None):
    """The processor time and the standard output of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def least(command, text=None):
    """The run that took least processor time, of three, or more of those that are short."""
    runs = [cpu(command, text) for _ in range(3)]
    while len(runs) < 9 and sum(seconds for seconds, _ in runs) < 0.5:
        runs.append(cpu(command, text))
    return min(runs)


# Clingo on the program on standard input, inside the interpreter that its package is installed for: the processor time of
# reading, grounding and solving alone.
INSIDE = """
import clingo, sys, time
program = sys.stdin.read()
started = time.process_time()
control = clingo.Control(["--warn=none", "--models=1"])
control.add("base", [], program)
control.ground([("base", [])])
control.solve()
print(time.process_time() - started)
"""


def clingo_inside(clingo, program):
    """As INSIDE, the least of five; none where clingo is not the Python package."""
    python = pathlib.Path(clingo).parent / "python"
    if not python.exists():
        return None
    return min(float(cpu([str(python), "-c", INSIDE], program)[1]) for _ in range(5))


def sheet(game):
    return str(SHARED / "games" / f"{game}.kif")


def figure2(args):
    """Of the games that are named, or all."""
    clingo = args.clingo or subprocess.run(
        ["bash", str(ROOT / "scripts/get-clingo.sh")], capture_output=True, text=True, check=True
    ).stdout.split()[0]
    solve = [clingo, "--verbose=0", "--warn=none", "--models=1", "-"]
    rows = []
    worst, wrong = None, 0
    for game, fluent, expected in [row for row in GAMES if not args.games or row[0] in args.games]:
        properties = ["turn-taking", f"persistence({fluent})", "control"]
        for name, expect in zip(properties, expected.split()):
            command = [str(LUDEX), "prove", sheet(game), name]
            seconds, answer = least(command + ["--json"])
            found = json.loads(answer)
            word = {"holds": "yes", "fails": "no"}.get(found["answer"], "unknown")
            wrong += word != expect
            _, text = cpu(command + ["--emit", "asp"])
            programs = [part for part in text.split("%%%%\n") if part.strip()]
            whole = sum(least(solve, program)[0] for program in programs)
            inside = [clingo_inside(clingo, program) for program in programs]
            inside = None if None in inside else sum(inside)
            shown = len(found["trace"]) if found["trace"] is not None else ""
            worst = min(worst or whole / seconds, whole / seconds)
            rows.append([game, name, word, shown, f"{seconds:.3f}", f"{whole:.2f}", "" if inside is None else f"{inside:.3f}"])
            print(*rows[-1], sep="\t", flush=True)
    if not args.games:
        columns = ["game", "property", "answer", "moves_shown", "sat_seconds", "clingo_seconds", "clingo_inside_seconds"]
        about = ("Seven games and three properties of Figure 2 of the paper: processor seconds of whole programs, the least of "
                 "three to nine runs. `clingo_inside` is what reading, grounding and solving alone take in a fresh process")
        records.write("prove-figure2", columns, rows, about, "scripts/prove-tables.py figure2")
    print(f"\n{wrong} answers differ from the paper; the smallest ratio of whole programs is {worst:.1f}")
    return wrong


def discover(args):
    started = time.monotonic()
    games = args.games or [path.stem for path in sorted((SHARED / "games").glob("*.kif"), key=lambda p: p.stat().st_size)]
    counts = collections.Counter()
    nothing, late, left = [], [], []
    for game in games:
        if time.monotonic() - started > 60 * args.minutes:
            left.append(game)
            continue
        command = [str(args.ludex), "prove", sheet(game), "--discover", "--json", "--time", str(args.time)]
        try:
            seconds, text = cpu(command, timeout=10 + 3 * args.time)
        except subprocess.TimeoutExpired:
            late.append(game)
            continue
        kinds = collections.Counter()
        for line in text.splitlines():
            fact = json.loads(line)
            kinds[fact["kind"]] += fact["count"]
        print(f"{game}: {seconds:.1f} s, {dict(kinds)}", file=sys.stderr, flush=True)
        counts["sheets"] += 1
        counts.update(kinds.keys())
        if not kinds:
            nothing.append(game)
    for kind, count in counts.most_common():
        print(f"{kind}\t{count}")
    if not args.games and not left:
        about = f"Sheets of which discovery proves something, {args.time:g} seconds of the clock a sheet with compiling"
        rows = [["all that ended in time" if kind == "sheets" else kind, count] for kind, count in counts.most_common()]
        records.write("prove-discover", ["proved", "sheets"], rows, about, f"scripts/prove-tables.py discover --time {args.time:g}")
    for what, list_ in [("nothing proved", nothing), ("did not end in time", late), ("not run", left)]:
        print(f"\n{what}: {len(list_)} {' '.join(list_)}")
    return 0


def well_formed(args):
    started = time.monotonic()
    games = args.games or sorted(path.stem for path in (SHARED / "games").glob("*.kif"))[:: args.every]
    counts, undecided, left = collections.Counter(), [], []
    for game in games:
        if time.monotonic() - started > 60 * args.minutes:
            left.append(game)
            continue
        command = [str(args.ludex), "prove", sheet(game), "well-formed", "--json", "--time", str(args.time)]
        try:
            seconds, text = cpu(command, timeout=10 + 3 * args.time)
            answer = json.loads(text)
        except (subprocess.TimeoutExpired, json.JSONDecodeError):
            seconds, answer = 0, {"answer": "unknown", "reason": "did not end in time"}
        what = answer["answer"] if answer["answer"] != "fails" else f"fails: {answer['part']}"
        counts[what] += 1
        print(f"{game}: {seconds:.1f} s, {what} {answer.get('reason', '')}", file=sys.stderr, flush=True)
        if what == "unknown":
            undecided.append(game)
    for what, count in counts.most_common():
        print(f"{what}\t{count}")
    if not args.games and not left and args.every == 1:
        about = f"Whether the public sheets are well-formed, {args.time:g} seconds of the clock a sheet with compiling"
        command = f"scripts/prove-tables.py well-formed --time {args.time:g}"
        records.write("prove-well-formed", ["answer", "sheets"], [list(pair) for pair in counts.most_common()], about, command)
    for what, list_ in [("undecided", undecided), ("not run", left)]:
        print(f"\n{what}: {len(list_)} {' '.join(list_)}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = parser.add_subparsers(required=True)
    table = tables.add_parser("figure2")
    table.add_argument("--clingo")
    table.add_argument("games", nargs="*")
    table.set_defaults(run=figure2)
    table = tables.add_parser("well-formed")
    table.add_argument("--time", type=float, default=30)
    table.add_argument("--every", type=int, default=1, help="one sheet of so many")
    table.add_argument("--minutes", type=float, default=1e9, help="begin with no sheet after so many")
    table.add_argument("--ludex", default=LUDEX)
    table.add_argument("games", nargs="*")
    table.set_defaults(run=well_formed)
    table = tables.add_parser("discover")
    table.add_argument("--time", type=float, default=20)
    table.add_argument("--minutes", type=float, default=1e9, help="begin with no sheet after so many")
    table.add_argument("--ludex", default=LUDEX)
    table.add_argument("games", nargs="*")
    table.set_defaults(run=discover)
    args = parser.parse_args()
    sys.exit(args.run(args))


if __name__ == "__main__":
    main()
