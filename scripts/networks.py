#!/usr/bin/env python3
"""Records what becomes of each public sheet as a propositional network: records/networks.csv.

    scripts/networks.py [--games=NAME,...]

Runs `ludex debug propnet` on every sheet of $LUDEX_SHARED/games (../shared/games), one after the other, with 8 GB of
memory, and records processor seconds, ground rules and gates, or why the network was declined. --games=: only these,
printed and not recorded. LUDEX names the binary, target/release/ludex unless said.
Python 3, standard library only. Takes some minutes.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
GAMES = pathlib.Path(os.environ.get("LUDEX_SHARED", str(ROOT / "../shared"))) / "games"
ABOUT = (
    "Every public sheet as a propositional network: processor seconds of the whole command, 8 GB of memory. A ground rule is "
    "an instance of a rule or of a part of one (rules with very many instances are taken apart first)"
)
COLUMNS = ["sheet", "built", "cpu_seconds", "ground_rules", "gates", "gates_read", "declined_because"]
MEMORY = 8 << 30


def build(sheet):
    """The row of one sheet."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [LUDEX, "debug", "propnet", str(sheet)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figures = {what: int(n) for n, what in re.findall(r"^ *(\d+)  (.+)$", run.stdout, re.M)}
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines() or [f"ended with status {run.returncode}"]
        why = lines[0].removeprefix("error: ").split(": ", 1)[-1]
        return [sheet.stem, "no", f"{seconds:.2f}", "", "", "", why]
    gates = next(n for what, n in figures.items() if what.startswith("gates:"))
    read = figures["gates that an output reads"]
    return [sheet.stem, "yes", f"{seconds:.2f}", str(figures["ground rules"]), str(gates), str(read), ""]


def main():
    chosen = [a.split("=", 1)[1].split(",") for a in sys.argv[1:] if a.startswith("--games=")]
    sheets = sorted(GAMES.glob("*.kif"))
    if chosen:
        sheets = [sheet for sheet in sheets if sheet.stem in chosen[0]]
    rows = []
    for sheet in sheets:
        rows.append(build(sheet))
        print("\t".join(rows[-1]), file=sys.stderr, flush=True)
    if not chosen:
        records.write("networks", COLUMNS, rows, ABOUT, "scripts/networks.py")


main()
