"""The tables of `bench-peers.sh`, which sets LUDEX and LUDEX_SHARED. One argument: seconds a measurement.

The peers' figures are read from $LUDEX_SHARED/peers/README.md: cells such as `134k (3.00M)`, of which the
number in brackets, state transitions a second, is compared.
"""

import json
import os
import re
import subprocess
import sys

LUDEX, SHARED = os.environ["LUDEX"], os.environ["LUDEX_SHARED"]


def peers():
    """The first table of the peers' page: its column names, and for each game its cells."""
    with open(f"{SHARED}/peers/README.md", encoding="utf-8") as page:
        lines = [line.strip() for line in page]
    start = next(i for i, line in enumerate(lines) if line.startswith("| game |"))
    cells = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    names = cells(lines[start])[1:]
    rows = {}
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        game, *rest = cells(line)
        rows[game.split()[0]] = dict(zip(names, rest))
    return names, rows


def transitions(cell):
    """The number in brackets, or None."""
    found = re.search(r"\(([\d.]+)([kM]?)\)", cell)
    if not found:
        return None
    return float(found[1]) * {"": 1, "k": 1e3, "M": 1e6}[found[2]]


def bench(game, engine, seconds):
    """States a second and the seconds to build, or the reason why there are none."""
    command = [LUDEX, "bench", f"{SHARED}/games/{game}.kif", "--engine", engine, "--seconds", seconds, "--json"]
    print(" ".join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        return None, None, reason[-1].removeprefix("error: ") if reason else "failed"
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["transitions"] / answer["cpu_seconds"], answer["build_seconds"], None


def short(figure):
    """Three digits, as the peers' page has them."""
    if figure is None:
        return ""
    for unit, letter in [(1e6, "M"), (1e3, "k")]:
        if figure >= unit:
            return f"{figure / unit:.3g}{letter}" if figure / unit < 1000 else f"{figure / unit:.0f}{letter}"
    return f"{figure:.3g}"


def ratio(ours, theirs):
    return f"{ours / theirs:.3g}" if ours and theirs else ""


def table(engine, columns, rows, seconds):
    print(f"| game | {engine}, states/s | build s | " + " | ".join(f"{c} | ratio" for c in columns) + " |")
    print("|---" * (3 + 2 * len(columns)) + "|")
    least = {}
    for game, peer in rows.items():
        ours, build, reason = bench(game, engine, seconds)
        line = [game, short(ours) if ours else f"declined: {reason}", f"{build:.2f}" if ours else ""]
        for column in columns:
            theirs = transitions(peer[column])
            line += [short(theirs) or peer[column], ratio(ours, theirs)]
            if ours and theirs:
                least[column] = min(least.get(column, (float("inf"), "")), (ours / theirs, game))
        print("| " + " | ".join(line) + " |", flush=True)
    print()
    for column, (value, game) in least.items():
        print(f"Lowest ratio to {column}: {value:.3g} ({game}).")
    print()


def main():
    seconds = sys.argv[1]
    names, rows = peers()
    find = lambda start: next(name for name in names if name.startswith(start))
    print("### datalog\n")
    table("datalog", [find("GGP-Base")], rows, seconds)
    print("### propnet\n")
    table("propnet", [find("galvanise"), find("Sancho")], rows, seconds)


main()
