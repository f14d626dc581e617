#!/usr/bin/env python3
"""The tables of docs/proving.md.

    scripts/prove-tables.py figure2 [--clingo PROGRAM]     seven games, three properties, SAT against clingo
    scripts/prove-tables.py discover [--time S] [GAME...]  what discovery proves on the public sheets

Run from the root of the repository after `cargo build --release`. The sheets are looked for at $LUDEX_SHARED, else
at ../shared. Times are processor time, user and system, the least of three runs or, of short ones, up to nine; of both programs
what starting them costs is subtracted (most of it with the Python package of clingo). Programs are those of `--emit asp`: base
case, lemmas, induction step.
"""

import argparse
import collections
import json
import os
import pathlib
import resource
import subprocess
import sys

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


def sheet(game):
    return str(SHARED / "games" / f"{game}.kif")


def figure2(args):
    clingo = args.clingo or subprocess.run(
        ["bash", str(ROOT / "scripts/get-clingo.sh")], capture_output=True, text=True, check=True
    ).stdout.split()[0]
    solve = [clingo, "--verbose=0", "--warn=none", "--models=1", "-"]
    empty = least(solve, "a.")[0]
    start = least([str(LUDEX), "--version"])[0]
    print("| game | property | answer | moves shown | SAT s | clingo s | ratio |")
    print("|---|---|---|---|---|---|---|")
    worst, wrong = None, 0
    for game, fluent, expected in GAMES:
        properties = ["turn-taking", f"persistence({fluent})", "control"]
        for name, expect in zip(properties, expected.split()):
            command = [str(LUDEX), "prove", sheet(game), name]
            seconds, answer = least(command + ["--json"])
            seconds = max(seconds - start, 0.0005)
            found = json.loads(answer)
            word = {"holds": "yes", "fails": "no"}.get(found["answer"], "unknown")
            wrong += word != expect
            _, text = cpu(command + ["--emit", "asp"])
            programs = [part for part in text.split("%%%%\n") if part.strip()]
            asp = sum(max(least(solve, part)[0] - empty, 0) for part in programs)
            shown = len(found["trace"]) if found["trace"] is not None else "-"
            ratio = asp / seconds
            worst = min(worst or ratio, ratio)
            print(f"| {game} | {name} | {word} | {shown} | {seconds:.3f} | {asp:.3f} | {ratio:.1f} |", flush=True)
    print(f"\n{wrong} answers differ from the paper; the smallest ratio is {worst:.1f}")
    return wrong


def discover(args):
    games = args.games or sorted(path.stem for path in (SHARED / "games").glob("*.kif"))
    counts = collections.Counter()
    failed = []
    for game in games:
        command = [str(LUDEX), "prove", sheet(game), "--discover", "--json", "--time", str(args.time)]
        try:
            seconds, text = cpu(command, timeout=10 + 3 * args.time)
        except subprocess.TimeoutExpired:
            counts["far longer than asked"] += 1
            failed.append(game)
            continue
        kinds = collections.Counter()
        for line in text.splitlines():
            fact = json.loads(line)
            kinds[fact["kind"]] += fact["count"]
        if not text:
            failed.append(game)
            continue
        counts["sheets"] += 1
        counts.update(kinds.keys())
        print(f"{game}: {seconds:.1f} s, {dict(kinds)}", file=sys.stderr, flush=True)
    print("| what is proved | sheets |\n|---|---|")
    for kind, count in counts.most_common():
        print(f"| {kind} | {count} |")
    print(f"\nnot compiled or nothing proved: {' '.join(failed) or 'none'}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = parser.add_subparsers(required=True)
    table = tables.add_parser("figure2")
    table.add_argument("--clingo")
    table.set_defaults(run=figure2)
    table = tables.add_parser("discover")
    table.add_argument("--time", type=float, default=20)
    table.add_argument("games", nargs="*")
    table.set_defaults(run=discover)
    args = parser.parse_args()
    sys.exit(args.run(args))


if __name__ == "__main__":
    main()
